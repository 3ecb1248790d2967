"""Which rows stay, and in which order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field

from fsops.core import Aliases, AttributeName, Context, Named, When, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData
from fsops.data.columns import is_missing
from fsops.data.expression import Expression
from fsops.data.expression_values import (
    DATE,
    NOMINAL,
    NUMERICAL,
    Misfit,
    Value,
    compare,
    date,
    number,
    text,
    value_of,
)
from fsops.data.patterns import user_pattern
from fsops.data.schema import PREDICTION, Attribute
from fsops.errors import DataError, ParameterError, did_you_mean, quoted
from fsops.operators.preparation.prepared import ALIASES, PORTS

GROUP = "Preparation/Rows"
Mask = npt.NDArray[np.bool_]

Direction = Literal["increasing", "decreasing"]
_SIGN = re.compile(r"\s*(.+?)\s*(<=|>=|!=|<>|==?|<|>)\s*(.+?)\s*", re.DOTALL)
_COMPARED = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "equals": "==",
    "does_not_equal": "!=",
}
_ASKED: Mapping[str, Callable[[str, str], bool]] = {
    "is_in": lambda category, words: category in _listed(words),
    "is_not_in": lambda category, words: category not in _listed(words),
    "contains": lambda category, words: words in category,
    "does_not_contain": lambda category, words: words not in category,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "matches": lambda category, words: user_pattern(words, "filters_list").fullmatch(category),
}
_RELATIONS = (*_COMPARED, *_ASKED, "is_missing", "is_not_missing")
_FILTER = re.compile(rf"(.*?)\.({'|'.join(_RELATIONS)})(?:\.(.*))?", re.DOTALL)


class Filtered(NamedTuple):
    """Results of a filter."""

    examples: Annotated[ExampleSet, Named(description="The rows that fulfil the condition.")]
    unmatched: Annotated[ExampleSet, Named(description="All other rows.")]


def same_attributes(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return that the attributes stay and the number of rows is not known."""
    meta = inputs["examples"]
    return ExampleSetMetaData(schema=meta.schema) if isinstance(meta, ExampleSetMetaData) else meta


