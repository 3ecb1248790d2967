from functools import partial

import numpy as np
import pytest

from fsops.algorithms.aggregation.ensemble import resampled_class_scores, resampled_cross_scores
from fsops.algorithms.base.resampling import bootstrap, row_counts, subsample
from fsops.algorithms.filters import univariate


def problem(classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 700)) * rng.uniform(0.1, 9, 700) + rng.uniform(-50, 50, 700)
    y = rng.permutation(np.arange(40) % classes)
    X[:, :30] += y[:, None]
    return X, y


SCORES = {
    "welch": partial(univariate.welch_t_from, weighting="abs_statistic", p_values=False),
    "welch p": univariate.welch_t_from,
    "student": univariate.student_t_from,
    "sam": univariate.sam_from,
    "sam median": partial(univariate.sam_from, s0="median"),
    "f": partial(univariate.f_test_from, p_values=False),
    "fisher": univariate.fisher_score_from,
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("draw", [bootstrap, subsample])
def test_scores_are_those_of_each_resample(name, draw):
    X, y = problem()
    rows = draw(len(y), 12, np.random.default_rng(0))
    score = SCORES[name]
    found = resampled_class_scores(
        X, y, row_counts(rows, len(y)), score, joint=name == "sam median"
    )
    expected = [score(univariate.ClassMoments.of(X[r], y[r], 2)).weights for r in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


def test_several_classes_and_few_members_at_a_time(monkeypatch):
    X, y = problem(classes=4)
    rows = bootstrap(len(y), 7, np.random.default_rng(0))
    expected = [univariate.f_test(X[r], y[r], n_classes=4, p_values=False).weights for r in rows]
    counts = row_counts(rows, len(y))
    monkeypatch.setattr("fsops.algorithms.aggregation.ensemble.JOINT_VALUES", 2 * 4 * 700)
    for joint in (False, True):
        found = resampled_class_scores(X, y, counts, SCORES["f"], joint=joint)
        np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_correlations_are_those_of_each_resample():
    X, _ = problem()
    y = X[:, 0] + np.random.default_rng(3).normal(size=40)
    rows = bootstrap(40, 9, np.random.default_rng(0))
    found = resampled_cross_scores(X, y, row_counts(rows, 40), univariate.pearson_from)
    expected = [univariate.pearson(X[r], y[r]).weights for r in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_features_that_are_constant_in_a_resample_weigh_nothing():
    X, y = problem()
    X[:, 5] = 0.1
    X[:, 6] = 0.1
    X[7, 6] = 3.0  # constant wherever row 7 is not drawn
    without = [np.setdiff1d(np.arange(40), [7]), np.arange(40)]
    counts = row_counts(without, 40)
    for score in (SCORES["welch"], SCORES["f"], univariate.student_t_from):
        found = resampled_class_scores(X, y, counts, score)
        assert not found[:, 5].any()
        assert found[0, 6] == 0
        assert found[1, 6] > 0
    target = X[:, 0].copy()
    found = resampled_cross_scores(X, target, counts, univariate.pearson_from)
    assert not found[:, 5].any()
    assert found[0, 6] == 0


def test_large_means_do_not_cost_digits():
    X, y = problem()
    rows = bootstrap(40, 5, np.random.default_rng(0))
    counts = row_counts(rows, 40)
    near = resampled_class_scores(X, y, counts, SCORES["welch"])
    far = resampled_class_scores(X + 1e7, y, counts, SCORES["welch"])
    np.testing.assert_allclose(far, near, rtol=1e-5, atol=1e-5)


def test_a_class_that_is_not_drawn_leaves_the_score_undefined():
    X, y = problem()
    counts = row_counts([np.flatnonzero(y == 0), np.arange(40)], 40)
    found = resampled_class_scores(X, y, counts, SCORES["welch"])
    assert not found[0].any()
    assert found[1].all()


def test_unusable_input_is_refused():
    X, y = problem()
    with pytest.raises(ValueError, match="shape"):
        resampled_class_scores(X, y, np.ones((3, 5)), SCORES["f"])
    with pytest.raises(ValueError, match="no rows"):
        resampled_class_scores(X, y, np.zeros((3, 40)), SCORES["f"])
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="missing"):
        resampled_class_scores(X, y, np.ones((3, 40)), SCORES["f"])
    with pytest.raises(ValueError, match="missing"):
        resampled_cross_scores(X, y, np.ones((3, 40)), univariate.pearson_from)
