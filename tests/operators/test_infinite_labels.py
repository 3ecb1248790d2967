"""An infinite label gets one clear sentence from every operator that needs a finite one."""

import contextlib
import importlib

import numpy as np
import pytest

from fsops.core.operator import Operator
from fsops.data import ExampleSet
from fsops.errors import DataError, FsopsError
from fsops.plugins import plugins
from fsops.testing.cases import Subject, TableKind

# Those with infinite=True check the label themselves, or leave it to the operators inside.
NEED_FINITE_LABEL = [
    spec
    for spec in plugins().registry
    if not spec.prefix
    and any(a.label in ("any", "numerical") and not a.infinite for a in spec.accepts.values())
]


def table_with_label(*wrong: float) -> ExampleSet:
    """Return a table whose label has these values in row 4 and after."""
    table = TableKind("numerical", "numerical").table()
    values = table.label_values().astype(float)
    values[3 : 3 + len(wrong)] = wrong
    return table.with_values([(table.label, values)])


def call(spec: Operator, table: ExampleSet) -> None:
    module = importlib.import_module(spec.function.__module__)
    subject = Subject(getattr(module, spec.function.__name__))
    subject.call(subject.case(table))


@pytest.mark.parametrize("spec", NEED_FINITE_LABEL, ids=lambda spec: spec.key)
@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_an_infinite_label_is_named_with_its_row(spec: Operator, infinite: float) -> None:
    with pytest.raises(DataError) as refused:
        call(spec, table_with_label(infinite))
    assert refused.value.message == 'The label "label" is infinite in row 4.'
    assert "Filter Examples" in refused.value.hint


@pytest.mark.parametrize("spec", NEED_FINITE_LABEL, ids=lambda spec: spec.key)
def test_a_label_whose_square_is_infinite_is_named_too(spec: Operator) -> None:
    with pytest.raises(DataError) as refused:
        call(spec, table_with_label(-1e200))
    assert refused.value.message == (
        'The label "label" is larger than 1e+150 in row 4: its square cannot be computed.'
    )


@pytest.mark.parametrize("spec", NEED_FINITE_LABEL, ids=lambda spec: spec.key)
def test_the_largest_allowed_label_gives_a_result_or_a_sentence(spec: Operator) -> None:
    with contextlib.suppress(FsopsError):
        call(spec, table_with_label(1e150))


def test_several_infinite_labels_are_counted() -> None:
    spec = plugins().registry["linear_regression"]
    with pytest.raises(DataError, match="infinite in 2 rows, first in row 4"):
        call(spec, table_with_label(np.inf, -np.inf))


def test_the_operators_of_every_kind_are_covered() -> None:
    keys = {spec.key for spec in NEED_FINITE_LABEL}
    assert {"linear_regression", "k_nn", "weight_by_correlation", "weight_by_relieff"} <= keys
    assert len(keys) > 25


def test_default_model_says_the_same_in_its_own_words() -> None:
    spec = plugins().registry["default_model"]
    with pytest.raises(DataError, match="infinite"):
        call(spec, table_with_label(np.inf))
