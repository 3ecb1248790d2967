"""Events of a run for its listeners: the progress display, the designer, a log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]
TIES_AT_CUT = "ties at the cut"
"""The kind of caution about equal weights of which only some are kept."""


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
    cached: bool = False
    """Whether nothing was computed, because an earlier run had kept the results."""
    runs: int = 1
    """How many runs this stands for: more than 1 where resamples are computed all at once."""


@dataclass(frozen=True)
class Failed(Event):
    """The operator stopped with an error."""

    error: Exception


@dataclass(frozen=True)
class Logged(Event):
    """The operator has something to say: a warning, or a value worth keeping."""

    name: str
    value: Any


@dataclass(frozen=True)
class Cautioned(Logged):
    """A warning of a kind that has a page: which parameter it is about, and values to try."""

    kind: str = ""
    parameter: str = ""
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class LoggedOnce(Logged):
    """A message about a result that another run need not give: it must not be cached."""


@dataclass(frozen=True)
class Paused(Event):
    """The run waits before or after the operator."""

    moment: str
    """``before`` or ``after``."""


@dataclass(frozen=True)
class Resumed(Event):
    """The run goes on after a pause."""


@dataclass(frozen=True)
class PortKept(Event):
    """The last value of a port can be viewed."""

    port: str
    kind: str
    title: str
    summary: str
    """One line for people."""
    key: str | None
    """Where it is in the store of the run; None if it could not be kept."""


Listener = Callable[[Event], None]
