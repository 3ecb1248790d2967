"""The bar that finds words in the process and goes from match to match, through all levels."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from fsops.editing.text_search import Match, matches
from fsops_gui.base.texts import tr
from fsops_gui.document.document import Document


class FindBar(QWidget):
    """A field, the number of the match, and the ways on, back and out."""

    wanted = pyqtSignal(object)
    """The `Match` to go to."""
    left = pyqtSignal()
    """The bar was closed; the keyboard goes back to the canvas."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._found: list[Match] = []
        self._at = -1
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find names, operators, parameters, notes"))
        self.field.setAccessibleName(tr("Find in the process"))
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(220)
        self.label = QLabel()
        self.label.setAccessibleName(tr("Matches"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 6, 2)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.label, 1)
        for text, tip, act in (
            ("▲", tr("Back (Shift+F3)"), self.find_previous),
            ("▼", tr("Next (F3)"), self.find_next),
            ("✕", tr("Close (Escape)"), self.close_bar),
        ):
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setAutoRaise(True)
            button.clicked.connect(act)
            layout.addWidget(button)
        self.field.textChanged.connect(self._begin)
        self.field.installEventFilter(self)
        document.changed.connect(self._look_again)
        self.hide()

    def open_bar(self) -> None:
        """Show the bar and write in it."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def close_bar(self) -> None:
        """Hide the bar."""
        self.hide()
        self.left.emit()

    def find_next(self) -> None:
        """Go to the next match, after the last to the first."""
        self._go(1)

    def find_previous(self) -> None:
        """Go to the match before, before the first to the last."""
        self._go(-1)

    def _begin(self) -> None:
        self._found = matches(self._document.process, self.field.text())
        self._at = -1
        if self._found:
            self._go(1)
        else:
            self._tell()

    def _look_again(self) -> None:
        if self.isVisible() and self.field.text():
            self._found = matches(self._document.process, self.field.text())
            self._at = min(self._at, len(self._found) - 1)
            self._tell()

    def _go(self, step: int) -> None:
        if not self.isVisible() and not self.field.text():
            self.open_bar()
            return
        self._found = matches(self._document.process, self.field.text())
        if self._found:
            self._at = (self._at + step) % len(self._found) if self._at >= 0 else 0
            self.wanted.emit(self._found[self._at])
        self._tell()

    def _tell(self) -> None:
        if not self.field.text().strip():
            self.label.setText("")
        elif not self._found:
            self.label.setText(tr("not found"))
        elif self._at >= 0:
            self.label.setText(
                tr(
                    "{at} of {n}: {where}",
                    at=self._at + 1,
                    n=len(self._found),
                    where=self._found[self._at].where,
                )
            )

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Return and Shift+Return go on and back, Escape leaves."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self._go(-1 if back else 1)
                return True
        return super().eventFilter(watched, event)
