"""A run: a process with the options of its execution."""

from __future__ import annotations

import os
import secrets
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from fsops.config import use_disabled_plugins
from fsops.core.checks.problems import Kind, Problem, Severity
from fsops.core.checks.validation import validate
from fsops.core.frame.events import Listener, Logged
from fsops.core.frame.recording import Recorder
from fsops.core.frame.services import WARNING
from fsops.core.graph.process import Process
from fsops.data import FlowObject, metadata_of
from fsops.engine.goal import Goal
from fsops.engine.macros import check_data_folder, predefined_macros, process_macros
from fsops.engine.pausing import Pause
from fsops.errors import StorageError, unknown_argument
from fsops.plugins import plugins
from fsops.runs.execution import (
    DeliveredResult,
    Job,
    Means,
    Origin,
    carry_out,
    concerning,
    refuse_errors,
    result_names,
)
from fsops.runs.loading import open_process
from fsops.runs.options import RunKeywords, RunOptions
from fsops.runs.outcome import Ending, RunOutcome
from fsops.runs.overrides import apply_settings, check_macros_used, read_macros
from fsops.runs.partial import FinishedResults
from fsops.runs.tables import SourceTables

if TYPE_CHECKING:
    from fsops.engine.cache import ResultStore
    from fsops.engine.ports import PortKeeper
    from fsops.report.build import Caution
    from fsops.report.summary import TableSummary


def run(
    process: Process | str | PathLike[str],
    *inputs: FlowObject,
    listener: Listener | None = None,
    cancel: threading.Event | None = None,
    pause: Pause | None = None,
    **options: Unpack[RunKeywords],
) -> RunOutcome:
    """Run a process and return its results: ``fsops.run("study.xml", jobs=4, seed=7)``.

    The files that ``out``, ``figures`` and ``report`` name are written too.

    Parameters
    ----------
    process : Process, or path of a process file
    *inputs : FlowObject
        Values for the input ports of the process.
    listener : callable, optional
        Called with every event.
    cancel : threading.Event, optional
        Stops the run at the next step when another thread sets it.
    pause : callable, optional
        Called at breakpoints; see `fsops.engine.pausing.Pause`.
    **options
        The fields of `RunOptions`.
    """
    known = RunOptions.__dataclass_fields__
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        raise unknown_argument("run", unknown, known)
    outcome = Run(process, RunOptions(**options)).execute(
        *inputs, listener=listener, cancel=cancel, pause=pause
    )
    if outcome.options.out is not None:
        outcome.write()
    if outcome.options.report is not None:
        outcome.report()
    return outcome


