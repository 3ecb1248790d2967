import threading
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.filters.univariate import f_test
from fsops.algorithms.mrmr import search as module
from fsops.algorithms.mrmr.selection import (
    CacheMismatch,
    CorrelationRedundancy,
    MixedRedundancy,
    MRMRCache,
    NominalRedundancy,
    cfs_forward,
    fingerprint,
    mrmr,
    subset_criteria,
)
from fsops.algorithms.statistics.information import mutual_information, symmetric_uncertainty

relaxed = settings(deadline=None, max_examples=60)

# The specification's eight rows: b copies a, d tells nothing about y.
Y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
ABCD = np.array([[int(v) for v in row] for row in ("00011111", "00011111", "01001011", "01010101")])
CODES = ABCD.T
A, B, C, D = range(4)


class Table:
    """Redundancy from a given matrix."""

    def __init__(self, matrix):
        self.matrix = matrix
        self.n_features = len(matrix)

    def column(self, feature):
        return self.matrix[:, feature].copy()

    def block(self, rows, columns):
        return self.matrix[np.ix_(rows, columns)]


def information():
    return mutual_information(CODES, Y).weights, NominalRedundancy(CODES)


def brute_force(relevance, matrix, k, criterion, floor=1e-6):
    """The definition, word by word."""
    chosen = []
    for j in range(k):
        best, best_score = -1, -np.inf
        for x in range(len(relevance)):
            if x in chosen:
                continue
            mean = sum(matrix[x, s] for s in chosen) / j if j else 0
            if j == 0:
                score = relevance[x]
            elif criterion == "mid":
                score = relevance[x] - mean
            else:
                score = relevance[x] / max(mean, floor)
            if score > best_score + 1e-12 * max(1, abs(score)):
                best, best_score = x, score
        chosen.append(best)
    return chosen


def test_worked_measures():
    relevance, redundancy = information()
    np.testing.assert_allclose(relevance, [0.5487949407, 0.5487949407, 0.1887218755, 0], atol=1e-10)
    pairs = redundancy.block(np.arange(4), np.arange(4))
    assert pairs[A, B] == pytest.approx(0.954434, abs=1e-6)
    for i, j in ((A, C), (A, D), (B, C), (B, D)):
        assert pairs[i, j] == pytest.approx(0.048795, abs=1e-6)
    assert pairs[C, D] == 0
    np.testing.assert_allclose(pairs[:, C], redundancy.column(C))


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize(
    ("criterion", "scores"),
    [
        ("mid", [0.548795, 0.139927, 0.047180, -0.032530]),
        ("miq", [0.548795, 3.867653, 1.094057, 0]),
    ],
)
def test_worked_order(criterion, scores, lazy):
    result = mrmr(*information(), 4, criterion=criterion, lazy=lazy)
    np.testing.assert_array_equal(result.order, [A, C, B, D])
    np.testing.assert_allclose(result.scores, scores, atol=1e-6)


def test_worked_numeric_order(toy):
    X = toy.X[:, [0, 1, 3]]
    relevance = f_test(X, toy.y).weights
    np.testing.assert_allclose(relevance, [13.97978, 0, 15.04240], atol=1e-5)
    redundancy = CorrelationRedundancy(X)
    pairs = redundancy.block(np.arange(3), np.arange(3))
    np.testing.assert_allclose(
        [pairs[0, 1], pairs[0, 2], pairs[1, 2]], [0.32556, 0.625292, 0.178992], atol=1e-6
    )
    result = mrmr(relevance, redundancy, 3, criterion="miq")
    np.testing.assert_array_equal(result.order, [2, 0, 1])
    np.testing.assert_allclose(result.scores[1:], [22.3572, 0], atol=1e-4)


