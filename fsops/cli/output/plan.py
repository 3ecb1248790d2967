"""The cost of a run, as a tree of counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from fsops.cli.interrupt import stoppable
from fsops.cli.output.console import PlainConsole, errors_console
from fsops.cli.output.display import progress_on
from fsops.cli.output.progress import path_text
from fsops.core.checks.file_passes import passes_over_files
from fsops.core.checks.plan import Plan, PlannedOperator, plan
from fsops.engine.probe import Probe, probe as run_probe
from fsops.report.numbers import counted
from fsops.runs.cost import (
    CAVEAT,
    Planned,
    counted_plan,
    expected_time,
    megabytes,
    passes_text,
    short_time,
    stopped_text,
    time_range,
)
from fsops.runs.run import Run

INDENT = "  "
MOST_NAMED = 5


def planned(run: Run, *, probe: bool, quiet: bool) -> Planned:
    """Return the plan of a run; a process that cannot run is refused as in a run."""
    if not probe:
        return counted_plan(run)
    run.refuse_errors()
    process, macros = run.process, run.known_macros()
    operators = 2 * sum(node.enabled for node in process)  # a short probe is made twice
    messages = errors_console()
    # Lines would tell what the probe did, not what was asked for.
    display = progress_on(messages, operators, quiet=quiet or not messages.is_terminal)
    with stoppable(display.announce_stop) as cancel, display:
        found = run_probe(process, macros=run.macros, listener=display, cancel=cancel)
    expected = plan(process, macros=macros, observed=found.observed)
    return Planned(expected, found, passes_over_files(expected, run.options.memory_bytes))


# --- for people -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """A line of the tree: an operator, or an inner process with its iterations."""

    depth: int
    name: Text
    operator: PlannedOperator | None = None


def _lines(operators: Sequence[PlannedOperator], depth: int = 0) -> Iterator[_Line]:
    for operator in operators:
        yield _Line(depth, Text(operator.node.name), operator)
        for inner in operator.inner:
            note = f"  ({inner.iterations.reason})" if inner.iterations.reason else ""
            times = Text.assemble(
                (f"{inner.process.name} × {inner.iterations}", "cyan"), (note, "dim")
            )
            yield _Line(depth + 1, times)
            yield from _lines(inner.operators, depth + 2)


def show_plan(console: PlainConsole, planned: Planned) -> None:
    """Print the tree of operators with their counts, and the totals."""
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
        console.print(passes_text(passes), soft_wrap=True)
    if measured is not None:
        _show_costs(console, found, measured)


def _cells(operator: PlannedOperator | None, probe: Probe | None) -> list[Text]:
    if operator is None:
        return [Text()] * (1 if probe is None else 3)
    style = "yellow" if operator.runs.is_unknown else "bold"
    cells = [Text(str(operator.runs), style)]
    if probe is not None:
        each = probe.own_seconds_each(operator.node.path)
        known = each is not None
        cells.append(Text(short_time(each) if each is not None else "–", "dim"))
        cells.append(Text(time_range(*probe.seconds_of(operator)) if known else "–"))
    return cells


def _show_costs(console: PlainConsole, found: Plan, probe: Probe) -> None:
    low, high = probe.total_seconds(found)
    left_out = probe.unmeasured(found)
    console.print(Text.assemble("Expected time: ", (expected_time(low, high), "bold")))
    if probe.peak_memory is not None:
        console.print(f"Peak memory: about {megabytes(probe.peak_memory)}")
    if probe.stopped is not None:
        console.print(stopped_text(probe.stopped), soft_wrap=True)
    if left_out:
        names = ", ".join(path_text(o.node.path) for o in left_out[:MOST_NAMED])
        more = f" and {len(left_out) - MOST_NAMED} more" if len(left_out) > MOST_NAMED else ""
        console.print(f"Not measured: {names}{more}.", soft_wrap=True)
    console.print(Text(CAVEAT, "dim"))
