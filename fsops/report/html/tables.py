"""Results as tables for a page: columns of plain values, which the page draws as one scrolls."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import singledispatch
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import (
    AttributeDescriptions,
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    PredictionModel,
    StudyAnswer,
    Traced,
)
from fsops.data.columns import is_missing
from fsops.data.detail_headings import DetailHeading, column_heading, detail_heading
from fsops.data.schema import REGULAR
from fsops.data.streamed import StreamedExampleSet
from fsops.report.escaping import visible
from fsops.report.numbers import column_texts, number_text
from fsops.report.terminal import one_line

MOST_ROWS = 100_000
MOST_CELLS = 20_000
"""Up to so many values the rows of a table are shown, not only its attributes."""
CELLS_AT_ONCE = 2**20
MOST_COLUMNS = 1_000
"""With more columns a table's attributes are shown as rows, however few values it has."""
MOST_COMPARED = 30  # weightings beside each other
COMPARED_CELLS = 200_000
LARGEST_WHOLE = 10**300
"""JavaScript cannot represent larger whole numbers."""
FIRST_ROWS = 10
"""Rows that are in the page itself, for a reader without JavaScript."""

INFINITE: dict[Any, float] = {number_text(value): value for value in (math.inf, -math.inf)}

Cell = str | float | None


@dataclass(frozen=True)
class ReportColumn:
    """A named column: numbers, to be sorted as such, or texts.

    Files have the name; people read the heading and its explanation.
    """

    name: str
    values: Sequence[Cell]
    heading: str = ""
    about: str = ""
    alike: bool = True
    """Whether its numbers have one meaning, so that they are to line up."""

    @property
    def title(self) -> str:
        """The text above the column."""
        return self.heading or self.name

    @property
    def is_number(self) -> bool:
        """Whether no value is a text; infinity is one only in writing."""
        return not any(isinstance(v, str) and v not in INFINITE for v in self.values)

    def texts(self, count: int) -> list[str]:
        """Return the first values as people read them."""
        first = list(self.values[:count])
        if not self.is_number:
            return ["" if value is None else str(value) for value in first]
        numbers = [math.nan if v is None else INFINITE.get(v) or float(v) for v in first]
        return column_texts(numbers) if self.alike else list(map(number_text, numbers))


@dataclass(frozen=True)
class ReportTable:
    """A table of a report; ``total`` is how many rows there are, also those left out."""

    title: str
    columns: tuple[ReportColumn, ...]
    total: int

    @property
    def explained(self) -> list[ReportColumn]:
        """The columns with an explanation."""
        return [column for column in self.columns if column.about]

    @property
    def rows(self) -> int:
        """How many rows the page has."""
        return len(self.columns[0].values) if self.columns else 0

    def first_rows(self) -> list[list[str]]:
        """Return the texts of the first rows."""
        return [list(row) for row in zip(*(c.texts(FIRST_ROWS) for c in self.columns), strict=True)]

    def as_json(self) -> str:
        """Return the table for a script element: nothing in it can end the element."""
        columns = [
            {
                "name": c.name,
                "title": c.title,
                "number": c.is_number,
                "alike": c.is_number and c.alike,
                "values": c.values,
            }
            for c in self.columns
        ]
        return script_json({"title": self.title, "total": self.total, "columns": columns})


