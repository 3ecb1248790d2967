"""Commands that bring processes in and out: pictures, scripts, RapidMiner, the report of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fsops.core.graph.process import Process
from fsops.errors import FsopsError, UsageError
from fsops.export.python_script import python_script
from fsops.export.sklearn_script import sklearn_script
from fsops.storage import read_process
from fsops.storage.files import write_bytes
from fsops.storage.rapidminer.importer import import_report
from fsops.storage.rapidminer.report import ConversionReport
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.commands.context import CommandContext
from fsops_gui.dialogs.conversion import ConversionDialog
from fsops_gui.dialogs.file_choice import ask_for_file, ask_to_open
from fsops_gui.document.document import Document
from fsops_gui.widgets.picture_file import KINDS
from fsops_gui.widgets.process_picture import write_picture

Writer = Callable[..., str]


class ExchangeCommands:
    """Pictures and scripts of the process, processes of RapidMiner, the report of the last run."""

    def __init__(self, context: CommandContext, *, attach: Callable[[Document], object]) -> None:
        self._context = context
        self._attach = attach

    # --- out --------------------------------------------------------------------------------

    def save_picture(self) -> None:
        """Write the process as a picture, inner processes below."""
        path = self._ask("process_picture", KINDS)
        if path is not None:
            write_picture(self._context.document.process, path)
            self._context.say(tr("Written: {path}", path=path))

    def export_python(self) -> None:
        """Write the process as a Python script that calls the operators."""
        self._export(python_script, "python_script")

    def export_sklearn(self) -> None:
        """Write the process as a Python script with a pipeline of scikit-learn."""
        self._export(sklearn_script, "sklearn_script")

    def _export(self, script: Writer, theme: str) -> None:
        path = self._ask(theme, {"py": tr("Python script")})
        if path is None:
            return
        document = self._context.document
        place = document.process.folder or path.parent
        folder = Path(os.path.relpath(place, path.parent)).as_posix()
        write = partial(script, document.process.clone(), source=document.title, folder=folder)

        def done(text: str) -> None:
            self._context.attempt(lambda: write_bytes(path, text.encode()))
            self._context.say(tr("Written: {path}", path=path))

        in_background(self._context.parent, write, done, self._refuse)

    def _refuse(self, error: Exception) -> None:
        if not isinstance(error, FsopsError):
            raise error
        self._context.say(str(error))

    def _ask(self, theme: str, kinds: dict[str, str]) -> Path | None:
        document = self._context.document
        if not len(document.process):
            raise UsageError(tr("The process is empty: add operators first."))
        name = document.path.stem if document.path else document.process.name
        return ask_for_file(self._context.parent, theme, name, kinds, document.process.folder)

    def save_report(self) -> None:
        """Write the report of the run that was made last; ask where."""
        run = self._context.session.last_run
        if run is None or run.report.status != "finished":
            raise UsageError(tr("No run has finished yet. Run the process with F5."))
        self._context.session.results.save_report(run)

    # --- in ---------------------------------------------------------------------------------

    def import_rapidminer(self) -> None:
        """Choose a process of RapidMiner; show the report before it is opened."""
        kinds = tr("Processes of RapidMiner") + " (*.rmp *.xml)"
        chosen = ask_to_open(
            self._context.parent, "rapidminer", tr("Import from RapidMiner"), kinds, None
        )
        if chosen:
            self.show_import(Path(chosen))

    def show_import(self, path: Path) -> None:
        """Read a process of RapidMiner, and show the report with the offer to open it."""
        registry = self._context.registry

        def read() -> tuple[Process, ConversionReport]:
            report = import_report(path, registry)
            if report is None:
                raise UsageError(
                    tr('"{name}" is a process of fsops already.', name=path.name),
                    hint=tr("Open it with Ctrl+O."),
                )
            return read_process(path, registry), report

        def show(found: tuple[Process, ConversionReport]) -> None:
            process, report = found
            dialog = ConversionDialog(path, report, self._context.parent)
            dialog.accepted.connect(lambda: self._open(process))
            dialog.open()

        in_background(self._context.parent, read, show, self._refuse)

    def _open(self, process: Process) -> None:
        self._attach(Document(process))
        self._context.say(tr("Imported. Save it as a process of fsops with Ctrl+S."))
