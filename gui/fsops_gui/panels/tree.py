"""The operators of the process as a tree: the canvas for keyboards and screen readers."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QTreeWidget, QTreeWidgetItem

from fsops.core.process import Process
from fsops_gui.document import Document
from fsops_gui.texts import tr

ROLE = Qt.ItemDataRole.UserRole


class OperatorList(QTreeWidget):
    """All operators, inner ones under the inner process they stand in."""

    spot_wanted = pyqtSignal(str)

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self.setHeaderHidden(True)
        self.setAccessibleName(tr("Operators of the process"))
        self.itemActivated.connect(self._go)
        self.itemClicked.connect(self._go)
        document.changed.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        self.clear()
        self._add(self.invisibleRootItem(), self._document.process)
        self.expandAll()

    def _add(self, parent: QTreeWidgetItem | None, process: Process) -> None:
        for node in process:
            off = "" if node.enabled else f" ({tr('off')})"
            item = QTreeWidgetItem(parent, [f"{node.name}{off}"])
            item.setData(0, ROLE, node.name)
            sources = ", ".join(
                f"{start[0]}.{start[1]}" for start in process.incoming(node.name).values()
            )
            words = tr("{kind}, fed from {sources}", kind=node.operator.title, sources=sources)
            item.setData(0, Qt.ItemDataRole.AccessibleDescriptionRole, words)
            item.setToolTip(0, words if sources else node.operator.title)
            for inner in node.subprocesses:
                level = QTreeWidgetItem(item, [inner.name])
                self._add(level, inner)

    def _go(self, item: QTreeWidgetItem) -> None:
        name = item.data(0, ROLE)
        if name:
            self.spot_wanted.emit(name)
