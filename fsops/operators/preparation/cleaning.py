"""Values that are declared missing, mapped, replaced or no longer used; rows that occur twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Aliases, Context, Named, When, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData
from fsops.data.categories import Categories
from fsops.data.columns import MISSING_CODE, is_missing
from fsops.data.expression import Expression
from fsops.data.names import Names
from fsops.data.patterns import user_pattern
from fsops.data.schema import NOMINAL, NUMERICAL
from fsops.errors import ParameterError
from fsops.operators.preparation.attribute_filter import (
    AttributeFilter,
    selected_names,
)
from fsops.operators.preparation.prepared import (
    ALIASES,
    ANY_VALUES,
    PORTS,
    describe_change,
    nominal_among,
    numerical_among,
)
from fsops.operators.preparation.rows import same_attributes

GROUP = "Preparation/Types"
_JAVA_GROUP = re.compile(r"\\(.)|\$(\d)")

Change = Callable[[str], str | None]
ReplaceBy = Annotated[
    str, Field(description="Replacement; $1 is the first group of the expression.")
]


def _same_schema(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return that attributes and rows stay; more values may be missing."""
    meta = inputs["examples"]
    if not isinstance(meta, ExampleSetMetaData):
        return meta
    return ExampleSetMetaData(schema=meta.schema, rows=meta.rows, missing=meta.missing)


def recategorized(examples: ExampleSet, names: Names, change: Change) -> ExampleSet:
    """Return the table with other categories; None makes a category missing.

    Categories that become equal become one category. Each different list of categories is changed
    once.
    """
    if not names:
        return examples
    positions = examples.schema.positions(names)
    old = examples.schema.categories(positions)
    numbers, which = np.unique(old.number_of, return_inverse=True)
    lists: list[tuple[str, ...]] = []
    tables: list[list[int]] = []
    for number in numbers.tolist():
        texts = [change(text) for text in old.lists[number]]
        place = {
            text: code for code, text in enumerate(dict.fromkeys(t for t in texts if t is not None))
        }
        lists.append(tuple(place))
        tables.append([MISSING_CODE if text is None else place[text] for text in texts])
    starts = np.cumsum([0, *map(len, tables)])[:-1]
    lookup = np.array(
        [code for table in tables for code in table] or [MISSING_CODE], dtype=np.int32
    )
    stored = examples.values(positions)
    known = stored != MISSING_CODE
    codes = lookup[np.where(known, stored + starts[which], 0)]
    schema = examples.schema.as_nominal(positions, Categories.of(lists).take(which))
    return examples.with_block(
        schema, positions, np.where(known, codes, MISSING_CODE).astype(np.int32)
    )


# --- missing values -------------------------------------------------------------------------


