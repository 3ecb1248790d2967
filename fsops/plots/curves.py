"""Figures of selections over the number of attributes: merit, agreement, time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from fsops.data import Band, ChanceBaseline, SizeCurves
from fsops.plots.style import (
    BLUE,
    COLOURS,
    COLUMN,
    GREY,
    LINE,
    SMALL,
    YELLOW,
    Floats,
    drawn,
    label,
    legend_above,
    legend_columns,
    name_points,
    name_rows,
    nothing,
    plain_log,
    rows_height,
    short_names,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

READABLE = tuple(colour for colour in COLOURS if colour != YELLOW)  # as thin lines on white
STYLES = ("-", "--", ":", "-.")
FEW = 4  # methods whose bands can still be distinguished
LONGEST = 24
GAP = 0.06  # of the axis between two numbers below it
CHOSEN = "chosen"
CHANCE = "shuffled labels"


def _methods(curves: SizeCurves) -> Iterator[tuple[int, str, str, str]]:
    """Return number, short name, color and line style of each method."""
    for number, name in enumerate(short_names(curves.methods, LONGEST)):
        style = STYLES[number // len(READABLE) % len(STYLES)]
        yield number, name, READABLE[number % len(READABLE)], style


def size_axis(ax: Axes, sizes: np.typing.NDArray[np.int64]) -> None:
    """Let the axis of sizes be logarithmic where most of them are small, with their numbers."""
    ax.set_xlabel("number of attributes")
    if not len(sizes) or sizes[-1] <= 4 * np.median(sizes):
        whole_numbers(ax.xaxis)
        return
    from matplotlib.ticker import NullLocator

    plain_log(ax.xaxis)
    places = np.log(sizes) / np.log(sizes[-1] / sizes[0])
    shown: list[int] = []
    for position in range(len(sizes) - 1, -1, -1):  # the last one counts most
        room = GAP + 0.012 * len(str(sizes[position]))
        if not shown or places[shown[-1]] - places[position] >= room:
            shown.append(position)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(sizes[shown], labels=[str(size) for size in sizes[shown]])


def _draw(curves: SizeCurves, values: Floats, ax: Axes) -> None:
    """Draw a line per method where it has values, and mark the chosen number."""
    for number, name, colour, style in _methods(curves):
        known = ~np.isnan(values[number])
        ax.plot(
            curves.sizes[known],
            values[number, known],
            color=colour,
            linestyle=style,
            marker="o" if known.sum() <= 40 else "",
            markersize=2.5,
            label=name,
        )
    _mark(curves, values, ax)
    size_axis(ax, curves.sizes)
    ax.grid(axis="y")


def _mark(curves: SizeCurves, values: Floats, ax: Axes, across: Floats | None = None) -> None:
    """Draw a ring around each chosen number of attributes."""
    places = np.broadcast_to(curves.sizes if across is None else across, values.shape)
    for number, _, colour, _ in _methods(curves):
        at = _chosen(curves, number)
        if at is not None and not np.isnan(values[number, at]):
            _ring(ax, [places[number, at]], [values[number, at]], colour)
    if curves.chosen is not None:
        _ring(ax, [], [], GREY, CHOSEN)


def _ring(ax: Axes, x: list[float], y: list[float], colour: str, text: str = "") -> None:
    ax.plot(x, y, "o", color=colour, markersize=7, fillstyle="none", label=text or "_nolegend_")


def _chosen(curves: SizeCurves, method: int) -> int | None:
    """Return the place of the chosen number among the sizes."""
    if curves.chosen is None:
        return None
    found = np.flatnonzero(curves.sizes == curves.chosen[method])
    return int(found[0]) if len(found) else None


def _legend(curves: SizeCurves, ax: Axes) -> None:
    if len(curves.methods) > 1:
        legend_above(ax)
    elif curves.chosen is not None:
        ax.set_title(f"{CHOSEN}: {curves.chosen[0]}", loc="left")


def legend_height(curves: SizeCurves) -> float:
    """Return the inches that the names of the methods need above a figure."""
    names = [*short_names(curves.methods, LONGEST), *([CHOSEN] if curves.chosen else [])]
    names += [] if curves.chance is None else [CHANCE, "largest class"]
    if len(curves.methods) < 2:
        return 0.0
    return float(LINE * np.ceil(len(names) / legend_columns(names, COLUMN)))


def rows_size(curves: SizeCurves) -> tuple[float, float]:
    """Return the size of a figure with a row for each method."""
    return COLUMN, rows_height(len(curves.methods))


def curve_size(curves: SizeCurves) -> tuple[float, float]:
    """Return the size of a figure with a line for each method."""
    return COLUMN, 2.2 + legend_height(curves)


def has_stability(curves: SizeCurves) -> bool:
    """Return whether the agreement is known at some size."""
    return curves.stability is not None and not bool(np.isnan(curves.stability).all())


def has_seconds(curves: SizeCurves) -> bool:
    """Return whether the times are known, and of several methods."""
    return curves.seconds is not None and len(curves.methods) > 1


def chance_band(ax: Axes, sizes: np.typing.NDArray[np.int64], band: Band) -> None:
    """Draw what permuted labels give: the middle 90 % gray, the median dashed."""
    known = ~np.isnan(band.lower) & ~np.isnan(band.upper)
    low, high = band.lower[known], band.upper[known]
    ax.fill_between(
        sizes[known], low, high, color=GREY, alpha=0.2, linewidth=0, zorder=0, label=CHANCE
    )
    ax.plot(sizes[known], band.middle[known], color=GREY, linewidth=0.8, linestyle="--", zorder=1)


def _guessing(ax: Axes, chance: ChanceBaseline) -> None:
    """Draw the error of always predicting the largest class, or the mean."""
    text = "largest class" if chance.criterion == "classification_error" else "mean"
    error = chance.majority_error
    ax.axhline(error, color=GREY, linewidth=0.8, linestyle=":", zorder=1, label=text)


@drawn
def merit_over_size(curves: SizeCurves, ax: Axes) -> None:
    """Draw the criterion over the number of attributes; a ring marks the chosen number.

    Bands are one standard error wide on either side, where the methods are few.
    """
    mean, error = curves.mean, curves.standard_error
    if np.isnan(mean).all():
        nothing(ax, f"no value of {label(curves.criterion)}")
        return
    if len(curves.methods) <= FEW:
        for number, _, colour, _ in _methods(curves):
            known = ~np.isnan(mean[number]) & ~np.isnan(error[number])
            low, high = mean[number] - error[number], mean[number] + error[number]
            ax.fill_between(
                curves.sizes[known], low[known], high[known], color=colour, alpha=0.15, linewidth=0
            )
    chance = curves.chance
    if chance is not None and chance.criterion == curves.criterion:
        chance_band(ax, chance.sizes, chance.error_band)
        _guessing(ax, chance)
    _draw(curves, mean, ax)
    ax.set_ylabel(label(curves.criterion))
    _legend(curves, ax)


@drawn
def agreement_over_size(curves: SizeCurves, ax: Axes) -> None:
    """Draw how much the selections of the repetitions agree, over the number of attributes."""
    if curves.stability is None or not has_stability(curves):
        nothing(ax, "no size at which the agreement is known")
        return
    # Selections on overlapping rows agree on noise too: only permuted labels tell how much.
    if curves.chance is not None:
        chance_band(ax, curves.chance.sizes, curves.chance.stability_band)
    _draw(curves, curves.stability, ax)
    ax.set_ylim(min(0.0, float(np.nanmin(curves.stability))) - 0.05, 1.05)
    ax.set_ylabel(f"stability ({label(curves.stability_measure).capitalize()})")
    _legend(curves, ax)


@drawn
def stability_against_merit(curves: SizeCurves, ax: Axes) -> None:
    """Draw stability against the criterion: a line per method from few to many attributes.

    A ring with its number is the chosen number of attributes.
    """
    merit = curves.mean
    known = np.isnan(merit) if curves.stability is None else ~np.isnan(curves.stability + merit)
    if curves.stability is None or not known.any():
        nothing(ax, "no size at which both are known")
        return
    names = []
    for number, name, colour, style in _methods(curves):
        x, y = merit[number, known[number]], curves.stability[number, known[number]]
        ax.plot(x, y, color=colour, linestyle=style, linewidth=0.6)
        ax.scatter(x, y, s=_dots(curves.sizes[known[number]]), color=colour, linewidths=0)
        ax.plot([], [], color=colour, linestyle=style, marker="o", markersize=2.5, label=name)
        at = _chosen(curves, number)
        if at is not None and known[number, at]:
            names.append((merit[number, at], curves.stability[number, at], str(curves.sizes[at])))
    _mark(curves, np.where(known, curves.stability, np.nan), ax, across=merit)
    ax.margins(0.08)
    ax.grid()
    ax.set_xlabel(f"{label(curves.criterion)} (larger dots: more attributes)")
    ax.set_ylabel(f"stability ({label(curves.stability_measure).capitalize()})")
    _legend(curves, ax)
    points = np.column_stack([merit[known], curves.stability[known]])
    name_points(ax, names, len(names), points)


def _dots(sizes: np.typing.NDArray[np.int64]) -> Floats:
    """Return areas that grow with the logarithm of the sizes."""
    grown = np.log(sizes / sizes.min()) if len(sizes) else np.zeros(0)
    scaled: Floats = 3.0 + 14.0 * grown / max(float(grown.max(initial=0.0)), 1e-9)
    return scaled


@drawn
def selection_seconds(curves: SizeCurves, ax: Axes) -> None:
    """Draw how long the selections took: a dot per repetition, a bar at their median."""
    if curves.seconds is None or not curves.seconds.size:
        nothing(ax, "no times")
        return
    seconds = np.maximum(curves.seconds, 1e-6)
    for row, values in enumerate(seconds):
        ax.plot(values, [row] * len(values), "o", color=BLUE, alpha=0.35, markersize=3, mew=0)
        middle = float(np.median(values))
        ax.plot([middle, middle], [row - 0.3, row + 0.3], color=BLUE, linewidth=1.6)
    name_rows(ax.yaxis, curves.methods)
    ax.set_ylim(len(seconds) - 0.4, -0.6)
    if seconds.max() > 20 * seconds.min():
        plain_log(ax.xaxis)
    else:
        ax.set_xlim(left=0)
    ax.grid(axis="x")
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.set_xlabel("seconds per selection")
