"""Attributes that say nothing, or nothing new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.preparation.normalization import mean_and_deviation
from fsops.algorithms.preparation.redundancy import uncorrelated
from fsops.core import Accepts, Context, When, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData
from fsops.data.columns import MISSING_CODE, is_missing
from fsops.operators.preparation.prepared import ALIASES, ANY_VALUES

GROUP = "Preparation/Attributes"

Mask = npt.NDArray[np.bool_]


def _describe_fewer(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    rows = meta.rows if isinstance(meta, ExampleSetMetaData) else None
    return ExampleSetMetaData(rows=rows)  # which attributes remain is known at the run only


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe_fewer,
    aliases=ALIASES,
    tags=("constant", "variance threshold", "id", "clean", "drop", "filter"),
)
def remove_useless_attributes(
    examples: ExampleSet,
    *,
    numerical_min_deviation: Annotated[
        float,
        Field(
            ge=0, description="Remove numerical attributes whose deviation is at most this value."
        ),
    ] = 0.0,
    nominal_useless_above: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Remove nominal attributes if one category has at least this fraction of "
            "the rows, and any attributes if at least this fraction of their values is missing.",
        ),
    ] = 1.0,
    nominal_remove_id_like: Annotated[
        bool, Field(description="Remove nominal attributes whose values are all different.")
    ] = False,
    nominal_useless_below: Annotated[
        float,
        When(nominal_remove_id_like=False),
        Field(
            ge=0,
            le=1,
            description="Drop nominal attributes whose categories all have at most this fraction.",
        ),
    ] = 0.0,
    ctx: Context,
) -> ExampleSet:
    """Remove Useless Attributes

    Drops attributes that hardly vary: by default those with one value only, or none; missing values
    do not count. Special attributes, dates and texts stay.

    Deviation is the sample standard deviation (divisor n − 1) of the known values; fractions
    refer to all rows. It ignores the label: an attribute that varies can be useless too.
    """
    n = len(examples)
    below = 1 / n if nominal_remove_id_like else nominal_useless_below
    useless = np.zeros(len(examples.schema), dtype=bool)
    numerical, nominal = examples.schema.regular_numerical, examples.schema.regular_nominal
    _, deviations = mean_and_deviation(examples.numeric())
    useless[numerical] = deviations <= numerical_min_deviation
    useless[numerical] |= is_missing(examples.numeric()).mean(axis=0) >= nominal_useless_above
    largest = _largest_shares(examples)
    useless[nominal] = (largest >= nominal_useless_above) | (largest <= below)
    missing = is_missing(examples.nominal()).mean(axis=0)
    single = (largest + missing) * n > n - 0.5  # shares are rounded, counts are whole numbers
    useless[nominal] |= (missing >= nominal_useless_above) | single
    return _remaining(examples, useless, ctx)


def _largest_shares(examples: ExampleSet) -> npt.NDArray[np.float64]:
    """Return the fraction of rows of the most frequent category of each attribute."""
    codes, counts = examples.nominal(), examples.category_counts()
    starts = np.cumsum(counts) - counts
    places = (codes + starts)[codes != MISSING_CODE]
    frequency = np.bincount(places, minlength=int(counts.sum()))
    largest = np.zeros(len(counts))
    some = np.flatnonzero(counts)
    if len(some):
        largest[some] = np.maximum.reduceat(frequency, starts[some])
    return largest / len(examples)


def _remaining(examples: ExampleSet, gone: Mask, ctx: Context) -> ExampleSet:
    if gone.sum() == len(examples.schema.regular):
        ctx.warn("All regular attributes are removed.")
    return examples.drop(examples.schema.names_at(np.flatnonzero(gone)))


@operator(
    group=GROUP,
    role="preparation",
    accepts=Accepts(),
    describe=_describe_fewer,
    aliases=ALIASES,
    tags=("redundant", "pearson", "collinear", "duplicate", "drop", "filter"),
    random=True,
)
def remove_correlated_attributes(
    examples: ExampleSet,
    *,
    correlation: Annotated[
        float, Field(ge=-1, le=1, description="The correlation to compare with.")
    ] = 0.95,
    filter_relation: Annotated[
        Literal["greater", "greater equals", "equals", "less equals", "less"],
        Field(description="Drop one of a pair if its correlation meets this condition."),
    ] = "greater",
    attribute_order: Annotated[
        Literal["original", "random", "reverse"],
        Field(description="Order in which attributes are compared; the first of a pair is kept."),
    ] = "original",
    use_absolute_correlation: Annotated[
        bool, Field(description="Compare the absolute correlation.")
    ] = True,
    ctx: Context,
) -> ExampleSet:
    """Remove Correlated Attributes

    If two numerical attributes are strongly correlated, drops the later one. A
    removed attribute does not remove others. Nominal and special attributes stay.

    It uses Pearson's correlation and ignores the label, so it may remove the better of two
    attributes. To weigh relevance against redundancy use Select by MRMR. Correlations closer than
    1e-12 to the limit count as equal to it; a constant attribute has correlation 0 with all others.
    The work grows with the square of the number of attributes that stay.
    """
    positions = examples.schema.regular_numerical
    if use_absolute_correlation and correlation < 0:
        ctx.warn(f"correlation is {correlation:g}; its size is taken, {-correlation:g}.")
        correlation = -correlation
    order = np.arange(len(positions))
    if attribute_order == "random":
        order = ctx.rng("order").permutation(len(positions))
    elif attribute_order == "reverse":
        order = order[::-1]
    stays = uncorrelated(
        unit_rows(examples.numeric())[0],
        correlation,
        filter_relation,
        absolute=use_absolute_correlation,
        order=order,
        progress=lambda blocks: ctx.progress(blocks, "Attributes"),
    )
    gone = np.zeros(len(examples.schema), dtype=bool)
    gone[positions[~stays]] = True
    return _remaining(examples, gone, ctx)
