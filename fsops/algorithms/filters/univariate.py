"""Filters that score every feature on its own against the label.

Conventions shared by all functions here:

- Binary class codes are 0 (negative) and 1 (positive); booleans are accepted.
- Weights are not negative and larger is better; the signed statistic is returned too.
- A statistic that does not exist (0/0, too few rows or classes) is NaN, with p-value 1, weight 0
  and a True in `undefined`. Where all variances are 0 but the means differ it is infinite.
- Missing values (NaN) are left out per feature.
- `f(X, codes)` computes the moments itself; `f_from(moments)` starts from merged moments.
"""

from dataclasses import dataclass, replace
from math import floor, log
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.compiled import sets as kernels
from fsops.algorithms.base.moments import ROUNDING, ClassMoments, CrossMoments, negligible
from fsops.algorithms.base.types import (
    Bools,
    Floats,
    Ints,
    Numbers,
    Scores,
    as_matrix,
    count_classes,
)
from fsops.algorithms.statistics.significance import (
    Weighting,
    correlation_p_values,
    f_p_values,
    normal_p_values,
    scored,
    t_p_values,
    tested,
)

Fudge: TypeAlias = float | str
"""SAM's s0: a number, "median", "percentile:q" or "auto"."""


def _two_classes(X: Numbers, codes: Numbers) -> ClassMoments:
    return ClassMoments.of(X, codes, 2)


def _check_binary(moments: ClassMoments) -> None:
    if moments.n_classes != 2:
        raise ValueError(f"This measure compares two classes, got {moments.n_classes}.")


def mean_difference(moments: ClassMoments, within: Floats) -> Floats:
    """Positive minus negative class mean; NaN where a class is empty.

    Where both classes are constant, a difference within rounding error counts as 0: the feature
    is constant, not a perfect separator.
    """
    difference: Floats = moments.offset[1] - moments.offset[0]
    if not within.min(initial=np.inf) > 0:
        still: Bools = (within == 0).all(axis=0)
        difference[_indistinct(moments, still)] = 0.0
    if moments.count.min(initial=np.inf) > 0:
        return difference
    return np.where((moments.count > 0).all(axis=0), difference, np.nan)


def _indistinct(moments: ClassMoments, still: Bools) -> tuple[Ints, ...]:
    """Where, of these, the class means differ by no more than rounding error."""
    places = still.nonzero()
    offset = moments.offset[:, still]
    count = np.broadcast_to(moments.count, moments.offset.shape)[:, still]
    total = np.maximum(count.sum(axis=0), 1.0)
    deviation = offset - (count * offset).sum(axis=0) / total
    between = (count * deviation * deviation).sum(axis=0)
    origin = np.broadcast_to(moments.origin, still.shape)[still]
    mean = np.where(count > 0, origin + offset, 0.0)
    # Offsets have the rounding errors of the origin, which may be far from rows of a training set.
    size = np.maximum(np.abs(mean).max(axis=0, initial=0.0), np.abs(origin))
    same = negligible(between, total, size)
    return tuple(place[same] for place in places)


def _sample_variances(moments: ClassMoments, within: Floats) -> Floats:
    """SS/(n-1) per class, NaN for classes with fewer than two rows."""
    if moments.count.min(initial=np.inf) >= 2:
        return within / (moments.count - 1)
    enough = moments.count >= 2
    return np.where(enough, within / np.where(enough, moments.count - 1, 1.0), np.nan)


def _pooled_error(moments: ClassMoments, within: Floats) -> Floats:
    """Standard error of the mean difference under equal variances; NaN without spare rows."""
    negative, positive = moments.count
    spare = moments.total - 2
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(spare > 0, (1 / positive + 1 / negative) / spare, np.nan)
        error: Floats = within.sum(axis=0)
        error *= factor
        return np.sqrt(error, out=error)


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient with 0/0 = NaN and x/0 = signed infinity, quietly."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotient: Floats = numerator / denominator
    return quotient


