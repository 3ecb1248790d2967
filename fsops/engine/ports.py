"""The last value of every port of a run, to be viewed afterwards."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsops.core.frame.events import Listener, Path, PortKept
from fsops.core.frame.frame import combined_key
from fsops.data import ExampleSet, FlowObject
from fsops.engine.cache.store import ResultStore
from fsops.report.numbers import counted

LARGE = 2**22
"""Cells from which a table is written at once and let go, where its operator runs only once."""
NARROW = 2000
"""Attributes up to which a table is written as a copy: it may be a view of a far larger one."""


@dataclass
class _Held:
    """A value that came out, until another one comes out of the same port."""

    value: FlowObject | None
    size: int
    """Cells, if it is a table."""
    kept: PortKept | None = None
    reported: bool = False


class PortKeeper:
    """Holds the last value of each port, and writes it to a store when the run ends or pauses."""

    def __init__(self, store: ResultStore) -> None:
        self.store = store
        self._last: dict[tuple[Path, str], _Held] = {}

    def note(self, path: Path, outputs: Mapping[str, Any]) -> None:
        """Take the results of an operator."""
        for port, value in outputs.items():
            if isinstance(value, FlowObject):
                held = self._last[path, port] = _Held(value, _cells(value))
                if len(path) == 1 and held.size >= LARGE:
                    self._keep(path, port, held)

    def write(self, tell: Listener, seconds: float = math.inf) -> None:
        """Write the values that are not written yet, small ones first, and report their files.

        Values not written after ``seconds`` are reported as not cached.
        """
        end = time.monotonic() + seconds
        waiting = [(place, held) for place, held in [*self._last.items()] if not held.reported]
        # Small values first: if the time is too short, most ports are still written.
        for (path, port), held in sorted(waiting, key=lambda item: item[1].size):
            self._keep(path, port, held, in_time=time.monotonic() < end)
            if held.kept is not None:
                tell(held.kept)
            held.reported = True

    def key(self, path: Path, port: str) -> str | None:
        """Return where the last value of a port is in the store; None if it is not there."""
        held = self._last.get((path, port))
        return None if held is None or held.kept is None else held.kept.key

    def has_large(self, path: Path, port: str) -> bool:
        """Return whether the last value of a port is a large table that is in the store."""
        held = self._last.get((path, port))
        return held is not None and held.size >= LARGE and self.key(path, port) is not None

    def _keep(self, path: Path, port: str, held: _Held, *, in_time: bool = True) -> None:
        """Write a value and let it go; from then on it is known by its key."""
        value, held.value = held.value, None
        if value is None:
            return
        key = combined_key("port", path, port)
        is_kept = in_time and self.store.put(key, _lean(value))
        held.kept = PortKept(
            path,
            port,
            type(value).__name__,
            value.title,
            _summary(value),
            key if is_kept else None,
        )


def _summary(value: FlowObject) -> str:
    """Return one line about a value; a fault in a plugin's own words must not cost its results."""
    try:
        return port_summary(value)
    except Exception:  # noqa: BLE001 - whatever a plugin's object does
        return value.title


def port_summary(value: FlowObject) -> str:
    """Return one line about a value, for people."""
    if not isinstance(value, ExampleSet):
        from fsops.report.terminal import content_line  # takes time to load

        return content_line(value)
    parts = [counted(value.n_rows, "row"), counted(len(value.schema.regular), "attribute")]
    label = value.schema.label
    if label is not None:
        classes = f" ({len(label.categories)} classes)" if label.value_type.is_nominal else ""
        parts.append(f"label {label.name}{classes}")
    return ", ".join(parts)


def _cells(value: FlowObject) -> int:
    return value.n_rows * len(value.schema) if isinstance(value, ExampleSet) else 0


def _lean(value: FlowObject) -> FlowObject:
    """Return a small table without the rows and columns that it holds but does not show."""
    if type(value) is not ExampleSet or _cells(value) >= LARGE or len(value.schema) > NARROW:
        return value
    attributes = value.schema.attribute
    columns = ((attributes(name), value.column(name)) for name in value.names)
    return ExampleSet.from_columns(columns, value.n_rows)
