"""Contingency tables of numbers that are mostly zero, and chi squared of counts."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fsops.algorithms.base.sparse_sums import stored_parts
from fsops.algorithms.base.types import Codes, Floats, Ints, Numbers, Scores, Sparse, is_sparse
from fsops.algorithms.statistics.information import Contingency, Missing
from fsops.algorithms.statistics.significance import chi2_p_values, tested

TILE_NUMBERS = 2**21
"""Numbers of a tile of columns that is dense for a moment."""


def tiled_counts(
    X: Sparse, codes: Ints, binned: Callable[[Floats], Codes], missing: Missing
) -> Contingency:
    """Contingency tables of sparse columns, of which few at a time are dense.

    Parameters
    ----------
    X
        Rows by features; NaN is missing.
    codes
        Class of each row.
    binned
        Integer codes of the numbers of some columns.
    missing
        See `Contingency.of`.
    """
    n, p = X.shape
    step = max(1, TILE_NUMBERS // max(1, n))
    tiles = (X[:, first : first + step] for first in range(0, p, step))
    parts = [
        Contingency.of(
            binned(tile.toarray(order="F").astype(np.float64, copy=False)), codes, missing=missing
        )
        for tile in tiles
    ]
    return _joined(parts)


def _joined(tables: Sequence[Contingency]) -> Contingency:
    """The tables of the features of several stacks, one after the other."""
    ends = np.cumsum([0, *(len(table.counts) for table in tables)])
    starts = [table.starts + end for table, end in zip(tables, ends[:-1], strict=True)]
    return Contingency(np.concatenate([table.counts for table in tables]), np.concatenate(starts))


def presence_counts(X: Sparse, codes: Ints, missing: Missing) -> Contingency:
    """How often each feature is above 0, or not, in each class; from the stored values alone."""
    n_classes, p = int(codes.max()) + 1, X.shape[1]
    counts = np.zeros((p, 3, n_classes), dtype=np.intp)
    for part in stored_parts(X):
        groups = codes[part.rows]
        for line, found in ((1, part.values > 0), (2, np.isnan(part.values))):
            counts[part.columns, line] = part.sums(found, groups, n_classes).T
    counts[:, 0] = np.bincount(codes, minlength=n_classes) - counts[:, 1] - counts[:, 2]
    if missing == "pairwise":
        counts[:, 2] = 0
    return Contingency(counts.reshape(-1, n_classes), 3 * np.arange(p)).without_unused()


def chi_squared_of_counts(X: Any, codes: Ints) -> Scores:
    """Chi squared of the sums of counts by class, against sums in proportion to the rows.

    Parameters
    ----------
    X
        Counts that are not negative, rows by features, dense or sparse; NaN is left out.
    codes
        Class of each row, 0, 1, … without gaps.
    """
    observed, known = _sums_by_class(X, codes)
    share = known / np.maximum(known.sum(axis=0), 1)
    expected = share * observed.sum(axis=0)
    gap = observed - expected
    cells = np.divide(gap * gap, expected, out=np.zeros_like(expected), where=expected > 0)
    df = np.maximum((known > 0).sum(axis=0) - 1.0, 0.0) * (expected.sum(axis=0) > 0)
    statistic = np.where(df > 0, cells.sum(axis=0), np.nan)
    return tested(statistic, df, chi2_p_values, "abs_statistic", p_values=False)


def _sums_by_class(X: Any, codes: Ints) -> tuple[Floats, Numbers]:
    """Sums of the known values, and their numbers, by class and feature."""
    rows = np.bincount(codes)
    sums, missing = np.zeros((2, len(rows), X.shape[1]))
    if not is_sparse(X):
        members = (codes == np.arange(len(rows))[:, None]).astype(np.float64)
        return members @ np.nan_to_num(X), members @ (~np.isnan(X))
    for part in stored_parts(X):
        groups, unknown = codes[part.rows], np.isnan(part.values)
        values = np.where(unknown, 0.0, part.values)
        sums[:, part.columns] = part.sums(values, groups, len(rows))
        missing[:, part.columns] = part.sums(unknown, groups, len(rows))
    return sums, rows[:, None] - missing
