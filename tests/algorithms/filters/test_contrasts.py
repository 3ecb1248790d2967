from functools import partial

import numpy as np
import pytest

from fsops.algorithms.aggregation.ensemble import resampled_class_scores
from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled import sets
from fsops.algorithms.base.resampling import bootstrap, row_counts
from fsops.algorithms.filters import univariate
from fsops.algorithms.filters.contrasts import contrast_of

CONTRASTS = {
    "student": partial(univariate.student_t_from, p_values=False),
    "welch": partial(univariate.welch_t_from, weighting="abs_statistic"),
    "sam": partial(univariate.sam_from, s0=0.3),
    "sam by default": univariate.sam_from,
    "f": univariate.f_test_from,
    "fisher": univariate.fisher_score_from,
    "lal": univariate.lal_score_from,
}


@pytest.fixture
def always_kernels(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(kernels, "TABLE", 0)


def problem(stored="C"):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 700)) * rng.uniform(0.1, 9, 700) + rng.uniform(-50, 50, 700)
    y = rng.permutation(np.arange(40) % 2)
    X[:, :30] += y[:, None]
    return np.array(X, order=stored), y


@pytest.mark.parametrize("name", CONTRASTS)
@pytest.mark.parametrize("stored", "CF")
def test_a_contrast_is_the_score_of_each_resample(always_kernels, name, stored):
    X, y = problem(stored)
    rows = bootstrap(40, 12, np.random.default_rng(0), labels=y)
    score = CONTRASTS[name]
    found = resampled_class_scores(X, y, row_counts(rows, 40), score)
    expected = [score(univariate.ClassMoments.of(X[r], y[r], 2)).weights for r in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", CONTRASTS)
def test_features_constant_in_a_class_are_left_to_the_filter(always_kernels, monkeypatch, name):
    X, y = problem()
    X[:, 5] = 0.1  # constant
    X[:, 6] = y  # separates perfectly
    X[y == 1, 7] = 2.0  # constant in one class
    rows = bootstrap(40, 9, np.random.default_rng(0), labels=y)
    counts = row_counts(rows, 40)
    found = resampled_class_scores(X, y, counts, CONTRASTS[name])
    monkeypatch.setattr(kernels, "TABLE", 1 << 60)
    expected = resampled_class_scores(X, y, counts, CONTRASTS[name])
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert not found[:, 5].any()
    assert np.isinf(found[:, 6]).all() == (not name.startswith("sam"))


def test_small_jobs_do_without_kernels(monkeypatch):
    X, y = problem()
    monkeypatch.setattr(sets, "fill_contrasts", None)
    monkeypatch.setattr(sets, "finish_class_sums", None)
    assert resampled_class_scores(X, y, np.ones((3, 40)), univariate.student_t_from).all()


@pytest.mark.parametrize(
    "score",
    [
        univariate.welch_t_from,  # weights are 1 - p
        partial(univariate.student_t_from, weighting="neg_log10_p"),
        partial(univariate.sam_from, s0="median"),
        partial(univariate.sam_from, s0=-1.0),
        univariate.symmetric_kl_from,
        partial(partial(univariate.student_t_from, None)),  # who knows what was bound
    ],
)
def test_other_scores_are_no_contrasts(score):
    assert contrast_of(score, np.full((2, 3, 1), 20.0)) is None


def test_contrasts_need_two_classes_with_two_rows():
    score = univariate.student_t_from
    assert contrast_of(score, np.full((2, 3, 1), 2.0)) is not None
    assert contrast_of(score, np.full((3, 3, 1), 20.0)) is None
    assert contrast_of(score, np.array([[[1.0]], [[9.0]]])) is None
