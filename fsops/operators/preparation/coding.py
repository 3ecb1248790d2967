"""Categories as numbers, numbers as categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Context, When, operator
from fsops.data import Attribute, ExampleSet, Schema, ValueType
from fsops.data.columns import MISSING_CODE
from fsops.data.names import Positions
from fsops.data.schema import REGULAR
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import (
    ALIASES,
    ANY_VALUES,
    WITH_MODEL,
    Prepared,
    describe_change,
    nominal_among,
    numerical_among,
    prepared,
    redeclared,
)

GROUP = "Preparation/Types"
TRUTH = ("false", "true")
DUMMY, EFFECT, INTEGERS = "dummy coding", "effect coding", "unique integers"
PLAIN_BELOW = 1e15  # larger numbers are written with an exponent

Codes = npt.NDArray[np.int32]
Underscore = Annotated[
    bool, Field(description='Name new attributes "attribute_category", not "attribute = category".')
]


# --- categories to numbers ------------------------------------------------------------------


@dataclass(frozen=True)
class Indicator:
    """A new attribute that tells one category from the others."""

    name: str
    source: str
    code: int
    opposite: int | None = None
    """The category that becomes -1; None if there is none."""

    def values(self, codes: Codes, missing: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Return 1 for the category, -1 for its opposite, and 0 for others, known or not."""
        values: npt.NDArray[np.float64] = (codes == self.code).astype(np.float64)
        if self.opposite is not None:
            values[codes == self.opposite] = -1.0
        values[missing] = np.nan
        return values


@dataclass(frozen=True)
class IndicatorCoding:
    """Replaces nominal attributes by indicators at the end of the table."""

    sources: Schema
    indicators: tuple[Indicator, ...]
    binominal: bool = False
    """Whether indicators are false or true instead of 0 or 1."""

    def attributes(self) -> list[Attribute]:
        """Return the new attributes."""
        if self.binominal:
            return [Attribute.nominal(i.name, TRUTH) for i in self.indicators]
        return [Attribute(i.name, ValueType.INTEGER) for i in self.indicators]

    def schema_after(self, schema: Schema) -> Schema:
        """Return the schema with the new attributes; an error if one of them is there already."""
        rest = schema.take(_without(schema, self.sources.names))
        double = [i.name for i in self.indicators if i.name in rest]
        if double:
            raise DataError(
                f"New attributes would be called {enumerate_names(double)}, as others are already.",
                hint="Rename those, or change use_underscore_in_name.",
            )
        return rest.appended(self.attributes())

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with indicators; categories not known before belong to none."""
        self.schema_after(examples.schema)
        known = examples.aligned(self.sources)
        codes = {name: known.column(name) for name in self.sources.names}
        missing = {n: examples.column(n) == MISSING_CODE for n in self.sources.names}
        values = [i.values(codes[i.source], missing[i.source]) for i in self.indicators]
        if self.binominal:
            values = [np.where(np.isnan(v), MISSING_CODE, v).astype(np.int32) for v in values]
        rest = examples.drop(self.sources.names)
        return rest.with_columns(list(zip(self.attributes(), values, strict=True)))


def _without(schema: Schema, names: Sequence[str]) -> Positions:
    keep = np.ones(len(schema), dtype=bool)
    keep[schema.positions(names)] = False
    return np.flatnonzero(keep)


@dataclass(frozen=True)
class IntegerCoding:
    """Replaces categories by their numbers, counted from 0."""

    sources: Schema

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with numbers; categories not known before become missing."""
        known = examples.aligned(self.sources)
        columns = []
        for name in self.sources.names:
            codes = known.column(name)
            numbers = np.where(codes == MISSING_CODE, np.nan, codes)
            columns.append((_integer(examples.schema, name), numbers))
        return examples.with_values(columns)


def _integer(schema: Schema, name: str) -> Attribute:
    return Attribute(name, ValueType.INTEGER, schema.roles.get(name, REGULAR))


def _indicator_name(source: str, category: str, parameters: Mapping[str, Any]) -> str:
    return f"{source}{'_' if parameters['use_underscore_in_name'] else ' = '}{category}"


