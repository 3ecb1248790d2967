"""Missing values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Unpack, get_args

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.preparation.discretize import quantiles
from fsops.algorithms.preparation.normalization import mean_and_deviation
from fsops.core import Context, When, operator
from fsops.data import (
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    Schema,
)
from fsops.data.categories import Categories
from fsops.data.columns import MISSING_CODE, is_missing
from fsops.data.names import Names, Positions
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

RULES: tuple[str, ...] = get_args(Rule)
Figures = tuple[Positions, Floats]
"""Attributes, and the number that takes the place of missing ones in each."""
Fillings = tuple[Positions, list[str], Positions]
"""Attributes, categories, and which of these takes the place of missing ones in each."""
NOWHERE: Positions = np.zeros(0, dtype=np.intp)

Default = Annotated[
    Rule,
    Field(
        description="Replacement of a missing number. In nominal attributes average means "
        "the most frequent category; of the other rules only value changes them."
    ),
]
Columns = Annotated[dict[str, str], Field(description="Another rule for some attributes, by name.")]
Value = Annotated[
    str,
    When(default="value"),
    Field(description="Replacement for the rule value: a number, or a category."),
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

    numerical: Names
    numbers: Floats
    """Replacements of missing numbers, by attribute."""
    nominal: Names
    texts: tuple[str, ...]
    """The different categories that take the place of missing ones."""
    text_of: Positions
    """Which of them each nominal attribute gets."""

    @property
    def names(self) -> Names:
        """All attributes whose missing values are replaced."""
        return self.numerical.joined(self.nominal)

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table without the missing values that can be replaced."""
        return self._with_categories(self._with_numbers(examples))

    def _with_numbers(self, examples: ExampleSet) -> ExampleSet:
        positions = examples.schema.positions(self.numerical)
        values = examples.values(positions)
        missing = np.isnan(values)
        (gaps,) = missing.any(axis=0).nonzero()
        if not gaps.size:
            return examples
        filled = np.where(missing[:, gaps], self.numbers[gaps], values[:, gaps])
        return examples.with_numbers(positions[gaps], filled, real=False)

    def _with_categories(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with categories in the gaps, also with those that it lacks."""
        if not len(self.nominal):
            return examples
        schema = examples.schema
        positions = schema.positions(self.nominal)
        old = schema.categories(positions)
        fillings = Categories.of((text,) for text in self.texts).take(self.text_of)
        new = old.merged(fillings)
        # The code of the filling in each attribute: the only category of a column of zeros.
        zeros = np.zeros((1, len(positions)), dtype=np.int32)
        codes = fillings.recoded(zeros, new)
        stored = examples.values(positions)
        filled = np.where(stored == MISSING_CODE, codes, stored)
        grown = np.flatnonzero(new.counts() > old.counts())
        declared = schema.as_nominal(positions[grown], new.take(grown))
        return examples.with_block(declared, positions, filled.astype(np.int32, copy=False))


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
    places, rules = _rules(schema, selected_names(examples, chosen), default, columns)
    numbers, categories = [], []
    for number in np.unique(rules).tolist():
        mine, rule = schema.names_at(places[rules == number]), RULES[number]
        numbers.append(_figures(examples, numerical_among(schema, mine), rule, value, offset))
        categories.append(_categories(examples, nominal_among(schema, mine), rule, value))
    replenishment = _joined(schema, numbers, categories)
    wanted = schema.names_at(places[rules != RULES.index("none")])
    _warn_of_empty(examples, wanted, replenishment.names, ctx)
    return prepared(examples, replenishment, replenishment.names, name)


def _warn_of_empty(
    examples: ExampleSet, wanted: Names, filled: Sequence[str], ctx: Context
) -> None:
    """Warn of attributes whose gaps stay, because no row has a value."""
    left = wanted.take(np.flatnonzero(Names.of(filled).find(wanted) < 0))
    special = [name for name in examples.schema.roles if is_missing(examples.column(name)).all()]
    missing = examples.missing_by_attribute
    empty = [name for name, count in missing.items() if count == len(examples)] + special
    empty = [name for name in empty if name in left]
    if empty and len(examples):
        ctx.warn(
            f"{enumerate_names(empty)} {'has' if len(empty) == 1 else 'have'} no known value: the "
            "gaps stay. Remove the attribute, or set default to zero or value."
        )


def _rules(
    schema: Schema, names: Sequence[str], default: str, columns: Mapping[str, str]
) -> tuple[Positions, Positions]:
    """Return the attributes that have a rule, and the place of each rule in `RULES`."""
    for attribute, rule in columns.items():
        schema.position(attribute)
        if rule not in RULES:
            hint = did_you_mean(rule, RULES)
            raise ParameterError(f'"{rule}" (for "{attribute}") is not a rule.', hint=hint)
    rules = np.full(len(schema), -1)
    rules[schema.positions(names)] = RULES.index(default)
    rules[schema.positions(columns)] = [RULES.index(rule) for rule in columns.values()]
    places = np.flatnonzero(rules >= 0)
    return places, rules[places]


def _joined(
    schema: Schema, numbers: Sequence[Figures], categories: Sequence[Fillings]
) -> Replenishment:
    """Return what all rules together put in."""
    numerical = np.concatenate([NOWHERE, *(places for places, _ in numbers)])
    figures = np.concatenate([np.zeros(0), *(found for _, found in numbers)])
    nominal = np.concatenate([NOWHERE, *(places for places, _, _ in categories)])
    texts = tuple(text for _, found, _ in categories for text in found)
    starts = np.cumsum([0, *(len(found) for _, found, _ in categories)])
    text_of = [which + start for (_, _, which), start in zip(categories, starts, strict=False)]
    return Replenishment(
        schema.names_at(numerical),
        figures,
        schema.names_at(nominal),
        texts,
        np.concatenate([NOWHERE, *text_of]),
    )


def _categories(examples: ExampleSet, names: Names, rule: str, value: str) -> Fillings:
    """Return the replacements of missing categories, where a known row provides one."""
    positions = examples.schema.positions(names)
    if rule == "value":
        return positions, [value], np.zeros(len(positions), dtype=np.intp)
    if rule != "average" or not len(positions):
        return NOWHERE, [], NOWHERE
    counts = examples.schema.category_counts(positions)
    code = _most_frequent(examples.values(positions), counts)
    positions, code = positions[code >= 0], code[code >= 0]
    categories = examples.schema.categories(positions)
    width = int(counts.max()) + 1
    pairs, text_of = np.unique(categories.number_of * width + code, return_inverse=True)
    texts = [categories.lists[pair // width][pair % width] for pair in pairs.tolist()]
    return positions, texts, text_of.reshape(-1)


def _most_frequent(codes: npt.NDArray[Any], counts: Positions) -> Positions:
    """Return the most frequent code of each column, of several the lowest; -1 if it has none."""
    starts = np.cumsum(counts) - counts
    known = codes != MISSING_CODE
    frequency = np.bincount((codes + starts)[known], minlength=int(counts.sum()))
    column = np.repeat(np.arange(len(counts)), counts)
    # The last of a stable order: sorted by column, then frequency, then from the highest code on.
    order = np.lexsort((-np.arange(len(frequency)), frequency, column))
    found = np.full(len(counts), -1, dtype=np.intp)
    some = counts > 0
    found[some] = order[np.cumsum(counts)[some] - 1] - starts[some]
    return np.where(known.any(axis=0), found, -1)


def _figures(examples: ExampleSet, names: Names, rule: str, value: str, offset: float) -> Figures:
    """Return the replacements of missing numbers, where a known number provides one."""
    positions = examples.schema.positions(names)
    if not len(positions) or rule == "none":
        return NOWHERE, np.zeros(0)
    if rule == "value":
        return positions, np.full(len(positions), _number(names[0], value) + offset)
    X = examples.values(positions)
    figures = _STATISTICS[rule](X) + offset
    known = ~np.isnan(X).all(axis=0) if rule != "zero" else np.ones(len(names), dtype=bool)
    return positions[known], figures[known]


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise DataError(
            f'"{value}" cannot replace a missing number in "{name}".',
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

    Fills missing values of the chosen attributes, by default all regular ones, each with its
    average, median, minimum, maximum, zero or a given value. The model fills other rows with the
    same values: inside a validation, apply it to the test rows instead of filling before.

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
        float, Field(description="Added to the replacement of a missing number.")
    ] = 1.0,
    columns: Columns = {},
    replenishment_value: Value = "0",
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Replace Missing Values (with offset)

    Fills missing values as Replace Missing Values does and adds a constant to every filled number.
    For values that are missing because the experiment ended. Example: days until a level is reached
    become the last day plus an offset, so that these rows differ from rows that reached the level
    on the last day.

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
