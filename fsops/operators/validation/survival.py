"""How well predicted risks order right-censored times."""

from __future__ import annotations

from fsops.algorithms.statistics.survival import concordance_index
from fsops.core import Accepts, Context, operator
from fsops.data import Criterion, ExampleSet, PerformanceVector
from fsops.data.survival import survival_of
from fsops.operators.validation.predictions import describe_measured, predicted_risks

CONCORDANCE = "concordance_index"


@operator(
    group="Validation/Performance",
    role="performance",
    row_weights="used",
    accepts=Accepts(label="numerical", missing=True, infinite=True, sparse=True, events=True),
    describe=describe_measured,
    tags=("c-index", "harrell", "concordance", "censored", "time to event", "cox"),
)
def performance_survival(examples: ExampleSet, *, ctx: Context) -> PerformanceVector:
    r"""Performance (Survival)

    Measures how well predicted risks agree with the order of the times: Harrell's concordance index
    (C-index). It is the fraction of pairs of rows in which the row with the earlier event has the
    higher risk. 0.5 is chance, 1 is perfect. A pair counts if one row has an event and the other
    row is known to have no event up to that time. Equal risks count one half.

    The label is a time, the attribute with the role event is 1 for an event and 0 for a censored
    time, and the prediction is a risk: large means early. Do not use it for predictions of times,
    for which large means late. With heavy censoring the index depends on the censoring. A test set
    without a comparable pair has no index: use few folds. Folds are stratified by events. In the
    formula n counts pairs of rows.

    .. math:: C = \frac{n(t_i < t_j, d_i = 1, r_i > r_j)}{n(t_i < t_j, d_i = 1)}

    References
    ----------
    Harrell, Califf, Pryor, Lee, Rosati (1982): Evaluating the yield of medical tests. JAMA 247,
    2543–2546.
    """
    return PerformanceVector([concordance(examples, ctx)])


def concordance(examples: ExampleSet, ctx: Context) -> Criterion:
    """Return the concordance index of a table with a time, an event and a predicted risk."""
    risk = predicted_risks(examples)
    found = survival_of(examples)
    value = concordance_index(found.time, found.event, risk, examples.row_weights)
    if value != value:  # noqa: PLR0124 - NaN
        ctx.warn(
            "The concordance index is missing: no two rows can be compared, because too few have "
            "an event."
        )
    return Criterion(CONCORDANCE, (value,))
