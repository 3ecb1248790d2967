"""Moderated t and F statistics: the variance of a feature is shrunk towards that of all features.

References
----------
Smyth (2004), Linear models and empirical Bayes methods for assessing differential expression in
microarray experiments, Statistical Applications in Genetics and Molecular Biology 3.
Ritchie et al. (2015), limma powers differential expression analyses for RNA-sequencing and
microarray studies, Nucleic Acids Research 43.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Scores
from fsops.algorithms.statistics.linear_fits import LinearFits
from fsops.algorithms.statistics.significance import Weighting, f_p_values, t_p_values, tested

SMALLEST_VARIANCE = 1e-5
"""Smaller variances, in units of their median, count as this one in the prior."""
NO_DEGREES = 1e-15
"""Features with so few degrees of freedom have no variance."""
MOST_DEGREES = 2**20
"""If degrees of freedom differ by so many, no table of their functions is made."""


@dataclass(frozen=True, slots=True, eq=False)
class VariancePrior:
    """The common variance of all features, and how many rows it is worth.

    Attributes
    ----------
    variance
        A number for all features, (1,), or one for each, (p,), if it follows a trend.
    df
        Degrees of freedom of the prior: 0 leaves variances as they are, infinity replaces them.
    pooled
        Degrees of freedom of all features together, the most that a test can have.
    unreliable
        Whether more than half of the variances are exactly 0.
    """

    variance: Floats
    df: float
    pooled: float
    unreliable: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ModeratedScores(Scores):
    """Moderated statistics with the prior that was used."""

    prior: VariancePrior | None = None


def moderated(
    fits: LinearFits,
    *,
    trend: bool = False,
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> ModeratedScores:
    """Moderated t of one tested column with its sign, or moderated F of several.

    t = effect / s with s^2 = (d0 s0^2 + d s^2) / (d0 + d), which has d0 + d degrees of freedom.

    Parameters
    ----------
    fits
        Sums of squares of all features, see `linear_fits`.
    trend
        Let the prior variance depend on the mean of a feature, by a natural spline.
    weighting, p_values
        See `weights_from` and `tested`.
    """
    df = fits.residual_df
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        variance = fits.residual / df
        if not df.min(initial=np.inf) > 0:
            variance = np.where(df > 0, variance, 0.0)
        prior = variance_prior(variance, df, fits.level() if trend else None)
        t = fits.effect / np.sqrt(squeezed(variance, df, prior))
    total = df + prior.df
    if total.max(initial=0.0) > prior.pooled:
        total = np.minimum(total, prior.pooled)
    total = total if total.size == t.size else np.full(t.shape, total)
    if fits.coefficient is not None:
        plain = tested(t, total, t_p_values, weighting, p_values)
    else:
        between = np.broadcast_to(fits.effect_df, t.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            f = t * t / np.where(between > 0, between, np.nan)
        plain = tested(f, np.stack([between, total]), f_p_values, weighting, p_values)
    return ModeratedScores(
        plain.weights,
        plain.statistic,
        plain.undefined,
        plain.p_values,
        plain.df,
        plain.later_p_values,
        {} if fits.coefficient is None else {"coefficient": fits.coefficient},
        prior,
    )


def squeezed(variance: Floats, df: Floats, prior: VariancePrior) -> Floats:
    """Variances shrunk towards the prior."""
    if prior.df == np.inf:
        return np.broadcast_to(prior.variance, variance.shape)
    posterior: Floats = df * variance
    posterior += prior.df * prior.variance
    posterior /= df + prior.df
    return posterior


def variance_prior(variance: Floats, df: Floats, level: Floats | None = None) -> VariancePrior:
    """The prior whose variances, with these degrees of freedom, have the moments of log variances.

    limma's ``fitFDist``. One difference: where more than half of the variances are 0, variances of
    0 are moved away from it in units of the median of the others, not in units of 1.

    Parameters
    ----------
    variance, df
        Of each feature; df has (p,) or (1,) values. Those with df 0 or NaN are left out.
    level
        Mean of each feature, for a prior variance that depends on it.
    """
    usable: Bools = (df > NO_DEGREES) & np.isfinite(variance)
    count = int(np.count_nonzero(usable))
    if count < 2:
        only = variance[usable] if count else np.full(1, np.nan)
        return VariancePrior(only, 0.0, float((df * usable).sum()))
    every = count == variance.size
    d = df if every or df.size == 1 else df[usable]
    pooled = float(d.sum() if d.size == count else d[0] * count)
    x, unreliable = _above_zero(variance if every else variance[usable])
    if unreliable and not x.any():
        return VariancePrior(np.zeros(1), np.inf, pooled, unreliable)
    from scipy.special import psi, zeta

    mean, trigamma = _of_each(
        (lambda half: psi(half) - np.log(half), lambda half: zeta(2, half)), d
    )
    e = np.log(x)
    e -= mean
    basis = None if level is None else _trend_basis(level, usable)
    if basis is None:
        centre = e.sum(keepdims=True) / count
        e -= centre
        spread = float(np.square(e, out=e).sum() / (count - 1))
    else:
        coefficients = basis[usable].T @ e
        centre = basis @ coefficients
        spread = float(((e - centre[usable]) ** 2).sum() / (count - basis.shape[1]))
    spread -= float(trigamma.sum() / trigamma.size)
    if spread > 0:
        prior_df = 2.0 * trigamma_inverse(spread)
        shift = float(psi(prior_df / 2) - np.log(prior_df / 2))
        return VariancePrior(np.exp(centre + shift), prior_df, pooled, unreliable)
    scale = np.array([x.mean()]) if basis is None else np.exp(centre)
    return VariancePrior(scale, np.inf, pooled, unreliable)


def _above_zero(x: Floats) -> tuple[Floats, bool]:
    """Variances, tiny ones replaced by a part of the median, and whether the median is 0."""
    # The median is at most twice the mean, which takes less time.
    if x.min() > 4 * SMALLEST_VARIANCE * (x.sum() / x.size):
        return x, False
    middle = _median(x)
    unreliable = middle == 0
    if unreliable and x.any():
        middle = _median(x[x > 0])
    return np.maximum(x, SMALLEST_VARIANCE * middle), unreliable


def _median(x: Floats) -> float:
    """The median of numbers; numpy's looks for missing ones and has more to decide."""
    half = x.size // 2
    parts = np.partition(x, half)
    if x.size % 2:
        return float(parts[half])
    # One place is found several times as fast as two.
    return float((parts[:half].max() + parts[half]) / 2)


