"""Ensembles: select on many resamples and keep what they agree on."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms import ensemble
from fsops.core import Accepts, Context, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import ParameterError
from fsops.operators.selection.resamples import (
    Iterations,
    Ratio,
    Sampling,
    Selection,
    Stratified,
    resampled_weights,
    turns_on_resamples,
)
from fsops.operators.weighting.scores import describe_weights


@operator(
    group="Selection/Ensembles",
    accepts=Accepts(missing=True, infinite=True),
    describe=describe_weights,
    tags=("bagging", "bootstrap", "aggregation", "stable", "robust", "voting"),
    random=True,
    turns=turns_on_resamples,
)
def ensemble_feature_selection(
    examples: ExampleSet,
    selection: Selection,
    *,
    iterations: Iterations = 10,
    sampling: Sampling = "bootstrap",
    ratio: Ratio = None,
    stratified: Stratified = True,
    combination: Annotated[
        Literal["top k", "geq w", "accumulate weights"],
        Field(
            description="What counts: being among the best k, having a weight of at least w, or "
            "the sum of the weights."
        ),
    ] = "top k",
    k: Annotated[
        int, When(combination="top k"), Field(ge=1, description="How many attributes to select.")
    ] = 10,
    w: Annotated[
        float, When(combination="geq w"), Field(description="Smallest weight that is a vote.")
    ] = 1.0,
    minimum_iterations: Annotated[
        int | None,
        When(combination=("top k", "geq w")),
        Field(ge=0, description="Votes an attribute needs; empty: none for top k, half for geq w."),
    ] = None,
    normalization: Annotated[
        Literal["none", "max", "minmax", "sum", "rank"],
        When(combination="accumulate weights"),
        Field(description="How each iteration's weights are scaled before they are added."),
    ] = "none",
    use_absolute_weights: Annotated[
        bool, Field(description="Let the size of a weight count, whatever its sign.")
    ] = True,
    ctx: Context,
) -> AttributeWeights:
    """Ensemble Feature Selection

    Makes a selection steadier: runs its inner selection on many resamples of the rows and combines
    the weights. With top k and geq w the chosen attributes get weight 1 and all others 0, and the
    detail "frequency" tells in which share of the iterations each was chosen; accumulated weights
    are added up.

    Costs as many runs of the inner process as iterations, unless that is a single filter made of
    means and variances: then all resamples are computed at once. With top k, attributes with weight
    0 or less are never chosen, so fewer than k may remain.

    References
    ----------
    Saeys, Abeel, Van de Peer (2008): Robust feature selection using ensemble feature selection
    techniques. ECML PKDD.
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    if minimum_iterations is not None and minimum_iterations > iterations:
        raise ParameterError(
            f"minimum_iterations is {minimum_iterations}, but there are {iterations} iterations."
        )
    if combination == "geq w" and minimum_iterations == 0:
        raise ParameterError("minimum_iterations is 0, but geq w needs at least one vote.")
    matrix = resampled_weights(
        examples,
        selection,
        sampling=sampling,
        iterations=iterations,
        ratio=ratio,
        stratified=stratified,
        use_absolute_weights=use_absolute_weights,
        ctx=ctx,
    )
    names = examples.schema.regular_names
    if combination == "accumulate weights":
        return AttributeWeights(names, ensemble.accumulate(matrix, normalization=normalization))
    if combination == "top k":
        chosen = ensemble.top_k(matrix, k, min_iterations=minimum_iterations or 0)
    else:
        chosen = ensemble.geq_w(matrix, w, min_iterations=minimum_iterations)
    return AttributeWeights(
        names, chosen.selected.astype(np.float64), details={"frequency": chosen.frequency}
    )
