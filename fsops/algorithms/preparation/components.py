"""Principal components: uncorrelated directions in which the data varies most."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fsops.algorithms.base.types import Floats

TIED = 1e-9  # loadings that are so close are of one size
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Components:
    """Directions, by falling variance.

    Attributes
    ----------
    mean
        Of each feature.
    loadings
        A direction of length 1 in each row; of its largest loadings the first is above 0.
    variances
        Of the data in each direction, with divisor n - 1.
    shares
        Of these variances in the variance of all features together; 0 if nothing varies.
    """

    mean: Floats
    loadings: Floats
    variances: Floats
    shares: Floats

    def first(self, count: int) -> Components:
        """Return the first directions only."""
        return replace(
            self,
            loadings=self.loadings[:count],
            variances=self.variances[:count],
            shares=self.shares[:count],
        )

    def count_for(self, share: float) -> int:
        """Return how few directions have at least this fraction of the variance; at least one."""
        reached = np.cumsum(self.shares) >= share - ROUNDING
        return int(reached.argmax()) + 1

    def transform(self, X: Floats) -> Floats:
        """Return the coordinates of rows in these directions, as seen from the mean."""
        projected: Floats = (X - self.mean) @ self.loadings.T
        return projected


def principal_components(X: Floats) -> Components:
    """Return all principal components: as many as there are rows or features.

    References
    ----------
    Jolliffe (2002): Principal Component Analysis.
    """
    mean = X.mean(axis=0)
    # The other way round is the same, but slower for wide tables.
    axes, singular, _ = np.linalg.svd((X - mean).T, full_matrices=False)
    variances = singular**2 / max(1, len(X) - 1)
    total = variances.sum()
    shares = variances / total if total > 0 else np.zeros_like(variances)
    return Components(mean, turned(axes.T), variances, shares)


def turned(directions: Floats) -> Floats:
    """Return directions (rows) with signs so that the first of the largest loadings is positive."""
    size = np.abs(directions)
    largest = (size >= size.max(axis=1, keepdims=True) * (1 - TIED)).argmax(axis=1)
    signs = np.where(directions[np.arange(len(directions)), largest] < 0, -1.0, 1.0)
    found: Floats = directions * signs[:, None]
    return found
