"""Categories that are joined, added, trimmed or cut; numbers that are rounded or read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Unpack

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Aliases, AttributeName, When, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, Schema, ValueType
from fsops.data.columns import MISSING_CODE
from fsops.errors import DataError, ParameterError, enumerate_names, quoted
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.cleaning import recategorized
from fsops.operators.preparation.prepared import (
    ALIASES,
    ANY_VALUES,
    PORTS,
    WITH_MODEL,
    Prepared,
    describe_change,
    nominal_among,
    numerical_among,
    prepared,
)

GROUP = "Preparation/Types"
Chosen = Annotated[str, AttributeName(), Field(description="The nominal attribute.")]


def _changed_later(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> None:
    """Only the run finds the categories."""


def _rows_only(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs["examples"]
    return ExampleSetMetaData(rows=meta.rows if isinstance(meta, ExampleSetMetaData) else None)


def _nominal(examples: ExampleSet, name: str) -> Attribute:
    attribute = examples.schema.attribute(name)
    if not attribute.value_type.is_nominal:
        raise DataError(
            f"{quoted(name)} is {attribute.value_type}, but a nominal attribute is needed.",
            hint="Choose another attribute, or convert it first (Numerical to Polynominal).",
        )
    return attribute


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_rows_only,
    aliases=Aliases(keys=("merge",), ports=PORTS),
    tags=("join categories", "collapse levels", "combine"),
)
def merge_values(
    examples: ExampleSet,
    *,
    attribute: Chosen,
    first_value: Annotated[str, Field(description="One category.")],
    second_value: Annotated[str, Field(description="The category to join with it.")],
) -> ExampleSet:
    """Merge Values

    Makes one category of two. The new name is both names joined by an underscore. For other
    names, or more categories, use Map Values.
    """
    found = _nominal(examples, attribute)
    wrong = [v for v in (first_value, second_value) if v not in found.categories]
    if wrong:
        raise ParameterError(
            f"{quoted(attribute)} has no category {enumerate_names(wrong)}.",
            hint=f"It has {enumerate_names(found.categories)}.",
        )
    both, name = (first_value, second_value), f"{first_value}_{second_value}"
    names = examples.schema.names_at(examples.schema.positions([attribute]))
    return recategorized(examples, names, lambda text: name if text in both else text)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_rows_only,
    aliases=Aliases(keys=("add",), ports=PORTS),
    tags=("level", "category"),
)
def add_value(
    examples: ExampleSet,
    *,
    attribute: Chosen,
    new_value: Annotated[str, Field(min_length=1, description="The new category.")],
) -> ExampleSet:
    """Add Value

    Adds a category that no row has yet, for instance because other tables have it. No value
    changes. An existing category is not changed.
    """
    found = _nominal(examples, attribute)
    if new_value in found.categories:
        return examples
    categories = (*found.categories, new_value)
    added = Attribute.nominal(attribute, categories, found.role)
    return examples.with_values([(added, examples.column(attribute))])


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_changed_later),
    aliases=Aliases(keys=("trim",), ports=PORTS),
    tags=("spaces", "strip", "blank", "clean"),
)
def trim_values(examples: ExampleSet, **attribute_filter: Unpack[AttributeFilter]) -> ExampleSet:
    """Trim Values

    Removes spaces at the start and end of categories. Categories that become equal become one
    category.
    """
    chosen = nominal_among(examples.schema, selected_names(examples, attribute_filter))
    return recategorized(examples, chosen, str.strip)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_changed_later),
    aliases=Aliases(keys=("cut",), ports=PORTS),
    tags=("substring", "prefix", "characters"),
)
def keep_characters(
    examples: ExampleSet,
    *,
    first_character_index: Annotated[
        int, Field(ge=1, description="First character to keep, counted from 1.")
    ] = 1,
    last_character_index: Annotated[int, Field(ge=1, description="Last character to keep.")],
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Keep Characters

    Keeps some characters of each category, for instance the first letter of a code. Categories that
    become equal become one category; shorter ones keep the characters that they have.
    """
    if last_character_index < first_character_index:
        raise ParameterError(
            f"last_character_index={last_character_index} is less than "
            f"first_character_index={first_character_index}."
        )
    chosen = nominal_among(examples.schema, selected_names(examples, attribute_filter))
    part = slice(first_character_index - 1, last_character_index)
    return recategorized(examples, chosen, lambda text: text[part])


# --- numbers ----------------------------------------------------------------------------------


