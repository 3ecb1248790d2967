"""Differences of two processes as a list."""

from fsops.core.graph.process import Process
from fsops.editing.edits import insert_on_wire
from fsops.editing.process_diff import ADDED, CHANGED, REMOVED, names_of, process_diff, wires_of
from fsops.plugins import plugins


def chain():
    registry = plugins().registry
    made = Process("Chain")
    table = made.add(registry["retrieve"], repository_entry="iris")
    made.result(made.add(registry["normalize"], table))
    return made


def nested():
    made = chain()
    registry = plugins().registry
    outer = made.add(registry["cross_validation"], made["Retrieve"])
    outer.subprocesses[0].add(registry["naive_bayes"])
    return made


def test_equal_processes_have_no_differences():
    assert process_diff(chain(), chain()) == []


def test_an_inserted_operator_is_added_with_its_wires():
    before, after = chain(), chain()
    insert_on_wire(after, plugins().registry["replace_missing_values"], after.connections[0])
    found = process_diff(before, after)
    assert names_of(found, after=True) == {"Replace Missing Values": ADDED}
    assert names_of(found, after=False) == {}
    assert list(wires_of(found, after=False)) == before.connections[:1]
    assert set(wires_of(found, after=True)) == set(after.connections) - set(before.connections)


def test_the_other_way_round_it_is_removed():
    before, after = chain(), chain()
    before.add(plugins().registry["sort"], before["Retrieve"])
    found = process_diff(before, after)
    assert names_of(found, after=False) == {"Sort": REMOVED}
    assert [one.text for one in found if one.wire is None] == ["Sort: Sort"]


def test_parameters_names_and_settings_are_changes():
    before, after = chain(), chain()
    after["Normalize"].set_parameter("method", "range_transformation")
    after.rename("Retrieve", "Data")
    after.seed = 7
    found = process_diff(before, after)
    assert names_of(found, after=True) == {"Data": CHANGED, "Normalize": CHANGED}
    assert names_of(found, after=False) == {"Retrieve": CHANGED, "Normalize": CHANGED}
    texts = [one.text for one in found]
    assert "Retrieve is now called Data" in texts
    assert any(text.startswith("method of Normalize") for text in texts)
    assert any(text.startswith("Random seed") for text in texts)
    assert wires_of(found, after=True) == wires_of(found, after=False) == {}


def test_differences_inside_know_their_level():
    before, after = nested(), nested()
    inner = after["Cross Validation"].subprocesses[0]
    inner.connect(inner.source(), "Naive Bayes", "examples")
    [one] = process_diff(before, after)
    assert (one.kind, one.owner_after) == (ADDED, "Cross Validation")
