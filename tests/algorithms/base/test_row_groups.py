"""Rows that must not be separated."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.model_selection import StratifiedGroupKFold

from fsops.algorithms.base import resampling
from fsops.algorithms.base.row_groups import RowGroups, group_sizes

designs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=8, max_size=60).filter(
    lambda rows: len({group for group, _ in rows}) >= 4
)


def whole(part, groups):
    """Whether all rows of each group have the same part."""
    return all(len(set(part[groups == group])) == 1 for group in np.unique(groups))


@settings(max_examples=60, deadline=None)
@given(designs, st.integers(2, 4), st.integers(0, 5))
def test_parts_hold_whole_groups_and_none_is_empty(rows, parts, seed):
    groups, classes = np.array(rows).T
    part = resampling.partition(
        len(rows), parts, np.random.default_rng(seed), strata=classes, groups=groups
    )
    assert whole(part, groups)
    assert sorted(set(part)) == list(range(parts))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=6, max_size=50), st.integers(2, 6))
def test_groups_of_one_row_spread_classes_and_rows_evenly(classes, parts):
    classes = np.array(classes)
    groups = np.random.default_rng(1).permutation(len(classes))
    part = resampling.partition(
        len(classes), parts, np.random.default_rng(0), strata=classes, groups=groups
    )
    assert np.ptp(np.bincount(part, minlength=parts)) <= 1
    for label in np.unique(classes):
        assert np.ptp(np.bincount(part[classes == label], minlength=parts)) <= 1


def test_classes_are_spread_about_as_evenly_as_by_scikit_learn():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), rng.integers(1, 5, 40))
    classes = (np.arange(40) % 3 == 0).astype(int)[groups]

    def spread(part):
        shares = [classes[part == fold].mean() for fold in range(5)]
        return np.ptp(shares), np.ptp(np.bincount(part))

    ours = resampling.partition(
        len(groups), 5, np.random.default_rng(0), strata=classes, groups=groups
    )
    theirs = np.empty(len(groups), dtype=int)
    folds = StratifiedGroupKFold(5).split(groups, classes, groups)
    for fold, (_, test) in enumerate(folds):
        theirs[test] = fold
    assert spread(ours)[0] <= spread(theirs)[0] + 0.05
    assert spread(ours)[1] <= spread(theirs)[1] + 2


def test_a_bootstrap_draws_whole_groups_and_repeats_all_their_rows():
    groups = np.repeat(np.arange(12), 3)
    classes = np.arange(36) % 2
    for rows in resampling.bootstrap(
        36, 20, np.random.default_rng(0), labels=classes, groups=groups
    ):
        counts = np.bincount(rows, minlength=36).reshape(12, 3)
        assert (counts == counts[:, :1]).all()
        assert counts[:, 0].sum() == 12
        assert np.bincount(classes[rows], minlength=2).min() > 0


def test_a_stratified_bootstrap_keeps_the_number_of_groups_of_each_kind():
    groups = np.repeat(np.arange(10), 2)
    classes = np.repeat([0] * 6 + [1] * 4, 2)
    for rows in resampling.bootstrap(
        20, 10, np.random.default_rng(0), strata=classes, groups=groups
    ):
        assert np.bincount(classes[rows]).tolist() == [12, 8]


def test_random_splits_and_subsamples_hold_whole_groups():
    rng = np.random.default_rng(2)
    groups = rng.integers(0, 10, 50)
    for train, test in resampling.holdouts(50, 10, rng, train=35, test=15, groups=groups):
        assert not set(groups[train]) & set(groups[test])
        assert len(train) + len(test) == 50
        assert len(set(groups[train])) == 7
    for rows in resampling.subsample(50, 10, rng, ratio=0.5, groups=groups):
        assert len(set(groups[rows])) == 5
        assert len(rows) == np.isin(groups, groups[rows]).sum()


def test_blocks_keep_the_order_of_the_first_rows():
    groups = np.array([7, 7, 3, 7, 3, 5, 5, 1])
    assert resampling.blocks(8, 2, groups=groups).tolist() == [0, 0, 0, 0, 0, 1, 1, 1]


def test_a_pair_has_one_kind_for_both_orders_of_its_rows():
    groups = RowGroups(np.array([4, 4, 9, 9, 2]))
    assert groups.kinds(np.array([0, 1, 1, 0, 1])).tolist() in ([0, 1, 1], [1, 0, 0])
    assert groups.class_counts(np.array([0, 1, 1, 0, 1])).tolist() == [[0, 1], [1, 1], [1, 1]]


def test_sizes_in_groups_are_the_fractions_of_the_rows_but_never_none():
    assert group_sizes(100, 10, 70, 30) == (7, 3)
    assert group_sizes(100, 10, 70, 20) == (7, 2)
    assert group_sizes(100, 3, 99, 1) == (2, 1)
    with pytest.raises(ValueError, match="One group"):
        group_sizes(10, 1, 5, 5)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 2)), min_size=5, max_size=30),
    st.integers(2, 5),
    st.booleans(),
)
def test_rows_with_weights_are_dealt_as_groups_of_copies(rows, parts, grouped):
    times, classes = np.array(rows).T
    groups = np.arange(len(rows)) // 2 if grouped else np.arange(len(rows))
    parts = min(parts, groups[-1] + 1)
    copies = np.repeat(np.arange(len(rows)), times)
    by_weight = resampling.partition(
        len(rows),
        parts,
        np.random.default_rng(3),
        strata=classes,
        groups=groups if grouped else None,
        weights=times.astype(float),
    )
    by_copies = resampling.partition(
        len(copies),
        parts,
        np.random.default_rng(3),
        strata=classes[copies],
        groups=groups[copies],
    )
    assert by_weight[copies].tolist() == by_copies.tolist()


def test_parts_have_about_the_same_sums_of_weights():
    rng = np.random.default_rng(0)
    weights, classes = rng.lognormal(size=300), np.arange(300) % 3
    part = resampling.partition(300, 5, rng, strata=classes, weights=weights)
    for k in range(3):
        sums = np.bincount(part[classes == k], weights[classes == k])
        assert np.ptp(sums) < 0.05 * sums.mean()
