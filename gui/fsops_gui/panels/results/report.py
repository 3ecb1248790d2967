"""The HTML report of a run: written by the command line, in a child process."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PyQt6.QtCore import QObject, QProcess, pyqtSignal

from fsops.core.graph.process import Process
from fsops.storage import write_process
from fsops.storage.rapidminer.moving import move_process
from fsops_gui.base.texts import tr

WITH_VALUE = ("--allow-write", "--cache", "--memory-limit", "--seed", "--until")
ALONE = ("--resume",)


def passed_on(arguments: list[str]) -> list[str]:
    """Return the options of a run that its report needs too."""
    kept: list[str] = []
    for place, option in enumerate(arguments):
        if option in WITH_VALUE:
            kept += arguments[place : place + 2]
        elif option in ALONE:
            kept.append(option)
    return kept


class ReportWriter(QObject):
    """Writes the report of a process; with kept results only what is not known is run again."""

    written = pyqtSignal(Path)
    failed = pyqtSignal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0
        self._child = QProcess(self)
        self._child.finished.connect(self._finish)
        self._child.errorOccurred.connect(self._fail)
        self.path = Path()

    @property
    def running(self) -> bool:
        """Whether a report is being written."""
        return self._child.state() != QProcess.ProcessState.NotRunning

    def start(self, process: Process, arguments: list[str], seed: int | None = None) -> None:
        """Begin to write, one report at a time; a seed that was drawn is used again."""
        if self.running:
            return
        self._count += 1
        if self._folder is None:  # kept until the end: the browser may come back to a page
            self._folder = tempfile.TemporaryDirectory(prefix="fsops-report-")
        folder = Path(self._folder.name) / str(self._count)
        folder.mkdir()
        given = process.clone()
        move_process(given, folder)  # relative paths still find their data
        write_process(given, folder / "process.xml")
        self.path = folder / "report.html"
        options = ["--report", str(self.path), "--quiet", *passed_on(arguments)]
        if seed is not None and "--seed" not in options:
            options += ["--seed", str(seed)]
        file = str(folder / "process.xml")
        self._child.start(sys.executable, ["-m", "fsops", "run", file, *options])

    def close(self) -> None:
        """End what is being written; pages that were opened are removed."""
        self._child.blockSignals(True)
        if self.running:
            self._child.kill()
            self._child.waitForFinished(2000)
        self._child.blockSignals(False)
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _finish(self, code: int) -> None:
        if code == 0 and self.path.is_file():
            self.written.emit(self.path)
        else:
            said = bytes(self._child.readAllStandardError().data()).decode(errors="replace")
            self.failed.emit(said.strip()[-500:] or tr("The report could not be written."))

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.failed.emit(tr("Python could not be started."))
