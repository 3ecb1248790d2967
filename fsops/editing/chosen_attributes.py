"""An operator for attributes that were chosen by hand in the results."""

from __future__ import annotations

from collections.abc import Sequence

from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, Connection
from fsops.core.operator import Operator
from fsops.editing.layout import free_place, place_node

FILTER = "attribute_filter_type"
KEEP, LEAVE_OUT, PRIOR = "keep", "leave out", "prior"
"""Uses of chosen attributes."""


def use_attributes(
    process: Process,
    spec: Operator,
    source: tuple[str, str],
    names: Sequence[str],
    *,
    leave_out: bool = False,
) -> Node:
    """Add an operator behind a table, with a list of attributes; return it.

    Existing connections do not change: the selection is a branch that ends at a result of
    the process, where there can be one.

    Parameters
    ----------
    process : Process
    spec : Operator
        Select Attributes, or Prior Knowledge.
    source : (str, str)
        Operator and port that give the table.
    names : sequence of str
    leave_out : bool
        Whether Select Attributes removes these attributes, and keeps all others.
    """
    before = process.find(source[0])
    level = before.process
    node = level.add(spec)
    place_node(node, free_place(level, before))
    node.parameters["attributes"] = list(names)
    if any(parameter.name == FILTER for parameter in spec.parameters):
        node.parameters[FILTER] = "subset"
    if leave_out:
        node.parameters["invert_selection"] = True
    level.connect_unchecked(Connection(*source, node.name, spec.inputs[0].name))
    sink = next((port for port in level.sinks if port.many), None)
    if sink is not None:
        end = level.free_port(SINK, sink)
        level.connect_unchecked(Connection(node.name, spec.outputs[0].name, SINK, end))
    return node
