"""Adding attributes in the order of their weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Unpack

import numpy as np
from pydantic import Field

from fsops.algorithms.base.ranking import best_first
from fsops.algorithms.base.types import Floats
from fsops.algorithms.search.subsets import Subset
from fsops.core import Aliases, Context, When, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.names import Names
from fsops.data.units import Units
from fsops.errors import DataError
from fsops.operators.search.candidates import (
    ANY_TABLE,
    GROUP,
    PORTS,
    Evaluation,
    MaximalFitness,
    Selected,
    Subsets,
    Through,
    describe_search,
    found_out,
)
from fsops.operators.search.stopping import StoppingRules, may_stop, stopping_of
from fsops.operators.size_choice import Choose, Percent


def _evaluations(known: Known) -> Count:
    return found_out(1, known.attributes)


def _nested(
    weights: AttributeWeights, names: Names, absolute: bool, units: Units | None
) -> Iterator[Subset]:
    """Return the best attribute, the two best, …; attributes without a weight are left out."""
    if units is not None:
        return _nested_units(weights.values_of(names), weights.smallest_is_best, absolute, units)
    ranked = weights.order(absolute=absolute)
    ranked = ranked[~np.isnan(weights.values[ranked])]
    places = names.find(weights.names.take(ranked))
    order = places[places >= 0]
    if not len(order):
        raise DataError(
            "None of the attributes has a weight.", hint="Weight the attributes of this table."
        )
    return (tuple(np.sort(order[:size]).tolist()) for size in range(1, len(order) + 1))


def _nested_units(
    values: Floats, smallest_is_best: bool, absolute: bool, units: Units
) -> Iterator[Subset]:
    """Return the units to keep with none, the best, the two best … of the others."""
    scores = units.scores(-values if smallest_is_best else np.abs(values) if absolute else values)
    order = units.free[best_first(scores[units.free])]
    order = order[~np.isnan(scores[order])]
    first = 0 if units.kept.any() else 1
    sizes = range(first, len(order) + 1)
    return (tuple(units.attributes(order[:size]).tolist()) for size in sizes)


@operator(
    group=GROUP,
    role="search",
    bound_groups="together",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(ports={**PORTS, "attribute weights in": "weights"}),
    tags=("wrapper", "ranking", "nested subsets", "filter and wrapper", "feature selection"),
    iterations=may_stop(_evaluations),
)
def optimize_selection_weight_guided(
    examples: ExampleSet,
    weights: AttributeWeights,
    evaluation: Evaluation,
    through: Through = [],
    *,
    use_absolute_weights: Annotated[bool, Field(description="Use absolute weights.")] = True,
    use_early_stopping: Annotated[
        bool,
        Field(description="Stop when several further attributes do not improve the performance."),
    ] = False,
    generations_without_improvement: Annotated[
        int,
        When(use_early_stopping=True),
        Field(
            ge=1,
            description="Number of further attributes without improvement after which the search "
            "stops.",
        ),
    ] = 2,
    max_fitness: MaximalFitness = None,
    choose: Choose = "best",
    percent: Percent = 1.0,
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Selected:
    """Optimize Selection (Weight-Guided)

    Tries the attribute with the largest weight, then the two attributes with the largest weights,
    and so on. Returns the set with the best performance of the inner process. With p attributes
    there are only p sets to evaluate, so this is the fastest wrapper: the weighting chooses the
    order, the wrapper chooses the number.

    Redundant attributes with large weights are all selected; a forward selection skips them.
    Attributes without a weight are never tried. If several sets are equally good, the smallest
    wins. With choose, a smaller set that is about as good wins. The standard error is that of the
    repetitions, such as folds. The performance of the result is optimistic, because the search
    chose the best of many, and the weights have seen all rows: put weighting and search inside a
    validation. All sets are evaluated with the same random numbers (the same folds).
    """
    rules = stopping_of(stopping)
    candidates = Subsets(examples, evaluation, through, ctx, rules)
    nested = _nested(weights, candidates.names, use_absolute_weights, candidates.units)
    if not (use_early_stopping or rules.watches_rounds) and max_fitness is None:
        candidates.until_stopped(lambda: candidates.performances(list(nested)))
        return candidates.selected(candidates.chosen(choose, percent))

    def add_attributes() -> None:
        best, idle = -np.inf, 0
        for subset in nested:
            (value,) = candidates.values([subset])
            best, idle = (value, 0) if value > best else (best, idle + 1)
            enough = candidates.is_enough(best, max_fitness)
            if enough or (use_early_stopping and idle >= generations_without_improvement):
                break

    candidates.until_stopped(add_attributes)
    return candidates.selected(candidates.chosen(choose, percent))
