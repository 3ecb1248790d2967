"""Weights by correlations that covariates do not explain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsops.algorithms.filters.partial import partial_correlation, partial_rank_correlation
from fsops.algorithms.statistics.linear_fits import NotEstimable
from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.row_weights import repeated
from fsops.operators.weighting.designs import design_names, not_estimable, nuisance_columns
from fsops.operators.weighting.scores import (
    Adjustment,
    Missing,
    Weight,
    describe_weights,
    numbers,
    one_against_rest,
    rapidminer,
    tested_weights,
)


@operator(
    group="Weighting/Univariate",
    role="weighting",
    row_weights="used",
    accepts=Accepts(label="any", attributes="numerical", missing=True),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("covariate", "confounder", "pearson", "spearman", "adjusted", "p-value", "filter"),
)
@one_against_rest
def weight_by_partial_correlation(
    examples: ExampleSet,
    *,
    method: Annotated[
        Literal["pearson", "spearman"],
        Field(description="Correlate the values (pearson), or their ranks (spearman)."),
    ] = "pearson",
    transformation: Weight = "abs_statistic",
    adjustment: Adjustment = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Partial Correlation

    Scores every numerical attribute by its correlation with the label, after both were adjusted
    for other attributes by linear regression: an attribute that only reflects age gets a small
    weight if age is adjusted for. The label is a number or has two classes (coded 0 and 1).

    The roles of the table name the attributes to adjust for: covariate, batch, pair, and group if
    the labels differ within groups. Categories are adjusted for by indicators. The detail
    "statistic" is the correlation with its sign, "df" the degrees of freedom of its p-value.

    Do not adjust for an attribute that is a consequence of the label: this removes the effect.
    The adjustment is linear; with method="spearman" it is linear in ranks. Without covariates
    Weight by Correlation gives the same and also takes tables in files. Spearman's needs whole
    numbers as row weights. An attribute that is constant, or explained by the covariates, gets 0.

    With more than two classes, each class is compared with all others: the detail "class" names the
    class that gave the weight, and p-values are multiplied by the number of classes.

    .. math:: r = \mathrm{cor}(x - \hat x(z),\; y - \hat y(z)), \qquad
        t = r \sqrt{\frac{n - 2 - q}{1 - r^2}}

    References
    ----------
    Fisher (1924): The distribution of the partial correlation coefficient. Metron 3, 329–332.
    """
    table = repeated(examples, "Spearman's correlation") if method == "spearman" else examples
    values = numbers(table, missing)
    names = design_names(table, ctx)
    if not names:
        ctx.warn(
            "No attribute has the role covariate, batch or pair, so nothing is adjusted for. Give "
            "the role to the attributes to adjust for (Set Role)."
        )
    label, covariates = table.numeric_label(), nuisance_columns(table, names)
    p_values = adjustment != "none"
    try:
        if method == "spearman":
            scores = partial_rank_correlation(
                values, label, covariates, weighting=transformation, p_values=p_values
            )
        else:
            scores = partial_correlation(
                values,
                label,
                covariates,
                row_weights=table.row_weights,
                weighting=transformation,
                p_values=p_values,
            )
    except NotEstimable as error:
        raise not_estimable(examples, names, optional=False) from error
    return tested_weights(examples, scores, transformation, adjustment, ctx)
