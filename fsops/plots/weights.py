"""Figures of attribute weights: the best ones, all scores, effects against p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsops.data import AttributeWeights
from fsops.data.detail_headings import detail_heading
from fsops.plots.point_names import remember_names
from fsops.plots.style import (
    BLACK,
    BLUE,
    GREY,
    MOST_DRAWN,
    ORANGE,
    PALE,
    SMALL,
    Floats,
    drawn,
    name_points,
    name_rows,
    nothing,
    place_ticks,
    plain_log,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 20
MOST_BINS = 50


@drawn
def weights(weights: AttributeWeights, ax: Axes, k: int = TOP, *, absolute: bool = False) -> None:
    """Draw the best weights as bars (at most k), with their deviation where it is known.

    Attributes with weight 0 are left out. An unknown weight is shown as ?, an infinite one as a bar
    to the edge with ∞.
    """
    order = shown_order(weights, absolute=absolute)
    total, order = len(order), order[:k]
    if not len(order):
        nothing(ax, f"all {len(weights)} weights are 0" if len(weights) else "no attributes")
        return
    values = weights.values[order]
    lengths, marks = _drawable(values)
    bars = ax.barh(
        np.arange(len(order)),
        lengths,
        height=0.72,
        color=np.where(lengths < 0, ORANGE, BLUE).tolist(),
        xerr=_deviation(weights, order),
        error_kw={"elinewidth": 0.8, "capsize": 1.5, "capthick": 0.8, "ecolor": BLACK},
    )
    for row, mark in marks.items():
        left = lengths[row] < 0
        ax.annotate(
            mark,
            (lengths[row], row),
            (-2 if left else 2, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=SMALL,
            color=GREY,
        )
    names = [weights.names[position] for position in order]
    name_rows(ax.yaxis, names)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.margins(x=0.1 if marks else 0.04)
    if (lengths < 0).any():
        ax.axvline(0, color=BLACK, linewidth=0.6)
    ax.grid(axis="x")
    if np.isin(weights.values, (0, 1)).all():  # no axis for bars of one length
        for bar, name in zip(bars, names, strict=True):
            remember_names(bar, [name])
        ax.set_xticks([])
        left_out = f" (shown: {len(order)})" if len(order) < total else ""
        ax.set_xlabel(f"{total} of {len(weights)} selected{left_out}")
    else:
        ax.set_xlabel(f"{weights.column_title}{_which(len(order), total, len(weights))}")


def shown_order(weights: AttributeWeights, *, absolute: bool = False) -> np.typing.NDArray[np.intp]:
    """Return the positions of the weights worth a bar, best first."""
    order = weights.order(absolute=absolute)
    other: np.typing.NDArray[np.intp] = order[weights.values[order] != 0]
    return other


def _which(shown: int, worth: int, total: int) -> str:
    if shown < worth:
        return f" (best {shown} of {total})"
    return f" ({shown} of {total} are not 0)" if shown < total else ""


def _drawable(values: Floats) -> tuple[Floats, dict[int, str]]:
    """Return lengths of bars, and what to write at those that have none or no end."""
    finite = values[np.isfinite(values)]
    edge = 1.15 * np.abs(finite).max(initial=0.0) or 1.0
    lengths = np.nan_to_num(values, nan=0.0, posinf=edge, neginf=-edge)
    marks = {int(row): "?" for row in np.flatnonzero(np.isnan(values))}
    marks |= {
        int(row): "∞" if values[row] > 0 else "−∞" for row in np.flatnonzero(np.isinf(values))
    }
    return lengths, marks


def _deviation(weights: AttributeWeights, order: np.typing.NDArray[np.intp]) -> Floats | None:
    found = weights.details.get("deviation")
    if found is None:
        return None
    spread = np.asarray(found, dtype=np.float64)[order]
    return spread if np.isfinite(spread).any() and np.nanmax(spread) > 0 else None


@drawn
def score_curve(weights: AttributeWeights, ax: Axes) -> None:
    """Draw all weights from the best to the worst: an elbow shows how many are distinct."""
    order = weights.order()
    order = order[np.isfinite(weights.values[order])]
    values = weights.values[order]
    if not len(values):
        nothing(ax, "no known weights")
        return
    places = np.arange(1, len(values) + 1)
    few = len(values) <= 40
    (line,) = ax.plot(places, values, color=BLUE, marker="o" if few else "", markersize=2.5)
    remember_names(line, [weights.names[position] for position in order])
    if values[-1] < 0 < values[0]:
        ax.axhline(0, color=BLACK, linewidth=0.6)
    if len(values) > 2000:
        plain_log(ax.xaxis)
    else:
        place_ticks(ax.xaxis)
    ax.grid(axis="y")
    ax.set_xlabel(f"place{_left_out(weights)}")
    ax.set_ylabel(weights.column_title)


@drawn
def score_histogram(weights: AttributeWeights, ax: Axes) -> None:
    """Draw a histogram of the weights of all attributes."""
    values = _known(weights)
    if not len(values):
        nothing(ax, "no known weights")
        return
    if values.min() == values.max():
        edges = np.array([values[0] - 0.5, values[0] + 0.5])
    else:
        edges = np.histogram_bin_edges(values, bins="auto")
        if len(edges) > MOST_BINS + 1:
            edges = np.histogram_bin_edges(values, bins=MOST_BINS)
    ax.hist(values, bins=edges.tolist(), color=BLUE, edgecolor="white", linewidth=0.4)
    whole_numbers(ax.yaxis)
    ax.grid(axis="y")
    ax.set_xlabel(f"weight{_left_out(weights)}")
    ax.set_ylabel("attributes")


def _known(weights: AttributeWeights) -> Floats:
    return weights.values[np.isfinite(weights.values)]


def _left_out(weights: AttributeWeights) -> str:
    missing = int((~np.isfinite(weights.values)).sum())
    return f" ({missing} unknown or infinite left out)" if missing else ""


@drawn
def volcano(weights: AttributeWeights, ax: Axes, alpha: float = 0.05, labels: int = 8) -> None:
    """Draw effects against −log₁₀ p: large and certain ones are at the top, far from 0.

    Colored attributes are below the limit in the title: of the adjusted p-value or the q-value,
    where there is one. By chance: their expected number if no attribute has an effect.
    """
    effect = effect_of(weights)
    if effect is None:
        nothing(ax, "no p-values")
        return
    name, x = effect
    p = np.asarray(weights.details["p_value"], dtype=np.float64)
    known = np.isfinite(x) & np.isfinite(p)
    tiny = p[known & (p > 0)].min(initial=1.0) / 10  # a p-value that is 0 in double precision
    y = -np.log10(np.where(p > 0, p, tiny), where=known, out=np.full(len(p), np.nan))
    kind, judged = _judged(weights, p)
    sure = known & (judged < alpha)
    for mask, colour, size in (
        (known & ~sure, PALE, 4.0),
        (sure & (x > 0), BLUE, 8.0),
        (sure & (x <= 0), ORANGE, 8.0),
    ):
        many = bool(known.sum() > MOST_DRAWN)
        points = ax.scatter(x[mask], y[mask], s=size, color=colour, linewidths=0, rasterized=many)
        remember_names(points, [weights.names[i] for i in np.flatnonzero(mask)])
    if kind == "p" or sure.any():
        border = -np.log10(alpha)
        if kind != "p":  # between the last significant attribute and the next one
            last = y[sure].min()
            border = (last + min(last, y[known & ~sure].max(initial=border))) / 2
        ax.axhline(border, color=GREY, linewidth=0.7, linestyle="--")
    ax.axvline(0, color=GREY, linewidth=0.5)
    low, high = x[known].min(initial=0.0), x[known].max(initial=0.0)
    margin = 0.08 * (high - low) or 1.0
    ax.set_xlim(low - margin, high + margin)
    ax.set_ylim(0, 1.12 * y[known].max(initial=0.0) or 1.0)
    ax.set_xlabel(name)
    ax.set_ylabel("−log₁₀ p")
    expected = f" (by chance: {alpha * known.sum():.2g})" if kind == "p" else ""
    title = f"{int(sure.sum())} of {len(weights)} with {kind} < {alpha:g}{expected}"
    ax.set_title(title, loc="left")
    best = sorted(np.flatnonzero(sure), key=lambda i: (-y[i], -abs(x[i])))
    name_points(
        ax,
        [(x[i], y[i], weights.names[i]) for i in best[: 5 * labels]],
        labels,
        np.column_stack([x, y])[known],
    )


def effect_of(weights: AttributeWeights) -> tuple[str, Floats] | None:
    """Return the name and the values of the signed effect that goes with the p-values."""
    if "p_value" not in weights.details:
        return None
    for name in ("difference", "coefficient", "rank_correlation", "statistic"):
        if name in weights.details:
            effect = np.asarray(weights.details[name], dtype=np.float64)
            return detail_heading(name).heading, effect
    return None


def _judged(weights: AttributeWeights, p: Floats) -> tuple[str, Floats]:
    for key, shown in (("adjusted_p_value", "adjusted p"), ("q_value", "q")):
        if key in weights.details:
            return shown, np.asarray(weights.details[key], dtype=np.float64)
    return "p", p
