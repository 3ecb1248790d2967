"""The operators that feed others or are fed by them, directly or through operators between."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fsops.core.graph.process import Process


def upstream(level: Process, names: Iterable[str]) -> set[str]:
    """Return all operators of a level that feed one of these."""
    return _reached(level.wiring.before, names)


def downstream(level: Process, names: Iterable[str]) -> set[str]:
    """Return all operators of a level that one of these feeds."""
    return _reached(level.wiring.after, names)


def _reached(neighbours: Callable[[str], set[str]], names: Iterable[str]) -> set[str]:
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        new = neighbours(waiting.pop()) - reached
        reached |= new
        waiting += new
    return reached
