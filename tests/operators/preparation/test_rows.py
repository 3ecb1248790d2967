"""Filtering, sorting and shuffling rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from fsops import Context, ExampleSet
from fsops.core import operator_of
from fsops.data import metadata_of
from fsops.errors import DataError, ParameterError
from fsops.operators import filter_example_range, filter_examples, shuffle, sort


@pytest.fixture
def people():
    frame = pd.DataFrame(
        {
            "age": [30.0, 65.0, np.nan, 41.0, 80.0],
            "petal.length": [1, 2, 3, 4, 5],
            "sex": ["f", "m", "f", None, "m"],
            "city": ["New York", "Ulm", "Bonn", "Köln", "Ulm"],
            "since": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01", None, "2024-01-01"]),
            "ill": ["yes", "no", "yes", None, "no"],
            "guess": ["yes", "yes", "yes", "no", "no"],
        }
    )
    return ExampleSet.from_pandas(frame, roles={"ill": "label", "guess": "prediction"})


def rows(examples):
    return (examples.column("petal.length") - 1).astype(int).tolist()


def kept(people, condition, **parameters):
    found = filter_examples(people, condition_class=condition, **parameters)
    assert sorted(rows(found.examples) + rows(found.unmatched)) == [0, 1, 2, 3, 4]
    return rows(found.examples)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("all", [0, 1, 2, 3, 4]),
        ("no_missing_attributes", [0, 1, 4]),
        ("missing_attributes", [2, 3]),
        ("missing_labels", [3]),
        ("no_missing_labels", [0, 1, 2, 4]),
        ("correct_predictions", [0, 2, 4]),
        ("wrong_predictions", [1, 3]),
    ],
)
def test_simple_conditions(people, condition, expected):
    assert kept(people, condition) == expected
    inverted = [row for row in range(5) if row not in expected]
    assert kept(people, condition, invert_filter=True) == inverted


@pytest.mark.parametrize(
    "words",
    ['age > 40 and sex == "m"', "age * 2 <= 82 or [petal.length] % 2 == 0", "not (age > 40)"],
)
def test_expressions_select_what_pandas_selects(people, words):
    frame = people.to_pandas().astype({"sex": object})
    query = words.replace("[petal.length]", "`petal.length`").replace("%", "%")
    assert (
        kept(people, "expression", parameter_expression=words)
        == frame.query(query, engine="python").index.tolist()
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("age > 40", [1, 3, 4]),
        ("age>=65 && sex=m", [1, 4]),
        ("age < 40 || age > 70", [0, 4]),
        ("age > 70 && sex = m || city = Bonn", [2, 4]),
        ("sex != m", [0, 2]),
        ("sex <> f", [1, 4]),
        ("age = ?", [2]),
        ("sex != ?", [0, 1, 2, 4]),
        ("city = New York", [0]),
        ("city = .*o.*", [0, 2]),
        ("petal.length <= 2", [0, 1]),
        ("since > 2021-06-01", [2, 4]),
    ],
)
def test_attribute_value_filters(people, words, expected):
    assert kept(people, "attribute_value_filter", parameter_string=words) == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("age.eq.65", [1]),
        ("age.ne.65", [0, 3, 4]),
        ("age.gt.41", [1, 4]),
        ("age.le.41.5", [0, 3]),
        (r"petal\.length.lt.3", [0, 1]),
        ("petal.length.ge.4", [3, 4]),
        ("city.equals.Ulm", [1, 4]),
        ("city.does_not_equal.Ulm", [0, 2, 3]),
        ("city.is_in.Ulm;Bonn", [1, 2, 4]),
        ("city.is_not_in.Ulm;Bonn", [0, 3]),
        ("city.contains.n", [2, 3]),
        ("city.does_not_contain.n", [0, 1, 4]),
        ("city.starts_with.New", [0]),
        ("city.ends_with.n", [2, 3]),
        ("city.matches.[A-K].*", [2, 3]),
        ("sex.is_missing.", [3]),
        ("sex.is_not_missing", [0, 1, 2, 4]),
        ("sex.does_not_equal.f", [1, 4]),
        ("since.lt.2021-06-01", [0, 1]),
    ],
)
def test_custom_filters(people, entry, expected):
    assert kept(people, "custom_filters", filters_list=[entry]) == expected


def test_filters_are_joined_by_and_or_or(people):
    both = ["age.gt.40", "city.equals.Ulm"]
    assert kept(people, "custom_filters", filters_list=both) == [1, 4]
    assert kept(people, "custom_filters", filters_list=both, filters_logic_and=False) == [1, 3, 4]


def test_rapidminers_list_of_filters_is_understood(people):
    pairs = [("filters_entry_key", "age.gt.40"), ("filters_entry_key", "city.equals.Köln")]
    assert kept(people, "custom_filters", filters_list=pairs) == [3]


def test_no_filter_keeps_all_and_says_so(people, listening):
    ctx = listening()
    assert len(filter_examples(people, ctx=ctx).examples) == 5
    assert ctx.warnings == ["No filter is set: all rows match."]


@pytest.mark.parametrize(
    ("parameters", "error", "said"),
    [
        ({"filters_list": ["age.gtt.3"]}, ParameterError, 'is not a filter. Did you mean "gt"?'),
        ({"filters_list": ["age"]}, ParameterError, "Write attribute.relation.value"),
        ({"filters_list": ["agee.gt.3"]}, DataError, 'no attribute "agee". Did you mean "age"?'),
        ({"filters_list": ["age.gt.old"]}, DataError, 'cannot be compared with "old"'),
        ({"filters_list": ["age.contains.3"]}, DataError, 'about texts, but "age" is real'),
        ({"filters_list": ["sex.gt.f"]}, DataError, '"sex" has texts, which cannot be ordered'),
        ({"filters_list": ["city.matches.("]}, ParameterError, "not a regular expression"),
        ({"filters_list": ["since.gt.soon"]}, DataError, "Write dates such as"),
        (
            {"condition_class": "attribute_value_filter", "parameter_string": "age"},
            ParameterError,
            '"age", which is not a comparison',
        ),
        ({"condition_class": "attribute_value_filter"}, ParameterError, "is empty"),
        ({"condition_class": "expression"}, ParameterError, "The expression is empty"),
        (
            {"condition_class": "expression", "parameter_expression": "age + 1"},
            ParameterError,
            "must be true or false",
        ),
    ],
)
def test_mistakes_are_told(people, refused, parameters, error, said):
    with refused(said, error=error):
        filter_examples(people, **parameters)


def test_conditions_are_checked_before_the_run(people):
    describe = operator_of(filter_examples).describe
    parameters = {"condition_class": "expression", "parameter_expression": "agee > 3"}
    with pytest.raises(DataError, match='Did you mean "age"'):
        describe({"examples": metadata_of(people)}, parameters)


def test_range_is_counted_from_one(people, listening):
    assert rows(filter_example_range(people, first_example=2, last_example=3)) == [1, 2]
    outside = filter_example_range(people, first_example=2, last_example=3, invert_filter=True)
    assert rows(outside) == [0, 3, 4]
    ctx = listening()
    assert rows(filter_example_range(people, first_example=4, last_example=9, ctx=ctx)) == [3, 4]
    assert ctx.warnings == ["last_example is 9, but there are only 5 rows."]
    with pytest.raises(ParameterError, match="the first cannot come after the last"):
        filter_example_range(people, first_example=3, last_example=2)
    with pytest.raises(DataError, match="first_example is 6, but there are 5 rows"):
        filter_example_range(people, first_example=6, last_example=7)


def test_shuffling_keeps_all_rows_and_follows_the_seed(people):
    once = rows(shuffle(people))
    assert sorted(once) == [0, 1, 2, 3, 4]
    assert rows(shuffle(people)) == once
    assert any(rows(shuffle(people, ctx=Context(seed))) != once for seed in range(3))


@pytest.mark.parametrize(
    ("name", "increasing", "decreasing"),
    [
        ("age", [0, 3, 1, 4, 2], [4, 1, 3, 0, 2]),
        ("sex", [0, 2, 1, 4, 3], [1, 4, 0, 2, 3]),
        ("since", [0, 1, 2, 4, 3], [4, 2, 1, 0, 3]),
    ],
)
def test_sorting_is_stable_with_missing_values_last(people, name, increasing, decreasing):
    assert rows(sort(people, attribute=name)) == increasing
    assert rows(sort(people, attribute=name, sort_direction="decreasing")) == decreasing


def test_nominal_values_are_sorted_by_name_whatever_their_codes():
    frame = pd.DataFrame({"x": pd.Categorical(["b", "c", "a"], categories=["c", "b", "a"])})
    found = sort(ExampleSet.from_pandas(frame), attribute="x")
    assert found.nominal_values("x") == ["a", "b", "c"]


@given(
    pairs=st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, np.nan]), st.sampled_from("abc")), min_size=1
    ),
    first=st.booleans(),
    second=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_sorting_by_several_keys_is_pandas(pairs, first, second):
    frame = pd.DataFrame(pairs, columns=["x", "y"])
    frame["row"] = np.arange(len(frame))
    expected = frame.sort_values(["x", "y"], ascending=[first, second], kind="stable")
    direction = {True: "increasing", False: "decreasing"}
    found = sort(
        ExampleSet.from_pandas(frame),
        attribute="x",
        sort_direction=direction[first],
        sort_additionally_by={"y": direction[second]},
    )
    assert found.column("row").tolist() == expected["row"].tolist()


def test_sorting_by_what_is_not_there_is_told(people):
    with pytest.raises(DataError, match='no attribute "agee". Did you mean "age"'):
        sort(people, attribute="agee")
