import numpy as np
import pytest

from fsops.algorithms.aggregation.weights import top_k
from fsops.algorithms.base.resampling import bootstrap, leave_one_part_out, row_counts
from fsops.algorithms.filters.univariate import f_test, pearson
from fsops.algorithms.mrmr import ensemble as module, search as mrmr_search
from fsops.algorithms.mrmr.ensemble import (
    CorrelationMembers,
    NominalMembers,
    mrmr_ensemble,
    mrmr_inner_ensemble,
)
from fsops.algorithms.mrmr.selection import (
    CorrelationRedundancy,
    NominalRedundancy,
    mrmr,
)
from fsops.algorithms.statistics.information import mutual_information, symmetric_uncertainty

N, P, MEMBERS = 60, 200, 10


def data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, P)) + rng.normal(size=(N, 1)) * rng.random(P) + 100
    y = (X[:, :6].sum(axis=1) > np.median(X[:, :6].sum(axis=1))).astype(int)
    return X, y


def rows_of(kind, y):
    rng = np.random.default_rng(1)
    if kind == "cv":
        return leave_one_part_out(N, MEMBERS, rng, strata=y)
    return bootstrap(N, MEMBERS, rng, labels=y)


@pytest.mark.parametrize("kind", ["cv", "bootstrap"])
@pytest.mark.parametrize("criterion", ["mid", "miq"])
@pytest.mark.parametrize("nominal", [True, False])
def test_numeric_members_select_as_separate_runs(kind, criterion, nominal):
    X, y = data()
    label = y if nominal else X[:, :6].sum(axis=1) + np.sin(X[:, 7])
    rows = rows_of(kind, y)
    members = CorrelationMembers(X, label, row_counts(rows, N), nominal=nominal)
    result = mrmr_ensemble(members, 20, criterion=criterion)
    for i, r in enumerate(rows):
        score = f_test if nominal else pearson
        relevance = score(X[r], label[r]).weights
        np.testing.assert_allclose(members.relevance[i], relevance, rtol=1e-7, atol=1e-9)
        alone = mrmr(relevance, CorrelationRedundancy(X[r]), 20, criterion=criterion)
        np.testing.assert_array_equal(result.order[i], alone.order)
        np.testing.assert_allclose(result.scores[i], alone.scores, rtol=1e-7)
    assert result.passes < MEMBERS * 19


@pytest.mark.parametrize("kind", ["cv", "bootstrap"])
@pytest.mark.parametrize("nominal", [True, False])
def test_lazy_members_select_as_members_in_lockstep(monkeypatch, kind, nominal):
    X, y = data(2)
    X[:, 9] = X[:, 3]  # equals: the first one wins
    X[:, 11] = 5.0
    label = y if nominal else X[:, :6].sum(axis=1)
    members = CorrelationMembers(X, label, row_counts(rows_of(kind, y), N), nominal=nominal)
    expected = mrmr_ensemble(members, 25)
    monkeypatch.setattr(module, "LAZY_ABOVE", 10)
    monkeypatch.setattr(mrmr_search, "LAZY_ABOVE", 10)
    seen = []
    found = mrmr_ensemble(members, 25, on_step=lambda *step: seen.append(step))
    np.testing.assert_array_equal(found.order, expected.order)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-9)
    assert found.passes == np.unique(found.order[:, :-1]).size
    assert seen == [(j, 25) for j in range(1, 26)]


def test_a_member_on_its_own_knows_its_correlations():
    X, y = data(4)
    rows = rows_of("bootstrap", y)
    members = CorrelationMembers(X, y, row_counts(rows, N), nominal=True)
    some, every = np.array([4, 17, 90]), np.arange(P)
    for own, r in zip(members.each(), rows, strict=True):
        expected = np.abs(np.corrcoef(X[r].T))
        np.testing.assert_allclose(own.block(every, some), expected[:, some], atol=1e-10)
        np.testing.assert_allclose(own.column(7), expected[7], atol=1e-10)
        assert own.n_features == P


@pytest.mark.parametrize("kind", ["cv", "bootstrap"])
@pytest.mark.parametrize("measure", ["mi", "su"])
def test_nominal_members_select_as_separate_runs(kind, measure):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, N)
    codes = rng.integers(-1, 3, (N, 40))
    codes[:, :8] = np.where(rng.random((N, 8)) < 0.6, y[:, None], codes[:, :8])
    rows = rows_of(kind, y)
    members = NominalMembers(codes, y, row_counts(rows, N), measure=measure)
    score = mutual_information if measure == "mi" else symmetric_uncertainty
    for criterion in ("mid", "miq"):
        result = mrmr_ensemble(members, 8, criterion=criterion)
        for i, r in enumerate(rows):
            relevance = score(codes[r], y[r]).weights
            alone = mrmr(relevance, NominalRedundancy(codes[r], measure), 8, criterion=criterion)
            np.testing.assert_allclose(members.relevance[i], relevance, atol=1e-12)
            np.testing.assert_array_equal(result.order[i], alone.order)


