"""Resamples for ensembles and stability: which rows each repetition sees."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base import resampling
from fsops.core import Context, Subprocess, When
from fsops.core.declare.iterations import Count, Known
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.design import names_of_groups, row_groups, row_strata
from fsops.data.row_plans import RowPlan
from fsops.errors import DataError

Rows = npt.NDArray[np.intp]

Sampling = Annotated[
    Literal["bootstrap", "subsample", "leave one part out"],
    Field(
        description="Choice of the rows of each repetition: with replacement, without replacement, "
        "or all rows except one part, as in a cross-validation."
    ),
]
Ratio = Annotated[
    Annotated[float, Field(gt=0, le=1)] | None,
    When(sampling=("bootstrap", "subsample")),
    Field(
        description="Drawn rows as a fraction of all rows; empty: all for a bootstrap, 0.8 for a "
        "subsample."
    ),
]
RATIOS = {"bootstrap": 1.0, "subsample": 0.8}
LARGEST = 1e100
Stratified = Annotated[bool, Field(description="Keep the class fractions.")]
Iterations = Annotated[int, Field(ge=2, description="Number of repetitions.")]

Selection = Subprocess[[ExampleSet], AttributeWeights]


def iterations_on_resamples(known: Known) -> int | Count:
    """Return how often the inner selection runs."""
    number: int = known["iterations"]
    if known.at_once:
        return Count(0, number, "all at once where the weighting can")
    return number


def resampled_weights(
    examples: ExampleSet,
    selection: Selection,
    *,
    sampling: str,
    iterations: int,
    ratio: float | None,
    stratified: bool,
    use_absolute_weights: bool,
    ctx: Context,
) -> npt.NDArray[np.float64]:
    """Return the weights of the regular attributes on every resample, a row each.

    Infinite weights become very large ones, so that they can be added and compared.
    """
    share = RATIOS.get(sampling, 1.0) if ratio is None else ratio
    resamples = _draw(examples, sampling, iterations, share, stratified=stratified, ctx=ctx)
    return weights_on(
        examples, selection, resamples, use_absolute_weights=use_absolute_weights, ctx=ctx
    )


def weights_on(
    examples: ExampleSet,
    selection: Selection,
    resamples: tuple[Rows, ...],
    *,
    use_absolute_weights: bool,
    ctx: Context,
) -> npt.NDArray[np.float64]:
    """Return finite weights of the regular attributes on sets of rows, a line for each set."""
    matrix = _weights_on(examples, selection, resamples, ctx)
    matrix = np.nan_to_num(matrix, nan=0.0, posinf=LARGEST, neginf=-LARGEST)
    return np.abs(matrix) if use_absolute_weights else matrix


def complementary_halves(
    examples: ExampleSet, pairs: int, *, stratified: bool, ctx: Context
) -> tuple[Rows, ...]:
    """Return halves of the rows, each followed by the other half; an odd row is left out."""
    n, groups = len(examples), row_groups(examples)
    units = n if groups is None else int(groups.max()) + 1
    if units < 2:
        noun = "rows" if groups is None else f"groups ({names_of_groups(examples)})"
        raise DataError(f"Two halves need at least two {noun}, but there are {units}.")
    classes = row_strata(examples) if stratified else None
    drawn = resampling.holdouts(
        n, pairs, ctx.rng("resamples"), train=n // 2, test=n // 2, strata=classes, groups=groups
    )
    return tuple(half for pair in drawn for half in pair)


def _draw(
    examples: ExampleSet,
    sampling: str,
    iterations: int,
    ratio: float,
    *,
    stratified: bool,
    ctx: Context,
) -> tuple[Rows, ...]:
    """Return the rows of each repetition; rows of one group or pair are drawn together."""
    n, rng, groups = len(examples), ctx.rng("resamples"), row_groups(examples)
    units = n if groups is None else int(groups.max()) + 1
    classes = row_strata(examples)
    strata = classes if stratified else None
    if sampling == "leave one part out":
        if iterations > units:
            noun = "rows" if groups is None else f"groups ({names_of_groups(examples)})"
            raise DataError(
                f"{iterations} parts need at least {iterations} {noun}, but there are {units}.",
                hint=f"Set iterations to at most {units}.",
            )
        return resampling.leave_one_part_out(n, iterations, rng, strata=strata, groups=groups)
    if sampling == "subsample":
        if ratio * n < 1:
            raise DataError(f"A fraction of {ratio:g} of {n} rows is less than one row.")
        if ratio == 1:
            ctx.warn(
                "With a fraction of 1 every subsample has all rows, so all repetitions are equal."
            )
        return resampling.subsample(n, iterations, rng, ratio=ratio, strata=strata, groups=groups)
    return resampling.bootstrap(
        n, iterations, rng, ratio=ratio, strata=strata, labels=classes, groups=groups
    )


def _weights_on(
    examples: ExampleSet, selection: Selection, resamples: tuple[Rows, ...], ctx: Context
) -> npt.NDArray[np.float64]:
    """Ask a filter made of sums over rows for all resamples at once; run all else on each."""
    at_once = getattr(selection, "resampled", None)
    names = examples.schema.regular_names  # known before the loop, they need not come back from it
    with RowPlan(examples, resamples) as plan:
        if at_once is not None and not plan.reads_file:
            matrix: npt.NDArray[np.float64] | None = at_once(
                examples, resampling.row_counts(resamples, len(examples))
            )
            if matrix is not None:
                return matrix
        parts = ctx.map(
            lambda n: selection(plan.taken(n)),
            range(len(resamples)),
            "Resamples",
            here=plan.reads_file,
        )
    return AttributeWeights.stack(parts, names)[1]


def inner_folds(
    examples: ExampleSet, folds: int, codes: npt.NDArray[np.intp] | None, ctx: Context
) -> npt.NDArray[np.intp]:
    """Return the fold of each row; rows of one group are in the same fold.

    A row of any weight is in one fold, as equal rows of one group are, and the folds have about the
    same sums of weights.
    """
    groups = row_groups(examples)
    most = len(examples) if groups is None else int(groups.max()) + 1
    if most < 2:
        raise DataError(
            "One row, or one group of rows, cannot be cross-validated.", hint="Take more rows."
        )
    return resampling.partition(
        len(examples),
        min(folds, most),
        ctx.rng("folds"),
        strata=codes,
        groups=groups,
        weights=examples.row_weights,
    )
