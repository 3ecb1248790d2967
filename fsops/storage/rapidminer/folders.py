"""A whole repository of RapidMiner: its processes are converted, its data is copied."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, fields
from pathlib import Path

from fsops.core.registry import Registry
from fsops.errors import FsopsError, UsageError
from fsops.storage.files import read_bytes, write_bytes
from fsops.storage.process_xml import read_process, write_process
from fsops.storage.rapidminer.importer import import_report

PROCESSES = (".rmp", ".template", ".buildingblock")
DATA = (".ioo", ".wgt", ".att", ".csv", ".arff", ".xls", ".xlsx", ".dat", ".aml")
"""Files that processes read, and that keep their place."""
MOST_FILES = 10_000
LARGEST = 2**31
SUMMARY = "summary.csv"


@dataclass(frozen=True)
class ConvertedFile:
    """The outcome of one process."""

    name: str
    """Path in the folder."""
    known: int = 0
    missing: int = 0
    """Operators that became placeholders."""
    changes: int = 0
    """Things that can change the result."""
    missing_keys: str = ""
    error: str = ""


def convert_folder(
    folder: Path, target: Path | None, registry: Registry, *, force: bool = False
) -> list[ConvertedFile]:
    """Convert all processes of a folder into another one, and copy their data beside them.

    The structure stays, so relative paths of data still work. ``target`` None only reports.
    """
    if target is not None:
        _check_target(folder, target, force=force)
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
    if len(files) > MOST_FILES:
        raise UsageError(
            f"{folder} has {len(files)} files; at most {MOST_FILES} are converted.",
            hint="Convert parts of it.",
        )
    found = [
        _converted(file, folder, target, registry)
        for file in files
        if file.suffix.lower() in PROCESSES
    ]
    if not found:
        raise UsageError(
            f"{folder} has no process of RapidMiner.", hint="They end in .rmp or .template."
        )
    if target is not None:
        for file in files:
            if file.suffix.lower() in DATA:
                _copied(file, target / file.relative_to(folder))
        write_bytes(target / SUMMARY, _table(found))
    return found


def _check_target(folder: Path, target: Path, *, force: bool) -> None:
    inside = target.resolve().is_relative_to(folder.resolve())
    if inside:
        raise UsageError("The new folder is in the repository: name another one.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())) and not force:
        raise UsageError(
            f'"{target}" exists.', hint="Choose another name, or add to it with --force."
        )


def _converted(file: Path, folder: Path, target: Path | None, registry: Registry) -> ConvertedFile:
    name = file.relative_to(folder).as_posix()
    try:
        process, report = read_process(file, registry), import_report(file, registry)
        if report is None:
            return ConvertedFile(name, error="is a process of fsops already")
        if target is not None:
            path = (target / file.relative_to(folder)).with_suffix(".xml")
            path.parent.mkdir(parents=True, exist_ok=True)
            write_process(process, path, trusted=process.readable is None)
    except (FsopsError, OSError) as error:
        return ConvertedFile(name, error=str(error).splitlines()[0])
    keys = ", ".join(sorted({item.theirs for item in report.missing}))
    return ConvertedFile(name, len(report.mapped), len(report.missing), len(report.effects), keys)


def _copied(file: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, read_bytes(file, LARGEST))


def _table(found: list[ConvertedFile]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    names = [field.name for field in fields(ConvertedFile)]
    writer.writerow(names)
    writer.writerows([getattr(file, name) for name in names] for file in found)
    return text.getvalue().encode()
