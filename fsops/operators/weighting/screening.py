"""Screening of very many attributes, in rounds."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.linear.screening import iterative_sis
from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.sizes import Size
from fsops.operators.weighting.scores import describe_weights, rapidminer


@operator(
    group="Weighting/Models",
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(label="any", attributes="numerical"),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("isis", "sure independence screening", "ultrahigh dimensional", "lasso", "residual"),
)
def weight_by_iterative_sis(
    examples: ExampleSet,
    *,
    k: Annotated[
        Annotated[int, Field(ge=1)] | Literal["n/log n", "n-1"],
        Field(
            description="Maximum number of attributes, or a rule that computes it from the number "
            "of rows n."
        ),
    ] = "n/log n",
    criterion: Annotated[
        Literal["BIC", "EBIC"],
        Field(
            description="Criterion that compares numbers k of the p attributes. EBIC adds "
            "2 ln C(p, k), which keeps few attributes or none where the label is independent of "
            "them."
        ),
    ] = "BIC",
    output: Annotated[
        Literal["selection", "ranking"],
        Field(
            description="Weight 1 for selected attributes and 0 for others, or a weight that "
            "grows with the contribution."
        ),
    ] = "selection",
    ctx: Context,
) -> AttributeWeights:
    """Weight by Iterative Screening (ISIS)

    Iterative sure independence screening: as Weight by Sure Independence
    Screening, but in rounds, so that it also finds attributes that matter only together
    with others and does not fill up with copies of one. Each
    round takes the attributes most correlated with the residual; the LASSO chooses
    among them and those kept so far, by the criterion of a least squares fit.

    BIC mostly keeps the maximum number of attributes, even if the label is independent of all of
    them; EBIC keeps fewer. A ranking has the largest standardized coefficient first. A label with
    two classes is coded 0 and 1. The detail "round" is the round in which an attribute was kept; 0:
    never. Attributes with the role must_keep count among the k.

    References
    ----------
    Fan, Lv (2008): Sure independence screening for ultrahigh dimensional feature space. J. R.
    Statist. Soc. B 70, 849–911.
    Fan, Samworth, Wu (2009): Ultrahigh dimensional feature selection: beyond the linear model.
    JMLR 10, 2013–2038.
    Chen, Chen (2008): Extended Bayesian information criteria for model selection with large model
    spaces. Biometrika 95, 759–771.
    """
    found = iterative_sis(examples.numeric(), examples.numeric_label(), keep=k, criterion=criterion)
    size = Size.of(examples, max(1, found.places), ctx)
    order = size.cut(found.kept)
    order = np.concatenate([order, np.setdiff1d(size.first, order)])
    weights = np.zeros(len(found.rounds))
    weights[order] = np.arange(len(order), 0, -1) if output == "ranking" else 1.0
    return examples.weights(weights, details={"round": found.rounds})
