"""Services of one run for its operators: cancellation, time limit, engine, store and ports."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar

from fsops.core.frame.engine import Engine
from fsops.core.frame.events import Listener, Path
from fsops.core.frame.frame import Frame, current
from fsops.core.frame.services import Services
from fsops.engine.blas import one_thread
from fsops.errors import Cancelled, TimedOut

if TYPE_CHECKING:
    from fsops.core.graph.process import Process
    from fsops.engine.cache.store import ResultStore
    from fsops.engine.ports import PortKeeper

Observer = Callable[[Path, Mapping[str, Any]], None]
"""Called with the path and the outputs of an operator that has ended."""


ProcessRunner = Callable[["RunServices", "Process", Mapping[str, Any], Frame], Mapping[str, Any]]


class RunServices(Services):
    """Services of one run; setting ``cancel`` from anywhere stops it.

    Parameters
    ----------
    listener : callable, optional
        Called with every event.
    cancel : threading.Event, optional
        Stops the run when set.
    engine : Engine, optional
        Runs the iterations of loops; see `Services`.
    timeout : float, optional
        Seconds after which the run is stopped.
    store : ResultStore, optional
        Caches results, also those of single iterations, for the next run.
    """

    process_runner: ClassVar[ProcessRunner | None] = None
    """Runs a process with these services; the executor, which imports this module, sets it."""

    def __init__(
        self,
        listener: Listener | None = None,
        cancel: threading.Event | None = None,
        engine: Engine | None = None,
        timeout: float | None = None,
        store: ResultStore | None = None,
    ) -> None:
        super().__init__(listener, engine, store)
        self._cancelled = cancel or threading.Event()
        self.ports: PortKeeper | None = None
        """Keeps the last value of each port for inspection; not in other processes."""
        self.observers: Sequence[Observer] = ()
        """Called with the path and the outputs of each operator that has ended; as ``ports``."""
        self.outermost_observer: Observer | None = None
        """Called as the observers, but not for operators inside of others."""
        self.entered: frozenset[Path] = frozenset()
        """Operators that must really run, because a breakpoint or the goal is inside."""
        self.outer_loops: frozenset[Path] = frozenset()
        """Operators with a loop inside of an inner process."""
        self._timeout = timeout
        # Monotonic: a change of the system clock must not end a run.
        self._deadline = math.inf if timeout is None else time.monotonic() + timeout

    def __reduce__(self) -> tuple[type[RunServices], tuple[()], dict[str, Any]]:
        """In another process there is no listener and no further engine."""
        return (
            RunServices,
            (),
            # A worker must not read or write more than the parent may.
            {
                "memory_limit": self.memory_limit,
                "store": self.store,
                "writable": self.writable,
                "readable": self.readable,
            },
        )

    def run_process(
        self, process: Process, inputs: Mapping[str, Any], frame: Frame
    ) -> Mapping[str, Any]:
        """Run another process in a frame and return its results by port."""
        run = RunServices.process_runner
        return (
            super().run_process(process, inputs, frame)
            if run is None
            else run(self, process, inputs, frame)
        )

    def one_thread(self) -> AbstractContextManager[None]:
        """Return a block in which linear algebra uses one thread, as in loops."""
        return one_thread()

    def caches_iterations(self, frame: Frame) -> bool:
        """Return whether the iterations of the operator's loop may come from the store."""
        return frame.path not in self.entered

    def has_loops_inside(self, frame: Frame) -> bool:
        """Return whether the iterations of the operator's loop are known to have loops inside."""
        return frame.path in self.outer_loops

    def deliver(self, path: Path, outputs: Mapping[str, Any]) -> None:
        """Pass the outputs of an operator to the keeper of ports and to the observers."""
        outermost = self.outermost_observer if len(path) == 1 else None
        if self.ports is None and not self.observers and outermost is None:
            return
        frame = current()
        if frame is not None and frame.sink is not None:
            return  # of iterations that run in parallel none is the last one
        if self.ports is not None:
            self.ports.note(path, outputs)
        for observe in self.observers:
            observe(path, outputs)
        if outermost is not None:
            outermost(path, outputs)

    def write_ports(self, seconds: float = math.inf) -> None:
        """Write the last values of the ports, and report where they are."""
        if self.ports is not None:
            self.ports.write(self.emit, seconds)

    def run_here(self) -> None:
        """Use no engine: run the iterations of loops here."""
        self.engine = None

    def check_cancelled(self) -> None:
        """Raise `Cancelled` if the run should stop."""
        if self._cancelled.is_set():
            raise Cancelled("The run was stopped.")
        if time.monotonic() > self._deadline:
            raise TimedOut(f"The run was stopped after {self._timeout:g} seconds.")
