"""Two processes side by side, with the operators and wires that differ, and a list of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QIcon, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QGraphicsItem,
    QGraphicsPathItem,
    QGraphicsRectItem,
    QGraphicsView,
    QGridLayout,
    QHeaderView,
    QLabel,
    QSplitter,
    QStyleOptionGraphicsItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops.core.graph.process import Process
from fsops.core.graph.wiring import Connection
from fsops.editing.process_diff import (
    ADDED,
    REMOVED,
    ProcessDifference,
    ends_of,
    names_of,
    process_diff,
    wires_of,
)
from fsops.errors import FsopsError
from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.canvas.operator_item import OperatorItem
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.document.document import Document

Side = tuple[str, Callable[[], Process]]
"""A title, and a function that returns the process."""
BADGE = 20
LEAST, MOST = 0.3, 2.0
"""Limits of the zoom."""
DIFFERENCE = Qt.ItemDataRole.UserRole


def kind_colour(kind: str) -> QColor:
    """Return the color of a kind of difference."""
    colours = current_colours()
    return {ADDED: colours.done, REMOVED: colours.error}.get(kind, colours.warning)


def kind_icon(kind: str) -> QIcon:
    """Return the icon of a kind of difference."""
    return glyph(icon_name("action", kind), kind_colour(kind).name())


def kind_words() -> dict[str, str]:
    """Return the kinds of difference in words."""
    return {ADDED: tr("added"), REMOVED: tr("removed"), "changed": tr("changed")}


class Mark(QGraphicsRectItem):
    """A frame with a badge over an operator that differs."""

    def __init__(self, item: OperatorItem, kind: str) -> None:
        super().__init__(item.body().adjusted(-3, -3, 3, 3), item)
        self.kind = kind

    def boundingRect(self) -> QRectF:
        """Return where it paints, with the badge."""
        most = BADGE / LEAST
        return super().boundingRect().adjusted(-most, -most, most, most)

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the frame, dashed for removed operators, and the badge at its corner."""
        assert painter is not None
        pen = QPen(kind_colour(self.kind), 3)
        if self.kind == REMOVED:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(self.rect(), 12, 12)
        zoom = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        side = BADGE / min(max(zoom, LEAST), 1.0)  # the same on the screen at every zoom
        corner = self.rect().topLeft() - QPointF(side / 2, side / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(current_colours().frame)
        painter.drawEllipse(QRectF(corner.x(), corner.y(), side, side))
        kind_icon(self.kind).paint(painter, QRectF(corner.x(), corner.y(), side, side).toRect())


class DiffView(QGraphicsView):
    """One side: a process to look at, with its differences marked."""

    entered = pyqtSignal(object)
    """The user opened an operator, or with None went up."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setInteractive(False)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.document: Document | None = None
        self.canvas: ProcessScene | None = None
        self._names: dict[str, str] = {}
        self._wires: dict[Connection, str] = {}

    def show_process(
        self, process: Process, names: dict[str, str], wires: dict[Connection, str]
    ) -> None:
        """Show a process with the kinds of difference of its operators and wires."""
        old = self.canvas
        self.document = Document(process.clone())
        self.canvas = ProcessScene(self.document)
        self._names, self._wires = names, wires
        self.setScene(self.canvas)
        if old is not None:
            old.deleteLater()
        self.setAccessibleDescription(tr("{n} operators differ.", n=len(names)))
        self._mark()
        self.fit()

    def go_to(self, owner: str | None) -> None:
        """Show the inside of an operator if this side has it."""
        if self.canvas is None or self.document is None or self.canvas.owner == owner:
            return
        nodes = {n.name: n for n in self.document.process.walk()}
        if owner is None or (owner in nodes and nodes[owner].subprocesses):
            self.canvas.enter(owner)
            self._mark()
            self.fit()

    def _mark(self) -> None:
        """Mark operators that differ; one with differences inside counts as changed."""
        assert self.canvas is not None
        for frame in self.canvas.frames:
            for name, item in frame.operators.items():
                inner = {n.name for p in frame.process[name].subprocesses for n in p.walk()}
                inside = "changed" if inner & self._names.keys() else ""
                kind = self._names.get(name) or inside
                if kind:
                    Mark(item, kind)
            for wire, line in frame.wires.items():
                if wire in self._wires:
                    over = QGraphicsPathItem(line.path(), line)
                    colour = kind_colour(self._wires[wire])
                    pen = QPen(colour, 4)
                    if self._wires[wire] == REMOVED:
                        pen.setStyle(Qt.PenStyle.DashLine)
                    over.setPen(pen)

    def marks(self) -> dict[str, str]:
        """Return the operators that are marked now."""
        found = {}
        for item in self.canvas.items() if self.canvas is not None else ():
            parent = item.parentItem()
            if isinstance(item, Mark) and isinstance(parent, OperatorItem):
                found[parent.name] = item.kind
        return found

    def fit(self) -> None:
        """Show the whole level, but never too small to read."""
        if self.canvas is None:
            return
        self.fitInView(self.canvas.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)
        zoom = min(max(self.transform().m11(), LEAST), 1.0)
        self.resetTransform()
        self.scale(zoom, zoom)
        self.centerOn(self.canvas.sceneRect().topLeft())

    def reveal(self, names: Sequence[str]) -> None:
        """Scroll to operators, if they are on this level."""
        items: list[QGraphicsItem] = []
        for name in names:
            item = self.canvas.item_of(name) if self.canvas is not None else None
            items += [item] if item is not None else []
        for found in reversed(items):
            self.ensureVisible(found, 60, 60)
            found.setSelected(True)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom with Ctrl and the wheel, else scroll."""
        if event is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(1.15 if event.angleDelta().y() > 0 else 1 / 1.15)
        else:
            super().wheelEvent(event)

    def _zoom(self, factor: float) -> None:
        target = min(max(self.transform().m11() * factor, LEAST), MOST)
        part = target / self.transform().m11()
        self.scale(part, part)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Zoom with + and −, show all with 0, go up with Backspace."""
        assert event is not None
        factors = {Qt.Key.Key_Plus: 1.15, Qt.Key.Key_Equal: 1.15, Qt.Key.Key_Minus: 1 / 1.15}
        key = Qt.Key(event.key())
        if key in factors:
            self._zoom(factors[key])
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_Backspace:
            self.entered.emit(self._around())
        else:
            super().keyPressEvent(event)

    def _around(self) -> str | None:
        assert self.canvas is not None
        assert self.document is not None
        owner = self.canvas.owner
        outer = None if owner is None else self.document.process.find(owner).process.owner
        return None if outer is None else outer.name

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Open the operator under the mouse; elsewhere go up."""
        assert event is not None
        assert self.canvas is not None
        item = self.canvas.operator_at(self.mapToScene(event.position().toPoint()))
        if item is None:
            self.entered.emit(self._around())
        elif item.shown.inner:
            self.entered.emit(item.name)


class CompareDialog(QDialog):
    """Chooses two processes, shows them side by side, and lists their differences."""

    def __init__(self, sides: Sequence[Side], before: int, after: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Compare processes"))
        self.resize(1180, 720)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self._sides = list(sides)
        self.differences: list[ProcessDifference] = []
        self.choices = (QComboBox(), QComboBox())
        self.views = (DiffView(tr("Before")), DiffView(tr("After")))
        self.summary = QLabel()
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.list = QTreeWidget()
        self.list.setAccessibleName(tr("Differences"))
        self.list.setHeaderLabels([tr("Difference"), tr("Kind")])
        self.list.setRootIsDecorated(False)
        self._lay_out()
        for number, (combo, view) in enumerate(zip(self.choices, self.views, strict=True)):
            combo.setAccessibleName(view.accessibleName())
            for title, _ in self._sides:
                combo.addItem(title)
            combo.setCurrentIndex((before, after)[number])
            combo.currentIndexChanged.connect(lambda _index: self.compare())
            view.entered.connect(self._enter)
        self.list.currentItemChanged.connect(self._show_current)
        self.compare()

    def _lay_out(self) -> None:
        grid = QWidget()
        places = QGridLayout(grid)
        places.setContentsMargins(0, 0, 0, 0)
        for column, (combo, view) in enumerate(zip(self.choices, self.views, strict=True)):
            label = QLabel(view.accessibleName())
            label.setBuddy(combo)
            places.addWidget(label, 0, column)
            places.addWidget(combo, 1, column)
            places.addWidget(view, 2, column)
            places.setColumnStretch(column, 1)
        below = QWidget()
        column_below = QVBoxLayout(below)
        column_below.setContentsMargins(0, 0, 0, 0)
        column_below.addWidget(self.summary)
        column_below.addWidget(self.list)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(grid)
        split.addWidget(below)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.addWidget(split)
        header = self.list.header()
        if header is not None:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.setIconSize(QSize(18, 18))

    def compare(self) -> None:
        """Show the two chosen processes and their differences."""
        self.list.clear()
        try:
            before, after = (self._sides[c.currentIndex()][1]() for c in self.choices)
        except FsopsError as error:
            self.summary.setText(str(error))
            return
        self.differences = process_diff(before, after)
        for number, (view, process) in enumerate(zip(self.views, (before, after), strict=True)):
            side = bool(number)
            wires = wires_of(self.differences, after=side)
            view.show_process(process, names_of(self.differences, after=side), wires)
        words = kind_words()
        for one in self.differences:
            item = QTreeWidgetItem([one.text, words[one.kind]])
            item.setIcon(0, kind_icon(one.kind))
            item.setData(0, DIFFERENCE, one)
            item.setToolTip(0, one.text)
            self.list.addTopLevelItem(item)
        counts = Counter(one.kind for one in self.differences)
        parts = [f"{counts[kind]} {text}" for kind, text in words.items() if counts[kind]]
        self.summary.setText(", ".join(parts) or tr("Both processes are the same."))

    def _enter(self, owner: str | None) -> None:
        for view in self.views:
            view.go_to(owner)

    def _show_current(self, item: QTreeWidgetItem | None) -> None:
        """Go to the difference on both sides."""
        one = item.data(0, DIFFERENCE) if item is not None else None
        if not isinstance(one, ProcessDifference):
            return
        for view, own, owner in zip(
            self.views, (one.before, one.after), (one.owner_before, one.owner_after), strict=True
        ):
            names = [own] if own is not None else ends_of(one.wire) if one.wire else []
            assert view.document is not None
            there = {node.name: node for node in view.document.process.walk()}
            known = [name for name in names if name in there]
            around = there[known[0]].process.owner if known else None
            view.go_to(around.name if around is not None else owner)
            assert view.canvas is not None
            view.canvas.clearSelection()
            view.reveal(known)

    def closeEvent(self, a0: object) -> None:
        """Let go of the drawings."""
        for view in self.views:
            view.setScene(None)
        super().closeEvent(a0)  # type: ignore[arg-type]
