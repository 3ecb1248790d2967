"""Weights on tables, as tables, and in the mean."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from fsops import AttributeWeights, Criterion, ExampleSet, PerformanceVector
from fsops.errors import DataError
from fsops.operators import average, data_to_weights, scale_by_weights, weights_to_data


def test_scaling_multiplies_numbers_and_drops_zeros(golf):
    weights = AttributeWeights(
        ["Outlook", "Temperature", "Humidity", "Wind"], [0.5, -2.0, 0.0, 0.0]
    )
    found = scale_by_weights(golf, weights)
    assert found.names == ("Outlook", "Temperature", "Play")
    assert found.column("Temperature").tolist() == (-2 * golf.column("Temperature")).tolist()
    assert found.nominal_values("Outlook") == golf.nominal_values("Outlook")


def test_attributes_without_a_weight_stay_as_they_are(golf):
    found = scale_by_weights(golf, AttributeWeights(["Humidity", "Other"], [np.nan, 3.0]))
    assert found.equals(golf)


def test_scaling_by_extreme_weights_is_refused(golf, listening):
    with pytest.raises(DataError, match='the weights of "Humidity", which are infinite'):
        scale_by_weights(golf, AttributeWeights(["Humidity"], [np.inf]))
    ctx = listening()
    none = AttributeWeights(golf.schema.regular_names, np.zeros(4))
    assert scale_by_weights(golf, none, ctx=ctx).names == ("Play",)
    assert ctx.warnings == ["All regular attributes have the weight 0: none is kept."]


@given(st.dictionaries(st.text(), st.floats(), max_size=8))
def test_weights_survive_the_way_through_a_table(values):
    weights = AttributeWeights(list(values), list(values.values()))
    table = weights_to_data(weights)
    assert table.names == ("Attribute", "Weight")
    again = data_to_weights(table, weights_from="columns")
    assert again.names == weights.names
    np.testing.assert_array_equal(again.values, weights.values)


def test_every_attribute_gets_the_weight_one(golf):
    assert dict(data_to_weights(golf)) == dict.fromkeys(golf.schema.regular_names, 1.0)


def test_columns_that_hold_no_weights_are_told(golf):
    with pytest.raises(DataError, match='no attribute "Attribute"'):
        data_to_weights(golf, weights_from="columns")
    columns = {"weights_from": "columns", "attribute_column": "Outlook"}
    with pytest.raises(DataError, match='"Wind" is binominal, but must hold the weights'):
        data_to_weights(golf, weight_column="Wind", **columns)
    with pytest.raises(DataError, match="several weights for"):
        data_to_weights(golf, weight_column="Humidity", **columns)
    nameless = ExampleSet.from_pandas(pd.DataFrame({"n": ["a", None], "w": [1.0, 2.0]}))
    with pytest.raises(DataError, match='A name is missing in "n", first in row 2'):
        data_to_weights(nameless, weights_from="columns", attribute_column="n", weight_column="w")


def test_average_of_weights_counts_what_is_not_mentioned_as_zero():
    found = average(
        [AttributeWeights(["a", "b"], [1.0, 4.0]), AttributeWeights(["b", "c"], [2.0, np.nan])]
    )
    assert dict(found) == {"a": 0.5, "b": 3.0, "c": 0.0}
    assert found.details["deviation"][1] == pytest.approx(np.std([4, 2], ddof=1))


def test_average_of_performances_pools_their_repetitions():
    parts = [PerformanceVector([Criterion("accuracy", values)]) for values in ((0.5, 0.7), (0.9,))]
    found = average(parts)
    assert found["accuracy"].mean == pytest.approx(0.7)
    assert found["accuracy"].deviation == pytest.approx(np.std([0.5, 0.7, 0.9], ddof=1))


def test_only_results_of_one_kind_can_be_averaged():
    weights = AttributeWeights(["a"], [1.0])
    with pytest.raises(DataError, match="nothing to average"):
        average([])
    with pytest.raises(DataError, match="attribute weights and a performance"):
        average([weights, PerformanceVector([Criterion("accuracy", (0.5,))])])
