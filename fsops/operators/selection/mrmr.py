"""Selections of relevant attributes that do not repeat each other: MRMR and CFS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.aggregation import weights as aggregation
from fsops.algorithms.base import resampling
from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.filters.streaming import AT_ONCE
from fsops.algorithms.mrmr import ensemble as mrmr_ensemble, selection as mrmr
from fsops.algorithms.mrmr.cfs_search import Direction, cfs_best_first
from fsops.core import Accepts, Context, Expert, When, operator
from fsops.core.declare.iterations import Count
from fsops.data import AttributeWeights, Criterion, ExampleSet, PerformanceVector
from fsops.data.design import row_groups
from fsops.errors import DataError, ParameterError
from fsops.operators.selection.measures import (
    BINS,
    Measure,
    Measures,
    MrmrCache,
    by_correlation,
    measures_of,
    warn_irrelevant,
)
from fsops.operators.sizes import Size
from fsops.operators.weighting.information import EQUAL_PARTS, attribute_codes
from fsops.operators.weighting.scores import class_codes, describe_weights

GROUP = "Selection/MRMR and CFS"
ANY_TYPES = Accepts(label="any", attributes="numerical or nominal")


def _passes(parameters: Mapping[str, Any]) -> Count:
    """Return how often a table in a file is read: for the relevance, then for the redundancy."""
    k = int(parameters["k"])
    return Count(1 + -(-k // AT_ONCE), 1 + k, "attributes are fetched together if they can be")


ANY_TYPES_IN_BLOCKS = replace(
    ANY_TYPES, blocks=True, sparse=True, passes=_passes, several_classes=True
)
CFS_MEASURE: Literal["symmetric uncertainty"] = "symmetric uncertainty"


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=ANY_TYPES_IN_BLOCKS,
    describe=describe_weights,
    tags=(
        "minimum redundancy maximum relevance",
        "peng",
        "forward",
        "correlation based",
        "mid",
        "miq",
    ),
)
def select_by_mrmr_cfs(
    examples: ExampleSet,
    cache: MrmrCache | None = None,
    *,
    k: Annotated[int, Field(ge=1, description="Number of attributes to select.")] = 10,
    criterion: Annotated[
        Literal["automatic", "difference", "quotient", "cfs merit"],
        Field(
            description="Combination of relevance and redundancy: difference (MID), quotient "
            "(MIQ), or Hall's merit, which may stop before k. Automatic: difference if both are on "
            "one scale."
        ),
    ] = "automatic",
    measure: Measure = "by type",
    search: Annotated[
        Literal["forward", "best first", "bidirectional"],
        When(criterion="cfs merit"),
        Field(
            description="forward: stop when no attribute raises the merit; best first: go on from "
            "the next best set, until five sets in a row are no better; bidirectional: best first "
            "that also removes attributes."
        ),
    ] = "forward",
    iterations: Annotated[
        int,
        When(criterion=("automatic", "difference", "quotient")),
        Field(
            ge=1,
            description="Number of selections on parts of the rows, combined by counting; 1: no "
            "ensemble.",
        ),
    ] = 1,
    output: Annotated[
        Literal["selection", "ranking"],
        Field(
            description="Weights 1 and 0, or k for the first selected down to 1 for the last. An "
            "ensemble is ordered by frequency, then by the mean position."
        ),
    ] = "selection",
    ctx: Context,
) -> AttributeWeights:
    r"""Select by MRMR / CFS

    Selects attributes one by one: each time the one that is most relevant to the label and
    least redundant with the selected ones. Relevance and redundancy are measured by correlation,
    F-test or mutual information, depending on the types.

    It compares only pairs of attributes: attributes that matter only in combination are not found.
    The measure "by type" with classes and numbers compares F with correlations, whose scales
    differ; hence the quotient is used there. An ensemble is more stable, and takes far less time
    than as many separate selections. Attributes with the role must_keep count among the k and are
    selected first.

    .. math:: \mathrm{MID}: \max_x \mathrm{Rel}(x) - \tfrac1j \sum_{x'} \mathrm{Red}(x, x'), \qquad
        \mathrm{MIQ}: \max_x \mathrm{Rel}(x) \Big/ \tfrac1j \sum_{x'} \mathrm{Red}(x, x')

    References
    ----------
    Ding, Peng (2003): Minimum redundancy feature selection from microarray gene expression data.
    Hall (2000): Correlation-based feature selection for discrete and numeric class machine
    learning. ICML.
    Schowe, Morik (2010): Fast-ensembles of minimum redundancy feature selection.
    """
    names = examples.schema.regular_names
    size = Size.within(examples, k, ctx)
    k = size.k
    if criterion == "cfs merit" and measure == "by type":
        measure = _cfs_measure(examples)
    if criterion == "cfs merit" and cache is not None:
        require_measure(cache, measure)
    alone = cache is None and iterations == 1
    if not (alone and by_correlation(examples, measure)):
        examples = ANY_TYPES_IN_BLOCKS.loaded(examples)
    found = measures_of(examples, measure, ctx) if cache is None else cache.measures
    here = np.arange(len(names)) if cache is None else cache.positions(examples)
    rule = _rule(criterion, found)
    if iterations > 1 and rule != "cfs":
        used = measure if cache is None else cache.measure
        return _ensemble(
            examples, size, rule=rule, measure=used, members=iterations, output=output, ctx=ctx
        )
    found = restricted(found, here)
    warn_irrelevant(found, ctx)
    steps = ctx.progress(range(k), "Attributes")

    def on_step(done: int, total: int) -> None:
        next(steps, None)

    given = found.relevance, found.redundancy, k
    if rule == "cfs" and search != "forward":
        direction: Direction = "bidirectional" if search == "bidirectional" else "forward"
        chosen = cfs_best_first(
            *given, direction=direction, on_step=lambda done: on_step(done, k), first=size.first
        )
    elif rule == "cfs":
        chosen = mrmr.cfs_forward(*given, on_step=on_step, first=size.first)
    else:
        chosen = mrmr.mrmr(*given, criterion=rule, on_step=on_step, first=size.first)
    weights = np.zeros(len(names))
    places = np.arange(len(chosen.order), 0, -1.0)
    weights[chosen.order] = places if output == "ranking" else 1.0
    return AttributeWeights(names, weights, details={"relevance": found.relevance})


def _cfs_measure(examples: ExampleSet) -> Literal["by type", "symmetric uncertainty"]:
    """Return a measure between 0 and 1, as the merit needs it: correlation or uncertainty."""
    if examples.label.value_type.is_nominal:
        return CFS_MEASURE
    if len(examples.schema.regular_nominal):
        raise DataError(
            "The CFS merit of nominal attributes needs a label with classes.",
            hint="Leave the nominal attributes out, or use another criterion.",
        )
    return "by type"


def require_measure(cache: MrmrCache, measure: str) -> None:
    """Raise `DataError` if a cache has another measure."""
    if cache.measure != measure:
        raise DataError(
            f"A cache of {measure} is needed, but this one has {cache.measure}.",
            hint=f'Set measure of MRMR Cache Creator to "{measure}".',
        )


def _rule(criterion: str, found: Measures) -> Literal["mid", "miq", "cfs"]:
    if criterion == "cfs merit":
        return "cfs"
    if criterion == "automatic":
        return "mid" if found.same_scale else "miq"
    return "mid" if criterion == "difference" else "miq"


def restricted(found: Measures, here: np.typing.NDArray[np.intp]) -> Measures:
    """Return the measures of some of a cache's attributes."""
    if len(here) == len(found.names) and (here == np.arange(len(here))).all():
        return found
    return Measures(
        tuple(found.names[i] for i in here),
        found.relevance[here],
        _Part(found.redundancy, here),
        found.same_scale,
    )


