"""The commands of the Run menu, and the progress of a run in the window."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from PyQt6.QtGui import QGuiApplication

from fsops.core.checks.file_reads import refused_files
from fsops.errors import PATH_SEPARATOR, UsageError
from fsops_gui.base.actions import Actions
from fsops_gui.base.texts import tr
from fsops_gui.commands.context import CommandContext
from fsops_gui.commands.file import FileCommands
from fsops_gui.commands.view import ViewCommands
from fsops_gui.dialogs import questions
from fsops_gui.document.checker import known_macros
from fsops_gui.panels.log import LogPanel
from fsops_gui.panels.results import ResultsPanel
from fsops_gui.run.child_run import ChildRun


class RunCommands:
    """The commands of the Run menu; they also show how a run goes."""

    def __init__(
        self,
        context: CommandContext,
        *,
        actions: Actions,
        log: LogPanel,
        results: ResultsPanel,
        views: ViewCommands,
        files: FileCommands,
    ) -> None:
        self._context = context
        self._actions = actions
        self._log_panel = log
        self._results = results
        self._views = views
        self._files = files
        self._logged: tuple[ChildRun | None, int] = (None, 0)
        self.is_followed: Callable[[ChildRun | None], bool] = lambda _run: False
        """Whether another page shows the end of a run."""

    @property
    def _run(self) -> ChildRun | None:
        return self._context.session.run

    # --- starting ---------------------------------------------------------------------------

    def run(self) -> None:
        """Run the process as it is, saved or not; a run that waits goes on."""
        if self._run is not None and self._run.is_paused:
            self._run.go_on()
        else:
            self._start()

    def run_anew(self) -> None:
        """Run everything, also what earlier runs have kept."""
        self._start(anew=True)

    def run_to_here(self) -> None:
        """Run what the selected operator needs, and then it."""
        names = self._context.scene.selected_names()
        if len(names) != 1:
            raise UsageError(tr("Select the one operator to run to."))
        self._start(names[0])

    def _start(self, until: str | None = None, *, anew: bool = False) -> None:
        if self._run is not None and self._run.running:
            self._context.say(tr("The process is running already. Stop it with Shift+F5."))
            return
        if not self._may_read():
            return
        run = self._context.session.start_run(until, anew=anew)
        run.paused.connect(self._show_pause)
        self._logged = (run, 0)
        self.show_actions()
        self._context.say(tr("Running…"))

    def _may_read(self) -> bool:
        """Ask before a process from somebody else reads outside its folder."""
        document = self._context.document
        files = refused_files(document.process, known_macros(document.process))
        if not files:
            return True
        if not questions.ask_reading(self._context.parent, document.title, files):
            self._context.say(tr("The process was not run: it wants to read outside its folder."))
            return False
        document.allow_reading(list(files))
        return True

    # --- a run that is under way ------------------------------------------------------------

    def step(self) -> None:
        """Let a run that waits go on to the next operator."""
        if self._run is not None:
            self._run.step()

    def stop(self) -> None:
        """Stop the run."""
        if self._run is not None and self._run.running:
            self._context.say(tr("Stopping…"))
            self._run.stop()

    def show_progress(self) -> None:
        """Say in the status bar what runs: a part for each loop, outermost first."""
        run = self._run
        if run is None or not run.running:
            return
        self._log(run)
        self.show_actions()
        if not run.is_paused:
            self._context.say(PATH_SEPARATOR.join(run.report.progress_lines()) or tr("Starting…"))

    def _show_pause(self) -> None:
        run = self._run
        if run is None or run.report.paused_at is None:
            return
        self.show_actions()
        name, moment = run.report.paused_at
        before, after = tr("Paused before {name}."), tr("Paused after {name}.")
        where = (before if moment == "before" else after).format(name=name)
        self._views.reveal(name)
        keys = tr("F5 goes on, F10 goes to the next operator, Shift+F5 stops.")
        self._context.say(f"{where} {keys}")

    def _log(self, run: ChildRun) -> None:
        """Show what the run has said since the last time."""
        known, count = self._logged
        lines = run.report.log[count if known is run else 0 :]
        if lines:
            self._log_panel.take(lines)
        self._logged = (run, len(run.report.log))

    def show_actions(self) -> None:
        """Offer what can be done now."""
        run = self._run
        running = run is not None and run.running
        paused = run is not None and running and run.is_paused
        actions = self._actions.by_name
        for name in ("run_to_here", "run_anew"):
            actions[name].setEnabled(not running)
        actions["run"].setEnabled(not running or paused)
        actions["step"].setEnabled(paused)
        actions["stop"].setEnabled(running)
        text = tr("Continue") if paused else tr("Run")
        if actions["run"].text() != text:
            actions["run"].setText(text)
            actions["run"].setIconText(f" {text}")
            actions["run"].setToolTip(f"{text} (F5)")

    def end(self) -> None:
        """Show how the run ended: its results, or where it failed."""
        self.show_actions()
        run = self._run
        if run is None:
            return
        self._log(run)
        self._results.show_report(run)
        self._context.say(self._results.state.text())
        if self.is_followed(run):
            return
        if run.report.status == "finished" and run.report.results:
            self._views.show_results()
        elif run.report.origin:
            names = {node.name for node in self._context.document.process.walk()}
            spot = next((n for n in reversed(run.report.origin) if n in names), None)
            if spot is not None:
                self._views.reveal(spot)

    # --- without a window -------------------------------------------------------------------

    def copy_command(self) -> None:
        """Copy the command that does the same without a window; it needs a saved file."""
        document = self._context.document
        if document.path is None:
            self._files.save()  # asks for a name
        elif document.modified and self._may_save():
            self._files.save()
        path = document.path
        if path is None or document.modified:
            self._context.say(tr("Save the process first: the command needs a file."))
            return
        run = self._run
        command = shlex.join(["fsops", "run", str(path)]) if run is None else run.command(path)
        board = QGuiApplication.clipboard()
        if board is not None:
            board.setText(command)
            self._context.say(tr("Copied: {command}", command=command))

    def _may_save(self) -> bool:
        title = self._context.document.title
        return questions.ask_save(self._context.parent, title) == questions.SAVE
