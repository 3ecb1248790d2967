"""Categories as numbers, numbers as categories."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from fsops import ExampleSet
from fsops.data import ValueType
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    apply_model,
    nominal_to_binominal,
    nominal_to_numerical,
    nominal_to_text,
    numerical_to_binominal,
    numerical_to_polynominal,
    numerical_to_real,
    text_to_nominal,
)


def table(**columns):
    return ExampleSet.from_pandas(
        pd.DataFrame(columns), roles={"y": "label"} if "y" in columns else {}
    )


@pytest.fixture
def cars():
    return table(color=["red", "blue", None, "green"], doors=["2", "4", "4", "2"], y=[1.0, 2, 3, 4])


def test_dummy_coding_is_scikit_learns(golf):
    found = nominal_to_numerical(golf).examples
    frame = golf.to_pandas()[["Outlook", "Wind"]].astype(str)
    oracle = OneHotEncoder(sparse_output=False).fit_transform(frame)
    assert found.names[:3] == ("Temperature", "Humidity", "Play")
    assert found.names[3:6] == ("Outlook = overcast", "Outlook = rain", "Outlook = sunny")
    assert found.numeric()[:, 2:].tolist() == oracle.tolist()


def test_unique_integers_are_scikit_learns(golf):
    found = nominal_to_numerical(golf, coding_type="unique integers").examples
    assert found.names == golf.names
    frame = golf.to_pandas()[["Outlook", "Wind"]].astype(str)
    oracle = OrdinalEncoder().fit_transform(frame)
    assert (
        np.column_stack([found.column("Outlook"), found.column("Wind")]).tolist() == oracle.tolist()
    )


def test_missing_values_stay_missing(cars):
    found = nominal_to_numerical(cars).examples
    assert np.isnan(found.column("color = red")).tolist() == [False, False, True, False]
    assert nominal_to_binominal(cars).examples.nominal_values("color = red") == [
        "true",
        "false",
        None,
        "false",
    ]


def test_comparison_group_gets_no_attribute(cars):
    found = nominal_to_numerical(
        cars,
        use_comparison_groups=True,
        comparison_groups={"color": "green"},
        use_underscore_in_name=True,
    ).examples
    assert found.names == ("y", "color_blue", "color_red", "doors_4")
    assert found.column("color_blue")[[0, 1, 3]].tolist() == [0, 1, 0]


def test_effect_coding_marks_the_comparison_group(cars):
    found = nominal_to_numerical(cars, coding_type="effect coding").examples
    assert found.names == ("y", "color = green", "color = red", "doors = 4")
    codes = np.column_stack([found.column("color = green"), found.column("color = red")])
    # red, blue (the first category, so the comparison group), green
    assert codes[[0, 1, 3]].tolist() == [[0, 1], [-1, -1], [1, 0]]
    assert found.column("doors = 4").tolist() == [-1, 1, 1, -1]


@pytest.mark.parametrize(
    ("coding", "expected"),
    [("dummy coding", [0, 0, 0]), ("effect coding", [0, 0]), ("unique integers", [np.nan])],
)
def test_unknown_categories_at_application(cars, coding, expected):
    model = nominal_to_numerical(
        cars, coding_type=coding, attribute_filter_type="single", attribute="color"
    ).model
    other = table(color=["pink", "red"], doors=["2", "2"], y=[0.0, 0])
    found = apply_model(model, other)
    names = [name for name in found.names if name.startswith("color")]
    values = np.column_stack([found.column(name) for name in names])
    np.testing.assert_array_equal(values[0], expected)
    assert not np.isnan(values[1]).any()


def test_codes_of_the_model_do_not_depend_on_the_order_of_other_tables(cars):
    model = nominal_to_binominal(cars).model
    other = table(color=["green", "pink"], doors=["6", "2"], y=[0.0, 0])
    found = apply_model(model, other)
    assert found.nominal_values("color = green") == ["true", "false"]
    assert found.nominal_values("color = red") == ["false", "false"]
    assert found.nominal_values("doors") == ["6", "2"]


def test_two_categories_are_split_on_request_only(cars):
    assert "doors" in nominal_to_binominal(cars).examples.schema
    found = nominal_to_binominal(cars, transform_binominal=True).examples
    assert found.names[-2:] == ("doors = 2", "doors = 4")
    assert found.nominal_values("doors = 4") == ["false", "true", "true", "false"]


def test_coding_mistakes_are_told(cars):
    with pytest.raises(
        ParameterError, match='"color" has no category "gren". Did you mean "green"'
    ):
        nominal_to_numerical(cars, coding_type="effect coding", comparison_groups={"color": "gren"})
    taken = cars.rename({"y": "color = red"})
    with pytest.raises(DataError, match='would be called "color = red", as others are already'):
        nominal_to_numerical(taken)


def test_numbers_from_min_to_max_are_false():
    numbers = ExampleSet.from_numpy([[0.0], [0.5], [1.0], [-2.0], [np.nan]])
    zero = numerical_to_binominal(numbers).nominal_values("att1")
    assert zero == ["false", "true", "true", "true", None]
    unit = numerical_to_binominal(numbers, max=1).nominal_values("att1")
    assert unit == ["false", "false", "false", "true", None]
    with pytest.raises(ParameterError, match="min is 3, but must not be greater than max"):
        numerical_to_binominal(numbers, min=3)


def test_every_number_becomes_a_category():
    numbers = ExampleSet.from_numpy([[10.0], [2.0], [np.nan], [2.5], [10.0]])
    found = numerical_to_polynominal(numbers)
    assert found.nominal_values("att1") == ["10", "2", None, "2.5", "10"]
    assert found.schema.attribute("att1").categories == ("2", "2.5", "10")


def test_texts_and_categories_change_into_each_other():
    frame = pd.DataFrame({"a": ["x", None, "y"], "n": [1, 2, 3]})
    texts = nominal_to_text(ExampleSet.from_pandas(frame))
    assert texts.schema.attribute("a").value_type is ValueType.TEXT
    assert texts.column("a").tolist() == ["x", None, "y"]
    back = text_to_nominal(texts)
    assert back.nominal_values("a") == ["x", None, "y"]
    assert [*back.names] == ["a", "n"]


def test_whole_numbers_are_declared_as_real():
    whole = ExampleSet.from_pandas(pd.DataFrame({"n": [1, 2, 3], "a": ["x", "y", "x"]}))
    assert whole.schema.attribute("n").value_type is ValueType.INTEGER
    found = numerical_to_real(whole)
    assert found.schema.attribute("n").value_type is ValueType.REAL
    assert found.column("n").tolist() == [1, 2, 3]
