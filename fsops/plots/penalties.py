"""Figures of linear models over their penalty."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from fsops.data import CoefficientPath
from fsops.plots.paths import MOST_LINES, READABLE, TOP
from fsops.plots.point_names import remember_names
from fsops.plots.style import BLACK, PALE, drawn, name_ends, nothing, plain_log

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawn
def coefficients_by_penalty(path: CoefficientPath, ax: Axes, k: int = TOP) -> None:
    """Draw the coefficients, from the largest penalty on the left to the smallest.

    The dashed line is the chosen penalty. At most k attributes or groups are named, those with the
    largest coefficients there; the others are gray. Attributes of one group have one color.
    """
    if not path.names:
        nothing(ax, "no attribute enters the path")
        return
    table = path.coefficients
    units = path.groups or path.names
    named = _largest_units(path, units, k)
    order = np.argsort(-np.abs(table).max(axis=0), kind="stable")
    ends = []
    for place, column in enumerate(order):
        colour = named.get(units[column], PALE)
        if colour == PALE and place >= MOST_LINES:
            continue
        pale = colour == PALE
        (line,) = ax.plot(
            path.penalties,
            table[:, column],
            color=colour,
            linewidth=0.6 if pale else 1.2,
            zorder=1 if pale else 2,
        )
        remember_names(line, [path.names[column]])
    for unit, colour in named.items():
        own = [column for column in order if units[column] == unit]
        ends.append((unit, float(table[-1, own[0]]), colour))
    ax.axhline(0, color=BLACK, linewidth=0.5)
    ax.axvline(path.penalties[path.chosen], color=BLACK, linewidth=0.8, linestyle="--")
    if len(path) > 1:
        plain_log(ax.xaxis)
        ax.set_xlim(path.penalties[0], path.penalties[-1])
    ax.set_title(_title(path), loc="left")
    ax.set_xlabel("penalty (falls to the right)")
    ax.set_ylabel("standardized coefficient")
    name_ends(ax, ends)


def _largest_units(path: CoefficientPath, units: tuple[str, ...], k: int) -> dict[str, str]:
    """Return the colors of the attributes or groups with the largest coefficients."""
    size = np.abs(path.coefficients[path.chosen])
    found: dict[str, str] = {}
    colours = cycle(READABLE)
    for column in np.argsort(-size, kind="stable"):
        if len(found) == k or size[column] == 0:
            break
        if units[column] not in found:
            found[units[column]] = next(colours)
    return found


def _title(path: CoefficientPath) -> str:
    used = np.flatnonzero(path.coefficients[path.chosen])
    attributes = f"{used.size} attribute{'' if used.size == 1 else 's'}"
    if not path.groups:
        return f"chosen (dashed): {attributes}"
    groups = len({path.groups[column] for column in used})
    return f"chosen (dashed): {attributes} of {groups} group{'' if groups == 1 else 's'}"
