"""The rule about searches: they can be stopped, and then return the best result so far."""

from __future__ import annotations

import numpy as np

from fsops.core.declare.roles import Role
from fsops.data import ExampleSet, PerformanceVector
from fsops.testing.cases import Case, Subject
from fsops.testing.trial import Answer, answer, expect

RULES = ("tolerance", "patience", "max_seconds")
NEVER = 1_000_000
"""Rounds without an improvement that no search of a test has."""
AT_ONCE = 1e-9
LOG, PERFORMANCE = "log", "performance"


def searches(subject: Subject) -> bool:
    """Return whether an operator tries candidates and keeps the best."""
    return subject.spec.role is Role.SEARCH


def check_stopping(subject: Subject) -> None:
    """A search has tolerance, patience and max_seconds, all off, and returns the best so far."""
    declared = {parameter.name: parameter for parameter in subject.spec.parameters}
    absent = [name for name in RULES if name not in declared]
    expect(not absent, f"no parameter {', '.join(absent)}: use StoppingRules")
    switched_on = [name for name in RULES if declared[name].default is not None]
    expect(not switched_on, f"{', '.join(switched_on)} must be off (None) by default")
    plain = subject.plain
    if answer(subject, plain, "a sound table").refusal is None:
        _check_clock(subject, plain)
        _check_history(subject, plain)


def _check_clock(subject: Subject, plain: Case) -> None:
    whole = answer(subject, plain, "a sound table")
    found = answer(subject, plain.with_parameter("max_seconds", AT_ONCE), "no time at all")
    expect(found.refusal is None, f"no time at all: refused: {found.refusal}")
    missing = [port for port, values in whole.outputs.items() if values and not found.outputs[port]]
    expect(not missing, f"no time at all: nothing at {', '.join(missing)}")


def _check_history(subject: Subject, plain: Case) -> None:
    """Compare a search that stops with the first rounds of one that does not."""
    full = answer(subject, plain.with_parameter("patience", NEVER), "unlimited patience")
    short = answer(subject, plain.with_parameter("patience", 1), "patience=1")
    expect(full.refusal is None and short.refusal is None, f"patience: refused: {short.refusal}")
    if LOG not in full.outputs:
        return
    best, rounds = _column(full, "best"), _column(full, "performance")
    same = np.flatnonzero(best[1:] == best[:-1])
    # The first round without an improvement is the last one.
    last = int(same[0]) + 2 if same.size else len(best)
    stopped = _column(short, "performance")
    expect(
        np.array_equal(stopped, rounds[:last], equal_nan=True),
        f"patience=1: the rounds are {stopped}, but the first of the whole search {rounds[:last]}",
    )
    performance = short.outputs[PERFORMANCE][0]
    assert isinstance(performance, PerformanceVector)
    found = performance.main.mean
    expect(
        np.isclose(found, best[last - 1]), f"patience=1: {found} is not the best, {best[last - 1]}"
    )


def _column(found: Answer, name: str) -> np.typing.NDArray[np.float64]:
    log = found.outputs[LOG][0]
    assert isinstance(log, ExampleSet)
    return np.asarray(log.column(name), dtype=np.float64)
