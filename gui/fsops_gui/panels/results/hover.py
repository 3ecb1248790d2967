"""The values under the mouse in a figure: a bar, a cell, a point or a place on a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fsops.plots.point_names import names_of
from fsops.report.numbers import number_text
from fsops_gui.base.texts import tr

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

Floats = npt.NDArray[np.float64]
NEAR = 9.0
"""Pixels between the mouse and a point."""


def hover_text(figure: Figure, x: float, y: float) -> str:
    """Return the values at a place of a figure, empty if nothing is there.

    Parameters
    ----------
    figure : Figure
    x, y : float
        Pixels of the figure; y counts from the bottom, as in matplotlib.
    """
    for axes in figure.axes:
        if axes.axison and axes.get_visible() and axes.bbox.padded(NEAR).contains(x, y):
            for find in (_at_points, _at_bars, _at_cells):
                text = find(axes, np.array([x, y]))
                if text:
                    return text
    return ""


def _at_points(axes: Axes, place: Floats) -> str:
    """Return the point or place of a line that is nearest, if it is near."""
    nearest, text = NEAR, ""
    for artist, points, data in _points(axes):
        distances = np.hypot(*(points - place).T)
        distances[~np.isfinite(distances)] = np.inf
        best = int(np.argmin(distances)) if len(distances) else -1
        if best >= 0 and distances[best] < nearest:
            nearest = float(distances[best])
            text = _point_text(axes, artist, best, data[best])
    return text


def _points(axes: Axes) -> Iterator[tuple[PathCollection | Line2D, Floats, Floats]]:
    """Yield artists with their points in pixels and as data."""
    from matplotlib.collections import PathCollection

    for line in axes.lines:
        if line.get_transform() == axes.transData:  # not a line across all of the axes
            data = np.asarray(line.get_xydata(), dtype=np.float64)
            yield line, _pixels(axes, data), data
    for marks in axes.collections:
        if isinstance(marks, PathCollection):
            data = np.ma.filled(np.ma.asarray(marks.get_offsets(), dtype=np.float64), np.nan)
            yield marks, _pixels(axes, data), data


def _pixels(axes: Axes, data: Floats) -> Floats:
    if not len(data):
        return np.empty((0, 2))
    with np.errstate(all="ignore"):
        return np.asarray(axes.transData.transform(data), dtype=np.float64)


def _point_text(axes: Axes, artist: Any, number: int, data: Floats) -> str:
    values = ", ".join(
        _named(axis, float(value))
        for axis, value in zip((axes.xaxis, axes.yaxis), data, strict=True)
    )
    name = _name_of(artist, number)
    return f"{name}: {values}" if name else values


def _name_of(artist: Any, number: int) -> str:
    names = names_of(artist)
    if names:
        return names[number] if len(names) > 1 else names[0]
    label = str(artist.get_label())
    return "" if label.startswith("_") else label


def _at_bars(axes: Axes, place: Floats) -> str:
    from matplotlib.container import BarContainer

    x, y = axes.transData.inverted().transform(place)
    for bars in axes.containers:
        if isinstance(bars, BarContainer):
            text = _bar_text(axes, bars, float(x), float(y))
            if text:
                return text
    return ""


def _bar_text(axes: Axes, bars: BarContainer, x: float, y: float) -> str:
    """Return name and length of the bar in whose row or column a place is."""
    lying = bars.orientation == "horizontal"
    axis, other = (axes.yaxis, axes.xaxis) if lying else (axes.xaxis, axes.yaxis)
    for bar in _nearest_first(bars, x if lying else y, lying=lying):
        begin, length = (bar.get_y(), bar.get_height()) if lying else (bar.get_x(), bar.get_width())
        if begin <= (y if lying else x) <= begin + length:
            value = bar.get_width() if lying else bar.get_height()
            if names_of(bar):
                return names_of(bar)[0]
            if not names_of(axis):  # the bars of a histogram
                low, high = (number_text(round(v, 12)) for v in (begin, begin + length))
                words = tr("{low} to {high}", low=low, high=high)
                return f"{words}: {_named(other, value)}"
            return f"{_named(axis, begin + length / 2)}: {_named(other, value)}"
    return ""


def _nearest_first(bars: BarContainer, place: float, *, lying: bool) -> list[Rectangle]:
    """Return the bars by the distance of their base: a figure may have several columns of them."""
    return sorted(
        bars.patches, key=lambda bar: abs((bar.get_x() if lying else bar.get_y()) - place)
    )


def _at_cells(axes: Axes, place: Floats) -> str:
    x, y = axes.transData.inverted().transform(place)
    for image in axes.images:
        row, column = round(float(y)), round(float(x))
        cells = _cells(image)
        if 0 <= row < cells.shape[0] and 0 <= column < cells.shape[1]:
            value = cells[row, column]
            words = number_text(float(value))
            where = ", ".join((_place(axes.yaxis, row), _place(axes.xaxis, column)))
            return f"{where}: {words}"
    return ""


def _cells(image: AxesImage) -> Floats:
    cells: Floats = np.ma.filled(np.ma.asarray(image.get_array(), dtype=np.float64), np.nan)
    return cells if cells.ndim == 2 else np.empty((0, 0))


def _place(axis: Axis, number: int) -> str:
    """Return the name of a row or column, else its number."""
    names = names_of(axis)
    if number < len(names):
        return names[number]
    return f"{axis.get_label_text() or tr('place')} {number + 1}"


def _named(axis: Axis, value: float) -> str:
    """Return a value with the name of its axis, or the name at this place."""
    names, place = names_of(axis), round(value)
    if 0 <= place < len(names) and abs(value - place) < 0.5:
        return names[place]
    label = axis.get_label_text().partition(" (")[0]
    return f"{label} {number_text(value)}" if label else number_text(value)
