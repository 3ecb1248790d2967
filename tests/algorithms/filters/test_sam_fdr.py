import numpy as np
import pytest

from fsops.algorithms.filters.sam_fdr import sam_fdr
from fsops.algorithms.filters.univariate import sam


def microarray(p=400, real=40, n=24, seed=0, effect=2.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :real] += effect * y[:, None]
    return X, y


def run(X, y, seed=1, **options):
    return sam_fdr(X, y, rng=np.random.default_rng(seed), **options)


def test_real_differences_get_small_q_values():
    X, y = microarray()
    result = run(X, y)
    found = result.q_values < 0.05
    assert found[:40].sum() >= 38
    assert found[40:].sum() <= 5
    assert 0.7 < result.pi0 <= 1


def test_noise_alone_is_not_called():
    X, y = microarray(effect=0.0)
    assert (run(X, y).q_values > 0.2).all()


def test_the_permuted_d_are_those_of_sam_on_permuted_labels():
    X, y = microarray(p=30, real=5, n=8)
    X[2, 3] = np.nan
    result = run(X, y, n_permutations=20, s0=0.3)
    rng = np.random.default_rng(1)
    null = np.array([sam(X, rng.permutation(y), s0=0.3).statistic for _ in range(20)])
    np.testing.assert_allclose(result.expected, np.sort(null, axis=1).mean(axis=0), rtol=1e-9)
    observed = np.abs(result.scores.statistic)
    p = (np.abs(null)[None] >= observed[:, None, None] * (1 - 1e-9)).mean(axis=(1, 2))
    np.testing.assert_allclose(result.p_values, p)


def test_calls_and_false_calls_follow_the_cuts():
    X, y = microarray(p=60, real=10)
    result = run(X, y, deltas=np.array([0.2, 0.8]), n_permutations=30)
    d = result.scores.statistic
    rng = np.random.default_rng(1)
    null = np.array([sam(X, rng.permutation(y)).statistic for _ in range(30)])
    for i in range(2):
        low, high = result.lower[i], result.upper[i]
        assert result.called[i] == ((d <= low) | (d >= high)).sum()
        false = np.median(((null <= low) | (null >= high)).sum(axis=1))
        np.testing.assert_allclose(result.false[i], result.pi0 * false)
    assert result.called[0] >= result.called[1]


def test_few_possible_permutations_are_all_used_without_chance():
    X, y = microarray(p=20, real=2, n=6)
    a, b = run(X, y, seed=1, n_permutations=100), run(X, y, seed=2, n_permutations=100)
    np.testing.assert_array_equal(a.q_values, b.q_values)
    assert a.p_values.min() >= 1 / (20 * 20)


def test_undefined_features_get_p_and_q_of_one():
    X, y = microarray(p=20)
    X[:, 7] = 3.0
    result = run(X, y, s0=0.0)
    assert result.scores.undefined[7]
    assert result.p_values[7] == result.q_values[7] == 1
    assert result.expected.size == 19


def test_degenerate_tables_are_answered():
    constant = run(np.ones((6, 2)), np.array([0, 1] * 3), s0=0.0)
    assert (constant.q_values == 1).all()
    alone = run(np.random.default_rng(0).normal(size=(4, 2)), np.zeros(4, int))
    assert (alone.q_values == 1).all()


def test_the_same_seed_gives_the_same_rates():
    X, y = microarray(p=30)
    np.testing.assert_array_equal(run(X, y, s0="auto").q_values, run(X, y, s0="auto").q_values)


def test_no_permutations_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        run(np.ones((4, 1)), np.array([0, 1, 0, 1]), n_permutations=0)


def test_pi0_is_counted_between_the_quartiles_of_all_permuted_differences():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(14, 60)), np.repeat([0, 1], 7)
    X[7:, :10] += 2
    X *= np.logspace(0, 1, 60)
    found = sam_fdr(X, y, rng=np.random.default_rng(1), s0=0.1, n_permutations=40)
    drawn = np.random.default_rng(1)
    permuted = [sam(X, drawn.permutation(y), s0=0.1).statistic for _ in range(40)]
    low, high = np.quantile(np.concatenate(permuted), [0.25, 0.75])
    d = found.scores.statistic
    assert found.pi0 == pytest.approx(min(1, ((d > low) & (d < high)).mean() / 0.5))
