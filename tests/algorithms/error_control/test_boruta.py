"""Boruta's decisions against those of the boruta package."""

import numpy as np
import pytest

from fsops.algorithms.error_control import boruta as algorithm


@pytest.mark.parametrize("two_step", [True, False])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_decisions_are_those_of_the_boruta_package(two_step, alpha):
    package = pytest.importorskip("boruta", reason="boruta is not installed")
    theirs = package.BorutaPy(None, alpha=alpha, two_step=two_step)
    rng = np.random.default_rng(0)
    chances = np.concatenate([[0, 1, 0.95, 0.05], rng.random(12)])
    ours, expected = np.zeros(16, dtype=np.intp), np.zeros(16, dtype=int)
    hits = np.zeros(16, dtype=np.intp)
    for iteration in range(1, 60):
        hits += (rng.random(16) < chances) & (ours != algorithm.REJECTED)
        ours = algorithm.decide(ours, hits, iteration, alpha=alpha, two_step=two_step)
        expected = theirs._do_tests(expected, hits, iteration)
        assert ours.tolist() == expected.tolist()
    assert {-1, 1} <= set(ours.tolist())


def test_shadows_are_shuffled_columns_and_rejected_columns_leave():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    seen = []

    def importance(both, _):
        seen.append(both)
        found = np.full(both.shape[1], 0.5)
        found[0] = 1.0
        found[1 : {9: 3, 8: 2, 6: 1}[both.shape[1]]] = 0.0  # attributes, before the shadows
        return found

    found = algorithm.select(X, importance, range(1, 40), rng)
    assert found.decisions.tolist() == [1, -1, -1]
    assert seen[0].shape == (30, 9)  # at least five shadows
    assert seen[0][:, :3].tolist() == X.tolist()
    for column in range(9):
        assert np.sort(seen[0][:, column]) == pytest.approx(np.sort(X[:, column % 3]))
        assert column < 3 or seen[0][:, column].tolist() != X[:, column % 3].tolist()
    count = len(found.importances)
    assert count < 39
    assert found.hits.tolist() == [count, 0, 0]
    assert found.shadows.tolist() == [[0.5] * 4] * count


def test_an_equal_importance_is_not_a_hit():
    found = algorithm.select(
        np.random.default_rng(2).normal(size=(9, 6)),
        lambda both, _: np.ones(both.shape[1]),
        range(1, 30),
        np.random.default_rng(3),
    )
    assert found.decisions.tolist() == [-1] * 6


def test_tentative_attributes_are_compared_by_their_medians():
    found = algorithm.Boruta(
        np.array([0, 0, 1, -1]),
        np.zeros(4, dtype=np.intp),
        np.array([[3.0, 1, 9, 9], [5.0, 1, 9, np.nan]]),
        np.array([[0, 0, 2.0, 2.0], [0, 0, 3.0, 3.0]]),
    )
    assert algorithm.roughly_fixed(found).tolist() == [True, False, False, False]
