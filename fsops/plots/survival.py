"""Figures of right-censored times: Kaplan–Meier curves by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fsops.algorithms.statistics.survival import SurvivalCurve, kaplan_meier, log_rank
from fsops.data import ExampleSet
from fsops.data.schema import EVENT, RISK_GROUP
from fsops.data.survival import survival_of
from fsops.errors import DataError
from fsops.plots.style import (
    BLUE,
    COLUMN,
    GREEN,
    LINE,
    ORANGE,
    PINK,
    SKY,
    SMALL,
    Floats,
    dark,
    drawn,
    nothing,
    short_names,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {1: (BLUE,), 2: (BLUE, ORANGE), 3: (BLUE, GREEN, ORANGE)}
MANY = (BLUE, SKY, GREEN, PINK, ORANGE)
SMALLEST_P = 0.001


def has_times(examples: ExampleSet) -> bool:
    """Return whether a table has times and events that can be read."""
    label = examples.schema.label
    if label is None or label.value_type.is_nominal or examples.schema.special(EVENT) is None:
        return False
    try:
        return bool(survival_of(examples).event.any())
    except DataError:
        return False


def survival_size(examples: ExampleSet) -> tuple[float, float]:
    """Return the size of the figure: the numbers at risk take a line for each group."""
    return COLUMN, 2.5 + LINE * (1 + len(_groups(examples)[1]))


def _groups(examples: ExampleSet) -> tuple[npt.NDArray[np.intp], list[str]]:
    """Return the group of each row, -1 for none, and the names of the groups that have rows."""
    attribute = examples.schema.special(RISK_GROUP)
    if attribute is None or not attribute.value_type.is_nominal:
        return np.zeros(len(examples), dtype=np.intp), ["all"]
    codes = examples.column(attribute.name).astype(np.intp)
    used = [code for code in range(len(attribute.categories)) if (codes == code).any()]
    places = np.full(len(attribute.categories) + 1, -1, dtype=np.intp)  # the last is for -1
    places[used] = np.arange(len(used))
    return places[codes], [attribute.categories[code] for code in used]


@drawn
def survival_curves(examples: ExampleSet, ax: Axes) -> None:
    """Draw the fraction of rows without the event over time (Kaplan–Meier) with 95 % bands.

    A curve per risk group; the title has the p-value of the log-rank test of their difference.
    Ticks on the curves are censored rows. Below are the numbers of rows still observed.
    """
    codes, names = _groups(examples)
    found = survival_of(examples)
    known = (codes >= 0) & np.isfinite(found.time)
    if not known.any() or len(names) > len(MANY):
        nothing(ax, "no times" if not known.any() else f"{len(names)} groups are too many")
        return
    colours = COLOURS.get(len(names), MANY)
    curves = [
        kaplan_meier(found.time[known & (codes == number)], found.event[known & (codes == number)])
        for number in range(len(names))
    ]
    texts = short_names(names, 14)
    for curve, name, colour in zip(curves, texts, colours, strict=False):
        _draw_curve(ax, curve, name if len(names) > 1 else "", colour)
    ax.set_xlim(left=min(0.0, float(found.time[known].min())))
    ax.set_ylim(-0.02, 1.03)
    ax.set_ylabel("fraction without event")
    ax.set_xlabel(short_names([examples.label.name], 30)[0])
    if len(names) > 1:
        p = log_rank(found.time[known], found.event[known], codes[known])[1]
        ax.set_title(f"log-rank test: {_p_text(p)}", loc="left")
        ax.legend(loc="best", handlelength=1.2, borderaxespad=0.2, framealpha=0.7)
    _rows_at_risk(ax, curves, texts, colours)


def _p_text(p: float) -> str:
    return f"p < {SMALLEST_P:g}" if p < SMALLEST_P else f"p = {p:.3f}"


def _draw_curve(ax: Axes, curve: SurvivalCurve, name: str, colour: str) -> None:
    """Draw a step curve from time 0 with its band, and ticks at censored rows."""
    start = min(0.0, float(curve.time[0]))

    def stepped(values: Floats) -> Floats:
        return np.concatenate([[1.0], values])

    time = np.concatenate([[start], curve.time])
    ax.fill_between(
        time,
        stepped(curve.lower),
        stepped(curve.upper),
        step="post",
        color=colour,
        alpha=0.13,
        linewidth=0,
    )
    ax.step(time, stepped(curve.survival), where="post", color=colour, label=name or None)
    lost = curve.censored > 0
    ax.plot(curve.time[lost], curve.survival[lost], "|", color=colour, markersize=4, mew=0.7)


def _rows_at_risk(
    ax: Axes, curves: list[SurvivalCurve], names: list[str], colours: tuple[str, ...]
) -> None:
    """Write below the axis how many rows of each group reach the times of the ticks."""
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    line = 1.35 * SMALL
    first = -(2.2 * SMALL + 13.0)  # points below the axis: numbers and name of the axis
    _write_below(ax, None, "at risk", first + line, "black")
    for row, (curve, name, colour) in enumerate(zip(curves, names, colours, strict=False)):
        height = first - row * line
        _write_below(ax, None, name, height, dark(colour))
        reached = np.append(curve.at_risk, 0.0)[np.searchsorted(curve.time, ticks)]
        for tick, count in zip(ticks, reached, strict=True):
            _write_below(ax, tick, f"{count:.0f}", height, dark(colour))


def _write_below(ax: Axes, tick: float | None, text: str, height: float, colour: str) -> None:
    """Write a text so many points below a place of the axis, or left of its beginning."""
    ax.annotate(
        text,
        (0.0 if tick is None else tick, 0.0),
        (-14.0 if tick is None else 0.0, height),
        xycoords="axes fraction" if tick is None else ("data", "axes fraction"),
        textcoords="offset points",
        annotation_clip=False,
        ha="right" if tick is None else "center",
        va="top",
        fontsize=SMALL,
        color=colour,
    )
