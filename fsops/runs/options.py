"""Options of a run: its changes to the process, its engine, and its files."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from fsops.errors import UsageError, enumerate_names

if TYPE_CHECKING:
    from fsops.core.frame.engine import Engine, EngineSettings
    from fsops.engine.cache import ResultStore

StrPath = str | os.PathLike[str]
FIGURE_FORMATS = ("svg", "png", "pdf")


class RunKeywords(TypedDict, total=False):
    """The fields of `RunOptions` as keywords of `fsops.run`."""

    seed: int | None
    set: Mapping[str, Any] | Sequence[str]
    macros: Mapping[str, Any] | Sequence[str]
    engine: str | Engine | None
    jobs: int | None
    scheduler: str | None
    timeout: float | None
    cache: StrPath | ResultStore | bool | None
    resume: bool
    memory_limit: int | str | None
    until: str | None
    allow_write: Sequence[StrPath] | None
    allow_read: Sequence[StrPath]
    trust: bool
    ports: StrPath | None
    out: StrPath | None
    figures: str | None
    safe_csv: bool
    report: StrPath | None
    summarize: bool


@dataclass(frozen=True)
class RunOptions:
    """How a process runs; each field is an option of ``fsops run``.

    Parameters
    ----------
    seed : int, optional
        Replaces the seed of the process. A negative seed means: draw a new one for each run.
    set : mapping of str to value, optional
        Replaces parameters: ``{"Select Top k.k": 5}``. Texts as after ``--set`` are taken too.
    macros : mapping of str to str, optional
        Take precedence over the macros of the process. Texts as after ``--macro`` are taken too.
    engine : str or Engine, optional
        Backend for loop iterations: its name, or an engine of `fsops.open_engine`, which stays
        open. By default the one in the configuration file, else ``serial``.
    jobs : int, optional
        Number of workers; all cores by default.
    scheduler : str, optional
        Address of a dask scheduler, such as ``tcp://host:8786``.
    timeout : float, optional
        Seconds after which the run stops.
    cache : path, ResultStore or bool, optional
        Folder in which results are cached; True means the usual one.
    resume : bool
        The same as ``cache=True``.
    memory_limit : int or str, optional
        Memory for tables that are read in blocks: bytes, or a text such as ``"1GB"``.
    until : str, optional
        Name of an operator, on any level: run up to and including it. Its outputs are the results.
    allow_write : sequence of paths, optional
        Folders in which the process may write files, besides its own folder and ``out``. By
        default a process that was built in Python may write anywhere, a file only there.
    allow_read : sequence of paths
        Files and folders that a process file may read, besides its own folder, the folders for
        data, and files that ``set`` and ``macros`` name.
    trust : bool
        Let the process file read any file, in this run.
    ports : path, optional
        Folder in which the last value of every port is saved, and the run itself, for
        `RunOutcome.load`.
    out : path, optional
        Folder of `RunOutcome.write`. The run creates it before it starts.
    figures : {"svg", "png", "pdf"}, optional
        Also write figures to ``out``.
    safe_csv : bool
        Write names and texts that a spreadsheet would execute, such as ``=1+1``, as texts into
        the CSV files of ``out``.
    report : path, optional
        HTML file of `RunOutcome.report`, or a PDF file for a summary on one sheet. Whether it can
        be written is checked before the start.
    summarize : bool
        Describe the tables that the process starts with. The report shows them, and findings use
        them. A large table (100 × 200,000) takes about a second.
    """

    seed: int | None = None
    set: Mapping[str, Any] | Sequence[str] = field(default_factory=dict)
    macros: Mapping[str, Any] | Sequence[str] = field(default_factory=dict)
    engine: str | Engine | None = None
    jobs: int | None = None
    scheduler: str | None = None
    timeout: float | None = None
    cache: StrPath | ResultStore | bool | None = None
    resume: bool = False
    memory_limit: int | str | None = None
    until: str | None = None
    allow_write: Sequence[StrPath] | None = None
    allow_read: Sequence[StrPath] = ()
    trust: bool = False
    ports: StrPath | None = None
    out: StrPath | None = None
    figures: str | None = None
    safe_csv: bool = False
    report: StrPath | None = None
    summarize: bool = True

    def __post_init__(self) -> None:
        name, problem = next(_problems(self), ("", ""))
        if problem:
            raise UsageError(f"{name} is {getattr(self, name)!r}, but {problem}")
        if self.figures is not None and self.out is None:
            raise UsageError(
                "Figures need a folder to be written to.", hint="Give one with --out DIR."
            )
        if not isinstance(self.engine, str | None) and (self.jobs or self.scheduler):
            raise UsageError(
                "jobs and scheduler belong to an engine that is named, not to an open one.",
                hint="Give them to fsops.open_engine.",
            )

    # --- backend and cache ------------------------------------------------------------------

    @contextmanager
    def open_engine(self) -> Iterator[Engine | None]:
        """Return the engine; one that is opened here is closed at the end, also after an error."""
        if self.engine is not None and not isinstance(self.engine, str):
            yield self.engine
            return
        from fsops.engine.engines.registry import open_engine

        engine = open_engine(*self._named_engine())
        try:
            yield engine
        finally:
            if engine is not None:
                engine.close()

    def engine_used(self) -> tuple[str, EngineSettings | None]:
        """Return name and settings of the engine; an open one has its own settings."""
        if self.engine is not None and not isinstance(self.engine, str):
            return type(self.engine).__name__, None
        return self._named_engine()

    def _named_engine(self) -> tuple[str, EngineSettings]:
        """Return name and settings of the engine to open; the configuration fills the gaps."""
        from fsops.config import configured
        from fsops.core.frame.engine import EngineSettings

        saved = configured("engine")
        jobs = self.jobs or saved.get("jobs")
        scheduler = self.scheduler or saved.get("scheduler")
        tls = [saved.get(name) for name in ("tls_ca", "tls_cert", "tls_key")]
        return self._engine_name(saved), EngineSettings(jobs, scheduler, *tls)

    def _engine_name(self, saved: Mapping[str, Any]) -> str:
        """Return the name that is given, or the one that the other options need."""
        from fsops.engine.engines.registry import SERIAL

        if self.engine or self.scheduler:
            return str(self.engine or "dask")
        usual: str = saved.get("name", SERIAL)
        if usual != SERIAL:
            return usual
        if "name" not in saved and "scheduler" in saved:
            return "dask"
        jobs = self.jobs or (1 if "name" in saved else saved.get("jobs", 1))
        return "processes" if jobs > 1 else SERIAL

    @contextmanager
    def open_store(self) -> Iterator[ResultStore | None]:
        """Return the cache, if there is one; at the end it is reduced to its limit."""
        store = self._store()
        if store is None:
            yield None
            return
        store.check_writable()
        store.required = self.resume
        try:
            yield store
        finally:
            store.prune()

    def _store(self) -> ResultStore | None:
        if isinstance(self.cache, str | os.PathLike):
            return open_store(self.cache)
        if self.cache is None or isinstance(self.cache, bool):
            return open_store() if self.cache or self.resume else None
        return self.cache

    @property
    def memory_bytes(self) -> int | None:
        """The memory limit in bytes."""
        if not isinstance(self.memory_limit, str):
            return self.memory_limit
        from fsops.memory import parse_size

        return parse_size(self.memory_limit)

    # --- files ------------------------------------------------------------------------------

    def check_files(self, process: Path | None = None) -> None:
        """Raise now, not after a long run, if figures or the report cannot be written.

        Parameters
        ----------
        process : Path, optional
            The process file, which no report may replace.
        """
        if self.figures is not None:
            from fsops.plots import require_matplotlib

            require_matplotlib()
        if self.report is not None:
            from fsops.report.build import check_target

            out = None if self.out is None else Path(self.out)
            check_target(Path(self.report), process, out)

    def command(self, file: StrPath, seed: int) -> str:
        """Return the shell command that repeats the run of a process file."""
        parts = ["fsops", "run", str(file)]
        parts += [part for text in setting_texts(self.set) for part in ("--set", text)]
        parts += [part for text in macro_texts(self.macros) for part in ("--macro", text)]
        parts += ["--seed", str(seed)]
        parts += ["--until", self.until] if self.until is not None else []
        if self.memory_bytes is not None:
            parts += ["--memory-limit", str(self.memory_bytes)]
        for option, folders in (("write", self.allow_write), ("read", self.allow_read)):
            parts += [part for f in folders or () for part in (f"--allow-{option}", str(f))]
        parts += ["--trust"] if self.trust else []
        for name in ("out", "figures", "report"):
            value = getattr(self, name)
            parts += [f"--{name}", str(value)] if value is not None else []
        parts += ["--safe-csv"] if self.safe_csv else []
        return shlex.join(parts)


def _problems(options: RunOptions) -> Iterator[tuple[str, str]]:
    """Return the names of fields whose values are not allowed, with the allowed values."""
    for name in ("seed", "jobs"):
        if not isinstance(getattr(options, name), int | None):
            yield name, "must be a whole number."
    if options.jobs is not None and options.jobs < 1:
        yield "jobs", "must be at least 1."
    if options.timeout is not None and options.timeout < 0:
        yield "timeout", "must not be negative."
    if options.figures not in (None, *FIGURE_FORMATS):
        yield "figures", f"must be {enumerate_names(FIGURE_FORMATS)}."
    for name in ("allow_write", "allow_read"):
        if isinstance(getattr(options, name), str):
            yield name, "must be a list of folders."
    for name in ("set", "macros"):
        if isinstance(getattr(options, name), str):
            yield name, "must be a dict."


def open_store(folder: StrPath | None = None) -> ResultStore:
    """Return the cache in a folder; by default the configured folder, else the usual one."""
    from fsops.config import config_file, configured
    from fsops.engine.cache import ResultStore, default_folder
    from fsops.engine.cache.store import DEFAULT_LIMIT
    from fsops.memory import parse_size

    saved = configured("cache")
    try:
        limit = parse_size(saved["limit"]) if "limit" in saved else DEFAULT_LIMIT
    except UsageError as error:
        raise UsageError(f"{config_file()}: cache.limit: {error}") from None
    usual = Path(saved["folder"]).expanduser() if "folder" in saved else default_folder()
    return ResultStore(usual if folder is None else Path(folder), limit)


def setting_texts(settings: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Return parameters as ``--set`` takes them: ``Operator.parameter=value``."""
    if not isinstance(settings, Mapping):
        return list(settings)
    return [f"{target}={_value_text(value)}" for target, value in settings.items()]


def macro_texts(macros: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Return macros as ``--macro`` takes them: ``name=value``."""
    if not isinstance(macros, Mapping):
        return list(macros)
    return [f"{name}={_value_text(value)}" for name, value in macros.items()]


def _value_text(value: Any) -> str:
    from fsops.core.declare.parameters import value_text

    is_nested = isinstance(value, Mapping | list | tuple)
    return json.dumps(value) if is_nested else value_text(value)
