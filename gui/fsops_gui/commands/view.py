"""The commands of the menus View and Help: levels, zoom, panels, colors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QWidget

from fsops_gui.base.texts import tr
from fsops_gui.base.theme import SYSTEM, apply_theme
from fsops_gui.commands.context import CommandContext
from fsops_gui.dialogs.shortcuts import ShortcutsDialog
from fsops_gui.panels.browser import BrowserPanel
from fsops_gui.panels.help import HelpPanel
from fsops_gui.panels.palette import Palette

if TYPE_CHECKING:
    from fsops_gui.shell.docks import Docks
    from fsops_gui.shell.pages import Pages


class ViewCommands:
    """The commands of the menus View and Help."""

    def __init__(
        self,
        context: CommandContext,
        *,
        pages: Pages,
        docks: Docks,
        palette: Palette,
        browser: BrowserPanel,
        help_panel: HelpPanel,
        repaint: Callable[[], None],
    ) -> None:
        self._context = context
        self._pages = pages
        self._docks = docks
        self._palette = palette
        self._browser = browser
        self._help_panel = help_panel
        self._repaint = repaint

    def enter(self) -> None:
        """Show the inner processes of the selected operator."""
        self._context.view.open_selected()

    def go_up(self) -> None:
        """Show the process around the one shown."""
        self._context.scene.go_up()

    def zoom_in(self) -> None:
        """Show the canvas larger."""
        self._context.view.zoom_in()

    def zoom_out(self) -> None:
        """Show the canvas smaller."""
        self._context.view.zoom_out()

    def zoom_reset(self) -> None:
        """Show the canvas in its own size."""
        self._context.view.set_zoom(1.0)

    def zoom_fit(self) -> None:
        """Show everything."""
        self._context.view.fit()

    def show_process(self) -> None:
        """Show the canvas."""
        self._pages.show_process()

    def show_start(self) -> None:
        """Show the start page."""
        self._pages.show_start()

    def reveal(self, name: str) -> None:
        """Go to an operator on the canvas."""
        self.show_process()
        self._context.attempt(lambda: self._context.view.reveal(name))

    def browse(self) -> None:
        """Go to the data and processes."""
        self._docks.bring("browser")
        self._browser.tree.setFocus()

    def show_log(self, log: QWidget) -> None:
        """Show the log."""
        self._docks.bring("log")
        log.setFocus()

    def show_runs(self) -> None:
        """Show the list of runs."""
        if self._pages.is_start or self._pages.is_study:
            self.show_process()
        self._docks.bring("history")

    def toggle_panels(self) -> None:
        """Hide all panels, or show them again as they were."""
        if self._pages.is_start or self._pages.is_study:
            self._context.say(tr("This page has no panels. Open a process first."))
        elif self._docks.is_folded:
            self._docks.unfold()
        else:
            self._docks.fold()
            self._context.say(tr("F9 shows the panels again."))

    def reset_layout(self) -> None:
        """Reset all panels to their first places."""
        self._docks.reset()

    def open_settings(self) -> None:
        """Change settings."""
        from fsops_gui.dialogs.settings import SettingsDialog

        dialog = SettingsDialog(self._context.settings, self._context.parent)
        dialog.applied.connect(self._use_settings)
        dialog.open()

    def _use_settings(self) -> None:
        theme = self._context.settings.choice("theme", SYSTEM)
        self.choose_theme(theme)
        self._browser.refresh()
        self._context.say(
            tr("The settings apply from now on; they do not change a run in progress.")
        )

    def show_results(self) -> None:
        """Show the results."""
        self._pages.show_results()

    def go_to_parameters(self) -> None:
        """Go to the first parameter of the selected operator."""
        self._docks["parameters"].show()
        rows = [row for row in self._context.session.parameters.rows.values() if row.visible]
        if rows:
            rows[0].field.setFocus()

    def search_operators(self) -> None:
        """Go to the search of the palette."""
        self._docks.bring("operators")
        self._palette.field.setFocus()
        self._palette.field.selectAll()

    def show_help(self) -> None:
        """Show the help of the selected operator."""
        self.show_help_of_selected()
        self._docks.bring("help")

    def show_help_of_selected(self) -> None:
        """Show the help of the selected operator, or the description of the process."""
        name, process = self._context.session.selected_name(), self._context.document.process
        if name:
            self._help_panel.show_operator(process.find(name).operator)
        else:
            about = process.description
            self._help_panel.show_process(process.name, about.text if about else "")

    def show_manual(self) -> None:
        """Open the documentation of this version, at the page of the selected operator."""
        name = self._context.session.selected_name()
        key = self._context.document.process.find(name).operator.key if name else ""
        self._context.attempt(lambda: self._help_panel.open_manual(key))

    def show_shortcuts(self) -> None:
        """List all shortcuts."""
        ShortcutsDialog(self._context.parent).open()

    def choose_theme(self, theme: str) -> None:
        """Change the colors."""
        self._context.settings.choose("theme", theme)
        apply_theme(theme)
        self._repaint()
