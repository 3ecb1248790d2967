"""Lift charts and ROC curves."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import fsops
from fsops import ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    compare_rocs,
    create_lift_chart,
    default_model,
    logistic_regression,
    naive_bayes,
)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    return ExampleSet.from_numpy(X, np.where(X[:, 0] + rng.normal(size=90) > 0.5, "yes", "no"))


def test_a_lift_chart_counts_the_rows_of_the_class(table):
    model = naive_bayes(table)
    chart = create_lift_chart(table, model, target_class="yes", number_of_bins=9).to_pandas()
    applied = model.apply(table)
    order = np.argsort(-applied.column("confidence(yes)"), kind="stable")
    hit = (table.label_values() == 1)[order].reshape(9, 10)
    assert chart["rows_of_yes"].tolist() == hit.sum(axis=1).tolist()
    fraction = hit.sum(axis=1).cumsum() / hit.sum()
    assert chart["fraction_of_yes"].tolist() == pytest.approx(fraction)
    assert chart["lift"].tolist() == pytest.approx(fraction / (np.arange(1, 10) / 9))
    assert chart["lift"].iloc[-1] == 1
    again = create_lift_chart(applied, target_class="yes", number_of_bins=9)
    assert again.to_pandas().equals(chart)


def test_a_lift_chart_needs_a_class_and_a_prediction(table):
    with pytest.raises(ParameterError, match="not a class"):
        create_lift_chart(table, naive_bayes(table), target_class="maybe")
    with pytest.raises(DataError, match="no prediction"):
        create_lift_chart(table)


def test_areas_are_those_of_scikit_learn_on_the_same_rows(table):
    with fsops.running(seed=4):
        found = compare_rocs(
            table,
            [lambda t: logistic_regression(t, C=1.0).model, default_model],
            learner_names=["linear", "default"],
            number_of_folds=1,
            sampling="linear sampling",
        )
    areas = found.areas.to_pandas().set_index("learner")["AUC"]
    X, y = table.numeric(), table.label_values()
    peer = LogisticRegression(max_iter=1000).fit((X[:63] - X[:63].mean(0)) / X[:63].std(0), y[:63])
    score = peer.decision_function((X[63:] - X[:63].mean(0)) / X[:63].std(0))
    assert areas["linear"] == pytest.approx(roc_auc_score(y[63:], score), abs=0.01)
    assert areas["default"] == 0.5
    curve = found.curves.to_pandas()
    plain = curve[curve["learner"] == "default"]
    assert plain["true_positive_rate"].tolist() == pytest.approx(plain["false_positive_rate"])


def test_folds_give_a_mean_curve_with_its_deviation(table):
    with fsops.running(seed=4):
        found = compare_rocs(table, [naive_bayes, default_model], number_of_folds=5)
    curve = found.curves.to_pandas()
    assert set(curve["learner"]) == {"Naive Bayes", "Default Model"}
    mine = curve[curve["learner"] == "Naive Bayes"]
    assert mine["true_positive_rate"].is_monotonic_increasing
    assert mine["true_positive_rate"].iloc[-1] == 1
    assert (mine["standard_deviation"] > 0).any()
    with pytest.raises(ParameterError, match="2 different names"):
        compare_rocs(table, [naive_bayes, default_model], learner_names=["a", "a"])
