"""The linked views, and the data each of them needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fsops_gui.base.texts import tr
from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.panels.explore.view import LinkedView

Maker = Callable[[Material, SharedSelection], LinkedView]


class ViewSpec(NamedTuple):
    """A view that can be shown in any card."""

    key: str
    title: str
    suits: Callable[[Material], bool]
    make: Maker
    needs: str
    """Results that a run must have for it."""


def _volcano(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.volcano import VolcanoView

    return VolcanoView(material, selection)


def _weights(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.ranked_table import RankedView

    return RankedView(material, selection)


def _comparison(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.ranked_table import RankedView

    return RankedView(material, selection, compare=True)


def _scatter(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.scatter import ScatterView

    return ScatterView(material, selection)


def _projection(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.scatter import ProjectionView

    return ProjectionView(material, selection)


def _heat_map(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.heat_map import HeatMapView

    return HeatMapView(material, selection)


def _by_class(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.by_class import ByClassView

    return ByClassView(material, selection)


def _parallel(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.parallel import ParallelView

    return ParallelView(material, selection)


def _stability(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.repetitions import StabilityView

    return StabilityView(material, selection)


def _upset(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.repetitions import UpSetView

    return UpSetView(material, selection)


def _confusion(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.predictions import ConfusionView

    return ConfusionView(material, selection)


def _roc(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.predictions import RocView

    return RocView(material, selection)


def _errors(material: Material, selection: SharedSelection) -> LinkedView:
    from fsops_gui.panels.explore.predictions import ErrorsView

    return ErrorsView(material, selection)


def _is_classified(material: Material) -> bool:
    from fsops_gui.panels.explore.predictions import is_classified

    return is_classified(material)


def _has_confidences(material: Material) -> bool:
    from fsops_gui.panels.explore.predictions import has_confidences

    return has_confidences(material)


def _chosen_often(material: Material) -> bool:
    return material.repeats is not None and bool(material.repeats.selected.any())


def _several_sets(material: Material) -> bool:
    return len(material.weightings) > 1 or _chosen_often(material)


def _has_rows(material: Material) -> bool:
    return material.table is not None and material.n_rows > 0


def _two(material: Material) -> bool:
    return _has_rows(material) and len(material.names) > 1


TABLE = tr("a table with a label")

SPECS: tuple[ViewSpec, ...] = (
    ViewSpec("volcano", tr("Volcano"), lambda m: m.volcano is not None, _volcano, TABLE),
    ViewSpec(
        "weights", tr("Weights"), lambda m: bool(m.weightings or m.volcano), _weights, tr("weights")
    ),
    ViewSpec(
        "comparison", tr("Comparison"), lambda m: len(m.weightings) > 1, _comparison,
        tr("two weightings"),
    ),
    ViewSpec("by_class", tr("By class"), _has_rows, _by_class, TABLE),
    ViewSpec("heat_map", tr("Heat map"), _has_rows, _heat_map, TABLE),
    ViewSpec("scatter", tr("Scatter"), _two, _scatter, TABLE),
    ViewSpec("projection", tr("PCA"), _two, _projection, TABLE),
    ViewSpec("parallel", tr("Parallel"), _two, _parallel, TABLE),
    ViewSpec("upset", tr("UpSet"), _several_sets, _upset, tr("two selections")),
    ViewSpec("stability", tr("Stability"), _chosen_often, _stability, tr("repeated selections")),
    ViewSpec("confusion", tr("Confusion"), _is_classified, _confusion, tr("predictions")),
    ViewSpec("roc", tr("ROC"), _has_confidences, _roc, tr("confidences of two classes")),
    ViewSpec(
        "errors", tr("Errors"), lambda m: m.predictions is not None, _errors, tr("predictions")
    ),
)  # fmt: skip

FIRST = ("volcano", "weights", "by_class", "heat_map", "projection", "scatter", "comparison")
"""Views that the four cards begin with, as far as they suit."""


def suitable(material: Material) -> list[ViewSpec]:
    """Return the views that a material can fill."""
    return [spec for spec in SPECS if spec.suits(material)]


def first_views(material: Material, count: int = 4) -> list[str]:
    """Return the keys of the views to begin with."""
    there = {spec.key for spec in suitable(material)}
    return [key for key in FIRST if key in there][:count]
