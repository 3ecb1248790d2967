"""The operators of the process as a tree: the canvas for keyboards and screen readers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QShowEvent
from PyQt6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem

from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SOURCE
from fsops.editing.levels import ROOT, Level, Spot
from fsops.editing.notes import note_at
from fsops.errors import FsopsError
from fsops.runs.watch import OperatorState
from fsops_gui.base.texts import tr
from fsops_gui.document.checker import Marks
from fsops_gui.document.document import Document

ROLE = Qt.ItemDataRole.UserRole
_KEYS = (Qt.Key.Key_F2, Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Space)
_KEY = Qt.ItemDataRole.UserRole + 1
_SPOT = Qt.ItemDataRole.UserRole + 2
_WORDS = Qt.ItemDataRole.AccessibleDescriptionRole
Rows = list[tuple[int, str]]
"""The depth of each line, and its item."""


class OperatorList(QTreeWidget):
    """All operators and notes, inner ones under their inner process, with their states in words.

    F2 renames, Delete removes, the space bar switches on and off, Return goes to the canvas.
    """

    spot_wanted = pyqtSignal(str)
    """Go to an operator on the canvas."""
    note_wanted = pyqtSignal(object)
    """Go to a free note on the canvas: its `Spot`."""
    chosen = pyqtSignal(list)
    """These operators are selected in the tree now."""
    said = pyqtSignal(str)
    """A sentence for the status bar."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._marks: Mapping[str, Marks] = {}
        self._runs: Mapping[str, OperatorState] = {}
        self._items: dict[str, QTreeWidgetItem] = {}
        self._notes: dict[Spot, QTreeWidgetItem] = {}
        self._rows: Rows = []
        self._wanted: list[str] = []
        self._old = True
        self.setHeaderHidden(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setAccessibleName(tr("Operators of the process"))
        self.setAccessibleDescription(
            tr("F2 renames, Delete removes, Space switches off and on, Return shows the operator.")
        )
        self.itemActivated.connect(self._go)
        self.itemClicked.connect(self._go)
        self.itemSelectionChanged.connect(self._tell)
        self.itemChanged.connect(self._take_name)
        document.changed.connect(self._follow)
        self._show()

    # --- showing ----------------------------------------------------------------------------

    def _follow(self) -> None:
        """Follow the document; a hidden tree waits."""
        self._old = True
        if self.isVisible():
            self._show()

    def showEvent(self, e: QShowEvent | None) -> None:
        """Catch up with the document."""
        super().showEvent(e)
        if self._old:
            self._show()

    def refresh(self) -> None:
        """Catch up with the document at once, seen or not."""
        if self._old:
            self._show()

    def _show(self) -> None:
        self._old = False
        rows = list(_rows(_inside_of(self._document.process, ROOT), 0))
        with QSignalBlocker(self):
            if rows != self._rows:
                self._rows = rows
                self._fill()
            self._write()
        self.select(self._wanted)

    def _fill(self) -> None:
        self._items.clear()
        self._notes.clear()
        root = self.invisibleRootItem()
        if root is not None:
            self._sync(root, list(_inside_of(self._document.process, ROOT)))

    def _sync(self, parent: QTreeWidgetItem, wanted: Sequence[TreeLine]) -> None:
        """Give an item the lines it should have; those that it has already stay."""
        keys = {line.key for line in wanted}
        for i in reversed(range(parent.childCount())):
            child = parent.child(i)
            if child is not None and child.data(0, _KEY) not in keys:
                parent.removeChild(child)
        for i, line in enumerate(wanted):
            item = parent.child(i)
            if item is None or item.data(0, _KEY) != line.key:
                item = self._line(parent, i, line)
            if isinstance(line.of, Node):
                self._items[line.of.name] = item
            elif isinstance(line.of, Spot):
                self._notes[line.of] = item
            self._sync(item, list(line.inside()))
        while parent.childCount() > len(wanted):  # what has moved to another place
            parent.takeChild(len(wanted))

    @staticmethod
    def _line(parent: QTreeWidgetItem, at: int, line: TreeLine) -> QTreeWidgetItem:
        item = QTreeWidgetItem([line.key])
        item.setData(0, _KEY, line.key)
        if isinstance(line.of, Node):
            item.setData(0, ROLE, line.of.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        elif isinstance(line.of, Spot):
            item.setData(0, _SPOT, line.of)
        else:
            item.setText(0, line.of.name)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        parent.insertChild(at, item)
        item.setExpanded(True)
        return item

    def _write(self) -> None:
        """Write next to each operator what its picture shows."""
        for node in self._document.process.walk():
            item = self._items[node.name]
            state = ", ".join(self._states(node))
            text = f"{node.name} ({state})" if state else node.name
            if item.text(0) != text:
                item.setText(0, text)
            words = self._described(node)
            if item.data(0, _WORDS) != words:
                item.setData(0, _WORDS, words)
                item.setToolTip(0, words)
        for spot, item in self._notes.items():
            note = note_at(self._document.process, spot)
            lines = note.text.strip().splitlines() if note is not None else []
            item.setText(0, tr("Note: {words}", words=lines[0] if lines else ""))
            item.setData(0, _WORDS, "\n".join(lines))
            item.setToolTip(0, "\n".join(lines))

    def _states(self, node: Node) -> Iterator[str]:
        if not node.enabled:
            yield tr("off")
        if node.operator.is_placeholder:
            yield tr("not installed")
        run = self._runs.get(node.name)
        if run is not None and run.state:
            done = run.state == "done"
            yield tr("out of date") if done and run.stale else _words_of(run)
        marks = self._marks.get(node.name)
        if marks is not None and marks.errors:
            yield _count(len(marks.errors), tr("1 error"), tr("{n} errors"))
        if marks is not None and marks.warnings:
            yield _count(len(marks.warnings), tr("1 warning"), tr("{n} warnings"))
        for moment, words in (("before", tr("stops before")), ("after", tr("stops after"))):
            if moment in node.breakpoints:
                yield words

    def _described(self, node: Node) -> str:
        fed = node.process.incoming(node.name).values()
        starts = [port if start == SOURCE else f"{start}.{port}" for start, port in fed]
        lines = [node.operator.title]
        if starts:
            lines.append(tr("Fed from {sources}.", sources=", ".join(starts)))
        marks = self._marks.get(node.name)
        lines += marks.texts if marks is not None else []
        if node.note is not None:
            lines.append(tr("Note: {words}", words=node.note.text))
        return "\n".join(lines)

    def set_marks(self, marks: Mapping[str, Marks]) -> None:
        """Say how many problems each operator has."""
        self._marks = marks
        self._rewrite()

    def set_runs(self, runs: Mapping[str, OperatorState]) -> None:
        """Say how far the run is."""
        self._runs = runs
        self._rewrite()

    def _rewrite(self) -> None:
        if self.isVisible() and not self._old:
            with QSignalBlocker(self):
                self._write()
            viewport = self.viewport()
            if viewport is not None:
                viewport.update()  # the signals that would have said so were blocked
        else:
            self._old = True

    # --- selecting --------------------------------------------------------------------------

    def select(self, names: list[str]) -> None:
        """Follow the selection of the canvas."""
        self._wanted = list(names)
        if self._old or names == self.selected():
            return
        with QSignalBlocker(self):
            self.clearSelection()
            for name in names:
                if name in self._items:
                    self._items[name].setSelected(True)
            if names and names[0] in self._items and not self.hasFocus():
                model = self.selectionModel()
                if model is not None:
                    index = self.indexFromItem(self._items[names[0]])
                    model.setCurrentIndex(index, model.SelectionFlag.NoUpdate)
                    self.scrollTo(index)
        viewport = self.viewport()
        if viewport is not None:
            viewport.update()

    def selected(self) -> list[str]:
        """Return the operators that are selected in the tree."""
        found = {item.data(0, ROLE) for item in self.selectedItems()}
        return [name for name in self._items if name in found]

    def _tell(self) -> None:
        names = self.selected()
        if names != self._wanted and names:
            self._wanted = names
            self.chosen.emit(names)
        spots = [item.data(0, _SPOT) for item in self.selectedItems() if item.data(0, _SPOT)]
        if not names and spots:
            self._wanted = []
            self.note_wanted.emit(spots[0])

    def _go(self, item: QTreeWidgetItem) -> None:
        name = item.data(0, ROLE)
        if name and len(self.selectedItems()) < 2:
            self.spot_wanted.emit(name)

    # --- editing ----------------------------------------------------------------------------

    def event(self, e: QEvent | None) -> bool:
        """Keep the keys that mean something here from the actions of the window."""
        if (
            isinstance(e, QKeyEvent)
            and e.type() == QEvent.Type.ShortcutOverride
            and not e.modifiers()
            and e.key() in _KEYS
            and self.selected()
        ):
            e.accept()
            return True
        return super().event(e)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Rename, delete, switch off and on."""
        assert event is not None
        key, plain = event.key(), not event.modifiers()
        names = self.selected()
        if plain and names and key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._delete(names)
        elif plain and names and key == Qt.Key.Key_Space:
            on = any(self._document.process.find(name).enabled for name in names)
            self._document.set_enabled(names, not on)
        elif plain and names and key == Qt.Key.Key_F2:
            self.rename()
        else:
            super().keyPressEvent(event)

    def rename(self) -> None:
        """Write another name in the place of the first selected one."""
        for name in self.selected()[:1]:
            item = self._items[name]
            with QSignalBlocker(self):
                item.setText(0, name)
            self.setCurrentItem(item)
            self.editItem(item, 0)

    def _take_name(self, item: QTreeWidgetItem) -> None:
        old, new = item.data(0, ROLE), item.text(0).strip()
        if not old or new == old:
            self._rewrite()
            return
        self._wanted = [new if name == old else name for name in self._wanted]
        try:
            self._document.rename(old, new)
        except FsopsError as error:
            self.said.emit(str(error))
            self._wanted = [old if name == new else name for name in self._wanted]
            self._rewrite()

    def _delete(self, names: list[str]) -> None:
        """Delete the selected operators and their inner operators."""
        process = self._document.process
        chosen = set(names)
        tops = [name for name in names if not _inside(process.find(name), chosen)]
        stack = self._document.undo_stack
        stack.beginMacro(tr("Delete")) if len(tops) > 1 else None
        for name in tops:
            self._document.remove(self._document.level_of(name), [name])
        stack.endMacro() if len(tops) > 1 else None


@dataclass(frozen=True)
class TreeLine:
    """A line of the tree: an operator, an inner process, or a free note."""

    key: str
    of: Node | Process | Spot
    level: Level

    def inside(self) -> Iterator[TreeLine]:
        """Return the lines under this one."""
        if isinstance(self.of, Process):
            yield from _inside_of(self.of, self.level)
        elif isinstance(self.of, Node):
            for index, inner in enumerate(self.of.subprocesses):
                yield TreeLine(f"{index} {inner.name}", inner, Level(self.of.name, index))


def _inside_of(process: Process, level: Level) -> Iterator[TreeLine]:
    for node in process:
        yield TreeLine(node.name, node, level)
    for number in range(len(process.notes)):
        yield TreeLine(f"\0{level} {number}", Spot(level, number), level)


def _rows(lines: Iterable[TreeLine], depth: int) -> Iterator[tuple[int, str]]:
    for line in lines:
        yield depth, line.key
        yield from _rows(line.inside(), depth + 1)


def _words_of(run: OperatorState) -> str:
    """Return the state of a run without its signs, which a screen reader would spell."""
    return " · ".join(run.parts).lstrip("▶❚…✗≠✓ ")


def _count(number: int, one: str, many: str) -> str:
    return one if number == 1 else many.format(n=number)


def _inside(node: Node, names: set[str]) -> bool:
    while node.process.owner is not None:
        node = node.process.owner
        if node.name in names:
            return True
    return False
