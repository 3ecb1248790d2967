"""Figure of importances beside those of shadows (Boruta)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsops.data import ImportanceHistory
from fsops.plots.style import BLUE, GREY, ORANGE, PALE, drawn, name_rows, nothing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 20
SHADOWS = ("smallest shadow", "mean shadow", "best shadow")
COLOURS = {1: BLUE, 0: ORANGE, -1: GREY}


@drawn
def importance_history(history: ImportanceHistory, ax: Axes, k: int = TOP) -> None:
    """Draw the importances of the k best attributes in all forests, and those of the shadows.

    Blue attributes are confirmed, orange ones are tentative, and gray ones are rejected.
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
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(left=min(0.0, ax.get_xlim()[0]))
    ax.set_xlabel("importance in each forest")
    confirmed, tentative = (int((history.decisions == value).sum()) for value in (1, 0))
    ax.set_title(f"{confirmed} confirmed, {tentative} tentative", loc="left")


def shown_rows(history: ImportanceHistory) -> int:
    """Return how many rows the figure has."""
    return min(len(history.names), TOP) + len(SHADOWS)
