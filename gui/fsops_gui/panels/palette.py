"""The palette: all operators as a tree, with a search that knows other names too."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from PyQt6.QtCore import QEvent, QMimeData, QObject, QPoint, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from fsops import operators
from fsops.core.declare.roles import Role
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.editing.blocks import BuildingBlock
from fsops.editing.operator_search import found_operators, why_found
from fsops.editing.thesaurus import is_about_plots
from fsops_gui.base.icons import block_icon, operator_icon
from fsops_gui.base.reasons import REASON, ReasonDelegate
from fsops_gui.base.texts import tr
from fsops_gui.canvas.mime import BLOCK, OPERATOR, block_mime, operator_mime
from fsops_gui.canvas.tips import role_text

ROLE = Qt.ItemDataRole.UserRole
GROUP = Qt.ItemDataRole.UserRole + 1
"""The role whose icon a group has."""
BLOCK_ROLE = Qt.ItemDataRole.UserRole + 8
"""The building block of an item; `SECTION` for the group of all of them."""
SECTION = "blocks"
SLICE = 0.015
"""Seconds of loading before the window may do something else."""
HOVER = 400
"""Milliseconds the mouse rests on an operator before its help is shown."""


class OperatorTree(QTreeWidget):
    """Operators by group; each can be dragged to the canvas."""

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setAccessibleName(tr("Operators"))
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)

    def mimeTypes(self) -> list[str]:
        """Return the drag data."""
        return [OPERATOR, BLOCK]

    def mimeData(self, items: object) -> QMimeData | None:
        """Return the dragged operator."""
        for item in self.selectedItems():
            operator, block = item.data(0, ROLE), item.data(0, BLOCK_ROLE)
            if operator is not None:
                return operator_mime(operator)
            if block is not None:
                return block_mime(block)
        return None


class Palette(QWidget):
    """Search field and tree.

    Operators that are not loaded yet are loaded bit by bit while the window can be used already.
    """

    pointed_at = pyqtSignal(object)
    """The operator that is selected, or under the mouse, for its help."""
    chosen = pyqtSignal(object)
    """The operator that is to be added."""
    block_chosen = pyqtSignal(object)
    block_menu_wanted = pyqtSignal(object, QPoint)
    """A building block, or None for their group, and the point of the screen for the menu."""
    block_rename_wanted = pyqtSignal(object)
    block_delete_wanted = pyqtSignal(object)

    def __init__(self, registry: Registry, recent: Callable[[], list[str]] = lambda: []) -> None:
        super().__init__()
        self._registry = registry
        self._recent = recent
        self.blocks: Callable[[], Sequence[BuildingBlock]] = tuple
        """The building blocks of the user."""
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Search operators"))
        self.field.setToolTip(tr("A name, a method, a parameter, or the name in RapidMiner"))
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName(tr("Search operators"))
        self.tree = OperatorTree()
        self.tree.setItemDelegate(ReasonDelegate(self.tree))
        self.tree.setIconSize(QSize(20, 20))
        self.tree.setIndentation(16)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(8)
        layout.addWidget(self.field)
        layout.addWidget(self.tree)
        self.field.textChanged.connect(self.search)
        self.field.returnPressed.connect(self._add_first)
        self.field.installEventFilter(self)
        self.tree.installEventFilter(self)
        self.tree.currentItemChanged.connect(self._point)
        self.tree.itemActivated.connect(self._choose)
        self.tree.itemEntered.connect(self._hover)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._open_menu)
        self._hovered: Operator | None = None
        self._resting = QTimer(self)
        self._resting.setSingleShot(True)
        self._resting.setInterval(HOVER)
        self._resting.timeout.connect(self._tell_hovered)
        self._loading = QTimer(self)
        self._loading.timeout.connect(self._load_some)
        self._waiting = dir(operators)
        self._say(tr("The operators are being loaded…"))
        self._loading.start(0)
        self._load_some()

    def _load_some(self) -> None:
        """Load operators for a moment; when all are there, show them."""
        end = time.perf_counter() + SLICE
        while self._waiting and time.perf_counter() < end:
            self._registry.find(self._waiting.pop())
        if not self._waiting:
            self._loading.stop()
            self.search(self.field.text())

    def _say(self, text: str) -> None:
        """Show a sentence in the place of operators."""
        item = QTreeWidgetItem([text])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.tree.addTopLevelItem(item)

    def search(self, words: str) -> None:
        """Show the operators that fit the words; without words, the groups closed."""
        if self._loading.isActive() and not words.strip():
            return  # they come as soon as they are loaded
        self.tree.clear()
        if words.strip():
            found = found_operators(self._registry, words, self._recent())
            for operator in found:
                self._add(self.tree.invisibleRootItem(), operator, why_found(operator, words))
            blocks = [block for block in self.blocks() if block.has(words)]
            for block in blocks:
                self._add_block(self.tree.invisibleRootItem(), block, tr("building block"))
            if not found and not blocks:
                self._say(tr("No operator has all these words."))
            if is_about_plots(words):
                self._say(tr("Plots: each result has its own."))
                self._say(tr("Run, then open its Figures."))
            self.tree.setCurrentItem(self.tree.topLevelItem(0) if found or blocks else None)
            return
        self._show_recent()
        groups: dict[str, QTreeWidgetItem] = {}
        for operator in self._registry:
            self._add(self._group(operator.group, groups), operator)
        self._show_group_icons()
        self._show_section()

    # --- building blocks --------------------------------------------------------------------

    def _show_section(self) -> QTreeWidgetItem:
        """Add the group of building blocks, behind those of the operators."""
        group = QTreeWidgetItem(self.tree.invisibleRootItem(), [tr("Building blocks")])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        group.setIcon(0, block_icon())
        group.setData(0, BLOCK_ROLE, SECTION)
        blocks = self.blocks()
        for block in blocks:
            self._add_block(group, block)
        if not blocks:
            hint = QTreeWidgetItem(group, [tr("Select operators, then Ctrl+Alt+S saves a block.")])
            hint.setFlags(Qt.ItemFlag.ItemIsEnabled)
            hint.setToolTip(0, hint.text(0))
        return group

    @staticmethod
    def _add_block(parent: QTreeWidgetItem | None, block: BuildingBlock, why: str = "") -> None:
        item = QTreeWidgetItem(parent, [block.name])
        item.setData(0, BLOCK_ROLE, block)
        item.setData(0, REASON, why)
        item.setIcon(0, block_icon())
        item.setToolTip(0, block.summary)

    def show_blocks(self, name: str = "") -> None:
        """Show the building blocks as they are now, and select one by its name."""
        if self._loading.isActive():
            return  # they come with the operators
        self.field.clear()
        tree = self.tree
        tops = [tree.topLevelItem(i) for i in range(tree.topLevelItemCount())]
        for item in tops:
            if item is not None and item.data(0, BLOCK_ROLE) == SECTION:
                tree.takeTopLevelItem(tree.indexOfTopLevelItem(item))
        group = self._show_section()
        group.setExpanded(True)
        for number in range(group.childCount()):
            child = group.child(number)
            if child is not None and child.text(0) == name:
                tree.setCurrentItem(child)
                tree.scrollToItem(child)

    def _open_menu(self, point: QPoint) -> None:
        item = self.tree.itemAt(point) or self.tree.currentItem()
        block = item.data(0, BLOCK_ROLE) if item is not None else None
        viewport = self.tree.viewport()
        if block is not None and viewport is not None:
            given = None if block == SECTION else block
            self.block_menu_wanted.emit(given, viewport.mapToGlobal(point))

    def _show_group_icons(self) -> None:
        """Give each outermost group the icon of the role that most of its operators have."""
        roles: dict[str, Counter[Role]] = {}
        for operator in self._registry:
            roles.setdefault(operator.group.partition("/")[0], Counter())[operator.role] += 1
        for number in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(number)
            if item is not None and item.text(0) in roles:
                most = roles[item.text(0)].most_common(1)[0][0]
                item.setData(0, GROUP, most)
                item.setData(0, REASON, str(roles[item.text(0)].total()))
                item.setIcon(0, operator_icon(most))

    def _show_recent(self) -> None:
        specs = [self._registry.find(key) for key in self._recent()]
        known = [spec for spec in specs if not spec.is_placeholder]
        if known:
            group = QTreeWidgetItem(self.tree.invisibleRootItem(), [tr("Used last")])
            group.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            for spec in known:
                self._add(group, spec)

    def refresh(self) -> None:
        """Show the operators used last as they are now."""
        if not self.field.text().strip() and not self._loading.isActive():
            first = self.tree.topLevelItem(0)
            is_open = first is not None and first.isExpanded()
            if first is not None and first.text(0) == tr("Used last"):
                self.tree.takeTopLevelItem(0)
            end = self.tree.topLevelItemCount()
            self._show_recent()
            if self.tree.topLevelItemCount() > end:
                group = self.tree.takeTopLevelItem(end)
                self.tree.insertTopLevelItem(0, group)
                if group is not None:
                    group.setExpanded(is_open)

    def _group(self, name: str, groups: dict[str, QTreeWidgetItem]) -> QTreeWidgetItem:
        if name not in groups:
            outer, _, own = name.rpartition("/")
            parent = self._group(outer, groups) if outer else self.tree.invisibleRootItem()
            groups[name] = QTreeWidgetItem(parent, [own or tr("Others")])
            groups[name].setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        return groups[name]

    @staticmethod
    def _add(parent: QTreeWidgetItem | None, operator: Operator, why: str = "") -> None:
        item = QTreeWidgetItem(parent, [operator.title])
        item.setData(0, REASON, why)
        item.setData(0, ROLE, operator)
        item.setIcon(0, operator_icon(operator.role))
        item.setToolTip(
            0, f"{operator.group}\n{role_text(operator.role)}\n{operator.summary}\n{why}".rstrip()
        )

    def changeEvent(self, a0: QEvent | None) -> None:
        """Show the colors of the roles in the theme that is used now."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange:
            items = QTreeWidgetItemIterator(self.tree)
            while (item := items.value()) is not None:
                if item.data(0, ROLE) is not None:
                    item.setIcon(0, operator_icon(item.data(0, ROLE).role))
                elif item.data(0, BLOCK_ROLE) is not None:
                    item.setIcon(0, block_icon())
                elif item.data(0, GROUP) is not None:
                    item.setIcon(0, operator_icon(item.data(0, GROUP)))
                items += 1

    def _point(self, item: QTreeWidgetItem | None) -> None:
        operator = item.data(0, ROLE) if item is not None else None
        if operator is not None:
            self.pointed_at.emit(operator)

    def _hover(self, item: QTreeWidgetItem) -> None:
        self._hovered = item.data(0, ROLE)
        self._resting.start()

    def _tell_hovered(self) -> None:
        if self._hovered is not None and self.tree.underMouse():
            self.pointed_at.emit(self._hovered)

    def _choose(self, item: QTreeWidgetItem) -> None:
        operator = item.data(0, ROLE)
        if operator is not None:
            self.chosen.emit(operator)
        elif isinstance(item.data(0, BLOCK_ROLE), BuildingBlock):
            self.block_chosen.emit(item.data(0, BLOCK_ROLE))

    def _add_first(self) -> None:
        item = self.tree.currentItem() or self.tree.topLevelItem(0)
        if self.field.text().strip() and item is not None:
            self._choose(item)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Go from the field into the tree and back with the arrow keys; Escape empties it."""
        if isinstance(a1, QKeyEvent) and a1.type() == QEvent.Type.KeyPress:
            key = Qt.Key(a1.key())
            if a0 is self.field and key == Qt.Key.Key_Down:
                self._go_into_tree()
                return True
            if a0 is self.field and key == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
            item = self.tree.currentItem()
            block = item.data(0, BLOCK_ROLE) if item is not None and a0 is self.tree else None
            if isinstance(block, BuildingBlock) and key in (Qt.Key.Key_F2, Qt.Key.Key_Delete):
                renames = key == Qt.Key.Key_F2
                (self.block_rename_wanted if renames else self.block_delete_wanted).emit(block)
                return True
            at_top = self.tree.currentItem() is self.tree.topLevelItem(0)
            if a0 is self.tree and key == Qt.Key.Key_Up and at_top:
                self.field.setFocus()
                return True
        return super().eventFilter(a0, a1)

    def _go_into_tree(self) -> None:
        """Go to the second hit, the first being chosen already, or to the first group."""
        place = 1 if self.field.text().strip() and self.tree.topLevelItemCount() > 1 else 0
        self.tree.setCurrentItem(self.tree.topLevelItem(place))
        self.tree.setFocus()
