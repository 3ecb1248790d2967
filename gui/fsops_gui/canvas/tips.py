"""What is told about a spot of the canvas: no Qt here."""

from __future__ import annotations

from html import escape

from fsops.core.propagation import Propagated
from fsops.core.wiring import SOURCE, Connection
from fsops.data import ExampleSetMetaData, MetaData
from fsops_gui.connecting import End, ShownPort
from fsops_gui.texts import tr

ATTRIBUTES = 12
"""How many attributes a tip lists."""


def metadata_at(known: Propagated, end: End, wires: list[Connection]) -> MetaData | None:
    """Return what is known about a port before the run."""
    if end.outgoing and end.node != SOURCE:
        return known.outputs.get(end.node, {}).get(end.port)
    if not end.outgoing:
        wire = next((w for w in wires if (w.to_node, w.to_port) == (end.node, end.port)), None)
        if wire is not None and wire.from_node != SOURCE:
            return known.outputs.get(wire.from_node, {}).get(wire.from_port)
        return known.inputs.get(end.node, {}).get(end.port)
    wire = next((w for w in wires if (w.from_node, w.from_port) == (end.node, end.port)), None)
    return known.inputs.get(wire.to_node, {}).get(wire.to_port) if wire else None


def port_tip(end: End, port: ShownPort, meta: MetaData | None) -> str:
    """Return what a port is, and what will come through it, as HTML."""
    side = tr("Output") if end.outgoing else tr("Input")
    lines = [f"<b>{escape(side)} {escape(end.port)}</b>", escape(port.declared.describe())]
    if not end.outgoing and not port.declared.optional:
        lines.append(escape(tr("It must be connected.")))
    if isinstance(meta, ExampleSetMetaData):
        lines.append(_table_tip(meta))
    return "<br>".join(lines)


def _table_tip(meta: ExampleSetMetaData) -> str:
    rows = tr("rows not known yet") if meta.rows is None else tr("{n} rows", n=meta.rows)
    if meta.schema is None:
        return escape(tr("Attributes are not known yet, {rows}.", rows=rows))
    count = tr("{n} attributes, {rows}", n=len(meta.schema), rows=rows)
    cells = [
        f"<tr><td>{escape(a.name)}&nbsp;</td><td>{escape(str(a.value_type))}&nbsp;</td>"
        f"<td>{escape(str(a.role))}</td></tr>"
        for a in list(meta.schema)[:ATTRIBUTES]
    ]
    more = len(meta.schema) - len(cells)
    rest = f"<br>{escape(tr('and {n} more', n=more))}" if more > 0 else ""
    return f"{escape(count)}<table>{''.join(cells)}</table>{rest}"
