"""Ranking once, learning on the best 1, 2, … attributes: what all curves over sizes share."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base import ranking
from fsops.algorithms.search.size_choice import SizeRule
from fsops.algorithms.stability import similarity as stability
from fsops.core import Context, Named, Subprocess
from fsops.data import AttributeWeights, ExampleSet, Model, SizeCurves
from fsops.data.row_plans import RowPlan
from fsops.data.schema import MUST_KEEP
from fsops.errors import Cancelled, DataError, FsopsError
from fsops.operators.validation.criteria import Measure
from fsops.operators.validation.predictions import (
    PredictedClasses,
    PredictedNumbers,
    predictions,
)
from fsops.operators.validation.size_settings import AUC, CONCORDANCE, criterion_for
from fsops.operators.validation.splits import Split

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Found = PredictedClasses | PredictedNumbers

Selection = Subprocess[
    [Annotated[ExampleSet, Named("training_set", "The training rows, with all attributes.")]],
    AttributeWeights,
]
Learning = Subprocess[
    [Annotated[ExampleSet, Named("training_set", "The same rows, the best attributes only.")]],
    Model,
]


@dataclass(frozen=True, eq=False)
class Answers:
    """Label and prediction of some test rows, as codes of classes or as numbers."""

    classes: tuple[str, ...]
    """Empty for numbers."""
    true: npt.NDArray[Any]
    guess: npt.NDArray[Any]
    weights: Floats | None = None
    event: Bools | None = None
    """For times: whether the event happened then."""

    @classmethod
    def of(cls, found: Found) -> Answers:
        """Return the stored part of a tested table."""
        classes, event = getattr(found, "classes", ()), getattr(found, "event", None)
        return cls(classes, found.true, found.guess, found.weights, event)

    @classmethod
    def together(cls, parts: Sequence[Answers]) -> Answers:
        """Return the rows of several splits as one."""
        if any(part.classes != parts[0].classes for part in parts):
            raise DataError("The models of different splits predict different classes.")
        true, guess = (
            np.concatenate([getattr(part, side) for part in parts]) for side in ("true", "guess")
        )
        known = [part.weights for part in parts if part.weights is not None]
        weights = np.concatenate(known) if known else None
        events = [part.event for part in parts if part.event is not None]
        event = np.concatenate(events) if events else None
        return cls(parts[0].classes, true, guess, weights, event)

    def found(self, examples: ExampleSet) -> Found:
        """Return the rows as criteria take them."""
        if not self.classes:
            return PredictedNumbers(self.true, self.guess, self.weights, self.event)
        return PredictedClasses(self.classes, self.true, self.guess, examples, self.weights)


Tried = tuple[Answers | None, float, float]
"""Answers, score, and seconds of learning and predicting."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Results of one method on one split."""

    order: Ints
    """Attributes from best to worst, by their place among the regular ones; those it gave."""
    tied: bool
    """Whether only the order of the data decides which is best."""
    scores: Floats
    """By number of attributes; NaN where there is none."""
    answers: tuple[Answers | None, ...]
    """By number of attributes; None without attributes."""
    seconds: float
    learning_seconds: Floats


NOTHING_LEFT = (
    "First look at its weights on all rows. If their sign does not matter, set "
    "use_absolute_weights."
)


class Ranked(NamedTuple):
    """Attributes that have a weight above 0, by place among the regular ones, best first."""

    order: Ints
    tied: bool
    """Whether they all have the same weight: then the order of the data decides."""


def ranked(weights: AttributeWeights, examples: ExampleSet, *, absolute: bool) -> Ranked:
    """Return the attributes from best to worst, as far as they have a weight above 0."""
    names = examples.schema.regular_names
    same = weights.names == names  # as nearly always: then nothing need be looked up
    values = weights.scores if same else AttributeWeights.stack([weights], names)[1][0]
    if absolute:
        values = np.abs(values)
    if examples.schema.marks is not None:  # those to keep come first, by their weights
        kept = examples.schema.marked(MUST_KEEP)
        values = _raised(values, np.isin(examples.schema.regular, kept))
    order = ranking.descending_order(values)
    order = order[values[order] > 0]
    return Ranked(order, len(order) > 1 and values[order[0]] == values[order[-1]])


def _raised(values: Floats, kept: npt.NDArray[np.bool_]) -> Floats:
    """Return weights in which the attributes to keep are larger than all others."""
    others = values[~kept]
    least = float(np.max(others, initial=0.0, where=np.isfinite(others)))
    places = ranking.descending_order(values[kept])
    raised = values.copy()
    raised[np.flatnonzero(kept)[places]] = (2.0 * least + 1.0) * np.arange(len(places), 0, -1)
    return raised


