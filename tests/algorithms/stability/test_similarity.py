from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from fsops.algorithms.base.ranking import top_k_mask
from fsops.algorithms.stability import similarity as stability

relaxed = settings(deadline=None, max_examples=50)  # no clock: the machine may be busy


def sets(*members, p=10):
    matrix = np.zeros((len(members), p), dtype=bool)
    for row, features in zip(matrix, members, strict=True):
        row[list(features)] = True
    return matrix


A = sets({0, 1, 2}, {0, 1, 3}, {0, 2, 4})
B = sets({0, 1, 2}, {0, 1}, {0, 2, 4, 5})


def test_worked_example_with_equal_sizes():
    np.testing.assert_allclose(stability.kuncheva(A), [0.5238095, 0.5238095, 0.0476190], atol=1e-7)
    assert stability.average(stability.kuncheva(A)).mean == pytest.approx(0.3650794, abs=1e-7)
    np.testing.assert_allclose(stability.jaccard(A), [0.5, 0.5, 0.2])
    assert stability.average(stability.jaccard(A)).mean == pytest.approx(0.4)
    result = stability.nogueira(A)
    assert result.value == pytest.approx(0.3650794, abs=1e-7)
    assert result.variance == pytest.approx(0.0074652632, abs=1e-10)
    assert (result.lower, result.upper) == pytest.approx((0.1957350, 0.5344237), abs=1e-7)
    assert stability.weighted_consistency(A) == pytest.approx(0.5555556, abs=1e-7)


def test_worked_example_with_unequal_sizes():
    result = stability.nogueira(B)
    assert result.value == pytest.approx(0.3650794, abs=1e-7)
    assert result.variance == pytest.approx(0.0077826638, abs=1e-10)
    assert (result.lower, result.upper) == pytest.approx((0.1921725, 0.5379862), abs=1e-7)
    np.testing.assert_allclose(stability.phi(B), [0.7637626, 0.3563483, 0.1020621], atol=1e-7)
    np.testing.assert_allclose(stability.lustgarten(B), [0.7, 0.2666667, 0.1], atol=1e-7)
    assert stability.weighted_consistency(B) == pytest.approx(0.5555556, abs=1e-7)
    with pytest.raises(ValueError, match="2 to 4 features"):
        stability.kuncheva(B)


def test_worked_weights():
    weights = np.array([[0.9, 0.5, 0.3, 0.3, 0.1], [0.7, 0.6, 0.1, 0.4, 0.2]])
    assert stability.pearson(weights)[0] == pytest.approx(0.8405485, abs=1e-7)
    assert stability.spearman(weights)[0] == pytest.approx(0.8207827, abs=1e-7)
    assert stability.kendall(weights)[0] == pytest.approx(0.7378648, abs=1e-7)
    ranks = np.array([[1.0, 2, 3, 4, 5], [2, 1, 4, 3, 5]])
    assert stability.spearman(ranks)[0] == pytest.approx(0.8)
    assert stability.kendall(ranks)[0] == pytest.approx(0.6)


def test_kuncheva_reaches_both_ends():
    half = sets(range(5), range(5, 10))
    assert stability.kuncheva(half)[0] == -1
    assert stability.kuncheva(sets({3, 4}, {3, 4}))[0] == 1
    large = sets(range(10), range(5, 15), p=2000)
    assert stability.kuncheva(large)[0] == pytest.approx(0.4974874, abs=1e-7)


def test_undefined_pairs_are_left_out_and_counted():
    everything = sets({0, 1}, {0, 1}, {0, 1}, p=2)
    result = stability.average(stability.kuncheva(everything))
    assert np.isnan(result.mean)
    assert result.n_undefined == 3
    assert stability.average(stability.kuncheva(everything), undefined=0).mean == 0
    mixed = sets({0, 1}, {0, 1}, {0, 1, 2, 3}, p=4)
    result = stability.average(stability.phi(mixed))
    assert (result.mean, result.n_undefined) == (1, 2)
    assert np.isnan(stability.nogueira(everything).value)
    assert np.isnan(stability.weighted_consistency(sets(set(), set())))


def test_empty_sets_agree_unless_said_otherwise():
    empty = sets(set(), set())
    assert stability.jaccard(empty)[0] == 1
    assert stability.dice(empty)[0] == 1
    assert np.isnan(stability.jaccard(empty, empty=np.nan)[0])
    assert np.isnan(stability.kuncheva(empty)[0])


def test_constant_weights_have_no_correlation():
    weights = np.array([[0.1, 0.1, 0.1], [1, 2, 3.0], [3, 2, 1.0]])
    for measure in (stability.pearson, stability.spearman, stability.kendall):
        values = measure(weights)
        assert np.isnan(values[:2]).all()
        assert values[2] == pytest.approx(-1)


def test_correlations_survive_extreme_scales():
    weights = np.array([[1e-200, 2e-200, 4e-200], [1e200, 2e200, 4e200]])
    assert stability.pearson(weights)[0] == pytest.approx(1)