class _Part:
    """Redundancy among some of the attributes."""

    def __init__(self, whole: mrmr.Redundancy, here: np.typing.NDArray[np.intp]) -> None:
        self._whole, self._here = whole, here

    @property
    def n_features(self) -> int:
        return len(self._here)

    def column(self, feature: int) -> np.typing.NDArray[np.float64]:
        return self._whole.block(self._here, self._here[[feature]])[:, 0]

    def block(
        self, rows: np.typing.NDArray[np.intp], columns: np.typing.NDArray[np.intp]
    ) -> np.typing.NDArray[np.float64]:
        return self._whole.block(self._here[rows], self._here[columns])


def _ensemble(
    examples: ExampleSet,
    size: Size,
    *,
    rule: Literal["mid", "miq"],
    measure: str,
    members: int,
    output: str,
    ctx: Context,
) -> AttributeWeights:
    """Return what most selections on all but one part of the rows agree on."""
    names = examples.schema.regular_names
    rows = _rows_of_members(examples, members, ctx)
    shared = _members(examples, measure, rows)
    if shared is None:
        positions = _separately(examples, measure, rows, size=size, rule=rule, ctx=ctx)
    else:
        found = mrmr_ensemble.mrmr_ensemble(shared, size.k, criterion=rule, first=size.first)
        positions = found.position_weights(len(names))
    chosen = aggregation.top_k(positions, size.k, keep=size.kept)
    mean = positions.mean(axis=0)
    weights = chosen.selected.astype(np.float64)
    if output == "ranking":
        best_first = np.lexsort((-mean, -chosen.frequency, ~chosen.selected))
        best_first = best_first[: int(chosen.selected.sum())]
        weights[best_first] = np.arange(len(best_first), 0, -1)
    details = {"frequency": chosen.frequency, "position": mean}
    return AttributeWeights(names, weights, details=details)


