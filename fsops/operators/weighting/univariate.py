"""Weights that look at one numerical attribute at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Scores
from fsops.algorithms.filters import univariate
from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.sizes import Size
from fsops.operators.weighting.scores import (
    CLASSES_BY_COLUMNS,
    CLASSES_IN_BLOCKS,
    PAIRWISE,
    Adjustment,
    Missing,
    Weight,
    class_moments,
    describe_weights,
    details_of,
    numbers,
    one_against_rest,
    rapidminer,
    resampled_by_class,
    scores_by_columns,
    stored_numbers,
    tested_weights,
    warn_infinite,
    warn_undefined,
    weights_of,
)

GROUP = "Weighting/Univariate"
ANY_LABEL_IN_BLOCKS = Accepts(
    label="any",
    attributes="numerical",
    missing=True,
    blocks=True,
    sparse=True,
    several_classes=True,
)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=CLASSES_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    resampled=resampled_by_class(
        univariate.sam_from, "s0", joint=lambda chosen: isinstance(chosen["s0"], str)
    ),
    tags=("significance analysis of microarrays", "relative difference", "tusher", "filter"),
)
@one_against_rest
def weight_by_sam(
    examples: ExampleSet,
    *,
    s0: Annotated[
        Annotated[float, Field(ge=0)] | Literal["auto", "median"],
        Field(
            description='Constant added to standard errors: a number, "median", or "auto" (Tusher).'
        ),
    ] = 0.1,
    signed: Annotated[
        bool, Field(description="Keep the sign: positive is higher in the class that sorts last.")
    ] = False,
    permutations: Annotated[
        int,
        Field(
            ge=0, description="Number of permutations of the classes for q-values; 0: no q-values."
        ),
    ] = 0,
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by SAM

    Scores every numerical attribute by the relative difference of two classes: the difference of
    their means over the standard error plus a small constant, which prevents large weights of
    attributes that have a very small variance by chance. It is made for expression data with few
    rows and many attributes.

    Do not use it on attributes in different units: s0 makes the score depend on the scale.
    It detects only differences of means. A constant attribute gets 0. More than two classes are
    compared one against the others. The detail "class" names the class that gave the weight, and
    p- and q-values are multiplied by the number of classes.
    With permutations, the details hold the q-value of each attribute: the false discovery rate of
    the list of all attributes with at least its weight.

    .. math:: d = \frac{m_+ - m_-}{s + s_0}, \qquad
        s = \sqrt{\frac{1/n_+ + 1/n_-}{n_+ + n_- - 2}\,(SS_+ + SS_-)}

    References
    ----------
    Tusher, Tibshirani, Chu (2001): Significance analysis of microarrays applied to the ionizing
    radiation response. PNAS 98, 5116–5121.
    """
    if not permutations:
        moments = class_moments(examples, missing, ctx)
        scores = univariate.sam_from(moments, s0=s0)
        warn_undefined(scores, "The relative difference", ctx)
        return weights_of(examples, scores, signed=signed)
    from fsops.algorithms.filters.sam_fdr import sam_fdr
    from fsops.data.row_weights import repeated

    table = repeated(CLASSES_IN_BLOCKS.loaded(examples), "A permutation test")
    rates = sam_fdr(
        numbers(table, missing),
        table.binary_label(),
        rng=ctx.rng("permutations"),
        s0=s0,
        n_permutations=permutations,
    )
    weights = weights_of(examples, rates.scores, signed=signed)
    details = {**weights.details, "p_value": rates.p_values, "q_value": rates.q_values}
    return examples.weights(weights.values, details=details)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=CLASSES_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    resampled=resampled_by_class(univariate.welch_t_from, "transformation=weighting"),
    tags=("t-test", "p-value", "unequal variances", "filter"),
)
@one_against_rest
def weight_by_welch_test(
    examples: ExampleSet,
    *,
    transformation: Weight = "one_minus_p",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Welch Test

    Scores every numerical attribute by a two-sided t-test of two classes that need not have equal
    variances. The details hold the statistic t, its degrees of freedom and the p-value.

    1 − p is 1 for p-values below 1e-16: choose −log10 p or \|t\| for very clear data.
    Both classes need two rows. With thousands of attributes adjust the p-values. A constant
    attribute gets 0. An attribute that does not vary within the classes, but between them, has an
    infinite t and the p-value 0, also with two rows per class: a warning names it.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight, and p-values are multiplied by the number of classes.

    .. math:: t = \frac{m_+ - m_-}{\sqrt{s_+^2/n_+ + s_-^2/n_-}}

    References
    ----------
    Welch (1947): The generalization of Student's problem when several different population
    variances are involved. Biometrika 34, 28–35.
    """
    moments = class_moments(examples, missing, ctx)
    scores = univariate.welch_t_from(
        moments, weighting=transformation, p_values=adjustment != "none"
    )
    warn_infinite(examples, scores, ctx)
    return tested_weights(examples, scores, transformation, adjustment, ctx)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=ANY_LABEL_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("p-value", "pearson", "linear", "regression", "filter"),
)
@one_against_rest
def weight_by_correlation(
    examples: ExampleSet,
    *,
    squared_correlation: Annotated[
        bool, Field(description="Use the square of the correlation as the weight.")
    ] = False,
    signed: Annotated[bool, Field(description="Keep the sign of the correlation.")] = False,
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Correlation

    Scores every numerical attribute by its Pearson correlation with a numerical label, or with a
    label of two classes (coded 0 and 1). The weight is \|r\| unless signed or squared.

    It detects only linear dependence. A constant attribute gets 0.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight, and p-values are multiplied by the number of classes.

    .. math:: r = \frac{\sum (x-\bar x)(y-\bar y)}{\sqrt{\sum (x-\bar x)^2 \sum (y-\bar y)^2}}

    References
    ----------
    Pearson (1895): Note on regression and inheritance in the case of two parents.
    """
    moments = examples.cross_moments(missing=missing, otherwise=PAIRWISE, ctx=ctx)
    scores = univariate.pearson_from(moments)
    if squared_correlation:
        return examples.weights(scores.weights**2, details=details_of(scores))
    return weights_of(examples, scores, signed=signed)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=CLASSES_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("student", "p-value", "equal variances", "filter"),
)
@one_against_rest
def weight_by_t_test(
    examples: ExampleSet,
    *,
    equal_variances: Annotated[
        bool, Field(description="Pool the variances of the classes (Student), or not (Welch).")
    ] = True,
    transformation: Weight = "abs_statistic",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by t-Test

    Scores every numerical attribute by Student's t-test of two classes. The details hold the
    statistic, its degrees of freedom and the two-sided p-value.

    It assumes equal variances in both classes; if they differ much, use Weight by Welch Test.
    A constant attribute gets 0. An attribute that does not vary within the classes, but between
    them, has an infinite t and the p-value 0, also with two rows per class: a warning names it.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight, and p-values are multiplied by the number of classes.

    .. math:: t = \frac{m_+ - m_-}{s}, \qquad
        s = \sqrt{\frac{1/n_+ + 1/n_-}{n_+ + n_- - 2}\,(SS_+ + SS_-)}

    References
    ----------
    Student (1908): The probable error of a mean. Biometrika 6, 1–25.
    """
    test = univariate.student_t_from if equal_variances else univariate.welch_t_from
    moments = class_moments(examples, missing, ctx)
    scores = test(moments, weighting=transformation, p_values=adjustment != "none")
    warn_infinite(examples, scores, ctx)
    return tested_weights(examples, scores, transformation, adjustment, ctx)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=CLASSES_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    resampled=resampled_by_class(univariate.f_test_from, "transformation=weighting"),
    tags=("anova", "analysis of variance", "p-value", "multi-class", "filter"),
)
def weight_by_f_test(
    examples: ExampleSet,
    *,
    transformation: Weight = "abs_statistic",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by F-Test

    Scores every numerical attribute by how much its class means differ, measured by the variance
    within the classes, for any number of classes. For two classes F is the square of Student's t.

    It assumes equal variances in all classes, and needs more rows than classes. F is not
    comparable with weights of another kind. A constant attribute gets 0. An attribute that does not
    vary within the classes, but between them, has an infinite F and the p-value 0, also with two
    rows per class: a warning names it.

    .. math:: F = \frac{(n-C) \sum_c n_c (m_c - m)^2}{(C-1) \sum_c (n_c - 1) s_c^2}

    References
    ----------
    Fisher (1925): Statistical Methods for Research Workers.
    """
    moments = class_moments(examples, missing, ctx)
    scores = univariate.f_test_from(
        moments, weighting=transformation, p_values=adjustment != "none"
    )
    warn_infinite(examples, scores, ctx)
    return tested_weights(examples, scores, transformation, adjustment, ctx)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=CLASSES_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    resampled=resampled_by_class(univariate.fisher_score_from),
    tags=("between within variance", "multi-class", "filter"),
)
def weight_by_fisher_score(
    examples: ExampleSet, *, missing: Missing = "error", ctx: Context
) -> AttributeWeights:
    r"""Weight by Fisher Score

    Scores every numerical attribute by the scatter between the classes over the scatter within.

    Gives the same ranking as Weight by F-Test; use that operator if you need p-values. A constant
    attribute gets 0.

    .. math:: \frac{\sum_c n_c (m_c - m)^2}{\sum_c n_c v_c}

    References
    ----------
    Duda, Hart, Stork (2001): Pattern Classification.
    """
    moments = class_moments(examples, missing, ctx)
    scores = univariate.fisher_score_from(moments)
    warn_undefined(scores, "The Fisher score", ctx)
    return weights_of(examples, scores)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=CLASSES_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    resampled=resampled_by_class(univariate.lal_score_from),
    tags=("nips 2003", "correlation score", "signal to noise", "filter"),
)
@one_against_rest
def weight_by_lal_score(
    examples: ExampleSet, *, missing: Missing = "error", ctx: Context
) -> AttributeWeights:
    r"""Weight by Lal Score

    Scores every numerical attribute by the squared difference of two class means over the sum of
    the class variances. Unlike in the Fisher score, both classes have the same influence, even if
    their numbers of rows differ. A class may have a single row; its variance is 0.

    A constant attribute gets 0.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight.

    .. math:: R = \frac{(m_+ - m_-)^2}{v_+ + v_-}

    References
    ----------
    Lal, Chapelle, Schölkopf (2006): Combining a filter method with SVMs. In: Feature Extraction,
    Foundations and Applications.
    """
    moments = class_moments(examples, missing, ctx)
    scores = univariate.lal_score_from(moments)
    warn_undefined(scores, "The score", ctx)
    return weights_of(examples, scores)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=CLASSES_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("kullback-leibler", "divergence", "relative entropy", "filter"),
)
@one_against_rest
def weight_by_entropy(
    examples: ExampleSet, *, missing: Missing = "error", ctx: Context
) -> AttributeWeights:
    r"""Weight by Entropy

    Scores every numerical attribute by the symmetric Kullback–Leibler divergence of two classes,
    taken as normal distributions. It detects differences of variances as well as of means.

    It is sensitive to outliers and to skewed attributes. An attribute that is constant in only one
    class gets infinity; a constant attribute gets 0.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight.

    .. math:: J = \tfrac12\Big[\frac{s_+^2}{s_-^2} + \frac{s_-^2}{s_+^2} - 2 +
        \Big(\frac1{s_+^2} + \frac1{s_-^2}\Big)(m_+ - m_-)^2\Big]

    References
    ----------
    Theodoridis, Koutroumbas (2008): Pattern Recognition.
    """
    moments = class_moments(examples, missing, ctx)
    scores = univariate.symmetric_kl_from(moments)
    warn_undefined(scores, "The divergence", ctx)
    return weights_of(examples, scores)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=CLASSES_BY_COLUMNS,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("roc", "area under the curve", "rank", "filter"),
)
@one_against_rest
def weight_by_auc(
    examples: ExampleSet, *, missing: Missing = "error", ctx: Context
) -> AttributeWeights:
    r"""Weight by AUC

    Scores every numerical attribute by how well it alone orders two classes: twice the distance of
    its area under the ROC curve from one half, so that 1 is perfect and 0 is chance.

    Only the order of the values counts: no transformation of an attribute changes its weight. The
    detail "statistic" holds the area itself. A constant attribute gets 0. A table that stays in its
    file is read once, all rows of some attributes at a time, so that ranks are exact.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight.

    .. math:: w = |2\,\mathrm{AUC} - 1|

    References
    ----------
    Hanley, McNeil (1982): The meaning and use of the area under a ROC curve. Radiology 143, 29–36.
    """
    scores = scores_by_columns(examples, partial(_areas, missing), ctx)
    return weights_of(examples, scores)


