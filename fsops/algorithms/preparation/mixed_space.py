"""Numbers and categories as points whose Euclidean distance is that of mixed tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Codes, Floats


@dataclass(frozen=True, eq=False)
class MixedSpace:
    r"""Points for rows with numbers and categories.

    A number is divided by its scale. A category becomes a corner at distance 1 from every other:
    :math:`1/\sqrt2` in its own coordinate. A category that is unknown (code -1) differs by 1 from
    all. Plain Euclidean distances are then

    .. math:: d(x, z) = \sqrt{\sum_j \left(\frac{x_j - z_j}{s_j}\right)^2 + \#\{k: x_k \ne z_k\}}

    With the ranges of the training rows as scales it is HEOM, the heterogeneous
    Euclidean-overlap metric.

    References
    ----------
    Wilson, Martinez (1997): Improved heterogeneous distance functions. JAIR 6, 1-34.
    """

    scale: Floats
    first_coordinate: Codes
    """Where the categories of each nominal column begin."""
    n_coordinates: int

    @classmethod
    def of(cls, scale: Floats, category_counts: Codes) -> MixedSpace:
        """Return the space of columns with the given scales (0 leaves a column out) and counts."""
        ends = np.cumsum(category_counts)
        total = int(ends[-1]) if len(ends) else 0
        return cls(np.asarray(scale, dtype=np.float64), ends - category_counts, total)

    def points(self, X: Floats, codes: Codes) -> Floats:
        """Return a point for each row of numbers and of category codes."""
        numbers = X if (self.scale == 1).all() else self._scaled(X)
        if not len(self.first_coordinate):
            return numbers
        corners = np.zeros((len(X), self.n_coordinates + 1))
        rows, columns = np.nonzero(codes >= 0)
        corners[rows, self.first_coordinate[columns] + codes[rows, columns]] = np.sqrt(0.5)
        # An unknown category has no corner: half of its 1 is missing, added in one common place.
        corners[:, -1] = np.sqrt((codes < 0).sum(axis=1) / 2)
        return np.hstack([numbers, corners])

    def _scaled(self, X: Floats) -> Floats:
        usable = self.scale > 0
        return np.where(usable, X / np.where(usable, self.scale, 1.0), 0.0)


def heom_distances(
    scale: Floats, rows: tuple[Floats, Codes], others: tuple[Floats, Codes]
) -> Floats:
    """HEOM of each row from each of the others; a value that is missing in one differs by 1.

    Parameters
    ----------
    scale
        Ranges of the numbers in the training rows; a number with range 0 does not differ.
    rows, others
        Numbers (NaN is missing) and category codes (-1 is missing).

    Returns
    -------
    ndarray, shape (rows, others)

    References
    ----------
    Wilson, Martinez (1997): Improved heterogeneous distance functions. JAIR 6, 1-34.
    """
    (X, codes), (Z, other_codes) = rows, others
    # Numbers near 0 keep the products below from cancelling.
    centre = np.nan_to_num(np.fmin.reduce(Z, axis=0, initial=np.nan))
    usable = scale > 0
    divisor = np.where(usable, scale, 1.0)
    first, second = ((values - centre) / divisor * usable for values in (X, Z))
    known, known_b = ~np.isnan(X), ~np.isnan(Z)
    first, second = np.where(known, first, 0.0), np.where(known_b, second, 0.0)
    squares = (first**2) @ known_b.T + known @ (second**2).T - 2.0 * first @ second.T
    both = known.astype(np.float64) @ known_b.T
    squares = np.maximum(squares, 0.0) + (X.shape[1] - both)
    for one, other in zip(codes.T, other_codes.T, strict=True):
        squares += (one[:, None] != other) | (one[:, None] < 0)
    return np.asarray(np.sqrt(squares))
