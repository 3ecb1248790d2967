"""Elimination by kernels, against a loop written by hand."""

import tracemalloc

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.svm import SVC

from fsops.algorithms.kernel.clinical import ClinicalRows
from fsops.algorithms.kernel.rfe import fraction_sizes, renumbered, rfe_mkl, rfe_svm

NO_CODES = np.empty((30, 0), dtype=int)


@pytest.fixture
def numbers():
    """Return scaled numbers and two balanced classes."""
    rng = np.random.default_rng(11)
    codes = np.arange(30) % 2
    X = rng.normal(size=(30, 24))
    X[:, :3] += codes[:, None]
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), codes


def by_hand(U, codes):
    """Return the ranking of a loop of pdist, SVC and one matrix per feature, best first."""
    left, ranking = np.arange(U.shape[1]), []
    while left.size:
        gram = 1 - squareform(pdist(U[:, left], "cityblock")) / left.size
        machine = SVC(kernel="precomputed", tol=1e-10).fit(gram, codes)
        c = np.zeros(len(U))
        c[machine.support_] = machine.dual_coef_[0]
        gaps = np.abs(U[:, None, left] - U[None, :, left])
        importance = np.array([c @ (1 - gaps[:, :, f]) @ c for f in range(left.size)])
        worst = np.lexsort((left, importance))[: max(1, int(0.2 * left.size))]
        ranking = [*left[worst][::-1], *ranking]
        left = np.delete(left, worst)
    return ranking


def test_rfe_svm_is_the_loop_by_hand(numbers):
    U, codes = numbers
    found = rfe_svm(ClinicalRows.of(U, NO_CODES), codes, fraction_sizes(24))
    assert found.order.tolist() == by_hand(U, codes)
    assert [r.size for r in found.trace] == [24, 20, 16, 13, 11, 9, 8, 7, 6, 5, 4, 3, 2, 1]


def test_rounds_drop_a_share_rounded_down():
    assert fraction_sizes(10, 1, 0.3) == [10, 7, 5, 4, 3, 2, 1]
    assert fraction_sizes(10, 4, 0.2) == [10, 8, 7, 6, 5, 4]
    assert fraction_sizes(3, 3) == [3]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", [rfe_svm, lambda *given: rfe_mkl(*given)[0]])
def test_a_ranking_has_every_feature_and_constants_last(method, classes):
    rng = np.random.default_rng(2)
    codes = np.arange(36) % classes
    X = np.column_stack([np.ones(36), rng.normal(size=(36, 6)) + codes[:, None]])
    Z = np.column_stack([np.full(36, 2), np.where(rng.random(36) < 0.8, codes, 0)])
    found = method(ClinicalRows.of(X, Z), codes, fraction_sizes(9))
    assert sorted(found.order) == list(range(9))
    assert set(found.order[-2:]) == {0, 7}


def test_of_equal_features_the_last_is_kept():
    codes = np.arange(20) % 2
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 1)) + codes[:, None], 4, axis=1)
    rows = ClinicalRows.of(X, np.empty((20, 0), dtype=int))
    assert rfe_svm(rows, codes, fraction_sizes(4)).order.tolist() == [3, 2, 1, 0]


def test_mkl_ranks_by_weights_and_then_by_forms(numbers):
    U, codes = numbers
    rows = ClinicalRows.of(U, NO_CODES)
    found, gap = rfe_mkl(rows, codes, fraction_sizes(24), tol=1e-4)
    assert gap < 1e-4
    for r in found.trace:
        assert (np.diff(r.weights) <= 0).all()
    first = found.trace[0].weights
    assert ((first <= 0) & (first >= -1)).all()  # nothing with a weight is dropped so early
    assert found.trace[-1].weights == pytest.approx([1])
    assert set(found.order[:3]) & {0, 1, 2}


def test_mkl_with_another_norm_has_no_ties(numbers):
    U, codes = numbers
    found, gap = rfe_mkl(ClinicalRows.of(U, NO_CODES), codes, fraction_sizes(24), norm=2.0)
    assert gap < 5e-3
    assert all((r.weights > 0).all() for r in found.trace)


def test_no_feature_has_a_kernel_matrix_of_its_own():
    """The shape of the van 't Veer data, whose kernel matrices would take 206 MB."""
    n, p = 77, 4355
    rng = np.random.default_rng(0)
    codes = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :20] += 0.9 * codes[:, None]
    rows = ClinicalRows.of(X, np.empty((n, 0), dtype=int))
    tracemalloc.start()
    try:
        rfe_mkl(rows, codes, [p, 1000, 100, 1], tol=0.05)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.2 * 8 * p * n * n


def test_new_numbers_for_features(numbers):
    U, codes = numbers
    found = rfe_svm(ClinicalRows.of(U, NO_CODES), codes, fraction_sizes(24, 5))
    places = np.random.default_rng(1).permutation(24)
    moved = renumbered(found, places)
    assert moved.order.tolist() == places[found.order].tolist()
    assert moved.weights[places].tolist() == found.weights.tolist()
    assert sorted(moved.survivors) == sorted(places[found.survivors])
    assert moved.dropped_in[places].tolist() == found.dropped_in.tolist()
