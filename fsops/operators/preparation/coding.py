"""Categories as numbers, numbers as categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Context, When, operator
from fsops.data import Attribute, ExampleSet, Schema, ValueType
from fsops.data.attribute_groups import AttributeGroups
from fsops.data.categories import Categories, MadeLists
from fsops.data.columns import MISSING_CODE, nominal_column
from fsops.data.names import Names, Positions
from fsops.data.schema import FORBIDDEN, MUST_KEEP
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names
from fsops.memory import require
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
)

GROUP = "Preparation/Types"
TRUTH = ("false", "true")
DUMMY, EFFECT, INTEGERS = "dummy coding", "effect coding", "unique integers"
NO_OPPOSITE = -2  # no code is below that of missing values, -1
CODING_BYTES = 16  # of an indicator, with the codes and masks it is made of
PLAIN_BELOW = 1e15  # larger numbers are written with an exponent

Codes = npt.NDArray[np.int32]
Underscore = Annotated[
    bool, Field(description='Name new attributes "attribute_category", not "attribute = category".')
]


# --- categories to numbers ------------------------------------------------------------------


@dataclass(frozen=True)
class IndicatorCoding:
    """Replaces nominal attributes by indicators at the end of the table.

    An indicator is 1 for one category, -1 for its opposite, and 0 for others, known or not.
    """

    sources: Schema
    names: Sequence[str]
    """Of the indicators."""
    source: Positions
    """Which attribute each indicator is made of."""
    code: Positions
    """The category that becomes 1."""
    opposite: Positions
    """The category that becomes -1; `NO_OPPOSITE` if there is none."""
    binominal: bool = False
    """Whether indicators are false or true instead of 0 or 1."""
    bound: bool = False
    """Whether selections take the indicators of one attribute together."""

    @cached_property
    def _indicators(self) -> Schema:
        """The new attributes."""
        if self.binominal:
            made = Schema.nominal(self.names, Categories.same(TRUTH, len(self.names)))
        else:
            made = Schema.numerical(self.names, ValueType.INTEGER)
        for role in (MUST_KEEP, FORBIDDEN):  # that of the attribute is that of its indicators
            marked = np.flatnonzero(np.isin(self.source, self.sources.marked(role)))
            made = made.with_mark(marked, role) if len(marked) else made
        sizes = np.bincount(self.source, minlength=len(self.sources))
        groups = AttributeGroups.of_sizes(
            self.sources.names, sizes.tolist(), np.arange(len(self.names)), bound=self.bound
        )
        return made.with_groups(groups if len(groups) else None)

    def schema_after(self, schema: Schema) -> Schema:
        """Return the schema with the new attributes; an error if one of them is there already."""
        rest = schema.take(_without(schema, self.sources.names))
        double = np.flatnonzero(rest.names.find(self.names) >= 0)
        if len(double):
            names = enumerate_names([self.names[place] for place in double.tolist()])
            raise DataError(
                f"New attributes would be called {names}, as others are already.",
                hint="Rename those, or change use_underscore_in_name.",
            )
        return rest.appended(self._indicators)

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with indicators; categories not known before belong to none."""
        self.schema_after(examples.schema)
        rest = examples.drop(self.sources.names)
        return rest.beside(ExampleSet.of_matrix(self._indicators, self._values(examples)))

    def _values(self, examples: ExampleSet) -> npt.NDArray[Any]:
        require(
            CODING_BYTES * len(examples) * len(self.names),
            f"The coding of {len(self.sources):,} nominal attributes as {len(self.names):,} "
            f"indicators for {len(examples):,} rows",
            "Leave out attributes with many categories, such as names (Select Attributes), or code "
            "them as unique integers.",
        )
        given = examples.values(examples.schema.positions(self.sources.names))
        known = examples.aligned(self.sources).values(np.arange(len(self.sources)))
        # Columns of the table in rows, so that the result is stored column by column.
        codes, missing = known.T[self.source], given.T[self.source] == MISSING_CODE
        values = (codes == self.code[:, None]).astype(np.int32 if self.binominal else np.float64)
        values[codes == self.opposite[:, None]] = -1
        values[missing] = MISSING_CODE if self.binominal else np.nan
        by_column: npt.NDArray[Any] = values.T
        return by_column


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
        codes = examples.aligned(self.sources).values(np.arange(len(self.sources)))
        numbers = np.where(codes == MISSING_CODE, np.nan, codes)
        return examples.with_block(*_integers(examples.schema, self.sources.names), numbers)


def _integers(schema: Schema, names: Sequence[str]) -> tuple[Schema, Positions]:
    """Return the schema with some attributes as whole numbers, and where they are."""
    positions = schema.positions(names)
    return schema.as_numbers(positions, ValueType.INTEGER), positions


