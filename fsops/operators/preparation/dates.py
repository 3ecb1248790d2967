"""Dates as numbers or categories, and categories as dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import AttributeName, operator
from fsops.core.operator import Describe
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, ValueType
from fsops.data.columns import Column, nominal_column
from fsops.data.date_formats import DateFormat
from fsops.errors import DataError, ParameterError, enumerate_names, quoted
from fsops.operators.compatibility import Compatibility
from fsops.operators.preparation.prepared import ALIASES, ANY_VALUES

GROUP = "Preparation/Types"
FIRST_YEAR = 1970

Dates = npt.NDArray[np.datetime64]
Unit = Literal[
    "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "half year",
    "year",
]  # fmt: skip
Period = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year", "epoch"]
PERIODS: Mapping[str, tuple[str, ...]] = {
    "millisecond": ("second", "epoch"),
    "second": ("minute", "hour", "day", "epoch"),
    "minute": ("hour", "day", "epoch"),
    "hour": ("day", "epoch"),
    "day": ("week", "month", "year", "epoch"),
    "week": ("month", "year", "epoch"),
    "month": ("quarter", "year", "epoch"),
    "quarter": ("year", "epoch"),
    "half year": ("year", "epoch"),
    "year": ("era", "epoch"),
}
MICROSECONDS = {
    "millisecond": 10**3,
    "second": 10**6,
    "minute": 60 * 10**6,
    "hour": 3600 * 10**6,
    "day": 86400 * 10**6,
    "week": 7 * 86400 * 10**6,
}
MONTHS = {"month": 1, "quarter": 3, "half year": 6, "year": 12}

Chosen = Annotated[str, AttributeName(), Field(description="The attribute to convert.")]
KeepOld = Annotated[bool, Field(description="Keep the old attribute beside the new one.")]
FormatText = Annotated[
    str,
    Field(
        description="Format of the dates: yyyy year, MM month, dd day, HH hour, mm minute, ss "
        "second, SSS millisecond, MMM name of the month, EEE day of the week, hh and a for 12 "
        "hours.",
        examples=["yyyy-MM-dd"],
    ),
]


def _describe(kind: ValueType | None) -> Describe:
    """Return how a conversion is described: the type after it, None if only the rows give it."""

    def describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
        meta = inputs["examples"]
        if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
            return meta
        if kind is None or parameters["keep_old_attribute"]:
            return ExampleSetMetaData(rows=meta.rows)
        old = meta.schema.attribute(parameters["attribute"])
        schema = meta.schema.replaced(Attribute(old.name, kind, old.role))
        return replace(meta, schema=schema, label_numbers=())

    return describe


def _dates(examples: ExampleSet, name: str) -> Dates:
    kind = examples.schema.attribute(name).value_type
    if kind is not ValueType.DATE:
        raise DataError(
            f"{quoted(name)} is {kind}, but a date is needed.",
            hint="Convert it first (Nominal to Date).",
        )
    return examples.column(name)


def _placed(
    examples: ExampleSet, name: str, made: Column, *, new: str = "", old: str = ""
) -> ExampleSet:
    """Return the table with a converted attribute, in place of the old one or beside it.

    Kept beside the old one, the new attribute has the name ``new``, or the old one ``old``.
    """
    attribute, stored = made
    before = examples.schema.attribute(name)
    if not new and not old:
        return examples.with_values([(replace(attribute, name=name, role=before.role), stored)])
    table = examples.rename({name: old}) if old else examples
    added = replace(attribute, name=new or name)
    if added.name in table.schema:
        raise DataError(f"{quoted(added.name)} exists already.", hint="Rename it first (Rename).")
    return table.with_columns([(added, stored)])


# --- numbers ----------------------------------------------------------------------------------


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe(ValueType.INTEGER),
    aliases=ALIASES,
    tags=("time", "year", "month", "weekday", "age", "timestamp"),
)
def date_to_numerical(
    examples: ExampleSet,
    *,
    attribute: Chosen,
    time_unit: Annotated[Unit, Field(description="Unit to count.")] = "day",
    relative_to: Annotated[
        Literal[Period, "era"],
        Field(
            description="Start of counting: the current second, minute, …, year, the year 1970 "
            "(epoch), or for years the year 0 (era)."
        ),
    ] = "epoch",
    keep_old_attribute: KeepOld = False,
    compatibility: Compatibility = "fsops",
) -> ExampleSet:
    """Date to Numerical

    Replaces a date by a number: for instance the day of the week, the month of the year, or the
    days since 1970. Learners then use it like any number. Missing dates stay missing.

    Counts within a year or month (days, weeks, months) start at 1, and so do months, quarters and
    half years since 1970. Hours, minutes, seconds and all other counts since 1970 start at 0. With
    fsops a week begins on Monday, and week 1 of a year has the first Thursday (ISO 8601). With
    rapidminer it begins on Sunday, and week 1 has January 1.
    """
    if relative_to not in PERIODS[time_unit]:
        allowed = enumerate_names(PERIODS[time_unit])
        raise ParameterError(
            f'A {time_unit} cannot be counted relative to "{relative_to}".',
            hint=f"Possible: {allowed}.",
        )
    dates = _dates(examples, attribute)
    missing = np.isnat(dates)
    known = np.where(missing, np.datetime64(0, "us"), dates)
    counted = _counted(known, time_unit, relative_to, theirs=compatibility == "rapidminer")
    values = np.where(missing, np.nan, counted)
    made = (Attribute(attribute, ValueType.INTEGER), values)
    new = f"{attribute}_{time_unit}" if keep_old_attribute else ""
    return _placed(examples, attribute, made, new=new)


def _counted(dates: Dates, unit: str, period: str, *, theirs: bool) -> npt.NDArray[np.int64]:
    """Return how many units have passed; in RapidMiner's way or ours."""
    stamps = dates.astype("datetime64[us]").astype(np.int64)
    months = dates.astype("datetime64[M]").astype(np.int64)
    days = dates.astype("datetime64[D]").astype(np.int64)
    if unit in MONTHS:
        return _months(months, unit, period)
    if period == "epoch":
        whole = stamps // MICROSECONDS[unit]
        # Java drops the fraction, so before 1970 it rounds up.
        fraction = (stamps % MICROSECONDS[unit] != 0) & (stamps < 0)
        return whole + fraction if theirs else whole
    if unit == "day":
        return _days(days, dates, period, theirs=theirs)
    if unit == "week":
        return _weeks(days, dates, period, theirs=theirs)
    inside: npt.NDArray[np.int64] = stamps % MICROSECONDS[period] // MICROSECONDS[unit]
    return inside


