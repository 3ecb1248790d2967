"""Drawing a wire with the mouse: fitting ports glow, the others say why they do not fit."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QPen
from PyQt6.QtWidgets import QGraphicsPathItem

from fsops.core.graph.wiring import Connection
from fsops.editing.connections import ConnectionRules, End
from fsops_gui.canvas.frame_item import FrameItem
from fsops_gui.canvas.look import port_colour
from fsops_gui.canvas.wire_routes import wire_path


class WireDrag:
    """A wire that follows the mouse from a port."""

    def __init__(self, frame: FrameItem, start: End) -> None:
        self.frame = frame
        self.start = start
        self.connecting = ConnectionRules(frame.process, start)
        self.fitting = self.connecting.fitting(frame.ends())
        frame.glow(self.fitting, start.node)
        self._item = QGraphicsPathItem(frame)
        self._item.setZValue(3)
        port = frame.declared(start)
        colour = port_colour(port.declared.type, frame.colours) if port else frame.colours.text
        self._item.setPen(QPen(colour, 2.2, Qt.PenStyle.DashLine))
        self.move(frame.place(start))

    def move(self, point: QPointF) -> str:
        """Draw the wire to a point of the frame; return the message for it."""
        target = self.target(point)
        place = self.frame.place(target) if target is not None else point
        start = self.frame.place(self.start)
        ends = (start, place) if self.start.outgoing else (place, start)
        self._item.setPath(wire_path(*ends))
        if target is not None:
            return str(self.connecting.connection(target))
        other = self.frame.end_at(point)
        return self.connecting.why_not(other) if other is not None and other != self.start else ""

    def target(self, point: QPointF) -> End | None:
        """Return the fitting port at a point; anywhere on an operator its first fitting one."""
        end = self.frame.end_at(point)
        if end is not None:
            return end if end in self.fitting else None
        for name, item in self.frame.operators.items():
            if item.body().contains(point - item.pos()):
                mine = [fitting for fitting in self.fitting if fitting.node == name]
                fed = self.frame.process.incoming(name)
                free = [fitting for fitting in mine if fitting.port not in fed]
                return next(iter([*free, *mine]), None)
        return None

    def finish(self, point: QPointF) -> Connection | None:
        """End the drag; return the connection that was drawn."""
        target = self.target(point)
        self.cancel()
        return self.connecting.connection(target) if target is not None else None

    def cancel(self) -> None:
        """End the drag without a connection."""
        self.frame.glow(None)
        scene = self._item.scene()
        if scene is not None:
            scene.removeItem(self._item)