def _of_each(functions: Sequence[Callable[[Floats], Floats]], df: Floats) -> list[Floats]:
    """Functions of half the degrees of freedom, computed once for each number that occurs.

    Missing values give thousands of features a few different degrees of freedom.
    """
    if df.size > 1 and (np.floor(df) == df).all():
        lowest = df.min()
        span = df.max() - lowest
        if span < MOST_DEGREES:
            return _looked_up(functions, df - lowest, lowest, int(span))
    return [function(df / 2) for function in functions]


def _looked_up(
    functions: Sequence[Callable[[Floats], Floats]], excess: Floats, lowest: float, span: int
) -> list[Floats]:
    """`_of_each` by a table of whole degrees of freedom: the lowest and an excess up to span."""
    places = excess.astype(np.intp)
    occurs = np.zeros(span + 1, dtype=np.bool_)
    occurs[places] = True
    present = occurs.nonzero()[0]
    values = np.empty((len(functions), occurs.size))
    for line, function in zip(values, functions, strict=True):
        line[present] = function((present + lowest) / 2)
    return [line.take(places) for line in values]


def trigamma_inverse(value: float) -> float:
    """The number whose trigamma is a positive value, by Newton's method (Smyth 2004, appendix)."""
    from scipy.special import zeta

    if value > 1e7:
        return float(1.0 / np.sqrt(value))
    if value < 1e-6:
        return 1.0 / value
    y = 0.5 + 1.0 / value
    for _ in range(50):
        # The same as polygamma(1, y) and polygamma(2, y), which take three times as long.
        trigamma, cubes = zeta((2.0, 3.0), y).tolist()
        step = trigamma * (1.0 - trigamma / value) / (-2.0 * cubes)
        y += step
        if -step / y < 1e-8:
            break
    return y


def _trend_basis(level: Floats, usable: Bools) -> Floats | None:
    """Natural spline of the level, orthonormal over the usable features; None without a trend."""
    known = level[usable]
    count = known.size
    df = 1 + (count >= 3) + (count >= 6) + (count >= 30)
    df = min(df, np.unique(known).size)
    if df < 2:
        return None
    knots = np.unique(np.quantile(known, np.linspace(0, 1, df)))  # ties may leave fewer
    columns = natural_spline(level, knots)
    _, triangle = np.linalg.qr(columns[usable])
    return np.linalg.solve(triangle.T, columns.T).T


def natural_spline(x: Floats, knots: Floats) -> Floats:
    """Values of the natural cubic splines with these knots, one column for each knot.

    They are linear outside of the first and the last knot.
    """
    from scipy.interpolate import CubicSpline

    low, high = knots[0], knots[-1]
    places = (knots - low) / (high - low)
    z = (x - low) / (high - low)
    inside = np.clip(z, 0.0, 1.0)
    # Each is 1 at its knot and 0 at the others: powers of z would lose digits between close knots.
    spline = CubicSpline(places, np.eye(len(places)), bc_type="natural")
    columns: Floats = spline(inside) + spline(inside, 1) * (z - inside)[:, None]
    return columns
