"""The layout of a user's file: comments, attributes in rows, columns with the same name."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fsops.core import Context
from fsops.data import ExampleSet, ExampleSetMetaData, metadata_of
from fsops.data.columns import is_missing
from fsops.errors import DataError, OperatorWarning, UsageError, enumerate_names
from fsops.storage.compressed import first_text
from fsops.storage.readers import LABELS, Reader, inspect

Known = tuple[Reader, ExampleSetMetaData | None]

DUPLICATES = {
    "number": "Columns with the same name are numbered.",
    "mean": "Columns with the same name are averaged.",
    "first": "Of columns with the same name the first is taken.",
}


def takes(reader: Reader, name: str) -> bool:
    """Whether a reader has a parameter."""
    return any(parameter.name == name for parameter in reader[0].parameters)


def with_settings(reader: Reader, **settings: Any) -> Reader:
    """Return a reader with further parameters set."""
    operator, parameters = reader
    return operator, {**parameters, **settings}


def looked_at(reader: Reader) -> ExampleSetMetaData | None:
    """Return the metadata of a table; one too large to be described quickly is read."""
    known = inspect(reader)
    if known is None or known.schema is not None:
        return known
    described = metadata_of(read_table(reader))
    return described if isinstance(described, ExampleSetMetaData) else None


def read_table(reader: Reader) -> ExampleSet:
    """Return the table itself."""
    operator, parameters = reader
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorWarning)  # the run will tell them
        results = operator.run({}, parameters, Context())
    table = next(iter(results.values()))
    if not isinstance(table, ExampleSet):
        raise no_table(parameters)
    return table


def no_table(parameters: dict[str, Any]) -> UsageError:
    """Return the error that a file is not a table."""
    file = next(iter(parameters.values()))
    return UsageError(f'"{file}" holds no table.', hint="Give a table: CSV, Excel, Parquet.")


def laid_out(reader: Reader, table: Path, label: str | None, settings: Mapping[str, Any]) -> Known:
    """Return a reader set for the layout of the file, and the metadata of the table."""
    for name in settings:
        if not takes(reader, name):
            raise UsageError(
                f"--{name.replace('_', '-')} does not apply: {reader[0].title} cannot do it.",
                hint="Save the table as CSV.",
            )
    reader = with_settings(reader, **settings)
    if takes(reader, "skip_comments") and begins_with_comments(table):
        reader = with_settings(reader, skip_comments=True)
    reader, known = _with_duplicates(reader)
    if known is None or not takes(reader, "transpose") or "transpose" in settings:
        return reader, known
    return _exchanged(reader, known, label) if _has_label_row(known, label) else (reader, known)


def begins_with_comments(table: Path) -> bool:
    """Whether a text begins with lines that start with "#" and are not the header."""
    lines = [line for line in first_text(table).splitlines() if line.strip()]
    comments = [line for line in lines if line.startswith("#")]
    if not lines or not lines[0].startswith("#"):
        return False
    rest = lines[len(comments) : len(comments) + 1]
    separators = (",", ";", "\t", "|")
    alike = rest and [comments[-1].count(s) for s in separators] == [
        rest[0].count(s) for s in separators
    ]
    return len(comments) > 1 or not alike or not any(comments[-1].count(s) for s in separators)


def _with_duplicates(reader: Reader) -> Known:
    """Look at a table; number columns with the same name if there are any."""
    try:
        return reader, looked_at(reader)
    except DataError as error:
        if "several columns called" not in error.message or not takes(reader, "duplicates"):
            raise
        reader = with_settings(reader, duplicates="number")
        return reader, looked_at(reader)


def _has_label_row(known: ExampleSetMetaData, label: str | None) -> bool:
    """Whether the label is not the name of a column, but of a row."""
    schema = known.schema
    if schema is None or schema.label is not None or not len(schema):
        return False
    columns = {name.lower() for name in schema.names} if label is None else set(schema.names)
    wanted = set(LABELS) if label is None else {label}
    if columns & wanted:
        return False
    rows = schema.attribute(schema.names[0]).categories
    return bool(wanted & ({row.lower() for row in rows} if label is None else set(rows)))


def _exchanged(reader: Reader, known: ExampleSetMetaData, label: str | None) -> Known:
    try:
        changed, described = _with_duplicates(with_settings(reader, transpose=True))
    except DataError:
        return reader, known
    return changed, described


def has_attributes_in_rows(known: ExampleSetMetaData) -> bool:
    """Whether a table looks as if its rows were genes: names, then numbers, and many rows."""
    schema = known.schema
    if schema is None or known.rows is None or len(schema) < 3:
        return False
    first = schema.attribute(schema.names[0])
    names = first.value_type.is_nominal and len(first.categories) > 0.9 * known.rows
    numbers = len(schema.regular_numerical) >= 0.9 * (len(schema) - 1)
    return names and numbers and known.rows >= len(schema)


def layout_remarks(parameters: Mapping[str, Any]) -> list[str]:
    """Return in sentences how the layout of the file was understood."""
    sentences = []
    if parameters.get("transpose"):
        sentences.append("The file has attributes in rows: rows and columns are exchanged.")
    if parameters.get("skip_comments"):
        sentences.append('Lines that start with "#" are skipped.')
    if parameters.get("duplicates") in DUPLICATES:
        sentences.append(DUPLICATES[parameters["duplicates"]])
    return sentences


def missing_remarks(table: ExampleSet) -> list[str]:
    """Return in a sentence how many values are missing."""
    schema = table.schema
    numbers = np.isnan(table.numeric())
    counts = dict(zip(schema.names_at(schema.regular_numerical), numbers.sum(axis=0), strict=True))
    for name in schema.names_at(schema.regular_nominal):
        counts[name] = is_missing(table.column(name)).sum()
    known = {name: int(count) for name, count in counts.items() if count}
    if not known:
        return []
    values, most = sum(known.values()), sorted(known, key=lambda name: -known[name])
    noun = "value is" if values == 1 else "values are"
    return [
        f"{values} {noun} missing, in {enumerate_names(most, 3)}: replaced by the mean or by the "
        "most frequent category."
    ]
