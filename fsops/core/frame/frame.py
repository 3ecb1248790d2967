"""The frame: the place of a call in a run. One context variable holds the current one.

Everything that depends on the place of a call comes from its frame: the seed of its random numbers,
the path in messages, macros, relative file names, and the listener. Processes, Python functions and
estimators make their frames here, in the same way, so they give the same results.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fsops.core.frame.events import Event, Logged
from fsops.core.frame.state import RunState

if TYPE_CHECKING:
    from fsops.core.frame.services import Services

# The default of RapidMiner.
DEFAULT_SEED = 2001

Key = tuple[str | int, ...]
Settings = Mapping[str, Mapping[str, Any]]


@dataclass
class LoopPosition:
    """The running iteration of an operator's loops, and its progress so far."""

    place: tuple[int, ...] = ()
    """Numbers of the iterations of all loops of the operator, from the outermost."""
    chance: tuple[int, ...] = ()
    """The same for random numbers: paired iterations share them."""
    inner_runs: dict[str, int] = field(default_factory=dict)
    """How often each inner process has run."""
    loops: int = 0
    """How many loops have started."""


@dataclass
class CallNames:
    """Names of the operators that Python code has called at one place of a run."""

    here: set[str] = field(default_factory=set)
    """At this place. Two calls at the same place have different names."""
    inside: set[str] = field(default_factory=set)
    """The same, with the calls further inside."""

    def unique(self, name: str | None, title: str) -> str:
        """Return the name of a call: the given one, else the title, with a number if taken."""
        # A given name is not changed: the settings of a search refer to it.
        unique, number = name or title, 2
        while name is None and unique in self.here:
            unique, number = f"{title} ({number})", number + 1
        self.here.add(unique)
        self.inside.add(unique)
        return unique


@dataclass(frozen=True)
class Frame:
    """The place of a call in a run.

    The first group of fields belongs to the place in the process. The second belongs to the code
    that is running now. An inner process may be called much later than it was made, in another
    iteration or on another machine. So the second group is not pickled, and `live` renews it.
    """

    services: Services
    seed: int = DEFAULT_SEED
    path: tuple[str, ...] = ()
    """Names from the outermost operator to this place."""
    key: Key = ()
    """The path with the numbers of iterations; it selects the random numbers."""
    folder: Path | None = None
    """Where relative file names start; None for the current folder."""
    settings: Settings = field(default_factory=dict)
    """Parameters that a search sets, by the name of the operator."""
    wanted: Collection[str] | None = None
    """The outputs of the operator that are used; None for all."""
    result_key: str | None = None
    """Key of the operator's results in the cache; None if they are not cached."""
    is_level: bool = False
    """Whether Python calls of operators belong to the run here, as in a function in the place of
    an inner process. In the code of an operator they do not."""
    calls: CallNames = field(default_factory=CallNames)

    state: RunState = field(default_factory=RunState)
    position: LoopPosition = field(default_factory=LoopPosition)
    sink: list[Event] | None = None
    """In a worker: the events so far. They are reported when the iteration is done."""
    records: tuple[list[Logged], ...] = ()
    """Lists that collect the messages, to store them with a cached result."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields of the place only."""
        empty = Frame(self.services)
        now = ("calls", "state", "position", "sink", "records")
        return {**vars(self), **{name: getattr(empty, name) for name in now}}

    def _with(self, **changes: Any) -> Frame:
        """Return the frame with other fields; `dataclasses.replace` takes three times as long."""
        frame = object.__new__(Frame)
        frame.__dict__.update(self.__dict__)
        frame.__dict__.update(changes)
        return frame

    def live(self) -> Frame:
        """Return this place with the memory and the events of the code that is running now."""
        now = _CURRENT.get()
        if now is None or now is self:
            return self
        if now.state is self.state and now.sink is self.sink and now.records is self.records:
            return self  # a copy for each call of an operator takes longer than this look
        # The position is not taken over: each operator counts its own loops.
        return self._with(state=now.state, sink=now.sink, records=now.records)

    def operator(self, name: str, wanted: Collection[str] | None = None) -> Frame:
        """Return the frame of an operator at this place."""
        return self._with(
            path=(*self.path, name),
            key=(*self.key, name),
            wanted=wanted,
            result_key=None,
            is_level=False,  # `calls` is shared: `_check_searched` needs those further inside
            position=LoopPosition(),
        )

    def inner_run(self, title: str) -> tuple[Frame, Key]:
        """Return the frame for the next run of an inner process, and its place in the operator."""
        live = self.live()
        position = current_position()
        # Counted within the iteration, not over the run: the number must not depend on the
        # iterations that ran before or elsewhere.
        number = position.inner_runs.get(title, 0)
        position.inner_runs[title] = number + 1
        # Random numbers follow `chance`, which paired iterations share. Cache keys follow `place`.
        frame = live._with(
            path=(*self.path, title),
            key=(*self.key, *position.chance, title, number),
            wanted=None,
            result_key=None,
            is_level=True,
            calls=CallNames(),
            position=LoopPosition(),
        )
        return frame, (*position.place, title, number)

    def iteration(self, place: tuple[int, ...], chance: tuple[int, ...], state: RunState) -> Frame:
        """Return the frame of one iteration of the operator's loop, with its own memory."""
        return self.live()._with(position=LoopPosition(place, chance), state=state)

    def reseeded(self, seed: int) -> Frame:
        """Return a frame whose random numbers depend on this seed only, not on the place."""
        return self._with(seed=seed, key=())

    def elsewhere(self, folder: Path | None, state: RunState) -> Frame:
        """Return the frame for a process of another file, with its own folder and memory."""
        return self._with(folder=folder, state=state, settings={})

    def cached_as(self, part: str) -> Frame:
        """Return the frame with a separate key for cached iterations."""
        return self._with(result_key=self.result_key and combined_key(self.result_key, part))

    @property
    def all_settings(self) -> Settings:
        """Settings of a search and of Set Parameters; those of a search count."""
        if not self.state.settings:
            return self.settings
        given = Frame(self.services).configured(self.state.settings).settings
        return {
            name: {**given.get(name, {}), **self.settings.get(name, {})}
            for name in [*given, *(n for n in self.settings if n not in given)]
        }

    def configured(self, settings: Mapping[str, Any]) -> Frame:
        """Return the frame with further settings of a search, named ``"Operator.parameter"``."""
        # A copy, because other iterations may use this frame with other settings.
        merged = {name: dict(values) for name, values in self.settings.items()}
        for setting, value in settings.items():
            # The last dot: names of operators may contain dots, names of parameters may not.
            name, _, parameter = setting.rpartition(".")
            merged.setdefault(name, {})[parameter] = value
        return self._with(settings=merged)

    def rng(self, *key: str | int) -> np.random.Generator:
        """Return the random generator of this place, in the iteration that is running."""
        # The frame is older than the loop, so the iteration comes from the running code. Without
        # "rng" a key could equal the key of an inner process.
        here = (*self.key, *current_position().chance, "rng", *key)
        return np.random.default_rng(seed_sequence(self.seed, here))


