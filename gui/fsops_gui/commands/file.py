"""The commands of the File menu: new, open, save, and processes for a table of the user."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtWidgets import QFileDialog

from fsops.core.graph.process import Process
from fsops.data import ExampleSetMetaData
from fsops.errors import FsopsError
from fsops.storage.files import read_bytes
from fsops.storage.readers import Reader, described, reader_of, readers, with_label
from fsops.studies.study import MY_TABLE
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.canvas.file_drops import add_reader
from fsops_gui.commands.context import CommandContext
from fsops_gui.dialogs import questions
from fsops_gui.dialogs.examples import Template, with_own_table
from fsops_gui.dialogs.label import LabelDialog
from fsops_gui.dialogs.notice import NoticeBar
from fsops_gui.document.autosave import discard, left_behind, orphans, swap_of
from fsops_gui.document.document import Document

LARGEST = 2**26
"""Bytes of a process file."""


class FileCommands:
    """The commands of the File menu: new, open, save, and processes for a table of the user."""

    def __init__(
        self,
        context: CommandContext,
        *,
        notice: NoticeBar,
        attach: Callable[[Document], None],
        show_process: Callable[[], None],
        show_help: Callable[[], None],
    ) -> None:
        self._context = context
        self._notice = notice
        self._attach = attach
        self._show_process = show_process
        self._show_help = show_help
        self.begin_study: Callable[[Path], None] | None = None
        """Begins the guided study of a table."""

    def may_leave(self) -> bool:
        """Ask about changes that are not saved; return whether to go on."""
        if not self._context.document.modified:
            return True
        answer = questions.ask_save(self._context.parent, self._context.document.title)
        if answer == questions.SAVE:
            self._context.attempt(self.save)
            return not self._context.document.modified
        return answer == questions.DISCARD

    def new(self) -> None:
        """Begin an empty process."""
        if self.may_leave():
            self._attach(Document())

    def open(self) -> None:
        """Choose a file to open."""
        kinds = tr("Processes") + " (*.xml *.rmp)"
        chosen, _ = QFileDialog.getOpenFileName(
            self._context.parent, tr("Open"), self._folder(), kinds
        )
        if chosen:
            self.open_file(Path(chosen))

    def open_file(self, path: Path) -> None:
        """Open a file; one that cannot be read leaves everything as it is."""

        def act() -> None:
            document = Document.open(path)
            if self.may_leave():
                self._attach(document)
                self._context.settings.remember(path.resolve())
                self.recover()

        self._context.attempt(act)

    def open_example(self, path: Path) -> None:
        """Open a copy of an example, which has no file yet."""

        def act() -> None:
            document = Document.open(path)
            if self.may_leave():
                document.path = None  # a copy to play with
                self._attach(document)

        self._context.attempt(act)

    def insert_example(self, path: Path) -> None:
        """Put the operators of an example into the process, as one step."""
        session = self._context.session
        text = read_bytes(path, LARGEST).decode()
        names = session.document.paste(session.editor.scene.active, text)
        self._show_process()
        session.editor.scene.select(names)
        if names:
            session.editor.view.reveal(names[0])
            session.editor.scene.select(names)

    # --- tables of the user -----------------------------------------------------------------

    def begin_template(self, template: Template) -> None:
        """Make a process ready for a table that the user chooses."""
        kinds = " ".join(f"*{suffix}" for suffix in sorted(readers(self._context.registry)))
        chosen, _ = QFileDialog.getOpenFileName(
            self._context.parent, tr("Table"), self._folder(), f"{tr('Tables')} ({kinds})"
        )
        if chosen:
            self.use_template(template, Path(chosen))

    def use_template(self, template: Template, table: Path) -> None:
        """Look into a table, ask for what it does not tell, and show the process made for it."""
        if not template.example and self.begin_study is not None:
            self.begin_study(table)
            return
        reader = reader_of(table, self._context.registry)
        if reader is None:
            self._context.say(tr('No operator reads files such as "{name}".', name=table.name))
            return

        def ask(found: tuple[Reader, ExampleSetMetaData | None]) -> None:
            (_, parameters), known = found
            if known is None or not known.schema or "label" in parameters or known.schema.label:
                self._make(template, table, None)
                return
            dialog = LabelDialog(table.name, known.rows, known.schema, self._context.parent)
            dialog.accepted.connect(lambda: self._make(template, table, dialog.label()))
            dialog.open()

        self._context.say(tr("Looking into {name}…", name=table.name))
        in_background(self._context.parent, lambda: (with_label(reader), described(reader)), ask)

    def _make(self, template: Template, table: Path, label: str | None) -> None:
        make = partial(with_own_table, template, table, label, self._context.registry)
        in_background(self._context.parent, make, self._show_made, self._tell_failed)

    def _show_made(self, process: Process) -> None:
        if not self.may_leave():
            return
        self._attach(Document(process))
        self._show_help()
        label = process[MY_TABLE].parameters.get("label", "")
        predicted = tr("{label} is what is to be predicted. ", label=label) if label else ""
        self._context.say(predicted + tr("Look at the process, then press F5 to run it."))

    def _tell_failed(self, error: Exception) -> None:
        if not isinstance(error, FsopsError):
            raise error
        self._context.say(str(error))

    def add_data(self, reader: Reader) -> None:
        """Add the operator that reads some data."""
        self._show_process()
        add_reader(self._context.view, reader, self._context.say)

    # --- what was not saved -----------------------------------------------------------------

    def recover(self) -> None:
        """Offer what an earlier session had not saved, if there is anything."""
        document = self._context.document
        if document.path is None:
            self._recover_untitled()
            return
        unsaved = left_behind(document.path)
        if unsaved is None:
            return
        text = tr('"{title}" has changes that were not saved.', title=document.title)
        answer = questions.ask_recover(self._context.parent, text)
        if answer == questions.RECOVER:
            document.take_over(tr("Bring back changes"), unsaved)
        elif answer == questions.DISCARD:
            discard(swap_of(document.path))

    def _recover_untitled(self) -> None:
        """Offer processes that had no file yet, the latest first, until one is brought back."""
        if self._context.document.modified:
            return
        for orphan in orphans():
            text = tr(
                'The process "{name}" of {time} was not saved: {n} operators.',
                name=orphan.process.name,
                time=f"{orphan.written:%Y-%m-%d %H:%M}",
                n=sum(1 for _ in orphan.process.walk()),
            )
            answer = questions.ask_recover(self._context.parent, text)
            if answer == questions.RECOVER:
                document = Document()
                self._attach(document)
                document.take_over(tr("Bring back changes"), orphan.process)
                self._context.session.autosaver.write()  # in a swap file of its own, before
                discard(orphan.swap)
                return
            if answer == questions.DISCARD:
                discard(orphan.swap)

    # --- what others write ------------------------------------------------------------------

    def notice_change(self) -> None:
        """Read a file again that somebody else has changed; ask where that would lose something."""
        document, watch = self._context.document, self._context.session.watch
        name = document.title
        if not document.modified:
            try:
                watch.reload()
            except FsopsError as error:
                self._context.say(
                    tr("{name} has changed and cannot be read: {error}", name=name, error=error)
                )
                return
            self._context.say(
                tr("{name} was changed by another program and read again.", name=name)
                + " "
                + tr("Undo brings back what was here.")
            )
            return
        self._notice.tell(
            tr("{name} was changed by another program, and here too.", name=name),
            [
                (tr("Keep mine"), watch.accept),
                (tr("Take theirs"), partial(self._context.attempt, watch.reload)),
            ],
        )

    # --- saving -----------------------------------------------------------------------------

    def _folder(self) -> str:
        path = self._context.document.path
        return str(path.parent if path else Path.home())

    def save(self) -> None:
        """Save; ask for a name where there is none, and before replacing what others wrote."""
        document = self._context.document
        if document.path is None:
            self.save_as()
            return
        foreign = self._context.session.watch.is_foreign()
        if foreign and not questions.ask_overwrite(self._context.parent, document.title):
            return
        document.save()
        self._notice.put_away()
        self._context.settings.remember(document.path)
        self._context.say(tr("Saved {name}.", name=document.title))

    def save_as(self) -> None:
        """Save under another name."""
        document = self._context.document
        usual = document.path or Path(self._folder()) / f"{_file_name(document.process.name)}.xml"
        chosen, _ = QFileDialog.getSaveFileName(
            self._context.parent, tr("Save as"), str(usual), tr("Processes") + " (*.xml)"
        )
        if chosen:
            path = Path(chosen)
            document.save(path if path.suffix else path.with_suffix(".xml"))
            if document.path is not None:
                self._context.settings.remember(document.path)
            self._context.say(tr("Saved {name}.", name=document.title))


def _file_name(title: str) -> str:
    """Return a title as the name of a file."""
    kept = "".join(letter if letter.isalnum() else " " for letter in title)
    return "_".join(kept.lower().split()) or "process"
