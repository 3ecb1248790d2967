"""Iterative screening as an operator."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.linear.screening import iterative_sis
from fsops.errors import DataError
from fsops.operators import weight_by_iterative_sis


def table(nominal=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 30))
    y = 3 * X[:, 5] - 2 * X[:, 9] + 0.3 * rng.normal(size=60)
    return ExampleSet.from_numpy(X, np.where(y > 0, "yes", "no") if nominal else y)


def test_kept_attributes_have_the_weight_1():
    weights = weight_by_iterative_sis(table())
    rounds = iterative_sis(table().numeric(), table().label_values()).rounds
    assert {"att6", "att10"} <= set(weights.selected())
    assert np.array_equal(weights.values, (rounds > 0) * 1.0)
    assert np.array_equal(weights.details["round"], rounds)


def test_a_ranking_has_the_first_on_top():
    weights = weight_by_iterative_sis(table(), output="ranking", k=5)
    assert weights.top(2) == ("att6", "att10")
    assert max(weights.values) == len(weights.selected()) <= 5


def test_two_classes_are_numbers():
    assert weight_by_iterative_sis(table(nominal=True), output="ranking").top(1) == ("att6",)


def test_three_classes_are_refused():
    with pytest.raises(DataError, match="Two classes are needed"):
        weight_by_iterative_sis(ExampleSet.from_numpy(np.eye(3), ["a", "b", "c"]))


def test_the_extended_criterion_keeps_few_attributes_of_noise():
    kept = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        noise = ExampleSet.from_numpy(rng.normal(size=(60, 200)), rng.normal(size=60))
        full = weight_by_iterative_sis(noise).values.sum()
        kept.append(weight_by_iterative_sis(noise, criterion="EBIC").values.sum())
        assert full == 14
    assert max(kept) <= 2


def test_the_extended_criterion_finds_what_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 200))
    y = 3 * X[:, 5] - 3 * X[:, 9] + rng.normal(size=60)
    found = weight_by_iterative_sis(ExampleSet.from_numpy(X, y), criterion="EBIC")
    assert set(found.selected()) == {"att6", "att10"}
