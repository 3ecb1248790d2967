"""Weights by the loss of a model that has to do without an attribute."""

from __future__ import annotations

import numpy as np

from fsops.core import Context, operator
from fsops.core.declare.iterations import Known
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import DataError
from fsops.operators.search.candidates import ANY_TABLE, Evaluation, Subsets, Through
from fsops.operators.weighting.models import GROUP
from fsops.operators.weighting.scores import describe_weights


def _evaluations(known: Known) -> int:
    return known.attributes + 1


@operator(
    group=GROUP,
    role="weighting",
    accepts=ANY_TABLE,
    describe=describe_weights,
    tags=("leave one covariate out", "loco", "importance", "ablation", "wrapper", "retrain"),
    iterations=_evaluations,
)
def weight_by_drop_column(
    examples: ExampleSet,
    evaluation: Evaluation,
    through: Through = [],
    *,
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Drop-Column Importance

    Runs the inner process, usually a Cross Validation, with all attributes and once without each of
    them. The weight is the loss of the main criterion: accuracy with all attributes minus accuracy
    without the attribute, or the increase of an error. All runs use the same random numbers and
    therefore the same folds. The detail "without" has the criterion without the attribute, in its
    own unit.

    Unlike for permutation importance, the model is trained again, so that it can adapt to the loss
    of the attribute. An attribute with a substitute therefore has a weight near 0, even if both
    together matter. A weight below 0 means that the model does better without the attribute.
    Differences smaller than the deviation over the folds are noise. The weight is unknown if the
    criterion is undefined without the attribute. There is one run for each
    attribute: with hundreds of attributes use a filter first. The inner process decides which types
    of attributes, missing values and row weights are allowed.

    .. math:: w_j = M(\text{all attributes}) - M(\text{all attributes but } j)

    References
    ----------
    Lei, G'Sell, Rinaldo, Tibshirani, Wasserman (2018): Distribution-free predictive inference for
    regression. JASA 113, 1094–1111 (leave-one-covariate-out inference).
    """
    p = len(examples.schema.regular)
    if p < 2:
        raise DataError(
            f"Drop-column importance needs at least two attributes, but n_features={p}.",
            hint="Give it a table with more attributes.",
        )
    candidates = Subsets(examples, evaluation, through, ctx)
    everything = tuple(range(p))
    whole = candidates.values([everything])[0]
    merits = np.array(candidates.values([everything[:j] + everything[j + 1 :] for j in everything]))
    if not np.isfinite(whole):
        raise DataError(
            "The inner process returns no finite value of its main criterion with all attributes.",
            hint="Use fewer folds, more rows or another criterion.",
        )
    known = np.where(np.isfinite(merits), merits, np.nan)  # an undefined loss is unknown
    without = known if candidates.maximize else -known
    return examples.weights(whole - known, details={"without": without})
