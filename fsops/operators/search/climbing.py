"""Randomized hill climbing."""

from __future__ import annotations

from typing import Annotated, Unpack

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
from fsops.operators.search.stopping import StoppingRules, may_stop, stopping_of


def _evaluations(known: Known) -> Count:
    steps = known["number_of_changes"] * known["max_generations"]
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
    iterations=may_stop(_evaluations),
)
def optimize_selection_hill_climbing(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    restarts: Annotated[
        int,
        Field(ge=1, description="Number of random sets to start from; each is a separate search."),
    ] = 3,
    initial_probability: Annotated[
        float, Field(ge=0, le=1, description="Probability of each attribute to be in a first set.")
    ] = 0.5,
    number_of_changes: Annotated[
        int, Field(ge=1, description="Number of random changes to try in each step.")
    ] = 10,
    generations_without_improvement: Annotated[
        int,
        Field(
            ge=1, description="Number of steps without improvement after which the search stops."
        ),
    ] = 3,
    max_generations: Annotated[int, Field(ge=1, description="Maximum number of steps.")] = 50,
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Selected:
    """Optimize Selection (Hill Climbing)

    Starts with random sets of attributes and improves them: tries some random changes (add, remove
    or exchange one attribute), keeps the best change while it improves the set, and returns the
    best set of all starts. The cost per step does not depend on the number of attributes.

    It ends when none of the tried changes helps. This may be a local optimum; more starts and more
    changes per step make that less likely. Start with few attributes (a small initial_probability)
    if you expect that few matter. The performance of the result is optimistic, because the search
    chose the best of many: put the search itself inside a validation. Each set is evaluated once,
    all with the same random numbers (the same folds).

    References
    ----------
    Skalak (1994): Prototype and feature selection by sampling and random mutation hill climbing
    algorithms. ICML, 293–301.
    """
    candidates = Subsets(examples, evaluation, through, ctx, stopping_of(stopping))
    p = candidates.size
    rngs = ctx.rng("climbers").spawn(restarts)
    return candidates.found(
        lambda: search.climb(
            candidates.values_of_units,
            [_first(p, initial_probability, rng, candidates.least) for rng in rngs],
            p,
            rngs,
            neighbours=number_of_changes,
            patience=generations_without_improvement,
            limit=max_generations,
            least=candidates.least,
        )
    )


def _first(p: int, probability: float, rng: np.random.Generator, least: int) -> Subset:
    """Return a random set with at least so many attributes, 0 or 1."""
    chosen: Subset = tuple(np.flatnonzero(rng.random(p) < probability).tolist())
    return chosen if len(chosen) >= least else (int(rng.integers(p)),)