def script_json(document: object) -> str:
    r"""Return JSON that is safe in HTML: ``<`` is written ``\u003c``."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def shown_tables(value: FlowObject) -> list[ReportTable]:
    """Return the tables of a result; one of a plugin that has none to show has none."""
    try:
        return [table for table in tables_of(value) if table.columns]
    except Exception:  # noqa: BLE001 - whatever a plugin does
        return []


# --- one function per kind of result --------------------------------------------------------


@singledispatch
def tables_of(value: FlowObject) -> list[ReportTable]:
    """Return the tables that show a result."""
    if hasattr(value, "to_pandas"):
        return [result_table(value.title, value.to_pandas())]
    return []


@tables_of.register
def _(value: AttributeWeights) -> list[ReportTable]:
    listed = value.listed()
    order = listed[:MOST_ROWS]
    details = {name: column[order] for name, column in value.details.items()}
    columns: dict[str, Any] = {
        "place": range(1, len(order) + 1),
        "attribute": [value.names[position] for position in order],
        value.column_title: value.values[order],
    }
    if np.array_equal(details.get("frequency", ()), value.values[order]):
        del columns[value.column_title]  # it would repeat the frequency
    if np.array_equal(details.get("rank", ()), columns["place"]):
        del details["rank"]
    headings = {name: detail_heading(name) for name in details}
    return [_table(value.title, {**columns, **details}, len(listed), headings)]


@tables_of.register
def _(value: Traced) -> list[ReportTable]:
    about, main = value.main_step()
    return [result_table(about, main), result_table("All steps", value.to_pandas())]


def numbers_table(value: AttributeDescriptions) -> ReportTable:
    """Return all numbers of described attributes."""
    frame = value.to_pandas().rename(columns={"effect": value.effect})
    frame.columns = [str(name).replace("_", " ") for name in frame]
    return frame_table("All numbers of these attributes", frame)


@tables_of.register
def _(value: StudyAnswer) -> list[ReportTable]:
    methods: dict[str, Any] = {
        "further method": [method.name for method in value.methods],
        "lowest error on its curve, optimistic": [method.error for method in value.methods],
        "p-value": [method.p_value for method in value.methods],
    }
    return [
        frame_table("Scores on new rows", value.to_pandas()),
        result_table("True and permuted labels by number of attributes", value.chance.to_pandas()),
        *([_table("Further methods", methods, len(value.methods))] if value.methods else []),
    ]


@tables_of.register
def _(value: PerformanceVector) -> list[ReportTable]:
    criteria: dict[str, Any] = {
        "criterion": [criterion.name.replace("_", " ") for criterion in value],
        "mean": [criterion.mean for criterion in value],
    }
    title = "Criteria"
    if not any(criterion.measured for criterion in value):
        criteria["value"] = criteria.pop("mean")
        title = "Computed values"
    else:
        if any(criterion.count > 1 for criterion in value):
            criteria["deviation"] = [criterion.deviation for criterion in value]
        criteria["repetitions"] = [criterion.count for criterion in value]
    tables = [_unlike(_table(title, criteria, len(value)))]
    if value.confusion is not None:
        classes = value.confusion.classes
        counts: dict[str, Any] = {"true class": classes}
        # A name of its own for each column, whatever the classes are called.
        counts |= {
            f"predicted {name}": column
            for name, column in zip(classes, value.confusion.counts.T, strict=True)
        }
        tables.append(_table("Confusion matrix", counts, len(classes)))
    return tables


@tables_of.register
def _(value: ExampleSet) -> list[ReportTable]:
    if isinstance(value, StreamedExampleSet):  # it was left on disk for its size
        return []
    few = len(value) * len(value.schema) <= MOST_CELLS and len(value.schema) <= MOST_COLUMNS
    special = value.schema.roles
    names = [*special, *(name for name in value.names if name not in special)]
    tables = [frame_table("Rows", value.to_pandas()[names])] if few else []
    # A table without a label is more often one of results than one of data.
    return tables if few and value.schema.label is None else [*tables, _attributes(value)]


def _attributes(examples: ExampleSet) -> ReportTable:
    """Return a row per attribute: its type and role, missing values, and its numbers."""
    schema = examples.schema
    positions = np.arange(min(len(schema), MOST_ROWS))
    attributes = list(schema)[: len(positions)]
    numbers = np.array([attribute.value_type.is_numerical for attribute in attributes], dtype=bool)
    missing = np.zeros(len(positions))
    facts = np.full((len(positions), 3), np.nan)
    step = max(1, CELLS_AT_ONCE // max(len(examples), 1))
    for start in range(0, int(numbers.sum()), step):
        part = positions[numbers][start : start + step]
        missing[part], facts[part] = _number_facts(examples.stored(part))
    for position in positions[~numbers]:
        missing[position] = is_missing(examples.column(schema.names[position])).sum()
    columns: dict[str, Any] = {
        "attribute": schema.names[: len(positions)],
        "type": [attribute.value_type.value for attribute in attributes],
        "role": ["" if a.role == REGULAR else a.role for a in attributes],
        "missing": missing.astype(int),
        **dict(zip(("smallest", "mean", "largest"), facts.T, strict=True)),
    }
    return _unlike(_table("Attributes", columns, len(schema)))


def _number_facts(values: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return by column how many values are missing, and the smallest, mean and largest."""
    if not isinstance(values, np.ndarray):
        return _sparse_facts(values)
    unknown = np.isnan(values)
    known = (~unknown).sum(axis=0)
    if not len(values):
        return unknown.sum(axis=0), np.full((values.shape[1], 3), np.nan)
    with np.errstate(all="ignore"):
        mean = np.where(unknown, 0.0, values).sum(axis=0) / known
    ends = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    return unknown.sum(axis=0), np.column_stack([ends[0], mean, ends[1]])


