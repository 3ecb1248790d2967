"""Prior knowledge in MRMR, Relief and the semi-supervised selection."""

from pathlib import Path

import numpy as np
import pytest

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.combined.prior import (
    _in_one_unit,
    relevance_bonus,
    relief_with_prior,
    ss_l2_arom,
    widen,
)
from fsops.algorithms.linear.arom import arom
from fsops.algorithms.mrmr import selection as mrmr
from fsops.algorithms.neighbors.relief import relieff

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


def make_problem(seed, n=40, p=120, informative=10):
    """Blocks of three features that are much alike; the first ones tell the classes apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    base = rng.normal(size=(n, p // 3))
    base[:, : informative // 3] += 1.2 * y[:, None]
    return np.repeat(base, 3, axis=1) + 0.4 * rng.normal(size=(n, p)), y


def mask(p, chosen):
    found = np.zeros(p, dtype=bool)
    found[list(chosen)] = True
    return found


# --- MRMR -----------------------------------------------------------------------------------------


def test_bonus_goes_from_nothing_to_the_largest():
    assert relevance_bonus([1, 10, 1, 5.5], 1.0).tolist() == [0, 1, 0, 0.5]
    assert relevance_bonus([1, 0, 0], 2.0).tolist() == [2, 0, 0]
    assert relevance_bonus([10, 10], 1.0).tolist() == [0, 0]
    assert relevance_bonus([], 1.0).tolist() == []


@pytest.fixture
def coded():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 30))
    redundancy = mrmr.CorrelationRedundancy(X)
    return rng.uniform(0, 0.5, 30), redundancy


@pytest.mark.parametrize("constant", [0.0, 1.0, 9.0])
def test_mrmr_with_a_constant_prior_has_the_same_order(coded, constant):
    relevance, redundancy = coded
    plain = mrmr.mrmr(relevance, redundancy, 30, criterion="mid")
    favoured = mrmr.mrmr(relevance + constant, redundancy, 30, criterion="mid")
    assert favoured.order.tolist() == plain.order.tolist()


def test_large_priors_come_first_in_the_order_of_mrmr_among_themselves(coded):
    relevance, redundancy = coded
    known = np.array([3, 8, 17, 25])
    bonus = np.where(mask(30, known), 2.0, 0.0)  # more than relevance and redundancy can be
    found = mrmr.mrmr(relevance + bonus, redundancy, 8, criterion="mid").order
    alone = mrmr.mrmr(
        relevance[known],
        mrmr.CorrelationRedundancy(np.random.default_rng(2).normal(size=(40, 30))[:, known]),
        4,
        criterion="mid",
    )
    assert found[:4].tolist() == known[alone.order].tolist()


# --- Relief ---------------------------------------------------------------------------------------


def test_relief_of_the_specification_plus_the_prior(toy):
    weights = relief_with_prior(toy.X, None, toy.y, [1, 10, 1, 10])
    sums = 8 * np.array([0.33695652, -0.125, 0, 0.14732143])
    assert weights == pytest.approx(sums + [1, 10, 1, 10], abs=1e-7)


def test_relief_with_a_constant_prior_has_the_same_order():
    X, y = make_problem(1)
    plain = relieff(X, None, y, k=1).statistic
    assert np.argsort(-relief_with_prior(X, None, y, np.full(120, 10.0))).tolist() == (
        np.argsort(-plain).tolist()
    )


# --- wider sets of relevant features --------------------------------------------------------------


def naive_widen(X, relevant, k, absolute=False):
    R = np.corrcoef(X.T)
    near = np.abs(R) if absolute else R
    np.fill_diagonal(near, -np.inf)
    nearest = np.argsort(-near, axis=1, kind="stable")[:, : min(k, relevant.sum())]
    return relevant | relevant[nearest].all(axis=1)


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 200])
@pytest.mark.parametrize("size", [1, 5, 60, 119])
def test_a_feature_joins_if_its_nearest_are_relevant(monkeypatch, size, k, absolute):
    monkeypatch.setattr("fsops.algorithms.combined.prior.CHUNK", 32)
    monkeypatch.setattr("fsops.algorithms.combined.prior.FIRST_BLOCK", 8)
    X, _ = make_problem(3)
    X[:, ::2] *= -1
    relevant = mask(120, np.random.default_rng(size).choice(120, size, replace=False))
    found = widen(unit_rows(X)[0], relevant, k, absolute=absolute)
    assert found.tolist() == naive_widen(X, relevant, k, absolute).tolist()


def test_what_joins_does_not_bring_others_in_the_same_step():
    # A chain: each column is nearest to the one before.
    steps = np.array([1.0, 0.9, 0.8, 0.7])
    Q = np.linalg.qr(np.column_stack([np.ones(9), np.random.default_rng(0).normal(size=(9, 5))]))[0]
    X = np.empty((9, 4))
    X[:, 0] = Q[:, 1]
    for j in range(1, 4):
        X[:, j] = X[:, j - 1] + (1.2 - steps[j]) * Q[:, j + 1]
    relevant = mask(4, [0])
    once = widen(unit_rows(X)[0], relevant, 1)
    assert once.tolist() == naive_widen(X, relevant, 1).tolist()
    assert not once.all()


def test_nothing_relevant_and_constant_features_bring_nobody():
    X, _ = make_problem(4)
    X[:, 5] = 3.0
    rows = unit_rows(X)[0]
    assert not widen(rows, np.zeros(120, dtype=bool), 3).any()
    assert widen(rows, mask(120, [5]), 1).sum() == 1
    assert widen(rows, ~mask(120, [5]), 1)[5] == False  # noqa: E712


def test_copies_outside_are_as_near_and_keep_a_feature_out():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 12))
    X = np.column_stack(
        [a, a + 0.1 * b, a, b]
    )  # the second is as near to the first as to the third
    rows = unit_rows(X)[0]
    assert widen(rows, mask(4, [0]), 1).tolist() == [True, False, True, False]
    assert widen(rows, mask(4, [0, 2]), 1)[1]


# --- semi-supervised selection --------------------------------------------------------------------


def naive_ss(X, y, relevant, size, k, steps=20):
    agreements = []
    for _ in range(steps):
        wide = naive_widen(X, relevant, k)
        order = arom(X, y, prior=np.where(wide, 10.0, 1.0)).order
        chosen = mask(X.shape[1], order[:size])
        agreements.append((relevant & chosen).sum() / (relevant | chosen).sum())
        relevant = chosen
        if agreements[-1] >= 0.99:
            break
    return relevant, agreements


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_steps_are_those_of_the_algorithm_written_out(seed):
    X, y = make_problem(seed)
    relevant = mask(120, [0, 40, 80])
    chosen, agreements = naive_ss(X, y, relevant, 20, 1)
    found = ss_l2_arom(X, y, relevant, size=20, neighbours=1)
    assert found.ending == "converged"
    assert [step.agreement for step in found.steps] == agreements
    assert sorted(found.found.order[:20]) == np.flatnonzero(chosen).tolist()
    assert found.steps[0].relevant == 3
    assert {step.selected for step in found.steps} == {20}


def test_growing_sets_are_a_share_larger_than_the_relevant_ones():
    X, y = make_problem(5)
    found = ss_l2_arom(X, y, mask(120, range(10)), growth=0.1, max_steps=4)
    for step, following in zip(found.steps, found.steps[1:], strict=False):
        assert step.selected == int(np.ceil(1.1 * step.widened - 1e-9))
        assert following.relevant == step.selected
    assert found.ending == "limit"


def test_sets_that_outgrow_half_of_the_features_end_it():
    X, y = make_problem(6)
    found = ss_l2_arom(X, y, mask(120, range(40)), growth=0.3, max_steps=20)
    assert found.ending == "runaway"
    assert len(found.steps) < 6
    assert found.size <= 120


def test_all_features_relevant_is_the_selection_without_prior():
    X, y = make_problem(7)
    found = ss_l2_arom(X, y, np.ones(120, dtype=bool), size=10)
    assert found.ending == "runaway"
    assert len(found.steps) == 1
    assert found.found.order[:10].tolist() == arom(X, y).order[:10].tolist()


def test_no_relevant_feature_starts_from_the_selection_without_prior():
    X, y = make_problem(8)
    found = ss_l2_arom(X, y, np.zeros(120, dtype=bool), size=10, max_steps=1)
    assert found.found.order[:10].tolist() == arom(X, y).order[:10].tolist()
    assert found.steps[0].agreement == 0
    with pytest.raises(ValueError, match="must be given"):
        ss_l2_arom(X, y, np.zeros(120, dtype=bool))


def test_two_sets_in_turn_end_with_that_of_the_larger_margin(monkeypatch):
    X, y = make_problem(9)
    sides = [arom(X, y, prior=np.where(mask(120, part), 50.0, 1.0)) for part in (
        range(20), range(60, 80),
    )]  # fmt: skip
    calls = iter(range(100))
    monkeypatch.setattr(
        "fsops.algorithms.combined.prior.arom", lambda *given, **named: sides[next(calls) % 2]
    )
    found = ss_l2_arom(X, y, mask(120, [0]), size=10)
    assert found.ending == "cycle"
    assert len(found.steps) == 3
    assert found.found is sides[0]  # the informative features are there


def test_permuting_features_permutes_the_semi_supervised_selection():
    X, y = make_problem(10)
    places = np.random.default_rng(1).permutation(120)
    relevant = mask(120, [0, 30, 60])
    plain = ss_l2_arom(X, y, relevant, size=12, neighbours=1)
    moved = ss_l2_arom(X[:, places], y, relevant[places], size=12, neighbours=1)
    assert sorted(places[moved.found.order[:12]]) == sorted(plain.found.order[:12])
    assert [s.agreement for s in moved.steps] == [s.agreement for s in plain.steps]


@pytest.mark.skipif(
    not (DATA / "dlbcl_shipp.parquet").exists(),
    reason="the shared data folder is not on this machine",
)
def test_convergence_on_dlbcl_is_that_of_the_thesis():
    import pandas as pd

    table = pd.read_parquet(DATA / "dlbcl_shipp.parquet")
    genes = table.drop(columns="label")
    # Transferrin receptor and lactate dehydrogenase A, the two markers that Shipp et al. name.
    relevant = np.isin(genes.columns, ["X01060_at", "X02152_at"])
    y = (table["label"] == "FL").to_numpy().astype(int)
    X = genes.to_numpy(dtype=float)
    assert relevant.sum() == 2
    for left_out in (3,):
        rows = np.arange(len(X)) % 10 != left_out
        found = ss_l2_arom(X[rows], y[rows], relevant, size=100, neighbours=1)
        agreements = [step.agreement for step in found.steps]
        assert agreements[0] < 0.11
        assert 0.3 <= agreements[1] <= 0.85  # printed: .59 to .74
        assert len(agreements) <= 12  # printed: 5 to 10
        assert found.ending in ("converged", "cycle")


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("neighbours", [1, 2])
def test_features_can_be_near_by_their_values(absolute, neighbours):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12, 30)) + rng.normal(size=30) * 3
    relevant = np.zeros(30, dtype=bool)
    relevant[:18] = True
    wide = widen(unit_rows(X)[0], relevant, neighbours, absolute=absolute, values=_in_one_unit(X))
    expected = relevant.copy()
    for j in np.flatnonzero(~relevant):
        d = np.linalg.norm(X.T - X[:, j], axis=1)
        if absolute:
            d = np.minimum(d, np.linalg.norm(X.T + X[:, j], axis=1))
        d[j] = np.inf
        expected[j] = relevant[np.argsort(d)[:neighbours]].all()
    assert wide.tolist() == expected.tolist()
    assert wide.sum() > relevant.sum()
