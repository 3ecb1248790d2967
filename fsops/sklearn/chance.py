"""Chance and stability as functions of ``X`` and ``y``, as scikit-learn passes them around."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.utils.validation import check_consistent_length, column_or_1d

from fsops.algorithms.base import resampling
from fsops.algorithms.chance.orders import label_orders
from fsops.core import Accepts, Context
from fsops.data import (
    Attribute,
    Criterion,
    ExampleSet,
    PerformanceVector,
    PermutationBaseline,
    StabilityResult,
    StudyAnswer,
)
from fsops.data.columns import nominal_column
from fsops.data.design import BATCH, GROUP, PAIR
from fsops.operators.validation.chance import measure_chance as measured_chance
from fsops.operators.validation.design import design_of
from fsops.operators.validation.permutation import baseline_of
from fsops.sklearn.errors import UnsuitableData, value_errors
from fsops.sklearn.tables import LabelType, read_table

NUMBERS = Accepts(label="any", attributes="numerical")


def measure_chance(
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    pairs: Any = None,
    batches: Any = None,
    permutations: int = 199,
    label_type: LabelType = "auto",
    random_state: int = 0,
) -> StudyAnswer:
    """Return whether anything in a table is beyond chance, in words and numbers.

    A filter and a simple learner are repeated with permuted labels; see the operator Measure
    Chance.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
        Numbers without gaps.
    y : array of shape (n_samples,)
    groups, pairs, batches : array of shape (n_samples,), optional
        Rows of a group move as a whole and stay in one fold; rows of a pair or a batch exchange
        their labels only with each other.
    permutations : int
    label_type : {"auto", "nominal", "numerical"}
        As of the selectors: real numbers are numbers, all else are classes.
    random_state : int

    Returns
    -------
    StudyAnswer
        ``answer.verdict.text`` is the answer in words.
    """
    roles = {GROUP: groups, PAIR: pairs, BATCH: batches}
    with value_errors():
        table = _table(X, y, roles, label_type)
        return measured_chance(table, permutations=permutations, ctx=Context(random_state)).answer


def permutation_baseline(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    scoring: Any = None,
    groups: Any = None,
    pairs: Any = None,
    batches: Any = None,
    permutations: int = 99,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> PermutationBaseline:
    """Return the cross-validated score of an estimator beside those with permuted labels.

    Put the selection inside the estimator, as in a pipeline: then it is repeated, too.

    Parameters
    ----------
    estimator : estimator of scikit-learn
    X : array or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    cv, scoring, n_jobs
        As of ``cross_val_score``.
    groups, pairs, batches : array of shape (n_samples,), optional
        As of `measure_chance`. Rows of a group are also given to ``cv``.
    permutations : int
    random_state : int

    Returns
    -------
    PermutationBaseline
        ``baseline.p_values[0]`` is exact: (b + 1) / (m + 1).
    """
    y = column_or_1d(y)
    check_consistent_length(X, y)
    rng = np.random.default_rng(random_state)
    roles = {GROUP: groups, PAIR: pairs, BATCH: batches}
    columns = _role_columns(roles, len(y))
    codes = np.unique(y, return_inverse=True)[1].reshape(-1)
    label = nominal_column("label", [str(code) for code in codes], role="label")
    with value_errors():
        design = design_of(
            ExampleSet.from_columns([label, *columns], len(y)), Context(random_state)
        )
    orders = label_orders(codes, permutations, rng, blocks=design.blocks, units=design.units)
    splitter = check_cv(cv, y, classifier=_is_classifier(estimator))

    def score(order: npt.NDArray[np.intp]) -> float:
        scores = cross_val_score(
            clone(estimator), X, y[order], cv=splitter, scoring=scoring, groups=groups,
            n_jobs=n_jobs,
        )  # fmt: skip
        return float(np.mean(scores))

    values = np.array([[score(order)] for order in orders.rows])
    name = scoring if isinstance(scoring, str) else "score"
    true = PerformanceVector([Criterion(name, (values[0, 0],))])
    return baseline_of(true, values, orders.arrangements)


def selection_stability(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    resamples: int = 50,
    groups: Any = None,
    random_state: int = 0,
) -> StabilityResult:
    """Return which columns a selector keeps on bootstraps of the rows.

    Parameters
    ----------
    selector : selector of scikit-learn
        Has ``get_support`` after ``fit``.
    X : array or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,), optional
        Classes keep their fractions in every bootstrap.
    resamples : int
    groups : array of shape (n_samples,), optional
        Whole groups are drawn.
    random_state : int

    Returns
    -------
    StabilityResult
        ``frequency`` is the fraction of the bootstraps that kept each column; ``by_size`` is empty.
    """
    if not hasattr(selector, "get_support"):
        raise UnsuitableData(f"{type(selector).__name__} is not a selector: it has no get_support.")
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    classes = None if y is None else _classes(y)
    members = None if groups is None else np.unique(groups, return_inverse=True)[1].reshape(-1)
    drawn = resampling.bootstrap(
        n, resamples, np.random.default_rng(random_state), strata=classes, groups=members
    )
    chosen = []
    for rows in drawn:
        fitted = clone(selector).fit(_rows(X, rows), None if y is None else _rows(y, rows))
        chosen.append(fitted.get_support())
    names = getattr(fitted, "feature_names_in_", None)
    selections = np.array(chosen, dtype=bool)
    texts = [f"x{place}" for place in range(selections.shape[1])] if names is None else names
    return StabilityResult(list(map(str, texts)), selections.astype(np.float64), selections, {})


def _table(X: Any, y: Any, roles: Mapping[str, Any], label_type: LabelType) -> ExampleSet:
    """Return the table with its label and its design."""
    table, _ = read_table(BaseEstimator(), X, y, accepts=NUMBERS, label_type=label_type)
    columns = _role_columns(roles, len(table))
    return table.with_columns(columns) if columns else table


def _role_columns(roles: Mapping[str, Any], n: int) -> list[tuple[Attribute, Any]]:
    """Return the columns of the design."""
    columns = []
    for role, values in roles.items():
        if values is None:
            continue
        given = column_or_1d(values)
        if len(given) != n:
            raise UnsuitableData(f"The {role} has {len(given)} values, but there are {n} rows.")
        columns.append(nominal_column(f"{role} of the row", [str(v) for v in given], role=role))
    return columns


def _classes(y: Any) -> npt.NDArray[np.intp] | None:
    """Return the class of each row; None for real numbers."""
    values = np.asarray(y)
    if values.dtype.kind == "f":
        return None
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.intp)


def _rows(values: Any, rows: npt.NDArray[np.intp]) -> Any:
    return values.iloc[rows] if hasattr(values, "iloc") else np.asarray(values)[rows]


def _is_classifier(estimator: Any) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(estimator))
