"""The dialog that shows the table an operator reads with its current parameters."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QLabel, QTableView, QVBoxLayout, QWidget

from fsops.core.graph.process import Node, Process
from fsops.data import ExampleSet, FlowObject, metadata_of
from fsops.errors import FsopsError
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.canvas.tips import in_words
from fsops_gui.widgets.tables import TableModel


def can_be_read(node: Node) -> bool:
    """Return whether an operator brings data into the process by itself."""
    reads = any(p.file is not None and not p.file.write for p in node.operator.parameters)
    return reads and not node.operator.inputs and bool(node.operator.outputs)


def read(node: Node) -> FlowObject:
    """Return the table that an operator reads; a fault is an error with a sentence."""
    from fsops.runs.run import run

    root = node.process.root
    alone = Process(root.name, seed=root.seed, macros=root.macros)
    alone.folder, alone.readable = root.folder, root.readable
    alone.result(alone.add(node.operator, **node.parameters))
    found: FlowObject = run(alone, engine="serial", summarize=False).results[0]
    return found


class PreviewDialog(QDialog):
    """The table that an operator reads; it is read in a thread."""

    def __init__(self, node: Node, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Preview of {name}", name=node.name))
        self.told = QLabel(tr("Reading …"))
        self.told.setWordWrap(True)
        self.table = QTableView()
        self.table.setAccessibleName(tr("Preview"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.told)
        layout.addWidget(self.table, 1)
        self.resize(640, 420)
        in_background(self, lambda: read(node), self._show, self._fail)

    def _show(self, found: FlowObject) -> None:
        if not isinstance(found, ExampleSet):
            self.told.setText(tr("This is {what}, not a table.", what=type(found).phrase()))
            self.table.hide()
            return
        self.told.setText(in_words(metadata_of(found)))
        self.model = TableModel(found, kinds=True)
        self.table.setModel(self.model)

    def _fail(self, error: Exception) -> None:
        self.table.hide()
        if not isinstance(error, FsopsError):
            raise error
        self.told.setText(f"✖ {error}")
