import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import betaincinv, binom
from scipy.stats import beta, kstest

from fsops.algorithms.aggregation.robust_ranks import (
    order_statistic_score,
    rho_p_values,
    robust_ranks,
)
from fsops.algorithms.aggregation.weights import Lists

relaxed = settings(deadline=None, max_examples=40)


def naive_score(x):
    """Return the smallest beta chance of one feature's ranks, by its definition."""
    x = np.sort(x)
    return min(beta.cdf(x[k], k + 1, len(x) - k) for k in range(len(x)))


def by_counting(t, members):
    """Return the p-value by the recursion over how many uniforms are below each border."""
    places = np.arange(1, members + 1)
    chance, before = {0: 1.0}, 0.0
    for k, border in enumerate(betaincinv(places, members + 1 - places, t), start=1):
        q = (border - before) / (1 - before)
        after = {}
        for a, p in chance.items():
            for more in range(members - a + 1):
                if a + more < k:
                    part = binom(members - a, more) * q**more * (1 - q) ** (members - a - more)
                    after[a + more] = after.get(a + more, 0.0) + p * part
        chance, before = after, border
    return 1 - sum(chance.values())


@pytest.mark.parametrize(
    ("ranks", "rho", "exact"),
    [
        ([0.1, 0.2, 0.9], 0.104, 0.2287024030),
        ([0.1, 0.2, 0.9, 0.15, 0.3], 0.03078, 0.1087783026),
    ],
)
def test_worked_scores_and_p_values(ranks, rho, exact):
    found = order_statistic_score(np.sort(np.array(ranks))[:, None])
    assert found == pytest.approx([rho], abs=1e-12)
    assert rho_p_values(found, len(ranks)) == pytest.approx([exact], abs=1e-10)


@relaxed
@given(st.integers(1, 30), st.floats(1e-6, 0.999))
def test_p_values_agree_with_the_recursion_of_counts(members, t):
    assert rho_p_values(np.array([t]), members)[0] == pytest.approx(
        by_counting(t, members), abs=1e-11
    )


def test_p_values_of_many_members_agree_too():
    t = np.array([1e-6, 0.05, 0.9])
    assert rho_p_values(t, 60) == pytest.approx([by_counting(v, 60) for v in t], abs=1e-11)


def test_small_p_values_keep_their_digits():
    # Where crossing two borders is out of the question, the chance is about K times rho.
    t = np.array([1e-280, 1e-200, 1e-100, 1e-60])
    assert rho_p_values(t, 20) / t == pytest.approx(20, rel=1e-2)
    assert (np.diff(rho_p_values(t, 20)) > 0).all()


@relaxed
@given(st.integers(1, 12), st.floats(1e-9, 1))
def test_p_value_lies_between_the_score_and_the_bound(members, t):
    p = rho_p_values(np.array([t]), members)[0]
    assert t * (1 - 1e-9) <= p <= min(1, members * t) * (1 + 1e-9)


def test_scores_are_those_of_the_definition():
    weights = np.random.default_rng(3).random((6, 40))
    lists = Lists.of(weights)
    expected = [naive_score(ranks / 40) for ranks in lists.ranks.T]
    assert robust_ranks(lists).rho == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("members", [3, 10])
def test_p_values_of_random_lists_are_uniform(members):
    weights = np.random.default_rng(2012).random((members, 4000))
    p_values = robust_ranks(Lists.of(weights)).p_values
    assert kstest(p_values, "uniform").pvalue > 0.05
    bound = robust_ranks(Lists.of(weights), exact=False).p_values
    assert kstest(bound, "uniform").pvalue < 1e-6


def test_a_few_good_ranks_are_enough():
    weights = np.random.default_rng(1).random((8, 500))
    weights[:4, 7] = 2
    found = robust_ranks(Lists.of(weights))
    assert found.p_values.argmin() == 7
    assert found.p_values[7] < 1e-6


def test_absent_features_have_the_worst_rank():
    found = robust_ranks(Lists.of(np.array([[3.0, 2, 0, 0], [3.0, 0, 2, 0]])))
    np.testing.assert_allclose(found.rho, [(1 / 4) ** 2, 1 - (1 / 2) ** 2, 1 - (1 / 2) ** 2, 1])
    assert found.p_values[3] == 1


def test_features_that_a_member_could_not_rank_do_not_count_there():
    weights = np.array([[3.0, 2, 1, 0], [3.0, 0, 1, 2], [1.0, 0, 2, 3]])
    available = np.array([[1, 1, 1, 0], [1, 0, 1, 1], [1, 0, 1, 1]], dtype=bool)
    found = robust_ranks(Lists.of(weights), available=available)
    assert found.rho[1] == pytest.approx(2 / 3)
    assert found.p_values[1] == pytest.approx(2 / 3)
    assert found.rho[3] == pytest.approx(naive_score(np.array([2 / 3, 1 / 3])))
    nobody = robust_ranks(Lists.of(weights[:, :2]), available=np.array([[1, 0]] * 3, dtype=bool))
    assert nobody.p_values[1] == 1


@relaxed
@given(st.integers(2, 6), st.integers(2, 8), st.integers(0, 10**6))
def test_neither_members_nor_features_have_a_place_of_their_own(members, p, seed):
    rng = np.random.default_rng(seed)
    weights, places = rng.random((members, p)), rng.permutation(p)
    found = robust_ranks(Lists.of(weights)).p_values
    shuffled = robust_ranks(Lists.of(weights[rng.permutation(members)][:, places])).p_values
    np.testing.assert_allclose(shuffled, found[places])
