from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.neighbors import instance_based as ib
from fsops.algorithms.neighbors.instance_based import Points, candidate_subsets, combine, margins
from fsops.algorithms.neighbors.relief import relief

HOW = ("frequency", "mean weight", "rank sum", "redundancy")


def numbers(X, scaled=True):
    X = np.asarray(X, dtype=float)
    return Points.of(X, np.empty((len(X), 0), int), np.zeros(X.shape[1], bool), scaled=scaled)


def mixed(seed=0, n=16, classes=3, scaled=True):
    """Two numeric and two nominal features in turns, coarse enough for ties."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    numeric = rng.integers(0, 6, (n, 2)) + y[:, None] * [1, 0]
    nominal = rng.integers(0, 3, (n, 2))
    kinds = [False, True, False, True]
    points = Points.of(numeric.astype(float), nominal, kinds, scaled=scaled)
    columns = [numeric[:, 0], nominal[:, 0], numeric[:, 1], nominal[:, 1]]
    return points, columns, kinds, y


def naive_margins(columns, is_nominal, y, nearest, scaled=True):
    """The formula of the specification, pair by pair; rows alone in their class are left out."""
    n, p = len(y), len(columns)

    def diff(j, a, b):
        x = columns[j]
        if is_nominal[j]:
            return float(x[a] != x[b])
        span = x.max() - x.min() if scaled else 1
        return abs(x[a] - x[b]) / span if span else 0.0

    def distance(a, b):
        return round(sum(diff(j, a, b) for j in range(p)), 12)

    lines = []
    for i in range(n):
        hits = [t for t in range(n) if t != i and y[t] == y[i]]
        misses = [t for t in range(n) if y[t] != y[i]]
        if not hits:
            continue
        if nearest == "all":
            hit = min(hits, key=lambda t: distance(i, t))
            miss = min(misses, key=lambda t: distance(i, t))
            line = [diff(j, i, miss) - diff(j, i, hit) for j in range(p)]
        else:
            line = [
                min(diff(j, i, t) for t in misses) - min(diff(j, i, t) for t in hits)
                for j in range(p)
            ]
        lines.append(line)
    return np.array(lines).round(12)


# --- worked numbers of the specification ------------------------------------------------------


def test_margins_of_the_worked_example(toy):
    expected = [
        [0.434783, 0, 0, 0.357143],
        [0.347826, -0.25, 0, 0.142857],
        [0.521739, 0, 0, 0.214286],
        [0.347826, -0.25, 0, -0.107143],
        [0.260870, 0, 0, 0.214286],
        [0.347826, -0.25, 0, -0.071429],
        [0.130435, 0, 0, 0.5],
        [0.304348, -0.25, 0, -0.071429],
    ]
    np.testing.assert_allclose(margins(numbers(toy.X), toy.y), expected, atol=6e-7)


def test_candidates_of_the_worked_example(toy):
    found = candidate_subsets(numbers(toy.X), toy.y, size=2)
    proposed = [[int(f) + 1 for f in line if f != ib.NOBODY] for line in found.features]
    assert proposed == [[1, 4], [1, 4], [1, 4], [1], [1, 4], [1], [4, 1], [1]]
    assert found.counts().tolist() == [8, 0, 0, 5]
    np.testing.assert_allclose(found.mean_weights(), [0.907609, 0, 0, 0.433036], atol=6e-7)
    assert found.rank_sums().tolist() == [9, 24, 24, 18]


def test_minmax_lifts_a_constant_feature_above_negative_margins(toy):
    found = candidate_subsets(
        numbers(toy.X), toy.y, size=2, normalization="minmax", positive_only=False
    )
    assert found.counts().tolist() == [8, 0, 3, 5]
    np.testing.assert_allclose(found.mean_weights(), [0.907609, 0, 0.160918, 0.463839], atol=6e-7)
    assert found.rank_sums().tolist() == [9, 24, 21, 18]


def test_weights_of_the_worked_example(toy):
    points = numbers(toy.X)
    found = candidate_subsets(points, toy.y, size=2)
    weights = {how: combine(found, how, points=points).weights for how in HOW}
    np.testing.assert_allclose(weights["frequency"], [1, 0, 0, 0.625])
    np.testing.assert_allclose(weights["rank sum"], [15 / 16, 0, 0, 6 / 16])
    # Both share 0.967 bits with the other, so only the relevance tells them apart.
    # The worst proposal keeps a weight: (largest - smallest) / number of proposed features.
    np.testing.assert_allclose(weights["redundancy"], [1.5, 0, 0, 0.5])


def test_three_bins_and_shared_information_of_the_worked_example(toy):
    codes = ib._binned(numbers(toy.X), np.array([0, 3]))
    assert codes.T.tolist() == [[1, 1, 2, 2, 2, 0, 0, 0], [0, 1, 0, 1, 0, 2, 2, 2]]
    np.testing.assert_allclose(ib.mean_information(codes), [0.9669171867] * 2, atol=6e-11)


def test_redundancy_as_printed_subtracts_bits_from_sums(toy):
    points = numbers(toy.X)
    found = candidate_subsets(points, toy.y, size=2)
    score = combine(found, "redundancy", points=points, scaled=False).score
    relevance = 8 * np.array([0.907608696, 0.433035714])
    np.testing.assert_allclose(score[[0, 3]], relevance - 0.966917187, atol=6e-9)
    entropy = np.log2([8 / 3, 4, 8 / 3]) @ [3 / 8, 2 / 8, 3 / 8]
    score = combine(found, "redundancy", points=points, scaled=False, include_self=True).score
    np.testing.assert_allclose(score[[0, 3]], relevance - (0.966917187 + entropy) / 2, atol=6e-9)


# --- independent sources ------------------------------------------------------------------------


@pytest.mark.parametrize("nearest", ["all", "each"])
@pytest.mark.parametrize("seed", range(4))
def test_margins_equal_the_formula_for_mixed_types_and_three_classes(seed, nearest):
    points, columns, is_nominal, y = mixed(seed)
    expected = naive_margins(columns, is_nominal, y, nearest)
    np.testing.assert_allclose(margins(points, y, nearest), expected, atol=1e-12)


@pytest.mark.parametrize("nearest", ["all", "each"])
@pytest.mark.parametrize("seed", range(4))
def test_margins_of_values_as_they_are_equal_the_formula_but_for_the_unit(seed, nearest):
    points, columns, is_nominal, y = mixed(seed, scaled=False)
    widest = max(np.ptp(x) for x, nominal in zip(columns, is_nominal, strict=True) if not nominal)
    expected = naive_margins(columns, is_nominal, y, nearest, scaled=False) / widest
    np.testing.assert_allclose(margins(points, y, nearest), expected, atol=1e-12)


def test_mean_margin_is_the_weight_of_relief():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 40)), np.arange(30) % 2
    np.testing.assert_allclose(
        margins(numbers(X), y).mean(axis=0), relief(X, None, y).statistic, atol=1e-12
    )


def naive_scores(margin, size, how):
    """Combine in dictionaries, as one would by hand; without redundancy."""
    m, p = margin.shape
    count, weight = Counter(), Counter()
    ranks = dict.fromkeys(range(p), 0)
    for line in margin:
        best = sorted((j for j in range(p) if line[j] > 0), key=lambda j: (-line[j], j))[:size]
        for j in range(p):
            ranks[j] += best.index(j) + 1 if j in best else size + 1
        for j in best:
            count[j] += 1
            weight[j] += line[j] / line.max() / m
    keys = {
        "frequency": lambda j: (-count[j], -round(weight[j], 12), j),
        "mean weight": lambda j: (-round(weight[j], 12), j),
        "rank sum": lambda j: (ranks[j], -count[j], j),
    }
    return sorted(count, key=keys[how])


@pytest.mark.parametrize("how", HOW[:3])
@pytest.mark.parametrize("seed", range(3))
def test_order_equals_the_naive_one_with_all_ties(seed, how):
    points, _, _, y = mixed(seed, n=20, classes=2)
    found = candidate_subsets(points, y, size=2)
    expected = naive_scores(margins(points, y), 2, how)
    assert combine(found, how).order.tolist() == expected


def test_shared_information_equals_the_definition():
    rng = np.random.default_rng(2)
    codes = np.column_stack([rng.integers(0, levels, 50) for levels in (2, 3, 7, 1, 4)])
    codes[:, 4] = codes[:, 1]

    def information(a, b):
        joint = np.zeros((a.max() + 1, b.max() + 1))
        np.add.at(joint, (a, b), 1 / len(a))
        independent = joint.sum(1, keepdims=True) * joint.sum(0)
        full = joint > 0
        return (joint[full] * np.log2(joint[full] / independent[full])).sum()

    pairs = np.array([[information(a, b) for b in codes.T] for a in codes.T])
    np.testing.assert_allclose(
        ib.mean_information(codes), (pairs.sum(1) - pairs.diagonal()) / 4, atol=1e-11
    )
    np.testing.assert_allclose(
        ib.mean_information(codes, include_self=True), pairs.mean(1), atol=1e-11
    )


def test_information_of_many_columns_is_summed_in_blocks(monkeypatch):
    codes = np.random.default_rng(3).integers(0, 3, (40, 17))
    whole = ib.mean_information(codes)
    monkeypatch.setattr(ib, "BLOCK_VALUES", 60)
    np.testing.assert_array_equal(ib.mean_information(codes), whole)


# --- properties -----------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(HOW), st.sampled_from(["all", "each"]))
def test_permuting_the_features_permutes_the_result(seed, how, nearest):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 12)), np.arange(15) % 3
    shuffle = rng.permutation(12)
    straight, mixed_up = numbers(X), numbers(X[:, shuffle])

    def weights(points):
        found = candidate_subsets(points, y, size=4, nearest=nearest)
        return combine(found, how, points=points).weights

    np.testing.assert_allclose(weights(mixed_up), weights(straight)[shuffle], atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(-10, 10))
def test_scale_and_shift_of_a_feature_change_nothing(seed, scale, shift):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 8)), np.arange(14) % 2
    other = X.copy()
    other[:, 3] = other[:, 3] * scale + shift
    straight, changed = (candidate_subsets(numbers(M), y, size=3) for M in (X, other))
    assert straight.subsets() == changed.subsets()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.floats(1e-3, 1e6), st.sampled_from(["all", "each"]))
def test_values_as_they_are_may_have_any_unit(seed, scale, nearest):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 8)), np.arange(14) % 3
    found = [
        candidate_subsets(numbers(M, scaled=False), y, nearest=nearest) for M in (X, X * scale)
    ]
    np.testing.assert_array_equal(found[0].features, found[1].features)
    np.testing.assert_allclose(found[0].weights, found[1].weights, atol=1e-9)


@pytest.mark.parametrize("nearest", ["all", "each"])
def test_of_values_as_they_are_the_loudest_is_proposed(nearest):
    rng = np.random.default_rng(7)
    y = np.arange(20) % 2
    X = y[:, None] + 0.1 * rng.normal(size=(20, 3))
    found = candidate_subsets(numbers(X * [1, 1000, 10], scaled=False), y, size=1, nearest=nearest)
    assert found.union().tolist() == [1]
    scaled = candidate_subsets(numbers(X * [1, 1000, 10]), y, size=1, nearest=nearest)
    assert scaled.union().tolist() == [0, 1, 2]


def test_constant_numbers_as_they_are_stay_apart_by_their_categories():
    points = Points.of(np.full((4, 1), 7.0), [[0], [0], [1], [1]], [False, True], scaled=False)
    assert margins(points, [0, 0, 1, 1]).tolist() == [[0, 1]] * 4


def test_blocks_of_rows_make_no_difference(monkeypatch):
    rng = np.random.default_rng(4)
    points, y = numbers(rng.normal(size=(20, 9))), np.arange(20) % 2
    whole = candidate_subsets(points, y)
    monkeypatch.setattr(ib, "BLOCK_VALUES", 25)
    parts = candidate_subsets(points, y)
    np.testing.assert_array_equal(parts.features, whole.features)
    np.testing.assert_array_equal(parts.weights, whole.weights)


# --- edges ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("nearest", ["all", "each"])
def test_row_alone_in_its_class_proposes_nothing(nearest):
    X = np.array([[0.0, 1], [0.1, 3], [1.0, 2], [0.9, 0], [0.5, 5]])
    found = candidate_subsets(numbers(X), np.array([0, 0, 1, 1, 2]), nearest=nearest)
    assert found.rows.tolist() == [0, 1, 2, 3]
    assert found.counts()[0] == 4


def test_copies_of_a_feature_are_proposed_in_their_order():
    rng = np.random.default_rng(5)
    y = np.arange(12) % 2
    good = y + 0.1 * rng.normal(size=12)
    X = np.column_stack([rng.normal(size=12), good, good, good])
    found = candidate_subsets(numbers(X), y, size=2)
    assert found.subsets().count((1, 2)) >= 10
    assert combine(found, "frequency").order[:2].tolist() == [1, 2]


def test_copies_of_rows_in_both_classes_leave_nothing_to_propose():
    X = np.repeat(np.random.default_rng(6).normal(size=(5, 3)), 2, axis=0)
    found = candidate_subsets(numbers(X), np.arange(10) % 2)
    assert not found.proposed.any()
    assert [combine(found, how, points=numbers(X)).order.size for how in HOW] == [0, 0, 0, 0]


def test_constant_features_are_not_proposed():
    X = np.column_stack([np.full(8, 3.0), np.arange(8) % 2])
    found = candidate_subsets(numbers(X), np.arange(8) % 2, size=5)
    assert found.union().tolist() == [1]
    assert found.size == 2


def test_rounding_noise_is_no_margin():
    # All differences are 0.1 in mathematics, but not in doubles.
    X = np.array([[0.1], [0.2], [0.3], [0.4], [0.0], [1.0]])
    found = margins(numbers(X), np.array([0, 1, 0, 1, 1, 0]), "each")
    assert set(np.abs(found[np.abs(found) < 1e-9])) <= {0.0}


@pytest.mark.parametrize("nearest", ["all", "each"])
def test_copies_propose_what_their_originals_do(nearest):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 6)), np.arange(20) % 2
    copied = np.r_[np.arange(20), 3, 3, 8]
    doubled = numbers(X[copied])
    once = candidate_subsets(numbers(X), y, nearest=nearest)
    found = candidate_subsets(doubled, y[copied], nearest=nearest)
    assert found.rows.tolist() == list(range(23))
    assert np.array_equal(found.features, once.features[copied])
    assert np.array_equal(found.weights, once.weights[copied])
    as_they_are = candidate_subsets(doubled, y[copied], nearest=nearest, collapse_duplicates=False)
    assert not np.array_equal(found.features, as_they_are.features)


def test_a_class_of_copies_has_itself_for_company():
    X = np.array([[0.0, 0.2], [1.0, 0.5], [0.0, 0.2], [0.7, 1.0], [0.0, 0.2]])
    codes = np.array([0, 1, 0, 1, 0])
    found = candidate_subsets(numbers(X), codes)
    as_they_are = candidate_subsets(numbers(X), codes, collapse_duplicates=False)
    assert found.rows.tolist() == [0, 1, 2, 3, 4]
    assert np.array_equal(found.features, as_they_are.features)
