"""Removing correlated features in blocks gives what the plain double loop gives."""

import numpy as np
import pytest

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.preparation import redundancy
from fsops.algorithms.preparation.redundancy import uncorrelated

RELATIONS = {
    "greater": np.greater,
    "greater equals": np.greater_equal,
    "less equals": np.less_equal,
    "less": np.less,
}


def plain(X, threshold, relation, absolute, order):
    """Look at all pairs, one by one."""
    r = np.corrcoef(X.T)
    r = np.abs(r) if absolute else r
    stays = np.ones(len(r), dtype=bool)
    for i, a in enumerate(order):
        for b in order[i + 1 :]:
            if stays[a] and stays[b] and RELATIONS[relation](r[a, b], threshold):
                stays[b] = False
    return stays


@pytest.fixture
def blocks():
    rng = np.random.default_rng(7)
    common = rng.normal(size=(20, 10))
    return common[:, rng.integers(10, size=60)] + rng.normal(scale=0.6, size=(20, 60))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("absolute", [True, False])
def test_the_blocks_do_not_matter(blocks, relation, absolute, monkeypatch):
    monkeypatch.setattr(redundancy, "BLOCK", 7)
    monkeypatch.setattr(redundancy, "TILE", 11)
    order = np.random.default_rng(1).permutation(60)
    rows = unit_rows(blocks)[0]
    for threshold in (0.2, 0.6):
        found = uncorrelated(rows, threshold, relation, absolute=absolute, order=order)
        oracle = plain(blocks, threshold, relation, absolute, order)
        assert found.tolist() == oracle.tolist()
        assert 0 < found.sum() < 60


def test_copies_are_equal_in_spite_of_rounding():
    x = np.random.default_rng(0).normal(size=(50, 1))
    rows = unit_rows(np.hstack([x, 3 * x + 0.1, -x / 7]))[0]
    assert uncorrelated(rows, 1.0, "equals").tolist() == [True, False, False]
    assert uncorrelated(rows, 1.0, "greater equals", absolute=False).tolist() == [True, False, True]
    assert uncorrelated(rows, 1.0, "greater").all()


def test_who_is_gone_removes_nobody():
    # a ~ b and b ~ c, but a and c hardly: b goes because of a, and c stays.
    a, c = np.random.default_rng(5).normal(size=(2, 400))
    rows = unit_rows(np.column_stack([a, a + c, c]))[0]
    assert uncorrelated(rows, 0.5).tolist() == [True, False, True]
