"""Values of a table as text, row by row: what CSV and ARFF files have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import Any

import numpy as np

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.names import Positions
from fsops.data.schema import NUMERICAL

CELLS = 2**18  # that are made into text at once


@dataclass(frozen=True)
class CellStyle:
    """How values are written; numbers keep every bit."""

    separator: str
    missing: str
    quote: Callable[[str], str]
    """From a category, a text or a date to its text in the file."""
    decimal: str = "."
    date: Callable[[datetime], str] = datetime.isoformat


def lines_of(examples: ExampleSet, style: CellStyle) -> Iterator[str]:
    """Return each row as one line of text, without its end."""
    groups = _neighbours(examples)
    step = max(1, CELLS // max(1, len(examples.schema)))
    for first in range(0, len(examples), step):
        part = examples.take(np.arange(first, min(first + step, len(examples))))
        texts = [_texts(part, attribute, positions, style) for attribute, positions in groups]
        yield from map(style.separator.join, zip(*texts, strict=True))


def _neighbours(examples: ExampleSet) -> list[tuple[Attribute, Positions]]:
    """Return runs of numerical attributes of one type, with the first; all others are alone."""
    schema = examples.schema
    kind = schema.type_codes(np.arange(len(schema))).astype(np.intp)
    numerical = np.isin(np.arange(len(schema)), schema.of_types(NUMERICAL))
    kind[~numerical] = -1 - np.flatnonzero(~numerical)
    starts = np.flatnonzero(np.diff(kind)) + 1
    runs = np.split(np.arange(len(schema)), starts) if len(schema) else []
    return [(schema.attribute(schema.names[run[0]]), run) for run in runs]


def _texts(
    examples: ExampleSet, attribute: Attribute, positions: Positions, style: CellStyle
) -> list[str]:
    """Return for each row the values of some attributes of one type."""
    if not attribute.value_type.is_numerical:
        known = _known_texts(attribute, examples.column(attribute.name), style)
        return [style.missing if text is None else text for text in known]
    values = examples.values(positions)
    name = whole_text if attribute.value_type is ValueType.INTEGER else repr
    gaps = bool(np.isnan(values).any())
    rows = []
    for row in values.tolist():
        cells = [style.missing if isnan(v) else name(v) for v in row] if gaps else map(name, row)
        line = style.separator.join(cells)
        rows.append(line if style.decimal == "." else line.replace(".", style.decimal))
    return rows


def whole_text(value: float) -> str:
    """Return a whole number without decimals, such as 3; others as they are."""
    return (
        str(int(value)) if value.is_integer() and (value or repr(value) == "0.0") else repr(value)
    )


def _known_texts(attribute: Attribute, values: Any, style: CellStyle) -> list[str | None]:
    if attribute.value_type.is_nominal:
        categories = [*map(style.quote, attribute.categories), None]
        return [categories[code] for code in values.tolist()]
    if attribute.value_type is ValueType.DATE:
        return [None if d is None else style.quote(style.date(d)) for d in values.tolist()]
    return [None if text is None else style.quote(text) for text in values.tolist()]
