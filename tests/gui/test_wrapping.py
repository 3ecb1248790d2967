"""Wrapping operators into an operator with an inner process, and taking them out again."""

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from fsops.core.checks.validation import validate
from fsops.core.graph.process import Process
from fsops.errors import PortError, UsageError
from fsops_gui.document import ROOT, Document, Level

Key, Held = Qt.Key, Qt.KeyboardModifier
TRAINING = Level("Cross Validation", 0)


def wires(document, level=ROOT):
    return [str(wire) for wire in document.level(level).connections]


def test_wires_are_made_anew_through_the_inner_ports(chain, registry):
    name = chain.wrap(ROOT, ["Normalize", "Weight by SAM"], registry["subprocess"])
    assert wires(chain) == [
        "Retrieve.examples → Subprocess.input 1",
        "Subprocess.output 1 → result 1",
    ]
    assert wires(chain, Level(name, 0)) == [
        "input 1 → Normalize.examples",
        "Normalize.examples → Weight by SAM.examples",
        "Weight by SAM.weights → output 1",
    ]
    assert [p for p in validate(chain.process, registry) if p.severity == "error"] == []


def test_unwrapping_gives_back_what_was_wrapped_places_too(chain, registry):
    before = chain.process
    name = chain.wrap(ROOT, ["Normalize", "Weight by SAM"], registry["subprocess"])
    assert chain.unwrap(name) == ["Normalize", "Weight by SAM"]
    assert chain.process.differences(before) == []


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
    document = Document(process)
    before = document.process
    chosen = data.draw(st.sets(st.sampled_from([n.name for n in nodes]), min_size=1))
    graph = before.graph
    detour = any(
        name not in chosen and chosen & nx.ancestors(graph, name) and chosen & nx.descendants(graph, name)
        for name in (node.name for node in before)
    )  # fmt: skip
    if detour:
        with pytest.raises(UsageError, match="between the selected operators"):
            document.wrap(ROOT, sorted(chosen), registry["subprocess"])
        return
    name = document.wrap(ROOT, sorted(chosen), registry["subprocess"])
    assert document.process.cycle() == []
    document.unwrap(name)
    assert set(document.process.connections) == set(before.connections)
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert document.process == before


def test_one_result_that_feeds_several_operators_takes_one_port(registry):
    process = Process()
    table = process.add(registry["retrieve"])
    first = process.add(registry["normalize"], table)
    second = process.add(registry["normalize"], table)
    process.result(first)
    process.result(second)
    document = Document(process)
    document.wrap(ROOT, [first.name, second.name], registry["subprocess"])
    assert wires(document)[0] == "Retrieve.examples → Subprocess.input 1"
    assert len(wires(document)) == 3


def test_a_way_that_leads_out_and_in_again_is_refused_in_words(chain, registry):
    with pytest.raises(UsageError, match='"Normalize" stands between the selected operators'):
        chain.wrap(ROOT, ["Retrieve", "Weight by SAM"], registry["subprocess"])
    assert chain.undo_stack.count() == 0


def test_what_has_no_port_to_come_in_is_refused_in_words(chain, registry):
    chain.add(ROOT, registry["select_by_weights"], after="Weight by SAM")
    with pytest.raises(PortError, match='no port through which "weights" of "Weight by SAM" could'):
        chain.wrap(ROOT, ["Select by Weights"], registry["cross_validation"])


def test_a_learner_is_wrapped_into_the_training_of_a_validation(chain, registry):
    chain.remove(ROOT, ["Weight by SAM"])
    chain.add(ROOT, registry["naive_bayes"])
    name = chain.wrap(ROOT, ["Naive Bayes"], registry["cross_validation"])
    assert "Normalize.examples → Cross Validation.examples" in wires(chain)
    assert wires(chain, Level(name, 0))[0] == "training_set → Naive Bayes.examples"


