"""The commands of the menus View and Help: levels, zoom, panels, colours, search."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from fsops.storage.readers import reader_of
from fsops_gui.base.actions import SPECS
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import DARK, LIGHT, SYSTEM, apply_theme
from fsops_gui.dialogs.command_palette import Command, CommandPalette
from fsops_gui.dialogs.examples import examples, study, templates
from fsops_gui.dialogs.shortcuts import ShortcutsDialog
from fsops_gui.shell.docks import give_room, titles

if TYPE_CHECKING:
    from fsops_gui.shell.window import Window


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

    def show_start(self) -> None:
        """Show the start page."""
        self._window.start_page.show_recent(self._window.settings.recent())
        self._window.tabs.setCurrentWidget(self._window.start_page)
        self._window.start_page.new_button.setFocus()

    def browse(self) -> None:
        """Go to the data and processes."""
        self._show_dock("browser")
        self._window.browser.tree.setFocus()

    def _show_dock(self, name: str) -> None:
        self._window.docks[name].show()
        self._window.docks[name].raise_()

    def reset_layout(self) -> None:
        """Put all panels back to where they stood at first."""
        self._window.restoreState(self._window.first_state)
        for dock in self._window.docks.values():
            dock.show()
        give_room(self._window, self._window.docks)

    def open_settings(self) -> None:
        """Change settings."""
        from fsops_gui.dialogs.settings import SettingsDialog

        dialog = SettingsDialog(self._window.settings, self._window)
        dialog.applied.connect(self._use_settings)
        dialog.open()

    def _use_settings(self) -> None:
        theme = self._window.settings.choice("theme", SYSTEM)
        self.choose_theme(theme)
        self._window.browser.refresh()
        self._window.say(tr("The settings hold from now on; a run that goes on is not changed."))

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
        """Search actions, operators, files and settings at once."""
        CommandPalette(self.commands(), self._window).open()

    def commands(self) -> list[Command]:
        """Return all that can be found and done."""
        return [
            *self._action_commands(),
            *self._panel_commands(),
            *self._operator_commands(),
            *self._file_commands(),
        ]

    def _action_commands(self) -> Iterator[Command]:
        actions = self._window.actions_table.by_name
        for spec in SPECS:
            if actions[spec.name].isEnabled():
                keys = "  ".join(spec.keys)
                yield Command(tr(spec.menu), tr(spec.text), actions[spec.name].trigger, keys=keys)

    def _panel_commands(self) -> Iterator[Command]:
        for name in self._window.docks:
            yield Command(tr("Panel"), titles()[name], partial(self._show_dock, name))
        themes = ((LIGHT, tr("Light colours")), (DARK, tr("Dark colours")))
        for theme, title in (*themes, (SYSTEM, tr("Colours of the system"))):
            yield Command(tr("Settings"), title, partial(self.choose_theme, theme), "theme")
        for title, words in (
            (tr("Engine and jobs"), "parallel cores cluster dask processes threads"),
            (tr("Stored results"), "cache folder limit clear"),
            (tr("Data folder"), "fsops data"),
            (tr("Autosave"), "swap interval"),
        ):
            yield Command(tr("Settings"), title, self.open_settings, words)

    def _operator_commands(self) -> Iterator[Command]:
        for node in self._window.session.document.process.walk():
            act = partial(self._window.reveal, node.name)
            yield Command(tr("On the canvas"), node.name, act)
        for operator in self._window.registry:
            words = " ".join((operator.key, *operator.tags, *operator.aliases.keys))
            title = tr("Add {name}", name=operator.title)
            act = partial(self._window.add, operator)
            yield Command(operator.group, title, act, words, name=operator.title)

    def _file_commands(self) -> Iterator[Command]:
        files, recent = self._window.files, self._window.settings.recent()
        for path in recent:
            act = partial(files.open_file, path)
            yield Command(tr("File"), path.stem, act, str(path.parent))
        for path in self._window.browser.files():
            reader = reader_of(path, self._window.registry)
            if reader is not None:
                title = tr("Read {name}", name=path.name)
                yield Command(tr("Data"), title, partial(files.add_data, reader))
            elif path not in recent:
                yield Command(tr("File"), path.stem, partial(files.open_file, path))
        for example in examples():
            act = partial(files.open_example, example.file)
            yield Command(tr("Example"), example.title, act, example.file.stem)
        for template in (study(), *templates()):
            act = partial(files.begin_template, template)
            title = tr("{title} with my table", title=template.title)
            yield Command(tr("Template"), title, act)

    def search_operators(self) -> None:
        """Go to the search of the palette."""
        self._show_dock("operators")
        self._window.palette_panel.field.setFocus()
        self._window.palette_panel.field.selectAll()

    def show_help(self) -> None:
        """Show the help of the selected operator."""
        self._window.show_help_of_selected()
        self._show_dock("help")

    def show_shortcuts(self) -> None:
        """List all shortcuts."""
        ShortcutsDialog(self._window).open()

    def choose_theme(self, theme: str) -> None:
        """Change the colours."""
        self._window.settings.choose("theme", theme)
        apply_theme(theme)
        self._window.session.editor.scene.redraw()
        self._window.overview.refresh()
        self._window.paint_icons()
