"""Ports by keyboard: from port to port, and wires without a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt

from fsops.core.graph.wiring import SINK, SOURCE
from fsops.editing.connections import End
from fsops_gui.base.texts import tr
from fsops_gui.canvas.frame_item import FrameItem
from fsops_gui.canvas.wire_drag import WireDrag

if TYPE_CHECKING:
    from fsops_gui.canvas.scene import ProcessScene

Key = Qt.Key
_NEXT = (Key.Key_Tab, Key.Key_Down, Key.Key_Right)
_BACK = (Key.Key_Backtab, Key.Key_Up, Key.Key_Left)
_TAKE = (Key.Key_Return, Key.Key_Enter)
_REMOVE = (Key.Key_Delete, Key.Key_Backspace)


class PortWalk:
    """The keyboard position among the ports, and the wire that is drawn from there."""

    def __init__(self, scene: ProcessScene) -> None:
        self._scene = scene
        self._frame: FrameItem | None = None
        self._ends: list[End] = []
        self._at = 0
        self._wire: WireDrag | None = None

    @property
    def here(self) -> End | None:
        """The port at which one is; None if one is not at any."""
        return self._ends[self._at] if self._frame is not None else None

    @property
    def frame(self) -> FrameItem | None:
        """The level of the port."""
        return self._frame

    @property
    def drawing(self) -> bool:
        """Whether a wire is being drawn."""
        return self._wire is not None

    def begin(self, frame: FrameItem, node: str | None) -> bool:
        """Go to the first port of an operator, or with None of the edges of the level."""
        names = (SOURCE, SINK) if node is None else (node,)
        ends = [end for end in frame.ends() if end.node in names]
        if not ends:
            return False
        self._frame, self._ends, self._at = frame, ends, 0
        self._tell()
        return True

    def forget(self) -> None:
        """Forget everything; the items are gone."""
        self._frame, self._wire, self._ends = None, None, []

    def leave(self) -> None:
        """Go back to the operators."""
        if self._wire is not None:
            self._wire.cancel()
            self._wire = None
        if self._frame is not None:
            self._frame.focus(None)
            self._frame = None

    # --- keys -------------------------------------------------------------------------------

    def wants(self, key: Qt.Key) -> bool:
        """Return whether a key means something here now."""
        return self._frame is not None and key in (
            *_NEXT,
            *_BACK,
            *_TAKE,
            *_REMOVE,
            Key.Key_Escape,
        )

    def press(self, key: Qt.Key, *, shift: bool) -> bool:
        """Handle a key; return False where Tab goes on to the next widget."""
        if key in _NEXT or key in _BACK:
            return self._step(1 if key in _NEXT else -1, wraps=key not in (_NEXT[0], _BACK[0]))
        if key == Key.Key_Escape:
            self._escape()
        elif key in _REMOVE:
            self._remove()
        elif shift:
            self._ask()
        else:
            self._take()
        return True

    def _step(self, step: int, *, wraps: bool) -> bool:
        at = self._at + step
        if not 0 <= at < len(self._ends) and not wraps and self._wire is None:
            self.leave()
            return False
        self._at = at % len(self._ends)
        self._tell()
        return True

    def _escape(self) -> None:
        if self._wire is None:
            self.leave()
            self._scene.said.emit("")
        else:
            start = self._wire.start
            self._wire.cancel()
            self._wire = None
            self._return_to(start)

    def _return_to(self, start: End) -> None:
        frame = self._frame or self._scene.frame_of(self._scene.active)
        node = None if start.node in (SOURCE, SINK) else start.node
        if self.begin(frame, node) and start in self._ends:
            self._at = self._ends.index(start)
            self._tell()

    def _remove(self) -> None:
        frame, here = self._frame, self.here
        if frame is not None and here is not None and self._wire is None:
            wires = frame.wires_of(here)
            if wires:
                self._scene.document.remove_wires(frame.level, wires)
                self._return_to(here)

    def _ask(self) -> None:
        if self._frame is not None and self.here is not None and self._wire is None:
            self._scene.mouse.ask_for(self._frame, self.here)

    def _take(self) -> None:
        frame, here = self._frame, self.here
        if frame is None or here is None:
            return
        if self._wire is not None:
            connection, start = self._wire.connecting.connection(here), self._wire.start
            self.leave()
            self._scene.mouse.attempt(lambda: self._scene.document.connect(frame.level, connection))
            self._return_to(start)
            return
        wire = WireDrag(frame, here)
        if not wire.fitting:
            wire.cancel()
            self._scene.said.emit(tr("There is no port that this one could be connected to."))
            return
        self._wire, self._ends, self._at = wire, wire.fitting, 0
        self._tell()

    # --- telling ----------------------------------------------------------------------------

    def _tell(self) -> None:
        frame, here = self._frame, self.here
        if frame is None or here is None:
            return
        frame.focus(here)
        if self._wire is not None:
            self._wire.move(frame.place(here))
        words = self.words()
        self._scene.said.emit(words)
        self._scene.port_reached.emit(words)

    def words(self) -> str:
        """Return the name, the type and the connections of the port."""
        frame, here = self._frame, self.here
        if frame is None or here is None:
            return ""
        if self._wire is not None:
            wire = str(self._wire.connecting.connection(here))
            return tr("Connect {wire}? Return connects, Tab goes on, Escape stops.", wire=wire)
        port = frame.declared(here)
        kind = port.declared.type.title.lower() if port is not None else ""
        ends = [
            _name(frame, w.to_node, w.to_port)
            if here.outgoing
            else _name(frame, w.from_node, w.from_port)
            for w in frame.wires_of(here)
        ]
        side = _side(here)
        if not ends:
            linked = tr("not connected")
        elif here.outgoing:
            linked = tr("goes to {ends}", ends=", ".join(ends))
        else:
            linked = tr("comes from {ends}", ends=", ".join(ends))
        what = tr("{side} {port}", side=side, port=here.port)
        return f"{what}: {kind}, {linked}."


def _side(end: End) -> str:
    if end.node == SOURCE:
        return tr("Source of the process")
    if end.node == SINK:
        return tr("Result of the process")
    words = tr("Output of {name}") if end.outgoing else tr("Input of {name}")
    return words.format(name=end.node) + ","


def _name(frame: FrameItem, node: str, port: str) -> str:
    return port if node in (SOURCE, SINK) else f"{node}.{port}"
