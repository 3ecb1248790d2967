"""Weights by linear models whose variances are shrunk towards that of all attributes."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from fsops.algorithms.filters.moderated import ModeratedScores, moderated
from fsops.algorithms.statistics.linear_fits import (
    LinearFits,
    NotEstimable,
    design_fits,
    one_way_fits,
    orthonormal_design,
)
from fsops.core import Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.weighting.designs import (
    design_names,
    indicators,
    not_estimable,
    nuisance_columns,
)
from fsops.operators.weighting.scores import (
    Adjustment,
    Missing,
    Weight,
    class_codes,
    class_moments,
    describe_weights,
    numbers,
    rapidminer,
    tested_weights,
)
from fsops.operators.weighting.univariate import ANY_LABEL_IN_BLOCKS, GROUP

Adjust = Annotated[
    bool,
    Field(
        description="Adjust for the attributes with the roles batch, covariate and pair, and for "
        "groups of rows with different labels."
    ),
]


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=ANY_LABEL_IN_BLOCKS,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=(
        "limma",
        "empirical bayes",
        "paired",
        "batch",
        "covariate",
        "p-value",
        "f-test",
        "filter",
    ),
)
def weight_by_moderated_t(
    examples: ExampleSet,
    *,
    adjust: Adjust = True,
    trend: Annotated[
        bool, Field(description="Let the common variance depend on the mean of an attribute.")
    ] = False,
    transformation: Weight = "abs_statistic",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Moderated t

    Scores every numerical attribute by the moderated t of limma for two classes or a numerical
    label, and by the moderated F for more classes. The variance of an attribute is shrunk towards
    the common variance of all attributes. With few rows and many attributes this gives more power
    than Weight by t-Test, and attributes with a very small variance do not get large weights by
    chance.

    The roles of the columns define the design. Attributes with the roles batch and covariate are
    adjusted for, rows of one pair are compared with each other, and so are rows of one group if
    their labels differ. A batch with only one class contributes nothing to the comparison.

    Do not use it on a few attributes, on attributes in different units, or on raw counts: take
    logarithms of expression values first. It assumes that the variances of the classes are equal;
    otherwise use Weight by Welch Test. Set trend if the variance depends on the mean, as for
    log counts of sequencing. Remove constant attributes before, since they disturb the common
    variance. A constant attribute gets 0.

    The details hold the statistic, its degrees of freedom, the p-value and the coefficient: the
    difference of the class that sorts last, or the slope of a numerical label.
    A row weight is the number of times a row counts. A sparse table stays sparse, and a table in a
    file stays there, if there is nothing to adjust for and the label has classes.

    .. math:: t = \frac{m_+ - m_-}{\tilde s \sqrt{1/n_+ + 1/n_-}}, \qquad
        \tilde s^2 = \frac{d_0 s_0^2 + d s^2}{d_0 + d}

    References
    ----------
    Smyth (2004): Linear models and empirical Bayes methods for assessing differential expression
    in microarray experiments. Statistical Applications in Genetics and Molecular Biology 3.

    Ritchie et al. (2015): limma powers differential expression analyses for RNA-sequencing and
    microarray studies. Nucleic Acids Research 43, e47.
    """
    fits = _fits(examples, adjust, missing, ctx)
    p_values = adjustment != "none"
    scores = moderated(fits, trend=trend, weighting=transformation, p_values=p_values)
    _warn_unreliable(scores, ctx)
    return tested_weights(examples, scores, transformation, adjustment, ctx)


def _fits(examples: ExampleSet, adjust: bool, missing: Missing, ctx: Context) -> LinearFits:
    names = design_names(examples, ctx) if adjust else []
    classes = examples.label.value_type.is_nominal
    if classes and not names:
        fits = one_way_fits(class_moments(examples, missing, ctx))
        if not (fits.residual_df > 0).any():
            raise not_estimable(examples, [])
        return fits
    table = ANY_LABEL_IN_BLOCKS.loaded(examples)
    values = numbers(table, missing)
    tested = indicators(class_codes(table)) if classes else table.numeric_label()[:, None]
    try:
        design = orthonormal_design(nuisance_columns(table, names), tested, table.row_weights)
        return design_fits(values, design)
    except NotEstimable as error:
        raise not_estimable(examples, names) from error


def _warn_unreliable(scores: ModeratedScores, ctx: Context) -> None:
    if scores.prior is not None and scores.prior.unreliable and not np.all(scores.undefined):
        ctx.warn(
            "More than half of the attributes do not vary within the classes: the common variance "
            "is unreliable. Remove them first (Remove Useless Attributes)."
        )
