"""Text fields over the canvas: for the name of an operator and for the text of a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit

from fsops.editing.layout import Place
from fsops.editing.levels import Level, Spot
from fsops.editing.notes import note_at
from fsops_gui.base.texts import tr
from fsops_gui.canvas.look import SCALE, TITLE
from fsops_gui.canvas.note_editor import NoteEditor

if TYPE_CHECKING:
    from fsops_gui.canvas.view import ProcessView

NEW_NOTE = (180, 60)


class NameField(QLineEdit):
    """A field for a name; Escape leaves the name as it was."""

    def event(self, a0: QEvent | None) -> bool:
        """Keep all keys while the user types: they are not actions of the window."""
        if a0 is not None and a0.type() == QEvent.Type.ShortcutOverride:
            a0.accept()
            return True
        return super().event(a0)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Keep Return and Escape from the canvas underneath."""
        assert a0 is not None
        if a0.key() == Qt.Key.Key_Escape:
            self.clear()
        if a0.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.editingFinished.emit()
            a0.accept()
        else:
            super().keyPressEvent(a0)


class TextFields(QObject):
    """Opens a field in place of a text, and applies the new text."""

    def __init__(self, view: ProcessView) -> None:
        super().__init__(view)
        self._view = view
        self._scene = view.process_scene
        self._name_field: QLineEdit | None = None
        self.note_field: NoteEditor | None = None

    # --- names ------------------------------------------------------------------------------

    def rename(self) -> None:
        """Open a field over the name of the selected operator."""
        names = self._scene.selected_names()
        item = self._scene.item_of(names[0]) if names else None
        if item is None:
            return
        box = self._on_screen(item.mapRectToScene(QRectF(0, 0, item.width, TITLE)))
        field = NameField(item.name, self._view.viewport())
        field.setAccessibleName(tr("Name of the operator"))
        field.setGeometry(box.adjusted(-2, -3, 2, 3))
        field.setMinimumWidth(140)
        field.selectAll()
        field.show()
        field.setFocus()
        self._name_field = field
        old = item.name
        field.editingFinished.connect(lambda: self._end_name(old))

    def _end_name(self, old: str) -> None:
        field, self._name_field = self._name_field, None
        if field is None:
            return
        new = field.text().strip()
        field.hide()
        field.deleteLater()
        self._view.setFocus()
        if new and new != old:
            self._scene.mouse.attempt(lambda: self._scene.document.rename(old, new))

    # --- notes ------------------------------------------------------------------------------

    def write_note(self, spot: Spot) -> None:
        """Open a field over a note, also one that an operator does not have yet."""
        note = note_at(self._scene.document.process, spot)
        item = self._scene.note_of(spot)
        if item is not None:
            self._view.ensureVisible(item)
            box = item.mapRectToScene(item.boundingRect())
        else:
            operator = self._scene.item_of(spot.owner or "")
            if operator is None:
                return
            self._view.ensureVisible(operator)
            room = QRectF(0, operator.height + 4, NEW_NOTE[0], NEW_NOTE[1])
            box = operator.mapRectToScene(room)
        field = self._open(note.text if note is not None else "", box)
        document = self._scene.document
        attempt = self._scene.mouse.attempt
        field.written.connect(lambda text: attempt(lambda: document.write_note(spot, text)))

    def write_new_note(self, level: Level, place: Place) -> None:
        """Open a field for a free note at a place."""
        frame = self._scene.frame_of(level)
        corner = frame.pos().x() + place[0] * SCALE, frame.pos().y() + place[1] * SCALE
        box = QRectF(*corner, NEW_NOTE[0] * SCALE, NEW_NOTE[1] * SCALE)
        self._view.ensureVisible(box)
        field = self._open("", box)
        document = self._scene.document

        attempt = self._scene.mouse.attempt

        def take(text: str) -> None:
            if text:
                attempt(lambda: document.add_note(level, text, place))

        field.written.connect(take)

    def _open(self, text: str, box: QRectF) -> NoteEditor:
        if self.note_field is not None:
            self.note_field.end(keep=True)
        viewport = self._view.viewport()
        assert viewport is not None
        field = NoteEditor(text, self._on_screen(box), viewport)
        field.ended.connect(self._end_note)
        self.note_field = field
        return field

    def _end_note(self) -> None:
        self.note_field = None
        self._view.setFocus()

    def _on_screen(self, box: QRectF) -> QRect:
        corner, size = self._view.mapFromScene(box.topLeft()), box.size() * self._view.zoom
        return QRect(QPoint(corner), size.toSize())
