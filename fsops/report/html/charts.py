"""Figures that are part of the page: plain SVG that follows its colors, and answers to a pointer.

Each is drawn twice, for a wide and for a narrow screen, because the text of a scaled figure would
be too small on a phone. Style sheet and script do the rest: colors by class, values by
``data-tip``, attributes by ``data-attribute``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np
import numpy.typing as npt

from fsops.report.escaping import visible
from fsops.report.numbers import column_texts, number_text

Floats = npt.NDArray[np.float64]
WIDTHS = (("wide", 640.0), ("narrow", 360.0))
HEIGHT = 300.0
SERIES = 6
"""How many colors there are for series."""
MARKERS = 4
EVENLY = 12
"""Up to so many numbers of attributes have equal distances on their axis."""
CHARACTER = 6.4
"""Width of a character of the axes, in pixels."""
NAME_CHARACTER = 7.4
"""Width of a character of a name, in pixels."""
MOST_TICKS = 6


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a chart, with a text for each point."""

    name: str
    y: Floats
    tips: Sequence[str]
    low: Floats | None = None
    high: Floats | None = None


@dataclass(frozen=True, eq=False)
class ChanceBand:
    """Where the values lie if the labels are permuted."""

    lower: Floats
    middle: Floats
    upper: Floats
    text: str


