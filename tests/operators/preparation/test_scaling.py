"""Normalising."""

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from fsops import Attribute, ExampleSet, ValueType
from fsops.errors import DataError, ParameterError
from fsops.operators import apply_model, normalize

METHODS = [
    "Z-transformation",
    "range transformation",
    "proportion transformation",
    "interquartile range",
    "average norm",
]


@pytest.fixture
def numbers():
    X = np.random.default_rng(0).gamma(2.0, size=(20, 3))
    return ExampleSet.from_numpy(X, np.arange(20) % 2)


def test_z_transformation_is_scikit_learns_with_the_sample_deviation(numbers):
    oracle = StandardScaler().fit_transform(numbers.numeric()) * np.sqrt(19 / 20)
    np.testing.assert_allclose(normalize(numbers).examples.numeric(), oracle)


def test_range_transformation_is_scikit_learns(numbers):
    oracle = MinMaxScaler((-1, 3)).fit_transform(numbers.numeric())
    found = normalize(numbers, method="range transformation", min=-1, max=3).examples.numeric()
    np.testing.assert_allclose(found, oracle)


def test_average_norm_gives_rows_of_mean_squared_length_one(numbers):
    found = normalize(numbers, method="average norm").examples.numeric()
    assert (found**2).sum(axis=1).mean() == pytest.approx(1)
    ratio = found / numbers.numeric()
    assert ratio == pytest.approx(ratio[0, 0])


@pytest.mark.parametrize("method", METHODS)
def test_model_applies_the_figures_of_the_training_rows(numbers, method):
    training, test = numbers.take(np.arange(12)), numbers.take(np.arange(12, 20))
    result = normalize(training, method=method)
    # The map is x -> (x - c) / d: two training rows tell c and d of each attribute.
    x, z = training.numeric()[:2], result.examples.numeric()[:2]
    d = (x[1] - x[0]) / (z[1] - z[0])
    c = x[0] - z[0] * d
    found = apply_model(result.model, test)
    np.testing.assert_allclose(found.numeric(), (test.numeric() - c) / d, rtol=1e-9, atol=1e-12)
    assert found.column("label").tolist() == test.column("label").tolist()


def test_test_rows_of_a_training_constant_become_the_same_constant():
    training = ExampleSet.from_numpy([[5.0, 1], [5, 2]])
    test = ExampleSet.from_numpy([[9.0, 1], [np.nan, 2]])
    model = normalize(training, method="range transformation", min=2, max=4).model
    np.testing.assert_array_equal(model.apply(test).numeric(), [[2, 2], [np.nan, 4]])


def test_other_attributes_are_left_alone(golf):
    found = normalize(golf, attribute_filter_type="single", attribute="Humidity").examples
    assert found.names == golf.names
    assert found.column("Temperature").tolist() == golf.column("Temperature").tolist()
    assert found.column("Humidity").std(ddof=1) == pytest.approx(1)
    assert found.schema.attribute("Humidity").value_type is ValueType.REAL


def test_missing_values_stay_missing():
    holed = ExampleSet.from_numpy([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]])
    found = normalize(holed).examples.numeric()
    np.testing.assert_allclose(found[:2, 0], [-np.sqrt(0.5), np.sqrt(0.5)])
    assert np.isnan(found[2, 0])
    assert np.isnan(found[:, 1]).all()


def test_roles_stay():
    table = ExampleSet.from_columns(
        [(Attribute("w", ValueType.INTEGER, "weight"), np.array([1.0, 2.0, 3.0]))], 3
    ).with_columns([(Attribute("x"), np.array([1.0, 2.0, 4.0]))])
    found = normalize(table, include_special_attributes=True).examples
    assert found.schema.roles == {"w": "weight"}
    assert found.column("w").tolist() == [-1, 0, 1]


def test_mistakes_are_told(numbers, golf, listening):
    with pytest.raises(ParameterError, match="min must be less than max"):
        normalize(numbers, method="range transformation", min=1, max=1)
    negative = ExampleSet.from_numpy([[1.0, -1.0], [2.0, 3.0]])
    with pytest.raises(DataError, match='negative values in "att2".*Set allow_negative_values'):
        normalize(negative, method="proportion transformation")
    allowed = normalize(negative, method="proportion transformation", allow_negative_values=True)
    np.testing.assert_allclose(allowed.examples.column("att2"), [-0.25, 0.75])
    ctx = listening()
    normalize(golf, attribute_filter_type="value_type", value_type="nominal", ctx=ctx)
    assert ctx.warnings == ["No numerical attribute is chosen, so nothing is normalized."]
