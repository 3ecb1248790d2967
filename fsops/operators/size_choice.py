"""The parameters that choose a number of attributes: the same ones everywhere."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from fsops.algorithms.search.size_choice import SizeRule
from fsops.core import When

FORMER = {"minimum": "best", "one standard error": "one_standard_error"}
"""Former names of the rules; files with them still open."""


def _present_name(value: Any) -> Any:
    return FORMER.get(value, value) if isinstance(value, str) else value


Choose = Annotated[
    SizeRule,
    BeforeValidator(_present_name),
    Field(
        description="Number of attributes to choose. best: with the best mean; one_standard_error: "
        "the fewest within one standard error of it; within_percent: the fewest within a "
        "percentage of it; elbow: where the curve bends most, on a logarithmic axis; "
        "stability_aware: the most stable within one standard error, if stability is measured."
    ),
]
Percent = Annotated[
    float,
    When(choose="within_percent"),
    Field(ge=0, description="Largest difference from the best mean, as a percentage of it."),
]
