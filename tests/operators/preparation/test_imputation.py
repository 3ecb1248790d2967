"""Missing values from similar rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import KNNImputer

from fsops import ExampleSet, ValueType
from fsops.operators import apply_model, impute_knn


@pytest.fixture
def holed():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(25, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    return ExampleSet.from_numpy(X, np.arange(25) % 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_are_scikit_learns(holed, weighted):
    oracle = KNNImputer(n_neighbors=3, weights="distance" if weighted else "uniform")
    expected = oracle.fit_transform(holed.numeric())
    found = impute_knn(holed, number_of_neighbors=3, weighted_vote=weighted).examples
    np.testing.assert_allclose(found.numeric(), expected)
    assert not found.missing_by_attribute


def test_model_fills_other_rows_from_the_training_rows(holed):
    training, test = holed.take(np.arange(15)), holed.take(np.arange(15, 25))
    model = impute_knn(training, number_of_neighbors=2).model
    oracle = KNNImputer(n_neighbors=2).fit(training.numeric())
    np.testing.assert_allclose(apply_model(model, test).numeric(), oracle.transform(test.numeric()))


@pytest.fixture
def mixed():
    frame = pd.DataFrame(
        {
            "size": [0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 11.4, np.nan],
            "kind": ["a", "a", "b", "b", "c", "c", None, None],
        }
    )
    return ExampleSet.from_pandas(frame)


def test_category_is_that_of_most_neighbours(mixed):
    # Nearest to 11.4 are 11 (c), 12 (c) and 10 (b).
    assert impute_knn(mixed, number_of_neighbors=3).examples.nominal_values("kind")[6] == "c"
    # A row without any number gets the category that is most frequent of all.
    assert (
        impute_knn(mixed.take([0, 1, 2, 7]), number_of_neighbors=1).examples.nominal_values("kind")[
            3
        ]
        == "a"
    )


def test_ties_go_to_the_more_frequent_category():
    frame = pd.DataFrame({"x": [0.0, 2.0, 9.0, 1.0], "kind": ["a", "b", "b", None]})
    assert (
        impute_knn(ExampleSet.from_pandas(frame), number_of_neighbors=2).examples.nominal_values(
            "kind"
        )[3]
        == "b"
    )


def test_nearer_rows_count_more_on_request():
    frame = pd.DataFrame({"x": [0.0, 2.0, 2.2, 0.1], "kind": ["a", "b", "b", None]})
    table = ExampleSet.from_pandas(frame)
    assert impute_knn(table, number_of_neighbors=3).examples.nominal_values("kind")[3] == "b"
    assert (
        impute_knn(table, number_of_neighbors=3, weighted_vote=True).examples.nominal_values(
            "kind"
        )[3]
        == "a"
    )


def test_categories_alone_get_the_most_frequent_one():
    frame = pd.DataFrame({"kind": ["a", "b", "b", None]})
    assert impute_knn(ExampleSet.from_pandas(frame)).examples.nominal_values("kind")[3] == "b"


def test_unknown_category_at_application_is_filled_like_a_missing_one(mixed):
    model = impute_knn(mixed, number_of_neighbors=1).model
    other = ExampleSet.from_pandas(pd.DataFrame({"size": [0.1, 9.9], "kind": ["new", "a"]}))
    found = apply_model(model, other)
    assert found.nominal_values("kind") == ["a", "a"]
    assert found.schema.attribute("kind").categories == ("a", "b", "c")


def test_attributes_that_are_not_chosen_or_never_known_stay():
    X = np.array([[1.0, np.nan, np.nan], [2.0, 5.0, np.nan], [3.0, 7.0, np.nan]])
    table = ExampleSet.from_numpy(X, names=["a", "b", "none"])
    found = impute_knn(table, number_of_neighbors=1).examples
    assert found.column("b").tolist() == [5, 5, 7]
    assert np.isnan(found.column("none")).all()
    spared = impute_knn(table, attribute_filter_type="subset", attributes=["a", "none"]).examples
    assert np.isnan(spared.column("b")[0])


def test_whole_numbers_become_real():
    frame = pd.DataFrame({"n": pd.array([1, 2, None], dtype="Int64"), "x": [0.0, 2.0, 1.0]})
    table = ExampleSet.from_pandas(frame)
    assert table.schema.attribute("n").value_type is ValueType.INTEGER
    found = impute_knn(table, number_of_neighbors=2).examples
    assert found.column("n").tolist() == [1, 2, 1.5]
    assert found.schema.attribute("n").value_type is ValueType.REAL


@pytest.mark.parametrize("offset", [0.0, 1e7, 1e8])
def test_a_large_offset_does_not_change_the_neighbours(offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    holes = X.copy()
    holes[::4, 0] = np.nan
    near = ExampleSet.from_numpy(holes)
    far = ExampleSet.from_numpy(holes + offset)
    expected = impute_knn(near, number_of_neighbors=3).examples.numeric()
    assert impute_knn(far, number_of_neighbors=3).examples.numeric() - offset == pytest.approx(
        expected, abs=1e-6
    )
