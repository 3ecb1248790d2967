"""The canvas with its breadcrumb: where one is in the process, and the way out."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from fsops.core.registry import Registry
from fsops.editing.text_search import Match
from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.canvas.find_bar import FindBar
from fsops_gui.canvas.frame_item import FrameItem
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.canvas.view import ProcessView
from fsops_gui.document.document import Document


class Editor(QWidget):
    """Everything to edit one document with the mouse and the keyboard."""

    def __init__(self, document: Document, registry: Registry) -> None:
        super().__init__()
        self.document = document
        self.scene = ProcessScene(document)
        self.view = ProcessView(self.scene, registry)
        self._crumbs = QHBoxLayout()
        self._crumbs.setContentsMargins(6, 3, 6, 3)
        self._crumbs.setSpacing(2)
        bar = QWidget()
        bar.setObjectName("crumbs")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        bar.setAccessibleName(tr("Where you are in the process"))
        line = QHBoxLayout(bar)
        line.setContentsMargins(6, 2, 8, 2)
        line.setSpacing(2)
        line.addLayout(self._crumbs, 1)
        self._make_zoom(line)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.find_bar = FindBar(document)
        self.find_bar.wanted.connect(self._go_to)
        self.find_bar.left.connect(self.view.setFocus)
        layout.addWidget(bar)
        layout.addWidget(self.find_bar)
        layout.addWidget(self.view)
        self._frame: FrameItem | None = None
        self._shown_place: list[str] = []
        self._left: dict[str | None, tuple[float, QPointF]] = {}
        self.scene.leaving.connect(self._remember_place)
        self.scene.moved_to.connect(self._show_place)
        self.scene.rearranged.connect(self.view.fit_readable)
        document.changed.connect(self._follow)
        self._show_place(self.scene.owner)

    def _make_zoom(self, line: QHBoxLayout) -> None:
        """Add the buttons that zoom, at the right."""
        self.zoom_label = QLabel("100 %")
        self.zoom_label.setMinimumWidth(44)
        self.zoom_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.view.zoomed.connect(lambda zoom: self.zoom_label.setText(f"{100 * zoom:.0f} %"))
        self._buttons: dict[str, QToolButton] = {}
        acts: tuple[tuple[str, str, Callable[[], None]], ...] = (
            ("zoom_out", tr("Zoom out (Ctrl+-)"), self.view.zoom_out),
            ("zoom_in", tr("Zoom in (Ctrl++)"), self.view.zoom_in),
            ("fit", tr("Fit (Ctrl+Shift+0)"), self.view.fit),
        )
        for name, words, act in acts:
            button = QToolButton()
            button.setToolTip(words)
            button.setAccessibleName(words)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _on=False, a=act: a())
            self._buttons[name] = button
            line.addWidget(button)
            if name == "zoom_out":
                line.addWidget(self.zoom_label)
        self.paint_icons()

    def paint_icons(self) -> None:
        """Give the buttons icons in the color of the text."""
        colour = current_colours().secondary.name()
        for name, button in self._buttons.items():
            button.setIcon(glyph(icon_name("action", name), colour))

    def place(self) -> list[str]:
        """Return the names from the process to the operator whose inside is shown."""
        names: list[str] = []
        owner = self.scene.owner
        while owner is not None:
            names.insert(0, owner)
            owner = self.document.level_of(owner).owner
        return [self.document.process.name, *names]

    def _go_to(self, match: Match) -> None:
        """Open the level of a match and put it in the middle."""
        if match.operator is not None:
            self.view.reveal(match.operator, centre=True)
        elif match.note is not None:
            self.view.reveal_note(match.note)

    def _follow(self) -> None:
        """Show the names again if those of the process or of the operators around changed."""
        if self.place() != self._shown_place:
            self._show_place(self.scene.owner)

    def _show_place(self, owner: str | None) -> None:
        while self._crumbs.count():
            item = self._crumbs.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._shown_place = place = self.place()
        for depth, name in enumerate(place):
            if depth:
                self._crumbs.addWidget(QLabel("›"))
            self._crumbs.addWidget(self._crumb(name, depth, last=depth == len(place) - 1))
        self._crumbs.addStretch(1)
        if self.scene.frames[0] is not self._frame:  # else it only has another name
            self._frame = self.scene.frames[0]
            if self.isVisible():
                self._look_around(owner)

    def _remember_place(self) -> None:
        """Remember which part of a level was seen, for when one comes back."""
        viewport = self.view.viewport()
        if self.isVisible() and viewport is not None:
            middle = self.view.mapToScene(viewport.rect().center())
            self._left[self.scene.owner] = (self.view.zoom, middle)

    def _look_around(self, owner: str | None) -> None:
        """Show what one saw of a level last; of a new one, as much as can be read."""
        if owner in self._left:
            zoom, middle = self._left[owner]
            self.view.set_zoom(zoom)
            self.view.centerOn(middle)
        else:
            self.view.fit_readable()

    def _crumb(self, name: str, depth: int, *, last: bool) -> QToolButton:
        button = QToolButton()
        button.setObjectName("crumb")
        button.setText(name)
        button.setAutoRaise(True)
        button.setEnabled(not last)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(tr("Go to {name}", name=name))
        button.clicked.connect(lambda: self.scene.enter(name if depth else None))
        return button
