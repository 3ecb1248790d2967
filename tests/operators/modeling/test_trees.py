"""Trees and forests, against scikit-learn."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from fsops import ExampleSet
from fsops.operators import decision_tree, gradient_boosting, random_forest


def test_a_tree_is_scikit_learns_and_tells_the_importances(iris, halves, confidences):
    train, test = halves(iris)
    found = decision_tree(train, criterion="information_gain", maximal_depth=3)
    oracle = DecisionTreeClassifier(
        criterion="entropy", max_depth=3, min_samples_split=4, min_samples_leaf=2, random_state=0
    ).fit(train.numeric(), train.label_values())
    assert confidences(found.model, test) == pytest.approx(oracle.predict_proba(test.numeric()))
    assert found.weights.values.sum() == pytest.approx(1)
    petals = iris.schema.regular_names[2:]
    assert set(found.weights.top(2)) == set(petals)


def test_a_tree_finds_the_cut_of_numbers(predicted):
    table = ExampleSet.from_numpy(np.arange(10.0)[:, None], np.repeat([1.5, 4.0], 5))
    found = decision_tree(table)
    assert predicted(found.model, table).tolist() == [1.5] * 5 + [4.0] * 5
    assert found.weights["att1"] == 1


def test_forest_is_reproducible_and_as_good_as_scikit_learns(iris, halves, predicted):
    train, test = halves(iris)
    first, second = (
        predicted(random_forest(train, number_of_trees=30).model, test) for _ in range(2)
    )
    assert (first == second).all()
    oracle = RandomForestClassifier(30, random_state=0).fit(train.numeric(), train.label_values())
    accuracy = (first == test.label_values()).mean()
    assert accuracy == pytest.approx(oracle.score(test.numeric(), test.label_values()), abs=0.06)


def test_boosting_is_scikit_learns(diabetes, predicted):
    small = diabetes.take(np.arange(80))
    found = gradient_boosting(small, number_of_trees=20, learning_rate=0.3)
    oracle = GradientBoostingRegressor(n_estimators=20, learning_rate=0.3, random_state=0)
    oracle.fit(small.numeric(), small.label_values())
    assert predicted(found.model, small) == pytest.approx(oracle.predict(small.numeric()))
    assert found.weights.values == pytest.approx(oracle.feature_importances_, abs=0.01)


def test_boosting_needs_two_classes(iris, refused):
    with refused("two classes", '"setosa"'):
        gradient_boosting(iris.take(np.arange(20)))


def test_nominal_attributes_are_refused(golf, refused):
    with refused("numerical", '"Outlook", "Wind"'):
        decision_tree(golf)