def _areas(missing: str, table: ExampleSet, names: Sequence[str]) -> Scores:
    return univariate.auc(stored_numbers(table, missing), table.binary_label())


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=CLASSES_BY_COLUMNS,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("mann-whitney", "rank sum", "u test", "p-value", "nonparametric", "filter"),
)
@one_against_rest
def weight_by_wilcoxon(
    examples: ExampleSet,
    *,
    transformation: Weight = "one_minus_p",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    """Weight by Wilcoxon Test

    Scores every numerical attribute by the rank sum test of two classes (Mann–Whitney), corrected
    for ties. Robust against outliers, since only the order of the values counts.

    The p-values are those of the normal approximation without a correction for continuity, as R's
    ``wilcox.test`` gives them with ``exact = FALSE, correct = FALSE``: rough below about eight rows
    per class. With three rows in each class the smallest is 0.0495, but the exact one is 0.1: use
    Permutation Test of Weights there. A constant attribute gets 0. A table that stays in its file
    is read once, some attributes with all rows at a time, so that ranks are exact.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight, and p-values are multiplied by the number of classes.

    References
    ----------
    Wilcoxon (1945): Individual comparisons by ranking methods. Biometrics 1, 80–83.
    """
    test = partial(univariate.wilcoxon, weighting=transformation, p_values=adjustment != "none")
    scores = scores_by_columns(examples, partial(_tested_ranks, test, missing), ctx)
    return tested_weights(examples, scores, transformation, adjustment, ctx)


def _tested_ranks(
    test: Callable[..., Scores], missing: str, table: ExampleSet, names: Sequence[str]
) -> Scores:
    return test(stored_numbers(table, missing), table.binary_label())


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(label="any", attributes="numerical", missing=True),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("sure independence screening", "ultrahigh dimensional", "filter"),
)
def weight_by_sis(
    examples: ExampleSet,
    *,
    k: Annotated[
        Annotated[int, Field(ge=1)] | Literal["n/log n", "n-1"],
        Field(
            description="Number of attributes to keep, or a rule that computes it from the number "
            "of rows n."
        ),
    ] = "n/log n",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Sure Independence Screening (SIS)

    Sure independence screening: gives weight 1 to the attributes most correlated with the label
    and 0 to all others, and chooses the number of attributes from the number of rows. Use it as a
    first filter before a costlier method.

    It does not find attributes that matter only together with others. The detail "statistic" holds
    the marginal regression coefficients. Attributes with the role must_keep count among the k.

    .. math:: \omega = X^\top (y - \bar y) / n

    References
    ----------
    Fan, Lv (2008): Sure independence screening for ultrahigh dimensional feature space. J. R.
    Statist. Soc. B 70, 849–911.
    """
    scores = univariate.sis(numbers(examples, missing), examples.numeric_label(), keep=k)
    size = Size.of(examples, max(1, int(scores.weights.sum())), ctx)
    if size.kept.any():
        weights = np.zeros(len(size.kept))
        weights[size.cut(np.argsort(-np.abs(scores.statistic), kind="stable"))] = 1.0
        scores = replace(scores, weights=weights)
    return weights_of(examples, scores)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(attributes="numerical", missing=True),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("variance", "standard deviation", "unsupervised", "filter"),
)
def weight_by_deviation(
    examples: ExampleSet,
    *,
    normalization: Annotated[
        Literal["none", "average", "minimum", "maximum"],
        Field(description="Divisor of the deviation."),
    ] = "none",
    missing: Missing = "error",
) -> AttributeWeights:
    """Weight by Deviation

    Scores every numerical attribute by its standard deviation, without using a label.

    Bring all attributes to one scale first, or choose a divisor with normalization. A constant
    attribute gets 0.
    """
    return weights_of(
        examples, univariate.deviation(numbers(examples, missing), normalize=normalization)
    )