def test_one_run_has_no_stability():
    with pytest.raises(ValueError, match="two runs"):
        stability.jaccard(sets({1}))
    with pytest.raises(ValueError, match="two weightings"):
        stability.pearson(np.ones((1, 3)))


def test_bounds_of_the_consistency_by_enumeration():
    every = [np.array(row, dtype=bool) for row in product([0, 1], repeat=4)]
    by_total = {}
    for a, b, c in product(every, repeat=3):
        matrix = np.stack([a, b, c])
        value = stability.weighted_consistency(matrix)
        if not np.isnan(value):
            by_total.setdefault(int(matrix.sum()), set()).add(round(value, 12))
    assert by_total
    for values in by_total.values():
        assert (min(values), max(values)) == (0, 1)


@st.composite
def selections(draw, equal=False):
    m, p = draw(st.integers(2, 6)), draw(st.integers(3, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if equal:
        return top_k_mask(rng.random((m, p)), draw(st.integers(1, p - 1)))
    return rng.random((m, p)) < draw(st.floats(0.2, 0.8))


@relaxed
@given(selections(equal=True))
def test_nogueira_is_the_mean_kuncheva_index_for_equal_sizes(matrix):
    expected = stability.kuncheva(matrix).mean()
    assert stability.nogueira(matrix).value == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(stability.phi(matrix), stability.kuncheva(matrix), atol=1e-12)


@relaxed
@given(selections())
def test_set_measures_agree_with_their_definition(matrix):
    a, b = set(np.flatnonzero(matrix[0])), set(np.flatnonzero(matrix[1]))
    union = len(a | b)
    assert stability.jaccard(matrix)[0] == pytest.approx(len(a & b) / union if union else 1)
    p = matrix.shape[1]
    if 0 < len(a) < p and 0 < len(b) < p:
        expected = np.corrcoef(matrix[:2].astype(float))[0, 1]
        assert stability.phi(matrix)[0] == pytest.approx(expected, abs=1e-12)


@relaxed
@given(selections(), st.randoms())
def test_measures_do_not_depend_on_the_order_of_runs_or_features(matrix, random):
    rows, columns = list(range(len(matrix))), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = matrix[np.ix_(rows, columns)]
    for measure in (stability.jaccard, stability.dice, stability.phi, stability.lustgarten):
        one, two = stability.average(measure(matrix)), stability.average(measure(shuffled))
        np.testing.assert_allclose(one.mean, two.mean, atol=1e-12)
        assert one.n_undefined == two.n_undefined
    one, two = stability.nogueira(matrix), stability.nogueira(shuffled)
    np.testing.assert_allclose(one.variance, two.variance, atol=1e-12)


def test_the_interval_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    frequency = rng.random(40)
    many = stability.nogueira(rng.random((20000, 40)) < frequency).value
    hits = 0
    for _ in range(200):
        result = stability.nogueira(rng.random((40, 40)) < frequency)
        hits += result.lower <= many <= result.upper
    assert 178 <= hits <= 199


def test_two_procedures_are_compared():
    rng = np.random.default_rng(0)
    stable = stability.nogueira(rng.random((50, 30)) < np.r_[np.full(10, 0.95), np.full(20, 0.05)])
    unstable = stability.nogueira(rng.random((50, 30)) < 0.35)
    assert stability.nogueira_test(stable, unstable) < 1e-6
    assert stability.nogueira_test(stable, stable) == 1
    exact = stability.NogueiraStability(1, 0, 1, 1)
    assert stability.nogueira_test(exact, exact) == 1
    assert stability.nogueira_test(exact, stability.NogueiraStability(0.5, 0, 0.5, 0.5)) == 0


@relaxed
@given(
    arrays(np.float64, (4, 9), elements=st.integers(0, 5).map(float)),
    st.sampled_from(["jaccard", "dice", "kuncheva"]),
)
def test_the_curve_over_k_is_the_measure_at_each_k(weights, measure):
    curve = stability.stability_over_k(weights, measure=measure)
    for k in range(1, 10):
        pairs = stability.SET_MEASURES[measure](top_k_mask(weights, k))
        np.testing.assert_allclose(curve[k - 1], pairs.mean(), atol=1e-12)
    some = stability.stability_over_k(weights, np.array([2, 5]), measure=measure)
    np.testing.assert_array_equal(some, curve[[1, 4]])


def test_sizes_outside_the_data_are_refused():
    with pytest.raises(ValueError, match="between 1 and 3"):
        stability.stability_over_k(np.ones((2, 3)), np.array([4]))


def test_every_measure_is_listed():
    assert set(stability.SET_MEASURES) == {"jaccard", "dice", "kuncheva", "phi", "lustgarten"}
    assert set(stability.WEIGHT_MEASURES) == {"pearson", "spearman", "kendall"}
