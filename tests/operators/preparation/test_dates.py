"""Dates as numbers and texts, against Python's calendar."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import date_to_nominal, date_to_numerical, nominal_to_date

STAMPS = [
    dt.datetime(2020, 2, 29, 23, 59, 58, 123000),
    dt.datetime(1969, 12, 31, 22, 1, 2),
    dt.datetime(2021, 1, 3, 0, 0, 0),
    dt.datetime(2024, 12, 30, 12, 30, 0),
    dt.datetime(2000, 7, 1, 6, 5, 4),
    None,
]


@pytest.fixture
def table():
    frame = pd.DataFrame({"x": np.arange(6.0), "day": pd.to_datetime(pd.Series(STAMPS))})
    return ExampleSet.from_pandas(frame)


def numbers(table, unit, period, **more):
    found = date_to_numerical(
        table, attribute="day", time_unit=unit, relative_to=period, **more
    ).column("day")
    assert np.isnan(found[-1])
    return found[:-1].tolist()


def weeks_from_sunday(day, first):
    """Return RapidMiner's week: counted one day after the other, a new one on each Sunday."""
    week, current = 1, first
    while current < day:
        current += dt.timedelta(days=1)
        week += current.weekday() == 6
    return week


@pytest.mark.parametrize(
    ("unit", "period", "oracle"),
    [
        ("millisecond", "second", lambda d: d.microsecond // 1000),
        ("second", "minute", lambda d: d.second),
        ("second", "hour", lambda d: d.minute * 60 + d.second),
        ("second", "day", lambda d: d.hour * 3600 + d.minute * 60 + d.second),
        ("minute", "hour", lambda d: d.minute),
        ("minute", "day", lambda d: d.hour * 60 + d.minute),
        ("hour", "day", lambda d: d.hour),
        ("day", "week", lambda d: d.isoweekday()),
        ("day", "month", lambda d: d.day),
        ("day", "year", lambda d: d.timetuple().tm_yday),
        ("day", "epoch", lambda d: (d.date() - dt.date(1970, 1, 1)).days),
        ("week", "year", lambda d: d.isocalendar().week),
        ("month", "quarter", lambda d: (d.month - 1) % 3 + 1),
        ("month", "year", lambda d: d.month),
        ("month", "epoch", lambda d: d.month + (d.year - 1970) * 12),
        ("quarter", "year", lambda d: (d.month - 1) // 3 + 1),
        ("quarter", "epoch", lambda d: (d.month - 1) // 3 + 1 + (d.year - 1970) * 4),
        ("half year", "year", lambda d: (d.month - 1) // 6 + 1),
        ("year", "era", lambda d: d.year),
        ("year", "epoch", lambda d: d.year - 1970),
    ],
)
def test_units_are_those_of_the_calendar(table, unit, period, oracle):
    assert numbers(table, unit, period) == [oracle(d) for d in STAMPS[:-1]]


def test_weeks_begin_on_sunday_in_rapidminer(table):
    theirs = {"compatibility": "rapidminer"}
    days = [d.date() for d in STAMPS[:-1]]
    assert numbers(table, "day", "week", **theirs) == [d.isoweekday() % 7 + 1 for d in days]
    by_month = [weeks_from_sunday(d, d.replace(day=1)) for d in days]
    assert numbers(table, "week", "month", **theirs) == by_month
    saturdays = [d + dt.timedelta(days=(5 - d.weekday()) % 7) for d in days]
    by_year = [weeks_from_sunday(d, d.replace(month=1, day=1)) for d in saturdays]
    found = numbers(table, "week", "year", **theirs)
    assert found == by_year
    assert found[3] == 1  # December 30, 2024 belongs to the week of January 1
    assert numbers(table, "week", "year") != by_year


def test_before_1970_java_rounds_towards_it(table):
    assert numbers(table, "hour", "epoch")[1] == -2
    assert numbers(table, "hour", "epoch", compatibility="rapidminer")[1] == -1
    assert numbers(table, "day", "epoch", compatibility="rapidminer")[1] == 0


def test_a_unit_that_does_not_fit_names_those_that_do(table, refused):
    with refused(
        'hour cannot be counted relative to "week"', '"day", "epoch"', error=ParameterError
    ):
        date_to_numerical(table, attribute="day", time_unit="hour", relative_to="week")
    with refused('"x" is real, but a date is needed', "Nominal to Date"):
        date_to_numerical(table, attribute="x")


def test_the_old_attribute_can_stay(table):
    found = date_to_numerical(table, attribute="day", time_unit="year", keep_old_attribute=True)
    assert list(found.names) == ["x", "day", "day_year"]
    found = date_to_nominal(table, attribute="day", keep_old_attribute=True)
    assert list(found.names) == ["x", "day_old", "day"]


@pytest.mark.parametrize(
    ("style", "python"),
    [
        ("yyyy-MM-dd HH:mm:ss", "%Y-%m-%d %H:%M:%S"),
        ("dd.MM.yy", "%d.%m.%y"),
        ("EEE, d MMM yyyy hh:mm a", None),
        ("EEEE 'the' dd MMMM yyyy", "%A the %d %B %Y"),
    ],
)
def test_texts_are_those_of_strftime(table, style, python):
    found = date_to_nominal(table, attribute="day", date_format=style)
    texts = found.nominal_values("day")
    assert texts[-1] is None
    if python is None:
        assert texts[0] == "Sat, 29 Feb 2020 11:59 PM"
        assert texts[2] == "Sun, 3 Jan 2021 12:00 AM"
    else:
        assert texts[:-1] == [d.strftime(python) for d in STAMPS[:-1]]
    again = nominal_to_date(found, attribute="day", date_format=style)
    second = date_to_nominal(again, attribute="day", date_format=style)
    assert second.nominal_values("day") == texts


def test_parts_of_a_date(table):
    style = "yyyy-MM-dd HH:mm:ss.SSS"
    texts = date_to_nominal(table, attribute="day", date_format=style)
    day = nominal_to_date(texts, attribute="day", date_format=style, date_type="date")
    assert day.column("day")[0] == np.datetime64("2020-02-29")
    time = nominal_to_date(texts, attribute="day", date_format=style, date_type="time")
    assert time.column("day")[0] == np.datetime64("1970-01-01T23:59:58.123")
    assert np.isnat(time.column("day")[-1])


def test_what_is_not_a_date_is_named(refused):
    frame = pd.DataFrame({"day": ["2020-02-30", "2020-01-01", "soon"]})
    table = ExampleSet.from_pandas(frame)
    with refused('"2020-02-30", "soon" of "day" does not fit the format "yyyy-MM-dd"'):
        nominal_to_date(table, attribute="day")
    with refused(
        'date_format is "yyyy-QQ"; "QQ" in it is not known', "yyyy MM dd", error=ParameterError
    ):
        nominal_to_date(table, attribute="day", date_format="yyyy-QQ")
