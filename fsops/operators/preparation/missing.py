"""Missing values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.preparation.discretize import quantiles
from fsops.algorithms.preparation.normalization import mean_and_deviation
from fsops.core import Context, When, operator
from fsops.data import (
    Attribute,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    Schema,
)
from fsops.data.columns import MISSING_CODE, is_missing
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import (
    ANY_VALUES,
    WITH_MODEL,
    Prepared,
    nominal_among,
    numerical_among,
    prepared,
)

Floats = npt.NDArray[np.float64]
Rule = Literal["none", "minimum", "maximum", "average", "median", "zero", "value"]

Default = Annotated[
    Rule,
    Field(
        description="What takes the place of a missing number. In nominal attributes average means "
        "the most frequent category; the other rules but value leave them alone."
    ),
]
Columns = Annotated[dict[str, str], Field(description="Another rule for some attributes, by name.")]
Value = Annotated[
    str,
    When(default="value"),
    Field(description="What the rule value puts in: a number, or a category."),
]

_STATISTICS: Mapping[str, Callable[[Floats], Floats]] = {
    "minimum": lambda X: np.fmin.reduce(X, axis=0),
    "maximum": lambda X: np.fmax.reduce(X, axis=0),
    "average": lambda X: mean_and_deviation(X)[0],
    "median": lambda X: quantiles(X, np.array([0.5]))[0],
    "zero": lambda X: np.zeros(X.shape[1]),
}


@dataclass(frozen=True)
class Replenishment:
    """Puts fixed values in the place of missing ones: a number or a category for each attribute."""

    values: Mapping[str, float | str]

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table without the missing values that can be replaced."""
        categories = {n: v for n, v in self.values.items() if isinstance(v, str)}
        columns = [_filled(examples, name, value) for name, value in categories.items()]
        figures = {n: v for n, v in self.values.items() if not isinstance(v, str)}
        return _filled_numbers(examples, figures).with_values(columns)


def _filled(examples: ExampleSet, name: str, category: str) -> tuple[Attribute, npt.NDArray[Any]]:
    attribute, code = _with_category(examples.schema.attribute(name), category)
    stored = examples.column(name)
    return attribute, np.where(stored == MISSING_CODE, code, stored)


def _filled_numbers(examples: ExampleSet, figures: Mapping[str, float]) -> ExampleSet:
    """Return the table with figures in the gaps."""
    positions = examples.schema.positions(figures)
    values = examples.values(positions)
    missing = np.isnan(values)
    (gaps,) = missing.any(axis=0).nonzero()
    if not gaps.size:
        return examples
    filling = np.array(list(figures.values()))[gaps]
    filled = np.where(missing[:, gaps], filling, values[:, gaps])
    return examples.with_numbers(positions[gaps], filled, real=False)


def _with_category(attribute: Attribute, category: str) -> tuple[Attribute, int]:
    """Return the attribute, with the category if it lacks it, and the category's code."""
    if category in attribute.categories:
        return attribute, attribute.categories.index(category)
    categories = (*attribute.categories, category)
    grown = Attribute.nominal(attribute.name, categories, attribute.role)
    return grown, len(categories) - 1


def _replenished(
    examples: ExampleSet,
    *,
    default: str,
    columns: Mapping[str, str],
    value: str,
    offset: float,
    name: str,
    chosen: Mapping[str, Any],
    ctx: Context,
) -> Prepared:
    schema = examples.schema
    rules = dict.fromkeys(selected_names(examples, chosen), default) | _checked(columns, schema)
    values: dict[str, float | str] = {}
    for rule in dict.fromkeys(rules.values()):
        names = [attribute for attribute, mine in rules.items() if mine == rule]
        for attribute in nominal_among(schema, names):
            found = _category(schema.attribute(attribute), examples.column(attribute), rule, value)
            values |= {} if found is None else {attribute: found}
        values |= _figures(examples, numerical_among(schema, names), rule, value, offset)
    left = [name for name, rule in rules.items() if rule != "none" and name not in values]
    empty = [name for name in left if _is_empty(examples, name)]
    if empty:
        ctx.warn(
            f"{enumerate_names(empty)} {'has' if len(empty) == 1 else 'have'} no known value: the "
            "gaps stay. Remove the attribute, or set default to zero or value."
        )
    return prepared(examples, Replenishment(values), tuple(values), name)