# --- SAM ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class SamScores(Scores):
    """SAM's scores with the s0 that was used and the two parts of d = difference / (error + s0)."""

    s0: float = 0.0
    difference: Floats | None = None
    error: Floats | None = None


def sam(X: Numbers, codes: Numbers, *, s0: Fudge = 0.1, include_zero: bool = False) -> SamScores:
    """Relative difference d of two classes: mean difference over (standard error + s0).

    d = (m1 - m0) / (s + s0), s = sqrt((1/n1 + 1/n0) / (n1 + n0 - 2) * (SS1 + SS0)).
    s0 makes d depend on the scale of a feature: do not use it on features in different units.

    Parameters
    ----------
    X, codes
        Rows by features; class 0 or 1 of each row.
    s0
        A number, "median", "percentile:q" (of the positive s), or "auto" (Tusher's choice,
        see `tusher_s0`). With 0, d is Student's t.
    include_zero
        Let "auto" also consider s0 = 0.

    References
    ----------
    Tusher, Tibshirani & Chu (2001), Significance analysis of microarrays applied to the ionizing
    radiation response, PNAS 98.
    """
    return sam_from(_two_classes(X, codes), s0=s0, include_zero=include_zero)


def sam_from(moments: ClassMoments, *, s0: Fudge = 0.1, include_zero: bool = False) -> SamScores:
    """SAM from the moments of two classes, see `sam`."""
    _check_binary(moments)
    within = moments.within()
    difference = mean_difference(moments, within)
    error = _pooled_error(moments, within)
    fudge = fudge_factor(difference, error, s0, include_zero=include_zero)
    d = _ratio(difference, error + fudge)
    plain = scored(d)
    return SamScores(
        plain.weights, d, plain.undefined, s0=fudge, difference=difference, error=error
    )


def fudge_factor(
    difference: Floats, error: Floats, s0: Fudge, *, include_zero: bool = False
) -> float:
    """The number that a choice of s0 stands for; 0 when no feature has a positive error."""
    if not isinstance(s0, str):
        if not 0 <= s0 < np.inf:
            raise ValueError(f"s0 must be a finite number of at least 0, got {s0}.")
        return float(s0)
    usable = (error > 0) & np.isfinite(difference)
    if s0 == "auto":
        return tusher_s0(difference[usable], error[usable], include_zero=include_zero)
    q = 50.0 if s0 == "median" else _percentile_of(s0)
    return float(np.percentile(error[usable], q)) if usable.any() else 0.0


def _percentile_of(s0: str) -> float:
    kind, _, number = s0.partition(":")
    try:
        q = float(number)
    except ValueError:
        q = np.nan
    if kind != "percentile" or not 0 <= q <= 100:
        raise ValueError(
            f's0 must be a number, "auto", "median" or "percentile:q" with q in 0..100, got {s0!r}.'
        )
    return q


