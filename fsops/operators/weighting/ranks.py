"""Weights by tests that only use the order of values."""

from __future__ import annotations

from fsops.algorithms.filters.brunner_munzel import brunner_munzel
from fsops.algorithms.filters.kruskal import kruskal_wallis
from fsops.core import Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.weighting.scores import (
    CLASSES,
    Adjustment,
    Missing,
    Weight,
    class_codes,
    describe_weights,
    numbers,
    one_against_rest,
    rapidminer,
    tested_weights,
)


@operator(
    group="Weighting/Univariate",
    role="weighting",
    row_weights="whole numbers",
    accepts=CLASSES,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("rank", "nonparametric", "analysis of variance", "multi-class", "p-value", "filter"),
)
def weight_by_kruskal_wallis(
    examples: ExampleSet,
    *,
    transformation: Weight = "abs_statistic",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Kruskal–Wallis Test

    Scores every numerical attribute by how much the mean ranks of the classes differ, for any
    number of classes. Robust against outliers, since only the order of the values counts. For two
    classes it is the test of Weight by Wilcoxon Test.

    The p-values are those of the chi squared distribution: rough with fewer than five rows in a
    class. For two classes of three rows the smallest is 0.0495, but the exact one is 0.1: use
    Permutation Test of Weights there. It detects differences of location, not of spread. With
    normally distributed values Weight by F-Test or Weight by Moderated t has more power. A constant
    attribute gets 0.

    .. math:: H = (n - 1) \frac{\sum_c n_c (\bar r_c - \bar r)^2}{\sum_i (r_i - \bar r)^2}

    References
    ----------
    Kruskal, Wallis (1952): Use of ranks in one-criterion variance analysis. JASA 47, 583–621.
    """
    scores = kruskal_wallis(
        numbers(examples, missing),
        class_codes(examples),
        weighting=transformation,
        p_values=adjustment != "none",
    )
    return tested_weights(examples, scores, transformation, adjustment, ctx)


@operator(
    group="Weighting/Univariate",
    role="weighting",
    row_weights="whole numbers",
    accepts=CLASSES,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=(
        "rank",
        "nonparametric",
        "stochastic superiority",
        "behrens-fisher",
        "unequal variances",
        "p-value",
        "filter",
    ),
)
@one_against_rest
def weight_by_brunner_munzel(
    examples: ExampleSet,
    *,
    transformation: Weight = "one_minus_p",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Brunner–Munzel Test

    Scores every numerical attribute by a test of whether one of two classes tends to larger values.
    Only the order of the values counts. Unlike Weight by Wilcoxon Test it keeps its significance
    level if the classes differ in spread, shape or size, as Weight by Welch Test does for means.

    The detail "probability" is that of a larger value in the class that sorts last, ties counted
    half: 0.5 means no tendency. The p-values come from Student's t with estimated degrees of
    freedom. Do not use it with fewer than ten rows per class: the p-values are then too small. If
    an attribute separates the classes, the statistic is infinite, and the p-value is that of all
    permutations of the classes. A constant attribute gets 0.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight, and p-values are multiplied by the number of classes.

    .. math:: W = \frac{n_- n_+ (\bar r_+ - \bar r_-)}{(n_- + n_+) \sqrt{n_- S_- + n_+ S_+}}

    References
    ----------
    Brunner, Munzel (2000): The nonparametric Behrens–Fisher problem: asymptotic theory and a
    small-sample approximation. Biometrical Journal 42, 17–25.
    """
    values = numbers(examples, missing)
    scores = brunner_munzel(values, examples.binary_label(), weighting=transformation)
    return tested_weights(examples, scores, transformation, adjustment, ctx)