def _indicators(
    sources: Schema,
    parameters: Mapping[str, Any],
    groups: Positions | None = None,
    *,
    effect: bool = False,
    binominal: bool = False,
) -> IndicatorCoding:
    """Return an indicator for each category of each attribute but those of a comparison group."""
    counts = sources.category_counts(np.arange(len(sources)))
    source = np.repeat(np.arange(len(sources)), counts)
    code = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
    if groups is not None:
        others = code != groups[source]
        source, code = source[others], code[others]
    opposite = groups[source] if effect and groups is not None else np.full(len(code), NO_OPPOSITE)
    names = _indicator_names(sources, source, code, parameters)
    bound = parameters.get("select_together", False)
    return IndicatorCoding(sources, names, source, code, opposite, binominal, bound)


def _indicator_names(
    sources: Schema, source: Positions, code: Positions, parameters: Mapping[str, Any]
) -> list[str]:
    """Return the name of the attribute with that of the category, for all indicators at once."""
    between = "_" if parameters["use_underscore_in_name"] else " = "
    categories = sources.categories(np.arange(len(sources)))
    numbers, places = np.unique(categories.number_of, return_inverse=True)
    lists = [categories.lists[number] for number in numbers.tolist()]
    endings = np.array([between + text for each in lists for text in each], dtype=object)
    first = np.cumsum([0, *map(len, lists)])
    names = np.asarray(sources.names, dtype=object)[source] + endings[first[places[source]] + code]
    texts: list[str] = names.tolist()
    return texts


def _coding(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> IndicatorCoding:
    """Return dummy or effect coding of nominal attributes."""
    sources = schema.take(schema.positions(names))
    groups = _comparison_groups(schema, sources.names, parameters)
    return _indicators(sources, parameters, groups, effect=parameters["coding_type"] == EFFECT)


def _comparison_groups(
    schema: Schema, names: Names, parameters: Mapping[str, Any]
) -> Positions | None:
    """Return the code of the category without an attribute; None if all have one."""
    if parameters["coding_type"] == DUMMY and not parameters["use_comparison_groups"]:
        return None
    given = parameters["comparison_groups"]
    schema.positions(given)
    groups = np.zeros(len(names), dtype=np.intp)
    for name, place in zip(given, names.find(list(given)).tolist(), strict=True):
        if place >= 0:
            groups[place] = _code_of(schema.attribute(name), given[name])
    return groups


def _code_of(attribute: Attribute, category: str) -> int:
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
        return _integers(schema, nominal)[0]
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
        Field(description="Coding of the categories as numbers."),
    ] = "dummy coding",
    use_comparison_groups: Annotated[
        bool,
        When(coding_type=DUMMY),
        Field(
            description="Leave out one category of each attribute; rows of this category have "
            "0 in all others."
        ),
    ] = False,
    comparison_groups: Annotated[
        dict[str, str],
        When(coding_type=EFFECT) | When(coding_type=DUMMY, use_comparison_groups=True),
        Field(
            description="Category to leave out, by attribute; the first category if none is given."
        ),
    ] = {},
    use_underscore_in_name: Annotated[Underscore, When(coding_type=(DUMMY, EFFECT))] = False,
    select_together: Annotated[
        bool,
        When(coding_type=(DUMMY, EFFECT)),
        Field(
            description="Bind the new attributes of one old attribute: selections keep or drop "
            "them as one, or refuse them."
        ),
    ] = False,
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Nominal to Numerical

    Converts nominal attributes to numbers, for methods that need numbers. The model applies the
    same coding to other rows, with the categories of the training rows.

    - dummy coding: a new attribute for every category, 1 where the row has it and 0 elsewhere.
    - effect coding: the same without one category, the comparison group; where the row has that,
      all are -1.
    - unique integers: the number of the category, counted from 0. The order of the numbers has no
      meaning, but most methods use it: choose unique integers only for attributes with two
      categories, or for trees.

    New attributes are at the end. An unknown category becomes 0 in all new attributes (dummy and
    effect coding), or missing (unique integers). Missing values stay missing. An attribute with
    very many categories, such as a name, is better left out before. The new attributes of one old
    attribute are a group with its name, and have its role must_keep or forbidden.
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
        "select_together": select_together,
    }
    coding = _coding(examples.schema, names, parameters)
    return prepared(examples, coding, names, "Nominal to Numerical")


def _chosen(examples: ExampleSet, chosen: Mapping[str, Any], ctx: Context) -> Sequence[str]:
    names = nominal_among(examples.schema, selected_names(examples, chosen))
    if not names:
        ctx.warn("No nominal attribute is chosen, so nothing is changed.")
    return names


# --- categories to yes and no ---------------------------------------------------------------


def _yes_or_no(
    schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]
) -> IndicatorCoding:
    few = 0 if parameters["transform_binominal"] else 2
    positions = schema.positions(names)
    sources = schema.take(positions[schema.category_counts(positions) > few])
    return _indicators(sources, parameters, binominal=True)


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
    and false elsewhere. The model applies the same coding to other rows, with the categories of the
    training rows.

    New attributes are at the end. An unknown category is false in all new attributes. Missing
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
    return _true_or_false(schema, schema.positions(numerical_among(schema, names)))


