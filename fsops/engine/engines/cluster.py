"""Turns on a cluster of machines, through dask.distributed."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from fsops.core.frame.engine import Turn, TurnResult, Work
from fsops.engine.blas import ONE_THREAD, one_thread
from fsops.engine.engines.pool import AHEAD, PATIENCE, Check, Done
from fsops.engine.engines.processes import sent
from fsops.engine.layout import Array
from fsops.engine.packing import Constants, pack, unpack, unpack_result
from fsops.errors import OperatorFailed, UsageError

MOST_ATTEMPTS = 3
CONNECT_SECONDS = 10
CLOSE_SECONDS = 0.5


class Lent(NamedTuple):
    """An array that the turns of a loop use; it must live until they are done."""

    number: int
    array: Array
    future: Any


class DaskEngine:
    """Runs turns on a dask cluster: one that is there already, or one started for the run."""

    def __init__(self, scheduler: str | None, jobs: int) -> None:
        self._cluster, self._client = _connect(scheduler, jobs)
        self._arrays: dict[int, Any] = {}

    @property
    def workers(self) -> int:
        """Number of turns that run at the same time."""
        return max(1, int(sum(self._client.nthreads().values())))

    def run(self, work: Work, turns: Sequence[Turn], done: Done, check: Check) -> None:
        """Run all turns; those whose worker is lost are run again by the cluster."""
        left = {turn.number: turn for turn in turns}
        for _ in range(MOST_ATTEMPTS):
            self._run_once(work, left, done, check)
            if not left:
                return
            self._arrays.clear()  # the workers that held them are gone
        first = min(left) + 1
        raise OperatorFailed(
            f"Turn {first} of the loop ended its worker {MOST_ATTEMPTS} times: it was killed, "
            "perhaps for lack of memory, or a library crashed.",
            hint="Give the workers more memory, or try the serial engine to see where.",
        )

    def _run_once(self, work: Work, left: dict[int, Turn], done: Done, check: Check) -> None:
        """Run what is left; what is lost with its worker stays."""
        lent: dict[int, Lent] = {}
        shared, known = self._send(work, lent)
        arrays = [each.future for each in lent.values()]
        # Our own workers have one thread from the start; those of others may have more.
        run = _run_shared if self._cluster is not None else _run_at_strangers

        def submit(turn: Turn) -> Any:
            # With pure=True dask would reuse the result of an equal call.
            return self._client.submit(run, shared, arrays, turn, pure=False)

        window = AHEAD * self.workers
        flight = Flight(left, submit, window, known)
        try:
            flight.land(done, check)
        finally:
            self._client.cancel([*flight.waiting, shared], force=True)
            lent.clear()

    def _send(self, work: Work, lent: dict[int, Lent]) -> tuple[Any, Constants]:
        """Send the work to a worker, from which others get it; again if that one is lost.

        With ``broadcast=True`` dask would try for ever to reach a worker that is lost meanwhile.
        """
        for _ in range(MOST_ATTEMPTS):
            try:
                self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
                packed, known = pack(work, lambda array: self._share(array, lent))
                return self._client.scatter(packed, hash=False), known
            except TimeoutError:
                break
            except (OSError, KeyError):  # dask sends to a worker that has just died
                lent.clear()
                self._arrays.clear()
        raise OperatorFailed(
            "The cluster has no workers, or loses them while data is sent to them.",
            hint="Start some (dask worker ADDRESS), and run again; with --resume what is "
            "finished is not done again.",
        )

    def _share(self, array: Array, lent: dict[int, Lent]) -> int:
        """Send an array to the cluster, once in a run, or in a loop if it can be written to."""
        if id(array) not in lent:
            fixed = not array.flags.writeable
            future = self._arrays.get(id(array)) if fixed else None
            if future is None:
                future = self._client.scatter(array, hash=False)
            if fixed and id(array) not in self._arrays:
                self._arrays[id(array)] = future
                # Python may use the id again for another array, so the entry ends with the array.
                weakref.finalize(array, self._arrays.pop, id(array), None)
            lent[id(array)] = Lent(len(lent), array, future)
        return lent[id(array)].number

    def close(self) -> None:
        """Leave the cluster; end it at once if it was started here."""
        with contextlib.suppress(Exception):
            self._client.close(timeout=CLOSE_SECONDS)
        if self._cluster is not None:
            _end(self._cluster)


class Flight:
    """Turns with the workers of a cluster; answers come through a queue."""

    def __init__(
        self, left: dict[int, Turn], submit: Callable[[Turn], Any], window: int, known: Constants
    ) -> None:
        self._known = known
        self._left = left
        self._next = deque(left.values())
        self._submit = submit
        self._window = window
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self.waiting: dict[Any, Turn] = {}

    def land(self, done: Done, check: Check) -> None:
        """Wait for all; a turn whose worker was lost stays in what is left."""
        while self._next or self.waiting:
            check()
            while self._next and len(self.waiting) < self._window:
                turn = self._next.popleft()
                future = self._submit(turn)
                self.waiting[future] = turn
                future.add_done_callback(self._ended.put)
            try:
                future = self._ended.get(timeout=PATIENCE)
            except Empty:
                continue
            # After an error later iterations are dropped, but their answers may still arrive.
            if future in self.waiting:
                self._take(future, done)

    def _take(self, future: Any, done: Done) -> None:
        from distributed.client import FutureCancelledError, FuturesCancelledError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        turn = self.waiting.pop(future)
        try:
            result: TurnResult = unpack_result(future.result(), self._known)
        except (KilledWorker, FutureCancelledError, FuturesCancelledError, CommClosedError):
            return
        del self._left[turn.number]
        if result.error is not None:
            self._drop(after=turn.number)
        done(turn, result)

    def _drop(self, after: int) -> None:
        self._next.clear()
        for number in [n for n in self._left if n > after]:
            del self._left[number]
        for future, turn in list(self.waiting.items()):
            if turn.number > after:
                del self.waiting[future]


def _end(cluster: Any) -> None:
    """End the workers of a cluster of ours, by force: what they do is not wanted any more."""
    from distributed.deploy import spec

    for nanny in list(cluster.workers.values()):
        # Otherwise the nanny would replace the worker that is killed.
        nanny.auto_restart = False
        with contextlib.suppress(OSError, TypeError):
            # Windows has no SIGKILL; there os.kill ends a process by force with any number.
            os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    with contextlib.suppress(Exception):
        cluster.close(timeout=CLOSE_SECONDS)
    # It would wait for the workers once more when the program ends.
    spec.SpecCluster._instances.discard(cluster)


def _end_unfinished() -> None:
    """End clusters whose start was interrupted; dask would print a traceback at the exit."""
    from distributed.deploy import spec

    for cluster in list(spec.SpecCluster._instances):
        with contextlib.suppress(Exception):
            _end(cluster)
        spec.SpecCluster._instances.discard(cluster)


def _connect(scheduler: str | None, jobs: int) -> tuple[Any, Any]:
    """Return the cluster, if it was started here, and a client of it."""
    import dask
    from distributed import Client, LocalCluster
    from distributed.comm.addressing import get_address_host_port

    # It tells at length about workers that end, as they do when a run is over.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s"})
    if scheduler is not None:
        try:
            # A client with an address that can be none would hang when it is thrown away.
            get_address_host_port(scheduler)
            return None, Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise UsageError(
                f'The scheduler "{scheduler}" does not answer ({error}).',
                hint="Start one (dask scheduler), and give its address, such as tcp://host:8786.",
            ) from None
    environment = {"distributed.nanny.pre-spawn-environ": dict(ONE_THREAD)}
    with dask.config.set(environment):
        try:
            cluster = LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # any free port, for nobody but this machine
                silence_logs=logging.CRITICAL,
            )
        except BaseException:
            _end_unfinished()
            raise
    return cluster, Client(cluster, set_as_default=False)


def _run_shared(packed: bytes, arrays: Sequence[Array], turn: Turn) -> bytes:
    """In a worker: do one turn of the work."""

    def fetch(number: int) -> Array:
        # Iterations on the same worker share the array, so none may change it.
        array = arrays[number].view()
        array.flags.writeable = False
        return array

    work, known = unpack(packed, fetch)
    return sent(work(turn), known)


def _run_at_strangers(packed: bytes, arrays: Sequence[Array], turn: Turn) -> bytes:
    with one_thread():
        return _run_shared(packed, arrays, turn)
