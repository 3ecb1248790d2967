"""Selections by cross-validated paths."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.filters.shrunken import Centroids
from fsops.errors import DataError
from fsops.operators import (
    retrieve,
    select_by_elastic_net_path,
    select_by_group_lasso_path,
    select_by_shrunken_centroids,
)


def numbers(seed=1, n=80, p=25):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, 3 * X[:, 2] - 2 * X[:, 7] + rng.normal(size=n)


def test_one_standard_error_selects_fewer_attributes_than_the_minimum():
    data = ExampleSet.from_numpy(*numbers())
    best = select_by_elastic_net_path(data, choose="minimum")
    few = select_by_elastic_net_path(data)
    assert np.count_nonzero(few.weights.values) < np.count_nonzero(best.weights.values)
    assert set(few.weights.top(2)) == {"att3", "att8"}
    assert few.curve.chosen == (np.count_nonzero(few.weights.values),)
    coefficients = few.weights.details["coefficient"]
    assert coefficients[2] > 0 > coefficients[7]


def test_the_chosen_number_is_that_of_the_rule_on_the_curve():
    curve = select_by_elastic_net_path(ExampleSet.from_numpy(*numbers())).curve
    best = curve.mean[0].argmin()
    limit = curve.mean[0, best] + curve.standard_error[0, best]
    assert curve.chosen == (min(curve.sizes[curve.mean[0] <= limit + 1e-12]),)


@pytest.mark.parametrize("select", [select_by_elastic_net_path, select_by_group_lasso_path])
@pytest.mark.parametrize("rule", ["one_standard_error", "within_percent", "elbow"])
@pytest.mark.parametrize("unit", [2.0**-30, 2.0**-400, 2.0**400])
@pytest.mark.filterwarnings("ignore:The table has no groups")
def test_the_choice_does_not_depend_on_the_unit_of_the_label(select, rule, unit):
    X, y = numbers(n=40, p=8)
    plain = select(ExampleSet.from_numpy(X, y), choose=rule, number_of_folds=5)
    other = select(ExampleSet.from_numpy(X, y * unit), choose=rule, number_of_folds=5)
    np.testing.assert_allclose(other.weights.values, plain.weights.values * unit, rtol=1e-9)


def test_the_adaptive_lasso_selects_the_right_attributes():
    data = ExampleSet.from_numpy(*numbers(seed=2, n=150))
    found = select_by_elastic_net_path(data, adaptive=1.0, choose="minimum")
    plain = select_by_elastic_net_path(data, choose="minimum")
    assert np.count_nonzero(found.weights.values) < np.count_nonzero(plain.weights.values)
    assert set(found.weights.top(2)) == {"att3", "att8"}


def test_an_elastic_net_keeps_copies_together():
    X, y = numbers()
    X[:, 4] = X[:, 2]
    weights = select_by_elastic_net_path(ExampleSet.from_numpy(X, y), l1_ratio=0.5).weights.values
    assert weights[4] == pytest.approx(weights[2], rel=1e-3)
    assert weights[2] > 0


def test_two_classes_are_numbers_and_three_are_refused():
    X, y = numbers()
    classes = np.where(y > 0, "b", "a")
    assert set(select_by_elastic_net_path(ExampleSet.from_numpy(X, classes)).weights.top(2)) == {
        "att3",
        "att8",
    }
    with pytest.raises(DataError):
        select_by_elastic_net_path(retrieve(repository_entry="iris"))


def test_a_label_of_noise_and_constant_attributes_are_refused_with_a_sentence():
    X = np.ones((20, 3))
    with pytest.raises(DataError, match="no attribute that is related to the label"):
        select_by_elastic_net_path(ExampleSet.from_numpy(X, np.arange(20.0)))
    with pytest.raises(DataError, match="No feature varies within"):
        select_by_shrunken_centroids(ExampleSet.from_numpy(X, np.arange(20) % 2 > 0))


def classes(seed=3, n=60, p=40):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, p))
    X[:, 5] += 3 * (y == 0)
    X[:, 9] -= 3 * (y == 2)
    return X, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("choose", ["minimum", "one standard error"])
def test_shrunken_centroids_keep_the_attributes_of_the_classes(choose):
    X, y = classes()
    found = select_by_shrunken_centroids(ExampleSet.from_numpy(X, y), choose=choose)
    weights = found.weights
    assert set(weights.top(2)) == {"att6", "att10"}
    assert found.curve.chosen == (np.count_nonzero(weights.values),)
    threshold = weights.details["threshold"][0]
    expected = Centroids.of(X, np.unique(y, return_inverse=True)[1])
    assert weights.values == pytest.approx(np.abs(expected.shrunken(threshold)).max(axis=0))
    assert weights.details["class"][[5, 9]].tolist() == [0, 2]
    assert weights.details["difference"][5] > 0 > weights.details["difference"][9]


@pytest.mark.parametrize("seed", range(5))
def test_of_two_classes_of_equal_size_the_first_has_the_largest_difference(seed):
    X = np.random.default_rng(seed).normal(size=(24, 8))
    y = np.array(["a", "b"] * 12)
    for values in (X, X / 3, X + 100):  # rounding decided before
        weights = select_by_shrunken_centroids(ExampleSet.from_numpy(values, y)).weights
        assert not weights.details["class"].any()


def test_the_centroids_are_those_of_the_chosen_threshold():
    X, y = classes()
    found = select_by_shrunken_centroids(ExampleSet.from_numpy(X, y))
    centroids, weights = found.centroids, found.weights
    assert centroids.classes == ("a", "b", "c")
    assert centroids.threshold == weights.details["threshold"][0]
    assert set(centroids.names) == set(weights.selected())
    largest = np.abs(centroids.differences).max(axis=0)
    assert largest.tolist() == [weights[name] for name in centroids.names]
    assert np.all(np.diff(largest) <= 0)
    assert centroids.differences[0, centroids.names.index("att6")] > 0
    assert centroids.differences[2, centroids.names.index("att10")] < 0


def test_rows_of_a_group_are_in_one_fold_and_the_seed_decides():
    X, y = classes()
    data = ExampleSet.from_numpy(X, y)
    one, other = (select_by_shrunken_centroids(data, number_of_folds=4) for _ in range(2))
    assert one.curve.scores.shape[2] == 4
    assert one.curve.scores.tolist() == other.curve.scores.tolist()


def test_a_warning_says_that_no_attribute_would_do_as_well():
    rng = np.random.default_rng(0)
    noise = ExampleSet.from_numpy(rng.normal(size=(60, 200)), np.arange(60) % 2)
    with pytest.warns(UserWarning, match="By the rule one_standard_error none would be selected"):
        found = select_by_elastic_net_path(noise)
    assert np.count_nonzero(found.weights.values) >= 1


def test_attributes_that_help_bring_no_warning(recwarn):
    select_by_elastic_net_path(ExampleSet.from_numpy(*numbers()))
    assert not [each for each in recwarn if "may not help" in str(each.message)]
