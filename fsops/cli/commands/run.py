"""``fsops run``."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from fsops.cli.memory import MemoryLimit, keep_memory
from fsops.cli.options import (
    AllowRead,
    CacheFolder,
    Debug,
    EngineName,
    FigureFormat,
    Format,
    Jobs,
    Macros,
    OutputFormat,
    ProcessFile,
    Resume,
    Scheduler,
    Settings,
    Timeout,
    Trust,
)

if TYPE_CHECKING:
    from fsops.cli.finished import Presentation
    from fsops.cli.interrupt import Stop
    from fsops.cli.output.console import PlainConsole
    from fsops.core.frame.events import Event, Listener
    from fsops.engine.pausing import Pause
    from fsops.errors import Cancelled
    from fsops.runs.jsonl import NoEvents
    from fsops.runs.options import RunOptions
    from fsops.runs.outcome import RunOutcome
    from fsops.runs.run import Run


def run(  # noqa: PLR0917 - typer reads the arguments by name
    process: ProcessFile,
    settings: Settings = [],  # noqa: B006 - typer makes a new one
    macros: Macros = [],  # noqa: B006
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", metavar="N", min=0, help="Random seed; replaces the seed of the file."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write the results and run.json, the record of the run, to this folder.",
        ),
    ] = None,
    figures: Annotated[
        FigureFormat | None,
        typer.Option(
            "--figures",
            help="Also write figures of the results to the folder of --out, in this format.",
        ),
    ] = None,
    safe_csv: Annotated[
        bool,
        typer.Option(
            "--safe-csv",
            help="Protect texts in the CSV files that a spreadsheet would execute as formulas.",
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Write a page with the results, figures, data and methods, and the steps to "
            "repeat the run. "
            "FILE.pdf: a summary on one sheet of paper.",
        ),
    ] = None,
    allow_write: Annotated[
        list[Path],
        typer.Option(
            "--allow-write",
            metavar="DIR",
            help="Let the process write files into this folder, in addition to its own folder "
            "and the folder of --out.",
        ),
    ] = [],  # noqa: B006
    allow_read: AllowRead = [],  # noqa: B006
    trust: Trust = False,
    engine: EngineName = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    timeout: Timeout = None,
    cache: CacheFolder = None,
    resume: Resume = False,
    memory_limit: MemoryLimit = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="OPERATOR",
            help="Run up to and including this operator; its outputs are the results. It may be "
            "inside of others.",
        ),
    ] = None,
    breakpoints: Annotated[
        bool,
        typer.Option(
            "--breakpoints",
            help="Stop at the breakpoints of the file and wait for a line on standard input: "
            "continue, step or stop.",
        ),
    ] = False,
    ports: Annotated[
        Path | None,
        typer.Option(
            "--ports",
            metavar="DIR",
            help="Write the last value of every port to this folder; events name the files. "
            "--out does not write very large tables again if they are in this folder.",
        ),
    ] = None,
    events: Annotated[
        str | None,
        typer.Option(
            "--events",
            metavar="FILE",
            help="Write events to this file while the process runs, one JSON object per line; - "
            "writes them to standard output in place of the results.",
        ),
    ] = None,
    format: Format = OutputFormat.TEXT,
    all_rows: Annotated[
        bool, typer.Option("--all", help="Show all rows of every result, not only the first.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no warnings.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Run a process file and show its results.

    Results go to standard output, progress and messages to standard error.
    """
    # First, because numpy takes 20 to 35 ms longer where many imports are nested around it.
    import numpy  # noqa: F401, ICN001

    from fsops.cli.finished import Presentation
    from fsops.cli.output.console import errors_console
    from fsops.cli.output.run import warn
    from fsops.runs.jsonl import STANDARD_OUTPUT, open_events
    from fsops.runs.options import RunOptions

    if memory_limit is not None:
        keep_memory()
    as_json, on_stdout = format is OutputFormat.JSON, events == STANDARD_OUTPUT
    _refuse_mixed_output(as_json=as_json, events_on_stdout=on_stdout)
    options = RunOptions(
        seed=seed,
        set=settings,
        macros=macros,
        engine=engine,
        jobs=jobs,
        scheduler=scheduler,
        timeout=timeout,
        cache=cache,
        resume=resume,
        memory_limit=memory_limit,
        until=until,
        allow_write=allow_write,
        allow_read=allow_read,
        trust=trust,
        ports=ports,
        out=out,
        figures=None if figures is None else figures.value,
        safe_csv=safe_csv,
        report=report,
        summarize=report is not None or ports is not None,
    )
    options.check_files(process)
    messages = errors_console()
    shown = _Shown(
        messages,
        Presentation(
            None if out is None else str(out.absolute()), as_json, all_rows, _target(events)
        ),
        quiet=quiet,
        breakpoints=breakpoints,
    )
    with open_events(events, lambda text: warn(messages, text)) as writer:
        _carry_out(process, options, shown, writer)


def _refuse_mixed_output(*, as_json: bool, events_on_stdout: bool) -> None:
    from fsops.errors import UsageError

    if as_json and events_on_stdout:
        raise UsageError(
            "Events and results cannot both go to standard output.",
            hint="Give --events a file, or leave out --format json.",
        )


