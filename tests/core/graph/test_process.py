"""Building, changing, copying and comparing processes."""

from typing import NamedTuple

import pytest

from fsops import AttributeWeights, ExampleSet, Model, Process, Subprocess, operator, run
from fsops.core.graph.process import Note, port_order
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import placeholder
from fsops.errors import PortError, UsageError


class Both(NamedTuple):
    weights: AttributeWeights
    examples: ExampleSet


@operator(group="Test")
def load() -> ExampleSet:
    """Load"""
    raise AssertionError


@operator(group="Test")
def weigh(examples: ExampleSet) -> AttributeWeights:
    """Weigh"""
    raise AssertionError


@operator(group="Test")
def choose(examples: ExampleSet, weights: AttributeWeights) -> Both:
    """Choose"""
    raise AssertionError


@operator(group="Test")
def merge(tables: list[ExampleSet]) -> ExampleSet:
    """Merge"""
    raise AssertionError


@operator(group="Test")
def loop(
    examples: ExampleSet, body: Subprocess[[ExampleSet], AttributeWeights]
) -> AttributeWeights:
    """Loop"""
    raise AssertionError


@operator(group="Test")
def vote(
    examples: ExampleSet, learners: list[Subprocess[[ExampleSet], Model]], *, weight: float = 1.0
) -> Model:
    """Vote"""
    raise AssertionError


@pytest.fixture
def process():
    process = Process("Test", seed=5)
    data = process.add(load)
    weights = process.add(weigh, data)
    process.result(process.add(choose, data, weights))
    return process


def wires(process):
    return [str(connection) for connection in process.connections]


def test_inputs_find_the_first_free_port_that_takes_them(process):
    assert wires(process) == [
        "Load.examples → Weigh.examples",
        "Load.examples → Choose.examples",
        "Weigh.weights → Choose.weights",
        "Choose.weights → result 1",
    ]


def test_one_output_may_feed_many_inputs(process):
    process.result(process["Load"])
    assert process.incoming(SINK) == {
        "result 1": ("Choose", "weights"),
        "result 2": ("Load", "examples"),
    }


def test_order_of_arguments_does_not_matter_where_types_decide():
    process = Process()
    data = process.add(load)
    weights = process.add(weigh, data)
    process.add(choose, weights, data)
    assert "Weigh.weights → Choose.weights" in wires(process)


def test_ports_of_many_are_numbered():
    process = Process()
    tables = [process.add(load) for _ in range(3)]
    process.add(merge, *tables)
    assert wires(process)[2] == "Load (3).examples → Merge.tables 3"


def test_output_that_fits_nowhere_is_refused_and_nothing_is_left_behind(process):
    with pytest.raises(PortError, match="No free port takes"):
        process.add(weigh, process["Weigh"])
    assert "Weigh (2)" not in process


def test_names_are_unique_over_all_levels(process):
    outer = process.add(loop, process["Load"])
    inner = outer.inner().add(weigh, outer.inner().source())
    assert inner.name == "Weigh (2)"
    assert inner.path == ("Loop", "Body", "Weigh (2)")
    assert process.add(weigh, name="Weigh (2)").name == "Weigh (3)"
    assert process.find("Weigh (2)") is inner


def test_wrong_type_is_refused_in_words(process):
    with pytest.raises(
        PortError, match='"examples" takes a data table, but "weights" gives attribute weights'
    ):
        process.connect(process["Weigh"]["weights"], "Choose", "examples")


def test_unknown_port_is_refused_with_a_suggestion(process):
    with pytest.raises(PortError, match='no port "weight". Did you mean "weights"'):
        process["Weigh"]["weight"]
    with pytest.raises(PortError, match='no port "example"'):
        process.connect(process["Load"]["examples"], "Weigh", "example")


def test_levels_cannot_be_connected_with_each_other(process):
    inner = process.add(loop, process["Load"]).inner()
    with pytest.raises(PortError, match="same process"):
        inner.add(weigh, process["Load"])


def test_new_connection_replaces_the_old_one(process):
    process.add(load, name="Other")
    process.connect(process["Other"]["examples"], "Weigh", "examples")
    assert process.incoming("Weigh") == {"examples": ("Other", "examples")}


def test_execution_order_follows_connections_then_insertion():
    process = Process()
    second = process.add(weigh, name="second")
    process.add(load, name="first")
    process.add(load, name="free")
    process.connect(process["first"]["examples"], second, "examples")
    assert [node.name for node in process.order()] == ["first", "second", "free"]
    process.move("free", 0)
    assert [node.name for node in process.order()] == ["free", "first", "second"]


def test_circle_is_named():
    process = Process()
    for name in "ab":
        process.add(merge, name=name)
    process.connect(process["a"]["examples"], "b", "tables 1")
    process.connect(process["b"]["examples"], "a", "tables 1")
    with pytest.raises(PortError, match="circle: a → b → a"):
        process.order()


