"""The outcome of a run: results, warnings, findings, times; and how they become files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, overload

from fsops.core.checks.lineage import is_validation
from fsops.core.frame.events import Logged, Path as OperatorPath
from fsops.core.frame.recording import RunWarning, Timing
from fsops.core.graph.process import Process
from fsops.data import FlowObject
from fsops.errors import StorageError, UsageError
from fsops.runs.execution import Origin
from fsops.runs.options import RunOptions, StrPath

if TYPE_CHECKING:
    from fsops.engine.cache import ResultStore
    from fsops.report.build import Caution
    from fsops.report.findings import Finding
    from fsops.report.summary import TableSummary
    from fsops.storage.results import WrittenFile

RECORD_FILE = "run.json"
Result = TypeVar("Result", bound=FlowObject)


@dataclass(frozen=True)
class Ending:
    """How a run ended."""

    status: str = "finished"
    """``finished``, ``cancelled`` or ``crashed``."""
    message: str = ""
    """Why it did not get to its end."""


class Background(Protocol):
    """Facts about a run beside its results; gathered only when a file needs them."""

    @property
    def store(self) -> ResultStore | None:
        """Where the run is saved, if it is."""

    @property
    def in_ports(self) -> frozenset[Origin]:
        """Origins of results that are large tables in the folder of ``ports``."""

    def record(self, outcome: RunOutcome) -> dict[str, Any]:
        """Return the record without the files."""

    def cautions(self) -> list[Caution]:
        """Return the warnings of the validator."""

    def tables(self) -> list[TableSummary]:
        """Return summaries of the tables that the process started with."""


@dataclass(frozen=True)
class KnownBackground:
    """Facts about a run that are gathered already: one that was saved, or sent elsewhere."""

    facts: Mapping[str, Any]
    known_cautions: list[Caution]
    known_tables: list[TableSummary]
    store: ResultStore | None
    in_ports: frozenset[Origin]

    def record(self, outcome: RunOutcome) -> dict[str, Any]:
        """Return the record without the files."""
        return dict(self.facts)

    def cautions(self) -> list[Caution]:
        """Return the warnings of the validator."""
        return self.known_cautions

    def tables(self) -> list[TableSummary]:
        """Return summaries of the tables that the process started with."""
        return self.known_tables


@dataclass(eq=False)
class RunOutcome:
    """The results of a run, in the order of the result ports, and how the run went.

    ``outcome[0]`` is the first result, ``outcome[AttributeWeights]`` the first of a type.
    """

    results: list[FlowObject]
    names: list[str]
    """For each result the operator and port it comes from, such as ``Validation.model``."""
    origins: list[Origin]
    """For each result the path of the operator, and the port."""
    process: Process
    """As it ran."""
    seed: int
    macros: dict[str, str]
    started: str
    """In UTC, as ISO 8601."""
    seconds: float
    timings: dict[OperatorPath, Timing]
    """By the path of the operator."""
    warnings: list[RunWarning]
    messages: list[Logged]
    """All warnings and logged values; of a saved run only the warnings."""
    options: RunOptions
    command: str
    """Shell command that repeats the run; empty if only Python can."""
    background: Background = field(repr=False)
    keys: list[str | None] | None = None
    """For each result its key in the folder of ``ports``, None if it is not there."""
    files: list[WrittenFile] = field(default_factory=list)
    """The files of the last `write`."""
    ending: Ending = Ending()
    """Of a run that was stopped there are only the results that were finished."""
    not_drawn: list[str] = field(default_factory=list)
    """Figures that could not be drawn by `write` and `report`, as sentences."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the outcome for another process, where nothing can be gathered any more."""
        facts = self.background
        known = KnownBackground(
            self._recorded, facts.cautions(), self.tables, facts.store, facts.in_ports
        )
        # An open engine or cache belongs to this process.
        return {**vars(self), "background": known, "options": RunOptions()}

    def __repr__(self) -> str:
        kinds = ", ".join(value.title for value in self.results) or "no results"
        return f"<RunOutcome {self.process.name!r}: {kinds}; seed {self.seed}>"

    # --- results ----------------------------------------------------------------------------

    def __iter__(self) -> Iterator[FlowObject]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: type[Result]) -> Result: ...
    def __getitem__(self, index: int | type[FlowObject]) -> Any:
        """Return a result by position, or the first of a type."""
        if isinstance(index, int):
            return self.results[index]
        found = next((result for result in self.results if isinstance(result, index)), None)
        if found is None:
            kinds = ", ".join(result.phrase() for result in self.results) or "nothing"
            raise UsageError(f"There is no result of that kind ({index.phrase()}), only {kinds}.")
        return found

    def named(self) -> list[tuple[str, FlowObject]]:
        """Return the results with their names."""
        return list(zip(self.names, self.results, strict=True))

    @cached_property
    def tables(self) -> list[TableSummary]:
        """Summaries of the tables that the process started with."""
        return self.background.tables()

    @cached_property
    def findings(self) -> list[Finding]:
        """Caveats derived from the results, such as a stability no better than chance."""
        from fsops.report.findings import findings

        validated = any(
            node.enabled and is_validation(node.operator) for node in self.process.walk()
        )
        return findings(self.named(), self.tables, validated=validated)

    # --- files ------------------------------------------------------------------------------

    def write(
        self, folder: StrPath | None = None, *, figures: str | Literal[False] | None = None
    ) -> None:
        """Write the results and ``run.json`` to a folder; then the figures.

        A disk that is full costs as little as possible: figures come last, and ``run.json`` is
        written also if the results cannot be.

        Parameters
        ----------
        folder : path, optional
            By default the one in the options.
        figures : {"svg", "png", "pdf"}, optional
            Also write the figures that suit the results; by default as the options say. False for
            no figures.

        A very large table that is in the folder of ``ports`` is not written again.
        """
        from fsops.plugins import plugins
        from fsops.storage.results import prepare_folder, write_results

        target = _given(folder, self.options.out, "folder")
        prepare_folder(target)
        left_out = self.background.in_ports
        chosen = [place for place, origin in enumerate(self.origins) if origin not in left_out]
        values, names = [self.results[i] for i in chosen], [self.names[i] for i in chosen]
        try:
            self.files = write_results(values, names, target, plugins(), safe=self.options.safe_csv)
        except StorageError as error:
            self._write_record(target, error)
            raise
        self._write_record(target)
        format = self.options.figures if figures is None else figures
        if format:
            self._write_figures(target, format)
        if self.background.store is not None:
            from fsops.runs.saved import save_files

            save_files(self.background.store, self.files)

    def _write_figures(self, folder: Path, format: str) -> None:
        from fsops.runs.figures import write_figures

        written = write_figures(self.results, self.names, self.timings, folder, format)
        self.files += written.files
        self._note(written.problems)
        self._write_record(folder, written.failure)
        if written.failure is not None:
            raise written.failure

    def _write_record(self, folder: Path, failure: StorageError | None = None) -> None:
        """Write ``run.json``; if a file could not be written before, that is the error to raise."""
        from fsops.storage.files import write_bytes
        from fsops.storage.results import json_text

        record = self.record()
        if failure is not None:
            record["message"] = f"{record['message']} {failure}".strip()
        try:
            write_bytes(folder / RECORD_FILE, json_text(record).encode(), follow=False)
        except StorageError:
            if failure is None:
                raise

    def report(self, file: StrPath | None = None) -> None:
        """Write the report; by default to the file in the options.

        A name that ends in .html gives the whole page, one that ends in .pdf a summary on one
        sheet of paper.
        """
        from fsops.report.build import PDF, RunFacts, build_page, build_summary, check_target
        from fsops.storage.files import write_bytes

        target = _given(file, self.options.report, "file")
        check_target(target)
        facts = RunFacts(
            self.process,
            self.record(),
            self.named(),
            self.timings,
            self.tables,
            self.findings,
            self.background.cautions(),
            [(warning.path, warning.message, warning.count) for warning in self.warnings],
        )
        if target.suffix.lower() == PDF:
            write_bytes(target, build_summary(facts))
            return
        page = build_page(facts)
        write_bytes(target, page.text.encode("utf-8", "backslashreplace"))
        self._note(page.problems)

    def _note(self, problems: list[str]) -> None:
        self.not_drawn += [problem for problem in problems if problem not in self.not_drawn]

    @cached_property
    def _recorded(self) -> Mapping[str, Any]:
        return self.background.record(self)

    def record(self) -> dict[str, Any]:
        """Return how the results came about: versions, parameters, seeds, times, files."""
        files = [asdict(file) for file in self.files]
        return {**self._recorded, **asdict(self.ending), "results": files}

    @classmethod
    def load(cls, folder: StrPath) -> RunOutcome:
        """Return a finished run from the folder of its option ``ports``, without running again.

        A result that cannot be stored safely, such as some models of scikit-learn, is replaced by
        its description: enough for files and report, but not to be applied.
        """
        from fsops.runs.saved import saved_run

        saved = saved_run(Path(folder))
        background = KnownBackground(
            saved.record, saved.cautions, saved.tables, saved.store, saved.in_ports
        )
        return cls(**saved.fields, options=RunOptions(), background=background)


def _given(explicit: StrPath | None, usual: StrPath | None, noun: str) -> Path:
    target = usual if explicit is None else explicit
    if target is None:
        raise UsageError(f"No {noun} given to write to.")
    return Path(target)


RunResult = RunOutcome
"""The earlier name, for programs that import it."""
