"""Ensembles of different selections, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Accepts, Context, Named, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import AttributeWeights, Collection, ExampleSet, MetaData
from fsops.errors import DataError
from fsops.operators.selection.combining import Combining, check_votes, combined
from fsops.operators.selection.resamples import (
    Ratio,
    Sampling,
    Selection,
    Stratified,
    resampled_weights,
)
from fsops.operators.sizes import kept_attributes
from fsops.operators.weighting.scores import describe_weights

Floats = npt.NDArray[np.float64]

Selections = Annotated[
    list[Selection], Named(description="Any number of selections, each on the same rows.")
]
Repetitions = Annotated[
    int,
    Field(
        ge=1, description="Number of resamples on which each selection runs; 1: once, on all rows."
    ),
]
Members = Annotated[
    Collection[AttributeWeights] | None,
    Named(description="The weights of each selection on each resample."),
]


def iterations_of_selections(known: Known) -> int | Count:
    """Return how often each inner selection runs."""
    number: int = known["iterations"]
    return 1 if number == 1 else Count(0, number, "all at once where the weighting can")


def members_weights(
    examples: ExampleSet,
    selections: Sequence[Selection],
    *,
    iterations: int,
    sampling: str,
    ratio: float | None,
    stratified: bool,
    ctx: Context,
) -> Floats:
    """Return the weights by every selection on every resample, a row each.

    All selections see the same resamples; those of one selection follow each other.
    """
    if not selections:
        raise DataError("There is no selection.", hint="Add inner processes with selections.")
    if iterations == 1:
        parts = ctx.map(lambda own: selections[own](examples), range(len(selections)), "Selections")
        return AttributeWeights.stack(parts, examples.schema.regular_names)[1]
    return np.vstack(
        [
            resampled_weights(
                examples,
                selection,
                sampling=sampling,
                iterations=iterations,
                ratio=ratio,
                stratified=stratified,
                use_absolute_weights=False,
                ctx=ctx,
            )
            for selection in selections
        ]
    )


def as_collection(names: Sequence[str], matrix: Floats, iterations: int) -> Members:
    """Return the members' weights one by one, each with its origin."""
    resample = "" if iterations == 1 else ", resample {}"
    return Collection(
        AttributeWeights(
            names,
            row,
            origin=f"Selection {number // iterations + 1}"
            + resample.format(number % iterations + 1),
        )
        for number, row in enumerate(matrix)
    )


class Combined(NamedTuple):
    """Results of an ensemble of selections."""

    weights: Annotated[AttributeWeights, Named(description="The combined weights.")]
    members: Members


def _describe(inputs: dict[str, MetaData], parameters: dict[str, object]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


@operator(
    group="Selection/Ensembles",
    role="selection",
    bound_groups="completed",
    accepts=Accepts(missing=True, infinite=True, sparse=True),
    describe=_describe,
    tags=("algorithm perturbation", "hybrid", "aggregation", "stable", "several filters", "voting"),
    random=True,
    iterations=iterations_of_selections,
)
def ensemble_of_selections(
    examples: ExampleSet,
    selection: Selections,
    *,
    iterations: Repetitions = 1,
    sampling: Sampling = "bootstrap",
    sample_fraction: Ratio = None,
    stratified: Stratified = True,
    ctx: Context,
    **how: Unpack[Combining],
) -> Combined:
    """Ensemble of Selections

    Runs different selections on the same rows and combines them, for instance a t-test, MRMR and
    Relief: attributes that they share do not depend on one method. With more than one iteration
    each also runs on resamples of the rows, the same ones for all, and all these weights are
    combined at once. Aggregate Weights explains the combinations.

    Weights of different selections have different scales. Combine them by votes, by ranks, or by
    mean weight, which scales them first; accumulate weights does not. The output members has the
    weights of each selection, to compare or to combine in other ways. Attributes with the role
    must_keep count among k and keep_best.

    References
    ----------
    Saeys, Abeel, Van de Peer (2008): Robust feature selection using ensemble feature selection
    techniques. ECML PKDD.
    Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.
    Thesis, Tunis.
    """
    check_votes(how, len(selection) * iterations, "members")
    matrix = members_weights(
        examples,
        selection,
        iterations=iterations,
        sampling=sampling,
        ratio=sample_fraction,
        stratified=stratified,
        ctx=ctx,
    )
    names = examples.schema.regular_names
    kept = kept_attributes(examples)
    weights = combined(names, matrix, how, examples=examples, kept=kept, ctx=ctx)
    wanted = ctx.wants("members")
    return Combined(weights, as_collection(names, matrix, iterations) if wanted else None)
