import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from fsops.algorithms.aggregation.errors import neighbour_error
from fsops.algorithms.base.resampling import partition


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_error_is_that_of_scikit_learn(k, metric):
    rng = np.random.default_rng(0)
    codes = np.arange(80) % 2
    X = rng.normal(size=(80, 6)) + 0.8 * codes[:, None] + 1e4
    folds = partition(80, 10, rng, strata=codes)
    learner = KNeighborsClassifier(k, metric=metric)
    predicted = cross_val_predict(learner, X, codes, cv=PredefinedSplit(folds))
    error = neighbour_error(X, codes, folds, k, metric=metric)
    assert error == np.mean(predicted != codes)
    assert 0 < error < 0.5


def test_of_equally_near_rows_the_first_counts():
    X = np.array([[0.0], [1.0], [-1.0], [5.0], [5.0]])
    folds = np.array([0, 1, 1, 1, 1])
    # Row 0 sees rows 1 and 2 at the same distance; the others see row 0 alone.
    assert neighbour_error(X, np.array([0, 0, 1, 1, 1]), folds) == 3 / 5
    assert neighbour_error(X, np.array([0, 1, 0, 1, 1]), folds) == 4 / 5


def test_of_classes_with_as_many_votes_the_nearest_wins():
    X = np.array([[0.0], [1.0], [2.0]])
    folds = np.array([0, 1, 1])
    assert neighbour_error(X, np.array([0, 0, 1]), folds, 2) == 1 / 3
    assert neighbour_error(X, np.array([0, 1, 0]), folds, 2) == 2 / 3


def test_without_features_the_most_frequent_class_is_predicted():
    codes = np.array([0] * 6 + [1] * 4)
    folds = np.arange(10) % 5
    assert neighbour_error(np.empty((10, 0)), codes, folds) == 0.4


@pytest.mark.parametrize("far", [1e4, 1e5, 1e6, 1e9])
def test_a_row_far_away_does_not_blur_the_others(far):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(40, 3)), np.arange(40) % 2
    X[7] = far
    folds = partition(40, 10, rng, strata=codes)
    predicted = cross_val_predict(
        KNeighborsClassifier(1, algorithm="kd_tree"), X, codes, cv=PredefinedSplit(folds)
    )
    assert neighbour_error(X, codes, folds) == np.mean(predicted != codes)


def test_rounding_decides_no_tie():
    # 0.3 - 0.2 and 0.2 - 0.1 are not the same number.
    X, folds = np.array([[0.2], [0.1], [0.3]]) + 1e3, np.array([0, 1, 1])
    assert neighbour_error(X, np.array([0, 0, 1]), folds) == 1 / 3
    assert neighbour_error(X[[0, 2, 1]], np.array([0, 0, 1]), folds) == 1 / 3
