"""Weights by the structure of the rows, without a label."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsops.core import Accepts, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.weighting.relief import GROUP
from fsops.operators.weighting.scores import describe_weights, weights_of


@operator(
    group=GROUP,
    role="weighting",
    accepts=Accepts(attributes="numerical"),
    describe=describe_weights,
    tags=("unsupervised", "without label", "locality", "graph", "clusters", "he cai niyogi"),
)
def weight_by_laplacian_score(
    examples: ExampleSet,
    *,
    number_of_neighbors: Annotated[
        int, Field(ge=1, description="Number of nearest rows to which each row is joined.")
    ] = 5,
    edges: Annotated[
        Literal["heat", "equal"],
        Field(description="heat: near rows weigh more; equal: all joined rows weigh 1."),
    ] = "heat",
    bandwidth: Annotated[
        Annotated[float, Field(gt=0)] | None,
        When(edges="heat"),
        Field(
            description="Squared distance at which the weight of an edge falls to 1/e; empty: the "
            "mean squared distance of joined rows."
        ),
    ] = None,
    scaling: Annotated[
        bool,
        Field(description="Standardize the attributes before distances are computed."),
    ] = True,
) -> AttributeWeights:
    r"""Weight by Laplacian Score

    Scores attributes without a label. Good attributes vary over the table, but little between near
    rows; such attributes separate clusters or follow a gradient. The weight is 1 minus the
    Laplacian score, at least 0; the detail "statistic" has the score itself (0 to 2, low is good).

    The distances between rows use all attributes. Do not use it on thousands of attributes that are
    mostly noise: neighbors are then random, and all scores are similar. Filter by deviation first.
    It does not remove redundancy. If there is a label, use weights that take it into account.
    Constant attributes have no score and the weight 0. Missing values are refused (impute them),
    and so are row weights, because copies of a row would be its nearest neighbors. The cost grows
    with the square of the number of rows.

    .. math:: L_j = \frac{\tilde f_j^\top L \tilde f_j}{\tilde f_j^\top D \tilde f_j}, \qquad
        L = D - S, \quad S_{ik} = e^{-\|x_i - x_k\|^2 / t}

    References
    ----------
    He, Cai, Niyogi (2005): Laplacian score for feature selection. NIPS 18, 507–514.
    """
    from fsops.algorithms.neighbors.laplacian import laplacian_score
    from fsops.operators.weighting.models import standardized

    X = examples.numeric()
    scores = laplacian_score(
        X,
        k=number_of_neighbors,
        weights=edges,
        bandwidth=bandwidth,
        distances_of=standardized(X) if scaling else None,
    )
    return weights_of(examples, scores)
