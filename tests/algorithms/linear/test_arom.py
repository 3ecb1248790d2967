"""Approximations of the zero norm against worked numbers and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog
from sklearn.svm import SVC

from fsops.algorithms.linear import arom as arom_module
from fsops.algorithms.linear.arom import arom, standard_rows
from fsops.algorithms.linear.svm_rfe import svm_rfe

# T1 of the specification without its constant feature, hard margin, features standardized.
L2_PATH = [
    (0.97062985, -0.34199779, -0.68718058),
    (0.90008259, -0.19845152, -0.85826783),
    (0.82540946, -0.04651029, -1.0393607),
    (0.80321777, -0.00135567, -1.09317871),
    (0.80255193, -8.8e-7, -1.09479341),
]
LIMIT = (0.8025515, 0.0, -1.0947945)


@pytest.fixture
def worked(toy):
    return toy.X[:, [0, 1, 3]], toy.y


def make_problem(seed, n=30, p=80, informative=6, classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, p))
    X[:, :informative] += 0.9 * y[:, None]
    return X, y


def naive_arom(X, y, prior, start, iterations):
    """Literally: a support vector machine on explicitly scaled columns, in every iteration."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    z = np.array(start, dtype=float)
    for _ in range(iterations):
        z = z / np.sqrt((z**2).sum())
        machine = SVC(kernel="linear", C=1e3, tol=1e-12).fit(Z * z, y)
        z = z * machine.coef_[0] * prior
    return z


# --- worked examples ------------------------------------------------------------------------------


@pytest.mark.parametrize("iterations", [1, 2, 3, 4, 5])
def test_l2_path_is_that_of_the_specification(worked, iterations):
    found = arom(*worked, C=np.inf, max_iterations=iterations)
    assert found.coefficients == pytest.approx(L2_PATH[iterations - 1], abs=5e-8)
    assert not found.converged


@pytest.mark.parametrize(("norm", "iterations"), [("l1", 2), ("l2", 7)])
def test_both_norms_end_at_the_hard_margin_machine_of_two_features(worked, norm, iterations):
    found = arom(*worked, norm=norm)
    assert found.coefficients == pytest.approx(LIMIT, abs=1e-7)
    assert found.survivors.tolist() == [0, 2]
    assert found.order.tolist() == [2, 0, 1]
    assert found.converged
    assert found.iterations == iterations


def test_prior_leaves_the_known_feature_only(worked):
    twice = arom(*worked, prior=[1, 1, 10], max_iterations=2)
    assert twice.scale.round(4).tolist() == [0.0002, 0.0, 1.0]
    assert arom(*worked, prior=[1, 1, 10]).survivors.tolist() == [2]


def test_pk_rfe_step_and_fixed_point_are_those_of_the_specification(worked):
    first = np.array([0.2680665, 0.94452229, 0.18978408])
    once = arom(*worked, prior=[1, 10, 1], start="equal", C=np.inf, max_iterations=1)
    assert once.scale == pytest.approx(first / first.max(), abs=1e-7)
    found = arom(*worked, prior=[1, 10, 1], start="equal", C=np.inf)
    assert found.converged
    assert found.survivors.tolist() == [0, 1, 2]
    # At the fixed point all products of weight and prior are alike.
    X, y = worked
    scaled = standard_rows(X).T * found.scale
    factor = np.abs(SVC(kernel="linear", C=1e6, tol=1e-10).fit(scaled, y).coef_[0]) * [1, 10, 1]
    assert factor / np.sqrt((factor**2).sum()) == pytest.approx([0.57735] * 3, abs=1e-4)


# --- oracles --------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["prior", "equal"])
@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_scalings_are_those_of_machines_on_scaled_columns(start, iterations):
    X, y = make_problem(1)
    prior = np.where(np.arange(80) < 3, 10.0, 1.0)
    begin = prior if start == "prior" else np.ones(80)
    oracle = np.abs(naive_arom(X, y, prior, begin, iterations))
    found = arom(X, y, prior=prior, start=start, max_iterations=iterations)
    assert found.scale == pytest.approx(oracle / oracle.max(), rel=1e-4, abs=1e-9)


def test_overlapping_classes_are_fitted_with_a_soft_margin():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
    oracle = np.abs(naive_arom(X, y, np.ones(5), np.ones(5), 2))
    found = arom(X, y, max_iterations=2)
    assert found.scale == pytest.approx(oracle / oracle.max(), rel=1e-3)


def test_programme_of_few_columns_is_that_of_all(monkeypatch):
    X, y = make_problem(5, n=24, p=300)
    monkeypatch.setattr("fsops.algorithms.linear.arom.FIRST_COLUMNS", 10)
    found = arom(X, y, norm="l1", max_iterations=1).coefficients
    signs = np.where(y == 1, 1.0, -1.0)
    half = -signs[:, None] * standard_rows(X).T
    whole = linprog(
        np.r_[np.ones(600), 0.0],
        A_ub=np.hstack([half, -half, -signs[:, None]]),
        b_ub=-np.ones(24),
        bounds=[(0, None)] * 600 + [(None, None)],
    )
    assert np.abs(found).sum() == pytest.approx(whole.fun, rel=1e-8)
    assert found == pytest.approx(whole.x[:300] - whole.x[300:600], abs=1e-7)


def test_result_keeps_the_classes_apart():
    X, y = make_problem(2)
    for norm in ("l1", "l2"):
        found = arom(X, y, norm=norm)
        assert found.converged
        assert found.survivors.size < 20
        projected = standard_rows(X).T @ found.coefficients
        assert projected[y == 1].min() - projected[y == 0].max() == pytest.approx(2.0, abs=1e-4)


