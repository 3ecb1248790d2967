"""Where one looks: levels, zoom, panels, colours."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fsops_gui import dialogs
from fsops_gui.actions import SPECS
from fsops_gui.command_palette import Command, CommandPalette
from fsops_gui.examples import example_files
from fsops_gui.texts import tr
from fsops_gui.theme import apply_theme

if TYPE_CHECKING:
    from fsops_gui.window import Window


class Looking:
    """Where one looks: levels, zoom, panels, colours."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def enter(self) -> None:
        """Show the inner processes of the selected operator."""
        self._window.session.editor.view.open_selected()

    def go_up(self) -> None:
        """Show the process around the one shown."""
        self._window.session.editor.scene.go_up()

    def zoom_in(self) -> None:
        """Show the canvas larger."""
        self._window.session.editor.view.zoom_in()

    def zoom_out(self) -> None:
        """Show the canvas smaller."""
        self._window.session.editor.view.zoom_out()

    def zoom_reset(self) -> None:
        """Show the canvas in its own size."""
        self._window.session.editor.view.set_zoom(1.0)

    def zoom_fit(self) -> None:
        """Show everything."""
        self._window.session.editor.view.fit()

    def show_process(self) -> None:
        """Show the canvas."""
        self._window.tabs.setCurrentWidget(self._window.session.editor)
        self._window.session.editor.view.setFocus()

    def show_results(self) -> None:
        """Show the results."""
        self._window.tabs.setCurrentWidget(self._window.results)

    def go_to_parameters(self) -> None:
        """Go to the first parameter of the selected operator."""
        self._window.docks["parameters"].show()
        rows = [row for row in self._window.session.parameters.rows.values() if row.visible]
        if rows:
            rows[0].field.setFocus()

    def find_anything(self) -> None:
        """Search actions, operators and files at once."""
        CommandPalette(self._commands(), self._window).open()

    def _commands(self) -> list[Command]:
        commands = [
            Command(
                tr(spec.menu), tr(spec.text), self._window.actions_table.by_name[spec.name].trigger
            )
            for spec in SPECS
        ]
        for node in self._window.session.document.process.walk():
            commands.append(
                Command(tr("On the canvas"), node.name, partial(self._window.reveal, node.name))
            )
        for operator in self._window.registry:
            words = " ".join((operator.key, *operator.tags, *operator.aliases.keys))
            title = tr("Add {name}", name=operator.title)
            commands.append(
                Command(operator.group, title, partial(self._window.editing.add, operator), words)
            )
        examples = example_files()
        for path in [*self._window.settings.recent(), *examples]:
            is_example = path in examples
            act = partial(
                self._window.files.open_example if is_example else self._window.files.open_file,
                path,
            )
            commands.append(Command(tr("Example") if is_example else tr("File"), path.stem, act))
        return commands

    def search_operators(self) -> None:
        """Go to the search of the palette."""
        self._window.docks["operators"].show()
        self._window.docks["operators"].raise_()
        self._window.palette_panel.field.setFocus()
        self._window.palette_panel.field.selectAll()

    def show_help(self) -> None:
        """Show the help of the selected operator."""
        self._window.show_help_of_selected()
        self._window.docks["help"].show()
        self._window.docks["help"].raise_()

    def show_shortcuts(self) -> None:
        """List all shortcuts."""
        dialogs.ShortcutsDialog(self._window).open()

    def choose_theme(self, theme: str) -> None:
        """Change the colours."""
        self._window.settings.choose("theme", theme)
        apply_theme(theme)
        self._window.session.editor.scene.redraw()
        self._window.paint_icons()