def _coding(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> IndicatorCoding:
    """Return dummy or effect coding of nominal attributes."""
    effect = parameters["coding_type"] == EFFECT
    groups = _comparison_groups(schema, names, parameters)
    indicators = [
        Indicator(
            _indicator_name(name, category, parameters),
            name,
            code,
            groups[name] if effect else None,
        )
        for name in names
        for code, category in enumerate(schema.attribute(name).categories)
        if code != groups[name]
    ]
    return IndicatorCoding(schema.take(schema.positions(names)), tuple(indicators))


def _comparison_groups(
    schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]
) -> dict[str, int | None]:
    """Return the code of the category that gets no attribute of its own."""
    if parameters["coding_type"] == DUMMY and not parameters["use_comparison_groups"]:
        return dict.fromkeys(names)
    given = parameters["comparison_groups"]
    for name in given:
        schema.position(name)
    return {name: _code_of(schema.attribute(name), given.get(name)) for name in names}


def _code_of(attribute: Attribute, category: str | None) -> int:
    if category is None:
        return 0
    if category not in attribute.categories:
        hint = did_you_mean(category, attribute.categories) or (
            f"There are {enumerate_names(attribute.categories)}."
        )
        raise ParameterError(
            f'comparison_groups: "{attribute.name}" has no category "{category}".', hint=hint
        )
    return attribute.categories.index(category)


