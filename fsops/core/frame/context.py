"""What a running operator may ask for: random numbers, progress, parallel work, cancellation."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from fsops.core.declare.ports import port_order
from fsops.core.frame.engine import Turn
from fsops.core.frame.events import Event, Listener, Logged, Progressed
from fsops.core.frame.state import Changes, RunState, current_state, in_state
from fsops.errors import OperatorWarning

DEFAULT_SEED = 2001
WARNING = "warning"

Key = tuple[str | int, ...]
Item = TypeVar("Item")
Value = TypeVar("Value")


@dataclass
class _Iteration:
    """Which turn of the operator's loops is running, and what was done in it so far."""

    place: tuple[int, ...] = ()
    """Numbers of the turns of all loops around."""
    chance: tuple[int, ...] = ()
    """The same, for random numbers: paired turns share them."""
    calls: dict[str, int] = field(default_factory=dict)
    """How often each inner process ran."""
    loops: int = 0
    """How many loops were started."""


@dataclass(frozen=True)
class Call:
    """One run of an inner process."""

    key: Key
    """Names its random numbers."""
    place: Key
    """Where it is among all runs of the operator's inner processes."""


_ITERATION: ContextVar[_Iteration | None] = ContextVar("fsops_iteration", default=None)


@contextmanager
def iteration(place: tuple[int, ...] = (), chance: tuple[int, ...] = ()) -> Iterator[None]:
    """Mark what runs inside as one turn of a loop; ``()`` starts afresh for an inner operator."""
    token = _ITERATION.set(_Iteration(place, chance))
    try:
        yield
    finally:
        _ITERATION.reset(token)


def make_turns(items: Sequence[Any], *, paired: bool) -> list[Turn]:
    """Return the turns of a loop that starts here."""
    running = _ITERATION.get() or _Iteration()
    number, running.loops = running.loops, running.loops + 1
    return [
        Turn(
            index,
            item,
            (*running.place, number, index),
            (*running.chance, 0 if paired else index),
        )
        for index, item in enumerate(items)
    ]


def run_turn(
    function: Callable[[Item], Value], turn: Turn, state: RunState
) -> tuple[Value, Changes]:
    """Do one turn of a loop, wherever that may be; return its result and what it changed."""
    with iteration(turn.place, turn.chance), in_state(state.copy()) as own:
        value = function(turn.item)
        return value, own.changes_since(state)


def seed_sequence(seed: int, key: Key) -> np.random.SeedSequence:
    """Return the seed of a place in the process.

    It depends on names and iteration numbers only, never on order or timing, so adding a step
    or running in parallel changes nobody else's random numbers.
    """
    digest = hashlib.blake2b(json.dumps(key).encode(), digest_size=16).digest()
    return np.random.SeedSequence(seed, spawn_key=tuple(np.frombuffer(digest, "<u4").tolist()))


class Services:
    """What a run offers to its operators; these defaults serve a call from plain Python."""

    memory_limit: int | None = None
    """Bytes of memory that tables read in blocks keep to; None for no limit."""

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener

    def emit(self, event: Event) -> None:
        """Tell the listener, if there is one."""
        if self._listener is not None:
            self._listener(event)
        elif isinstance(event, Logged) and event.name == WARNING:
            # Without a run around it, Python's own way must reach the user.
            warnings.warn(str(event.value), OperatorWarning, stacklevel=2)

    def check_cancelled(self) -> None:
        """Raise ``Cancelled`` if the run is to stop."""

    def one_thread(self) -> AbstractContextManager[None]:
        """Return a block in which linear algebra gives the same bits as in the turns of loops."""
        return nullcontext()

    def map(
        self,
        function: Callable[[Item], Value],
        items: Sequence[Item],
        context: Context,
        label: str,
        paired: bool,
    ) -> list[Value]:
        """Return ``function`` of every item, in order; each item is one iteration."""
        before = current_state().copy()
        turns = make_turns(items, paired=paired)
        found = [run_turn(function, turn, before) for turn in context.progress(turns, label)]
        for _, changes in found:
            current_state().absorb(changes)
        return [value for value, _ in found]


