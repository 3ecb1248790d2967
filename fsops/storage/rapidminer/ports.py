"""Ports that have another name in RapidMiner than here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from fsops.core.declare.ports import port_order

Names = Mapping[str, str | tuple[str, int]]


@dataclass(frozen=True)
class PortNames:
    """Our names by RapidMiner's, for the four places where a port can be named.

    A name with a number ("result 2") is looked up as it is, then without the number, which it
    keeps. A tuple adds to the number: ``("output", 1)`` makes "output 3" of "result 2".
    """

    inputs: Names = field(default_factory=dict)
    outputs: Names = field(default_factory=dict)
    sources: Names = field(default_factory=dict)
    """Inside: ports that inner processes start from."""
    sinks: Names = field(default_factory=dict)
    """Inside: ports that inner processes lead to."""


NO_PORTS = PortNames()


def our_name(port: str, names: Names) -> str:
    """Return our name of a port; the same if it has no other."""
    base, number = port_order(port)
    ours = names.get(port)
    if isinstance(ours, str):
        return ours
    ours = ours or names.get(base)
    if ours is None:
        return port
    name, shift = (ours, 0) if isinstance(ours, str) else ours
    return f"{name} {number + shift}" if number or shift else name


def rename_ports(element: etree._Element, ports: PortNames) -> None:
    """Rename the ports of an operator in the connections around it and inside it."""
    name, level = element.get("name"), element.getparent()
    if ports is NO_PORTS or level is None:
        return
    for connection in level.iterchildren("connect"):
        if connection.get("from_op") == name:
            _rename(connection, "from_port", ports.outputs)
        if connection.get("to_op") == name:
            _rename(connection, "to_port", ports.inputs)
    for process in element.iterchildren("process"):
        for connection in process.iterchildren("connect"):
            if connection.get("from_op") is None:
                _rename(connection, "from_port", ports.sources)
            if connection.get("to_op") is None:
                _rename(connection, "to_port", ports.sinks)


def _rename(connection: etree._Element, end: str, names: Names) -> None:
    port = connection.get(end)
    if port is not None:
        connection.set(end, our_name(port, names))
