"""Compressed files: unpacked in one place, within the bounds of `fsops.storage.unpacking`."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from fsops.errors import DataError, FsopsError, enumerate_names
from fsops.storage.unpacking import PEAK, BoundedStream

PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
"""Suffixes of compressed files."""
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ": "lzma",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}


def compression(path: Path) -> str | None:
    """Return how a file is compressed, by its first bytes; None if it is not."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(6)
    except OSError:
        return None  # the reader says why
    return next((kind for magic, kind in _MAGIC.items() if begin.startswith(magic)), None)


def unpacked_name(path: Path) -> str:
    """Return the name of a file without the suffix of its compression."""
    return path.stem if path.suffix.lower() in PACKED else path.name


@contextmanager
def unpacked(path: Path, *, peak: float = PEAK) -> Iterator[Path]:
    """Give the path of a file's plain content: itself, or a temporary file if it is compressed.

    ``peak`` is the memory that a reader needs for each unpacked byte; see `BoundedStream`.
    """
    kind = compression(path)
    if kind is None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="fsops-") as folder:
        plain = Path(folder) / unpacked_name(path)
        with _decompressor(path, kind) as stream, plain.open("wb") as target:
            bounded = io.BufferedReader(BoundedStream(stream, path, peak))
            try:
                shutil.copyfileobj(bounded, target, 2**20)
            except FsopsError:
                raise
            except Exception:  # noqa: BLE001 - each decompressor has errors of its own
                raise _damaged(path) from None
        yield plain


def first_text(path: Path, size: int = 2**13) -> str:
    """Return the beginning of a text file, compressed or not, of any encoding."""
    kind = compression(path)
    if kind is None:
        with path.open("rb") as stream:
            begin = stream.read(size)
    else:
        with _decompressor(path, kind) as packed:
            begin = packed.read(size)
    encoding = "utf-16" if begin[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return begin.decode(encoding, errors="replace")


@contextmanager
def _decompressor(path: Path, kind: str) -> Iterator[BinaryIO]:
    """Open a compressed file for its plain content."""
    if kind == "zip":
        with _only_member(path) as stream:
            yield stream
        return
    opened: Any
    if kind == "zstd":
        import pyarrow as pa

        opened = pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")
    else:
        import importlib

        opened = importlib.import_module(kind).open(path)
    with opened:
        yield opened


@contextmanager
def _only_member(path: Path) -> Iterator[BinaryIO]:
    """Open the one file in a zip file; several are refused by name."""
    import zipfile

    try:
        packed = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError):
        raise _damaged(path) from None
    with packed:
        names = [
            name
            for name in packed.namelist()
            if not name.endswith("/") and not Path(name).name.startswith((".", "__"))
            and not name.startswith("__MACOSX")
        ]  # fmt: skip
        if "[Content_Types].xml" in names:
            raise DataError(f'"{path.name}" is an Excel workbook.', hint="Use Read Excel.")
        if len(names) != 1:
            raise DataError(
                f'"{path.name}" holds {len(names)} files, but a table is one file.',
                hint=f"Unpack it and choose one: {enumerate_names(names)}." if names else "",
            )
        try:
            stream: Any = packed.open(names[0])
        except RuntimeError:  # encrypted
            raise DataError(f'"{path.name}" needs a password.', hint="Unpack it first.") from None
        with stream:
            yield stream


def _damaged(path: Path) -> DataError:
    return DataError(
        f'"{path.name}" is compressed, but damaged or incomplete.',
        hint="Copy or download it again.",
    )