def _rows_of_members(examples: ExampleSet, size: int, ctx: Context) -> list[Ints]:
    classes = class_codes(examples) if examples.label.value_type.is_nominal else None
    groups = row_groups(examples)
    units = len(examples) if groups is None else int(groups.max()) + 1
    if size > units:
        noun = "rows" if groups is None else "groups"
        raise DataError(f"iterations is {size}, but there are only {units} {noun} to divide.")
    rng = ctx.rng("ensemble")
    return list(
        resampling.leave_one_part_out(len(examples), size, rng, strata=classes, groups=groups)
    )


def _separately(
    examples: ExampleSet,
    measure: str,
    rows: Sequence[Ints],
    *,
    size: Size,
    rule: Literal["mid", "miq"],
    ctx: Context,
) -> Floats:
    """Return weights k (selected first) to 1 and 0 of each member, (members, attributes)."""

    def selected(part: Ints) -> Floats:
        found = measures_of(examples.take(part), measure)
        chosen = mrmr.mrmr(
            found.relevance, found.redundancy, size.k, criterion=rule, first=size.first
        )
        weights = np.zeros(len(found.names))
        weights[chosen.order] = np.arange(size.k, 0, -1.0)
        return weights

    return np.array(ctx.map(selected, rows, "Members"))


def _members(
    examples: ExampleSet, measure: str, rows: Sequence[Ints]
) -> mrmr_ensemble.Members | None:
    """Return measures that all members share, or None if each has to be measured on its own."""
    nominal_label = examples.label.value_type.is_nominal
    classes = class_codes(examples) if nominal_label else None
    counts = resampling.row_counts(rows, len(examples))
    numeric_only = not len(examples.schema.regular_nominal)
    if measure == "by type" and numeric_only:
        label = examples.label_values() if classes is None else classes
        return mrmr_ensemble.CorrelationMembers(
            examples.numeric(), label, counts, nominal=nominal_label
        )
    codes_only = not len(examples.schema.regular_numerical) or measure != "by type"
    if classes is None or not codes_only or measure == "spearman":
        return None
    codes = attribute_codes(examples, classes, EQUAL_PARTS, BINS)
    kind: Literal["mi", "su"] = "su" if measure == "symmetric uncertainty" else "mi"
    return mrmr_ensemble.NominalMembers(codes, classes, counts, measure=kind)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_TYPES,
    tags=("loop", "speed", "redundancy", "shared"),
)
def mrmr_cache_creator(
    examples: ExampleSet,
    *,
    measure: Measure = "by type",
    megabytes: Annotated[
        float, Expert(), Field(gt=0, description="Memory for remembered redundancies.")
    ] = 512.0,
) -> MrmrCache:
    """MRMR Cache Creator

    Prepares a loop that looks at many subsets of the same columns, such as an evolutionary search
    with Performance (MRMR): relevances and redundancies are computed once and shared by all
    iterations.

    The cache is only valid for the rows from which it was made; with other rows the operator stops
    with an error. Inside a validation, make it from the training rows.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    return MrmrCache(examples, measure, megabytes)


def _subset(examples: ExampleSet, cache: MrmrCache | None, measure: str) -> mrmr.SubsetCriteria:
    if cache is not None:
        found, here = cache.measures, cache.positions(examples)
    else:
        found = measures_of(examples.loaded(), measure)
        here = np.arange(len(found.names))
    return mrmr.subset_criteria(here, found.relevance, found.redundancy)


@operator(
    group=GROUP,
    role="performance",
    row_weights="whole numbers",
    accepts=ANY_TYPES,
    tags=("relevance", "redundancy", "multi-objective", "pareto", "evaluate subset"),
)
def performance_mrmr(
    examples: ExampleSet,
    cache: MrmrCache | None = None,
    *,
    main_criterion: Annotated[
        Literal["difference", "quotient", "relevance", "redundancy"],
        Field(description="Criterion that a search uses."),
    ] = "difference",
    measure: Measure = "by type",
) -> PerformanceVector:
    """Performance (MRMR)

    Measures a set of attributes without training a model: their mean relevance to the label (large
    is good), their mean redundancy (small is good), and the difference and quotient of both. For
    wrapper searches over thousands of subsets, and for multi-objective search by relevance and
    redundancy.

    With "by type", classes and numbers, relevance is an F value and redundancy a correlation: use
    the quotient then.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    found = _subset(examples, cache, measure)
    criteria = {
        "difference": Criterion("difference", (found.mid,)),
        "quotient": Criterion("quotient", (found.miq,)),
        "relevance": Criterion("relevance", (found.relevance,)),
        "redundancy": Criterion("redundancy", (found.redundancy,), maximize=False),
    }
    first = criteria.pop(main_criterion)
    return PerformanceVector([first, *criteria.values()])


