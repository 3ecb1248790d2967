"""Orders of the label under the null hypothesis."""

import itertools
import math

import numpy as np
import pytest

from fsops.algorithms.chance.orders import label_orders, unit_folds


def rng(seed=0):
    return np.random.default_rng(seed)


def distinct(labels, rows):
    return {tuple(np.asarray(labels)[order].tolist()) for order in rows}


def test_the_first_order_is_the_true_one_and_all_are_permutations():
    labels = np.repeat([0, 1, 2], 8)
    orders = label_orders(labels, 30, rng())
    assert orders.rows.shape == (31, 24)
    assert orders.rows[0].tolist() == list(range(24))
    assert (np.sort(orders.rows, axis=1) == np.arange(24)).all()
    assert orders.arrangements == pytest.approx(math.factorial(24) / math.factorial(8) ** 3)
    assert not orders.complete


@pytest.mark.parametrize("labels", [[0, 0, 1, 1], [0, 1, 2, 0], [2.5, 1.0, 1.0, 7.0, 1.0]])
def test_a_few_different_orders_are_all_there_once(labels):
    labels = np.array(labels)
    orders = label_orders(labels, 199, rng())
    everything = set(itertools.permutations(labels.tolist()))
    assert orders.complete
    assert orders.arrangements == len(orders.rows) == len(everything)
    assert distinct(labels, orders.rows) == everything


def test_rows_stay_in_their_block():
    labels, blocks = rng().integers(0, 2, 40), np.arange(40) % 4
    for order in label_orders(labels, 20, rng(), blocks=blocks).rows:
        assert (blocks[order] == blocks).all()


def test_pairs_have_two_orders_each():
    labels = np.array([0, 1, 1, 0, 0, 1])
    pairs = np.array([0, 0, 1, 1, 2, 2])
    orders = label_orders(labels, 199, rng(), blocks=pairs)
    assert orders.arrangements == 8
    assert len(distinct(labels, orders.rows)) == 8


def test_units_move_as_a_whole_among_units_of_their_size():
    units = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5])
    labels = np.array([0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1])
    orders = label_orders(labels, 199, rng(), units=units)
    assert orders.arrangements == 6 * 2
    for order in orders.rows:
        for unit in range(6):
            source = units[order[units == unit]]
            assert len(set(source)) == 1
            assert (units == unit).sum() == (units == source[0]).sum()
    assert len(distinct(labels, orders.rows)) == 12


def test_a_unit_across_blocks_is_refused():
    with pytest.raises(ValueError, match="several blocks"):
        label_orders([0, 1, 0], 9, rng(), blocks=np.array([0, 1, 1]), units=np.array([0, 0, 1]))


def test_random_orders_are_uniform():
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    orders = label_orders(labels, 60, rng())  # 70 different ones: drawn at random
    many = np.concatenate([label_orders(labels, 60, rng(s)).rows[1:] for s in range(60)])
    counts = np.array(_times(labels, many))
    assert not orders.complete
    assert len(counts) == 70
    expected = len(many) / 70
    assert ((counts - expected) ** 2 / expected).sum() < 110  # chi square, 69 degrees: p > 0.001


def _times(labels, rows):
    found = {}
    for order in rows:
        key = tuple(labels[order].tolist())
        found[key] = found.get(key, 0) + 1
    return list(found.values())


def test_folds_are_as_many_as_the_smallest_class_has_rows_and_spread_the_classes():
    classes = np.array([0] * 20 + [1] * 4)
    folds = unit_folds(classes, 24, 10, rng())
    assert sorted(set(folds)) == [0, 1, 2, 3]
    assert [np.sum((folds == f) & (classes == 1)) for f in range(4)] == [1, 1, 1, 1]
    assert {np.sum((folds == f) & (classes == 0)) for f in range(4)} == {5}


def test_folds_keep_rows_together():
    together = np.repeat(np.arange(12), 3)
    folds = unit_folds(np.repeat([0, 1], 18), 36, 5, rng(), together)
    assert all(len(set(folds[together == unit])) == 1 for unit in range(12))
    assert len(set(folds)) == 5
