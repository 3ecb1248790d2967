"""Numbers as ranges of a given number of rows."""

from __future__ import annotations

from typing import Annotated, Literal, Unpack

from pydantic import Field

from fsops.algorithms.preparation import discretize
from fsops.core import Context, operator
from fsops.data import ExampleSet
from fsops.errors import ParameterError
from fsops.operators.preparation.binning import (
    GROUP,
    TAGS,
    RangeFilter,
    discretized,
    unknown_ranges,
)
from fsops.operators.preparation.prepared import ANY_VALUES, WITH_MODEL, Prepared, describe_change

MOST_RANGES = 10_000


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(unknown_ranges),
    aliases=WITH_MODEL,
    tags=(*TAGS, "rows per bin"),
)
def discretize_by_size(
    examples: ExampleSet,
    *,
    size_of_bins: Annotated[int, Field(ge=1, description="Number of rows in each range.")] = 10,
    sort_direction: Annotated[
        Literal["increasing", "decreasing"],
        Field(
            description="Start of counting: the smallest or the largest value. The range at the "
            "other end may be smaller."
        ),
    ] = "increasing",
    ctx: Context,
    **style: Unpack[RangeFilter],
) -> Prepared:
    """Discretize by Size

    Cuts each numerical attribute into ranges that hold a given number of rows, and replaces every
    number by the name of its range. A limit is midway between two values. The model applies the
    same limits to other rows.

    Equal values are never divided, so a range may hold more rows. Missing values stay missing. For
    a given number of ranges use Discretize by Frequency.
    """
    if len(examples) > size_of_bins * MOST_RANGES:
        raise ParameterError(
            f"size_of_bins={size_of_bins} makes more than {MOST_RANGES} ranges of "
            f"{len(examples)} rows.",
            hint=f"Set size_of_bins to at least {len(examples) // MOST_RANGES + 1}.",
        )
    from_top = sort_direction == "decreasing"
    return discretized(
        examples,
        lambda X: discretize.fixed_size(X, size_of_bins, from_top=from_top),
        style,
        "Discretize by Size",
        ctx,
    )
