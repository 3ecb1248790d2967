"""Thresholds on confidences, against trying every one and against RapidMiner's walk."""

import numpy as np
import pytest

from fsops.algorithms.statistics.thresholds import cheapest_threshold, rapidminer_threshold


def cost(confidence, positive, threshold, c1, c2):
    said = confidence > threshold
    return c1 * (said & ~positive).sum() + c2 * (~said & positive).sum()


def walked(confidence, positive, c1, c2, bias):
    """RapidMiner's loop over rows sorted by confidence (ROCDataGenerator), row by row."""
    sign = 1 if bias == "optimistic" else -1
    rows = sorted(zip(confidence, positive, strict=True), key=lambda r: (-r[0], -sign * r[1]))
    slope = (positive.sum() / (~positive).sum()) / (c2 / c1)
    best, height, true, total = np.inf, 0.0, 0, 0
    for value, hit in rows:
        if hit:
            true += 1
        elif true - (total - true) * slope > height:
            height, best = true - (total - true) * slope, value
        total += 1
    return -np.inf if true - (total - true) * slope > height else best


@pytest.mark.parametrize("seed", range(20))
def test_no_threshold_costs_less(seed):
    rng = np.random.default_rng(seed)
    confidence = rng.integers(0, 8, 30) / 8  # many ties
    positive = rng.random(30) < confidence
    c1, c2 = rng.integers(1, 5, 2)
    found = cheapest_threshold(confidence, positive, c1, c2)
    tried = [-1.0, *np.unique(confidence)]
    least = min(cost(confidence, positive, t, c1, c2) for t in tried)
    assert cost(confidence, positive, found, c1, c2) == least


@pytest.mark.parametrize("bias", ["optimistic", "pessimistic", "neutral"])
@pytest.mark.parametrize("seed", range(15))
def test_the_compatible_threshold_is_that_of_rapidminers_walk(seed, bias):
    rng = np.random.default_rng(seed)
    confidence = rng.integers(0, 8, 25) / 8
    positive = rng.random(25) < 0.3 + 0.5 * confidence
    c1, c2 = rng.integers(1, 4, 2)
    expected = walked(confidence, positive, c1, c2, bias)
    assert rapidminer_threshold(confidence, positive, c1, c2, bias) == expected


def test_with_unequal_classes_both_formulas_differ():
    confidence = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    positive = np.array([True, False, True, True, True, True])
    assert cheapest_threshold(confidence, positive) == -np.inf  # one error only
    # Slope 5: the first negative row comes after one positive row.
    assert rapidminer_threshold(confidence, positive) == 0.8


def test_one_class_alone_decides():
    confidence = np.array([0.2, 0.7])
    assert cheapest_threshold(confidence, np.array([True, True])) == -np.inf
    assert rapidminer_threshold(confidence, np.array([True, True])) == -np.inf
    assert cheapest_threshold(confidence, np.array([False, False])) == np.inf
    assert rapidminer_threshold(confidence, np.array([False, False])) == np.inf
