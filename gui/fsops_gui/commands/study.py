"""The commands of the guided study: begin with a table, run it, show its process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fsops.core.graph.process import Process
from fsops.storage.readers import reader_of, readers
from fsops_gui.base.texts import tr
from fsops_gui.commands.context import CommandContext
from fsops_gui.commands.file import FileCommands
from fsops_gui.dialogs.file_choice import ask_to_open
from fsops_gui.document.document import Document

if TYPE_CHECKING:
    from fsops_gui.panels.study.page import StudyPage
    from fsops_gui.run.child_run import ChildRun
    from fsops_gui.shell.pages import Pages

LOOKS = ("compare_feature_selections", "ensemble_feature_selection")
"""Operators whose results are shown while the study goes on."""


class StudyCommands:
    """The commands of the guided study; its page is made when it is first shown."""

    def __init__(
        self,
        context: CommandContext,
        *,
        pages: Pages,
        files: FileCommands,
    ) -> None:
        self._context = context
        self._pages = pages
        self._files = files
        self._page: StudyPage | None = None
        files.begin_study = self.begin

    @property
    def page(self) -> StudyPage:
        """The page with the four screens."""
        if self._page is None:
            from fsops_gui.panels.study.page import StudyPage

            page = StudyPage(self._context.registry)
            page.table_wanted.connect(self.choose)
            page.cancelled.connect(self._cancel)
            page.run_wanted.connect(self._run)
            page.process_wanted.connect(self._show_process)
            page.canvas_wanted.connect(self._pages.show_process)
            page.stop_wanted.connect(self._stop)
            page.said.connect(self._context.say)
            self._pages.hold_study(page)
            self._page = page
        return self._page

    def show_study(self) -> None:
        """Show the study where it was left."""
        self._pages.show_study(self.page)

    def choose(self) -> None:
        """Choose a table and begin its study."""
        kinds = " ".join(f"*{suffix}" for suffix in sorted(readers(self._context.registry)))
        chosen = ask_to_open(
            self._context.parent, "table", tr("Table"), f"{tr('Tables')} ({kinds})", None
        )
        if chosen:
            self.begin(Path(chosen))

    def begin(self, table: Path) -> None:
        """Begin the study of a table."""
        if reader_of(table, self._context.registry) is None:
            self._context.say(tr('No operator reads files such as "{name}".', name=table.name))
            return
        self.page.begin(table)
        self.show_study()

    def _cancel(self) -> None:
        """Leave the study as it is, and show the process that was open, or the start page."""
        if len(self._context.document.process):
            self._pages.show_process()
        else:
            self._pages.show_start()
        if self.page.run is None:
            self._context.say(tr("The study is not lost: Study at the left edge leads back to it."))

    def _show_process(self, process: Process) -> None:
        """Show the process of the study on the canvas without running it."""
        self._files.attach(Document(process))
        self._pages.show_process()

    def _run(self, process: Process) -> None:
        """Put the process on the canvas, run it, and show on the page how far it is."""
        self._files.attach(Document(process))
        self.show_study()
        names = [node.name for node in process if node.operator.key in LOOKS]
        run = self._context.session.start_run(looks=names)
        run.paused.connect(lambda: self._look(run))
        self.page.follow(run, process)

    def _look(self, run: ChildRun) -> None:
        """Take the results that are known, and let the run go on."""
        self.page.look_into(run)
        run.go_on()

    def is_followed(self, run: ChildRun | None) -> bool:
        """Return whether the study page shows a run."""
        return self._page is not None and run is not None and self._page.run is run

    def _stop(self) -> None:
        run = self.page.run
        if run is not None and run.running:
            run.stop()

    def close(self) -> None:
        """End what runs only for the page."""
        if self._page is not None:
            self._page.close_study()
