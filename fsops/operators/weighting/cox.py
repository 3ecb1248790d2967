"""Weights for right-censored times."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fsops.algorithms.filters import cox
from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.survival import Survival, survival_of
from fsops.errors import DataError
from fsops.operators.weighting.scores import (
    Adjustment,
    Missing,
    Weight,
    describe_weights,
    numbers,
    rapidminer,
    tested_weights,
)

TIMES = Accepts(
    label="numerical",
    attributes="numerical",
    missing=True,
    events=True,
    instead="Make the time the label, and give the event the role event (Set Role).",
)
Ties = Annotated[
    cox.Ties, Field(description="Events at the same time: Efron's approximation, or Breslow's.")
]


def times_of(examples: ExampleSet, ctx: Context) -> Survival:
    """Return times and events, with a warning if no attribute says which times are censored."""
    found = survival_of(examples)
    if not found.known:
        ctx.warn(
            f'No attribute has the role event, so each "{examples.label.name}" counts as the time '
            "of an event. If some are censored, give the role to the attribute that says so "
            "(Set Role)."
        )
    if not found.event.any():
        raise DataError(
            "The event attribute has no events, so the times cannot be compared.",
            hint="Check the coding of the event attribute: 1 is an event, 0 is censored.",
        )
    return found


@operator(
    group="Weighting/Univariate",
    role="weighting",
    row_weights="whole numbers",
    accepts=TIMES,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("survival", "proportional hazards", "censored", "score test", "log-rank", "hazard ratio"),
)
def weight_by_cox(
    examples: ExampleSet,
    *,
    test: Annotated[
        cox.CoxTest,
        Field(description="Score test, Wald test or likelihood ratio test of the coefficient."),
    ] = "score",
    ties: Ties = "efron",
    transformation: Weight = "abs_statistic",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Cox Model

    Scores every numerical attribute by its test in Cox's proportional hazards model, with the
    attribute alone in the model. The label is a time, and the attribute with the role event says
    whether the event happened then (1) or the row was only observed up to then (0, censored).
    Without such an attribute all times count as events.

    The detail "statistic" is the signed root of the chi squared statistic, positive where large
    values mean early events. "coefficient" is the logarithm of the hazard ratio of one unit, and
    "standard_error" its standard error. A coefficient is infinite if the attribute puts the events
    in perfect order; its Wald statistic is 0. The score test has no such problem, and for 0 and 1
    it is the log-rank test.

    Do not use it where hazards cross, such as for a treatment that only helps at first. It detects
    effects that are linear in the logarithm of the hazard. A few extreme values can determine the
    result: use logarithms or ranks. With thousands of attributes adjust the p-values. A constant
    attribute gets 0. In the formula n counts rows.

    .. math:: U = \sum_{i: d_i = 1} \Big(x_i - \frac{\sum_{t_j \ge t_i} x_j}{n(t_j \ge t_i)}
        \Big), \qquad z = U / \sqrt{V}

    References
    ----------
    Cox (1972): Regression models and life-tables. J. R. Statist. Soc. B 34, 187–220.

    Efron (1977): The efficiency of Cox's likelihood function for censored data. JASA 72, 557–565.
    """
    values = numbers(examples, missing)
    found = times_of(examples, ctx)
    scores = cox.univariate_cox(
        values,
        found.time,
        found.event,
        ties=ties,
        test=test,
        weighting=transformation,
        p_values=adjustment != "none",
    )
    return tested_weights(examples, scores, transformation, adjustment, ctx)