@dataclass(frozen=True, eq=False)
class Judge:
    """Evaluation of methods: learner, sizes and criterion."""

    examples: ExampleSet
    splits: Sequence[Split]
    learning: Learning
    sizes: Sequence[int]
    measure: Measure[Any]
    absolute: bool = False
    """Whether attributes are ranked by the absolute weight."""

    @cached_property
    def plan(self) -> RowPlan:
        """The training rows, of all splits."""
        return RowPlan(self.examples, [split.train for split in self.splits])

    def judge(
        self, selection: Selection, number: int, ctx: Context, attributes_macro: str
    ) -> Judged:
        """Rank on the training rows; learn with and test the best 1, 2, … attributes."""
        training = self.plan.taken(number)
        test = self.examples.take(self.splits[number].test)
        started = time.perf_counter()
        order, tied = ranked(selection(training), self.examples, absolute=self.absolute)
        seconds = time.perf_counter() - started
        judged: dict[int, Tried] = {0: (None, float("nan"), 0.0)}
        for size in self.sizes:
            count = min(size, len(order))
            if count not in judged:
                best = np.sort(order[:count])
                with ctx.macro(attributes_macro, str(size)):
                    judged[count] = self._try(training.features(best), test.features(best))
        answers, scores, spent = zip(*(judged[min(k, len(order))] for k in self.sizes), strict=True)
        return Judged(
            order[: max(self.sizes)],
            tied and len(order) > min(self.sizes),
            np.array(scores),
            answers,
            seconds,
            np.array(spent),
        )

    def _try(self, training: ExampleSet, test: ExampleSet) -> Tried:
        started = time.perf_counter()
        found = predictions(self.learning(training).apply(test))
        spent = time.perf_counter() - started
        return Answers.of(found), float(self.measure.compute(found)), spent


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Results of all methods on all splits."""

    methods: tuple[str, ...]
    sizes: tuple[int, ...]
    criterion: str
    measure: Measure[Any]
    splits: Sequence[Split]
    judged: Sequence[Sequence[Judged]]
    """By method and split."""
    examples: ExampleSet

    @property
    def p(self) -> int:
        """The number of attributes."""
        return len(self.examples.schema.regular)

    def selections(self, method: int, size: int) -> npt.NDArray[np.bool_]:
        """Return which attributes the best ``size`` are on each split, a row each."""
        chosen = np.zeros((len(self.splits), self.p), dtype=bool)
        for row, judged in zip(chosen, self.judged[method], strict=True):
            row[judged.order[:size]] = True
        return chosen

    @cached_property
    def agreement(self) -> tuple[Floats, Floats, Floats]:
        """Kuncheva's index, Nogueira's measure and the mean size, by method and size.

        For sets of one size the two are the same; Kuncheva's is NaN for others.
        """
        shape = len(self.methods), len(self.sizes)
        nogueira, kuncheva, count = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape)
        for at in np.ndindex(shape):
            chosen = self.selections(at[0], self.sizes[at[1]])
            numbers = chosen.sum(axis=1)
            count[at] = numbers.mean()
            if len(chosen) > 1:
                nogueira[at] = stability.nogueira(chosen).value
            if (numbers == numbers[0]).all():
                kuncheva[at] = nogueira[at]
        return kuncheva, nogueira, count

    @cached_property
    def first_tests(self) -> tuple[Floats, Floats]:
        """Predictions when each row was first tested, by method, size and row; and the label.

        Codes of classes, or numbers; NaN for rows that were never tested.
        """
        n = len(self.examples)
        guess = np.full((len(self.methods), len(self.sizes), n), np.nan)
        truth, open_rows = np.full(n, np.nan), np.ones(n, dtype=bool)
        for number, split in enumerate(self.splits):
            new = open_rows[split.test]
            rows = split.test[new]
            open_rows[rows] = False
            for method, size in np.ndindex(guess.shape[:2]):
                answers = self.judged[method][number].answers[size]
                if answers is not None:
                    guess[method, size, rows] = answers.guess[new]
                    truth[rows] = answers.true[new]
        return guess, truth

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that the codes stand for; none for numbers, or if splits differ in them."""
        known = {
            each.classes
            for row in self.judged
            for judged in row
            for each in judged.answers
            if each is not None
        }
        return known.pop() if len(known) == 1 else ()

    def curves(self, rule: SizeRule, percent: float = 1.0) -> SizeCurves:
        """Return merit, agreement and time of every method at every size."""
        kuncheva, nogueira, _ = self.agreement
        guess, truth = self.first_tests
        same = np.array_equal(kuncheva, nogueira, equal_nan=True)
        curves = SizeCurves(
            self.methods,
            self.sizes,
            np.array([[j.scores for j in row] for row in self.judged]).transpose(0, 2, 1).copy(),
            criterion=self.criterion,
            maximize=self.measure.maximize,
            stability=kuncheva if same else nogueira,
            stability_measure="kuncheva" if same else "nogueira",
            seconds=np.array([[j.seconds for j in row] for row in self.judged]),
            learning_seconds=np.array(
                [np.mean([j.learning_seconds for j in row], axis=0) for row in self.judged]
            ),
            predictions=guess,
            truth=truth,
            classes=self.classes,
        )
        curves.chosen = curves.choose(rule, percent)
        return curves

    def pooled(self) -> Floats:
        """Return the criterion over the test rows of all splits together, by method and size."""
        values = np.full((len(self.methods), len(self.sizes)), np.nan)
        # Confidences and risks of different models cannot be compared.
        if self.criterion in (AUC, CONCORDANCE):
            return values
        for method, size in np.ndindex(values.shape):
            parts = [judged.answers[size] for judged in self.judged[method]]
            known = [part for part in parts if part is not None]
            if known:
                pooled = Answers.together(known).found(self.examples)
                values[method, size] = float(self.measure.compute(pooled))
        return values


