"""Weights and selections do not depend on the order, the names or the units of a table.

Every operator that weighs or selects attributes without an inner process is tried. `EXCEPTIONS`
names those that may depend on a change, each with its reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings, strategies as st

from fsops import Attribute, AttributeWeights, ExampleSet, FlowObject
from fsops.errors import FsopsError, OperatorWarning
from fsops.plugins import plugins
from fsops.testing import make_examples
from fsops.testing.cases import Subject, TableKind, subject_of

PARAMETERS: dict[str, dict[str, Any]] = {
    "select_by_boruta": {"number_of_trees": 5, "iterations": 3},
    "select_by_cox_path": {"number_of_folds": 3, "steps": 5},
    "select_by_group_lasso_path": {"number_of_folds": 3, "steps": 5},
    "weight_by_knife": {"restarts": 2, "max_iterations": 5},
    "weight_by_lasso": {"penalty": 0.1},
    "weight_by_random_forest": {"number_of_trees": 5},
    **{
        key: {"k": 2}
        for key in (
            "select_by_hfs",
            "select_by_jmi_cmim",
            "select_by_kernel_rfe",
            "select_by_l1_arom",
            "select_by_l2_arom",
            "select_by_mrmr_cfs",
            "select_by_randomized_wrapper",
            "select_by_svm_rfe",
        )
    },
}
TOLERANCE = 1e-7
"""Largest difference, in parts of the largest weight."""
SOLVED = 1e-4
"""The same for operators that stop at a tolerance of their solver."""
SOLVERS = {"weight_by_kernel_svm", "weight_by_mkl", "weight_by_svm"}
EXAMPLES = 2


# --- changes that must not matter -----------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A table and the changed one, and how their weights correspond."""

    table: ExampleSet
    names: Mapping[str, str]
    """New names of attributes."""
    signed: bool = True
    """Whether the sign of a value stays."""


CHANGES: dict[str, Callable[[ExampleSet, np.random.Generator], Change | None]] = {}


def _change(name: str) -> Callable[..., Any]:
    def listed(make: Callable[..., Change | None]) -> Callable[..., Change | None]:
        CHANGES[name] = make
        return make

    return listed


def _rebuilt(
    table: ExampleSet,
    order: Sequence[str] | None = None,
    new: Mapping[str, tuple[Attribute, Any]] | None = None,
    more: Sequence[tuple[Attribute, Any]] = (),
) -> ExampleSet:
    """Return the table with its columns in an order, some of them new, and more at the end."""
    columns = [
        (new or {}).get(name, (table.schema.attribute(name), table.column(name)))
        for name in order or table.schema.names
    ]
    return ExampleSet.from_columns([*columns, *more], len(table))


@_change("order of rows")
def _rows(table: ExampleSet, rng: np.random.Generator) -> Change:
    return Change(table.take(rng.permutation(len(table))), {})


@_change("order of attributes")
def _attributes(table: ExampleSet, rng: np.random.Generator) -> Change:
    return Change(_rebuilt(table, order=[str(name) for name in rng.permutation(table.names)]), {})


@_change("names of attributes")
def _names(table: ExampleSet, rng: np.random.Generator) -> Change:
    regular = table.schema.regular_names
    names = {name: f"{9 - place} {name}" for place, name in enumerate(regular)}
    return Change(table.rename(names), names)


def _numbers(
    table: ExampleSet, change: Callable[[Any], Any], *, several: bool = False
) -> ExampleSet | None:
    schema = table.schema
    names = schema.names_at(schema.regular_numerical)
    if not len(names):
        return None
    chosen = names if several else names[:1]
    return _rebuilt(
        table, new={name: (schema.attribute(name), change(table.column(name))) for name in chosen}
    )


@_change("unit of one attribute")
def _unit(table: ExampleSet, rng: np.random.Generator) -> Change | None:
    changed = _numbers(table, lambda values: values * 4096)
    return None if changed is None else Change(changed, {})