def test_worked_merits():
    relevance = symmetric_uncertainty(CODES, Y).weights
    redundancy = NominalRedundancy(CODES, "su")
    cases = [((A,), 0.5615896366), ((A, B), 0.5615896366), ((A, C), 0.5177807632)]
    for subset, merit in [*cases, ((A, C, D), 0.4194545683)]:
        found = subset_criteria(np.array(subset), relevance, redundancy)
        assert found.cfs == pytest.approx(merit, abs=1e-10)
    result = cfs_forward(relevance, redundancy)
    np.testing.assert_array_equal(result.order, [A])
    np.testing.assert_allclose(result.scores, [0.5615896366])


def random_problem(seed, p, ties):
    rng = np.random.default_rng(seed)
    relevance = rng.random(p)
    matrix = rng.random((p, p))
    if ties:
        relevance, matrix = np.round(relevance * 4) / 4, np.round(matrix * 4) / 4
    return relevance, (matrix + matrix.T) / 2


@relaxed
@given(st.integers(0, 10_000), st.integers(1, 25), st.booleans(), st.sampled_from(["mid", "miq"]))
def test_both_searches_follow_the_definition(seed, p, ties, criterion):
    relevance, matrix = random_problem(seed, p, ties)
    expected = brute_force(relevance, matrix, p, criterion)
    for lazy in (False, True):
        result = mrmr(relevance, Table(matrix), p, criterion=criterion, lazy=lazy)
        np.testing.assert_array_equal(result.order, expected)


@pytest.mark.parametrize("many", [0, 1024])
@pytest.mark.parametrize("criterion", ["mid", "miq", "cfs"])
@pytest.mark.parametrize("label", ["classes", "numbers"])
def test_lazy_and_plain_search_agree_beyond_the_leaders(monkeypatch, criterion, label, many):
    monkeypatch.setattr(module, "CHUNK", 4)
    monkeypatch.setattr(module, "MANY", many)
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 400)) + rng.normal(size=(40, 1)) * rng.random(400)
    y = (X[:, :5].sum(axis=1) > 0).astype(int)
    redundancy = CorrelationRedundancy(X)
    relevance = f_test(X, y).weights
    if label == "numbers" or criterion == "cfs":
        relevance = np.abs(np.corrcoef(X.T, y)[-1, :-1])
    if criterion == "cfs":
        plain, lazy = (cfs_forward(relevance, redundancy, lazy=z) for z in (False, True))
        assert plain.order.size > 1
    else:
        plain, lazy = (
            mrmr(relevance, redundancy, 60, criterion=criterion, lazy=z) for z in (False, True)
        )
        assert plain.pairs == sum(400 - j for j in range(1, 60))
    np.testing.assert_array_equal(lazy.order, plain.order)
    np.testing.assert_allclose(lazy.scores, plain.scores, rtol=1e-10)
    assert lazy.pairs < plain.pairs


def test_a_floor_above_all_redundancies_leaves_the_order_of_relevance():
    relevance, matrix = random_problem(6, 40, ties=False)
    expected = np.argsort(-relevance, kind="stable")
    for lazy in (False, True):
        result = mrmr(relevance, Table(matrix), 40, floor=2.0, lazy=lazy)
        np.testing.assert_array_equal(result.order, expected)


def test_the_number_of_features_decides_about_laziness(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 4)
    monkeypatch.setattr(module, "MANY", 4)
    relevance, matrix = random_problem(0, 30, ties=False)
    relevance *= 100  # so that few candidates can win
    assert mrmr(relevance, Table(matrix), 5, criterion="mid").pairs == 29 + 28 + 27 + 26
    monkeypatch.setattr(module, "LAZY_ABOVE", 10)
    assert mrmr(relevance, Table(matrix), 5, criterion="mid").pairs < 40


def test_no_pairs_are_asked_for_where_a_column_costs_as_little(monkeypatch):
    class ByColumn(Table):
        by_column = True

    monkeypatch.setattr(module, "CHUNK", 4)
    monkeypatch.setattr(module, "MANY", 4)
    monkeypatch.setattr(module, "LAZY_ABOVE", 10)
    relevance, matrix = random_problem(0, 30, ties=False)
    relevance *= 100
    assert mrmr(relevance, ByColumn(matrix), 5, criterion="mid").pairs == 29 + 28 + 27 + 26
    assert mrmr(relevance, ByColumn(matrix), 5, criterion="mid", lazy=True).pairs < 40


