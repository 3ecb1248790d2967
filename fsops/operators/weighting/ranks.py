"""Weights by tests that only use the order of values."""

from __future__ import annotations

from fsops.algorithms.filters.kruskal import kruskal_wallis
from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.weighting.scores import (
    Adjustment,
    Missing,
    Weight,
    class_codes,
    describe_weights,
    numbers,
    rapidminer,
    tested_weights,
)


@operator(
    group="Weighting/Univariate",
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(label="nominal", attributes="numerical", missing=True),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("rank", "nonparametric", "analysis of variance", "multi-class", "p-value", "filter"),
)
def weight_by_kruskal_wallis(
    examples: ExampleSet,
    *,
    weight: Weight = "abs_statistic",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Kruskal–Wallis Test

    Scores every numerical attribute by how much the mean ranks of the classes differ, for any
    number of classes. Robust against outliers, since only the order of the values counts. For two
    classes it is the test of Weight by Wilcoxon Test.

    The p-values are those of the chi squared distribution: rough with fewer than five rows in a
    class. It sees differences of location, not of spread. With normally distributed values Weight
    by F-Test or Weight by Moderated t has more power. A constant attribute gets 0.

    .. math:: H = (n - 1) \frac{\sum_c n_c (\bar r_c - \bar r)^2}{\sum_i (r_i - \bar r)^2}

    References
    ----------
    Kruskal, Wallis (1952): Use of ranks in one-criterion variance analysis. JASA 47, 583–621.
    """
    scores = kruskal_wallis(
        numbers(examples, missing),
        class_codes(examples),
        weighting=weight,
        p_values=adjustment != "none",
    )
    return tested_weights(examples, scores, weight, adjustment, ctx)