def _sparse_facts(values: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the same of a sparse matrix by columns, from its stored values."""
    rows, columns = values.shape
    place = np.repeat(np.arange(columns), np.diff(values.indptr))
    unknown = np.isnan(values.data)
    missing = np.bincount(place[unknown], minlength=columns)
    known = rows - missing
    # A column with fewer stored values than rows has a zero.
    zeros = np.where(np.diff(values.indptr) < rows, 0.0, np.nan)
    ends = zeros.copy(), zeros.copy()
    np.fmin.at(ends[0], place, values.data)
    np.fmax.at(ends[1], place, values.data)
    total = np.bincount(place, np.where(unknown, 0.0, values.data), minlength=columns)
    with np.errstate(all="ignore"):
        return missing, np.column_stack([ends[0], total / known, ends[1]])


@tables_of.register
def _(value: Model) -> list[ReportTable]:
    columns: dict[str, Any] = {
        "attribute": value.attributes.names,
        "type": [attribute.value_type.value for attribute in value.attributes],
    }
    needed = _table("Attributes it needs", columns, len(value.attributes))
    details = value.details if isinstance(value, PredictionModel) else {}
    if not details:
        return [needed]
    found = {"detail": list(details), "value": [str(item) for item in details.values()]}
    return [_table("Found in training", found, len(details)), needed]


@tables_of.register(Collection)
def _(value: Collection[FlowObject]) -> list[ReportTable]:
    weights = [item for item in value if isinstance(item, AttributeWeights)]
    measured = [item for item in value if isinstance(item, PerformanceVector)]
    if weights and len(weights) == len(value) <= MOST_COMPARED:
        return [_side_by_side(weights)]
    numbers = {"number": range(1, len(value) + 1)}
    if measured and len(measured) == len(value):
        criteria = dict.fromkeys(c.name for item in measured for c in item)
        means = {n: [_mean(item, n) for item in measured] for n in criteria}
        headings = {n: column_heading(n) for n in criteria}
        return [_table("Performances", {**numbers, **means}, len(value), headings)]
    listed = {**numbers, "result": [one_line(item) for item in value]}
    return [_table("Results", listed, len(value))]


def _side_by_side(weights: Sequence[AttributeWeights]) -> ReportTable:
    """Return a column per weighting; of very many attributes those with the best mean place."""
    names, matrix = AttributeWeights.stack(weights)
    shown = np.arange(len(names))
    most = min(MOST_ROWS, COMPARED_CELLS // len(weights))
    if len(names) > most:
        places = np.argsort(np.argsort(-matrix, axis=1, kind="stable"), axis=1).mean(axis=0)
        shown = np.sort(np.argsort(places, kind="stable")[:most])
    compared = {
        # The matrix has rankings turned: places are shown as they are.
        f"{number}. {item.origin}".rstrip(". "): (
            item.values_of(names)[shown] if item.smallest_is_best else row[shown]
        )
        for number, (item, row) in enumerate(zip(weights, matrix, strict=True), start=1)
    }
    columns: dict[str, Any] = {"attribute": [names[place] for place in shown], **compared}
    return _table("Weights side by side", columns, len(names))


def _mean(performance: PerformanceVector, name: str) -> float | None:
    return next((criterion.mean for criterion in performance if criterion.name == name), None)


# --- building blocks ------------------------------------------------------------------------


def _unlike(table: ReportTable) -> ReportTable:
    """Return a table whose rows have numbers of different meaning."""
    return replace(table, columns=tuple(replace(c, alike=False) for c in table.columns))


def frame_table(title: str, frame: Any) -> ReportTable:
    """Return a data frame as a table."""
    columns = {str(name): frame[name].to_numpy()[:MOST_ROWS] for name in frame}
    return _table(title, columns, len(frame))


def result_table(title: str, frame: Any) -> ReportTable:
    """Return a data frame with names that fsops gave as a table, with the names in words."""
    table = frame_table(title, frame)
    columns = (replace(c, heading=column_heading(c.name).heading) for c in table.columns)
    return replace(table, columns=tuple(columns))


def _table(
    title: str,
    columns: Mapping[str, Iterable[Any]],
    total: int,
    headings: Mapping[str, DetailHeading] = MappingProxyType({}),
) -> ReportTable:
    made = []
    for name, values in columns.items():
        heading, about = headings.get(name, ("", ""))
        cells = [_cell(v) for v in _plain(values)]
        made.append(ReportColumn(visible(name), cells, visible(heading), visible(about)))
    return ReportTable(title, tuple(made), total)


def _plain(values: Iterable[Any]) -> Iterable[Any]:
    if not isinstance(values, np.ndarray):
        return values
    if values.dtype.kind == "M":
        values = values.astype("datetime64[s]").astype(str)
    cells: list[Any] = values.tolist()
    return cells


def _cell(value: Any) -> Cell:
    """Return a value as JSON knows it; infinity is a text, as JSON has none."""
    if value is None or isinstance(value, bool):
        return None if value is None else "yes" if value else "no"
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        return f"{Decimal(value):.6e}"
    if isinstance(value, int | float):
        if math.isnan(value):
            return None
        return number_text(value) if math.isinf(value) else value
    text = str(value)
    return None if text in ("NaT", "<NA>") else visible(text)
