"""Tips for places of the canvas: no Qt here."""

from __future__ import annotations

from html import escape
from typing import Protocol

from fsops.core.checks.propagation import Propagated
from fsops.core.declare.roles import Role
from fsops.core.graph.wiring import SOURCE, Connection
from fsops.data import ExampleSetMetaData, MetaData, ModelMetaData, Schema, WeightsMetaData
from fsops.data.schema import Attribute
from fsops.editing.connections import End, ShownPort
from fsops.errors import enumerate_names
from fsops_gui.base.texts import tr

ATTRIBUTES = 12
"""How many attributes a tip lists."""
FEW = 3


class PortSummary(Protocol):
    """The last value at a port."""

    @property
    def summary(self) -> str:
        """One line for people."""


def metadata_at(known: Propagated, end: End, wires: list[Connection]) -> MetaData | None:
    """Return the metadata of a port before the run."""
    if end.outgoing and end.node != SOURCE:
        return known.outputs.get(end.node, {}).get(end.port)
    if not end.outgoing:
        wire = next((w for w in wires if (w.to_node, w.to_port) == (end.node, end.port)), None)
        if wire is not None and wire.from_node != SOURCE:
            return known.outputs.get(wire.from_node, {}).get(wire.from_port)
        return known.inputs.get(end.node, {}).get(end.port)
    wire = next((w for w in wires if (w.from_node, w.from_port) == (end.node, end.port)), None)
    return known.inputs.get(wire.to_node, {}).get(wire.to_port) if wire else None


def origin(end: End, wires: list[Connection]) -> tuple[str, str] | None:
    """Return the output that feeds a port; None if there is none."""
    if end.outgoing:
        return None if end.node == SOURCE else (end.node, end.port)
    wire = next((w for w in wires if (w.to_node, w.to_port) == (end.node, end.port)), None)
    return None if wire is None or wire.from_node == SOURCE else (wire.from_node, wire.from_port)


def role_text(role: Role) -> str:
    """Return the role of an operator in words."""
    return tr("Role: {role}", role=role.replace("_", " "))


def port_tip(
    end: End,
    port: ShownPort,
    meta: MetaData | None,
    seen: PortSummary | None = None,
    *,
    stale: bool = False,
) -> str:
    """Return the type, the expected value and the last value of a port, as HTML."""
    side = tr("Output") if end.outgoing else tr("Input")
    lines = [f"<b>{escape(side)} {escape(end.port)}</b>", escape(port.declared.describe())]
    if not end.outgoing and not port.declared.optional:
        lines.append(escape(tr("It must be connected.")))
    if seen is not None:
        when = tr("From the last run, changed since") if stale else tr("From the last run")
        lines.append(f"<b>{escape(when)}:</b> {escape(seen.summary)}")
    told = in_words(meta) if meta is not None else ""
    if told:
        lines.append(f"<b>{escape(tr('Expected'))}:</b> {escape(told)}")
    if isinstance(meta, ExampleSetMetaData) and meta.schema is not None:
        lines.append(_attribute_table(meta, meta.schema))
    return "<br>".join(lines)


def in_words(meta: MetaData) -> str:
    """Return the metadata of a result in one line; an empty text if unknown."""
    if isinstance(meta, ExampleSetMetaData):
        return _table_in_words(meta)
    if isinstance(meta, WeightsMetaData) and meta.names is not None:
        return tr("weights of {n} attributes", n=f"{len(meta.names):,}")
    if isinstance(meta, ModelMetaData) and meta.training is not None:
        label = meta.training.label
        words = tr("trained on {n} attributes", n=f"{len(meta.training.regular):,}")
        return words if label is None else f"{words}, {_label_in_words(meta.training)}"
    return ""


def _table_in_words(meta: ExampleSetMetaData) -> str:
    rows = tr("rows not known yet") if meta.rows is None else tr("{n} rows", n=f"{meta.rows:,}")
    if meta.schema is None:
        return tr("{rows}, attributes not known yet", rows=rows)
    words = [rows, tr("{n} attributes", n=f"{len(meta.schema.regular):,}")]
    if meta.schema.label is not None:
        words.append(_label_in_words(meta.schema))
    if meta.missing:
        words.append(
            tr("missing values in {names}", names=enumerate_names(sorted(meta.missing), FEW))
        )
    return ", ".join(words)


def _label_in_words(schema: Schema) -> str:
    label = schema.label
    if label is None:
        return tr("no label")
    if label.value_type.is_nominal:
        return tr("label {name} ({n} classes)", name=label.name, n=len(label.categories))
    return tr("label {name} (a number)", name=label.name)


def _attribute_table(meta: ExampleSetMetaData, schema: Schema) -> str:
    special = [name for name in schema.names if name in schema.roles]
    regular = schema.names_at(schema.regular[:ATTRIBUTES])
    names = [*special, *regular][:ATTRIBUTES]
    cells = [
        f"<tr><td>{escape(_short(a.name))}&nbsp;&nbsp;</td>"
        f"<td>{escape(_type(a, meta))}&nbsp;&nbsp;</td>"
        f"<td>{escape('' if a.is_regular else str(a.role))}</td></tr>"
        for a in map(schema.attribute, names)
    ]
    more = len(schema) - len(cells)
    rest = escape(tr("and {n} more", n=f"{more:,}")) if more > 0 else ""
    return f"<table>{''.join(cells)}</table>{rest}"


def _type(attribute: Attribute, meta: ExampleSetMetaData) -> str:
    """Return the type of an attribute in words."""
    words = str(attribute.value_type)
    if attribute.value_type.is_nominal:
        few = attribute.categories[:FEW]
        more = ", …" if len(attribute.categories) > FEW else ""
        words += f" ({_short(', '.join(few))}{more})"
    return words + (tr(", some missing") if attribute.name in meta.missing else "")


def _short(name: str, most: int = 40) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
