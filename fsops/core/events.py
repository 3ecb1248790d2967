"""What a run tells its listeners: the progress display, the designer, a log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]


@dataclass(frozen=True)
class Event:
    """Something happened in the operator at ``path``."""

    path: Path


@dataclass(frozen=True)
class Started(Event):
    """The operator begins."""


@dataclass(frozen=True)
class Progressed(Event):
    """The operator has done a part of its work."""

    done: int
    total: int | None
    label: str


@dataclass(frozen=True)
class Finished(Event):
    """The operator is done; ``peak_memory`` is the process's peak in bytes meanwhile, if known."""

    seconds: float
    peak_memory: int | None


@dataclass(frozen=True)
class Failed(Event):
    """The operator stopped with an error."""

    error: Exception


@dataclass(frozen=True)
class Logged(Event):
    """The operator has something to say: a warning, or a value worth keeping."""

    name: str
    value: Any


Listener = Callable[[Event], None]
