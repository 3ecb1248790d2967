"""How an experiment is run: small or complete, with which data and workers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.datasets import VARIABLE, data_folder, dataset
from fsops.errors import StorageError, UsageError, enumerate_names
from fsops.examples import find_examples

if TYPE_CHECKING:
    from fsops.data import ExampleSet
    from fsops.runs.outcome import RunOutcome


@dataclass(frozen=True)
class Setting:
    """Options of a run of an experiment.

    Parameters
    ----------
    quick : bool
        Run few splits and repetitions: a check that everything works, not a result.
    jobs : int, optional
        Number of workers.
    resume : bool
        Cache results, and continue a run that was interrupted.
    splits : int, optional
        Number of partitions into folds; that of the experiment if not given.
    data : tuple of str
        Names of the data sets to use; all of the experiment if empty.
    """

    quick: bool = False
    jobs: int | None = None
    resume: bool = False
    splits: int | None = None
    data: tuple[str, ...] = ()

    def either(self, quick: int, complete: int) -> int:
        """Return the number for a quick or for a complete run."""
        return quick if self.quick else complete

    def number_of_splits(self, complete: int) -> int:
        """Return the number of partitions into folds; one in a quick run."""
        return self.splits or self.either(1, complete)

    def chosen(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the data sets to use of those that exist."""
        unknown = sorted(set(self.data) - set(names))
        if unknown:
            raise UsageError(
                f"The experiment does not use {enumerate_names(unknown)}.",
                hint=f"It uses {enumerate_names(names, 10)}.",
            )
        return available(tuple(name for name in names if name in self.data) or names)

    def repetitions(self, splits: int, folds: int) -> str:
        """Return splits and folds in words, with the data sets if they are chosen."""
        of_data = f" of {', '.join(self.data)}" if self.data else ""
        return f"{splits} × {folds} folds{of_data}"

    def part(self, place: tuple[object, ...], compute: Callable[[], Any]) -> Any:
        """Return the result of a part of an experiment, cached if the run can be resumed.

        Operators that are called as functions are not cached one by one. The cache has
        ``compute()`` by ``place``, the code of fsops and the versions of its packages.
        """
        if not self.resume:
            return compute()
        from fsops.engine.cache.keys import content_key, versions
        from fsops.runs.options import open_store

        key = content_key([str(self.quick), *map(str, place), str(versions())])
        store = open_store()
        found = None if key is None else store.get(key)
        if found is not None:
            return found.value
        value = compute()
        if key is not None:
            store.put(key, value)
        return value

    def run(
        self,
        process: str,
        macros: Mapping[str, object],
        *,
        seed: int | None = None,
        until: str | None = None,
    ) -> RunOutcome:
        """Run a process that comes with fsops; the macro ``data`` is set if it has one."""
        from fsops.runs.run import run
        from fsops.storage import read_process

        file = find_examples(process)[0].file
        texts = {name: str(value) for name, value in macros.items()}
        if "data" in read_process(file).macros:
            texts["data"] = str(data_folder())
        with warnings.catch_warnings(action="ignore"):
            return run(
                file,
                seed=seed,
                macros=texts,
                jobs=self.jobs,
                resume=self.resume,
                until=until,
                summarize=False,
            )

    @contextmanager
    def running(self, seed: int) -> Iterator[None]:
        """Let operators called as functions use the seed and the workers."""
        from fsops.runs.function_calls import running
        from fsops.runs.options import RunOptions

        with RunOptions(jobs=self.jobs).open_engine() as engine, running(seed=seed, engine=engine):
            yield


def operators() -> Any:
    """Return the operators as functions.

    Untyped: their signatures contain the context, which `Setting.running` provides.
    """
    return import_module("fsops.operators")


def is_available(name: str) -> bool:
    """Return whether the file of a public data set exists."""
    path = dataset(name).path()
    return path is not None and path.is_file()


def available(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the data sets whose files exist; an error with one sentence if none does."""
    found = tuple(name for name in names if is_available(name))
    if names and not found:
        files = enumerate_names([dataset(name).file for name in names])
        raise StorageError(
            f"The data of this experiment were not found: {files}.",
            hint=f"Put them into a folder and name it in the environment variable {VARIABLE}; "
            f"fsops data describe {names[0]} says where they are published.",
        )
    return found


def has_file(name: str) -> bool:
    """Return whether the folder of data sets has a file."""
    folder = data_folder()
    return folder is not None and (folder / name).is_file()


def file_in_data_folder(name: str) -> Path:
    """Return a file of the folder of data sets, or raise an error with one sentence."""
    folder = data_folder()
    if folder is None or not has_file(name):
        raise StorageError(
            f"The data of this experiment were not found: {name}.",
            hint=f"Put the file into a folder and name it in the environment variable {VARIABLE}.",
        )
    return folder / name


def table(name: str) -> ExampleSet:
    """Return a public data set."""
    return dataset(name).load()
