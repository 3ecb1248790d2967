"""Distances of rows that rounding does not spoil, and the votes of the nearest ones."""

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints
from fsops.memory import require_pairs

NEAR = 1e-4
"""Squared distances below this fraction of the squared lengths lose digits in the fast formula."""
DIGITS = 10
BLOCK = 1 << 22


def squared_distances(X: Floats, Z: Floats) -> Floats:
    """Squared Euclidean distances of the rows of two matrices; exactly 0 for equal rows.

    By inner products of centered rows, which is fast; again from the differences where rows are so
    near to each other that rounding would show.
    """
    require_pairs(len(X), len(Z), "The matrix of distances")
    centre = Z.mean(axis=0) if len(Z) else 0.0
    X, Z = X - centre, Z - centre
    size = (X * X).sum(axis=1)[:, None] + (Z * Z).sum(axis=1)
    squares: Floats = size - 2.0 * (X @ Z.T)
    first, second = np.nonzero(squares <= NEAR * size)
    if 4 * first.size > squares.size:
        from scipy.spatial.distance import cdist

        exact: Floats = cdist(X, Z, "sqeuclidean")
        return exact
    block = max(1, BLOCK // max(1, X.shape[1]))
    for start in range(0, first.size, block):
        a, b = first[start : start + block], second[start : start + block]
        difference = X[a] - Z[b]
        squares[a, b] = np.einsum("ij,ij->i", difference, difference)
    return squares


def rounded(values: Floats, digits: int = DIGITS) -> Floats:
    """Values to so many digits each, so that equal distances are equal, whatever rounding says."""
    mantissa, exponent = np.frexp(values)
    short: Floats = np.ldexp(np.round(mantissa, digits), exponent)
    return short


def majority(labels: Ints, known: Bools, n_classes: int) -> Ints:
    """Class with most votes in each row; of several that of the nearest voter.

    Parameters
    ----------
    labels
        Classes of the neighbors of each row, nearest first, (n, k).
    known
        Which of them vote, (n, k).
    n_classes
        Number of classes.
    """
    votes = np.zeros((len(labels), n_classes), dtype=np.intp)
    rows = np.arange(len(labels))
    for place in range(labels.shape[1]):
        votes[rows, labels[:, place]] += known[:, place]
    most = votes == votes.max(axis=1, keepdims=True)
    winning = np.take_along_axis(most, labels, axis=1) & known
    first: Ints = labels[rows, winning.argmax(axis=1)]
    return first