def tusher_s0(difference: Floats, error: Floats, *, include_zero: bool = False) -> float:
    """The s0 among quantiles of the errors that makes the spread of d least dependent on s.

    The errors are cut into windows at their quantiles. For each candidate s0 the median absolute
    deviation of d is taken per window; the candidate with the smallest coefficient of variation
    of these wins (the first of equals). All errors must be positive.

    References
    ----------
    Tusher, Tibshirani & Chu (2001); Chu et al., SAM users guide and technical document.
    """
    p = error.size
    if not p:
        return 0.0
    order = np.argsort(error, kind="stable")
    difference, error = difference[order], error[order]
    windows = 100 if p >= 1000 else max(2, p // 10)
    inner = np.quantile(error, np.linspace(0, 1, windows + 1))[1:-1]
    starts = np.unique(np.searchsorted(error, inner, side="left"))
    candidates = np.quantile(error, np.linspace(0, 1, 21))
    if include_zero:
        candidates = np.concatenate([[0.0], candidates])
    variation = [_window_variation(difference / (error + s), starts) for s in candidates]
    return float(candidates[int(np.argmin(variation))])


def _window_variation(d: Floats, starts: Ints) -> float:
    """Coefficient of variation, over the windows, of the median absolute deviation of d."""
    parts = [part for part in np.split(d, starts) if part.size]
    v = np.array([np.median(np.abs(part - np.median(part))) / 0.64 for part in parts])
    # Without a spread to compare no candidate is better than the others.
    return float(v.std(ddof=1) / v.mean()) if v.size > 1 and v.any() else np.inf


# --- differences of means ---------------------------------------------------------------------


def welch_t(
    X: Numbers,
    codes: Numbers,
    *,
    weighting: Weighting = "one_minus_p",
    p_values: bool = True,
) -> Scores:
    """Welch's t of two classes with degrees of freedom and two-sided p-values.

    t = (m1 - m0) / sqrt(s1^2/n1 + s0^2/n0) with sample variances; both classes need two rows.

    Parameters
    ----------
    X, codes
        Rows by features; class 0 or 1 of each row.
    weighting
        The source of the weights, see `weights_from`.
    p_values
        False saves their cost when the weights do not need them.

    References
    ----------
    Welch (1947), The generalization of Student's problem when several different population
    variances are involved, Biometrika 34.
    """
    return welch_t_from(_two_classes(X, codes), weighting=weighting, p_values=p_values)


def welch_t_from(
    moments: ClassMoments, *, weighting: Weighting = "one_minus_p", p_values: bool = True
) -> Scores:
    """Welch's t from the moments of two classes, see `welch_t`."""
    _check_binary(moments)
    within = moments.within()
    share = _ratio(_sample_variances(moments, within), moments.count)
    error = share[0] + share[1]
    t = _ratio(mean_difference(moments, within), np.sqrt(error))
    # Powers of 2 keep the squares of tiny variances above 0, and change no digit.
    exponent = np.frexp(error)[1]
    part, whole = np.ldexp(share, -exponent), np.ldexp(error, -exponent)
    df = _ratio(whole * whole, _ratio(part * part, moments.count - 1).sum(axis=0))
    # Two constant classes with different means: t is infinite whatever the freedom.
    infinite = np.isinf(t)
    if infinite.any():
        df = np.where(infinite, moments.total - 2, df)
    return tested(t, df, t_p_values, weighting, p_values)


def student_t(
    X: Numbers,
    codes: Numbers,
    *,
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """Student's t of two classes with equal variances, n - 2 degrees of freedom.

    t = (m1 - m0) / s with the pooled standard error s of `sam`. Where the classes differ in
    spread and size, `welch_t` is the honest choice.

    References
    ----------
    Student (1908), The probable error of a mean, Biometrika 6.
    """
    return student_t_from(_two_classes(X, codes), weighting=weighting, p_values=p_values)


def student_t_from(
    moments: ClassMoments, *, weighting: Weighting = "abs_statistic", p_values: bool = True
) -> Scores:
    """Student's t from the moments of two classes, see `student_t`."""
    _check_binary(moments)
    within = moments.within()
    t = _ratio(mean_difference(moments, within), _pooled_error(moments, within))
    df = np.broadcast_to(moments.total - 2, t.shape)
    return tested(t, df, t_p_values, weighting, p_values)


def f_test(
    X: Numbers,
    codes: Numbers,
    *,
    n_classes: int | None = None,
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """One-way analysis of variance of numeric features over the classes of a nominal label.

    F = [(n - C) sum n_c (m_c - m)^2] / [(C - 1) sum SS_c], df = (C - 1, n - C). Classes without
    rows do not count. F is unbounded and cannot be compared with correlations or information.

    References
    ----------
    Fisher (1925), Statistical Methods for Research Workers.
    """
    moments = ClassMoments.of(X, codes, n_classes or count_classes(codes))
    return f_test_from(moments, weighting=weighting, p_values=p_values)


def f_test_nominal(
    groups: Numbers,
    y: Numbers,
    *,
    n_groups: int | None = None,
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """One-way analysis of variance of a numeric label over the values of nominal features.

    groups holds the integer codes of the features (rows by features, -1 = missing).
    """
    moments = ClassMoments.of_target(y, groups, n_groups or count_classes(groups))
    return f_test_from(moments, weighting=weighting, p_values=p_values)


def f_test_from(
    moments: ClassMoments, *, weighting: Weighting = "abs_statistic", p_values: bool = True
) -> Scores:
    """F from class moments, see `f_test`."""
    freedom = _f_freedom(moments)
    statistic = _f_of_many(moments)
    if statistic is None:
        between, within = sums_of_squares(moments)
        statistic = _ratio(between * freedom[1], within * freedom[0])
    enough = freedom > 0
    if not enough.all():
        statistic = np.where(enough.all(axis=0), statistic, np.nan)
    df = np.broadcast_to(freedom, (2, *statistic.shape))
    return tested(statistic, df, f_p_values, weighting, p_values)


def _f_of_many(moments: ClassMoments) -> Floats | None:
    """F of very many features by a kernel, which reads the moments once; None to do without it.

    A feature that does not vary within the classes is left to the numpy twin.
    """
    if moments.offset.ndim != 2 or moments.count.shape[1] != 1:
        return None
    if not kernels.take_moments(moments.offset.size):
        return None
    statistic = np.empty(moments.n_features)
    offset, ss = np.ascontiguousarray(moments.offset), np.ascontiguousarray(moments.ss)
    varies = kernels.fill_f(moments.count, moments.origin, offset, ss, ROUNDING, statistic)
    return statistic if varies else None


def _f_freedom(moments: ClassMoments) -> Floats:
    """Degrees of freedom between and within the classes that have rows, (2, p) or (2, 1)."""
    total, present = moments.total, moments.present
    freedom = np.empty((2, *total.shape))
    freedom[0] = present - 1
    freedom[1] = total - present
    return freedom


def sums_of_squares(moments: ClassMoments) -> tuple[Floats, Floats]:
    """Sum of squares between and within classes; both exactly 0 for a constant feature."""
    within = moments.within().sum(axis=0)
    deviation = moments.offset - moments.centre
    deviation *= deviation
    deviation *= moments.count
    between: Floats = deviation.sum(axis=0)
    if not within.min(initial=np.inf) > 0:
        between[_indistinct(moments, within == 0)] = 0.0
    return between, within


def fisher_score(X: Numbers, codes: Numbers, *, n_classes: int | None = None) -> Scores:
    """Fisher score: variance between classes over variance within classes.

    sum n_c (m_c - m)^2 / sum n_c v_c with population variances v_c; ranks as the F-test.

    References
    ----------
    Duda, Hart & Stork (2001), Pattern Classification, 2nd ed.
    """
    return fisher_score_from(ClassMoments.of(X, codes, n_classes or count_classes(codes)))


def fisher_score_from(moments: ClassMoments) -> Scores:
    """Fisher score from class moments, see `fisher_score`."""
    enough = (_f_freedom(moments) > 0).all(axis=0)
    return scored(np.where(enough, _ratio(*sums_of_squares(moments)), np.nan))


def lal_score(X: Numbers, codes: Numbers) -> Scores:
    """Lal's correlation score of two classes: squared mean difference over summed variances.

    R = (m1 - m0)^2 / (v1 + v0) with population variances, so that a class may have one row. Unlike
    the Fisher score it does not weight the classes by size.

    References
    ----------
    Lal et al. (2004), Support vector channel selection in BCI, IEEE Trans. Biomed. Eng. 51.
    """
    return lal_score_from(_two_classes(X, codes))


def lal_score_from(moments: ClassMoments) -> Scores:
    """Lal's score from the moments of two classes, see `lal_score`."""
    _check_binary(moments)
    within = moments.within()
    variances = _ratio(within, moments.count)  # 0 for a class with one row
    difference = mean_difference(moments, within)
    return scored(_ratio(difference * difference, variances.sum(axis=0)))


def symmetric_kl(X: Numbers, codes: Numbers) -> Scores:
    """Symmetric Kullback-Leibler divergence of two classes, each taken as Gaussian.

    J = 1/2 [v1/v0 + v0/v1 - 2 + (1/v1 + 1/v0) (m1 - m0)^2] with sample variances; the "entropy"
    criterion of MATLAB's feature ranking. Responds to differences in spread as well.

    References
    ----------
    Theodoridis & Koutroumbas (2008), Pattern Recognition, 4th ed., section 5.
    """
    return symmetric_kl_from(_two_classes(X, codes))


def symmetric_kl_from(moments: ClassMoments) -> Scores:
    """Symmetric Kullback-Leibler divergence from moments, see `symmetric_kl`."""
    _check_binary(moments)
    within = moments.within()
    v0, v1 = _sample_variances(moments, within)
    difference = mean_difference(moments, within)
    gap = v1 - v0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # (v1 - v0)^2 / (v0 v1) is v1/v0 + v0/v1 - 2 without cancellation.
        spread = (gap / v0) * (gap / v1)
        location = (1 / v0 + 1 / v1) * difference**2
    j = 0.5 * (spread + location)
    perfect = (v0 == 0) & (v1 == 0) & (difference != 0)
    single = (v0 == 0) ^ (v1 == 0)
    infinite = (perfect | single) & ~np.isnan(v0 + v1 + difference)
    return scored(np.where(infinite, np.inf, j))


# --- correlation --------------------------------------------------------------------------------


def pearson(
    X: Numbers,
    y: Numbers,
    *,
    weighting: Weighting = "abs_statistic",
    p_values: bool = False,
) -> Scores:
    """Pearson's correlation of each feature with a numeric label (or a binary one, coded 0/1).

    r = sum (x - mx)(y - my) / sqrt(SSx SSy). P-values are those of t = r sqrt((n-2)/(1-r^2)).
    Detects only linear dependence.

    References
    ----------
    Pearson (1895), Note on regression and inheritance in the case of two parents.
    """
    return pearson_from(CrossMoments.of(X, y), weighting=weighting, p_values=p_values)


def pearson_from(
    moments: CrossMoments, *, weighting: Weighting = "abs_statistic", p_values: bool = False
) -> Scores:
    """Pearson's correlation from cross moments, see `pearson`."""
    still = negligible(moments.ss_y, moments.count, moments.mean_y)
    ss_y = np.where(still, 0.0, moments.ss_y)
    spread = np.sqrt(moments.within()) * np.sqrt(ss_y)
    r = _ratio(moments.cross, spread)
    # A constant feature has no correlation, even if rounding left a trace of a cross-product.
    if not spread.min(initial=np.inf) > 0:
        r[~(spread > 0)] = np.nan
    np.clip(r, -1.0, 1.0, out=r)
    df = np.broadcast_to(moments.count - 2, r.shape)
    return tested(r, df, correlation_p_values, weighting, p_values)


def sis(X: Numbers, y: Numbers, *, keep: int | Literal["n/log n", "n-1"] = "n/log n") -> Scores:
    """Sure independence screening: weight 1 for the features most correlated with the label.

    The statistic is omega = Z'(y - mean y) / n with standardized columns Z; the `keep` features
    of largest |omega| get weight 1 (ties: first column first), all others 0.

    Parameters
    ----------
    X, y
        Rows by features; numeric label.
    keep
        How many: floor(n / ln n), n - 1, or a number; never more than there are features.

    References
    ----------
    Fan & Lv (2008), Sure independence screening for ultrahigh dimensional feature space,
    J. R. Statist. Soc. B 70.
    """
    moments = CrossMoments.of(X, y)
    correlation = pearson_from(moments)
    with np.errstate(invalid="ignore"):
        omega = correlation.statistic * np.sqrt(moments.ss_y / np.maximum(moments.count, 1.0))
    defined = np.flatnonzero(~correlation.undefined)
    order = np.argsort(-np.abs(omega[defined]), kind="stable")
    weights = np.zeros(omega.size)
    weights[defined[order[: _kept(keep, len(y))]]] = 1.0
    return Scores(weights, omega, correlation.undefined)


def _kept(keep: int | str, n: int) -> int:
    if keep == "n/log n":
        return floor(n / log(n)) if n > 1 else 1
    if keep == "n-1":
        return max(1, n - 1)
    if isinstance(keep, str) or keep < 1:
        raise ValueError(f'keep must be "n/log n", "n-1" or a number from 1, got {keep!r}.')
    return keep


# --- ranks ----------------------------------------------------------------------------------


def auc(X: Numbers, codes: Numbers) -> Scores:
    """Area under the ROC curve of each feature used as a score for class 1.

    The statistic is P(x1 > x0) + P(x1 = x0)/2 for one row of each class, the weight |2 AUC - 1|:
    0 for a useless feature, 1 for one that separates the classes in either direction.

    References
    ----------
    Hanley & McNeil (1982), The meaning and use of the area under a ROC curve, Radiology 143.
    """
    from fsops.algorithms.base.rank_sums import rank_sums

    sums = rank_sums(X, codes)
    area = _ratio(sums.u, sums.positive * sums.negative)
    undefined = np.isnan(area)
    weights = np.where(undefined, 0.0, np.abs(2 * area - 1))
    return Scores(weights, area, undefined)


def wilcoxon(
    X: Numbers,
    codes: Numbers,
    *,
    continuity: bool = False,
    weighting: Weighting = "one_minus_p",
    p_values: bool = True,
) -> Scores:
    """Wilcoxon's rank-sum test of two classes: normal z, corrected for ties, and its p-value.

    z = (U - n1 n0 / 2) / sd(U). The normal approximation is rough below about eight rows per
    class. continuity moves U half a rank towards its mean.

    References
    ----------
    Wilcoxon (1945), Biometrics Bulletin 1; Mann & Whitney (1947), Ann. Math. Statist. 18.
    """
    from fsops.algorithms.base.rank_sums import rank_sums

    sums = rank_sums(X, codes)
    pairs, n = sums.positive * sums.negative, sums.positive + sums.negative
    variance = _ratio(pairs * (n * n * n - n - sums.ties), 12 * n * (n - 1))
    excess = sums.u - pairs / 2
    if continuity:
        excess = np.sign(excess) * np.maximum(np.abs(excess) - 0.5, 0.0)
    z = np.where(variance > 0, _ratio(excess, np.sqrt(np.maximum(variance, 0.0))), np.nan)
    scores = tested(z, np.empty(z.shape), normal_p_values, weighting, p_values)
    return replace(scores, df=None)


# --- spread -------------------------------------------------------------------------------------


def deviation(
    X: Numbers, *, normalize: Literal["none", "average", "minimum", "maximum"] = "none"
) -> Scores:
    """Sample standard deviation of each feature, if wanted relative to a value of the feature.

    Uses no label. Relative to the average it is the coefficient of variation; a feature whose
    divisor is 0 gets an infinite weight. Only features in the same unit can be compared.
    """
    X = as_matrix(X)
    moments = ClassMoments.of(X, np.zeros(X.shape[0], dtype=np.intp), 1)
    spread = np.sqrt(_sample_variances(moments, moments.within())[0])
    if normalize == "none":
        return scored(spread)
    if normalize == "average":
        divisor = moments.mean[0]
    elif normalize in ("minimum", "maximum"):
        extreme = np.fmin if normalize == "minimum" else np.fmax
        divisor = extreme.reduce(X, axis=0) if len(X) else np.full(X.shape[1], np.nan)
    else:
        raise ValueError(
            f'normalize must be "none", "average", "minimum" or "maximum", got {normalize!r}.'
        )
    return scored(_ratio(spread, np.abs(divisor)))
