"""Figures of chance: results beside those of permuted labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsops.algorithms.stability.similarity import SET_MEASURES, WEIGHT_MEASURES
from fsops.data import Band, Estimate, PermutationBaseline, StudyAnswer
from fsops.plots.curves import CHANCE, chance_band, size_axis
from fsops.plots.style import (
    BLUE,
    COLUMN,
    GREY,
    Floats,
    drawn,
    label,
    legend_above,
    name_rows,
    nothing,
    rows_height,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRUE = "true label"
MEASURES = {*SET_MEASURES, *WEIGHT_MEASURES, "nogueira"}
"""Names of measures of stability: without this word they would say nothing."""


def _beside(ax: Axes, answer: StudyAnswer, values: Floats, band: Band) -> None:
    """Draw a curve of the true label over the band of permuted ones."""
    sizes = answer.chance.sizes
    known = ~np.isnan(values)
    chance_band(ax, sizes, band)
    ax.plot(sizes[known], values[known], "o-", color=BLUE, markersize=2.5, label=TRUE)
    size_axis(ax, sizes)
    ax.grid(axis="y")
    legend_above(ax)


@drawn
def score_beside_chance(answer: StudyAnswer, ax: Axes) -> None:
    """Draw the score by number of attributes over that of permuted labels; dotted is guessing."""
    chance = answer.chance
    _beside(ax, answer, chance.score, chance.score_band)
    ax.axhline(chance.guess, color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    ax.set_ylabel(chance.score_name)


@drawn
def stability_beside_chance(answer: StudyAnswer, ax: Axes) -> None:
    """Draw the stability by number of attributes over that of permuted labels."""
    chance = answer.chance
    _beside(ax, answer, chance.stability, chance.stability_band)
    ax.set_ylim(top=1.05)
    ax.set_ylabel("stability (Kuncheva)")


def has_stability(answer: StudyAnswer) -> bool:
    """Return whether the stability is known at some size."""
    return not bool(np.isnan(answer.chance.stability).all())


@drawn
def honest_scores(answer: StudyAnswer, ax: Axes) -> None:
    """Draw the scores on new rows with their 95 % intervals; a cross is the value of guessing."""
    shown = _fractions(answer)
    for row, estimate in enumerate(shown):
        ax.plot([estimate.lower, estimate.upper], [row, row], color=BLUE, linewidth=1.2)
        ax.plot(estimate.value, row, "o", color=BLUE, markersize=4)
        ax.plot(estimate.chance, row, "x", color=GREY, markersize=4)
    name_rows(ax.yaxis, [estimate.name for estimate in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(min(0.0, *(estimate.lower for estimate in shown)), 1.02)
    ax.grid(axis="x")
    ax.set_xlabel("on new rows (cross: guessing)")


def _fractions(answer: StudyAnswer) -> list[Estimate]:
    """Return the scores whose best value is 1."""
    return [e for e in answer.estimates if e.name != "RMSE" and np.isfinite(e.value)]


def scores_size(answer: StudyAnswer) -> tuple[float, float]:
    """Return the size of the figure of the scores."""
    return COLUMN, rows_height(len(_fractions(answer)))


@drawn
def null_distribution(baseline: PermutationBaseline, ax: Axes) -> None:
    """Draw the main criterion with permuted labels as bars, and with the true label as a line."""
    values = baseline.permuted[:, 0]
    known = values[~np.isnan(values)]
    true = float(baseline.true[0])
    if not len(known) or np.isnan(true):
        nothing(ax, "no values")
        return
    ax.hist(known, bins="auto", color=GREY, alpha=0.6, label=CHANCE)
    ax.axvline(true, color=BLUE, linewidth=1.5, label=f"{TRUE}: p = {baseline.p_values[0]:.3g}")
    criterion = label(baseline.criteria[0])
    is_stability = criterion in MEASURES
    ax.set_xlabel(f"stability ({criterion.capitalize()})" if is_stability else criterion)
    ax.set_ylabel("permuted labels")
    legend_above(ax)