def test_equal_scores_go_to_the_smaller_index():
    result = mrmr(np.ones(5), Table(np.full((5, 5), 0.5)), 5)
    np.testing.assert_array_equal(result.order, np.arange(5))
    noisy = np.array([1.0, 1.0 + 1e-14, 1.0])
    assert mrmr(noisy, Table(np.zeros((3, 3))), 1).order[0] == 0


def test_infinite_and_undefined_relevance():
    relevance = np.array([np.nan, 1.0, np.inf, np.inf])
    for criterion in ("mid", "miq"):
        for lazy in (True, False):
            table = Table(np.full((4, 4), 0.3))
            result = mrmr(relevance, table, 4, criterion=criterion, lazy=lazy)
            np.testing.assert_array_equal(result.order, [2, 3, 1, 0])
            assert np.isfinite(result.scores).all()


def test_a_difference_can_stop_at_zero():
    relevance, redundancy = information()
    result = mrmr(relevance, redundancy, 4, criterion="mid", stop_nonpositive=True)
    np.testing.assert_array_equal(result.order, [A, C, B])
    assert mrmr(np.zeros(3), Table(np.ones((3, 3))), 2, criterion="mid").order.size == 2


def test_the_floor_bounds_a_quotient():
    matrix = np.array([[1, 0, 0.01], [0, 1, 0.5], [0.01, 0.5, 1]])
    relevance = np.array([5.0, 1.0, 2.0])
    assert mrmr(relevance, Table(matrix), 2).order.tolist() == [0, 1]
    assert mrmr(relevance, Table(matrix), 2, floor=0.1).order.tolist() == [0, 2]


@relaxed
@given(st.integers(0, 10_000), st.floats(0, 5))
def test_prior_knowledge_added_to_all_changes_nothing(seed, prior):
    relevance, matrix = random_problem(seed, 8, ties=False)
    plain = mrmr(relevance, Table(matrix), 8, criterion="mid")
    shifted = mrmr(relevance + prior, Table(matrix), 8, criterion="mid")
    np.testing.assert_array_equal(plain.order, shifted.order)


def test_strong_priors_come_first():
    relevance, matrix = random_problem(3, 10, ties=False)
    prior = np.isin(np.arange(10), [2, 5, 9])
    result = mrmr(relevance + 3 * prior, Table(matrix), 10, criterion="mid")
    assert set(result.order[:3]) == {2, 5, 9}


def test_impossible_requests_are_explained():
    table = Table(np.ones((3, 3)))
    with pytest.raises(ValueError, match="Cannot select 4 of 3"):
        mrmr(np.ones(3), table, 4)
    with pytest.raises(ValueError, match="3 features"):
        mrmr(np.ones(2), table, 1)
    with pytest.raises(ValueError, match="negative"):
        mrmr(-np.ones(3), table, 1)
    with pytest.raises(ValueError, match="criterion"):
        mrmr(np.ones(3), table, 1, criterion="max")
    with pytest.raises(ValueError, match="between 0 and 1"):
        cfs_forward(np.full(3, 2.0), table)


def test_steps_are_reported():
    seen = []
    mrmr(np.ones(4), Table(np.ones((4, 4))), 3, on_step=lambda *step: seen.append(step))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert mrmr(np.ones(4), Table(np.ones((4, 4))), 0).order.size == 0


def merit_of(subset, relevance, matrix):
    k = len(subset)
    pairs = sum(matrix[i, j] for i in subset for j in subset if i < j)
    return sum(relevance[list(subset)]) / np.sqrt(k + 2 * pairs)


