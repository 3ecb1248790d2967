"""The panels around the canvas: where they stand at first, and how to get back to that."""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PyQt6.QtWidgets import QAbstractButton, QDockWidget, QMainWindow, QTabBar, QWidget

from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr

_AREAS = Qt.DockWidgetArea
LEFT, RIGHT, BOTTOM = (
    _AREAS.LeftDockWidgetArea,
    _AREAS.RightDockWidgetArea,
    _AREAS.BottomDockWidgetArea,
)
PLACES: dict[str, Qt.DockWidgetArea] = {
    "operators": LEFT,
    "tree": LEFT,
    "browser": LEFT,
    "overview": LEFT,
    "parameters": RIGHT,
    "help": RIGHT,
    "problems": BOTTOM,
    "log": BOTTOM,
    "history": BOTTOM,
}
TABS = (("operators", "tree", "browser"), ("problems", "log", "history"))
"""Panels that share a place; the first of them is seen."""


BUTTONS = {
    "qt_dockwidget_floatbutton": "fa6s.window-restore",
    "qt_dockwidget_closebutton": "fa6s.xmark",
}
"""What Qt calls the buttons of a panel, and their icons."""


def titles() -> dict[str, str]:
    """Return what the panels are called."""
    return {
        "operators": tr("Operators"),
        "tree": tr("Tree"),
        "browser": tr("Data"),
        "overview": tr("Overview"),
        "parameters": tr("Parameters"),
        "help": tr("Help"),
        "problems": tr("Problems"),
        "log": tr("Log"),
        "history": tr("Runs"),
    }


def make_docks(window: QMainWindow, panels: Mapping[str, QWidget]) -> dict[str, QDockWidget]:
    """Put panels around the canvas of a window."""
    docks = {}
    for name, title in titles().items():
        if name in panels:
            dock = QDockWidget(title, window)
            dock.setObjectName(name)
            dock.setWidget(panels[name])
            docks[name] = dock
    window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
    window.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
    for name, dock in docks.items():
        # At once beside the one it shares a place with: else Qt leaves a row of tabs behind.
        first = next((group[0] for group in TABS if name in group[1:]), None)
        if first is None:
            window.addDockWidget(PLACES[name], dock)
        else:
            window.tabifyDockWidget(docks[first], dock)
    give_room(window, docks)
    _TabTidier(window, docks)
    return docks


def paint_buttons(docks: Mapping[str, QDockWidget], colour: str) -> None:
    """Give the buttons of the panels icons in a colour; those of Qt are dark on dark."""
    words = dict(zip(BUTTONS, (tr("Float or dock"), tr("Close")), strict=True))
    for dock in docks.values():
        for name, icon in BUTTONS.items():
            button = dock.findChild(QAbstractButton, name)
            if button is not None and not glyph(icon, colour).isNull():
                button.setIcon(glyph(icon, colour))
                button.setToolTip(words[name])


def give_room(window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
    """Give the panels the sizes they have at first."""
    for first, *_others in TABS:
        docks[first].raise_()
    wide = window.width() >= 1200
    sides = [docks["operators"], docks["parameters"]]
    window.resizeDocks(sides, [250, 310] if wide else [220, 270], Qt.Orientation.Horizontal)
    left = [docks["operators"], docks["overview"]]
    window.resizeDocks(left, [620, 150], Qt.Orientation.Vertical)
    right = [docks["parameters"], docks["help"]]
    window.resizeDocks(right, [440, 340], Qt.Orientation.Vertical)
    window.resizeDocks([docks["problems"]], [150], Qt.Orientation.Vertical)


class _TabTidier(QObject):
    """Hides rows of tabs that Qt (6.11) makes and forgets, which would lie about in the window."""

    def __init__(self, window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._tidy)
        for dock in docks.values():
            dock.installEventFilter(self)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Look whenever a panel has another place."""
        kinds = QEvent.Type
        if a1 is not None and a1.type() in (kinds.Resize, kinds.Move, kinds.Show, kinds.Hide):
            self._timer.start(0)
        return super().eventFilter(a0, a1)

    def _tidy(self) -> None:
        """Show the newest row of tabs under each panel, and hide those that are under none."""
        seen = [dock.geometry() for dock in self._docks.values() if _is_in_place(dock)]
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        taken: list[QRect] = []
        for bar in reversed(self._window.findChildren(QTabBar, options=direct)):
            place = bar.geometry()
            fits = bar.count() > 1 and place not in taken
            fits = fits and any(_is_under(place, panel) for panel in seen)
            bar.setVisible(fits)
            if fits:
                taken.append(place)


def _is_in_place(dock: QDockWidget) -> bool:
    region = dock.visibleRegion()
    return dock.isVisible() and not dock.isFloating() and not region.isEmpty()


def _is_under(bar: QRect, panel: QRect) -> bool:
    same = bar.x() == panel.x() and bar.width() == panel.width()
    return same and abs(bar.y() - panel.bottom()) < bar.height()
