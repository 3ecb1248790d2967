"""Cleaning of values and rows, against pandas."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    declare_missing_value,
    filter_example_range,
    map_values,
    remove_duplicates,
    remove_unused_values,
    replace_in_values,
)


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "age": [31.0, -999.0, 44.0, 31.0, np.nan, np.nan],
            "dose": [1.0, 2.0, -999.0, 1.0, 5.0, 5.0],
            "sex": ["m", "Male ", "f", "m", None, None],
            "site": ["A-1", "B-2", "A-2", "A-1", "C-1", "C-1"],
            "y": ["p", "q", "p", "q", "p", "p"],
        }
    )


@pytest.fixture
def table(frame):
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


def values(table, name):
    return table.nominal_values(name)


def test_a_code_for_missing_numbers_becomes_missing(table, frame):
    found = declare_missing_value(table, numeric_value=-999)
    expected = frame[["age", "dose"]].replace(-999, np.nan)
    assert np.array_equal(found.numeric(), expected.to_numpy(), equal_nan=True)
    one = declare_missing_value(
        table, numeric_value=-999, attribute_filter_type="single", attribute="age"
    )
    assert one.column("dose")[2] == -999


def test_a_category_becomes_missing_and_is_no_longer_known(table):
    found = declare_missing_value(table, mode="nominal", nominal_value="f")
    assert values(found, "sex") == ["m", "Male ", None, "m", None, None]
    assert "f" not in found.schema.attribute("sex").categories


def test_values_become_missing_where_an_expression_holds(table):
    found = declare_missing_value(table, mode="expression", expression_value="dose < 0")
    assert np.isnan(found.numeric()[2]).all()
    assert values(found, "sex")[2] is None
    assert values(found, "site")[:2] == ["A-1", "B-2"]
    with pytest.raises(ParameterError, match="expression_value is empty"):
        declare_missing_value(table, mode="expression")


def test_matches_in_categories_are_replaced_and_equal_ones_joined(table):
    found = replace_in_values(table, replace_what=r"^[mM](ale)? *$", replace_by="male")
    assert values(found, "sex") == ["male", "male", "f", "male", None, None]
    assert sorted(found.schema.attribute("sex").categories) == ["f", "male"]


def test_groups_are_written_as_in_java(table):
    found = replace_in_values(table, replace_what=r"(\w)-(\d)", replace_by=r"$2\$$1")
    assert values(found, "site")[:2] == ["1$A", "2$B"]
    with pytest.raises(ParameterError, match="does not fit the expression"):
        replace_in_values(table, replace_what="A", replace_by="$3")


def test_categories_are_mapped_by_a_list(table):
    found = map_values(table, value_mappings={"m": "male", "Male ": "male"})
    assert values(found, "sex") == ["male", "male", "f", "male", None, None]
    patterns = map_values(
        table, value_mappings={"A.*": "A"}, consider_regular_expressions=True,
        add_default_mapping=True, default_value="other",
    )  # fmt: skip
    assert values(patterns, "site") == ["A", "other", "A", "A", "other", "other"]
    gone = map_values(table, replace_what="m", replace_by="man", add_default_mapping=True)
    assert values(gone, "sex") == ["man", None, None, "man", None, None]


def test_categories_that_no_row_has_are_removed(table):
    part = filter_example_range(table, first_example=2, last_example=3)
    found = remove_unused_values(part)
    assert found.schema.attribute("sex").categories == ("Male ", "f")
    assert found.schema.attribute("site").categories == ("A-2", "B-2")
    assert values(found, "site") == ["B-2", "A-2"]
    plain = remove_unused_values(part, sort_mappings_alphabetically=False)
    assert set(plain.schema.attribute("site").categories) == {"A-2", "B-2"}
    assert values(plain, "site") == ["B-2", "A-2"]


def test_the_first_of_equal_rows_stays(table, frame):
    found = remove_duplicates(table)
    assert len(found.examples) == 5
    assert found.duplicates.column("age").tolist() == [31.0]
    equal = remove_duplicates(table, treat_missing_values_as_duplicates=True)
    expected = frame.drop_duplicates(subset=["age", "dose", "sex", "site"])
    assert len(equal.examples) == len(expected) == 4
    by_site = remove_duplicates(table, attribute_filter_type="single", attribute="site")
    assert values(by_site.examples, "site") == ["A-1", "B-2", "A-2", "C-1"]


@pytest.mark.parametrize("seed", range(5))
def test_duplicates_are_those_of_pandas(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.choice([0.0, -0.0, 1e30, 1e-30, np.nan], 60),
            "b": rng.choice(["x", "y", None], 60),
            "c": rng.integers(0, 2, 60).astype(float),
        }
    )
    table = ExampleSet.from_pandas(frame)
    found = remove_duplicates(table, treat_missing_values_as_duplicates=True)
    assert len(found.examples) == len(frame.drop_duplicates())
    known = remove_duplicates(table)
    expected = ~(frame.duplicated() & frame.notna().all(axis=1))
    assert np.array_equal(known.examples.column("c"), frame["c"][expected])
