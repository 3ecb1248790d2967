"""The results that are finished while a run still goes on, or after it was stopped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsops.core.declare.ports import port_order
from fsops.core.frame.events import Path
from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK
from fsops.runs.execution import DeliveredResult


class FinishedResults:
    """Notes the outputs of operators that are results of the process; an observer of a run."""

    def __init__(self, process: Process) -> None:
        fed = process.incoming(SINK)
        self._sources = [fed[sink] for sink in sorted(fed, key=port_order)]
        self._values: dict[tuple[str, str], Any] = {}

    def __call__(self, path: Path, outputs: Mapping[str, Any]) -> None:
        """Note the outputs of an operator that has ended."""
        if len(path) != 1:
            return
        for node, port in self._sources:
            if node == path[0] and outputs.get(port) is not None:
                self._values[node, port] = outputs[port]

    def __len__(self) -> int:
        return len(self._values)

    def delivered(self) -> list[DeliveredResult]:
        """Return the finished results in the order of the result ports."""
        return [
            DeliveredResult(((node,), port), self._values[node, port])
            for node, port in self._sources
            if (node, port) in self._values
        ]