_CURRENT: ContextVar[Frame | None] = ContextVar("fsops_frame", default=None)


def current() -> Frame | None:
    """Return the frame of the code that is running; None outside of a run."""
    return _CURRENT.get()


def current_state() -> RunState:
    """Return the memory of the run; outside of a run an empty one that is not kept."""
    frame = _CURRENT.get()
    return RunState() if frame is None else frame.state


def current_position() -> LoopPosition:
    """Return the iteration that is running."""
    frame = _CURRENT.get()
    return LoopPosition() if frame is None else frame.position


class entered:  # noqa: N801 - used like a function; a generator takes three times as long
    """Make a frame the current one."""

    __slots__ = ("_frame", "_token")

    def __init__(self, frame: Frame | None) -> None:
        self._frame = frame

    def __enter__(self) -> None:
        self._token: Token[Frame | None] = _CURRENT.set(self._frame)

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)


class recorded:  # noqa: N801 - as `entered`
    """Collect the messages of the code inside."""

    __slots__ = ("_entered",)

    def __enter__(self) -> list[Logged]:
        record: list[Logged] = []
        frame = _CURRENT.get()
        self._entered = entered(frame and frame._with(records=(*frame.records, record)))
        self._entered.__enter__()
        return record

    def __exit__(self, *_: object) -> None:
        self._entered.__exit__()


def seed_sequence(seed: int, key: Key) -> np.random.SeedSequence:
    """Return the seed of a place in the process.

    It depends on names and iteration numbers only, never on order or timing. So a further step or
    a parallel run does not change the random numbers of any other operator.
    """
    # Not hash(): Python salts it in each process. The byte order is fixed, so that all machines
    # draw the same numbers.
    digest = hashlib.blake2b(json.dumps(key).encode(), digest_size=16).digest()
    return np.random.SeedSequence(seed, spawn_key=tuple(np.frombuffer(digest, "<u4").tolist()))


def combined_key(*parts: Any) -> str:
    """Return the key, in the cache, of a result that is made of these parts."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()