@dataclass(frozen=True, eq=False)
class LineChart:
    """Lines over the number of attributes."""

    title: str
    about: str
    alt: str
    sizes: Sequence[int]
    lines: Sequence[Line]
    band: ChanceBand | None = None
    level: tuple[float, str] | None = None
    """A horizontal line with its text."""
    mark: tuple[int, str] | None = None
    """A vertical line at a size, with its text."""
    percent: bool = False
    limits: tuple[float | None, float | None] = (None, None)
    """Ends of the axis that do not depend on the values."""
    unit: str = ""
    kind: str = field(default="lines", init=False)

    @property
    def legend(self) -> list[tuple[str, str]]:
        """Marker and name of each line, as HTML and text."""
        if len(self.lines) < 2:
            return []
        return [(_marker(n, 7, 7, 4.5), line.name) for n, line in enumerate(self.lines)]

    def svgs(self) -> Iterator[str]:
        """Return the chart for a wide and for a narrow screen."""
        for name, width in WIDTHS:
            yield _svg(name, width, HEIGHT, self.alt, self._shapes(width))

    def _range(self) -> tuple[float, float]:
        values = [line.y for line in self.lines]
        values += [
            part for line in self.lines for part in (line.low, line.high) if part is not None
        ]
        if self.band is not None:
            values += [self.band.lower, self.band.upper]
        if self.level is not None:
            values.append(np.array([self.level[0]]))
        known = np.concatenate([v[np.isfinite(v)] for v in values] or [np.zeros(0)])
        low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
        low = self.limits[0] if self.limits[0] is not None else low
        high = max(high, self.limits[1]) if self.limits[1] is not None else high
        return (low - 0.5, high + 0.5) if high <= low else (float(low), float(high))

    def _shapes(self, width: float) -> Iterator[str]:
        ticks = nice_ticks(*self._range())
        low, high = min(ticks[0], self._range()[0]), max(ticks[-1], self._range()[1])
        texts = [f"{100 * t:.4g} %" if self.percent else number_text(t) for t in ticks]
        left = 14 + CHARACTER * max(map(len, texts))
        top, bottom, right = 14.0, HEIGHT - 42, width - 16

        def across(position: float) -> float:
            return left + 14 + (right - left - 28) * position

        def down(value: float) -> float:
            inside = min(max(value, low), high)  # chance may go beyond the ends of the axis
            return bottom - (bottom - top) * (inside - low) / (high - low)

        at = [across(p) for p in _positions(self.sizes)]
        for tick, text in zip(ticks, texts, strict=True):
            y = down(tick)
            yield f'<path class="grid" d="M{left:.1f} {y:.1f}H{right:.1f}"/>'
            yield _text(left - 8, y + 4, text, "axis end")
        yield from _size_labels(self.sizes, at, bottom + 18)
        yield _text((left + right) / 2, HEIGHT - 6, "number of attributes", "axis middle")
        if self.band is not None:
            yield from self._band(self.band, at, down, right)
        if self.level is not None:
            y = down(self.level[0])
            yield f'<path class="level" d="M{left:.1f} {y:.1f}H{right:.1f}"/>'
            yield _text(left + 4, self._beside_level(y, down), self.level[1], "note")
        if self.mark is not None and self.mark[0] in self.sizes:
            x = at[list(self.sizes).index(self.mark[0])]
            yield f'<path class="mark" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
            on_left = x > (left + right) / 2
            where = "note-mark end" if on_left else "note-mark"
            y = top + 8 if self._is_free_above(down, (top + bottom) / 2) else bottom - 6
            yield _text(x - 5 if on_left else x + 5, y, self.mark[1], where)
        for number, line in enumerate(self.lines):
            yield from _line(number, line, at, down)

    def _beside_level(self, y: float, down: Callable[[float], float]) -> float:
        """Return where the text of the level hides no line: above or below it."""
        drawn = [down(line.y[0]) for line in self.lines]
        drawn += [] if self.band is None else [down(self.band.middle[0])]
        drawn = [other for other in drawn if math.isfinite(other)]
        return max(y - 5, y + 13, key=lambda at: min([99.0, *(abs(at - 4 - d) for d in drawn)]))

    def _is_free_above(self, down: Callable[[float], float], middle: float) -> bool:
        """Return whether most points of the curves are in the lower half."""
        heights = np.array([down(v) for line in self.lines for v in line.y if np.isfinite(v)])
        return not heights.size or bool(np.median(heights) > middle)

    def _band(
        self, band: ChanceBand, at: Sequence[float], down: Callable[[float], float], right: float
    ) -> Iterator[str]:
        known = np.flatnonzero(np.isfinite(band.lower) & np.isfinite(band.upper)).tolist()
        if not known:
            return
        upper = [f"{at[i]:.1f} {down(band.upper[i]):.1f}" for i in known]
        lower = [f"{at[i]:.1f} {down(band.lower[i]):.1f}" for i in known[::-1]]
        yield f'<path class="band" d="M{"L".join(upper + lower)}Z"/>'
        middle = [f"{at[i]:.1f} {down(band.middle[i]):.1f}" for i in known]
        yield f'<path class="chance" d="M{"L".join(middle)}"/>'
        last = known[-1]
        y = self._free_place(band, down, last)
        yield _text(min(at[last], right), y, band.text, "note end")

    def _free_place(self, band: ChanceBand, down: Callable[[float], float], at: int) -> float:
        """Return where the text of the band hides no line: inside of it, above or below."""
        edges = down(band.upper[at]), down(band.lower[at])
        places = [edges[1] - 5, edges[0] + 12, edges[1] + 13, edges[0] - 5]
        drawn = [down(line.y[i]) for line in self.lines for i in (at - 1, at) if i >= 0]
        drawn += [down(band.middle[at]), *([down(self.level[0])] if self.level else [])]
        drawn = [y for y in drawn if math.isfinite(y)]
        return max(places, key=lambda y: min(12.0, *(abs(y - 4 - other) for other in drawn)))


def _line(
    number: int, line: Line, at: Sequence[float], down: Callable[[float], float]
) -> Iterator[str]:
    known = [i for i in range(len(at)) if math.isfinite(line.y[i])]
    series = number % SERIES
    if line.low is not None and line.high is not None:
        wide = [i for i in known if math.isfinite(line.low[i]) and math.isfinite(line.high[i])]
        upper = [f"{at[i]:.1f} {down(line.high[i]):.1f}" for i in wide]
        lower = [f"{at[i]:.1f} {down(line.low[i]):.1f}" for i in wide[::-1]]
        if wide:
            yield f'<path class="spread fill-{series}" d="M{"L".join(upper + lower)}Z"/>'
    points = "L".join(f"{at[i]:.1f} {down(line.y[i]):.1f}" for i in known)
    if known:
        yield f'<path class="line stroke-{series}" d="M{points}"/>'
    radius = 4.0 if len(known) <= 40 else 2.0
    for i in known:
        tip = escape(f"{visible(line.name)}: {line.tips[i]}", quote=True)
        x, y = at[i], down(line.y[i])
        hit = f'<circle class="hit" cx="{x:.1f}" cy="{y:.1f}" r="11"/>'
        yield f'<g class="point" data-tip="{tip}">{_shape(number, x, y, radius)}{hit}</g>'


