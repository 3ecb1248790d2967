"""Figures of tables: correlations, values by class, merit against a parameter, Pareto fronts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fsops.algorithms.filters import univariate
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.schema import NUMERICAL
from fsops.plots.style import (
    BLACK,
    BLUE,
    COLOURS,
    GREY,
    MOST_DRAWN,
    YELLOW,
    Floats,
    drawn,
    heat_map,
    label,
    legend_above,
    name_points,
    name_rows,
    nothing,
    plain_log,
    short,
    short_names,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CORRELATED = 300
MOST_PARAMETERS = 20  # that are varied together; a table with more dots is one of data
MOST_NAMED = 60
FEW_CLASSES = 7
MOST_BOXES = 20
LONGEST_CLASS = 16
COUNT, USED = "number_of_attributes", "attributes"


def numerical_names(examples: ExampleSet) -> Sequence[str]:
    """Return the regular numerical attributes."""
    return examples.schema.names_at(examples.schema.regular_numerical)


def count_numerical(examples: ExampleSet) -> int:
    """Return how many regular numerical attributes there are, without their names."""
    return len(examples.schema.regular_numerical)


# --- correlations ---------------------------------------------------------------------------


@drawn
def correlation(examples: ExampleSet, ax: Axes) -> None:
    """Draw the correlations of the numerical attributes, similar ones beside each other.

    The order is that of a clustering by average linkage on 1 − |r|. An attribute without
    variation has no correlation, and is gray.
    """
    names = numerical_names(examples)
    if len(names) < 2:
        nothing(ax, "fewer than two numerical attributes")
        return
    matrix = correlations(examples.numeric())
    order = cluster_order(matrix)
    heat_map(ax, matrix[np.ix_(order, order)], "RdBu_r", (-1.0, 1.0), "correlation")
    if len(names) <= MOST_NAMED:
        ordered = [names[position] for position in order]
        name_rows(ax.yaxis, ordered, 16)
        name_rows(ax.xaxis, ordered, 16)
    else:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{len(names)} attributes in the order of their clusters")


def correlations(X: Floats) -> Floats:
    """Return Pearson correlations; missing values count as the mean, constant columns are NaN."""
    with np.errstate(all="ignore"):
        known = np.isfinite(X)
        mean = np.where(known, X, 0.0).sum(axis=0) / known.sum(axis=0)
        centred = np.where(known, X - mean, 0.0)
        scale = np.sqrt((centred**2).sum(axis=0))
        unit = centred / np.where(scale > 1e-12 * np.abs(mean), scale, np.nan)
    return np.clip(unit.T @ unit, -1.0, 1.0)


def cluster_order(matrix: Floats) -> npt.NDArray[np.intp]:
    """Return the order of the leaves of a clustering by correlation."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distance = 1.0 - np.abs(np.nan_to_num(matrix))
    distance = np.maximum((distance + distance.T) / 2, 0.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(
        squareform(distance, checks=False), "average", optimal_ordering=len(matrix) <= 100
    )
    return np.asarray(leaves_list(tree), dtype=np.intp)


# --- values by class ------------------------------------------------------------------------


@drawn
def class_boxes(
    examples: ExampleSet,
    ax: Axes,
    weights: AttributeWeights | None = None,
    k: int = 5,
    *,
    violins: bool = False,
) -> None:
    """Draw the values of the best attributes for each class as boxes, or as violins.

    The best are those of the weights, or those whose class means differ most (F statistic).
    Several attributes are standardized, because they differ in units. With many classes only the
    best attribute is shown.
    """
    known, codes, classes = _by_class(examples)
    if not count_numerical(examples) or not classes:
        nothing(ax, "no numerical attribute, or no class")
        return
    chosen = best_attributes(examples, weights)[: boxed(len(classes), k)]
    columns = [examples.column(name)[known] for name in chosen]
    draw = _violins if violins else _boxes
    if len(classes) > FEW_CLASSES:
        groups = [_known(columns[0][codes == code]) for code in range(len(classes))]
        draw(ax, groups, np.arange(len(classes)), BLUE)
        name_rows(ax.yaxis, classes)
        ax.set_ylim(len(classes) - 0.4, -0.6)
        ax.set_xlabel(short(chosen[0]))
        ax.grid(axis="x")
        return
    width = 0.8 / len(classes)
    colours = [colour for colour in COLOURS if colour != BLACK]
    values = columns if len(columns) == 1 else [_standardized(column) for column in columns]
    for code, name in enumerate(short_names(classes, LONGEST_CLASS)):
        places = np.arange(len(chosen)) + (code - (len(classes) - 1) / 2) * width
        groups = [_known(column[codes == code]) for column in values]
        draw(ax, groups, places, colours[code], 0.8 * width)
        ax.plot([], [], color=colours[code], linewidth=4, label=name)
    name_rows(ax.yaxis, chosen)
    ax.set_ylim(len(chosen) - 0.5, -0.5)
    ax.set_xlabel("standardized value" if len(chosen) > 1 else "value")
    ax.grid(axis="x")
    legend_above(ax)


def boxed(n_classes: int, k: int = 5) -> int:
    """Return of how many attributes boxes are drawn; the more classes, the fewer."""
    return 1 if n_classes > FEW_CLASSES else min(k, max(MOST_BOXES // max(n_classes, 1), 1))


def _by_class(
    examples: ExampleSet,
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64], list[str]]:
    """Return which rows have a class, the class of each of them, and the classes."""
    codes = examples.column(examples.label.name).astype(np.int64)
    known = codes >= 0
    present, places = np.unique(codes[known], return_inverse=True)
    return known, places, [examples.classes[code] for code in present]


def best_attributes(examples: ExampleSet, weights: AttributeWeights | None = None) -> list[str]:
    """Return the numerical attributes, the most informative about the class first."""
    names = list(numerical_names(examples))
    if weights is not None:
        available = set(names)
        return [name for name in weights.top(len(weights)) if name in available]
    known, codes, classes = _by_class(examples)
    if len(classes) < 2:
        return names
    rows = np.flatnonzero(known)
    X = (examples if known.all() else examples.take(rows)).matrix()
    if examples.is_sparse:  # it stays so: a dense copy may not fit into memory
        X = X.copy()
        X.data[~np.isfinite(X.data)] = np.nan
    else:
        X = np.where(np.isfinite(X), X, np.nan)
    scores = univariate.f_test(X, codes, p_values=False).statistic
    return [names[i] for i in np.argsort(-np.nan_to_num(scores, nan=-1.0), kind="stable")]


def _standardized(column: Floats) -> Floats:
    known = _known(column)
    if not len(known):
        return column
    standardized: Floats = (column - known.mean()) / (known.std() or 1.0)
    return standardized


def _known(column: Floats) -> Floats:
    return column[np.isfinite(column)]


def _boxes(
    ax: Axes, groups: list[Floats], places: npt.NDArray[np.number], colour: str, width: float = 0.7
) -> None:
    line = {"color": BLACK, "linewidth": 0.6}
    ax.boxplot(
        groups,
        positions=places.tolist(),
        widths=width,
        orientation="horizontal",
        patch_artist=True,
        manage_ticks=False,
        showfliers=sum(map(len, groups)) <= MOST_DRAWN,
        boxprops={"facecolor": colour, "edgecolor": BLACK, "linewidth": 0.5},
        medianprops={"color": "white" if colour != YELLOW else BLACK, "linewidth": 1.2},
        whiskerprops=line,
        capprops=line,
        flierprops={
            "marker": ".",
            "markersize": 2.5,
            "markerfacecolor": GREY,
            "markeredgecolor": "none",
        },
    )


def _violins(
    ax: Axes, groups: list[Floats], places: npt.NDArray[np.number], colour: str, width: float = 0.7
) -> None:
    """Draw estimated densities with their medians; a group without spread becomes a line."""
    wide = list(zip(groups, places.tolist(), strict=True))
    spread = [(group, place) for group, place in wide if len(group) > 1 and np.ptp(group) > 0]
    if spread:
        parts = ax.violinplot(
            [group for group, _ in spread],
            [place for _, place in spread],
            orientation="horizontal",
            widths=1.2 * width,
            showextrema=False,
        )
        for body in parts["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=colour, edgecolor=BLACK, linewidth=0.5, alpha=1.0)
    for group, place in wide:
        if len(group):
            at, half = float(np.median(group)), 0.35 * width
            line = BLACK if colour == YELLOW or np.ptp(group) == 0 else "white"
            ax.plot([at, at], [place - half, place + half], color=line, linewidth=1.2)


# --- merit against a parameter --------------------------------------------------------------


def is_scan(examples: ExampleSet) -> bool:
    """Return whether a table shows merits by parameter value, as from Loop Parameters."""
    parameters, merits = _scan_columns(examples)
    return bool(parameters) and bool(merits) and len(examples) > 1


def _scan_columns(examples: ExampleSet) -> tuple[list[str], list[str]]:
    """Return the parameters (``Operator.parameter``, the numerical one first) and the merits."""
    schema = examples.schema
    if schema.label is not None:
        return [], []
    parameters = list(takewhile(lambda name: "." in name, schema.names))
    if not 0 < len(parameters) <= MOST_PARAMETERS:
        return [], []
    numbers = dict.fromkeys(schema.names_at(schema.of_types(NUMERICAL)))
    merits = [name for name in numbers if "." not in name and not name.endswith("deviation")]
    varied = [name for name in parameters if name in numbers and _varies(examples.column(name))]
    others = [name for name in parameters if name not in varied[:1]]
    if not varied or any("." in name for name in schema.names[len(parameters) :]):
        return [], []
    return [varied[0], *others], merits


def _varies(column: Floats) -> bool:
    return len(np.unique(column[~np.isnan(column)])) > 1


@drawn
def parameter_curve(
    examples: ExampleSet, ax: Axes, parameter: str | None = None, criterion: str | None = None
) -> None:
    """Draw a merit against a parameter, such as the accuracy against the number of attributes.

    A band of one deviation is drawn where the table has the deviation, or several rows for a
    value. Another parameter gives a line for each of its values.
    """
    parameters, merits = _scan_columns(examples)
    parameter = parameter or next(iter(parameters), None)
    criterion = criterion or next(iter(merits), None)
    if parameter is None or criterion is None:
        nothing(ax, "no parameter with several values, or no criterion")
        return
    x, y = (examples.column(name) for name in (parameter, criterion))
    spread_name = next((n for n in _spread_names(criterion) if n in examples.schema), None)
    spreads = examples.column(spread_name) if spread_name else None
    names, lines = _lines(examples, [name for name in parameters if name != parameter])
    colours = [colour for colour in COLOURS if colour != YELLOW]
    for number, (text, rows) in enumerate(lines.items()):
        colour = colours[number % len(colours)]
        style = ("-", "--", ":", "-.")[number // len(colours) % 4]
        at, mean, deviation = _summary(x[rows], y[rows], None if spreads is None else spreads[rows])
        ax.plot(at, mean, color=colour, linestyle=style, marker="o", markersize=2.5, label=text)
        if np.nanmax(deviation, initial=0.0) > 0:
            low, high = mean - deviation, mean + deviation
            ax.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
    known = x[np.isfinite(x)]
    if known.min(initial=1.0) > 0 and known.max(initial=1.0) / known.min(initial=1.0) >= 50:
        plain_log(ax.xaxis)
    elif (known == np.round(known)).all():
        whole_numbers(ax.xaxis)
    ax.grid(axis="y")
    ax.set_xlabel(_parameter_words(parameter))
    ax.set_ylabel(label(criterion))
    if len(lines) > 1:
        legend_above(ax, ", ".join(map(_parameter_words, names)))


def _parameter_words(name: str) -> str:
    """Return ``Operator.parameter`` as people read it: the parameter as in its form, the operator.

    A long name of an operator is cut.
    """
    operator, _, parameter = name.rpartition(".")
    return f"{label(parameter)} ({short(operator, 30)})"


def _spread_names(criterion: str) -> list[str]:
    return [f"{criterion}_deviation", f"{criterion} deviation", "deviation"]


def _lines(
    examples: ExampleSet, others: list[str]
) -> tuple[list[str], dict[str, npt.NDArray[np.intp]]]:
    """Return the other parameters that vary, and the rows of each combination of their values.

    There are at most twelve combinations; of more, all rows are one.
    """
    frame = examples.to_pandas()
    others = [name for name in others if frame[name].nunique() > 1]
    everything = {"": np.arange(len(examples), dtype=np.intp)}
    if not others:
        return [], everything
    found = {
        ", ".join(
            f"{value:g}" if isinstance(value, float) else short(str(value), 18) for value in values
        ): np.asarray(rows, dtype=np.intp)
        for values, rows in frame.groupby(others, observed=True, sort=True).indices.items()
        for values in [values if isinstance(values, tuple) else (values,)]
    }
    return (others, found) if len(found) <= 12 else ([], everything)


def _summary(x: Floats, y: Floats, spreads: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return for each value of x the mean of y and its deviation."""
    known = np.isfinite(x) & np.isfinite(y)
    at = np.unique(x[known])
    rows = [known & (x == value) for value in at]
    mean = np.array([y[row].mean() for row in rows])
    if spreads is not None:
        deviation = [spreads[row].mean() for row in rows]
    else:
        deviation = [y[row].std(ddof=1) if row.sum() > 1 else 0.0 for row in rows]
    return at, mean, np.nan_to_num(np.array(deviation))


# --- progress of a search -------------------------------------------------------------------


def is_search(examples: ExampleSet) -> bool:
    """Return whether a table is the log of a search for a set of attributes."""
    searched = ("generation", COUNT, "performance", "best")
    return len(examples) > 1 and all(name in examples.schema for name in searched)


@drawn
def search_progress(examples: ExampleSet, ax: Axes) -> None:
    """Draw the performance that a search reached step by step, and the best so far.

    Steps are numbers of attributes where each step has another, in rising or falling order.
    """
    sizes = examples.column(COUNT)
    steady = (np.diff(sizes) > 0).all() or (np.diff(sizes) < 0).all()
    across = COUNT if steady else "generation"
    x = examples.column(across)
    ax.plot(x, examples.column("best"), color=BLUE, drawstyle="steps-post", label="best so far")
    performance = examples.column("performance")
    ax.plot(x, performance, color=BLACK, linestyle="", marker="o", markersize=2.5, label="step")
    if steady and len(x) > 1 and x[0] > x[-1]:
        ax.invert_xaxis()  # a search backward goes from many to few
    whole_numbers(ax.xaxis)
    ax.grid(axis="y")
    ax.set_xlabel(label(across))
    ax.set_ylabel("performance")
    legend_above(ax)


# --- Pareto front ---------------------------------------------------------------------------


def is_front(examples: ExampleSet) -> bool:
    """Return whether a table is the front of a multi-objective selection."""
    return examples.names[-2:] == (COUNT, USED) and len(examples.names) > 2


@drawn
def pareto_front(examples: ExampleSet, ax: Axes) -> None:
    """Draw the sets that no other beats: two criteria, or one against the number of attributes.

    A set with a worse value of both is there because it is better in a further criterion.
    """
    criteria = [name for name in numerical_names(examples) if name != COUNT]
    if not criteria or not len(examples):
        nothing(ax, "an empty front")
        return
    across = criteria[1] if len(criteria) > 1 else COUNT
    x, y, sizes = (examples.column(name) for name in (across, criteria[0], COUNT))
    order = np.lexsort((y, x))
    if len(criteria) <= 2:  # with more criteria the sets are on no common curve
        ax.plot(x[order], y[order], color=GREY, linewidth=0.8, zorder=1)
    ax.scatter(x, y, s=16, color=BLUE, linewidths=0, zorder=2)
    ax.margins(0.1)
    ax.grid()
    ax.set_xlabel(label(across))
    ax.set_ylabel(label(criteria[0]))
    if across == COUNT:
        whole_numbers(ax.xaxis)
        return
    lines = ["numbers: attributes in the set"]
    if (sizes == sizes[0]).all():
        lines = [f"{sizes[0]:.0f} attribute{'' if sizes[0] == 1 else 's'} in each set"]
    if len(criteria) > 2:
        lines.append(f"also compared: {short(', '.join(map(label, criteria[2:])), 36)}")
    ax.set_title("\n".join(lines), loc="left", color=GREY)
    if (sizes != sizes[0]).any():
        named = [(x[i], y[i], f"{sizes[i]:.0f}") for i in order]
        name_points(ax, named, 20, np.column_stack([x, y]))
