"""JMI, CMIM, DISR, ICAP and FCBF against the formulas of their papers."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.algorithms.base import compiled
from fsops.algorithms.mrmr.cache import MRMRCache
from fsops.algorithms.mrmr.joint import JointInformation, fcbf, select_jointly
from fsops.algorithms.mrmr.measures import NominalRedundancy
from fsops.algorithms.statistics.information import symmetric_uncertainty

CRITERIA = ("jmi", "cmim", "disr", "icap")


@pytest.fixture(params=["numpy", "kernels"])
def how(request, monkeypatch):
    if request.param == "kernels" and not compiled.is_available():
        pytest.skip("numba is not installed")
    monkeypatch.setattr(compiled, "take_values", lambda size: request.param == "kernels")
    return request.param


def H(*columns):
    """Joint entropy in bits, counted value by value."""
    counts = Counter(zip(*columns, strict=True))
    n = len(columns[0])
    return -sum(c / n * log2(c / n) for c in counts.values())


def criterion_of(kind, x, selected, y):
    """The criteria as printed by Brown et al. (2012), section 5 and table 3."""
    relevance = H(x) + H(y) - H(x, y)
    if not selected:
        return relevance
    if kind == "jmi":
        return sum(H(x, s) + H(y) - H(x, s, y) for s in selected)
    if kind == "disr":
        return sum((H(x, s) + H(y) - H(x, s, y)) / max(H(x, s, y), 1e-300) for s in selected)
    if kind == "cmim":
        return min(H(x, s) + H(y, s) - H(s) - H(x, s, y) for s in selected)
    shared = [H(x) + H(s) - H(x, s) for s in selected]
    within = [H(x, y) + H(s, y) - H(x, s, y) - H(y) for s in selected]
    return relevance - sum(max(0.0, a - b) for a, b in zip(shared, within, strict=True))


def reference(kind, X, y, k):
    """Forward selection without any trick; ties go to the first feature."""
    columns, label = [c.tolist() for c in X.T], y.tolist()
    order, scores = [], []
    for _ in range(k):
        chosen = [columns[j] for j in order]
        left = [j for j in range(len(columns)) if j not in order]
        value = {j: criterion_of(kind, columns[j], chosen, label) for j in left}
        best = max(value.values())
        order.append(next(j for j in left if value[j] >= best - 1e-11))
        scores.append(value[order[-1]])
    return order, scores


def tables():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 40)
    X = rng.integers(0, 3, (40, 9))
    X[:, 1] = y  # equals the label
    X[:, 2] = X[:, 1]  # a copy
    X[:, 3] = 1  # a constant
    X[:, 4] = np.where(rng.random(40) < 0.8, y, X[:, 4])
    yield "three classes, copies and a constant", X, y
    holes = np.where(rng.random(X.shape) < 0.2, -1, X)
    yield "missing values", holes, y
    yield "three attributes", X[:, 4:7], y % 2
    many = X.copy()
    many[:, 0] = np.arange(40)  # every row has another value
    many[:, 8] = rng.integers(0, 12, 40) * 3  # unused codes
    yield "many values", many, y
    yield "one class", X, np.zeros(40, int)


@pytest.mark.parametrize(("X", "y"), [t[1:] for t in tables()], ids=[t[0] for t in tables()])
@pytest.mark.parametrize("kind", CRITERIA)
def test_selections_are_those_of_the_formulas(kind, X, y, how):
    k = min(6, X.shape[1])
    information = JointInformation(X, y, kind, columns=k)
    order, scores = reference(kind, X, y, k)
    for lazy in (None, True, False):
        found = select_jointly(information, k, lazy=lazy)
        assert found.order.tolist() == order
        np.testing.assert_allclose(found.scores, scores, rtol=0, atol=1e-10)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(CRITERIA))
def test_random_tables_have_the_selections_of_the_formulas(seed, kind):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-1, 4, (30, 6)), rng.integers(0, 2, 30)
    order, scores = reference(kind, X, y, 4)
    found = select_jointly(JointInformation(X, y, kind), 4, lazy=bool(seed % 2))
    assert found.order.tolist() == order
    np.testing.assert_allclose(found.scores, scores, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", CRITERIA)
def test_the_cache_of_mrmr_remembers_the_pairs(kind):
    rng = np.random.default_rng(6)
    information = JointInformation(rng.integers(0, 3, (50, 20)), rng.integers(0, 2, 50), kind)
    cache = MRMRCache(information)
    plain = select_jointly(information, 8)
    first, again = (select_jointly(information, 8, penalties=cache) for _ in range(2))
    assert plain.order.tolist() == first.order.tolist() == again.order.tolist()
    assert cache.hits >= cache.misses > 0


def test_the_lazy_search_asks_for_few_pairs():
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 100)
    X = np.where(rng.random((100, 400)) < 0.9 * (np.arange(400) < 12), y[:, None], 0)
    X = np.where(rng.random(X.shape) < 0.2, rng.integers(0, 2, X.shape), X)
    for kind in ("cmim", "icap"):
        found = select_jointly(JointInformation(X, y, kind), 10, lazy=True)
        assert found.pairs < 0.5 * 400 * 9


def test_complements_are_found_by_joint_information():
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 2, (2, 400))
    X = np.column_stack([a, np.where(rng.random(400) < 0.2, b, a), b])
    found = select_jointly(JointInformation(X, (a ^ b) + 2 * a, "jmi"), 2)
    assert found.order.tolist() == [0, 2]


def test_wrong_questions_are_refused():
    X, y = np.zeros((4, 2), int), np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match="criterion must be one of"):
        JointInformation(X, y, "mifs")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Cannot select 3 of 2"):
        select_jointly(JointInformation(X, y, "jmi"), 3)


# --- FCBF -----------------------------------------------------------------------------------------


def uncertainty(a, b):
    total = H(a) + H(b)
    return 2 * (total - H(a, b)) / total if total > 1e-12 else 0.0


def printed_fcbf(X, y, threshold):
    """The algorithm as printed by Yu & Liu (2003), with a list from which features are removed."""
    columns, label = [c.tolist() for c in X.T], y.tolist()
    relevance = [uncertainty(c, label) for c in columns]
    left = [j for j in range(len(columns)) if relevance[j] > threshold]
    left.sort(key=lambda j: -round(relevance[j], 12))
    place = 0
    while place < len(left):
        p = left[place]
        left = left[: place + 1] + [
            q
            for q in left[place + 1 :]
            if uncertainty(columns[p], columns[q]) < relevance[q] - 1e-12
        ]
        place += 1
    return left


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.05, 0.3]))
def test_fcbf_is_the_printed_algorithm(seed, threshold):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 30)
    X = np.where(rng.random((30, 8)) < 0.4, y[:, None], rng.integers(-1, 3, (30, 8)))
    X[:, 5] = X[:, 2]
    X[:, 6] = 1
    relevance = symmetric_uncertainty(X, y).weights
    found = fcbf(relevance, NominalRedundancy(X, "su"), threshold=threshold)
    assert found.order.tolist() == printed_fcbf(X, y, threshold)
    assert found.scores.tolist() == relevance[found.order].tolist()


def test_fcbf_stops_at_k_and_reports_its_steps():
    X = np.array([[0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1]]).T
    steps = []
    relevance = np.array([0.5, 0.4])
    both = fcbf(relevance, NominalRedundancy(X, "su"), on_step=lambda *s: steps.append(s))
    assert both.order.tolist() == [0, 1]
    assert steps == [(1, 2), (2, 2)]
    assert fcbf(relevance, NominalRedundancy(X, "su"), k=1).order.tolist() == [0]
    assert not fcbf(relevance, NominalRedundancy(X, "su"), threshold=0.5).order.size
