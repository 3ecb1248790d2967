"""What runs the turns of a loop: one after the other, on all cores, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a loop."""

    number: int
    """Its place among the turns of this loop, from 0."""
    item: Any
    place: tuple[int, ...]
    """Its place within the turns of all loops around it."""
    chance: tuple[int, ...]
    """Names its random numbers; the same for all turns of a paired loop."""


@dataclass(frozen=True)
class TurnResult:
    """What a turn came to, wherever it ran."""

    value: Any = None
    error: BaseException | None = None
    changes: Any = None
    """What it changed in the memory of the run."""
    events: list[Any] = field(default_factory=list)


Work = Callable[[Turn], TurnResult]


class Engine(Protocol):
    """Runs turns; opened once for a run, and closed at its end.

    An engine may say with ``workers`` how many turns it runs at the same time. Without it, loops
    inside of short loops are not spread.
    """

    def run(
        self,
        work: Work,
        turns: Sequence[Turn],
        done: Callable[[Turn, TurnResult], None],
        check: Callable[[], None],
    ) -> None:
        """Call ``done`` with the result of each turn, in any order.

        ``check`` must be called a few times a second, by the thread that called this; it raises
        when the run is to stop. A turn with an error lets the turns after it be left out.
        """

    def close(self) -> None:
        """Let go of workers, at once."""


@dataclass(frozen=True)
class EngineSettings:
    """What the user says about an engine."""

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
        """Return what is stored under a key, if anything is."""

    def put(self, key: str, value: Any) -> object:
        """Store a value."""
