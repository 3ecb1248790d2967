"""The value of a candidate of a search: its inner process, run once for each."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.search.size_choice import SizeRule
from fsops.algorithms.search.stopping import Stopped, Stopping
from fsops.algorithms.search.subsets import Scored, Subset, rank
from fsops.core import Accepts, Context, Named, Subprocess
from fsops.core.declare.iterations import Count
from fsops.core.declare.parameters import join_names
from fsops.core.frame.inner import Inner
from fsops.data import (
    Attribute,
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    FlowObject,
    MetaData,
    PerformanceVector,
    SizeCurves,
    ValueType,
)
from fsops.data.curves import even_scores
from fsops.data.schema import Schema
from fsops.data.units import units_of_schema
from fsops.errors import DataError, enumerate_names
from fsops.operators.search.neighbour_plan import neighbour_plan
from fsops.operators.search.stopping import warn_of_stop, within_time
from fsops.operators.weighting.scores import describe_weights

GROUP = "Search"
ANY_TABLE = Accepts(missing=True, infinite=True, sparse=True)
PORTS = {
    "example set in": "examples",
    "example set": "examples",
    "example set out": "examples",
    "attribute weights": "weights",
    "attribute weights in": "initial_weights",
}
Evaluation = Subprocess[
    [
        Annotated[ExampleSet, Named("examples", "All rows, with the attributes to try.")],
        Annotated[list[FlowObject], Named("through", "Input of the search to pass on.")],
    ],
    PerformanceVector,
]
Through = Annotated[
    list[FlowObject], Named(description="Further inputs of the inner process; passed on.")
]
MaximalFitness = Annotated[
    float | None,
    Field(
        default=None,
        description="Stop as soon as the main criterion reaches this value (or falls to it, if "
        "it is an error); empty: do not stop early.",
    ),
]
LOG = Schema.of(
    [
        Attribute("generation", ValueType.INTEGER),
        Attribute("number_of_attributes", ValueType.INTEGER),
        Attribute("performance"),
        Attribute("best"),
        Attribute("evaluations", ValueType.INTEGER),
        Attribute("attributes", ValueType.TEXT),
    ]
)
Candidate = TypeVar("Candidate")
Value = TypeVar("Value")
Floats = npt.NDArray[np.float64]


class Selected(NamedTuple):
    """Results of a search."""

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


def describe_search(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    """Return that rows and names stay, and the metadata of the log."""
    meta = inputs.get("examples")
    rows = meta.rows if isinstance(meta, ExampleSetMetaData) else None
    return {
        "examples": ExampleSetMetaData(rows=rows),
        "weights": describe_weights(inputs, parameters),
        "log": ExampleSetMetaData(schema=LOG),
    }


def found_out(low: int, high: int | None) -> Count:
    """Return how many candidates a search tries: its results decide."""
    return Count(low, high, "it depends on the results", found_out=True)


def fitness(performance: PerformanceVector) -> float:
    """Return the main criterion so that larger is better; undefined is the worst."""
    return performance.main.merit


def criteria(performance: PerformanceVector) -> list[float]:
    """Return all criteria so that larger is better."""
    return [criterion.merit for criterion in performance]


@dataclass(frozen=True)
class _Generation:
    best: Scored
    performance: float
    best_so_far: float
    evaluations: int


class Candidates(Generic[Candidate]):
    """Evaluates candidates, each once, and remembers the best of every generation.

    Every evaluation gets the same random numbers, whenever and wherever it is done: an inner
    cross-validation has the same folds for all candidates, so that they are compared fairly.
    """

    def __init__(
        self,
        examples: ExampleSet,
        evaluation: Evaluation,
        through: Sequence[FlowObject],
        *,
        table: Callable[[ExampleSet, Candidate], ExampleSet],
        ctx: Context,
        stopping: Stopping | None = None,
    ) -> None:
        self.stopping = stopping or Stopping()
        if self.stopping.max_seconds is not None:
            # Iterations are cached by their numbers, which depend on how many run at once.
            part = f"{ctx.workers} at once"
            ctx = ctx.cached_as(part)
            evaluation = evaluation.cached_as(part) if isinstance(evaluation, Inner) else evaluation
        self.examples = examples
        self.names = examples.schema.regular_names
        self.evaluate = Evaluator(examples, evaluation, tuple(through), table)
        self._ctx = ctx
        self._known: dict[bytes, tuple[Candidate, PerformanceVector]] = {}
        self._generations: list[_Generation] = []

    def subset(self, candidate: Candidate) -> Subset:
        """Return the numbers of the attributes that a candidate uses."""
        raise NotImplementedError

    def performances(self, candidates: Sequence[Candidate]) -> list[PerformanceVector]:
        """Return what one generation of candidates is worth; raise `Stopped` if it should stop."""
        self.stopping.check()
        performances = self._evaluated(candidates, self.stopping)
        scored = [
            Scored(self.subset(c), fitness(p))
            for c, p in zip(candidates, performances, strict=True)
            if p is not None
        ]
        best = min(scored, key=rank)
        means = [p.main.mean for p in performances if p is not None]
        self._remember(best, means[scored.index(best)], len(self._known))
        return self._complete(performances)

    def _evaluated(
        self, candidates: Sequence[Candidate], stopping: Stopping
    ) -> list[PerformanceVector | None]:
        """Run the inner process on the candidates that are new, and return all performances.

        None means that the time ended before a candidate.
        """
        keys = [_key(candidate) for candidate in candidates]
        new = {k: c for k, c in zip(keys, candidates, strict=True) if k not in self._known}

        def evaluate(items: Sequence[Candidate]) -> list[PerformanceVector]:
            return self._ctx.map(self.evaluate, items, "Candidates", paired=True)

        if new:
            found = within_time(evaluate, [*new.values()], stopping, self._ctx.workers)
            # Not strict: there may be time for some of them only.
            pairs = zip(new.values(), found, strict=False)
            self._known |= dict(zip(new, pairs, strict=False))
        return [self._known[key][1] if key in self._known else None for key in keys]

    def _complete(self, values: Sequence[Value | None]) -> list[Value]:
        """Return the values of a generation that is complete; else stop."""
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            raise Stopped
        self.stopping.finish_round(self._generations[-1].best_so_far)
        return known

    def until_stopped(self, search: Callable[[], Value]) -> Value | None:
        """Return the result of a search, or None with a warning if it was stopped."""
        try:
            return search()
        except Stopped:
            warn_of_stop(self.stopping, self._ctx)
            return None

    def _remember(self, best: Scored, performance: float, evaluations: int) -> None:
        """Add the best candidate of a generation to the log."""
        before = self._generations[-1].best_so_far if self._generations else -math.inf
        so_far = max(before, best.value)
        self._generations.append(_Generation(best, performance, so_far, evaluations))

    @property
    def everything(self) -> list[tuple[Candidate, PerformanceVector]]:
        """All candidates that were evaluated, in the order of their evaluation."""
        return list(self._known.values())

    def best(self) -> tuple[Candidate, PerformanceVector]:
        """Return the best of all candidates and its value."""

        def place(item: tuple[Candidate, PerformanceVector]) -> tuple[float, int, Subset]:
            return rank(Scored(self.subset(item[0]), fitness(item[1])))

        return min(self._known.values(), key=place)

    def performance_of(self, candidate: Candidate) -> PerformanceVector:
        """Return the value of an evaluated candidate."""
        return self._known[_key(candidate)][1]

    @property
    def maximize(self) -> bool:
        """Whether the main criterion is good when it is large."""
        return self.everything[0][1].main.maximize

    def names_of(self, candidate: Candidate) -> list[str]:
        """Return the names of the attributes that a candidate uses."""
        return self._texts(self.subset(candidate))

    def _texts(self, subset: Subset) -> list[str]:
        return self.names.take(np.array(subset, dtype=np.intp)).texts()

    def log(self) -> ExampleSet:
        """Return the generations as a table."""
        rows = self._generations
        sign = 1.0 if self.maximize else -1.0
        used = [join_names(self._texts(row.best.subset)) for row in rows]
        columns: list[npt.NDArray[Any]] = [
            np.arange(len(rows), dtype=np.float64),
            np.array([len(row.best.subset) for row in rows], dtype=np.float64),
            np.array([row.performance for row in rows]),
            np.array([sign * row.best_so_far for row in rows]),
            np.array([row.evaluations for row in rows], dtype=np.float64),
            np.array(used, dtype=object),
        ]
        return ExampleSet.from_columns(zip(LOG, columns, strict=True), len(rows))

    def is_enough(self, value: float, max_fitness: float | None) -> bool:
        """Return whether a fitness is as good as asked for; of errors, less is better."""
        if max_fitness is None:
            return False
        return value >= (max_fitness if self.maximize else -max_fitness)


@dataclass(frozen=True)
class Evaluator(Generic[Candidate]):
    """Runs the inner process on the data of a candidate."""

    examples: ExampleSet
    evaluation: Evaluation
    through: tuple[FlowObject, ...]
    table: Callable[[ExampleSet, Candidate], ExampleSet]

    def __call__(self, candidate: Candidate) -> PerformanceVector:
        """Return the performance of a candidate."""
        table = self.table(self.examples, candidate)
        found: PerformanceVector = self.evaluation(table, list(self.through))
        return found


def _key(candidate: Any) -> bytes:
    return hashlib.blake2b(np.asarray(candidate).tobytes(), digest_size=16).digest()


def subset_table(examples: ExampleSet, subset: Subset) -> ExampleSet:
    """Return the table with the regular attributes at these places only."""
    return examples.features(np.array(subset, dtype=np.intp))


class Subsets(Candidates[Subset]):
    """Candidates that are sets of attributes.

    Where a plan knows the fitness of a set, its performance is computed when it is asked for.
    """

    def __init__(
        self,
        examples: ExampleSet,
        evaluation: Evaluation,
        through: Sequence[FlowObject],
        ctx: Context,
        stopping: Stopping | None = None,
    ) -> None:
        # What a caller outside of a run passes to the function itself is not bound.
        self.units = units_of_schema(examples.schema)
        plan = None
        if isinstance(evaluation, Inner) and self.units is None:
            plan = neighbour_plan(examples, evaluation, ctx)
        if plan is not None and isinstance(evaluation, Inner):
            # The general way evaluates other subsets in the same iteration.
            evaluation, ctx = evaluation.cached_as("plan"), ctx.cached_as("plan")
        super().__init__(
            examples, evaluation, through, table=subset_table, ctx=ctx, stopping=stopping
        )
        free = np.arange(len(self.names)) if self.units is None else self.units.free
        self.free: list[int] = free.tolist()
        if not self.free and len(self.names):
            raise DataError(
                "All attributes must be kept: there is nothing to search.",
                hint="Give some of them the role regular.",
            )
        self._plan = plan
        self._fitness: dict[Subset, float] = {}
        """Of all subsets that the plan or, in its place, the inner process has evaluated."""

    @property
    def size(self) -> int:
        """Number of units to choose from: attributes or bound groups that need not be kept."""
        return len(self.free)

    @property
    def kept(self) -> int:
        """Number of units that are always there."""
        return 0 if self.units is None else len(self.units) - self.size

    @property
    def least(self) -> int:
        """The smallest number of units to choose: none, if some are always there."""
        return 0 if self.kept else 1

    def attributes(self, chosen: Subset) -> Subset:
        """Return the attributes of chosen units and those that must be kept."""
        if self.units is None:
            return chosen
        units = self.units.free[list(chosen)]
        found: Subset = tuple(self.units.attributes(units).tolist())
        return found

    def of_units(self, values: Floats) -> Floats:
        """Return the largest of the values of each unit to choose from."""
        return values if self.units is None else self.units.scores(values)[self.units.free]

    def subset(self, candidate: Subset) -> Subset:
        """Return the candidate."""
        return candidate

    def values_of_units(self, chosen: Sequence[Subset]) -> list[float]:
        """Return the fitness of one generation of sets of units."""
        return self.values([self.attributes(units) for units in chosen])

    def values(self, subsets: Sequence[Subset]) -> list[float]:
        """Return the fitness of one generation of subsets."""
        plan = self._plan
        if plan is None:
            return [fitness(performance) for performance in self.performances(subsets)]
        self.stopping.check()
        new = [subset for subset in dict.fromkeys(subsets) if subset not in self._fitness]

        def evaluate(part: Sequence[Subset]) -> list[float]:
            known = plan.accuracies(part)
            unsure = [subset for subset in part if subset not in known]
            exact = map(fitness, self._whole(unsure))
            values = {**known, **dict(zip(unsure, exact, strict=True))}
            return [values[subset] for subset in part]

        if new:
            found = within_time(evaluate, new, self.stopping, plan.block)
            self._fitness |= zip(new, found, strict=False)  # there may be time for some only
        values = [self._fitness.get(subset) for subset in subsets]
        pairs = zip(subsets, values, strict=True)
        best = min((Scored(s, v) for s, v in pairs if v is not None), key=rank)
        self._remember(best, best.value, len(self._fitness))
        return self._complete(values)

    def found(self, search: Callable[[], Scored]) -> Selected:
        """Return the set of units that a search finds; the best so far if it is stopped."""
        best = self.until_stopped(search)
        return self.selected(self.best()[0] if best is None else self.attributes(best.subset))

    @property
    def maximize(self) -> bool:
        """Whether the main criterion is good when it is large, as the accuracy of a plan is."""
        return self._plan is not None or super().maximize

    def best(self) -> tuple[Subset, PerformanceVector]:
        """Return the best of all subsets and its value."""
        if not self._fitness:
            return super().best()
        best = min((Scored(*item) for item in self._fitness.items()), key=rank)
        return best.subset, self.performance_of(best.subset)

    def chosen(self, rule: SizeRule, percent: float) -> Subset:
        """Return one of the subsets by a rule that weighs their sizes against their values."""
        if rule == "best":
            return self.best()[0]
        tried = sorted(self._fitness or (subset for subset, _ in self.everything), key=len)
        criteria = [self.performance_of(subset).main for subset in tried]
        curve = SizeCurves(
            ["The search"],
            [len(subset) for subset in tried],
            even_scores([criterion.values for criterion in criteria]),
            criterion=criteria[0].name,
            maximize=self.maximize,
        )
        (size,) = curve.choose(rule, percent)
        return next(subset for subset in tried if len(subset) == size)

    def performance_of(self, candidate: Subset) -> PerformanceVector:
        """Return the value of an evaluated subset."""
        return self._whole([candidate])[0]

    def _whole(self, candidates: Sequence[Subset]) -> list[PerformanceVector]:
        """Return the performances of subsets, however long it takes."""
        found = self._evaluated(candidates, Stopping())
        return [performance for performance in found if performance is not None]

    def weights(self, subset: Subset) -> AttributeWeights:
        """Return 1 for the attributes of a subset and 0 for the others."""
        chosen = np.zeros(len(self.names))
        chosen[list(subset)] = 1.0
        return AttributeWeights(self.names, chosen)

    def selected(self, subset: Subset) -> Selected:
        """Return a subset as the result of the search."""
        return Selected(
            subset_table(self.examples, subset),
            self.weights(subset),
            self.performance_of(subset),
            self.log(),
        )


def criteria_matrix(performances: Sequence[PerformanceVector]) -> Floats:
    """Return the criteria of all candidates so that larger is better, a row each."""
    names = [c.name for c in performances[0]]
    for performance in performances:
        if [c.name for c in performance] != names:
            raise DataError(
                "The inner process measures candidates by different criteria: "
                f"{enumerate_names(names)}, and {enumerate_names([c.name for c in performance])}.",
                hint="Return the same criteria for every attribute subset.",
            )
    return np.array([criteria(performance) for performance in performances])
