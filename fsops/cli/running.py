"""Carries out a run: reads, runs, writes, shows."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.text import Text

from fsops.cli.events import STANDARD_OUTPUT, NoEvents, open_events
from fsops.cli.execution import Execution
from fsops.cli.interrupt import stoppable
from fsops.cli.loading import LoadedProcess, load_process
from fsops.cli.output.console import PlainConsole, errors_console, print_json, results_console
from fsops.cli.output.display import progress_on
from fsops.cli.output.progress import Warnings, path_text
from fsops.core.checks.lineage import is_validation
from fsops.core.frame.events import Event
from fsops.core.graph.process import Process
from fsops.data import FlowObject
from fsops.engine import RunResult, run
from fsops.errors import PATH_SEPARATOR, StorageError, UsageError
from fsops.plugins import plugins
from fsops.report.numbers import seconds_text
from fsops.report.terminal import DEFAULT_ROWS, one_line, show, showing_rows

if TYPE_CHECKING:
    from fsops.engine.pausing import Pause
    from fsops.engine.ports import PortKeeper
    from fsops.report.findings import Finding
    from fsops.report.summary import TableSummary
    from fsops.storage.results import WrittenFile


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
    report: Path | None = None
    until: str | None = None
    breakpoints: bool = False
    ports: Path | None = None

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
        parts += ["--until", self.until] if self.until is not None else []
        if self.memory_limit is not None:
            parts += ["--memory-limit", str(self.memory_limit)]
        parts += [part for folder in self.allow_write for part in ("--allow-write", str(folder))]
        parts += ["--out", str(self.out)] if self.out is not None else []
        parts += ["--figures", self.figures] if self.figures is not None else []
        parts += ["--report", str(self.report)] if self.report is not None else []
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
    if request.report is not None:
        from fsops.cli.report import check_report

        check_report(request.report, request.file, request.out)
    with open_events(request.events) as events:
        _carry_out(request, events)


def _check_figures(request: Request) -> None:
    """Say before a long run that its figures cannot be written."""
    from fsops.plots import require_matplotlib

    if request.out is None:
        raise UsageError("Figures need a folder to be written to.", hint="Give one with --out DIR.")
    require_matplotlib()


@dataclass(frozen=True)
class Outcome:
    """A run that is over: what was asked for, and what came of it."""

    loaded: LoadedProcess
    request: Request
    result: RunResult
    warnings: Warnings
    tables: Mapping[tuple[str, ...], TableSummary]
    """What the process began with, where a report wants to know."""

    @cached_property
    def findings(self) -> list[Finding]:
        """What the results say against themselves."""
        from fsops.report.findings import findings

        walked = self.loaded.process.walk()
        validated = any(node.enabled and is_validation(node.operator) for node in walked)
        named = zip(self.result.names, self.result.results, strict=True)
        return findings(named, self.tables.values(), validated=validated)


class _Watching(NamedTuple):
    """Who takes notice of a run, besides the progress display."""

    warnings: Warnings
    events: NoEvents
    ports: PortKeeper | None


def _carry_out(request: Request, events: NoEvents) -> None:
    messages = errors_console()
    loaded = _loaded(request, messages)
    if request.out is not None:
        from fsops.storage.results import prepare_folder

        prepare_folder(request.out)
    warnings = Warnings()
    process, tables = _watched(loaded.process, request)
    ports = _port_keeper(request)
    try:
        watched = replace(loaded, process=process)
        result = _run(watched, request, messages, _Watching(warnings, events, ports))
    finally:
        if not request.quiet:
            _show_warnings(messages, warnings)
    outcome = Outcome(loaded, request, result, warnings, tables)
    # Written before anything is shown: a reader that goes away early loses no files.
    written, failure = _write(outcome, messages, ports)
    events.results(result, written, request.out, ports)
    if request.as_json:
        print_json(_document(outcome, written))
    elif not request.has_events_on_stdout:
        _show_results(result, request.all_rows)
    if not request.quiet:
        if not result.results:
            messages.say("Warning", "yellow", "The process delivers no result.")
        for finding in outcome.findings:
            messages.say("Warning", "yellow", str(finding))
        _show_end(messages, request, result, written)
    if failure is not None:  # told at last: the results of a long run come first
        raise failure


def _loaded(request: Request, messages: PlainConsole) -> LoadedProcess:
    """Return the process, and tell what plugins and an import have to say."""
    said = [] if request.quiet else [str(problem) for problem in plugins().problems]
    loaded = load_process(request.file, request.settings, request.macros)
    if not request.quiet:
        said += [f"{PATH_SEPARATOR.join(path)}: {text}" for path, text in loaded.remarks]
    for text in said:
        messages.say("Warning", "yellow", text)
    return loaded


def _watched(
    process: Process, request: Request
) -> tuple[Process, Mapping[tuple[str, ...], TableSummary]]:
    """Return what to run, and where facts about its tables will be."""
    if request.report is None:
        return process, {}
    from fsops.cli.report import watched

    return watched(process)


def _port_keeper(request: Request) -> PortKeeper | None:
    """Return what keeps the values of ports, where that is asked for; no limit makes it forget."""
    if request.ports is None:
        return None
    from fsops.engine.cache import ResultStore
    from fsops.engine.ports import PortKeeper

    try:
        store = ResultStore(request.ports, limit=sys.maxsize)
        store.check_writable()
    except StorageError:
        raise StorageError(
            f'Nothing can be written to the folder "{request.ports}".',
            hint="Choose another one after --ports.",
        ) from None
    return PortKeeper(store)


def _run(
    loaded: LoadedProcess,
    request: Request,
    messages: PlainConsole,
    watching: _Watching,
) -> RunResult:
    operators = sum(node.enabled for node in loaded.process)
    # Bars would be torn apart by events on the same terminal.
    mixed = request.has_events_on_stdout and sys.stdout.isatty()
    display = progress_on(messages, operators, quiet=request.quiet or mixed)
    seed = loaded.process.seed if request.seed is None else request.seed
    name, file = loaded.process.name, loaded.file
    watching.events.begin(process=name, file=file, seed=seed, operators=operators)

    def listen(event: Event) -> None:
        watching.warnings(event)
        watching.events(event)
        display(event)

    with (
        request.execution.open_engine() as engine,
        request.execution.open_store() as store,
        stoppable(display.announce_stop) as cancel,
        display,
    ):
        asking: Pause | None = None
        if request.breakpoints:
            from fsops.cli.breakpoints import Asking

            asking = Asking(messages, cancel, quiet=request.quiet)
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
            pause=asking,
            until=request.until,
            ports=watching.ports,
        )


def _writable(loaded: LoadedProcess, request: Request) -> list[Path]:
    """Return the folders the process may write to; one from standard input has none."""
    own = [folder for folder in (loaded.process.folder, request.out) if folder is not None]
    return [*own, *request.allow_write]


def _write(
    outcome: Outcome, messages: PlainConsole, ports: PortKeeper | None
) -> tuple[list[WrittenFile], Exception | None]:
    """Write what was asked for: results, figures, the record of the run, the report.

    Returns the files, and why there is no report if it could not be written.
    """
    request, result = outcome.request, outcome.result
    written: list[WrittenFile] = []
    problems: list[str] = []
    failure: Exception | None = None
    if request.out is not None:
        from fsops.storage.results import write_results

        values, names = _to_write(result, ports)
        written += write_results(values, names, request.out, plugins())
    if request.out is not None and request.figures is not None:
        from fsops.storage.figures import write_figures

        figures = write_figures(
            result.results, result.names, result.timings, request.out, request.figures
        )
        written += figures.files
        problems += figures.problems
    if request.out is not None or request.report is not None:
        from fsops.cli.record import run_record

        command = request.command(result.seed)
        engine = request.execution.chosen_engine()
        record = run_record(
            outcome.loaded, result, outcome.warnings, written, command, engine=engine
        )
    if request.out is not None:
        from fsops.cli.record import write_record

        write_record(request.out, record)
    if request.report is not None:
        from fsops.cli.report import write_report

        try:
            problems += write_report(request.report, outcome, record)
        except Exception as error:  # noqa: BLE001 - also what a plugin's result does
            failure = error
    for problem in [] if request.quiet else problems:
        messages.say("Warning", "yellow", problem)
    return written, failure


def _to_write(result: RunResult, ports: PortKeeper | None) -> tuple[list[FlowObject], list[str]]:
    """Return the results to write, with their names.

    A table of many columns takes a minute; whoever has it from its port need not wait for it.
    """
    chosen = [
        (value, name)
        for value, name, origin in zip(result.results, result.names, result.origins, strict=True)
        if ports is None or not ports.has_large(*origin)
    ]
    return [value for value, _ in chosen], [name for _, name in chosen]


def _show_warnings(messages: PlainConsole, warnings: Warnings) -> None:
    for path, message, count in warnings.items():
        times = f" ({count} times)" if count > 1 else ""
        where = f"{path_text(path)}: " if path else ""
        messages.say("Warning", "yellow", f"{where}{message}{times}")


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


def _document(outcome: Outcome, written: list[WrittenFile]) -> dict[str, Any]:
    """Return the run for programs; without times, so that equal runs give equal documents."""
    from fsops.storage.results import as_json

    result = outcome.result
    return {
        "process": outcome.loaded.process.name,
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
        "warnings": outcome.warnings.as_json(),
        "findings": [{"result": f.where, "message": f.message} for f in outcome.findings],
    }


def _show_end(
    messages: PlainConsole, request: Request, result: RunResult, written: list[WrittenFile]
) -> None:
    done = f"\nDone in {seconds_text(result.seconds)} with seed {result.seed}."
    messages.print(Text.assemble((done, "dim")))
    if request.out is not None:
        from fsops.cli.record import RECORD_FILE

        names = ", ".join([*(file.file for file in written), RECORD_FILE])
        messages.print(Text.assemble((f"Written to {request.out}: {names}", "dim")), soft_wrap=True)
    if request.report is not None:
        messages.print(Text.assemble((f"Report: {request.report}", "dim")), soft_wrap=True)
