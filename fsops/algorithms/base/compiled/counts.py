"""Compiled contingency tables of many features with the classes.

See `compiled`, whose rules hold here. The numpy twin is in `statistics.information`.
"""

import numpy as np

from fsops.algorithms.base.compiled import BYTE, TILE, _compiled, _frozen, _grouped
from fsops.algorithms.base.types import Ints, Numbers

# Columns whose counts stay in the cache while the rows pass by.
COUNT_TILE = 256
# So many lines of a contingency table are counted by comparing with each value.
FEW_LINES = 33


def add_counts(X: Numbers, codes: Ints, starts: Ints, counts: Ints) -> None:
    """Add how often each value of each feature meets each class to counts, (lines, classes).

    The lines of feature j are starts[j]..starts[j + 1]-1; the last of them takes code -1.
    """
    X = X.view(np.uint8) if X.dtype == np.bool_ else X
    if X.flags.f_contiguous:
        _count_columns(_frozen(X.T), codes, starts, counts)
    elif np.diff(starts).max(initial=0) <= FEW_LINES:
        rows, classes = _grouped(codes, counts.shape[1])
        _count_few_rows(_frozen(X), rows, classes, starts, counts)
    else:
        _count_rows(_frozen(X), codes, starts, counts)


@_compiled
def _count_few_rows(X: Numbers, rows: Ints, classes: Ints, starts: Ints, counts: Ints) -> None:
    """`add_counts` of a table stored by rows; those of class c are rows[classes[c]:...].

    A value is compared with many features in one instruction, and the hits are added up in bytes.
    """
    p = X.shape[1]
    most = np.diff(starts).max() - 1
    hits = np.zeros((most + 1, TILE), dtype=np.uint8)
    for a in range(0, p, TILE):
        b = min(p, a + TILE)
        for c in range(classes.size - 1):
            for first in range(classes[c], classes[c + 1], BYTE):
                hits[:] = 0
                for i in range(first, min(first + BYTE, classes[c + 1])):
                    x = X[rows[i], a:b]
                    for v in range(most + 1):
                        wanted, hit = x.dtype.type(v if v < most else -1), hits[v]
                        for j in range(b - a):
                            hit[j] += np.uint8(x[j] == wanted)
                for j in range(b - a):
                    line, missing = starts[a + j], starts[a + j + 1] - 1
                    for v in range(missing - line):
                        counts[line + v, c] += hits[v, j]
                    counts[missing, c] += hits[most, j]


@_compiled
def _count_rows(X: Numbers, codes: Ints, starts: Ints, counts: Ints) -> None:
    """`add_counts` of a table stored by rows, for any number of values."""
    n, p = X.shape
    for a in range(0, p, COUNT_TILE):
        b = min(p, a + COUNT_TILE)
        for i in range(n):
            c = codes[i]
            for j in range(a, b):
                v = np.intp(X[i, j])
                counts[starts[j] + v if v >= 0 else starts[j + 1] - 1, c] += 1


@_compiled
def _count_columns(XT: Numbers, codes: Ints, starts: Ints, counts: Ints) -> None:
    """`add_counts` of a table stored by columns, given transposed.

    Rows alternate between four tables: adding to a cell that was just written has to wait for it.
    """
    p, n = XT.shape
    n_classes = counts.shape[1]
    table = np.zeros((4, np.diff(starts).max() * n_classes), dtype=np.intp)
    for j in range(p):
        x, lines = XT[j], starts[j + 1] - starts[j]
        table[:, : lines * n_classes] = 0
        for i in range(n):
            v = np.intp(x[i])
            table[i & 3, (v if v >= 0 else lines - 1) * n_classes + codes[i]] += 1
        for cell in range(lines * n_classes):
            count = table[0, cell] + table[1, cell] + table[2, cell] + table[3, cell]
            counts[starts[j] + cell // n_classes, cell % n_classes] += count
