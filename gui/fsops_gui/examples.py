"""The processes that come with fsops."""

from __future__ import annotations

from pathlib import Path

from fsops.cli.ready import find_examples


def example_files() -> list[Path]:
    """Return the files of the example processes, without those of the papers."""
    return [e.file for e in find_examples() if "/" not in e.name]
