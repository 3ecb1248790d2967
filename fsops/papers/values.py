"""Printed and measured values of an experiment, by data set, method, size and measure."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fsops.data import FlowObject

FOLDER = Path(__file__).parent / "printed"


class Key(NamedTuple):
    """Identifies a value in a table of a paper; empty where the table has no such column."""

    data: str = ""
    method: str = ""
    attributes: str = ""
    measure: str = ""


@dataclass(frozen=True)
class MeasuredValue:
    """A measured value with its standard error; NaN if one split gave it."""

    value: float
    error: float = float("nan")

    @classmethod
    def of(cls, values: object) -> MeasuredValue:
        """Return mean and standard error of independent repetitions; NaN entries are left out."""
        numbers = np.asarray(values, dtype=float).ravel()
        numbers = numbers[~np.isnan(numbers)]
        if not numbers.size:
            return cls(float("nan"))
        error = numbers.std(ddof=1) / numbers.size**0.5 if numbers.size > 1 else float("nan")
        return cls(float(numbers.mean()), float(error))


@dataclass(frozen=True)
class Printed:
    """A printed value, and the rule that says how near ours must be."""

    experiment: str
    place: str
    """Table, figure or page of the paper."""
    key: Key
    value: float
    error: float
    """Standard error as printed; NaN if the paper prints none."""
    rule: str
    """``error``, ``stability``, ``chance``, ``above`` or a number; see `fsops.papers.judging`."""
    note: str
    """Why the value cannot be compared; empty if it can."""


@dataclass
class Measured:
    """Our values of an experiment."""

    values: dict[Key, MeasuredValue] = field(default_factory=dict)
    figures: dict[str, FlowObject] = field(default_factory=dict)
    """Results to draw, by the name of the file."""
    repetitions: str = ""
    """Folds, splits or repetitions, in words."""
    seed: int = 0

    def add(self, key: Key, values: object) -> None:
        """Add mean and standard error of the repetitions of a value."""
        self.values[key] = values if isinstance(values, MeasuredValue) else MeasuredValue.of(values)


@cache
def printed_values(experiment: str) -> tuple[Printed, ...]:
    """Return the printed values of an experiment, in the order of the paper."""
    return tuple(line for line in _all_printed() if line.experiment == experiment)


@cache
def _all_printed() -> tuple[Printed, ...]:
    return tuple(line for file in sorted(FOLDER.glob("*.csv")) for line in _lines(file))


def _lines(file: Path) -> Iterator[Printed]:
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            key = Key(row["data"], row["method"], row["attributes"], row["measure"])
            yield Printed(
                experiment=row["experiment"],
                place=row["place"],
                key=key,
                value=float(row["value"]),
                error=float(row["error"] or "nan"),
                rule=row["rule"],
                note=row["note"],
            )
