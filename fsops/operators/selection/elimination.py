"""Recursive feature elimination: drop the worst, weigh the rest again, repeat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, Unpack

import numpy as np
from pydantic import BeforeValidator, Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.linear import svm_rfe as algorithms
from fsops.algorithms.linear.svm_rfe import Elimination
from fsops.algorithms.search.elimination import Weigh, eliminate_groups
from fsops.algorithms.search.size_choice import SizeRule
from fsops.algorithms.search.stopping import Stopped, Stopping
from fsops.core import Accepts, Context, Named, Subprocess, When, operator
from fsops.core.declare.iterations import Known
from fsops.data import (
    AttributeWeights,
    Criterion,
    EliminationTrace,
    ExampleSet,
    MetaData,
    PerformanceVector,
    SizeCurves,
)
from fsops.data.curves import even_scores
from fsops.data.units import Units, units_of_schema
from fsops.errors import DataError, ParameterError
from fsops.operators.search.stopping import (
    StoppingRules,
    may_stop,
    stopping_of,
    warn_of_stop,
)
from fsops.operators.size_choice import Percent
from fsops.operators.sizes import available, counted
from fsops.operators.weighting.scores import class_codes, describe_weights

GROUP = "Selection/Elimination"

K = Annotated[int, Field(ge=1, description="Number of attributes to keep.")]
Step = Annotated[
    Literal["fraction", "number", "schedule"],
    Field(
        description="Attributes to drop in each round: a fraction, a number, or as many as lead to "
        "given sizes."
    ),
]
Fraction = Annotated[
    float,
    When(step="fraction"),
    Field(gt=0, lt=1, description="Fraction of the remaining attributes to drop in each round."),
]
Number = Annotated[
    int, When(step="number"), Field(ge=1, description="Attributes to drop in each round.")
]


def _as_schedule(value: Any) -> Any:
    """Return numbers and falling ranges of them as one list."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        return value
    found: list[int] = []
    for part in parts:
        match = _RANGE.fullmatch(str(part).strip())
        if match is None or match["step"] == "0":
            raise ValueError(
                f'"{part}" is not a number of attributes: write numbers and falling ranges, such '
                "as 500-100 by 50, 50, 10"
            )
        first, last = int(match["first"]), int(match["last"] or match["first"])
        step = int(match["step"] or 1)
        numbers = range(first, last - 1, -step)
        if not numbers or last < 1 or len(numbers) > MOST_ROUNDS:
            raise ValueError(
                f'"{part}" is not a falling range of at most {MOST_ROUNDS:,} numbers, such as '
                "500-100 by 50"
            )
        found.extend(numbers)
    return found


_RANGE = re.compile(
    r"(?P<first>\d+)(?:\s*[-–]\s*(?P<last>\d+)(?:\s*by\s*(?P<step>\d+))?)?", re.ASCII
)
MOST_ROUNDS = 10_000
Schedule = Annotated[
    list[int],
    When(step="schedule"),
    BeforeValidator(_as_schedule),
    Field(
        description="Falling numbers of attributes to keep in each round, such as 500-100 by 50, "
        "50, 10."
    ),
]
Output = Annotated[
    Literal["selection", "ranking"],
    Field(
        description="Weight 1 for selected attributes and 0 for others, or a rank: attributes "
        "that are dropped later get larger weights."
    ),
]


class Eliminated(NamedTuple):
    """Results of an elimination."""

    weights: AttributeWeights
    trace: Annotated[EliminationTrace, Named(description="Attributes dropped in each round.")]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


def sizes(
    p: int, k: int, *, step: str, fraction: float, number: int, schedule: Sequence[int]
) -> list[int]:
    """Return the numbers of attributes after each round."""
    try:
        if step == "schedule":
            return algorithms.elimination_sizes(p, schedule=[s for s in schedule if s > k] + [k])
        rule = {"fraction": fraction} if step == "fraction" else {"count": number}
        return algorithms.elimination_sizes(p, k, **rule)
    except ValueError as error:
        raise ParameterError(str(error)) from None


def _kept(examples: ExampleSet, k: int, ctx: Context) -> tuple[Units | None, int]:
    """Return the units to keep or drop, and k: at most all, at least those that must be kept."""
    units = units_of_schema(examples.schema)
    if units is None:
        return None, available(k, len(examples.schema.regular), ctx)
    noun = "attributes and bound groups" if units.is_grouped else "attributes"
    k = available(k, len(units), ctx, noun)
    return units, counted(k, int(units.kept.sum()), ctx)


def _rounds(known: Known) -> int:
    rule = {name: known[name] for name in ("step", "fraction", "number", "schedule")}
    return len(sizes(known.attributes, min(known["k"], known.attributes), **rule))


