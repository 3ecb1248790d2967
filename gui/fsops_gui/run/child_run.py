"""A run of a process in a child, through the public command: ``fsops run --events -``.

The window never waits for it, and a crash in a library does not take the window along.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, pyqtSignal

from fsops.core.graph.process import Node, Process
from fsops.data import FlowObject
from fsops.editing.comparison import RAN_AS
from fsops.engine.cache import ResultStore
from fsops.engine.goal import Goal
from fsops.errors import FsopsError
from fsops.runs.watch import WatchedRun
from fsops.storage import write_process
from fsops.storage.rapidminer.moving import move_process
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.run.event_reader import EventReader

TELL_EVERY = 50
"""Milliseconds between two updates of the window, however many events come."""
STARTED_BY = "FSOPS_STARTED_BY"
"""Environment variable of ``fsops run``: the process id of the program that it must not outlive."""
PATIENCE = 4000
"""Milliseconds for a run to stop before it is killed. The run itself ends an operator that does not
respond after two seconds, and keeps the finished results."""


class ChildRun(QObject):
    """One run of a process in a child process.

    Parameters
    ----------
    process : Process
        As it is now; it is never changed.
    until : str, optional
        The operator to run to; the whole process if not given.
    seed : int, optional
        Takes the place of the seed of the process.
    keep : bool
        Whether results are cached for later runs, and taken from the cache.
    figures : bool
        Whether the figures of the results are written as files, too.
    """

    updated = pyqtSignal()
    """There is news in the report."""
    paused = pyqtSignal()
    """The run waits at a breakpoint; `go_on`, `step` or `stop` it."""
    ended = pyqtSignal()

    def __init__(
        self,
        process: Process,
        *,
        until: str | None = None,
        seed: int | None = None,
        keep: bool = False,
        figures: bool = False,
    ) -> None:
        super().__init__()
        self.process = process
        self.until = until
        self.keep = keep
        self.started = datetime.now()
        self.report = WatchedRun()
        self.then = process
        """The process that was run, with the names of now."""
        self.made: dict[str, Process] = {}
        """By operator, where not in this run, the process that made the result that is shown."""
        self.is_wanted: Callable[[str, str], bool] = lambda _name, _moment: True
        """Whether a breakpoint, given as operator and moment, has not been removed meanwhile."""
        self._lenders: dict[tuple[str, str], ChildRun] = {}
        self._names: dict[str, str] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="fsops-run-")
        self.out = Path(self._folder.name) / "results"
        self._file = Path(self._folder.name) / "process.xml"
        self.saved = Path(self._folder.name) / "ports"
        """The values of its ports, and the finished run itself."""
        self.is_held = False
        """Whether the run is held; it uses no processor then."""
        self._stopping = False
        self._stepping = False
        self._waits = False
        self._make_child()
        self._reader = EventReader(self._take, self)
        self._reader.progressed.connect(self._plan_telling)
        self._reader.drained.connect(self._complete)
        self._teller = _timer(self, self._tell)
        self._killer = _timer(self, self._kill)
        self.arguments = self._arguments(seed, figures=figures)

    def _make_child(self) -> None:
        self._child = QProcess(self)
        if os.name == "posix":  # workers of the run belong to its group, and end with it
            settings = QProcessEnvironment.systemEnvironment()
            settings.insert(STARTED_BY, str(os.getpid()))  # it ends if the designer is killed
            self._child.setProcessEnvironment(settings)
            self._child.setUnixProcessParameters(QProcess.UnixProcessFlag.CreateNewSession)
        self._child.readyReadStandardOutput.connect(self._read)
        self._child.finished.connect(self._finish)
        self._child.errorOccurred.connect(self._fail)

    def _arguments(self, seed: int | None, *, figures: bool) -> list[str]:
        found = ["run", str(self._file), "--events", "-", "--quiet"]
        found += ["--out", str(self.out), "--ports", str(self.saved)]
        if self.process.folder is not None:
            found += ["--allow-write", str(self.process.folder)]
        readable = self.process.readable
        if readable is None:
            found += ["--trust"]
        found += [part for path in readable or () for part in ("--allow-read", str(path))]
        if figures:
            found += ["--figures", "png"]
        if any(node.enabled and node.breakpoints for node in self.process.walk()):
            found += ["--breakpoints"]
        return found + self._options(seed)

    def _options(self, seed: int | None) -> list[str]:
        """Return the options that decide about the results, as a person would give them."""
        found = ["--until", self.until] if self.until is not None else []
        found += ["--seed", str(seed)] if seed is not None else []
        return found + (["--resume"] if self.keep else [])

    def command(self, path: Path) -> str:
        """Return the command that does the same with a saved file, for a shell."""
        from fsops.config import configured

        engine = configured("engine")
        options = self._options(self.report.seed)
        names = {"name": "--engine", "jobs": "--jobs", "scheduler": "--scheduler"}
        for name, option in names.items():
            options += [option, str(engine[name])] if engine.get(name) else []
        return shlex.join(["fsops", "run", str(path), *options])

    @property
    def running(self) -> bool:
        """Whether the child still runs, or its last output is still being read."""
        return self._child.state() != QProcess.ProcessState.NotRunning or self._waits

    @property
    def is_paused(self) -> bool:
        """Whether the run waits at a breakpoint."""
        return self.report.paused_at is not None

    @property
    def can_be_held(self) -> bool:
        """Whether the run can be held at any moment; on Windows it cannot."""
        return os.name == "posix" and self._child.state() == QProcess.ProcessState.Running

    def hold(self) -> None:
        """Hold the run with all its workers at once; `go_on` continues it."""
        if self.can_be_held and not self.is_held and not self.is_paused and not self._stopping:
            self.is_held = self._signal(signal.SIGSTOP)
            self.updated.emit()

    def _release(self) -> None:
        if self.is_held:
            self.is_held = False
            self._signal(signal.SIGCONT)
            self.updated.emit()

    def _signal(self, number: int) -> bool:
        """Send a signal to the child and all its workers; return whether it arrived."""
        pid = self._child.processId()
        if not pid or os.name != "posix":
            return False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)
            return True
        return False

    # --- going on and stopping --------------------------------------------------------------

    def start(self) -> None:
        """Begin; a process without a file runs as well."""
        given = self.process.clone()
        move_process(given, self._file.parent)  # relative paths still find their data
        write_process(given, self._file, trusted=False)
        self.report.expect(self._expected())
        self._waits = True
        self._child.start(sys.executable, ["-m", "fsops", *self.arguments])

    def _expected(self) -> list[str]:
        """Return the operators that will run, as far as that is known."""
        nodes = [node for node in self.process.walk() if _is_on(node)]
        if self.until is None:
            return [node.name for node in nodes]
        try:
            goal = Goal.of(self.process, self.until)
        except FsopsError:  # the run will tell
            return []
        return [n.name for n in nodes if goal.path == n.path or goal.concerns(n.path)]

    def go_on(self) -> None:
        """Go on after a pause, to the next breakpoint."""
        self._release()
        self._stepping = False
        self._answer("continue")

    def step(self) -> None:
        """Go on after a pause, to the next operator."""
        self._stepping = True
        self._answer("step")

    def _answer(self, word: str) -> None:
        if self.is_paused:
            self._child.write(f"{word}\n".encode())

    def stop(self) -> None:
        """Ask the run to stop; what does not listen is ended."""
        if not self.running or self._stopping:
            return
        self._release()
        self._stopping = True
        pid = self._child.processId()
        if pid and os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
        else:
            self._answer("stop")
        self._killer.start(PATIENCE)

    def _kill(self) -> None:
        """End the child at once, with all that it has started."""
        if os.name == "posix":
            self._signal(signal.SIGKILL)
        self._child.kill()

    def close(self) -> None:
        """End the run at once and remove its files."""
        self._waits = False
        self._reader.stop()
        if self._child.state() != QProcess.ProcessState.NotRunning:
            self._kill()
            self._child.waitForFinished(2000)
        self._teller.stop()
        self._killer.stop()
        self._folder.cleanup()

    # --- what came out ----------------------------------------------------------------------

    def value(self, operator: str, port: str) -> FlowObject | None:
        """Return the last value of a port; None if it is unknown or was not kept.

        It reads a file: for large results call `load`.
        """
        known = self.report.ports.get((operator, port))
        lender = self._lenders.get((operator, port), self)
        return None if known is None else lender._kept(known.key)

    def load(self, operator: str, port: str, done: Callable[[FlowObject | None], None]) -> None:
        """Read the last value of a port in a thread; ``done`` is called in the window's thread."""
        in_background(self, lambda: self.value(operator, port), done)

    def result_value(self, index: int) -> FlowObject | None:
        """Return a result of the process, by its place in ``report.results``."""
        return self._kept(self.report.results[index].key)

    def _kept(self, key: str | None) -> FlowObject | None:
        if key is None or not self.saved.is_dir():
            return None
        found = ResultStore(self.saved).get(key)
        return found.value if found is not None and isinstance(found.value, FlowObject) else None

    def size(self) -> int:
        """Return how many bytes the values take that can be looked at."""
        return sum(file.stat().st_size for file in self.saved.rglob("*") if file.is_file())

    def forget_values(self) -> None:
        """Remove the values; their descriptions stay."""
        shutil.rmtree(self.saved, ignore_errors=True)

    def borrow(self, earlier: ChildRun, names: Iterable[str]) -> None:
        """Show the earlier results of operators that did not run."""
        for name in names:
            state = earlier.report.operators.get(name)
            if state is None or state.state != "done":
                continue
            self.report.operators[name] = replace(state)
            self.made[name] = earlier.made.get(name, earlier.then)
            for place in [key for key in earlier.report.ports if key[0] == name]:
                self.report.ports[place] = earlier.report.ports[place]
                self._lenders[place] = earlier._lenders.get(place, earlier)

    def rename(self, old: str, new: str) -> None:
        """Use the new name of an operator, also in later events."""
        self.report.rename(old, new)
        self._names = {first: new if now == old else now for first, now in self._names.items()}
        if new not in self._names.values():
            self._names[old] = new
        copies = {id(p): _renamed(p, old, new) for p in (self.then, *self.made.values())}
        self.then = copies[id(self.then)]
        self.made = {(new if n == old else n): copies[id(p)] for n, p in self.made.items()}
        for place in [key for key in self._lenders if key[0] == old]:
            self._lenders[new, place[1]] = self._lenders.pop(place)

    # --- listening --------------------------------------------------------------------------

    def _read(self) -> None:
        self._reader.feed(bytes(self._child.readAllStandardOutput().data()))

    def _take(self, event: dict[str, Any]) -> None:
        if self._names and isinstance(event.get("path"), list):
            event["path"] = [self._names.get(name, name) for name in event["path"]]
        self.report.take(event)
        if event.get("event") == "paused" and not self._stopping:
            self._pause()

    def _pause(self) -> None:
        """Report that the run waits; at a removed breakpoint it continues."""
        at = self.report.paused_at
        if at is not None and not self._stepping and not self.is_wanted(*at):
            self.go_on()
            return
        self._tell()
        self.paused.emit()

    def _plan_telling(self) -> None:
        if not self._teller.isActive():
            self._teller.start(TELL_EVERY)

    def _tell(self) -> None:
        self.updated.emit()

    def _finish(self) -> None:
        self._killer.stop()
        self._waits = True
        self._read()
        self._reader.finish()

    def _complete(self) -> None:
        """Take down how it ended, when all that the child has said is read."""
        self._waits = False
        self._teller.stop()
        report = self.report
        if self._stopping:
            report.status, report.message, report.hint = "cancelled", tr("The run was stopped."), ""
        elif report.status in ("running", "paused"):
            said = bytes(self._child.readAllStandardError().data()).decode(errors="replace")
            report.end("crashed", self._crash_text(), said.strip()[-2000:])
        report.settle()
        self.updated.emit()
        self.ended.emit()

    def _crash_text(self) -> str:
        """Return how the child ended, with the signal if it was one."""
        code = self._child.exitCode()
        if self._child.exitStatus() != QProcess.ExitStatus.CrashExit:
            return tr("The run ended with code {code} and without a message.", code=code)
        if os.name != "posix":
            return tr("The run crashed.")
        name = signal.Signals(code).name if code in set(signal.Signals) else ""
        text = tr("The run was ended by signal {code} {name}.", code=code, name=name)
        if code == signal.SIGKILL:
            text += " " + tr(
                "Probably the memory was exhausted: use fewer rows, attributes or jobs."
            )
        return text

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._waits = False
            self.report.end("crashed", tr("Python could not be started."))
            self.report.settle()
            self.ended.emit()


def progress_words(run: ChildRun) -> tuple[str, list[str]]:
    """Return the progress of a run under way: a few words, and a line for each loop."""
    if run.is_paused or run.is_held:
        return tr("The run is paused"), [tr("F5 goes on, Shift+F5 stops.")]
    return tr("The process is running"), run.report.progress_lines() or [tr("Starting…")]


def _timer(owner: QObject, act: Callable[[], None]) -> QTimer:
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.timeout.connect(act)
    return timer


def _renamed(process: Process, old: str, new: str) -> Process:
    """Return a copy in which an operator has its new name."""
    made = process.clone()
    with contextlib.suppress(FsopsError):  # it was not there, or another one had that name
        node = made.find(old)
        node.process.rename(old, new)
        made.find(new).extras.setdefault(RAN_AS, old)  # its random numbers depend on it
    return made


def _is_on(node: Node) -> bool:
    """Return whether an operator and all around it are switched on."""
    while node.enabled and node.process.owner is not None:
        node = node.process.owner
    return node.enabled
