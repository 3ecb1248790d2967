"""Formulas as pictures: the MathML that reports have, laid out and painted by Qt.

Qt does not show MathML itself. A formula is a box; a box knows its width, how far it reaches above
and below the line, and how to paint itself at a point of the line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from xml.etree.ElementTree import Element, fromstring

from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from fsops.report.mathml import formula_mathml

FAMILIES = ["STIX Two Math", "Cambria Math", "DejaVu Serif", "Liberation Serif", "serif"]
SMALL = 0.72
"""Size of an index or power relative to its base."""
SMALLEST = 7.0
LARGE = frozenset("∑∏∫")
RELATIONS = frozenset("=≤≥≠≈∝≡<>∈∉⊂⊆→↦⇒←~≪≫")
OPERATIONS = frozenset("+−±∓×·÷∘∪∩∖∧∨")
OPENING, CLOSING = frozenset("([{⟨⌊⌈"), frozenset(")]}⟩⌋⌉")
BARS = frozenset("|‖/")

Paint = Callable[[QPainter, float, float], None]


@dataclass(frozen=True)
class Box:
    """A part of a formula."""

    width: float
    above: float
    below: float
    paint: Paint
    sign: str = ""
    """The sign it is, if it is one."""
    grown: Callable[[float, float], Box] | None = None
    """Returns it in another height, if it is a bracket as high as its content."""


def _nothing(_painter: QPainter, _x: float, _y: float) -> None:
    """Paint nothing."""


def formula_image(latex: str, colour: QColor, size: float, ratio: float = 1.0) -> QImage:
    """Return a formula as a picture with a clear background."""
    box = _Layout().box(fromstring(formula_mathml(latex)), size)  # noqa: S314 # nosec B314
    margin = 2.0
    width, height = box.width + 2 * margin, box.above + box.below + 2 * margin
    image = QImage(
        max(1, round(width * ratio)), max(1, round(height * ratio)),
        QImage.Format.Format_ARGB32_Premultiplied,
    )  # fmt: skip
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.setPen(colour)
    box.paint(painter, margin, margin + box.above)
    painter.end()
    return image


class _Layout:
    """Converts elements to boxes; the method of an element has its name."""

    def box(self, element: Element, size: float) -> Box:
        """Return an element as a box."""
        method = getattr(self, f"_{element.tag}", self._mrow)
        made: Box = method(element, size)
        return made

    # --- signs ------------------------------------------------------------------------------

    def _text(self, text: str, size: float, *, italic: bool = False, bold: bool = False) -> Box:
        font = QFont()
        font.setFamilies(FAMILIES)
        font.setPixelSize(max(1, round(size)))
        font.setItalic(italic)
        font.setBold(bold)
        metrics = QFontMetricsF(font)
        ink = metrics.tightBoundingRect(text)

        def paint(painter: QPainter, x: float, y: float) -> None:
            painter.setFont(font)
            painter.drawText(QPointF(x, y), text)

        # An italic letter leans over its width: what stands after it keeps a distance.
        lean = max(0.0, ink.right() - metrics.horizontalAdvance(text)) if italic else 0.0
        width = metrics.horizontalAdvance(text) + lean
        return Box(width, max(-ink.top(), 0.45 * size), max(ink.bottom(), 0.0), paint, text)

    def _mi(self, element: Element, size: float) -> Box:
        text = element.text or ""
        return self._text(text, size, italic=len(text) == 1)

    def _mn(self, element: Element, size: float) -> Box:
        return self._text(element.text or "", size)

    def _mtext(self, element: Element, size: float) -> Box:
        return self._text(element.text or "", size, bold="bold" in element.get("style", ""))

    def _mo(self, element: Element, size: float) -> Box:
        sign = element.text or ""
        if sign == "\u2061":  # after the name of a function
            return self._space(0.12 * size)
        if sign in LARGE:
            box = self._text(sign, 1.5 * size)
            drop = (box.above - box.below) / 2 - 0.28 * size  # its middle on that of the line
            return _moved(box, drop)
        box = self._text(sign, size)
        if element.get("stretchy") == "false" or sign not in OPENING | CLOSING | BARS:
            return box
        return replace(box, grown=partial(_stretched, box))

    def _mspace(self, element: Element, size: float) -> Box:
        return self._space(float(element.get("width", "0em").removesuffix("em")) * size)

    @staticmethod
    def _space(width: float) -> Box:
        return Box(width, 0.0, 0.0, _nothing)

    def _annotation(self, _element: Element, _size: float) -> Box:
        return self._space(0.0)

    # --- rows -------------------------------------------------------------------------------

    def _mrow(self, element: Element, size: float) -> Box:
        return self._row([self.box(child, size) for child in element], size)

    def _row(self, boxes: list[Box], size: float) -> Box:
        boxes = _grown(boxes)
        places, x = [], 0.0
        for number, box in enumerate(boxes):
            before, after = _gaps(boxes, number, size)
            places.append(x + before)
            x += before + box.width + after

        def paint(painter: QPainter, left: float, y: float) -> None:
            for place, box in zip(places, boxes, strict=True):
                box.paint(painter, left + place, y)

        return Box(x, *_reach(boxes), paint)

    def _mtable(self, element: Element, size: float) -> Box:
        rows = [self._mrow(row, size) for row in element]
        height = sum(row.above + row.below for row in rows) + 0.5 * size * (len(rows) - 1)
        above = height / 2 + 0.28 * size

        def paint(painter: QPainter, x: float, y: float) -> None:
            top = y - above
            for row in rows:
                row.paint(painter, x, top + row.above)
                top += row.above + row.below + 0.5 * size

        return Box(max(row.width for row in rows), above, height - above, paint)

    # --- two and three parts ----------------------------------------------------------------

    def _mfrac(self, element: Element, size: float) -> Box:
        inner = max(SMALLEST, 0.88 * size)
        top, bottom = (self.box(child, inner) for child in element)
        width, axis, gap = max(top.width, bottom.width) + 0.3 * size, 0.28 * size, 0.18 * size

        def paint(painter: QPainter, x: float, y: float) -> None:
            line = y - axis
            _line(painter, size, (x + 0.05 * size, line), (x + width - 0.05 * size, line))
            top.paint(painter, x + (width - top.width) / 2, line - gap - top.below)
            bottom.paint(painter, x + (width - bottom.width) / 2, line + gap + bottom.above)

        above = axis + gap + top.above + top.below
        below = max(0.0, gap + bottom.above + bottom.below - axis)
        return Box(width + 0.1 * size, above, below, paint)

    def _msqrt(self, element: Element, size: float) -> Box:
        inner = self._mrow(element, size)
        sign, gap = 0.62 * size, 0.14 * size
        above = inner.above + 2 * gap

        def paint(painter: QPainter, x: float, y: float) -> None:
            low, high = y + inner.below, y - inner.above - gap
            hook = (x + 0.05 * size, y - 0.3 * size), (x + 0.2 * size, y - 0.38 * size)
            foot, top = (x + 0.35 * size, low), (x + sign, high)
            _line(painter, 2 * size, hook[1], foot)
            _line(painter, size, *hook, foot, top, (top[0] + inner.width + gap, high))
            inner.paint(painter, x + sign + gap / 2, y)

        return Box(sign + inner.width + 1.5 * gap, above, inner.below, paint)

    def _msub(self, element: Element, size: float) -> Box:
        return self._shifted(element, size, low=1)

    def _msup(self, element: Element, size: float) -> Box:
        return self._shifted(element, size, high=1)

    def _msubsup(self, element: Element, size: float) -> Box:
        return self._shifted(element, size, low=1, high=2)

    def _shifted(self, element: Element, size: float, low: int = 0, high: int = 0) -> Box:
        """Return a base with an index, a power, or both, one over the other."""
        base, small = self.box(element[0], size), max(SMALLEST, SMALL * size)
        index = self.box(element[low], small) if low else self._space(0.0)
        power = self.box(element[high], small) if high else self._space(0.0)
        made = self._with_shifts(base, index, power, size)
        if base.grown is None:
            return made
        grown = base.grown  # a bracket with a power

        def regrown(above: float, below: float) -> Box:
            return self._with_shifts(grown(above, below), index, power, size)

        return replace(made, sign=base.sign, grown=regrown)

    @staticmethod
    def _with_shifts(base: Box, index: Box, power: Box, size: float) -> Box:
        down = max(0.22 * size, base.below * 0.8, index.above - 0.45 * size)
        up = max(0.38 * size, base.above - 0.28 * size, power.below + 0.3 * size)

        def paint(painter: QPainter, x: float, y: float) -> None:
            base.paint(painter, x, y)
            index.paint(painter, x + base.width, y + down)
            power.paint(painter, x + base.width, y - up)

        above = max(base.above, up + power.above if power.width else 0.0)
        below = max(base.below, down + index.below if index.width else 0.0)
        return Box(base.width + max(index.width, power.width) + 0.05 * size, above, below, paint)

    def _munder(self, element: Element, size: float) -> Box:
        return self._stacked(element, size, low=1)

    def _mover(self, element: Element, size: float) -> Box:
        if element.get("accent"):
            return self._accent(element, size)
        return self._stacked(element, size, high=1)

    def _munderover(self, element: Element, size: float) -> Box:
        return self._stacked(element, size, low=1, high=2)

    def _stacked(self, element: Element, size: float, low: int = 0, high: int = 0) -> Box:
        """Return a large sign with its lower and upper limits."""
        base, small = self.box(element[0], size), max(SMALLEST, SMALL * size)
        under = self.box(element[low], small) if low else self._space(0.0)
        over = self.box(element[high], small) if high else self._space(0.0)
        width, gap = max(base.width, under.width, over.width), 0.14 * size

        def paint(painter: QPainter, x: float, y: float) -> None:
            middle = x + width / 2
            base.paint(painter, middle - base.width / 2, y)
            under.paint(painter, middle - under.width / 2, y + base.below + gap + under.above)
            over.paint(painter, middle - over.width / 2, y - base.above - gap - over.below)

        above = base.above + (gap + over.above + over.below if high else 0.0)
        below = base.below + (gap + under.above + under.below if low else 0.0)
        return Box(width + 0.15 * size, above, below, paint)

    def _accent(self, element: Element, size: float) -> Box:
        """Return a letter with a bar, hat or tilde; a bar is a line as wide as its base."""
        base, sign = self.box(element[0], size), element[1].text or ""
        mark = self._text({"^": "ˆ", "~": "˜"}.get(sign, sign), size)
        lift = 0.1 * size

        def paint(painter: QPainter, x: float, y: float) -> None:
            base.paint(painter, x, y)
            if sign == "¯":
                high = y - base.above - lift
                _line(painter, size, (x + 0.06 * size, high), (x + base.width, high))
            else:
                low = y - base.above - lift + 0.5 * size
                mark.paint(painter, x + (base.width - mark.width) / 2 + 0.05 * size, low)

        return Box(base.width, base.above + 0.3 * size, base.below, paint)


def _moved(box: Box, down: float) -> Box:
    """Return a lowered box."""
    return Box(
        box.width, box.above - down, box.below + down,
        lambda painter, x, y: box.paint(painter, x, y + down), box.sign,
    )  # fmt: skip


def _reach(boxes: Sequence[Box]) -> tuple[float, float]:
    above = max((box.above for box in boxes), default=0.0)
    return above, max((box.below for box in boxes), default=0.0)


def _line(painter: QPainter, size: float, *points: tuple[float, float]) -> None:
    pen = painter.pen()
    painter.setPen(QPen(pen.color(), max(0.8, 0.06 * size)))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))
    painter.setPen(pen)


def _gaps(boxes: Sequence[Box], number: int, size: float) -> tuple[float, float]:
    """Return the room before and after a sign: wide at a relation, none at a minus in front."""
    sign = boxes[number].sign
    if sign in RELATIONS:
        return 0.3 * size, 0.3 * size
    if sign in OPERATIONS:
        before = boxes[number - 1].sign if number else "("
        binary = before not in OPENING | RELATIONS | OPERATIONS | {",", ""} or (
            number > 0 and not before and boxes[number - 1].width > 0
        )
        return (0.22 * size, 0.22 * size) if binary else (0.0, 0.0)
    if sign and sign in ",;:":
        return 0.0, 0.2 * size
    return 0.0, 0.06 * size if sign in LARGE else 0.0


def _grown(boxes: Sequence[Box]) -> list[Box]:
    """Return boxes whose brackets are as high as their content."""
    result, opened = list(boxes), list[int]()
    for number, box in enumerate(boxes):
        if box.grown is None:
            continue
        if box.sign in OPENING or (box.sign in BARS and not opened):
            opened.append(number)
        elif opened:
            first = opened.pop()
            reach = _reach(result[first + 1 : number] or [box])
            _grow(result, first, reach)
            _grow(result, number, reach)
    for number in opened:  # one alone, such as a slash
        _grow(result, number, _reach([*boxes[:number], *boxes[number + 1 :]]))
    return result


def _grow(boxes: list[Box], number: int, reach: tuple[float, float]) -> None:
    grown = boxes[number].grown
    if grown is not None:
        boxes[number] = grown(*reach)


def _stretched(box: Box, above: float, below: float) -> Box:
    """Return a bracket in another height."""
    height, own = above + below, box.above + box.below
    if own <= 0 or height <= own:
        return box
    factor = height / own

    def paint(painter: QPainter, x: float, y: float) -> None:
        painter.save()
        painter.translate(x, y - above)
        painter.scale(1.0, factor)
        box.paint(painter, 0.0, box.above)
        painter.restore()

    return Box(box.width, above, below, paint, box.sign)
