"""Rankings."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Context, MacroName, Subprocess, operator
from fsops.core.declare.iterations import Known
from fsops.core.declare.parameters import value_text
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.names import Names
from fsops.errors import DataError, enumerate_names
from fsops.operators.sizes import Size
from fsops.operators.weighting.scores import describe_same_names, describe_weights

GROUP = "Selection/Ranking"


@operator(
    group=GROUP,
    role="weighting",
    describe=describe_same_names,
    tags=("weights 2 ranking", "order", "position", "place"),
)
def weights_to_ranking(
    weights: AttributeWeights,
    *,
    use_absolute_weights: Annotated[
        bool, Field(description="Rank by the absolute weight.")
    ] = False,
) -> AttributeWeights:
    """Weights to Ranking

    Replaces every weight by its rank: 1 for the best, 2 for the next, and so on. Ties keep the
    order of the data; unknown weights come last.

    The result is marked as a ranking: operators that select the best attributes take the smallest
    numbers, and tables list 1 first. The conditions of Select by Weights refer to these ranks.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    order = weights.order(absolute=use_absolute_weights)
    places = np.empty(len(order))
    places[order] = np.arange(1.0, len(order) + 1)
    places.flags.writeable = False  # so that it is not copied
    return weights.with_values(places, origin="Weights to Ranking", best="smallest")


def _sizes(known: Known) -> int:
    largest: int = known["k"]
    return min(largest, known.attributes)


@operator(
    group=GROUP,
    role="selection",
    bound_groups="completed",
    accepts=Accepts(missing=True, infinite=True, sparse=True),
    describe=describe_weights,
    tags=("implicit ranking", "forward selection", "order"),
    iterations=_sizes,
)
def rank_by_selection(
    examples: ExampleSet,
    selection: Subprocess[[ExampleSet], AttributeWeights],
    *,
    k: Annotated[int, Field(ge=1, description="Largest number of attributes to select.")] = 10,
    macro: Annotated[
        str,
        MacroName(),
        Field(description="Macro that holds the number of attributes in the inner process."),
    ] = "k",
    ctx: Context,
) -> AttributeWeights:
    """Rank by Selection

    Finds the ranking hidden in a selection: runs its inner process for 1, 2, … k attributes and
    orders the attributes by the smallest k at which each is selected, and equal ones by how often
    they are selected. The first gets the largest weight, the last 1; attributes that are never
    selected get 0. Set the inner selection's number to ``%{k}``. Attributes with the role must_keep
    count among the k.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    names = examples.schema.regular_names
    size = Size.of(examples, k, ctx)
    fewest = max(1, int(size.kept.sum()))  # with a smaller number the result is the same
    sizes = range(fewest, min(size.k, len(names)) + 1)

    def selected(number: int) -> Names:
        with ctx.macro(macro, value_text(number)):
            return selection(examples).selected_names()

    first, times = np.full(len(names), np.inf), np.zeros(len(names))
    for number, chosen in zip(sizes, ctx.map(selected, sizes, "Sizes"), strict=True):
        here = names.find(chosen)
        if (here < 0).any():
            unknown = enumerate_names(chosen.take(np.flatnonzero(here < 0)))
            raise DataError(f"The selection names {unknown}, not in the data.")
        first[here] = np.minimum(first[here], number)
        times[here] += 1
    best_first = np.lexsort((-times, first))[: int((times > 0).sum())]
    if size.kept.any():
        best_first = size.cut(best_first)
    weights = np.zeros(len(names))
    weights[best_first] = np.arange(len(best_first), 0, -1)
    return AttributeWeights(names, weights)
