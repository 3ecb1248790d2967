"""Features as centered rows of unit length, the storage that linear methods read fastest."""

import numpy as np

from fsops.algorithms.base.moments import negligible
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Floats, Numbers, as_matrix

NEGLIGIBLE = 1e-30  # square of a rounding error, relative to a squared length


def unit_rows(X: Numbers) -> tuple[Floats, Floats, Floats]:
    """Columns of X as centered rows of unit length, with their means and lengths.

    The product of two rows is then Pearson's correlation, and ``sqrt(n)`` times a row is the
    z-score with the population standard deviation.

    Parameters
    ----------
    X
        Rows by features, without missing values.

    Returns
    -------
    rows : ndarray, shape (p, n)
        0 for a constant column.
    means, lengths : ndarray, shape (p,)
        The length of a constant column is 0.
    """
    rows, means, lengths = centred_rows(X)
    rows *= inverse(lengths)[:, None]
    return rows, means, lengths


def centred_rows(X: Numbers) -> tuple[Floats, Floats, Floats]:
    """Columns of X as centered rows, with their means and lengths; see `unit_rows`."""
    X = as_matrix(X)
    n, p = X.shape
    rows, means, lengths = np.empty((p, n)), np.empty(p), np.empty(p)
    with np.errstate(invalid="ignore", over="ignore"):
        for tile in column_tiles(p, max(1, n)):
            _fill(X[:, tile], rows[tile], means[tile], lengths[tile])
    broken = np.flatnonzero(~np.isfinite(lengths))
    if broken.size:
        raise ValueError(f"Column {broken[0]} contains missing or infinite values.")
    return rows, means, lengths


def inverse(lengths: Floats) -> Floats:
    """Factors that bring rows to unit length; 0 for those without a length."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths != 0)


def _fill(X: Numbers, rows: Floats, means: Floats, lengths: Floats) -> None:
    n = len(X)
    rows[...] = X.T
    means[...] = rows.mean(axis=1)
    rows -= means[:, None]
    # The mean of large values is itself rounded. The rest matters if it can be seen in the length.
    rest = rows.mean(axis=1)
    means += rest
    ss = np.einsum("ij,ij->i", rows, rows)
    if (n * rest**2 > NEGLIGIBLE * ss).any():
        rows -= rest[:, None]
        ss = np.einsum("ij,ij->i", rows, rows)
    lengths[...] = np.where(negligible(ss, np.array(float(n)), means), 0.0, np.sqrt(ss))
    # Rounding errors around the mean are not the shape of a constant column.
    rows[lengths == 0] = 0.0
