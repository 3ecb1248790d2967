"""The commands of building blocks: save, insert, rename, delete, import and export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtWidgets import QMenu

from fsops.core.graph.process import Process
from fsops.editing.blocks import BlockLibrary, BuildingBlock, block_of, insert_block
from fsops.editing.layout import Place
from fsops.errors import FsopsError
from fsops_gui.base.settings import blocks_folder
from fsops_gui.base.texts import tr
from fsops_gui.canvas.selection import LevelSelection
from fsops_gui.commands.context import CommandContext
from fsops_gui.dialogs import questions
from fsops_gui.dialogs.block import BlockDialog
from fsops_gui.dialogs.file_choice import ask_for_file, ask_to_open
from fsops_gui.panels.palette import Palette


class BlockCommands:
    """Saves selected operators as blocks, and inserts blocks into the process in front."""

    def __init__(
        self, context: CommandContext, *, palette: Palette, show_process: Callable[[], None]
    ) -> None:
        self._context = context
        self._palette = palette
        self._show_process = show_process
        self.library = BlockLibrary(blocks_folder())
        palette.blocks = self.blocks
        palette.block_chosen.connect(self.insert)
        palette.block_menu_wanted.connect(self._open_menu)
        palette.block_rename_wanted.connect(self.rename)
        palette.block_delete_wanted.connect(self.delete)

    def blocks(self) -> list[BuildingBlock]:
        """Return the blocks; a file that cannot be read is reported in the status bar."""
        found = self.library.blocks()
        if self.library.problems:
            self._context.say(self.library.problems[0])
        return found

    # --- saving -----------------------------------------------------------------------------

    def save_block(self) -> None:
        """Ask for a name, and save the selected operators as a block."""
        scene = self._context.scene
        chosen = scene.selected().get(scene.active, LevelSelection())
        notes = [spot.number for spot in chosen.notes if spot.owner is None]
        part = block_of(self._context.document.level(scene.active), chosen.names, notes)
        dialog = BlockDialog(tr("Save as a building block"), self._context.parent, chosen.names[0])

        def save(name: str, about: str) -> None:
            block = self.library.save(name, about, part)
            self._palette.show_blocks(block.name)
            self._context.say(
                tr("Saved {name}. It is in the palette, under Building blocks.", name=block.name)
            )

        self._ask(dialog, save)

    def _ask(self, dialog: BlockDialog, take: Callable[[str, str], None]) -> None:
        """Open a dialog; a name that is not possible leaves it open with the reason."""

        def accept() -> None:
            try:
                take(dialog.name.text(), dialog.about.toPlainText())
            except FsopsError as error:
                dialog.refuse(str(error))
            else:
                dialog.accept()

        dialog.buttons.accepted.disconnect()
        dialog.buttons.accepted.connect(accept)
        dialog.open()

    # --- inserting --------------------------------------------------------------------------

    def insert(self, block: BuildingBlock) -> None:
        """Insert a block behind the selected operator, as one step."""
        self._context.attempt(lambda: self._insert(self.library.open(block), block.name, None))

    def drop(self, file: Path, point: QPointF) -> None:
        """Insert the block of a file at a point of the canvas."""
        block = next((b for b in self.blocks() if b.file == file), None)
        if block is None:
            return
        frame, place = self._context.scene.place_at(point)
        self._context.scene.activate(frame.level)
        self._context.attempt(lambda: self._insert(self.library.open(block), block.name, place))

    def _insert(self, part: Process, name: str, place: Place | None) -> None:
        self._show_process()
        scene, view = self._context.scene, self._context.view
        level = scene.active
        shown = scene.frame_of(level).operators
        after = next((n for n in scene.selected_names() if n in shown), None)
        names = self._context.document.edit(
            tr("Insert {name}", name=name), lambda p: insert_block(level.of(p), part, place, after)
        )
        scene.select(names)
        for item in reversed(scene.selectedItems()):
            view.ensureVisible(item)
        view.setFocus()

    # --- changing ---------------------------------------------------------------------------

    def rename(self, block: BuildingBlock) -> None:
        """Ask for another name and description of a block."""
        title = tr("Rename {name}", name=block.name)
        dialog = BlockDialog(title, self._context.parent, block.name, block.description)

        def take(name: str, about: str) -> None:
            self._palette.show_blocks(self.library.rename(block, name, about).name)

        self._ask(dialog, take)

    def delete(self, block: BuildingBlock) -> None:
        """Delete a block after a question; processes that use a copy keep it."""
        if questions.ask_delete(self._context.parent, block.name):
            self._context.attempt(lambda: self.library.delete(block))
            self._palette.show_blocks()

    def import_block(self) -> None:
        """Take a process file over as a block."""
        kinds = tr("Building blocks") + " (*.xml)"
        chosen = ask_to_open(self._context.parent, "block", tr("Import a block"), kinds, None)
        if chosen:
            block = self.library.add_file(Path(chosen))
            self._palette.show_blocks(block.name)
            self._context.say(tr("Added the building block {name}.", name=block.name))

    def export(self, block: BuildingBlock) -> None:
        """Write a block to a file."""
        kinds = {"xml": tr("Building block")}
        path = ask_for_file(self._context.parent, "block", block.file.stem, kinds)
        if path is not None:
            self._context.attempt(lambda: self.library.export(block, path))
            self._context.say(tr("Written: {path}", path=path))

    def _open_menu(self, block: BuildingBlock | None, point: QPoint) -> None:
        menu = self.menu_of(block)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def menu_of(self, block: BuildingBlock | None) -> QMenu:
        """Return the menu of a block, or with None of the section."""
        menu = QMenu(self._context.parent)
        choices: list[tuple[str, Callable[[], object]]] = []
        if block is not None:
            choices = [
                (tr("Insert"), lambda: self.insert(block)),
                (tr("Rename…"), lambda: self.rename(block)),
                (tr("Export…"), lambda: self.export(block)),
                (tr("Delete"), lambda: self.delete(block)),
            ]
        choices.append((tr("Import…"), lambda: self._context.attempt(self.import_block)))
        for words, act in choices:
            action = menu.addAction(words)
            assert action is not None
            action.triggered.connect(lambda _on=False, a=act: a())
        return menu
