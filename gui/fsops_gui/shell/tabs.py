"""The bar with a tab for each open document."""

from __future__ import annotations

from collections import Counter

from PyQt6.QtCore import QEvent, QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QIcon, QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QHBoxLayout, QTabBar, QToolButton, QWidget

from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name, tokens
from fsops_gui.shell.session import Session

MODIFIED = "●"


class TabBar(QTabBar):
    """Tabs that can be moved, and closed with the middle button."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("documents")
        self.setMovable(True)
        self.setTabsClosable(True)
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionBehaviorOnRemove(QTabBar.SelectionBehavior.SelectPreviousTab)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus on the canvas
        side = int(tokens()["size"]["icon"])
        self.setIconSize(QSize(side, side))
        self.setAccessibleName(tr("Open processes"))
        self.setAccessibleDescription(
            tr("Left and right choose a tab, Delete closes it, Ctrl+Shift+PgUp moves it.")
        )

    def minimumSizeHint(self) -> QSize:
        """Return no more than all tabs need, so that the button behind them is next to them."""
        return super().minimumSizeHint().boundedTo(self.sizeHint())

    def mouseReleaseEvent(self, a0: QMouseEvent | None) -> None:
        """Close the tab under the middle button."""
        if a0 is not None and a0.button() == Qt.MouseButton.MiddleButton:
            index = self.tabAt(a0.position().toPoint())
            if index >= 0:
                self.tabCloseRequested.emit(index)
            return
        super().mouseReleaseEvent(a0)

    def event(self, a0: QEvent | None) -> bool:
        """Close the current tab with Delete; the shortcut of the canvas does not get the key."""
        if isinstance(a0, QKeyEvent) and a0.key() == Qt.Key.Key_Delete:
            a0.accept()
            if a0.type() == QEvent.Type.KeyPress:
                self.tabCloseRequested.emit(self.currentIndex())
            return True
        return super().event(a0)


class DocumentTabs(QWidget):
    """A tab for each session: its title, whether it is saved, and how its run goes."""

    chosen = pyqtSignal(object)
    """The session whose tab was chosen by the user."""
    close_wanted = pyqtSignal(object)
    new_wanted = pyqtSignal()
    menu_wanted = pyqtSignal(object, QPoint)
    """The session of a tab, and the point of the screen for its menu."""
    moved = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("documentTabs")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.bar = TabBar()
        self.new_button = QToolButton()
        self.new_button.setToolTip(tr("New process (Ctrl+N)"))
        self.new_button.setAccessibleName(tr("New process"))
        self.new_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.new_button.clicked.connect(self.new_wanted)
        line = QHBoxLayout(self)
        line.setContentsMargins(6, 0, 6, 0)
        line.setSpacing(2)
        line.addWidget(self.bar)
        line.addWidget(self.new_button)
        line.addStretch(1)
        self.bar.currentChanged.connect(self._choose)
        self.bar.tabCloseRequested.connect(lambda index: self.close_wanted.emit(self.at(index)))
        self.bar.tabMoved.connect(lambda _from, _to: self.moved.emit())
        self.bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.bar.customContextMenuRequested.connect(self._open_menu)
        self._painted: dict[Session, tuple[str, str, str]] = {}

    # --- sessions ---------------------------------------------------------------------------

    def at(self, index: int) -> Session:
        """Return the session of a tab."""
        session: Session = self.bar.tabData(index)
        return session

    def sessions(self) -> list[Session]:
        """Return all sessions in the order of their tabs."""
        return [self.at(index) for index in range(self.bar.count())]

    def add(self, session: Session, after: Session | None) -> None:
        """Add a tab behind another one, without showing it."""
        there = self.sessions()
        index = there.index(after) + 1 if after in there else len(there)
        self.bar.blockSignals(True)
        self.bar.setTabData(self.bar.insertTab(index, ""), session)
        self.bar.blockSignals(False)
        self.refresh()

    def remove(self, session: Session) -> None:
        """Remove a tab."""
        self.bar.blockSignals(True)
        self.bar.removeTab(self.sessions().index(session))
        self.bar.blockSignals(False)
        self._painted.pop(session, None)
        self.refresh()

    def select(self, session: Session) -> None:
        """Mark a tab as the one that is shown."""
        self.bar.blockSignals(True)
        self.bar.setCurrentIndex(self.sessions().index(session))
        self.bar.blockSignals(False)

    def shift(self, session: Session, step: int) -> None:
        """Move a tab to the left or right."""
        index = self.sessions().index(session)
        target = index + step
        if 0 <= target < self.bar.count():
            self.bar.moveTab(index, target)

    def _choose(self, index: int) -> None:
        if index >= 0 and self.bar.tabData(index) is not None:
            self.chosen.emit(self.at(index))

    def _open_menu(self, point: QPoint) -> None:
        index = self.bar.tabAt(point)
        index = index if index >= 0 else self.bar.currentIndex()
        if index >= 0:
            self.menu_wanted.emit(self.at(index), self.bar.mapToGlobal(point))

    # --- titles -----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Bring titles, marks and icons of all tabs up to date."""
        sessions = self.sessions()
        counts = Counter(session.document.title for session in sessions)
        for index, session in enumerate(sessions):
            document = session.document
            title, path = document.title, document.path
            if counts[title] > 1 and path is not None:
                title = f"{path.parent.name}/{title}"
            mark = f" {MODIFIED}" if document.modified else ""
            state = session.run_state
            shown = (title + mark, state, str(path or ""))
            if self._painted.get(session) != shown or self.bar.tabText(index) == "":
                self._painted[session] = shown
                self._show(index, session, title, mark)
        # A hidden bar reports no new size: without this, tabs added then stay cut.
        self.bar.updateGeometry()

    def _show(self, index: int, session: Session, title: str, mark: str) -> None:
        words = {
            "running": tr("running"), "paused": tr("paused"), "finished": tr("run finished"),
            "failed": tr("run failed"), "crashed": tr("run failed"),
        }  # fmt: skip
        self.bar.setTabText(index, (title + mark).replace("&", "&&"))
        self.bar.setTabIcon(index, state_icon(session.run_state))
        about = [title]
        about += [tr("not saved")] if mark else []
        about += [words[session.run_state]] if session.run_state in words else []
        self.bar.setAccessibleTabName(index, ", ".join(about))
        path = session.document.path
        self.bar.setTabToolTip(index, "\n".join([str(path or title), *about[1:]]))

    def paint(self) -> None:
        """Give the icons the colors of the theme."""
        self._painted.clear()
        self.new_button.setIcon(
            glyph(icon_name("action", "zoom_in"), current_colours().secondary.name())
        )
        self.refresh()


def state_icon(state: str) -> QIcon:
    """Return the icon of a run that goes on or has just ended; empty without a run."""
    colours = current_colours()
    icons = {
        "running": ("running", colours.running), "paused": ("paused", colours.running),
        "finished": ("ok", colours.done), "failed": ("error", colours.error),
        "crashed": ("error", colours.error),
    }  # fmt: skip
    if state not in icons:
        return QIcon()
    name, colour = icons[state]
    return glyph(icon_name("state", name), colour.name())