def delivered(examples: ExampleSet, found: Elimination, output: str, name: str) -> Eliminated:
    """Return the result of an elimination as weights and trace."""
    names = examples.schema.regular_names
    p = len(names)
    if output == "selection":
        weights = np.zeros(p)
        weights[found.survivors] = 1.0
    else:
        weights = np.asarray(p + 1.0 - found.ranking, dtype=np.float64)
    details = {"last_weight": found.weights, "dropped_in_round": found.dropped_in}
    rounds = tuple((r.size, tuple(names.take(r.features)), r.weights) for r in found.trace)
    return Eliminated(
        AttributeWeights(names, weights, details=details), EliminationTrace(rounds, name)
    )


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=Accepts(label="nominal", attributes="numerical", sparse=True),
    describe=_describe,
    tags=("recursive feature elimination", "support vector machine", "guyon", "backward"),
)
def select_by_svm_rfe(
    examples: ExampleSet,
    *,
    k: K = 10,
    step: Step = "fraction",
    fraction: Fraction = 0.1,
    number: Number = 1,
    schedule: Schedule = [50, 10],
    C: Annotated[float, Field(gt=0, description="Cost of the errors of the SVM.")] = 1.0,
    scaling: Annotated[bool, Field(description="Bring all attributes to one scale first.")] = True,
    output: Output = "selection",
    ctx: Context,
) -> Eliminated:
    r"""Select by SVM-RFE

    Finds a small set of attributes that work well together: fits a linear support vector machine,
    drops the attributes with the smallest coefficients, and repeats on the rest. An attribute with
    a low rank at first can rise when the attributes that masked it are removed.

    Dropping many at once is fast and coarse; near the end drop one at a time. More than two
    classes are handled one against the rest. Put it inside a validation: the selection fits its
    training rows. Attributes with the role must_keep count among the k and are never dropped.

    References
    ----------
    Guyon et al. (2002): Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 389–422.
    """
    X = examples.matrix()
    units, k = _kept(examples, k, ctx)
    steps = sizes(X.shape[1], k, step=step, fraction=fraction, number=number, schedule=schedule)
    rounds = ctx.progress(range(len(steps)), "Rounds")
    with ctx.one_thread():
        found = algorithms.svm_rfe(
            X,
            class_codes(examples),
            schedule=steps[1:] or None,
            keep=steps[-1],
            C=C,
            standardize=scaling,
            on_round=lambda done, total: next(rounds, None),  # type: ignore[arg-type]
            never_drop=None if units is None else units.kept,
        )
    return delivered(examples, found, output, "Select by SVM-RFE")


class Weighed(NamedTuple):
    """Results of the inner process of an elimination."""

    weights: AttributeWeights
    performance: Annotated[
        PerformanceVector | None,
        Named(description="Performance with these attributes, for tolerance and patience."),
    ] = None


@dataclass
class WeighedRounds:
    """Weighs the attributes that are left in each round, and remembers the results."""

    examples: ExampleSet
    weighting: Subprocess[[ExampleSet], Weighed]
    stopping: Stopping
    progress: Iterator[int]
    weights: list[Floats] = field(default_factory=list)
    """Of all attributes, NaN for those that were dropped before; one array per round."""
    merits: list[float] = field(default_factory=list)
    """How good the attributes of each round are, if the inner process says so."""
    criteria: list[Criterion] = field(default_factory=list)
    """The same as measured."""

    def __call__(self, active: Ints) -> Floats:
        """Return the weights of the attributes that are left, by the inner process."""
        self.stopping.check()
        next(self.progress)
        names = self.examples.schema.regular_names
        shown = names.take(active)
        answer = self.weighting(self.examples.features(active))
        weighed = Weighed(answer) if isinstance(answer, AttributeWeights) else answer
        places = weighed.weights.names.find(shown)
        if (places < 0).any():
            absent = shown[int((places < 0).argmax())]
            raise DataError(f'The inner process gives no weight for "{absent}".')
        found = weighed.weights.scores[places]  # also of a ranking, larger is better
        if len(found) and np.isnan(found).all():
            raise DataError(
                f"The inner process returns no weight for the {len(found)} attributes left.",
                hint="Use another weighting, or stop with more attributes (k).",
            )
        whole = np.full(len(names), np.nan)
        whole[active] = found
        self.weights.append(whole)
        self._finish_round(weighed.performance)
        return found

    def _finish_round(self, performance: PerformanceVector | None) -> None:
        if performance is not None:
            self.merits.append(performance.main.merit)
            self.criteria.append(performance.main)
        elif self.stopping.watches_rounds:
            raise ParameterError(
                "tolerance and patience need a performance, but the inner process returns none.",
                hint='Connect its output "performance", or leave both empty.',
            )
        self.stopping.finish_round(max(self.merits, default=-np.inf))

    def cut(self, steps: Sequence[int]) -> list[int]:
        """Return the sizes of an elimination that was stopped.

        It ends with the best attributes so far, or, if the inner process does not say how good
        they are, with k attributes by the last weights.
        """
        if not self.merits:
            return [*steps[: len(self.weights)], steps[-1]]
        best = max(range(len(self.merits)), key=lambda i: (self.merits[i], i))
        return list(steps[: best + 1])

    def chosen(self, steps: Sequence[int], rule: SizeRule, percent: float) -> list[int]:
        """Return the sizes down to the round that a rule chooses by the performance."""
        done = len(self.weights)
        if len(self.criteria) < done:
            raise ParameterError(
                f"choose={rule} needs a performance, but the inner process returns none.",
                hint='Connect its output "performance", or set choose to k.',
            )
        scores = [criterion.values for criterion in self.criteria[::-1]]
        curve = SizeCurves(
            ["The elimination"], steps[:done][::-1], even_scores(scores),
            criterion=self.criteria[0].name, maximize=self.criteria[0].maximize,
        )  # fmt: skip
        (size,) = curve.choose(rule, percent)
        return [step for step in steps[:done] if step >= size]

    def again(self) -> Weigh:
        """Return the same weights once more; after the last round those of the last round."""
        rounds = iter(self.weights)

        def weigh(active: Ints) -> Floats:
            return next(rounds, self.weights[-1])[active]

        return weigh