def _is_empty(examples: ExampleSet, name: str) -> bool:
    return bool(len(examples) and is_missing(examples.column(name)).all())


def _checked(columns: Mapping[str, str], schema: Schema) -> dict[str, str]:
    for attribute, rule in columns.items():
        schema.position(attribute)
        if rule not in Rule.__args__:  # type: ignore[attr-defined]
            hint = did_you_mean(rule, Rule.__args__)  # type: ignore[attr-defined]
            raise ParameterError(f'"{rule}" (for "{attribute}") is not a rule.', hint=hint)
    return dict(columns)


def _category(attribute: Attribute, stored: npt.NDArray[Any], rule: str, value: str) -> str | None:
    known = stored[stored != MISSING_CODE]
    if rule == "average" and len(known):
        return attribute.categories[int(np.bincount(known).argmax())]
    return value if rule == "value" else None


def _figures(
    examples: ExampleSet, names: Sequence[str], rule: str, value: str, offset: float
) -> dict[str, float]:
    """Return what takes the place of missing numbers, where a number is known to tell it."""
    if not names or rule == "none":
        return {}
    if rule == "value":
        return dict.fromkeys(names, _number(names[0], value) + offset)
    X = examples.values(examples.schema.positions(names))
    known = ~np.isnan(X).all(axis=0) if rule != "zero" else np.ones(len(names), dtype=bool)
    figures = (_STATISTICS[rule](X) + offset).tolist()
    return {n: f for n, f, usable in zip(names, figures, known, strict=True) if usable}


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise DataError(
            f'"{value}" cannot stand in for a missing number in "{name}".',
            hint="Give a number, or choose nominal attributes only (attribute_filter_type).",
        ) from None


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs["examples"]
    nominal_value = parameters["default"] == "value" or "value" in parameters["columns"].values()
    if nominal_value and isinstance(meta, ExampleSetMetaData):
        return ExampleSetMetaData(rows=meta.rows)  # a new category may join
    if isinstance(meta, ExampleSetMetaData):
        return replace(meta, missing=frozenset())
    return meta


@operator(
    group="Preparation/Missing values",
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe,
    aliases=WITH_MODEL,
    tags=("impute", "fill", "nan", "na"),
)
def replace_missing_values(
    examples: ExampleSet,
    *,
    default: Default = "average",
    columns: Columns = {},
    replenishment_value: Value = "0",
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Replace Missing Values

    Fills the gaps of the chosen attributes, by default all regular ones, each with its average,
    median, minimum, maximum, zero or a given value. The model does the same, with the values learnt
    here, to other rows: inside a validation apply it to the test rows instead of filling before.

    An attribute without any known value stays as it is, with a warning. Filled values make an
    attribute look less spread than it is.
    """
    return _replenished(
        examples,
        default=default,
        columns=columns,
        value=replenishment_value,
        offset=0.0,
        name="Replace Missing Values",
        chosen=attribute_filter,
        ctx=ctx,
    )


@operator(
    group="Preparation/Missing values",
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe,
    aliases=WITH_MODEL,
    tags=("impute", "fill", "nan", "censored", "mirna", "growth"),
)
def replace_missing_values_with_offset(
    examples: ExampleSet,
    *,
    default: Default = "maximum",
    offset: Annotated[
        float, Field(description="Added to what takes the place of a missing number.")
    ] = 1.0,
    columns: Columns = {},
    replenishment_value: Value = "0",
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Replace Missing Values (with offset)

    Fills gaps as Replace Missing Values does and adds a constant to every number put in. For values
    that are missing because the experiment ended: days until a level is reached become the last
    day plus some more, which keeps them apart from those that just made it.

    Nominal attributes get no offset.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    return _replenished(
        examples,
        default=default,
        columns=columns,
        value=replenishment_value,
        offset=offset,
        name="Replace Missing Values (with offset)",
        chosen=attribute_filter,
        ctx=ctx,
    )
