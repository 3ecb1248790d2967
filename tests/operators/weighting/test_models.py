"""Weights read off models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import Lasso
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fsops import Context, ExampleSet
from fsops.data import Attribute, ValueType
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    retrieve,
    weight_by_lasso,
    weight_by_pca,
    weight_by_random_forest,
    weight_by_svm,
)
from fsops.testing import make_examples


def test_svm_weights_are_the_coefficients(two_classes):
    X = StandardScaler().fit_transform(two_classes.numeric())
    oracle = SVC(kernel="linear", tol=1e-8).fit(X, two_classes.binary_label()).coef_[0]
    assert weight_by_svm(two_classes, signed=True).values == pytest.approx(oracle, rel=1e-5)
    assert weight_by_svm(two_classes).values == pytest.approx(np.abs(oracle), rel=1e-5)


def test_lasso_weights_are_scikit_learns():
    diabetes = retrieve(repository_entry="diabetes")
    X, y = StandardScaler().fit_transform(diabetes.numeric()), diabetes.label_values()
    alpha = 0.2 * np.abs(X.T @ (y - y.mean())).max() / len(y)
    oracle = Lasso(alpha=alpha, max_iter=100_000, tol=1e-12).fit(X, y).coef_
    found = weight_by_lasso(diabetes, penalty=0.2, signed=True)
    assert found.values == pytest.approx(oracle, abs=1e-6)


def test_lasso_by_cross_validation_finds_what_matters(two_classes):
    weights = weight_by_lasso(two_classes)
    assert set(weights.top(2)) == {"att1", "att2"}
    assert weights.equals(weight_by_lasso(two_classes))


@pytest.mark.parametrize("component", [1, 2])
def test_pca_weights_are_the_loadings(component):
    wine = retrieve(repository_entry="wine")
    oracle = PCA().fit(StandardScaler().fit_transform(wine.numeric())).components_[component - 1]
    found = weight_by_pca(wine, component_number=component, scaling=True)
    assert found.values == pytest.approx(np.abs(oracle))


def test_pca_has_no_more_components_than_attributes():
    with pytest.raises(ParameterError, match="component_number is 5, but the data has only 4"):
        weight_by_pca(retrieve(repository_entry="iris"), component_number=5)


@pytest.mark.parametrize("importance", ["impurity", "permutation"])
def test_forest_finds_what_matters(two_classes, importance):
    weights = weight_by_random_forest(two_classes, number_of_trees=60, importance=importance)
    assert set(weights.top(2)) == {"att1", "att2"}


def test_impurities_add_up_to_one(two_classes):
    assert weight_by_random_forest(two_classes, number_of_trees=20).values.sum() == pytest.approx(1)


def test_constant_attributes_get_no_weight(two_classes):
    X = two_classes.numeric().copy()
    X[:, 3] = 1e6 / 3
    flat = type(two_classes).from_numpy(X, np.array(["no", "yes"])[two_classes.binary_label()])
    for weigh in (weight_by_svm, weight_by_lasso, weight_by_random_forest):
        assert weigh(flat)["att4"] == 0


@pytest.mark.parametrize("importance", ["impurity", "permutation"])
def test_a_forest_takes_nominal_attributes(importance):
    rng = np.random.default_rng(0)
    shade = rng.choice(["red", "green", "blue"], 120)
    frame = pd.DataFrame({"x": rng.normal(size=120), "shade": shade, "z": rng.normal(size=120)})
    frame["y"] = np.where((shade == "green") ^ (rng.random(120) < 0.05), "yes", "no")
    examples = ExampleSet.from_pandas(frame, roles={"y": "label"})
    found = weight_by_random_forest(examples, number_of_trees=50, importance=importance)
    assert found.names == ("x", "shade", "z")
    assert found.top(1) == ("shade",)
    if importance == "impurity":
        assert found.values.sum() == pytest.approx(1)


def test_copies_of_a_row_by_its_weight_are_in_one_fold_of_the_lasso():
    table = make_examples(40, 30, 0, seed=8)
    times = np.resize([3, 1, 2, 0], 40)
    rows = np.repeat(np.arange(40), times)

    def marked(role, values):
        return table.with_columns([(Attribute("w", ValueType.REAL, role), values.astype(float))])

    def weights(examples, seed):
        return weight_by_lasso(examples, ctx=Context(seed)).values.tolist()

    grouped, weighted = marked("group", np.arange(40)).take(rows), marked("weight", times)
    separated = []
    for seed in range(5):
        assert weights(weighted, seed) == weights(grouped, seed)
        separated.append(weights(table.take(rows), seed) != weights(weighted, seed))
    assert any(separated)


def test_the_lasso_of_one_row_is_refused_with_a_sentence():
    with pytest.raises(DataError, match="One row cannot be cross-validated"):
        weight_by_lasso(ExampleSet.from_numpy(np.ones((1, 3)), [2.5]))
