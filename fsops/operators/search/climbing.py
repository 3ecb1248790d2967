"""Randomised hill climbing."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from fsops.algorithms.search import subsets as search
from fsops.algorithms.search.subsets import Subset
from fsops.core import Aliases, Context, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import ExampleSet
from fsops.operators.search.candidates import (
    ANY_TABLE,
    GROUP,
    PORTS,
    Evaluation,
    Selected,
    Subsets,
    Through,
    describe_search,
    found_out,
)


def _evaluations(known: Known) -> Count:
    steps = known["number_of_neighbors"] * known["maximum_number_of_generations"]
    return found_out(1, known["restarts"] * (1 + steps))


@operator(
    group=GROUP,
    role="search",
    bound_groups="together",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(ports=PORTS),
    tags=("wrapper", "random", "local search", "restarts", "feature selection"),
    random=True,
    turns=_evaluations,
)
def optimize_selection_hill_climbing(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    restarts: Annotated[
        int, Field(ge=1, description="From how many random sets to begin, each for itself.")
    ] = 3,
    p_initialize: Annotated[
        float, Field(ge=0, le=1, description="Chance of each attribute to be in a first set.")
    ] = 0.5,
    number_of_neighbors: Annotated[
        int, Field(ge=1, description="How many random changes are tried in each step.")
    ] = 10,
    generations_without_improval: Annotated[
        int, Field(ge=1, description="After how many steps without anything better to stop.")
    ] = 3,
    maximum_number_of_generations: Annotated[
        int, Field(ge=1, description="How many steps at most.")
    ] = 50,
    ctx: Context,
) -> Selected:
    """Optimize Selection (Hill Climbing)

    Begins with random sets of attributes and improves them: tries some random changes (one more,
    one less, one exchanged), goes to the best of them while it is better, and delivers the best set
    that any start led to. The cost per step does not depend on the number of attributes.

    It ends where no change that was tried helps, which need not be the best there is; more starts
    and more neighbours make that less likely. Begin with few attributes (a small p_initialize)
    where few are expected. The performance of the result is too good, because the best of many was
    chosen by it: put the search itself inside a validation. Each set is evaluated once, all with
    the same random numbers (the same folds).

    References
    ----------
    Skalak (1994): Prototype and feature selection by sampling and random mutation hill climbing
    algorithms. ICML, 293–301.
    """
    candidates = Subsets(examples, evaluation, through, ctx)
    p = candidates.size
    rngs = ctx.rng("climbers").spawn(restarts)
    best = search.climb(
        candidates.values_of_units,
        [_first(p, p_initialize, rng, candidates.least) for rng in rngs],
        p,
        rngs,
        neighbours=number_of_neighbors,
        patience=generations_without_improval,
        limit=maximum_number_of_generations,
        least=candidates.least,
    )
    return candidates.selected_units(best.subset)


def _first(p: int, probability: float, rng: np.random.Generator, least: int) -> Subset:
    """Return a random set with at least so many attributes, 0 or 1."""
    chosen: Subset = tuple(np.flatnonzero(rng.random(p) < probability).tolist())
    return chosen if len(chosen) >= least else (int(rng.integers(p)),)
