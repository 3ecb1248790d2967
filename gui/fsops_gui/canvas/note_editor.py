"""Writing a note in its place on the canvas."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QRect, Qt, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent, QTextCursor
from PyQt6.QtWidgets import QPlainTextEdit, QWidget

from fsops_gui.base.texts import tr

ROOM = (200, 80)


class NoteEditor(QPlainTextEdit):
    """A field over a note: Ctrl+Return or a click elsewhere ends it, Escape forgets the text."""

    written = pyqtSignal(str)
    """The text, when the writing has ended with a text that is kept."""
    ended = pyqtSignal()
    """The writing has ended, in whatever way."""

    def __init__(self, text: str, box: QRect, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._open = True
        self.setAccessibleName(tr("Text of the note"))
        self.setAccessibleDescription(tr("Markdown. Ctrl+Return ends, Escape leaves it as it was."))
        self.setPlaceholderText(tr("**Markdown**. Ctrl+Return ends, Escape leaves it as it was."))
        self.setTabChangesFocus(True)
        width, height = max(box.width(), ROOM[0]), max(box.height(), ROOM[1])
        left = max(0, min(box.left(), parent.width() - width))
        top = max(0, min(box.top(), parent.height() - height))
        self.setGeometry(left, top, width, height)
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.show()
        self.setFocus()

    def end(self, *, keep: bool) -> None:
        """Close the field; with ``keep`` emit the text."""
        if not self._open:
            return
        self._open = False
        text = self.toPlainText().strip()
        self.hide()
        self.deleteLater()
        self.ended.emit()
        if keep:
            self.written.emit(text)

    def event(self, e: QEvent | None) -> bool:
        """Keep all keys while the user types: they are not actions of the window."""
        if e is not None and e.type() == QEvent.Type.ShortcutOverride:
            e.accept()
            return True
        return super().event(e)

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        """End with Ctrl+Return, or with Escape as if nothing had been written."""
        assert e is not None
        control = e.modifiers() & Qt.KeyboardModifier.ControlModifier
        if e.key() == Qt.Key.Key_Escape:
            self.end(keep=False)
        elif e.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and control:
            self.end(keep=True)
        else:
            super().keyPressEvent(e)

    def focusOutEvent(self, e: QFocusEvent | None) -> None:
        """End when another place is clicked, but not for a menu of the field itself."""
        super().focusOutEvent(e)
        if e is not None and e.reason() != Qt.FocusReason.PopupFocusReason:
            self.end(keep=True)
