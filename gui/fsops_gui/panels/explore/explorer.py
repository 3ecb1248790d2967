"""The page of linked views: four cards, the attribute that is looked at, and the selection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PyQt6.QtCore import QEvent, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PyQt6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
)

from fsops.editing.chosen_attributes import KEEP, LEAVE_OUT, PRIOR
from fsops.report.numbers import count_text
from fsops_gui.base.fonts import font
from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.panels.explore.card import ViewCard
from fsops_gui.panels.explore.catalogue import first_views
from fsops_gui.panels.explore.details import DetailsPanel
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.results.exports import Cells, to_clipboard
from fsops_gui.panels.results.page import Page

NARROW, SHORT = 900, 520
"""Below this width the panel at the side goes; below this height there is one row of cards."""
MOST_NAMES = 20_000
"""Attributes that an operator can list."""


class Explorer(Page):
    """Linked views of the results of one run."""

    use_wanted = pyqtSignal(str, str, object, str)
    """Operator and port of the table, names of attributes, and whether they are left out."""

    def __init__(self, material: Material) -> None:
        super().__init__()
        self.material, self.selection = material, SharedSelection()
        self.setObjectName("explorer")
        self.cards: list[ViewCard] = []
        self._alone: ViewCard | None = None
        self._make_head()
        self.grid = QGridLayout()
        self.grid.setContentsMargins(12, 0, 12, 12)
        self.grid.setSpacing(10)
        for key in first_views(material):
            card = ViewCard(material, self.selection, key)
            card.enlarged.connect(lambda c=card: self.enlarge(c))
            card.said.connect(self.said)
            self.cards.append(card)
        self.details = DetailsPanel(material, self.selection)
        self.details.leave_out_wanted.connect(lambda: self.use(leave_out=True))
        left = QVBoxLayout()
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(0)
        left.addLayout(self.head)
        left.addLayout(self.grid, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(left, 1)
        row.addWidget(self.details)
        self._place_cards()
        self.selection.changed.connect(self.show_selection)
        self.show_selection()

    def _make_head(self) -> None:
        self.title = QLabel(self.material.title or tr("Explore"))
        self.title.setFont(font("title"))
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.about = QLabel(self._size_words())
        self.about.setFont(font("caption"))
        self.about.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.chip = QPushButton()
        self.chip.setObjectName("selectionChip")
        self.chip.setToolTip(tr("Clear the selection (Esc)"))
        self.chip.clicked.connect(self.selection.clear)
        self.undo, self.redo = QToolButton(), QToolButton()
        self.undo.setToolTip(tr("Undo the last selection (Ctrl+Z)"))
        self.redo.setToolTip(tr("Select again (Ctrl+Shift+Z)"))
        self.undo.clicked.connect(self.selection.undo)
        self.redo.clicked.connect(self.selection.redo)
        self.use_button = QPushButton(tr("Use this selection"))
        self.use_button.setObjectName("primary")
        menu = QMenu(self.use_button)
        for words, act in (
            (
                tr("Keep only these attributes: add Select Attributes"),
                partial(self.use, leave_out=False),
            ),
            (tr("Leave these attributes out"), partial(self.use, leave_out=True)),
            (
                tr("Prefer these attributes: add Prior Knowledge"),
                partial(self.use, as_prior=True),
            ),
            (tr("Copy the names"), self.copy_names),
        ):
            action = menu.addAction(words)
            assert action is not None
            action.triggered.connect(lambda _on=False, a=act: a())
        self.use_button.setMenu(menu)
        self.head = QHBoxLayout()
        self.head.setContentsMargins(16, 8, 12, 8)
        self.head.setSpacing(8)
        self.head.addWidget(self.title)
        self.head.addWidget(self.about, 1)
        for widget in (self.chip, self.undo, self.redo, self.use_button):
            self.head.addWidget(widget)
        self.paint_icons()

    def _size_words(self) -> str:
        m = self.material
        attributes = tr("{n} attributes", n=count_text(len(m.names)))
        if m.table is None:
            return attributes
        return tr("{rows} rows × {attributes}", rows=count_text(m.n_rows), attributes=attributes)

    def event(self, a0: QEvent | None) -> bool:
        """Take the keys of undo before the window does: here they concern the selection."""
        override = a0 is not None and a0.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(a0, QKeyEvent) and self._act_of(a0) is not None:
            a0.accept()
            return True
        return super().event(a0)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Undo, redo and clear the selection."""
        act = None if a0 is None else self._act_of(a0)
        if act is not None:
            act()
        else:
            super().keyPressEvent(a0)

    def _act_of(self, event: QKeyEvent) -> Callable[[], None] | None:
        if event.matches(QKeySequence.StandardKey.Undo):
            return self.selection.undo
        if event.matches(QKeySequence.StandardKey.Redo):
            return self.selection.redo
        return self.selection.clear if event.key() == Qt.Key.Key_Escape else None

    # --- cards ------------------------------------------------------------------------------

    def _place_cards(self) -> None:
        """Place the cards in the room there is: two by two, two, or one alone."""
        for card in self.cards:
            self.grid.removeWidget(card)
        shown = [self._alone] if self._alone is not None else self.cards
        if self._alone is None and 0 < self.height() < SHORT and self.isVisible():
            shown = self.cards[:2]
        for number, card in enumerate(shown):
            self.grid.addWidget(card, number // 2, number % 2)
        for card in self.cards:  # after they have a parent, else each is a window for a moment
            card.setVisible(card in shown)
        for line in range(2):
            used = len(shown) > 2 * line
            self.grid.setRowStretch(line, 11 - 2 * line if used else 0)
            self.grid.setColumnStretch(line, 1 if len(shown) > line else 0)

    def enlarge(self, card: ViewCard) -> None:
        """Show a card alone, or all of them again."""
        self._alone = None if self._alone is card else card
        self._place_cards()

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Hide the parts that do not fit."""
        super().resizeEvent(a0)
        self.details.setVisible(self.width() >= NARROW)
        self._place_cards()

    def minimumSizeHint(self) -> QSize:
        """Return a size that lets the window be small."""
        return QSize(260, 160)

    # --- the selection ----------------------------------------------------------------------

    def show_selection(self) -> None:
        """Describe the selection."""
        now = self.selection
        attributes, rows = len(now.attributes), len(now.rows)
        parts = []
        if attributes == 1:
            parts.append(self.material.names[int(now.attributes[0])])
        elif attributes:
            parts.append(tr("{n} attributes", n=count_text(attributes)))
        if rows:
            parts.append(tr("{n} rows", n=count_text(rows)) if rows > 1 else tr("1 row"))
        self.chip.setVisible(bool(parts))
        both = tr(" and ").join(parts)
        shown = self.chip.fontMetrics().elidedText(both, Qt.TextElideMode.ElideMiddle, 190)
        self.chip.setText(tr("{what} in all views", what=shown) + "  ✕")
        self.undo.setEnabled(now.can_undo)
        self.redo.setEnabled(now.can_redo)
        self.use_button.setEnabled(bool(attributes))

    def chosen_names(self) -> list[str]:
        """Return the names of the chosen attributes."""
        return [self.material.names[int(a)] for a in self.selection.attributes]

    def choose_names(self, names: list[str]) -> None:
        """Choose attributes by name; unknown ones are left out."""
        from fsops.data.names import Names

        found = self.material.names.find(Names.of(names))
        self.selection.choose_attributes(np.asarray(found[found >= 0], dtype=np.intp))

    def use(self, *, leave_out: bool = False, as_prior: bool = False) -> None:
        """Ask for an operator that keeps the chosen attributes, removes or prefers them."""
        names = self.chosen_names()
        if not names:
            self.said.emit(tr("Choose attributes first: click a bar, a point or a row."))
        elif not self.material.source[0]:
            self.said.emit(
                tr("The run has not stored a table to which the selection could be applied.")
            )
        elif len(names) > MOST_NAMES:
            self.said.emit(
                tr("An operator lists at most {n} attributes.", n=count_text(MOST_NAMES))
            )
        else:
            how = PRIOR if as_prior else LEAVE_OUT if leave_out else KEEP
            self.use_wanted.emit(*self.material.source, names, how)

    def copy_names(self) -> None:
        """Put the names of the chosen attributes on the clipboard, one per line."""
        names = self.chosen_names()
        to_clipboard("\n".join(names))
        self.said.emit(tr("Copied: {n} names.", n=len(names)))

    def cells(self) -> Cells | None:
        """Return the chosen attributes, or all, with their columns."""
        from fsops_gui.panels.explore.ranked_model import RankedModel, columns_of

        model = RankedModel(self.material, columns_of(self.material))
        chosen = set(self.selection.attributes.tolist())
        rows = [r for r in range(model.rowCount()) if not chosen or int(model.shown[r]) in chosen]
        head = ["#", tr("Attribute"), *(column.title for column in model.columns)]
        width = model.columnCount()
        texts = [[str(model.index(r, c).data()) for c in range(width)] for r in rows[:MOST_NAMES]]
        return [head, *texts]

    # --- look -------------------------------------------------------------------------------

    def paint_icons(self) -> None:
        """Give the icons the colors of the theme."""
        colour = current_colours().text.name()
        for button, name in ((self.undo, "undo"), (self.redo, "redo")):
            button.setIcon(glyph(icon_name("action", name), colour))

    def changeEvent(self, a0: QEvent | None) -> None:
        """Paint in the colors of the theme."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange and hasattr(self, "undo"):
            self.paint_icons()
