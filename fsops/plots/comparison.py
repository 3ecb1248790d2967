"""The critical-difference diagram: which methods differ over several data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fsops.algorithms.statistics import comparison
from fsops.data import ExampleSet
from fsops.plots.style import BLACK, BLUE, SMALL, Floats, drawn, nothing, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST = 18
PAIRS = ("first", "second", "rank difference", "p-value", "significant")


@dataclass(frozen=True, eq=False)
class RankedMethods:
    """Methods with their mean ranks, and which of them differ; best first."""

    names: Sequence[str]
    ranks: Floats
    differ: npt.NDArray[np.bool_]
    critical: float | None

    def groups(self) -> list[tuple[int, int]]:
        """Return the longest runs of methods of which no two differ, as first and last place."""
        n = len(self.names)
        runs: list[tuple[int, int]] = []
        for first in range(n):
            last = first
            while last + 1 < n and not self.differ[first : last + 2, first : last + 2].any():
                last += 1
            if last > first and not any(last <= other for _, other in runs):
                runs.append((first, last))
        return runs


def is_pairs(examples: ExampleSet) -> bool:
    """Return whether a table is the Friedman test's comparison of every two methods."""
    return len(examples) > 0 and all(name in examples.schema for name in PAIRS)


def ranked(examples: ExampleSet, *, alpha: float = 0.05, maximize: bool = True) -> RankedMethods:
    """Return ranks and differences from a pairs table, or from a table data sets × methods."""
    if is_pairs(examples):
        names, ranks, differ = _from_pairs(examples)
        critical = None
    else:
        names = examples.schema.names_at(examples.schema.regular_numerical)
        found = comparison.friedman(examples.numeric(), maximize=maximize, alpha=alpha)
        ranks, critical = found.average_ranks, found.critical_difference
        differ = np.abs(ranks[:, None] - ranks[None, :]) > critical
    order = np.argsort(ranks, kind="stable")
    sorted_names = tuple(names[position] for position in order)
    return RankedMethods(sorted_names, ranks[order], differ[np.ix_(order, order)], critical)


def _from_pairs(examples: ExampleSet) -> tuple[Sequence[str], Floats, npt.NDArray[np.bool_]]:
    first, second, yes = (examples.nominal_values(PAIRS[i]) for i in (0, 1, 4))
    names = tuple(dict.fromkeys(str(name) for name in (*first, *second)))
    place = {name: position for position, name in enumerate(names)}
    a = [place[str(name)] for name in first]
    b = [place[str(name)] for name in second]
    difference = np.zeros((len(names), len(names)))
    difference[a, b] = examples.column(PAIRS[2])
    difference -= difference.T
    differ = np.zeros(difference.shape, dtype=bool)
    differ[a, b] = differ[b, a] = [answer == "yes" for answer in yes]
    # The ranks have the mean (k + 1) / 2, so their differences tell them.
    return names, (len(names) + 1) / 2 + difference.mean(axis=1), differ


@drawn
def critical_difference(
    examples: ExampleSet, ax: Axes, *, alpha: float = 0.05, maximize: bool = True
) -> None:
    """Draw the mean ranks of methods; thick bars join those that do not differ (Nemenyi).

    Parameters
    ----------
    examples : ExampleSet
        The pairs of Friedman Test, or a table with a row per data set and a numerical attribute per
        method.

    References
    ----------
    Demšar (2006): Statistical comparisons of classifiers over multiple data sets. JMLR 7, 1–30.
    """
    if not is_pairs(examples) and min(examples.numeric().shape) < 2:
        nothing(ax, "fewer than two methods or data sets")
        return
    found = ranked(examples, alpha=alpha, maximize=maximize)
    k = len(found.names)
    groups = found.groups()
    left = (k + 1) // 2
    first_row = 0.9 + 0.45 * len(groups)
    ax.set_axis_off()
    ax.set_ylim(first_row + max(left, k - left) - 0.3, -1.6)
    span = k - 1.0
    low, high = 1 - 0.12 * span, k + 0.12 * span
    ax.set_xlim(low, high)
    ax.hlines(0, 1, k, color=BLACK, linewidth=0.8)
    for rank in range(1, k + 1, max(1, int(np.ceil(k / 10)))):
        ax.vlines(rank, -0.18, 0, color=BLACK, linewidth=0.8)
        ax.text(rank, -0.3, str(rank), ha="center", va="bottom", fontsize=SMALL)
    names = short_names(found.names, LONGEST)
    for place, (name, rank) in enumerate(zip(names, found.ranks, strict=True)):
        on_left = place < left
        row = first_row + (place if on_left else k - 1 - place)
        edge = low if on_left else high
        ax.plot([rank, rank, edge], [0, row, row], color=BLACK, linewidth=0.6)
        text = f"{name}  {rank:.2f}" if on_left else f"{rank:.2f}  {name}"
        ax.annotate(
            text,
            (edge, row),
            (-2 if on_left else 2, 0),
            textcoords="offset points",
            ha="right" if on_left else "left",
            va="center",
            fontsize=SMALL,
            annotation_clip=False,
        )
    reach = 0.02 * span
    for number, (first, last) in enumerate(groups):
        ends = [found.ranks[first] - reach, found.ranks[last] + reach]
        ax.plot(ends, [0.55 + 0.45 * number] * 2, color=BLUE, linewidth=3, solid_capstyle="butt")
    if found.critical is not None:
        length = min(found.critical, high - 1)
        ax.plot([1, 1 + length], [-1.15] * 2, color=BLACK, linewidth=1, marker="|", markersize=4)
        text = f"critical difference {found.critical:.2f}"
        ax.text(1, -1.3, text, ha="left", va="bottom", fontsize=SMALL)
