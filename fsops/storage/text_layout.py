"""Text tables as programs write them: comments, attributes in rows, GEO series matrices.

Each becomes a plain text table, attributes in columns, which `fsops.storage.tables` reads.
"""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from fsops.errors import DataError, did_you_mean, enumerate_names

SAMPLE = "sample"
"""Name of the column with the names of the former columns."""
ROW_NAMES = "row.names"
"""Name of the first column where the header has no name for it, as R calls it."""
ANNOTATION = re.compile(
    r"id_ref|identifier|gene[ _.]?(symbols?|titles?|names?|ids?|assignment)|symbols?|descriptions?|"
    r"entrez.*|ensembl.*|refseq.*|unigene.*|probe[ _]?set.*|chromosom.*|gb_acc|spot_id|sequence|"
    r"species.*|(cyto)?band|definition|ontology.*|hgnc.*",
    re.I,
)
"""Columns that describe genes and are not samples."""
LOOKED_AT = 200
"""Rows that decide whether a column holds numbers."""
MOST_CELLS = 50_000_000
"""Exchanging rows and columns takes the memory of all texts."""
GEO_BEGIN, GEO_END = "!series_matrix_table_begin", "!series_matrix_table_end"


def without_comments(source: TextIO, mark: str, target: Path) -> None:
    """Copy a text without the lines that start with a mark, and without blank lines before it."""
    with target.open("w", encoding="utf-8", newline="") as file:
        begun = False
        for line in source:
            if not line.startswith(mark) and (begun or line.strip()):
                begun = True
                file.write(line)


def first_table_line(source: TextIO, mark: str) -> int:
    """Return the number of the first line that is not empty and has no mark, from 1; 0 if none."""
    for number, line in enumerate(source, start=1):
        if line.strip() and not line.lstrip('"').startswith(mark):
            return number
    return 0


def is_geo(begin: str) -> bool:
    """Whether a text begins as a GEO series matrix does."""
    lines = [line.lstrip('"') for line in begin.splitlines() if line.strip()][:1]
    known = ("!series_", "!sample_", "!platform_")
    return bool(lines) and lines[0].lower().startswith(known)


# --- attributes in rows -----------------------------------------------------------------------


def exchange(
    rows: list[list[str]], name: str, names_column: str = "", missing: Sequence[str] = ()
) -> list[tuple[str, ...]]:
    """Return rows of cells with attributes in rows as rows with attributes in columns.

    The first row has the names of the samples. ``names_column`` is the header of the column with
    the names of the attributes; empty: the first. Columns that describe genes are left out.
    """
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if len(rows) < 2:
        raise DataError(f'"{name}" has no rows to exchange with its columns.')
    header, body = rows[0], rows[1:]
    width = len(body[0])
    if len(header) == width - 1:
        header = ["", *header]
    if len(rows) * width > MOST_CELLS:
        raise DataError(
            f'"{name}" has {len(rows) * width:,} cells, but rows and columns of at most '
            f"{MOST_CELLS:,} are exchanged.",
            hint="Exchange them in R or Python, and save the table as Parquet.",
        )
    for number, row in enumerate(rows, start=1):
        if len(row) != width and not (number == 1 and len(row) == width - 1):
            raise DataError(
                f'Line {number} of "{name}" has {len(row)} values, but there are {width} columns.'
            )
    place = _names_place(header, names_column)
    kept = [j for j in range(width) if j != place and not _describes(header[j], body, j, missing)]
    if not kept:
        raise DataError(
            f'"{name}" has no column of numbers, so rows and columns are not exchanged.',
            hint="Set transpose off if the attributes are in columns.",
        )
    columns = list(zip(*body, strict=True))
    names = (SAMPLE, *(cell.strip() or f"att{n}" for n, cell in enumerate(columns[place], 1)))
    return [names, *((header[j], *columns[j]) for j in kept)]


def _names_place(header: list[str], names_column: str) -> int:
    if not names_column:
        return 0
    if names_column not in header:
        hint = did_you_mean(names_column, header) or f"There are {enumerate_names(header)}."
        raise DataError(f'There is no column "{names_column}" with names.', hint=hint)
    return header.index(names_column)


def _describes(header: str, body: list[list[str]], column: int, missing: Sequence[str]) -> bool:
    """Whether a column has texts about the attributes and not values of a sample."""
    if ANNOTATION.fullmatch(header.strip()):
        return True
    step = max(1, len(body) // LOOKED_AT)
    cells = [body[i][column].strip() for i in range(0, len(body), step)]
    known = [cell for cell in cells if cell not in missing]
    return sum(map(_is_number, known)) < len(known) / 2


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


# --- GEO --------------------------------------------------------------------------------------


@dataclass
class SeriesMatrix:
    """The parts of a GEO series matrix: values by probe and sample, and facts about samples."""

    rows: list[list[str]] = field(default_factory=list)
    facts: dict[str, list[str]] = field(default_factory=dict)
    """By name, in the order of the samples; of characteristics their own names."""

    @classmethod
    def read(cls, source: TextIO, name: str) -> SeriesMatrix:
        """Parse the text of a series matrix."""
        found = cls()
        for cells in csv.reader(source, delimiter="\t"):
            if not cells or not cells[0].strip():
                continue
            if cells[0].lower() == GEO_END:
                break
            if not cells[0].startswith("!"):
                found.rows.append(cells)
            elif cells[0].lower().startswith("!sample_"):
                found._note(cells[0][len("!sample_") :], cells[1:])
        if len(found.rows) < 2:
            raise DataError(
                f'"{name}" is a GEO series matrix without values.',
                hint="Its values may be in supplementary files: download these.",
            )
        samples = len(found.rows[0]) - 1
        found.facts = {k: v for k, v in found.facts.items() if len(v) == samples and any(v)}
        return found

    def _note(self, key: str, cells: list[str]) -> None:
        if not key.lower().startswith("characteristics"):
            if key in ("title", "source_name_ch1") and key not in self.facts:
                self.facts[key] = cells
            return
        for place, cell in enumerate(cells):
            name, colon, value = cell.partition(":")
            if not colon:
                name, value = "characteristics", cell
            if value.strip():
                values = self.facts.setdefault(name.strip(), [""] * len(cells))
                if place < len(values):
                    values[place] = value.strip()

    def table(self, name: str, missing: Sequence[str]) -> list[tuple[str, ...]]:
        """Return a row for each sample: its name, the facts, its values."""
        names, *samples = exchange(self.rows, name, missing=missing)
        taken = set(names)
        facts = {k if k not in taken else f"{k} (sample)": v for k, v in self.facts.items()}
        order = {sample: place for place, sample in enumerate(self.rows[0][1:])}
        head = (names[0], *facts, *names[1:])
        return [
            head,
            *(
                (row[0], *(values[order[row[0]]] for values in facts.values()), *row[1:])
                for row in samples
            ),
        ]


# --- writing ----------------------------------------------------------------------------------


@contextmanager
def written(rows: Sequence[Sequence[str]], name: str, separator: str) -> Iterator[Path]:
    """Give a temporary text file with rows of cells."""
    with tempfile.TemporaryDirectory(prefix="fsops-") as folder:
        path = Path(folder) / name
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=separator, lineterminator="\n").writerows(rows)
        yield path