def _positions(sizes: Sequence[int]) -> list[float]:
    """Return where sizes are on an axis from 0 to 1: evenly if few, else by their logarithm."""
    if len(sizes) == 1:
        return [0.5]
    if len(sizes) <= EVENLY:
        return [i / (len(sizes) - 1) for i in range(len(sizes))]
    logs = [math.log(max(size, 1)) for size in sizes]
    return [(log - logs[0]) / (logs[-1] - logs[0]) for log in logs]


def _size_labels(sizes: Sequence[int], at: Sequence[float], y: float) -> Iterator[str]:
    last = math.inf
    for size, x in reversed(list(zip(sizes, at, strict=True))):
        half = CHARACTER * len(str(size)) / 2
        if x + half + 8 <= last:
            last = x - half
            yield _text(x, y, str(size), "axis middle")


def nice_ticks(low: float, high: float) -> list[float]:
    """Return round numbers that cover a range."""
    step = (high - low) / (MOST_TICKS - 1)
    size = 10.0 ** math.floor(math.log10(step))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= step * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


# --- bars and points ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BarChart:
    """A bar for each named attribute."""

    title: str
    about: str
    alt: str
    names: Sequence[str]
    values: Sequence[float]
    value_name: str
    kind: str = field(default="bars", init=False)
    legend: Sequence[tuple[str, str]] = ()

    def svgs(self) -> Iterator[str]:
        """Return the chart for a wide and for a narrow screen."""
        for name, width in WIDTHS:
            yield _svg(name, width, 22.0 * len(self.names) + 8, self.alt, self._shapes(width))

    def _shapes(self, width: float) -> Iterator[str]:
        most = 28 if width > 500 else 16
        texts = [short(visible(name), most) for name in self.names]
        left = 10 + NAME_CHARACTER * max(map(len, texts), default=0)
        numbers = column_texts(self.values)
        right = width - max(70, 14 + CHARACTER * 1.05 * max(map(len, numbers), default=0))
        low, high = min(0.0, *self.values), max(0.0, *self.values)
        span = (high - low) or 1.0
        zero = left + (right - left) * -low / span
        for row, (name, text, value) in enumerate(zip(self.names, texts, self.values, strict=True)):
            y = 4 + 22.0 * row
            end = left + (right - left) * (value - low) / span
            x, length = min(zero, end), max(abs(end - zero), 1.0)
            tip = f"{visible(name)}: {self.value_name} {number_text(value)}"
            yield (
                f"<g {_attribute(name)} data-tip={_quoted(tip)}>"
                f'<rect class="hit" x="0" y="{y - 1:.1f}" width="{width:.0f}" height="22"/>'
                f"{_text(left - 8, y + 14.5, text, 'label end')}"
                f'<rect class="bar" x="{x:.1f}" y="{y + 4:.1f}" width="{length:.1f}" height="13"'
                f' rx="2"/>{_text(right + 8, y + 14.5, numbers[row], "axis")}</g>'
            )
        if low < 0:
            yield f'<path class="zero" d="M{zero:.1f} 2V{22 * len(self.names) + 6}"/>'


