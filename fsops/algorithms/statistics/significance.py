"""P-values, their adjustment for many tests, and the weights made of them."""

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.moments import ROUNDING
from fsops.algorithms.base.types import Floats, Scores

Weighting: TypeAlias = Literal["one_minus_p", "neg_log10_p", "abs_statistic"]
Adjustment: TypeAlias = Literal[
    "bonferroni", "holm", "benjamini_hochberg", "benjamini_yekutieli", "storey"
]

SMALLEST_P = np.finfo(np.float64).tiny


def weights_from(
    statistic: Floats, p_values: Floats | None, weighting: Weighting = "abs_statistic"
) -> Floats:
    """Weights, larger is better, of a statistic or of its p-values; 0 where the statistic is NaN.

    "one_minus_p" is bounded by 1 but saturates below p = 1e-16; "neg_log10_p" does not, its
    largest value is 307.65 (p is floored at the smallest normal double).
    """
    if weighting == "abs_statistic":
        return np.where(np.isnan(statistic), 0.0, np.abs(statistic))
    if p_values is None:
        raise ValueError(f'Weights "{weighting}" need p-values.')
    if weighting == "one_minus_p":
        weights = 1.0 - p_values
    elif weighting == "neg_log10_p":
        # Adding 0 turns the -0 of p = 1 into 0.
        weights = -np.log10(np.maximum(p_values, SMALLEST_P)) + 0.0
    else:
        raise ValueError(
            f'weighting must be "one_minus_p", "neg_log10_p" or "abs_statistic", got {weighting!r}.'
        )
    return np.where(np.isnan(statistic), 0.0, weights)


def t_p_values(t: Floats, df: Floats) -> Floats:
    """Two-sided p-values of Student's t; 1 where t is NaN or df is not positive."""
    from fsops.algorithms.statistics.tails import t_tail

    p = t_tail(t, df)
    return np.where(np.isnan(p) | ~(df > 0), 1.0, p)


def f_p_values(f: Floats, df: Floats) -> Floats:
    """Upper tail of the F distribution with df = (between, within); 1 where f or df is invalid."""
    from fsops.algorithms.statistics.tails import f_tail

    between, within = df
    p = f_tail(f, between, within)
    return np.where(np.isnan(p) | ~((between > 0) & (within > 0)), 1.0, p)


def correlation_p_values(r: Floats, df: Floats) -> Floats:
    """Two-sided p-values of correlations by Student's t; 1 where r is NaN or df is not positive."""
    # 1 - r^2 within rounding error of 0 is a perfect correlation.
    rest = np.maximum((1 - r) * (1 + r), 0.0)
    rest = np.where(rest <= ROUNDING, 0.0, rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = r * np.sqrt(df / rest)
    return t_p_values(t, df)


def normal_p_values(z: Floats, df: Floats) -> Floats:
    """Two-sided p-values of the normal distribution; 1 where z is NaN. df has no effect."""
    from scipy.special import erfc

    p: Floats = erfc(np.abs(z) / np.sqrt(2.0))
    return np.where(np.isnan(p), 1.0, p)


def chi2_p_values(chi2: Floats, df: Floats) -> Floats:
    """Upper tail of the chi squared distribution; 1 where chi2 is NaN or df is not positive."""
    from scipy.special import chdtrc

    p: Floats = chdtrc(df, chi2)
    return np.where(np.isnan(p) | ~(df > 0), 1.0, p)


def adjust_p_values(p_values: Floats, method: Adjustment = "benjamini_hochberg") -> Floats:
    """P-values adjusted for testing many features at once.

    "bonferroni" and "holm" bound the chance of any false discovery, "benjamini_hochberg" the
    expected fraction of false discoveries (independent or positively dependent
    tests), "benjamini_yekutieli" the same under any dependence. "storey" gives q-values: those of
    Benjamini and Hochberg times the estimated fraction of attributes without an effect.

    References
    ----------
    Holm (1979); Benjamini & Hochberg (1995); Benjamini & Yekutieli (2001); Storey (2002): A direct
    approach to false discovery rates. J. R. Statist. Soc. B 64, 479-498.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("P-values must be a one-dimensional array of numbers from 0 to 1.")
    m = p.size
    rank = np.arange(1, m + 1)
    order = np.argsort(p, kind="stable")
    ascending = p[order]
    if method == "bonferroni":
        adjusted = ascending * m
    elif method == "holm":
        adjusted = np.maximum.accumulate(ascending * (m + 1 - rank))
    elif method in ("benjamini_hochberg", "benjamini_yekutieli", "storey"):
        factor = float((1 / rank).sum()) if method == "benjamini_yekutieli" else 1.0
        steps = ascending * (m / rank) * factor
        adjusted = np.minimum.accumulate(steps[::-1])[::-1]
    else:
        raise ValueError(f"Unknown adjustment {method!r}.")
    result = np.empty(m)
    result[order] = np.minimum(adjusted, 1.0)
    return result * true_null_fraction(p) if method == "storey" else result


def true_null_fraction(p_values: Floats) -> float:
    """Return the estimated fraction of tests without an effect, from the large p-values.

    The tuning parameter minimizes the estimated mean squared error, in the closed form of the R
    package qvalue (``pi0.method = "bootstrap"``). At least one test counts as without an effect.

    References
    ----------
    Storey, Taylor & Siegmund (2004): Strong control, conservative point estimation and simultaneous
    conservative consistency of false discovery rates. J. R. Statist. Soc. B 66, 187-205.
    """
    m = len(p_values)
    if not m:
        return 1.0
    points = np.arange(1, 20) / 20
    above = (p_values >= points[:, None]).sum(axis=1)
    fraction = above / (m * (1 - points))
    variance = above / (m * (1 - points)) ** 2 * (1 - above / m)
    error = variance + (fraction - np.quantile(fraction, 0.1)) ** 2
    return float(np.clip(fraction[error == error.min()].min(), 1 / m, 1.0))


def scored(
    statistic: Floats,
    weighting: Weighting = "abs_statistic",
    p_values: Floats | None = None,
    df: Floats | None = None,
) -> Scores:
    """Wrap a statistic whose NaN mean undefined."""
    weights = weights_from(statistic, p_values, weighting)
    return Scores(weights, statistic, np.isnan(statistic), p_values, df)


def tested(
    statistic: Floats,
    df: Floats,
    distribution: Callable[[Floats, Floats], Floats],
    weighting: Weighting,
    p_values: bool,
) -> Scores:
    """Scores with p-values only where they are asked for: they cost more than the statistic.

    Otherwise `Scores.later_p_values` computes them.
    """
    undefined = np.isnan(statistic)
    some = bool(undefined.any())
    df = np.where(undefined, np.nan, df) if some else df
    if p_values or weighting != "abs_statistic":
        p = distribution(statistic, df)
        return Scores(weights_from(statistic, p, weighting), statistic, undefined, p, df)
    weights = np.abs(statistic)
    if some:
        weights[undefined] = 0.0
    later = partial(distribution, statistic, df)
    return Scores(weights, statistic, undefined, None, df, later)
