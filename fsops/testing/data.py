"""Tables to test operators with: sound ones, and every kind that breaks careless code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fsops.data import Attribute, AttributeWeights, ExampleSet, ValueType
from fsops.data.columns import MISSING_CODE
from fsops.data.model import prediction_attributes
from fsops.data.schema import LABEL

LabelType = Literal["binominal", "polynominal", "numerical"]
AttributeKind = Literal["any", "numerical", "nominal"]
Column = tuple[Attribute, npt.NDArray[Any]]

LABEL_NAME = "label"
CLASSES: Mapping[str | None, tuple[str, ...]] = {
    "binominal": ("no", "yes"),
    "polynominal": ("blue", "green", "red"),
}
CATEGORIES = ("a", "b", "c")
WIDTH = 12  # more than the number of attributes that selections keep by default
CONSTANT = 7.5
HUGE = 1e308
TINY = 5e-324

ODD_NAMES = (
    "$x",
    "a_b^c",
    "<script>alert(1)</script>",
    "=1+1",
    "😀",
    "שלום",
    "two\nlines",
    "tab\there",
    "größe",
    "\"quoted\" & 'quoted'",
    " spaces ",
    "a|b\\c",
    "%{macro}",
    "{0} %s {{7*7}}",
    "nan",
    "1",
    "",
    "long " * 200,
)
"""Names that plots, files, pages, spreadsheets and formulas stumble over."""


def make_examples(
    rows: int = 40,
    numerical: int = 4,
    nominal: int = 2,
    *,
    label: LabelType | None = "binominal",
    missing: float = 0.0,
    seed: int = 0,
) -> ExampleSet:
    """Return a table of random values whose first attributes depend on the label.

    Parameters
    ----------
    rows, numerical, nominal : int
        Size of the table: ``num1``, ``num2``, … are normally distributed, ``nom1``, ``nom2``, …
        have three categories.
    label : {"binominal", "polynominal", "numerical"}, optional
        Type of the attribute ``label``; None leaves it out. Classes alternate from row to row.
    missing : float
        Fraction of missing values of regular attributes.
    seed : int
        Another seed gives other values.
    """
    rng = np.random.default_rng(seed)
    groups = len(CLASSES.get(label, CLASSES["binominal"]))
    classes = np.arange(rows, dtype=np.int32) % groups
    numbers = rng.normal(size=(rows, numerical)) + 1.5 * classes[:, None] / np.arange(
        1, numerical + 1
    )
    codes = rng.integers(len(CATEGORIES), size=(rows, nominal), dtype=np.int32)
    informative = rng.random((rows, nominal)) < 0.8 / np.arange(1, nominal + 1)
    codes = np.where(informative, classes[:, None], codes)
    numbers[rng.random(numbers.shape) < missing] = np.nan
    codes[rng.random(codes.shape) < missing] = MISSING_CODE
    columns: list[Column] = [
        (Attribute(f"num{j + 1}"), numbers[:, j]) for j in range(numerical)
    ] + [(Attribute.nominal(f"nom{j + 1}", CATEGORIES), codes[:, j]) for j in range(nominal)]
    if label is not None:
        columns.append(_label(label, classes, rng))
    return ExampleSet.from_columns(columns, rows)


def _label(kind: LabelType, classes: npt.NDArray[np.int32], rng: np.random.Generator) -> Column:
    if kind == "numerical":
        noise = rng.normal(scale=0.3, size=len(classes))
        return Attribute(LABEL_NAME, ValueType.REAL, LABEL), classes + noise
    return Attribute.nominal(LABEL_NAME, CLASSES[kind], LABEL), classes


@cache  # many checks use the same few tables, which nothing changes
def sound_table(
    label: LabelType | None,
    attributes: AttributeKind,
    rows: int,
    width: int = WIDTH,
    missing: float = 0.0,
) -> ExampleSet:
    """Return a table with a number of attributes of one kind, or with some of both."""
    numerical = {"numerical": width, "nominal": 0, "any": (width + 1) // 2}[attributes]
    return make_examples(rows, numerical, width - numerical, label=label, missing=missing, seed=1)


def with_prediction(examples: ExampleSet) -> ExampleSet:
    """Return the table as a model would leave it: with a prediction that is often right.

    Classes have confidences as well.
    """
    label = examples.schema.label
    if label is None:
        return examples
    guess = np.roll(examples.column(label.name), len(examples) // 3 * 2)
    predicted, *confidences = prediction_attributes(label)
    columns: list[Column] = [(predicted, guess)]
    if confidences:
        sure = 0.6 + np.arange(len(examples)) * 7 % 10 / 25
        others = (1 - sure) / max(1, len(confidences) - 1)
        columns += [
            (attribute, np.where(guess == code, sure, others))
            for code, attribute in enumerate(confidences)
        ]
    return examples.with_columns(columns)


def with_odd_names(examples: ExampleSet) -> ExampleSet:
    """Return the table with `ODD_NAMES`; the names sort in the same order as before.

    Attributes beyond their number keep their names.
    """
    plain = sorted(examples.schema.regular_names)[: len(ODD_NAMES)]
    renamed = dict(zip(plain, sorted(ODD_NAMES[: len(plain)]), strict=True))
    if examples.schema.label is not None:
        renamed[examples.schema.label.name] = "$y^{2}$ <b>"
    return examples.rename(renamed)


def odd_weights(names: Sequence[str]) -> dict[str, AttributeWeights]:
    """Return weights of attributes that are allowed but unusual, by name."""
    falling = np.linspace(1.0, 0.1, len(names))
    found = {
        "negative": -falling,
        "all zero": np.zeros(len(names)),
        "all equal": np.full(len(names), 0.5),
        "some unknown": np.where(np.arange(len(names)) % 2 == 0, np.nan, falling),
        "all unknown": np.full(len(names), np.nan),
        "infinite": np.where(np.arange(len(names)) % 2 == 0, np.inf, -np.inf),
        "huge": falling * HUGE,
    }
    weights = {name: AttributeWeights(names, values) for name, values in found.items()}
    weights["of some attributes"] = AttributeWeights(names[:1], falling[:1])
    weights["of other attributes"] = AttributeWeights([f"not {n}" for n in names], falling)
    weights["of nothing"] = AttributeWeights([], [])
    return weights


@dataclass(frozen=True)
class _Plan:
    """The kind of table from which a degenerate one is made."""

    label: LabelType | None
    attributes: AttributeKind
    width: int

    def table(self, rows: int = 12, width: int = WIDTH, missing: float = 0.0) -> ExampleSet:
        return sound_table(self.label, self.attributes, rows, width, missing)


Make = Callable[[_Plan], ExampleSet]
_TABLES: dict[str, Make] = {}


def _table(name: str) -> Callable[[Make], Make]:
    """Offer a table under a name."""

    def keep(make: Make) -> Make:
        _TABLES[name] = make
        return make

    return keep


NEED_NUMBERS = ("infinite values", "huge values", "tiny values")
NEED_LABEL = ("one class", "missing label", "no label")
NEED_CLASSES = ("unused class",)


def degenerate_names() -> tuple[str, ...]:
    """Return the names of all degenerate tables."""
    return tuple(_TABLES)


def degenerate_tables(
    label: LabelType | None = "binominal",
    attributes: AttributeKind = "any",
    *,
    width: int = 2000,
) -> dict[str, ExampleSet]:
    """Return tables that are allowed but unusual, by name.

    An operator answers each by a result or by an `FsopsError`.

    Parameters
    ----------
    label, attributes
        Properties of the tables apart from being degenerate, so that they pass the first
        check of the operator.
    width : int
        Number of attributes of the wide table.
    """
    found = {
        name: degenerate_table(name, label, attributes, width=width) for name in degenerate_names()
    }
    return {name: table for name, table in found.items() if table is not None}


def degenerate_table(
    name: str,
    label: LabelType | None = "binominal",
    attributes: AttributeKind = "any",
    *,
    width: int = 2000,
) -> ExampleSet | None:
    """Return one of the degenerate tables; None where the kind of table cannot be like that."""
    left_out = [*(NEED_NUMBERS if attributes == "nominal" else ()), *(() if label else NEED_LABEL)]
    left_out += [] if label in CLASSES else NEED_CLASSES
    return None if name in left_out else _TABLES[name](_Plan(label, attributes, width))


def _changed(examples: ExampleSet, names: Sequence[str], value: float, code: int) -> ExampleSet:
    """Return the table with one value in all rows of some attributes."""
    columns: list[Column] = []
    for name in names:
        attribute = examples.schema.attribute(name)
        nominal = attribute.value_type.is_nominal
        fill = np.full(len(examples), code if nominal else value)
        columns.append((attribute, fill.astype(np.int32) if nominal else fill))
    return examples.with_columns(columns)


def _with_numbers(examples: ExampleSet, pattern: tuple[float, ...]) -> ExampleSet:
    """Return the table with the values of the pattern repeated in its first number."""
    values = np.resize(np.array(pattern), len(examples))
    return examples.with_columns([(examples.schema.attribute("num1"), values)])


def _with_label(examples: ExampleSet, attribute: Attribute, fill: float | None) -> ExampleSet:
    """Return the table with a new declaration of its label, and with one value if given."""
    values = examples.column(attribute.name)
    same = values if fill is None else np.full_like(values, fill)
    return examples.with_columns([(attribute, same)])


@_table("no rows")
def _no_rows(plan: _Plan) -> ExampleSet:
    return plan.table().take(np.empty(0, dtype=np.intp))


@_table("single row")
def _single_row(plan: _Plan) -> ExampleSet:
    return plan.table(1)


@_table("two rows")
def _two_rows(plan: _Plan) -> ExampleSet:
    return plan.table(2)


@_table("no attributes")
def _no_attributes(plan: _Plan) -> ExampleSet:
    return plan.table().select_regular([])


@_table("one attribute")
def _one_attribute(plan: _Plan) -> ExampleSet:
    return plan.table(width=1)


@_table("wide")
def _wide(plan: _Plan) -> ExampleSet:
    return plan.table(3, plan.width)


@_table("constant column")
def _constant_column(plan: _Plan) -> ExampleSet:
    table = plan.table()
    return _changed(table, table.schema.regular_names[:1], CONSTANT, 0)


@_table("all constant")
def _all_constant(plan: _Plan) -> ExampleSet:
    table = plan.table()
    return _changed(table, table.schema.regular_names, CONSTANT, 0)


@_table("missing values")
def _missing_values(plan: _Plan) -> ExampleSet:
    return plan.table(missing=0.2)


@_table("all missing column")
def _all_missing_column(plan: _Plan) -> ExampleSet:
    table = plan.table()
    return _changed(table, table.schema.regular_names[:1], np.nan, MISSING_CODE)


@_table("all missing")
def _all_missing(plan: _Plan) -> ExampleSet:
    table = plan.table()
    return _changed(table, table.schema.regular_names, np.nan, MISSING_CODE)


@_table("infinite values")
def _infinite_values(plan: _Plan) -> ExampleSet:
    return _with_numbers(plan.table(), (1.0, np.inf, -2.0, -np.inf, 0.5))


@_table("huge values")
def _huge_values(plan: _Plan) -> ExampleSet:
    return _with_numbers(plan.table(), (HUGE, -HUGE, HUGE / 2))


@_table("tiny values")
def _tiny_values(plan: _Plan) -> ExampleSet:
    return _with_numbers(plan.table(), (TINY, 0.0, -TINY))


@_table("duplicates")
def _duplicates(plan: _Plan) -> ExampleSet:
    """Every row occurs three times, and the first attribute of each kind twice."""
    table = plan.table(4).take(np.repeat(np.arange(4), 3))
    first = [name for name in ("num1", "nom1") if name in table.schema]
    return table.with_columns(
        [(replace(table.schema.attribute(n), name=f"{n} again"), table.column(n)) for n in first]
    )


@_table("odd names")
def _odd_names(plan: _Plan) -> ExampleSet:
    return with_odd_names(plan.table(width=len(ODD_NAMES)))


@_table("other types")
def _other_types(plan: _Plan) -> ExampleSet:
    """Besides supported types there are dates, texts, and attributes with special roles."""
    table = plan.table()
    n = len(table)
    dates = np.datetime64("2024-02-28", "us") + np.arange(n) * np.timedelta64(1, "D")
    texts = np.array([f"Text {i}, ünquoted; <b>" for i in range(n)], dtype=object)
    return table.with_columns(
        [
            (Attribute("date", ValueType.DATE), dates),
            (Attribute("text", ValueType.TEXT), texts),
            (Attribute("row", ValueType.INTEGER, "id"), np.arange(n, dtype=np.float64)),
            (Attribute("importance", ValueType.REAL, "weight"), np.ones(n)),
        ]
    )


@_table("no label")
def _no_label(plan: _Plan) -> ExampleSet:
    return plan.table().drop([LABEL_NAME])


@_table("one class")
def _one_class(plan: _Plan) -> ExampleSet:
    table = plan.table()
    return _with_label(table, table.label, 1.0)


@_table("missing label")
def _missing_label(plan: _Plan) -> ExampleSet:
    table = plan.table()
    fill = MISSING_CODE if table.label.value_type.is_nominal else np.nan
    return _with_label(table, table.label, fill)


@_table("unused class")
def _unused_class(plan: _Plan) -> ExampleSet:
    """The label has a category that no row has, as after a selection of rows."""
    table = plan.table()
    more = (*table.label.categories, "never seen")
    return _with_label(table, Attribute.nominal(LABEL_NAME, more, LABEL), None)