def test_renaming_takes_the_connections_along(process):
    process.rename("Weigh", "Scales")
    assert "Scales.weights → Choose.weights" in wires(process)
    assert [node.name for node in process] == ["Load", "Scales", "Choose"]
    with pytest.raises(UsageError, match='already is an operator "Load"'):
        process.rename("Scales", "Load")


def test_removing_takes_the_connections_away(process):
    process.remove("Weigh")
    assert wires(process) == ["Load.examples → Choose.examples", "Choose.weights → result 1"]


def test_clone_is_equal_and_independent(process):
    process["Load"].position = {"x": 1, "y": 2}
    copy = process.clone()
    assert copy == process
    copy["Weigh"].parameters["x"] = 1
    assert copy != process
    assert copy["Load"].operator is process["Load"].operator


def test_clone_of_an_inner_process_stands_alone(process):
    inner = process.add(loop, process["Load"]).inner()
    inner.add(weigh, inner.source())
    copy = inner.clone()
    assert copy.owner is None
    assert inner.owner is not None
    assert copy.path == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p["Load"].parameters.update(a=1), "Load: parameters"),
        (lambda p: setattr(p["Load"], "enabled", False), "Load: enabled"),
        (lambda p: setattr(p["Load"], "breakpoints", frozenset({"after"})), "Load: breakpoints"),
        (lambda p: setattr(p["Load"], "position", {"x": 1, "y": 1}), "Load: position"),
        (lambda p: setattr(p["Load"], "note", Note("hi")), "Load: note"),
        (lambda p: p.notes.append(Note("hi")), "notes"),
        (lambda p: p.macros.update(a="1"), "macros"),
        (lambda p: setattr(p, "seed", 6), "seed"),
        (lambda p: p.disconnect("Weigh", "examples"), "connections"),
        (lambda p: p.add(load), "operators"),
    ],
)
def test_differences_are_told_in_words(process, change, words):
    other = process.clone()
    change(other)
    assert any(text.startswith(words) for text in process.differences(other))


def test_numbers_and_their_text_are_the_same_setting(process):
    node = process.add(vote, process["Load"], weight=0.5)
    other = process.clone()
    other[node.name].parameters["weight"] = "0.5"
    assert process == other


def test_any_number_of_inner_processes(process):
    node = process.add(vote, process["Load"])
    node.add_inner()
    assert [inner.name for inner in node.subprocesses] == ["Learners 1", "Learners 2"]
    assert node.inner("Learners 2").sinks[0].name == "model"
    with pytest.raises(UsageError, match='no inner process "Learners 3"'):
        node.inner("Learners 3")


def test_fixed_inner_processes_cannot_be_added_to(process):
    node = process.add(loop, process["Load"])
    with pytest.raises(UsageError, match="cannot have more inner processes"):
        node.add_inner()


def test_placeholder_takes_any_connection(process):
    unknown = process.add(placeholder("weka:cfs"))
    process.connect(process["Load"]["examples"], unknown, "anything")
    process.connect(unknown["whatever"], SINK, "result 9")
    assert process.incoming(SINK)["result 9"] == ("weka:cfs", "whatever")


def test_source_of_the_root_is_numbered(process):
    assert process.source().port == "input 1"
    assert process.source("input 3").node == SOURCE
    with pytest.raises(PortError, match='no port "input"'):
        process.source("input")


def test_all_inputs_of_an_inner_process_at_once(process):
    body = process.add(loop, process["Load"]).inner()
    assert body.inputs() == (body.source("examples"),)


def test_ports_sort_by_number():
    assert sorted(["r 10", "r 2", "a"], key=port_order) == ["a", "r 2", "r 10"]


def test_connection_reads_like_an_arrow():
    assert str(Connection(SOURCE, "input 1", SINK, "result 1")) == "input 1 → result 1"


def test_failed_addition_leaves_the_process_as_it_was(process):
    gone = process.add(load, name="Gone")
    process.remove("Gone")
    before = process.clone()
    with pytest.raises(UsageError, match='no operator "Gone"'):
        process.add(weigh, gone)
    assert process == before


def test_a_collection_feeds_a_port_of_many_one_by_one():
    from fsops.operators import average, collect, select_top_k

    process = Process()
    parts = [AttributeWeights(["a"], [value]) for value in (1.0, 3.0)]
    both = process.add(collect)
    for number in (1, 2):
        process.connect(process.source(f"input {number}"), both, f"input {number}")
    mean = process.add(average)
    process.connect(both, mean, "averagable 1")
    process.result(process.add(select_top_k, mean, k=1))  # weights, as it turns out
    assert run(process, *parts)[0]["a"] == 1.0
