"""Figure of shrunken class centroids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsops.data import ShrunkenCentroids
from fsops.plots.point_names import remember_names
from fsops.plots.style import (
    BLUE,
    COLUMN,
    GREY,
    LINE,
    ORANGE,
    PAGE,
    SMALL,
    drawn,
    name_rows,
    nothing,
    rows_height,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 30
LONGEST_CLASS = 14
NAMES, COLUMN_OF_CLASS = 1.5, 0.36  # inches for the names of attributes, and for a class
STRIPE = "#F2F2F2"
HALF = 0.46  # of a column: the longest bar


def centroids_size(centroids: ShrunkenCentroids) -> tuple[float, float]:
    """Return the size of the figure: a line per attribute, and a column per class."""
    width = min(max(COLUMN, NAMES + COLUMN_OF_CLASS * len(centroids.classes)), PAGE)
    longest = min(max(map(len, centroids.classes), default=0), LONGEST_CLASS)
    letters = 0.62 * SMALL / 72 * longest
    upright = letters > (width - NAMES) / max(len(centroids.classes), 1)
    above = letters if upright else LINE
    below = LINE * (len(centroids) > TOP)
    return width, rows_height(min(len(centroids), TOP), 0.55 + above + below)


@drawn
def class_centroids(centroids: ShrunkenCentroids, ax: Axes, k: int = TOP) -> None:
    """Draw by how much each class differs from the overall mean, a column of bars per class.

    A bar to the right: the class has larger values than all rows together. To the left: smaller
    ones. No bar: the threshold has removed the difference. At most k attributes are shown.
    """
    if not len(centroids):
        nothing(ax, "no attribute differs between the classes")
        return
    shown = centroids.differences[:, :k]
    names = centroids.names[:k]
    largest = float(np.abs(shown).max()) or 1.0
    columns, rows = (places.ravel() for places in np.indices(shown.shape))
    values = shown.ravel()
    bars = ax.barh(
        rows,
        HALF * values / largest,
        left=columns,
        height=0.72,
        color=np.where(values < 0, ORANGE, BLUE).tolist(),
    )
    for bar, place, row, value in zip(bars, columns, rows, values, strict=True):
        remember_names(bar, [f"{names[row]}, {centroids.classes[place]}: {value:.3g}"])
    for column in range(len(shown)):
        ax.axvline(column, color=GREY, linewidth=0.6)
        if column % 2:
            ax.axvspan(column - 0.5, column + 0.5, color=STRIPE, linewidth=0, zorder=0)
    ax.set_xlim(-0.5, len(shown) - 0.5)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="y")
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.xaxis.tick_top()
    name_rows(ax.yaxis, names)
    name_rows(ax.xaxis, centroids.classes, LONGEST_CLASS)
    lines = ["← below · overall mean · above →", f"longest bar: {largest:.3g} standard errors"]
    if len(centroids) > k:
        lines.append(f"{len(names)} largest of {len(centroids)} attributes")
    ax.set_xlabel("\n".join(lines), fontsize=SMALL)
