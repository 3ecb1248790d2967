"""The view: zoom, pan, keys, drops, and renaming in place."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PyQt6.QtWidgets import QFrame, QGestureEvent, QGraphicsView, QPinchGesture

from fsops.core.registry import Registry
from fsops.editing.layout import note_place
from fsops.editing.levels import Level, Spot
from fsops_gui.base.texts import tr
from fsops_gui.canvas.edge_scroll import EdgeScroll
from fsops_gui.canvas.look import BARELY, FIT, GLYPH_ZOOM, READABLE
from fsops_gui.canvas.mime import block_from, operator_from
from fsops_gui.canvas.operator_chooser import OperatorChooser
from fsops_gui.canvas.quick_add import QuickAdd
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.canvas.selection import selection_text
from fsops_gui.canvas.text_fields import TextFields

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
    """Shows a scene and converts keys and drops to edits."""

    block_dropped = pyqtSignal(object, QPointF)
    """File of a building block, and the point of the scene."""
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
        # Not in the middle: there, everything would move whenever a frame grows.
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptDrops(True)
        self.setAccessibleName(tr("Process"))
        self.setAccessibleDescription(
            tr("The drawing of the process. The list of its operators says the same in words.")
        )
        self.chooser = OperatorChooser(self, registry)
        self.text_fields = TextFields(self)
        self._panned: QPoint | None = None
        self._space = False
        self.edge_scroll = EdgeScroll(self)
        viewport = self.viewport()
        if viewport is not None:
            viewport.grabGesture(Qt.GestureType.PinchGesture)
            viewport.setMouseTracking(True)
        scene.dropped_in_space.connect(self.chooser.offer_for_wire)
        scene.writing_wanted.connect(self.text_fields.write_note)
        scene.port_reached.connect(self._reach)
        scene.selected_now.connect(self._describe)

    # --- zoom and pan -----------------------------------------------------------------------

    @property
    def zoom(self) -> float:
        """How large the canvas is shown; 1 is its own size."""
        return self.transform().m11()

    def set_zoom(self, zoom: float) -> None:
        """Show the canvas larger or smaller."""
        zoom = max(SMALLEST, min(zoom, LARGEST))
        self.setTransform(QTransform.fromScale(zoom, zoom))
        self.process_scene.set_far(zoom < GLYPH_ZOOM)
        self.zoomed.emit(self.zoom)

    def zoom_in(self) -> None:
        """Show the canvas one step larger."""
        self.set_zoom(self.zoom * STEP)

    def zoom_out(self) -> None:
        """Show the canvas one step smaller."""
        self.set_zoom(self.zoom / STEP)

    def fit_readable(self) -> None:
        """Show everything if it can be read then, else its beginning."""
        self.fit(BARELY)
        if self.zoom == BARELY:
            self.fit(READABLE)

    def fit(self, smallest: float = FIT) -> None:
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

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Place frames below each other where the window is narrow."""
        super().resizeEvent(event)
        viewport = self.viewport()
        if viewport is not None:
            self.process_scene.set_room(viewport.width())

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom with Ctrl, else scroll."""
        if event is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self.zoom * STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent | None) -> bool:
        """Zoom with two fingers, on a touchpad or a screen."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.set_zoom(self.zoom * (1 + event.value()))
                return True
        elif isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                if pinch.changeFlags() & QPinchGesture.ChangeFlag.ScaleFactorChanged:
                    self.set_zoom(self.zoom * pinch.scaleFactor())
                event.accept(pinch)
                return True
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Pan with the middle button, or with the space bar held."""
        assert event is not None
        left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (left and self._space):
            self._panned = event.pos()
            self._point(Qt.CursorShape.ClosedHandCursor)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Pan; and scroll where something is pulled to the edge."""
        assert event is not None
        if self._panned is None:
            super().mouseMoveEvent(event)
            if event.buttons() == Qt.MouseButton.NoButton:
                self._show_cursor(event.pos())
            elif self.process_scene.mouse.busy:
                self.edge_scroll.move(event.pos())
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
        self.edge_scroll.end()
        if self._panned is not None:
            self._panned = None
            self._show_cursor(self._mouse())
            return
        super().mouseReleaseEvent(event)

    def _mouse(self) -> QPoint:
        viewport = self.viewport()
        return viewport.mapFromGlobal(QCursor.pos()) if viewport is not None else QPoint()

    def _point(self, cursor: Qt.CursorShape) -> None:
        viewport = self.viewport()
        if viewport is not None and viewport.cursor().shape() != cursor:
            viewport.setCursor(cursor)

    def _show_cursor(self, point: QPoint) -> None:
        """Show the effect of the mouse by the cursor."""
        if self._space:
            self._point(Qt.CursorShape.OpenHandCursor)
        else:
            self._point(self.process_scene.mouse.cursor_at(self.mapToScene(point)))

    def reveal(self, name: str, *, centre: bool = False) -> None:
        """Go to an operator on any level, and select it."""
        self._open_level(self.process_scene.document.level_of(name))
        self.process_scene.select([name])
        item = self.process_scene.item_of(name)
        if item is not None:
            self.centerOn(item) if centre else self.ensureVisible(item)

    def reveal_all(self, names: Sequence[str]) -> None:
        """Go to the first of some operators and select those of its level, without the keyboard."""
        if names:
            self._open_level(self.process_scene.document.level_of(names[0]))
            self.process_scene.select(names)
            item = self.process_scene.item_of(names[0])
            if item is not None:
                self.ensureVisible(item)

    def reveal_note(self, spot: Spot) -> None:
        """Go to a note on any level, and select it."""
        self._open_level(spot.level)
        item = self.process_scene.note_of(spot)
        if item is not None:
            self.process_scene.clearSelection()
            item.setSelected(True)
            self.centerOn(item)

    def _open_level(self, level: Level) -> None:
        if level.owner != self.process_scene.owner:
            self.process_scene.enter(level.owner)
        self.process_scene.activate(level)

    # --- keys -------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Go from operator to operator, move them, open them, or begin to type a name."""
        assert event is not None
        key, held = Qt.Key(event.key()), event.modifiers()
        if self._at_ports(key, held):
            return
        if key == Qt.Key.Key_Space and not held:
            self._space = True
            self._show_cursor(self._mouse())
        elif key in _ARROWS and held in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.ShiftModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            step = _ARROWS[key]
            moves = bool(held & Qt.KeyboardModifier.ShiftModifier)
            self._shift(*step) if moves else self._go(*step)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter_selected()
        elif self._is_letter(event):
            self.begin_adding(event.text())
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:
        """Let go of the canvas."""
        if event is not None and event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            self._show_cursor(self._mouse())
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """Forget the space bar: its release elsewhere is not reported."""
        self._space = False
        super().focusOutEvent(event)

    @staticmethod
    def _is_letter(event: QKeyEvent) -> bool:
        plain = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
        return plain == Qt.KeyboardModifier.NoModifier and event.text()[:1].isalpha()

    def event(self, event: QEvent | None) -> bool:
        """Keep the keys of the ports, such as Delete, from the actions of the window."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and not event.modifiers()
            and self.process_scene.ports.wants(Qt.Key(event.key()))
        ):
            event.accept()
            return True
        return super().event(event)

    def _at_ports(self, key: Qt.Key, held: Qt.KeyboardModifier) -> bool:
        """Walk on among the ports; return whether the key meant that."""
        ports = self.process_scene.ports
        shift = bool(held & Qt.KeyboardModifier.ShiftModifier)
        others = held & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if not ports.wants(key) or others:
            return False
        ports.press(key, shift=shift)
        self._follow_port()
        return True

    def _follow_port(self) -> None:
        frame, here = self.process_scene.ports.frame, self.process_scene.ports.here
        if frame is not None and here is not None:
            place = frame.pos() + frame.place(here)
            self.ensureVisible(QRectF(place - QPointF(20, 20), place + QPointF(20, 20)))

    def _describe(self) -> None:
        """Describe the selection to screen readers, with neighbors and problems."""
        scene = self.process_scene
        signs = {n: i.marks.texts for f in scene.frames for n, i in f.operators.items()}
        level = scene.document.level(scene.active)
        self.setAccessibleDescription(selection_text(level, scene.selected(), signs))

    def _reach(self, words: str) -> None:
        self.setAccessibleDescription(words)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Go through the ports of the selected operator, then to the next level, then away."""
        scene = self.process_scene
        if not self.hasFocus():  # a field over the canvas was left or hidden
            return super().focusNextPrevChild(next)
        if scene.ports.here is not None:
            if scene.ports.press(Qt.Key.Key_Tab if next else Qt.Key.Key_Backtab, shift=False):
                self._follow_port()
                return True
        else:
            for name in scene.selected_names()[:1] if next else ():
                frame = scene.frame_of(scene.document.level_of(name))
                if scene.ports.begin(frame, name):
                    self._follow_port()
                    return True
        return self.next_level(1 if next else -1) or super().focusNextPrevChild(next)

    def next_level(self, step: int = 1) -> bool:
        """Go to the next of the levels shown; return False after the last one."""
        scene = self.process_scene
        levels = [frame.level for frame in scene.frames]
        at = levels.index(scene.active) + step
        if not 0 <= at < len(levels):
            return False
        scene.ports.leave()
        scene.activate(levels[at])
        scene.select([])
        return True

    def _enter_selected(self) -> None:
        """Open the selected operator; with nothing selected go to the edges of the level."""
        scene = self.process_scene
        note = scene.selected_note()
        if scene.selected_names():
            self.open_selected()
        elif note is not None:
            self.text_fields.write_note(note)
        elif scene.ports.begin(scene.frame_of(scene.active), None):
            self._follow_port()

    def _go(self, dx: int, dy: int) -> None:
        name = self.process_scene.neighbour(dx, dy)
        if name is not None:
            self.process_scene.select([name])
            self.ensureVisible(self.process_scene.item_of(name))

    def _shift(self, dx: int, dy: int) -> None:
        document = self.process_scene.document
        if self.process_scene.bends.shift(dx, dy):
            return
        for level, chosen in self.process_scene.selected().items():
            inside = document.level(level)
            places = {}
            for name in chosen.names:
                at = inside[name].position or {}
                places[name] = (at.get("x", 0) + GRID * dx, at.get("y", 0) + GRID * dy)
            notes = {}
            for spot in chosen.notes:
                if spot.owner is None:
                    x, y = note_place(inside.notes[spot.number])
                    notes[spot.number] = (x + GRID * dx, y + GRID * dy)
            if places or notes:
                document.move(level, places, notes, merge=True)

    def open_selected(self) -> None:
        """Show the inner processes of the selected operator."""
        for name in self.process_scene.selected_names()[:1]:
            if self.process_scene.document.process.find(name).subprocesses:
                self.process_scene.enter(name)

    # --- adding and writing -----------------------------------------------------------------

    @property
    def quick_add(self) -> QuickAdd:
        """The search for operators."""
        return self.chooser.search

    def begin_adding(self, text: str = "") -> None:
        """Search for an operator to add after the selected one."""
        self.chooser.begin(text)

    def begin_replacing(self) -> None:
        """Search for an operator to put in the place of the selected one."""
        self.chooser.begin_replacing()

    def begin_renaming(self) -> None:
        """Open a field over the name of the selected operator."""
        self.text_fields.rename()

    # --- drops and menus --------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Welcome operators from the palette."""
        data = event.mimeData() if event is not None else None
        if event is not None and (block_from(data) or operator_from(data, self.registry)):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:
        """Show which wire an operator would go into."""
        if event is not None:
            if block_from(event.mimeData()) is None:
                self.process_scene.highlight_wire(self.mapToScene(event.position().toPoint()))
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent | None) -> None:
        """Forget the wire."""
        self.process_scene.highlight_wire(None)

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Add the operator where it was dropped."""
        block = block_from(event.mimeData()) if event is not None else None
        if event is not None and block is not None:
            event.acceptProposedAction()
            self.block_dropped.emit(block, self.mapToScene(event.position().toPoint()))
            return
        operator = operator_from(event.mimeData(), self.registry) if event is not None else None
        if event is None or operator is None:
            return
        self.process_scene.highlight_wire(None)
        self.process_scene.drop(operator, self.mapToScene(event.position().toPoint()))
        event.acceptProposedAction()
        self.setFocus()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Ask for the menu of the item under the mouse."""
        assert event is not None
        scene = self.process_scene
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            chosen = scene.selectedItems()
            middle = chosen[0].sceneBoundingRect().center() if chosen else None
            point = self.mapFromScene(middle) if middle is not None else event.pos()
            self.menu_wanted.emit(self.mapToGlobal(point))
            return
        item = scene.itemAt(self.mapToScene(event.pos()), self.transform())
        if item is None or not item.isSelected():
            scene.clearSelection()
            if item is not None:
                item.setSelected(True)
        self.menu_wanted.emit(event.globalPos())
