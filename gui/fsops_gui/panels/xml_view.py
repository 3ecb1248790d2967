"""The process as XML: edited live, with the differences from the saved file."""

from __future__ import annotations

import difflib
import re

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QPalette,
    QShowEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
)
from PyQt6.QtWidgets import QLabel, QPlainTextEdit, QTabWidget, QTextEdit, QVBoxLayout, QWidget

from fsops.core.registry import Registry
from fsops.errors import FsopsError, ProcessFileError
from fsops.storage import read_process
from fsops.storage.process_reader import parse_process
from fsops.storage.process_writer import format_process
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.document.document import Document

PAUSE = 500
"""Milliseconds after the last key until the text is read."""
_TAG = re.compile(r"</?[A-Za-z][\w.-]*|/?>")
_VALUE = re.compile(r'"[^"]*"')
_NAME = re.compile(r"\b[\w-]+(?==)")


class XmlPanel(QTabWidget):
    """Two pages: the text, and the lines that differ from the saved file.

    A text that can be read becomes the process, as one step that can be undone. Otherwise the
    sentence below names the mistake with line and column, and the process stays as it was.
    """

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self._registry = registry
        self._document: Document | None = None
        self._applying = False
        self._outdated = True
        self.setDocumentMode(True)
        self.setAccessibleName(tr("XML of the process"))
        self.editor = QPlainTextEdit()
        self.editor.setAccessibleName(tr("XML of the process"))
        self.editor.setTabChangesFocus(True)
        self.changes = QPlainTextEdit()
        self.changes.setReadOnly(True)
        self.changes.setAccessibleName(tr("Changes since the process was saved"))
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        for field in (self.editor, self.changes):
            field.setFont(fixed)
            field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._colouring = (_XmlColours(self.editor), _DiffColours(self.changes))
        self.fault = QLabel()
        self.fault.setWordWrap(True)
        self.fault.setTextFormat(Qt.TextFormat.PlainText)
        self.fault.setContentsMargins(8, 4, 8, 4)
        self.fault.hide()
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.editor)
        column.addWidget(self.fault)
        self.addTab(page, tr("Text"))
        self.addTab(self.changes, tr("Changes since saved"))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.apply)
        self.editor.textChanged.connect(self._note_typing)
        self.editor.installEventFilter(self)

    # --- showing ----------------------------------------------------------------------------

    def show_document(self, document: Document) -> None:
        """Show the process of another document."""
        if document is self._document:
            return
        if self._document is not None:
            self._finish_typing()
            self._document.changed.disconnect(self._take_change)
            self._document.file_changed.disconnect(self._show_changes)
        self._timer.stop()
        self._document = document
        document.changed.connect(self._take_change)
        document.file_changed.connect(self._show_changes)
        self._take_change()

    def _take_change(self, _change: object = None) -> None:
        if self._applying:
            self._show_changes()
            return
        self._outdated = True
        self._timer.stop()  # the text does not know this change, and would take it back
        if self._is_seen():
            self.refresh()

    def refresh(self) -> None:
        """Write the process into the editor; the cursor stays in its line."""
        if self._document is None:
            return
        self._outdated = False
        self._timer.stop()
        text = self._document.as_xml().decode()
        if text != self.editor.toPlainText():
            line = self.editor.textCursor().blockNumber()
            self.editor.blockSignals(True)
            self.editor.setPlainText(text)
            self.editor.blockSignals(False)
            self._go_to(line, 0)
        self._complain("", None, None)
        self.changes.setPlainText(differences(self._document, self._registry))

    def showEvent(self, a0: QShowEvent | None) -> None:
        """Bring the text up to date: nothing is written while the panel is hidden."""
        super().showEvent(a0)
        self.catch_up()

    def catch_up(self, seen: bool = True) -> None:
        """Write the text if the panel is seen again after a change."""
        if seen and self._outdated:
            self.refresh()

    def _is_seen(self) -> bool:
        """Return whether the panel is in front: Qt also calls panels behind it visible."""
        return self.isVisible() and not self.visibleRegion().isEmpty()

    def _show_changes(self) -> None:
        document = self._document
        if document is not None and self._is_seen():
            self.changes.setPlainText(differences(document, self._registry))

    # --- editing ----------------------------------------------------------------------------

    def _note_typing(self) -> None:
        self._timer.start(PAUSE)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Read the text at once where one goes elsewhere."""
        if a1 is not None and a1.type() == QEvent.Type.FocusOut:
            self._finish_typing()
        return super().eventFilter(a0, a1)

    def _finish_typing(self) -> None:
        if self._timer.isActive():
            self.apply()

    def apply(self) -> None:
        """Make the text the process, or say where it is wrong."""
        document = self._document
        if document is None:
            return
        self._timer.stop()
        try:
            process = parse_process(self.editor.toPlainText().encode(), self._registry)
        except ProcessFileError as error:
            self._complain_at(error)
            return
        except FsopsError as error:
            self._complain(str(error), None, None)
            return
        process.readable = document.process.readable
        self._complain("", None, None)
        self._applying = True
        try:
            document.take_over(tr("Edit XML"), process)
        finally:
            self._applying = False

    def _complain_at(self, error: ProcessFileError) -> None:
        """Show an error of the reader; an element begins at the first letter of its line."""
        text, line, column = str(error), error.line, error.column
        if line is not None and column is None:
            content = self.editor.toPlainText().splitlines()
            there = content[line - 1] if line <= len(content) else ""
            column = len(there) - len(there.lstrip()) + 1
            text = text.replace(f"line {line}:", f"line {line}, column {column}:", 1)
        self._complain(text, line, column)

    def _complain(self, text: str, line: int | None, column: int | None) -> None:
        """Show a sentence and mark its line; nothing if all is well."""
        palette, colours = self.fault.palette(), current_colours()
        palette.setColor(QPalette.ColorRole.WindowText, colours.error)
        self.fault.setPalette(palette)
        self.fault.setText(text[:1].upper() + text[1:])
        self.fault.setVisible(bool(text))
        self.editor.setAccessibleDescription(text)
        marks = []
        if line is not None:
            mark = QTextEdit.ExtraSelection()
            tint = QColor(colours.error)
            tint.setAlpha(50)
            mark.format.setBackground(tint)
            mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
            mark.cursor = self._cursor_at(line - 1, (column or 1) - 1)
            marks.append(mark)
        self.editor.setExtraSelections(marks)

    def _cursor_at(self, line: int, column: int) -> QTextCursor:
        content = self.editor.document()
        assert content is not None
        block = content.findBlockByNumber(min(line, content.blockCount() - 1))
        cursor = QTextCursor(block)
        ahead = min(column, max(block.length() - 1, 0))
        cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.MoveAnchor, ahead)
        return cursor

    def _go_to(self, line: int, column: int) -> None:
        self.editor.setTextCursor(self._cursor_at(line, column))


def differences(document: Document, registry: Registry) -> str:
    """Return the lines in which a process differs from its file, both as fsops writes them."""
    if document.path is None:
        return tr("The process has no file yet.")
    try:
        saved = format_process(read_process(document.path, registry)).decode()
    except FsopsError as error:
        return str(error)
    now = document.as_xml().decode()
    lines = difflib.unified_diff(
        saved.splitlines(),
        now.splitlines(),
        tr("saved: {name}", name=document.title),
        tr("now"),
        lineterm="",
    )
    return "\n".join(lines) or tr("The process is as saved.")


class _Colouring(QSyntaxHighlighter):
    """Colors of the theme, taken again for each line."""

    def __init__(self, field: QPlainTextEdit) -> None:
        super().__init__(field.document())

    def paint(self, start: int, count: int, colour: QColor, *, bold: bool = False) -> None:
        """Give a part of the line a color."""
        form = QTextCharFormat()
        form.setForeground(colour)
        if bold:
            form.setFontWeight(QFont.Weight.DemiBold)
        self.setFormat(start, count, form)


class _XmlColours(_Colouring):
    """Tags, names of attributes and values."""

    def highlightBlock(self, text: str | None) -> None:
        """Color one line."""
        colours, line = current_colours(), text or ""
        for pattern, colour in (
            (_TAG, colours.selected),
            (_NAME, colours.secondary),
            (_VALUE, colours.ports["model"]),
        ):
            for found in pattern.finditer(line):
                self.paint(found.start(), len(found.group()), colour)


class _DiffColours(_Colouring):
    """Lines that were added or removed."""

    def highlightBlock(self, text: str | None) -> None:
        """Color one line."""
        colours, line = current_colours(), text or ""
        if line.startswith(("+++", "---", "@@")):
            self.paint(0, len(line), colours.faint, bold=True)
        elif line.startswith("+"):
            self.paint(0, len(line), colours.done)
        elif line.startswith("-"):
            self.paint(0, len(line), colours.error)
