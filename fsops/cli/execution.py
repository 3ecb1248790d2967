"""How a run is to be carried out: by which engine, how long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fsops.core.frame.engine import Engine, EngineSettings
    from fsops.engine.cache import ResultStore

EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="What runs the turns of loops: serial, threads, processes, dask, or a plugin's.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", min=1, help="Number of workers; all cores if empty."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Address of a dask scheduler, as tcp://host:8786."
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0, help="Stop the run after this time."),
]


CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Keep results in this folder, and take from it what an earlier run has kept.",
        show_default=False,
    ),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="As --cache, with the usual folder: go on where a run stopped."),
]


@dataclass(frozen=True)
class Execution:
    """What the command line says about how to run; the configuration file says the rest."""

    engine: str | None = None
    jobs: int | None = None
    scheduler: str | None = None
    timeout: float | None = None
    cache: Path | None = None
    resume: bool = False

    @contextmanager
    def open_store(self) -> Iterator[ResultStore | None]:
        """Return where results are kept, if they are to be; tidy it up at the end."""
        if self.cache is None and not self.resume:
            yield None
            return
        store = open_store(self.cache)
        store.check_writable()
        try:
            yield store
        finally:
            store.prune()

    @contextmanager
    def open_engine(self) -> Iterator[Engine | None]:
        """Return the engine, and close it at the end, whatever happens."""
        from fsops.engine.engines.registry import open_engine

        engine = open_engine(*self.chosen_engine())
        try:
            yield engine
        finally:
            if engine is not None:
                engine.close()

    def chosen_engine(self) -> tuple[str, EngineSettings]:
        """Return the name of the engine and its settings; the configuration says the rest."""
        from fsops.config import configured
        from fsops.core.frame.engine import EngineSettings

        saved = configured("engine")
        jobs = self.jobs or saved.get("jobs")
        scheduler = self.scheduler or saved.get("scheduler")
        return self._name(saved), EngineSettings(jobs, scheduler)

    def _name(self, saved: Mapping[str, Any]) -> str:
        """Return which engine is meant: by its name, or by options that need one."""
        from fsops.engine.engines.registry import SERIAL

        if self.engine or self.scheduler:
            return self.engine or "dask"
        usual: str = saved.get("name", SERIAL)
        if usual != SERIAL:
            return usual
        if "name" not in saved and "scheduler" in saved:
            return "dask"
        jobs = self.jobs or (1 if "name" in saved else saved.get("jobs", 1))
        return "processes" if jobs > 1 else SERIAL


def open_store(folder: Path | None) -> ResultStore:
    """Return the results in a folder; without one in that of the configuration, or the usual."""
    from fsops.config import config_file, configured, parse_size
    from fsops.engine.cache import ResultStore, default_folder
    from fsops.engine.cache.store import DEFAULT_LIMIT
    from fsops.errors import UsageError

    saved = configured("cache")
    try:
        limit = parse_size(saved["limit"]) if "limit" in saved else DEFAULT_LIMIT
    except UsageError as error:
        raise UsageError(f"{config_file()}: cache.limit: {error}") from None
    usual = Path(saved["folder"]).expanduser() if "folder" in saved else default_folder()
    return ResultStore(folder or usual, limit)
