"""What a run will cost, as a tree of counts and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from fsops.cli.interrupt import stoppable
from fsops.cli.output.console import PlainConsole, errors_console
from fsops.cli.output.display import progress_on
from fsops.cli.output.progress import path_text
from fsops.core.checks.file_passes import PlannedPasses, passes_over_files
from fsops.core.checks.plan import Plan, PlannedOperator, plan
from fsops.core.declare.iterations import Count
from fsops.engine.probe import Probe, probe as run_probe
from fsops.memory import size_text
from fsops.report.numbers import counted, seconds_text
from fsops.runs.run import Run

INDENT = "  "
MOST_NAMED = 5
CAVEAT = (
    "Times are without the operators inside. They are estimated from one turn of every loop, on "
    "one core: other turns may take longer or shorter, and several jobs make it shorter."
)


@dataclass(frozen=True)
class Planned:
    """A plan, and what a probe of it measured."""

    plan: Plan
    probe: Probe | None = None
    passes: Sequence[PlannedPasses] = ()


def planned(run: Run, *, probe: bool, quiet: bool) -> Planned:
    """Return what a run will do; a process that cannot run is refused as in a run."""
    process, macros = run.process, run.known_macros()
    run.refuse_errors()
    limit = run.options.memory_bytes
    if not probe:
        expected = plan(process, macros=macros)
        return Planned(expected, passes=passes_over_files(expected, limit))
    operators = 2 * sum(node.enabled for node in process)  # a short probe is made twice
    messages = errors_console()
    # Lines would tell what the probe did, not what was asked for.
    display = progress_on(messages, operators, quiet=quiet or not messages.is_terminal)
    with stoppable(display.announce_stop) as cancel, display:
        found = run_probe(process, macros=run.macros, listener=display, cancel=cancel)
    expected = plan(process, macros=macros, observed=found.observed)
    return Planned(expected, found, passes_over_files(expected, limit))


# --- for people -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """A line of the tree: an operator, or an inner process with its turns."""

    depth: int
    name: Text
    operator: PlannedOperator | None = None


def _lines(operators: Sequence[PlannedOperator], depth: int = 0) -> Iterator[_Line]:
    for operator in operators:
        yield _Line(depth, Text(operator.node.name), operator)
        for inner in operator.inner:
            note = f"  ({inner.turns.reason})" if inner.turns.reason else ""
            times = Text.assemble((f"{inner.process.name} × {inner.turns}", "cyan"), (note, "dim"))
            yield _Line(depth + 1, times)
            yield from _lines(inner.operators, depth + 2)


def show_plan(console: PlainConsole, planned: Planned) -> None:
    """Print the tree of operators with their counts, and what they come to."""
    found, measured = planned.plan, planned.probe
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("Runs", justify="right", no_wrap=True)
    if measured is not None:
        table.add_column("Each", justify="right", no_wrap=True)
        table.add_column("Time", justify="right", no_wrap=True)
    table.add_column("Operator", overflow="fold")
    for line in _lines(found.operators):
        cells = _cells(line.operator, measured)
        table.add_row(*cells, Text.assemble(INDENT * line.depth, line.name))
    console.print(table)
    number = sum(1 for _ in found.walk())
    console.print(f"\nIn all {found.runs} runs of {counted(number, 'operator')}.", soft_wrap=True)
    for passes in planned.passes:
        console.print(_passes_text(passes), soft_wrap=True)
    if measured is not None:
        _show_costs(console, found, measured)


def _passes_text(passes: PlannedPasses) -> str:
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


def _cells(operator: PlannedOperator | None, probe: Probe | None) -> list[Text]:
    if operator is None:
        return [Text()] * (1 if probe is None else 3)
    style = "yellow" if operator.runs.is_unknown else "bold"
    cells = [Text(str(operator.runs), style)]
    if probe is not None:
        each = probe.own_seconds_each(operator.node.path)
        known = each is not None
        cells.append(Text(_short(each) if each is not None else "–", "dim"))
        cells.append(Text(_range(*probe.seconds_of(operator)) if known else "–"))
    return cells


def _short(seconds: float) -> str:
    """Return a duration for a column: tenths of milliseconds to hours."""
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else seconds_text(seconds)


def _range(low: float, high: float | None) -> str:
    if high is None:
        return f"≥{_short(low)}"
    return _short(low) if _short(low) == _short(high) else f"{_short(low)} – {_short(high)}"


def _show_costs(console: PlainConsole, found: Plan, probe: Probe) -> None:
    low, high = probe.total_seconds(found)
    left_out = probe.unmeasured(found)
    console.print(Text.assemble("Expected time: ", (_time_text(low, high), "bold")))
    if probe.peak_memory is not None:
        console.print(f"Peak memory: about {_megabytes(probe.peak_memory)}")
    if probe.stopped is not None:
        console.print(_stopped_text(probe), soft_wrap=True)
    if left_out:
        names = ", ".join(path_text(o.node.path) for o in left_out[:MOST_NAMED])
        more = f" and {len(left_out) - MOST_NAMED} more" if len(left_out) > MOST_NAMED else ""
        console.print(f"Not measured: {names}{more}.", soft_wrap=True)
    console.print(Text(CAVEAT, "dim"))


def _time_text(low: float, high: float | None) -> str:
    if high is None:
        return f"at least {seconds_text(low)}"
    if seconds_text(low) == seconds_text(high):
        return f"about {seconds_text(low)}"
    return f"{seconds_text(low)} to {seconds_text(high)}"


def _megabytes(size: int) -> str:
    megabytes = size / 2**20
    return f"{megabytes / 1024:.1f} GB" if megabytes >= 1024 else f"{megabytes:.0f} MB"


def _stopped_text(probe: Probe) -> str:
    return (
        f"The probe did not come to the end. {probe.stopped} A run may stop there too, unless it "
        "is because the results of one turn stood for those of all."
    )


# --- for programs ---------------------------------------------------------------------------


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
            "turns": _count(inner.turns),
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
