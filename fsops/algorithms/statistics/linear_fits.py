"""Linear models of many features on one design, and the sums of squares of its tested part.

The design has two parts. The nuisance columns (intercept, batches, pairs, covariates) are only
adjusted for; the tested columns (classes, or a number) are compared given the others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from fsops.algorithms.base.moments import ClassMoments, negligible
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, as_matrix, as_row_weights

RANK_TOLERANCE = 1e-9
"""Columns of a design with a smaller part outside the span of the others add nothing to it."""
MATRICES = 2**21
"""So many numbers of small matrices, one for each feature with missing values, are held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearFits:
    """Sums of squares of each feature in a linear model.

    Attributes
    ----------
    effect
        Root of the sum of squares of the tested columns, given the others. With one tested column
        it has the sign of its coefficient. NaN where the comparison does not exist.
    effect_df
        Number of comparisons, (p,) or (1,).
    residual
        Sum of squared residuals; exactly 0 where only rounding errors are left.
    residual_df
        Rows less columns, (p,) or (1,).
    level
        Computes the mean of each feature, which only a trend needs.
    coefficient
        Coefficient of a single tested column; None if there are several.
    """

    effect: Floats
    effect_df: Floats
    residual: Floats
    residual_df: Floats
    level: Callable[[], Floats]
    coefficient: Floats | None = None


def one_way_fits(moments: ClassMoments) -> LinearFits:
    """Fits of a design that has only classes, from their moments."""
    from fsops.algorithms.filters.univariate import mean_difference, sums_of_squares

    total, present = moments.total, moments.present
    level = partial(_overall_mean, moments)
    if moments.n_classes != 2:
        between, within = sums_of_squares(moments)
        effect = np.where(present > 1, np.sqrt(between), np.nan)
        return LinearFits(effect, present - 1, within, total - present, level)
    within = moments.within()
    difference = mean_difference(moments, within)
    with np.errstate(divide="ignore"):
        reciprocal = 1.0 / moments.count
        length = 1.0 / np.sqrt(reciprocal[0] + reciprocal[1])
    residual = within[0] + within[1]
    return LinearFits(
        difference * length, present - 1, residual, total - present, level, difference
    )


def _overall_mean(moments: ClassMoments) -> Floats:
    """The mean of each feature over all classes."""
    return moments.origin + moments.centre


@dataclass(frozen=True, slots=True, eq=False)
class DesignBasis:
    """An orthonormal basis of a design over weighted rows.

    Attributes
    ----------
    nuisance, tested
        Basis of the adjusted columns, and of the tested columns outside their span.
    roots
        Square roots of the row weights.
    length
        Length of a single tested column outside the span of the others.
    """

    nuisance: Floats
    tested: Floats
    roots: Floats
    length: float

    @property
    def rows(self) -> float:
        """Number of rows, or the sum of their weights."""
        return float(self.roots @ self.roots)


class NotEstimable(ValueError):
    """The tested columns depend on the others, so that nothing can be compared."""


def orthonormal_design(
    nuisance: Numbers, tested: Numbers, weights: Numbers | None = None
) -> DesignBasis:
    """The basis of a design; the intercept is added to the nuisance columns.

    Raises `NotEstimable` if the tested columns are a combination of the others.
    """
    n = len(tested)
    roots = np.ones(n) if weights is None else np.sqrt(as_row_weights(weights, n))
    intercept = roots[:, None] / np.linalg.norm(roots)
    adjusted = np.column_stack([intercept, _basis(nuisance, intercept, roots)])
    outside = _outside(_weighted(tested, roots), adjusted)
    basis, size = _span(outside, np.linalg.norm(_weighted(tested, roots), axis=0))
    if basis.shape[1] < np.shape(tested)[1]:
        raise NotEstimable("The tested columns depend on the other columns of the design.")
    if basis.shape[1] == 1:  # with the sign of the column, not that of the decomposition
        basis = outside / np.linalg.norm(outside)
    return DesignBasis(adjusted, basis, roots, float(size[0]))


def _weighted(columns: Numbers, roots: Floats) -> Floats:
    """Columns as floats, each about its mean, which the intercept has, times the roots."""
    values = np.asarray(columns, dtype=np.float64)
    weights = roots * roots
    # Large numbers such as years would lose digits against the intercept.
    centred: Floats = (values - weights @ values / weights.sum()) * roots[:, None]
    return centred


def _basis(columns: Numbers, intercept: Floats, roots: Floats) -> Floats:
    centred = _weighted(columns, roots)
    return _span(_outside(centred, intercept), np.linalg.norm(centred, axis=0))[0]


def _outside(columns: Floats, basis: Floats) -> Floats:
    """The part of columns that is orthogonal to a basis; twice, because once leaves rounding."""
    columns = columns - basis @ (basis.T @ columns)
    rest: Floats = columns - basis @ (basis.T @ columns)
    return rest