@_change("unit of all attributes")
def _units(table: ExampleSet, rng: np.random.Generator) -> Change | None:
    changed = _numbers(table, lambda values: values * 2.0**-40, several=True)
    return None if changed is None else Change(changed, {})


@_change("origin of one attribute")
def _origin(table: ExampleSet, rng: np.random.Generator) -> Change | None:
    changed = _numbers(table, lambda values: values + 128)
    return None if changed is None else Change(changed, {})


@_change("direction of one attribute")
def _direction(table: ExampleSet, rng: np.random.Generator) -> Change | None:
    changed = _numbers(table, lambda values: -values)
    return None if changed is None else Change(changed, {}, signed=False)


@_change("a constant attribute")
def _constant(table: ExampleSet, rng: np.random.Generator) -> Change:
    numbers = len(table.schema.regular_numerical)
    attribute = Attribute("constant") if numbers else Attribute.nominal("constant", ("c",))
    values = np.full(len(table), 3.25) if numbers else np.zeros(len(table), dtype=np.int32)
    return Change(_rebuilt(table, more=[(attribute, values)]), {})


@_change("order of categories")
def _categories(table: ExampleSet, rng: np.random.Generator) -> Change | None:
    schema = table.schema
    new = {
        name: _reversed(schema.attribute(name), table.column(name), None)
        for name in schema.names_at(schema.regular_nominal)
    }
    return Change(_rebuilt(table, new=new), {}) if new else None


def _reversed(attribute: Attribute, codes: Any, role: str | None) -> tuple[Attribute, Any]:
    """Return a nominal column with its categories the other way round; missing values stay."""
    count = len(attribute.categories)
    turned = np.where(codes < 0, codes, count - 1 - codes).astype(np.int32)
    given = (attribute.name, attribute.categories[::-1])
    return Attribute.nominal(*given, role) if role else Attribute.nominal(*given), turned


def _labeled(table: ExampleSet, column: tuple[Attribute, Any]) -> Change:
    return Change(_rebuilt(table, new={column[0].name: column}), {}, signed=False)


def _classes_of(table: ExampleSet) -> Attribute | None:
    label = table.schema.label
    return None if label is None or label.value_type.is_numerical else label


@_change("order of classes in the schema")
def _order_of_classes(table: ExampleSet, rng: np.random.Generator) -> Change | None:
    label = _classes_of(table)
    return label and _labeled(table, _reversed(label, table.column(label.name), "label"))


@_change("names of classes")
def _names_of_classes(table: ExampleSet, rng: np.random.Generator) -> Change | None:
    label = _classes_of(table)
    if label is None:
        return None
    names = ("nan", "", "1.0")[: len(label.categories)]
    return _labeled(
        table, (Attribute.nominal(label.name, names, "label"), table.column(label.name))
    )


@_change("a class without rows")
def _empty_class(table: ExampleSet, rng: np.random.Generator) -> Change | None:
    label = _classes_of(table)
    if label is None:
        return None
    attribute = Attribute.nominal(label.name, ("no row", *label.categories), "label")
    return _labeled(table, (attribute, (table.column(label.name) + 1).astype(np.int32)))


# --- operators for which a change may matter ------------------------------------------------------

DRAWS = "random numbers depend on it"
FOLDS = "folds of the rows depend on it"
KERNEL = "the attribute belongs to the kernel, which is a mean over attributes"
OFFSET = "all attributes share an offset of their deviations"
BINS = "bins of equal size put equal values into the lower one"
FIRST = "of equally good attributes the first is taken"
UNITS = "the weight has the unit of the attribute"
PATHS = ("select_by_cox_path", "select_by_elastic_net_path", "select_by_group_lasso_path")
FORESTS = ("weight_by_random_forest", "select_by_boruta")
INSTANCES = ("select_by_hib_css", "select_by_hib_sbs", "select_by_ib", "ib_candidate_subsets")
NEAREST = "of equally near rows the first is taken"