def test_loops_whose_ports_are_called_otherwise_inside_are_unwrapped_too(quickstart, registry):
    before = quickstart.process
    name = quickstart.wrap(ROOT, ["Cross Validation"], registry["loop_parameters"])
    assert "Loop Parameters.output 1 → result 1" in wires(quickstart)
    assert "Cross Validation.performance → result 1" in wires(quickstart, Level(name, 0))
    quickstart.unwrap(name)
    assert set(quickstart.process.connections) == set(before.connections)


def test_a_loop_around_a_validation_gets_its_performance(quickstart, registry):
    name = quickstart.wrap(ROOT, ["Cross Validation"], registry["loop_parameters"])
    inside = wires(quickstart, Level(name, 0))
    assert "input 1 → Cross Validation.examples" in inside
    assert "Cross Validation.performance → performance" in inside


def test_an_optimisation_around_a_validation_hands_its_results_on(quickstart, registry):
    name = quickstart.wrap(ROOT, ["Cross Validation"], registry["optimize_parameters_grid"])
    assert f"{name}.performance → result 1" in wires(quickstart)
    assert "Cross Validation.performance → performance" in wires(quickstart, Level(name, 0))


def test_only_one_inner_process_can_be_unwrapped(quickstart):
    with pytest.raises(UsageError, match="Cross Validation has several inner processes"):
        quickstart.unwrap("Cross Validation")
    with pytest.raises(UsageError, match="Retrieve has no inner process"):
        quickstart.unwrap("Retrieve")


def test_what_comes_out_does_not_stand_upon_others(chain, registry):
    name = chain.wrap(ROOT, ["Retrieve", "Normalize"], registry["subprocess"])
    x = chain.process[name].position["x"]
    chain.move(ROOT, {"Weight by SAM": (x + 134, chain.process[name].position["y"])})
    chain.unwrap(name)
    places = [(n.position["x"], n.position["y"]) for n in chain.process]
    assert len(set(places)) == len(places)
    assert chain.process["Weight by SAM"].position["x"] > chain.process["Normalize"].position["x"]


def test_keys_wrap_and_unwrap_the_selection(window_of, chain, hand):
    window = window_of(chain)
    scene, view = window.session.editor.scene, window.session.editor.view
    view.fit()
    hand.click(window, hand.middle(window, "Normalize"))
    hand.click(window, hand.middle(window, "Weight by SAM"), Held.ControlModifier)
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier)
    assert scene.selected_names() == ["Subprocess"]
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier | Held.ShiftModifier)
    assert sorted(scene.selected_names()) == ["Normalize", "Weight by SAM"]
    window.editing.undo()
    window.editing.undo()
    assert chain.undo_stack.index() == 0


def test_any_operator_with_an_inner_process_can_be_searched_for(window_of, chain, qtbot):
    window = window_of(chain)
    scene, view = window.session.editor.scene, window.session.editor.view
    scene.select(["Weight by SAM"])
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier | Held.AltModifier)
    titles = {view.quick_add.found.item(i).text() for i in range(view.quick_add.found.count())}
    assert "Loop" in titles
    assert "Normalize" not in titles
    qtbot.keyClicks(view.quick_add.field, "loop and average")
    qtbot.keyClick(view.quick_add.field, Key.Key_Escape)
    view.adding.begin_wrapping()
    view.quick_add.field.setText("loop")
    row = next(i for i in range(view.quick_add.found.count()) if view.quick_add.found.item(i).text() == "Loop")  # fmt: skip
    view.quick_add.found.setCurrentRow(row)
    qtbot.keyClick(view.quick_add.field, Key.Key_Return)
    assert "Normalize.examples → Loop.input 1" in wires(chain)


def test_why_nothing_was_wrapped_is_said(window_of, chain):
    window = window_of(chain)
    window.session.editor.scene.select(["Retrieve", "Weight by SAM"])
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier)
    assert '"Normalize" stands between' in window.statusBar().currentMessage()
    window.session.editor.scene.select([])
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier)
    assert "Select the operators" in window.statusBar().currentMessage()
