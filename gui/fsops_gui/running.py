"""Running a process in a child, through the same command as everybody: ``fsops run --events -``.

The window never waits for it, and a crash in a library does not take the window along.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, QProcess, QTimer, pyqtSignal

from fsops.core.process import Process
from fsops.storage import write_process
from fsops.storage.rapidminer.moving import move_process
from fsops_gui.canvas.operator_item import RunState
from fsops_gui.texts import tr

TELL_EVERY = 50
"""Milliseconds between two updates of the window, however many events come."""
PATIENCE = 700
"""Milliseconds for a run to stop by itself before it is ended."""


@dataclass(frozen=True)
class RunResult:
    """A result that a run has written."""

    name: str
    title: str
    kind: str
    files: tuple[Path, ...]


@dataclass
class RunReport:
    """All that is known about a run so far."""

    operators: dict[str, RunState] = field(default_factory=dict)
    results: list[RunResult] = field(default_factory=list)
    log: list[tuple[str, str]] = field(default_factory=list)
    """Operator path and sentence of each warning, logged value and error."""
    status: str = "running"
    """running, finished, failed, cancelled or crashed."""
    message: str = ""
    hint: str = ""
    origin: tuple[str, ...] = ()
    seconds: float | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Take an event in; unknown ones are passed over, as docs/events.md asks."""
        handle = getattr(self, f"_{event.get('event')}", None)
        if handle is not None:
            handle(event)

    def _state(self, event: dict[str, Any]) -> RunState:
        return self.operators.setdefault(event["path"][-1], RunState())

    def _started(self, event: dict[str, Any]) -> None:
        state = self._state(event)
        state.state, state.done, state.total = "running", 0, 0

    def _progress(self, event: dict[str, Any]) -> None:
        state = self._state(event)
        state.done, state.total = event["done"], event["total"] or 0

    def _finished(self, event: dict[str, Any]) -> None:
        state = self._state(event)
        state.state, state.seconds = "done", (state.seconds or 0.0) + event["seconds"]

    def _failed(self, event: dict[str, Any]) -> None:
        self._state(event).state = "failed"

    def _warning(self, event: dict[str, Any]) -> None:
        self.log.append((" › ".join(event["path"]), event["message"]))

    def _log(self, event: dict[str, Any]) -> None:
        self.log.append((" › ".join(event["path"]), f"{event['name']} = {event['value']}"))

    def _result(self, event: dict[str, Any]) -> None:
        files = tuple(Path(file) for file in event["files"])
        self.results.append(RunResult(event["name"], event["title"], event["kind"], files))

    def _run_ended(self, event: dict[str, Any]) -> None:
        self.status, self.seconds = event["status"], event["seconds"]
        self.message, self.hint = event.get("message", ""), event.get("hint", "")
        self.origin = tuple(event.get("origin") or ())
        if self.message:
            self.log.append((" › ".join(self.origin), f"{self.message} {self.hint}".strip()))


class Run(QObject):
    """One run of a process in a child process."""

    updated = pyqtSignal()
    """There is news in the report."""
    ended = pyqtSignal()

    def __init__(self, process: Process, *, figures: bool = True) -> None:
        super().__init__()
        self.process = process
        self.report = RunReport()
        self._folder = tempfile.TemporaryDirectory(prefix="fsops-run-")
        self.out = Path(self._folder.name) / "results"
        self._file = Path(self._folder.name) / "process.xml"
        self._rest = b""
        self._child = QProcess(self)
        self._child.readyReadStandardOutput.connect(self._read)
        self._child.finished.connect(self._finish)
        self._child.errorOccurred.connect(self._fail)
        self._teller = QTimer(self)
        self._teller.setSingleShot(True)
        self._teller.timeout.connect(self.updated)
        self._killer = QTimer(self)
        self._killer.setSingleShot(True)
        self._killer.timeout.connect(self._child.kill)
        self._stopping = False
        self.arguments = ["run", str(self._file), "--events", "-", "--quiet"]
        self.arguments += ["--out", str(self.out)]
        if figures:
            self.arguments += ["--figures", "png"]
        if process.folder is not None:
            self.arguments += ["--allow-write", str(process.folder)]

    @property
    def running(self) -> bool:
        """Whether the child still runs."""
        return self._child.state() != QProcess.ProcessState.NotRunning

    def start(self) -> None:
        """Begin; a process without a file runs as well."""
        given = self.process.clone()
        move_process(given, self._file.parent)  # relative paths still find their data
        write_process(given, self._file)
        self._child.start(sys.executable, ["-m", "fsops", *self.arguments])

    def stop(self) -> None:
        """Ask the run to stop; what does not listen is ended."""
        if not self.running or self._stopping:
            return
        self._stopping = True
        pid = self._child.processId()
        if pid and hasattr(os, "kill") and os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
        self._killer.start(PATIENCE)

    def close(self) -> None:
        """End the run at once and remove what it wrote."""
        if self.running:
            self._child.kill()
            self._child.waitForFinished(2000)
        self._teller.stop()
        self._killer.stop()
        self._folder.cleanup()

    def _read(self) -> None:
        data = self._rest + bytes(self._child.readAllStandardOutput().data())
        *lines, self._rest = data.split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                self.report.take(json.loads(line))
        if lines and not self._teller.isActive():
            self._teller.start(TELL_EVERY)

    def _finish(self) -> None:
        self._read()
        self._killer.stop()
        self._teller.stop()
        if self._stopping:
            self.report.status, self.report.message = "cancelled", tr("The run was stopped.")
        elif self.report.status == "running":
            self.report.status = "crashed"
            said = bytes(self._child.readAllStandardError().data()).decode(errors="replace")
            self.report.message = tr("The run ended without a word.")
            self.report.hint = said.strip()[-2000:]
            self.report.log.append(("", f"{self.report.message} {self.report.hint}".strip()))
        for state in self.report.operators.values():
            if state.state == "running":
                state.state = "failed" if self.report.status == "failed" else ""
        self.updated.emit()
        self.ended.emit()

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.report.status = "crashed"
            self.report.message = tr("Python could not be started.")
            self.ended.emit()