def _integers(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    positions = schema.positions(numerical_among(schema, names))
    return schema.as_numbers(positions, ValueType.INTEGER)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_integers),
    aliases=ALIASES,
    tags=("round", "truncate", "whole numbers"),
)
def real_to_integer(
    examples: ExampleSet,
    *,
    round_values: Annotated[
        bool, Field(description="Round to the nearest integer; otherwise drop the fraction.")
    ] = False,
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Real to Integer

    Converts real numbers to whole numbers: cuts off the fraction, or rounds (halves up).
    """
    names = numerical_among(examples.schema, selected_names(examples, attribute_filter))
    positions = examples.schema.positions(names)
    values = examples.values(positions)
    whole = np.floor(values + 0.5) if round_values else np.trunc(values)
    schema = examples.schema.as_numbers(positions, ValueType.INTEGER)
    return examples.with_block(schema, positions, whole)


def _absolute(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    return schema


@operator(
    group="Preparation/Generation",
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_absolute),
    aliases=ALIASES,
    tags=("magnitude", "sign", "positive"),
)
def generate_absolutes(
    examples: ExampleSet, **attribute_filter: Unpack[AttributeFilter]
) -> ExampleSet:
    """Generate Absolutes

    Replaces numbers by their absolute values.
    """
    names = numerical_among(examples.schema, selected_names(examples, attribute_filter))
    positions = examples.schema.positions(names)
    return examples.with_numbers(positions, np.abs(examples.values(positions)), real=False)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_changed_later),
    aliases=ALIASES,
    tags=("text to number", "decimal comma", "convert"),
)
def parse_numbers(
    examples: ExampleSet,
    *,
    decimal_character: Annotated[
        str, Field(min_length=1, max_length=1, description="Character before the decimals.")
    ] = ".",
    grouped_digits: Annotated[
        bool, Field(description="Numbers contain a character between groups of three digits.")
    ] = False,
    grouping_character: Annotated[
        str,
        When(grouped_digits=True),
        Field(min_length=1, max_length=1, description="Character that groups digits."),
    ] = ",",
    unparsable_value_handling: Annotated[
        Literal["fail", "missing"],
        Field(description="If a category is not a number: stop, or make the value missing."),
    ] = "fail",
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Parse Numbers

    Reads the categories of nominal attributes as numbers, for instance after a file with decimal
    commas was read as text. The attributes become real.
    """
    columns = []
    for name in nominal_among(examples.schema, selected_names(examples, attribute_filter)):
        attribute = examples.schema.attribute(name)
        gap = grouping_character if grouped_digits else ""
        texts = [t.replace(gap, "") if gap else t for t in attribute.categories]
        numbers = np.array([_number(t.replace(decimal_character, ".")) for t in texts] or [np.nan])
        codes = examples.column(name)
        used = np.unique(codes[codes != MISSING_CODE])
        wrong = [attribute.categories[c] for c in used if np.isnan(numbers[c])]
        if wrong and unparsable_value_handling == "fail":
            raise DataError(
                f"{enumerate_names(wrong)} of {quoted(name)} cannot be read as a number.",
                hint="Choose other attributes, or set unparsable_value_handling to missing.",
            )
        values = np.where(codes == MISSING_CODE, np.nan, numbers[codes])
        columns.append((Attribute(name, ValueType.REAL, attribute.role), values))
    return examples.with_values(columns)


def _number(text: str) -> float:
    try:
        return float(text.replace("_", "?"))  # Python allows 1_000
    except ValueError:
        return np.nan


# --- infinite values --------------------------------------------------------------------------


@dataclass(frozen=True)
class ReplacedInfinity:
    """Replaces infinite numbers by finite ones, or by missing values."""

    names: Sequence[str]
    low: Any
    high: Any

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table without infinite numbers in these attributes."""
        positions = examples.schema.positions(self.names)
        values = examples.values(positions)
        values = np.where(
            values == np.inf, self.high, np.where(values == -np.inf, self.low, values)
        )
        return examples.with_numbers(positions, values, real=False)


@operator(
    group="Preparation/Missing values",
    role="preparation",
    accepts=Accepts(missing=True, infinite=True),
    describe=describe_change(_absolute, keeps_missing=False),
    aliases=WITH_MODEL,
    tags=("infinity", "inf", "overflow", "division by zero"),
)
def replace_infinite_values(
    examples: ExampleSet,
    *,
    default: Annotated[
        Literal["none", "zero", "max_byte", "max_int", "max_double", "missing", "value", "extreme"],
        Field(
            description="Replacement: 0, the largest byte, integer or real number, a missing "
            "value, a value of your own, or the largest finite value of the attribute (extreme)."
        ),
    ] = "missing",
    replenishment_value: Annotated[
        float, When(default="value"), Field(description="The value.")
    ] = 0.0,
    replenish_what: Annotated[
        Literal["positive_infinity", "negative_infinity"],
        Field(description="Infinite values to replace; the others are not changed."),
    ] = "positive_infinity",
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Replace Infinite Values

    Replaces infinite numbers, such as results of a division by zero, which most operators refuse.
    The model replaces infinite values of other rows by the same values.
    """
    names = numerical_among(examples.schema, selected_names(examples, attribute_filter))
    positive = replenish_what == "positive_infinity"
    values = examples.values(examples.schema.positions(names))
    finite = np.where(np.isfinite(values), values, np.nan)
    extreme = (np.fmax if positive else np.fmin).reduce(finite, axis=0, initial=np.nan)
    sign = 1 if positive else -1
    new: Any = {
        "none": sign * np.inf,
        "zero": 0.0,
        "max_byte": sign * 127.0,
        "max_int": sign * 2147483647.0,
        "max_double": sign * np.finfo(np.float64).max,
        "missing": np.nan,
        "value": replenishment_value,
        "extreme": extreme,
    }[default]
    high, low = (new, -np.inf) if positive else (np.inf, new)
    change = ReplacedInfinity(names, low, high)
    return prepared(examples, change, names, "Replace Infinite Values")
