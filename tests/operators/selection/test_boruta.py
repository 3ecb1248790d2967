"""Select by Boruta."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.errors import DataError, OperatorWarning
from fsops.operators import select_by_boruta


def table(n=120, p=12, seed=0, classes=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X[:, 0] * X[:, 1] + 1.5 * X[:, 2] + 0.1 * rng.normal(size=n)
    X[:, 3] = X[:, 2] + 0.1 * rng.normal(size=n)  # nearly a copy: matters, too
    return X, np.where(y > 0, "b", "a") if classes else y


@pytest.mark.slow
def test_decisions_agree_with_the_boruta_package():
    package = pytest.importorskip("boruta", reason="boruta is not installed")
    from sklearn.ensemble import RandomForestClassifier

    X, y = table()
    forest = RandomForestClassifier(25, max_depth=7)
    theirs = package.BorutaPy(forest, n_estimators=25, max_iter=30, random_state=1).fit(X, y)
    ours = select_by_boruta(ExampleSet.from_numpy(X, y), number_of_trees=25, iterations=29)
    assert (ours.weights.details["decision"] == 1).tolist() == theirs.support_.tolist()


@pytest.mark.parametrize("settings", [{}, {"forest": "extra trees"}, {"adjustment": "bonferroni"}])
def test_attributes_that_matter_and_their_copies_are_confirmed(settings):
    X, y = table(classes=False)
    examples = ExampleSet.from_numpy(X * 1e6, y)
    found = select_by_boruta(
        examples, number_of_trees=20, iterations=25, tentative="keep", percentile=100, **settings
    )
    decisions = found.weights.details["decision"]
    assert decisions[[2, 3]].tolist() == [1, 1]
    assert (decisions[4:] < 1).all()
    assert (decisions[4:] == -1).sum() >= 5
    assert set(found.weights.selected()) >= {"att3", "att4"}
    assert found.history.importances.shape[1] == 12
    assert np.isnan(found.history.importances[-1, decisions == -1]).all()


def test_constant_attributes_are_rejected_and_three_classes_are_fine():
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.normal(size=60), np.ones(60), rng.normal(size=60)])
    y = np.digitize(X[:, 0], [-0.4, 0.4])
    found = select_by_boruta(ExampleSet.from_numpy(X, y), number_of_trees=20, iterations=25)
    assert found.weights.details["decision"].tolist() == [1, -1, -1]
    assert found.weights.details["hits"][:2].tolist() == [1.0, 0.0]


def test_few_iterations_leave_attributes_tentative_with_a_warning():
    X, y = table()
    with pytest.warns(OperatorWarning, match="12 attributes are tentative after 2 forests"):
        found = select_by_boruta(ExampleSet.from_numpy(X, y), number_of_trees=5, iterations=2)
    assert found.weights.values.sum() == 0
    with pytest.warns(OperatorWarning):
        kept = select_by_boruta(
            ExampleSet.from_numpy(X, y), number_of_trees=5, iterations=2, tentative="keep"
        )
    assert kept.weights.values.sum() == 12
    with pytest.warns(OperatorWarning):
        median = select_by_boruta(
            ExampleSet.from_numpy(X, y), number_of_trees=50, iterations=2, tentative="by median"
        )
    assert 0 < median.weights.values.sum() < 12


def test_the_same_seed_gives_the_same_history():
    X, y = table()
    first, second = (
        select_by_boruta(ExampleSet.from_numpy(X, y), number_of_trees=5, iterations=12)
        for _ in range(2)
    )
    assert first.weights.equals(second.weights)
    assert first.history.equals(second.history)
    assert len(first.history.to_pandas()) == (~np.isnan(first.history.importances)).sum()


def test_missing_values_are_refused():
    X, y = table()
    X[0, 0] = np.nan
    with pytest.raises(DataError, match="missing"):
        select_by_boruta(ExampleSet.from_numpy(X, y))
