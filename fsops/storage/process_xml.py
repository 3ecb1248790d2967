"""Process files: XML in RapidMiner's grammar, described in docs/process-file.md."""

from __future__ import annotations

from pathlib import Path

from fsops.core.graph.process import Process
from fsops.core.registry import Registry
from fsops.errors import ProcessFileError, StorageError
from fsops.storage.files import PATH_LENGTH, StrPath, read_bytes, write_bytes
from fsops.storage.messages import shown
from fsops.storage.process_reader import parse_process
from fsops.storage.safe_xml import MAX_BYTES
from fsops.storage.trust import (
    allowed_reading,
    digest_of,
    is_trusted,
    readable_by_default,
    try_trust,
)


def read_process(path: StrPath, registry: Registry | None = None) -> Process:
    """Return the process in a file.

    Unless the user trusts it, it may read only in its folder, in the folders for data, and the
    files that the user has allowed in the designer.
    Operators that are not in the registry (without one: not installed) become placeholders. A
    process that the file only calls "Process" gets the name of the file.
    """
    try:
        data = read_bytes(path, MAX_BYTES)
    except StorageError as error:
        raise ProcessFileError(error.message, hint=error.hint) from error.__cause__
    file = Path(path)
    try:
        process = parse_process(data, registry, name=file.stem)
    except ProcessFileError as error:
        separator = ": " if error.line is None else ", "
        error.message = f"{shown(path, PATH_LENGTH)}{separator}{error.message}"
        raise
    process.folder = file.resolve().parent
    if not is_trusted(data, file):
        allowed = allowed_reading(digest_of(data))
        process.readable = [*readable_by_default(process), *allowed]
    return process


def write_process(process: Process, path: StrPath, *, trusted: bool = True) -> None:
    """Write the process to a file, which is the old or the new one at any moment.

    A process that is written here may read any file, unless ``trusted`` is False.
    """
    from fsops.storage.process_writer import format_process  # most runs only read

    content = format_process(process)
    write_bytes(path, content)
    if trusted:
        try_trust(content, Path(path).absolute())
