"""From weights to a selection of attributes."""

from __future__ import annotations

import math
import operator as compare
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.ranking import best, tie_groups
from fsops.algorithms.base.types import Floats
from fsops.core import Aliases, Context, When, operator
from fsops.core.frame.events import TIES_AT_CUT
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
)
from fsops.data.names import Names, Positions
from fsops.operators.sizes import SIZE, available, counted
from fsops.operators.weighting.scores import describe_same_names

if TYPE_CHECKING:
    from fsops.data.units import Units

GROUP = "Selection"

_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "greater": compare.gt,
    "greater equals": compare.ge,
    "equals": compare.eq,
    "less equals": compare.le,
    "less": compare.lt,
}


_DECIDES = {"order of the data": "the order of the data", "name": "the name", "random": "chance"}

Ties = Annotated[
    Literal["order of the data", "name", "random"],
    Field(
        description="Choice among equal weights at the limit: the first in the data, the first by "
        "name, or random ones."
    ),
]


# A seed of its own: the operator does not depend on its name and place, as one that draws from the
# numbers of the process would. Only few people draw ties.
TiesSeed = Annotated[
    int,
    When(ties="random"),
    Field(ge=0, description="Seed of the random choice among equal weights."),
]


@operator(
    group=GROUP,
    role="selection",
    describe=describe_same_names,
    tags=("best", "ranking", "cut", "number of features", "subset"),
)
def select_top_k(
    weights: AttributeWeights,
    *,
    method: Annotated[
        Literal["top k", "top p%"],
        Field(description="Unit of the size: a number or a fraction of the attributes."),
    ] = "top k",
    k: Annotated[
        int, When(method="top k"), Field(ge=1, description="Number of attributes to keep.")
    ] = 10,
    p: Annotated[
        float, When(method="top p%"), Field(gt=0, le=100, description="Percentage to keep.")
    ] = 10.0,
    use_absolute_weights: Annotated[
        bool, Field(description="Rank by the absolute weight.")
    ] = False,
    ties: Ties = "order of the data",
    ties_seed: TiesSeed = 0,
    ctx: Context,
) -> AttributeWeights:
    """Select Top k

    Gives the best attributes the weight 1 and all others 0. The result is a selection that can be
    used, counted or compared. Unknown weights come last. Weights that differ by less than one part
    in 10¹² count as equal, because rounding causes such differences. If only some of several equal
    weights are among the best, ``ties`` chooses which ones are kept, and a warning gives their
    number.

    The fraction p is rounded down, but at least one attribute is kept. With fewer than k attributes
    all are kept, with a warning. To drop the others from a table use Select by Weights.
    Attributes with the role must_keep count among the k, and a bound group counts as one attribute
    with the best weight in it.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    n = len(weights)
    k = max(1, math.floor(p * n / 100 + 1e-9)) if method == "top p%" else available(k, n, ctx)
    chosen = np.zeros(n)
    scores = np.abs(weights.scores) if use_absolute_weights else weights.scores
    order = _order_of_ties(ties, ties_seed, weights.names)
    units = weights.units() if weights.is_bound else None
    by_size = method == "top k"
    if units is not None:
        k = counted(k, int(units.kept.sum()), ctx, "k" if by_size else SIZE)
    kept = _best(
        scores,
        k,
        order,
        ties=ties,
        ctx=ctx,
        field="k" if by_size else "p",
        is_size=by_size and units is None,
        units=units,
    )
    chosen[kept] = 1.0
    return weights.with_values(chosen, origin="Select Top k")


def _describe_selected(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    meta = inputs.get("examples")
    rows = meta.rows if isinstance(meta, ExampleSetMetaData) else None
    return ExampleSetMetaData(rows=rows)  # which attributes remain is known at the run only


@operator(
    group=GROUP,
    role="selection",
    row_weights="unaffected",
    bound_groups="together",
    describe=_describe_selected,
    aliases=Aliases(
        ports={"example set input": "examples", "example set output": "examples"},
    ),
    tags=("filter attributes", "apply weights", "threshold"),
)
def select_by_weights(
    examples: ExampleSet,
    weights: AttributeWeights,
    *,
    weight_relation: Annotated[
        Literal[
            "greater",
            "greater equals",
            "equals",
            "less equals",
            "less",
            "top k",
            "bottom k",
            "all but top k",
            "all but bottom k",
            "top p%",
            "bottom p%",
        ],
        Field(description="Condition that the weight of a kept attribute meets."),
    ] = "greater equals",
    threshold: Annotated[
        float,
        When(weight_relation=("greater", "greater equals", "equals", "less equals", "less")),
        Field(description="The weight to compare with."),
    ] = 1.0,
    k: Annotated[
        int,
        When(weight_relation=("top k", "bottom k", "all but top k", "all but bottom k")),
        Field(ge=1, description="Number of attributes."),
    ] = 10,
    p: Annotated[
        float,
        When(weight_relation=("top p%", "bottom p%")),
        Field(ge=0, le=1, description="Fraction of attributes, from 0 to 1."),
    ] = 0.5,
    deselect_unknown: Annotated[
        bool, Field(description="Drop attributes that have no weight.")
    ] = True,
    use_absolute_weights: Annotated[bool, Field(description="Compare the absolute weight.")] = True,
    ties: Annotated[
        Ties,
        When(
            weight_relation=(
                "top k",
                "bottom k",
                "all but top k",
                "all but bottom k",
                "top p%",
                "bottom p%",
            )
        ),
    ] = "order of the data",
    ties_seed: TiesSeed = 0,
    ctx: Context,
) -> ExampleSet:
    """Select by Weights

    Keeps the regular attributes whose weight meets a condition, and all special attributes. No
    value is changed.

    Relations with k and p always keep at least one attribute; a plain comparison may keep none,
    which gives a warning. Weights that differ by less than one part in 10¹² count as equal, because
    rounding causes such differences. If only some of several equal weights are among the best,
    ``ties`` chooses which ones are kept, and a warning gives their number. In a ranking, the
    smallest numbers are the best.

    Attributes with the role must_keep are always kept and count among the k. A bound group is kept
    or dropped as one: it counts as one attribute, with the best weight in it.
    """  # fmt: skip
    values = weights.values_of(examples.schema.regular_names)
    values = np.abs(values) if use_absolute_weights else values
    if examples.schema.is_bound:
        rule = (weight_relation, threshold, k, p)
        return _select_units(
            examples, values, weights, rule=rule, deselect_unknown=deselect_unknown, ctx=ctx
        )
    unknown = np.isnan(values) if np.isnan(values.max(initial=0.0)) else None
    # A slice of all, where each weight is known: nothing is copied.
    usable = slice(None) if unknown is None else np.flatnonzero(~unknown)
    scores = -values[usable] if weights.smallest_is_best else values[usable]
    if weight_relation in _COMPARISONS:
        chosen = np.flatnonzero(_COMPARISONS[weight_relation](values[usable], threshold))
    else:
        best_first, count = _count(weight_relation, k, p, len(scores))
        names = examples.schema.regular_names
        scores = scores if best_first else -scores
        if not isinstance(usable, slice):
            names = names.take(usable)
        order = _order_of_ties(ties, ties_seed, names)
        chosen = _best(
            scores,
            count,
            order,
            ties=ties,
            ctx=ctx,
            field="p" if weight_relation.endswith("p%") else "k",
            is_size=weight_relation in ("top k", "bottom k"),
        )
    if unknown is not None and not isinstance(usable, slice):
        kept = np.flatnonzero(unknown & (not deselect_unknown))
        chosen = np.concatenate([usable[chosen], kept])
    if not len(chosen):
        which = f"{weight_relation} {threshold:g}" if weight_relation in _COMPARISONS else "at all"
        ctx.warn(f"No attribute has a weight {which}: none is left.")
    return examples.features(chosen)


def _count(relation: str, k: int, p: float, n: int) -> tuple[bool, int]:
    """Return whether the best are kept, or the worst, and how many of n."""
    count = math.floor(n * p + 0.5) if relation.endswith("p%") else k  # half a one counts up
    if relation.startswith("all but"):
        count = n - k
    return relation in ("top k", "top p%", "all but bottom k"), min(max(count, 1), n)


def _select_units(
    examples: ExampleSet,
    values: Floats,
    weights: AttributeWeights,
    *,
    rule: tuple[str, float, int, float],
    deselect_unknown: bool,
    ctx: Context,
) -> ExampleSet:
    """Return the selection where attributes must be kept, or belong together."""
    from fsops.data.units import units_of_schema  # most tables do not need them

    relation, weight, k, p = rule
    units = units_of_schema(examples.schema)
    assert units is not None
    scores = units.scores(-values if weights.smallest_is_best else values)
    known = ~np.isnan(scores)
    keep = ~known & (not deselect_unknown)
    if relation in _COMPARISONS:
        compared = -scores if weights.smallest_is_best else scores
        keep[known] = _COMPARISONS[relation](compared[known], weight)
    else:
        best_first, count = _count(relation, k, p, int(known.sum()))
        # Those to keep come first and count.
        places = np.where(units.kept, np.inf, scores if best_first else -scores)[known]
        parameter = "k" if relation in ("top k", "bottom k") else SIZE
        count = counted(count, int(units.kept.sum()), ctx, parameter)
        best_places = _best(
            places,
            count - int(units.kept[~known].sum()),
            None,
            ties="order of the data",
            ctx=ctx,
            field="p" if relation.endswith("p%") else "k",
            is_size=False,
        )
        keep[np.flatnonzero(known)[best_places]] = True
    chosen = (keep | units.kept)[units.unit_of]
    if not chosen.any():
        ctx.warn("No attribute has a weight that meets the condition, so none is left.")
    return examples.features(chosen)


def _best(
    scores: Floats,
    k: int,
    order: Positions | None,
    *,
    ties: str,
    ctx: Context,
    field: str,
    is_size: bool,
    units: Units | None = None,
) -> Positions:
    """Return the positions of the k best; a warning says how many equal ones the cut divides."""
    if units is not None:
        chosen = units.best(scores, k)
        order, ties = None, "order of the data"
    else:
        chosen = best(scores if order is None else scores[order], k)
    if chosen.tied:
        values = scores if order is None else scores[order]
        ctx.caution(
            TIES_AT_CUT,
            f"{chosen.tied} attributes inside and outside the selection have the same weight: "
            f"{_DECIDES[ties]} decides which of them are kept. Use a weighting with more different "
            f"values, or another k.",
            parameter=field,
            values=_sizes_without_ties(values[chosen.positions], chosen.tied) if is_size else (),
        )
    return chosen.positions if order is None else order[chosen.positions]


def _sizes_without_ties(chosen: Floats, tied: int) -> list[int]:
    """Return the sizes that keep none, and all, of the equal scores at the cut."""
    group = tie_groups(-np.sort(-chosen))
    better = int((group != group[-1]).sum())
    return [size for size in (better, better + tied) if size]


def _order_of_ties(ties: str, seed: int, names: Names) -> Positions | None:
    """Return the order in which equal attributes are kept; None for that of the data."""
    if ties == "name":
        return np.argsort(np.array(names, dtype=object), kind="stable")
    return np.random.default_rng(seed).permutation(len(names)) if ties == "random" else None
