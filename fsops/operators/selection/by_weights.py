"""From weights to a selection of attributes."""

from __future__ import annotations

import math
import operator as compare
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.ranking import Chosen, best
from fsops.algorithms.base.types import Floats
from fsops.core import Aliases, Context, When, operator
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
)
from fsops.operators.weighting.scores import describe_same_names

GROUP = "Selection"

_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "greater": compare.gt,
    "greater equals": compare.ge,
    "equals": compare.eq,
    "less equals": compare.le,
    "less": compare.lt,
}


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
        Literal["top k", "top p%"], Field(description="Whether to keep a number or a share.")
    ] = "top k",
    k: Annotated[
        int, When(method="top k"), Field(ge=1, description="How many attributes to keep.")
    ] = 10,
    p: Annotated[
        float, When(method="top p%"), Field(gt=0, le=100, description="Percentage to keep.")
    ] = 10.0,
    use_absolute_weights: Annotated[
        bool, Field(description="Rank by the size of the weight, whatever its sign.")
    ] = False,
    ctx: Context,
) -> AttributeWeights:
    """Select Top k

    Gives the best attributes the weight 1 and all others 0, so that a selection can be made,
    counted or compared. Unknown weights come last; of equal weights at the cut the attributes that
    come first in the data are kept, with a warning.

    The share p is rounded down, but at least one attribute is kept. With fewer than k attributes
    all are kept, with a warning. To drop the others from a table use Select by Weights.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    n = len(weights)
    if method == "top p%":
        k = max(1, math.floor(p * n / 100 + 1e-9))
    elif k > n:
        ctx.warn(f"k is {k}, but there are only {n} attributes: all are kept.")
    chosen = np.zeros(n)
    chosen[_warned(weights.best(k, absolute=use_absolute_weights), ctx)] = 1.0
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
        Field(description="Which weights are good enough."),
    ] = "greater equals",
    weight: Annotated[
        float,
        When(weight_relation=("greater", "greater equals", "equals", "less equals", "less")),
        Field(description="The weight to compare with."),
    ] = 1.0,
    k: Annotated[
        int,
        When(weight_relation=("top k", "bottom k", "all but top k", "all but bottom k")),
        Field(ge=1, description="How many attributes."),
    ] = 10,
    p: Annotated[
        float,
        When(weight_relation=("top p%", "bottom p%")),
        Field(ge=0, le=1, description="Which share of the attributes, from 0 to 1."),
    ] = 0.5,
    deselect_unknown: Annotated[
        bool, Field(description="Drop attributes that have no weight.")
    ] = True,
    use_absolute_weights: Annotated[
        bool, Field(description="Compare the size of the weight, whatever its sign.")
    ] = True,
    ctx: Context,
) -> ExampleSet:
    """Select by Weights

    Keeps the regular attributes whose weight is good enough, and all special attributes. No value
    is changed.

    Relations with k and p always keep at least one attribute; a plain comparison may keep none,
    which gives a warning. Of equal weights at the cut the attributes that come first in the data
    are kept, with a warning. The top of a ranking are its smallest numbers.
    """  # fmt: skip
    values = weights.values_of(examples.schema.regular_names)
    values = np.abs(values) if use_absolute_weights else values
    known = ~np.isnan(values)
    usable = np.flatnonzero(known)
    keep = ~known & (not deselect_unknown)
    chosen = _chosen(
        values[usable], weight_relation, weight, k, p, ctx, ranks=weights.smallest_is_best
    )
    keep[usable[chosen]] = True
    if not keep.any():
        which = f"{weight_relation} {weight:g}" if weight_relation in _COMPARISONS else "at all"
        ctx.warn(f"No attribute has a weight {which}: none is left.")
    return examples.features(keep)


def _chosen(  # noqa: PLR0917 - the operator's parameters
    weights: Floats, relation: str, weight: float, k: int, p: float, ctx: Context, *, ranks: bool
) -> npt.NDArray[np.intp]:
    """Return the positions of the attributes that are good enough."""
    if relation in _COMPARISONS:
        return np.flatnonzero(_COMPARISONS[relation](weights, weight))
    n = len(weights)
    count = math.floor(n * p + 0.5) if relation.endswith("p%") else k  # half a one counts up
    if relation.startswith("all but"):
        count = n - k
    count = min(max(count, 1), n)
    best_first = relation in ("top k", "top p%", "all but bottom k")
    # The top of a ranking are its smallest numbers.
    return _warned(best(weights if best_first != ranks else -weights, count), ctx)


def _warned(chosen: Chosen, ctx: Context) -> npt.NDArray[np.intp]:
    """Return the chosen positions; a warning says where only the order of the data decides."""
    if chosen.tied:
        ctx.warn(
            f"{chosen.tied} attributes inside and outside the selection have the same weight: the "
            "order of the data decides which of them are kept. A finer weighting or another k "
            "tells them apart."
        )
    return chosen.positions
