"""Operators go into an operator with an inner process, and come out again."""

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from fsops.core.checks.validation import validate
from fsops.core.graph.process import Process
from fsops.editing.edits import add_operator, remove_operators
from fsops.editing.layout import move_operators, place_missing
from fsops.editing.nesting import unwrap, wrap
from fsops.errors import PortError, UsageError


def wires(level):
    return [str(wire) for wire in level.connections]


def test_wires_are_made_anew_through_the_inner_ports(chain, registry):
    box = wrap(chain, ["Normalize", "Weight by SAM"], registry["subprocess"])
    assert wires(chain) == [
        "Retrieve.examples → Subprocess.input 1",
        "Subprocess.output 1 → result 1",
    ]
    assert wires(box.subprocesses[0]) == [
        "input 1 → Normalize.examples",
        "Normalize.examples → Weight by SAM.examples",
        "Weight by SAM.weights → output 1",
    ]
    assert [p for p in validate(chain, registry) if p.severity == "error"] == []


def test_unwrapping_gives_back_what_was_wrapped_places_too(chain, registry):
    before = chain.clone()
    box = wrap(chain, ["Normalize", "Weight by SAM"], registry["subprocess"])
    assert unwrap(chain, box.name) == ["Normalize", "Weight by SAM"]
    assert chain.differences(before) == []


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_unwrapping_is_the_inverse_of_wrapping_for_any_process(registry, data):
    process = Process()
    nodes = [process.add(registry["retrieve"])]
    for _ in range(data.draw(st.integers(1, 7))):
        start = data.draw(st.sampled_from(nodes))
        nodes.append(process.add(registry["normalize"], start))
    for node in data.draw(st.lists(st.sampled_from(nodes), max_size=3)):
        process.result(node)
    place_missing(process)
    before = process.clone()
    chosen = data.draw(st.sets(st.sampled_from([n.name for n in nodes]), min_size=1))
    graph = before.graph
    detour = any(
        name not in chosen and chosen & nx.ancestors(graph, name) and chosen & nx.descendants(graph, name)
        for name in (node.name for node in before)
    )  # fmt: skip
    if detour:
        with pytest.raises(UsageError, match="between the selected operators"):
            wrap(process, sorted(chosen), registry["subprocess"])
        return
    box = wrap(process, sorted(chosen), registry["subprocess"])
    assert process.cycle() == []
    unwrap(process, box.name)
    assert set(process.connections) == set(before.connections)


def test_one_result_that_feeds_several_operators_takes_one_port(registry):
    process = Process()
    table = process.add(registry["retrieve"])
    first = process.add(registry["normalize"], table)
    second = process.add(registry["normalize"], table)
    process.result(first)
    process.result(second)
    wrap(process, [first.name, second.name], registry["subprocess"])
    assert wires(process)[0] == "Retrieve.examples → Subprocess.input 1"
    assert len(wires(process)) == 3


def test_a_way_that_leads_out_and_in_again_is_refused_in_words(chain, registry):
    with pytest.raises(UsageError, match='"Normalize" stands between the selected operators'):
        wrap(chain, ["Retrieve", "Weight by SAM"], registry["subprocess"])


def test_what_has_no_port_to_come_in_is_refused_in_words(chain, registry):
    add_operator(chain, registry["select_by_weights"], after="Weight by SAM")
    with pytest.raises(PortError, match='no port through which "weights" of "Weight by SAM" could'):
        wrap(chain, ["Select by Weights"], registry["cross_validation"])


def test_a_learner_is_wrapped_into_the_training_of_a_validation(chain, registry):
    remove_operators(chain, ["Weight by SAM"])
    add_operator(chain, registry["naive_bayes"])
    box = wrap(chain, ["Naive Bayes"], registry["cross_validation"])
    assert "Normalize.examples → Cross Validation.examples" in wires(chain)
    assert wires(box.subprocesses[0])[0] == "training_set → Naive Bayes.examples"


def test_loops_whose_ports_are_called_otherwise_inside_are_unwrapped_too(quickstart, registry):
    before = quickstart.clone()
    box = wrap(quickstart, ["Cross Validation"], registry["loop_parameters"])
    assert "Loop Parameters.output 1 → result 1" in wires(quickstart)
    assert "Cross Validation.performance → result 1" in wires(box.subprocesses[0])
    unwrap(quickstart, box.name)
    assert set(quickstart.connections) == set(before.connections)


def test_a_loop_around_a_validation_gets_its_performance(quickstart, registry):
    box = wrap(quickstart, ["Cross Validation"], registry["loop_parameters"])
    inside = wires(box.subprocesses[0])
    assert "input 1 → Cross Validation.examples" in inside
    assert "Cross Validation.performance → performance" in inside


def test_an_optimisation_around_a_validation_hands_its_results_on(quickstart, registry):
    box = wrap(quickstart, ["Cross Validation"], registry["optimize_parameters_grid"])
    assert f"{box.name}.performance → result 1" in wires(quickstart)
    assert "Cross Validation.performance → performance" in wires(box.subprocesses[0])


def test_only_one_inner_process_can_be_unwrapped(quickstart):
    with pytest.raises(UsageError, match="Cross Validation has several inner processes"):
        unwrap(quickstart, "Cross Validation")
    with pytest.raises(UsageError, match="Retrieve has no inner process"):
        unwrap(quickstart, "Retrieve")


def test_what_comes_out_does_not_stand_upon_others(chain, registry):
    box = wrap(chain, ["Retrieve", "Normalize"], registry["subprocess"])
    at = box.position
    move_operators(chain, {"Weight by SAM": (at["x"] + 134, at["y"])})
    unwrap(chain, box.name)
    places = [(n.position["x"], n.position["y"]) for n in chain]
    assert len(set(places)) == len(places)
    assert chain["Weight by SAM"].position["x"] > chain["Normalize"].position["x"]
