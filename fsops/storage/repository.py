"""Results kept under a name, to be retrieved by another process.

An entry is a path without suffix: relative to the process file, absolute, or
``//name of a repository/path`` for the folder that the environment variable ``FSOPS_REPOSITORY``
names (without it, a folder ``fsops`` among the user's data). A table at the top of that folder is
also found by its name alone. The kind of the result is in the
suffix of its file, so that other files are not taken for entries.

Tables of RapidMiner (.ioo) are entries too, which are only read. Missing entries are also looked
for in the folder that the environment variable ``FSOPS_RAPIDMINER`` names, by the last parts of its
path: ``//Samples/data/Iris`` is ``data/Iris.ioo`` or ``Iris.ioo`` there.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from fsops.data import (
    AttributeWeights,
    ConfusionMatrix,
    Criterion,
    ExampleSet,
    FlowObject,
    PerformanceVector,
)
from fsops.errors import DataError, StorageError
from fsops.storage.files import read_bytes, refuse_link, write_bytes
from fsops.storage.weights_file import read_weights_file, write_weights_file

VARIABLE = "FSOPS_REPOSITORY"
RAPIDMINER_VARIABLE = "FSOPS_RAPIDMINER"
RAPIDMINER_SUFFIX = ".ioo"
REPOSITORY = "//"
LARGEST_JSON = 2**23
TABLE_SUFFIX = ".table.parquet"


def store_entry(value: FlowObject, entry: str) -> Path:
    """Store a result under a name, and replace an earlier one; return its file."""
    kind = next((kind for kind in KINDS if isinstance(value, kind)), None)
    if kind is None:
        raise DataError(
            f"{value.title} cannot be stored; tables, attribute weights and performances can.",
            hint="Store the data, and run the steps that make it again after retrieving.",
        )
    suffix, write, _ = KINDS[kind]
    base = entry_path(entry)
    _make_folder(base.parent)
    path = base.with_name(base.name + suffix)
    refuse_link(path)
    write(value, str(path))
    for other, _, _ in KINDS.values():
        if other != suffix:
            with contextlib.suppress(FileNotFoundError):
                base.with_name(base.name + other).unlink()
    return path


def find_entry(entry: str) -> Path | None:
    """Return the file of an entry, if there is one."""
    base = entry_path(entry)
    files = [base] if base.is_absolute() and base.name.endswith(tuple(READERS)) else []
    files += [base.with_name(base.name + suffix) for suffix in READERS]
    files += _rapidminer_files(entry)
    try:
        found = next((file for file in files if file.is_file()), None)
    except OSError:  # such as a name that is too long
        return None
    return found or named_tables().get(plain_name(base.name))


def named_tables() -> dict[str, Path]:
    """Return the tables at the top of the repository, by their names in a plain form."""
    try:
        files = sorted(repository_folder().glob(f"*{TABLE_SUFFIX}"))
    except OSError:
        return {}
    return {plain_name(file.name.removesuffix(TABLE_SUFFIX)): file for file in files}


def plain_name(name: str) -> str:
    """Return a name so that case, spaces, hyphens and underscores do not matter."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def load_entry(file: Path) -> FlowObject:
    """Return the result in the file of an entry."""
    read = next(read for suffix, read in READERS.items() if file.name.endswith(suffix))
    found: FlowObject = read(str(file))
    return found


def _rapidminer_files(entry: str) -> list[Path]:
    """Return where a table may lie in the folder for RapidMiner's, the longest path first."""
    folder = os.environ.get(RAPIDMINER_VARIABLE)
    parts = [part for part in PurePosixPath(entry).parts if part not in ("/", "//", "..")]
    if not folder or not parts:
        return []
    parts[-1] += RAPIDMINER_SUFFIX
    return [Path(folder).expanduser().joinpath(*parts[start:]) for start in range(len(parts))]


def entry_names(entry: str) -> list[str]:
    """Return the names of the entries in the same folder."""
    try:
        files = sorted(file.name for file in entry_path(entry).parent.iterdir())
    except (OSError, ValueError):
        return []
    found = [f.removesuffix(s) for f in files for s in READERS if f.endswith(s)]
    return list(dict.fromkeys(found))


def entry_path(entry: str) -> Path:
    """Return the path of an entry, without its suffix."""
    path = Path(entry)
    if entry.startswith(REPOSITORY):
        inside = PurePosixPath(entry.removeprefix(REPOSITORY)).parts[1:]
        if ".." in inside:
            raise StorageError(
                f'"{entry}" leads out of the repository.', hint="Leave out the dots."
            )
        path = repository_folder().joinpath(*inside)
    if path.name in ("", ".", "..") or entry.endswith("/"):
        raise StorageError(f'"{entry}" names no entry.', hint="Give a name such as data/heart.")
    return path


def repository_folder() -> Path:
    """Return the folder that ``//`` stands for."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("fsops", appauthor=False, roaming=True) / "repository"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not possible"
        raise StorageError(f'The folder "{folder}" cannot be made: {reason}.') from None


# --- performances ---------------------------------------------------------------------------


def _write_performance(value: PerformanceVector, file: str) -> None:
    from fsops.storage.results import as_json, json_text

    document = as_json(value)
    for about, criterion in zip(document["criteria"], value, strict=True):
        about["percent"] = criterion.percent
        if not criterion.measured:
            about["measured"] = False
    write_bytes(file, json_text(document).encode())


def _read_performance(file: str) -> PerformanceVector:
    try:
        document = json.loads(read_bytes(file, LARGEST_JSON))
        criteria = [_criterion(about) for about in document["criteria"]]
        confusion = document.get("confusion")
        matrix = (
            None
            if confusion is None
            else ConfusionMatrix(
                tuple(map(str, confusion["classes"])), np.array(confusion["counts"], dtype=np.int64)
            )
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise DataError(f'"{Path(file).name}" holds no performance, or is damaged.') from None
    return PerformanceVector(criteria, confusion=matrix)


def _criterion(about: Mapping[str, Any]) -> Criterion:
    values = tuple(np.nan if value is None else float(value) for value in about["values"])
    maximize, percent = bool(about["maximize"]), bool(about.get("percent", False))
    measured = bool(about.get("measured", True))
    return Criterion(str(about["name"]), values, maximize, percent, measured)


def _write_table(value: ExampleSet, file: str) -> None:
    from fsops.storage.parquet import write_parquet_table

    write_parquet_table(value, file)


def _read_table(file: str) -> ExampleSet:
    from fsops.storage.parquet import read_parquet_table

    return read_parquet_table(file, roles={}, types={}, skip=[])


def _read_rapidminer(file: str) -> ExampleSet:
    from fsops.storage.ioo import read_ioo_table

    return read_ioo_table(file)


KINDS: Mapping[type[FlowObject], tuple[str, Callable[[Any, str], None], Callable[[str], Any]]] = {
    ExampleSet: (TABLE_SUFFIX, _write_table, _read_table),
    AttributeWeights: (".weights.csv", write_weights_file, read_weights_file),
    PerformanceVector: (".performance.json", _write_performance, _read_performance),
}
"""For each kind of result the suffix of its file, and how it is written and read."""

READERS: Mapping[str, Callable[[str], Any]] = {
    **{suffix: read for suffix, _, read in KINDS.values()},
    RAPIDMINER_SUFFIX: _read_rapidminer,
}
"""How the file of an entry is read, by its suffix; the first that is there counts."""