def _numbers(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    nominal = nominal_among(schema, names)
    if parameters["coding_type"] == INTEGERS:
        return redeclared(schema, [_integer(schema, name) for name in nominal])
    return _coding(schema, nominal, parameters).schema_after(schema)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_numbers),
    aliases=WITH_MODEL,
    tags=("dummy", "one-hot", "encode", "effect", "label encoding", "categorical"),
)
def nominal_to_numerical(
    examples: ExampleSet,
    *,
    coding_type: Annotated[
        Literal["dummy coding", "effect coding", "unique integers"],
        Field(description="How categories become numbers."),
    ] = "dummy coding",
    use_comparison_groups: Annotated[
        bool,
        When(coding_type=DUMMY),
        Field(description="Leave out one category of each attribute: where all others are 0."),
    ] = False,
    comparison_groups: Annotated[
        dict[str, str],
        When(coding_type=EFFECT) | When(coding_type=DUMMY, use_comparison_groups=True),
        Field(
            description="The category to leave out, by attribute; where none is given, the first."
        ),
    ] = {},
    use_underscore_in_name: Annotated[Underscore, When(coding_type=(DUMMY, EFFECT))] = False,
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Nominal to Numerical

    Turns nominal attributes into numbers, for methods that only calculate. The model does the same
    to other rows, with the categories known here.

    - dummy coding: a new attribute for every category, 1 where the row has it and 0 elsewhere.
    - effect coding: the same without one category, the comparison group; where the row has that,
      all are -1.
    - unique integers: the number of the category, counted from 0. The order means nothing, but
      most methods will believe in it: only for attributes with two categories, or for trees.

    New attributes stand at the end. A category that was not known becomes 0 everywhere by dummy and
    effect coding, and missing by unique integers. Missing values stay missing. An attribute with
    very many categories, such as a name, is better left out before.
    """
    names = _chosen(examples, attribute_filter, ctx)
    if coding_type == INTEGERS:
        sources = examples.schema.take(examples.schema.positions(names))
        return prepared(examples, IntegerCoding(sources), names, "Nominal to Numerical")
    parameters = {
        "coding_type": coding_type,
        "use_comparison_groups": use_comparison_groups,
        "comparison_groups": comparison_groups,
        "use_underscore_in_name": use_underscore_in_name,
    }
    coding = _coding(examples.schema, names, parameters)
    return prepared(examples, coding, names, "Nominal to Numerical")


def _chosen(examples: ExampleSet, chosen: Mapping[str, Any], ctx: Context) -> Sequence[str]:
    names = nominal_among(examples.schema, selected_names(examples, chosen))
    if not names:
        ctx.warn("No nominal attribute is chosen: nothing is changed.")
    return names


# --- categories to yes and no ---------------------------------------------------------------


def _yes_or_no(
    schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]
) -> IndicatorCoding:
    few = 0 if parameters["transform_binominal"] else 2
    chosen = [a for a in map(schema.attribute, names) if len(a.categories) > few]
    indicators = [
        Indicator(_indicator_name(a.name, category, parameters), a.name, code)
        for a in chosen
        for code, category in enumerate(a.categories)
    ]
    sources = schema.take(schema.positions(a.name for a in chosen))
    return IndicatorCoding(sources, tuple(indicators), binominal=True)


def _binominal(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    return _yes_or_no(schema, nominal_among(schema, names), parameters).schema_after(schema)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_binominal),
    aliases=WITH_MODEL,
    tags=("binary", "one-hot", "boolean", "categorical"),
)
def nominal_to_binominal(
    examples: ExampleSet,
    *,
    transform_binominal: Annotated[
        bool, Field(description="Also split attributes that have two categories or less.")
    ] = False,
    use_underscore_in_name: Underscore = False,
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Nominal to Binominal

    Replaces each nominal attribute by one for every category, which is true where the row has it
    and false elsewhere. The model does the same to other rows, with the categories known here.

    New attributes stand at the end. A category that was not known is false everywhere. Missing
    values stay missing. For numbers instead of true and false use Nominal to Numerical.
    """
    names = _chosen(examples, attribute_filter, ctx)
    parameters = {
        "transform_binominal": transform_binominal,
        "use_underscore_in_name": use_underscore_in_name,
    }
    coding = _yes_or_no(examples.schema, names, parameters)
    return prepared(examples, coding, coding.sources.names, "Nominal to Binominal")


# --- numbers to categories ------------------------------------------------------------------


def _truths(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    numerical = numerical_among(schema, names)
    return redeclared(schema, [_nominal(schema, name, TRUTH) for name in numerical])


def _nominal(schema: Schema, name: str, categories: tuple[str, ...]) -> Attribute:
    return Attribute.nominal(name, categories, schema.roles.get(name, REGULAR))


@operator(
    group=GROUP,
    role="preparation",
    describe=describe_change(_truths),
    aliases=ALIASES,
    tags=("binary", "boolean", "threshold", "zero"),
)
def numerical_to_binominal(
    examples: ExampleSet,
    *,
    min: Annotated[  # noqa: A002 - RapidMiner's name
        float, Field(description="The lowest number that becomes false.")
    ] = 0.0,
    max: Annotated[  # noqa: A002 - RapidMiner's name
        float, Field(description="The highest number that becomes false.")
    ] = 0.0,
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Numerical to Binominal

    Makes numbers from min to max false and all others true; by default 0 is false. Missing values
    stay missing.
    """
    if min > max:
        raise ParameterError(f"min is {min:g}, but must not be greater than max, which is {max:g}.")
    schema = examples.schema
    names = numerical_among(schema, selected_names(examples, attribute_filter))
    values = examples.values(schema.positions(names))
    codes = ((values < min) | (values > max)).astype(np.int32, order="F")
    codes[np.isnan(values)] = MISSING_CODE
    return examples.with_values(
        [(_nominal(schema, name, TRUTH), codes[:, j]) for j, name in enumerate(names)]
    )


def _unknown(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> None:
    """Only the run can tell the categories."""


def number_text(value: float) -> str:
    """Return a number as the name of a category: whole ones without a point."""
    whole = value == np.rint(value) and abs(value) < PLAIN_BELOW
    return str(int(value)) if whole else repr(float(value))


@operator(
    group=GROUP,
    role="preparation",
    describe=describe_change(_unknown),
    aliases=ALIASES,
    tags=("categories", "codes", "classes"),
)
def numerical_to_polynominal(
    examples: ExampleSet, **attribute_filter: Unpack[AttributeFilter]
) -> ExampleSet:
    """Numerical to Polynominal

    Makes every number a category of its own, for numbers that are names of something: codes, years,
    classes. Categories are in the order of the numbers. Missing values stay missing.

    For measurements, of which nearly all differ, use one of the Discretize operators.
    """
    schema = examples.schema
    columns = []
    for name in numerical_among(schema, selected_names(examples, attribute_filter)):
        values = examples.column(name)
        known = ~np.isnan(values)
        found, places = np.unique(values[known], return_inverse=True)
        codes = np.full(len(values), MISSING_CODE)
        codes[known] = places
        texts = tuple(number_text(value) for value in found.tolist())
        columns.append((_nominal(schema, name, texts), codes))
    return examples.with_values(columns)
