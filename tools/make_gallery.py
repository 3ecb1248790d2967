"""Makes docs/gallery.md and its pictures from the ready processes: python tools/make_gallery.py.

Every figure of ``fsops.plots`` is there at least once; a test holds the list to the registry.
Two figures show times, and so look a little different each time.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fsops import ExampleSet, RunOutcome, read_process, run
from fsops.data import AttributeWeights, Collection
from fsops.operators import knife_path, retrieve
from fsops.plots import class_boxes, figure_bytes, figures_for
from fsops.plots.registry import FIGURES
from fsops.plots.saving import steady_ids
from fsops.plots.style import styled

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "gallery"
RUNTIME = "runtime"


@dataclass(frozen=True)
class Shown:
    """A figure of the gallery, and where its result comes from.

    Parameters
    ----------
    figure : str
        Its name in ``fsops.plots``.
    process : str
        The ready process.
    ports : tuple of str
        ``Operator.port``; several weights are compared with each other.
    selected : int
        Of weights only so many of the best are taken as selected.
    """

    figure: str
    process: str
    ports: tuple[str, ...] = ()
    selected: int = 0
    variant: str = ""
    """What is special about it, where a figure is shown twice."""
    made: Callable[[], Any] | None = None
    """Makes the result where no ready process has it; ``process`` then says how."""

    @property
    def file(self) -> str:
        """Name of the picture."""
        return f"{self.figure}{'_' if self.variant else ''}{self.variant}.svg"

    @property
    def source(self) -> str:
        """Where the result comes from, for the page."""
        if self.made is not None:
            return f"`{self.process}`"
        return f"[{self.process}.xml](../processes/{self.process}.xml)"


def knife_result() -> Any:
    """Return the weights of KNIFE over its penalty."""
    return knife_path(retrieve(repository_entry="breast cancer"), kernel_type="linear").path


CURVES = ("Compare Feature Selections.curves",)
ANSWER = ("Measure Chance.answer",)
STABILITY = ("Feature Selection Stability Validation.stability",)
FILTERS = tuple(
    f"Weight by {name}.weights" for name in ("SAM", "AUC", "Information Gain", "ReliefF")
)
GALLERY: dict[str, tuple[Shown, ...]] = {
    "Weights": (
        Shown("weights", "quickstart", ("Cross Validation.weights",)),
        Shown("score_curve", "filters", ("Weight by SAM.weights",)),
        Shown("score_histogram", "filters", ("Weight by ReliefF.weights",)),
        Shown("volcano", "filters", ("Weight by Welch Test.weights",)),
    ),
    "Several weightings": (
        Shown("overlap", "filters", FILTERS, selected=10),
        Shown("overlap_over_size", "filters", FILTERS),
        Shown("rank_scatter", "filters", FILTERS[::3]),
    ),
    "Stability": (
        Shown("stability_over_size", "ensemble_and_stability", STABILITY),
        Shown("selection_frequency", "ensemble_and_stability", STABILITY),
        Shown("similarity", "ensemble_and_stability", STABILITY),
        Shown("stability_path", "error_control", ("Stability Selection.path",)),
    ),
    "Numbers of attributes": (
        Shown("merit_over_size", "compare_selections", CURVES),
        Shown("agreement_over_size", "compare_selections", CURVES),
        Shown("stability_against_merit", "compare_selections", CURVES),
        Shown("selection_seconds", "compare_selections", CURVES),
        Shown(
            "critical_difference", "compare_selections", ("Compare Feature Selections.comparison",)
        ),
        Shown("parameter_curve", "control", ("Loop Parameters.trials",)),
    ),
    "Chance": (
        Shown("score_beside_chance", "chance", ANSWER),
        Shown("stability_beside_chance", "chance", ANSWER),
        Shown("honest_scores", "chance", ANSWER),
        Shown("null_distribution", "chance", ("Permutation Baseline.baseline",)),
    ),
    "Paths, eliminations and searches": (
        Shown("elimination", "elimination", ("Select by SVM-RFE.trace",)),
        Shown("knockoff_statistics", "error_control", ("Select by Knockoffs.weights",)),
        Shown("importance_history", "error_control", ("Select by Boruta.history",)),
        Shown("coefficient_path", "lars", ("LARS - Least Angle Regression.model",)),
        Shown("coefficients_by_penalty", "groups", ("Select by Group Lasso Path.path",)),
        Shown("class_centroids", "embedded", ("Select by Shrunken Centroids.centroids",)),
        Shown("weight_path", "knife_path(examples).path", made=knife_result),
        Shown("search_progress", "search", ("Forward Selection.log",)),
        Shown("pareto_front", "search", ("Optimize Selection (Evolutionary).front",)),
    ),
    "Data and predictions": (
        Shown("class_boxes", "learners", ("Iris.examples",)),
        Shown("class_boxes", "learners", ("Iris.examples",), variant="violins"),
        Shown("correlation", "filters", ("Breast cancer.examples",)),
        Shown("confusion", "learners", ("Cross Validation.performance",)),
        Shown("roc", "validation", ("Cross Validation.test_result_set",)),
        Shown("survival_curves", "survival", ("Cross Validation.test_result_set",)),
    ),
    "The run": (Shown(RUNTIME, "quickstart"),),
}


def shown_figures() -> Iterator[Shown]:
    """Return all figures of the gallery in their order."""
    for entries in GALLERY.values():
        yield from entries


@cache
def results_of(process: str) -> tuple[RunOutcome, dict[str, Any]]:
    """Return the run of a process, and what it delivered at the ports the gallery asks for."""
    read = read_process(ROOT / "processes" / f"{process}.xml")
    ports = dict.fromkeys(
        port for shown in shown_figures() if shown.process == process for port in shown.ports
    )
    for port in ports:
        node, _, output = port.rpartition(".")
        read.result(read[node][output])
    ran = run(read)
    last = ran.results[len(ran) - len(ports) :]
    return ran, dict(zip(ports, last, strict=True))


def result_of(shown: Shown) -> Any:
    """Return what a figure is drawn of."""
    if shown.made is not None:
        return shown.made()
    ran, found = results_of(shown.process)
    if shown.figure == RUNTIME:
        return ran.timings
    values = [_selected(found[port], shown.selected) for port in shown.ports]
    return values[0] if len(values) == 1 else Collection(values)


def _selected(value: Any, k: int) -> Any:
    if not k:
        return value
    best = set(value.top(k, absolute=True))
    kept = [weight if name in best else 0.0 for name, weight in value]
    return AttributeWeights(value.names, kept, origin=value.origin)


def picture_of(shown: Shown) -> bytes:
    """Return the figure as SVG."""
    result = result_of(shown)
    makers = {maker.name: maker for maker in figures_for(result)}
    if shown.variant == "violins":
        return _drawn(result, lambda table, ax: class_boxes(table, ax, violins=True))
    return figure_bytes(makers[shown.figure], result)


def _drawn(table: ExampleSet, draw: Callable[[ExampleSet, Any], None]) -> bytes:
    file = io.BytesIO()
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(3.4, 2.8), layout="constrained")
        draw(table, figure.add_subplot())
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return steady_ids(file.getvalue())


def page(drawn_with: str) -> str:
    """Return the text of the gallery, whose pictures that version of matplotlib has drawn."""
    sentences = {maker.name: maker.about for _, maker in FIGURES}
    lines = [
        "# Gallery",
        "",
        "Every figure of fsops, drawn from the [ready processes](../processes). A run writes",
        "the figures of its results, `fsops run PROCESS --out DIR --figures svg`, or all in",
        "one page, `--report report.html` ([about reports](report.md)). Some figures below",
        "show a port that the process does not return as a result, or several weightings",
        "together. The designer shows such a port after a click. In Python,",
        "`result.figures()` has the names, `result.plot(name)` draws one, and",
        '`Collection([first, second]).plot("overlap")` compares weightings.',
        "",
        f"This page is made by `python tools/make_gallery.py`, the pictures by {drawn_with}.",
    ]
    for title, entries in GALLERY.items():
        lines += ["", f"## {title}"]
        for shown in entries:
            heading = f"{shown.figure}{f' ({shown.variant})' if shown.variant else ''}"
            lines += [
                "",
                f"### {heading}",
                "",
                f"{sentences[shown.figure]} From {shown.source}.",
                "",
                f"![{heading}]({FOLDER}/{shown.file})",
            ]
    return "\n".join(lines) + "\n"


def drawing_program() -> str:
    """Return what draws the pictures here."""
    return f"matplotlib {version('matplotlib')}"


def main() -> None:
    """Write the page and its pictures."""
    folder = ROOT / "docs" / FOLDER
    folder.mkdir(exist_ok=True)
    for shown in shown_figures():
        (folder / shown.file).write_bytes(picture_of(shown))
    (ROOT / "docs" / "gallery.md").write_text(page(drawing_program()), encoding="utf-8")


if __name__ == "__main__":
    main()
