import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from fsops.algorithms.base import ranking
from fsops.algorithms.base.compiled import order as compiled_order
from fsops.algorithms.base.ranking import (
    average_ranks,
    average_ranks_of_columns,
    best,
    best_first,
    descending_order,
    ordinal_ranks,
    top_k_mask,
)

relaxed = settings(deadline=None, max_examples=50)  # no clock: the machine may be busy


def test_equal_weights_keep_the_order_of_their_indices_and_nan_comes_last():
    weights = np.array([1.0, np.nan, 3.0, 1.0, 3.0])
    np.testing.assert_array_equal(descending_order(weights), [2, 4, 0, 3, 1])
    np.testing.assert_array_equal(ordinal_ranks(weights), [3, 5, 1, 4, 2])


def test_ranks_of_a_matrix_are_those_of_its_rows():
    weights = np.random.default_rng(0).integers(0, 4, (5, 9)).astype(float)
    expected = np.stack([ordinal_ranks(row) for row in weights])
    np.testing.assert_array_equal(ordinal_ranks(weights), expected)


@relaxed
@given(arrays(np.float64, st.integers(1, 20), elements=st.integers(-3, 3).map(float)))
def test_average_ranks_are_scipys(weights):
    np.testing.assert_allclose(average_ranks(weights), rankdata(-weights))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", [(0, 3), (1, 2), (40, 7), (900, 700)])
def test_average_ranks_of_columns_are_those_of_each(shape, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.standard_normal(shape), order=order)
    X[:, ::2] = X[:, ::2].round(1)
    expected = [average_ranks(x) for x in X.T]
    np.testing.assert_array_equal(average_ranks_of_columns(X).T, expected)


def test_top_k_takes_all_if_there_are_fewer():
    assert top_k_mask(np.array([1.0, 2.0]), 5).all()
    np.testing.assert_array_equal(top_k_mask(np.array([1.0, 2.0, 2.0]), 1), [False, True, False])
    with pytest.raises(ValueError, match="at least 0"):
        top_k_mask(np.ones(3), -1)


@pytest.mark.parametrize("shape", [(3, 0), (0, 4), (0, 0)])
def test_the_order_of_no_weights_is_empty(shape):
    assert descending_order(np.empty(shape)).shape == shape


@pytest.mark.parametrize("kind", ["normal", "tied", "unknown", "infinite", "constant", "rising"])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_few_of_many_are_those_of_a_full_sort(kind, k):
    rng = np.random.default_rng(4)
    size = 64 * 40 + 17  # the last ones fill no block
    values = {
        "normal": rng.normal(size=size),
        "tied": rng.integers(0, 4, size) / 3.0,
        "unknown": np.where(rng.random(size) < 0.3, np.nan, rng.normal(size=size)),
        "infinite": np.where(rng.random(size) < 0.01, np.inf, -rng.random(size)),
        "constant": np.full(size, 0.1),
        "rising": np.arange(size) * 1.0,
    }[kind]
    assert best(values, k).positions.tolist() == best_first(values)[:k].tolist()
    few_known = np.full(size, np.nan)
    few_known[[700, 5]] = 1.0, 2.0
    assert best(few_known, k).positions[:1].tolist() == [5]


def _awkward_scores(kind):
    rng = np.random.default_rng(8)
    if kind == "ties":
        return rng.integers(-5, 5, 3000).astype(float)
    if kind == "near":
        return 1 + 1e-12 * rng.normal(size=3000)
    if kind == "unknown":
        special = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-320, -1e-320]
        return rng.permutation([*special, *special, *rng.normal(size=500)])
    scale = 10.0 ** rng.integers(-300, 300, 3000)
    return {"signs": 1.0, "scales": scale, "none": np.empty(0)}[kind] * rng.normal(
        size=0 if kind == "none" else 3000
    )


@pytest.mark.parametrize("kind", ["signs", "scales", "ties", "near", "unknown", "none"])
def test_the_compiled_sort_gives_the_order_of_numpy(monkeypatch, kind):
    pytest.importorskip("numba")
    scores = _awkward_scores(kind)
    monkeypatch.setattr(ranking, "MANY", 0)
    found = []
    for compiled in (True, False):
        monkeypatch.setattr(compiled_order, "take_order", lambda n, answer=compiled: answer)
        found.append(best_first(scores))
    assert np.array_equal(*found)


def test_the_compiled_sort_gives_up_where_the_first_bits_say_nothing():
    pytest.importorskip("numba")
    scores = 1 + 1e-12 * np.random.default_rng(9).normal(size=3000)
    assert compiled_order.descending(scores) is None
    order, ordered = compiled_order.descending(np.array([2.0, np.nan, -1.0, 2.0]))
    assert order.tolist() == [0, 3, 2, 1]
    assert np.array_equal(ordered, [2.0, 2.0, -1.0, np.nan], equal_nan=True)


@relaxed
@given(
    arrays(
        np.float64,
        st.integers(1, 40),
        elements=st.sampled_from([0.0, 0.0, 0.0, -0.0, 1.0, 1 + 1e-13, -2.0, 1e-300, np.nan]),
    )
)
def test_scores_that_are_mostly_zero_have_the_order_of_all_others(scores):
    known = [place for place, score in enumerate(scores) if not np.isnan(score)]
    unknown = [place for place, score in enumerate(scores) if np.isnan(score)]
    rounded = np.where(np.abs(scores) > 0.5, np.round(scores, 6), scores)
    expected = sorted(known, key=lambda place: (-rounded[place], place)) + unknown
    assert best_first(scores).tolist() == expected
    assert ordinal_ranks(scores)[expected].tolist() == list(range(1, len(scores) + 1))
