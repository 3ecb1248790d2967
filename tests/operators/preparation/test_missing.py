"""Replacing missing values."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer

from fsops import ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    apply_model,
    replace_missing_values,
    replace_missing_values_with_offset,
)


@pytest.fixture
def holed():
    frame = pd.DataFrame(
        {
            "days": [3.0, np.nan, 9.0, 6.0],
            "level": [1.0, 2.0, np.nan, np.nan],
            "kind": ["a", None, "b", "a"],
            "y": [0.0, 1.0, 2.0, 3.0],
        }
    )
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


@pytest.mark.parametrize(
    ("rule", "days", "level"),
    [("average", 6.0, 1.5), ("minimum", 3.0, 1.0), ("maximum", 9.0, 2.0), ("zero", 0.0, 0.0)],
)
def test_gaps_are_filled_by_the_rule(holed, rule, days, level):
    filled = replace_missing_values(holed, default=rule).examples
    assert filled.column("days")[1] == days
    assert filled.column("level")[2:].tolist() == [level, level]


def test_average_is_scikit_learns(holed):
    oracle = SimpleImputer(strategy="mean").fit_transform(holed.numeric())
    assert replace_missing_values(holed).examples.numeric() == pytest.approx(oracle)


def test_most_frequent_category_fills_nominal_gaps(holed):
    assert replace_missing_values(holed).examples.nominal_values("kind") == ["a", "a", "b", "a"]
    kept = replace_missing_values(holed, default="maximum").examples
    assert kept.nominal_values("kind") == ["a", None, "b", "a"]


def test_rules_by_attribute_and_a_value_of_ones_own(holed):
    filled = replace_missing_values(
        holed, columns={"days": "zero", "level": "none", "kind": "value"}, replenishment_value="?"
    ).examples
    assert filled.column("days")[1] == 0
    assert np.isnan(filled.column("level")[2])
    assert filled.nominal_values("kind") == ["a", "?", "b", "a"]


def test_offset_keeps_replaced_values_apart(holed):
    filled = replace_missing_values_with_offset(holed, offset=2.0).examples
    assert filled.column("days").tolist() == [3, 11, 9, 6]
    assert filled.column("level").tolist() == [1, 2, 4, 4]


def test_model_fills_other_rows_with_the_values_learnt(holed):
    model = replace_missing_values(holed.take([0, 1])).model
    filled = apply_model(model, holed.take([1, 2]))
    assert filled.column("days").tolist() == [3, 9]
    assert filled.column("level").tolist() == [2, 1.5]


def test_order_of_attributes_and_roles_stay(holed):
    filled = replace_missing_values(holed).examples
    assert filled.names == holed.names
    assert filled.label.name == "y"


def test_attribute_without_known_values_stays_as_it_is():
    empty = ExampleSet.from_numpy([[np.nan, 1.0], [np.nan, 2.0]])
    assert np.isnan(replace_missing_values(empty).examples.column("att1")).all()


def test_mistakes_are_told(holed):
    with pytest.raises(ParameterError, match='"averge".*is not a rule. Did you mean "average"'):
        replace_missing_values(holed, columns={"days": "averge"})
    with pytest.raises(DataError, match='no attribute "dyas". Did you mean "days"'):
        replace_missing_values(holed, columns={"dyas": "zero"})
    with pytest.raises(DataError, match='"x" cannot replace a missing number in "days"'):
        replace_missing_values(holed, default="value", replenishment_value="x")


def test_only_the_chosen_attributes_are_filled(holed):
    filled = replace_missing_values(
        holed, attribute_filter_type="single", attribute="days", columns={"level": "zero"}
    ).examples
    assert filled.missing_by_attribute == {"kind": 1}
    assert filled.column("days")[1] == 6
    assert filled.column("level")[2] == 0


@pytest.mark.parametrize("operator", [replace_missing_values, replace_missing_values_with_offset])
def test_an_attribute_without_a_known_value_is_warned_of(operator, listening):
    X = np.array([[np.nan, 1.0], [np.nan, np.nan]])
    heard = listening()
    found = operator(ExampleSet.from_numpy(X, names=["empty", "half"]), ctx=heard)
    assert np.isnan(found.examples.column("empty")).all()
    assert not np.isnan(found.examples.column("half")).any()
    assert heard.warnings[0].startswith('"empty" has no known value: the gaps stay.')
