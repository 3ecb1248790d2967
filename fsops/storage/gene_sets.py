"""Gene sets in GMT files: a line per set, with its name, a description and its genes.

The format of the Broad Institute: fields are separated by tabs. Files may come from strangers, so
their size and the number of sets and genes are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fsops.errors import DataError, in_rows
from fsops.storage.files import read_bytes
from fsops.storage.text_files import existing_file

LARGEST_BYTES = 2**27
MOST_SETS = 500_000
MOST_GENES = 20_000_000
LONGEST_NAME = 1000


class GeneSets(NamedTuple):
    """Names of sets, and the genes of each."""

    names: Sequence[str]
    genes: Sequence[Sequence[str]]


def read_gene_sets(file: str) -> GeneSets:
    """Return the sets of a GMT file; lines that are empty or begin with # are left out."""
    path = existing_file(Path(file))
    data = read_bytes(path, LARGEST_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(
            f'"{path.name}" is not a text in UTF-8.', hint="Give a GMT file: a set per line."
        ) from None
    names: dict[str, list[str]] = {}
    total = 0
    for number, fields in _lines(text):
        if len(fields) < 3 or not fields[0] or len(fields[0]) > LONGEST_NAME:
            raise DataError(
                f'"{path.name}": line {number} is not a gene set.',
                hint="A line has a name, a description and at least one gene, separated by tabs.",
            )
        if fields[0] in names:
            raise DataError(
                f'"{path.name}": the set "{fields[0]}" is there twice, {in_rows([number - 1])}.'
            )
        names[fields[0]] = list(dict.fromkeys(gene for gene in fields[2:] if gene))
        total += len(names[fields[0]])
        if len(names) > MOST_SETS or total > MOST_GENES:
            raise DataError(
                f'"{path.name}" has more than {MOST_SETS:,} sets or {MOST_GENES:,} genes.'
            )
    if not names:
        raise DataError(f'"{path.name}" has no gene sets.', hint="Give a GMT file: a set per line.")
    return GeneSets(list(names), list(names.values()))


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    # Not splitlines: a name may contain other characters that end lines there.
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.rstrip("\r")
        if content.strip() and not content.startswith("#"):
            yield number, [field.strip() for field in content.split("\t")]
