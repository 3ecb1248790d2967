"""Parts that all readers of sparse files share: bounds, rows in a second file, names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fsops import memory
from fsops.data import Attribute, ExampleSet
from fsops.data.columns import Column, nominal_column
from fsops.errors import DataError, did_you_mean, enumerate_names
from fsops.storage.tables import read_table
from fsops.storage.text_files import CsvFormat

MOST_ROWS = 1_000_000_000
MOST_ATTRIBUTES = 20_000_000
LEAST_BYTES = 20  # that a table needs for a row or an attribute, values not counted

LabelType = Literal["classes", "numbers"]


@dataclass(frozen=True)
class RowsFile:
    """A CSV file with one line for each row of a sparse file: label, id and others."""

    file: str | None = None
    label: str | None = None
    id: str | None = None
    label_type: LabelType = "classes"

    def table(self, rows: int | None, name: str) -> ExampleSet | None:
        """Return its columns as special attributes; None if there is no such file."""
        if self.file is None:
            return None
        kind = {"classes": "polynominal", "numbers": "real"}[self.label_type]
        types = ((self.label, kind),) if self.label else ()
        found, _ = read_table(self.file, CsvFormat(types=types))
        if rows is not None and len(found) != rows:
            raise DataError(
                f'"{Path(self.file).name}" has {len(found):,} lines, but "{name}" has {rows:,} '
                "rows.",
                hint="Give a file with one line for each row, in the same order.",
            )
        return with_roles(found, self.label, self.id)


def with_roles(table: ExampleSet, label: str | None, identity: str | None) -> ExampleSet:
    """Return columns about rows as special attributes; others than label and id by their names."""
    for name in filter(None, (label, identity)):
        if name not in table.schema:
            hint = did_you_mean(name, table.names) or f"There are {enumerate_names(table.names)}."
            raise DataError(f'There is no column "{name}" to give a role to.', hint=hint)
    roles = {name: name for name in table.names}
    roles |= {name: role for name, role in ((label, "label"), (identity, "id")) if name}
    for name in {"label", "id"} - {label, identity}:
        if name in roles:  # nobody asked for it: the role may belong to another column
            roles[name] = f"{name} column"
    return table.with_roles(roles)


def check_shape(path: Path, rows: int, attributes: int) -> None:
    """Raise `DataError` if a file claims to be larger than any table can be."""
    if rows > MOST_ROWS or attributes > MOST_ATTRIBUTES:
        raise DataError(
            f'"{path.name}" claims {rows:,} rows and {attributes:,} attributes. Tables may have '
            f"{MOST_ROWS:,} rows and {MOST_ATTRIBUTES:,} attributes.",
            hint="The file is damaged, or rows and columns are exchanged.",
        )
    memory.require(
        float(LEAST_BYTES) * (rows + attributes),
        f"A table of {rows:,} rows and {attributes:,} attributes",
        "Read fewer rows or attributes.",
    )


def assembled(
    matrix: Any, names: Iterable[str] | None, others: ExampleSet | None = None
) -> ExampleSet:
    """Return a sparse table with special attributes beside it; equal names are refused."""
    examples = ExampleSet.from_sparse(matrix, names=names)
    if others is None:
        return examples
    clash = np.flatnonzero(examples.schema.names.find(others.names) >= 0)
    if len(clash):
        raise DataError(
            f'"{others.names[clash[0]]}" is the name of an attribute and of a column about rows.',
            hint="Rename the column.",
        )
    return examples.beside(others)


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names that differ: a repeated name gets a number, as scanpy does it."""
    taken = set(names)
    if len(taken) == len(names):
        return list(names)
    seen: dict[str, int] = {}
    found = []
    for name in names:
        count = seen.get(name, 0)
        seen[name] = count + 1
        wanted = name
        while count and wanted in taken:
            wanted, count = f"{name}-{count}", count + 1
        taken.add(wanted)
        found.append(wanted)
    return found


def label_attribute(values: Mapping[str, Any] | Any, name: str, kind: str) -> Column:
    """Return labels as numbers, or as classes named by their numbers."""
    labels = np.asarray(values, dtype=np.float64)
    if kind == "numbers" or (kind == "auto" and not (labels == np.rint(labels)).all()):
        return Attribute(name, role="label"), labels
    texts = [f"{value:.17g}" for value in labels.tolist()]
    attribute, codes = nominal_column(name, texts, role="label")
    return attribute, codes
