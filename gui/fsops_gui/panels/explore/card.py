"""A card with one of the linked views, which can be exchanged for another one."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QEvent, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
)

from fsops.storage.files import write_bytes
from fsops_gui.base.fonts import font
from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.dialogs.file_choice import ask_for_file
from fsops_gui.panels.explore.catalogue import SPECS, suitable
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView
from fsops_gui.widgets.charts.chart import Tool
from fsops_gui.widgets.picture_file import KINDS, kind_of, picture_bytes

TOOLS = (
    (Tool.BOX, "ph.selection", "Box: a drag chooses everything inside"),
    (Tool.LASSO, "ph.lasso", "Lasso: a drag around points chooses them"),
    (
        Tool.MOVE,
        "ph.hand",
        "Move: a drag moves the plot; the wheel zooms, a double click shows all",
    ),
)


class Caption(QLabel):
    """Words that end in "…" where not all of them fit."""

    def minimumSizeHint(self) -> QSize:
        """Return nothing: all else in the line is more important."""
        return QSize(0, 10)

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Write as much as there is room for, at least a few letters."""
        painter = QPainter(self)
        painter.setPen(current_colours().secondary)
        if self.width() > 40:
            fits = self.fontMetrics().elidedText(
                self.text(), Qt.TextElideMode.ElideRight, self.width()
            )
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, fits)
        painter.end()


class ViewCard(QFrame):
    """A title, the choice of the view, its fields and tools, and the view itself."""

    enlarged = pyqtSignal()
    """The card is to be shown alone, or again among the others."""
    said = pyqtSignal(str)

    def __init__(self, material: Material, selection: SharedSelection, key: str) -> None:
        super().__init__()
        self.setObjectName("card")
        self.material, self.selection = material, selection
        self.view: LinkedView | None = None
        self.key = ""
        self.kind = QComboBox()
        self.kind.setObjectName("viewKind")
        self.kind.setAccessibleName(tr("View"))
        for spec in suitable(material):
            self.kind.addItem(spec.title, spec.key)
        self.kind.activated.connect(lambda _row: self.show_view(str(self.kind.currentData())))
        self.caption = Caption()
        self.caption.setFont(font("caption"))
        self._make_tools()
        self.head = QHBoxLayout()
        self.head.setContentsMargins(12, 8, 8, 2)
        self.head.setSpacing(6)
        self.head.addWidget(self.kind)
        self.head.addWidget(self.caption, 1)
        self.head.addWidget(self.tool)
        self.head.addWidget(self.more)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(150, 120)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 4)
        self.body.setSpacing(2)
        self.body.addLayout(self.head)
        self.show_view(key)

    def hasHeightForWidth(self) -> bool:
        """Return False: wrapped words inside must not take height from the other cards."""
        return False

    def _make_tools(self) -> None:
        self.tool = QToolButton()
        self.tool.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.tool.setAccessibleName(tr("Tool of the mouse"))
        self.tools = QMenu(self.tool)
        for tool, _, words in TOOLS:
            action = self.tools.addAction(tr(words))
            assert action is not None
            action.triggered.connect(lambda _on=False, t=tool: self.use_tool(t))
        self.tool.setMenu(self.tools)
        self.more = QToolButton()
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setAccessibleName(tr("More"))
        menu = QMenu(self.more)
        for words, act in (
            (tr("Show large, or among the others"), self.enlarged.emit),
            (tr("Show all (0)"), self._go_home),
            (tr("Save picture…"), self.save_picture),
            (tr("Copy picture"), self.copy_picture),
        ):
            action = menu.addAction(words)
            assert action is not None
            action.triggered.connect(act)
        self.more.setMenu(menu)
        self._tool = Tool.BOX
        self.paint_icons()

    def paint_icons(self) -> None:
        """Give the icons the colors of the theme."""
        colour = current_colours().secondary.name()
        name = next(icon for tool, icon, _ in TOOLS if tool is self._tool)
        self.tool.setIcon(glyph(name, colour))
        self.tool.setToolTip(tr(next(words for tool, _, words in TOOLS if tool is self._tool)))
        self.more.setIcon(glyph("ph.dots-three", colour))
        for button in (self.tool, self.more):
            button.setIconSize(QSize(16, 16))

    def show_view(self, key: str) -> None:
        """Show another view."""
        spec = next(spec for spec in SPECS if spec.key == key)
        old = self.view
        if old is not None:
            self.selection.changed.disconnect(old.show_selection)
            for widget in (*old.fields, old):
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        self.key = key
        self.kind.setCurrentIndex(self.kind.findData(key))
        view = self.view = spec.make(self.material, self.selection)
        view.captioned.connect(self._caption)
        self._caption(view.caption)
        for place, field in enumerate(view.fields):
            self.head.insertWidget(2 + place, field)
        self.tool.setVisible(bool(view.charts))
        view.use_tool(self._tool)
        self.body.addWidget(view, 1)

    def _caption(self, text: str) -> None:
        self.caption.setText(text)
        self.caption.setToolTip(text)

    def use_tool(self, tool: Tool) -> None:
        """Choose the tool of the mouse."""
        self._tool = tool
        if self.view is not None:
            self.view.use_tool(tool)
        self.paint_icons()

    def _go_home(self) -> None:
        if self.view is not None:
            self.view.go_home()

    # --- out of the window ------------------------------------------------------------------

    def save_picture(self) -> None:
        """Write the view to a file."""
        path = ask_for_file(self, "picture", self.key, KINDS)
        if path is not None:
            self.write_picture(path)
            self.said.emit(tr("Written: {path}", path=path))

    def write_picture(self, path: Path) -> None:
        """Write the view as it is shown; the suffix decides about the kind."""
        view = self.view
        if view is not None:
            kind = kind_of(path.name)
            write_bytes(path, picture_bytes(kind, view.size(), view.render))

    def copy_picture(self) -> None:
        """Put the view on the clipboard."""
        from PyQt6.QtWidgets import QApplication

        board = QApplication.clipboard()
        if board is not None and self.view is not None:
            board.setPixmap(self.view.grab())
            self.said.emit(tr("Copied."))

    def changeEvent(self, a0: QEvent | None) -> None:
        """Paint in the colors of the theme."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange and hasattr(self, "_tool"):
            self.paint_icons()