class Context:
    """Injected into an operator that declares ``ctx: Context``.

    Parameters
    ----------
    seed : int
        The seed of the whole process.
    path : sequence of str
        Names of the operators from the outermost to this one.
    key : tuple, optional
        The path with the iteration numbers of the loops around it; names the random stream.
    services : Services
        Where events go and how loops are run.
    wanted : collection of str, optional
        The outputs that are connected; all, if not given.
    """

    def __init__(
        self,
        seed: int = DEFAULT_SEED,
        path: Sequence[str] = (),
        key: Key | None = None,
        services: Services | None = None,
        wanted: Collection[str] | None = None,
    ) -> None:
        self.seed = seed
        self.path = tuple(path)
        self.key: Key = self.path if key is None else key
        self.services = services or Services()
        self.wanted = wanted
        self.result_key: str | None = None
        """Names what the operator will deliver, for a store of results; None if not to be kept."""

    def child(self, path: Sequence[str], key: Key, wanted: Collection[str] | None) -> Context:
        """Return the context of an operator further inside."""
        return Context(self.seed, path, key, self.services, wanted)

    def reseeded(self, seed: int) -> Context:
        """Return a context whose random numbers depend on this seed only, not on the place."""
        context = Context(seed, self.path, (), self.services, self.wanted)
        context.result_key = self.result_key
        return context

    def wants(self, port: str) -> bool:
        """Return whether anyone will use an output; what nobody wants need not be computed."""
        return self.wanted is None or port in self.wanted

    def highest_wanted(self, port: str) -> int:
        """Return the highest number that is connected of an output of many; 0 if none is known."""
        numbers = [port_order(name) for name in self.wanted or ()]
        return max((number for base, number in numbers if base == port), default=0)

    def current_key(self) -> Key:
        """Return the key including the turn of the loop that is running."""
        running = _ITERATION.get()
        return self.key if running is None else self.key + running.chance

    def next_call(self, inner: str) -> Call:
        """Return the place of the next run of an inner process in this turn of the loop."""
        running = _ITERATION.get() or _Iteration()
        number = running.calls.get(inner, 0)
        running.calls[inner] = number + 1
        return Call((*self.key, *running.chance, inner, number), (*running.place, inner, number))

    def rng(self, *key: str | int) -> np.random.Generator:
        """Return a random generator of this operator; another key gives an independent one."""
        return np.random.default_rng(seed_sequence(self.seed, (*self.current_key(), "rng", *key)))

    def progress(self, items: Iterable[Item], label: str = "") -> Iterator[Item]:
        """Loop over items, telling the listener how far it is; also where a run can be stopped."""
        total = len(items) if isinstance(items, Sequence) else None
        done = 0
        self._tell(done, total, label)
        for item in items:
            self.services.check_cancelled()
            yield item
            done += 1
            self._tell(done, total, label)

    def _tell(self, done: int, total: int | None, label: str) -> None:
        self.services.emit(Progressed(self.path, done, total, label))

    def map(
        self,
        function: Callable[[Item], Value],
        items: Iterable[Item],
        label: str = "",
        *,
        paired: bool = False,
    ) -> list[Value]:
        """Return ``function`` of every item, in order, run by the engine of the process.

        With ``paired`` every turn sees the same random numbers, such as the same folds, so that
        results differ because the items do.
        """
        return self.services.map(function, list(items), self, label, paired)

    def check_cancelled(self) -> None:
        """Raise ``Cancelled`` if the run is to stop; `progress` and `map` do so by themselves."""
        self.services.check_cancelled()

    @property
    def memory_limit(self) -> int | None:
        """Bytes of memory that tables read in blocks keep to; None for no limit."""
        return self.services.memory_limit

    @property
    def state(self) -> RunState:
        """What the run keeps between operators: macros, remembered results, log rows."""
        return current_state()

    @contextmanager
    def macro(self, name: str, value: str) -> Iterator[None]:
        """Let inner processes that run inside see a macro, such as the number of the turn."""
        macros = self.state.macros
        before = macros.get(name)
        macros[name] = value
        try:
            yield
        finally:
            macros.pop(name)
            if before is not None:
                macros[name] = before

    def one_thread(self) -> AbstractContextManager[None]:
        """Return a block for many small steps of linear algebra, where threads wait for each other.

        On a busy machine they take ten times as long as one thread. What the block gives is then
        the same, to the last bit, on a machine with more cores.
        """
        return self.services.one_thread()

    def warn(self, message: str) -> None:
        """Tell the user something that does not stop the run."""
        self.services.emit(Logged(self.path, WARNING, message))

    def log(self, name: str, value: float | str) -> None:
        """Keep a value for the log."""
        self.services.emit(Logged(self.path, name, value))
