"""How many attributes a search may select."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import Field

from fsops.core import Context, When
from fsops.errors import DataError, ParameterError
from fsops.operators.sizes import counted


class Numbers(TypedDict, total=False):
    """Bounds on the number of selected attributes, as RapidMiner has them."""

    use_k: Annotated[bool, Field(default=False, description="Try only sets of one size.")]
    k: Annotated[
        int,
        When(use_k=True),
        Field(default=1, ge=1, description="That size."),
    ]
    min_attributes: Annotated[
        int,
        When(use_k=False),
        Field(default=1, ge=1, description="The smallest number of attributes."),
    ]
    limit_attributes: Annotated[
        bool,
        When(use_k=False),
        Field(default=False, description="Limit the number of attributes."),
    ]
    max_attributes: Annotated[
        int,
        When(use_k=False, limit_attributes=True),
        Field(default=1, ge=1, description="The largest number of attributes."),
    ]


def free_bounds(numbers: Numbers, p: int, kept: int, ctx: Context) -> tuple[int, int]:
    """Return how many of p attributes may be chosen beside those that must be kept."""
    low, high = bounds(numbers, p + kept)
    high = counted(high, kept, ctx, "k" if numbers["use_k"] else "max_attributes")
    return max(low - kept, 0), high - kept


def bounds(numbers: Numbers, p: int) -> tuple[int, int]:
    """Return the smallest and the largest number of attributes allowed."""
    if numbers["use_k"]:
        low = high = numbers["k"]
    else:
        low = numbers["min_attributes"]
        high = max(p, low)
        if numbers["limit_attributes"]:
            high = numbers["max_attributes"]
    if low > high:
        raise ParameterError(f"min_attributes is {low}, but max_attributes only {high}.")
    if low > p:
        raise DataError(
            f"At least {low} attributes are to be selected, but the data has {p}.",
            hint=f"Choose at most {p}.",
        )
    return low, min(high, p)
