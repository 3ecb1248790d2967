"""Every kind of problem: its sentence, its place, and fixes that mend it."""

from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

from fsops import (
    Accepts,
    AttributeName,
    AttributeNames,
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    FlowObject,
    Model,
    Named,
    Process,
    Subprocess,
    operator,
    validate,
)
from fsops.core.checks.problems import Kind, Severity
from fsops.core.graph.wiring import SINK, Connection
from fsops.core.operator import placeholder
from fsops.core.registry import Registry
from fsops.operators import (
    cross_validation,
    rank_by_selection,
    retrieve,
    select_top_k,
    set_role,
    weight_by_sam,
)

IRIS = ExampleSet.from_numpy(np.eye(3), [0.5, 1.0, 2.0], names=["petal", "sepal", "stem"])


def describe_iris(inputs, parameters):
    return ExampleSetMetaData(schema=IRIS.schema, rows=len(IRIS))


def same(inputs, parameters):
    return inputs["examples"]


@operator(group="Test", describe=describe_iris)
def load() -> ExampleSet:
    """Load"""
    return IRIS


@operator(group="Test", describe=same)
def drop(
    examples: ExampleSet,
    *,
    attribute: Annotated[str | None, AttributeName] = None,
    attributes: Annotated[list[str], AttributeNames] = [],  # noqa: B006
    k: int = 1,
) -> ExampleSet:
    """Drop"""
    return examples


@operator(group="Test")
def weigh(examples: ExampleSet) -> AttributeWeights:
    """Weigh"""
    return examples.weights(np.ones(3))


@operator(group="Test", accepts=Accepts(label="nominal"))
def learn(examples: ExampleSet) -> Model:
    """Learn"""
    raise AssertionError


@operator(group="Test")
def loop(
    examples: ExampleSet, body: Subprocess[[ExampleSet], AttributeWeights]
) -> AttributeWeights:
    """Loop"""
    return body(examples)


@operator(group="Test")
def join(tables: list[ExampleSet]) -> ExampleSet:
    """Join"""
    return tables[0]


Handed = Annotated[list[FlowObject | None], Named("through")]


@operator(group="Test")
def look(through: Handed) -> Handed:
    """Look"""
    return through


@pytest.fixture
def registry():
    return Registry([load, drop, weigh, learn, loop, join, retrieve])


@pytest.fixture
def process():
    process = Process()
    process.result(process.add(drop, process.add(load)))
    return process


@pytest.fixture
def only(process, registry):
    """Return the one problem of the process, checked to be complete."""

    def find(kind, **options):
        problems = validate(process, registry, **options)
        assert [p.kind for p in problems] == [kind], [str(p) for p in problems]
        assert problems[0].message.endswith((".", "?")), problems[0].message
        return problems[0]

    return find


def mends(process, registry, problem, index=0):
    problem.fixes[index].apply(process)
    return problem.kind not in [p.kind for p in validate(process, registry)]


def test_sound_process_has_no_problems(process, registry):
    assert validate(process, registry) == []


def test_missing_input(process, registry, only):
    process.disconnect("Drop", "examples")
    process.result(process["Load"])
    problem = only(Kind.MISSING_INPUT)
    assert str(problem) == 'Drop: The input "examples" is not connected; it needs a data table.'
    assert problem.fixes[0].label == "Connect Load.examples → Drop.examples"
    assert mends(process, registry, problem)


def test_missing_inner_result(process, registry, only):
    node = process.add(loop, process["Load"])
    process.result(node)
    body = node.inner()
    body.result(body.add(weigh, body.source()))
    assert validate(process, registry) == []
    body.disconnect(SINK, "weights")
    problems = validate(process, registry)
    problem = problems[0]
    assert problem.kind is Kind.MISSING_RESULT
    assert str(problem) == (
        'Loop › Body: Nothing is connected to the result "weights"; it needs attribute weights.'
    )
    assert mends(process, registry, problem)


def test_type_mismatch_offers_an_operator_in_between(process, registry, only):
    process.result(process.add(loop, process["Load"]).inner().add(weigh) and process["Loop"])
    body = process["Loop"].inner()
    body.remove("Weigh")
    body.connect_unchecked(Connection("<source>", "examples", SINK, "weights"))
    problem = only(Kind.TYPE_MISMATCH)
    assert (
        str(problem)
        == 'Loop › Body: "weights" takes attribute weights, but "examples" gives a data table.'
    )
    assert [fix.label for fix in problem.fixes] == [
        'Insert "Weigh"',
        "Remove the connection examples → weights",
    ]
    assert mends(process, registry, problem)