@operator(
    group=GROUP,
    role="search",
    accepts=Accepts(missing=True, infinite=True, sparse=True),
    bound_groups="together",
    describe=_describe,
    tags=("rfe", "wrapper", "backward", "iterative"),
    iterations=may_stop(_rounds),
)
def recursive_feature_elimination(
    examples: ExampleSet,
    weighting: Subprocess[[ExampleSet], Weighed],
    *,
    k: K = 10,
    step: Step = "fraction",
    fraction: Fraction = 0.1,
    number: Number = 1,
    schedule: Schedule = [50, 10],
    use_absolute_weights: Annotated[bool, Field(description="Drop by the absolute weight.")] = True,
    output: Output = "selection",
    choose: Annotated[
        Literal["k", "best", "one_standard_error", "within_percent", "elbow", "stability_aware"],
        Field(
            description="Keep k attributes, or choose the round by the performance of the inner "
            "process, at least k attributes: the best, the fewest within one standard error or "
            "within a percentage of it, or the elbow of the curve."
        ),
    ] = "k",
    percent: Percent = 1.0,
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Eliminated:
    """Recursive Feature Elimination

    Weighs the attributes with its inner process, drops the worst, and repeats on the rest until k
    are left. The inner process may be any chain of operators that gives weights for the attributes
    it is shown.

    If the inner process also returns a performance, tolerance and patience stop the elimination,
    and the attributes of the best round so far are kept. Without a performance, max_seconds drops
    down to k attributes at once, by the last weights. With choose, the performance also determines
    the number of attributes to keep. It is optimistic if the same rows gave the weights: return the
    performance of a validation that has weighting and learner in its training.

    With weights that look at one attribute at a time it changes nothing: their order does not
    depend on the others. Put it inside a validation. Attributes with the role must_keep count among
    the k and are never dropped. A bound group counts as one attribute, with the best weight in it.

    References
    ----------
    Guyon et al. (2002): Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 389–422.
    """
    units, k = _kept(examples, k, ctx)
    count = len(examples.schema.regular) if units is None else len(units)
    steps = sizes(count, k, step=step, fraction=fraction, number=number, schedule=schedule)
    progress = ctx.progress(range(len(steps)), "Rounds")
    rounds = WeighedRounds(examples, weighting, stopping_of(stopping), progress)
    keep = None if units is None else units.kept

    def eliminated(weigh: Weigh, steps: Sequence[int]) -> Elimination:
        if units is not None and units.is_grouped:
            return eliminate_groups(
                weigh, steps, units.unit_of, absolute=use_absolute_weights, history=True, keep=keep
            )
        return algorithms.eliminate(
            weigh, steps, absolute=use_absolute_weights, history=True, keep=keep
        )

    try:
        found = eliminated(rounds, steps)
    except Stopped:
        warn_of_stop(rounds.stopping, ctx)
        if choose == "k":
            found = eliminated(rounds.again(), rounds.cut(steps))
    if choose != "k":
        found = eliminated(rounds.again(), rounds.chosen(steps, choose, percent))
    return delivered(examples, found, output, "Recursive Feature Elimination")