@relaxed
@given(st.integers(0, 10_000), st.integers(1, 12), st.booleans())
def test_cfs_adds_the_best_feature_while_the_merit_grows(seed, p, ties):
    relevance, matrix = random_problem(seed, p, ties)
    chosen, merit = [], 0.0
    while len(chosen) < p:
        merits = np.array(
            [-1 if x in chosen else merit_of([*chosen, x], relevance, matrix) for x in range(p)]
        )
        best = int(np.argmax(merits >= merits.max() - 1e-12))
        if merits[best] <= merit + 1e-9:
            break
        chosen.append(best)
        merit = merits[best]
    for lazy in (False, True):
        result = cfs_forward(relevance, Table(matrix), lazy=lazy)
        np.testing.assert_array_equal(result.order, chosen)
        if chosen:
            assert result.scores[-1] == pytest.approx(merit)
    assert cfs_forward(relevance, Table(matrix), 1).order.size <= 1


def test_criteria_of_a_subset():
    relevance, matrix = random_problem(1, 6, ties=False)
    found = subset_criteria(np.array([4, 1, 3]), relevance, Table(matrix))
    d = relevance[[1, 3, 4]].mean()
    r = (matrix[1, 3] + matrix[1, 4] + matrix[3, 4]) / 3
    assert found.relevance == pytest.approx(d)
    assert found.redundancy == pytest.approx(r)
    assert found.mid == pytest.approx(d - r)
    assert found.miq == pytest.approx(d / r)
    assert found.cfs == pytest.approx(merit_of([1, 3, 4], relevance, matrix))
    peng = subset_criteria(np.array([4, 1, 3]), relevance, Table(matrix), include_self=True)
    assert peng.redundancy == pytest.approx(matrix[np.ix_([1, 3, 4], [1, 3, 4])].mean())


def test_criteria_of_one_and_of_no_feature():
    relevance, matrix = random_problem(1, 3, ties=False)
    one = subset_criteria(np.array([2]), relevance, Table(matrix))
    assert one.redundancy == 0
    assert one.mid == one.miq == one.cfs == one.relevance == pytest.approx(relevance[2])
    none = subset_criteria(np.array([], dtype=int), relevance, Table(matrix))
    assert none.empty
    assert (none.relevance, none.redundancy, none.mid, none.miq, none.cfs) == (0, 0, 0, 0, 0)
    assert not one.empty


def test_redundancy_by_type(golf):
    is_nominal = np.array([True, False, False, True])
    redundancy = MixedRedundancy(golf.numeric, golf.nominal, is_nominal)
    everything = np.arange(4)
    pairs = redundancy.block(everything, everything)
    np.testing.assert_allclose(pairs, pairs.T)
    outlook, temperature, humidity, wind = range(4)
    expected = np.corrcoef(golf.numeric.T)[0, 1]
    assert pairs[temperature, humidity] == pytest.approx(abs(expected))
    f = f_test(golf.numeric, golf.nominal[:, 0]).weights
    np.testing.assert_allclose(pairs[[temperature, humidity], outlook], f)
    shared = mutual_information(golf.nominal[:, :1], golf.nominal[:, 1]).weights[0]
    assert pairs[outlook, wind] == pytest.approx(shared)
    for j in everything:
        np.testing.assert_allclose(redundancy.column(j), pairs[:, j])
    assert redundancy.n_features == 4


def test_missing_codes_are_a_value_of_their_own():
    codes = np.array([[0, 0, -1, -1, 1, 1], [0, 0, 2, 2, 1, 1]]).T
    shared = NominalRedundancy(codes).block(np.array([0]), np.array([1]))[0, 0]
    assert shared == pytest.approx(np.log2(3))
    assert NominalRedundancy(codes, "su").column(0)[1] == pytest.approx(1)


def test_constant_features_are_not_redundant():
    X = np.column_stack([np.full(10, 3.3), np.arange(10.0)])
    assert CorrelationRedundancy(X).column(0).tolist() == [0, 0]