def test_cycle(process, registry, only):
    process.add(join, process["Drop"])
    process.result(process["Join"])
    process.connect(process["Join"]["examples"], "Drop", "examples")
    problems = [p for p in validate(process, registry) if p.kind is Kind.CYCLE]
    assert len(problems) == 1
    assert "circle: Drop → Join → Drop" in str(problems[0])
    assert mends(process, registry, problems[0])


def test_bad_parameter(process, registry, only):
    process["Drop"].parameters["k"] = "many"
    problem = only(Kind.BAD_PARAMETER)
    assert str(problem) == 'Drop: k is "many", but must be a whole number.'
    assert mends(process, registry, problem)


def test_better_value_takes_the_place_of_an_alias(process, registry):
    node = process.add(cross_validation, process["Load"], number_of_folds="1")
    problem = next(p for p in validate(process, registry) if p.kind is Kind.BAD_PARAMETER)
    problem.fixes[0].apply(process)
    assert node.parameters == {"number_of_folds": 10}


def test_required_parameter_not_set(process, registry, only):
    process.result(process.add(retrieve))
    problem = only(Kind.BAD_PARAMETER)
    assert str(problem) == "Retrieve: repository_entry is not set; it must be the name of data."


def test_unknown_parameter(process, registry, only):
    process["Drop"].parameters["attribut"] = "petal"
    problem = only(Kind.UNKNOWN_PARAMETER)
    assert 'There is no parameter "attribut". Did you mean "attribute"' in str(problem)
    assert problem.fixes[0].label == "Rename it to attribute"
    assert mends(process, registry, problem)
    assert process["Drop"].parameters == {"attribute": "petal"}


def test_unknown_macro_is_a_warning(process, registry, only):
    process["Drop"].parameters["k"] = "%{k}"
    problem = only(Kind.UNKNOWN_MACRO)
    assert problem.severity is Severity.WARNING
    assert (
        str(problem) == "Drop: The macro %{k} has no value. Set it with --macro or in the process."
    )
    assert validate(process, registry, macros={"k": "3"}) == []


def test_macro_of_a_loop_is_known_inside_it_only(registry):
    process = Process()
    data = process.add(retrieve, repository_entry="breast cancer")
    ranking = process.add(rank_by_selection, data, k=2, macro="size")
    inner = ranking.inner()
    weights = inner.add(weight_by_sam, inner.source())
    inner.result(inner.add(select_top_k, weights, k="%{size}"))
    process.result(ranking)
    assert validate(process, registry) == []
    process.result(process.add(select_top_k, ranking, k="%{size}", name="Outside"))
    (problem,) = validate(process, registry)
    assert problem.kind is Kind.UNKNOWN_MACRO
    assert problem.path == ("Outside",)


def test_value_of_a_macro_is_checked(process, registry):
    process["Drop"].parameters["k"] = "%{k}"
    (problem,) = validate(process, registry, macros={"k": "many"})
    assert problem.kind is Kind.BAD_PARAMETER


def test_unknown_operator(process, registry, only):
    unknown = process.add(placeholder("wiegh"), name="Mine")
    process.connect(process["Load"]["examples"], unknown, "examples")
    process.connect(unknown["weights"], SINK, "result 2")
    problem = only(Kind.UNKNOWN_OPERATOR)
    assert str(problem) == 'Mine: There is no operator "wiegh". Did you mean "weigh"?'
    assert problem.fixes[0].label == 'Use "Weigh"'
    assert mends(process, registry, problem)
    assert validate(process, registry) == []


def test_operator_of_a_missing_plugin_is_not_replaced_by_another_method(process, registry, only):
    unknown = process.add(placeholder("mine:weigh"), name="Mine")
    process.connect(process["Load"]["examples"], unknown, "examples")
    process.connect(unknown["weights"], SINK, "result 2")
    problem = only(Kind.UNKNOWN_OPERATOR)
    assert str(problem) == 'Mine: There is no operator "mine:weigh". It needs the plugin "mine".'
    assert problem.fixes == ()


def test_unknown_port(process, registry, only):
    process.connect_unchecked(Connection("Load", "exmples", SINK, "result 2"))
    problem = only(Kind.UNKNOWN_PORT)
    assert str(problem) == (
        'Load: There is no port "exmples". Did you mean "examples"? '
        "Connect Load.examples → result 2 instead."
    )
    assert mends(process, registry, problem)


