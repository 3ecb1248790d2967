"""Iterations on a cluster of machines, through dask.distributed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
import weakref
from collections import deque
from collections.abc import Callable, Collection, Sequence
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from fsops.core.frame.engine import EngineSettings, Iteration, IterationResult, Work
from fsops.engine.blas import ONE_THREAD, one_thread
from fsops.engine.engines import cluster_connection
from fsops.engine.engines.cluster_connection import (
    Reach,
    connected,
    connected_again,
    silence_logs,
)
from fsops.engine.engines.cluster_workers import (
    Fitness,
    all_paused,
    paused_error,
    workers_of,
)
from fsops.engine.engines.interrupts import interrupts_blocked
from fsops.engine.engines.pool import AHEAD, PATIENCE, Check, Done
from fsops.engine.engines.processes import sent
from fsops.engine.layout import Array
from fsops.engine.packing import Constants, pack, unpack, unpack_result
from fsops.errors import OperatorFailed

MOST_ATTEMPTS = 3
NOTICED_SECONDS = 2.0
"""Longest time from the end of a connection until dask reports it."""
CLOSE_SECONDS = 0.5
WATCH_SECONDS = 1.0
START_SOME = (
    "Start some (dask worker ADDRESS), and run again; with --resume finished work is not repeated."
)


class Lent(NamedTuple):
    """An array that the iterations of a loop use; it must live until they are done."""

    number: int
    array: Array
    future: Any


class DaskEngine:
    """Runs turns on a dask cluster: one that is there already, or one started for the run."""

    def __init__(self, settings: EngineSettings, jobs: int) -> None:
        self._settings = settings
        self._cluster: Any = None
        if settings.scheduler is None:
            self._cluster, self._client = _started(jobs)
        else:
            self._client = connected(settings)
        self._arrays: dict[int, Any] = {}
        self._fitness = Fitness(self._client)
        self._reach = Reach()
        if self._cluster is None:
            try:
                self._fitness.require_all()
            except BaseException:
                self.close()
                raise

    @property
    def workers(self) -> int:
        """Number of iterations that run at the same time."""
        return max(1, int(sum(self._client.nthreads().values())))

    def run(self, work: Work, iterations: Sequence[Iteration], done: Done, check: Check) -> None:
        """Run all iterations; the cluster repeats those whose worker is lost.

        A restarted scheduler knows nothing: the remaining iterations are sent again.
        """
        left = {iteration.number: iteration for iteration in iterations}
        for _ in range(MOST_ATTEMPTS):
            try:
                self._run_once(work, left, done, check)
            except (OSError, RuntimeError, asyncio.CancelledError):
                if not self._loses_scheduler():
                    raise
            if not left:
                return
            self._arrays.clear()  # the workers that held them are gone
            if self._has_lost_scheduler:
                self._client = connected_again(self._settings, self._client, check)
                self._fitness = Fitness(self._client)
        first = min(left) + 1
        raise OperatorFailed(
            f"Iteration {first} of the loop ended its worker {MOST_ATTEMPTS} times: it was killed, "
            "perhaps for lack of memory, or a library crashed.",
            hint="Give the workers more memory, or try the serial engine to see where.",
        )

    @property
    def _has_lost_scheduler(self) -> bool:
        """Whether the scheduler of others is gone; ours is a part of this program."""
        stream = self._client.scheduler_comm
        return self._cluster is None and (
            self._client.status != "running" or stream is None or stream.comm.closed()
        )

    def _loses_scheduler(self) -> bool:
        """Whether the scheduler is gone; that is noticed a moment after the first error."""
        until = time.monotonic() + (NOTICED_SECONDS if self._cluster is None else 0.0)
        while not self._has_lost_scheduler and time.monotonic() < until:
            time.sleep(PATIENCE)
        return self._has_lost_scheduler

    def _wait_for_workers(self, check: Check) -> None:
        """Wait until a worker is there; an error if none comes."""
        until = time.monotonic() + cluster_connection.LOST_SECONDS
        while not self._has_workers():
            check()
            if time.monotonic() > until:
                if self._loses_scheduler():
                    raise ConnectionError("The scheduler is gone.")
                raise OperatorFailed("The cluster has no workers.", hint=START_SOME)
            time.sleep(PATIENCE)

    def _wait_for_memory(self, check: Check) -> None:
        """Wait until a worker takes work; an error if all stay paused for lack of memory."""
        until = time.monotonic() + cluster_connection.LOST_SECONDS
        while self.is_paused():
            check()
            if time.monotonic() > until:
                raise self.paused_error()
            time.sleep(PATIENCE)

    def is_paused(self) -> bool:
        """Return whether all workers are paused for lack of memory, and none computes."""
        return all_paused(self._client, self._allowed())

    def paused_error(self) -> OperatorFailed:
        """Return the error about workers that stay paused."""
        return paused_error(self._client)

    def _allowed(self) -> Sequence[str] | None:
        """Return the workers that may be used; None for all."""
        return None if self._cluster is not None else self._fitness.allowed()

    def _has_workers(self) -> bool:
        allowed = self._allowed()
        return bool(workers_of(self._client) if allowed is None else allowed)

    def _run_once(self, work: Work, left: dict[int, Iteration], done: Done, check: Check) -> None:
        """Run the remaining iterations; those lost with their worker remain."""
        lent: dict[int, Lent] = {}
        allowed = self._usable(check)
        shared, known = self._send(work, lent, allowed)
        arrays = [each.future for each in lent.values()]
        # Our own workers have one thread from the start; those of others may have more.
        run = _run_shared if self._cluster is not None else _run_at_strangers

        def submit(iteration: Iteration) -> Any:
            # With pure=True dask would reuse the result of an equal call.
            return self._client.submit(run, shared, arrays, iteration, pure=False, workers=allowed)

        window = AHEAD * self.workers
        flight = Flight(left, submit, window, known)
        try:
            flight.land(done, Watch(self, check))
        finally:
            with contextlib.suppress(OSError, RuntimeError, asyncio.CancelledError):
                self._client.cancel([*flight.waiting, shared], force=True)
            lent.clear()

    def _usable(self, check: Check) -> Sequence[str] | None:
        """Return the workers that may be used, None for all; wait if there is none."""
        self.require_alive(check)
        self._wait_for_memory(check)
        # Else everything is sent twice, because the scheduler passes it on.
        self._client.direct_to_workers = self._reach.all_of(workers_of(self._client))
        return self._allowed()

    def require_alive(self, check: Check) -> None:
        """Raise `OSError` if the scheduler is gone, `OperatorFailed` if no workers come back."""
        if self._has_lost_scheduler:
            raise ConnectionError("The scheduler is gone.")
        self._wait_for_workers(check)

    def _send(
        self, work: Work, lent: dict[int, Lent], allowed: Sequence[str] | None
    ) -> tuple[Any, Constants]:
        """Send the work to a worker, from which others get it; again if that one is lost.

        With ``broadcast=True`` dask would try for ever to reach a worker that is lost meanwhile.
        """
        for _ in range(MOST_ATTEMPTS):
            try:
                self._client.wait_for_workers(1, timeout=cluster_connection.CONNECT_SECONDS)
                packed, known = pack(work, lambda array: self._share(array, lent, allowed))
                return self._client.scatter(packed, workers=allowed, hash=False), known
            except TimeoutError:
                break
            except (OSError, KeyError):  # dask sends to a worker that has just died
                if self._has_lost_scheduler:
                    raise
                lent.clear()
                self._arrays.clear()
        raise OperatorFailed(
            "The cluster has no workers, or loses them while data is sent to them.",
            hint=START_SOME,
        )

    def _share(
        self, array: Array, lent: dict[int, Lent], workers: Sequence[str] | None = None
    ) -> int:
        """Send an array to the cluster, once in a run, or in a loop if it can be written to."""
        if id(array) not in lent:
            fixed = not array.flags.writeable
            future = self._arrays.get(id(array)) if fixed else None
            if future is None:
                future = self._client.scatter(array, workers=workers, hash=False)
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


class Watch:
    """Looks now and then whether scheduler and workers are still there, while a run waits."""

    def __init__(self, engine: DaskEngine, check: Check) -> None:
        self._engine = engine
        self._check = check
        self._next = time.monotonic() + WATCH_SECONDS
        self._paused_since: float | None = None

    def __call__(self) -> None:
        """Raise an error if the run is to stop, or cannot go on."""
        self._check()
        if time.monotonic() > self._next:
            self._engine.require_alive(self._check)
            self._require_memory()
            self._next = time.monotonic() + WATCH_SECONDS

    def _require_memory(self) -> None:
        """Raise `OperatorFailed` if all workers stay paused.

        Does not wait: results that are fetched meanwhile may free the memory.
        """
        if not self._engine.is_paused():
            self._paused_since = None
            return
        now = time.monotonic()
        self._paused_since = self._paused_since or now
        if now - self._paused_since > cluster_connection.LOST_SECONDS:
            raise self._engine.paused_error()


class Flight:
    """Iterations at the workers of a cluster; answers come through a queue."""

    def __init__(
        self,
        left: dict[int, Iteration],
        submit: Callable[[Iteration], Any],
        window: int,
        known: Constants,
    ) -> None:
        self._known = known
        self._left = left
        self._next = deque(left.values())
        self._submit = submit
        self._window = window
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self.waiting: dict[Any, Iteration] = {}

    def land(self, done: Done, check: Check) -> None:
        """Wait for all; an iteration whose worker was lost remains to be run."""
        while self._next or self.waiting:
            check()
            while self._next and len(self.waiting) < self._window:
                iteration = self._next.popleft()
                future = self._submit(iteration)
                self.waiting[future] = iteration
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

        iteration = self.waiting.pop(future)
        try:
            result: IterationResult = unpack_result(future.result(), self._known)
        except (KilledWorker, FutureCancelledError, FuturesCancelledError, CommClosedError):
            return
        del self._left[iteration.number]
        if result.error is not None:
            self._drop(after=iteration.number)
        done(iteration, result)

    def _drop(self, after: int) -> None:
        self._next.clear()
        for number in [n for n in self._left if n > after]:
            del self._left[number]
        for future, iteration in list(self.waiting.items()):
            if iteration.number > after:
                del self.waiting[future]


def _end(cluster: Any) -> None:
    """Kill the workers of our own cluster: their results are no longer needed."""
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


def _end_unfinished(others: Collection[Any]) -> None:
    """End clusters whose start was interrupted; dask would print a traceback at the exit.

    Parameters
    ----------
    others : collection of clusters
        Clusters that were running before; they belong to other engines of this program.
    """
    from distributed.deploy import spec

    for cluster in [c for c in spec.SpecCluster._instances if c not in others]:
        with contextlib.suppress(Exception):
            _end(cluster)
        spec.SpecCluster._instances.discard(cluster)


def _started(jobs: int) -> tuple[Any, Any]:
    """Return a cluster on this machine and a client of it."""
    import dask
    from distributed import Client

    silence_logs()
    environment = {"distributed.nanny.pre-spawn-environ": dict(ONE_THREAD)}
    reason = ""
    for _ in range(MOST_ATTEMPTS):
        try:
            with dask.config.set(environment):
                cluster = _local_cluster(jobs)
        except RuntimeError as error:  # a worker was killed while it started
            reason = str(error)
        else:
            return cluster, Client(cluster, set_as_default=False)
    raise OperatorFailed(
        f"The workers of dask could not be started: {reason}",
        hint="They may lack memory. Try fewer --jobs, or --engine processes.",
    )


def _local_cluster(jobs: int) -> Any:
    from distributed import LocalCluster
    from distributed.deploy import spec

    others = list(spec.SpecCluster._instances)
    try:
        # Also the thread that starts a worker again later.
        with interrupts_blocked():
            return LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # any free port, for this machine only
                silence_logs=logging.CRITICAL,
            )
    except BaseException:
        _end_unfinished(others)
        raise


def _run_shared(packed: bytes, arrays: Sequence[Array], iteration: Iteration) -> bytes:
    """In a worker: run one iteration."""

    def fetch(number: int) -> Array:
        # Iterations on the same worker share the array, so none may change it.
        array = arrays[number].view()
        array.flags.writeable = False
        return array

    work, known = unpack(packed, fetch)
    return sent(work(iteration), known)


def _run_at_strangers(packed: bytes, arrays: Sequence[Array], iteration: Iteration) -> bytes:
    with one_thread():
        return _run_shared(packed, arrays, iteration)
