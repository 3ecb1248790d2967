"""An operator on the canvas: one light item with its ports; `card` paints it."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QColor, QPainter, QPainterPath
from PyQt6.QtWidgets import QGraphicsItem, QStyle, QStyleOptionGraphicsItem, QWidget

from fsops.core.graph.process import Note
from fsops.editing.connections import End
from fsops.runs.watch import OperatorState
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import Colours
from fsops_gui.canvas.appearance import Appearance
from fsops_gui.canvas.card import PAD, paint_card, paint_compact, paint_far
from fsops_gui.canvas.look import (
    FOOT,
    FULL_ZOOM,
    GLYPH_ZOOM,
    NARROW,
    PLOT,
    PORT,
    REACH,
    ROW,
    TILE,
    TITLE,
    WIDEST,
    elided,
    plain_port_name,
    text_width,
)
from fsops_gui.canvas.note_item import NoteItem
from fsops_gui.canvas.preview import Preview
from fsops_gui.document.checker import ERROR_SIGN, WARNING_SIGN, Marks

MARGIN = 14.0
RUN_SIGNS = "▶❚…✓✗≠ "
"""Signs of states in words; the card has icons for them."""
PLUS = 24.0
"""Between a port and the "+" behind it."""
NAME_BELOW = 110.0
"""Room for a name under the card that is seen from far away."""


class OperatorItem(QGraphicsItem):
    """The picture of an operator."""

    width, height = NARROW, TITLE  # asked for before they are measured

    def __init__(self, shown: Appearance, colours: Colours, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self.shown = shown
        self.colours = colours
        self.run = OperatorState()
        self.marks = Marks()
        self.glowing: frozenset[End] = frozenset()
        self.focused: End | None = None
        """The port that has the keyboard focus."""
        self.order = 0
        """Which one it is in the order of the run; 0 if that is not shown."""
        self.dimmed = False
        self.nameless = False
        """Whether it has no name when it is small, as in the pictures of lists."""
        self.preview: Preview | None = None
        """The last result, drawn as a small plot where there is room."""
        self._below = True
        self._far = False
        self.note: NoteItem | None = None
        self.setFlags(
            QGraphicsItem.GraphicsItemFlag.ItemIsSelectable
            | QGraphicsItem.GraphicsItemFlag.ItemIsMovable
        )
        self.setZValue(2)
        self.setAcceptHoverEvents(True)
        self._room = WIDEST
        self._measure()
        self._show_note()
        self.setPos(*shown.place)

    # --- content ----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The operator's name."""
        return self.shown.name

    def show_as(self, shown: Appearance) -> bool:
        """Apply the changes; return whether there were any."""
        place = QPointF(*shown.place)
        if shown == self.shown and self.pos() == place:
            return False
        before, self.shown = self.shown, shown
        self._measure()
        if (before.note, before.note_layout) != (shown.note, shown.note_layout) or self.note:
            self._show_note()
        self.setPos(place)
        self.update()
        return True

    def _show_note(self) -> None:
        text, layout = self.shown.note, dict(self.shown.note_layout)
        if not text:
            if self.note is not None:
                self.note.drop()
                self.note = None
            return
        if self.note is None:
            self.note = NoteItem(Note(text, layout), self.colours, self, owner=self.name)
        else:
            self.note.owner = self.name
            self.note.show_as(Note(text, layout))
        self.note.put_under(self.body())

    def _measure(self) -> None:
        self.prepareGeometryChange()
        s = self.shown
        rows = max(len(s.inputs), len(s.outputs), 1)
        widths = [NARROW]
        for i in range(rows):
            sides = [side[i].name for side in (s.inputs, s.outputs) if i < len(side)]
            widths.append(sum(text_width(plain_port_name(name)) for name in sides) + 40)
        self._least = min(max(widths), WIDEST)
        wanted = text_width(s.name, bold=True) + NARROW - self._title_room(NARROW) + 1
        self._wanted = min(max(self._least, wanted), WIDEST)
        self.width = max(self._least, min(self._wanted, self._room))
        self.height = TITLE + rows * ROW + FOOT + (PLOT if self._has_plot() else 0.0)

    def _has_plot(self) -> bool:
        return self._below and self.preview is not None and bool(self.preview.kind)

    def show_preview(self, preview: Preview | None, *, below: bool = True) -> bool:
        """Show another result; ``below``: there is room for a plot. Return if the size changed."""
        if (preview, below) == (self.preview, self._below):
            return False
        before = self.height
        self.preview, self._below = preview, below
        self._measure()
        self.update()
        return self.height != before

    @property
    def plain_height(self) -> float:
        """How high it is without a plot."""
        return self.height - (PLOT if self._has_plot() else 0.0)

    @staticmethod
    def _title_room(width: float) -> float:
        return width - PAD - TILE - 9 - 32

    def title_room(self) -> float:
        """Return how wide the name may be."""
        return self._title_room(self.width)

    def summary(self) -> str:
        """Return the line under the name: the settings, or where the operator comes from."""
        s = self.shown
        if s.placeholder:
            return tr("not installed")
        parts = [part for part in s.summary if part.lower() != s.name.lower()]
        while len(parts) > 1 and text_width(" · ".join(parts)) > self.title_room():
            parts.pop()
        if parts:
            return " · ".join(parts)
        if s.plugin:
            return tr("from {plugin}", plugin=s.plugin)
        return s.kind if s.kind != s.name else ""

    def spread(self, room: float) -> bool:
        """Be as wide as the name, where there is room; return whether that changed anything."""
        self._room = room
        width = max(self._least, min(self._wanted, room))
        if width == self.width:
            return False
        self.prepareGeometryChange()
        self.width = width
        self.update()
        return True

    # --- geometry ---------------------------------------------------------------------------

    def boundingRect(self) -> QRectF:
        """Return what may be painted on."""
        around = QRectF(-MARGIN, -MARGIN, self.width + 2 * MARGIN, self.height + 2 * MARGIN)
        around.adjust(0, 0, PLUS, 0)
        return around.adjusted(0, 0, 0, NAME_BELOW) if self._far else around

    def set_far(self, far: bool) -> None:
        """Use the space under the card for the name, if it is seen from far away."""
        if far != self._far:
            self.prepareGeometryChange()
            self._far = far

    def body(self) -> QRectF:
        """Return the rectangle of the operator without ports and signs."""
        return QRectF(0, 0, self.width, self.height)

    def box(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of the body in its parent."""
        place = self.pos()
        x, y = place.x(), place.y()
        return x, y, x + self.width, y + self.height

    def room(self) -> QRectF:
        """Return the rectangle of the operator with the note that hangs on it, in its parent."""
        room = self.body()
        if self.note is not None:
            room |= self.note.boundingRect().translated(self.note.pos())
        return room.translated(self.pos())

    def shape(self) -> QPainterPath:
        """Return where the mouse touches the operator."""
        path = QPainterPath()
        path.addRect(self.body().adjusted(-PORT, -2, PORT, 2))
        return path

    def port_place(self, name: str, *, outgoing: bool) -> QPointF:
        """Return where a port is, in the item's coordinates."""
        ports = self.shown.outputs if outgoing else self.shown.inputs
        row = next((i for i, port in enumerate(ports) if port.name == name), 0)
        return QPointF(self.width if outgoing else 0.0, TITLE + (row + 0.5) * ROW)

    def end_at(self, point: QPointF) -> End | None:
        """Return the port at a point of the item."""
        for outgoing, ports in ((False, self.shown.inputs), (True, self.shown.outputs)):
            for port in ports:
                away = self.port_place(port.name, outgoing=outgoing) - point
                if abs(away.x()) <= REACH and abs(away.y()) <= ROW / 2:
                    return End(self.name, port.name, outgoing)
        return None

    def plus_places(self) -> list[tuple[End, QPointF]]:
        """Return where a "+" adds an operator: behind each output that is not connected."""
        if not self.isSelected():
            return []
        free = [p.name for p in self.shown.outputs if (p.name, True) not in self.shown.wired]
        aside = QPointF(PLUS, 0)
        return [
            (End(self.name, name, outgoing=True), self.port_place(name, outgoing=True) + aside)
            for name in free
        ]

    def bubble(self) -> QRectF:
        """Return where the status light is, which is the sign of a problem, too."""
        return QRectF(self.width - 31, (TITLE - 20) / 2, 20, 20)

    def entrance(self) -> QRectF:
        """Return where a click opens the inner processes."""
        return QRectF(self.width - 28, self.height - FOOT + 2, 18, 18)

    def role_tile(self) -> QRectF:
        """Return where the icon of the role is."""
        return QRectF(PAD, (TITLE - TILE) / 2, TILE, TILE)

    def plot_box(self) -> QRectF | None:
        """Return where the small plot is; None if there is none."""
        if not self._has_plot():
            return None
        top = self.height - FOOT - PLOT + 12
        return QRectF(PAD, top, self.width - 2 * PAD, PLOT - 12)

    # --- painting ---------------------------------------------------------------------------

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the operator in as much detail as can be read at this zoom."""
        assert painter is not None
        zoom = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        hovered = option is not None and bool(option.state & QStyle.StateFlag.State_MouseOver)
        if self.dimmed:
            painter.setOpacity(0.45)
        if zoom < GLYPH_ZOOM:
            paint_far(painter, self, zoom)
        elif zoom < FULL_ZOOM:
            paint_compact(painter, self, zoom, hovered=hovered)
        else:
            paint_card(painter, self, hovered=hovered)

    def border_colour(self, *, hovered: bool) -> QColor:
        """Return the color of the border: selection, then problems, then the run."""
        c = self.colours
        if self.isSelected():
            return c.selected
        if self.marks.texts:
            return c.error if self.marks.errors else c.warning
        states = {"running": c.running, "paused": c.warning, "failed": c.error}
        return states.get(self.run.state, c.strong_border if hovered else c.border)

    def state_colour(self) -> QColor | None:
        """Return the color of the status light; None before the first run."""
        c = self.colours
        if self.marks.texts:
            return c.error if self.marks.errors else c.warning
        if self.run.state == "done":
            return c.stale if self.run.stale else c.done
        states = {"running": c.running, "paused": c.warning, "failed": c.error}
        return states.get(self.run.state)

    @property
    def cut(self) -> bool:
        """Whether there is no room for the whole name."""
        return elided(self.name, self.title_room(), bold=True) != self.name

    def foot_right(self) -> float:
        """Return where the words at the foot end."""
        return self.width - PAD - (24 if self.shown.inner else 0)

    def foot_text(self) -> str:
        """Return what fits at the foot: the problem in words, else the state of the run."""
        room = self.foot_right() - PAD
        if self.marks.texts:
            words = self.marks.texts[0].lstrip(f"{ERROR_SIGN}{WARNING_SIGN} ")
            return elided(words, room)
        signs = [part.lstrip(RUN_SIGNS) for part in self.run.parts]
        signs += [tr("off")] if not self.shown.enabled else []
        while len(signs) > 1 and text_width(" · ".join(signs)) > room:
            signs.pop()
        return elided(" · ".join(signs), room)

    def foot(self) -> tuple[str, QColor]:
        """Return the words at the foot, and their color."""
        c = self.colours
        if self.marks.texts:
            return self.foot_text(), c.error if self.marks.errors else c.warning
        colour = {"failed": c.error, "paused": c.warning}.get(self.run.state, c.faint)
        return self.foot_text(), c.secondary if self.run.stale else colour