@dataclass(frozen=True)
class Macros:
    """Which macros the inner processes see."""

    method: str | None
    """None if there is only one method, a weighting."""
    attributes: str


def evaluated(
    examples: ExampleSet,
    learning: Learning,
    selections: Mapping[str, Selection],
    splits: Sequence[Split],
    *,
    sizes: Sequence[int],
    criterion: str,
    absolute: bool,
    macros: Macros,
    ctx: Context,
) -> Evaluation:
    """Let every method rank on every split, and judge its best 1, 2, … attributes.

    A method that fails is left out with a warning, unless none is left.
    """
    name, measure = criterion_for(examples, criterion)
    judge = Judge(examples, splits, learning, sizes, measure, absolute)
    methods = list(selections.values())

    def iteration(item: tuple[int, int]) -> Judged | FsopsError:
        method, split = item
        if macros.method is None:
            return judge.judge(methods[method], split, ctx, macros.attributes)
        try:
            with ctx.macro(macros.method, str(method + 1)):
                return judge.judge(methods[method], split, ctx, macros.attributes)
        except Cancelled:
            raise
        except FsopsError as error:  # it costs this method, not the others
            return error

    iterations = [(method, split) for split in range(len(splits)) for method in range(len(methods))]
    with judge.plan:
        found = dict(zip(iterations, ctx.map(iteration, iterations, "Splits"), strict=True))
    results = [[found[m, s] for s in range(len(splits))] for m in range(len(methods))]
    judged: dict[str, list[Judged]] = {}
    for method, row in zip(selections, results, strict=True):
        subject = "The weighting" if macros.method is None else f'"{method}"'
        try:
            judged[method] = _sound(subject, row)
        except FsopsError as error:
            last = method == list(selections)[-1]
            if len(selections) == 1 or (last and not judged):
                raise
            ctx.warn(f"{subject} was left out: {error.message} The other methods follow.")
    for method, sound in judged.items():
        subject = "The weighting" if macros.method is None else f'"{method}"'
        _warn_of_short_rankings(subject, sound, max(sizes), name, ctx)
    return Evaluation(
        tuple(judged),
        tuple(sizes),
        name,
        measure,
        splits,
        list(judged.values()),
        examples,
    )


def _sound(method: str, results: Sequence[Judged | FsopsError]) -> list[Judged]:
    """Return the results of a method on all splits; raise the reason if it cannot be evaluated."""
    judged: list[Judged] = []
    for result in results:
        if isinstance(result, FsopsError):
            raise result
        judged.append(result)
    if not any(len(each.order) for each in judged):
        raise DataError(
            f"{method} gave no attribute a weight above 0 on any split: no attribute is left for "
            f"training.",
            hint=NOTHING_LEFT,
        )
    return judged


def _warn_of_short_rankings(
    method: str, judged: Sequence[Judged], largest: int, criterion: str, ctx: Context
) -> None:
    """Warn where a method gave too few attributes a weight, or a criterion had no value."""
    given = [len(each.order) for each in judged]
    empty = given.count(0)
    if empty:
        ctx.warn(
            f"{method} gave no attribute a weight above 0 on {empty} of {len(given)} splits: they "
            "are left out."
        )
    least = min(count for count in given if count)
    if least < largest:
        few = "attribute" if least == 1 else "attributes"
        ctx.warn(
            f"{method} gave only {least} {few} a weight above 0 on a split: there, larger numbers "
            f"of attributes are judged by {'this' if least == 1 else 'these'}."
        )
    if any(each.tied for each in judged):
        ctx.warn(
            f"{method} gives all attributes that it selects the same weight: which of them are "
            "the best few is decided by their order in the data. Let it return a ranking."
        )
    lacking = sum(int(np.isnan(each.scores).any()) for each in judged if len(each.order))
    if lacking:
        ctx.warn(
            f"{method} has no value of {criterion} on {lacking} of {len(given)} splits: they "
            "are left out of the mean."
        )


def name_of(selection: Callable[..., Any]) -> str:
    """Return the name of an inner process: that of the operator that returns its result."""
    process = getattr(selection, "process", None)
    if process is not None:
        from fsops.core.graph.wiring import SINK  # the graph is loaded by now

        return next((str(c.from_node) for c in process.connections if c.to_node == SINK), "")
    function = getattr(selection, "function", selection)
    function = getattr(function, "func", function)  # of a partial
    title = getattr(getattr(function, "operator", None), "title", "")
    name = str(title or getattr(function, "__name__", ""))
    return "" if name.startswith("<") else name
