"""Running the process and showing how it goes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from PyQt6.QtGui import QGuiApplication

from fsops_gui.texts import tr

if TYPE_CHECKING:
    from fsops_gui.window import Window


class Running:
    """Running the process and showing how it goes."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def run(self) -> None:
        """Run the process as it is, saved or not."""
        run = self._window.session.run
        if run is not None and run.running:
            self._window.say(tr("The process is running already. Stop it with Shift+F5."))
            return
        self._window.results.clear()
        self._window.session.start_run()
        self._window.actions_table.by_name["stop"].setEnabled(True)
        self._window.actions_table.by_name["run"].setEnabled(False)
        self._window.say(tr("Running…"))

    def stop(self) -> None:
        """Stop the run."""
        if self._window.session.run is not None:
            self._window.say(tr("Stopping…"))
            self._window.session.run.stop()

    def show_progress(self) -> None:
        """Say in the status bar what runs."""
        run = self._window.session.run
        if run is None or not run.running:
            return
        current = [f"{n} {s.text}" for n, s in run.report.operators.items() if s.state == "running"]
        self._window.say(" › ".join(current))

    def end(self) -> None:
        """Show how the run ended: its results, or where it failed."""
        run = self._window.session.run
        self._window.actions_table.by_name["stop"].setEnabled(False)
        self._window.actions_table.by_name["run"].setEnabled(True)
        if run is None:
            return
        for where, text in run.report.log:
            self._window.log_panel.say(text, where)
        self._window.results.show_report(run.report)
        self._window.say(self._window.results.state.text())
        if run.report.status == "finished" and run.report.results:
            self._window.looking.show_results()
        elif run.report.origin:
            names = {node.name for node in self._window.session.document.process.walk()}
            spot = next((n for n in reversed(run.report.origin) if n in names), None)
            if spot is not None:
                self._window.reveal(spot)

    def copy_command(self) -> None:
        """Copy the command that runs the saved file without a window."""
        path = self._window.session.document.path
        board = QGuiApplication.clipboard()
        if path is None:
            self._window.say(tr("Save the process first: the command needs a file."))
        elif board is not None:
            board.setText(f"fsops run {shlex.quote(str(path))}")
            self._window.say(tr("Copied: {command}", command=board.text()))
