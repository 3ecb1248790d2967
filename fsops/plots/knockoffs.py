"""Figure of the statistics by which knockoffs select attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsops.data import AttributeWeights
from fsops.plots.point_names import remember_names
from fsops.plots.style import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    PALE,
    WIDE_RANGE,
    Floats,
    drawn,
    log_beyond,
    name_rows,
)

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
    """Draw by how much attributes beat their random copies: the k largest differences.

    Blue attributes are selected. Left of 0 the copy is better. As many false attributes are
    expected right of the right dashed line as there are bars left of the left one.
    """
    statistic = _statistic(weights)
    chosen = weights.values == 1
    order = np.argsort(-np.abs(statistic), kind="stable")[: min(k, np.count_nonzero(statistic))]
    order = order[np.argsort(-statistic[order], kind="stable")]
    colours = np.where(chosen, BLUE, np.where(statistic < 0, ORANGE, PALE))
    names = [weights.names[position] for position in order]
    lengths = statistic[order]
    bars = ax.barh(np.arange(len(order)), lengths, height=0.72, color=colours[order].tolist())
    for bar, name, length in zip(bars, names, lengths, strict=True):
        remember_names(bar, [f"{name}: {length:.3g} better than its copy"])
    ax.axvline(0, color=BLACK, linewidth=0.6)
    lines = ["← copy better · attribute better →"]
    if len(order) < len(weights):
        lines.append(f"{len(order)} largest of {len(weights)}")
    if chosen.any() and "e_value" not in weights.details:
        limit = float(statistic[chosen].min())
        for place in (limit, -limit):
            ax.axvline(place, color=GREY, linewidth=0.8, linestyle="--")
        high = float(np.abs(statistic).max())
        if high > WIDE_RANGE * limit:
            log_beyond(ax, limit, 1.2 * min(float(statistic.min()), -limit), 1.2 * high)
            lines.append("logarithmic beyond the dashed lines")
    name_rows(ax.yaxis, names)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.grid(axis="x")
    ax.set_xlabel("\n".join(lines))
    ax.set_title(f"{int(chosen.sum()) or 'none'} of {len(weights)} selected", loc="left")
