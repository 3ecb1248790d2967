"""How often an operator runs its inner processes, as far as that is known before a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fsops.data import ExampleSetMetaData
from fsops.data.schema import Schema


class NotKnown(Exception):
    """Why a number is unknown before the run; raised by `Known`, caught by the planner."""


@dataclass(frozen=True)
class Count:
    """A number of runs: exact, between two bounds, or without an upper one."""

    low: int
    high: int | None
    """None if the limit is unknown."""
    reason: str = ""
    """Why it is not exact."""
    found_out: bool = False
    """Whether results on the way decide, as in a search: one iteration cannot show it."""

    @classmethod
    def exactly(cls, number: int) -> Count:
        """Return a number that is known."""
        return cls(number, number)

    @classmethod
    def unknown(cls, reason: str) -> Count:
        """Return a number of which nothing is known."""
        return cls(0, None, reason)

    @property
    def is_exact(self) -> bool:
        """Whether the number is known."""
        return self.low == self.high

    @property
    def is_unknown(self) -> bool:
        """Whether nothing at all is known."""
        return self.high is None and not self.low

    def __mul__(self, other: Count) -> Count:
        # 0 times an unknown number is 0: nothing inside a loop that never runs can run.
        never = 0 in (self.high, other.high)
        open_end = self.high is None or other.high is None
        high = 0 if never else None if open_end else (self.high or 0) * (other.high or 0)
        return Count(self.low * other.low, high)

    def __add__(self, other: Count) -> Count:
        open_end = self.high is None or other.high is None
        high = None if open_end else (self.high or 0) + (other.high or 0)
        return Count(self.low + other.low, high)

    def __str__(self) -> str:
        if self.is_unknown:
            return "?"
        if self.is_exact:
            return f"{self.low:,}"
        return f"≥{self.low:,}" if self.high is None else f"{self.low:,}–{self.high:,}"


Iterations = Callable[["Known"], "int | Count | Sequence[int | Count]"]
"""From the known facts to the number of runs of each inner process, or one number for all."""


@dataclass(frozen=True)
class Known:
    """Known facts about an operator in a process before it runs.

    An unknown fact raises `NotKnown`, so that a function for ``iterations`` need not check.
    """

    parameters: Mapping[str, Any]
    table: ExampleSetMetaData | None = None
    """The first table it will get."""
    wanted: Collection[str] = ()
    """The outputs that are connected."""
    inner: int = 1
    """How many inner processes it has."""
    at_once: bool = False
    """Whether the inner process is one weighting that may compute all resamples at once."""
    open: Mapping[str, str] = field(default_factory=dict)
    """Parameters whose value is decided at the run, with the reason."""

    def __getitem__(self, parameter: str) -> Any:
        if parameter in self.parameters:
            return self.parameters[parameter]
        raise NotKnown(self.open.get(parameter, f"{parameter} is not set"))

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        if self.table is None or self.table.rows is None:
            raise NotKnown("it depends on the number of rows, not known before the run")
        return self.table.rows

    @property
    def schema(self) -> Schema:
        """The columns of the table."""
        if self.table is None or self.table.schema is None:
            raise NotKnown("it depends on the attributes, not known before the run")
        return self.table.schema

    @property
    def attributes(self) -> int:
        """The number of regular attributes of the table."""
        return len(self.schema.regular)
