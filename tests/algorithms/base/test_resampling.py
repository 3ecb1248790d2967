import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.base import resampling

relaxed = settings(deadline=None, max_examples=50)  # no clock: the machine may be busy

Y = np.array([0] * 17 + [1] * 9 + [2] * 4)
N = Y.size


def rng(seed=0):
    return np.random.default_rng(seed)


def test_bootstrap_draws_with_replacement():
    members = resampling.bootstrap(N, 20, rng())
    assert all(rows.size == N for rows in members)
    share = np.mean([np.unique(rows).size / N for rows in members])
    assert 0.55 < share < 0.72
    assert resampling.bootstrap(10, 1, rng(), ratio=0.25)[0].size == 2


def test_a_member_does_not_depend_on_how_many_there_are():
    few, many = resampling.bootstrap(N, 3, rng()), resampling.bootstrap(N, 30, rng())
    for a, b in zip(few, many, strict=False):
        np.testing.assert_array_equal(a, b)
    few = resampling.subsample(N, 3, rng(), strata=Y)
    many = resampling.subsample(N, 30, rng(), strata=Y)
    np.testing.assert_array_equal(few[2], many[2])


def test_bootstrap_with_labels_has_two_rows_of_each_class():
    rare = np.array([0] * 40 + [1] * 2)
    for rows in resampling.bootstrap(42, 50, rng(), labels=rare):
        assert np.bincount(rare[rows], minlength=2).min() >= 2


def test_bootstrap_keeps_a_class_that_redrawing_cannot_find():
    lonely = np.arange(60)  # two of each are never drawn
    for rows in resampling.bootstrap(60, 3, rng(), labels=lonely):
        np.testing.assert_array_equal(rows, np.arange(60))


def test_stratified_bootstrap_keeps_the_class_counts():
    for rows in resampling.bootstrap(N, 10, rng(), strata=Y):
        np.testing.assert_array_equal(np.bincount(Y[rows]), [17, 9, 4])


def test_subsample_keeps_the_shares():
    for rows in resampling.subsample(N, 10, rng(), ratio=0.5, strata=Y):
        assert rows.size == 15
        assert np.unique(rows).size == 15
        counts = np.bincount(Y[rows], minlength=3)
        assert (np.abs(counts - np.array([8.5, 4.5, 2])) <= 1).all()
    assert {rows.size for rows in resampling.subsample(10, 5, rng())} == {8}


def test_subsample_of_a_rare_class_has_at_least_one_row():
    rare = np.array([0] * 99 + [1])
    for rows in resampling.subsample(100, 10, rng(), ratio=0.1, strata=rare):
        assert np.bincount(rare[rows], minlength=2).tolist() == [9, 1]


@relaxed
@given(st.integers(2, 40), st.data())
def test_parts_differ_by_at_most_one_in_size_and_in_each_class(n, data):
    parts = data.draw(st.integers(1, n))
    generator = rng(data.draw(st.integers(0, 1000)))
    codes = generator.integers(0, 3, n)
    part = resampling.partition(n, parts, generator, strata=codes)
    sizes = np.bincount(part, minlength=parts)
    assert sizes.size == parts
    assert sizes.max() - sizes.min() <= 1
    for c in np.unique(codes):
        inside = np.bincount(part[codes == c], minlength=parts)
        assert inside.max() - inside.min() <= 1


def test_every_row_is_left_out_once():
    members = resampling.leave_one_part_out(N, 7, rng(), strata=Y)
    counts = resampling.row_counts(members, N)
    np.testing.assert_array_equal(counts.sum(axis=0), np.full(N, 6))


def test_rows_outside_a_member_are_out_of_bag():
    rows = resampling.bootstrap(N, 1, rng())[0]
    outside = resampling.out_of_bag(rows, N)
    assert set(outside) | set(rows) == set(range(N))
    assert not set(outside) & set(rows)


def test_row_counts_count():
    counts = resampling.row_counts([np.array([0, 0, 2]), np.array([1])], 4)
    np.testing.assert_array_equal(counts, [[2, 0, 1, 0], [0, 1, 0, 0]])
    assert resampling.row_counts([], 4).shape == (0, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: resampling.bootstrap(0, 1, rng()), "positive"),
        (lambda: resampling.subsample(10, 1, rng(), ratio=1.5), "at most 1"),
        (lambda: resampling.subsample(3, 1, rng(), ratio=0.1), "no row"),
        (lambda: resampling.partition(3, 4, rng()), "between 1 and 3"),
        (lambda: resampling.leave_one_part_out(9, 1, rng()), "at least 2"),
        (lambda: resampling.partition(3, 2, rng(), strata=np.zeros(4)), "strata"),
    ],
)
def test_impossible_requests_are_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@relaxed
@given(st.integers(3, 40), st.data())
def test_held_out_rows_are_apart_and_keep_the_shares(n, data):
    train = data.draw(st.integers(1, n - 1))
    test = data.draw(st.integers(1, n - train))
    generator = rng(data.draw(st.integers(0, 1000)))
    codes = generator.integers(0, 3, n)
    for learned, held in resampling.holdouts(n, 2, generator, train=train, test=test, strata=codes):
        assert (learned.size, held.size) == (train, test)
        assert np.unique(np.concatenate([learned, held])).size == train + test


def test_blocks_are_neighbours():
    assert resampling.blocks(7, 3).tolist() == [0, 0, 0, 1, 1, 2, 2]
    with pytest.raises(ValueError, match="8 parts of 7 rows"):
        resampling.blocks(7, 8)


def test_more_rows_than_there_are_cannot_be_held_out():
    with pytest.raises(ValueError, match="more than 5"):
        resampling.holdouts(5, 1, rng(), train=3, test=3)
