"""What the Edit menu does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtGui import QGuiApplication

from fsops.core.operator import Operator
from fsops_gui import dialogs
from fsops_gui.canvas.look import SCALE
from fsops_gui.texts import tr

if TYPE_CHECKING:
    from fsops_gui.window import Window


class Editing:
    """What the Edit menu does."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def undo(self) -> None:
        """Take the last step back."""
        self._window.session.document.undo_stack.undo()

    def redo(self) -> None:
        """Do the step again that was taken back."""
        self._window.session.document.undo_stack.redo()

    def add(self, operator: Operator) -> None:
        """Add an operator to the active level, after the selected one."""
        scene = self._window.session.editor.scene
        shown = scene.frame_of(scene.active).operators
        after = next((n for n in scene.selected_names() if n in shown), None)
        name = self._window.session.document.add(scene.active, operator, None, after)
        scene.select([name])
        self._window.session.editor.view.ensureVisible(scene.item_of(name))

    def add_operator(self) -> None:
        """Search for an operator to add."""
        self._window.session.editor.view.begin_adding()

    def replace(self) -> None:
        """Search for an operator to put in the place of the selected one."""
        self._window.session.editor.view.begin_replacing()

    def rename(self) -> None:
        """Rename the selected operator."""
        self._window.session.editor.view.begin_renaming()

    def toggle_enabled(self) -> None:
        """Switch the selected operators off, or on again."""
        names = self._window.session.editor.scene.selected_names()
        process = self._window.session.document.process
        if names:
            off = any(process.find(name).enabled for name in names)
            self._window.session.document.set_enabled(names, not off)

    def connect_selected(self) -> None:
        """Connect the selected operators: what they wait for, or else their results."""
        for level, chosen in self._window.session.editor.scene.selected().items():
            self._window.session.document.wire_up(level, chosen.names)

    def write_note(self) -> None:
        """Write a note: of the selected operator, of the selected note, or a new one."""
        scene, document = self._window.session.editor.scene, self._window.session.document
        level = scene.active
        selected = scene.selected().get(level)
        if selected and selected.names:
            name = selected.names[0]
            note = document.process.find(name).note
            self._ask_note(note.text if note else "", lambda t: document.set_note(name, t))
        elif selected and selected.notes:
            number = selected.notes[0]
            text = document.level(level).notes[number].text
            self._ask_note(text, lambda t: document.change_note(level, number, text=t))
        else:
            place = (45, round(scene.frame_of(level).rect().bottom() / SCALE))
            self._ask_note("", lambda t: t.strip() and document.add_note(level, t, place))

    def _ask_note(self, text: str, done: Callable[[str], object]) -> None:
        dialogs.NoteDialog(
            text, lambda new: self._window.attempt(partial(done, new)), self._window
        ).open()

    def copy(self) -> None:
        """Copy the selected operators as the text of a process."""
        scene = self._window.session.editor.scene
        selected = scene.selected().get(scene.active)
        board = QGuiApplication.clipboard()
        if selected and selected.names and board is not None:
            board.setText(self._window.session.document.copied(scene.active, selected.names))

    def cut(self) -> None:
        """Copy the selected operators and delete them."""
        self.copy()
        self.delete()

    def paste(self) -> None:
        """Put in the operators that the clipboard holds."""
        board = QGuiApplication.clipboard()
        scene = self._window.session.editor.scene
        if board is not None and board.text().strip():
            scene.select(self._window.session.document.paste(scene.active, board.text()))

    def duplicate(self) -> None:
        """Put a copy of the selected operators beside them."""
        scene, document = self._window.session.editor.scene, self._window.session.document
        selected = scene.selected().get(scene.active)
        if selected and selected.names:
            text = document.copied(scene.active, selected.names)
            scene.select(document.paste(scene.active, text))

    def delete(self) -> None:
        """Delete what is selected; the flow goes on where it can."""
        document = self._window.session.document
        groups = self._window.session.editor.scene.selected()
        document.undo_stack.beginMacro(tr("Delete")) if len(groups) > 1 else None
        for level, chosen in groups.items():
            document.delete(level, chosen.names, chosen.wires, chosen.notes)
        document.undo_stack.endMacro() if len(groups) > 1 else None

    def select_all(self) -> None:
        """Select all operators of the level."""
        self._window.session.editor.scene.select_all()

    def arrange(self) -> None:
        """Put the operators of the level in order."""
        scene = self._window.session.editor.scene
        items = scene.frame_of(scene.active).operators
        heights = {name: round(item.height / SCALE) for name, item in items.items()}
        self._window.session.document.arrange(scene.active, heights)
