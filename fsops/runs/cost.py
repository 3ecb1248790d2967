"""Cost of a run before it starts: counts of all operators, with times if a probe was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fsops.core.checks.file_passes import PlannedPasses, passes_over_files
from fsops.core.checks.plan import Plan, PlannedOperator, plan
from fsops.core.declare.iterations import Count
from fsops.engine.probe import Probe
from fsops.memory import size_text
from fsops.report.numbers import seconds_text
from fsops.runs.run import Run

CAVEAT = (
    "Times are without the operators inside. They are estimated from one iteration of every "
    "loop, on one core: other iterations may take more or less time, and several jobs take less."
)


@dataclass(frozen=True)
class Planned:
    """A plan, and the measurements of a probe."""

    plan: Plan
    probe: Probe | None = None
    passes: Sequence[PlannedPasses] = ()


def counted_plan(run: Run) -> Planned:
    """Return how often each operator will run; a process with errors is refused as in a run."""
    run.refuse_errors()
    expected = plan(run.process, macros=run.known_macros())
    return Planned(expected, passes=passes_over_files(expected, run.options.memory_bytes))


def passes_text(passes: PlannedPasses) -> str:
    """Return how an operator gets a table in a file, as a sentence."""
    name, size = passes.operator.node.name, size_text(passes.size.bytes)
    if passes.way == "loaded":
        return f"{name} loads the table of {size}: each worker that needs it gets a copy."
    if passes.way == "refused":
        return (
            f"{name} needs all rows, but the table of {size} takes over half of the memory: choose "
            "fewer attributes before it."
        )
    assert passes.traffic is not None
    noun = "pass" if passes.passes.high == 1 else "passes"
    how = "in blocks" if passes.way == "in blocks" else "some attributes with all rows at a time"
    return (
        f"{name} reads the table of {size} {how} where it is stored, in {passes.passes} "
        f"{noun}. On a cluster at least {size_text(passes.traffic.back)} of statistics are sent, "
        f"and {size_text(passes.traffic.to_each)} to each worker."
    )


def short_time(seconds: float) -> str:
    """Return a duration for a column: tenths of milliseconds to hours."""
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else seconds_text(seconds)


def time_range(low: float, high: float | None) -> str:
    """Return the fewest and the most seconds for a column."""
    if high is None:
        return f"≥{short_time(low)}"
    return (
        short_time(low)
        if short_time(low) == short_time(high)
        else f"{short_time(low)} – {short_time(high)}"
    )


def expected_time(low: float, high: float | None) -> str:
    """Return the fewest and the most seconds in words."""
    if high is None:
        return f"at least {seconds_text(low)}"
    if seconds_text(low) == seconds_text(high):
        return f"about {seconds_text(low)}"
    return f"{seconds_text(low)} to {seconds_text(high)}"


def megabytes(size: int) -> str:
    """Return a number of bytes in MB or GB."""
    number = size / 2**20
    return f"{number / 1024:.1f} GB" if number >= 1024 else f"{number:.0f} MB"


def stopped_text(reason: object) -> str:
    """Return why a probe did not come to its end."""
    return (
        f"The probe did not come to the end. {reason} A run may stop there too, unless the "
        "cause is that the probe ran only one iteration of each loop."
    )


def plan_as_json(planned: Planned) -> dict[str, Any]:
    """Return the plan for programs."""
    found, probe = planned.plan, planned.probe
    document: dict[str, Any] = {
        "process": found.process.name,
        "runs": _count(found.runs),
        "operators": [_operator(operator, probe) for operator in found.operators],
    }
    if planned.passes:
        document["files"] = [_passes(passes) for passes in planned.passes]
    if probe is not None:
        low, high = probe.total_seconds(found)
        document["probe"] = {
            "seconds": {"low": low, "high": high},
            "peak_memory": probe.peak_memory,
            "took": probe.seconds,
            "stopped": None if probe.stopped is None else str(probe.stopped),
            "not_measured": [list(o.node.path) for o in probe.unmeasured(found)],
            "note": CAVEAT,
        }
    return document


def _operator(operator: PlannedOperator, probe: Probe | None) -> dict[str, Any]:
    path = operator.node.path
    document: dict[str, Any] = {
        "path": list(path),
        "operator": operator.node.operator.key,
        "runs": _count(operator.runs),
    }
    if probe is not None:
        low, high = probe.seconds_of(operator)
        measured = probe.own_seconds_each(path) is not None
        document["seconds_each"] = probe.own_seconds_each(path)
        document["seconds"] = {"low": low, "high": high} if measured else None
    document["inner"] = [
        {
            "name": inner.process.name,
            "iterations": _count(inner.iterations),
            "operators": [_operator(o, probe) for o in inner.operators],
        }
        for inner in operator.inner
    ]
    return document


def _passes(passes: PlannedPasses) -> dict[str, Any]:
    traffic = passes.traffic
    return {
        "path": list(passes.operator.node.path),
        "way": passes.way,
        "table_bytes": passes.size.bytes,
        "passes": _count(passes.passes),
        "bytes_back": None if traffic is None else traffic.back,
        "bytes_to_each_worker": None if traffic is None else traffic.to_each,
    }


def _count(count: Count) -> dict[str, Any]:
    return {"low": count.low, "high": count.high, "reason": count.reason}
