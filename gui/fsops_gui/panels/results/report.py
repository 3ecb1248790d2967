"""The HTML report of a run, written in a child process from the saved results of the run."""

from __future__ import annotations

import sys
from pathlib import Path

from PyQt6.QtCore import QObject, QProcess, pyqtSignal

from fsops_gui.base.texts import tr

WRITE = """
import sys
from fsops import FsopsError, RunOutcome
try:
    RunOutcome.load(sys.argv[1]).report(sys.argv[2])
except FsopsError as error:
    sys.exit(str(error))
"""


class ReportWriter(QObject):
    """Writes the report of a finished run; nothing is run again.

    Drawing its figures takes seconds, in which a thread would make the window sluggish.
    """

    written = pyqtSignal(Path)
    failed = pyqtSignal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._child = QProcess(self)
        self._child.finished.connect(self._finish)
        self._child.errorOccurred.connect(self._fail)
        self.path = Path()

    @property
    def running(self) -> bool:
        """Whether a report is being written."""
        return self._child.state() != QProcess.ProcessState.NotRunning

    def start(self, saved: Path, target: Path) -> None:
        """Begin to write the report of a saved run, one report at a time."""
        if self.running:
            return
        if not saved.is_dir():
            self.failed.emit(tr("The values of this run have been removed. Run it again."))
            return
        self.path = target
        self._child.start(sys.executable, ["-c", WRITE, str(saved), str(self.path)])

    def close(self) -> None:
        """Stop writing."""
        self._child.blockSignals(True)
        if self.running:
            self._child.kill()
            self._child.waitForFinished(2000)
        self._child.blockSignals(False)

    def _finish(self, code: int) -> None:
        if code == 0 and self.path.is_file():
            self.written.emit(self.path)
        else:
            said = bytes(self._child.readAllStandardError().data()).decode(errors="replace")
            self.failed.emit(said.strip()[-500:] or tr("The report could not be written."))

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.failed.emit(tr("Python could not be started."))
