"""Figures of a run's results as files beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fsops.data import FlowObject
from fsops.errors import FsopsError, StorageError
from fsops.plots import figure_bytes, figures_for
from fsops.storage.files import write_bytes
from fsops.storage.results import WrittenFile, file_stem

RUN = "run"


class WrittenFigures(NamedTuple):
    """The files, and what could not be drawn."""

    files: list[WrittenFile]
    problems: list[str]
    failure: StorageError | None = None
    """Why a file could not be written, and the figures after it are missing."""


def write_figures(
    values: Sequence[FlowObject],
    names: Sequence[str],
    timings: Mapping[tuple[str, ...], Any],
    folder: Path,
    format: str,
) -> WrittenFigures:
    """Write the figures of results as ``result.figure.svg``, and where the time went.

    A collection gets the figures that compare its items, not those of each item. A figure that
    cannot be drawn does not affect the others.
    """
    written = WrittenFigures([], [])
    parts: list[tuple[str, str, object]] = [*_stems(values, names), (RUN, RUN, dict(timings))]
    for name, stem, value in parts:
        for maker in figures_for(value):
            try:
                data = figure_bytes(maker, value, format)
            except FsopsError as error:
                written.problems.append(f"{name}: no figure {maker.name}: {error}")
                continue
            except Exception as error:  # noqa: BLE001 - the results must be kept
                reason = f"{type(error).__name__}: {error}"
                written.problems.append(f"{name}: no figure {maker.name} ({reason}).")
                continue
            file = f"{stem}.{maker.name}.{format}"
            try:
                write_bytes(folder / file, data, follow=False)
            except StorageError as error:
                return written._replace(failure=error)
            digest = hashlib.sha256(data).hexdigest()
            written.files.append(WrittenFile(name, file, len(data), digest))
    return written


def _stems(
    values: Sequence[FlowObject], names: Sequence[str]
) -> Iterator[tuple[str, str, FlowObject]]:
    """Return for each result its name and a unique file name."""
    taken = {RUN}
    for name, value in zip(names, values, strict=True):
        base = stem = file_stem(name)
        number = 2
        while stem in taken:
            stem, number = f"{base}_{number}", number + 1
        taken.add(stem)
        yield name, stem, value
