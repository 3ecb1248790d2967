"""Results as text on a terminal: one function per kind of result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fsops.data import (
    Attribute,
    AttributeWeights,
    Collection,
    ConfusionMatrix,
    Criterion,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    PredictionModel,
    StudyAnswer,
    Traced,
    ValueType,
)
from fsops.data.columns import MISSING_CODE, is_missing
from fsops.data.detail_headings import column_heading, detail_heading
from fsops.data.model import detail_texts
from fsops.data.schema import REGULAR
from fsops.errors import enumerate_names
from fsops.plugins import Renderer, hookimpl, plugins
from fsops.report.escaping import visible
from fsops.report.numbers import column_texts, count_text, counted, number_text
from fsops.report.table import BarColumn, TextColumn, TextTable

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Group, RenderableType

DEFAULT_ROWS = 20
NARROW_NAME, NARROW_TEXT = 12, 8  # how far names and texts may be cut
MOST_CLASSES = 30  # a larger confusion matrix is shown class by class
FIRST_VALUES = 5
FEW_ATTRIBUTES = 8  # a table that can be shown row by row


@hookimpl
def fsops_renderers() -> Sequence[Renderer]:
    """Return how the results fsops knows are shown."""
    return [
        Renderer(AttributeWeights, show_weights),
        Renderer(PerformanceVector, show_performance),
        Renderer(ExampleSet, show_examples),
        Renderer(Model, show_model),
        Renderer(StudyAnswer, show_answer),
        Renderer(Collection, show_collection),
        Renderer(Traced, show_main_step),
        Renderer(FlowObject, show_anything),
    ]


def show(value: FlowObject, rows: int | None = DEFAULT_ROWS) -> Any:
    """Return something rich can print for a result of any kind; ``rows`` None shows all rows."""
    renderer = plugins().renderer(value)
    return show_anything(value, rows) if renderer is None else renderer.shown(value, rows)


# --- weights --------------------------------------------------------------------------------


def show_weights(weights: AttributeWeights, rows: int | None = DEFAULT_ROWS) -> Group:
    """Return weights as a table with bars, best first, details as further columns."""
    listed = weights.listed()
    order = listed[:rows]
    values = weights.values[order]
    columns: list[TextColumn | BarColumn] = [
        TextColumn("", range(1, len(order) + 1), right=True),
        TextColumn("attribute", weights.names.take(order).texts(), narrowest=NARROW_NAME),
        TextColumn(weights.column_title, column_texts(values.tolist()), right=True),
        BarColumn(_lengths(weights.scores[order])),
    ]
    columns += [
        _column(detail_heading(name).heading, column[order])
        for name, column in weights.details.items()
    ]
    origin = f" by {weights.origin}" if weights.origin else ""
    about = f"{counted(len(weights), 'attribute')}{origin}"
    if len(listed) < len(weights):
        about += f", {count_text(len(weights) - len(listed))} with weight 0 not listed"
    return _group(about, TextTable(columns), *_more(len(listed), len(order), "attribute"))


def _lengths(values: npt.NDArray[np.float64]) -> list[float]:
    """Return the lengths of the bars: unknown weights have none, infinite ones the longest."""
    finite = values[np.isfinite(values)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    known = np.nan_to_num(values, nan=0.0, posinf=high, neginf=low)
    return [float(value) for value in known]


# --- performance ----------------------------------------------------------------------------


def show_performance(performance: PerformanceVector, rows: int | None = DEFAULT_ROWS) -> Group:
    """Return criteria with mean and deviation, and the confusion matrix.

    Where nothing was measured, as with a bound, there are values only.
    """
    parts = [str(criterion).partition(" ± ") for criterion in performance]
    measured = any(c.measured for c in performance)
    columns = [
        TextColumn("criterion", (c.name.replace("_", " ") for c in performance)),
        TextColumn("mean" if measured else "value", (mean for mean, _, _ in parts), right=True),
    ]
    if any(spread for _, _, spread in parts):
        columns.append(TextColumn("", (f"± {spread}" if spread else "" for _, _, spread in parts)))
    if measured:
        columns.append(TextColumn("measured", map(_times, performance)))
    table = TextTable(columns, emphasis=frozenset({0}))
    if performance.confusion is None:
        return _group(table)
    return _group(table, "", *_confusion(performance.confusion, rows))


def _times(criterion: Criterion) -> str:
    if criterion.count > 1:
        return f"{count_text(criterion.count)} times"
    return "once" if criterion.measured else "computed"


def _confusion(matrix: ConfusionMatrix, limit: int | None) -> list[RenderableType]:
    """Return the counts with recall and precision; of many classes only those two."""
    counts = matrix.counts
    recall = _shares(np.diag(counts), counts.sum(axis=1))
    precision = _shares(np.diag(counts), counts.sum(axis=0))
    by_class = TextTable(
        [
            TextColumn("class", matrix.classes[:limit], narrowest=NARROW_NAME),
            TextColumn("rows", map(count_text, counts.sum(axis=1).tolist()[:limit]), right=True),
            TextColumn("recall", recall[:limit], right=True),
            TextColumn("precision", precision[:limit], right=True),
        ]
    )
    if len(matrix.classes) > MOST_CLASSES:
        shown = len(matrix.classes[:limit])
        return [by_class, *_more(len(matrix.classes), shown, "class", "classes")]
    predicted = [
        TextColumn(name, [*map(count_text, column), share], right=True)
        for name, column, share in zip(matrix.classes, counts.T.tolist(), precision, strict=True)
    ]
    first = TextColumn("true \\ predicted", [*matrix.classes, "precision"])
    return [
        TextTable([first, *predicted, TextColumn("recall", [*recall, ""], right=True)], by_class)
    ]


def _shares(hits: npt.NDArray[np.int64], totals: npt.NDArray[np.int64]) -> list[str]:
    pairs = zip(hits.tolist(), totals.tolist(), strict=True)
    return [f"{hit / total:.1%}" if total else "?" for hit, total in pairs]


# --- tables ---------------------------------------------------------------------------------


def show_examples(examples: ExampleSet, rows: int | None = DEFAULT_ROWS) -> Group:
    """Return a small table row by row, of others the attributes with their first values."""
    if 0 < len(examples.schema) <= FEW_ATTRIBUTES and (rows is None or len(examples) <= rows):
        return _group(size_text(examples), _all_values(examples))
    return _overview(examples, rows)


def size_text(examples: ExampleSet) -> str:
    """Return how many rows and attributes a table has."""
    regular = counted(len(examples.schema.regular), "regular attribute")
    text = f"{counted(len(examples), 'row')}, {regular}"
    if not examples.is_sparse:
        return text
    numbers = examples.matrix()
    filled = numbers.nnz / max(1, numbers.shape[0] * numbers.shape[1])
    return f"{text}, sparse: {filled:.2g} of the numbers are not zero"


def _all_values(examples: ExampleSet) -> TextTable:
    columns = [TextColumn("", range(1, len(examples) + 1), right=True)]
    for attribute in examples.schema:
        values = examples.column(attribute.name)
        role = "" if attribute.role == REGULAR else f" ({attribute.role})"
        if attribute.value_type.is_numerical:
            texts, right = column_texts(values.tolist()), True
        else:
            texts, right = [_value_text(attribute, value) for value in values], False
        name = f"{attribute.name}{role}"
        columns.append(TextColumn(name, texts, right=right, narrowest=NARROW_TEXT))
    return TextTable(columns)


def _overview(examples: ExampleSet, limit: int | None) -> Group:
    """Return the attributes of a table, special ones first, with their first values."""
    schema = examples.schema
    special = [schema.position(name) for name in schema.roles]
    positions = [*special, *schema.regular.tolist()][:limit]
    attributes = [schema.attribute(schema.names[position]) for position in positions]
    values = [examples.column(attribute.name) for attribute in attributes]
    pairs = list(zip(attributes, values, strict=True))
    table = TextTable(
        [
            TextColumn("attribute", (a.name for a in attributes), narrowest=NARROW_NAME),
            TextColumn("type", (a.value_type for a in attributes)),
            TextColumn("role", ("" if a.role == REGULAR else a.role for a in attributes)),
            TextColumn("missing", (_missing_text(*pair) for pair in pairs), right=True),
            TextColumn("values", (_values_text(*pair) for pair in pairs), narrowest=NARROW_TEXT),
            TextColumn("first rows", (_first_text(*pair) for pair in pairs), narrowest=NARROW_TEXT),
        ]
    )
    more = _more(len(schema), len(positions), "attribute")
    return _group(size_text(examples), table, *more)


def _missing_text(attribute: Attribute, column: npt.NDArray[Any]) -> str:
    missing = int(is_missing(column).sum())
    return count_text(missing) if missing else ""


def _values_text(attribute: Attribute, column: npt.NDArray[Any]) -> str:
    """Return the range of numbers and dates, or the categories."""
    if attribute.value_type.is_nominal:
        return _listed(attribute.categories, 3)
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
    if value is None:
        return "?"
    if attribute.value_type.is_numerical:
        return number_text(float(value))
    if attribute.value_type.is_nominal:
        return "?" if value == MISSING_CODE else attribute.categories[value]
    if attribute.value_type is ValueType.DATE:
        return "?" if np.isnat(value) else str(value.astype("datetime64[s]")).replace("T", " ")
    return str(value)


# --- the answer of a study ------------------------------------------------------------------


def show_answer(answer: StudyAnswer) -> Group:
    """Return the verdict in words, the scores on new rows, and the attributes beyond chance."""
    verdict, chance = answer.verdict, answer.chance
    known = [e for e in answer.estimates if not np.isnan(e.value)]
    scores = TextTable(
        [
            TextColumn("score on new rows", (e.name for e in known)),
            TextColumn("", (e.text(e.value) for e in known), right=True),
            TextColumn("95 % interval", (f"{e.text(e.lower)} to {e.text(e.upper)}" for e in known)),
            TextColumn("guessing", (e.text(e.chance) for e in known), right=True),
        ],
        emphasis=frozenset({0}),
    )
    tested = (
        f"p = {chance.p_value:.3g} (error {chance.p_error:.3g}, stability "
        f"{chance.p_stability:.3g}, best attribute {chance.p_attribute:.3g}), "
        f"{count_text(chance.permutations)} permuted labels"
    )
    return _group(
        verdict.headline,
        *verdict.sentences,
        verdict.not_said,
        "",
        scores,
        tested,
        *(f"Doubtful: {doubt}" for doubt in verdict.doubts),
        *(f"Next: {step}" for step in verdict.next_steps),
    )


# --- models, collections, anything ----------------------------------------------------------


def show_model(model: Model, rows: int | None = DEFAULT_ROWS) -> Group:
    """Return the kind of a model, and its attributes."""
    names = model.attributes.names
    listed = f"{counted(len(names), 'attribute')}: {_listed(names, rows or len(names))}"
    if not isinstance(model, PredictionModel):
        return _group(model.name, f"prepares {listed}")
    classes = _listed(model.label.categories, MOST_CLASSES)
    label = f"{model.label.name} ({model.label.value_type})"
    return _group(
        model.name,
        f"predicts {label}: {classes}" if classes else f"predicts {label}",
        f"from {listed}",
        *([", ".join(detail_texts(model.details))] if model.details else []),
    )


def show_collection(collection: Collection[FlowObject], rows: int | None = DEFAULT_ROWS) -> Group:
    """Return a line for each result; with all rows wanted, each result in full."""
    about = counted(len(collection), "result")
    if rows is None:
        parts = [(f"{n}. {item.title}", show(item, None)) for n, item in enumerate(collection, 1)]
        return _group(about, *[part for pair in parts for part in pair])
    items = collection[:rows]
    table = TextTable(
        [
            TextColumn("", range(1, len(items) + 1), right=True),
            TextColumn("kind", (item.title for item in items)),
            TextColumn("result", map(one_line, items), narrowest=NARROW_TEXT),
        ]
    )
    return _group(about, table, *_more(len(collection), len(items), "result"))


def show_anything(value: FlowObject, rows: int | None = DEFAULT_ROWS) -> Any:
    """Return a result we know nothing of: as a table, if it can be one, or in one line."""
    if not hasattr(value, "to_pandas"):
        return one_line(value)
    return _group(_about(value), *_frame(value.to_pandas(), rows))


def show_main_step(value: Traced, rows: int | None = DEFAULT_ROWS) -> Group:
    """Return the main step; with all rows wanted, all steps below it."""
    about, main = value.main_step()
    parts = [_about(value), f"{about}.", *_frame(main, rows)]
    if rows is None:
        parts += ["", "All steps:", *_frame(value.to_pandas(), None)]
    return _group(*parts)


def _about(value: FlowObject) -> str:
    content = content_line(value)
    return content if content[:1].isdigit() else one_line(value)  # the heading has the kind


def _frame(frame: pd.DataFrame, rows: int | None) -> list[RenderableType]:
    """Return the first rows of a table, and how many more there are."""
    first = frame.iloc[:rows]
    columns = [_column(column_heading(str(n)).heading, first[n].to_numpy()) for n in first]
    table = TextTable(columns)
    return [table, *_more(len(frame), len(first), "row")]


def one_line(value: FlowObject) -> str:
    """Return the shortest useful text about a result."""
    return visible(repr(value)).removeprefix("<").removesuffix(">")


def content_line(value: FlowObject) -> str:
    """Return the same below a heading with the kind: without the name of the class."""
    return one_line(value).removeprefix(type(value).__name__).strip().removeprefix("of ")


# --- building blocks ------------------------------------------------------------------------


def _column(name: str, values: npt.NDArray[Any]) -> TextColumn:
    if values.dtype.kind == "b":
        values = np.where(values, "yes", "no")
    if values.dtype.kind not in "fiu":
        return TextColumn(name, values.tolist(), narrowest=NARROW_TEXT)
    return TextColumn(name, column_texts(values.astype(np.float64).tolist()), right=True)


def _listed(names: Sequence[str], limit: int) -> str:
    return enumerate_names(names, limit).replace('"', "")


def _more(total: int, shown: int, noun: str, plural: str = "") -> list[RenderableType]:
    """Return a line that says how many are not shown, if any."""
    if shown >= total:
        return []
    from rich.text import Text

    rest = total - shown
    text = f"… {count_text(rest)} more {noun if rest == 1 else plural or noun + 's'}"
    return [Text(text, "dim")]


def _group(*parts: RenderableType) -> Group:
    """Return the parts below each other."""
    from rich.console import Group
    from rich.text import Text

    return Group(*(Text(visible(part)) if isinstance(part, str) else part for part in parts))