def _true_or_false(schema: Schema, positions: Positions) -> Schema:
    return schema.as_nominal(positions, Categories.same(TRUTH, len(positions)))


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
    positions = schema.positions(
        numerical_among(schema, selected_names(examples, attribute_filter))
    )
    values = examples.values(positions)
    codes = ((values < min) | (values > max)).astype(np.int32, order="F")
    codes[np.isnan(values)] = MISSING_CODE
    return examples.with_block(_true_or_false(schema, positions), positions, codes)


def _unknown(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> None:
    """Only the run finds the categories."""


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

    Makes every number a separate category, for numbers that are names: codes, years, classes.
     Categories are in the order of the numbers. Missing values stay missing.

    For measurements, of which nearly all differ, use one of the Discretize operators.
    """
    schema = examples.schema
    names = numerical_among(schema, selected_names(examples, attribute_filter))
    positions = schema.positions(names)
    codes, texts = _numbered_values(examples.values(positions))
    return examples.with_block(
        schema.as_nominal(positions, Categories.made(texts)), positions, codes
    )


@dataclass(frozen=True, eq=False)
class NumberTexts(MadeLists):
    """Different numbers of every attribute as categories, made when they are read."""

    numbers: npt.NDArray[np.float64]
    """Of one attribute after the other, in ascending order."""
    counts: Positions
    """How many numbers each attribute has."""

    @property
    def lengths(self) -> Positions:
        """Number of categories of each attribute."""
        return self.counts

    @cached_property
    def _ends(self) -> Positions:
        return np.cumsum(self.counts)

    def texts(self, number: int) -> tuple[str, ...]:
        """Return the numbers of one attribute as texts."""
        end = self._ends[number]
        mine = self.numbers[end - self.counts[number] : end]
        return tuple(number_text(value) for value in mine.tolist())

    def same_as(self, other: MadeLists) -> bool:
        """Return whether the numbers are the same."""
        return (
            isinstance(other, NumberTexts)
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.numbers, other.numbers)
        )


def _numbered_values(values: npt.NDArray[np.float64]) -> tuple[Codes, NumberTexts]:
    """Return the place of each value among the different ones of its column, and these."""
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    first = ~np.isnan(ordered)
    first[1:] &= ordered[1:] != ordered[:-1]
    codes = np.empty(values.shape, dtype=np.int32, order="F")
    np.put_along_axis(codes, order, np.cumsum(first, axis=0, dtype=np.int32) - 1, axis=0)
    codes[np.isnan(values)] = MISSING_CODE
    return codes, NumberTexts(ordered.T[first.T], first.sum(axis=0))


# --- other types ----------------------------------------------------------------------------


def _reals(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    return schema.as_numbers(schema.positions(numerical_among(schema, names)))


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_reals),
    aliases=ALIASES,
    tags=("integer", "real", "type", "convert"),
)
def numerical_to_real(
    examples: ExampleSet, **attribute_filter: Unpack[AttributeFilter]
) -> ExampleSet:
    """Numerical to Real

    Declares whole numbers as real numbers. No value changes.
    """
    names = numerical_among(examples.schema, selected_names(examples, attribute_filter))
    positions = examples.schema.positions(names)
    return examples.with_numbers(positions, examples.values(positions))


def _texts(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    for name in nominal_among(schema, names):
        old = schema.attribute(name)
        schema = schema.replaced(Attribute(name, ValueType.TEXT, old.role))
    return schema


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_texts),
    aliases=ALIASES,
    tags=("string", "text", "type", "convert"),
)
def nominal_to_text(
    examples: ExampleSet, **attribute_filter: Unpack[AttributeFilter]
) -> ExampleSet:
    """Nominal to Text

    Converts categories to free texts. Learners and weightings do not use texts.
    """
    names = nominal_among(examples.schema, selected_names(examples, attribute_filter))
    columns = [
        (
            Attribute(name, ValueType.TEXT, examples.schema.attribute(name).role),
            np.array(examples.nominal_values(name), dtype=object),
        )
        for name in names
    ]
    return examples.with_values(columns)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_unknown),
    aliases=ALIASES,
    tags=("string", "category", "factor", "type", "convert"),
)
def text_to_nominal(
    examples: ExampleSet, **attribute_filter: Unpack[AttributeFilter]
) -> ExampleSet:
    """Text to Nominal

    Converts free texts to categories, one for each different text, in alphabetical order.
    """
    schema = examples.schema
    chosen = schema.positions(selected_names(examples, attribute_filter))
    texts = schema.names_at(chosen[np.isin(chosen, schema.of_types({ValueType.TEXT}))])
    columns = [
        nominal_column(name, examples.column(name).tolist(), schema.attribute(name).role)
        for name in texts
    ]
    return examples.with_values(columns)
