"""Searches by evolution: of sets of attributes, by one or several criteria, and of weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.search import pareto
from fsops.algorithms.search.evolution import Drifting, Scheme, Settings, Switching, evolve
from fsops.algorithms.search.stopping import Stopping
from fsops.algorithms.search.subsets import Subset
from fsops.core import Aliases, Context, Expert, Named, When, operator
from fsops.core.declare.iterations import Count, Known
from fsops.core.declare.parameters import join_names
from fsops.data import (
    Attribute,
    AttributeWeights,
    ExampleSet,
    FlowObject,
    PerformanceVector,
    ValueType,
)
from fsops.data.schema import MUST_KEEP
from fsops.errors import DataError
from fsops.operators.search.candidates import (
    ANY_TABLE,
    GROUP,
    PORTS,
    Candidates,
    Evaluation,
    MaximalFitness,
    Subsets,
    Through,
    criteria_matrix,
    describe_search,
    found_out,
)
from fsops.operators.search.costs import AttributeCosts
from fsops.operators.search.numbers import Numbers, free_bounds
from fsops.operators.search.stopping import StoppingRules, may_stop, stopping_of
from fsops.operators.validation.weighted import weighted

Floats = npt.NDArray[np.float64]
SORTING = "non dominated sorting"
COUNT, USED = "number_of_attributes", "attributes"


class Evolution(StoppingRules, total=False):
    """How a population evolves, as RapidMiner has it."""

    population_size: Annotated[
        int, Field(default=5, ge=1, description="Number of candidates that survive a generation.")
    ]
    max_generations: Annotated[
        int, Field(default=30, ge=1, description="Maximum number of generations.")
    ]
    use_early_stopping: Annotated[
        bool, Field(default=False, description="Stop when the search no longer improves.")
    ]
    generations_without_improvement: Annotated[
        int,
        When(use_early_stopping=True),
        Field(
            default=2,
            ge=1,
            description="Number of generations without improvement after which the search stops.",
        ),
    ]
    max_fitness: MaximalFitness
    selection_scheme: Annotated[
        Scheme,
        Field(
            default="tournament",
            description="Choice of the survivors: the best of random groups, with probabilities "
            "that grow with the fitness, the best only (cut), or by several criteria at once (non "
            "dominated sorting).",
        ),
    ]
    tournament_fraction: Annotated[
        float,
        When(selection_scheme="tournament"),
        Field(
            default=0.25, gt=0, le=1, description="Size of a random group, as a fraction of all."
        ),
    ]
    start_temperature: Annotated[
        float,
        When(selection_scheme="Boltzmann"),
        Field(
            default=1.0,
            gt=0,
            description="Temperature of the choice: the higher it is, the less the fitness "
            "matters.",
        ),
    ]
    dynamic_selection_pressure: Annotated[
        bool,
        When(selection_scheme=("tournament", "Boltzmann")),
        Field(
            default=True,
            description="Raise the selection pressure from generation to generation, so that the "
            "fitness "
            "matters more and more.",
        ),
    ]
    keep_best_individual: Annotated[
        bool,
        Field(default=False, description="Let the best candidate so far survive every generation."),
    ]


class SelectionEvolution(Numbers, Evolution, total=False):
    """Further inputs of an evolution of sets."""


def evaluations(known: Known) -> Count:
    """Return how many candidates an evolution tries at most."""
    size, generations = known["population_size"], known["max_generations"]
    # A mutated copy of everybody and, if pairs have children, as many of these, mutated too.
    new = 3 if known["crossover_probability"] > 0 else 1
    return found_out(1, size * (1 + new * generations))


CrossoverType = Annotated[
    Literal["one_point", "uniform", "shuffle"],
    Expert,
    Field(
        description="Crossover of two parents: exchange all attributes after a random position "
        "(one point), each attribute with probability 0.5 (uniform), or a random subset as large "
        "as with one point (shuffle)."
    ),
]


class SelectedByEvolution(NamedTuple):
    """Results of an evolution of sets."""

    examples: Annotated[ExampleSet, Named(description="The table with the best attributes.")]
    weights: Annotated[AttributeWeights, Named(description="1 for selected attributes, else 0.")]
    performance: Annotated[PerformanceVector, Named(description="Of the best attributes.")]
    log: Annotated[
        ExampleSet,
        Named(
            description="The best performance of each generation, and the number of candidates "
            "tried."
        ),
    ]
    front: Annotated[
        ExampleSet,
        Named(description="All sets tried for which no other set is better in every criterion."),
    ]


class WeightedIndividual(NamedTuple):
    """Results of an evolution of weights."""

    examples: Annotated[
        ExampleSet, Named(description="The table with its numbers multiplied by the best weights.")
    ]
    weights: Annotated[AttributeWeights, Named(description="The best weights.")]
    performance: Annotated[PerformanceVector, Named(description="With the best weights.")]
    log: Annotated[
        ExampleSet,
        Named(
            description="The best performance of each generation, and the number of candidates "
            "tried."
        ),
    ]


@operator(
    group=GROUP,
    role="search",
    bound_groups="together",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(keys=("GeneticAlgorithm",), ports=PORTS),
    tags=("wrapper", "genetic algorithm", "nsga", "pareto", "multi-objective", "cost", "price"),
    random=True,
    iterations=may_stop(evaluations),
)
def optimize_selection_evolutionary(
    examples: ExampleSet,
    evaluation: Evaluation,
    initial_weights: Annotated[
        AttributeWeights | None,
        Named(
            description="Weights from 0 to 1: the probability of each attribute to be in a first "
            "set."
        ),
    ] = None,
    costs: Annotated[
        AttributeWeights | None,
        Named(description="Cost of each attribute, from 0 on, such as the price of a measurement."),
    ] = None,
    through: Through = [],
    *,
    initialize_with_input_weights: Annotated[
        bool,
        Field(
            description="Draw the first sets with the probabilities at the port initial_weights."
        ),
    ] = False,
    initial_probability: Annotated[
        float,
        When(initialize_with_input_weights=False),
        Field(ge=0, le=1, description="Probability of each attribute to be in a first set."),
    ] = 0.5,
    mutation_probability: Annotated[
        float,
        Field(
            ge=-1,
            le=1,
            description="Mutation probability of each attribute; below 0: 1 / number of "
            "attributes.",
        ),
    ] = -1.0,
    crossover_probability: Annotated[
        float, Field(ge=0, le=1, description="Probability that a pair has children.")
    ] = 0.5,
    crossover_type: CrossoverType = "uniform",
    ctx: Context,
    **others: Unpack[SelectionEvolution],
) -> SelectedByEvolution:
    """Optimize Selection (Evolutionary)

    Lets sets of attributes evolve: they are combined and changed at random, the inner process
    measures each set, and the better sets survive. It finds attributes that help only together, and
    the cost per generation does not depend on their number.

    If the performance has several criteria, choose "non dominated sorting": then a set survives if
    no other set is better in every criterion, and "front" lists these sets for you to choose from.
    Use it for accuracy against the number of attributes, or with Performance (MRMR) and an exact
    number of attributes (a single attribute has no redundancy and would beat all larger sets). The
    other outputs are the best set by the first criterion; if several are equally good, the smaller
    one wins, then the one whose attributes come first. Sets with the same criteria are in the front
    once.

    If "costs" is connected, the front compares the first criterion with the total cost of the
    attributes: this also needs "non dominated sorting". Read Weights or Data to Weights give costs.
    For a limited budget, take the best row of the front that you can pay.

    The defaults are small: for more than a few dozen attributes raise population_size and
    max_generations. The performance of the result is optimistic, because the search chose the best
    of many: put the search itself inside a validation. Each set is evaluated once, all with the
    same random numbers (the same folds).

    References
    ----------
    Deb, Pratap, Agarwal, Meyarivan (2002): A fast and elitist multiobjective genetic algorithm:
    NSGA-II. IEEE Transactions on Evolutionary Computation 6, 182–197.
    Mierswa, Wurst (2006): Information preserving multi-objective feature selection for unsupervised
    learning. GECCO.
    """
    candidates = Subsets(examples, evaluation, through, ctx, stopping_of(others))
    prices = None if costs is None else AttributeCosts.of(costs, candidates.names)
    p = candidates.size
    low, high = free_bounds(others, p, candidates.kept, ctx)
    chances = np.full(p, initial_probability)
    if initialize_with_input_weights:
        chances = candidates.of_units(_given(initial_weights, candidates.names))
    mutate = Switching(1 / p if mutation_probability < 0 else mutation_probability, low, high)
    settings = settings_of(others, candidates, crossover_probability, crossover_type)
    rng = ctx.rng("evolution")
    first = (rng.random((settings.population_size, p)) < chances).astype(np.float64)

    def evaluate(population: Floats) -> Floats:
        subsets = [candidates.attributes(_subset(row)) for row in population]
        pairs = zip(subsets, candidates.performances(subsets), strict=True)
        return criteria_of(_priced(pairs, prices), settings.selection_scheme)

    candidates.until_stopped(
        lambda: evolve(evaluate, mutate.repaired(first, rng), mutate, settings, rng)
    )
    chosen = candidates.best()[0]
    best = candidates.selected(chosen)
    if prices is not None:
        measured = best.performance
        with_cost = [*measured, prices.total(chosen)]
        best = best._replace(performance=PerformanceVector(with_cost, confusion=measured.confusion))
    return SelectedByEvolution(*best, _front(candidates, settings.selection_scheme, prices))


def _priced(
    evaluated: Iterable[tuple[Subset, PerformanceVector]], prices: AttributeCosts | None
) -> list[PerformanceVector]:
    """Return the criteria by which sets are compared: if they have costs, one and the cost."""
    return [p if prices is None else prices.trade_off(subset, p) for subset, p in evaluated]


def _subset(row: Floats) -> Subset:
    return tuple(np.flatnonzero(row).tolist())


def settings_of(
    others: Mapping[str, Any],
    candidates: Candidates[Any],
    crossover_probability: float,
    crossover_type: Any,
) -> Settings:
    """Return the parameters of an evolution as the algorithm takes them."""
    max_fitness = others["max_fitness"]
    return Settings(
        population_size=others["population_size"],
        max_generations=others["max_generations"],
        patience=others["generations_without_improvement"]
        if others["use_early_stopping"]
        else None,
        enough=lambda value: candidates.is_enough(value, max_fitness),
        selection_scheme=others["selection_scheme"],
        tournament_fraction=others["tournament_fraction"],
        start_temperature=others["start_temperature"],
        dynamic_selection_pressure=others["dynamic_selection_pressure"],
        keep_best_individual=others["keep_best_individual"],
        crossover_probability=crossover_probability,
        crossover_type=crossover_type,
    )


def criteria_of(performances: Sequence[PerformanceVector], scheme: str) -> Floats:
    """Return all criteria where they count, else the main one."""
    if scheme == SORTING:
        return criteria_matrix(performances)
    return criteria_matrix([PerformanceVector([p.main]) for p in performances])


def _given(weights: AttributeWeights | None, names: Sequence[str]) -> Floats:
    """Return the weights to begin with, 0 for attributes that have none."""
    if weights is None:
        raise DataError(
            "There are no initial weights.",
            hint="Connect weights to initial_weights, or switch off initialize_with_input_weights.",
        )
    values: Floats = AttributeWeights.stack([weights], names)[1][0]
    if not ((values >= 0) & (values <= 1)).all():
        raise DataError(
            "Initial weights must be between 0 and 1.",
            hint="Normalize them first.",
        )
    return values


def _front(candidates: Subsets, scheme: str, prices: AttributeCosts | None) -> ExampleSet:
    """Return the sets that no other beats, the best by the first criterion first."""
    compared = _priced(candidates.everything, prices)
    everything = [(s, p) for (s, _), p in zip(candidates.everything, compared, strict=True)]
    points = criteria_of(compared, scheme if prices is None else SORTING)
    size = np.array([len(subset) for subset, _ in everything])
    inside = np.flatnonzero(pareto.front(points))
    inside = inside[np.lexsort((inside, size[inside], *-points[inside].T[::-1]))]
    _, once = np.unique(points[inside], axis=0, return_index=True)
    kept = [everything[i] for i in inside[np.sort(once)]]
    names = [criterion.name for criterion in everything[0][1]][: points.shape[1]]
    columns: list[tuple[Attribute, npt.NDArray[Any]]] = [
        (Attribute(_free_name(name)), np.array([float(p[name].mean) for _, p in kept]))
        for name in names
    ]
    counted = np.array([float(len(subset)) for subset, _ in kept])
    used = np.array([join_names(candidates.names_of(s)) for s, _ in kept], dtype=object)
    columns.append((Attribute(COUNT, ValueType.INTEGER), counted))
    columns.append((Attribute(USED, ValueType.TEXT), used))
    return ExampleSet.from_columns(columns, len(kept))


def _free_name(criterion: str) -> str:
    """Return the name of a criterion's column, apart from the two others."""
    return f"criterion {criterion}" if criterion in (COUNT, USED) else criterion


