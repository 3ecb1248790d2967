"""Linear models, against scikit-learn and the formula."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from sklearn.preprocessing import StandardScaler

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    elastic_net,
    lasso_regression,
    linear_discriminant_analysis,
    linear_regression,
    logistic_regression,
    retrieve,
    ridge_regression,
)


@pytest.fixture
def cancer():
    return retrieve(repository_entry="breast cancer")


def standardized(table):
    return StandardScaler().fit_transform(table.numeric())


def test_least_squares_tells_its_coefficients_per_unit(diabetes, predicted):
    found = linear_regression(diabetes)
    oracle = LinearRegression().fit(diabetes.numeric(), diabetes.label_values())
    expected = oracle.predict(diabetes.numeric())
    assert predicted(found.model, diabetes) == pytest.approx(expected, rel=1e-6)
    assert found.weights.details["coefficient"] == pytest.approx(oracle.coef_, rel=1e-5)
    sizes = np.abs(oracle.coef_ * diabetes.numeric().std(axis=0))
    assert found.weights.values == pytest.approx(sizes, rel=1e-5)


def test_the_constant_can_be_left_out(predicted):
    x = np.array([[1.0], [2.0], [3.0]])
    table = ExampleSet.from_numpy(x, np.array([3.0, 5.0, 7.0]))
    slope = (1 * 3 + 2 * 5 + 3 * 7) / 14
    found = predicted(linear_regression(table, use_bias=False, penalty=0).model, table)
    assert found == pytest.approx(slope * x[:, 0])
    assert predicted(linear_regression(table).model, table) == pytest.approx([3, 5, 7])


@pytest.mark.parametrize(("learner", "oracle"), [
    (lambda t: ridge_regression(t, penalty=7.0), Ridge(alpha=7.0)),
    (lambda t: lasso_regression(t, penalty=2.0), Lasso(alpha=2.0, tol=1e-14)),
    (
        lambda t: elastic_net(t, penalty=0.5, l1_ratio=0.3),
        ElasticNet(alpha=0.5, l1_ratio=0.3, tol=1e-14),
    ),
])  # fmt: skip
def test_penalties_are_scikit_learns_on_standardized_attributes(
    diabetes, predicted, learner, oracle
):
    X = standardized(diabetes)
    oracle.fit(X, diabetes.label_values())
    found = learner(diabetes)
    assert predicted(found.model, diabetes) == pytest.approx(oracle.predict(X))
    assert found.weights.values == pytest.approx(np.abs(oracle.coef_))


def test_logistic_regression_gives_probabilities(cancer, confidences):
    X = standardized(cancer)
    oracle = LogisticRegression(C=0.5, max_iter=1000).fit(X, cancer.label_values())
    found = logistic_regression(cancer, C=0.5)
    assert confidences(found.model, cancer) == pytest.approx(oracle.predict_proba(X), abs=1e-6)
    assert found.weights.values == pytest.approx(np.abs(oracle.coef_[0]), abs=1e-6)


def test_coefficients_of_several_classes_are_added_up(iris):
    oracle = LogisticRegression(max_iter=1000).fit(standardized(iris), iris.label_values())
    expected = np.sqrt((oracle.coef_**2).sum(axis=0))
    found = logistic_regression(iris).weights
    assert found.values == pytest.approx(expected, abs=1e-4)
    assert found.details == {}


def test_a_lasso_penalty_drops_attributes(cancer):
    weights = logistic_regression(cancer, C=0.02, l1_ratio=1.0, max_iterations=5000).weights
    assert 0 < len(weights.selected()) < 15


def test_balanced_costs_are_those_of_scikit_learn(cancer, confidences):
    few = cancer.take(np.flatnonzero((cancer.label_values() == 0) | (np.arange(569) % 5 == 0)))
    X = standardized(few)
    oracle = LogisticRegression(class_weight="balanced", max_iter=1000).fit(X, few.label_values())
    model = logistic_regression(few, balance_cost=True).model
    assert confidences(model, few) == pytest.approx(oracle.predict_proba(X), abs=1e-6)


def test_discriminant_analysis_is_scikit_learns(iris, confidences):
    X, y = iris.numeric(), iris.label_values()
    oracle = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
    assert confidences(linear_discriminant_analysis(iris).model, iris) == pytest.approx(oracle)
    shrunk = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3).fit(standardized(iris), y)
    found = linear_discriminant_analysis(iris, shrinkage="fixed", diagonal_fraction=0.3)
    expected = shrunk.predict_proba(standardized(iris))
    assert confidences(found.model, iris) == pytest.approx(expected)


def test_the_user_is_told_of_a_search_that_was_cut_short(cancer, listening):
    ctx = listening()
    logistic_regression(cancer, max_iterations=2, ctx=ctx)
    (warning,) = ctx.warnings
    assert "stopped before" in warning
    assert "more steps" in warning


def test_labels_of_the_wrong_kind_are_refused(iris, diabetes, refused):
    with refused("numerical label", "Logistic Regression"):
        linear_regression(iris)
    with refused("classes", '"label" is real'):
        logistic_regression(diabetes)


def test_one_class_and_missing_values_are_refused(iris, refused):
    with refused("two classes", '"setosa"'):
        logistic_regression(iris.take(np.arange(10)))
    gap = iris.with_columns([(iris.attributes[0], np.full(150, np.nan))])
    with refused("missing", "Replace Missing Values"):
        logistic_regression(gap)


def test_a_class_that_does_not_exist_has_no_weight(iris, refused):
    with refused('"setossa"', 'Did you mean "setosa"', error=ParameterError):
        logistic_regression(iris, class_weights={"setossa": 2.0})


def test_logistic_regression_without_regularization_is_the_maximum_likelihood():
    from scipy.optimize import minimize
    from scipy.special import expit

    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3)) * [1.0, 100.0, 0.01]
    y = rng.random(80) < expit(X / [1.0, 100.0, 0.01] @ [1.0, -0.5, 0.0])

    Z = (X - X.mean(axis=0)) / X.std(axis=0)

    def loss(b):
        score = np.where(y, 1, -1) * (b[0] + Z @ b[1:])
        return np.log1p(np.exp(-score)).sum()

    best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    table = ExampleSet.from_numpy(X, np.where(y, "b", "a"))
    model = logistic_regression(table, regularization=False).model
    confidence = model.apply(table).column("confidence(b)")
    assert confidence == pytest.approx(expit(best[0] + Z @ best[1:]), abs=1e-4)


def test_attributes_that_linear_regression_leaves_out_have_no_weight(
    diabetes, predicted, listening
):
    learned = linear_regression(diabetes, feature_selection="T-Test", significance_level=0.01)
    kept = np.flatnonzero(learned.weights.values)
    assert 0 < len(kept) < 10
    X, y = diabetes.numeric(), diabetes.label_values()
    expected = LinearRegression().fit(X[:, kept], y).predict(X[:, kept])
    assert predicted(learned.model, diabetes) == pytest.approx(expected, rel=1e-6)
    ctx = listening()
    nothing = linear_regression(
        diabetes, feature_selection="T-Test", significance_level=1e-30, ctx=ctx
    )
    assert "No attribute is left after feature_selection" in ctx.warnings[0]
    assert predicted(nothing.model, diabetes) == pytest.approx(np.full(len(y), y.mean()))
    assert not nothing.weights.values.any()
