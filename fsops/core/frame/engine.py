"""Engines run the iterations of a loop: in order, on all cores, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of a loop."""

    number: int
    """Its index among the iterations of this loop, from 0."""
    item: Any
    place: tuple[int, ...]
    """Its index within the iterations of all loops around it."""
    chance: tuple[int, ...]
    """Names its random numbers; the same for all iterations of a paired loop."""


@dataclass(frozen=True)
class IterationResult:
    """The outcome of an iteration, wherever it ran."""

    value: Any = None
    error: BaseException | None = None
    changes: Any = None
    """Its changes to the memory of the run."""
    events: list[Any] = field(default_factory=list)


Work = Callable[[Iteration], IterationResult]


class Engine(Protocol):
    """Runs iterations; opened once for a run, and closed at its end.

    ``workers`` is the number of iterations that an engine runs at the same time. Without it, loops
    inside of short loops are not spread.
    """

    def run(
        self,
        work: Work,
        iterations: Sequence[Iteration],
        done: Callable[[Iteration, IterationResult], None],
        check: Callable[[], None],
    ) -> None:
        """Call ``done`` with the result of each iteration, in any order.

        ``check`` must be called a few times a second, by the thread that called this; it raises
        when the run is to stop. After an iteration with an error, later ones may be skipped.
        """

    def close(self) -> None:
        """Let go of workers, at once."""


@dataclass(frozen=True)
class EngineSettings:
    """The user's settings of an engine."""

    jobs: int | None = None
    """Number of workers; all cores if not given."""
    scheduler: str | None = None
    """Address of a cluster that is running already."""
    tls_ca: str | None = None
    """File with the certificates of the authorities to trust, for an address with ``tls://``."""
    tls_cert: str | None = None
    """File with the certificate of this program."""
    tls_key: str | None = None
    """File with the key of this certificate."""


@dataclass(frozen=True)
class EngineSpec:
    """An engine that can be chosen by its name."""

    name: str
    description: str
    open: Callable[[EngineSettings], Engine]


class Stored(Protocol):
    """A value in a store."""

    @property
    def value(self) -> Any:
        """The value itself."""


class Store(Protocol):
    """Where results are cached, by their keys."""

    def get(self, key: str) -> Stored | None:
        """Return the result stored under a key, if there is one."""

    def put(self, key: str, value: Any) -> object:
        """Store a value."""
