"""P-values of weights: by permuted labels, and adjusted for the number of attributes."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.statistics.significance import (
    Adjustment,
    adjust_p_values as adjusted_p_values,
    weights_from,
)
from fsops.core import Accepts, Context, Subprocess, operator
from fsops.core.declare.iterations import Known
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import DataError
from fsops.operators.weighting.scores import Floats, describe_same_names, describe_weights

GROUP = "Weighting/Use of weights"
PValueWeight = Annotated[
    Literal["neg_log10_p", "one_minus_p", "unchanged"],
    Field(description="Weight to return: −log10 of the p-value, 1 − p, or the weight as before."),
]


def _orders(known: Known) -> int:
    number: int = known["permutations"] + 1
    return number


@operator(
    group=GROUP,
    role="weighting",
    accepts=Accepts(label="any", missing=True, infinite=True, sparse=True, events=True),
    describe=describe_weights,
    tags=(
        "westfall young",
        "maxt",
        "family-wise error rate",
        "multiple testing",
        "p-value",
        "error control",
    ),
    random=True,
    iterations=_orders,
)
def permutation_test_of_weights(
    examples: ExampleSet,
    weighting: Subprocess[[ExampleSet], AttributeWeights],
    *,
    permutations: Annotated[
        int,
        Field(
            ge=1,
            description="Permutations of the label; all different ones are used once if there are "
            "not more. The smallest possible p-value is 1 / (permutations + 1).",
        ),
    ] = 999,
    use_absolute_weights: Annotated[bool, Field(description="Compare the absolute weight.")] = True,
    transformation: PValueWeight = "one_minus_p",
    ctx: Context,
) -> AttributeWeights:
    """Permutation Test of Weights

    Gives any weighting p-values: its inner process also weighs the attributes for permuted labels.
    The details hold the inner weight ("statistic"), the p-value of each attribute alone, and the
    adjusted p-value of Westfall and Young (step-down maxT): the probability of any false selection
    among all attributes with at most this value. Correlated attributes are taken into account, so
    it finds more than Bonferroni's and Holm's adjustments.

    Rows of a pair or a batch exchange labels only with each other, and groups of rows with one
    label exchange them as a whole. A censored time (role event) moves with its event. The inner
    process runs once for each permutation: use a fast filter. If weights are not comparable between
    attributes, such as the information gain of attributes with few and with many values, attributes
    with large weights get most of the power. Do not use it with fewer than five rows per class: too
    few permutations exist. For the false discovery rate use Adjust p-Values.

    References
    ----------
    Westfall, Young (1993): Resampling-based multiple testing. Wiley.
    Ge, Dudoit, Speed (2003): Resampling-based multiple testing for microarray data analysis. Test
    12, 1–77.
    Phipson, Smyth (2010): Permutation p-values should never be zero. SAGMB 9.
    """
    from fsops.algorithms.chance.orders import label_orders
    from fsops.algorithms.error_control.max_t import MaxT
    from fsops.data.row_weights import repeated
    from fsops.operators.validation.design import design_of
    from fsops.operators.validation.permutation import label_codes, permuted

    table = repeated(examples, "A permutation test")
    labels = label_codes(table)
    if len(np.unique(labels)) < 2:
        raise DataError(
            f'All rows have the same value of the label "{table.label.name}".',
            hint="Give it rows of at least two classes, or different numbers.",
        )
    design = design_of(table, ctx)
    orders = label_orders(
        labels, permutations, ctx.rng("orders"), blocks=design.blocks, units=design.units
    )
    names = table.schema.regular_names

    def weights(order: int) -> Floats:
        found = weighting(permuted(table, orders.rows[order]) if order else table)
        values: Floats = AttributeWeights.stack([found], names)[1][0]
        return np.abs(values) if use_absolute_weights else values

    statistic = weights(0)
    test = MaxT(statistic)
    reached = ctx.map(
        lambda order: test.reached(weights(order)), range(1, len(orders.rows)), "Permutations"
    )
    alone, adjusted = test.p_values(reached)
    details = {"statistic": statistic, "p_value": alone, "adjusted_p_value": adjusted}
    values = (
        statistic
        if transformation == "unchanged"
        else weights_from(statistic, adjusted, transformation)
    )
    return AttributeWeights(names, values, details=details)


@operator(
    group=GROUP,
    role="weighting",
    describe=describe_same_names,
    tags=(
        "multiple testing",
        "false discovery rate",
        "fdr",
        "q-value",
        "storey",
        "benjamini hochberg",
        "benjamini yekutieli",
        "holm",
        "bonferroni",
        "error control",
    ),
)
def adjust_p_values(
    weights: AttributeWeights,
    *,
    adjustment: Annotated[
        Adjustment,
        Field(
            description="Family-wise error rate: bonferroni, holm. False discovery rate: "
            "benjamini_hochberg, benjamini_yekutieli (any dependence), storey (q-values)."
        ),
    ] = "benjamini_hochberg",
    transformation: PValueWeight = "one_minus_p",
) -> AttributeWeights:
    """Adjust p-Values

    Adjusts the p-values that come with weights as the detail "p_value" for the number of
    attributes, and returns them as the detail "adjusted_p_value". Select by Weights with weight
    0.95 then keeps attributes with an adjusted p-value of at most 0.05.

    Holm's adjustment bounds the probability of any false selection, those of Benjamini the expected
    fraction of false ones among the selected. Storey's q-values multiply the latter by the
    estimated fraction of attributes without an effect: do not use them for fewer than 100
    attributes, because the estimate is rough. The p-values must belong to all attributes that were
    tested: adjusting after a selection is optimistic. An attribute without a p-value was not
    tested: it does not count, and its new weight is 0.

    References
    ----------
    Holm (1979): A simple sequentially rejective multiple test procedure. Scand. J. Statist. 6.
    Benjamini, Hochberg (1995): Controlling the false discovery rate. J. R. Statist. Soc. B 57.
    Benjamini, Yekutieli (2001): The control of the false discovery rate in multiple testing under
    dependency. Ann. Statist. 29.
    Storey (2002): A direct approach to false discovery rates. J. R. Statist. Soc. B 64.
    """
    if "p_value" not in weights.details:
        raise DataError(
            "The weights have no p-values.",
            hint="Use a test, such as Weight by F-Test, or Permutation Test of Weights.",
        )
    p = np.asarray(weights.details["p_value"], dtype=np.float64)
    tested = ~np.isnan(p)
    adjusted = np.full(p.size, np.nan)
    adjusted[tested] = adjusted_p_values(p[tested], adjustment)
    values = (
        weights.values
        if transformation == "unchanged"
        else weights_from(np.where(tested, weights.values, np.nan), adjusted, transformation)
    )
    details = {**weights.details, "adjusted_p_value": adjusted}
    return AttributeWeights(weights.names, values, origin=weights.origin, details=details)
