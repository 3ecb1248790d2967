"""Figures of KNIFE: the weights over the penalty."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from fsops.data.knife import KnifePath
from fsops.plots.paths import MOST_LINES, READABLE
from fsops.plots.point_names import remember_names
from fsops.plots.style import PALE, Floats, drawn, name_ends, nothing, plain_log

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawn
def weight_path(path: KnifePath, ax: Axes, k: int = len(READABLE)) -> None:
    """Draw the weights of the attributes, from the largest penalty on the left to the smallest.

    At most k attributes are named, those that stay longest; the others are gray. A penalty of 0 is
    drawn beside the smallest other.
    """
    ever = path.order[path.weights[:, path.order].any(axis=0)]
    if not len(ever):
        nothing(ax, "no attribute has a weight")
        return
    places = _places(path.penalties)
    for column in ever[k:][:MOST_LINES]:
        (line,) = ax.plot(places, path.weights[:, column], color=PALE, linewidth=0.6, zorder=1)
        remember_names(line, [path.names[column]])
    ends = []
    for column, colour in zip(ever[:k], cycle(READABLE), strict=False):
        (line,) = ax.plot(places, path.weights[:, column], color=colour, zorder=2)
        remember_names(line, [path.names[column]])
        ends.append((path.names[column], float(path.weights[0, column]), colour))
    if len(path) > 1:
        plain_log(ax.xaxis)
        ax.set_xlim(places[-1], places[0])
    if path.penalties[0] == 0 and len(path) > 1:
        ax.set_xlabel(f"penalty (at the right end 0), {path.kernel} kernel")
    else:
        ax.set_xlabel(f"penalty, {path.kernel} kernel")
    ax.set_ylim(0, 1.05 * path.weights.max())
    ax.set_ylabel("weight")
    name_ends(ax, ends)


def _places(penalties: Floats) -> Floats:
    """Return the positions of penalties on a logarithmic axis: 0 one step below the others."""
    places = penalties.copy()
    if places[0] == 0 and len(places) > 1:
        ratio = places[2] / places[1] if len(places) > 2 else 2.0
        places[0] = places[1] / ratio
    return np.asarray(places)
