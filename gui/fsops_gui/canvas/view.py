"""The view: zoom, pan, keys, drops, and renaming in place."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QWheelEvent,
)
from PyQt6.QtWidgets import QGraphicsView, QLineEdit

from fsops.core.operator import Operator
from fsops.core.ports import fits
from fsops.core.registry import Registry
from fsops.core.wiring import Connection
from fsops.errors import FsopsError
from fsops_gui.canvas.look import TITLE
from fsops_gui.canvas.mime import operator_from
from fsops_gui.canvas.quick_add import QuickAdd
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.connecting import Connecting, End
from fsops_gui.document import Level
from fsops_gui.texts import tr

SMALLEST, LARGEST = 0.15, 3.0
STEP = 1.15
GRID = 15
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class ProcessView(QGraphicsView):
    """Shows a scene and turns keys and drops into edits."""

    menu_wanted = pyqtSignal(QPoint)
    """A context menu is asked for, at a point of the screen."""
    zoomed = pyqtSignal(float)

    def __init__(self, scene: ProcessScene, registry: Registry) -> None:
        super().__init__(scene)
        self.process_scene = scene
        self.registry = registry
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        self.setDragMode(QGraphicsView.DragMode.RubberBandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setAcceptDrops(True)
        self.setAccessibleName(tr("Process"))
        self.setAccessibleDescription(
            tr("The drawing of the process. The list of its operators says the same in words.")
        )
        self.quick_add = QuickAdd(registry, self)
        self.quick_add.chosen.connect(self._add_chosen)
        self._wire_start: End | None = None
        self._add_at: QPointF | None = None
        self._replaced: str | None = None
        self._panned: QPoint | None = None
        self._name_field: QLineEdit | None = None
        self._space = False
        scene.dropped_in_space.connect(self.offer_for_wire)

    # --- zoom and pan -----------------------------------------------------------------------

    @property
    def zoom(self) -> float:
        """How large the canvas is shown; 1 is its own size."""
        return self.transform().m11()

    def set_zoom(self, zoom: float) -> None:
        """Show the canvas larger or smaller."""
        zoom = max(SMALLEST, min(zoom, LARGEST))
        self.scale(zoom / self.zoom, zoom / self.zoom)
        self.zoomed.emit(self.zoom)

    def zoom_in(self) -> None:
        """Show the canvas one step larger."""
        self.set_zoom(self.zoom * STEP)

    def zoom_out(self) -> None:
        """Show the canvas one step smaller."""
        self.set_zoom(self.zoom / STEP)

    def fit(self, smallest: float = SMALLEST) -> None:
        """Show everything, but not larger than its own size, and not smaller than asked for."""
        box = self.process_scene.sceneRect()
        self.fitInView(box, Qt.AspectRatioMode.KeepAspectRatio)
        # A little less than the room there is, so that no scroll bars appear.
        self.set_zoom(max(min(self.zoom * 0.99, 1.0), smallest))
        self.centerOn(box.center())
        if self.zoom == smallest:  # it begins at the left, where one reads from
            for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
                if bar is not None:
                    bar.setValue(bar.minimum())

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom with Ctrl, else scroll."""
        if event is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self.zoom * STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Pan with the middle button, or with the space bar held."""
        assert event is not None
        left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (left and self._space):
            self._panned = event.pos()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Pan."""
        assert event is not None
        if self._panned is None:
            super().mouseMoveEvent(event)
            return
        away = event.pos() - self._panned
        self._panned = event.pos()
        for bar, step in (
            (self.horizontalScrollBar(), away.x()),
            (self.verticalScrollBar(), away.y()),
        ):
            if bar is not None:
                bar.setValue(bar.value() - step)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """End panning."""
        if self._panned is not None:
            self._panned = None
            self.unsetCursor()
            return
        super().mouseReleaseEvent(event)

    def reveal(self, name: str) -> None:
        """Go to an operator, on whatever level it stands, and select it."""
        level = self.process_scene.document.level_of(name)
        if level.owner != self.process_scene.owner:
            self.process_scene.enter(level.owner)
        self.process_scene.select([name])
        item = self.process_scene.item_of(name)
        if item is not None:
            self.ensureVisible(item)

    # --- keys -------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Go from operator to operator, move them, open them, or begin to type a name."""
        assert event is not None
        key, held = Qt.Key(event.key()), event.modifiers()
        if key == Qt.Key.Key_Space and not held:
            self._space = True
        elif key in _ARROWS and held in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.ShiftModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            step = _ARROWS[key]
            moves = bool(held & Qt.KeyboardModifier.ShiftModifier)
            self._shift(*step) if moves else self._go(*step)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_selected()
        elif key == Qt.Key.Key_Tab:
            self._next_level()
        elif self._is_letter(event):
            self.begin_adding(event.text())
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:
        """Let go of the canvas."""
        if event is not None and event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
        super().keyReleaseEvent(event)

    @staticmethod
    def _is_letter(event: QKeyEvent) -> bool:
        plain = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
        return plain == Qt.KeyboardModifier.NoModifier and event.text()[:1].isalpha()

    def focusNextPrevChild(self, next: bool) -> bool:
        """Keep the Tab key, which goes from level to level, where there are several."""
        return False if len(self.process_scene.frames) > 1 else super().focusNextPrevChild(next)

    def _next_level(self) -> None:
        levels = [frame.level for frame in self.process_scene.frames]
        at = levels.index(self.process_scene.active)
        self.process_scene.activate(levels[(at + 1) % len(levels)])
        self.process_scene.select([])

    def _go(self, dx: int, dy: int) -> None:
        name = self.process_scene.neighbour(dx, dy)
        if name is not None:
            self.process_scene.select([name])
            self.ensureVisible(self.process_scene.item_of(name))

    def _shift(self, dx: int, dy: int) -> None:
        document = self.process_scene.document
        for level, chosen in self.process_scene.selected().items():
            inside = document.level(level)
            places = {}
            for name in chosen.names:
                at = inside[name].position or {}
                places[name] = (at.get("x", 0) + GRID * dx, at.get("y", 0) + GRID * dy)
            if places:
                document.move(level, places, merge=True)

    def open_selected(self) -> None:
        """Show the inner processes of the selected operator."""
        for name in self.process_scene.selected_names()[:1]:
            if self.process_scene.document.process.find(name).subprocesses:
                self.process_scene.enter(name)

    # --- adding -----------------------------------------------------------------------------

    def begin_adding(self, text: str = "") -> None:
        """Open the search for an operator to add after the selected one."""
        self._wire_start = self._add_at = self._replaced = None
        self._open_search(text)

    def begin_replacing(self) -> None:
        """Open the search for an operator to put in the place of the selected one."""
        self._wire_start = self._add_at = None
        self._replaced = next(iter(self.process_scene.selected_names()), None)
        if self._replaced is not None:
            self._open_search("")

    def _open_search(self, text: str) -> None:
        names = self.process_scene.selected_names()
        item = self.process_scene.item_of(names[0]) if names else None
        point = QPoint(40, 40)
        if item is not None:
            place = item.scenePos() + QPointF(item.width + 20, 0)
            point = self.mapFromScene(place)
        self.quick_add.open_at(point, text)

    def offer_for_wire(self, start: End, point: QPointF) -> None:
        """Offer the operators that a wire dropped in empty space can go to."""
        frame = self.process_scene.frame_at(point)
        port = frame.declared(start)
        if port is None:
            return
        self._wire_start, self._add_at, self._replaced = start, point, None

        def suits(operator: Operator) -> bool:
            if start.outgoing:
                return any(fits(port.declared.type, p) for p in operator.inputs)
            return any(fits(p.type, port.declared) for p in operator.outputs)

        self.quick_add.open_at(self.mapFromScene(point), "", suits)

    def _add_chosen(self, operator: Operator) -> None:
        scene = self.process_scene
        start, point = self._wire_start, self._add_at
        self.setFocus()
        if self._replaced is not None:
            level = scene.document.level_of(self._replaced)
            scene.document.replace(level, self._replaced, operator)
            return
        if start is not None and point is not None:
            frame, place = scene.place_at(point)
            name = self._add_at_wire(frame.level, operator, start, place)
        else:
            shown = scene.frame_of(scene.active).operators
            after = next((n for n in scene.selected_names() if n in shown), None)
            name = scene.document.add(scene.active, operator, None, after)
        scene.select([name])
        self.ensureVisible(scene.item_of(name))

    def _add_at_wire(
        self, level: Level, operator: Operator, start: End, place: tuple[int, int]
    ) -> str:
        document = self.process_scene.document
        if start.outgoing:
            return document.add_connected(level, operator, (start.node, start.port), place)
        document.undo_stack.beginMacro(tr("Add {name}", name=operator.title))
        name = document.add(level, operator, place)
        connecting = Connecting(document.level(level), start)
        for port in operator.outputs:
            end = End(name, f"{port.name} 1" if port.many else port.name, outgoing=True)
            if not connecting.why_not(end):
                wire: Connection = connecting.connection(end)
                document.connect(level, wire)
                break
        document.undo_stack.endMacro()
        return name

    # --- renaming in place ------------------------------------------------------------------

    def begin_renaming(self) -> None:
        """Open a field over the name of the selected operator."""
        names = self.process_scene.selected_names()
        item = self.process_scene.item_of(names[0]) if names else None
        if item is None:
            return
        box = self.mapFromScene(item.mapToScene(QRectF(0, 0, item.width, TITLE))).boundingRect()
        field = QLineEdit(item.name, self.viewport())
        field.setAccessibleName(tr("Name of the operator"))
        field.setGeometry(box.adjusted(-2, -3, 2, 3))
        field.setMinimumWidth(140)
        field.selectAll()
        field.show()
        field.setFocus()
        self._name_field = field
        old = item.name
        field.editingFinished.connect(lambda: self._end_renaming(old))

    def _end_renaming(self, old: str) -> None:
        field, self._name_field = self._name_field, None
        if field is None:
            return
        new = field.text()
        field.hide()
        field.deleteLater()
        self.setFocus()
        if new.strip() and new.strip() != old:
            try:
                self.process_scene.document.rename(old, new)
            except FsopsError as error:
                self.process_scene.said.emit(str(error))

    # --- drops and menus --------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Welcome operators from the palette."""
        if event is not None and operator_from(event.mimeData(), self.registry) is not None:
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:
        """Show which wire an operator would go into."""
        if event is not None:
            self.process_scene.highlight_wire(self.mapToScene(event.position().toPoint()))
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent | None) -> None:
        """Forget the wire."""
        self.process_scene.highlight_wire(None)

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Add the operator where it was dropped."""
        operator = operator_from(event.mimeData(), self.registry) if event is not None else None
        if event is None or operator is None:
            return
        self.process_scene.highlight_wire(None)
        self.process_scene.drop(operator, self.mapToScene(event.position().toPoint()))
        event.acceptProposedAction()
        self.setFocus()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Ask for the menu of what is under the mouse."""
        assert event is not None
        scene = self.process_scene
        item = scene.itemAt(self.mapToScene(event.pos()), self.transform())
        if item is None or not item.isSelected():
            scene.clearSelection()
            if item is not None:
                item.setSelected(True)
        self.menu_wanted.emit(event.globalPos())
