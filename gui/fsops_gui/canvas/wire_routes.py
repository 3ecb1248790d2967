"""Routes of wires: right angles, straight past the labels at the edges, around operators.

A route is first a list of corners, because lines between corners are compared with boxes much
faster than painter paths are. The chosen route becomes a path with round corners.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QPainterPath

from fsops_gui.canvas.look import CORNER, STUB

AIR = 5.0
"""How near a wire may come to an operator it does not belong to."""
GAP = 13.0
"""How far above or under an operator a wire passes it."""
ASIDE = 7.0
"""Between two wires into one operator, or to the results."""
MOST_ASIDE = 20.0
LANE = 6.0
"""Between two wires that pass side by side."""
TURN = 24.0
"""Space that a wire needs to bend up or down."""
TRIES = 5
HEIGHTS = 24
"""At how many heights a wire to the left looks for a free way, the nearest first."""

Box = tuple[float, float, float, float]
"""Left, top, right and bottom of an operator."""
Corner = tuple[float, float]


def bends(start: Corner, end: Corner, at: float | None = None) -> list[Corner]:
    """Return the corners after a start: level at both ends, upright at ``at``."""
    (x1, y1), (x2, y2) = start, end
    if x2 > x1 and abs(y2 - y1) < 0.5:
        return [end]
    if x2 - x1 >= 2:
        x = (x1 + x2) / 2 if at is None else at
        x = min(max(x, x1 + 1), x2 - 1)
        return [(x, y1), (x, y2), end]
    return _back(start, end, (y1 + y2) / 2)


def _back(start: Corner, end: Corner, y: float) -> list[Corner]:
    """Return the corners of a way that goes back to the left on a level line."""
    right, left = start[0] + STUB, end[0] - STUB
    return [(right, start[1]), (right, y), (left, y), (left, end[1]), end]


def rounded(corners: Sequence[Corner]) -> QPainterPath:
    """Return the path along corners, which become round."""
    path = QPainterPath(QPointF(*corners[0]))
    x0, y0 = corners[0]
    for (x, y), (x2, y2) in pairwise(corners[1:]):
        before, after = abs(x0 - x) + abs(y0 - y), abs(x2 - x) + abs(y2 - y)
        radius = min(CORNER, before / 2, after / 2)
        if radius < 0.5 or y0 == y == y2 or x0 == x == x2:
            path.lineTo(x, y)
        else:
            one, two = radius / before, radius / after
            path.lineTo(x + (x0 - x) * one, y + (y0 - y) * one)
            path.quadTo(x, y, x + (x2 - x) * two, y + (y2 - y) * two)
        x0, y0 = x, y
    path.lineTo(*corners[-1])
    return path


def crossed(corners: Sequence[Corner], boxes: Iterable[Box]) -> list[Box]:
    """Return the boxes that the lines between corners touch, not those they only enclose.

    All lines are level or upright.
    """
    found = []
    for box in boxes:
        left, top, right, bottom = box
        x1, y1 = corners[0]
        for x2, y2 in corners[1:]:
            if (
                (x1 <= right or x2 <= right)
                and (x1 >= left or x2 >= left)
                and (y1 <= bottom or y2 <= bottom)
                and (y1 >= top or y2 >= top)
            ):
                found.append(box)
                break
            x1, y1 = x2, y2
    return found


def wire_path(
    start: QPointF,
    end: QPointF,
    leads: tuple[float, float] = (0.0, 0.0),
    boxes: Sequence[Box] = (),
    lane: tuple[int, int] = (0, 1),
    *,
    shift: float = 0.0,
) -> QPainterPath:
    """Return the way from an output to an input.

    It is straight for the lengths of the ``leads`` at its ends. It goes around ``boxes`` where it
    can. If an operator has several wires, each has its own ``lane``: its number, counted from
    above, and how many there are. ``shift`` moves the upright piece, so that wires into one
    operator do not lie on each other.
    """
    way = _Way((start.x(), start.y()), leads, (end.x(), end.y()))
    return rounded(way.free_of(boxes, lane, shift))


def via_path(
    start: QPointF, end: QPointF, leads: tuple[float, float], via: Sequence[Corner]
) -> QPainterPath:
    """Return the way through bend points: level in each of them, with right angles between."""
    way = _Way((start.x(), start.y()), leads, (end.x(), end.y()))
    corners = [way.start, way.begin] if leads[0] else [way.start]
    for point in (*via, way.stop):
        corners += bends(corners[-1], point)
    if leads[1]:
        corners.append(way.end)
    return rounded(corners)


def lane_of(names: Sequence[str], port: str) -> tuple[int, int]:
    """Return which one an output is of the outputs of an operator, and how many there are."""
    return names.index(port) if port in names else 0, max(len(names), 1)


def shift_of(names: Sequence[str], port: str, *, up: bool) -> float:
    """Return the distance of a bend from the middle, so that wires to one side do not cross."""
    at = names.index(port) if port in names else 0
    aside = ASIDE * (at - (len(names) - 1) / 2) if len(names) > 1 else 0.0
    return min(max(aside if up else -aside, -MOST_ASIDE), MOST_ASIDE)


def backward_path(start: QPointF, end: QPointF, boxes: Sequence[Box]) -> QPainterPath:
    """Return the way of a wire that has to go back to the left: the shortest that is free.

    It passes over, under or between the cards; where that is too narrow, through the fewest.
    """
    first, last = (start.x(), start.y()), (end.x(), end.y())
    air = 2 * AIR
    inner = [
        (left + air, top + air, right - air, bottom - air) for left, top, right, bottom in boxes
    ]
    ways = [[first, *bends(first, last)]]
    heights = {y for _, top, _, bottom in boxes for y in (top - GAP, bottom + GAP)}
    near = sorted(heights, key=lambda y: abs(y - first[1]) + abs(y - last[1]))
    ways += [[first, *_back(first, last, y)] for y in near[:HEIGHTS]]
    hits = []
    for way in ways:
        hits.append(len(crossed(way, inner)))
        if not hits[-1]:
            break
    return rounded(ways[hits.index(min(hits))])


@dataclass(frozen=True)
class _Way:
    """A wire to the right that is straight from its start and to its end."""

    start: Corner
    leads: tuple[float, float]
    end: Corner

    @property
    def begin(self) -> Corner:
        """The first possible bend."""
        return self.start[0] + self.leads[0], self.start[1]

    @property
    def stop(self) -> Corner:
        """The last possible bend."""
        return self.end[0] - self.leads[1], self.end[1]

    def corners(self, at: float) -> list[Corner]:
        """Return the way with one upright piece."""
        found = [self.start]
        if self.leads[0]:
            found.append(self.begin)
        found += bends(self.begin, self.stop, at)
        if self.leads[1]:
            found.append(self.end)
        return found

    def free_of(self, boxes: Sequence[Box], lane: tuple[int, int], shift: float) -> list[Corner]:
        """Return the way past boxes; the direct one if none is free."""
        first, last = self.begin[0], self.stop[0]
        direct = self.corners((first + last) / 2 + shift)
        if last - first < 2 * TURN:
            return direct
        blocking = crossed(direct, boxes)
        if not blocking:
            return direct
        for at in (last - TURN + shift, first + TURN + shift):
            beside = self.corners(at)
            if not crossed(beside, boxes):
                return beside
        number, count = lane
        sides = (AIR - GAP - LANE * (count - 1 - number), GAP - AIR + LANE * number)
        found = [around for side in sides if (around := self.around(boxes, blocking, side))]
        return min(found, key=lambda around: around[0])[1] if found else direct

    def around(
        self, boxes: Sequence[Box], blocking: Sequence[Box], side: float
    ) -> tuple[float, list[Corner]] | None:
        """Return how far up and down it is, and the way: above (a negative side) or under."""
        passed = list(blocking)
        aside = TURN / 2 + min(abs(side), TURN / 2)
        (x1, y1), (x2, y2) = self.begin, self.stop
        left, right = x1 + aside, x2 - aside
        for _ in range(TRIES):
            y = side + (min(box[1] for box in passed) if side < 0 else max(b[3] for b in passed))
            corners = [self.start, (left, y1), (left, y), (right, y), (right, y2), self.end]
            hit = crossed(corners, boxes)
            if not hit:
                return abs(y - y1) + abs(y - y2), corners
            more = [box for box in hit if box not in passed]
            if not more:
                return None
            passed += more
        return None


class Obstacles:
    """The operators of a level, found fast by their places."""

    def __init__(self, boxes: Iterable[tuple[str, Box]]) -> None:
        self._boxes = sorted(
            ((left - AIR, top - AIR, right + AIR, bottom + AIR), name)
            for name, (left, top, right, bottom) in boxes
        )
        self._lefts = [box[0] for box, _ in self._boxes]
        self._widest = max((box[2] - box[0] for box, _ in self._boxes), default=0.0)

    def between(self, left: float, right: float, without: Sequence[str] = ()) -> list[Box]:
        """Return the cards between two points from left to right, except for some."""
        first = bisect_left(self._lefts, left - self._widest)
        last = bisect_right(self._lefts, right)
        return [
            box for box, name in self._boxes[first:last] if box[2] > left and name not in without
        ]
