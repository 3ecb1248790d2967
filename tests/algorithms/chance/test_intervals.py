"""Scores without optimism, and their intervals."""

import numpy as np
import pytest
from scipy import stats

from fsops.algorithms.chance.intervals import (
    draw,
    effective_rows,
    interval_of,
    smallest_within_one_error,
    wilson,
)


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (7, 10), (10, 10), (33, 60)])
def test_wilson_is_that_of_scipy(hits, n):
    expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
    found = wilson(hits / n, n)
    assert (found.lower, found.upper) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_score_of_a_choice_is_that_of_the_rows_left_out():
    """A plain loop over the same resamples gives the same numbers."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [12, 8])
    losses = (rng.random((5, 20)) < 0.4).astype(float)
    draws = draw(losses, codes, np.random.default_rng(1), draws=200)
    means = draws.means(1 - losses, codes == 1)
    for number in (0, 7, 99):
        out = draws.left_out[number]
        assert out[codes == 0].any()
        assert out[codes == 1].any()
        expected = (1 - losses[draws.chosen[number]])[out & (codes == 1)].mean()
        assert means[number] == pytest.approx(expected)


def test_choosing_among_useless_configurations_is_not_rewarded():
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    found = []
    for seed in range(40):
        losses = (rng.random((6, 60)) < 0.5).astype(float)
        draws = draw(losses, codes, np.random.default_rng(seed), draws=200)
        found.append((interval_of(draws.means(1 - losses)).value, 1 - losses.mean(axis=1).min()))
    honest, optimistic = np.mean(found, axis=0)
    assert honest == pytest.approx(0.5, abs=0.02)
    assert optimistic > 0.56


def test_rows_of_a_unit_are_drawn_together():
    units = np.repeat(np.arange(6), 3)
    draws = draw(np.zeros((1, 18)), units % 2, np.random.default_rng(0), units=units, draws=50)
    together = draws.left_out.reshape(-1, 6, 3)
    assert (together.all(axis=2) == together.any(axis=2)).all()


def test_a_balanced_accuracy_is_worth_all_rows_if_classes_are_equal():
    assert effective_rows(np.arange(40) % 2) == pytest.approx(40)
    assert effective_rows(np.repeat([0, 1], [90, 10])) == pytest.approx(36)


def test_the_smallest_size_within_one_standard_error_is_found():
    losses = np.zeros((4, 40))
    losses[0, :20], losses[1, :9], losses[2, :8], losses[3, :10] = 1, 1, 1, 1
    assert smallest_within_one_error(losses, None) == (1, 2)
    codes = np.arange(40) % 2
    mean = [losses[:, codes == c].mean(axis=1) for c in (0, 1)]
    error = np.sqrt(sum(losses[2, codes == c].var(ddof=1) / 20 for c in (0, 1))) / 2
    near = np.flatnonzero(np.mean(mean, axis=0) <= np.mean(mean, axis=0)[2] + error)
    assert smallest_within_one_error(losses, codes) == (near[0], 2)
