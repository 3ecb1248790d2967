"""The commands that look at other states of a process: compare, and earlier versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fsops.core.graph.process import Process
from fsops.errors import UsageError
from fsops.storage import read_process
from fsops_gui.base.texts import tr
from fsops_gui.commands.context import CommandContext
from fsops_gui.commands.file import FileCommands
from fsops_gui.dialogs.file_choice import ask_to_open
from fsops_gui.dialogs.versions import VersionsDialog
from fsops_gui.document.document import Document
from fsops_gui.document.versions import Version, versions_of

if TYPE_CHECKING:
    from fsops_gui.panels.compare import Side
    from fsops_gui.shell.workspace import Workspace


class VersionCommands:
    """Compares processes of tabs and files, and brings earlier versions of a file back."""

    def __init__(
        self,
        context: CommandContext,
        *,
        workspace: Callable[[], Workspace],
        files: FileCommands,
    ) -> None:
        self._context = context
        self._workspace = workspace
        self._files = files

    # --- comparing --------------------------------------------------------------------------

    def compare(self) -> None:
        """Compare the process in front with another tab, or with its saved file."""
        sides = self._sides()
        here = self._title(self._context.document)
        titles = [title for title, _ in sides]
        after = titles.index(here)
        saved = tr("{title}, as saved", title=here)
        others = [i for i in range(len(sides)) if i != after]
        if saved in titles and self._context.document.modified:
            before = titles.index(saved)
        else:
            before = others[0] if others else after
        self._show(sides, before, after)

    def compare_saved(self) -> None:
        """Compare the process in front with its saved file."""
        document = self._context.document
        if document.path is None:
            raise UsageError(tr("The process has no file yet."), hint=tr("Save it with Ctrl+S."))
        titles = [title for title, _ in self._sides()]
        here = self._title(document)
        saved = titles.index(tr("{title}, as saved", title=here))
        self._show(self._sides(), saved, titles.index(here))

    def compare_file(self) -> None:
        """Choose a file, and compare the process in front with it."""
        kinds = tr("Processes") + " (*.xml *.rmp)"
        chosen = ask_to_open(self._context.parent, "process", tr("Compare with"), kinds, None)
        if chosen:
            self.compare_with(Path(chosen).name, lambda: read_process(Path(chosen)))

    def compare_with(self, title: str, read: Callable[[], Process]) -> None:
        """Compare the process in front with another one."""
        read()  # an error is reported before anything opens
        sides = [(title, read), *self._sides()]
        after = [t for t, _ in sides].index(self._title(self._context.document), 1)
        self._show(sides, 0, after)

    def _show(self, sides: list[Side], before: int, after: int) -> None:
        from fsops_gui.panels.compare import CompareDialog

        CompareDialog(sides, before, after, self._context.parent).open()

    def _title(self, document: Document) -> str:
        """Return the title of a tab, which no other tab has."""
        documents = [session.document for session in self._workspace().sessions()]
        same = [d for d in documents if d.title == document.title]
        number = same.index(document) + 1
        return document.title if number == 1 else f"{document.title} ({number})"

    def _sides(self) -> list[Side]:
        """Return the processes of all tabs, and of their files."""
        found: list[Side] = []
        for session in self._workspace().sessions():
            document, title = session.document, self._title(session.document)
            found.append((title, lambda d=document: d.process))  # type: ignore[misc]
            path = document.path
            if path is not None and path.is_file():
                saved = tr("{title}, as saved", title=title)
                found.append((saved, lambda p=path: read_process(p)))  # type: ignore[misc]
        return found

    # --- earlier versions -------------------------------------------------------------------

    def show_versions(self) -> None:
        """List the earlier versions of the file in front."""
        document = self._context.document
        if document.path is None:
            raise UsageError(
                tr("The process has no file yet, so it has no history."),
                hint=tr("Save it with Ctrl+S."),
            )
        path = document.path
        dialog = VersionsDialog(path, versions_of(path), document.process, self._context.parent)
        attempt = self._context.attempt
        dialog.open_wanted.connect(lambda version: attempt(lambda: self.open_version(version)))
        dialog.restore_wanted.connect(lambda version: attempt(lambda: self.restore(version)))
        dialog.compare_wanted.connect(lambda version: attempt(lambda: self._compare(version)))
        dialog.open()

    def open_version(self, version: Version) -> None:
        """Open a version in a new tab, without a file."""
        document = self._context.document
        folder = document.path.parent if document.path else None
        self._files.attach(Document(version.process(folder)))

    def restore(self, version: Version) -> None:
        """Put a version in the place of the process, as a step that can be undone."""
        process = version.process(self._context.document.process.folder)
        time = f"{version.written:%Y-%m-%d %H:%M}"
        self._context.document.take_over(tr("Restore the version of {time}", time=time), process)
        self._context.say(
            tr("Restored the version of {time}. Undo brings back the other.", time=time)
        )

    def _compare(self, version: Version) -> None:
        folder = self._context.document.process.folder
        title = tr("Version of {time}", time=f"{version.written:%Y-%m-%d %H:%M:%S}")
        self.compare_with(title, lambda: version.process(folder))