def test_three_classes_weigh_by_the_length_over_one_against_the_rest():
    X, y = make_problem(4, n=36, p=20, classes=3)
    weights = [
        SVC(kernel="linear", C=1e3, tol=1e-12).fit(standard_rows(X).T / np.sqrt(20), y == c).coef_
        for c in range(3)
    ]
    length = np.sqrt((np.vstack(weights) ** 2).sum(axis=0))
    found = arom(X, y, max_iterations=1)
    assert found.scale == pytest.approx(length / length.max(), rel=1e-5)


# --- properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1.0, 10.0, 0.3])
def test_equal_priors_are_none(value):
    X, y = make_problem(6)
    plain, prior = arom(X, y), arom(X, y, prior=np.full(80, value))
    assert prior.order.tolist() == plain.order.tolist()
    assert prior.scale == pytest.approx(plain.scale, abs=1e-6)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["l1", "l2"]))
def test_permuting_features_permutes_the_ranking(seed, norm):
    X, y = make_problem(seed % 7, n=20, p=40)
    places = np.random.default_rng(seed).permutation(40)
    plain, moved = arom(X, y, norm=norm), arom(X[:, places], y, norm=norm)
    assert sorted(places[moved.survivors]) == plain.survivors.tolist()
    assert moved.scale == pytest.approx(plain.scale[places], abs=1e-5)


def test_scale_and_shift_of_a_feature_do_not_matter():
    X, y = make_problem(8)
    changed = X * np.logspace(-3, 3, 80) + np.arange(80)
    assert arom(changed, y).order[:20].tolist() == arom(X, y).order[:20].tolist()


def test_a_prior_never_places_its_feature_worse():
    X, y = make_problem(9, n=24, p=30)
    plain = arom(X, y)
    for feature in plain.order[[5, 12, 20]]:
        prior = np.where(np.arange(30) == feature, 10.0, 1.0)
        assert arom(X, y, prior=prior).ranking[feature] <= plain.ranking[feature]


def test_later_dropped_features_are_placed_better():
    X, y = make_problem(10)
    found = arom(X, y)
    left = np.where(found.dropped_in == 0, 1000, found.dropped_in)
    assert (np.diff(left[found.order]) <= 0).all()
    assert sorted(found.order) == list(range(80))
    assert found.ranking[found.order].tolist() == list(range(1, 81))


def test_features_that_a_programme_drops_at_once_are_ordered_by_how_near_they_were():
    X, y = make_problem(11, p=200)
    found = arom(X, y, norm="l1")
    dropped = found.order[found.dropped_in[found.order] == 1]
    assert dropped.size > 150
    assert dropped.tolist() != sorted(dropped)


# --- borders --------------------------------------------------------------------------------------


def test_constant_features_are_last(toy):
    X = np.column_stack([np.full(8, 7.0), toy.X])
    for norm in ("l1", "l2"):
        found = arom(X, toy.y, norm=norm)
        assert found.survivors.tolist() == [1, 4]
        assert sorted(found.order[-2:]) == [0, 3]


def test_nothing_but_constant_features_leaves_none():
    found = arom(np.ones((6, 3)), np.array([0, 1] * 3))
    assert found.survivors.size == 0
    assert found.iterations == 0


def test_classes_of_the_same_rows_end_without_a_division_by_zero():
    X = np.repeat(np.arange(6.0)[:, None], 2, axis=0) * [[1.0, -2.0]]
    with np.errstate(all="raise"):
        found = arom(X, np.arange(12) % 2)
    assert np.isfinite(found.scale).all()


def test_bad_arguments_are_refused(worked):
    X, y = worked
    for prior, words in [([1, 1], "shape"), ([1, 0, 1], "above 0"), ([1, np.nan, 1], "above 0")]:
        with pytest.raises(ValueError, match=words):
            arom(X, y, prior=prior)
    with pytest.raises(ValueError, match="two classes"):
        arom(X, np.zeros(8, dtype=int))
    with pytest.raises(ValueError, match="must be positive"):
        arom(X, y, C=0)
    with pytest.raises(ValueError, match="missing or infinite"):
        arom(np.where(X[0, 0] == X, np.nan, X), y)


# --- elimination with a prior ---------------------------------------------------------------------


def test_elimination_with_equal_priors_is_bit_identical_to_the_plain_one():
    X, y = make_problem(12)
    plain, same = svm_rfe(X, y, count=3), svm_rfe(X, y, count=3, prior=np.ones(80))
    assert same.order.tobytes() == plain.order.tobytes()
    assert same.weights.tobytes() == plain.weights.tobytes()


def test_elimination_drops_by_weight_times_prior(worked):
    X, y = worked
    weights = np.array([0.97062985, 0.34199779, 0.68718058])  # f2 is dropped first without a prior
    assert svm_rfe(X, y).order.tolist() == [2, 0, 1]
    found = svm_rfe(X, y, prior=[1, 10, 1])
    assert found.dropped_in.tolist().index(1) == np.argmin(weights * [1, 10, 1])


@pytest.mark.parametrize("seed", [15, 28, 40, 50])
def test_no_feature_on_its_way_to_zero_survives(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 60))
    y = (X[:, 0] + X[:, 1] - X[:, 2] + 0.8 * rng.normal(size=40) > 0).astype(int)
    found = arom_module.arom(X, y)
    assert found.converged
    monkeypatch.setattr(arom_module, "STILL", 1e-14)
    longer = arom_module.arom(X, y, max_iterations=400)
    assert found.survivors.tolist() == longer.survivors.tolist()
