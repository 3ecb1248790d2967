"""The critical-difference diagram."""

import numpy as np
import pytest

from fsops.data import ExampleSet
from fsops.operators import friedman_test
from fsops.plots import critical_difference
from fsops.plots.comparison import RankedMethods, ranked


@pytest.fixture
def merits():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(12, 4)) * 0.5 + [0, 0.2, 3, 3.2]
    return ExampleSet.from_numpy(values, names=["bad", "poor", "good", "best"])


def test_pairs_and_merits_tell_the_same(merits):
    direct, pairs = ranked(merits), ranked(friedman_test(merits).pairs)
    assert direct.names == pairs.names
    assert np.allclose(direct.ranks, pairs.ranks)
    assert np.array_equal(direct.differ, pairs.differ)
    assert direct.critical == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 12)), abs=1e-3)  # Demšar


def test_methods_are_named_with_their_ranks_best_first(ax, merits):
    critical_difference(merits, ax)
    found = ranked(merits)
    texts = [text.get_text() for text in ax.texts]
    assert f"{found.names[0]}  {found.ranks[0]:.2f}" in texts
    assert f"{found.ranks[-1]:.2f}  {found.names[-1]}" in texts
    assert f"critical difference {found.critical:.2f}" in texts


def test_errors_are_better_when_small(merits):
    assert ranked(merits, maximize=False).names == ranked(merits).names[::-1]


def test_groups_are_the_longest_runs_that_do_not_differ():
    ranks = np.array([1.0, 1.5, 2.5, 4.0])
    differ = np.abs(ranks[:, None] - ranks) > 1.6
    assert RankedMethods(tuple("abcd"), ranks, differ, 1.6).groups() == [(0, 2), (2, 3)]


def test_bars_join_the_groups(ax, merits):
    critical_difference(merits, ax)
    bars = [line for line in ax.lines if line.get_linewidth() == 3]
    assert len(bars) == len(ranked(merits).groups()) == 2


def test_one_method_is_said(ax):
    critical_difference(ExampleSet.from_numpy(np.ones((3, 1))), ax)
    assert "fewer than two" in ax.texts[0].get_text()
