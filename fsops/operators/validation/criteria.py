"""How criteria are chosen and measured, the same way for all performance operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BeforeValidator

from fsops.core import Context
from fsops.data import Criterion
from fsops.errors import closest, enumerate_names

Data = TypeVar("Data")

CRITERIA = "Criteria to measure."
MAIN = "Main criterion: it comes first, and searches use it. It is always measured."


@dataclass(frozen=True)
class Measure(Generic[Data]):
    """A criterion: how it is computed, read, and when it has no value."""

    compute: Callable[[Data], float]
    maximize: bool = True
    percent: bool = False
    undefined: str = "it would divide by 0"
    """Why the value is NaN, where it is."""


def known_criteria(names: Sequence[str]) -> BeforeValidator:
    """Return a check that a list names criteria, with a suggestion where it does not."""

    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        if not value:
            raise ValueError("names no criterion")
        for name in value:
            if name not in names:
                near = closest(str(name), names)
                known = (
                    f"the nearest is {enumerate_names(near[:1])}"
                    if near
                    else (f"there are {enumerate_names(names)}")
                )
                raise ValueError(f'"{name}" is not a criterion; {known}')
        return value

    return BeforeValidator(check)


def measured(
    data: Data,
    measures: Mapping[str, Measure[Data]],
    criteria: Sequence[str],
    main: str,
    ctx: Context,
) -> list[Criterion]:
    """Return the chosen criteria, main one first; without a value: NaN and a warning."""
    chosen = [*([] if main == "first" else [main]), *criteria]
    found = []
    for name in dict.fromkeys(chosen):
        measure = measures[name]
        value = float(measure.compute(data))
        if math.isnan(value):
            ctx.warn(f"{name} has no value here: {measure.undefined}.")
        found.append(Criterion(name, (value,), measure.maximize, measure.percent))
    return found
