"""Services for a running operator: random numbers, progress, parallel work, cancellation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from fsops.core.declare.ports import port_order
from fsops.core.frame.events import Cautioned, Logged, LoggedOnce, Progressed
from fsops.core.frame.frame import DEFAULT_SEED, Frame, Key, current_state
from fsops.core.frame.services import WARNING, Services
from fsops.core.frame.state import RunState

if TYPE_CHECKING:
    from fsops.core.frame.engine import IterationResult

Item = TypeVar("Item")
Value = TypeVar("Value")


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
        place = tuple(path)
        self.frame = Frame(
            services or Services(), seed, place, place if key is None else key, wanted=wanted
        )

    @classmethod
    def of(cls, frame: Frame) -> Context:
        """Return the context of an operator in its frame."""
        context = cls.__new__(cls)
        context.frame = frame
        return context

    @property
    def seed(self) -> int:
        """The seed of the whole process, or of this operator if it has its own."""
        return self.frame.seed

    @property
    def path(self) -> tuple[str, ...]:
        """Names of the operators from the outermost to this one."""
        return self.frame.path

    @property
    def services(self) -> Services:
        """Where events go and how loops are run."""
        return self.frame.services

    def wants(self, port: str) -> bool:
        """Return whether an output is used; an unused one need not be computed."""
        return self.frame.wanted is None or port in self.frame.wanted

    def highest_wanted(self, port: str) -> int:
        """Return the highest number that is connected of an output of many; 0 if none is known."""
        numbers = [port_order(name) for name in self.frame.wanted or ()]
        return max((number for base, number in numbers if base == port), default=0)

    def rng(self, *key: str | int) -> np.random.Generator:
        """Return a random generator of this operator; another key gives an independent one."""
        return self.frame.rng(*key)

    def progress(self, items: Iterable[Item], label: str = "") -> Iterator[Item]:
        """Loop over items and report the progress; a run can be stopped between two items."""
        total = len(items) if isinstance(items, Sequence) else None
        services, path = self.frame.services, self.frame.path
        done = 0
        # Also before the first item, so that a listener knows the total from the start.
        services.emit(Progressed(path, done, total, label))
        for item in items:
            services.check_cancelled()
            yield item
            done += 1
            services.emit(Progressed(path, done, total, label))

    def map(
        self,
        function: Callable[[Item], Value],
        items: Iterable[Item],
        label: str = "",
        *,
        paired: bool = False,
        here: bool = False,
    ) -> list[Value]:
        """Return ``function`` of every item, in order, run by the engine of the process.

        With ``paired`` every iteration sees the same random numbers, such as the same folds, so
        that results differ because the items do. With ``here`` iterations run one after the other,
        so that the engine can run the loops inside of them, such as passes over a file.
        """
        return self.frame.services.map(function, list(items), self, label, paired, here=here)

    @property
    def workers(self) -> int:
        """How many iterations of a loop the engine runs at the same time."""
        return int(getattr(self.frame.services.engine, "workers", 1))

    def cached_as(self, part: str) -> Context:
        """Return the context for another way to the same result, with a separate cache.

        Iterations are cached by their numbers, so two ways must not share them.
        """
        return Context.of(self.frame.cached_as(part))

    def rehearsed(self, function: Callable[[Item], Value], item: Item) -> IterationResult:
        """Return the result of a paired iteration of `map`, with its messages and its error.

        It runs here. Nothing of it is reported, cached or left in the memory of the run.
        """
        return self.frame.services.rehearsed(function, item, self)

    def check_cancelled(self) -> None:
        """Raise ``Cancelled`` if the run is to stop; `progress` and `map` do so by themselves."""
        self.services.check_cancelled()

    @property
    def memory_limit(self) -> int | None:
        """Bytes of memory for tables that are read in blocks; None for no limit."""
        return self.frame.services.memory_limit

    @property
    def state(self) -> RunState:
        """The memory of the run between operators: macros, remembered results, log rows."""
        return current_state()

    @contextmanager
    def macro(self, name: str, value: str) -> Iterator[None]:
        """Give inner processes that run inside a macro, such as the number of the iteration."""
        macros = self.state.macros
        # A nested loop may use the same macro name: the outer value must come back.
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

        On a busy machine they take ten times as long as one thread. The block then gives the same
        bits on a machine with more cores.
        """
        return self.frame.services.one_thread()

    def warn(self, message: str, *, repeatable: bool = True) -> None:
        """Warn the user without stopping the run.

        With ``repeatable=False`` the result depends on more than inputs, parameters and seed, such
        as the time: it is not cached, nor are the results of the operators around it.
        """
        kind = Logged if repeatable else LoggedOnce
        self.frame.services.emit(kind(self.frame.path, WARNING, message))

    def caution(
        self, kind: str, message: str, *, parameter: str = "", values: Sequence[int] = ()
    ) -> None:
        """Warn of a kind of problem that the designer lists and explains.

        Parameters
        ----------
        kind : str
            One of the kinds of problems of a process, such as ``ties at the cut``.
        message : str
        parameter : str
            The parameter that decides about it.
        values : sequence of int
            Values of the parameter that avoid it, offered as fixes.
        """
        self.frame.services.emit(
            Cautioned(self.frame.path, WARNING, message, kind, parameter, tuple(values))
        )

    def log(self, name: str, value: float | str) -> None:
        """Record a value for the log."""
        self.frame.services.emit(Logged(self.frame.path, name, value))
