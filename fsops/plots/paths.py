"""Figures of selections that go step by step: LARS paths, stability paths and eliminations."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fsops.algorithms.linear.lars import LarsPath, LarsSolution
from fsops.data import EliminationTrace, Schema, StabilityPath
from fsops.plots.point_names import remember_names
from fsops.plots.style import (
    BLACK,
    BLUE,
    COLOURS,
    PALE,
    SKY,
    SMALL,
    YELLOW,
    Floats,
    drawn,
    name_ends,
    name_rows,
    nothing,
    plain_log,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 7  # as many as there are colors that can be read
TOP_LEFT = 10
MOST_LINES = 200
READABLE = tuple(colour for colour in COLOURS if colour != YELLOW)  # as thin lines on white


class HasPath(Protocol):
    """A model that keeps the path of its coefficients."""

    path: LarsPath
    solution: LarsSolution
    attributes: Schema


def has_path(model: object) -> bool:
    """Return whether a model is one whose path can be drawn."""
    return isinstance(getattr(model, "path", None), LarsPath) and hasattr(model, "solution")


@drawn
def coefficient_path(model: HasPath, ax: Axes, k: int = TOP) -> None:
    """Draw the coefficients along a LARS or LASSO path, and where the constraint cuts it.

    At most k attributes are named, those with the largest coefficients; the others are gray.
    """
    columns, table = _dense(model.path)
    if not len(columns):
        nothing(ax, "no attribute enters the path")
        return
    size = np.abs(model.solution.coefficients[columns])
    named = np.argsort(-size, kind="stable")[:k]
    named = named[size[named] > 0.02 * size.max()]  # the others cannot be distinguished
    norms, names = model.path.norms, model.attributes.names
    largest_first = np.argsort(-np.abs(table).max(axis=0), kind="stable")
    for column in np.setdiff1d(largest_first[:MOST_LINES], named):
        (line,) = ax.plot(norms, table[:, column], color=PALE, linewidth=0.6, zorder=1)
        remember_names(line, [names[columns[column]]])
    ends = []
    for column, colour in zip(named, cycle(READABLE), strict=False):
        (line,) = ax.plot(norms, table[:, column], color=colour, zorder=2)
        remember_names(line, [names[columns[column]]])
        ends.append((names[columns[column]], float(table[-1, column]), colour))
    ax.axhline(0, color=BLACK, linewidth=0.5)
    ax.set_xlim(0, norms[-1] if norms[-1] > 0 else 1.0)
    if model.solution.constrained:
        t = model.solution.norm
        ax.axvline(t, color=BLACK, linewidth=0.8, linestyle="--")
        used = int((model.solution.coefficients != 0).sum())
        ax.set_title(f"constraint t = {t:.4g}: {used} attributes", loc="left")
    ax.set_xlabel("sum of absolute coefficients")
    ax.set_ylabel("standardized coefficient")
    name_ends(ax, ends)


def _dense(path: LarsPath) -> tuple[np.typing.NDArray[np.intp], Floats]:
    """Return the attributes that are ever active, and their coefficients at every knot."""
    columns = np.unique(np.concatenate([*path.supports, np.zeros(0, dtype=np.intp)])).astype(
        np.intp
    )
    table = np.zeros((len(path.supports), len(columns)))
    for row, (support, values) in enumerate(zip(path.supports, path.values, strict=True)):
        table[row, np.searchsorted(columns, support)] = values
    return columns, table


@drawn
def stability_path(path: StabilityPath, ax: Axes, k: int = TOP) -> None:
    """Draw how often each attribute is selected on random halves of the rows.

    The dashed line is the threshold. At most k selected attributes are named; those not selected
    are gray.
    """
    if not len(path):
        nothing(ax, "no half selects an attribute")
        return
    last = path.frequencies[-1]
    order = np.argsort(-last, kind="stable")
    selected = int((last >= path.threshold - 1e-9).sum())
    sizes = path.sizes if len(path) > 1 else np.array([path.sizes[0] - 1, path.sizes[0]])
    table = path.frequencies if len(path) > 1 else np.repeat(path.frequencies, 2, axis=0)
    for column in order[selected : selected + MOST_LINES]:
        (line,) = ax.plot(sizes, table[:, column], color=PALE, linewidth=0.6, zorder=1)
        remember_names(line, [path.names[column]])
    ends = []
    for place, (column, colour) in enumerate(zip(order[:selected], cycle(READABLE), strict=False)):
        named = place < k
        (line,) = ax.plot(
            sizes,
            table[:, column],
            color=colour if named else SKY,
            linewidth=1.2 if named else 0.7,
            zorder=3 if named else 2,
        )
        remember_names(line, [path.names[column]])
        if named:
            ends.append((path.names[column], float(last[column]), colour))
    ax.axhline(path.threshold, color=BLACK, linewidth=0.8, linestyle="--")
    ax.set_ylim(-0.02, 1.04)
    ax.set_xlim(sizes[0], sizes[-1])
    whole_numbers(ax.xaxis)
    ax.set_xlabel("attributes that each half selects")
    ax.set_ylabel("fraction of the halves")
    at_most = f"at most {path.bound:.2g} false expected"
    title = f"{selected} selected (≥ {path.threshold:.3g}), {at_most}"
    ax.set_title(title, loc="left", fontsize=SMALL)
    name_ends(ax, ends)


@drawn
def elimination(trace: EliminationTrace, ax: Axes, k: int = TOP_LEFT) -> None:
    """Draw the places of the last k attributes round by round.

    Where only the dropped ones of each round are known, bars show how long each stayed.
    """
    if not trace.rounds or not trace.rounds[-1][1]:
        nothing(ax, "no rounds")
        return
    if all(len(names) == size for size, names, _ in trace.rounds):
        _bumps(trace, ax, k)
    else:
        _stays(trace, ax, k)
    _name_rounds(trace, ax)


def final_order(trace: EliminationTrace) -> list[str]:
    """Return the attributes from the best survivor to the first dropped."""
    # Whoever is in a later round is better; within a round best come first.
    return list(dict.fromkeys(name for _, names, _ in trace.rounds[::-1] for name in names))


def _bumps(trace: EliminationTrace, ax: Axes, k: int) -> None:
    shown = final_order(trace)[:k]
    places = [{n: p for p, n in enumerate(names, start=1)} for _, names, _ in trace.rounds]
    ends = []
    deepest = 1
    for number, name in enumerate(shown):
        colour = READABLE[number % len(READABLE)]
        style = ("-", "--", ":")[number // len(READABLE) % 3]
        rounds = [iteration for iteration, place in enumerate(places) if name in place]
        heights = [places[iteration][name] for iteration in rounds]
        deepest = max(deepest, *heights)
        ax.plot(rounds, heights, color=colour, linestyle=style, marker="o", markersize=3)
        # A line that ends early is continued thinly to its name.
        if rounds[-1] < len(places) - 1:
            ax.plot(
                [rounds[-1], len(places) - 1],
                [heights[-1]] * 2,
                color=colour,
                linewidth=0.5,
                linestyle=":",
            )
        ends.append((name, float(heights[-1]), colour))
    if deepest > 4 * k:
        plain_log(ax.yaxis)
        ax.set_ylim(1.15 * deepest, 0.85)
    else:
        ax.set_ylim(deepest + 0.5, 0.5)
        ax.set_yticks(
            sorted({1, *range(5, deepest + 1, 5)} if deepest > 10 else range(1, deepest + 1))
        )
    ax.set_ylabel("place")
    ax.set_xlim(-0.2, len(places) - 1 + 0.05)
    name_ends(ax, ends)


def _stays(trace: EliminationTrace, ax: Axes, k: int) -> None:
    shown = final_order(trace)[:k]
    last = {n: number for number, (_, names, _) in enumerate(trace.rounds) for n in names}
    survivors = set(trace.rounds[-1][1])
    lengths = [last[name] + 0.4 for name in shown]
    colours = [BLUE if name in survivors else SKY for name in shown]
    ax.barh(range(len(shown)), lengths, height=0.7, color=colours)
    name_rows(ax.yaxis, shown)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, len(trace.rounds) - 0.5)
    if len(survivors) < len(shown):
        ax.set_title("■ kept to the end", loc="left", fontsize=SMALL, color=BLUE)


def _name_rounds(trace: EliminationTrace, ax: Axes) -> None:
    sizes = [size for size, _, _ in trace.rounds]
    step = max(1, int(np.ceil(len(sizes) / 8)))
    ticks = list(range(len(sizes) - 1, -1, -step))[::-1]
    ax.set_xticks(ticks, labels=[str(sizes[tick]) for tick in ticks])
    ax.set_xlabel("attributes left in the round")
