"""Which figures suit which result."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fsops.data import (
    AttributeWeights,
    CoefficientPath,
    Collection,
    EliminationTrace,
    ExampleSet,
    FlowObject,
    ImportanceHistory,
    Model,
    PerformanceVector,
    PermutationBaseline,
    ShrunkenCentroids,
    SizeCurves,
    StabilityPath,
    StabilityResult,
    StudyAnswer,
)
from fsops.data.knife import KnifePath
from fsops.data.streamed import StreamedExampleSet
from fsops.plots import (
    centroids,
    chance,
    comparison,
    curves,
    importance,
    knife,
    knockoffs,
    paths,
    penalties,
    predictions,
    runtime,
    selections,
    survival,
    tables,
    weights,
)
from fsops.plots.style import COLUMN, LINE, PAGE, legend_columns, rows_height, short_names
from fsops.plugins import plugins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Size = tuple[float, float]
STANDARD: Size = (COLUMN, 2.4)


@dataclass(frozen=True)
class FigureMaker:
    """A figure that can be drawn of results of a type.

    Parameters
    ----------
    name : str
        Part of the file's name; it never changes.
    title : str
        Title of the figure, for captions.
    draw : callable
        Draws a result on axes.
    suits : callable
        Whether a result has the data for the figure.
    size : callable
        Width and height in inches that suit a result.
    """

    name: str
    title: str
    draw: Callable[[Any, Axes], None]
    suits: Callable[[Any], bool]
    size: Callable[[Any], Size] = lambda result: STANDARD

    @property
    def about(self) -> str:
        """Sentences on the figure, from the docstring of its function; empty without one."""
        documented = self.draw.__doc__
        if not documented or documented == type(self.draw).__doc__:
            return ""
        text = " ".join(re.split(r"\n\w+\n---", inspect.cleandoc(documented))[0].split())
        limit = inspect.signature(self.draw).parameters.get("k")
        if limit is not None:
            text = re.sub(r"\bk\b", str(limit.default), text)
        text = text.removeprefix("Draw ")
        return text[:1].upper() + text[1:]


def figures_for(result: object) -> list[FigureMaker]:
    """Return the figures that suit a result, the most informative first."""
    if isinstance(result, StreamedExampleSet):  # it was left on disk for its size
        return []
    known = [(kind, maker) for kind, maker in FIGURES if isinstance(result, kind)]
    ours = [maker for _, maker in known if maker.suits(result)]
    taken = {maker.name for _, maker in known}
    return ours + [maker for maker in _of_plugins(result) if maker.name not in taken]


def _of_plugins(result: object) -> list[FigureMaker]:
    """Return the figures of plugins; one that fails at the question does not suit."""
    makers = []
    for drawing in plugins().drawings if isinstance(result, FlowObject) else ():
        maker = FigureMaker(
            drawing.name, drawing.title, drawing.draw, drawing.suits, partial(_fixed, drawing.size)
        )
        with contextlib.suppress(Exception):
            if isinstance(result, drawing.type) and maker.suits(result):
                makers.append(maker)
    return makers


def _fixed(size: Size, result: object) -> Size:
    return size


# --- when a figure suits --------------------------------------------------------------------


def _has_scores(result: AttributeWeights) -> bool:
    """Return whether the weights are more than a choice of 0 or 1."""
    known = result.values[np.isfinite(result.values)]
    return len(known) >= 5 and len(np.unique(known)) > 2


def _has_distribution(result: AttributeWeights) -> bool:
    """Return whether most scores are not 0, so that zeros do not hide all others."""
    zeros = len(result) - int(np.count_nonzero(result.values))
    return _has_scores(result) and zeros <= len(result) / 2


def _has_signed_effect(result: AttributeWeights) -> bool:
    effect = weights.effect_of(result)
    return effect is not None and bool((effect[1] < 0).any() and (effect[1] > 0).any())


def _several_weights(result: Collection[Any]) -> bool:
    return len(result) > 1 and all(isinstance(item, AttributeWeights) for item in result)


def _is_predicted(result: ExampleSet) -> bool:
    return predictions.confusion_of(result) is not None


def _has_confidences(result: ExampleSet) -> bool:
    return _is_predicted(result) and any(
        role.startswith("confidence(") for role in result.schema.roles.values()
    )


def _has_classes(result: ExampleSet) -> bool:
    label = result.schema.label
    nominal = label is not None and label.value_type.is_nominal
    return nominal and tables.count_numerical(result) > 0 and len(result) > 1


def _can_correlate(result: ExampleSet) -> bool:
    # A table without a label is more often one of results than one of data.
    if result.schema.label is None:
        return False
    if not 2 <= tables.count_numerical(result) <= tables.MOST_CORRELATED:
        return False
    return not (tables.is_scan(result) or tables.is_front(result) or comparison.is_pairs(result))


def _has_timings(result: object) -> bool:
    return bool(result) and all(hasattr(t, "seconds") for t in result.values())  # type: ignore[attr-defined]


# --- how large it is ------------------------------------------------------------------------


def _rows_size(result: AttributeWeights) -> Size:
    return COLUMN, rows_height(min(len(weights.shown_order(result)), weights.TOP))


def _frequency_size(result: selections.Repeated) -> Size:
    _, chosen = selections.selections_of(result)
    rows = min(int(chosen.any(axis=0).sum()), selections.TOP)
    return COLUMN, rows_height(rows, 0.7 + _below(result, len(chosen)))


def _below(result: selections.Repeated, n_runs: int) -> float:
    """Return the inches that names of the repetitions need below a figure."""
    return 0.0 if selections.run_names(result, n_runs)[0] == "1" else 1.0


def _square(count: int, each: float, around: float = 1.3) -> Size:
    side = min(max(around + each * count, 2.4), PAGE)
    width = max(side, COLUMN)
    return width, max(side - 0.3, 2.2)


def _overlap_size(result: Collection[AttributeWeights]) -> Size:
    return COLUMN, 1.5 + 0.24 * len(result)


def _similarity_size(result: selections.Repeated) -> Size:
    count = len(result) if isinstance(result, Collection) else len(result.selections)
    return _square(min(count, 12), 0.2, 1.4 + 1.4 * _below(result, count))


def _confusion_size(result: Any) -> Size:
    matrix = predictions.confusion_of(result)
    classes = matrix.classes if matrix else ()
    upright = len(classes) > 2 and max(map(len, classes)) > 6  # names below the columns
    width, height = _square(len(classes), 0.26)
    return width, height + 0.5 * upright


def _correlation_size(result: ExampleSet) -> Size:
    count = tables.count_numerical(result)
    return _square(count, 0.13, 1.5) if count <= tables.MOST_NAMED else (COLUMN, 3.0)


def _boxes_size(result: ExampleSet) -> Size:
    codes = result.column(result.label.name)
    classes = len(np.unique(codes[codes >= 0]))
    if classes > tables.FEW_CLASSES:
        return COLUMN, rows_height(classes)
    boxes = min(tables.boxed(classes), tables.count_numerical(result)) * classes
    names = short_names(result.classes, tables.LONGEST_CLASS)
    legend = LINE * np.ceil(classes / legend_columns(names, COLUMN))
    return COLUMN, min(max(0.7 + legend + 0.13 * boxes, 1.6), 6.0)


def _difference_size(result: ExampleSet) -> Size:
    found = comparison.ranked(result)
    rows = (len(found.names) + 1) // 2 + 0.45 * len(found.groups())
    wide = max(map(len, found.names)) > 9  # names on both sides leave no room for the ranks
    return 5.2 if wide else COLUMN, 0.55 + 0.17 * (rows + 1.5)


def _elimination_size(result: EliminationTrace) -> Size:
    return COLUMN, 0.7 + 0.2 * min(len(paths.final_order(result)), paths.TOP_LEFT)


def _runtime_size(result: Mapping[Any, Any]) -> Size:
    return COLUMN, rows_height(min(len(result), runtime.TOP))


def _several(count: int) -> Callable[[Collection[Any]], bool]:
    return lambda result: _several_weights(result) and len(result) == count


FIGURES: tuple[tuple[type, FigureMaker], ...] = (
    (
        AttributeWeights,
        FigureMaker(
            "weights", "The best attributes", weights.weights, lambda r: len(r) > 0, _rows_size
        ),
    ),
    (
        AttributeWeights,
        FigureMaker(
            "knockoff_statistics",
            "Attributes against their random copies",
            knockoffs.knockoff_statistics,
            knockoffs.is_knockoff_selection,
            lambda r: (COLUMN, rows_height(min(len(r), knockoffs.TOP), 1.05)),
        ),
    ),
    (
        AttributeWeights,
        FigureMaker("score_curve", "Weights by place", weights.score_curve, _has_scores),
    ),
    (
        AttributeWeights,
        FigureMaker(
            "score_histogram",
            "How the weights are distributed",
            weights.score_histogram,
            _has_distribution,
        ),
    ),
    (
        AttributeWeights,
        FigureMaker(
            "volcano",
            "Effect against p-value",
            weights.volcano,
            _has_signed_effect,
            lambda r: (COLUMN, 2.8),
        ),
    ),
    (
        StabilityResult,
        FigureMaker(
            "stability_over_size",
            "Agreement by number of attributes",
            selections.stability_over_size,
            lambda r: bool(r.by_size),
        ),
    ),
    (
        StabilityResult,
        FigureMaker(
            "selection_frequency",
            "How often each attribute was selected",
            selections.selection_frequency,
            lambda r: bool(r.selections.any()),
            _frequency_size,
        ),
    ),
    (
        StabilityResult,
        FigureMaker(
            "similarity",
            "Similarity of the selections",
            selections.similarity,
            lambda r: len(r.selections) > 1,
            _similarity_size,
        ),
    ),
    (
        StabilityPath,
        FigureMaker(
            "stability_path",
            "Selected by halves of the rows",
            paths.stability_path,
            lambda r: len(r) > 0,
            lambda r: (COLUMN, 2.6),
        ),
    ),
    (
        Collection,
        FigureMaker(
            "selection_frequency",
            "How often each attribute was selected",
            selections.selection_frequency,
            _several_weights,
            _frequency_size,
        ),
    ),
    (
        Collection,
        FigureMaker(
            "similarity",
            "Similarity of the selections",
            selections.similarity,
            _several_weights,
            _similarity_size,
        ),
    ),
    (
        Collection,
        FigureMaker(
            "overlap_over_size",
            "Overlap of the best attributes",
            selections.overlap_over_size,
            _several_weights,
        ),
    ),
    (
        Collection,
        FigureMaker(
            "overlap",
            "Which attributes several selections share",
            selections.overlap,
            lambda r: _several_weights(r) and selections.can_overlap(r),
            _overlap_size,
        ),
    ),
    (
        Collection,
        FigureMaker(
            "rank_scatter",
            "Places in two weightings",
            selections.rank_scatter,
            _several(2),
            lambda r: (COLUMN, 3.2),
        ),
    ),
    (
        EliminationTrace,
        FigureMaker(
            "elimination",
            "Places round by round",
            paths.elimination,
            lambda r: len(r) > 1,
            _elimination_size,
        ),
    ),
    (
        ImportanceHistory,
        FigureMaker(
            "importance_history",
            "Importances beside those of shadows",
            importance.importance_history,
            lambda r: len(r) > 0,
            lambda r: (COLUMN, rows_height(importance.shown_rows(r), 0.75)),
        ),
    ),
    (
        KnifePath,
        FigureMaker(
            "weight_path",
            "Weights over the penalty",
            knife.weight_path,
            lambda r: len(r) > 1,
            lambda r: (COLUMN, 2.6),
        ),
    ),
    (
        CoefficientPath,
        FigureMaker(
            "coefficients_by_penalty",
            "Coefficients over the penalty",
            penalties.coefficients_by_penalty,
            lambda r: len(r) > 1,
            lambda r: (COLUMN, 2.6),
        ),
    ),
    (
        ShrunkenCentroids,
        FigureMaker(
            "class_centroids",
            "How the classes differ",
            centroids.class_centroids,
            lambda r: len(r) > 0,
            centroids.centroids_size,
        ),
    ),
    (
        Model,
        FigureMaker(
            "coefficient_path",
            "Coefficients along the path",
            paths.coefficient_path,
            paths.has_path,
            lambda r: (COLUMN, 2.6),
        ),
    ),
    (
        SizeCurves,
        FigureMaker(
            "merit_over_size",
            "Merit by number of attributes",
            curves.merit_over_size,
            lambda r: True,
            curves.curve_size,
        ),
    ),
    (
        SizeCurves,
        FigureMaker(
            "agreement_over_size",
            "Stability by number of attributes",
            curves.agreement_over_size,
            curves.has_stability,
            curves.curve_size,
        ),
    ),
    (
        SizeCurves,
        FigureMaker(
            "stability_against_merit",
            "Stability against merit",
            curves.stability_against_merit,
            curves.has_stability,
            lambda r: (COLUMN, 2.7 + curves.legend_height(r)),
        ),
    ),
    (
        SizeCurves,
        FigureMaker(
            "selection_seconds",
            "Time of the selections",
            curves.selection_seconds,
            curves.has_seconds,
            curves.rows_size,
        ),
    ),
    (
        StudyAnswer,
        FigureMaker(
            "score_beside_chance",
            "Score by number of attributes, and by chance",
            chance.score_beside_chance,
            lambda r: True,
        ),
    ),
    (
        StudyAnswer,
        FigureMaker(
            "stability_beside_chance",
            "Stability by number of attributes, and by chance",
            chance.stability_beside_chance,
            chance.has_stability,
        ),
    ),
    (
        StudyAnswer,
        FigureMaker(
            "honest_scores",
            "Scores on new rows with 95 % intervals",
            chance.honest_scores,
            lambda r: True,
            chance.scores_size,
        ),
    ),
    (
        PermutationBaseline,
        FigureMaker(
            "null_distribution",
            "The true label beside permuted ones",
            chance.null_distribution,
            lambda r: len(r.permuted) > 1,
        ),
    ),
    (
        PerformanceVector,
        FigureMaker(
            "confusion",
            "Confusion matrix",
            predictions.confusion,
            lambda r: r.confusion is not None,
            _confusion_size,
        ),
    ),
    (
        ExampleSet,
        FigureMaker(
            "critical_difference",
            "Mean ranks of the methods",
            comparison.critical_difference,
            comparison.is_pairs,
            _difference_size,
        ),
    ),
    (
        ExampleSet,
        FigureMaker(
            "parameter_curve", "Merit against the parameter", tables.parameter_curve, tables.is_scan
        ),
    ),
    (
        ExampleSet,
        FigureMaker(
            "search_progress", "Progress of the search", tables.search_progress, tables.is_search
        ),
    ),
    (
        ExampleSet,
        FigureMaker(
            "pareto_front", "Sets that no other beats", tables.pareto_front, tables.is_front
        ),
    ),
    (
        ExampleSet,
        FigureMaker(
            "survival_curves",
            "Kaplan–Meier curves by risk group",
            survival.survival_curves,
            survival.has_times,
            survival.survival_size,
        ),
    ),
    (
        ExampleSet,
        FigureMaker(
            "confusion", "Confusion matrix", predictions.confusion, _is_predicted, _confusion_size
        ),
    ),
    (
        ExampleSet,
        FigureMaker("roc", "ROC curve", predictions.roc, _has_confidences, lambda r: (COLUMN, 2.9)),
    ),
    (
        ExampleSet,
        FigureMaker(
            "class_boxes", "Values by class", tables.class_boxes, _has_classes, _boxes_size
        ),
    ),
    (
        ExampleSet,
        FigureMaker(
            "correlation",
            "Correlations in the order of their clusters",
            tables.correlation,
            _can_correlate,
            _correlation_size,
        ),
    ),
    (
        dict,
        FigureMaker("runtime", "Where the time went", runtime.runtime, _has_timings, _runtime_size),
    ),
)
"""By type of result: what can be drawn of it."""
