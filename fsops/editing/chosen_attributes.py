"""An operator that keeps, or leaves out, attributes that were chosen by hand in the results."""

from __future__ import annotations

from collections.abc import Sequence

from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, Connection
from fsops.core.operator import Operator
from fsops.editing.layout import free_place, place_node


def use_attributes(
    process: Process,
    spec: Operator,
    source: tuple[str, str],
    names: Sequence[str],
    *,
    leave_out: bool = False,
) -> Node:
    """Add Select Attributes behind a table, with a list of attributes; return the new operator.

    Existing connections do not change: the selection is a branch that ends at a result of
    the process, where there can be one.

    Parameters
    ----------
    process : Process
    spec : Operator
        Select Attributes.
    source : (str, str)
        Operator and port that give the table.
    names : sequence of str
    leave_out : bool
        Whether these attributes are removed, and all others kept.
    """
    before = process.find(source[0])
    level = before.process
    node = level.add(spec)
    place_node(node, free_place(level, before))
    node.parameters |= {"attribute_filter_type": "subset", "attributes": list(names)}
    if leave_out:
        node.parameters["invert_selection"] = True
    level.connect_unchecked(Connection(*source, node.name, spec.inputs[0].name))
    sink = next((port for port in level.sinks if port.many), None)
    if sink is not None:
        end = level.free_port(SINK, sink)
        level.connect_unchecked(Connection(node.name, spec.outputs[0].name, SINK, end))
    return node
