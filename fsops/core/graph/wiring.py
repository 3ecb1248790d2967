"""Connections between the ports of one level of a process."""

from __future__ import annotations

from dataclasses import dataclass

# Reserved names: `Process.unique_name` never returns them for an operator.
SOURCE = "<source>"
SINK = "<sink>"


@dataclass(frozen=True)
class Connection:
    """A result flows from one port to another; `SOURCE` and `SINK` are the edges of the process."""

    from_node: str
    from_port: str
    to_node: str
    to_port: str

    def __str__(self) -> str:
        start = "" if self.from_node == SOURCE else f"{self.from_node}."
        end = "" if self.to_node == SINK else f"{self.to_node}."
        return f"{start}{self.from_port} → {end}{self.to_port}"
