"""The connections of one level of a process."""

import networkx as nx
import pytest
from hypothesis import given, strategies as st

from fsops.core.graph.wiring import SINK, SOURCE, Connection, Wiring

NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def wiring():
    found = Wiring()
    for name in ("a", "b"):
        found.add_node(name)
    found.connect(Connection(SOURCE, "input 1", "a", "examples"))
    found.connect(Connection("a", "weights", "b", "weights"))
    found.connect(Connection("b", "weights", SINK, "result 1"))
    return found


def test_neighbours_are_operators_only(wiring):
    assert wiring.before("a") == set()
    assert wiring.after("a") == {"b"}
    assert wiring.after("b") == set()
    assert wiring.used_outputs("a") == {"weights"}


def test_a_connected_input_port_takes_the_new_source_instead(wiring):
    wiring.connect(Connection(SOURCE, "input 2", "b", "weights"))
    assert wiring.incoming("b") == {"weights": (SOURCE, "input 2")}
    assert wiring.used_outputs("a") == set()


def test_what_is_handed_out_does_not_change_the_wiring(wiring):
    wiring.incoming("b").clear()
    wiring.used_outputs("a").clear()
    assert wiring.incoming("b") == {"weights": ("a", "weights")}


def test_a_new_name_keeps_the_connections(wiring):
    wiring.rename_node("a", "first")
    assert wiring.incoming("b") == {"weights": ("first", "weights")}
    assert wiring.incoming("first") == {"examples": (SOURCE, "input 1")}


def test_an_operator_that_is_removed_takes_its_connections_along(wiring):
    wiring.remove_node("a")
    assert [str(c) for c in wiring] == ["b.weights → result 1"]


edits = st.lists(
    st.tuples(
        st.sampled_from(["connect", "disconnect"]),
        st.sampled_from(NAMES),
        st.sampled_from(["x", "y"]),
        st.sampled_from(NAMES),
        st.sampled_from(["in", "more"]),
    ),
    max_size=30,
)


@given(edits)
def test_it_agrees_with_a_graph_of_networkx(steps):
    wiring, graph = Wiring(), nx.MultiDiGraph()
    graph.add_nodes_from([SOURCE, SINK, *NAMES])
    for name in NAMES:
        wiring.add_node(name)
    for what, start, out, end, into in steps:
        for other, _, key in [*graph.in_edges(end, keys=True)]:
            if key[1] == into:
                graph.remove_edge(other, end, key)
        if what == "connect":
            graph.add_edge(start, end, key=(out, into))
            wiring.connect(Connection(start, out, end, into))
        else:
            wiring.disconnect(end, into)
    found = wiring.graph()
    assert set(found.edges(keys=True)) == set(graph.edges(keys=True))
    for name in NAMES:
        assert wiring.before(name) == set(graph.predecessors(name))
        assert wiring.after(name) == set(graph.successors(name))