@dataclass(frozen=True, eq=False)
class PointChart:
    """A point for each named attribute, such as effect against p-value."""

    title: str
    about: str
    alt: str
    names: Sequence[str]
    x: Floats
    y: Floats
    x_name: str
    y_name: str
    tips: Sequence[str]
    strong: Sequence[bool]
    """Whether a point is filled."""
    kind: str = field(default="points", init=False)
    legend: Sequence[tuple[str, str]] = ()

    def svgs(self) -> Iterator[str]:
        """Return the chart for a wide and for a narrow screen."""
        for name, width in WIDTHS:
            yield _svg(name, width, HEIGHT, self.alt, self._shapes(width))

    def _shapes(self, width: float) -> Iterator[str]:
        known = np.flatnonzero(np.isfinite(self.x) & np.isfinite(self.y))
        if not known.size:
            return
        columns = nice_ticks(*_stretched(self.x[known]))
        rows = nice_ticks(0.0, max(_stretched(self.y[known])[1], 1.0))
        left = 14 + CHARACTER * max(len(number_text(tick)) for tick in rows) + 14
        top, bottom, right = 14.0, HEIGHT - 42, width - 16
        x = left + (right - left) * (self.x - columns[0]) / (columns[-1] - columns[0])
        y = bottom - (bottom - top) * (self.y - rows[0]) / (rows[-1] - rows[0])
        for tick in rows:
            line = bottom - (bottom - top) * (tick - rows[0]) / (rows[-1] - rows[0])
            yield f'<path class="grid" d="M{left:.1f} {line:.1f}H{right:.1f}"/>'
            yield _text(left - 8, line + 4, number_text(tick), "axis end")
        for tick in columns:
            at = left + (right - left) * (tick - columns[0]) / (columns[-1] - columns[0])
            name = "zero" if tick == 0 else "grid"
            yield f'<path class="{name}" d="M{at:.1f} {top:.1f}V{bottom:.1f}"/>'
            yield _text(at, bottom + 18, number_text(tick), "axis middle")
        yield _text((left + right) / 2, HEIGHT - 6, self.x_name, "axis middle")
        yield (
            f'<text class="axis middle" transform="translate(11 {(top + bottom) / 2:.1f}) '
            f'rotate(-90)">{escape(self.y_name)}</text>'
        )
        taken: list[tuple[float, float, float]] = []
        for i in known.tolist():
            yield self._point(i, x[i], y[i])
        for i in known.tolist():
            yield from self._name(i, x[i], y[i], right, taken)

    def _point(self, i: int, x: float, y: float) -> str:
        tip = f"{visible(self.names[i])}: {self.tips[i]}"
        kind = "dot strong" if self.strong[i] else "dot"
        return (
            f"<g {_attribute(self.names[i])} data-tip={_quoted(tip)}>"
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
            f'<circle class="hit" cx="{x:.1f}" cy="{y:.1f}" r="11"/></g>'
        )

    def _name(
        self, i: int, x: float, y: float, right: float, taken: list[tuple[float, float, float]]
    ) -> Iterator[str]:
        """Return the name beside a point, if it has room there."""
        text = short(visible(self.names[i]), 16)
        length = CHARACTER * len(text)
        on_left = x + 9 + length > right
        begin = x - 9 - length if on_left else x + 9
        room = (begin, begin + length, y + 4)
        if any(a < room[1] and room[0] < b and abs(c - room[2]) < 13 for a, b, c in taken):
            return
        taken.append(room)
        yield _text(x - 8 if on_left else x + 8, y + 4, text, "label end" if on_left else "label")


