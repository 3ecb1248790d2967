"""Weights by tests of matched rows, such as one patient before and after treatment."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.filters import paired
from fsops.core import Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.design import GROUP, PAIR, role_codes
from fsops.errors import DataError
from fsops.operators.weighting.scores import (
    TWO_CLASSES,
    Adjustment,
    Missing,
    Weight,
    describe_weights,
    numbers,
    rapidminer,
    tested_weights,
    warn_infinite,
)

PAIRED = "Weighting/Univariate"


def pairs_of(examples: ExampleSet, ctx: Context) -> npt.NDArray[np.intp]:
    """Return the pair of each row: by the role pair or group, or else by the order of rows.

    Raises `DataError` if no pair has rows of both classes, and warns of rows without a partner.
    """
    codes = examples.binary_label()
    pairs = role_codes(examples, PAIR)
    pairs = role_codes(examples, GROUP) if pairs is None else pairs
    if pairs is None:
        ctx.warn(
            "No attribute has the role pair, so the first row of one class is compared with the "
            "first row of the other, and so on. Give the role to the attribute that names the "
            "pair (Set Role)."
        )
        pairs = np.empty(len(codes), dtype=np.intp)
        for code in (0, 1):
            pairs[codes == code] = np.arange(np.count_nonzero(codes == code))
    matched = paired.PairMeans(codes, pairs)
    if not matched.count:
        raise DataError(
            "No pair has rows of both classes, so nothing can be compared.",
            hint="The attribute with the role pair must have the same value in two matched rows.",
        )
    if matched.left_out:
        ctx.warn(f"{matched.left_out} rows have no partner of the other class and are left out.")
    return pairs


@operator(
    group=PAIRED,
    role="weighting",
    row_weights="whole numbers",
    accepts=TWO_CLASSES,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("student", "matched", "before and after", "dependent samples", "p-value", "filter"),
)
def weight_by_paired_t(
    examples: ExampleSet,
    *,
    transformation: Weight = "abs_statistic",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Paired t-Test

    Scores every numerical attribute by Student's t-test of the differences within pairs, such as
    one patient before and after treatment. Differences between patients do not count. The
    attribute with the role pair names the pair of each row; without such an attribute, the
    attribute with the role group does. Without both, the rows of the two classes are paired in
    their order.

    Several rows of one pair and class are replicates: their mean is used. Rows without a partner
    are left out. Pairs with a missing value are left out for the attribute.

    Do not use it on rows that are not matched: Weight by Welch Test has more power there. With
    fewer than ten pairs and many attributes Weight by Moderated t, which adjusts for pairs, is
    better. It is sensitive to outliers among the differences: then use Weight by Signed Rank Test.
    The detail
    "difference" is the mean of the class that sorts last minus the mean of the other. An attribute
    without differences gets 0. If all differences of an attribute are equal, t is infinite and the
    p-value 0: a warning names it.

    .. math:: t = \frac{\bar d}{s_d / \sqrt n}

    References
    ----------
    Student (1908): The probable error of a mean. Biometrika 6, 1–25.
    """
    values = numbers(examples, missing)
    scores = paired.paired_t(
        values,
        examples.binary_label(),
        pairs_of(examples, ctx),
        weighting=transformation,
        p_values=adjustment != "none",
    )
    warn_infinite(examples, scores, ctx, "differences do not vary between the pairs")
    return tested_weights(examples, scores, transformation, adjustment, ctx)


@operator(
    group=PAIRED,
    role="weighting",
    row_weights="whole numbers",
    accepts=TWO_CLASSES,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("wilcoxon", "matched", "nonparametric", "rank", "dependent samples", "p-value", "filter"),
)
def weight_by_signed_rank(
    examples: ExampleSet,
    *,
    zeros: Annotated[
        paired.Zeros,
        Field(
            description="Pairs without a difference: leave them out (wilcox), or rank them and "
            "drop their ranks (pratt)."
        ),
    ] = "wilcox",
    exact_up_to: Annotated[
        int,
        Field(
            ge=0,
            le=paired.MOST_EXACT,
            description="Number of pairs up to which p-values without ties and zeros are exact; "
            "0 for the normal approximation only.",
        ),
    ] = 50,
    transformation: Weight = "one_minus_p",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Signed Rank Test

    Scores every numerical attribute by Wilcoxon's signed rank test of the differences within
    pairs. It uses only signs and ranks of the differences, so outliers have little influence. The
    attribute with the role pair names the pair of each row; without such an attribute, the
    attribute with the role group does. Without both, the rows of the two classes are paired in
    their order.

    Several rows of one pair and class are replicates: their mean is used. Rows without a partner
    are left out. Pairs with a missing value are left out for the attribute.

    Do not use it with fewer than six pairs: no p-value can be below 0.05. It assumes that the
    differences are symmetric about their median. With ties or zeros the p-values are those of the
    normal approximation, rough below about ten pairs. Differences that are equal up to rounding
    are ties. The detail "statistic" is the normal z, "rank_correlation" is (sum of positive
    ranks − sum of negative ranks) / sum of all ranks. An attribute without differences gets 0.

    .. math:: z = \frac{\sum_{d_i > 0} r_i - \frac12 \sum_i r_i}{\frac12 \sqrt{\sum_i r_i^2}}

    References
    ----------
    Wilcoxon (1945): Individual comparisons by ranking methods. Biometrics 1, 80–83.

    Pratt (1959): Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA 54,
    655–667.
    """
    values = numbers(examples, missing)
    scores = paired.signed_rank(
        values,
        examples.binary_label(),
        pairs_of(examples, ctx),
        zeros=zeros,
        exact_up_to=exact_up_to,
        weighting=transformation,
    )
    return tested_weights(examples, scores, transformation, adjustment, ctx)
