"""A command of fsops in a child process, whose JSON document is read when it ends."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PyQt6.QtCore import QObject, QProcess, QProcessEnvironment, pyqtSignal

from fsops.core.graph.process import Process
from fsops.storage import write_process
from fsops.storage.rapidminer.moving import move_process
from fsops_gui.base.texts import tr
from fsops_gui.run.child_run import STARTED_BY


class ChildCommand(QObject):
    """Runs ``fsops COMMAND … --format json``; the window never waits."""

    done = pyqtSignal(object)
    """The document that was printed."""
    failed = pyqtSignal(str)
    """One sentence."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._child = QProcess(self)
        if os.name == "posix":  # workers belong to its group, and end with it
            settings = QProcessEnvironment.systemEnvironment()
            settings.insert(STARTED_BY, str(os.getpid()))
            self._child.setProcessEnvironment(settings)
            self._child.setUnixProcessParameters(QProcess.UnixProcessFlag.CreateNewSession)
        self._child.finished.connect(self._finish)
        self._child.errorOccurred.connect(self._miss)

    @property
    def running(self) -> bool:
        """Whether the command is still running."""
        return self._child.state() != QProcess.ProcessState.NotRunning

    def start(self, arguments: Sequence[str]) -> None:
        """Begin; one command at a time."""
        if not self.running:
            self._child.start(sys.executable, ["-m", "fsops", *arguments, "--format", "json"])

    def start_with(self, process: Process, command: str, *options: str) -> None:
        """Begin a command that takes a process, which need not have a file."""
        if self.running:
            return
        self._folder = tempfile.TemporaryDirectory(prefix="fsops-command-")
        file = Path(self._folder.name) / "process.xml"
        given = process.clone()
        move_process(given, file.parent)  # relative paths still find their data
        write_process(given, file, trusted=False)
        reading = ["--trust"] if process.readable is None else []
        reading += [part for path in process.readable or () for part in ("--allow-read", str(path))]
        self.start([command, str(file), *reading, *options])

    def close(self) -> None:
        """End the command at once."""
        self._child.blockSignals(True)
        if self.running:
            pid = self._child.processId()
            if pid and os.name == "posix":
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)
            self._child.kill()
            self._child.waitForFinished(2000)
        self._child.blockSignals(False)
        self._clean()

    def _clean(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _finish(self, code: int) -> None:
        self._clean()
        printed = bytes(self._child.readAllStandardOutput().data())
        said = bytes(self._child.readAllStandardError().data()).decode(errors="replace").strip()
        if code != 0:
            self.failed.emit(said[-1000:] or tr("The command ended with code {code}.", code=code))
            return
        try:
            document = json.loads(printed)
        except ValueError:
            self.failed.emit(tr("The output of the command is not a JSON document."))
            return
        self.done.emit(document)

    def _miss(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._clean()
            self.failed.emit(tr("Python could not be started."))