EXCEPTIONS: dict[str, dict[str, str]] = {
    "order of rows": {
        **dict.fromkeys((*PATHS, "select_by_shrunken_centroids", "select_by_hib_css"), FOLDS),
        **dict.fromkeys(FORESTS, DRAWS),
        **dict.fromkeys(INSTANCES, NEAREST),
        "select_by_hfs": FOLDS,
        "select_by_hyb_seq": FOLDS,
        "select_by_knockoffs": DRAWS,
        "select_by_randomized_wrapper": DRAWS,
        "weight_by_knife": "starts at random weights",
        "weight_by_paired_t": "without a pair attribute rows are paired in their order",
        "weight_by_signed_rank": "without a pair attribute rows are paired in their order",
    },
    "order of attributes": {
        **dict.fromkeys(FORESTS, DRAWS),
        **dict.fromkeys(("select_by_fcbf", "select_by_jmi_cmim", "select_by_kernel_rfe"), FIRST),
        "select_by_knockoffs": DRAWS,
        "select_by_randomized_wrapper": DRAWS,
        "weight_by_knife": "starts at random weights",
    },
    "names of attributes": {},
    "unit of one attribute": {
        "weight_by_deviation": UNITS,
        "weight_by_moderated_t": "all attributes share a prior of their variances",
        "weight_by_pca": "components of the covariance",
        "weight_by_sam": OFFSET,
        "select_by_shrunken_centroids": OFFSET,
    },
    "unit of all attributes": {
        "weight_by_deviation": UNITS,
        "weight_by_sam": "s0 is a number of the unit",
    },
    "origin of one attribute": {},
    "direction of one attribute": {
        **dict.fromkeys(FORESTS, DRAWS),
        **dict.fromkeys(("select_by_fcbf", "select_by_jmi_cmim"), BINS),
        "weight_by_mutual_information": BINS,
    },
    "a constant attribute": {
        **dict.fromkeys(FORESTS, DRAWS),
        "select_by_knockoffs": DRAWS,
        "select_by_randomized_wrapper": DRAWS,
        "select_by_shrunken_centroids": OFFSET,
        "weight_by_kernel_svm": KERNEL,
        "weight_by_knife": "starts at random weights",
        "weight_by_mkl": KERNEL,
        "weight_by_moderated_t": "all attributes share a prior of their variances",
    },
    "order of categories": dict.fromkeys(FORESTS, DRAWS),
    "order of classes in the schema": {},
    "names of classes": dict.fromkeys(
        (
            *PATHS,
            "select_by_hfs",
            "select_by_hib_css",
            "select_by_hyb_seq",
            "select_by_randomized_wrapper",
            "select_by_shrunken_centroids",
        ),
        FOLDS,
    ),
    "a class without rows": {},
}

# They change given weights, or need a component, a path or a model.
NOT_OF_A_TABLE = {
    "adjust_p_values",
    "aggregate_weights",
    "average",
    "correlation_matrix",
    "knife_path",
    "normalize_weights",
    "prior_knowledge",
    "select_by_weights",
    "select_top_k",
    "sklearn_selector",
    "weight_by_component_model",
    "weights_from_knife_path",
    "weights_to_ranking",
}
PRIOR = {"select_by_pk_mrmr", "select_by_pk_rfe", "weight_by_pk_relief",
         "select_by_ss_l2_arom", "select_by_ps_l2_arom"}  # fmt: skip
"""They take weights beside the table, which the test makes from the order of attributes."""
OPERATORS = [
    spec
    for spec in plugins().registry
    if spec.role in ("weighting", "selection") and not spec.prefix and not spec.subprocesses
    and spec.key not in NOT_OF_A_TABLE | PRIOR
]  # fmt: skip


# --- the test -------------------------------------------------------------------------------------


@cache
def _subject(key: str) -> Subject:
    spec = next(spec for spec in OPERATORS if spec.key == key)
    return subject_of(spec, parameters=PARAMETERS.get(key, {}))


