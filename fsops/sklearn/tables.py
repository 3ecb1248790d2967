"""From what scikit-learn passes around, ``X`` and ``y``, to a table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from fsops.core import Accepts
from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.columns import category_text, coded_column
from fsops.data.design import GROUP
from fsops.data.schema import EVENT, LABEL, WEIGHT
from fsops.errors import OperatorWarning, did_you_mean, enumerate_names
from fsops.sklearn.errors import UnsuitableData

LabelType = Literal["auto", "nominal", "numerical"]
FEWEST_ROWS = 2
FEW_NUMBERS = 10
"""Up to so many different whole numbers may be classes."""


@dataclass(frozen=True)
class LabelColumn:
    """The label as a column of a table, and the classes as they were given."""

    attribute: Attribute
    values: npt.NDArray[Any]
    classes: npt.NDArray[Any] | None = None
    """The classes in sorted order; None for a number."""


def read_table(
    estimator: Any, X: Any, y: Any, *, accepts: Accepts, label_type: LabelType = "auto"
) -> tuple[ExampleSet, LabelColumn | None]:
    """Return the training rows as a table, and its label.

    Columns have the names of a data frame, or those that scikit-learn gives them: x0, x1, …
    """
    y, events = _without_events(y)
    table, y = _attributes(estimator, X, y, accepts, reset=True)
    if y is None:
        return table, None
    target = target_of(y, _free_name(table, "label"), label_type if events is None else "numerical")
    table = table.with_columns([(target.attribute, target.values)])
    return table if events is None else _with_events(table, events), target


def _without_events(y: Any) -> tuple[Any, npt.NDArray[np.bool_] | None]:
    """Return times and events of a structured array as scikit-survival makes it; y if not."""
    fields = getattr(getattr(y, "dtype", None), "fields", None)
    if not isinstance(y, np.ndarray) or not fields:
        return y, None
    kinds = {kind.kind: name for name, (kind, *_) in fields.items()}
    times = [kinds[kind] for kind in "fiu" if kind in kinds]
    if len(fields) != 2 or "b" not in kinds or not times:
        raise UnsuitableData(
            f"y has the fields {enumerate_names(list(fields))}, but must have an event (boolean) "
            "and a time (number).",
            hint="Make it with Surv.from_arrays of scikit-survival, or give one array.",
        )
    return y[times[0]].astype(np.float64), y[kinds["b"]]


def _with_events(table: ExampleSet, events: npt.NDArray[np.bool_]) -> ExampleSet:
    """Return the table with an attribute of the role event: 1 where the time is not censored."""
    attribute = Attribute(_free_name(table, "event"), ValueType.INTEGER, EVENT)
    return table.with_columns([(attribute, events.astype(np.float64))])


def with_groups(table: ExampleSet, groups: Any) -> ExampleSet:
    """Return the table with an attribute of the role group, numbered by the values given."""
    values = np.asarray(_as_array(groups))
    if values.shape != (len(table),):
        raise UnsuitableData(
            f"groups has the shape {values.shape}, but there are {len(table)} rows."
        )
    name = _free_name(table, "group")
    codes = np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.float64)
    return table.with_columns([(Attribute(name, ValueType.INTEGER, GROUP), codes)])


def with_row_weights(table: ExampleSet, sample_weight: Any) -> ExampleSet:
    """Return the table with an attribute of the role weight."""
    values = np.asarray(_as_array(sample_weight))
    if values.shape != (len(table),):
        raise UnsuitableData(
            f"sample_weight has the shape {values.shape}, but there are {len(table)} rows.",
            hint="Sample weights must be 1D array or scalar: one number for each row.",
        )
    weights = values.astype(np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise UnsuitableData(
            "sample_weight has negative, missing or infinite values.",
            hint="Give each row a number of at least 0.",
        )
    name = _free_name(table, "weight")
    return table.with_columns([(Attribute(name, ValueType.REAL, WEIGHT), weights)])


def _free_name(table: ExampleSet, name: str) -> str:
    while name in table.schema:
        name += "_"
    return name


def read_rows(estimator: Any, X: Any, *, accepts: Accepts) -> ExampleSet:
    """Return rows to apply something to; they must have the columns of the training rows."""
    return _attributes(estimator, X, None, accepts, reset=False)[0]


def _attributes(
    estimator: Any, X: Any, y: Any, accepts: Accepts, *, reset: bool
) -> tuple[ExampleSet, Any]:
    X, y, given = _cells(X, y)
    X, y = _as_pandas(X), _as_array(y)
    if reset and y is not None:
        _refuse_unknown_classes(y)
    if has_nominal_columns(X):
        validate_data(estimator, X, y if reset else "no_validation", reset=reset,
                      skip_check_array=True)  # fmt: skip
        if y is not None:
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        if reset and len(X) < FEWEST_ROWS:
            raise UnsuitableData(f"At least {FEWEST_ROWS} rows are needed, but n_samples={len(X)}.")
        _refuse_spans(X)
        return ExampleSet.from_pandas(X.set_axis(names_in(estimator), axis=1)), y
    finite: bool | str = "allow-nan" if accepts.missing else True
    checks: dict[str, Any] = {
        "dtype": np.float64,
        "ensure_all_finite": False if accepts.infinite and accepts.missing else finite,
        "ensure_min_samples": FEWEST_ROWS if reset else 1,
    }
    checks["accept_sparse"] = ["csr", "csc"]
    with warnings.catch_warnings():
        if given is not None:  # the names are compared below
            warnings.filterwarnings("ignore", "X does not have valid feature names")
        if reset and y is not None:
            X, y = validate_data(estimator, X, y, **checks)
        else:
            ignored = None if reset else "no_validation"
            X = validate_data(estimator, X, ignored, reset=reset, **checks)
    if given is not None:
        _note_names(estimator, given, reset=reset)
    make = ExampleSet.from_sparse if issparse(X) else ExampleSet.from_numpy
    return make(X, names=names_in(estimator)), y


def chosen_columns(estimator: Any, X: Any, mask: npt.NDArray[np.bool_]) -> Any:
    """Return some columns of the matrix of an AnnData object, sparse if the matrix is."""
    _note_names(estimator, np.array(X.var_names, dtype=object), reset=False)
    return X.X[:, np.flatnonzero(mask)]


def is_anndata(X: Any) -> bool:
    """Return whether it is an object of the package anndata: cells × genes with names."""
    return type(X).__name__ == "AnnData" and type(X).__module__.startswith("anndata")


def _cells(X: Any, y: Any) -> tuple[Any, Any, npt.NDArray[np.object_] | None]:
    """Return matrix, label and names of the columns of an AnnData object; all else as it is.

    The label may be the name of a column of ``obs``.
    """
    if not is_anndata(X):
        return X, y, None
    if isinstance(y, str):
        if y not in X.obs:
            raise UnsuitableData(
                f'y is "{y}", but obs has no such column.', hint=did_you_mean(y, list(X.obs))
            )
        y = np.asarray(X.obs[y])
    return X.X, y, np.array(X.var_names, dtype=object)


def _note_names(estimator: Any, names: npt.NDArray[np.object_], *, reset: bool) -> None:
    """Keep the names of an AnnData object on the estimator, or compare them with those kept."""
    known = getattr(estimator, "feature_names_in_", None)
    if reset:
        estimator.feature_names_in_ = names
    elif known is not None and not np.array_equal(known, names):
        raise UnsuitableData(
            "X must have the variables of the training rows, in the same order.",
            hint="Select them: X[:, selector.feature_names_in_].",
        )


def _is_polars(value: Any, kind: str) -> bool:
    return type(value).__name__ == kind and type(value).__module__.startswith("polars")


def _as_pandas(X: Any) -> Any:
    """Return a data frame of polars with text as one of pandas; all else as it is."""
    if not _is_polars(X, "DataFrame") or all(dtype.is_numeric() for dtype in X.dtypes):
        return X
    return pd.DataFrame({name: X[name].to_list() for name in X.columns})


def _as_array(y: Any) -> Any:
    """Return a column of polars as an array; all else as it is."""
    if _is_polars(y, "DataFrame") and y.width == 1:
        y = y[y.columns[0]]
    return np.asarray(y.to_list()) if _is_polars(y, "Series") else y


def names_in(estimator: Any) -> list[str]:
    """Return the names of the columns that an estimator has seen."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None:
        return [str(name) for name in known]
    return [f"x{number}" for number in range(estimator.n_features_in_)]


