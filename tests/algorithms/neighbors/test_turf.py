"""TuRF against skrebate, and its rules."""

import numpy as np
import pytest

from fsops.algorithms.neighbors.surf import surf
from fsops.algorithms.neighbors.turf import turf


def table(seed=0, n=40, p=32):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, 3] += y
    return X, y


@pytest.mark.parametrize(("fraction", "least"), [(0.5, 8), (0.25, 18)])
def test_weights_are_those_of_skrebate(fraction, least):
    rebate = pytest.importorskip("skrebate", reason="skrebate is not installed")
    X, y = table()
    inner = rebate.MultiSURF(categorical_features=[])
    theirs = rebate.TURF(inner, pct=fraction, num_scores_to_return=least).fit(X.copy(), y)
    ours = turf(lambda f: surf(X[:, f], None, y).statistic, 32, fraction=fraction, least=least)
    np.testing.assert_allclose(ours.weights, theirs.feature_importances_, rtol=0, atol=1e-10)
    assert (ours.dropped_in == 0).sum() == least


def test_each_iteration_drops_its_fraction_and_the_rest_stays():
    steps = []
    found = turf(
        lambda f: -f.astype(float), 16, fraction=0.5, least=3, on_step=lambda *s: steps.append(s)
    )
    assert found.dropped_in.tolist() == [0] * 4 + [2] * 4 + [1] * 8
    assert (np.diff(found.weights) <= 0).all()
    assert steps == [(1, 3), (2, 3)]


def test_few_attributes_are_scored_once():
    found = turf(lambda f: np.array([2.0, np.nan, 1.0]), 3, least=5)
    np.testing.assert_array_equal(found.weights, [2.0, np.nan, 1.0])
    assert not found.dropped_in.any()


def test_undefined_scores_go_first():
    found = turf(lambda f: np.where(f == 1, np.nan, f * 1.0), 4, fraction=0.25, least=3)
    assert found.dropped_in.tolist() == [0, 1, 0, 0]


def test_a_fraction_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        turf(lambda f: f * 1.0, 3, fraction=1.0)
