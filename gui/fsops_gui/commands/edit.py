"""The commands of the menus Edit and Arrange."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QCursor, QGuiApplication

from fsops.core.operator import Operator
from fsops.editing import alignment
from fsops.editing.chosen_attributes import LEAVE_OUT, PRIOR, use_attributes
from fsops.editing.layout import Place
from fsops.editing.levels import Spot, place_of_change
from fsops_gui.base.texts import tr
from fsops_gui.canvas.look import SCALE
from fsops_gui.canvas.note_item import colour_menu
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.canvas.selection import LevelSelection
from fsops_gui.commands.context import CommandContext
from fsops_gui.document.document import Document

DETACHED = 20
"""How far under its operator a note is put that is taken off it."""


class EditCommands:
    """The commands of the menus Edit and Arrange, and breakpoints."""

    def __init__(self, context: CommandContext, show_process: Callable[[], None]) -> None:
        self._context = context
        self._show_process = show_process

    @property
    def _scene(self) -> ProcessScene:
        return self._context.scene

    @property
    def _document(self) -> Document:
        return self._context.document

    def _chosen_here(self) -> LevelSelection:
        """Return the selected items of the active level."""
        return self._scene.selected().get(self._scene.active, LevelSelection())

    def _selected_here(self) -> list[str]:
        """Return the selected operators of the active level."""
        return self._chosen_here().names

    def comes_to_front(self) -> bool:
        """Return whether the selected items are visible; if not, show them first."""
        session = self._context.session
        if session.editor.isVisible() or session.operators.hasFocus():
            return True
        self._show_process()
        self._context.say(tr("This changes the selected items of the process. Here it is."))
        return False

    def undo(self) -> None:
        """Take the last step back."""
        stack = self._document.undo_stack
        self._travel(stack.undo, tr("Taken back: {step}", step=stack.undoText()))

    def redo(self) -> None:
        """Do the step again that was taken back."""
        stack = self._document.undo_stack
        self._travel(stack.redo, tr("Done again: {step}", step=stack.redoText()))

    def _travel(self, step: Callable[[], None], said: str) -> None:
        """Take a step of the history, and go where it shows."""
        before = self._document.process
        step()
        after = self._document.process
        if after is before:
            return
        self._context.say(said)
        where = place_of_change(before, after)
        if where is None:
            return
        level, names = where
        if level.owner != self._scene.owner:
            self._scene.enter(level.owner)
        self._scene.activate(level)
        if names:
            self._scene.select(names)
            self._context.view.ensureVisible(self._scene.item_of(names[0]))

    def add(self, operator: Operator) -> None:
        """Show the canvas and add an operator to the active level, after the selected one."""
        self._show_process()
        self._context.attempt(lambda: self._add(operator))

    def _add(self, operator: Operator) -> None:
        scene = self._scene
        shown = scene.frame_of(scene.active).operators
        after = next((n for n in scene.selected_names() if n in shown), None)
        name = self._document.add(scene.active, operator, None, after)
        scene.select([name])
        self._context.view.ensureVisible(scene.item_of(name))

    def add_operator(self) -> None:
        """Search for an operator to add."""
        self._show_process()
        self._context.view.begin_adding()

    def replace(self) -> None:
        """Search for an operator to put in the place of the selected one."""
        self._context.view.begin_replacing()

    def rename(self) -> None:
        """Rename the selected operator."""
        self._context.view.begin_renaming()

    def use_attributes(self, operator: str, port: str, names: list[str], how: str) -> None:
        """Add an operator for attributes that were chosen in the results, and show it."""
        registry, process = self._context.registry, self._document.process
        if operator not in {node.name for node in process.walk()}:
            self._context.say(tr("{name} is no longer in the process.", name=operator))
            return
        spec = registry["prior_knowledge" if how == PRIOR else "select_attributes"]
        leave_out = how == LEAVE_OUT
        name = self._document.edit(
            tr("Use the chosen attributes"),
            lambda p: use_attributes(p, spec, (operator, port), names, leave_out=leave_out).name,
        )
        self._show_process()
        self._context.view.reveal(name)
        self._context.say(
            tr(
                "Added {name} with {n} attributes. If they were chosen with all rows, a validation "
                "on the same rows is optimistic.",
                name=name,
                n=len(names),
            )
        )

    def toggle_enabled(self) -> None:
        """Switch the selected operators off, or on again."""
        names = self._scene.selected_names()
        process = self._document.process
        if names:
            off = any(process.find(name).enabled for name in names)
            self._document.set_enabled(names, not off)

    def connect_selected(self) -> None:
        """Connect the selected operators: their open inputs, or else their results."""
        for level, chosen in self._scene.selected().items():
            self._document.wire_up(level, chosen.names)

    # --- notes ------------------------------------------------------------------------------

    def write_note(self) -> None:
        """Write a note: of the selected operator, of the selected note, or a new one."""
        scene, writing = self._scene, self._context.view.text_fields
        spot = scene.selected_note()
        names = scene.selected_names()
        if spot is not None and not names:
            writing.write_note(spot)
        elif names:
            level = self._document.level_of(names[0])
            writing.write_note(Spot(level, owner=names[0]))
        else:
            bottom = round(scene.frame_of(scene.active).rect().bottom() / SCALE)
            writing.write_new_note(scene.active, (45, max(bottom - 80, 34)))

    def colour_note(self) -> None:
        """Choose the color of the selected note, or of the note of the selected operator."""
        spot = self._chosen_note()
        if spot is None:
            self._context.say(tr("Select a note first."))
            return
        menu = colour_menu(self._context.parent)
        menu.triggered.connect(
            lambda action: self._document.change_note(spot, colour=action.data())
        )
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(QCursor.pos())

    def _chosen_note(self) -> Spot | None:
        spot = self._scene.selected_note()
        if spot is not None:
            return spot
        for name in self._scene.selected_names()[:1]:
            if self._document.process.find(name).note is not None:
                return Spot(self._document.level_of(name), owner=name)
        return None

    def attach_note(self) -> None:
        """Hang the selected note on the selected operator, or take it off."""
        scene, document = self._scene, self._document
        spot, names = self._chosen_note(), scene.selected_names()
        if spot is None:
            self._context.say(tr("Select a note, and the operator to attach it to."))
        elif spot.owner is not None:
            item, frame = scene.note_of(spot), scene.frame_of(spot.level)
            if item is not None:
                place = item.scenePos() - frame.pos()
                at = (round(place.x() / SCALE), round(place.y() / SCALE) + DETACHED)
                document.free_note(spot, at)
        elif not names:
            self._context.say(tr("Also select the operator to attach the note to."))
        else:
            document.attach_note(spot, names[0])

    # --- levels, order, breakpoints ---------------------------------------------------------

    def wrap(self) -> None:
        """Put the selected operators into a Subprocess."""
        chosen, level = self._chosen_here(), self._scene.active
        if not chosen.names:
            self._context.say(tr("Select the operators to put together."))
            return
        operator = self._context.registry["subprocess"]
        self._scene.select([self._document.wrap(level, chosen.names, operator, chosen.notes)])

    def wrap_into(self) -> None:
        """Search for an operator to put the selected ones into."""
        self._context.view.chooser.begin_wrapping()

    def unwrap(self) -> None:
        """Replace the selected operator by its inner operators."""
        names = self._scene.selected_names()
        if not names:
            self._context.say(tr("Select an operator to unwrap."))
            return
        self._scene.select(self._document.unwrap(names[0]))

    def next_level(self) -> None:
        """Go to the next inner process beside this one, after the last to the first."""
        view, scene = self._context.view, self._scene
        self._show_process()
        if not view.next_level():
            scene.activate(scene.frames[0].level)

    def toggle_order(self) -> None:
        """Show in which order the operators run, or no longer."""
        self._scene.show_order(not self._scene.numbered)

    def shows_order(self) -> bool:
        """Return whether the order is shown."""
        return self._scene.numbered

    def run_first(self) -> None:
        """Let the selected operators run as early as their inputs allow."""
        self._document.run_first(self._scene.active, self._selected_here())

    def breakpoint_after(self) -> None:
        """Set or remove the breakpoint after the selected operators."""
        self._toggle_breakpoint("after")

    def breakpoint_before(self) -> None:
        """Set or remove the breakpoint before the selected operators."""
        self._toggle_breakpoint("before")

    def _toggle_breakpoint(self, moment: str) -> None:
        names = self._scene.selected_names()
        if names:
            self._document.set_breakpoint(names, moment, not self._stops(moment))

    def _stops(self, moment: str) -> bool:
        process = self._document.process
        names = self._scene.selected_names()
        return bool(names) and all(moment in process.find(name).breakpoints for name in names)

    def stops_after(self) -> bool:
        """Return whether there is a breakpoint after all selected operators."""
        return self._stops("after")

    def stops_before(self) -> bool:
        """Return whether there is a breakpoint before all selected operators."""
        return self._stops("before")

    def clear_breakpoints(self) -> None:
        """Remove the breakpoints of all operators."""
        self._document.clear_breakpoints()

    # --- finding ----------------------------------------------------------------------------

    def find(self) -> None:
        """Find words in the process."""
        self._show_process()
        self._context.session.editor.find_bar.open_bar()

    def find_next(self) -> None:
        """Go to the next match."""
        self._context.session.editor.find_bar.find_next()

    def find_previous(self) -> None:
        """Go to the match before."""
        self._context.session.editor.find_bar.find_previous()

    # --- clipboard --------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy the selected operators and notes as the text of a process."""
        text = self._copied()
        board = QGuiApplication.clipboard()
        if text and board is not None:
            board.setText(text)

    def _copied(self) -> str:
        """Return the selected items of the active level as a text; empty if there are none."""
        chosen = self._chosen_here()
        if not chosen.names and not any(spot.owner is None for spot in chosen.notes):
            return ""
        return self._document.copied(self._scene.active, chosen.names, chosen.notes)

    def cut(self) -> None:
        """Copy the selected items of the active level and delete them there."""
        chosen = self._chosen_here()
        if self._copied():
            self.copy()
            self._document.delete(self._scene.active, chosen.names, (), chosen.notes)

    def paste(self) -> None:
        """Put in the operators that the clipboard holds."""
        board = QGuiApplication.clipboard()
        if board is not None and board.text().strip():
            self._paste(board.text())

    def duplicate(self) -> None:
        """Put a copy of the selected operators beside them."""
        text = self._copied()
        if text:
            self._paste(text, tr("Duplicate"))

    def _paste(self, text: str, words: str = "") -> None:
        """Insert the operators of a text, select them, and show them."""
        scene, view = self._scene, self._context.view
        inside = self._document.level(scene.active)
        empty, old = not len(inside), len(inside.notes)
        names = self._document.paste(scene.active, text, words)
        notes = range(old, len(self._document.level(scene.active).notes))
        scene.select(names, [Spot(scene.active, number) for number in notes])
        if empty:
            view.fit_readable()
        for item in reversed(scene.selectedItems()):
            view.ensureVisible(item)

    def delete(self) -> None:
        """Delete the selected items; connections continue where types fit."""
        document = self._document
        groups = self._scene.selected()
        document.undo_stack.beginMacro(tr("Delete")) if len(groups) > 1 else None
        for level, chosen in groups.items():
            document.delete(level, chosen.names, chosen.wires, chosen.notes)
        document.undo_stack.endMacro() if len(groups) > 1 else None

    def select_all(self) -> None:
        """Select all operators of the level."""
        self._scene.select_all()

    def arrange(self) -> None:
        """Put the operators of the level in order."""
        scene = self._scene
        items = scene.frame_of(scene.active).operators
        heights = {name: round(item.room().height() / SCALE) for name, item in items.items()}
        self._document.arrange(scene.active, heights)

    def add_bend(self) -> None:
        """Add a bend point to the wire that is selected, or of the selected operator or port."""
        self._scene.bends.add()

    def remove_bends(self) -> None:
        """Let the selected wire find its way itself."""
        self._scene.bends.remove()

    def align_left(self) -> None:
        """Put the left sides of the selected operators in line."""
        self._align("left")

    def align_right(self) -> None:
        """Put the right sides of the selected operators in line."""
        self._align("right")

    def align_top(self) -> None:
        """Put the upper sides of the selected operators in line."""
        self._align("top")

    def align_bottom(self) -> None:
        """Put the lower sides of the selected operators in line."""
        self._align("bottom")

    def align_centre(self) -> None:
        """Put the selected operators one above the other."""
        self._align("centre")

    def align_middle(self) -> None:
        """Put the selected operators in a row."""
        self._align("middle")

    def distribute_across(self) -> None:
        """Make the gaps between the selected operators equal, from left to right."""
        self._place(lambda boxes: alignment.distributed(boxes, "across"), least=3)

    def distribute_down(self) -> None:
        """Make the gaps between the selected operators equal, from top to bottom."""
        self._place(lambda boxes: alignment.distributed(boxes, "down"), least=3)

    def _align(self, side: str) -> None:
        self._place(lambda boxes: alignment.aligned(boxes, side), least=2)

    def _place(
        self, placed: Callable[[dict[str, alignment.Box]], dict[str, Place]], least: int
    ) -> None:
        names = self._selected_here()
        if len(names) < least:
            self._context.say(tr("Select at least {n} operators of one process.", n=least))
            return
        items = self._scene.frame_of(self._scene.active).operators
        level = self._document.level(self._scene.active)
        boxes: dict[str, alignment.Box] = {}
        for name in names:
            at, item = level[name].position or {}, items[name]
            size = (round(item.width / SCALE), round(item.height / SCALE))
            boxes[name] = (at.get("x", 0), at.get("y", 0), *size)
        self._document.move(self._scene.active, placed(boxes))