def has_nominal_columns(X: Any) -> bool:
    """Return whether it is a data frame of pandas in which some columns are not numbers."""
    if not (hasattr(X, "dtypes") and hasattr(X, "iloc") and hasattr(X, "columns")):
        return False
    return any(getattr(dtype, "kind", "O") not in "biufc" for dtype in X.dtypes)


def require_numbers(table: ExampleSet) -> None:
    """Refuse columns that are not numbers, in the words of scikit-learn."""
    schema = table.schema
    wrong = schema.names_at(np.setdiff1d(schema.regular, schema.regular_numerical))
    if wrong:
        raise UnsuitableData(
            f"All columns must be numbers, but {enumerate_names(wrong)} "
            f"{'is' if len(wrong) == 1 else 'are'} not.",
            hint="Encode them (OrdinalEncoder), or drop the columns.",
        )


def _refuse_spans(X: Any) -> None:
    """Refuse durations and periods: each value would be a separate category."""
    wrong = [
        str(name)
        for name, dtype in zip(X.columns, X.dtypes, strict=True)
        if getattr(dtype, "kind", "O") == "m" or isinstance(dtype, pd.PeriodDtype)
    ]
    if wrong:
        raise UnsuitableData(
            "Columns must be numbers, categories or text, not durations or periods as in "
            f"{enumerate_names(wrong)}.",
            hint="Make them numbers, or drop the columns.",
        )