def counted(matrix):
    table = Table(matrix)
    table.computed = 0

    def block(rows, columns):
        table.computed += len(rows) * len(columns)
        return matrix[np.ix_(rows, columns)]

    table.block = block
    return table


def test_a_cache_computes_every_pair_once():
    relevance, matrix = random_problem(2, 12, ties=False)
    inner = counted(matrix)
    cache = MRMRCache(inner)
    for subset in ([1, 5, 7], [7, 5, 1], [1, 5, 9], [0, 1, 5, 7, 9]):
        found = subset_criteria(np.array(subset), relevance, cache)
        expected = subset_criteria(np.array(subset), relevance, Table(matrix))
        assert astuple(found) == pytest.approx(astuple(expected))
    assert inner.computed == cache.misses == 10  # the pairs of {0, 1, 5, 7, 9}
    assert cache.hits == 3 + 1 + 5


def test_a_cache_serves_searches():
    relevance, matrix = random_problem(4, 30, ties=False)
    cache = MRMRCache(Table(matrix))
    for k in (5, 10, 10):
        for lazy in (False, True):
            expected = mrmr(relevance, Table(matrix), k).order
            np.testing.assert_array_equal(mrmr(relevance, cache, k, lazy=lazy).order, expected)
    assert cache.hits > cache.misses


def test_a_full_cache_forgets_but_stays_right():
    relevance, matrix = random_problem(4, 30, ties=False)
    cache = MRMRCache(Table(matrix), megabytes=3 * 30 * 8 / 2**20)
    np.testing.assert_array_equal(
        mrmr(relevance, cache, 20, lazy=True).order, mrmr(relevance, Table(matrix), 20).order
    )
    assert len(cache._columns) <= 3


def test_a_cache_knows_its_data():
    names = ["a", "b"]
    key = fingerprint(np.arange(5), names, "mi")
    cache = MRMRCache(Table(np.eye(2)), key)
    cache.check(fingerprint(np.arange(5), names, "mi"))
    others = [
        fingerprint(np.arange(4), names, "mi"),
        fingerprint(np.arange(5), ["ab", ""], "mi"),
        fingerprint(np.arange(5), names, "su"),
        fingerprint(np.arange(5)[::-1], names, "mi"),
    ]
    for other in others:
        with pytest.raises(CacheMismatch, match="other rows"):
            cache.check(other)


def test_a_cache_is_safe_between_threads():
    relevance, matrix = random_problem(5, 60, ties=False)
    cache = MRMRCache(Table(matrix), megabytes=20 * 60 * 8 / 2**20)
    subsets = np.random.default_rng(0).permuted(np.tile(np.arange(60), (80, 1)), axis=1)[:, :9]
    wrong = []

    def work(part):
        for subset in part:
            found = subset_criteria(subset, relevance, cache)
            expected = subset_criteria(subset, relevance, Table(matrix))
            if not np.allclose(astuple(found), astuple(expected)):
                wrong.append(subset)

    threads = [threading.Thread(target=work, args=(part,)) for part in np.array_split(subsets, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert cache.hits + cache.misses == 80 * 36


def test_tall_tables_are_searched_lazily_with_the_same_result():
    """A pair costs as many products as there are rows, so that few features are enough."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((4000, 300)) + rng.standard_normal((4000, 1))
    redundancy = CorrelationRedundancy(X)
    relevance = np.abs(rng.standard_normal(300))
    found = module.make_search(relevance, redundancy, module.make_criterion("miq"))
    assert isinstance(found, module._LazySearch)
    for criterion in ("mid", "miq"):
        chosen = mrmr(relevance, redundancy, 30, criterion=criterion)
        plain = mrmr(relevance, redundancy, 30, criterion=criterion, lazy=False)
        np.testing.assert_array_equal(chosen.order, plain.order)
        np.testing.assert_allclose(chosen.scores, plain.scores, rtol=1e-12)
        assert chosen.pairs < plain.pairs