@operator(
    group=GROUP,
    role="search",
    accepts=ANY_TABLE,
    describe=describe_search,
    aliases=Aliases(
        keys=("EvolutionaryWeighting",), ports=PORTS, parameters={"1_5_rule": "one_fifth_rule"}
    ),
    tags=("wrapper", "evolution strategy", "feature weighting", "scaling", "k-nn"),
    random=True,
    iterations=may_stop(evaluations),
)
def optimize_weights_evolutionary(
    examples: ExampleSet,
    evaluation: Evaluation,
    initial_weights: Annotated[
        AttributeWeights | None,
        Named(description="Initial weights, from 0 to 1."),
    ] = None,
    through: Through = [],
    *,
    initialize_with_input_weights: Annotated[
        bool,
        Field(
            description="Start with the weights at the port initial_weights, not with random "
            "weights."
        ),
    ] = False,
    mutation_variance: Annotated[
        float, Field(ge=0, le=1e6, description="Variance of the random steps at the start.")
    ] = 1.0,
    one_fifth_rule: Annotated[
        bool,
        Field(
            description="Make the steps larger while more than a fifth of them help; otherwise "
            "make them smaller."
        ),
    ] = True,
    bounded_mutation: Annotated[bool, Field(description="Keep the weights at most 1.")] = False,
    use_default_mutation_rate: Annotated[
        bool,
        Field(
            description="Switch each nominal attribute on or off with the probability 1 / number "
            "of nominal attributes."
        ),
    ] = True,
    nominal_mutation_probability: Annotated[
        float,
        When(use_default_mutation_rate=False),
        Field(
            ge=0,
            le=1,
            description="Probability of each nominal attribute to be switched on or off.",
        ),
    ] = 0.0,
    crossover_probability: Annotated[
        float, Field(ge=0, le=1, description="Probability that a pair has children.")
    ] = 0.0,
    crossover_type: CrossoverType = "uniform",
    normalize_weights: Annotated[
        bool,
        Field(
            description="Map the weights to 0…1. The smallest becomes 0, so that its attribute is "
            "dropped when they are applied."
        ),
    ] = False,
    ctx: Context,
    **others: Unpack[Evolution],
) -> WeightedIndividual:
    """Optimize Weights (Evolutionary)

    Searches for factors of the numerical attributes with which the inner process performs well.
    Useful for learners that measure distances, such as k-NN or an SVM with a radial kernel.
    Attributes with weight 0 are left out. Weights change by normally distributed steps; nominal
    attributes are in (1) or out (0).

    Learners that ignore the scale, such as trees and naive Bayes, gain nothing: use Optimize
    Selection. Normalize the data first. The performance of the result is optimistic, because the
    search chose the best of many: put the search itself inside a validation, there with
    scale_by_weights. Unlike in RapidMiner, normalize_weights is off by default, because it would
    drop the attribute with the smallest weight. All weights are evaluated with the same random
    numbers (the same folds).

    References
    ----------
    Rechenberg (1973): Evolutionsstrategie. Frommann-Holzboog.
    """
    candidates = _WeightVectors(examples, evaluation, through, ctx, stopping_of(others))
    kept = np.isin(examples.schema.regular, examples.schema.marked(MUST_KEEP))
    p, schema = len(candidates.names), examples.schema
    switched = np.flatnonzero(~np.isin(schema.regular, schema.regular_numerical))
    rate = 1 / max(1, len(switched)) if use_default_mutation_rate else nominal_mutation_probability
    mutate = Drifting(mutation_variance, switched, rate, bounded_mutation, one_fifth_rule)
    settings = settings_of(others, candidates, crossover_probability, crossover_type)
    rng = ctx.rng("evolution")
    first = rng.random((settings.population_size, p))
    if initialize_with_input_weights:
        first = np.tile(_given(initial_weights, candidates.names), (settings.population_size, 1))
    first[:, switched] = np.round(first[:, switched])

    def evaluate(population: Floats) -> Floats:
        population[:, kept] = np.where(population[:, kept] == 0, 1.0, population[:, kept])
        return criteria_of(candidates.performances(list(population)), settings.selection_scheme)

    candidates.until_stopped(
        lambda: evolve(evaluate, mutate.repaired(first, rng), mutate, settings, rng)
    )
    best, performance = candidates.best()
    weights = AttributeWeights(candidates.names, best)
    return WeightedIndividual(
        weighted(examples, weights, scale=True),
        weights.normalized() if normalize_weights else weights,
        performance,
        candidates.log(),
    )


def weighted_table(examples: ExampleSet, weights: Floats) -> ExampleSet:
    """Return the table with its numbers multiplied by weights."""
    named = AttributeWeights(examples.schema.regular_names, weights)
    return weighted(examples, named, scale=True)


class _WeightVectors(Candidates[Floats]):
    """Candidates that are weights of all attributes."""

    def __init__(
        self,
        examples: ExampleSet,
        evaluation: Evaluation,
        through: Sequence[FlowObject],
        ctx: Context,
        stopping: Stopping,
    ) -> None:
        super().__init__(
            examples, evaluation, through, table=weighted_table, ctx=ctx, stopping=stopping
        )

    def subset(self, candidate: Floats) -> Subset:
        """Return the attributes whose weight is not 0."""
        return _subset(candidate)
