"""Figures of repeated selections: how often each was selected, and their agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base import ranking
from fsops.algorithms.stability import similarity as stability
from fsops.data import AttributeWeights, Collection, StabilityResult
from fsops.plots.point_names import remember_names
from fsops.plots.style import (
    BLACK,
    BLUE,
    COLOURS,
    GREY,
    MOST_DRAWN,
    ORANGE,
    PALE,
    SMALL,
    Floats,
    drawn,
    heat_map,
    label,
    legend_above,
    name_points,
    name_rows,
    nothing,
    place_ticks,
    plain_log,
    short,
    short_names,
    whole_numbers,
    write_cells,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Repeated = StabilityResult | Collection[AttributeWeights]
Bools = npt.NDArray[np.bool_]

TOP = 20
MOST_SETS, MOST_GROUPS = 8, 15
TOP_OF_FULL = 10
"""Weightings that drop nothing count as a choice of so many attributes."""


def selections_of(result: Repeated) -> tuple[Sequence[str], Bools]:
    """Return the attributes, and which of them each repetition (row) has chosen."""
    if isinstance(result, StabilityResult):
        return result.names, result.selections
    names, matrix = AttributeWeights.stack(result.items)
    chosen = matrix != 0
    if chosen.all():
        chosen = ranking.top_k_mask(np.abs(matrix), min(TOP_OF_FULL, len(names)))
    return names, chosen


def run_names(result: Repeated, n_runs: int) -> list[str]:
    """Return what to call the repetitions: where they come from if that differs, or numbers."""
    if isinstance(result, Collection):
        origins = [item.origin for item in result]
        if all(origins) and len(set(origins)) == len(origins):
            return origins
    return [str(number) for number in range(1, n_runs + 1)]


@drawn
def selection_frequency(result: Repeated, ax: Axes, k: int = TOP) -> None:
    """Draw which attributes (rows) each repetition (column) chose, the most frequent on top."""
    names, chosen = selections_of(result)
    share = chosen.mean(axis=0) if len(chosen) else np.zeros(len(names))
    ever = int((share > 0).sum())
    order = np.argsort(-share, kind="stable")[: min(k, ever)]
    if not len(order):
        nothing(ax, "nothing was selected")
        return
    heat_map(ax, chosen[:, order].T.astype(float), "Blues", (0.0, 1.25))
    for edge in np.arange(0.5, len(order) - 0.5):
        ax.axhline(edge, color="white", linewidth=0.6)
    if len(chosen) <= 60:
        for edge in np.arange(0.5, len(chosen) - 0.5):
            ax.axvline(edge, color="white", linewidth=0.6)
    name_rows(ax.yaxis, [names[position] for position in order])
    _name_runs(ax, run_names(result, len(chosen)))
    size = ax.get_yticklabels()[0].get_fontsize()
    for row, position in enumerate(order):
        ax.annotate(
            f"{share[position]:.0%}",
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=size,
            color=GREY,
            annotation_clip=False,
        )
    which = f" ({len(order)} of {ever} attributes)" if len(order) < ever else ""
    ax.set_xlabel(f"repetition{which}")


def _name_runs(ax: Axes, names: Sequence[str]) -> None:
    if names and names[0] == "1":
        step = max(1, int(np.ceil(len(names) / 10)))
        ax.set_xticks(range(0, len(names), step), labels=names[::step])
        ax.tick_params(axis="x", length=0)
    else:
        name_rows(ax.xaxis, names)


@drawn
def similarity(result: Repeated, ax: Axes) -> None:
    """Draw the Jaccard index of every two selections: attributes of both over those of either."""
    _, chosen = selections_of(result)
    n = len(chosen)
    if n < 2:
        nothing(ax, "a single selection")
        return
    matrix = np.eye(n)
    first, second = np.triu_indices(n, 1)
    matrix[first, second] = matrix[second, first] = stability.jaccard(chosen)
    heat_map(ax, matrix, "Blues", (0.0, 1.0), "Jaccard index")
    names = run_names(result, n)
    _name_runs(ax, names)
    if names[0] == "1":
        step = max(1, int(np.ceil(n / 10)))
        ax.set_yticks(range(0, n, step), labels=names[::step])
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("repetition")
        ax.set_ylabel("repetition")
    else:
        name_rows(ax.yaxis, names)
    if n <= 12:
        write_cells(ax, [[f"{value:.2f}" for value in row] for row in matrix], matrix)
    ax.set_title(f"mean of the pairs {matrix[first, second].mean():.2f}", loc="left")


@drawn
def stability_over_size(result: StabilityResult, ax: Axes) -> None:
    """Draw how much the best 1, 2, … attributes of the repetitions agree."""
    known = {name: ~np.isnan(values) for name, values in result.by_size.items()}
    if not any(mask.any() for mask in known.values()):
        nothing(ax, "no size is known for all repetitions")
        return
    largest = 1
    for (name, values), colour in zip(result.by_size.items(), COLOURS, strict=False):
        sizes = np.flatnonzero(known[name]) + 1
        largest = max(largest, int(sizes.max(initial=1)))
        few = len(sizes) <= 40
        ax.plot(
            sizes,
            values[known[name]],
            color=colour,
            marker="o" if few else "",
            markersize=2.5,
            label=label(name).capitalize(),
        )
    sizes_chosen = set(result.selections.sum(axis=1).tolist())
    if len(sizes_chosen) == 1 and (k := sizes_chosen.pop()) <= largest:
        ax.axvline(k, color=GREY, linewidth=0.8, linestyle=":", label=f"selected: {k}")
    if "kuncheva" in result.by_size:
        ax.axhline(0, color=GREY, linewidth=0.8, linestyle="--", label="chance (Kuncheva)")
    if largest > 100:
        plain_log(ax.xaxis)
    else:
        whole_numbers(ax.xaxis)
    ax.set_ylim(top=1.05)
    ax.grid(axis="y")
    ax.set_xlabel("number of attributes")
    ax.set_ylabel("agreement")
    legend_above(ax)


@drawn
def rank_scatter(result: Collection[AttributeWeights], ax: Axes, k: int = 10) -> None:
    """Draw the places of the attributes in two weightings; both top k are in the corner."""
    one, two = result[0], result[1]
    shared = [name for name in one.names if name in two]
    if len(shared) < 2:
        nothing(ax, "fewer than two attributes in both")
        return
    x, y = (_places(part, shared) for part in (one, two))
    k = min(k, len(shared))
    both = (x <= k) & (y <= k)
    colour, many = PALE if len(shared) > 60 else GREY, len(shared) > MOST_DRAWN
    others = ax.scatter(x[~both], y[~both], s=6, color=colour, linewidths=0, rasterized=many)
    common = ax.scatter(x[both], y[both], s=9, color=BLUE, linewidths=0)
    for points, mask in ((others, ~both), (common, both)):
        remember_names(points, [shared[position] for position in np.flatnonzero(mask)])
    logarithmic = len(shared) > 100
    if logarithmic:
        plain_log(ax.xaxis)
        plain_log(ax.yaxis)
    else:
        place_ticks(ax.xaxis)
        place_ticks(ax.yaxis)
    low, high = (0.8, 1.25 * len(shared)) if logarithmic else (0.0, len(shared) + 1.0)
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    for line in (ax.axvline, ax.axhline):
        line(k + 0.5, color=GREY, linewidth=0.6, linestyle="--")
    first, second = run_names(result, 2)
    ax.set_xlabel(_place_text(first))
    ax.set_ylabel(_place_text(second))
    rho = float(stability.spearman(np.stack([-x, -y]))[0])
    ax.set_title(f"Spearman {rho:.2f}, {int(both.sum())} common in the top {k}", loc="left")
    best = sorted(np.flatnonzero(both), key=lambda i: x[i] + y[i])
    name_points(ax, [(x[i], y[i], shared[i]) for i in best], 6, np.column_stack([x, y]))


def _places(part: AttributeWeights, names: Sequence[str]) -> Floats:
    """Return the places among some attributes; ties share theirs, unknown come last."""
    values = part.values_of(names)
    values = -values if part.smallest_is_best else values
    return ranking.average_places(np.where(np.isnan(values), -np.inf, values))


def _place_text(name: str) -> str:
    return f"place in weights {name}" if name.isdigit() else f"place by {short(name, 26)}"


@drawn
def overlap_over_size(result: Collection[AttributeWeights], ax: Axes, largest: int = 100) -> None:
    """Draw the fraction of the best 1, 2, … attributes that two weightings have in common."""
    names, matrix = AttributeWeights.stack(result.items)
    n = len(matrix)
    if n < 2 or not names:
        nothing(ax, "fewer than two weightings")
        return
    ranks = np.array([ranking.ordinal_ranks(row) for row in np.nan_to_num(matrix)])
    first, second = np.triu_indices(n, 1)
    sizes = np.arange(1, min(largest, len(names)) + 1)
    # Two have an attribute in common from the size on at which both have it.
    from_size = np.maximum(ranks[first], ranks[second])
    shares = np.array([(from_size <= size).sum(axis=1) / size for size in sizes])
    if len(first) > 1:
        ax.fill_between(
            sizes,
            shares.min(axis=1),
            shares.max(axis=1),
            color=BLUE,
            alpha=0.2,
            linewidth=0,
            label="all pairs",
        )
    ax.plot(sizes, shares.mean(axis=1), color=BLUE, label="mean of the pairs")
    ax.plot(
        sizes, sizes / len(names), color=ORANGE, linestyle="--", linewidth=0.9, label="by chance"
    )
    ax.set_ylim(-0.03, 1.03)
    ax.margins(x=0.01)
    ax.grid(axis="y")
    ax.axhline(1, color=BLACK, linewidth=0.3)
    place_ticks(ax.xaxis)
    ax.set_xlabel("number of best attributes")
    ax.set_ylabel("fraction in common")
    ax.tick_params(labelsize=SMALL)
    legend_above(ax)


# --- which attributes several selections share ----------------------------------------------


def can_overlap(result: Collection[AttributeWeights]) -> bool:
    """Return whether there are a few selections by different methods."""
    return 2 <= len(result) <= MOST_SETS and run_names(result, len(result))[0] != "1"


@drawn
def overlap(result: Repeated, ax: Axes) -> None:
    """Draw how many attributes are chosen by just these selections, and by no other (UpSet).

    A column is a combination of selections, marked by dots; its bar is the number of attributes
    that all of them and no other selection chose. The largest come first.
    """
    _, chosen = selections_of(result)
    used = chosen[:, chosen.any(axis=0)]
    if len(chosen) < 2 or not used.size:
        nothing(ax, "fewer than two selections, or nothing was selected")
        return
    members, counts = _combinations(used)
    shown = min(len(counts), MOST_GROUPS)
    n_sets = len(chosen)
    heights = (0.45 * n_sets + 2.5) * counts[:shown] / counts.max()
    bars = ax.bar(range(shown), heights, bottom=0.6, width=0.7, color=BLUE)
    names = run_names(result, n_sets)
    for column, (height, count) in enumerate(zip(heights, counts[:shown], strict=True)):
        ax.annotate(
            str(count), (column, 0.6 + height), (0, 1), textcoords="offset points",
            ha="center", va="bottom", fontsize=SMALL,
        )  # fmt: skip
        _dots(ax, column, np.flatnonzero(members[column]), n_sets)
        together = ", ".join(names[row] for row in np.flatnonzero(members[column]))
        remember_names(bars[column], [f"{together}: {count}"])
    for row in range(0, n_sets, 2):
        ax.axhspan(-row - 0.5, -row + 0.5, color="#F2F2F2", linewidth=0, zorder=0)
    sizes = chosen.sum(axis=1)
    labels = [f"{name} ({size})" for name, size in zip(short_names(names), sizes, strict=True)]
    ax.set_yticks([-row for row in range(n_sets)], labels=labels)
    ax.tick_params(length=0)
    ax.set_xticks([])
    ax.set_xlim(-0.7, max(shown, 4) - 0.3)
    ax.set_ylim(-n_sets + 0.4, 0.6 + 1.12 * heights.max())
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.set_title("attributes in just these", loc="left")
    if shown < len(counts):
        ax.set_xlabel(f"{shown} of {len(counts)} combinations")


def _combinations(used: Bools) -> tuple[Bools, npt.NDArray[np.intp]]:
    """Return which selections go together (a row each), and how many attributes; most first."""
    members, counts = np.unique(used.T, axis=0, return_counts=True)
    order = np.lexsort((members.sum(axis=1), -counts))
    return members[order], counts[order]


def _dots(ax: Axes, column: int, rows: npt.NDArray[np.intp], n_sets: int) -> None:
    everywhere = np.arange(n_sets)
    ax.scatter(np.full(n_sets, column), -everywhere, s=14, color=PALE, linewidths=0, zorder=1)
    ax.plot([column, column], [-rows.min(), -rows.max()], color=BLACK, linewidth=1.0, zorder=2)
    ax.scatter(np.full(len(rows), column), -rows, s=14, color=BLACK, linewidths=0, zorder=3)
