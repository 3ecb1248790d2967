"""Carries out a run: reads, runs, writes, shows."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from fsops.cli.console import PlainConsole, errors_console, print_json, results_console
from fsops.cli.events import STANDARD_OUTPUT, NoEvents, open_events
from fsops.cli.execution import Execution
from fsops.cli.interrupt import stoppable
from fsops.cli.loading import LoadedProcess, load_process
from fsops.cli.progress import Warnings, path_text, progress_on
from fsops.cli.record import RECORD_FILE, run_record, write_record
from fsops.core.events import Event
from fsops.data import FlowObject
from fsops.engine import RunResult, run
from fsops.errors import UsageError
from fsops.plugins import plugins
from fsops.report.numbers import seconds_text
from fsops.report.terminal import DEFAULT_ROWS, one_line, show, showing_rows
from fsops.storage.results import WrittenFile, as_json, prepare_folder, write_results


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    file: Path
    settings: Sequence[str]
    macros: Sequence[str]
    seed: int | None
    out: Path | None
    allow_write: Sequence[Path]
    execution: Execution
    as_json: bool
    all_rows: bool
    quiet: bool
    memory_limit: int | None = None
    events: str | None = None
    figures: str | None = None

    @property
    def has_events_on_stdout(self) -> bool:
        """Whether standard output belongs to the events."""
        return self.events == STANDARD_OUTPUT

    def command(self, seed: int) -> str:
        """Return the command that gives the same results again."""
        parts = ["fsops", "run", str(self.file)]
        parts += [part for text in self.settings for part in ("--set", text)]
        parts += [part for text in self.macros for part in ("--macro", text)]
        parts += ["--seed", str(seed)]
        if self.memory_limit is not None:
            parts += ["--memory-limit", str(self.memory_limit)]
        parts += [part for folder in self.allow_write for part in ("--allow-write", str(folder))]
        parts += ["--out", str(self.out)] if self.out is not None else []
        parts += ["--figures", self.figures] if self.figures is not None else []
        return shlex.join(parts)


def carry_out(request: Request) -> None:
    """Run a process, write its results if asked to, and show them."""
    if request.has_events_on_stdout and request.as_json:
        raise UsageError(
            "Events and results cannot both go to standard output.",
            hint="Give --events a file, or leave out --format json.",
        )
    if request.figures is not None:
        _check_figures(request)
    with open_events(request.events) as events:
        _carry_out(request, events)


def _check_figures(request: Request) -> None:
    """Say before a long run that its figures cannot be written."""
    from fsops.plots import require_matplotlib

    if request.out is None:
        raise UsageError("Figures need a folder to be written to.", hint="Give one with --out DIR.")
    require_matplotlib()


def _carry_out(request: Request, events: NoEvents) -> None:
    messages = errors_console()
    if not request.quiet:
        for problem in plugins().problems:
            messages.say("Warning", "yellow", str(problem))
    loaded = load_process(request.file, request.settings, request.macros)
    if request.out is not None:
        prepare_folder(request.out)
    warnings = Warnings()
    try:
        result = _run(loaded, request, messages, warnings, events)
    finally:
        if not request.quiet:
            _show_warnings(messages, warnings)
    # Written before anything is shown: a reader that goes away early loses no files.
    written = _write(loaded, request, result, warnings, messages)
    events.results(result, written, request.out)
    if request.as_json:
        print_json(_document(loaded, result, warnings, written))
    elif not request.has_events_on_stdout:
        _show_results(result, request.all_rows)
    if not request.quiet:
        if not result.results:
            messages.say("Warning", "yellow", "The process delivers no result.")
        _show_end(messages, request, result, written)


def _run(
    loaded: LoadedProcess,
    request: Request,
    messages: PlainConsole,
    warnings: Warnings,
    events: NoEvents,
) -> RunResult:
    operators = sum(node.enabled for node in loaded.process)
    # Bars would be torn apart by events on the same terminal.
    mixed = request.has_events_on_stdout and sys.stdout.isatty()
    display = progress_on(messages, operators, quiet=request.quiet or mixed)
    seed = loaded.process.seed if request.seed is None else request.seed
    name, file = loaded.process.name, loaded.file
    events.begin(process=name, file=file, seed=seed, operators=operators)

    def listen(event: Event) -> None:
        warnings(event)
        events(event)
        display(event)

    with (
        request.execution.open_engine() as engine,
        request.execution.open_store() as store,
        stoppable(display.announce_stop) as cancel,
        display,
    ):
        return run(
            loaded.process,
            seed=request.seed,
            macros=loaded.macros,
            listener=listen,
            registry=loaded.registry,
            cancel=cancel,
            writable=_writable(loaded, request),
            engine=engine,
            timeout=request.execution.timeout,
            store=store,
            memory_limit=request.memory_limit,
        )


def _writable(loaded: LoadedProcess, request: Request) -> list[Path]:
    """Return the folders the process may write to; one from standard input has none."""
    own = [folder for folder in (loaded.process.folder, request.out) if folder is not None]
    return [*own, *request.allow_write]


def _write(
    loaded: LoadedProcess,
    request: Request,
    result: RunResult,
    warnings: Warnings,
    messages: PlainConsole,
) -> list[WrittenFile]:
    if request.out is None:
        return []
    written = write_results(result.results, result.names, request.out, plugins())
    if request.figures is not None:
        from fsops.storage.figures import write_figures

        figures = write_figures(
            result.results, result.names, result.timings, request.out, request.figures
        )
        written += figures.files
        for problem in [] if request.quiet else figures.problems:
            messages.say("Warning", "yellow", problem)
    command = request.command(result.seed)
    write_record(request.out, run_record(loaded, result, warnings, written, command))
    return written


def _show_warnings(messages: PlainConsole, warnings: Warnings) -> None:
    for path, message, count in warnings.items():
        times = f" ({count} times)" if count > 1 else ""
        messages.say("Warning", "yellow", f"{path_text(path)}: {message}{times}")


def _show_results(result: RunResult, all_rows: bool) -> None:
    console = results_console()
    with showing_rows(None if all_rows else DEFAULT_ROWS):
        for number, (name, value) in enumerate(zip(result.names, result.results, strict=True)):
            if number:
                console.print()
            console.print(Text.assemble((value.title, "bold"), (f"  {name}", "dim")))
            _show_result(console, value)


def _show_result(console: PlainConsole, value: FlowObject) -> None:
    """Print a result; a plugin that cannot show its own does not hide the rest."""
    try:
        console.print(show(value), crop=False)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a plugin does
        reason = f"{type(error).__name__}: {error}"
        console.print(f"{one_line(value)} (cannot be shown: {reason})", soft_wrap=True)


def _document(
    loaded: LoadedProcess, result: RunResult, warnings: Warnings, written: list[WrittenFile]
) -> dict[str, Any]:
    """Return the run for programs; without times, so that equal runs give equal documents."""
    return {
        "process": loaded.process.name,
        "seed": result.seed,
        "macros": result.macros,
        "results": [
            {
                "name": name,
                **as_json(value),
                "files": [file.file for file in written if file.result == name],
            }
            for name, value in zip(result.names, result.results, strict=True)
        ],
        "warnings": warnings.as_json(),
    }


def _show_end(
    messages: PlainConsole, request: Request, result: RunResult, written: list[WrittenFile]
) -> None:
    messages.print(
        Text(f"\nDone in {seconds_text(result.seconds)} with seed {result.seed}.", "dim")
    )
    if request.out is not None:
        names = ", ".join([*(file.file for file in written), RECORD_FILE])
        messages.print(Text(f"Written to {request.out}: {names}", "dim"), soft_wrap=True)