def _months(months: npt.NDArray[np.int64], unit: str, period: str) -> npt.NDArray[np.int64]:
    size, year = MONTHS[unit], 12
    if unit == "year":
        return months // year + (FIRST_YEAR if period == "era" else 0)
    if period == "epoch":
        return months // size + 1
    around = MONTHS[period]
    return months % around // size + 1


def _first_day(dates: Dates, period: str) -> npt.NDArray[np.int64]:
    """Return the number of the first day of the month or year."""
    letter = {"month": "M", "year": "Y"}[period]
    found: npt.NDArray[np.int64] = (
        dates.astype(f"datetime64[{letter}]").astype("datetime64[D]").astype(np.int64)
    )
    return found


def _days(
    days: npt.NDArray[np.int64], dates: Dates, period: str, *, theirs: bool
) -> npt.NDArray[np.int64]:
    if period == "week":  # 1970 began on a Thursday
        return (days + (4 if theirs else 3)) % 7 + 1
    return days - _first_day(dates, period) + 1


def _weeks(
    days: npt.NDArray[np.int64], dates: Dates, period: str, *, theirs: bool
) -> npt.NDArray[np.int64]:
    """Return the number of the week in its month or year."""
    # All days of a week share its last day: Saturday there, here the Thursday that decides.
    decisive = days - (days + (4 if theirs else 3)) % 7 + (6 if theirs else 3)
    if period == "month" and theirs:  # weeks of a month never belong to the next one
        first = _first_day(dates, "month")
        return (days - first + (first + 4) % 7) // 7 + 1
    last = decisive.astype("datetime64[D]").astype("datetime64[us]")
    return (decisive - _first_day(last, period)) // 7 + 1


# --- texts ------------------------------------------------------------------------------------


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe(None),
    aliases=ALIASES,
    tags=("time", "format", "text", "year"),
)
def date_to_nominal(
    examples: ExampleSet,
    *,
    attribute: Chosen,
    date_format: FormatText = "yyyy-MM-dd",
    keep_old_attribute: KeepOld = False,
) -> ExampleSet:
    """Date to Nominal

    Replaces a date by a category: the date written in a format. A format with few parts makes
    groups: "yyyy" groups by year. Missing dates stay missing. If the old attribute is kept, its
    name gets the suffix "_old".
    """
    style = DateFormat.parse(date_format)
    dates = _dates(examples, attribute)
    different, which = np.unique(dates, return_inverse=True)
    texts = [None if np.isnat(d) else style.written(d.item()) for d in different]
    column = nominal_column(attribute, [texts[place] for place in which])
    old = f"{attribute}_old" if keep_old_attribute else ""
    return _placed(examples, attribute, column, old=old)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=_describe(ValueType.DATE),
    aliases=ALIASES,
    tags=("time", "parse", "timestamp", "text"),
)
def nominal_to_date(
    examples: ExampleSet,
    *,
    attribute: Chosen,
    date_type: Annotated[
        Literal["date", "time", "date_time"],
        Field(description="Parts to keep: the day, the time of the day (of 1970-01-01), or both."),
    ] = "date_time",
    date_format: FormatText = "yyyy-MM-dd",
    keep_old_attribute: KeepOld = False,
) -> ExampleSet:
    """Nominal to Date

    Reads categories or texts as dates, in a format. If a category does not match the format, the
    error names it. Missing values stay missing. If the old attribute is kept, its name gets the
    suffix "_old".
    """
    style = DateFormat.parse(date_format)
    texts = _texts(examples, attribute)
    known = {text: style.read(text) for text in dict.fromkeys(texts) if text is not None}
    wrong = [text for text, date in known.items() if date is None]
    if wrong:
        raise DataError(
            f"{enumerate_names(wrong)} of {quoted(attribute)} does not fit the format "
            f"{quoted(date_format)}.",
            hint="Correct date_format, or make these values missing (Declare Missing Value).",
        )
    dates = np.array([known.get(t) if t is not None else None for t in texts], "datetime64[us]")
    if date_type == "date":
        dates = dates.astype("datetime64[D]").astype("datetime64[us]")
    elif date_type == "time":
        dates = np.datetime64(0, "us") + (dates - dates.astype("datetime64[D]"))
    old = f"{attribute}_old" if keep_old_attribute else ""
    made = (Attribute(attribute, ValueType.DATE), dates)
    return _placed(examples, attribute, made, old=old)


def _texts(examples: ExampleSet, name: str) -> list[str | None]:
    kind = examples.schema.attribute(name).value_type
    if kind.is_nominal:
        return examples.nominal_values(name)
    if kind is ValueType.TEXT:
        return list(examples.column(name).tolist())
    raise DataError(
        f"{quoted(name)} is {kind}, but categories or texts are needed.",
        hint="Convert it first (Numerical to Polynominal).",
    )