class Run:
    """A process, ready to be checked or executed with some options.

    Parameters
    ----------
    process : Process, or path of a process file
        The run has a copy: neither the process nor its file is changed.
    options : RunOptions, optional

    Attributes
    ----------
    process : Process
        As it runs, with the parameters that the options set.
    file : Path or None
        The process file.
    macros : dict of str to str
        The macros of the options.
    overrides : list of Override
        The parameters of the options.
    """

    def __init__(
        self, process: Process | str | PathLike[str], options: RunOptions | None = None
    ) -> None:
        self.options = options or RunOptions()
        self.macros = read_macros(self.options.macros)
        use_disabled_plugins()
        self.registry = plugins().registry
        self._opened = open_process(process, self.registry)
        self.process, self.file = self._opened.process, self._opened.file
        self.overrides = apply_settings(self.process, self.options.set)
        if self.file is not None:
            check_macros_used(self.process, self.options.macros)
        self.folder = os.getcwd()
        self._execution: _Execution | None = None
        self.process.readable = self._readable()

    @cached_property
    def sha256(self) -> str:
        """The digest of the process file."""
        return self._opened.sha256()

    @cached_property
    def remarks(self) -> list[Problem]:
        """Warnings about an import from RapidMiner."""
        return self._opened.import_remarks(self.registry)

    def known_macros(self, started: datetime | None = None) -> dict[str, str]:
        """Return all macros with their values; those of the options come first."""
        predefined = predefined_macros(self.process, started or datetime.now(UTC))
        return {**predefined, **process_macros(self.process), **self.macros}

    def problems(self) -> list[Problem]:
        """Return the problems that are known before the run."""
        return self._checked(self.known_macros(), {}) + self.remarks

    def refuse_errors(self) -> None:
        """Raise `InvalidProcess` if the process has an error, as a run does."""
        refuse_errors(self._checked(self.known_macros(), {}))

    def _checked(
        self, macros: Mapping[str, str], inputs: Mapping[str, FlowObject]
    ) -> list[Problem]:
        given = {port: metadata_of(value) for port, value in inputs.items()}
        return validate(self.process, self.registry, macros=macros, given=given)

    # --- executing --------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Create the folders of the run; raise if a file could not be written at its end."""
        self.options.check_files(self.file)
        if self.options.out is not None:
            from fsops.storage.results import prepare_folder

            prepare_folder(Path(self.options.out))
        if self.options.ports is not None:
            from fsops.runs.saved import forget_outcome

            forget_outcome(port_store(Path(self.options.ports)))

    def execute(
        self,
        *inputs: FlowObject,
        listener: Listener | None = None,
        cancel: threading.Event | None = None,
        pause: Pause | None = None,
    ) -> RunOutcome:
        """Execute the process; `fsops.run` explains the parameters."""
        self._prepare()
        given = {f"input {i}": value for i, value in enumerate(inputs, start=1)}
        recorder = Recorder(listener)
        with self.options.open_engine() as engine, self.options.open_store() as store:
            started, began = datetime.now(UTC), time.perf_counter()
            means = Means(engine, store, cancel, pause)
            job = self._job(given, started, recorder)
            self._execution = _Execution(job, recorder, started, began)
            delivered = carry_out(job, means)
            seconds = time.perf_counter() - began
            if store is not None and store.failure:
                recorder(Logged((), WARNING, store.failure))
        outcome = self._outcome(self._execution, delivered, seconds)
        if job.ports is not None:
            from fsops.runs.saved import save_outcome

            save_outcome(outcome, job.ports.store, job.tables)
        return outcome

    @property
    def results_finished(self) -> int:
        """How many results are finished so far; also after a run that was stopped."""
        return 0 if self._execution is None else len(self._execution.job.finished or ())

    def partial(self, ending: Ending) -> RunOutcome | None:
        """Return the results that are finished so far; None if the run has not started."""
        going = self._execution
        if going is None or going.job.finished is None:
            return None
        seconds = time.perf_counter() - going.began
        outcome = self._outcome(going, going.job.finished.delivered(), seconds)
        outcome.ending = ending
        return outcome

    def _outcome(
        self, done: _Execution, delivered: Sequence[DeliveredResult], seconds: float
    ) -> RunOutcome:
        job, recorder = done.job, done.recorder
        return RunOutcome(
            results=[item.value for item in delivered],
            names=result_names(delivered),
            origins=[item.origin for item in delivered],
            process=self.process,
            seed=job.seed,
            macros=dict(self.macros),
            started=done.started.isoformat(timespec="seconds"),
            seconds=seconds,
            timings=recorder.timings,
            warnings=recorder.warnings.warnings(),
            messages=recorder.messages,
            options=self.options,
            command=self._command(job),
            background=self._background(job, delivered),
            keys=None if job.ports is None else [job.ports.key(*i.origin) for i in delivered],
        )

    def _job(self, inputs: Mapping[str, FlowObject], started: datetime, recorder: Recorder) -> Job:
        """Return the work of the executor; a process with errors is refused."""
        options = self.options
        goal = None if options.until is None else Goal.of(self.process, options.until)
        macros = self.known_macros(started)
        check_data_folder(self.process, macros)
        problems = self._checked(macros, inputs)
        refuse_errors(concerning(problems, goal))
        for problem in concerning(problems, goal):
            if problem.kind is Kind.INFORMATION_LEAK:  # readers of the metrics must know
                recorder(Logged(problem.path, WARNING, problem.message))
        ports = self._port_keeper()
        return Job(
            process=self.process,
            inputs=inputs,
            problems=problems,
            seed=self._seed(),
            macros=macros,
            goal=goal,
            listener=recorder,
            timeout=options.timeout,
            memory_limit=options.memory_bytes,
            writable=self._writable(),
            ports=ports,
            tables=SourceTables(self.process, inputs, ports) if options.summarize else None,
            finished=None if goal is not None else FinishedResults(self.process),
        )

    def _seed(self) -> int:
        seed = self.process.seed if self.options.seed is None else self.options.seed
        # As in RapidMiner, a negative seed means a new one each time; the outcome has it.
        return secrets.randbits(31) if seed < 0 else seed

    def _writable(self) -> list[Path] | None:
        """Return the folders in which the process may write files; None means anywhere."""
        if self.options.allow_write is None and self.file is None:
            return None
        own = [folder for folder in (self.process.folder, self.options.out) if folder is not None]
        return [Path(folder) for folder in (*own, *(self.options.allow_write or ()))]

    def _readable(self) -> list[Path] | None:
        """Return the files and folders that the process may read; None means all."""
        if self.process.readable is None or self.options.trust:
            return None
        from fsops.config import configured

        always = [Path(folder).expanduser() for folder in configured("data").get("allow_read", [])]
        out = [] if self.options.out is None else [Path(self.options.out)]
        allowed = [Path(folder).expanduser() for folder in self.options.allow_read]
        own = Path(self.process.folder or "")
        named = [own / Path(name).expanduser() for name in self._named_files()]
        return [*self.process.readable, *always, *out, *allowed, *named]

    def _named_files(self) -> Iterator[str]:
        """Return the files and folders that the user has named for this run."""
        for override in self.overrides:
            spec = self.process.find(override.operator).operator
            if any(p.name == override.parameter and p.file for p in spec.parameters):
                yield str(override.value)
        # A macro may be anything; a name without a separator cannot lead out of the folder.
        yield from (
            text for text in self.macros.values() if os.sep in text or text[:1] in ("~", ".")
        )

    def _port_keeper(self) -> PortKeeper | None:
        if self.options.ports is None:
            return None
        from fsops.engine.ports import PortKeeper

        return PortKeeper(port_store(Path(self.options.ports)))

    def _command(self, job: Job) -> str:
        """Return the shell command that repeats the run; empty where only Python can."""
        if self.file is None or job.inputs:
            return ""
        return self.options.command(self.file, job.seed)

    def _background(self, job: Job, delivered: Sequence[DeliveredResult]) -> RunBackground:
        ports = job.ports
        if ports is None:
            return RunBackground(self, job.problems, job.tables)
        large = frozenset(item.origin for item in delivered if ports.has_large(*item.origin))
        return RunBackground(self, job.problems, job.tables, ports.store, large)


