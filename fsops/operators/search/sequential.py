"""Searches that change a set of attributes step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Unpack

from pydantic import Field

from fsops.algorithms.search import subsets as search
from fsops.algorithms.search.subsets import Scored
from fsops.core import Aliases, Context, When, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import Criterion, ExampleSet
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
from fsops.operators.sizes import counted

Speculative = Annotated[
    int,
    Field(
        ge=0,
        description="Number of rounds in a row that may fail before the search stops; if none of "
        "them succeeds, their changes are undone.",
    ),
]


def _evaluations(p: int, rounds: int) -> int:
    """Return how many sets so many rounds try, each with one attribute less to choose from."""
    return sum(p - done for done in range(min(rounds, p)))


def _generations(known: Known) -> Count:
    p = known.attributes
    most = p - 1
    if known["limit_generations"]:
        most = min(most, known["max_generations"])
    fewest = most
    if known["max_fitness"] is not None:
        fewest = 0
    elif known["use_early_stopping"]:
        fewest = min(most, known["generations_without_improvement"])
    if known["selection_direction"] == "backward":
        first, per_round = 1, [p - done for done in range(most)]
    else:
        first, per_round = p, [p - 1 - done for done in range(most)]
    return found_out(first + sum(per_round[:fewest]), first + known["keep_best"] * sum(per_round))


def _forward(known: Known) -> Count:
    p, most = known.attributes, known["max_attributes"]
    fewest = min(most, 2 + known["speculative_rounds"])
    return found_out(_evaluations(p, fewest), _evaluations(p, most))


def _backward(known: Known) -> Count:
    p, most = known.attributes, min(known["max_eliminations"], known.attributes - 1)
    fewest = min(most, 1 + known["speculative_rounds"])
    return found_out(1 + _evaluations(p, fewest), 1 + _evaluations(p, most))


def _floating(known: Known) -> Count:
    p = known.attributes
    size = min(known["k"], p)
    if known["selection_direction"] == "backward":
        return found_out(1 + _evaluations(p, p - size), None)
    return found_out(_evaluations(p, size), None)


@operator(
    group=GROUP,
    role="search",
    bound_groups="together",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(keys=("FeatureSelection",), ports=PORTS),
    tags=("wrapper", "forward", "backward", "beam search", "feature selection"),
    iterations=may_stop(_generations),
)
def optimize_selection(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    selection_direction: Annotated[
        Literal["forward", "backward"],
        Field(
            description="Start with single attributes and add others, or start with all and remove "
            "some."
        ),
    ] = "forward",
    use_early_stopping: Annotated[
        bool, Field(description="Stop when the search no longer improves.")
    ] = True,
    generations_without_improvement: Annotated[
        int,
        When(use_early_stopping=True),
        Field(
            ge=1,
            description="Number of generations without improvement after which the search stops.",
        ),
    ] = 1,
    limit_generations: Annotated[
        bool, Field(description="Stop after a number of generations.")
    ] = False,
    max_generations: Annotated[
        int,
        When(limit_generations=True),
        Field(ge=1, description="Number of generations after the first one."),
    ] = 10,
    keep_best: Annotated[
        int,
        Field(
            ge=1, description="Number of best sets of a generation from which the next one is made."
        ),
    ] = 1,
    max_fitness: MaximalFitness = None,
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Selected:
    """Optimize Selection

    Searches for a set of attributes with which the inner process performs well. The inner process
    runs on each candidate set and measures it, usually by a cross-validation of a learner. Each
    generation adds one attribute to the best sets of the previous generation, or removes one.

    The performance of the result is optimistic, because the search chose the best of many: put the
    search itself inside a validation, such as Wrapper-X-Validation. It takes about as many runs per
    generation as there are attributes; with thousands of attributes use a filter first.

    Each set is evaluated once, and all with the same random numbers: an inner validation has the
    same folds for every candidate. If several sets are equally good, the one with fewer attributes
    wins, then the one whose attributes come first. The search optimizes the first criterion of the
    performance; errors are minimized.

    References
    ----------
    Kohavi, John (1997): Wrappers for feature subset selection. Artificial Intelligence 97, 273–324.
    """
    candidates = Subsets(examples, evaluation, through, ctx, stopping_of(stopping))
    return candidates.found(
        lambda: search.generations(
            candidates.values_of_units,
            candidates.size,
            least=candidates.least,
            backward=selection_direction == "backward",
            keep=keep_best,
            patience=generations_without_improvement if use_early_stopping else None,
            limit=max_generations if limit_generations else None,
            enough=lambda value: candidates.is_enough(value, max_fitness),
        )
    )


@operator(
    group=GROUP,
    role="search",
    bound_groups="together",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(ports=PORTS),
    tags=("wrapper", "sequential forward selection", "sfs", "greedy", "feature selection"),
    iterations=may_stop(_forward),
)
def optimize_selection_forward(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    max_attributes: Annotated[int, Field(ge=1, description="Largest number of attributes.")] = 10,
    speculative_rounds: Speculative = 0,
    stopping_behavior: Annotated[
        Literal["without increase", "without increase of at least", "without significant increase"],
        Field(
            description="Stopping rule: stop if the best further attribute does not bring the "
            "chosen gain."
        ),
    ] = "without increase",
    use_relative_increase: Annotated[
        bool,
        When(stopping_behavior="without increase of at least"),
        Field(description="Measure the gain as a fraction of the performance so far."),
    ] = True,
    min_absolute_increase: Annotated[
        float,
        When(stopping_behavior="without increase of at least", use_relative_increase=False),
        Field(ge=0, description="Smallest gain with which the search continues."),
    ] = 0.0,
    min_relative_increase: Annotated[
        float,
        When(stopping_behavior="without increase of at least", use_relative_increase=True),
        Field(
            ge=0, le=1, description="Smallest gain with which the search continues, as a fraction."
        ),
    ] = 0.0,
    significance_level: Annotated[
        float,
        When(stopping_behavior="without significant increase"),
        Field(ge=0, le=1, description="The largest p-value that counts as significant."),
    ] = 0.05,
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Selected:
    """Forward Selection

    Builds up a set of attributes. It starts with none, tries each remaining attribute, adds the one
    with which the inner process performs best, and repeats while the performance improves.

    Attributes that help only together are not found, because neither helps alone: try Backward
    Elimination or Optimize Selection (Floating). The performance of the result is optimistic,
    because the search chose the best of many: put the search itself inside a validation. Each set
    is evaluated once, all with the same random numbers (the same folds). The first attribute is
    always added, unless attributes have the role must_keep: these count among max_attributes, and
    the search starts with them. "Significant" compares the repetitions of the performance, such as
    folds, by an analysis of variance, as RapidMiner says it does; folds share rows, so take the
    p-value as a rough guide.

    References
    ----------
    Kohavi, John (1997): Wrappers for feature subset selection. Artificial Intelligence 97, 273–324.
    """
    candidates = Subsets(examples, evaluation, through, ctx, stopping_of(stopping))
    minimum = min_relative_increase if use_relative_increase else min_absolute_increase
    most = counted(max_attributes, candidates.kept, ctx, "max_attributes")

    def goes_on(last: Scored, new: Scored) -> bool:
        gain = _gain(last, new)
        if stopping_behavior == "without significant increase":
            return gain > 0 and _p_value(candidates, last, new) < significance_level
        if stopping_behavior == "without increase":
            return gain > 0
        return gain > 0 and gain >= minimum * (abs(last.value) if use_relative_increase else 1)

    return candidates.found(
        lambda: search.sequential(
            candidates.values_of_units,
            candidates.size,
            least=candidates.least,
            rounds=most - candidates.kept,
            goes_on=goes_on,
            speculative=speculative_rounds,
        )
    )


@operator(
    group=GROUP,
    role="search",
    bound_groups="together",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(ports=PORTS),
    tags=("wrapper", "sequential backward selection", "sbs", "greedy", "feature selection"),
    iterations=may_stop(_backward),
)
def optimize_selection_backward(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    max_eliminations: Annotated[
        int, Field(ge=1, description="Largest number of attributes to remove.")
    ] = 10,
    speculative_rounds: Speculative = 0,
    stopping_behavior: Annotated[
        Literal["with decrease", "with decrease of more than", "with significant decrease"],
        Field(
            description="Stopping rule: stop if even the best elimination brings the chosen loss."
        ),
    ] = "with decrease",
    use_relative_decrease: Annotated[
        bool,
        When(stopping_behavior="with decrease of more than"),
        Field(description="Measure the loss as a fraction of the performance so far."),
    ] = True,
    max_absolute_decrease: Annotated[
        float,
        When(stopping_behavior="with decrease of more than", use_relative_decrease=False),
        Field(
            description="Largest loss with which the search continues; below 0 a gain is required."
        ),
    ] = 0.0,
    max_relative_decrease: Annotated[
        float,
        When(stopping_behavior="with decrease of more than", use_relative_decrease=True),
        Field(
            ge=-1, le=1, description="Largest loss with which the search continues, as a fraction."
        ),
    ] = 0.0,
    significance_level: Annotated[
        float,
        When(stopping_behavior="with significant decrease"),
        Field(ge=0, le=1, description="The largest p-value that counts as significant."),
    ] = 0.05,
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Selected:
    """Backward Elimination

    Removes attributes that the inner process does not need. It starts with all, tries to leave out
    each attribute, removes the one with the smallest loss, and repeats while there is no loss.
    Attributes that help only together stay together.

    It takes about as many runs per round as there are attributes; with hundreds of attributes use a
    filter first. The performance of the result is optimistic, because the search chose the best of
    many: put the search itself inside a validation. Each set is evaluated once, all with the same
    random numbers (the same folds). At least one attribute is kept. Unlike in RapidMiner, an
    attribute is also removed if the performance stays the same, and the first removal follows the
    same rule as all others.

    References
    ----------
    Kohavi, John (1997): Wrappers for feature subset selection. Artificial Intelligence 97, 273–324.
    """
    candidates = Subsets(examples, evaluation, through, ctx, stopping_of(stopping))
    maximum = max_relative_decrease if use_relative_decrease else max_absolute_decrease

    def goes_on(last: Scored, new: Scored) -> bool:
        loss = -_gain(last, new)
        if stopping_behavior == "with significant decrease":
            return loss <= 0 or _p_value(candidates, last, new) >= significance_level
        if stopping_behavior == "with decrease":
            return loss <= 0
        return loss <= maximum * (abs(last.value) if use_relative_decrease else 1)

    return candidates.found(
        lambda: search.sequential(
            candidates.values_of_units,
            candidates.size,
            least=candidates.least,
            backward=True,
            rounds=max_eliminations,
            goes_on=goes_on,
            speculative=speculative_rounds,
        )
    )


def _gain(last: Scored, new: Scored) -> float:
    """Return how much better the new one is; of two undefined ones neither is."""
    return 0.0 if new.value == last.value else new.value - last.value


def _p_value(candidates: Subsets, last: Scored, new: Scored) -> float:
    """Return how likely chance alone makes the repetitions of two performances differ so much."""
    groups = [
        candidates.performance_of(candidates.attributes(scored.subset)).main
        for scored in (last, new)
    ]
    _require_repetitions(groups)
    from scipy.stats import f

    values = [criterion.values for criterion in groups]
    within = sum(sum((v - c.mean) ** 2 for v in c.values) for c in groups)
    number = sum(map(len, values))
    overall = sum(map(sum, values)) / number
    between = sum(c.count * (c.mean - overall) ** 2 for c in groups)
    if within <= 0:
        return 1.0 if between <= 0 else 0.0
    return float(f.sf(between / (within / (number - 2)), 1, number - 2))


def _require_repetitions(groups: Sequence[Criterion]) -> None:
    if any(criterion.count < 2 for criterion in groups):
        raise DataError(
            "A significant difference needs performances measured several times, but this one was "
            "measured once.",
            hint="Put a validation with repetitions inside, such as Cross Validation, or choose "
            "another stopping_behavior.",
        )


@operator(
    group=GROUP,
    role="search",
    bound_groups="together",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(ports=PORTS),
    tags=("wrapper", "sffs", "sbfs", "sequential floating", "feature selection"),
    iterations=may_stop(_floating),
)
def optimize_selection_floating(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    selection_direction: Annotated[
        Literal["forward", "backward"],
        Field(description="Start with one attribute (SFFS), or with all (SBFS)."),
    ] = "forward",
    k: Annotated[
        int,
        Field(
            ge=1,
            description="Number of attributes at the end of the search, or all if the table has "
            "fewer.",
        ),
    ] = 10,
    result: Annotated[
        Literal["best", "exact number"],
        Field(description="Return the best set of any size seen, or of the requested size."),
    ] = "best",
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Selected:
    """Optimize Selection (Floating)

    Adds the best attribute as Forward Selection does, but after each step it removes attributes
    again while the smaller set beats the best known set of its size (SFFS). Backward selection
    swaps both steps (SBFS). This corrects early choices, but takes two to ten times as long.

    The performance of the result is optimistic, because the search chose the best of many: put the
    search itself inside a validation. Each set is evaluated once, all with the same random numbers
    (the same folds). If several sets are equally good, the smaller one wins, then the one whose
    attributes come first. Attributes with the role must_keep count among the k and are in every
    set.

    References
    ----------
    Pudil, Novovičová, Kittler (1994): Floating search methods in feature selection. Pattern
    Recognition Letters 15, 1119–1125.
    """
    candidates = Subsets(examples, evaluation, through, ctx, stopping_of(stopping))
    k = min(counted(k, candidates.kept, ctx), candidates.size + candidates.kept)
    size = max(k - candidates.kept, candidates.least)

    def best() -> Scored:
        known = search.floating(
            candidates.values_of_units,
            candidates.size,
            size=size,
            backward=selection_direction == "backward",
            least=candidates.least,
        )
        return known[size] if result == "exact number" else min(known.values(), key=search.rank)

    return candidates.found(best)
