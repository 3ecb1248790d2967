"""A table in a few facts: its size, missing values, and class counts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.data import ExampleSet
from fsops.data.streamed import StreamedExampleSet

MOST_COMPARED = 50_000_000
"""Cells of a table up to which its rows are compared with each other."""


@dataclass(frozen=True)
class TableSummary:
    """The main facts about a table.

    Parameters
    ----------
    name : str
        Where the table comes from: the operator that read or made it.
    rows : int
    types : mapping of str to int
        How many regular attributes there are of each value type.
    roles : mapping of str to str
        Which attributes have which special role.
    missing : mapping of str to int, optional
        Attributes with missing values, and how many; None if not counted.
    label : str, optional
    classes : tuple of (class, rows)
        In their order; empty for a numerical label.
    repeated : int, optional
        Rows that are equal to another in all regular attributes; None if not counted.
    fingerprint : str
        SHA-256 over names, types, roles and values.
    """

    name: str
    rows: int
    types: Mapping[str, int]
    roles: Mapping[str, str]
    missing: Mapping[str, int] | None
    label: str | None
    classes: tuple[tuple[str, int], ...]
    repeated: int | None
    fingerprint: str

    @property
    def attributes(self) -> int:
        """Number of regular attributes."""
        return sum(self.types.values())


def summarize(name: str, examples: ExampleSet) -> TableSummary:
    """Return the facts about a table; one that stays on disk is not read for it."""
    schema = examples.schema
    on_disk = isinstance(examples, StreamedExampleSet)
    return TableSummary(
        name=name,
        rows=examples.n_rows,
        types={kind.value: count for kind, count in schema.type_counts(schema.regular).items()},
        roles=dict(schema.roles),
        missing=None if on_disk else examples.missing_by_attribute,
        label=schema.label.name if schema.label is not None else None,
        classes=() if on_disk else _classes(examples),
        repeated=None if on_disk else repeated_rows(examples),
        fingerprint=examples.fingerprint(),
    )


def _classes(examples: ExampleSet) -> tuple[tuple[str, int], ...]:
    label = examples.schema.label
    if label is None or not label.value_type.is_nominal:
        return ()
    codes = examples.column(label.name)
    counts = np.bincount(codes[codes >= 0], minlength=len(label.categories))
    return tuple(zip(label.categories, counts.tolist(), strict=True))


def repeated_rows(examples: ExampleSet) -> int | None:
    """Return how many rows have a twin with the same values in all regular attributes.

    None if there is nothing to compare, or so much that it would hold up the reader.
    """
    schema = examples.schema
    count = len(schema.regular)
    if not count or examples.n_rows * count > MOST_COMPARED:
        return None
    groups = (schema.regular_numerical, schema.regular_nominal)
    parts = [_rows_of(examples.stored(p)) for p in groups if len(p)]
    others = [examples.column(name) for name in schema.names_at(schema.regular_other)]
    seen: Counter[bytes] = Counter()
    for row in range(examples.n_rows):
        digest = hashlib.blake2b(digest_size=16)
        for part in parts:
            digest.update(_row_bytes(part, row))
        for column in others:
            digest.update(repr(column[row]).encode())
        seen[digest.digest()] += 1
    return sum(times for times in seen.values() if times > 1)


def _rows_of(values: Any) -> Any:
    """Return a matrix with the values of a row side by side."""
    return np.ascontiguousarray(values) if isinstance(values, np.ndarray) else values.tocsr()


def _row_bytes(matrix: Any, row: int) -> bytes:
    if isinstance(matrix, np.ndarray):
        return bytes(matrix[row].tobytes())
    stored = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return bytes(matrix.indices[stored].tobytes() + matrix.data[stored].tobytes())