@pytest.mark.parametrize("nominal", [True, False])
@pytest.mark.parametrize("criterion", ["mid", "miq"])
def test_too_few_candidates_are_noticed(monkeypatch, nominal, criterion):
    X, y = data(5)
    label = y if nominal else X[:, :6].sum(axis=1)
    counts = row_counts(rows_of("cv", y), N)
    members = CorrelationMembers(X, label, counts, nominal=nominal)
    monkeypatch.setattr(module, "_sizes", lambda size, p: [p])
    expected = mrmr_ensemble(members, 16, criterion=criterion)
    tried = []

    def sizes(size, p):
        for size in (16, 40, p):
            tried.append(size)
            yield size

    monkeypatch.setattr(module, "_sizes", sizes)
    narrow = mrmr_ensemble(members, 16, criterion=criterion)
    np.testing.assert_array_equal(narrow.order, expected.order)
    assert len(tried) > 1 or nominal


def test_a_small_memory_only_costs_passes():
    X, y = data()
    members = CorrelationMembers(X, y, row_counts(rows_of("cv", y), N), nominal=True)
    plenty = mrmr_ensemble(members, 15)
    scarce = mrmr_ensemble(members, 15, megabytes=0)
    np.testing.assert_array_equal(plenty.order, scarce.order)
    assert plenty.passes == np.unique(plenty.order[:, :-1]).size
    assert scarce.passes > plenty.passes


def test_constant_features_in_a_member_are_not_redundant():
    X, y = data()
    rows = rows_of("cv", y)
    X[:, 3] = 7.0
    X[rows[0][0], 4] = 1.0
    X[np.setdiff1d(np.arange(N), rows[0][0]), 4] = 0.0
    members = CorrelationMembers(X, y, row_counts(rows, N), nominal=True)
    values = members.among(np.arange(P)).column(3)
    assert not values.any()
    assert np.isfinite(members.among(np.arange(P)).column(4)).all()


def test_position_weights_are_counted():
    X, y = data()
    members = CorrelationMembers(X, y, row_counts(rows_of("cv", y), N), nominal=True)
    result = mrmr_ensemble(members, 5)
    weights = result.position_weights(P)
    np.testing.assert_array_equal(np.sort(weights, axis=1)[:, -6:], [[0, 1, 2, 3, 4, 5]] * MEMBERS)
    assert (weights[np.arange(MEMBERS), result.order[:, 0]] == 5).all()
    chosen = top_k(weights, 5)
    counts = np.bincount(result.order.ravel(), minlength=P)
    np.testing.assert_array_equal(chosen.counts, counts)
    positions = weights.sum(axis=0)
    expected = sorted(range(P), key=lambda j: (-counts[j], -positions[j], j))[:5]
    assert set(np.flatnonzero(chosen.selected)) == set(expected)


def test_the_inner_ensemble_averages_the_measures():
    X, y = data()
    rows = rows_of("cv", y)
    members = CorrelationMembers(X, y, row_counts(rows, N), nominal=True)
    relevance = np.mean([f_test(X[r], y[r]).weights for r in rows], axis=0)

    class Mean:
        n_features = P

        def column(self, feature):
            return np.mean([CorrelationRedundancy(X[r]).column(feature) for r in rows], axis=0)

    expected = mrmr(relevance, Mean(), 6, lazy=False)
    result = mrmr_inner_ensemble(members, 6)
    np.testing.assert_array_equal(result.order, expected.order)
    np.testing.assert_allclose(result.scores, expected.scores)
    cautious = mrmr_inner_ensemble(members, 6, caution=1.0)
    assert cautious.order.size == 6


def test_impossible_requests_are_explained():
    X, y = data()
    members = CorrelationMembers(X, y, row_counts(rows_of("cv", y), N), nominal=True)
    with pytest.raises(ValueError, match="Cannot select 201 of 200"):
        mrmr_ensemble(members, 201)


def test_steps_are_reported():
    X, y = data()
    members = CorrelationMembers(X, y, row_counts(rows_of("cv", y), N), nominal=True)
    seen = []
    mrmr_ensemble(members, 3, on_step=lambda *step: seen.append(step))
    assert seen == [(1, 3), (2, 3), (3, 3)]
