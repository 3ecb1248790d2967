"""Copies of processes: equal, and nothing that can change is shared."""

import pytest

from fsops.core.graph.process import Node, Note, Process
from fsops.core.graph.wiring import SINK, Connection
from fsops.core.operator import placeholder
from fsops.plugins import plugins
from fsops.storage import read_process


@pytest.fixture
def process():
    registry = plugins().registry
    made = Process("P", macros={"a": "1"})
    table = made.add(registry["retrieve"], repository_entry="iris")
    box = made.add(registry["subprocess"], table)
    inside = box.subprocesses[0]
    scaled = inside.add(registry["normalize"], inside.source("input 1"))
    inside.result(scaled)
    made.result(box)
    table.position = {"x": 1, "y": 2}
    table.note = Note("why", {"color": "blue"})
    table.extras = {"kept": [["deep"]]}
    scaled.parameters["list"] = [["a", "b"], ["c", "d"]]
    made.notes.append(Note("free", {"x": "1"}))
    made.description = Note("about")
    return made


CHANGES = {
    "position": lambda p: p["Retrieve"].position.update(x=9),
    "note": lambda p: p["Retrieve"].note.layout.update(color="red"),
    "extras": lambda p: p["Retrieve"].extras["kept"][0].append("more"),
    "parameter": lambda p: p["Retrieve"].parameters.update(repository_entry="sonar"),
    "nested value": lambda p: p.find("Normalize").parameters["list"][0].append("e"),
    "macros": lambda p: p.macros.update(a="2"),
    "notes": lambda p: p.notes[0].layout.update(x="2"),
    "description": lambda p: setattr(p.description, "text", "else"),
    "connection": lambda p: p.disconnect(SINK, "result 1"),
    "inner connection": lambda p: p["Subprocess"].subprocesses[0].disconnect(SINK, "output 1"),
    "inner operator": lambda p: p["Subprocess"].subprocesses[0].remove("Normalize"),
    "enabled": lambda p: setattr(p.find("Normalize"), "enabled", False),
    "true is not 1": lambda p: p["Retrieve"].parameters.update(number=True),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_of_a_copy_is_seen_and_does_not_reach_the_original(process, what):
    process["Retrieve"].parameters["number"] = 1
    untouched, copy = process.clone(), process.clone()
    assert copy == process
    assert process.differences(copy) == []
    CHANGES[what](copy)
    assert copy != process
    assert process.differences(copy) != []
    assert process == untouched


def test_inner_processes_of_a_copy_belong_to_the_copy(process):
    copy = process.clone()
    for node in copy.walk():
        assert node.process.root is copy
        assert all(inner.owner is node for inner in node.subprocesses)
    inner = process["Subprocess"].subprocesses[0].clone()
    assert inner.owner is None
    assert inner["Normalize"].process is inner


def test_every_ready_process_equals_its_copy(request):
    for path in sorted((request.config.rootpath / "processes").glob("*.xml"))[:12]:
        process = read_process(path)
        assert process.clone() == process
        assert process.clone().folder == process.folder


def test_connections_are_equal_whatever_the_order_they_were_made_in():
    links = [Connection("a", "out", "b", "in 1"), Connection("a", "out", "b", "in 2")]
    one, two = Process(), Process()
    for process, order in ((one, links), (two, links[::-1])):
        for name in ("a", "b"):
            process.insert(Node(name, placeholder(name), process))
        for link in order:
            process.connect_unchecked(link)
    assert one.same_connections(two)
    assert one.clone().same_connections(one)
    two.disconnect("b", "in 2")
    assert not one.same_connections(two)
