"""Output of ``fsops run``: warnings, results as text or JSON, and how the run ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from fsops.cli.output.console import PlainConsole, results_console
from fsops.cli.output.progress import path_text
from fsops.core.frame.recording import RunWarning
from fsops.data import FlowObject, StudyAnswer
from fsops.report.numbers import seconds_text
from fsops.report.terminal import DEFAULT_ROWS, one_line, show
from fsops.runs.outcome import RECORD_FILE, RunOutcome


def warn(messages: PlainConsole, text: object) -> None:
    """Print a warning."""
    messages.say("Warning", "yellow", str(text))


def show_warnings(messages: PlainConsole, warnings: Sequence[RunWarning]) -> None:
    """Print the warnings of operators, each once."""
    for warning in warnings:
        times = f" ({warning.count} times)" if warning.count > 1 else ""
        where = f"{path_text(warning.path)}: " if warning.path else ""
        warn(messages, f"{where}{warning.message}{times}")


def show_results(outcome: RunOutcome, *, all_rows: bool) -> None:
    """Print the results as text."""
    console = results_console()
    rows = None if all_rows else DEFAULT_ROWS
    for number, (name, value) in enumerate(outcome.named()):
        if number:
            console.print()
        console.print(Text.assemble((value.title, "bold"), (f"  {name}", "dim")))
        _show_result(console, value, rows)


def _show_result(console: PlainConsole, value: FlowObject, rows: int | None) -> None:
    """Print a result; a plugin that cannot show its own does not hide the rest."""
    try:
        console.print(show(value, rows), crop=False)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a plugin does
        reason = f"{type(error).__name__}: {error}"
        console.print(f"{one_line(value)} (cannot be shown: {reason})", soft_wrap=True)


def outcome_as_json(outcome: RunOutcome) -> dict[str, Any]:
    """Return the run for programs; without times, so that equal runs give equal documents."""
    from fsops.runs.record import warning_record
    from fsops.storage.results import as_json

    return {
        "process": outcome.process.name,
        "seed": outcome.seed,
        "macros": outcome.macros,
        "results": [
            {
                "name": name,
                **as_json(value),
                "files": [file.file for file in outcome.files if file.result == name],
            }
            for name, value in outcome.named()
        ],
        "warnings": [warning_record(warning) for warning in outcome.warnings],
        "findings": [{"result": f.where, "message": f.message} for f in outcome.findings],
    }


def show_end(messages: PlainConsole, outcome: RunOutcome) -> None:
    """Print caveats about the results, the time, the seed, and the files."""
    if not outcome.results:
        warn(messages, "The process returns no result.")
    answers = {name for name, value in outcome.named() if isinstance(value, StudyAnswer)}
    for finding in outcome.findings:
        if finding.where not in answers:  # the answer itself says it, above
            warn(messages, finding)
    done = f"\nDone in {seconds_text(outcome.seconds)} with seed {outcome.seed}."
    messages.print(Text.assemble((done, "dim")))
    out, report = outcome.options.out, outcome.options.report
    if out is not None:
        names = ", ".join([*(file.file for file in outcome.files), RECORD_FILE])
        messages.print(Text.assemble((f"Written to {out}: {names}", "dim")), soft_wrap=True)
    if report is not None:
        messages.print(Text.assemble((f"Report: {report}", "dim")), soft_wrap=True)
