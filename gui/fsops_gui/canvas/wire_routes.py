"""Routes of wires: right angles, straight past the labels at the edges, around operators."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainterPath

from fsops_gui.canvas.look import CORNER, STUB

AIR = 5.0
"""How near a wire may come to an operator it does not belong to."""
GAP = 13.0
"""How far above or under an operator a wire passes it."""
LANE = 6.0
"""Between two wires that pass side by side."""
TURN = 24.0
"""What a wire needs at least to turn up or down."""
TRIES = 5
HEIGHTS = 24
"""At how many heights a wire to the left looks for a free way, the nearest first."""


def bend(path: QPainterPath, end: QPointF, at: float | None = None) -> None:
    """Lead a path on to a point with right angles; level at both ends, upright at ``at``."""
    start = path.currentPosition()
    if end.x() > start.x() and abs(end.y() - start.y()) < 0.5:
        path.lineTo(end)
        return
    if end.x() - start.x() >= 2:
        x = (start.x() + end.x()) / 2 if at is None else at
        x = min(max(x, start.x() + 1), end.x() - 1)
        _round_off(path, [QPointF(x, start.y()), QPointF(x, end.y()), end])
        return
    right, left, y = start.x() + STUB, end.x() - STUB, (start.y() + end.y()) / 2
    corners = ((right, start.y()), (right, y), (left, y), (left, end.y()))
    _round_off(path, [*(QPointF(*corner) for corner in corners), end])


def _round_off(path: QPainterPath, points: list[QPointF]) -> None:
    """Lead a path along points; its corners are round."""
    last = path.currentPosition()
    for point, following in pairwise(points):
        room = min(_length(point - last), _length(following - point)) / 2
        radius = min(CORNER, room)
        if radius < 0.5 or _is_straight(last, point, following):
            path.lineTo(point)
        else:
            path.lineTo(point + _towards(last - point, radius))
            path.quadTo(point, point + _towards(following - point, radius))
        last = point
    path.lineTo(points[-1])


def _length(way: QPointF) -> float:
    return abs(way.x()) + abs(way.y())


def _towards(way: QPointF, length: float) -> QPointF:
    return way * (length / (_length(way) or 1.0))


def _is_straight(one: QPointF, two: QPointF, three: QPointF) -> bool:
    return one.y() == two.y() == three.y() or one.x() == two.x() == three.x()


def crossed(path: QPainterPath, boxes: Sequence[QRectF]) -> list[QRectF]:
    """Return the boxes that the line itself touches, not those it only encloses."""
    around = path.controlPointRect().adjusted(-1, -1, 1, 1)  # one that is flat is still a box
    near = [box for box in boxes if around.intersects(box)]
    if not near:
        return []
    points = [
        (part.at(i).x(), part.at(i).y())
        for part in path.toSubpathPolygons()
        for i in range(part.count())
    ]
    return [box for box in near if _touches(box, points)]


def _touches(box: QRectF, points: Sequence[tuple[float, float]]) -> bool:
    """Return whether one of the straight lines between points goes through a box."""
    left, top, right, bottom = box.left(), box.top(), box.right(), box.bottom()
    for (x1, y1), (x2, y2) in pairwise(points):
        beside = (x1 < left and x2 < left) or (x1 > right and x2 > right)
        if beside or (y1 < top and y2 < top) or (y1 > bottom and y2 > bottom):
            continue
        if left <= x1 <= right and top <= y1 <= bottom:
            return True
        if _cuts(((x1, x2, left, right), (y1, y2, top, bottom))):
            return True
    return False


def _cuts(sides: Iterable[tuple[float, float, float, float]]) -> bool:
    """Return whether a line, given as start and stop in each direction, is ever in both ranges."""
    first, last = 0.0, 1.0
    for start, stop, low, high in sides:
        if start != stop:  # else it is in the range all the time, or it would not be asked about
            enter, leave = sorted(((low - start) / (stop - start), (high - start) / (stop - start)))
            first, last = max(first, enter), min(last, leave)
    return first <= last


def wire_path(
    start: QPointF,
    end: QPointF,
    leads: tuple[float, float] = (0.0, 0.0),
    boxes: Sequence[QRectF] = (),
    lane: tuple[int, int] = (0, 1),
    *,
    shift: float = 0.0,
) -> QPainterPath:
    """Return the way from an output to an input.

    It is straight for the lengths of the ``leads`` at its ends. It goes around ``boxes`` where it
    can. Of several wires from one operator each has its own ``lane``: its number, counted from
    above, and how many there are. ``shift`` moves the upright piece, so that wires into one
    operator do not lie on each other.
    """
    way = _Way(start, start + QPointF(leads[0], 0), end - QPointF(leads[1], 0), end)
    number, count = lane
    direct = way.path(at=(way.begin.x() + way.stop.x()) / 2 + shift)
    if way.stop.x() - way.begin.x() < 2 * TURN:
        return direct
    blocking = crossed(direct, boxes)
    if not blocking:
        return direct
    for at in (way.stop.x() - TURN + shift, way.begin.x() + TURN + shift):
        beside = way.path(at=at)
        if not crossed(beside, boxes):
            return beside
    sides = (AIR - GAP - LANE * (count - 1 - number), GAP - AIR + LANE * number)
    found = [around for side in sides if (around := way.around(boxes, blocking, side))]
    return min(found, key=lambda around: around[0])[1] if found else direct


def backward_path(start: QPointF, end: QPointF, boxes: Sequence[QRectF]) -> QPainterPath:
    """Return the way of a wire that has to go back to the left: the shortest that is free.

    It passes over, under or between what is there; where that is too narrow, through the least.
    """
    inner = [box.adjusted(2 * AIR, 2 * AIR, -2 * AIR, -2 * AIR) for box in boxes]
    ways = [wire_path(start, end)]
    heights = {y for box in boxes for y in (box.top() - GAP, box.bottom() + GAP)}
    near = sorted(heights, key=lambda y: abs(y - start.y()) + abs(y - end.y()))
    ways += [_at_height(start, end, y) for y in near[:HEIGHTS]]
    hits = []
    for way in ways:
        hits.append(len(crossed(way, inner)))
        if not hits[-1]:
            break
    return ways[hits.index(min(hits))]


def _at_height(start: QPointF, end: QPointF, y: float) -> QPainterPath:
    """Return the way that goes back on a level line."""
    path = QPainterPath(start)
    right, left = start.x() + STUB, end.x() - STUB
    corners = ((right, start.y()), (right, y), (left, y), (left, end.y()))
    _round_off(path, [*(QPointF(*corner) for corner in corners), end])
    return path


@dataclass(frozen=True)
class _Way:
    """A wire that is straight from its start and to its end."""

    start: QPointF
    begin: QPointF
    stop: QPointF
    end: QPointF

    def path(self, at: float | None = None) -> QPainterPath:
        """Return the way with one upright piece."""
        path = QPainterPath(self.start)
        if self.begin != self.start:
            path.lineTo(self.begin)
        bend(path, self.stop, at)
        if self.end != self.stop:
            path.lineTo(self.end)
        return path

    def around(
        self, boxes: Sequence[QRectF], blocking: Sequence[QRectF], side: float
    ) -> tuple[float, QPainterPath] | None:
        """Return how far up and down it is, and the way: above (a negative side) or under."""
        passed = list(blocking)
        aside = TURN / 2 + min(abs(side), TURN / 2)
        for _ in range(TRIES):
            edges = [box.top() if side < 0 else box.bottom() for box in passed]
            y = side + (min(edges) if side < 0 else max(edges))
            left, right = self.begin.x() + aside, self.stop.x() - aside
            path = QPainterPath(self.start)
            _round_off(
                path,
                [
                    QPointF(left, self.begin.y()), QPointF(left, y),
                    QPointF(right, y), QPointF(right, self.stop.y()), self.end,
                ],
            )  # fmt: skip
            hit = crossed(path, boxes)
            if not hit:
                return abs(y - self.begin.y()) + abs(y - self.stop.y()), path
            more = [box for box in hit if box not in passed]
            if not more:
                return None
            passed += more
        return None


class Obstacles:
    """The operators of a level, found fast by where they stand."""

    def __init__(self, boxes: Iterable[tuple[str, QRectF]]) -> None:
        grown = [(box.adjusted(-AIR, -AIR, AIR, AIR), name) for name, box in boxes]
        self._boxes = sorted(grown, key=lambda pair: pair[0].left())
        self._lefts = [box.left() for box, _ in self._boxes]
        self._widest = max((box.width() for box, _ in self._boxes), default=0.0)

    def between(self, left: float, right: float, without: Sequence[str] = ()) -> list[QRectF]:
        """Return what stands between two points from left to right, but for some."""
        first = bisect_left(self._lefts, left - self._widest)
        last = bisect_right(self._lefts, right)
        return [
            box
            for box, name in self._boxes[first:last]
            if box.right() > left and name not in without
        ]