def _span(columns: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Orthonormal basis of the span of columns, in units of their sizes, and their lengths."""
    lengths = np.linalg.norm(columns, axis=0)
    scaled = columns / np.where(sizes > 0, sizes, 1.0)
    left, values, _ = np.linalg.svd(scaled, full_matrices=False)
    return left[:, values > RANK_TOLERANCE], lengths


def design_fits(X: Numbers, design: DesignBasis) -> LinearFits:
    """Fits of all features on a design; missing values (NaN) are left out for each feature.

    Raises `NotEstimable` if no rows are left for the residuals.
    """
    X = as_matrix(X)
    p = X.shape[1]
    adjusted, q = design.nuisance.shape[1], design.tested.shape[1]
    if design.rows - adjusted - q <= 0:
        raise NotEstimable("The design has as many columns as there are rows.")
    fields = np.empty((6, p))
    fields[1], fields[3] = q, design.rows - adjusted - q
    for tile in column_tiles(p, len(X)):
        part = X[:, tile].astype(np.float64)
        _fill_complete(part, design, fields[:, tile])
    holes = np.flatnonzero(np.isnan(fields[4]))
    width = max(1, MATRICES // (adjusted + q) ** 2)
    for tile in column_tiles(holes.size, len(X), width):
        columns = holes[tile]
        fields[:, columns] = _incomplete(X[:, columns].astype(np.float64), design)
    effect, effect_df, residual, residual_df, level, slope = fields
    coefficient = slope / design.length if q == 1 else None
    return LinearFits(effect, effect_df, residual, residual_df, lambda: level, coefficient)


def _fill_complete(part: Floats, design: DesignBasis, out: Floats) -> None:
    """Effect, residual and level of features without missing values; NaN for the others."""
    weights = design.roots * design.roots
    level = weights @ part / design.rows
    with np.errstate(invalid="ignore", over="ignore"):
        part -= level
        part *= design.roots[:, None]
        effects = design.tested.T @ part
        part -= design.nuisance @ (design.nuisance.T @ part)
        part -= design.tested @ (design.tested.T @ part)
        residual = np.einsum("ij,ij->j", part, part)
    out[0] = effects[0] if len(effects) == 1 else np.sqrt((effects * effects).sum(axis=0))
    out[2], out[4], out[5] = residual, level, effects[0]
    _remove_noise(out, np.full(out.shape[1], design.rows))


def _remove_noise(fields: Floats, rows: Floats) -> None:
    """Set rounding errors to 0: residuals, and the effects of features without residuals."""
    effect, _, residual, _, level, slope = fields
    noise = negligible(residual, rows, level)
    residual[noise] = 0.0
    still = noise & negligible(effect * effect, rows, level)
    effect[still] = slope[still] = 0.0


def _incomplete(part: Floats, design: DesignBasis) -> Floats:
    """The fields of features with missing values, each on the rows that it has."""
    known: Bools = ~np.isnan(part)
    weights = (design.roots * design.roots)[:, None] * known
    rows = weights.sum(axis=0)
    filled = np.where(known, part, 0.0)
    with np.errstate(invalid="ignore"):
        level = (weights * filled).sum(axis=0) / rows
    filled = np.where(known, (filled - level) * design.roots[:, None], 0.0)
    basis = np.column_stack([design.nuisance, design.tested])
    split, k = design.nuisance.shape[1], basis.shape[1]
    products = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), k * k)
    gram = (known.T.astype(np.float64) @ products).reshape(-1, k, k)
    sums = filled.T @ basis
    inverse, adjusted = inverses(gram[:, :split, :split])
    pull = gram[:, split:, :split] @ inverse
    rest = gram[:, split:, split:] - pull @ gram[:, :split, split:]
    outside = sums[:, split:] - (pull @ sums[:, :split, None])[..., 0]
    inverse_rest, tested = inverses(rest)
    slope = (inverse_rest @ outside[..., None])[..., 0]
    effect = _effect(slope, outside, rest, tested)
    offset = sums[:, :split] - (gram[:, :split, split:] @ slope[..., None])[..., 0]
    fitted = basis @ np.column_stack([(inverse @ offset[..., None])[..., 0], slope]).T
    left = np.where(known, filled - fitted, 0.0)
    df = np.maximum(rows - adjusted - tested, 0.0)
    residual = np.where(df > 0, (left * left).sum(axis=0), 0.0)
    coefficient = np.where(tested > 0, slope[:, 0], np.nan)
    fields = np.stack([effect, tested.astype(np.float64), residual, df, level, coefficient])
    _remove_noise(fields, rows)
    return fields


def _effect(slope: Floats, outside: Floats, rest: Floats, tested: Ints) -> Floats:
    """Root of the sum of squares of the tested columns; with its sign if there is one."""
    if slope.shape[1] > 1:
        root = np.sqrt(np.maximum((slope * outside).sum(axis=1), 0.0))
    else:
        root = slope[:, 0] * np.sqrt(np.maximum(rest[:, 0, 0], 0.0))
    return np.where(tested > 0, root, np.nan)


def inverses(matrices: Floats) -> tuple[Floats, Ints]:
    """Pseudo-inverses of symmetric matrices with eigenvalues up to 1, and their ranks."""
    values, vectors = np.linalg.eigh(matrices)
    usable = values > RANK_TOLERANCE
    scale = np.where(usable, 1.0 / np.where(usable, values, 1.0), 0.0)
    inverse: Floats = (vectors * scale[:, None, :]) @ vectors.transpose(0, 2, 1)
    return inverse, usable.sum(axis=1)