def _refuse_unknown_classes(y: Any) -> None:
    """Refuse a missing value among texts, which scikit-learn does not always find."""
    values = y if hasattr(y, "dtype") else np.asarray(y)
    if values.dtype.kind == "O" and np.any(pd.isna(values)):
        raise UnsuitableData("Input y contains NaN or None: each row needs a value.")


def _whole_numbers(y: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Return the different values if all of them are whole numbers and occur again."""
    if not np.isfinite(y).all() or (y != np.round(y)).any():
        return None
    values = np.unique(y)
    return values if len(values) <= len(y) / 2 else None


def target_of(y: npt.NDArray[Any], name: str, label_type: LabelType) -> LabelColumn:
    """Return the label: real numbers are numbers, all else are classes, unless it is said.

    Two whole numbers stored as real ones, such as 0.0 and 1.0, are classes, as for scikit-learn.
    """
    whole = _whole_numbers(y) if label_type == "auto" and y.dtype.kind == "f" else None
    if whole is not None and len(whole) == 2:
        y = y.astype(np.intp)
    elif whole is not None and len(whole) <= FEW_NUMBERS:
        warnings.warn(
            f"y has {len(whole)} different whole numbers, stored as real numbers: they are "
            'predicted as numbers. If they are classes, set label_type="nominal"; if not, '
            'label_type="numerical".',
            OperatorWarning,
            stacklevel=5,
        )
    if label_type == "numerical" or (label_type == "auto" and y.dtype.kind == "f"):
        numbers = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        return LabelColumn(Attribute(name, ValueType.REAL, LABEL), numbers)
    check_classification_targets(y)
    classes, places = np.unique(y, return_inverse=True)
    texts = [str(category_text(value)) for value in classes.tolist()]
    attribute, codes = coded_column(name, texts, places)
    return LabelColumn(replace(attribute, role=LABEL), codes, classes)
