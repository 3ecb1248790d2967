"""Adding an operator by typing: a search field over the canvas."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QEvent, QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.editing.blocks import BuildingBlock
from fsops.editing.operator_search import found_operators, why_found
from fsops_gui.base.icons import block_icon, operator_icon
from fsops_gui.base.reasons import REASON, ReasonDelegate
from fsops_gui.base.texts import tr

SHOWN = 60


class QuickAdd(QFrame):
    """A search field with the operators that are found."""

    chosen = pyqtSignal(object)
    """The operator, or the building block, that was chosen."""

    def __init__(self, registry: Registry, parent: QWidget) -> None:
        super().__init__(parent)
        self._registry = registry
        self._suits: Callable[[Operator], bool] = lambda _operator: True
        self._offered: Sequence[Operator] = ()
        self._blocks: Sequence[BuildingBlock] = ()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Operator to add"))
        self.field.setAccessibleName(tr("Operator to add"))
        self.found = QListWidget()
        self.found.setItemDelegate(ReasonDelegate(self.found))
        self.found.setAccessibleName(tr("Operators found"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 6, 6, 6)
        layout.addWidget(self.field)
        layout.addWidget(self.found)
        self.resize(400, 300)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.found.itemActivated.connect(self._take)
        self.found.itemClicked.connect(self._take)
        self.hide()

    def open_at(
        self,
        point: QPoint,
        text: str = "",
        suits: Callable[[Operator], bool] | None = None,
        *,
        offered: Sequence[Operator] = (),
        prompt: str = "",
        blocks: Sequence[BuildingBlock] = (),
    ) -> None:
        """Show the field at a point of the parent; only operators that suit are offered.

        ``offered`` are the operators to show before anything is typed, the likeliest first.
        ``blocks`` are found by their names, and come behind the operators.
        """
        self._blocks = blocks
        self._suits = suits or (lambda _operator: True)
        self._offered = offered
        words = prompt or tr("Operator to add")
        self.field.setPlaceholderText(words)
        self.field.setAccessibleName(words)
        parent = self.parentWidget()
        assert parent is not None
        x = max(0, min(point.x(), parent.width() - self.width()))
        y = max(0, min(point.y(), parent.height() - self.height()))
        self.move(x, y)
        self.field.setText(text)
        self._search(text)
        self.show()
        self.raise_()
        self.field.setFocus()

    def _search(self, words: str) -> None:
        self.found.clear()
        searched = found_operators(self._registry, words, ()) if words.strip() else None
        found = searched if searched is not None else self._offered or self._registry
        for operator in [spec for spec in found if self._suits(spec)][:SHOWN]:
            item = QListWidgetItem(operator.title)
            item.setIcon(operator_icon(operator.role))
            why = why_found(operator, words) if words.strip() else ""
            item.setData(REASON, why)
            item.setToolTip("\n".join(filter(None, (operator.group, operator.summary, why))))
            item.setData(Qt.ItemDataRole.UserRole, operator)
            self.found.addItem(item)
        for block in self._blocks if words.strip() else ():
            if block.has(words):
                item = QListWidgetItem(block.name)
                item.setIcon(block_icon())
                item.setData(REASON, tr("building block"))
                item.setToolTip(block.summary)
                item.setData(Qt.ItemDataRole.UserRole, block)
                self.found.addItem(item)
        self.found.setCurrentRow(0)

    def _take(self, item: QListWidgetItem | None) -> None:
        self.hide()
        if item is not None:
            self.chosen.emit(item.data(Qt.ItemDataRole.UserRole))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Move in the list with the arrow keys, take with Enter, leave with Escape."""
        if event is not None and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # what is typed is no action of the canvas
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:
                row = self.found.currentRow() + step
                self.found.setCurrentRow(max(0, min(row, self.found.count() - 1)))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.found.currentItem())
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.hide()
                parent = self.parentWidget()
                if parent is not None:
                    parent.setFocus()
                return True
        if event is not None and event.type() == QEvent.Type.FocusOut:
            window = self.window()
            focus = window.focusWidget() if window is not None else None
            if focus not in (self.field, self.found):
                self.hide()
        return super().eventFilter(watched, event)
