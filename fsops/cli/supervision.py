"""A run in a child process, and a parent that ends it if it does not stop by itself.

Python cannot interrupt code that does not return to the interpreter: a
compiled loop, a regular expression, a library that waits for ever. So ``fsops run`` forks first of
all, when nothing is loaded yet. The child does everything. The parent waits for it, and

- passes signals on, and kills the child if it does not stop within `GRACE` seconds;
- does the same `GRACE` seconds after the time limit of the run;
- shows and writes the results that were finished before, and reports why the run ended;
- exits with the exit code of the child, or with the one that belongs to the signal;
- stops the run if the program named by `STARTED_BY` ends, such as a designer that is killed.

Where there is no ``fork`` (Windows) the run has no parent: it stops between steps only.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

from fsops.cli.parent_line import LINE
from fsops.cli.signals import SIGNALS

GRACE = 2.0
"""Seconds between a request to stop and the end by force."""
CLEANING = 10.0
"""Seconds for a run that was stopped to close its workers and write its files."""
FORWARD_AFTER = 0.1
"""Seconds for the child to get a signal directly, as it does from a terminal."""
TIMED_OUT = 124
STARTED_BY = "FSOPS_STARTED_BY"
"""Environment variable with the process id of the program that the run must not outlive."""
LOOK_EVERY = 1.0
"""Seconds between two looks whether that program lives."""
_STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def supervised(work: Callable[[], None]) -> None:
    """Do something in a child process, and exit as it does; without ``fork`` just do it."""
    if not hasattr(os, "fork"):
        work()
        return
    # The run starts programs that have another parent, so they must not see it.
    starter = int(os.environ.pop(STARTED_BY, 0))
    # Before the fork, so that no signal finds the parent unprepared.
    wake = _wake_on_signals()
    reports, line = os.pipe()
    life, alive = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    child = os.fork()
    if child:
        os.close(line)
        os.close(life)
        _exit(Supervisor(child, reports, wake, starter).wait())
    for unused in (reports, alive, wake):
        os.close(unused)
    _begin_child(line, life)
    work()


def _exit(code: int) -> NoReturn:
    # Python would close the streams again and report an error if the reader is gone.
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.flush()
    os._exit(code)


# --- in the child ---------------------------------------------------------------------------


def _begin_child(line: int, life: int) -> None:
    LINE.append(line)
    SIGNALS.take(_STOPPING)
    signal.set_wakeup_fd(-1)  # only now: until then the parent gets the signals of both
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _end_with_parent(life)


def _end_with_parent(life: int) -> None:
    """Let this process end when the parent ends, also if it is killed.

    The system sends SIGIO, which ends a process, when the parent's end of the pipe is closed. That
    needs no help of Python, which may be busy.
    """
    import fcntl

    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)
    if not select.select([life], [], [], 0)[0]:
        return
    os._exit(1)  # the parent has ended already


# --- in the parent --------------------------------------------------------------------------


def _wake_on_signals() -> int:
    """Let every signal arrive as a byte in a pipe; return the end to read from."""
    wake, written = os.pipe()
    os.set_blocking(written, False)
    os.set_blocking(wake, False)
    for number in (*_STOPPING, signal.SIGCHLD):
        if number == signal.SIGCHLD or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    return wake


class Supervisor:
    """Waits for the child, and ends it if it does not stop.

    Parameters
    ----------
    child : int
        Its process id.
    reports : int
        Pipe from the child.
    wake : int
        Pipe with the numbers of the signals.
    starter : int
        Process id of the program that the run must not outlive; 0 for none.
    """

    def __init__(self, child: int, reports: int, wake: int, starter: int = 0) -> None:
        self._child = child
        self._starter = starter
        self._reports = reports
        self._wake = wake
        self._unread = b""
        self._stop: tuple[int, float] | None = None
        """The first signal, and when it came."""
        self._to_forward: tuple[int, float] | None = None
        self._heard: dict[int, float] = {}
        """When the child has reported a signal."""
        self._deadline: float | None = None
        self._seconds = ""
        self._ended: float | None = None
        """When the operators had ended."""
        self._is_running = False
        self._is_ready = False
        """Whether everything is loaded that the end by force needs."""
        self._folder = ""
        """Where the child has saved finished results."""

    def wait(self) -> int:
        """Return the exit code when the child has ended."""
        while True:
            status = self._status()
            if status is not None:
                return self._code(status)
            now = time.monotonic()
            if self._starter and os.getppid() != self._starter:
                self._starter = 0
                self._take_signal(signal.SIGTERM)
            if now >= self._kill_at():
                return self._kill()
            if not self._is_ready and now >= self._kill_at() - GRACE / 2:
                self._prepare_end()
            if self._to_forward is not None and now >= self._to_forward[1]:
                os.kill(self._child, self._to_forward[0])
                self._to_forward = None
            watched = [self._wake] + ([self._reports] if self._reports >= 0 else [])
            ready, _, _ = select.select(watched, [], [], self._pause(now))
            if self._wake in ready:
                for number in os.read(self._wake, 1024):
                    self._take_signal(number)
            if self._reports in ready:
                self._read()

    def _status(self) -> int | None:
        pid, status = os.waitpid(self._child, os.WNOHANG)
        if not pid:
            return None
        while self._reports >= 0 and select.select([self._reports], [], [], 0)[0]:
            self._read()
        return status

    def _prepare_end(self) -> None:
        """Load the modules for the end by force, while there is time.

        In a thread, because it can take a second: the child may end meanwhile.
        """
        self._is_ready = True
        if self._folder:
            import threading

            threading.Thread(target=_load_end, daemon=True).start()

    def _pause(self, now: float) -> float | None:
        times = [self._kill_at() - (0.0 if self._is_ready else GRACE / 2)]
        times += [self._to_forward[1]] if self._to_forward else []
        times += [now + LOOK_EVERY] if self._starter else []
        return None if min(times) == float("inf") else max(0.0, min(times) - now)

    def _kill_at(self) -> float:
        """Return the time from which on the child is ended by force."""
        asked = [] if self._stop is None else [self._stop[1]]
        if self._deadline is not None and (self._ended is None or self._ended > self._deadline):
            asked.append(self._deadline)
        if not asked:
            return float("inf")
        return min(asked) + GRACE if self._ended is None else max(*asked, self._ended) + CLEANING

    def _take_signal(self, number: int) -> None:
        if number not in _STOPPING:
            return
        now = time.monotonic()
        self._stop = self._stop or (number, now)
        # Whichever of the two arrives first: a terminal sends a signal to both.
        if now - self._heard.get(number, float("-inf")) >= FORWARD_AFTER:
            self._to_forward = number, now + FORWARD_AFTER

    def _read(self) -> None:
        data = os.read(self._reports, 65536)
        if not data:
            os.close(self._reports)
            self._reports = -1
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            word, _, rest = line.decode().partition(" ")
            self.hear(word, rest)

    def hear(self, word: str, rest: str) -> None:
        """Take a report of the child.

        ``stopping NUMBER``: it has got that signal. ``deadline TIME SECONDS``: when the run
        should end, and its time limit. ``finished FOLDER``: where finished results are. ``running``
        and ``ended``: operators run, or no longer.
        """
        if word == "stopping":
            now = time.monotonic()
            self._stop = self._stop or (int(rest), now)
            self._heard[int(rest)] = now
            self._to_forward = None
        elif word == "deadline":
            end, _, self._seconds = rest.partition(" ")
            self._deadline = float(end)
        elif word == "finished":
            self._folder = rest
        elif word == "running":
            self._is_running = True
        elif word == "ended":
            self._ended = self._ended or time.monotonic()
            self._is_running = False

    # --- ends -------------------------------------------------------------------------------

    def _code(self, status: int) -> int:
        """Return the exit code of a child that ended by itself, or by another program."""
        code = os.waitstatus_to_exitcode(status)
        if code >= 0 and self._is_running:
            self._clean_up()
            return self._finish(code or 1, "crashed", _LEFT)
        if code >= 0:
            if self._stop is not None:
                self._clean_up()
            self._remove_folder()
            return code
        number = -code
        self._clean_up()
        if self._stop is not None and number in _STOPPING:
            return self._finish(128 + number, "cancelled", _stopped(number))
        return self._finish(128 + number, "crashed", _crashed(number))

    def _kill(self) -> int:
        """End the child and its workers by force; return the exit code."""
        workers = list(_descendants(self._child))
        os.kill(self._child, _force())
        os.waitpid(self._child, 0)
        for worker in workers:
            with contextlib.suppress(OSError):
                os.kill(worker, _force())
        self._clean_up()
        if self._stop is not None:
            number = self._stop[0]
            return self._finish(128 + number, "cancelled", _stopped(number))
        message = f"The run was stopped after {self._seconds} seconds; {_STUCK}"
        return self._finish(TIMED_OUT, "cancelled", message)

    def _clean_up(self) -> None:
        from fsops.engine.leftovers import SHARED, remove_folders

        remove_folders(self._child, SHARED)

    def _remove_folder(self) -> None:
        if self._folder:
            from fsops.engine.leftovers import remove_folders

            remove_folders(self._child)

    def _finish(self, code: int, status: str, message: str) -> int:
        """Show and write the finished results, report the end, and return the exit code."""
        from fsops.cli.finished import finish

        try:
            finish(self._folder, code, status, message)
        finally:
            self._remove_folder()
        return code


def _load_end() -> None:
    import fsops.cli.finished
    import fsops.cli.output.run
    import fsops.engine.cache
    import fsops.runs.saved  # noqa: F401


_LEFT = "The run did not finish: an operator or a library ended the program."
_STUCK = "the operator that was running did not respond, and was ended by force."


def _stopped(number: int) -> str:
    name = "" if number == signal.SIGINT else f" by {signal.Signals(number).name}"
    return f"The run was stopped{name}; {_STUCK}"


def _force() -> int:
    """Return the signal that ends a process by force; Windows has no SIGKILL."""
    return getattr(signal, "SIGKILL", signal.SIGTERM)


def _crashed(number: int) -> str:
    name = signal.Signals(number).name
    if name == "SIGKILL":
        return "The run was killed (SIGKILL), perhaps for lack of memory."
    return f"The run crashed ({name}): there is a fault in a library or a plugin."


def _descendants(pid: int) -> Iterator[int]:
    """Return the processes that a process has started, and those that these have started."""
    started: dict[int, list[int]] = {}
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if not entry.isdecimal():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                # The name in parentheses may contain anything; the parent is the second word after.
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):  # it has just ended, or this is not Linux
            continue
        started.setdefault(parent, []).append(int(entry))
    found = [pid]
    for process in found:
        found += started.get(process, [])
    yield from (process for process in found[1:] if not _tracks_resources(process))


def _tracks_resources(pid: int) -> bool:
    """Return whether a process removes semaphores and shared memory when its parent has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"resource_tracker" in file.read()
    except OSError:
        return False
