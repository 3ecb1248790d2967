"""Chance and stability as functions of X and y."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import permutation_test_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from fsops.sklearn import (
    WeightByFTest,
    measure_chance,
    permutation_baseline,
    selection_stability,
)


def a_table(strength=0.0, n=40, p=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :3] += strength * y[:, None]
    return X, y


def test_noise_is_called_so_and_planted_columns_are_named():
    assert measure_chance(*a_table()).verdict.text.startswith("No. Nothing was found.")
    X, y = a_table(2.0)
    frame = pd.DataFrame(X).add_prefix("G")
    answer = measure_chance(frame, np.where(y, "case", "control"))
    assert answer.verdict.light == "green"
    assert {attribute.name for attribute in answer.beyond} == {"G0", "G1", "G2"}
    assert answer.equals(measure_chance(frame, np.where(y, "case", "control")))


def test_patients_with_several_rows_move_as_a_whole():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 5)
    X = rng.normal(size=(12, 40))[patient] + 0.1 * rng.normal(size=(60, 40))
    y = (patient % 2).astype(int)
    assert measure_chance(X, y).verdict.found
    assert not measure_chance(X, y, groups=patient).verdict.found
    with pytest.raises(ValueError, match="has 3 values, but there are 60 rows"):
        measure_chance(X, y, batches=[1, 2, 3])


def test_a_pipeline_is_repeated_with_permuted_labels():
    pipeline = make_pipeline(WeightByFTest(k=3), GaussianNB())
    X, y = a_table(2.0)
    found = permutation_baseline(pipeline, X, y, cv=4, scoring="accuracy", permutations=19)
    peer = permutation_test_score(pipeline, X, y, cv=4, scoring="accuracy", n_permutations=19)
    assert found.criteria == ("accuracy",)
    assert found.true[0] == pytest.approx(peer[0])
    assert found.p_values[0] == peer[2] == 1 / 20
    noise = permutation_baseline(pipeline, *a_table(), cv=4, permutations=19)
    assert noise.p_values[0] > 0.05
    assert noise.p_values[0] == (1 + (noise.permuted >= noise.true - 1e-12).sum()) / 20


@pytest.mark.parametrize("selector", [WeightByFTest(k=4), SelectKBest(k=4)])
def test_a_selector_keeps_its_columns_on_most_bootstraps(selector):
    X, y = a_table(2.0)
    found = selection_stability(selector, X, y, resamples=20)
    assert found.selections.shape == (20, 30)
    assert (found.selections.sum(axis=1) == 4).all()
    assert (found.frequency[:3] > 0.8).all()
    assert found.names[:2] == ("x0", "x1")
    frame = pd.DataFrame(X).add_prefix("G")
    again = selection_stability(selector, frame, y, resamples=20)
    assert again.names[0] == "G0"
    np.testing.assert_array_equal(again.selections, found.selections)


def test_what_is_not_a_selector_is_refused():
    with pytest.raises(ValueError, match="GaussianNB is not a selector"):
        selection_stability(GaussianNB(), *a_table())
