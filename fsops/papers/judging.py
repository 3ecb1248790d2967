"""Compares printed with measured values: difference, allowed difference, verdict.

Rules of a printed value:

- a number: the allowed absolute difference;
- ``error``: an error rate on *m* rows, max(0.04, 2 √(e (1 − e) / m));
- ``stability``: 0.12, or 0.20 below 60 rows;
- ``chance``: three standard errors of the difference;
- ``above``: a claim; it holds if ours exceeds the value by more than two standard errors, and fails
  if ours is as far below. One split or data set has no standard error and decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from fsops.papers.values import Key, MeasuredValue, Printed

CHANCE = 3.0
CLEAR = 2.0
MOST = 0.9
HALF = 0.5
FEW_ROWS = 60


class ComparisonVerdict(StrEnum):
    """Result of comparing one value."""

    AGREES = "agrees"
    DIFFERS = "differs"
    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_COMPARED = "not compared"
    NOT_PRINTED = "not printed"


class Status(StrEnum):
    """Result of an experiment."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not"
    NO_DATA = "no data"
    NOT_RUN = "not run"


GOOD = (ComparisonVerdict.AGREES, ComparisonVerdict.HOLDS)
BAD = (ComparisonVerdict.DIFFERS, ComparisonVerdict.FAILS, ComparisonVerdict.UNDECIDED)
CLAIM = (ComparisonVerdict.HOLDS, ComparisonVerdict.FAILS, ComparisonVerdict.UNDECIDED)


@dataclass(frozen=True)
class JudgedValue:
    """One line of the result: paper, ours, difference, verdict."""

    place: str
    key: Key
    paper: float
    ours: float
    error: float
    difference: float
    allowed: float
    verdict: ComparisonVerdict
    note: str


def judge(
    printed: Iterable[Printed], measured: Mapping[Key, MeasuredValue], rows: Mapping[str, int]
) -> list[JudgedValue]:
    """Return a line for every measured value; `rows` has the number of rows by data set."""
    known = {line.key: line for line in printed}
    return list(_judged(known, measured, rows))


def _judged(
    known: Mapping[Key, Printed], measured: Mapping[Key, MeasuredValue], rows: Mapping[str, int]
) -> Iterator[JudgedValue]:
    for key, ours in measured.items():
        line = known.get(key)
        if line is None:
            nan = float("nan")
            yield JudgedValue(
                "", key, nan, ours.value, ours.error, nan, nan, ComparisonVerdict.NOT_PRINTED, ""
            )
            continue
        allowed = allowed_difference(line, ours, rows.get(key.data, 0))
        yield JudgedValue(
            place=line.place,
            key=key,
            paper=line.value,
            ours=ours.value,
            error=ours.error,
            difference=ours.value - line.value,
            allowed=allowed,
            verdict=_verdict(line, ours, allowed),
            note=line.note,
        )


def allowed_difference(line: Printed, ours: MeasuredValue, rows: int) -> float:
    """Return how far ours may be from the printed values; for a claim the margin it needs."""
    if line.rule == "error":
        spread = line.value * (1 - line.value) / rows if rows else 0.0
        return max(0.04, 2 * math.sqrt(spread))
    if line.rule == "stability":
        return 0.20 if rows < FEW_ROWS else 0.12
    ours_error = 0.0 if math.isnan(ours.error) else ours.error
    if line.rule == "above":
        return CLEAR * ours_error
    if line.rule == "chance":
        return CHANCE * math.hypot(ours_error, 0.0 if math.isnan(line.error) else line.error)
    return float(line.rule)


def _verdict(line: Printed, ours: MeasuredValue, allowed: float) -> ComparisonVerdict:
    if line.note or math.isnan(ours.value):
        return ComparisonVerdict.NOT_COMPARED
    difference = ours.value - line.value
    if line.rule == "above":
        if math.isnan(ours.error):  # one split decides nothing
            return ComparisonVerdict.UNDECIDED
        return _claim_verdict(difference, allowed)
    # Rounded like the print, a difference may exceed the number by an error of representation.
    return (
        ComparisonVerdict.AGREES
        if abs(difference) <= allowed * (1 + 1e-9)
        else ComparisonVerdict.DIFFERS
    )


def _claim_verdict(difference: float, needed: float) -> ComparisonVerdict:
    if difference > needed:
        return ComparisonVerdict.HOLDS
    return (
        ComparisonVerdict.UNDECIDED if needed and difference >= -needed else ComparisonVerdict.FAILS
    )


def status_of(verdicts: Iterable[ComparisonVerdict]) -> Status:
    """Return the result of an experiment: 90 % of the verdicts good, half of them, or fewer."""
    good, judged = count(verdicts)
    if not judged:
        return Status.NOT_RUN
    if good >= MOST * judged:
        return Status.REPRODUCED
    return Status.PARTLY if good >= HALF * judged else Status.NOT


def count(verdicts: Iterable[ComparisonVerdict]) -> tuple[int, int]:
    """Return the number of good verdicts, and of all that compare something."""
    decided = [verdict for verdict in verdicts if verdict in (*GOOD, *BAD)]
    return sum(verdict in GOOD for verdict in decided), len(decided)
