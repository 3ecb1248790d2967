"""Attributes chosen in the results become an operator."""

from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK
from fsops.editing.chosen_attributes import use_attributes
from fsops.plugins import plugins


def test_the_new_operator_is_a_branch_and_changes_nothing_else():
    registry = plugins().registry
    process = Process("P")
    table = process.add(registry["retrieve"], repository_entry="iris")
    weights = process.add(registry["weight_by_correlation"], table)
    process.result(weights)
    before = set(process.connections)
    node = use_attributes(
        process, registry["select_attributes"], (table.name, "output"), ["a1", "a2"]
    )
    assert before < set(process.connections)
    assert process.incoming(node.name)["examples"] == (table.name, "output")
    assert any(c.from_node == node.name and c.to_node == SINK for c in process.connections)
    assert node.parameters["attributes"] == ["a1", "a2"]
    assert "invert_selection" not in node.parameters
    other = use_attributes(
        process, registry["select_attributes"], (table.name, "output"), ["a1"], leave_out=True
    )
    assert other.parameters["invert_selection"] is True
    assert other.position != node.position