def _stretched(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin


# --- small ones, in the rows of a table -----------------------------------------------------


def effect_plot(effect: float, lower: float, upper: float, span: tuple[float, float]) -> str:
    """Return an effect with its interval on an axis that all rows share; 0 is a line."""
    width, low, high = 90.0, min(span[0], 0.0), max(span[1], 0.0)
    scale = (width - 12) / ((high - low) or 1.0)

    def x(value: float) -> float:
        return 6 + (min(max(value, low), high) - low) * scale

    shapes = [f'<path class="zero" d="M{x(0):.1f} 0V20"/>']
    if math.isfinite(lower) and math.isfinite(upper):
        shapes.append(f'<path class="whisker" d="M{x(lower):.1f} 10H{x(upper):.1f}"/>')
    if not math.isnan(effect):
        shapes.append(f'<circle class="dot strong" cx="{x(effect):.1f}" cy="10" r="4"/>')
    return _small(width, 20, "effect", shapes)


def box_plot(boxes: Floats, groups: Sequence[str]) -> str:
    """Return a box per group: smallest and largest value, quartiles, median."""
    width, row = 110.0, 10.0 if len(boxes) > 2 else 11.0
    low, high = np.nanmin(boxes, initial=math.inf), np.nanmax(boxes, initial=-math.inf)
    if not np.isfinite([low, high]).all():
        return ""
    scale = (width - 8) / ((high - low) or 1.0)
    shapes, tips = [], []
    for number, (name, box) in enumerate(zip(groups, boxes, strict=True)):
        if np.isnan(box).any():
            continue
        x = [4 + (value - low) * scale for value in box]
        y, colour = row * number + row / 2 + 1, group_colour(number, len(groups))
        length = max(x[3] - x[1], 1.0)
        shapes.append(
            f'<path class="whisker {colour[0]}" d="M{x[0]:.1f} {y:.1f}H{x[4]:.1f}"/>'
            f'<rect class="box {colour[1]}" x="{x[1]:.1f}" y="{y - 3.5:.1f}" '
            f'width="{length:.1f}" height="7"/>'
            f'<path class="median" d="M{x[2]:.1f} {y - 4.5:.1f}v9"/>'
        )
        parts = " / ".join(number_text(value) for value in box)
        tips.append(f"{visible(name)} {parts}")
    tip = "smallest / quartiles / largest. " + "; ".join(tips)
    return _small(width, row * len(boxes) + 2, "boxes", shapes, tip)


def group_colour(number: int, count: int) -> tuple[str, str]:
    """Return the classes of stroke and fill of a group; two groups are blue and orange."""
    series = (0, 3)[number] if count == 2 else number % SERIES
    return f"stroke-{series}", f"fill-{series}"


def frequency_plot(frequency: float, limit: float) -> str:
    """Return how often an attribute was selected as a bar, with the limit of chance."""
    width = 84.0
    length = (width - 2) * min(max(frequency, 0.0), 1.0)
    beyond = " beyond" if math.isnan(limit) or frequency > limit else ""
    shapes = [
        f'<rect class="track" x="1" y="5" width="{width - 2:.0f}" height="10" rx="2"/>',
        f'<rect class="bar{beyond}" x="1" y="5" width="{length:.1f}" height="10" rx="2"/>',
    ]
    if math.isfinite(limit):
        x = 1 + (width - 2) * min(limit, 1.0)
        shapes.append(f'<path class="limit" d="M{x:.1f} 1V19"/>')
    return _small(width, 20, "frequency", shapes)


# --- building blocks ------------------------------------------------------------------------


def short(text: str, most: int) -> str:
    """Return a name that is not longer than so many characters; both ends stay."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1]}…{text[-end:]}"


def _svg(name: str, width: float, height: float, alt: str, shapes: Iterator[str]) -> str:
    return (
        f'<svg class="chart {name}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f"aria-label={_quoted(alt)}>{''.join(shapes)}</svg>"
    )


def _small(width: float, height: float, name: str, shapes: Sequence[str], tip: str = "") -> str:
    tip_attribute = f" data-tip={_quoted(tip)}" if tip else ""
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return (
        f'<svg class="mini {name}" {size} aria-hidden="true"{tip_attribute}>{"".join(shapes)}</svg>'
    )


def _text(x: float, y: float, text: str, name: str) -> str:
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}">{escape(visible(text))}</text>'


def _quoted(text: str) -> str:
    return f'"{escape(visible(text), quote=True)}"'


def _attribute(name: str) -> str:
    return f'class="point" data-attribute={_quoted(visible(name))}'


def _marker(number: int, x: float, y: float, radius: float) -> str:
    size = 2 * x
    shape = _shape(number, x, y, radius)
    return f'<svg width="{size:g}" height="{size:g}" aria-hidden="true">{shape}</svg>'


def _shape(number: int, x: float, y: float, r: float) -> str:
    """Return a marker: circle, diamond, square or triangle, so that color is not needed."""
    name = f'class="marker fill-{number % SERIES}"'
    kind = number % MARKERS
    if kind == 0:
        return f'<circle {name} cx="{x:.1f}" cy="{y:.1f}" r="{r:g}"/>'
    d = {
        1: f"M{x:.1f} {y - 1.3 * r:.1f}l{1.3 * r:.1f} {1.3 * r:.1f}l{-1.3 * r:.1f} {1.3 * r:.1f}"
        f"l{-1.3 * r:.1f} {-1.3 * r:.1f}Z",
        2: f"M{x - 0.95 * r:.1f} {y - 0.95 * r:.1f}h{1.9 * r:.1f}v{1.9 * r:.1f}h{-1.9 * r:.1f}Z",
        3: f"M{x:.1f} {y - 1.25 * r:.1f}l{1.2 * r:.1f} {2.2 * r:.1f}h{-2.4 * r:.1f}Z",
    }[kind]
    return f'<path {name} d="{d}"/>'
