"""The rail at the left edge: the pages of the window, each with icon and name."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QSize, Qt
from PyQt6.QtGui import QAction, QActionGroup
from PyQt6.QtWidgets import QApplication, QMainWindow, QSizePolicy, QToolBar, QWidget

from fsops_gui.base.actions import Actions
from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import Colours
from fsops_gui.base.tokens import icon_name, tokens

PAGES = {
    "show_start": "start",
    "show_study": "study",
    "show_process": "process",
    "show_results": "results",
}
"""Actions that show a page, and their icons."""


class Rail(QToolBar):
    """A narrow bar with the pages, and below them runs, help and settings."""

    def __init__(self, window: QMainWindow, actions: Actions) -> None:
        super().__init__(tr("Pages"), window)
        self.setObjectName("rail")
        self._take_style_of_name()
        self.setMovable(False)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        side = int(tokens()["size"]["icon_large"])
        self.setIconSize(QSize(side, side))
        self._shown: dict[str, QAction] = {}
        group = QActionGroup(self)
        words = {
            "show_start": tr("Start"), "show_study": tr("Study"), "show_process": tr("Process"),
            "show_results": tr("Results"), "show_runs": tr("Runs"),
            "show_help": tr("Help"), "open_settings": tr("Settings"),
        }  # fmt: skip
        for name, icon in PAGES.items():
            action = self._add(name, icon, words[name], actions)
            action.setCheckable(True)
            group.addAction(action)
        self._add("show_runs", "runs", words["show_runs"], actions)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.addWidget(space)
        self._add("show_help", "help", words["show_help"], actions)
        self._add("open_settings", "settings", words["open_settings"], actions)
        window.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self)

    def _take_style_of_name(self) -> None:
        """Read the margins again: Qt read those of any toolbar before this one had its name."""
        style = self.style()
        if style is not None:
            style.polish(self)
            QApplication.sendEvent(self, QEvent(QEvent.Type.StyleChange))

    def _add(self, name: str, icon: str, text: str, actions: Actions) -> QAction:
        """Add a button for an action, under a short name."""
        meant = actions.by_name[name]
        action = QAction(text, self)
        action.setProperty("icon_name", icon_name("action", icon))
        keys = meant.shortcut().toString()
        action.setToolTip(f"{meant.text()} ({keys})" if keys else meant.text())
        action.triggered.connect(meant.trigger)
        self.addAction(action)
        self._shown[name] = action
        return action

    def show_page(self, name: str) -> None:
        """Mark the page that is shown."""
        if name in self._shown:
            self._shown[name].setChecked(True)

    def paint(self, colours: Colours) -> None:
        """Give the icons the colors of the theme."""
        for action in self._shown.values():
            picture = glyph(
                action.property("icon_name"), colours.secondary.name(), colours.selected.name()
            )
            action.setIcon(picture)
