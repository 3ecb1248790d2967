"""Bounds of stability selection, and the selections of halves."""

import numpy as np
import pytest

from fsops.algorithms.error_control import stability_selection as algorithm

# p times the tails D(theta², 2π-1, B, -1/2) and D(theta, π, 2B, -1/4), computed in R by the program
# that accompanies the paper (r_concave_tail.R), with the tolerance of optimize set to 1e-13.
PUBLISHED = {
    (10, 100, 0.75, 50): (0.2860310642, 0.6527074914),
    (5, 1000, 0.6, 50): (0.02395203103, 0.01651734095),
    (50, 1000, 0.9, 50): (0.1704955758, 0.3659298196),
    (3, 30, 0.8, 20): (0.07527024726, 0.1741570566),
    (20, 2000, 0.55, 50): (0.490599183, 0.1906670651),
    (100, 20000, 0.7, 50): (0.1767557216, 0.1772440677),
    (30, 100, 0.9, 50): (1.071150512, 2.998988557),
    (10, 100, 1, 10): (0.03986847369, 0.1086257191),
}


@pytest.mark.parametrize("case", PUBLISHED)
def test_r_concave_bounds_are_those_of_the_program_of_shah_and_samworth(case):
    q, p, threshold, pairs = case
    count = algorithm.halves_needed(threshold, pairs)
    both = p * algorithm.r_concave_tail((q / p) ** 2, count - pairs, pairs, -1 / 2)
    single = p * algorithm.r_concave_tail(q / p, count, 2 * pairs, -1 / 4)
    assert (both, single) == pytest.approx(PUBLISHED[case], rel=3e-5)
    bound = algorithm.false_selection_bound(q, p, threshold, pairs)
    assert bound == pytest.approx(min(PUBLISHED[case]), rel=3e-5)


@pytest.mark.parametrize("r", [-1 / 2, -1 / 4])
def test_no_r_concave_distribution_exceeds_the_tail(r):
    rng = np.random.default_rng(4)
    grid, t = 20, 12
    i = np.arange(grid + 1)
    for _ in range(40):
        # f ** r is convex: the maximum of lines that are positive on the grid.
        slopes, heights = rng.exponential(size=(2, 3)) ** 3
        f = np.max(heights[:, None] + slopes[:, None] * i + 1e-3, axis=0) ** (1 / r)
        f /= f.sum()
        mean = float(f @ i) / grid
        tail = algorithm.r_concave_tail(mean, t, grid, r)
        assert f[t:].sum() <= tail + 1e-12


def test_unimodal_bounds_are_those_of_theorem_2():
    def constant(tau, pairs):  # C(tau, B) of the paper
        if tau <= 0.75:
            return 1 / (2 * (2 * tau - 1 - 1 / (2 * pairs)))
        return 4 * (1 - tau + 1 / (2 * pairs)) / (1 + 1 / pairs)

    for tau in (0.6, 0.75, 0.76, 0.9, 1.0):
        bound = algorithm.false_selection_bound(10, 1000, tau, 50, "unimodal")
        assert bound == pytest.approx(constant(tau, 50) * 10**2 / 1000)


def test_without_an_assumption_the_bound_is_that_of_meinshausen_and_buhlmann():
    assert algorithm.false_selection_bound(20, 1000, 0.9, 50, "none") == pytest.approx(0.5)
    assert algorithm.false_selection_bound(900, 1000, 0.51, 50, "none") == 1000  # never above p
    assert algorithm.false_selection_bound(0, 1000, 0.9, 50) == 0


@pytest.mark.parametrize("assumption", ["r-concave", "unimodal", "none"])
def test_thresholds_and_sizes_are_the_extreme_ones_within_the_limit(assumption):
    def bound(q, threshold):
        return algorithm.false_selection_bound(q, 200, threshold, 20, assumption)

    size = algorithm.largest_size(200, 0.8, 1.0, 20, assumption)
    assert bound(size, 0.8) <= 1 < bound(size + 1, 0.8)
    threshold = algorithm.smallest_threshold(8, 200, 0.5, 20, assumption)
    assert bound(8, threshold) <= 0.5 < bound(8, threshold - 1 / 40)
    assert algorithm.smallest_threshold(200, 200, 0.3, 20, assumption) is None
    assert algorithm.largest_size(2, 0.75, 0.01, 20, assumption) == 0


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="threshold = 1.5"):
        algorithm.false_selection_bound(1, 10, 1.5, 50)


def test_places_count_positive_weights_only_and_ties_keep_the_order():
    weights = np.array([[3.0, 0.0, 5.0, -1.0], [2.0, 2.0, 2.0, 0.0]])
    assert algorithm.selected_places(weights, 2).tolist() == [[2, 0, 1, 0], [1, 2, 0, 0]]
    assert algorithm.selected_places(weights, None).tolist() == [[2, 0, 1, 0], [1, 2, 3, 0]]


def test_frequencies_count_halves_by_size():
    places = np.array([[1, 2, 0], [2, 1, 0], [1, 0, 0], [0, 0, 0]])
    found = algorithm.frequencies(places, np.array([1, 2]))
    assert found.tolist() == [[0.5, 0.25, 0], [0.75, 0.5, 0]]
    assert algorithm.simultaneous(places).tolist() == [0.5, 0.5, 0]
    assert algorithm.path_sizes(0).size == 0
    assert algorithm.path_sizes(5000)[[0, -1]].tolist() == [1, 5000]
