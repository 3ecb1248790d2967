"""The networkx graph of a level is the single truth: whoever changes it changes the process."""

import networkx as nx
import pytest
from hypothesis import given, strategies as st

from fsops import AttributeWeights, ExampleSet, Process, operator, run, validate
from fsops.core.checks.problems import Kind
from fsops.core.checks.propagation import propagate
from fsops.core.graph.process import Node
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.errors import UsageError
from fsops.report.picture import process_svg

NAMES = ["a", "b", "c", "d"]


@operator(group="Test")
def source() -> ExampleSet:
    """Source"""
    return ExampleSet.from_numpy([[1.0, 2.0], [3.0, 5.0]], [0, 1])


@operator(group="Test")
def passed(examples: ExampleSet) -> ExampleSet:
    """Passed"""
    return examples


@operator(group="Test")
def weighed(examples: ExampleSet) -> AttributeWeights:
    """Weighed"""
    return examples.weights(examples.numeric().sum(axis=0))


@pytest.fixture
def level():
    """Return a level with two operators in a row."""
    process = Process()
    a = process.add(weighed, process.source("input 1"), name="a")
    process.add(passed, process.source("input 1"), name="b")
    process.result(a)
    return process


def test_neighbours_are_operators_only():
    process = Process()
    first = process.add(source, name="first")
    second = process.add(passed, first, name="second")
    process.result(second)
    assert process.before("first") == set()
    assert process.after("first") == {"second"}
    assert process.after("second") == set()
    assert process.ancestors("second") == {"first"}
    assert process.descendants("first") == {"second"}
    assert process.used_outputs("first") == {"examples"}


def test_a_connected_input_port_takes_the_new_source_instead(level):
    level.connect_unchecked(Connection(SOURCE, "input 2", "b", "examples"))
    assert level.incoming("b") == {"examples": (SOURCE, "input 2")}
    assert level.graph.in_degree("b") == 1


def test_a_connection_of_an_unknown_operator_is_an_error_and_adds_nothing(level):
    with pytest.raises(UsageError, match='no operator "x"'):
        level.connect_unchecked(Connection("x", "examples", "b", "examples"))
    assert set(level.graph) == {SOURCE, SINK, "a", "b"}


def test_a_new_name_keeps_place_and_connections(level):
    level.rename("a", "first")
    assert level.names == ["first", "b"]
    assert level.incoming("first") == {"examples": (SOURCE, "input 1")}
    assert level.incoming(SINK) == {"result 1": ("first", "weights")}


def test_an_operator_that_is_removed_takes_its_connections_along(level):
    level.remove("a")
    assert [str(c) for c in level.connections] == ["input 1 → b.examples"]


edits = st.lists(
    st.tuples(
        st.sampled_from(["connect", "disconnect", "move", "rename"]),
        st.sampled_from(NAMES),
        st.sampled_from(["x", "y"]),
        st.sampled_from(NAMES),
        st.sampled_from(["in", "more"]),
    ),
    max_size=30,
)


@given(edits)
def test_edits_agree_with_a_plain_list_of_connections(steps):
    process, expected = Process(), {}
    for name in NAMES:
        process.insert(Node(name, passed.operator, process))
    for what, start, out, end, into in steps:
        if what == "connect":
            process.connect_unchecked(Connection(start, out, end, into))
            expected[end, into] = (start, out)
        elif what == "disconnect":
            process.disconnect(end, into)
            expected.pop((end, into), None)
        elif what == "move":
            process.move(start, 0)
        else:  # there and back
            process.rename(start, "renamed")
            process.rename("renamed", start)
    found = {(c.to_node, c.to_port): (c.from_node, c.from_port) for c in process.connections}
    assert found == expected
    assert sorted(process.names) == NAMES


def chain():
    """Return a process in which the order of insertion is not the order of execution."""
    process = Process()
    last = process.add(weighed, name="last")
    middle = process.add(passed, name="middle")
    first = process.add(source, name="first")
    process.connect(first, middle, "examples")
    process.connect(middle, last, "examples")
    process.result(last)
    return process


def executed(process, **options):
    """Return the names of the operators in the order in which they started."""
    names = []
    run(process, listener=lambda e: names.append(e.path[-1]) if is_start(e) else None, **options)
    return names


def is_start(event):
    return type(event).__name__ == "Started"


def test_a_change_by_networkx_itself_changes_order_and_execution():
    process = chain()
    assert executed(process) == ["first", "middle", "last"]
    process.graph.remove_edge("middle", "last")
    process.graph.add_edge("first", "last", key=("examples", "examples"))
    assert executed(process) == ["first", "last", "middle"]
    assert [node.name for node in process.order()] == ["first", "last", "middle"]


def test_a_change_by_networkx_itself_changes_what_until_runs():
    process = chain()
    assert executed(process, until="last") == ["first", "middle", "last"]
    process.graph.remove_edge("middle", "last")
    process.graph.add_edge("first", "last", key=("examples", "examples"))
    assert executed(process, until="last") == ["first", "last"]


def test_a_change_by_networkx_itself_changes_validation_and_metadata():
    process = chain()
    assert validate(process) == []
    process.graph.remove_edge("first", "middle")
    assert Kind.MISSING_INPUT in {problem.kind for problem in validate(process)}
    assert propagate(process).inputs["middle"] == {}
    process.graph.add_edge("last", "middle", key=("weights", "examples"))
    assert Kind.CYCLE in {problem.kind for problem in validate(process)}


def test_a_change_by_networkx_itself_changes_the_drawing():
    process = chain()
    before = process_svg(process)
    process.graph.remove_edge("first", "middle")
    assert process_svg(process) != before
    process.graph.add_edge("first", "middle", key=("examples", "examples"))
    assert process_svg(process) == before


class RecordingGraph(nx.MultiDiGraph):
    """A graph that counts how often it is asked."""

    asked = 0

    def __getattribute__(self, name):
        if name in ("adj", "succ", "pred", "nodes", "edges", "in_edges", "out_edges"):
            RecordingGraph.asked += 1
        return super().__getattribute__(name)


@pytest.fixture
def recorded():
    """Return a process whose graph counts, and a function that returns how often it was asked."""
    process = chain()
    process.graph = RecordingGraph(process.graph)

    def asked(function):
        RecordingGraph.asked = 0
        function()
        return RecordingGraph.asked

    return process, asked


@pytest.mark.parametrize(
    "work",
    [
        run,
        validate,
        propagate,
        process_svg,
        Process.order,
        Process.clone,
        lambda process: run(process, until="middle"),
        lambda process: list(process.walk()),
    ],
    ids=["run", "validate", "propagate", "draw", "order", "undo", "until", "walk"],
)
def test_everything_asks_the_graph(recorded, work):
    process, asked = recorded
    assert asked(lambda: work(process)) > 0
    assert isinstance(process.clone().graph, RecordingGraph)
