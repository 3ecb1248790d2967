"""Ensembles: select on many resamples and keep the common attributes."""

from __future__ import annotations

from typing import Unpack

from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.selection.combining import Combining, check_votes, combined
from fsops.operators.selection.resamples import (
    Iterations,
    Ratio,
    Sampling,
    Selection,
    Stratified,
    iterations_on_resamples,
    resampled_weights,
)
from fsops.operators.sizes import kept_attributes
from fsops.operators.weighting.scores import describe_weights


@operator(
    group="Selection/Ensembles",
    role="selection",
    bound_groups="completed",
    accepts=Accepts(missing=True, infinite=True, blocks=True, sparse=True),
    describe=describe_weights,
    tags=("bagging", "bootstrap", "aggregation", "stable", "robust", "voting"),
    random=True,
    iterations=iterations_on_resamples,
)
def ensemble_feature_selection(
    examples: ExampleSet,
    selection: Selection,
    *,
    iterations: Iterations = 10,
    sampling: Sampling = "bootstrap",
    sample_fraction: Ratio = None,
    stratified: Stratified = True,
    ctx: Context,
    **how: Unpack[Combining],
) -> AttributeWeights:
    """Ensemble Feature Selection

    Makes a selection more stable: runs its inner selection on many resamples of the rows and
    combines the weights. With top k and geq w the chosen attributes get weight 1 and all others 0,
    and the detail "frequency" is the fraction of iterations that chose each; accumulated weights
    are added up. Aggregate Weights explains all combinations.

    The inner process runs once per iteration. If it is a single filter on means and variances, all
    resamples are computed at once. With top k, attributes with weight 0 or less are never chosen,
    so fewer than k may remain, with a warning. If the sign of a weight does not matter, set
    use_absolute_weights. Attributes with the role must_keep count among k and keep_best.

    References
    ----------
    Saeys, Abeel, Van de Peer (2008): Robust feature selection using ensemble feature selection
    techniques. ECML PKDD.
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    check_votes(how, iterations, "iterations")
    matrix = resampled_weights(
        examples,
        selection,
        sampling=sampling,
        iterations=iterations,
        ratio=sample_fraction,
        stratified=stratified,
        use_absolute_weights=how["use_absolute_weights"],
        ctx=ctx,
    )
    names, kept = examples.schema.regular_names, kept_attributes(examples)
    return combined(names, matrix, how, examples=examples, kept=kept, ctx=ctx)
