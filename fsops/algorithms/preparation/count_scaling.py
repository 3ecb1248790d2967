"""Counts of rows of different length on a common scale: single cells and texts.

Zeros stay zeros, so sparse matrices stay sparse. Missing values (NaN) are left out and stay.
"""

from typing import Any

import numpy as np

from fsops.algorithms.base.sparse_sums import mapped
from fsops.algorithms.base.types import Floats, is_sparse


def library_sizes(X: Any) -> Floats:
    """Sum of the known counts of each row."""
    return _row_sums(mapped(X, np.nan_to_num))


def usual_library_size(sizes: Floats) -> float:
    """Median of the sums of the rows that have counts; 1 if none has."""
    return float(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 1.0


def scaled_libraries(X: Any, target: float, *, logarithm: bool) -> Any:
    """Each row brought to a sum of counts, then log(1 + x); rows without counts stay.

    Parameters
    ----------
    X
        Counts that are not negative, rows by features, dense or sparse.
    target
        The sum of each row.
    logarithm
        Whether the logarithm is taken.

    References
    ----------
    Wolf, Angerer & Theis (2018), SCANPY: large-scale single-cell gene expression data analysis.
    """
    sizes = library_sizes(X)
    scaled = _rows_times(X, np.divide(target, sizes, out=np.ones_like(sizes), where=sizes > 0))
    return mapped(scaled, np.log1p) if logarithm else scaled


def inverse_document_frequencies(X: Any, *, smooth: bool) -> Floats:
    """How rare each feature is: 1 + ln of the rows divided by those that have it.

    With ``smooth`` 1 is added to both numbers. A feature that no row has counts as one that a
    single row has, if not smoothed.

    References
    ----------
    Spärck Jones (1972), A statistical interpretation of term specificity.
    """
    n = X.shape[0]
    present = mapped(X, lambda values: (values != 0) & ~np.isnan(values))
    rows = np.asarray(present.sum(axis=0), dtype=np.float64).reshape(-1)
    if smooth:
        rarity: Floats = np.log((1 + n) / (1 + rows)) + 1.0
        return rarity
    unsmoothed: Floats = np.log(n / np.maximum(rows, 1.0)) + 1.0
    return unsmoothed


def tf_idf(X: Any, idf: Floats, *, logarithm: bool, norm: str) -> Any:
    """Counts times the rarity of their features, rows of unit length.

    Parameters
    ----------
    X
        Counts that are not negative, rows by features, dense or sparse.
    idf
        See `inverse_document_frequencies`.
    logarithm
        Whether a count c becomes 1 + ln c before.
    norm
        "l2", "l1" or "none". A row of zeros stays as it is.
    """
    frequency = mapped(X, _one_plus_log) if logarithm else X
    if is_sparse(X):
        weighted = frequency.astype(np.float64)
        weighted.data = weighted.data * np.repeat(idf, np.diff(weighted.indptr))
    else:
        weighted = frequency * idf
    if norm == "none":
        return weighted
    known = mapped(weighted, np.nan_to_num)
    sums = _row_sums(mapped(known, np.square)) if norm == "l2" else _row_sums(known)
    lengths = np.sqrt(sums) if norm == "l2" else sums
    return _rows_times(weighted, np.divide(1.0, lengths, out=np.ones_like(sums), where=sums > 0))


def _one_plus_log(values: Floats) -> Floats:
    positive = values > 0
    logs = np.log(np.where(positive, values, 1.0)) + 1.0
    return np.where(positive, logs, values)  # zeros and missing values stay


def _row_sums(X: Any) -> Floats:
    return np.asarray(X.sum(axis=1), dtype=np.float64).reshape(-1)


def _rows_times(X: Any, factors: Floats) -> Any:
    """Each row times a number."""
    if not is_sparse(X):
        return X * factors[:, None]
    found = X.astype(np.float64)
    found.data = found.data * factors[found.indices]
    return found
