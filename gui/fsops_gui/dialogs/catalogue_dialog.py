"""A dialog with a list that can be searched, details of the chosen line, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops_gui.base.texts import tr

KEY = Qt.ItemDataRole.UserRole


class CatalogueDialog(QDialog):
    """Lines in groups at the left, details at the right, a sentence and buttons below."""

    def __init__(
        self, title: str, headings: Sequence[str], widths: Sequence[int], parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Search"))
        self.field.setAccessibleName(tr("Search: {title}", title=title))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._search)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(title)
        self.tree.setHeaderLabels(list(headings))
        self.tree.setUniformRowHeights(True)
        header = self.tree.header()
        if header is not None:
            header.setStretchLastSection(True)
            for column, width in enumerate(widths):
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
                header.resizeSection(column, width)
        self.tree.currentItemChanged.connect(lambda _now, _before: self._show_chosen())
        self.details = QTextBrowser()
        self.details.setAccessibleName(tr("Details"))
        self.details.setOpenExternalLinks(False)
        self.status = QLabel()
        self.status.setWordWrap(True)
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.buttons.rejected.connect(self.reject)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.tree)
        split.addWidget(self.details)
        split.setSizes([560, 360])
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        for widget in (self.field, split, self.status, self.buttons):
            layout.addWidget(widget, 1 if widget is split else 0)
        self.resize(940, 580)

    def add_button(
        self, text: str, act: Callable[[], object], tip: str = "", *, primary: bool = False
    ) -> QPushButton:
        """Add a button beside Close."""
        button = QPushButton(text)
        button.setObjectName("primary" if primary else "")
        button.setToolTip(tip)
        button.clicked.connect(lambda _on=False: act())
        self.buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        return button

    def add_group(self, title: str) -> QTreeWidgetItem:
        """Add a heading under which lines can be put."""
        group = QTreeWidgetItem([title])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.tree.addTopLevelItem(group)
        group.setFirstColumnSpanned(True)
        group.setExpanded(True)
        group.setToolTip(0, title)
        return group

    def add_line(
        self, texts: Sequence[str], key: object, group: QTreeWidgetItem | None = None
    ) -> QTreeWidgetItem:
        """Add a line; ``key`` names its subject."""
        item = QTreeWidgetItem(list(texts))
        item.setData(0, KEY, key)
        for column, text in enumerate(texts):
            item.setToolTip(column, text)
        if group is None:
            self.tree.addTopLevelItem(item)
        else:
            group.addChild(item)
        return item

    def chosen(self) -> object:
        """Return the key of the chosen line; None if none is chosen."""
        item = self.tree.currentItem()
        return None if item is None else item.data(0, KEY)

    def items(self) -> list[QTreeWidgetItem]:
        """Return the lines, without headings."""
        top = [self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount())]
        found = [item for item in top if item is not None]
        inner = [item.child(i) for item in found for i in range(item.childCount())]
        both = [*found, *(item for item in inner if item is not None)]
        return [item for item in both if item.data(0, KEY) is not None]

    def choose(self, key: object) -> None:
        """Choose the line with a key, else the first line."""
        lines = self.items()
        item = next((i for i in lines if i.data(0, KEY) == key), lines[0] if lines else None)
        if item is not None:
            self.tree.setCurrentItem(item)

    def show_details(self, key: object) -> None:
        """Show details of a line; each dialog does this in its way."""

    def _show_chosen(self) -> None:
        self.show_details(self.chosen())

    def _search(self, text: str) -> None:
        """Show the lines that have all words; groups without any are hidden."""
        words = text.lower().split()
        for item in self.items():
            line = " ".join(item.text(c) for c in range(item.columnCount())).lower()
            item.setHidden(not all(word in line for word in words))
        for place in range(self.tree.topLevelItemCount()):
            top = self.tree.topLevelItem(place)
            if top is not None and top.data(0, KEY) is None:
                children = [top.child(i) for i in range(top.childCount())]
                top.setHidden(all(c is None or c.isHidden() for c in children))
