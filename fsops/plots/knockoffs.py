"""Figure of the statistics by which knockoffs select attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsops.data import AttributeWeights
from fsops.plots.style import BLACK, BLUE, GREY, ORANGE, PALE, Floats, drawn, name_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 20


def is_knockoff_selection(weights: AttributeWeights) -> bool:
    """Return whether weights are a selection by statistics that compare attributes with copies."""
    if "statistic" not in weights.details or "p_value" in weights.details:
        return False
    statistic = _statistic(weights)
    zero_or_one = bool(np.isin(weights.values, (0, 1)).all())
    return zero_or_one and bool((statistic < 0).any() and np.isfinite(statistic).all())


def _statistic(weights: AttributeWeights) -> Floats:
    return np.asarray(weights.details["statistic"], dtype=np.float64)


@drawn
def knockoff_statistics(weights: AttributeWeights, ax: Axes, k: int = TOP) -> None:
    """Draw by how much the k most distinct attributes beat their copies, or are beaten by them.

    Blue attributes are selected. Left of 0 the copy is better: as many false attributes are
    expected right of the line as there are bars left of its mirror image.
    """
    statistic = _statistic(weights)
    chosen = weights.values == 1
    order = np.argsort(-np.abs(statistic), kind="stable")[: min(k, np.count_nonzero(statistic))]
    order = order[np.argsort(-statistic[order], kind="stable")]
    colours = np.where(chosen, BLUE, np.where(statistic < 0, ORANGE, PALE))
    ax.barh(np.arange(len(order)), statistic[order], height=0.72, color=colours[order].tolist())
    ax.axvline(0, color=BLACK, linewidth=0.6)
    if chosen.any() and "e_value" not in weights.details:
        limit = float(statistic[chosen].min())
        for place in (limit, -limit):
            ax.axvline(place, color=GREY, linewidth=0.8, linestyle="--")
    name_rows(ax.yaxis, [weights.names[position] for position in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(axis="x")
    ax.set_xlabel(f"advantage over the copy (largest {len(order)} of {len(weights)})")
    ax.set_title(f"{int(chosen.sum()) or 'none'} of {len(weights)} selected", loc="left")
