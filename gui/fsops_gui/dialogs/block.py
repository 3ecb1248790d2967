"""The dialog for the name and the description of a building block."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QFormLayout, QLabel, QLineEdit, QPlainTextEdit, QWidget

from fsops_gui.base.texts import tr
from fsops_gui.widgets.buttons import ok_and_cancel


class BlockDialog(QDialog):
    """Name and description; OK is offered as soon as there is a name."""

    def __init__(self, title: str, parent: QWidget, name: str = "", about: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setMinimumWidth(420)
        self.name = QLineEdit(name)
        self.name.setAccessibleName(tr("Name"))
        self.about = QPlainTextEdit(about)
        self.about.setAccessibleName(tr("Description"))
        self.about.setTabChangesFocus(True)
        self.about.setMaximumHeight(90)
        self.problem = QLabel()
        self.problem.setObjectName("faint")
        self.problem.setWordWrap(True)
        self.problem.hide()
        self.buttons = ok_and_cancel(self)
        form = QFormLayout(self)
        form.addRow(tr("Name"), self.name)
        form.addRow(tr("Description"), self.about)
        form.addRow(self.problem)
        form.addRow(self.buttons)
        self.name.textChanged.connect(self._check)
        self.name.selectAll()
        self._check()

    def _check(self) -> None:
        button = self.buttons.button(self.buttons.StandardButton.Ok)
        if button is not None:
            button.setEnabled(bool(self.name.text().strip()))
        self.problem.hide()

    def refuse(self, why: str) -> None:
        """Say why the name is not possible; the dialog stays open."""
        self.problem.setText(why)
        self.problem.show()
        self.name.setFocus()
