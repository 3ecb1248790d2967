"""Missing values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Accepts, Aliases, When, operator
from fsops.data import (
    Attribute,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    PreprocessingModel,
    Schema,
)
from fsops.data.examples import MISSING_CODE
from fsops.errors import DataError, ParameterError, did_you_mean

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
ALIASES = Aliases(
    ports={
        "example set input": "examples",
        "example set output": "examples",
        "preprocessing model": "model",
    }
)


_STATISTICS: Mapping[str, Callable[[npt.NDArray[Any]], Any]] = {
    "minimum": np.min,
    "maximum": np.max,
    "average": np.mean,
    "median": np.median,
}


class Prepared(NamedTuple):
    """What a preparation delivers."""

    examples: ExampleSet
    model: PreprocessingModel


@dataclass(frozen=True)
class Replenishment:
    """Puts fixed values in the place of missing ones: a number or a category for each attribute."""

    values: Mapping[str, float | str]

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table without the missing values that can be replaced."""
        columns: list[tuple[Attribute, npt.NDArray[Any]]] = []
        for name, value in self.values.items():
            attribute, stored = examples.schema.attribute(name), examples.column(name)
            if isinstance(value, str):
                attribute, code = _with_category(attribute, value)
                columns.append((attribute, np.where(stored == MISSING_CODE, code, stored)))
            else:
                columns.append((attribute, np.where(np.isnan(stored), value, stored)))
        return examples.with_values(columns)


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
) -> Prepared:
    schema = examples.schema
    rules = {attribute: default for attribute in schema.regular_names} | _checked(columns, schema)
    values: dict[str, float | str] = {}
    for attribute, rule in rules.items():
        found = _value_of(examples, schema.attribute(attribute), rule, value)
        if found is not None:
            values[attribute] = found if isinstance(found, str) else found + offset
    prepared = schema.take(schema.positions(values))
    model = PreprocessingModel(Replenishment(values), prepared, name)
    return Prepared(model.apply(examples), model)


def _checked(columns: Mapping[str, str], schema: Schema) -> dict[str, str]:
    for attribute, rule in columns.items():
        schema.position(attribute)
        if rule not in Rule.__args__:  # type: ignore[attr-defined]
            hint = did_you_mean(rule, Rule.__args__)  # type: ignore[attr-defined]
            raise ParameterError(f'"{rule}" (for "{attribute}") is not a rule.', hint=hint)
    return dict(columns)


def _value_of(
    examples: ExampleSet, attribute: Attribute, rule: str, value: str
) -> float | str | None:
    """Return what takes the place of missing values; None where nothing is to be done."""
    if rule != "none" and attribute.value_type.is_nominal:
        return _category(attribute, examples.column(attribute.name), rule, value)
    if rule != "none" and attribute.value_type.is_numerical:
        return _figure(attribute, examples.column(attribute.name), rule, value)
    return None


def _category(attribute: Attribute, stored: npt.NDArray[Any], rule: str, value: str) -> str | None:
    known = stored[stored != MISSING_CODE]
    if rule == "average" and len(known):
        return attribute.categories[int(np.bincount(known).argmax())]
    return value if rule == "value" else None


def _figure(attribute: Attribute, stored: npt.NDArray[Any], rule: str, value: str) -> float | None:
    if rule == "zero":
        return 0.0
    if rule == "value":
        return _number(attribute.name, value)
    known = stored[~np.isnan(stored)]
    compute = _STATISTICS[rule]
    return float(compute(known)) if len(known) else None


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise DataError(f'"{value}" cannot stand in for a missing number in "{name}".') from None


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs["examples"]
    nominal_value = parameters["default"] == "value" or "value" in parameters["columns"].values()
    if nominal_value and isinstance(meta, ExampleSetMetaData):
        return ExampleSetMetaData(rows=meta.rows)  # a new category may join
    return meta


ANY_VALUES = Accepts(missing=True)


@operator(
    group="Preparation/Missing values",
    accepts=ANY_VALUES,
    describe=_describe,
    aliases=ALIASES,
    tags=("impute", "fill", "nan", "na"),
)
def replace_missing_values(
    examples: ExampleSet,
    *,
    default: Default = "average",
    columns: Columns = {},
    replenishment_value: Value = "0",
) -> Prepared:
    """Replace Missing Values

    Fills the gaps of every regular attribute with its average, median, minimum, maximum, zero or a
    given value. The model does the same, with the values learnt here, to other rows: inside a
    validation apply it to the test rows instead of filling before.

    An attribute without any known value stays as it is. Filled values make an attribute look less
    spread than it is.
    """
    return _replenished(
        examples,
        default=default,
        columns=columns,
        value=replenishment_value,
        offset=0.0,
        name="Replace Missing Values",
    )


@operator(
    group="Preparation/Missing values",
    accepts=ANY_VALUES,
    describe=_describe,
    aliases=ALIASES,
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
    )