class _Shown(NamedTuple):
    """Where and how the run is shown."""

    messages: PlainConsole
    results: Presentation
    quiet: bool
    breakpoints: bool

    @property
    def events_on_stdout(self) -> bool:
        return self.results.events == "-"


def _carry_out(file: Path, options: RunOptions, shown: _Shown, events: NoEvents) -> None:
    """Read, execute, write and show: files come first, so that a closed pipe costs none."""
    from fsops.cli.output.console import print_json
    from fsops.cli.output.run import outcome_as_json, show_end, show_results
    from fsops.errors import Cancelled

    run = _opened(file, options, shown)
    try:
        outcome = _execute(run, shown, events)
    except Cancelled as stopped:
        _deliver_finished(run, shown, stopped)
        raise
    failure = _write(outcome, shown)
    events.results(outcome)
    if shown.results.as_json:
        print_json(outcome_as_json(outcome))
    elif not shown.events_on_stdout:
        show_results(outcome, all_rows=shown.results.all_rows)
    if not shown.quiet:
        show_end(shown.messages, outcome)
    if failure is not None:  # raised last: the results of a long run come first
        raise failure


def _deliver_finished(run: Run, shown: _Shown, stopped: Cancelled) -> None:
    """Write and show the results that were finished when the run was stopped."""
    from fsops.runs.outcome import Ending

    outcome = run.partial(Ending("cancelled", stopped.message))
    if outcome is not None:
        stopped.hint = " ".join([stopped.hint, *shown.results.deliver(outcome)]).strip()


def _target(events: str | None) -> str | None:
    return events if events in (None, "-") else str(Path(events).absolute())


def _opened(file: Path, options: RunOptions, shown: _Shown) -> Run:
    """Return the run; warnings about plugins and about an import are printed."""
    from fsops.cli.output.run import warn
    from fsops.errors import PATH_SEPARATOR
    from fsops.plugins import plugins
    from fsops.runs.run import Run

    run = Run(file, options)
    if not shown.quiet:
        for problem in plugins().problems:
            warn(shown.messages, problem)
        for remark in run.remarks:
            warn(shown.messages, f"{PATH_SEPARATOR.join(remark.path)}: {remark.message}")
    return run


def _execute(run: Run, shown: _Shown, events: NoEvents) -> RunOutcome:
    from fsops.cli.finished import FinishedSaver
    from fsops.cli.interrupt import stoppable
    from fsops.cli.output.display import progress_on
    from fsops.cli.output.run import show_warnings
    from fsops.cli.parent_line import is_supervised, report
    from fsops.cli.signals import SIGNALS
    from fsops.core.frame.events import Logged
    from fsops.core.frame.recording import WarningCounter

    assert run.file is not None
    operators = sum(node.enabled for node in run.process)
    # Bars would be torn apart by events on the same terminal.
    mixed = shown.events_on_stdout and sys.stdout.isatty()
    display = progress_on(shown.messages, operators, quiet=shown.quiet or mixed)
    seed = run.process.seed if run.options.seed is None else run.options.seed
    events.begin(process=run.process.name, file=run.file, seed=seed, operators=operators)
    counter = WarningCounter()
    listeners: list[Listener] = [display, *events.listeners]
    if is_supervised():
        listeners.append(FinishedSaver(run, shown.results))

    def listen(event: Event) -> None:
        if isinstance(event, Logged):
            counter(event)
        for each in listeners:
            each(event)

    SIGNALS.begin_work()
    try:
        with stoppable(display.announce_stop, run.options.timeout) as cancel, display:
            if run.options.timeout is not None:
                end = time.monotonic() + run.options.timeout
                report(f"deadline {end} {run.options.timeout:g}")
            pause = None
            if shown.breakpoints:
                from fsops.cli.breakpoints import Asking

                pause = Asking(shown.messages, cancel, quiet=shown.quiet)
            # What operators print goes to the messages: standard output is for the results.
            with contextlib.redirect_stdout(sys.stderr):
                return _interruptible(run, listen, cancel, pause)
    finally:
        if not shown.quiet:
            show_warnings(shown.messages, counter.warnings())


def _interruptible(run: Run, listen: Listener, stop: Stop, pause: Pause | None) -> RunOutcome:
    """Execute a run; the error of one that is stopped has the reason and its exit code."""
    from fsops.errors import Cancelled, TimedOut

    try:
        return run.execute(listener=listen, cancel=stop, pause=pause)
    except TimedOut:
        raise
    except (Cancelled, KeyboardInterrupt):
        reason = stop.error()
        if reason is None:  # stopped at a breakpoint
            raise
        raise reason from None
    except Exception:
        reason = stop.error() if stop.has_interrupted else None
        if reason is None:
            raise
        raise reason from None  # imports turn an interrupt into other errors


def _write(outcome: RunOutcome, shown: _Shown) -> Exception | None:
    """Write the files; return why one could not be written."""
    from fsops.cli.output.run import warn

    failure: Exception | None = None
    for target, write in (
        (outcome.options.out, outcome.write),
        (outcome.options.report, outcome.report),
    ):
        try:
            if target is not None:
                write()
        except Exception as error:  # noqa: BLE001 - also an error of a plugin's result
            failure = failure or error
    for problem in [] if shown.quiet else outcome.not_drawn:
        warn(shown.messages, problem)
    return failure
