"""Wrappers on k-NN that look at few subsets: instance-based, after a filter, or at random."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, Unpack

import numpy as np
from pydantic import Field

from fsops.algorithms.base import ranking, resampling
from fsops.algorithms.filters.univariate import f_test
from fsops.algorithms.mrmr.selection import by_relevance
from fsops.algorithms.neighbors import hybrid_wrapper as algorithms, instance_based
from fsops.algorithms.neighbors.hybrid_wrapper import NeighbourErrors
from fsops.core import Accepts, Context, Expert, Named, When, operator
from fsops.data import AttributeWeights, Criterion, ExampleSet, MetaData, PerformanceVector
from fsops.data.design import row_groups
from fsops.errors import DataError, ParameterError
from fsops.operators.selection.instance_based import (
    CLASSES,
    Output,
    Proposals,
    candidates_of,
    points_of,
    selected_weights,
)
from fsops.operators.sizes import Size
from fsops.operators.weighting.scores import class_codes, describe_weights

GROUP = "Selection/Hybrid wrappers"
Measure = Annotated[
    Literal["manhattan", "euclidean"],
    Field(
        default="manhattan",
        description="Distance for the nearest neighbors that measure a set of attributes.",
    ),
]
MeasureScaling = Annotated[
    Literal["range", "none"],
    Field(
        default="range",
        description="range: divide numbers by the range of their attribute before that distance; "
        "none: take them as they are.",
    ),
]
MOST_ROWS = 10_000
"""The distances of all pairs of so many rows fill a gigabyte."""


class Neighbours(TypedDict):
    """How the error of a set of attributes is measured."""

    number_of_neighbors: Annotated[
        int, Field(ge=1, default=1, description="Number of nearest rows that vote on the class.")
    ]
    number_of_folds: Annotated[
        int,
        Field(
            ge=2,
            default=10,
            description="Folds of the inner cross-validation, the same for all sets; the number "
            "of rows or more means leave one out.",
        ),
    ]
    metric: Measure
    metric_scaling: MeasureScaling


class Hybrid(Proposals, Neighbours):
    """Proposals of rows, and their evaluation."""


class Wrapped(NamedTuple):
    """Results of a wrapper."""

    weights: AttributeWeights
    performance: Annotated[
        PerformanceVector,
        Named(description="Error on the folds that chose the attributes; it is optimistic."),
    ]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


def _judge(examples: ExampleSet, how: Neighbours, ctx: Context) -> NeighbourErrors:
    """Return a function from sets of attributes to errors, on folds drawn once."""
    n = len(examples)
    if n > MOST_ROWS:
        raise DataError(
            f"The data has {n:,} rows, but distances of all pairs are kept, for which "
            f"{MOST_ROWS:,} rows are the limit.",
            hint="Draw a sample of the rows first (Sample).",
        )
    codes = class_codes(examples)
    groups = row_groups(examples)
    parts = min(how["number_of_folds"], n if groups is None else int(groups.max()) + 1)
    part = resampling.partition(n, parts, ctx.rng("folds"), strata=codes, groups=groups)
    evaluations = ctx.progress(itertools.count(), "Sets of attributes")
    return NeighbourErrors(
        points_of(examples, scaled=how["metric_scaling"] == "range"),
        codes,
        part,
        k=how["number_of_neighbors"],
        metric=how["metric"],
        tick=lambda: next(evaluations),
    )


def _wrapped(weights: AttributeWeights, wrong: int, rows: int) -> Wrapped:
    error = Criterion("classification_error", (wrong / rows,), maximize=False, percent=True)
    return Wrapped(weights, PerformanceVector([error]))


def _nothing(examples: ExampleSet) -> Wrapped:
    """Return no attribute at all: the largest class is predicted then."""
    names = examples.schema.regular_names
    right = int(np.bincount(class_codes(examples)).max())
    weights = AttributeWeights(names, np.zeros(len(names)))
    return _wrapped(weights, len(examples) - right, len(examples))


@operator(
    group=GROUP,
    role="selection",
    accepts=CLASSES,
    describe=_describe,
    tags=("hib-sbs", "hybrid instance based", "sequential backward", "wrapper", "knn"),
    random=True,
)
def select_by_hib_sbs(
    examples: ExampleSet,
    *,
    removal: Annotated[
        Literal["single", "measured", "thesis"],
        Field(
            description="Attributes to drop in a round: the set whose removal helps most; all "
            "whose "
            "removal helps, unless the error rises by it; or all whose removal helps, as printed "
            "in the thesis, where the error to beat may not be the error of the result."
        ),
    ] = "single",
    output: Output = "score",
    ctx: Context,
    **options: Unpack[Hybrid],
) -> Wrapped:
    """Select by Instance-Based Backward Wrapper (HIB-SBS)

    Lets every row propose a small set of attributes and drops the sets that do harm. All sets are
    combined. Then whole sets are dropped as long as this lowers the errors of nearest neighbors in
    an inner cross-validation. So a wrapper needs as many trials per round as there are rows, not
    attributes.

    The weight of a selected attribute is its mean weight over all rows (as in Select by
    Instance-Based Filter, "mean weight"), all others get 0. With few rows many sets have the same
    error, and the result may change much with the rows: measure its stability. With "measured" and
    "thesis" dropping several sets at once can take away too much.

    The error is optimistic because it chose the attributes: put the operator inside a validation.

    References
    ----------
    Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.
    Thesis, Université de Tunis.
    """
    points = points_of(examples)
    found = candidates_of(examples, points, options, ctx)
    if not found.proposed.any():
        return _nothing(examples)
    judge = _judge(examples, options, ctx)
    kept = algorithms.backward_over_candidates(judge, found.subsets(), removal=removal)
    combined = instance_based.combine(found, "mean weight")
    order = combined.order[np.isin(combined.order, kept.features)]
    names = examples.schema.regular_names
    weights = selected_weights(names, order, combined.weights, output)
    return _wrapped(weights, kept.errors, len(examples))


@operator(
    group=GROUP,
    role="selection",
    accepts=CLASSES,
    describe=_describe,
    tags=("hib-css", "hybrid instance based", "cooperative subset search", "wrapper", "knn"),
    random=True,
)
def select_by_hib_css(
    examples: ExampleSet,
    *,
    limits: Annotated[
        Literal["quantiles", "errors"],
        Field(
            description="Limits of good and bad sets: relative to the other sets, or fixed error "
            "rates."
        ),
    ] = "quantiles",
    good_quantile: Annotated[
        float,
        When(limits="quantiles"),
        Field(ge=0, le=1, description="Sets with an error below this quantile are good."),
    ] = 0.25,
    bad_quantile: Annotated[
        float,
        When(limits="quantiles"),
        Field(ge=0, le=1, description="Sets with an error above this quantile are bad."),
    ] = 0.75,
    good_error: Annotated[
        float,
        When(limits="errors"),
        Field(ge=0, le=1, description="Sets with an error rate below this are good."),
    ] = 0.1,
    bad_error: Annotated[
        float,
        When(limits="errors"),
        Field(ge=0, le=1, description="Sets with an error rate above this are bad."),
    ] = 0.3,
    middling_attributes: Annotated[
        Annotated[int, Field(ge=1)] | None,
        Field(
            description="Number of attributes from sets between good and bad to consider, best "
            "first; empty: all."
        ),
    ] = None,
    output: Output = "score",
    ensure_good: Annotated[
        bool,
        Expert(),
        Field(description="If no set is good, take those with the lowest error, unless all tie."),
    ] = True,
    middling_includes_good: Annotated[
        bool,
        Expert(),
        Field(description="Also count good sets as medium sets, as the thesis prints it."),
    ] = False,
    ctx: Context,
    **options: Unpack[Hybrid],
) -> Wrapped:
    r"""Select by Instance-Based Cooperative Wrapper (HIB-CSS)

    Lets every row propose a small set of attributes, and selects the attributes of good sets. Each
    set is measured by the errors of nearest neighbors in an inner cross-validation. All attributes
    of good sets are selected, and those attributes of medium sets that no bad set has. It takes one
    round, with as many trials as there are rows.

    Attributes of good sets get weights between 1 and 2, other selected attributes between 0 and 1.
    An attribute in both ranges gets a weight that grows with the sum of weight / error over its
    sets. All others get 0. If no attribute is left, the attributes with the best mean weight are
    selected, with a warning.

    The error is optimistic because it chose the attributes: put the operator inside a validation.

    .. math:: w_j = \sum_i \frac{w_{ij}}{\max(\beta_i, 1/2m)}

    References
    ----------
    Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.
    Thesis, Université de Tunis.
    """
    low, high = (good_quantile, bad_quantile) if limits == "quantiles" else (good_error, bad_error)
    if low > high:
        kind = limits.removesuffix("s")
        raise ParameterError(
            f"good_{kind} is {low:g}, but bad_{kind} is {high:g}: a set would be good and bad.",
            hint="The limit of good sets must be smaller than the limit of bad sets.",
        )
    points = points_of(examples)
    found = candidates_of(examples, points, options, ctx)
    if not found.proposed.any():
        return _nothing(examples)
    judge = _judge(examples, options, ctx)
    agreed = algorithms.cooperate(
        judge,
        found,
        good=low,
        bad=high,
        quantiles=limits == "quantiles",
        most=middling_attributes,
        ensure_good=ensure_good,
        other_includes_good=middling_includes_good,
    )
    order, scores = agreed.order, agreed.weights
    if not order.size:
        ctx.warn(
            "No attribute is left after removing those of bad sets, so the attributes with "
            "the best mean weight are used."
        )
        combined = instance_based.combine(found, "mean weight")
        order, scores = combined.order[: found.size], combined.weights
    names = examples.schema.regular_names
    weights = selected_weights(names, order, scores, output)
    return _wrapped(weights, judge.count_of(order.tolist()), len(examples))


@operator(
    group=GROUP,
    role="selection",
    accepts=Accepts(label="nominal", attributes="numerical"),
    describe=_describe,
    tags=("hyb-seq", "sequential forward selection", "t-test", "wrapper", "knn", "hybrid"),
    random=True,
)
def select_by_hyb_seq(
    examples: ExampleSet,
    *,
    k: Annotated[int, Field(ge=1, description="Largest number of attributes to select.")] = 10,
    prefilter_k: Annotated[
        int, Field(ge=1, description="Number of best attributes by the t-test to choose from.")
    ] = 150,
    stop_without_gain: Annotated[
        bool,
        Field(description="Stop when no attribute lowers the error; otherwise continue up to k."),
    ] = True,
    output: Annotated[
        Literal["ranking", "selection"],
        Field(description="Rank (first selected = highest), or 1 for every selected attribute."),
    ] = "ranking",
    ctx: Context,
    **neighbours: Unpack[Neighbours],
) -> Wrapped:
    """Select by t-Test and Forward k-NN (Hyb-Seq)

    Builds up a set from the attributes with the largest t values, with a pooled variance (F values
    with more than two classes). Each step adds the attribute with which nearest neighbors make the
    fewest errors in an inner cross-validation. If several are equal, the first one in the data is
    added.

    The weights show the order: the attribute added first has the largest weight, and attributes
    that were not added get 0. With few rows the error often stops falling after two or three
    attributes; set stop_without_gain to false to rank up to k attributes. Attributes with the role
    must_keep count among the k and are added first.

    The error is optimistic because it chose the attributes: put the operator inside a validation.

    References
    ----------
    Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.
    Thesis, Université de Tunis.
    """
    tested = f_test(examples.numeric(), class_codes(examples), p_values=False).weights
    if not tested.any():
        ctx.warn("No attribute differs between the classes: the order of the data decides.")
    size = Size.of(examples, k, ctx)
    allowed = ranking.descending_order(tested)[:prefilter_k]
    judge = _judge(examples, neighbours, ctx)
    steps = algorithms.forward(
        judge,
        allowed.tolist(),
        most=size.k,
        only_gains=stop_without_gain,
        first=by_relevance(size.first, tested).tolist(),
    )
    order = np.array([step.features[0] for step in steps], dtype=np.intp)
    names = examples.schema.regular_names
    weights = selected_weights(names, order, np.zeros(len(names)), output)
    return _wrapped(weights, steps[-1].errors, len(examples))


@operator(
    group=GROUP,
    role="selection",
    accepts=CLASSES,
    describe=_describe,
    tags=("randomized hill climbing", "skalak", "random mutation", "wrapper", "knn"),
    random=True,
)
def select_by_randomized_wrapper(
    examples: ExampleSet,
    *,
    k: Annotated[int, Field(ge=1, description="Number of attributes at the start.")] = 10,
    fixed_size: Annotated[
        bool, Field(description="Only exchange attributes, so that their number does not change.")
    ] = False,
    max_proposals: Annotated[
        int, Field(ge=1, description="Maximum number of changes to try.")
    ] = 1000,
    patience: Annotated[
        int,
        Field(
            ge=1, description="Stop after this number of changes in a row without an improvement."
        ),
    ] = 100,
    changes_at_once: Annotated[
        int,
        Expert(),
        Field(ge=1, description="Number of attributes that a change adds, removes or exchanges."),
    ] = 1,
    ctx: Context,
    **neighbours: Unpack[Neighbours],
) -> Wrapped:
    """Select by Randomized k-NN Wrapper

    Improves a random set of attributes by random changes. Attributes are added, removed or
    exchanged, and a change is kept if nearest neighbors then make fewer errors in an inner
    cross-validation, or as many with fewer attributes.

    Selected attributes get the weight 1, all others 0. Among thousands of attributes many sets
    perform equally well, and chance decides which one is found. Use it for comparison, not to find
    the attributes that matter. Optimize Selection and similar operators search with any learner.
    Attributes with the role must_keep count among the k and are in every set.

    The error is optimistic because it chose the attributes: put the operator inside a validation.

    References
    ----------
    Skalak (1994): Prototype and feature selection by sampling and random mutation hill climbing
    algorithms. ICML.
    """
    names = examples.schema.regular_names
    size = Size.within(examples, k, ctx)
    found = algorithms.climb_at_random(
        _judge(examples, neighbours, ctx),
        size.k,
        ctx.rng("changes"),
        proposals=max_proposals,
        patience=patience,
        fixed_size=fixed_size,
        at_once=changes_at_once,
        fixed=size.first,
    )
    weights = selected_weights(
        names, np.array(found.features, dtype=np.intp), np.zeros(len(names)), "selection"
    )
    return _wrapped(weights, found.errors, len(examples))
