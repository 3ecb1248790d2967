"""The answer of a study: its results beside those of permuted labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.base import resampling
from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.chance import p_values
from fsops.algorithms.chance.classes import ClassStudy
from fsops.algorithms.chance.columns import standardized
from fsops.algorithms.chance.numbers import NumberStudy
from fsops.algorithms.chance.orders import Orders, label_orders, unit_folds
from fsops.algorithms.chance.outcomes import Outcomes, TrueOrder, usable_sizes
from fsops.core import Accepts, Context, Expert, Named, operator
from fsops.data import (
    Band,
    BeyondChance,
    ChanceBaseline,
    Criterion,
    ExampleSet,
    MethodTest,
    PerformanceVector,
    SizeCurves,
    StudyAnswer,
)
from fsops.errors import DataError
from fsops.operators.validation.design import Design, design_of
from fsops.operators.validation.doubts import doubts_about
from fsops.operators.validation.honest import (
    BALANCED,
    Best,
    MethodPredictions,
    best_of,
    class_estimates,
    number_estimates,
)
from fsops.operators.validation.verdicts import Leak, StudyFacts, verdict_of

TOGETHER = 16
"""Orders per iteration of the loop."""
FREQUENCIES = 96
"""Orders that are enough for the limit of the frequencies, which decides nothing."""
OWN_FILTERS = ("Weight by F-Test", "Weight by Correlation")
"""The permuted filters: they are not further methods."""
MOST_CORRELATED = 200
Study = ClassStudy | NumberStudy


class MeasuredChance(NamedTuple):
    """Results of a measurement of chance."""

    answer: Annotated[StudyAnswer, Named(description="Verdict, bands of chance, and scores.")]
    performance: Annotated[
        PerformanceVector, Named(description="Scores on new rows, and p-values.")
    ]
    curves: Annotated[
        SizeCurves | None, Named(description="The curves with the bands of chance for figures.")
    ]


@operator(
    group="Validation",
    role="performance",
    accepts=Accepts(label="any", attributes="numerical"),
    tags=(
        "permutation test",
        "chance",
        "noise",
        "p-value",
        "null distribution",
        "can I believe it",
        "confidence interval",
        "verdict",
    ),
    random=True,
)
def measure_chance(
    examples: Annotated[
        ExampleSet, Named(description="The table of the study, without missing values.")
    ],
    curves: Annotated[
        SizeCurves | None,
        Named(description="Compare Feature Selections of the same table: its methods are tested."),
    ] = None,
    original: Annotated[
        ExampleSet | None,
        Named("original", "The table before missing values were filled, to report them."),
    ] = None,
    *,
    permutations: Annotated[
        int,
        Field(
            ge=19,
            description="Orders of the label to compare with. 199 are enough to decide at 5 %; "
            "use 999 for publication.",
        ),
    ] = 199,
    stop_early: Annotated[
        bool,
        Field(
            description="Stop after 48 or 96 orders if a signal is very unlikely. "
            "The test stays valid."
        ),
    ] = True,
    number_of_folds: Annotated[
        int,
        Field(ge=2, description="Number of folds; fewer if the smallest class has fewer rows."),
    ] = 10,
    resamples: Annotated[
        int,
        Field(
            ge=0,
            description="Number of bootstraps for the limit of the selection frequencies; 0: no "
            "limit.",
        ),
    ] = 50,
    list_length: Annotated[
        int,
        Expert(),
        Field(ge=1, description="Number of best attributes that count as selected."),
    ] = 20,
    ctx: Context,
) -> MeasuredChance:
    r"""Measure Chance

    Tests whether a study of this table found anything beyond chance. It repeats a filter (F-test,
    or correlation for numbers) with a simple learner on the table and on the same table with
    permuted labels, and compares error, stability and the best attribute. The answer has a verdict
    in words, p-values, the bands of chance for figures, and scores on new rows with 95 % intervals.

    Selections on overlapping folds agree even on noise, and the best of several sizes has a small
    error even on noise. Permuted labels measure both.

    A permutation moves label and fold together to another row, so every fold keeps its class
    counts. With the roles "batch" and "pair", labels move within a batch or a pair only. Rows of
    one "group", such as a patient, move as a whole. If there are at most as many different orders
    as permutations, all of them are used. The p-values are exact: if b of m permuted labels reach
    the true one,

    .. math:: p = \frac{b + 1}{m + 1}

    The main p-value is the smallest of three (error, stability, best attribute), with an exact
    correction for choosing the smallest. An attribute is beyond chance if its :math:`R^2` is above
    the 95 % point of the largest :math:`R^2` of all attributes under permuted labels.

    The scores on new rows come from resamples of the pooled test predictions. Each resample chooses
    size and method, and is scored on the rows left out, so the choice does not make the scores
    optimistic. Further methods of the curves are compared with the permutations of the filter: of
    the 5 % of false alarms, 4 % are for the main p-value and 1 % for all further methods together.

    References
    ----------
    Ojala, Garriga (2010): Permutation tests for studying classifier performance. JMLR 11.
    Phipson, Smyth (2010): Permutation p-values should never be zero. SAGMB 9.
    Westfall, Young (1993): Resampling-based multiple testing. Wiley.
    Tsamardinos, Greasidou, Borboudakis (2018): Bootstrapping the out-of-sample predictions for
    efficient and accurate cross-validation. Machine Learning 107.
    """
    table = _Table(examples, design_of(examples, ctx))
    study = table.study(number_of_folds, resamples, list_length, ctx)
    orders = table.orders(permutations, ctx)
    further = _further(table, study, curves)
    outcomes = _outcomes(study, orders, further, stop_early=stop_early, ctx=ctx)
    answer = _Answer(table, study, orders, outcomes, further, permutations).answer(original, ctx)
    beside = None if curves is None else curves.beside(answer.chance)
    return MeasuredChance(answer, _performance(answer), beside)


def _performance(answer: StudyAnswer) -> PerformanceVector:
    """Return the scores on new rows and the p-values as criteria."""
    chance = answer.chance
    scores = [
        Criterion(e.name, (e.value,), maximize=e.name != "RMSE", percent=e.percent)
        for e in answer.estimates
    ]
    named = {
        "p_value": chance.p_value,
        "p_value_of_error": chance.p_error,
        "p_value_of_stability": chance.p_stability,
        "p_value_of_best_attribute": chance.p_attribute,
    }
    tests = [Criterion(name, (value,), maximize=False) for name, value in named.items()]
    return PerformanceVector([*scores, *tests])


# --- the table --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Table:
    """A table with its label, and which rows belong together."""

    examples: ExampleSet
    design: Design

    @cached_property
    def codes(self) -> Ints | None:
        """Class of each row; None for numbers."""
        if not self.examples.label.value_type.is_nominal:
            return None
        return self.examples.class_codes()[0].astype(np.intp)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes that occur; none for numbers."""
        return () if self.codes is None else self.examples.class_codes()[1]

    @cached_property
    def values(self) -> Floats:
        """The label as numbers."""
        values: Floats = self.examples.label_values().astype(np.float64)
        return values

    @property
    def spread(self) -> float:
        """Deviation of a label with numbers."""
        return float(self.values.std()) or 1.0

    def study(self, folds: int, resamples: int, listed: int, ctx: Context) -> Study:
        """Return the study to repeat under permuted labels."""
        examples, codes = self.examples, self.codes
        n = len(examples)
        self._check()
        X = standardized(examples.numeric())
        p = X.shape[1]
        parts = unit_folds(codes, n, folds, ctx.rng("folds"), self.design.together)
        drawn = resampling.bootstrap(
            n, resamples, ctx.rng("bootstraps"), strata=codes, groups=self.design.together
        )
        weights = resampling.row_counts(drawn, n)
        listed = min(listed, (p + 1) // 2)
        if codes is not None:
            return ClassStudy(X, codes, parts, usable_sizes(p), weights, listed)
        values = (self.values - self.values.mean()) / self.spread
        return NumberStudy(X, values, parts, usable_sizes(p), weights, listed)

    def _check(self) -> None:
        label = self.examples.label.name
        if len(self.examples) < 4:
            raise DataError(
                f"The table has {len(self.examples)} rows, but chance needs at least 4.",
                hint="Give it more data.",
            )
        if len(np.unique(self.examples.label_values())) < 2:
            raise DataError(
                f'All rows have the same value of the label "{label}".',
                hint="Give it rows of at least two classes, or different numbers.",
            )

    def orders(self, permutations: int, ctx: Context) -> Orders:
        """Return the orders of the label."""
        labels = self.values if self.codes is None else self.codes
        return label_orders(
            labels,
            permutations,
            ctx.rng("orders"),
            blocks=self.design.blocks,
            units=self.design.units,
        )

    def predictions(self, curves: SizeCurves | None) -> MethodPredictions | None:
        """Return the predictions of a comparison in the codes of this table; None without any."""
        if curves is None or curves.predictions is None or curves.truth is None:
            return None
        answers, truth = curves.predictions, curves.truth
        known = ~np.isnan(answers).any(axis=(0, 1))
        if not known.all():
            return None
        if self.codes is not None:
            if not curves.classes:
                return None
            place = {name: code for code, name in enumerate(self.classes)}
            # A class that no row has is always wrong.
            table = np.array([place.get(name, -1.0) for name in curves.classes], dtype=np.float64)
            answers, truth = table[answers.astype(np.intp)], table[truth.astype(np.intp)]
        own = self.values if self.codes is None else self.codes
        if len(truth) != len(own) or not np.array_equal(truth, own):
            raise DataError(
                "The curves were measured on other rows than those of the table.",
                hint="Connect the same table to Compare Feature Selections and to this operator.",
            )
        return MethodPredictions(curves.methods, curves.sizes.astype(np.intp), answers, truth)


# --- further methods --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Further:
    """Methods of a comparison beside the filter that is permuted."""

    found: MethodPredictions | None
    names: tuple[str, ...]
    errors: Floats
    """Smallest error of each over the sizes, as the study measures it."""


def _further(table: _Table, study: Study, curves: SizeCurves | None) -> _Further:
    found = table.predictions(curves)
    if found is None:
        return _Further(None, (), np.empty(0))
    losses = found.losses(table.codes is not None).mean(axis=2)
    if table.codes is None:
        losses = np.sqrt(losses) / table.spread
    usable = np.isin(found.sizes, study.sizes)
    best = losses[:, usable].min(axis=1) if usable.any() else losses.min(axis=1)
    further = [n for n, name in enumerate(found.methods) if name not in OWN_FILTERS]
    return _Further(found, tuple(found.methods[n] for n in further), best[further])


def _outcomes(
    study: Study, orders: Orders, further: _Further, *, stop_early: bool, ctx: Context
) -> Outcomes:
    """Return the results of the orders; not all of them if nothing will be found."""
    planned = len(orders.rows) - 1
    ends = p_values.rounds(planned) if stop_early and not orders.complete else [planned]
    frequencies = bool(len(study.weights))
    found: list[Outcomes] = []
    done = 0
    for end in ends:
        stop = end + 1  # the true order is the first
        parts = [(start, min(start + TOGETHER, stop)) for start in range(done, stop, TOGETHER)]
        found += ctx.map(
            lambda part: study.outcomes(
                orders.rows[slice(*part)], frequencies=frequencies and part[0] < FREQUENCIES
            ),
            parts,
            "Permutations",
        )
        done = stop
        whole = Outcomes.joined(found)
        p = p_values.smallest_p(_statistics(whole))
        # A further method that no permuted label has reached may still be found.
        reached = _method_p(whole, further)
        if p_values.is_futile(p, end) and not (reached <= 1 / stop).any():
            break
    return Outcomes.joined(found)


def _statistics(outcomes: Outcomes) -> list[Floats]:
    """Return error, stability and best attribute of every order; large values mean signal."""
    best: Floats = outcomes.score.max(axis=1)
    return [best, p_values.standardized_mean(outcomes.stability), outcomes.largest]


def _method_p(outcomes: Outcomes, further: _Further) -> Floats:
    return p_values.reached_by_chance(-further.errors, -outcomes.error[1:].min(axis=1))


# --- the answer -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Answer:
    """Puts the answer together."""

    table: _Table
    study: Study
    orders: Orders
    outcomes: Outcomes
    further: _Further
    planned: int

    @cached_property
    def true(self) -> TrueOrder:
        return self.study.true_order()

    def answer(self, original: ExampleSet | None, ctx: Context) -> StudyAnswer:
        """Return the answer of the study."""
        table, codes = self.table, self.table.codes
        found = self.predictions
        best = best_of(found, codes)
        rng, units = ctx.rng("intervals"), table.design.together
        if codes is None:
            estimates = number_estimates(found, table.values, rng, units)
        else:
            own, margins = self.true.answers, self.true.margins
            estimates = class_estimates(
                found, codes, margins=margins, own=own, classes=table.classes, rng=rng, units=units
            )
        counts = () if codes is None else tuple(np.bincount(codes).tolist())
        facts = StudyFacts(
            chance=self.chance(),
            estimate=estimates[0],
            rows=len(table.examples),
            class_counts=counts,
            size=best.size,
            method=found.methods[best.method] if len(found.methods) > 1 else "",
            best_score=self._score(best),
            beyond=self.beyond(),
            methods=self.methods(),
            leak=self.leak(),
            correlation=self.correlation(),
        )
        doubts = doubts_about(table.examples, original, counts, table.design)
        return StudyAnswer(
            verdict=verdict_of(facts, doubts),
            chance=facts.chance,
            estimates=estimates,
            label=table.examples.label.name,
            classes=table.classes,
            class_counts=counts,
            rows=facts.rows,
            attributes=self.study.X.shape[1],
            method=facts.method,
            size=best.size,
            best_size=best.best_size,
            best_score=facts.best_score,
            methods=facts.methods,
            beyond=facts.beyond,
            alpha=facts.alpha,
        )

    @cached_property
    def predictions(self) -> MethodPredictions:
        """Predictions of all methods, or of the filter that is permuted if there are no others."""
        if self.further.found is not None:
            return self.further.found
        codes = self.table.codes
        if codes is not None:
            truth, answers = codes.astype(np.float64), self.true.answers
        else:
            truth = self.table.values
            answers = self.true.answers * self.table.spread + truth.mean()
        return MethodPredictions(("",), self.study.sizes, answers[None], truth)

    def _score(self, best: Best) -> float:
        if self.table.codes is not None:
            return 1.0 - best.loss
        return 1.0 - best.loss / self.table.spread**2

    def chance(self) -> ChanceBaseline:
        """Return bands, limits and p-values."""
        outcomes, codes = self.outcomes, self.table.codes
        statistics = _statistics(outcomes)
        scale = 1.0 if codes is not None else self.table.spread
        n = len(self.table.examples)
        majority = self.table.spread if codes is None else 1 - np.bincount(codes).max() / n
        p_error, p_stability, p_attribute = map(p_values.p_value, statistics)
        return ChanceBaseline(
            sizes=self.study.sizes.astype(np.int64),
            score_name="Q²" if codes is None else BALANCED,
            score=outcomes.score[0],
            score_band=_band(outcomes.score),
            score_limit=p_values.upper_point(statistics[0][1:]),
            guess=0.0 if codes is None else 1 / len(self.table.classes),
            criterion="root_mean_squared_error" if codes is None else "classification_error",
            error=outcomes.error[0] * scale,
            error_band=_band(outcomes.error * scale),
            majority_error=float(majority),
            stability=outcomes.stability[0],
            stability_band=_band(outcomes.stability),
            frequency_limit=self.frequency_limit(),
            list_length=self.study.listed,
            resamples=len(self.study.weights),
            attribute_limit=p_values.upper_point(outcomes.largest[1:]),
            permutations=len(outcomes) - 1,
            planned=self.planned,
            arrangements=self.orders.arrangements,
            p_value=p_values.smallest_p(statistics),
            p_error=p_error,
            p_stability=p_stability,
            p_attribute=p_attribute,
        )

    def frequency_limit(self) -> float:
        """Return the limit of the selection frequencies; NaN if they were not measured."""
        frequency = self.outcomes.frequency
        return p_values.upper_point(frequency[1:]) if len(frequency) else float("nan")

    def beyond(self) -> tuple[BeyondChance, ...]:
        """Return the attributes above the family-wise limit, best first."""
        strength, largest = self.true.strength, self.outcomes.largest[1:]
        limit = p_values.upper_point(largest)
        above = np.flatnonzero(strength > limit)
        above = above[np.argsort(-strength[above], kind="stable")]
        p = p_values.reached_by_chance(strength[above], largest)
        names = self.table.examples.schema.regular_names
        return tuple(
            BeyondChance(str(names[place]), float(value))
            for place, value in zip(above, p, strict=True)
        )

    def methods(self) -> tuple[MethodTest, ...]:
        """Return the further methods with their p-values."""
        found = _method_p(self.outcomes, self.further)
        rows = zip(self.further.names, self.further.errors, found, strict=True)
        return tuple(MethodTest(name, float(error), float(p)) for name, error, p in rows)

    def leak(self) -> Leak | None:
        """Return the attribute that is first in all folds: how good it is, and the others."""
        first = self.true.rankings[:, 0]
        score = self.outcomes.score[0]
        if (first != first[0]).any() or self.study.sizes[0] != 1 or self.study.X.shape[1] < 2:
            return None
        return Leak(
            str(self.table.examples.schema.regular_names[first[0]]),
            float(score[0]),
            float(self._without(int(first[0])).max()),
        )

    def _without(self, column: int) -> Floats:
        """Return the scores without a column."""
        X = self.study.X.copy()
        X[:, column] = 0.0
        truth = self.orders.rows[:1]
        score: Floats = replace(self.study, X=X).outcomes(truth, frequencies=False).score[0]
        return score

    def correlation(self) -> float:
        """Return the mean absolute correlation of the attributes beyond chance."""
        limit = p_values.upper_point(self.outcomes.largest[1:])
        above = np.flatnonzero(self.true.strength > limit)[:MOST_CORRELATED]
        if len(above) < 2:
            return 0.0
        together = np.abs(np.corrcoef(self.study.X[:, above].astype(np.float64), rowvar=False))
        count = len(above)
        return float((together.sum() - count) / (count * (count - 1)))


def _band(values: Floats) -> Band:
    """Return the 5 %, 50 % and 95 % points of the permuted labels; the true order is the first."""
    lower, middle, upper = np.quantile(values[1:], [0.05, 0.5, 0.95], axis=0)
    return Band(lower, middle, upper)
