"""The palette: all operators as a tree, with a search that knows other names too."""

from __future__ import annotations

from PyQt6.QtCore import QMimeData, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops_gui.canvas.mime import OPERATOR, operator_mime
from fsops_gui.texts import tr

ROLE = Qt.ItemDataRole.UserRole


class OperatorTree(QTreeWidget):
    """Operators by group; each can be dragged to the canvas."""

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setAccessibleName(tr("Operators"))
        self.setUniformRowHeights(True)

    def mimeTypes(self) -> list[str]:
        """Return what a drag carries."""
        return [OPERATOR]

    def mimeData(self, items: object) -> QMimeData | None:
        """Return the dragged operator."""
        for item in self.selectedItems():
            operator = item.data(0, ROLE)
            if operator is not None:
                return operator_mime(operator)
        return None


class Palette(QWidget):
    """Search field and tree."""

    pointed_at = pyqtSignal(object)
    """The operator that is selected, for its help."""
    chosen = pyqtSignal(object)
    """The operator that is to be added."""

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self._registry = registry
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Search: name, method, RapidMiner's name"))
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName(tr("Search operators"))
        self.tree = OperatorTree()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(self.field)
        layout.addWidget(self.tree)
        self.field.textChanged.connect(self.search)
        self.field.returnPressed.connect(self._add_first)
        self.tree.currentItemChanged.connect(self._point)
        self.tree.itemActivated.connect(self._choose)
        self.search("")

    def search(self, words: str) -> None:
        """Show the operators that have all words; without words, the groups closed."""
        self.tree.clear()
        if words.strip():
            found = self._registry.search(words)
            for operator in found:
                self._add(self.tree.invisibleRootItem(), operator)
            if not found:
                nothing = QTreeWidgetItem([tr("No operator has all these words.")])
                nothing.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.tree.addTopLevelItem(nothing)
            self.tree.setCurrentItem(self.tree.topLevelItem(0) if found else None)
            return
        groups: dict[str, QTreeWidgetItem] = {}
        for operator in self._registry:
            self._add(self._group(operator.group, groups), operator)

    def _group(self, name: str, groups: dict[str, QTreeWidgetItem]) -> QTreeWidgetItem:
        if name not in groups:
            outer, _, own = name.rpartition("/")
            parent = self._group(outer, groups) if outer else self.tree.invisibleRootItem()
            groups[name] = QTreeWidgetItem(parent, [own or tr("Others")])
            groups[name].setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        return groups[name]

    @staticmethod
    def _add(parent: QTreeWidgetItem | None, operator: Operator) -> None:
        item = QTreeWidgetItem(parent, [operator.title])
        item.setData(0, ROLE, operator)
        item.setToolTip(0, f"{operator.group}\n{operator.summary}")

    def _point(self, item: QTreeWidgetItem | None) -> None:
        operator = item.data(0, ROLE) if item is not None else None
        if operator is not None:
            self.pointed_at.emit(operator)

    def _choose(self, item: QTreeWidgetItem) -> None:
        operator = item.data(0, ROLE)
        if operator is not None:
            self.chosen.emit(operator)

    def _add_first(self) -> None:
        item = self.tree.currentItem() or self.tree.topLevelItem(0)
        if self.field.text().strip() and item is not None:
            self._choose(item)
