"""Iterations in processes of this machine, with arrays mapped into all of them."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fsops.core.frame.engine import Iteration, IterationResult, Work
from fsops.engine.blas import ONE_THREAD
from fsops.engine.engines.interrupts import interrupts_blocked
from fsops.engine.engines.pool import AHEAD, Check, Done, Handout
from fsops.engine.failures import unexpected
from fsops.engine.layout import Array
from fsops.engine.leftovers import SHARED, make_folder
from fsops.engine.packing import Constants, pack, pack_result, unpack, unpack_result
from fsops.errors import OperatorFailed

MOST_ATTEMPTS = 3
PORTION_SECONDS = 0.1  # short iterations go to a worker together, so long that sending costs little


class ProcessEngine:
    """Runs iterations in a pool of processes.

    An iteration whose process dies is repeated, at last alone, to find the cause.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._arrays = SharedArrays()
        self._pool: Any = None

    @property
    def workers(self) -> int:
        """Number of iterations that run at the same time."""
        return self._jobs

    def run(self, work: Work, iterations: Sequence[Iteration], done: Done, check: Check) -> None:
        """Run all iterations, whatever happens to single processes."""
        with self._arrays.lending() as share:
            packed, known = pack(work, share)
            # A file, not an argument: each worker reads the work once, not with every portion.
            file = self._arrays.room_for(len(packed)) / f"work-{time.monotonic_ns()}"
            file.write_bytes(packed)
            try:
                self._run(file, known, iterations, done, check)
            except BaseException:
                # After a stop or an error busy workers would go on with a loop that is over.
                self._give_up_pool()
                raise
            finally:
                file.unlink(missing_ok=True)

    def _run(
        self,
        file: Path,
        known: Constants,
        iterations: Sequence[Iteration],
        done: Done,
        check: Check,
    ) -> None:
        left = {iteration.number: iteration for iteration in iterations}
        attempts: Counter[int] = Counter()
        pace = Pace(self._jobs)

        def note(portion: Sequence[Iteration], answer: tuple[float, Sequence[bytes]]) -> int | None:
            pace.note(answer[0], len(answer[1]))
            for iteration, packed in zip(
                portion, answer[1], strict=False
            ):  # one that fails is the last
                result: IterationResult = unpack_result(packed, known)
                del left[iteration.number]
                if result.error is not None:  # what comes after it is left out
                    for number in [n for n in left if n > iteration.number]:
                        del left[number]
                done(iteration, result)
                if result.error is not None:
                    return iteration.number
            return None

        def submit(portion: Sequence[Iteration]) -> Any:
            if self._pool is None:
                self._pool = _new_pool(self._jobs)
            with interrupts_blocked():  # it starts workers
                return self._pool.submit(_run_packed, str(file), portion)

        while left:
            suspects = [t for n, t in left.items() if attempts[n] >= MOST_ATTEMPTS - 1]
            batch = suspects[:1] or list(left.values())
            # After the death of a worker iterations go out one by one: fewer can be lost.
            size = pace.portion if not attempts else lambda left: 1
            handout = Handout(batch, submit, AHEAD * self._jobs, size)
            try:
                handout.gather(note, check)
            except BrokenExecutor:
                self._give_up_pool()
                self._blame(list(handout.waiting.values()), attempts)

    def _blame(self, handed_out: Sequence[Sequence[Iteration]], attempts: Counter[int]) -> None:
        """Count an attempt for the iterations that were probably running, the first ones.

        An iteration that fails alone, after enough attempts, is the cause.
        """
        first = sorted(handed_out, key=lambda portion: portion[0].number)[: self._jobs]
        running = [iteration for portion in first for iteration in portion]
        for iteration in running:
            attempts[iteration.number] += 1
            if attempts[iteration.number] >= MOST_ATTEMPTS and len(running) == 1:
                raise OperatorFailed(
                    f"Iteration {iteration.number + 1} of the loop ended its worker process "
                    f"{MOST_ATTEMPTS} times: it was killed, perhaps for lack of memory, "
                    "or a library crashed.",
                    hint="Try fewer jobs, or the serial engine to see where.",
                )

    def _give_up_pool(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            # Wait: on Windows a file that a worker still maps cannot be removed.
            pool.shutdown(wait=True, kill_workers=True)

    def close(self) -> None:
        """Kill all processes and remove the memory shared with them."""
        self._give_up_pool()
        self._arrays.close()


class Pace:
    """Duration of iterations, and so the number to send to a worker at a time."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._seconds = PORTION_SECONDS

    def note(self, seconds: float, iterations: int) -> None:
        """Record the duration of some iterations."""
        self._seconds = seconds / max(iterations, 1)

    def portion(self, left: int) -> int:
        """Return how many to send; towards the end fewer, so that all workers end together."""
        # The lower bound avoids a division by zero for iterations too short to measure.
        wanted = int(PORTION_SECONDS / max(self._seconds, 1e-6))
        return max(1, min(wanted, left // (2 * self._jobs)))


def _new_pool(jobs: int) -> Any:
    from joblib.externals.loky import ProcessPoolExecutor

    _keep_quiet()
    return ProcessPoolExecutor(
        jobs, initializer=_start_worker, initargs=(os.getpid(),), env=dict(ONE_THREAD)
    )


@lru_cache(maxsize=1)
def _keep_quiet() -> None:
    """Let the thread that looks after workers die in silence when we kill them all."""
    previous = threading.excepthook

    def tell(failure: threading.ExceptHookArgs) -> None:
        if "ExecutorManagerThread" not in type(failure.thread).__name__:
            previous(failure)

    threading.excepthook = tell


# --- in the workers -------------------------------------------------------------------------


def _start_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and never outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        # sys.exit() would end this thread only.
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run_packed(file: str, iterations: Sequence[Iteration]) -> tuple[float, list[bytes]]:
    """Return the duration of the iterations and their results, up to the first failure."""
    work, known = _unpacked(file)
    answers = []
    began = time.perf_counter()
    for iteration in iterations:
        result = work(iteration)
        answers.append(sent(result, known))
        if result.error is not None:
            break
    return time.perf_counter() - began, answers


@lru_cache(maxsize=1)  # what is mapped is let go with it, or memory would fill with old tables
def _unpacked(file: str) -> tuple[Work, Constants]:
    return unpack(Path(file).read_bytes(), cache(_mapped))


def _mapped(file: str) -> Array:
    # As a plain array: codec and `pack` refuse or ignore subclasses such as memmap.
    return np.load(file, mmap_mode="r").view(np.ndarray)  # type: ignore[no-any-return]


def sent(result: IterationResult, known: Constants) -> bytes:
    """Return the result as bytes, or why it cannot be sent."""
    try:
        packed = pack_result(result, known)
        if result.error is not None:
            unpack_result(packed, known)  # some errors can be packed, but not made again
    except Exception as error:  # noqa: BLE001 - whatever a plugin's object does
        return _instead(result, error)
    return packed


def _instead(result: IterationResult, error: Exception) -> bytes:
    """Return an error that can be sent for a result that cannot."""
    if result.error is not None:
        failed = unexpected(result.error)
    else:
        text = f"{type(error).__name__}: {error}"
        failed = OperatorFailed(f"The result of an iteration cannot be sent ({text}).")
    try:
        return pickle.dumps(IterationResult(error=failed, events=result.events))
    except Exception:  # noqa: BLE001 - an event has it too
        return pickle.dumps(IterationResult(error=failed))


# --- in the parent --------------------------------------------------------------------------


class SharedArrays:
    """Arrays as files, written once and mapped by every worker; in memory where possible."""

    def __init__(self) -> None:
        self.folder = make_folder(SHARED if os.access(SHARED, os.W_OK) else None)
        self._fallback: Path | None = None
        self._files: dict[int, str] = {}
        self._count = 0

    @contextmanager
    def lending(self) -> Iterator[Callable[[Array], str]]:
        """Return what shares arrays for one loop.

        They live as long as the loop, even if they were only made to be packed. One that can be
        written to is shared for this loop only: at the next it may hold something else.
        """
        lent: dict[int, tuple[Array, str]] = {}
        passing: list[str] = []

        def share(array: Array) -> str:
            if id(array) not in lent:
                changing = array.flags.writeable
                lent[id(array)] = array, self._written(array) if changing else self.share(array)
                if changing:
                    passing.append(lent[id(array)][1])
            return lent[id(array)][1]

        try:
            yield share
        finally:
            lent.clear()  # whoever still has this function must not keep tables alive
            for file in passing:
                _remove(file)

    def share(self, array: Array) -> str:
        """Return the file that holds the array, which must not change as long as it lives."""
        known = self._files.get(id(array))
        if known is None:
            known = self._files[id(array)] = self._written(array)
            # Python may use the id again for another array, so the entry ends with the array.
            weakref.finalize(array, self._forget, id(array))
        return known

    def _written(self, array: Array) -> str:
        self._count += 1
        file = str(self.room_for(array.nbytes) / f"{self._count}.npy")
        np.save(file, array)
        return file

    def room_for(self, size: int) -> Path:
        """Return the folder in memory, or one on disk if that is nearly full."""
        if shutil.disk_usage(self.folder).free > 2 * size:
            return self.folder
        if self._fallback is None:
            self._fallback = make_folder()
        return self._fallback

    def _forget(self, number: int) -> None:
        file = self._files.pop(number, None)
        if file is not None:
            _remove(file)

    def close(self) -> None:
        """Remove the files."""
        self._files.clear()
        for folder in (self.folder, self._fallback):
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def _remove(file: str) -> None:
    with suppress(OSError):  # gone already, or, on Windows, still mapped by a worker
        os.unlink(file)