@operator(
    group="Preparation/Missing values",
    role="preparation",
    accepts=ANY_VALUES,
    describe=_same_schema,
    aliases=ALIASES,
    tags=("missing", "unknown", "na", "nan", "-999", "code for missing"),
)
def declare_missing_value(
    examples: ExampleSet,
    *,
    mode: Annotated[
        Literal["numeric", "nominal", "expression"],
        Field(
            description="Values that become missing: a number, a category, or the values in rows "
            "that fulfil a condition."
        ),
    ] = "numeric",
    numeric_value: Annotated[
        float, When(mode="numeric"), Field(description="The number, such as -999.")
    ] = 0.0,
    nominal_value: Annotated[
        str, When(mode="nominal"), Field(description="The category, such as unknown.")
    ] = "",
    expression_value: Annotated[
        str,
        When(mode="expression"),
        Field(description="Condition such as Age < 0: where it holds, the values become missing."),
    ] = "",
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Declare Missing Value

    Makes values missing that mean "unknown", such as -999 or "n/a". Use it before any
    statistic: a code for missing values looks like an extreme measurement.

    Other attributes and values do not change. Replace Missing Values can fill them afterwards.
    """
    names = selected_names(examples, attribute_filter)
    if mode == "nominal":
        chosen = nominal_among(examples.schema, names)
        return recategorized(examples, chosen, lambda t: None if t == nominal_value else t)
    positions = examples.schema.positions(numerical_among(examples.schema, names))
    if mode == "numeric":
        values = examples.values(positions)
        hit = values == numeric_value
        if not hit.any():
            ctx.warn(f"No chosen attribute has the value {numeric_value:g}: nothing is changed.")
            return examples
        return examples.with_numbers(positions, np.where(hit, np.nan, values), real=False)
    if not expression_value.strip():
        raise ParameterError("expression_value is empty.", hint="Write a condition, as in Age < 0.")
    rows = Expression.parse(expression_value).mask(examples)
    gaps = np.where(rows[:, None], np.nan, examples.values(positions))
    changed = examples.with_numbers(positions, gaps, real=False)
    nominal = changed.schema.positions(nominal_among(changed.schema, names))
    if not len(nominal):
        return changed
    codes = np.where(rows[:, None], MISSING_CODE, changed.values(nominal)).astype(np.int32)
    return changed.with_block(changed.schema, nominal, codes)


# --- categories -----------------------------------------------------------------------------


def _unknown_categories(*_: object) -> None:
    return None


def _template(replacement: str) -> str:
    """Return a replacement in Python's form: RapidMiner writes groups as $1."""

    def python(found: re.Match[str]) -> str:
        if found[2] is not None:
            return rf"\g<{found[2]}>"
        return "\\\\" if found[1] == "\\" else found[1]

    parts, end = [], 0
    for found in _JAVA_GROUP.finditer(replacement):
        parts += [replacement[end : found.start()].replace("\\", r"\\"), python(found)]
        end = found.end()
    return "".join([*parts, replacement[end:].replace("\\", r"\\")])


def replaced(parameter: str, pattern: str, replacement: str) -> Callable[[str], str]:
    """Return a function that replaces each match of a regular expression in a text."""
    expression, template = user_pattern(pattern, parameter), _template(replacement)

    def change(text: str) -> str:
        try:
            return expression.sub(template, text)
        except (re.error, IndexError) as error:
            raise ParameterError(
                f'replace_by is "{replacement}", which does not fit the expression: {error}.',
                hint="$1 needs a group in parentheses.",
            ) from None

    return change


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_unknown_categories),
    aliases=Aliases(keys=("replace",), ports=PORTS),
    tags=("regular expression", "substitute", "find and replace", "text"),
)
def replace_in_values(
    examples: ExampleSet,
    *,
    replace_what: Annotated[
        str, Field(min_length=1, description="Regular expression to look for in the categories.")
    ],
    replace_by: ReplaceBy = "",
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Replace in Values

    Replaces each match of a regular expression in the categories of nominal attributes. Categories
    that become equal become one category, for instance "Male " and "Male".

    Numbers and texts do not change.
    """
    chosen = nominal_among(examples.schema, selected_names(examples, attribute_filter))
    return recategorized(examples, chosen, replaced("replace_what", replace_what, replace_by))


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_unknown_categories),
    aliases=Aliases(keys=("map",), ports=PORTS),
    tags=("recode", "dictionary", "rename categories", "join categories"),
)
def map_values(
    examples: ExampleSet,
    *,
    value_mappings: Annotated[
        dict[str, str], Field(description="New categories, by the old ones.")
    ] = {},
    replace_what: Annotated[str, Field(description="One more old category; empty: none.")] = "",
    replace_by: Annotated[str, Field(description="The new category of replace_what.")] = "",
    consider_regular_expressions: Annotated[
        bool, Field(description="Read old categories as regular expressions for the whole text.")
    ] = False,
    add_default_mapping: Annotated[
        bool, Field(description="Give all other categories the default value.")
    ] = False,
    default_value: Annotated[
        str,
        When(add_default_mapping=True),
        Field(description="The new category of all that are not listed; empty: missing."),
    ] = "",
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Map Values

    Gives categories new names, by a list. Several categories may get the same name and become one,
    for instance to compare one group with all others.

    Only nominal attributes change. To use numbers in place of categories use Nominal to Numerical.
    """
    chosen = nominal_among(examples.schema, selected_names(examples, attribute_filter))
    mapping = {**value_mappings, **({replace_what: replace_by} if replace_what else {})}
    if not mapping and not add_default_mapping:
        ctx.warn("value_mappings is empty: nothing is changed.")
        return examples
    listed = mapping.items() if consider_regular_expressions else ()
    patterns = [(user_pattern(old, "value_mappings"), new) for old, new in listed]

    def change(text: str) -> str | None:
        if consider_regular_expressions:
            found = next((new for pattern, new in patterns if pattern.fullmatch(text)), None)
        else:
            found = mapping.get(text)
        if found is None and add_default_mapping:
            return default_value or None
        return text if found is None else found

    return recategorized(examples, chosen, change)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_unknown_categories),
    aliases=ALIASES,
    tags=("levels", "droplevels", "empty categories"),
)
def remove_unused_values(
    examples: ExampleSet,
    *,
    sort_mappings_alphabetically: Annotated[
        bool, Field(description="Sort the remaining categories alphabetically.")
    ] = True,
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Remove Unused Values

    Removes categories that no row has, for instance after Filter Examples. Learners and tables then
    show only the categories that occur. No value changes.
    """
    chosen = nominal_among(examples.schema, selected_names(examples, attribute_filter))
    if not chosen:
        return examples
    positions = examples.schema.positions(chosen)
    stored, old = examples.values(positions), examples.schema.categories(positions)
    widest = int(old.counts().max(initial=0))
    used = np.zeros((len(chosen), widest + 1), dtype=bool)
    used[np.arange(len(chosen)), np.where(stored == MISSING_CODE, widest, stored)] = True
    keys, which = np.unique(
        np.column_stack([old.number_of, used[:, :widest]]), axis=0, return_inverse=True
    )
    lists, lookup = [], np.full((len(keys), widest + 1), MISSING_CODE, dtype=np.int32)
    for place, (number, *occurs) in enumerate(keys.tolist()):
        texts = [(text, code) for code, text in enumerate(old.lists[number]) if occurs[code]]
        texts = sorted(texts) if sort_mappings_alphabetically else texts
        lists.append(tuple(text for text, _ in texts))
        lookup[place, [code for _, code in texts]] = np.arange(len(texts))
    which = which.ravel()
    codes = lookup[which, stored]  # a missing value takes the last column
    schema = examples.schema.as_nominal(positions, Categories.of(lists).take(which))
    return examples.with_block(schema, positions, codes)


# --- rows that occur twice ------------------------------------------------------------------


class WithoutDuplicates(NamedTuple):
    """The rows that stay, and their copies."""

    examples: Annotated[ExampleSet, Named(description="The first of equal rows.")]
    duplicates: Annotated[ExampleSet, Named(description="Rows that are copies of an earlier row.")]


def _describe_rows(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    meta = same_attributes(inputs, parameters)
    return {"examples": meta, "duplicates": meta}


@operator(
    group="Preparation/Rows",
    role="rows",
    accepts=ANY_VALUES,
    describe=_describe_rows,
    aliases=ALIASES,
    tags=("unique", "distinct", "copies", "duplicate rows"),
)
def remove_duplicates(
    examples: ExampleSet,
    *,
    treat_missing_values_as_duplicates: Annotated[
        bool, Field(description="Treat two missing values as equal.")
    ] = False,
    **attribute_filter: Unpack[AttributeFilter],
) -> WithoutDuplicates:
    """Remove Duplicates

    Keeps the first of rows that agree in the chosen attributes. A patient who is in the table twice
    can be in the training rows and in the test rows at once, and the error becomes optimistic.

    By default all regular attributes are compared: rows with other labels or ids are duplicates,
    too. A missing value equals nothing, unless treat_missing_values_as_duplicates is set.
    """
    names = selected_names(examples, attribute_filter)
    if not len(names):
        raise ParameterError("No attribute is chosen to compare rows by.")
    codes = _row_codes(examples, names)
    return _first_rows(examples, codes, treat_missing_values_as_duplicates)


def _row_codes(examples: ExampleSet, names: Sequence[str]) -> npt.NDArray[Any]:
    """Return numbers that are equal where values are; NaN for missing ones."""
    schema = examples.schema
    positions = schema.positions(names)
    numbers = positions[np.isin(positions, schema.of_types(NUMERICAL))]
    categories = positions[np.isin(positions, schema.of_types(NOMINAL))]
    others = schema.names_at(np.setdiff1d(positions, np.concatenate([numbers, categories])))
    coded = examples.values(categories).astype(np.float64)
    parts = [examples.values(numbers), np.where(coded == MISSING_CODE, np.nan, coded)]
    parts += [_codes(examples.column(name))[:, None] for name in others]  # dates and texts are few
    return np.hstack(parts)


def _codes(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return equal numbers for equal dates or texts; NaN for a missing one."""
    missing = is_missing(values)
    codes = np.full(len(values), np.nan)
    codes[~missing] = np.unique(values[~missing].astype(str), return_inverse=True)[1]
    return codes


def _first_rows(
    examples: ExampleSet, codes: npt.NDArray[Any], missing_are_equal: bool
) -> WithoutDuplicates:
    # Rows are compared by their bytes, in which NaN equals NaN; adding 0 turns -0 into 0.
    rows = np.ascontiguousarray(np.where(np.isnan(codes), np.nan, codes + 0.0))
    whole = rows.view(f"V{rows.dtype.itemsize * rows.shape[1]}").ravel()
    _, first, group = np.unique(whole, return_index=True, return_inverse=True)
    repeated = first[group] != np.arange(len(examples))
    if not missing_are_equal:
        repeated &= ~np.isnan(codes).any(axis=1)
    return WithoutDuplicates(
        examples.take(np.flatnonzero(~repeated)), examples.take(np.flatnonzero(repeated))
    )