@dataclass(frozen=True)
class _Execution:
    """A run that has started."""

    job: Job
    recorder: Recorder
    started: datetime
    began: float


@dataclass(frozen=True)
class RunBackground:
    """Facts about a run in this process; see `Background`."""

    run: Run
    problems: Sequence[Problem]
    source_tables: SourceTables | None
    store: ResultStore | None = None
    in_ports: frozenset[Origin] = frozenset()

    def record(self, outcome: RunOutcome) -> dict[str, Any]:
        """Return the record without the files."""
        from fsops.runs.record import run_record  # most runs need none

        return run_record(self.run, outcome)

    def cautions(self) -> list[Caution]:
        """Return the warnings of the validator, with the labels of their fixes."""
        from fsops.report.build import Caution

        return [
            Caution(problem.path, problem.message, tuple(fix.label for fix in problem.fixes))
            for problem in (*self.problems, *self.run.remarks)
            if problem.severity is Severity.WARNING
        ]

    def tables(self) -> list[TableSummary]:
        """Return summaries of the tables that the process started with."""
        return [] if self.source_tables is None else self.source_tables.summaries()


def port_store(folder: Path) -> ResultStore:
    """Return the store for values of ports; no limit removes any of them."""
    from fsops.engine.cache import ResultStore

    try:
        store = ResultStore(folder, limit=sys.maxsize)
        store.check_writable()
    except StorageError:
        raise StorageError(
            f'Nothing can be written to the folder "{folder}".',
            hint="Choose another one after --ports.",
        ) from None
    return store