@cache
def _kinds(key: str) -> list[TableKind]:
    return [
        kind
        for kind in _subject(key).table_kinds()
        if not kind.predicted and _answer(key, _table(kind, 0, ties=False)) is not None
    ]


def _table(kind: TableKind, seed: int, *, ties: bool) -> ExampleSet:
    numerical, nominal = {"numerical": (5, 0), "nominal": (0, 5), "any": (3, 2)}[kind.attributes]
    table = make_examples(24, numerical, nominal, label=kind.label, seed=seed)
    rounded = _numbers(table, np.round, several=True) if ties else None
    return table if rounded is None else rounded


def _answer(key: str, table: ExampleSet) -> list[FlowObject] | None:
    """Return the results of an operator; None if it refuses the table."""
    subject = _subject(key)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorWarning)
        try:
            outputs = subject.outputs(subject.call(subject.case(table)))
        except FsopsError:
            return None
    return [value for values in outputs.values() for value in values]


def _complaint(key: str, plain: Any, other: Any, change: Change) -> str:
    """Return how two results differ, or an empty text."""
    names = change.names
    if isinstance(plain, ExampleSet):
        one = {names.get(name, name) for name in plain.schema.regular_names}
        two = {*other.schema.regular_names} - {"constant"}
        return "" if one == two else f"selects {sorted(two)}, not {sorted(one)}"
    if not isinstance(plain, AttributeWeights):
        return ""
    place = {name: number for number, name in enumerate(other.names)}
    order = [place.get(names.get(name, name), -1) for name in plain.names]
    if -1 in order or len(place) - ("constant" in place) != len(order):
        return f"weighs {list(other.names)}, not {list(plain.names)}"
    columns = {"weight": (plain.values, other.values)} | {
        name: (np.asarray(values), np.asarray(other.details[name]))
        for name, values in plain.details.items()
        if change.signed and name in ("statistic", "p_value")
    }
    tolerance = SOLVED if key in SOLVERS else TOLERANCE
    for name, values in columns.items():
        one, two = values[0], values[1][order]
        if not change.signed:
            one, two = np.abs(one), np.abs(two)
        scale = np.abs(one[np.isfinite(one)]).max(initial=1e-300)
        if not np.allclose(one, two, rtol=0, atol=tolerance * scale, equal_nan=True):
            return f"{name}: {two.tolist()}, not {one.tolist()}"
    return ""


@pytest.mark.parametrize("key", [spec.key for spec in OPERATORS])
def test_weights_do_not_depend_on_order_names_and_units(key: str) -> None:
    @settings(max_examples=EXAMPLES, phases=[Phase.generate], deadline=None)
    @given(seed=st.integers(0, 1000), ties=st.booleans(), data=st.data())
    def holds(seed: int, ties: bool, data: st.DataObject) -> None:  # noqa: FBT001
        table = _table(data.draw(st.sampled_from(_kinds(key))), seed, ties=ties)
        plain = _answer(key, table)
        complaints = {
            name: _difference(key, plain, make(table, np.random.default_rng(seed)))
            for name, make in CHANGES.items()
            if plain is not None and key not in EXCEPTIONS[name]
        }
        assert {name: text for name, text in complaints.items() if text} == {}

    holds()


def _difference(key: str, plain: list[FlowObject], change: Change | None) -> str:
    """Return how the results of a changed table differ, or an empty text."""
    if change is None:
        return ""
    other = _answer(key, change.table)
    if other is None:
        return "refused"
    pairs = zip(plain, other, strict=True)
    return " ".join(filter(None, (_complaint(key, one, two, change) for one, two in pairs)))


@pytest.mark.parametrize("key", [spec.key for spec in OPERATORS])
def test_each_operator_takes_a_table(key: str) -> None:
    assert _kinds(key)


def test_each_exception_is_an_operator() -> None:
    keys = {spec.key for spec in OPERATORS}
    assert {key for named in EXCEPTIONS.values() for key in named} <= keys
    assert set(EXCEPTIONS) == set(CHANGES)
