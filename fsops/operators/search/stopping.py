"""The parameters that stop a search early: the same ones everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypedDict, TypeVar

from pydantic import Field

from fsops.algorithms.search.stopping import Stopping
from fsops.core import Context, Expert
from fsops.core.declare.iterations import Count, Iterations, Known

Item = TypeVar("Item")
Value = TypeVar("Value")


class StoppingRules(TypedDict, total=False):
    """When to stop with the best result so far."""

    tolerance: Annotated[
        float | None,
        Expert(),
        Field(
            default=None,
            ge=0,
            description="Smallest gain that counts as an improvement: the best main criterion must "
            "improve by more than this value. Empty: any gain counts. Without "
            "patience, the first round without an improvement is the last.",
        ),
    ]
    patience: Annotated[
        int | None,
        Expert(),
        Field(
            default=None,
            ge=1,
            description="Stop after this number of rounds in a row without an improvement, with "
            "the best result so far. Empty: off.",
        ),
    ]
    max_seconds: Annotated[
        float | None,
        Expert(),
        Field(
            default=None,
            gt=0,
            description="Stop after this number of seconds, with the best result so far. Such a "
            "result "
            "depends on the speed of the computer: it cannot be reproduced and is not cached. "
            "Empty: off.",
        ),
    ]


STOPPING_RULES = tuple(StoppingRules.__annotations__)


def stopping_of(rules: Mapping[str, Any]) -> Stopping:
    """Return the stopping rules among the parameters of an operator; the time starts now."""
    tolerance, patience, max_seconds = (rules.get(name) for name in STOPPING_RULES)
    return Stopping(tolerance, patience, max_seconds)


def warn_of_stop(stopping: Stopping, ctx: Context) -> None:
    """Say why a search stopped."""
    message = f"{stopping.reason()} This is the best result so far."
    ctx.warn(message, repeatable=not stopping.by_clock)


def may_stop(iterations: Iterations) -> Iterations:
    """Return the number of runs of a search, of which fewer are made if it stops early."""

    def with_stops(known: Known) -> Any:
        found = iterations(known)
        if all(known.parameters.get(name) is None for name in STOPPING_RULES):
            return found
        several = isinstance(found, Sequence)
        counts = [_fewer(c) for c in (found if isinstance(found, Sequence) else [found])]
        return counts if several else counts[0]

    return with_stops


def _fewer(count: int | Count) -> Count:
    high = count if isinstance(count, int) else count.high
    return Count(min(1, 1 if high is None else high), high, "it may stop early", found_out=True)


def within_time(
    evaluate: Callable[[Sequence[Item]], Iterable[Value]],
    items: Sequence[Item],
    stopping: Stopping,
    at_once: int,
) -> Iterator[Value]:
    """Yield the values of the items in order, until the time is used up; at least some.

    Without a limit they are all evaluated together, else so many at once.
    """
    if stopping.max_seconds is None:
        yield from evaluate(items)
        return
    for start in range(0, len(items), at_once):
        if start and stopping.is_late():
            return
        yield from evaluate(items[start : start + at_once])