def unchanged(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return that attributes and number of rows stay."""
    return inputs["examples"]


def _describe_filtered(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    meta = inputs["examples"]
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    if schema is not None and parameters["condition_class"] == "expression":
        Expression.parse(parameters["parameter_expression"]).check_condition(schema)
    found = same_attributes(inputs, parameters)
    return {"examples": found, "unmatched": found}


def _entries(given: Any) -> Any:
    """Return the values of RapidMiner's list, in which every entry has the same key."""
    if isinstance(given, Mapping):
        return list(given.values())
    if not isinstance(given, list | tuple):
        return given
    return [
        item[1] if isinstance(item, list | tuple) and len(item) == 2 else item for item in given
    ]


@operator(
    group=GROUP,
    role="rows",
    describe=_describe_filtered,
    aliases=Aliases(ports={**PORTS, "unmatched example set": "unmatched"}),
    tags=("where", "select rows", "query", "condition", "missing"),
)
def filter_examples(
    examples: ExampleSet,
    *,
    condition_class: Annotated[
        Literal[
            "all",
            "correct_predictions",
            "wrong_predictions",
            "no_missing_attributes",
            "missing_attributes",
            "no_missing_labels",
            "missing_labels",
            "attribute_value_filter",
            "expression",
            "custom_filters",
        ],
        Field(description="Kind of condition that rows must fulfil."),
    ] = "custom_filters",
    parameter_string: Annotated[
        str,
        When(condition_class="attribute_value_filter"),
        Field(
            description="Comparisons such as Age > 60 && Sex = female, joined by && and ||. Texts "
            "are written without quotes and may be regular expressions; ? is a missing value."
        ),
    ] = "",
    parameter_expression: Annotated[
        str,
        When(condition_class="expression"),
        Field(description='A condition such as Age > 60 and (Sex == "female" or missing(Weight)).'),
    ] = "",
    filters_list: Annotated[
        list[str],
        BeforeValidator(_entries),
        When(condition_class="custom_filters"),
        Field(
            description="Conditions such as Age.gt.60. There are eq, ne, lt, le, gt, ge; equals, "
            "does_not_equal, is_in and is_not_in (values separated by ;), contains, "
            "does_not_contain, starts_with, ends_with, matches; is_missing, is_not_missing."
        ),
    ] = [],
    filters_logic_and: Annotated[
        bool,
        When(condition_class="custom_filters"),
        Field(
            description="Keep rows that fulfil all filters; otherwise one fulfilled filter is "
            "enough."
        ),
    ] = True,
    invert_filter: Annotated[
        bool, Field(description="Keep the rows that do not fulfil the condition.")
    ] = False,
    ctx: Context,
) -> Filtered:
    """Filter Examples

    Keeps the rows that fulfil a condition, in their order; the second output has the others.

    Expressions know attributes by name, those with spaces in square brackets: [blood pressure].
    There are + - * / % ^, comparisons, and, or, not (also && || !), if(condition, a, b),
    missing(x), and functions such as abs, sqrt, ln (base e), log (base 10), round, min, max,
    contains(x, "part"), starts, ends, lower, upper, length. Write texts in quotes.

    Every comparison with a missing value is false, also "not equal". So a row with a missing Age
    is neither in Age > 60 nor in Age <= 60; ask for it with missing(Age).
    """
    if condition_class == "attribute_value_filter":
        kept = _by_string(examples, parameter_string)
    elif condition_class == "expression":
        kept = Expression.parse(parameter_expression).mask(examples)
    elif condition_class == "custom_filters":
        kept = _by_filters(examples, filters_list, filters_logic_and, ctx)
    else:
        kept = _SIMPLE[condition_class](examples)
    if invert_filter:
        kept = ~kept
    return Filtered(examples.take(kept), examples.take(~kept))


# --- simple conditions ------------------------------------------------------------------------


def _has_missing(examples: ExampleSet) -> Mask:
    schema = examples.schema
    found = is_missing(examples.numeric()).any(axis=1) | is_missing(examples.nominal()).any(axis=1)
    for name in schema.names_at(schema.regular_other):
        found |= is_missing(examples.column(name))
    return np.asarray(found, dtype=np.bool_)


def _label_missing(examples: ExampleSet) -> Mask:
    return is_missing(examples.column(examples.label.name))


def _is_correct(examples: ExampleSet) -> Mask:
    predicted = examples.schema.special(PREDICTION)
    if predicted is None:
        raise DataError("The data has no prediction.", hint="Apply a model first (Apply Model).")
    one, two = (_values(examples, name) for name in (examples.label.name, predicted.name))
    return _compared("==", one, two, predicted.name)


_SIMPLE: Mapping[str, Callable[[ExampleSet], Mask]] = {
    "all": lambda examples: np.ones(len(examples), dtype=np.bool_),
    "correct_predictions": _is_correct,
    "wrong_predictions": lambda examples: ~_is_correct(examples),
    "no_missing_attributes": lambda examples: ~_has_missing(examples),
    "missing_attributes": _has_missing,
    "no_missing_labels": lambda examples: ~_label_missing(examples),
    "missing_labels": _label_missing,
}


# --- conditions on single attributes ----------------------------------------------------------


def _values(examples: ExampleSet, name: str) -> Value:
    return value_of(examples.schema.attribute(name), examples.column(name))


def _compared(symbol: str, one: Value, two: Value, name: str) -> Mask:
    if one.kind == NOMINAL and symbol not in ("==", "!="):
        raise DataError(
            f"{quoted(name)} has texts, which cannot be ordered by {quoted(symbol)}.",
            hint="Ask whether they are equal.",
        )
    try:
        found: Mask = compare(symbol, one, two).data
    except Misfit as misfit:
        message = f"{quoted(symbol)} {misfit.message}, in the condition on {quoted(name)}."
        raise DataError(message, hint=misfit.hint) from None
    return found


def _against(value: Value, name: str, words: str) -> Value:
    """Return the value to compare with, in the type of the attribute."""
    try:
        if value.kind == NUMERICAL:
            return number(float(words))
        return date(words) if value.kind == DATE else text(words)
    except ValueError:
        message = f"{quoted(name)} holds numbers and cannot be compared with {quoted(words)}."
        raise DataError(message, hint="Give a number.") from None
    except Misfit as misfit:
        message = f"The condition on {quoted(name)} {misfit.message}."
        raise DataError(message, hint=misfit.hint) from None


def _by_string(examples: ExampleSet, words: str) -> Mask:
    """Return the rows that fulfil RapidMiner's attribute value filter; && before ||."""
    if not words.strip():
        raise ParameterError("parameter_string is empty.", hint="Write something such as Age > 60.")
    either = [
        np.logical_and.reduce([_by_comparison(examples, part) for part in choice.split("&&")])
        for choice in words.split("||")
    ]
    found: Mask = np.logical_or.reduce(either)
    return found


def _by_comparison(examples: ExampleSet, part: str) -> Mask:
    match = _SIGN.fullmatch(part)
    if match is None:
        raise ParameterError(
            f"parameter_string has {quoted(part.strip())}, which is not a comparison.",
            hint="Write an attribute, a sign and a value, such as Age > 60.",
        )
    name, sign, words = match.groups()
    symbol = {"=": "==", "<>": "!="}.get(sign, sign)
    value = _values(examples, name)
    if words == "?" and symbol in ("==", "!="):
        return value.missing if symbol == "==" else ~value.missing
    if value.kind == NOMINAL and symbol in ("==", "!="):
        equal = _equal_or_fitting(value, words)
        return equal if symbol == "==" else ~equal & ~value.missing
    return _compared(symbol, value, _against(value, name, words), name)


def _equal_or_fitting(value: Value, words: str) -> Mask:
    if words in value.categories or re.escape(words) == words:
        return _asked(value, lambda category: category == words)
    return _asked(value, user_pattern(words, "parameter_string").fullmatch)


def _by_filters(
    examples: ExampleSet, filters: list[str], all_must_hold: bool, ctx: Context
) -> Mask:
    if not filters:
        ctx.warn("No filter is set: all rows match.")
        return np.ones(len(examples), dtype=np.bool_)
    masks = [_by_filter(examples, entry) for entry in filters]
    found: Mask = np.logical_and.reduce(masks) if all_must_hold else np.logical_or.reduce(masks)
    return found


def _by_filter(examples: ExampleSet, entry: str) -> Mask:
    name, relation, words = _taken_apart(entry, examples)
    value = _values(examples, name)
    if relation == "is_missing":
        return value.missing
    if relation == "is_not_missing":
        return ~value.missing
    if relation in _COMPARED:
        return _compared(_COMPARED[relation], value, _against(value, name, words), name)
    if value.kind != NOMINAL:
        kind = examples.schema.attribute(name).value_type
        hint = "For numbers and dates there are eq, ne, lt, le, gt and ge."
        message = f"{quoted(relation)} asks about texts, but {quoted(name)} is {kind}."
        raise DataError(message, hint=hint)
    return _asked(value, lambda category: _ASKED[relation](category, words))


def _asked(value: Value, ask: Callable[[str], bool]) -> Mask:
    answers = np.array([*map(ask, value.categories), False], dtype=np.bool_)  # -1 is the last place
    found: Mask = answers[value.data]
    return found


def _taken_apart(entry: str, examples: ExampleSet) -> tuple[str, str, str]:
    match = _FILTER.fullmatch(entry)
    if match is None:
        parts = entry.split(".")
        hint = did_you_mean(parts[1], _RELATIONS) if len(parts) > 1 else ""
        raise ParameterError(
            f"filters_list has {quoted(entry)}, which is not a filter.",
            hint=hint or "Write attribute.relation.value, such as Age.gt.60.",
        )
    name, relation, words = match[1], match[2], match[3] or ""
    plain = re.sub(r"\\([.\\])", r"\1", name)  # RapidMiner puts a \ before dots
    name = name if name in examples.schema else plain
    return name, relation, re.sub(r"\\\.", ".", words)


def _listed(words: str) -> list[str]:
    return [re.sub(r"\\;", ";", part) for part in re.split(r"(?<!\\);", words)]


# --- places and order -------------------------------------------------------------------------


@operator(
    group=GROUP,
    role="rows",
    describe=same_attributes,
    aliases=ALIASES,
    tags=("head", "first rows", "slice", "limit"),
)
def filter_example_range(
    examples: ExampleSet,
    *,
    first_example: Annotated[int, Field(ge=1, description="The first row; counted from 1.")],
    last_example: Annotated[
        int, Field(ge=1, description="The last row of the range; it is kept too.")
    ],
    invert_filter: Annotated[
        bool, Field(description="Keep the rows outside of the range.")
    ] = False,
    ctx: Context,
) -> ExampleSet:
    """Filter Example Range

    Keeps the rows from one row number to another, both included. The first row is row 1.
    """
    if first_example > last_example:
        raise ParameterError(
            f"first_example is {first_example}, but last_example is {last_example}: "
            "the first cannot come after the last."
        )
    if first_example > len(examples):
        message = f"first_example is {first_example}, but there are {len(examples)} rows."
        raise DataError(message, hint="Choose rows that are there.")
    if last_example > len(examples):
        ctx.warn(f"last_example is {last_example}, but there are only {len(examples)} rows.")
    place = np.arange(1, len(examples) + 1)
    inside = (place >= first_example) & (place <= last_example)
    return examples.take(~inside if invert_filter else inside)


@operator(
    group=GROUP,
    role="rows",
    describe=unchanged,
    aliases=ALIASES,
    tags=("permute", "random order", "mix"),
    random=True,
)
def shuffle(examples: ExampleSet, *, ctx: Context) -> ExampleSet:
    """Shuffle

    Puts the rows into a random order. The same seed of the process gives the same order.
    """
    return examples.take(ctx.rng("order").permutation(len(examples)))


@operator(
    group=GROUP,
    role="rows",
    describe=unchanged,
    aliases=ALIASES,
    tags=("order by", "rank", "arrange"),
)
def sort(
    examples: ExampleSet,
    *,
    attribute: Annotated[str, AttributeName(), Field(description="Attribute to sort by.")],
    sort_direction: Annotated[
        Direction, Field(description="Direction: the smallest or the largest values first.")
    ] = "increasing",
    sort_additionally_by: Annotated[
        dict[str, Direction],
        Field(
            description="Further attributes with their direction, for rows with equal values in "
            "the first attribute."
        ),
    ] = {},
) -> ExampleSet:
    """Sort

    Puts the rows into the order of an attribute: numbers by size, nominal values and texts by the
    alphabet, dates by time. Rows with equal values keep their order; missing values come last in
    both directions.
    """
    keys = {attribute: sort_direction, **sort_additionally_by}
    ranks = [
        _ranks(examples.schema.attribute(name), examples.column(name), direction)
        for name, direction in keys.items()
    ]
    return examples.take(np.lexsort(ranks[::-1]))  # the last key of lexsort counts most


def _ranks(attribute: Attribute, stored: npt.NDArray[Any], direction: str) -> npt.NDArray[np.intp]:
    value = value_of(attribute, stored)
    data = value.data
    if value.kind == NOMINAL:
        by_name = np.argsort(np.argsort(np.array(value.categories, dtype=object), kind="stable"))
        data = np.append(by_name, -1)[data]
    ranks = np.unique(data, return_inverse=True)[1].reshape(data.shape).astype(np.intp)
    ranks = -ranks if direction == "decreasing" else ranks
    ranks[value.missing] = len(ranks) + 1
    return ranks
