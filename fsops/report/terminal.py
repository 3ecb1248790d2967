"""Results as text on a terminal: one function per kind of result.

Rich is imported inside the functions, because plugins are loaded in programs that show nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fsops.data import (
    Attribute,
    AttributeWeights,
    Collection,
    ConfusionMatrix,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    ValueType,
)
from fsops.data.examples import MISSING_CODE
from fsops.data.schema import REGULAR
from fsops.errors import enumerate_names
from fsops.plugins import Renderer, hookimpl, plugins
from fsops.report.escaping import visible
from fsops.report.numbers import column_texts, count_text, counted, number_text

if TYPE_CHECKING:
    from rich.bar import Bar
    from rich.console import Group, RenderableType
    from rich.table import Table

DEFAULT_ROWS = 20
BAR_WIDTH = 24
MOST_CLASSES = 12  # a larger confusion matrix is shown class by class
FIRST_VALUES = 5

_ROWS: ContextVar[int | None] = ContextVar("fsops_rows", default=DEFAULT_ROWS)


@contextmanager
def showing_rows(limit: int | None) -> Iterator[None]:
    """Let tables inside show at most so many rows; None for all."""
    token = _ROWS.set(limit)
    try:
        yield
    finally:
        _ROWS.reset(token)


@hookimpl
def fsops_renderers() -> Sequence[Renderer]:
    """Return how the results fsops knows are shown."""
    return [
        Renderer(AttributeWeights, show_weights),
        Renderer(PerformanceVector, show_performance),
        Renderer(ExampleSet, show_examples),
        Renderer(Model, show_model),
        Renderer(Collection, show_collection),
        Renderer(FlowObject, one_line),
    ]


def show(value: FlowObject) -> Any:
    """Return something rich can print for a result of any kind."""
    renderer = plugins().renderer(value)
    return one_line(value) if renderer is None else renderer.render(value)


# --- weights --------------------------------------------------------------------------------


def show_weights(weights: AttributeWeights) -> Group:
    """Return weights as a table with bars, best first, details as further columns."""
    order = weights.order()[: _ROWS.get()]
    values = weights.values[order]
    figures = [n for n, c in enumerate(weights.details.values(), 4) if c.dtype.kind in "fiu"]
    table = _table("", "attribute", "weight", "", *weights.details, numbers=(0, 2, *figures))
    texts = [column_texts(values.tolist())]
    texts += [_detail_texts(column[order]) for column in weights.details.values()]
    bars = _bars(values)
    for place, (position, bar, *cells) in enumerate(zip(order, bars, *texts, strict=True), 1):
        name = visible(weights.names[position])
        table.add_row(str(place), name, cells[0], bar, *cells[1:])
    origin = f" by {visible(weights.origin)}" if weights.origin else ""
    about = f"{counted(len(weights), 'attribute')}{origin}"
    return _group(about, table, _more(len(weights), len(order), "attribute"))


def _detail_texts(column: npt.NDArray[Any]) -> list[str]:
    if column.dtype.kind in "fiu":
        return column_texts(column.astype(np.float64).tolist())
    return [visible(value) for value in column.tolist()]


def _bars(values: npt.NDArray[np.float64]) -> list[Bar | str]:
    """Return a bar for each weight; those of negative weights go to the left of zero."""
    from rich.bar import Bar

    finite = values[np.isfinite(values)]
    low, high = min(finite.min(initial=0), 0.0), max(finite.max(initial=0), 0.0)
    span = float(high - low) or 1.0
    return [
        ""
        if np.isnan(value)
        else Bar(
            span,
            float(min(max(value, low), 0) - low),
            float(max(min(value, high), 0) - low),
            width=BAR_WIDTH,
            color="red" if value < 0 else "cyan",
        )
        for value in values
    ]


# --- performance ----------------------------------------------------------------------------


def show_performance(performance: PerformanceVector) -> Group:
    """Return criteria with mean and deviation, and the confusion matrix."""
    from rich.text import Text

    table = _table("criterion", "mean", "", "measured", numbers=(1,))
    for number, criterion in enumerate(performance):
        mean, sign, spread = str(criterion).partition(" ± ")
        times = "once" if criterion.count == 1 else f"{count_text(criterion.count)} times"
        style = "bold" if number == 0 else ""
        table.add_row(
            Text(visible(criterion.name.replace("_", " ")), style),
            Text(mean, style),
            Text((sign + spread).strip(), style),
            times,
        )
    if performance.confusion is None:
        return _group("", table)
    return _group("", table, "", *_confusion(performance.confusion))


def _confusion(matrix: ConfusionMatrix) -> list[RenderableType]:
    """Return the counts with recall and precision; of many classes only those two."""
    hits = np.diag(matrix.counts)
    recalls = _shares(hits, matrix.counts.sum(axis=1))
    precisions = _shares(hits, matrix.counts.sum(axis=0))
    classes = [visible(name) for name in matrix.classes]
    if len(classes) > MOST_CLASSES:
        table = _table("class", "rows", "recall", "precision", numbers=(1, 2, 3))
        totals = matrix.counts.sum(axis=1).tolist()
        limit = _ROWS.get()
        rows = list(zip(classes, map(count_text, totals), recalls, precisions, strict=True))
        for row in rows[:limit]:
            table.add_row(*row)
        return [table, *_more(len(rows), len(rows[:limit]), "class", "classes")]
    table = _table(
        "true class", *[f"pred. {name}" for name in classes], "recall",
        numbers=range(1, len(classes) + 2),
    )  # fmt: skip
    for name, counts, recall in zip(classes, matrix.counts.tolist(), recalls, strict=True):
        table.add_row(name, *map(count_text, counts), recall)
    table.add_row("precision", *precisions, "", style="dim")
    return [table]


def _shares(hits: npt.NDArray[np.int64], totals: npt.NDArray[np.int64]) -> list[str]:
    return [
        f"{h / n:.1%}" if n else "?" for h, n in zip(hits.tolist(), totals.tolist(), strict=True)
    ]


# --- tables ---------------------------------------------------------------------------------


def show_examples(examples: ExampleSet) -> Group:
    """Return the attributes of a table, special ones first, with their first values."""
    schema = examples.schema
    special = [schema.position(name) for name in schema.roles]
    limit = _ROWS.get()
    shown = [*special, *schema.regular.tolist()][:limit]
    table = _table("attribute", "type", "role", "missing", "values", "first rows", numbers=(3,))
    for position in shown:
        attribute = schema.attribute(schema.names[position])
        column = examples.column(attribute.name)
        table.add_row(
            visible(attribute.name),
            attribute.value_type,
            "" if attribute.role == REGULAR else visible(attribute.role),
            _missing_text(attribute, column),
            _values_text(attribute, column),
            _first_text(attribute, column),
        )
    about = f"{counted(len(examples), 'row')}, {counted(len(schema.regular), 'regular attribute')}"
    return _group(about, table, _more(len(schema), len(shown), "attribute"))


def _missing_text(attribute: Attribute, column: npt.NDArray[Any]) -> str:
    if attribute.value_type.is_nominal:
        missing = int((column == MISSING_CODE).sum())
    elif attribute.value_type is ValueType.TEXT:
        missing = 0
    else:
        missing = int(np.isnan(column).sum())
    return count_text(missing) if missing else ""


def _values_text(attribute: Attribute, column: npt.NDArray[Any]) -> str:
    """Return the range of numbers and dates, or the categories."""
    if attribute.value_type.is_nominal:
        return visible(enumerate_names(attribute.categories, 3).replace('"', ""))
    if attribute.value_type is ValueType.TEXT:
        return ""
    known = column[~np.isnan(column)]
    if not len(known):
        return ""
    low, high = (_value_text(attribute, value) for value in (known.min(), known.max()))
    return f"{low} … {high}"


def _first_text(attribute: Attribute, column: npt.NDArray[Any]) -> str:
    texts = [_value_text(attribute, value) for value in column[:FIRST_VALUES]]
    return ", ".join(texts) + (", …" if len(column) > FIRST_VALUES else "")


def _value_text(attribute: Attribute, value: Any) -> str:
    if attribute.value_type.is_numerical:
        return number_text(float(value))
    if attribute.value_type.is_nominal:
        return "?" if value == MISSING_CODE else visible(attribute.categories[value])
    if attribute.value_type is ValueType.DATE:
        return "?" if np.isnat(value) else str(value.astype("datetime64[s]")).replace("T", " ")
    return visible(value)


# --- models, collections, anything ----------------------------------------------------------


def show_model(model: Model) -> Group:
    """Return what a model predicts and from which attributes."""
    limit = _ROWS.get()
    names = [attribute.name for attribute in model.regular_attributes]
    listed = visible(enumerate_names(names, limit or len(names)).replace('"', ""))
    classes = visible(enumerate_names(model.label.categories, 10).replace('"', ""))
    table = _table("", "")
    table.show_header = False
    label = f"{visible(model.label.name)} ({model.label.value_type})"
    table.add_row("predicts", f"{label}: {classes}" if classes else label)
    table.add_row("from", f"{counted(len(names), 'attribute')}: {listed}")
    return _group(visible(model.name), table)


def show_collection(collection: Collection[FlowObject]) -> Group:
    """Return a line for each result; with all rows wanted, each result in full."""
    limit = _ROWS.get()
    about = counted(len(collection), "result")
    if limit is None:
        parts = [
            (f"{number}. {item.title}", show(item)) for number, item in enumerate(collection, 1)
        ]
        return _group(about, *[part for pair in parts for part in pair])
    table = _table("", "kind", "result", numbers=(0,))
    for number, item in enumerate(collection[:limit], 1):
        table.add_row(str(number), item.title, one_line(item))
    return _group(about, table, _more(len(collection), min(len(collection), limit), "result"))


def one_line(value: FlowObject) -> str:
    """Return the shortest useful text about a result."""
    return visible(repr(value)).removeprefix("<").removesuffix(">")


# --- building blocks ------------------------------------------------------------------------


def _table(*headings: str, numbers: Sequence[int] = ()) -> Table:
    """Return an empty table; the columns at ``numbers`` are aligned to the right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for position, heading in enumerate(headings):
        right = position in numbers
        table.add_column(
            visible(heading), justify="right" if right else "left", overflow="fold", no_wrap=right
        )
    return table


def _more(total: int, shown: int, noun: str, plural: str = "") -> list[RenderableType]:
    """Return a line that says how many are not shown, if any."""
    from rich.text import Text

    if shown >= total:
        return []
    rest = total - shown
    return [Text(f"… {count_text(rest)} more {noun if rest == 1 else plural or noun + 's'}", "dim")]


def _group(*parts: RenderableType | list[RenderableType]) -> Group:
    """Return the parts below each other, without empty ones at the top."""
    from rich.console import Group

    flat = [p for part in parts for p in (part if isinstance(part, list) else [part])]
    return Group(*(flat[1:] if flat[0] == "" else flat))
