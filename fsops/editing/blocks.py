"""Building blocks: operators under a name, saved in a folder of the user to be inserted again.

A block is a small process file. Its process has the name and the description of the block.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from fsops.core.graph.process import Note, Process
from fsops.editing.clipboard import fragment, paste
from fsops.editing.edits import feed
from fsops.editing.layout import LEFT, TOP, Place, free_shift, place_missing
from fsops.errors import FsopsError, UsageError
from fsops.storage import format_process, parse_process
from fsops.storage.files import read_bytes, write_bytes
from fsops.storage.rapidminer.moving import move_process

SUFFIX = ".xml"
LARGEST = 2**24
"""Bytes of the file of a block."""
LONGEST = 60
"""Letters of a file name."""


@dataclass(frozen=True)
class BuildingBlock:
    """A building block."""

    name: str
    description: str
    file: Path
    operators: tuple[str, ...]
    """Names of the operators, in their order."""

    @property
    def summary(self) -> str:
        """The description, and the operators below it."""
        return "\n".join(filter(None, (self.description, ", ".join(self.operators))))

    def has(self, words: str) -> bool:
        """Return whether name or description have all these words."""
        text = f"{self.name} {self.description}".casefold()
        return all(word in text for word in words.casefold().split())


def block_of(level: Process, names: Collection[str], notes: Collection[int] = ()) -> Process:
    """Return operators of a level, with the wires between them, for a block."""
    if not names:
        raise UsageError("No operator is selected.", hint="Select the operators of the block.")
    part = fragment(level, names, notes)
    part.folder = level.root.folder
    return part


def insert_block(
    level: Process, part: Process, place: Place | None = None, after: str | None = None
) -> list[str]:
    """Put the operators of a block in, fed by the operator before; return their names."""
    part = part.clone()
    place_missing(part)
    move_process(part, level.root.folder or Path.cwd())
    shift = free_shift(level, part)
    if place is not None:
        corners = [node.position or {} for node in part]
        left = min((at.get("x", LEFT) for at in corners), default=0)
        top = min((at.get("y", TOP) for at in corners), default=0)
        shift = (place[0] - left, place[1] - top)
    names = paste(level, part, shift)
    if after is not None and after in level:
        feed(level, names, level[after])
    return names


class BlockLibrary:
    """The blocks in a folder; a file that cannot be read is left out, with a sentence."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        """Sentences about files that are not usable, since the last `blocks`."""

    def blocks(self) -> list[BuildingBlock]:
        """Return all blocks by name."""
        self.problems = []
        found = []
        for file in sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else ():
            try:
                found.append(self._described(file, self._read(file)))
            except FsopsError as error:
                self.problems.append(f'The building block "{file.name}" cannot be used: {error}')
        return sorted(found, key=lambda block: block.name.casefold())

    @staticmethod
    def _read(file: Path) -> Process:
        process = parse_process(read_bytes(file, LARGEST))
        if not len(process):
            raise UsageError("The file has no operators.", hint="Save a block with operators.")
        process.folder = file.parent
        return process

    @staticmethod
    def _described(file: Path, process: Process) -> BuildingBlock:
        about = process.description.text if process.description else ""
        return BuildingBlock(process.name, about, file, tuple(node.name for node in process))

    def open(self, block: BuildingBlock) -> Process:
        """Return the operators of a block."""
        return self._read(block.file)

    def save(self, name: str, description: str, part: Process) -> BuildingBlock:
        """Save operators as a block; another of this name must not exist."""
        file = self._free_file(name)
        made = part.clone()
        self.folder.mkdir(parents=True, exist_ok=True)
        move_process(made, self.folder)
        return self._write(file, name, description, made)

    def _write(self, file: Path, name: str, description: str, process: Process) -> BuildingBlock:
        process.name = name.strip()
        process.description = Note(description.strip()) if description.strip() else None
        write_bytes(file, format_process(process))
        return self._described(file, process)

    def _free_file(self, name: str, but: Path | None = None) -> Path:
        """Return the file for a name that no other block has."""
        if not name.strip():
            raise UsageError("A building block needs a name.")
        wanted = name.strip().casefold()
        taken = next((b for b in self.blocks() if b.name.casefold() == wanted), None)
        if taken is not None and taken.file != but:
            raise UsageError(
                f'There already is a building block "{taken.name}".',
                hint="Choose another name, or delete the other block first.",
            )
        words = "".join(letter if letter.isalnum() else " " for letter in name.lower()).split()
        stem, number = "_".join(words)[:LONGEST] or "block", 1
        file = self.folder / f"{stem}{SUFFIX}"
        while file.exists() and file != but:
            number += 1
            file = self.folder / f"{stem}_{number}{SUFFIX}"
        return file

    def rename(self, block: BuildingBlock, name: str, description: str) -> BuildingBlock:
        """Give a block another name and description; its file stays the same."""
        self._free_file(name, but=block.file)
        return self._write(block.file, name, description, self._read(block.file))

    def delete(self, block: BuildingBlock) -> None:
        """Delete a block."""
        try:
            block.file.unlink()
        except OSError as error:
            raise UsageError(f'"{block.name}" cannot be deleted: {error.strerror}.') from None

    def add_file(self, file: Path) -> BuildingBlock:
        """Take the process of a file over as a block."""
        process = self._read(file)
        about = process.description.text if process.description else ""
        return self.save(process.name, about, process)

    def export(self, block: BuildingBlock, file: Path) -> None:
        """Write a block to a file that other users can import."""
        process = self._read(block.file)
        move_process(process, file.parent)
        write_bytes(file, format_process(process))
