"""Small changes of values."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    add_value,
    generate_absolutes,
    keep_characters,
    merge_values,
    parse_numbers,
    real_to_integer,
    replace_infinite_values,
    trim_values,
)


@pytest.fixture
def table():
    frame = pd.DataFrame(
        {
            "x": [-1.5, 2.5, np.nan, -0.4],
            "c": [" ab", "ab ", None, "b"],
            "n": ["1.200,5", "-3", None, "7e1"],
        }
    )
    return ExampleSet.from_pandas(frame)


def test_two_categories_become_one(table):
    found = merge_values(table, attribute="c", first_value="b", second_value="ab ")
    assert found.nominal_values("c") == [" ab", "b_ab ", None, "b_ab "]


def test_a_category_that_is_not_there_is_named(table, refused):
    with refused('"c" has no category "x"', '" ab"', error=ParameterError):
        merge_values(table, attribute="c", first_value="b", second_value="x")


def test_an_added_category_changes_no_value(table):
    found = add_value(table, attribute="c", new_value="new")
    assert found.schema.attribute("c").categories[-1] == "new"
    assert found.nominal_values("c") == table.nominal_values("c")
    assert add_value(table, attribute="c", new_value="b") is table


def test_spaces_are_trimmed_and_characters_cut(table):
    assert trim_values(table).nominal_values("c") == ["ab", "ab", None, "b"]
    assert trim_values(table).schema.attribute("c").categories == ("ab", "b")
    found = keep_characters(table, first_character_index=2, last_character_index=2)
    assert found.nominal_values("c") == ["a", "b", None, ""]


def test_whole_numbers_without_fraction_or_rounded(table):
    assert real_to_integer(table).column("x").tolist()[:2] == [-1, 2]
    rounded = real_to_integer(table, round_values=True).column("x")
    assert rounded.tolist()[:2] == [-1, 3]
    assert rounded[3] == 0
    assert np.isnan(rounded[2])


def test_absolute_values(table):
    assert generate_absolutes(table).column("x").tolist()[:2] == [1.5, 2.5]


def test_numbers_are_read_with_a_decimal_comma(table):
    settings = {"attribute_filter_type": "single", "attribute": "n"}
    found = parse_numbers(
        table, decimal_character=",", grouped_digits=True, grouping_character=".", **settings
    )
    assert np.array_equal(found.column("n"), [1200.5, -3, np.nan, 70], equal_nan=True)


def test_what_is_not_a_number_is_named_or_missing(table, refused):
    with refused('" ab", "ab ", "b" of "c"', "unparsable_value_handling"):
        parse_numbers(table, attribute_filter_type="single", attribute="c")
    found = parse_numbers(table, unparsable_value_handling="missing")
    assert np.isnan(found.column("c")).all()


def test_infinite_values_are_replaced_in_other_rows_too():
    table = ExampleSet.from_numpy(np.array([[np.inf, 1], [2, -np.inf], [3, np.nan]]))
    found, model = replace_infinite_values(table, default="extreme")
    assert found.column("att1").tolist() == [3, 2, 3]
    assert found.column("att2")[1] == -np.inf
    other = ExampleSet.from_numpy(np.array([[np.inf, 0.0]]))
    assert model.apply(other).column("att1").tolist() == [3]
    low, _ = replace_infinite_values(
        table, default="value", replenishment_value=-9, replenish_what="negative_infinity"
    )
    assert low.column("att2")[1] == -9
    assert low.column("att1")[0] == np.inf
