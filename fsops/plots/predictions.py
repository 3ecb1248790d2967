"""Figures of predictions: confusion matrix and ROC curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fsops.data import ConfusionMatrix, ExampleSet, PerformanceVector
from fsops.data.model import confidence_role
from fsops.data.schema import PREDICTION
from fsops.plots.style import (
    BLUE,
    COLOURS,
    GREY,
    ORANGE,
    PALE,
    SMALL,
    YELLOW,
    Floats,
    drawn,
    heat_map,
    name_rows,
    nothing,
    short,
    short_names,
    write_cells,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_CLASSES = 6
"""So many curves can be distinguished; of more only the best, the worst and the mean are named."""
LONGEST_CLASS = 14


@drawn
def confusion(result: PerformanceVector | ConfusionMatrix | ExampleSet, ax: Axes) -> None:
    """Draw how often each true class (row) was predicted as each class (column).

    Colors are fractions of the true class, numbers are counts.
    """
    matrix = confusion_of(result)
    if matrix is None:
        nothing(ax, "no confusion matrix")
        return
    counts = matrix.counts
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)
    heat_map(ax, shares, "Blues", (0.0, 1.0), "fraction of the true class")
    name_rows(ax.xaxis, matrix.classes, LONGEST_CLASS)
    name_rows(ax.yaxis, matrix.classes, LONGEST_CLASS)
    many = len(matrix.classes) > 10
    write_cells(
        ax, [["" if many and not c else f"{c:.6g}" for c in row] for row in counts.tolist()], shares
    )
    ax.set_xlabel("predicted class")
    ax.set_ylabel("true class")
    total = counts.sum()
    if total:
        ax.set_title(f"{np.trace(counts) / total:.1%} of {total:g} rows right", loc="left")


def confusion_of(
    result: PerformanceVector | ConfusionMatrix | ExampleSet,
) -> ConfusionMatrix | None:
    """Return the counts that a result has, or that follow from a table with predictions."""
    if isinstance(result, ConfusionMatrix):
        return result
    if isinstance(result, PerformanceVector):
        return result.confusion
    predicted = result.schema.special(PREDICTION)
    label = result.schema.label
    if predicted is None or label is None or not label.value_type.is_nominal:
        return None
    if not predicted.value_type.is_nominal:
        return None
    pairs = [
        (true, guess)
        for true, guess in zip(
            result.nominal_values(label.name), result.nominal_values(predicted.name), strict=True
        )
        if true is not None and guess is not None
    ]
    classes = tuple(dict.fromkeys([*label.categories, *predicted.categories]))
    place = {name: number for number, name in enumerate(classes)}
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for true, guess in pairs:
        counts[place[true], place[guess]] += 1
    return ConfusionMatrix(classes, counts)


@drawn
def roc(examples: ExampleSet, ax: Axes) -> None:
    """Draw the true positive rate of a class against its false positive rate.

    With two classes, the curve of the class that sorts last; of more, each class against the rest.
    The diagonal is guessing.
    """
    curves = _curves(examples)
    if not curves:
        nothing(ax, "no class with confidences, rows and counterexamples")
        return
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.7, linestyle="--")
    if len(curves) <= FEW_CLASSES:
        colours = [colour for colour in COLOURS if colour != YELLOW]
        names = short_names([name for name, _, _ in curves], 16)
        for (_, fall_out, found), name, colour in zip(curves, names, colours, strict=False):
            text = f"{name}: AUC {area(fall_out, found):.3f}"
            ax.plot(fall_out, found, color=colour, label=text)
    else:
        _many(ax, curves)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("false positive rate")
    ax.set_ylabel("true positive rate")
    # Curves that are better than chance leave this corner free.
    ax.legend(loc="lower right", borderaxespad=0.3, handlelength=1.2, fontsize=SMALL - 0.5)


def _many(ax: Axes, curves: list[tuple[str, Floats, Floats]]) -> None:
    areas = [area(x, y) for _, x, y in curves]
    named = {int(np.argmin(areas)): ORANGE, int(np.argmax(areas)): BLUE}
    for number, (name, x, y) in enumerate(curves):
        if number not in named:
            ax.plot(x, y, color=PALE, linewidth=0.6, zorder=1)
            continue
        kind = "best" if named[number] == BLUE else "worst"
        text = f"{kind}, {short(name, 14)}: AUC {areas[number]:.3f}"
        ax.plot(x, y, color=named[number], label=text)
    grid = np.linspace(0, 1, 201)
    mean = np.mean([np.interp(grid, x, y) for _, x, y in curves], axis=0)
    text = f"mean of {len(curves)}: AUC {np.mean(areas):.3f}"
    ax.plot(grid, mean, color="black", linewidth=1.4, label=text)


def _curves(examples: ExampleSet) -> list[tuple[str, Floats, Floats]]:
    """Return for each class with confidences its name and the two rates."""
    true = examples.column(examples.label.name)
    classes = examples.classes
    present = [
        c for c in np.unique(true[true >= 0]) if confidence_role(classes[c]) in examples.schema
    ]
    if len(present) == 2:
        present = sorted(present, key=lambda code: classes[code])[1:]
    curves = []
    for code in present:
        scores = examples.column(confidence_role(classes[code])).astype(np.float64)
        known = (true >= 0) & ~np.isnan(scores)
        positive = true[known] == code
        if 0 < positive.sum() < len(positive):
            curves.append((classes[code], *rates(positive, scores[known])))
    return curves


def rates(positive: npt.NDArray[np.bool_], scores: Floats) -> tuple[Floats, Floats]:
    """Return false and true positive rates from the strictest cut to none; ties move at once."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)  # of equal scores
    found = np.append(0, np.cumsum(positive[order])[last])
    false = np.append(0, np.cumsum(~positive[order])[last])
    return false / false[-1], found / found[-1]


def area(fall_out: Floats, found: Floats) -> float:
    """Return the area under a curve of straight pieces."""
    return float(np.trapezoid(found, fall_out))