@operator(
    group=GROUP,
    role="performance",
    row_weights="whole numbers",
    accepts=ANY_TYPES,
    tags=("correlation based feature selection", "hall", "merit", "weka", "evaluate subset"),
)
def performance_cfs(
    examples: ExampleSet,
    cache: MrmrCache | None = None,
    *,
    measure: Annotated[
        Literal["automatic", "symmetric uncertainty", "pearson", "spearman"],
        Field(
            description="Correlation of two attributes. automatic: symmetric uncertainty for a "
            "label with classes, Pearson's for a numerical one. Pearson's and Spearman's need "
            "numerical attributes and at most two classes. With a cache its measure is used."
        ),
    ] = "automatic",
) -> PerformanceVector:
    r"""Performance (CFS)

    Measures a set of attributes by Hall's merit: high if they are correlated with the label and not
    with each other. For symmetric uncertainty numbers are cut into three bins; correlations count
    by their size.

    .. math:: \frac{\sum_i r_{ci}}{\sqrt{k + 2 \sum_{i<j} r_{ij}}}

    References
    ----------
    Hall (2000): Correlation-based feature selection for discrete and numeric class machine
    learning. ICML.
    """
    used: str = _cfs_measure(examples) if measure == "automatic" else measure
    if used == CFS_MEASURE and not examples.label.value_type.is_nominal:
        raise ParameterError(
            f'measure is symmetric uncertainty, but the label "{examples.label.name}" is a number.',
            hint="Set measure to automatic, pearson or spearman.",
        )
    if cache is not None:
        require_measure(cache, used)
    return PerformanceVector([Criterion("cfs", (_subset(examples, cache, used).cfs,))])
