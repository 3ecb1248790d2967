"""Trying all sets of attributes."""

from __future__ import annotations

from typing import Annotated, Unpack, cast

from pydantic import Field

from fsops.algorithms.search import subsets as search
from fsops.core import Aliases, Context, Expert, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import ExampleSet
from fsops.errors import DataError
from fsops.operators.search.candidates import (
    ANY_TABLE,
    GROUP,
    PORTS,
    Evaluation,
    Selected,
    Subsets,
    Through,
    describe_search,
)
from fsops.operators.search.numbers import Numbers, bounds, free_bounds
from fsops.operators.search.stopping import StoppingRules, may_stop, stopping_of


class SearchedSizes(Numbers, StoppingRules, total=False):
    """Bounds on the sizes, and when to stop."""


def _sets(known: Known) -> Count:
    numbers = cast(Numbers, {name: known[name] for name in Numbers.__annotations__})
    number = search.number_of_subsets(known.attributes, *bounds(numbers, known.attributes))
    return Count(number, number, found_out=True)


@operator(
    group=GROUP,
    role="search",
    bound_groups="together",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(keys=("BruteForce",), ports=PORTS),
    tags=("wrapper", "exhaustive", "all subsets", "optimal", "feature selection"),
    iterations=may_stop(_sets),
)
def optimize_selection_brute_force(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    max_evaluations: Annotated[
        int,
        Expert,
        Field(ge=1, description="Refuse to begin if there are more sets than this."),
    ] = 100_000,
    ctx: Context,
    **others: Unpack[SearchedSizes],
) -> Selected:
    """Optimize Selection (Brute Force)

    Runs the inner process on all sets of attributes and returns the best set. No set is overlooked.
    If several sets are equally good, the one with fewer attributes wins, then the one whose
    attributes come first.

    p attributes have 2^p − 1 sets: 20 have a million. It refuses more sets than max_evaluations:
    select a few dozen attributes by a filter first and limit the number of attributes, or use
    another search. The performance of the best set is optimistic, because it is the best of many:
    put the search itself inside a validation. All sets are evaluated with the same random numbers
    (the same folds).
    """
    candidates = Subsets(examples, evaluation, through, ctx, stopping_of(others))
    p = candidates.size
    low, high = free_bounds(others, p, candidates.kept, ctx)
    total = search.number_of_subsets(p, low, high)
    if total > max_evaluations:
        size = f"{low}" if low == high else f"{low} to {high}"
        shown = f"{total:,}" if total < 10**12 else f"{total:.1e}"
        raise DataError(
            f"{p} attributes have {shown} sets of {size} attributes, more than the "
            f"{max_evaluations:,} that may be tried.",
            hint="Lower max_attributes, begin with a filter, or use Optimize Selection. "
            "To try them all, raise max_evaluations.",
        )
    return candidates.found(
        lambda: search.exhaustive(candidates.values_of_units, p, low=low, high=high)
    )