def test_missing_column(process, registry, only):
    process["Drop"].parameters["attribute"] = "petla"
    problem = only(Kind.MISSING_COLUMN)
    assert str(problem) == 'Drop: attribute: there is no attribute "petla". Did you mean "petal"?'
    assert mends(process, registry, problem)


def test_missing_columns_in_a_set(process, registry, only):
    process["Drop"].parameters["attributes"] = "petal|leaf|root"
    assert 'no attribute "leaf", "root"' in str(only(Kind.MISSING_COLUMN))


def test_columns_are_known_inside_an_inner_process(process, registry):
    node = process.add(loop, process["Drop"])
    process.result(node)
    body = node.inner()
    inner = body.add(drop, body.source(), attribute="leaf")
    body.result(body.add(weigh, inner))
    (problem,) = validate(process, registry)
    assert problem.kind is Kind.MISSING_COLUMN
    assert problem.path == ("Loop", "Body", "Drop (2)")


def test_unsuitable_data(process, registry, only):
    process.result(process.add(learn, process["Drop"]))
    problem = only(Kind.UNSUITABLE_DATA)
    assert 'Learn: A label with classes is needed, but "label" is real.' in str(problem)


def test_nothing_delivered_is_a_warning(process, registry, only):
    process.disconnect(SINK, "result 1")
    problems = validate(process, registry)
    assert [p.kind for p in problems] == [Kind.NO_RESULT, Kind.UNUSED]
    assert {p.severity for p in problems} == {Severity.WARNING}


def test_disabled_operators_are_not_looked_at_and_let_data_through(process, registry):
    node = process.add(drop, process["Drop"], k="many")
    node.enabled = False
    process.result(process.add(drop, node, attribute="petal"))
    assert validate(process, registry) == []


def test_disabled_operator_with_nothing_to_hand_on_is_a_missing_input(process, registry, only):
    process["Load"].enabled = False
    problem = only(Kind.MISSING_INPUT)
    assert problem.path == ("Drop",)
    assert 'The input "examples" gets nothing, because "Load" is disabled' in problem.message
    assert problem.fixes == ()


def test_a_result_that_is_handed_on_from_nowhere_is_a_warning(process, registry, only):
    process.add(look)
    process.connect_unchecked(Connection("Look", "through 1", SINK, "result 2"))
    problem = only(Kind.NO_RESULT)
    assert problem.severity is Severity.WARNING
    assert problem.path == ("Look",)
    assert problem.message == (
        'The result "result 2" gets nothing, because nothing is connected to "through 1" of "Look".'
    )
    labels = [fix.label for fix in problem.fixes]
    assert "Connect Drop.examples → Look.through 1" in labels
    assert labels[-1] == "Remove the connection Look.through 1 → result 2"
    assert mends(process, registry, problem)
    assert validate(process, registry) == []


def test_an_input_that_is_handed_on_from_nowhere_is_missing(process, registry, only):
    process.add(look)
    process.connect_unchecked(Connection("Look", "through 2", "Drop", "examples"))
    process.connect_unchecked(Connection("Load", "examples", "Look", "through 1"))
    problem = only(Kind.MISSING_INPUT)
    assert problem.path == ("Drop",)
    assert 'gets nothing, because nothing is connected to "through 2" of "Look"' in problem.message
    process.connect_unchecked(Connection("Load", "examples", "Look", "through 2"))
    assert validate(process, registry) == []


def test_attribute_that_is_not_there_is_told_once(registry):
    process = Process()
    data = process.add(retrieve, repository_entry="golf")
    process.result(process.add(set_role, data, attribute="Pley", target_role="label"))
    assert [p.kind for p in validate(process, registry)] == [Kind.MISSING_COLUMN]


def test_given_inputs_are_known(registry):
    process = Process()
    process.result(process.add(drop, process.source(), attribute="leaf"))
    given = {"input 1": ExampleSetMetaData(schema=IRIS.schema)}
    assert validate(process, registry) == []
    assert [p.kind for p in validate(process, registry, given=given)] == [Kind.MISSING_COLUMN]


def test_every_kind_of_problem_is_tested_here_or_with_the_cautions():
    here = Path(__file__)
    others = ("test_cautions.py", "test_data_cautions.py", "test_fixes.py", "test_run_advice.py")
    text = here.read_text() + "".join(here.with_name(name).read_text() for name in others)
    tested_elsewhere = {Kind.CHECK_FAILED}  # by the designer, which goes on after such a check
    assert [kind for kind in set(Kind) - tested_elsewhere if f"Kind.{kind.name}" not in text] == []
