"""Array aliases, checks of array arguments, and what every filter returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Codes: TypeAlias = NDArray[np.signedinteger[Any]]
Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Int32s: TypeAlias = NDArray[np.int32]
Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[Any]
"""Any real-valued array: float64, float32, integer or boolean."""
Sparse: TypeAlias = Any
"""A ``csc_array`` of scipy, which has no types: sorted, without repeated places."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The results of a filter for each feature.

    Attributes
    ----------
    weights
        Not negative, larger is better, 0 where the statistic is undefined.
    statistic
        The raw statistic with its sign; NaN where undefined.
    undefined
        True where the statistic does not exist (0/0, too few rows or classes).
    p_values
        Of the statistic, 1 where undefined; None when not asked for.
    df
        Degrees of freedom, shape (p,), or (2, p) for an F statistic.
    later_p_values
        Computes the p-values that were not asked for; None if there are none.
    more
        Further values of each feature by name, such as coefficients, or how to compute them.
    """

    weights: Floats
    statistic: Floats
    undefined: Bools
    p_values: Floats | None = None
    df: Floats | None = None
    later_p_values: Callable[[], Floats] | None = None
    more: Mapping[str, Floats | Callable[[], Floats]] = field(default_factory=dict)


def as_matrix(X: Numbers, name: str = "X") -> Numbers:
    """Two-dimensional float64 or float32 array of X; anything else is converted or refused."""
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, features), got {X.ndim}.")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be numeric, got dtype {X.dtype}.")
    return X if X.dtype in (np.float64, np.float32) else X.astype(np.float64)


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix of scipy."""
    return hasattr(X, "indptr")


def as_csc(X: Any) -> Sparse:
    """A dense or sparse matrix as a sparse one by columns; a sparse one as it is."""
    if is_sparse(X):
        return X
    from scipy.sparse import csc_array

    return csc_array(X)


def stored_by_column(X: Numbers) -> bool:
    """Whether the values of a feature, not those of a row, are neighbors in memory."""
    return X.strides[0] < X.strides[1]


def as_code_matrix(X: Numbers, name: str = "X") -> Numbers:
    """Two-dimensional array of integer codes from -1 (missing) upwards, checked."""
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, features), got {X.ndim}.")
    if X.dtype.kind not in "iub":
        raise ValueError(f"{name} must hold integer codes, got dtype {X.dtype}.")
    if X.dtype.kind == "i" and X.size and X.min() < -1:
        raise ValueError(f"{name} holds code {X.min()}; only -1 stands for missing.")
    return X


def as_target(y: Numbers, n: int) -> Floats:
    """One-dimensional float64 array of a numeric label with n values."""
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError(f"The label must have one value per row ({n}), got shape {y.shape}.")
    if y.dtype.kind not in "fiub":
        raise ValueError(f"The label must be numeric, got dtype {y.dtype}.")
    target = y.astype(np.float64)
    if not np.isfinite(target).all():
        raise ValueError("The label contains missing or infinite values.")
    return target


def as_row_weights(weights: Numbers, n: int) -> Floats:
    """How often each of n rows counts, checked."""
    weights = np.asarray(weights)
    if weights.shape != (n,):
        raise ValueError(f"There must be one weight per row ({n}), got shape {weights.shape}.")
    if weights.dtype.kind not in "fiub":
        raise ValueError(f"Row weights must be numeric, got dtype {weights.dtype}.")
    values = weights.astype(np.float64)
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError("Row weights must be finite and not negative.")
    return values


def as_classes(codes: Numbers, n: int, n_classes: int | None = None) -> Ints:
    """Class codes 0..n_classes-1 of n rows, checked."""
    codes = np.asarray(codes)
    if codes.shape != (n,):
        raise ValueError(f"There must be one class code per row ({n}), got shape {codes.shape}.")
    if codes.dtype.kind not in "iub":
        raise ValueError(f"Class codes must be integers, got dtype {codes.dtype}.")
    classes = codes.astype(np.intp)
    if n and classes.min() < 0:
        raise ValueError("A class code is negative: rows without a label must be removed before.")
    if n and n_classes is not None and classes.max() >= n_classes:
        raise ValueError(
            f"Class codes must be below {n_classes}, the number of classes; got {classes.max()}."
        )
    return classes


def count_classes(codes: Numbers) -> int:
    """Number of classes that codes 0..max stand for, at least 1."""
    codes = np.asarray(codes)
    return max(1, int(codes.max()) + 1) if codes.size else 1
