"""How many attributes a search may select."""

from __future__ import annotations

from typing import Annotated, TypedDict

from pydantic import Field

from fsops.core import When
from fsops.errors import DataError, ParameterError


class Numbers(TypedDict, total=False):
    """Bounds on the number of selected attributes, as RapidMiner has them."""

    use_exact_number_of_attributes: Annotated[
        bool, Field(default=False, description="Look only at sets of one size.")
    ]
    exact_number_of_attributes: Annotated[
        int,
        When(use_exact_number_of_attributes=True),
        Field(default=1, ge=1, description="That size."),
    ]
    min_number_of_attributes: Annotated[
        int,
        When(use_exact_number_of_attributes=False),
        Field(default=1, ge=1, description="The smallest number of attributes."),
    ]
    restrict_maximum: Annotated[
        bool,
        When(use_exact_number_of_attributes=False),
        Field(default=False, description="Whether there is a largest number of attributes."),
    ]
    max_number_of_attributes: Annotated[
        int,
        When(use_exact_number_of_attributes=False, restrict_maximum=True),
        Field(default=1, ge=1, description="The largest number of attributes."),
    ]


def free_bounds(numbers: Numbers, p: int, kept: int) -> tuple[int, int]:
    """Return how many of p attributes may be chosen beside those that must be kept."""
    low, high = bounds(numbers, p + kept)
    if high < kept:
        raise DataError(
            f"At most {high} attributes are to be selected, but {kept} must be kept.",
            hint="Raise the number, or keep fewer (role must_keep).",
        )
    return max(low - kept, 0), high - kept


def bounds(numbers: Numbers, p: int) -> tuple[int, int]:
    """Return the smallest and the largest number of attributes allowed."""
    if numbers["use_exact_number_of_attributes"]:
        low = high = numbers["exact_number_of_attributes"]
    else:
        low = numbers["min_number_of_attributes"]
        high = max(p, low)
        if numbers["restrict_maximum"]:
            high = numbers["max_number_of_attributes"]
    if low > high:
        raise ParameterError(
            f"min_number_of_attributes is {low}, but max_number_of_attributes only {high}."
        )
    if low > p:
        raise DataError(
            f"At least {low} attributes are to be selected, but the data has {p}.",
            hint=f"Choose at most {p}.",
        )
    return low, min(high, p)
