"""Differences between batches: estimated by location and scale, and shrunk over the features.

References
----------
Johnson, Li & Rabinovic (2007), Adjusting batch effects in microarray expression data using
empirical Bayes methods, Biostatistics 8 (ComBat).
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.moments import negligible
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, as_classes, as_matrix

PRECISION = 1e-10
ITERATIONS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class BatchEffects:
    """Location and scale of each batch, in units of the common deviation of a feature.

    Attributes
    ----------
    centre, scale
        Mean of each feature over all batches, and its deviation within batches; the scale is 0
        where nothing is adjusted.
    slopes
        Coefficients of the covariates, (covariates, p).
    location, spread
        Of each batch and feature, (batches, p); the spread is a standard deviation.
    """

    centre: Floats
    scale: Floats
    slopes: Floats
    location: Floats
    spread: Floats

    def standardized(self, X: Numbers, covariates: Floats) -> Floats:
        """Values in units of the common deviation, without the effects of covariates."""
        scale = np.where(self.scale > 0, self.scale, 1.0)
        z: Floats = (X - self.centre - covariates @ self.slopes) / scale
        return z

    def removed(self, X: Numbers, batches: Numbers, covariates: Floats) -> Floats:
        """Values without the effects of their batches."""
        codes = as_classes(batches, len(X), len(self.location))
        adjusted = np.empty(X.shape)
        adjusts = self.scale > 0
        scale = np.where(adjusts, self.scale, 1.0)
        for tile in column_tiles(X.shape[1], len(X)):
            values = X[:, tile].astype(np.float64)
            expected = self.centre[tile] + covariates @ self.slopes[:, tile]
            z = (values - expected) / scale[tile]
            z = (z - self.location[:, tile][codes]) / self.spread[:, tile][codes]
            adjusted[:, tile] = np.where(adjusts[tile], z * scale[tile] + expected, values)
        return adjusted


def batch_effects(
    X: Numbers, batches: Numbers, covariates: Floats, *, shrink: bool = True
) -> BatchEffects:
    """Effects of the batches of each feature, given covariates.

    A feature that does not vary within one of its batches is not adjusted. The scale of a batch
    of one row is 1. Missing values (NaN) are left out for each feature.

    Parameters
    ----------
    X
        Rows by features.
    batches
        Number of the batch of each row, from 0 without gaps.
    covariates
        Rows by columns whose effects are kept; there may be none.
    shrink
        Shrink location and scale of a batch towards those of its other features.
    """
    X = as_matrix(X)
    n_batches = int(np.max(batches, initial=0)) + 1
    codes = as_classes(batches, len(X), n_batches)
    member = (codes[:, None] == np.arange(n_batches)).astype(np.float64)
    design = np.column_stack([member, covariates - _mean(covariates)])
    p = X.shape[1]
    centre, scale = np.empty((2, p))
    slopes = np.empty((covariates.shape[1], p))
    moments = np.empty((3, n_batches, p))
    for tile in column_tiles(p, len(X)):
        values = X[:, tile].astype(np.float64)
        known: Bools = ~np.isnan(values)
        slopes[:, tile], scale[tile], centre[tile], residual = _common(values, known, design, codes)
        moments[:, :, tile] = _by_batch(residual, known, member)
    count, location, squares = moments
    # The mean of the covariates is in the center, so that new rows need no mean.
    centre -= _mean(covariates) @ slopes
    variance = np.where(count > 1, squares / np.maximum(count - 1, 1.0), 1.0)
    usable = (scale > 0) & ((variance > 0) | (count <= 1)).all(axis=0)
    scale = np.where(usable, scale, 0.0)
    if shrink:
        location, variance = _shrunk(count, location, squares, variance, usable)
    location = np.where(usable & (count > 0), location, 0.0)
    spread: Floats = np.sqrt(np.where(usable & (count > 0), variance, 1.0))
    return BatchEffects(centre, scale, slopes, location, spread)


def _mean(columns: Floats) -> Floats:
    mean: Floats = columns.sum(axis=0) / max(1, len(columns))
    return mean


def _common(
    values: Floats, known: Bools, design: Floats, codes: Ints
) -> tuple[Floats, Floats, Floats, Floats]:
    """Slopes of covariates, deviation, center, and values relative to them in its units."""
    n_batches = int(codes.max(initial=0)) + 1
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    shift = filled.sum(axis=0) / np.maximum(count, 1)
    filled = np.where(known, values - shift, 0.0)  # large values would lose digits
    coefficients = _coefficients(filled, known, design)
    rows_of = design[:, :n_batches].T @ known
    mean = (rows_of * coefficients[:n_batches]).sum(axis=0) / np.maximum(count, 1)
    left = np.where(known, filled - design @ coefficients, 0.0)
    squares = (left * left).sum(axis=0)
    squares = np.where(negligible(squares, count.astype(np.float64), shift), 0.0, squares)
    scale: Floats = np.sqrt(squares / np.maximum(count, 1.0))
    slopes = coefficients[n_batches:]
    residual = filled - mean - design[:, n_batches:] @ slopes
    residual = np.where(known, residual / np.where(scale > 0, scale, 1.0), 0.0)
    return slopes, scale, mean + shift, residual


def _coefficients(filled: Floats, known: Bools, design: Floats) -> Floats:
    """Least squares of each feature on the rows that it has."""
    if known.all():
        return np.asarray(np.linalg.lstsq(design, filled, rcond=None)[0], dtype=np.float64)
    k = design.shape[1]
    products = (design[:, :, None] * design[:, None, :]).reshape(len(design), k * k)
    gram = (known.T.astype(np.float64) @ products).reshape(-1, k, k)
    inverse = np.linalg.pinv(gram, rcond=1e-12, hermitian=True)
    solved: Floats = (inverse @ (filled.T @ design)[..., None])[..., 0].T
    return solved


def _by_batch(residual: Floats, known: Bools, member: Floats) -> Floats:
    """Number of rows, mean, and sum of squared deviations of each batch and feature."""
    count = member.T @ known
    mean = member.T @ residual / np.maximum(count, 1.0)
    apart = np.where(known, residual - member @ mean, 0.0)
    squares = member.T @ (apart * apart)
    squares = np.where(negligible(squares, count, np.abs(mean)), 0.0, squares)
    return np.stack([count, mean, squares])


def _shrunk(
    count: Floats, location: Floats, squares: Floats, variance: Floats, usable: Bools
) -> tuple[Floats, Floats]:
    """Posterior location and variance of each batch, with priors of the moments over features."""
    found = location.copy(), variance.copy()
    if np.count_nonzero(usable) < 2:
        return found
    for batch in range(len(count)):
        chosen = usable & (count[batch] > 0)
        n, mean, ss = count[batch, chosen], location[batch, chosen], squares[batch, chosen]
        if n.size < 2:
            continue
        several = n > 1
        prior = _inverse_gamma(variance[batch, chosen][several])
        shifted, scaled = _posterior(n, mean, ss, variance[batch, chosen], prior)
        found[0][batch, chosen] = shifted
        found[1][batch, chosen] = np.where(several, scaled, 1.0)
    return found


def _inverse_gamma(variance: Floats) -> tuple[float, float] | None:
    """Shape and scale of the prior of variances; None if they do not differ."""
    if variance.size < 2:
        return None
    middle, width = float(variance.mean()), float(variance.var(ddof=1))
    if not width > 0:
        return None
    return (2 * width + middle**2) / width, (middle * width + middle**3) / width


def _posterior(
    n: Floats, mean: Floats, squares: Floats, variance: Floats, prior: tuple[float, float] | None
) -> tuple[Floats, Floats]:
    """Location and variance that agree with each other, by iteration from the estimates."""
    shifted, scaled = mean, variance
    middle, width = float(mean.mean()), float(mean.var(ddof=1))
    for _ in range(ITERATIONS):
        with np.errstate(invalid="ignore", divide="ignore"):
            new = (width * n * mean + scaled * middle) / (width * n + scaled)
            new = np.where(np.isnan(new), mean, new)
        if prior is None:
            return new, scaled
        shape, rate = prior
        about = squares + n * (mean - new) ** 2
        wide = np.where(n > 1, (about / 2 + rate) / (n / 2 + shape - 1), 1.0)
        change = max(
            float(np.abs(new - shifted).max()), float((np.abs(wide - scaled) / scaled).max())
        )
        shifted, scaled = new, wide
        if change < PRECISION:
            break
    return shifted, scaled
