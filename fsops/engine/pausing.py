"""Stopping at breakpoints, and at the next operator where that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fsops.core.frame.events import Listener, Paused, Resumed
from fsops.core.graph.process import Node

Pause = Callable[[Node, str, Mapping[str, Any]], object]
"""Called at a breakpoint with the node, "before" or "after", and the values at its ports.

If it returns True the run stops at the next operator as well. To end the run it raises `Cancelled`.
"""


@dataclass
class Pausing:
    """Decides where a run stops, and reports it."""

    pause: Pause
    emit: Listener
    prepare: Callable[[], None]
    """Called before a pause is reported, so that the results so far can be viewed."""
    stepping: bool = False

    def __call__(self, node: Node, moment: str, values: Mapping[str, Any]) -> bool:
        """Stop here if there is a breakpoint, or if the last stop asked for the next operator.

        Returns whether the run should stop at the next operator.
        """
        stepped = self.stepping and moment == "before"
        if not stepped and moment not in node.breakpoints:
            return self.stepping
        self.stepping = False
        self.prepare()
        self.emit(Paused(node.path, moment))
        self.stepping = self.pause(node, moment, values) is True
        self.emit(Resumed(node.path))
        return self.stepping
