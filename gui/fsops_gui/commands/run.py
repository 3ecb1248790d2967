"""The commands of the Run menu, and the progress of a run in the window."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtGui import QGuiApplication

from fsops.core.checks.file_reads import refused_files
from fsops.errors import PATH_SEPARATOR, UsageError
from fsops_gui.base.actions import Actions
from fsops_gui.base.texts import tr
from fsops_gui.commands.context import CommandContext
from fsops_gui.commands.file import FileCommands
from fsops_gui.commands.view import ViewCommands
from fsops_gui.dialogs import questions
from fsops_gui.dialogs.notice import NoticeBar
from fsops_gui.document.checker import known_macros
from fsops_gui.run.child_run import ChildRun

if TYPE_CHECKING:
    from fsops_gui.shell.session import Session


class RunCommands:
    """The commands of the Run menu; they also show how a run goes."""

    def __init__(
        self,
        context: CommandContext,
        *,
        actions: Actions,
        views: ViewCommands,
        files: FileCommands,
        notice: NoticeBar,
    ) -> None:
        self._context = context
        self._actions = actions
        self._notice = notice
        self._views = views
        self._files = files
        self.is_followed: Callable[[ChildRun | None], bool] = lambda _run: False
        """Whether another page shows the end of a run."""

    @property
    def _run(self) -> ChildRun | None:
        return self._context.session.run

    # --- starting ---------------------------------------------------------------------------

    def run(self) -> None:
        """Run the process as it is, saved or not; a run that waits goes on."""
        run = self._run
        if run is not None and run.running and (run.is_paused or run.is_held):
            run.go_on()
        else:
            self._start()

    def run_again(self) -> None:
        """Run everything, also what earlier runs have kept."""
        self._start(ignore_cache=True)

    def run_to_here(self) -> None:
        """Run up to and including the selected operator."""
        names = self._context.scene.selected_names()
        if len(names) != 1:
            raise UsageError(tr("Select the one operator to run to."))
        self._start(names[0])

    def _start(self, until: str | None = None, *, ignore_cache: bool = False) -> None:
        if self._run is not None and self._run.running:
            self._context.say(tr("The process is running already. Stop it with Shift+F5."))
            return
        if not self._may_read():
            return
        session = self._context.session
        self._notice.put_away()
        run = session.start_run(until, ignore_cache=ignore_cache)
        run.paused.connect(lambda: self._show_pause(session))
        self.show_actions()
        self._context.say(tr("Running…"))

    def _may_read(self) -> bool:
        """Ask before a process from another person reads outside its folder."""
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

    def pause(self) -> None:
        """Hold the run with all its workers, or let it go on."""
        run = self._run
        if run is None or not run.running or run.is_paused:
            return
        if run.is_held:
            run.go_on()
        elif run.can_be_held:
            run.hold()
        else:
            self._context.say(tr("A run cannot be paused on this system. Set a breakpoint (F7)."))

    def is_held(self) -> bool:
        """Return whether the run is held."""
        return self._run is not None and self._run.running and self._run.is_held

    def step(self) -> None:
        """Let a run that waits go on to the next operator."""
        if self._run is not None:
            self._run.step()

    def stop(self) -> None:
        """Stop the run."""
        if self._run is not None and self._run.running:
            self._context.say(tr("Stopping…"))
            self._run.stop()

    def show_progress(self, session: Session) -> None:
        """Say in the status bar what runs: a part for each loop, outermost first."""
        run = session.run
        session.results.follow(run)
        if run is None or not run.running:
            return
        session.log.follow(run, run.report.log)
        if session is not self._context.session:
            return  # another tab is in front
        self.show_actions()
        if run.is_held:
            self._context.say(tr("Held. F5 continues the run, Shift+F5 stops it."))
        elif not run.is_paused:
            self._context.say(PATH_SEPARATOR.join(run.report.progress_lines()) or tr("Starting…"))

    def _show_pause(self, session: Session) -> None:
        run = session.run
        if run is None or run.report.paused_at is None:
            return
        name, moment = run.report.paused_at
        if session is not self._context.session:
            title = session.document.title
            self._context.say(tr("{title}: the run waits at {name}.", title=title, name=name))
            return
        self.show_actions()
        before, after = tr("Paused before {name}."), tr("Paused after {name}.")
        where = (before if moment == "before" else after).format(name=name)
        self._views.reveal(name)
        keys = tr("F5 goes on, F10 goes to the next operator, Shift+F5 stops.")
        self._context.say(f"{where} {keys}")

    def show_actions(self) -> None:
        """Offer what can be done now."""
        run = self._run
        running = run is not None and run.running
        waits = run is not None and running and run.is_paused
        held = self.is_held()
        paused = waits or held
        actions = self._actions.by_name
        for name in ("run_to_here", "run_again"):
            actions[name].setEnabled(not running)
        actions["run"].setEnabled(not running or paused)
        actions["step"].setEnabled(waits)
        actions["pause"].setEnabled(running and not waits)
        actions["pause"].setChecked(held)
        actions["stop"].setEnabled(running)
        text = tr("Continue") if paused else tr("Run")
        if actions["run"].text() != text:
            actions["run"].setText(text)
            actions["run"].setIconText(f" {text}")
            actions["run"].setToolTip(f"{text} (F5)")

    def end(self, session: Session) -> None:
        """Show how the run of a session ended: its results, or where it failed.

        While another tab is in front, only the status bar and the icon of the tab report it.
        """
        run = session.run
        if run is None:
            return
        session.log.follow(run, run.report.log)
        session.results.show_report(run)
        state = session.results.state.text()
        if session is not self._context.session:
            title = session.document.title
            self._context.say(tr("{title}: {state}", title=title, state=state))
            session.page = "show_results" if self._has_results(run) else session.page
            return
        self.show_actions()
        self._context.say(state)
        if self.is_followed(run):
            return
        if self._has_results(run):
            self._views.show_results()
        else:
            self._show_failure(session, run)
        if run.report.origin:
            names = {node.name for node in self._context.document.process.walk()}
            spot = next((n for n in reversed(run.report.origin) if n in names), None)
            if spot is not None:
                self._views.reveal(spot)

    def show_log(self) -> None:
        """Show the lines of the log about the selected operator and its inner processes."""
        names = self._context.scene.selected_names()
        if len(names) != 1:
            raise UsageError(tr("Select one operator."))
        page = self._context.session.log_page
        page.field.setText(f'"{names[0]}"')
        self._views.show_log(page.log)

    def _show_failure(self, session: Session, run: ChildRun) -> None:
        """Show why a run failed above the canvas, until the next run."""
        if run.report.status in ("failed", "crashed"):
            log = session.log
            self._notice.tell(
                session.results.failure_text(run),
                [
                    (tr("Show the log"), lambda: self._views.show_log(log)),
                    (tr("Close"), lambda: None),
                ],
            )

    @staticmethod
    def _has_results(run: ChildRun) -> bool:
        return run.report.status == "finished" and bool(run.report.results)

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
