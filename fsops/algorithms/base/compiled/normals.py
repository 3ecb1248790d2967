"""Compiled inner loops for normal distributions in classes, as naive Bayes has them.

See `compiled`, whose rules hold here: every kernel has a numpy twin, which gives the same bits.
The twins are in `fsops.operators.modeling.bayes`.
"""

import sys
from itertools import count
from typing import NamedTuple

import numpy as np

from fsops.algorithms.base.compiled import TABLE, _compiled, _frozen, _worthwhile
from fsops.algorithms.base.types import Floats, Ints, Numbers

FEW = 1 << 8
"""From so many values on a kernel is faster than the calls of functions of its twin."""
OFTEN = 64
"""If numba is loaded: after so many tables of a loop the kernels repay their own loading."""
CONSTANT = float(64 * np.finfo(np.float64).eps)
"""A column whose scaled values deviate less does not vary."""
_tables = count()


class Normals(NamedTuple):
    """Normal distributions of the columns of a table in each class."""

    size: Floats
    """The largest absolute value of each column, by which it is divided."""
    centre: Floats
    spread: Floats
    means: Floats
    """In each class, of the values less center, divided by spread."""
    variances: Floats


def take_normals(X: Numbers) -> bool:
    """Whether kernels should read this table; numpy adds up a single row or column otherwise."""
    if not X.flags.c_contiguous or min(X.shape) < 2:
        return False
    often = "numba" in sys.modules and X.size >= FEW and next(_tables) >= OFTEN
    return _worthwhile(X.size, FEW if often else TABLE)


def class_normals(X: Numbers, codes: Numbers, n_classes: int) -> Normals | None:
    """Return the distributions; None if a value is missing, or a column does not vary.

    Parameters
    ----------
    X : array of shape (rows, columns)
        Stored by rows.
    codes : array of shape (rows,)
        Class of each row; each class has a row.
    n_classes : int
    """
    size, centre, spread = np.zeros((3, X.shape[1]))
    means, variances = np.zeros((2, n_classes, X.shape[1]))
    scaled = np.empty(X.shape)
    if not fill_scaled(_frozen(X), scaled, size, centre, spread):
        return None
    fill_class_normals(scaled, codes.astype(np.intp), centre, spread, means, variances)
    return Normals(size, centre, spread, means, variances)


def log_densities(X: Numbers, normals: Normals, logs: Floats) -> Floats | None:
    """Return the log density of each row in each class; None if a value is missing.

    ``logs`` are the logarithms of the variances times 2 pi.
    """
    result = np.empty((len(X), len(logs)))
    if not fill_densities(_frozen(X), *normals, logs, result):
        return None
    result *= -0.5
    return result


@_compiled
def fill_scaled(X: Numbers, scaled: Floats, size: Floats, centre: Floats, spread: Floats) -> bool:
    """Fill in the values divided by their size, and moments, which are 0; False if one is 0."""
    n, p = X.shape
    for i in range(n):
        for j in range(p):
            value = abs(X[i, j])
            size[j] = value if value > size[j] else size[j]
    for i in range(n):
        for j in range(p):
            scaled[i, j] = X[i, j] / (size[j] if size[j] > 0.0 else 1.0)
            centre[j] += scaled[i, j]
    for j in range(p):
        centre[j] /= n
    for i in range(n):
        for j in range(p):
            deviation = scaled[i, j] - centre[j]
            spread[j] += deviation * deviation
    varies = True
    for j in range(p):
        spread[j] = np.sqrt(spread[j] / n)
        varies = varies and spread[j] > CONSTANT  # not so for NaN
    return varies


@_compiled
def fill_class_normals(  # noqa: PLR0917 - a kernel takes no keywords
    scaled: Floats, codes: Ints, centre: Floats, spread: Floats, means: Floats, variances: Floats
) -> None:
    """Fill in means and variances of standardized values in each class, which are 0."""
    n, p = scaled.shape
    rows = np.zeros(len(means))
    for i in range(n):
        c = codes[i]
        rows[c] += 1.0
        for j in range(p):
            scaled[i, j] = (scaled[i, j] - centre[j]) / spread[j]
            means[c, j] += scaled[i, j]
    for c in range(len(means)):
        for j in range(p):
            means[c, j] /= rows[c]
    for i in range(n):
        c = codes[i]
        for j in range(p):
            deviation = scaled[i, j] - means[c, j]
            variances[c, j] += deviation * deviation
    for c in range(len(means)):
        for j in range(p):
            variances[c, j] /= rows[c]


@_compiled
def fill_densities(  # noqa: PLR0917 - a kernel takes no keywords
    X: Numbers,
    size: Floats,
    centre: Floats,
    spread: Floats,
    means: Floats,
    variances: Floats,
    logs: Floats,
    result: Floats,
) -> bool:
    """Fill in minus twice the log density of each row in each class; False if one is NaN."""
    n, p = X.shape
    scaled = np.empty(p)
    known = True
    for i in range(n):
        for j in range(p):
            scaled[j] = (X[i, j] / size[j] - centre[j]) / spread[j]
        for c in range(len(means)):
            total = 0.0
            for j in range(p):
                deviation = scaled[j] - means[c, j]
                total += deviation * deviation / variances[c, j] + logs[c, j]
            result[i, c] = total
            known = known and not np.isnan(total)
    return known
