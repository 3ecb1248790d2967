"""Weights by the loss of a trained model when the values of an attribute are permuted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Unpack

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.error_control.permutation_importance import importances, row_orders
from fsops.algorithms.statistics.significance import Adjustment, adjust_p_values, weights_from
from fsops.core import Accepts, Context, Named, Subprocess, operator
from fsops.core.declare.iterations import Known
from fsops.data import AttributeWeights, ExampleSet, Model, PredictionModel
from fsops.data.design import row_groups
from fsops.data.names import Names, Positions
from fsops.data.row_plans import RowPlan
from fsops.errors import DataError
from fsops.operators.validation.criteria import Measure
from fsops.operators.validation.predictions import (
    PredictedClasses,
    PredictedNumbers,
    predictions,
)
from fsops.operators.validation.size_settings import (
    Criterion,
    Splitting,
    criterion_for,
    drawn_splits,
    splits_before_run,
)
from fsops.operators.validation.splits import Split
from fsops.operators.weighting.models import GROUP
from fsops.operators.weighting.scores import describe_weights
from fsops.operators.weighting.tests_of_weights import PValueWeight

LARGEST = 1 << 22
"""Values of a table with permuted rows that is predicted at a time."""
Learning = Subprocess[
    [Annotated[ExampleSet, Named("training_set", "Training rows of one split.")]],
    Model,
]


class Merits(NamedTuple):
    """How good one model is on its test rows, larger being better."""

    true: float
    permuted: Floats
    """With permuted values, (permutations, attributes)."""


@dataclass(frozen=True, eq=False)
class PermutedTests:
    """Tests the model of each split with the true and with permuted values."""

    examples: ExampleSet
    splits: list[Split]
    plan: RowPlan
    learning: Learning
    measure: Measure[Any]
    permutations: int
    ctx: Context

    def __call__(self, number: int) -> Merits:
        """Train on a split, and return its merits."""
        model = self.learning(self.plan.taken(number))
        test = self.examples.take(self.splits[number].test)
        orders = row_orders(
            len(test), self.permutations, self.ctx.rng("permutations"), row_groups(test)
        )
        whole = self._merit(predictions(model.apply(test)))
        names = test.schema.regular_names
        permuted = np.full((self.permutations, len(names)), whole)
        at_once = max(1, LARGEST // max(1, len(test) * len(names)))
        for start in range(0, self.permutations, at_once):
            part = slice(start, start + at_once)
            stacked = test.take(np.tile(np.arange(len(test)), len(orders[part])))
            for place in _needed(model, names):
                self.ctx.check_cancelled()
                position = test.schema.regular[[place]]
                permuted[part, place] = self._permuted(model, stacked, position, orders[part])
        return Merits(whole, permuted)

    def _permuted(
        self, model: Model, stacked: ExampleSet, position: Positions, orders: Ints
    ) -> list[float]:
        """Return the merit for each order of the values of one attribute."""
        count, n = orders.shape
        values = stacked.values(position)[:n][orders.ravel()]
        applied = model.apply(stacked.with_block(stacked.schema, position, values))
        found = predictions(applied)
        return [self._merit(found.part(slice(i * n, (i + 1) * n))) for i in range(count)]

    def _merit(self, found: PredictedClasses | PredictedNumbers) -> float:
        value = float(self.measure.compute(found))
        return value if self.measure.maximize else -value


def _needed(model: Model, names: Names) -> Ints:
    """Return the places of the attributes on which predictions can depend."""
    if not isinstance(model, PredictionModel):
        return np.arange(len(names))
    places = names.find(model.attributes.names)
    return np.sort(places[places >= 0])


def _trainings(known: Known) -> int:
    return splits_before_run(known)


@operator(
    group=GROUP,
    role="weighting",
    accepts=Accepts(label="any", missing=True, infinite=True, sparse=True, events=True),
    describe=describe_weights,
    tags=(
        "permutation feature importance",
        "mean decrease accuracy",
        "model agnostic",
        "model reliance",
        "importance",
        "p-value",
        "false discovery rate",
        "error control",
    ),
    random=True,
    iterations=_trainings,
)
def weight_by_permutation_importance(
    examples: ExampleSet,
    learning: Learning,
    *,
    criterion: Criterion = "automatic",
    permutations: Annotated[
        int,
        Field(
            ge=1,
            description="Permutations of each attribute in each split. The smallest possible "
            "p-value is 1 / (permutations + 1).",
        ),
    ] = 99,
    adjustment: Annotated[
        Adjustment,
        Field(
            description="Adjustment of the p-values for the number of attributes. Family-wise "
            "error rate: bonferroni, holm. False discovery rate: benjamini_hochberg, "
            "benjamini_yekutieli (any dependence), storey (q-values)."
        ),
    ] = "benjamini_hochberg",
    transformation: PValueWeight = "unchanged",
    ctx: Context,
    **splitting: Unpack[Splitting],
) -> AttributeWeights:
    r"""Weight by Permutation Importance

    Trains any learner on the training rows of each split and measures it on the test rows: with the
    true values, and with the values of one attribute permuted. The weight is the mean loss of the
    criterion: accuracy minus accuracy after permutation, or the increase of an error. Censored
    times (role event) lose concordance. The details have the deviation over the splits, the p-value
    and the adjusted p-value.

    The learner is trained once per split. Only test rows are measured. If b of m permutations reach
    the mean criterion of the true values,

    .. math:: p = \frac{b + 1}{m + 1}

    The hypothesis is that the attribute depends neither on the label nor on other attributes. An
    irrelevant attribute that is correlated with a relevant one can be important, and two copies can
    both look unimportant: use Weight by Drop-Column Importance or Select by Knockoffs for such
    data. Test rows of one split train the models of others, so p-values of a cross-validation are
    approximate; those of one random split are exact. An attribute that no model uses has weight 0
    and p-value 1. Do not use it with a learner that predicts no better than chance.

    Rows of one group or pair are never separated, and exchange values as a whole. Row weights count
    in the criterion; the learner uses or refuses them.

    References
    ----------
    Breiman (2001): Random forests. Machine Learning 45, 5–32.
    Fisher, Rudin, Dominici (2019): All models are wrong, but many are useful. JMLR 20(177).
    Phipson, Smyth (2010): Permutation p-values should never be zero. SAGMB 9.
    """
    names = examples.schema.regular_names
    if not len(names):
        raise DataError("The data has no attributes to weight.")
    name, measure = criterion_for(examples, criterion)
    splits = drawn_splits(examples, splitting, ctx)
    plan = RowPlan(examples, [split.train for split in splits])
    tests = PermutedTests(examples, splits, plan, learning, measure, permutations, ctx)
    with plan:
        merits = ctx.map(tests, range(len(splits)), "Splits")
    true = np.array([each.true for each in merits])
    if np.isnan(true).all():
        raise DataError(
            f"{name} is not defined on the test rows of any split.",
            hint="Use fewer folds, or another criterion.",
        )
    found = importances(true, np.array([each.permuted for each in merits]))
    adjusted = adjust_p_values(found.p_values, adjustment)
    details = {
        "deviation": found.deviation,
        "p_value": found.p_values,
        "adjusted_p_value": adjusted,
    }
    values = found.mean
    if transformation != "unchanged":
        values = weights_from(values, adjusted, transformation)
    return AttributeWeights(names, values, details=details)
