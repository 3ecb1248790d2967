"""How one level of a process is executed, worked out once from its graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fsops.core.graph.process import Node

Start = tuple[str, str]
"""A node and its output port."""


@dataclass(frozen=True)
class ScheduledOperator:
    """One operator of a level."""

    node: Node
    inputs: Mapping[str, Start]
    """By input port, in the order of the ports: where its value comes from."""
    used: frozenset[str]
    """The output ports that feed something."""
    parameters: Mapping[str, Any]
    """The parameters that are set, under their own names instead of aliases."""


@dataclass(frozen=True)
class Schedule:
    """The operators of a level in the order of their execution.

    A loop runs an inner process many times. The graph cannot change meanwhile, so it is asked once.
    """

    steps: Sequence[ScheduledOperator]
    results: Mapping[str, Start]
    """By sink: where its value comes from."""
    readers: Mapping[Start, int]
    """How many inputs read each output: a value is dropped after the last of them."""
