"""Roles: declared by name, or else derived from the ports, never from the palette group."""

import pickle
from typing import NamedTuple

import pytest

from fsops import (
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    PreprocessingModel,
    Subprocess,
    operator,
)
from fsops.core.declare.roles import Role
from fsops.core.operator import operator_of, placeholder
from fsops.errors import DeclarationError


class Pathway(FlowObject):
    title = "Pathway"


class TableAndWeights(NamedTuple):
    weights: AttributeWeights
    examples: ExampleSet


class Fitted(NamedTuple):
    model: Model
    weights: AttributeWeights


class Scaled(NamedTuple):
    examples: ExampleSet
    preprocessing: PreprocessingModel


# fmt: off
def read() -> ExampleSet: ...
def read_or_update(examples: ExampleSet | None) -> ExampleSet: ...
def weigh(examples: ExampleSet) -> AttributeWeights: ...
def rescale(weights: AttributeWeights) -> AttributeWeights: ...
def weigh_by_model(model: Model) -> AttributeWeights: ...
def weigh_and_reduce(examples: ExampleSet) -> TableAndWeights: ...
def stabilize(examples: ExampleSet, inner: Subprocess[[ExampleSet], AttributeWeights]) -> AttributeWeights: ...
def search(examples: ExampleSet, inner: Subprocess[[ExampleSet], PerformanceVector]) -> AttributeWeights: ...
def learn(examples: ExampleSet) -> Fitted: ...
def bag(examples: ExampleSet, inner: Subprocess[[ExampleSet], Model]) -> Model: ...
def apply(model: Model, examples: ExampleSet) -> ExampleSet: ...
def join_models(models: list[Model]) -> Model: ...
def scale(examples: ExampleSet) -> Scaled: ...
def measure(examples: ExampleSet) -> PerformanceVector: ...
def cross(examples: ExampleSet, training: Subprocess[[ExampleSet], Model], testing: Subprocess[[Model, ExampleSet], PerformanceVector]) -> PerformanceVector: ...
def repeat(examples: ExampleSet, inner: Subprocess[[ExampleSet], AttributeWeights]) -> PerformanceVector: ...
def loop(things: list[FlowObject], inner: Subprocess[[FlowObject], FlowObject]) -> list[FlowObject]: ...
def show(thing: FlowObject) -> FlowObject: ...
def send(examples: ExampleSet) -> None: ...
def enrich(weights: AttributeWeights) -> Pathway: ...
def gather(things: list[FlowObject]) -> Collection: ...
# fmt: on

DERIVED = {
    Role.SOURCE: [read, read_or_update],
    Role.WEIGHTING: [weigh, rescale, weigh_by_model],
    Role.SELECTION: [weigh_and_reduce, stabilize],
    Role.SEARCH: [search],
    Role.LEARNER: [learn, bag],
    Role.MODEL_APPLICATION: [apply, join_models],
    Role.PREPARATION: [scale, enrich, gather],
    Role.PERFORMANCE: [measure],
    Role.VALIDATION: [cross, repeat],
    Role.CONTROL: [loop],
    Role.UTILITY: [show, send],
}
CASES = [(function, role) for role, functions in DERIVED.items() for function in functions]


def declared(function, **options):
    function.__doc__ = "Title"
    return operator_of(operator(**{"group": "Test", **options})(function))


@pytest.mark.parametrize(("function", "role"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_without_a_role_the_ports_decide(function, role):
    spec = declared(function)
    assert spec.declared_role is None
    assert spec.role is role


@pytest.mark.parametrize("group", ["Weighting/Mine", "Preparation/Rows", "Control", "Mine/Filters"])
def test_the_group_decides_nothing(group):
    assert declared(weigh, group=group).role is Role.WEIGHTING


def test_a_declared_role_counts_whatever_the_ports_are_like():
    assert declared(weigh, role="selection").role is Role.SELECTION
    assert declared(scale, role=Role.ROWS).role is Role.ROWS


def test_an_unknown_role_is_refused_with_the_place_and_the_one_that_was_meant():
    with pytest.raises(DeclarationError, match=r'weigh: there is no role "weigthing"') as caught:
        declared(weigh, role="weigthing")
    assert 'Did you mean "weighting"?' in str(caught.value)
    with pytest.raises(DeclarationError, match="The roles are source, rows, preparation"):
        declared(weigh, role="xyz")


def test_an_operator_that_is_not_installed_has_a_role_without_consequences():
    assert placeholder("none:such").role is Role.UTILITY


@pytest.mark.parametrize("role", Role)
def test_every_role_is_explained_in_one_short_sentence(role):
    assert role.meaning.endswith(".")
    assert role.meaning.count(".") == 1
    assert len(role.meaning.split()) <= 15


def test_roles_survive_pickling():
    assert pickle.loads(pickle.dumps(Role.ROWS)) is Role.ROWS
