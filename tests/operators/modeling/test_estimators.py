"""Learners from scikit-learn."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.preprocessing import StandardScaler

from fsops.operators import k_nn, nearest_centroid, random_forest, retrieve


@pytest.fixture
def iris():
    return retrieve(repository_entry="iris")


def predicted(model, examples):
    return model.apply(examples).column(f"prediction({examples.label.name})")


def test_k_nn_votes_as_scikit_learn(iris):
    train, test = iris.take(np.arange(0, 150, 2)), iris.take(np.arange(1, 150, 2))
    oracle = KNeighborsClassifier(3, weights="distance").fit(train.numeric(), train.label_values())
    assert (predicted(k_nn(train, k=3), test) == oracle.predict(test.numeric())).all()


def test_k_nn_scales_by_the_training_rows_only(iris):
    train, test = iris.take(np.arange(0, 150, 2)), iris.take(np.arange(1, 150, 2))
    scaler = StandardScaler().fit(train.numeric())
    oracle = KNeighborsClassifier(1, metric="manhattan").fit(
        scaler.transform(train.numeric()), train.label_values()
    )
    model = k_nn(train, k=1, normalize=True, numerical_measure="ManhattanDistance")
    assert (predicted(model, test) == oracle.predict(scaler.transform(test.numeric()))).all()


def test_k_nn_averages_numbers():
    diabetes = retrieve(repository_entry="diabetes")
    X, y = diabetes.numeric(), diabetes.label_values()
    oracle = KNeighborsRegressor(4).fit(X, y).predict(X)
    assert predicted(k_nn(diabetes, k=4, weighted_vote=False), diabetes) == pytest.approx(oracle)


def test_nearest_centroid_is_the_nearest_class_mean(iris):
    X, y = iris.numeric(), iris.label_values()
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    nearest = np.linalg.norm(X[:, None] - means, axis=2).argmin(axis=1)
    assert (predicted(nearest_centroid(iris), iris) == nearest).all()


def test_shrinkage_is_scikit_learns(iris):
    oracle = NearestCentroid(shrink_threshold=2.0).fit(iris.numeric(), iris.label_values())
    found = predicted(nearest_centroid(iris, shrinkage=2.0), iris)
    assert (found == oracle.predict(iris.numeric())).all()


def test_forest_is_reproducible_and_as_good_as_scikit_learns(iris):
    train, test = iris.take(np.arange(0, 150, 2)), iris.take(np.arange(1, 150, 2))
    first, second = (predicted(random_forest(train, number_of_trees=30), test) for _ in range(2))
    assert (first == second).all()
    oracle = RandomForestClassifier(30, random_state=0).fit(train.numeric(), train.label_values())
    accuracy = (first == test.label_values()).mean()
    assert accuracy == pytest.approx(oracle.score(test.numeric(), test.label_values()), abs=0.06)


def test_class_that_is_missing_in_the_training_rows_gets_no_confidence(iris):
    two = iris.take(iris.label_values() != 1)
    labelled = k_nn(two).apply(iris)
    assert labelled.column("confidence(versicolor)").max() == 0
