"""Figure of importances beside those of shadows (Boruta)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsops.data import ImportanceHistory
from fsops.plots.style import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    PALE,
    WIDE_RANGE,
    drawn,
    log_beyond,
    name_rows,
    nothing,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 20
SHADOWS = ("smallest shadow", "mean shadow", "best shadow")
NAMES = {1: BLUE, 0: ORANGE, -1: "#6B6B6B"}
COLOURS = {1: BLUE, 0: ORANGE, -1: GREY}


@drawn
def importance_history(history: ImportanceHistory, ax: Axes, k: int = TOP) -> None:
    """Draw the importances of attributes (at most k) in all forests, and those of the shadows.

    Blue attributes are confirmed, orange ones are tentative, and gray ones are rejected. Shadows
    are attributes with shuffled values; the dashed line is at the best shadow (median).
    """
    if not len(history):
        nothing(ax, "no forests")
        return
    medians = np.nan_to_num(np.nanmedian(history.importances, axis=0))
    order = np.argsort(-medians, kind="stable")[:k]
    rows = [
        (history.names[int(column)], history.importances[:, column], int(history.decisions[column]))
        for column in order
    ]
    rows += [(name, history.shadows[:, n], 2) for n, name in enumerate(SHADOWS)]
    rows.sort(key=lambda row: -float(np.nanmedian(row[1])))
    boxes = ax.boxplot(
        [values[~np.isnan(values)] for _, values, _ in rows],
        orientation="horizontal",
        positions=range(len(rows)),
        widths=0.65,
        patch_artist=True,
        flierprops={"marker": ".", "markersize": 2, "markeredgecolor": GREY},
        medianprops={"color": "white", "linewidth": 0.8},
    )
    for box, (_, _, decision) in zip(boxes["boxes"], rows, strict=True):
        box.set(facecolor=COLOURS.get(decision, PALE), edgecolor=COLOURS.get(decision, GREY))
    name_rows(ax.yaxis, [name for name, _, _ in rows])
    for tick, text in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True):
        text.set_color(NAMES.get(rows[int(tick)][2], BLACK))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    low = min(0.0, *(float(np.nanmin(values)) for _, values, _ in rows))
    high = max(float(np.nanmax(values)) for _, values, _ in rows)
    ax.set_xlim(left=1.05 * low - 0.01 * (high - low))
    ax.set_xlabel("importance in each forest")
    limit = float(np.nanmedian(history.shadows[:, -1]))
    if np.isfinite(limit):
        ax.axvline(limit, color=GREY, linewidth=0.8, linestyle="--", zorder=0)
        if 0 < WIDE_RANGE * limit < high:
            log_beyond(ax, limit, 1.05 * low - 0.1 * limit, 1.2 * high)
            ax.set_xlabel("importance in each forest\n(logarithmic beyond the dashed line)")
    confirmed, tentative = (int((history.decisions == value).sum()) for value in (1, 0))
    ax.set_title(f"{confirmed} confirmed, {tentative} tentative", loc="left")


def shown_rows(history: ImportanceHistory) -> int:
    """Return how many rows the figure has."""
    return min(len(history.names), TOP) + len(SHADOWS)
