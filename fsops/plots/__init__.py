"""Figures of results: one function per figure, which takes a result and axes.

``figures_for(result)`` returns the figures that suit a result, ``save_figures`` writes them.
Needs the package matplotlib (``pip install "fsops[plots]"``), which is imported when a figure is
drawn.
"""

from fsops.plots.centroids import class_centroids
from fsops.plots.comparison import critical_difference
from fsops.plots.curves import (
    agreement_over_size,
    merit_over_size,
    selection_seconds,
    stability_against_merit,
)
from fsops.plots.knockoffs import knockoff_statistics
from fsops.plots.paths import coefficient_path, elimination, stability_path
from fsops.plots.predictions import confusion, roc
from fsops.plots.registry import FigureMaker, figures_for
from fsops.plots.runtime import runtime
from fsops.plots.saving import FORMATS, figure_bytes, make_figure, named_figure, save_figures
from fsops.plots.selections import (
    overlap,
    overlap_over_size,
    rank_scatter,
    selection_frequency,
    similarity,
    stability_over_size,
)
from fsops.plots.style import require_matplotlib
from fsops.plots.survival import survival_curves
from fsops.plots.tables import (
    class_boxes,
    correlation,
    parameter_curve,
    pareto_front,
    search_progress,
)
from fsops.plots.weights import score_curve, score_histogram, volcano, weights

__all__ = [
    "FORMATS",
    "FigureMaker",
    "agreement_over_size",
    "class_boxes",
    "class_centroids",
    "coefficient_path",
    "confusion",
    "correlation",
    "critical_difference",
    "elimination",
    "figure_bytes",
    "figures_for",
    "knockoff_statistics",
    "make_figure",
    "merit_over_size",
    "named_figure",
    "overlap",
    "overlap_over_size",
    "parameter_curve",
    "pareto_front",
    "rank_scatter",
    "require_matplotlib",
    "roc",
    "runtime",
    "save_figures",
    "score_curve",
    "score_histogram",
    "search_progress",
    "selection_frequency",
    "selection_seconds",
    "similarity",
    "stability_against_merit",
    "stability_over_size",
    "stability_path",
    "survival_curves",
    "volcano",
    "weights",
]
