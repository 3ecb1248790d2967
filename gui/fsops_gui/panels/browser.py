"""Data and processes as a tree: named data, the folders of the user, and the examples."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PyQt6 import sip
from PyQt6.QtCore import QEvent, QMimeData, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QHelpEvent, QIcon, QShowEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QToolTip,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from fsops.core.registry import Registry
from fsops.errors import FsopsError
from fsops.storage.readers import Reader, reader_of, readers
from fsops_gui.base.background import in_background
from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.canvas.file_drops import (
    ENTRY,
    PROCESSES,
    entry_mime,
    entry_reader,
    files_mime,
    size_text,
)
from fsops_gui.dialogs.examples import examples

ROLE = Qt.ItemDataRole.UserRole
MOST = 2000
"""Files shown of one folder."""


@dataclass(frozen=True)
class Place:
    """The meaning of an item of the tree."""

    path: Path | None = None
    entry: str = ""
    """Name of data."""
    example: bool = False
    about: str = ""

    @property
    def title(self) -> str:
        """Its name in a list."""
        return self.entry or (self.path.stem.replace("_", " ") if self.path is not None else "")


class BrowserTree(QTreeWidget):
    """Data and processes that can be opened or dragged to the canvas."""

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAccessibleName(tr("Data and processes"))
        self.setUniformRowHeights(True)

    def mimeTypes(self) -> list[str]:
        """Return the drag data."""
        return [ENTRY, "text/uri-list"]

    def mimeData(self, items: object) -> QMimeData | None:
        """Return the dragged files, or the dragged data."""
        places = [p for item in self.selectedItems() if (p := item.data(0, ROLE)) is not None]
        entry = next((place.entry for place in places if place.entry), "")
        files = [place.path for place in places if place.path is not None and place.path.is_file()]
        return entry_mime(entry) if entry else files_mime(files) if files else None


class BrowserPanel(QWidget):
    """The tree, and how large the tables in it are."""

    data_wanted = pyqtSignal(object)
    """A `Reader`: data to bring into the process."""
    process_wanted = pyqtSignal(object)
    """The `Path` of a process to open."""
    example_wanted = pyqtSignal(object)
    """The `Path` of an example to open."""

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self._registry = registry
        self._folder: Path | None = None
        self._sizes: dict[Place, str] = {}
        self._filled = False
        self.tree = BrowserTree()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(self.tree)
        self.tree.itemExpanded.connect(self._open_folder)
        self.tree.itemActivated.connect(self._choose)
        viewport = self.tree.viewport()
        assert viewport is not None
        viewport.installEventFilter(self)

    # --- filling ----------------------------------------------------------------------------

    def show_folder(self, folder: Path | None) -> None:
        """Show the folder of the document."""
        if folder != self._folder:
            self._folder = folder
            self._filled = False
        if self.isVisible():
            self.fill()

    def showEvent(self, a0: QShowEvent | None) -> None:
        """Fill the tree when it is first seen."""
        super().showEvent(a0)
        self.fill()

    def refresh(self) -> None:
        """Look at the folders again."""
        self._filled = False
        self._sizes.clear()
        self.fill()

    def fill(self) -> None:
        """Show where data and processes are, unless that is shown already."""
        if self._filled:
            return
        self._filled = True
        was_open = {item.text(0) for item in self._roots() if item.isExpanded()}
        self.tree.clear()
        if self._folder is not None:
            self._add_folder(tr("Folder of the process"), self._folder)
        self._add_named()
        self._add_examples()
        for item in self._roots():
            item.setExpanded(
                item.text(0) in was_open or item.text(0) == tr("Folder of the process")
            )

    def _roots(self) -> list[QTreeWidgetItem]:
        items = [self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount())]
        return [item for item in items if item is not None]

    def _add_named(self) -> None:
        """Show data that have a name, as ``fsops data`` lists them."""
        from fsops.config import use_data_folder
        from fsops.datasets import DATASETS, data_folder, find_dataset
        from fsops.plugins import plugins

        with contextlib.suppress(FsopsError):  # a configuration that cannot be read
            use_data_folder()
        samples = [s for s in plugins().samples.values() if find_dataset(s.name) is None]
        self._add_places(
            tr("Data with a name"),
            (Place(entry=s.name, about=s.title) for s in samples),
        )
        here = [known for known in DATASETS if (path := known.path()) and path.is_file()]
        self._add_places(
            tr("Public data sets"),
            (
                Place(
                    entry=known.name,
                    about=f"{known.title}\n{known.origin}\n"
                    + tr("{rows:,} rows × {n:,} attributes", rows=known.rows, n=known.attributes),
                )
                for known in here
            ),
        )
        folder = data_folder()
        if folder is not None:
            self._add_folder(tr("Data folder"), folder)

    def _add_examples(self) -> None:
        self._add_places(
            tr("Example processes"),
            (Place(path=e.file, example=True, about=e.about) for e in examples()),
        )

    def _add_places(self, title: str, places: Iterable[Place]) -> None:
        shown = list(places)
        if shown:
            root = QTreeWidgetItem(self.tree, [title])
            for place in shown:
                self._add(root, place.title, place)

    def _add_folder(self, title: str, folder: Path) -> None:
        root = QTreeWidgetItem(self.tree, [title])
        root.setData(0, ROLE, Place(path=folder, about=str(folder)))
        root.setToolTip(0, str(folder))
        self._promise(root)

    @staticmethod
    def _promise(item: QTreeWidgetItem) -> None:
        """Let a folder be opened; its contents are only read then."""
        item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)

    def _add(self, parent: QTreeWidgetItem, text: str, place: Place) -> QTreeWidgetItem:
        item = QTreeWidgetItem(parent, [text])
        item.setData(0, ROLE, place)
        if place.path is not None and not place.example:
            item.setIcon(0, self._icon(place.path))
        return item

    def _icon(self, path: Path) -> QIcon:
        kind = "folder" if path.is_dir() else "table"
        if path.suffix.lower() in PROCESSES:
            kind = "process"
        return glyph(icon_name("action", kind), current_colours().faint.name())

    def _open_folder(self, item: QTreeWidgetItem) -> None:
        """Read a folder when it is opened."""
        place: Place | None = item.data(0, ROLE)
        if place is None or place.path is None or place.example:
            return
        if not item.childCount():
            _add_remark(item, tr("Looking…"))
        # Which files are shown depends on the operators; to load them all would hold up the window.
        in_background(self, partial(self._content, place.path), partial(self._show_content, item))

    def _show_content(self, item: QTreeWidgetItem, paths: list[Path]) -> None:
        if sip.isdeleted(item):  # the tree was filled again meanwhile
            return
        item.takeChildren()
        for path in paths:
            inner = self._add(item, path.name, Place(path=path))
            if path.is_dir():
                self._promise(inner)
        if not item.childCount():
            _add_remark(item, tr("No data or processes here"))

    def _content(self, folder: Path) -> list[Path]:
        """Return folders, tables and processes of a folder."""
        known = {*PROCESSES, *readers(self._registry), ".ioo"}
        try:
            with os.scandir(folder) as found:
                entries = [(not e.is_dir(), e.name.lower(), Path(e.path)) for e in found]
        except OSError:
            return []
        return [
            path
            for is_file, name, path in sorted(entries)
            if not name.startswith(".") and (not is_file or path.suffix.lower() in known)
        ][:MOST]

    # --- using ------------------------------------------------------------------------------

    def _reader(self, place: Place) -> Reader | None:
        if place.entry:
            return entry_reader(place.entry, self._registry)
        return reader_of(place.path, self._registry) if place.path is not None else None

    def _choose(self, item: QTreeWidgetItem) -> None:
        place: Place | None = item.data(0, ROLE)
        if place is None or (place.path is not None and place.path.is_dir()):
            return
        reader = None if place.example else self._reader(place)
        if reader is not None:
            self.data_wanted.emit(reader)
        elif place.path is not None:
            signal = self.example_wanted if place.example else self.process_wanted
            signal.emit(place.path)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Show the item under the mouse; the size of a table as soon as it is known."""
        if isinstance(a1, QHelpEvent) and a1.type() == QEvent.Type.ToolTip:
            item = self.tree.itemAt(a1.pos())
            place: Place | None = item.data(0, ROLE) if item is not None else None
            if place is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(a1.globalPos(), self.tip_of(place), self.tree)
            return True
        return super().eventFilter(a0, a1)

    def tip_of(self, place: Place) -> str:
        """Return the metadata of a place; its size is requested if it is not known yet."""
        name = place.entry or str(place.path)
        is_table = not place.example and (place.path is None or place.path.is_file())
        reader = self._reader(place) if is_table and not self._says_size(place) else None
        if reader is not None and place not in self._sizes:
            self._sizes[place] = ""
            in_background(self, partial(size_text, reader), partial(self._note_size, place))
        return "\n".join(part for part in (name, place.about, self._sizes.get(place, "")) if part)

    @staticmethod
    def _says_size(place: Place) -> bool:
        return "×" in place.about

    def _note_size(self, place: Place, text: str) -> None:
        self._sizes[place] = text
        if QToolTip.isVisible() and QToolTip.text().startswith(place.entry or str(place.path)):
            QToolTip.showText(self.cursor().pos(), self.tip_of(place), self.tree)

    def files(self) -> list[Path]:
        """Return the tables and processes in the folders that are shown, without those below."""
        self.fill()
        places = [item.data(0, ROLE) for item in self._roots()]
        folders = [place.path for place in places if place is not None and place.path is not None]
        return [path for folder in folders for path in self._content(folder) if path.is_file()]

    def item_named(self, text: str) -> QTreeWidgetItem | None:
        """Return the first item with a text."""
        found = QTreeWidgetItemIterator(self.tree)
        while (item := found.value()) is not None:
            if item.text(0) == text:
                return item
            found += 1
        return None


def _add_remark(parent: QTreeWidgetItem, text: str) -> None:
    """Add a line that cannot be chosen."""
    QTreeWidgetItem(parent, [text]).setFlags(Qt.ItemFlag.NoItemFlags)
