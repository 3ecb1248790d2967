"""The common part of all views of a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from fsops.data import FlowObject
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.panels.results.exports import Cells

LOWEST = 150
"""Height of a page below which its fields would leave too little to the content."""


def _focus() -> QWidget | None:
    return QApplication.focusWidget()


class Page(QWidget):
    """A view of a result."""

    said = pyqtSignal(str)
    """A sentence for the user."""
    compare_wanted = pyqtSignal(str, object)
    """A title and weights, to be put beside others."""
    bar: QWidget | None = None
    """The fields above the content; a low page leaves them out."""

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Leave a low page to its content."""
        super().resizeEvent(a0)
        if self.bar is not None:
            self.bar.setVisible(self.height() >= LOWEST or self.bar.isAncestorOf(_focus()))

    def cells(self) -> Cells | None:
        """Return what "Copy as" takes: headings and rows; None where there is no table."""
        return None


class TextPage(Page):
    """A result as text."""

    def __init__(self, text: str, name: str = "") -> None:
        super().__init__()
        self.field = QPlainTextEdit(text)
        self.field.setReadOnly(True)
        self.field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.field.setAccessibleName(name or tr("Text"))
        font = self.field.font()
        font.setFamilies(["DejaVu Sans Mono", "Consolas", "Menlo", "monospace"])
        self.field.setFont(font)
        filled(self, self.field)

    def cells(self) -> Cells | None:
        """Return the lines, one below the other."""
        return [[line] for line in self.field.toPlainText().splitlines()]


class LaterPage(Page):
    """A page whose content takes a while: it is worked out in a thread."""

    def __init__(self, work: Callable[[], Any], build: Callable[[Any], Page]) -> None:
        super().__init__()
        self.inner: Page | None = None
        self._build = build
        self.note = QLabel(tr("One moment…"))
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.note.setWordWrap(True)
        filled(self, self.note)
        in_background(self, work, self._show, self._tell)

    def _show(self, value: Any) -> None:
        self.inner = self._build(value)
        self.inner.said.connect(self.said)
        self.inner.compare_wanted.connect(self.compare_wanted)
        layout = self.layout()
        assert layout is not None
        layout.replaceWidget(self.note, self.inner)
        self.note.hide()

    def _tell(self, error: Exception) -> None:
        self.note.setText(tr("This cannot be shown: {why}", why=error))

    def cells(self) -> Cells | None:
        """Return the text of the inner page."""
        return None if self.inner is None else self.inner.cells()


def filled(widget: QWidget, *inside: QWidget) -> None:
    """Put widgets below each other into another, without a margin; the last one stretches."""
    layout = QVBoxLayout(widget)
    layout.setContentsMargins(0, 0, 0, 0)
    for child in inside:
        layout.addWidget(child, int(child is inside[-1]))


def text_of(value: FlowObject) -> str:
    """Return a result as the terminal shows it."""
    import io

    from rich.console import Console

    from fsops.report.terminal import show

    console = Console(file=io.StringIO(), width=120, no_color=True)
    console.print(show(value, TEXT_ROWS))
    shown: str = console.file.getvalue()  # type: ignore[attr-defined]
    return shown.rstrip()


TEXT_ROWS = 200
