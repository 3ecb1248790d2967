"""The commands of the File menu: new, open, save, and processes for a table of the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QFileDialog

from fsops.core.graph.process import Process
from fsops.data import ExampleSetMetaData
from fsops.errors import FsopsError, UsageError
from fsops.storage.files import read_bytes
from fsops.storage.readers import Reader, described, reader_of, readers, with_label
from fsops.studies.study import MY_TABLE
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.canvas.file_drops import add_reader
from fsops_gui.commands.context import CommandContext
from fsops_gui.dialogs import questions
from fsops_gui.dialogs.examples import Template, with_own_table
from fsops_gui.dialogs.file_choice import ask_to_open, last_folder, remember_folder
from fsops_gui.dialogs.label import LabelDialog
from fsops_gui.dialogs.notice import NoticeBar
from fsops_gui.document.autosave import Orphan, discard, left_behind, orphans, orphans_of, swap_of
from fsops_gui.document.document import Document

if TYPE_CHECKING:
    from fsops_gui.shell.session import Session
    from fsops_gui.shell.workspace import Workspace

LARGEST = 2**26
"""Bytes of a process file."""


class FileCommands:
    """The commands of the File menu: new, open, save, and processes for a table of the user."""

    def __init__(
        self,
        context: CommandContext,
        *,
        notice: NoticeBar,
        workspace: Callable[[], Workspace],
        show_process: Callable[[], None],
        show_help: Callable[[], None],
    ) -> None:
        self._context = context
        self._notice = notice
        self._workspace = workspace
        self._show_process = show_process
        self._show_help = show_help
        self._closed: list[Path] = []
        self._left_open = context.settings.tabs()  # read before the first tab is remembered
        self.begin_study: Callable[[Path], None] | None = None
        """Begins the guided study of a table."""

    def attach(self, document: Document) -> Session:
        """Show a document in a tab."""
        return self._workspace().attach(document)

    # --- tabs -------------------------------------------------------------------------------

    def may_leave(self) -> bool:
        """Ask about the changes of all tabs that are not saved; return whether to go on."""
        return all(self._may_close(session) for session in self._workspace().sessions())

    def _may_close(self, session: Session) -> bool:
        """Ask about the changes of a tab, which is shown for this; return whether to go on."""
        if not session.document.modified:
            return True
        self._workspace().select(session)
        answer = questions.ask_save(self._context.parent, session.document.title)
        if answer == questions.SAVE:
            self._context.attempt(self.save)
            return not session.document.modified
        return answer == questions.DISCARD

    def close_session(self, session: Session) -> bool:
        """Close a tab, asking about changes and about a run; return whether it is closed."""
        running = session.run is not None and session.run.running
        if running and not questions.ask_stop(self._context.parent, session.document.title):
            return False
        if not self._may_close(session):
            return False
        if session.document.path is not None:
            self._closed.append(session.document.path)
        self._workspace().close(session)
        return True

    def close_sessions(self, sessions: Sequence[Session]) -> None:
        """Close several tabs, until the user keeps one."""
        all(self.close_session(session) for session in sessions)

    def close_tab(self) -> None:
        """Close the tab in front."""
        self.close_session(self._context.session)

    def reopen_tab(self) -> None:
        """Open the file of the tab that was closed last."""
        while self._closed:
            path = self._closed.pop()
            if path.is_file():
                self.open_file(path)
                return
        self._context.say(tr("No closed file is left to open again."))

    def next_tab(self) -> None:
        """Show the next tab."""
        self._workspace().step(1)

    def previous_tab(self) -> None:
        """Show the tab before."""
        self._workspace().step(-1)

    def move_tab_left(self) -> None:
        """Move the tab in front to the left."""
        self._workspace().tabs.shift(self._context.session, -1)

    def move_tab_right(self) -> None:
        """Move the tab in front to the right."""
        self._workspace().tabs.shift(self._context.session, 1)

    def copy_path(self) -> None:
        """Copy the path of the file in front."""
        path, board = self._context.document.path, QGuiApplication.clipboard()
        if path is not None and board is not None:
            board.setText(str(path))
            self._context.say(tr("Copied: {path}", path=path))

    def restore(self) -> bool:
        """Open the files that were open last; return whether there are any."""
        if not self._context.settings.restore_tabs:
            return False
        paths, front = self._left_open
        missing = [path.name for path in paths if not self._restored(path)]
        if missing:
            self._context.say(tr("Not opened again: {names}", names=", ".join(missing)))
        there = self._workspace().session_of(front)
        if there is not None:
            self._workspace().select(there)
        return len(missing) < len(paths)

    def _restored(self, path: Path) -> bool:
        try:
            self.attach(Document.open(path))
        except FsopsError:
            return False
        return True

    def new(self) -> None:
        """Begin an empty process in a tab."""
        self.attach(Document())

    def open(self) -> None:
        """Choose a file to open."""
        kinds = tr("Processes") + " (*.xml *.rmp)"
        chosen = ask_to_open(self._context.parent, "process", tr("Open"), kinds, self._own_folder())
        if chosen:
            self.open_file(Path(chosen))

    def open_file(self, path: Path) -> None:
        """Open a file in a tab; one that cannot be read leaves everything as it is."""

        def act() -> None:
            there = self._workspace().session_of(path.resolve())
            if there is not None:
                self._workspace().select(there)
                self._show_process()
                return
            self.attach(Document.open(path))
            self._context.settings.remember(path.resolve())
            self.recover()

        self._context.attempt(act)

    def open_example(self, path: Path) -> None:
        """Open a copy of an example, which has no file yet."""

        def act() -> None:
            document = Document.open(path)
            document.path = None  # a copy to play with
            self.attach(document)

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
        title = tr("Table")
        chosen = ask_to_open(
            self._context.parent, "table", title, f"{tr('Tables')} ({kinds})", None
        )
        if chosen:
            self.use_template(template, Path(chosen))

    def use_template(self, template: Template, table: Path) -> None:
        """Read a table, ask for the label if it is not clear, and show the process made for it."""
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
        self.attach(Document(process))
        self._show_help()
        label = process[MY_TABLE].parameters.get("label", "")
        predicted = tr("The label is {label}. ", label=label) if label else ""
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
        """Offer the unsaved work of an earlier session, if there is any."""
        document = self._context.document
        if document.path is None:
            self._recover_untitled()
            return
        self._recover_file(document, document.path)

    def recover_all(self) -> None:
        """Offer all that an earlier session had not saved: of the open files, and untitled."""
        for session in self._workspace().sessions():
            if session.document.path is not None:
                self._recover_file(session.document, session.document.path)
        if not self._context.document.modified:
            self._recover_untitled()

    def _recover_file(self, document: Document, path: Path) -> None:
        unsaved, swap = left_behind(path), swap_of(path)
        if unsaved is None:
            elsewhere = next(iter(orphans_of(path)), None)  # of a second window with this file
            if elsewhere is None:
                return
            unsaved, swap = elsewhere.process, elsewhere.swap
        text = tr('"{title}" has changes that were not saved.', title=document.title)
        answer = questions.ask_recover(self._context.parent, text)
        if answer == questions.RECOVER:
            document.take_over(tr("Bring back changes"), unsaved)
            if swap != swap_of(path):
                discard(swap)
        elif answer == questions.DISCARD:
            discard(swap)

    def _recover_untitled(self) -> None:
        """Offer processes that had no file yet, the latest first, each in its tab."""
        if self._context.document.modified:
            return
        for orphan in orphans():
            words = 'The process "{name}" of {time} was not saved: {n} operators.'
            if orphan.process.name == Process().name:
                words = "A process of {time} was not saved: {n} operators."
            text = tr(
                words,
                name=orphan.process.name,
                time=f"{orphan.written:%Y-%m-%d %H:%M}",
                n=sum(1 for _ in orphan.process.walk()),
            )
            answer = questions.ask_recover(self._context.parent, text)
            if answer == questions.RECOVER:
                there = self._workspace().session_of(orphan.path)
                session = there or self.attach(self._document_for(orphan))
                session.document.take_over(tr("Bring back changes"), orphan.process)
                session.autosaver.write()  # in a new swap file, before the old one goes
            if answer != questions.CANCEL:
                discard(orphan.swap)

    @staticmethod
    def _document_for(orphan: Orphan) -> Document:
        """Return the document that unsaved work belongs to: that of its file, if it is there."""
        if orphan.path is None:
            return Document()
        try:
            return Document.open(orphan.path)
        except FsopsError:  # the file is gone, its folder may be there
            empty = Process()
            empty.folder = orphan.path.parent
            return Document(empty)

    # --- what others write ------------------------------------------------------------------

    def notice_change(self, session: Session) -> None:
        """Read a file again that another program has changed; ask if that would lose edits."""
        document, watch = session.document, session.watch
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
                + tr("Undo restores the previous process.")
            )
            return
        session.notice = (
            tr("{name} was changed by another program, and here too.", name=name),
            [
                (tr("Keep mine"), watch.accept),
                (tr("Take theirs"), partial(self._context.attempt, watch.reload)),
            ],
        )
        self.show_notice()

    def notice_gone(self, session: Session) -> None:
        """Say that the file was deleted or moved: only this window has the process now."""
        document = session.document
        session.notice = (
            tr(
                "{name} was deleted or moved. The process now exists only in this window.",
                name=document.title,
            ),
            [
                (tr("Save it again"), partial(self._context.attempt, document.save)),
                (tr("Go on"), lambda: None),
            ],
        )
        self.show_notice()

    def notice_autosave(self, session: Session, failure: str) -> None:
        """Say that unsaved changes cannot be kept; the notice goes when they can be again."""
        if failure:
            session.notice = (
                tr("Changes are not kept in case of a crash: {why}", why=failure),
                [(tr("Save now"), partial(self._context.attempt, self.save))],
            )
            self.show_notice()
        elif session.notice is not None and session.notice[1][0][0] == tr("Save now"):
            session.notice = None
            self.show_notice()

    def show_notice(self) -> None:
        """Show the question that the tab in front has, or none."""
        session = self._context.session
        if session.notice is None:
            self._notice.put_away()
            return

        def answer(act: Callable[[], object]) -> None:
            session.notice = None
            act()

        text, answers = session.notice
        self._notice.tell(text, [(words, partial(answer, act)) for words, act in answers])

    # --- saving -----------------------------------------------------------------------------

    def _own_folder(self) -> Path | None:
        path = self._context.document.path
        return path.parent if path else None

    def save(self) -> None:
        """Save; ask for a missing name, and before replacing changes of other programs."""
        document = self._context.document
        if document.path is None:
            self.save_as()
            return
        foreign = self._context.session.watch.is_foreign()
        if foreign and not questions.ask_overwrite(self._context.parent, document.title):
            return
        document.save()
        self._context.session.notice = None
        self.show_notice()
        self._context.settings.remember(document.path)
        self._context.say(tr("Saved {name}.", name=document.title))

    def save_as(self) -> None:
        """Save under another name."""
        document = self._context.document
        name = f"{_file_name(document.process.name)}.xml"
        usual = document.path or last_folder("process") / name
        chosen, _ = QFileDialog.getSaveFileName(
            self._context.parent, tr("Save as"), str(usual), tr("Processes") + " (*.xml)"
        )
        if chosen:
            path = Path(chosen)
            path = path if path.suffix else path.with_suffix(".xml")
            there = self._workspace().session_of(path.resolve())
            if there is not None and there is not self._context.session:
                raise UsageError(
                    tr("{name} is open in another tab.", name=path.name),
                    hint=tr("Close that tab first, or choose another name."),
                )
            document.save(path)
            remember_folder("process", path)
            if document.path is not None:
                self._context.settings.remember(document.path)
            self._context.say(tr("Saved {name}.", name=document.title))


def _file_name(title: str) -> str:
    """Return a title as the name of a file."""
    kept = "".join(letter if letter.isalnum() else " " for letter in title)
    return "_".join(kept.lower().split()) or "process"
