"""The panels around the canvas: their first places, and the way back to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PyQt6.QtCore import QByteArray, QEvent, QObject, QRect, Qt, QTimer
from PyQt6.QtGui import QPalette
from PyQt6.QtWidgets import QAbstractButton, QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.tokens import icon_name

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
    "result": BOTTOM,
    "problems": BOTTOM,
    "log": BOTTOM,
    "history": BOTTOM,
    "xml": BOTTOM,
}
TABS = (("operators", "tree", "browser"), ("result", "problems", "log", "history", "xml"))
"""Panels that share a place; the first of them is seen."""


NO_TITLE = "noTitle"
BUTTONS = {
    "qt_dockwidget_floatbutton": "float",
    "qt_dockwidget_closebutton": "close",
}
"""Qt's names of the buttons of a panel, and their icons."""


def titles() -> dict[str, str]:
    """Return the names of the panels."""
    return {
        "operators": tr("Operators"),
        "tree": tr("Tree"),
        "browser": tr("Data"),
        "overview": tr("Overview"),
        "parameters": tr("Parameters"),
        "help": tr("Help"),
        "result": tr("Result"),
        "problems": tr("Problems"),
        "log": tr("Log"),
        "history": tr("Runs"),
        "xml": tr("XML"),
    }


class Docks(Mapping[str, QDockWidget]):
    """The docks of a window, by the names of their panels."""

    def __init__(self, window: QMainWindow, panels: Mapping[str, QWidget]) -> None:
        self._window = window
        self._first_state = QByteArray()
        self._docks: dict[str, QDockWidget] = {}
        self._folded: QByteArray | None = None
        for name, title in titles().items():
            if name in panels:
                dock = QDockWidget(title, window)
                dock.setObjectName(name)
                panels[name].setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
                dock.setWidget(panels[name])
                self._docks[name] = dock
        self._place()
        self.give_room()
        _TabTidier(window, self)

    @property
    def titles(self) -> dict[str, str]:
        """The names of the panels, whatever their title bars show now."""
        return titles()

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._docks)

    def __len__(self) -> int:
        return len(self._docks)

    def _place(self) -> None:
        self._window.setTabPosition(LEFT | RIGHT | BOTTOM, QTabWidget.TabPosition.North)
        self._window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        self._window.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        for name, dock in self.items():
            # At once beside the one it shares a place with: else Qt leaves a row of tabs behind.
            first = next((group[0] for group in TABS if name in group[1:]), None)
            if first is None:
                self._window.addDockWidget(PLACES[name], dock)
            else:
                self._window.tabifyDockWidget(self[first], dock)

    def paint_buttons(self, colour: str) -> None:
        """Give the buttons of the panels icons in a color; those of Qt are dark on dark."""
        words = dict(zip(BUTTONS, (tr("Float or dock"), tr("Close")), strict=True))
        for dock in self.values():
            for name, icon in BUTTONS.items():
                button = dock.findChild(QAbstractButton, name)
                picture = glyph(icon_name("action", icon), colour)
                if button is not None and not picture.isNull():
                    button.setIcon(picture)
                    button.setToolTip(words[name])

    def give_room(self) -> None:
        """Give the panels the sizes they have at first."""
        for first, *_others in TABS:
            self[first].raise_()
        wide = self._window.width() >= 1200
        sides = [self["operators"], self["parameters"]]
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._window.resizeDocks(sides, [240, 300] if wide else [216, 262], across)
        self._window.resizeDocks([self["operators"], self["overview"]], [620, 150], down)
        self._window.resizeDocks([self["parameters"], self["help"]], [440, 340], down)
        self._window.resizeDocks(
            [self["result"]], [270 if self._window.height() >= 850 else 210], down
        )

    @property
    def is_folded(self) -> bool:
        """Whether all panels are hidden at once, to come back as they were."""
        return self._folded is not None

    def fold(self) -> None:
        """Hide all panels."""
        if self._folded is None:
            self._folded = self._window.saveState()
            for dock in self.values():
                dock.hide()

    def unfold(self) -> None:
        """Show the panels again as they were."""
        if self._folded is not None:
            state, self._folded = self._folded, None
            self._window.restoreState(state)

    def state(self) -> QByteArray:
        """Return the arrangement to remember: of hidden panels, how they will come back."""
        return self._window.saveState() if self._folded is None else self._folded

    def bring(self, name: str) -> None:
        """Show a panel, in front of those that share its place."""
        self.unfold()
        self[name].show()
        self[name].raise_()

    def remember_first_state(self) -> None:
        """Take the arrangement of now as the one that `reset` goes back to."""
        self._first_state = self._window.saveState()

    def reset(self) -> None:
        """Reset all panels to their first places."""
        self._folded = None
        self._window.restoreState(self._first_state)
        for dock in self.values():
            dock.show()
        self.give_room()


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
        """Show the newest row of tabs over each panel, and hide those that are over none."""
        for dock in self._docks.values():
            _name_once(self._window, dock)
        seen = [dock.geometry() for dock in self._docks.values() if _is_in_place(dock)]
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        taken: list[QRect] = []
        for bar in reversed(self._window.findChildren(QTabBar, options=direct)):
            place = bar.geometry()
            fits = bar.count() > 1 and place not in taken
            fits = fits and any(_is_over(place, panel) for panel in seen)
            bar.setBackgroundRole(QPalette.ColorRole.Base)
            bar.setAutoFillBackground(True)
            bar.setVisible(fits)
            if fits:
                taken.append(place)


def _is_in_place(dock: QDockWidget) -> bool:
    region = dock.visibleRegion()
    return dock.isVisible() and not dock.isFloating() and not region.isEmpty()


def _is_over(bar: QRect, panel: QRect) -> bool:
    same = bar.x() == panel.x() and bar.width() == panel.width()
    return same and abs(bar.bottom() - panel.y()) < bar.height()


def _name_once(window: QMainWindow, dock: QDockWidget) -> None:
    """Take the title bar from a panel whose name is on a tab, and give it back to any other."""
    bar = dock.titleBarWidget()
    if bar is not None and bar.objectName() != NO_TITLE:
        return  # the panel has its own
    named = bool(window.tabifiedDockWidgets(dock)) and not dock.isFloating()
    if named and bar is None:
        bar = QWidget()
        bar.setObjectName(NO_TITLE)
        dock.setTitleBarWidget(bar)
    elif not named and bar is not None:
        dock.setTitleBarWidget(None)
        bar.deleteLater()
