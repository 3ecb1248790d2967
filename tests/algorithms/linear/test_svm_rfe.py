import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from fsops.algorithms.linear import svm_dual
from fsops.algorithms.linear.svm_rfe import (
    eliminate,
    elimination_sizes,
    linear_svm,
    solve_dual,
    svm_rfe,
)
from fsops.algorithms.search import elimination

relaxed = settings(deadline=None, max_examples=40)

# Orders of the weights in each round of table 1 in the RapidMiner paper, best first.
TABLE_1 = [
    [1, 14, 16, 5, 15, 10, 9, 20, 17, 7, 11, 8, 3, 19, 12, 4, 2, 13, 18, 6],
    [1, 14, 16, 5, 15, 8, 10, 19, 9, 17, 3, 11, 7, 20],
    [1, 14, 16, 5, 15, 8, 19, 9, 10],
    [1, 14, 16, 5, 8, 15],
    [1, 14, 16, 5],
]


def zscored(toy, columns):
    X = toy.X[:, columns]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def made(n, p, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p))
    centres = 1.5 * rng.normal(size=(classes, min(p, 8)))
    X[:, : min(p, 8)] += centres[y]
    return X, y


def test_worked_machines(toy):
    cases = [
        (1, [0, 1, 3], [0.97062985, -0.34199779, -0.68718058], 0.46103803, 0.7656510),
        (1, [0, 3], [0.8025515, -1.09479451], 0.475, 0.9213320),
        (0.1, [0, 1, 3], [0.42940332, -0.04007038, -0.44438484], 0.33056438, 0.3882434),
        (0.1, [0, 3], [0.41991156, -0.46981605], 0.36539504, 0.3933498),
    ]
    for C, columns, weights, bias, objective in cases:
        machine = linear_svm(zscored(toy, columns), toy.y, C=C)
        np.testing.assert_allclose(machine.weights[0], weights, atol=1e-7)
        assert machine.bias[0] == pytest.approx(bias, abs=1e-7)
        assert machine.objective[0] == pytest.approx(objective, abs=1e-7)
        np.testing.assert_allclose(machine.importance, np.abs(weights), atol=1e-7)


def test_hard_margin(toy):
    machine = linear_svm(zscored(toy, [0, 1, 3]), toy.y, C=np.inf)
    np.testing.assert_allclose(
        machine.weights[0], [0.97062985, -0.34199779, -0.68718058], atol=1e-6
    )
    assert machine.separable
    overlapping = np.array([[0.0], [1.0], [0.5], [2.0]])
    assert not linear_svm(overlapping, np.array([0, 1, 1, 0]), C=np.inf).separable


def test_worked_elimination(toy):
    result = svm_rfe(toy.X[:, [0, 1, 3]], toy.y, count=1)
    np.testing.assert_array_equal(result.order, [2, 0, 1])
    np.testing.assert_array_equal(result.ranking, [2, 3, 1])
    np.testing.assert_array_equal(result.group_ranking, [2, 3, 1])
    np.testing.assert_array_equal(result.survivors, [2])


def test_table_1_of_the_rapidminer_paper():
    def weigh(active):
        order = TABLE_1[[20, 14, 9, 6, 4].index(active.size)]
        assert {*(active + 1)} == {*order}
        signs = np.where(active % 2, 1.0, -1.0)  # only the modulus may count
        return signs * np.array([20.0 - order.index(a + 1) for a in active])

    sizes = elimination_sizes(20, 4, fraction=0.3)
    assert sizes == [20, 14, 9, 6, 4]
    result = eliminate(weigh, sizes)
    dropped = [set(r.features + 1) for r in result.trace]
    assert dropped == [
        {12, 4, 2, 13, 18, 6},
        {17, 3, 11, 7, 20},
        {19, 9, 10},
        {8, 15},
        {1, 14, 16, 5},
    ]
    np.testing.assert_array_equal(result.survivors + 1, [1, 5, 14, 16])
    np.testing.assert_array_equal(result.order[:6] + 1, [1, 14, 16, 5, 8, 15])
    assert result.dropped_in[8 - 1] == 4
    full = eliminate(weigh, sizes, history=True)
    assert [r.features.size for r in full.trace] == sizes
    np.testing.assert_array_equal(full.trace[1].features + 1, TABLE_1[1])
    np.testing.assert_array_equal(full.order, result.order)


def test_sizes():
    assert elimination_sizes(10, 3, count=4) == [10, 6, 3]
    assert elimination_sizes(3) == [3, 2, 1]
    assert elimination_sizes(10, 1, fraction=0.3)[1] == 7
    assert elimination_sizes(2000, schedule=[50, 10, 1]) == [2000, 50, 10, 1]
    assert elimination_sizes(30, schedule=[50, 10, 1]) == [30, 10, 1]
    assert elimination_sizes(5, 5) == [5]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"fraction": 0.1, "count": 2}, "only one"),
        ({"keep": 0}, "between 1 and 5"),
        ({"keep": 6}, "between 1 and 5"),
        ({"fraction": 1.0}, "between 0 and 1"),
        ({"count": 0}, "At least one"),
        ({"schedule": [1, 2]}, "decreasing"),
        ({"schedule": []}, "decreasing"),
    ],
)
def test_impossible_rules_are_explained(rules, message):
    with pytest.raises(ValueError, match=message):
        elimination_sizes(5, **rules)


def test_of_equal_weights_the_larger_index_goes_first():
    for rules in ({"count": 1}, {"count": 2}):
        result = eliminate(lambda active: np.ones(active.size), elimination_sizes(6, 2, **rules))
        np.testing.assert_array_equal(result.order, np.arange(6))


def test_nan_weights_go_first():
    for rules in ({"count": 1}, {"count": 2}):
        sizes = elimination_sizes(4, 2, **rules)
        weights = np.array([np.nan, 0.5, np.nan, 0.1])
        result = eliminate(lambda active, w=weights: w[active], sizes)
        np.testing.assert_array_equal(result.survivors, [1, 3])


def test_signed_weights_can_count():
    weights = np.array([-5.0, 1.0, 2.0])
    result = eliminate(lambda a: weights[a], [3, 2, 1], absolute=False)
    np.testing.assert_array_equal(result.order, [2, 1, 0])
    np.testing.assert_array_equal(result.weights, [0, 0, 2])


def test_a_weighting_must_answer_for_each_feature():
    with pytest.raises(ValueError, match="one weight for each"):
        eliminate(lambda active: np.ones(2), [3, 1])


def test_rounds_are_reported():
    seen = []
    eliminate(lambda a: a * 1.0, [4, 2, 1], on_round=lambda *done: seen.append(done))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("n", "p", "step", "C"),
    [(30, 60, 1, 1.0), (40, 300, 0.1, 1.0), (60, 12, 1, 1.0), (40, 80, 3, 0.01), (30, 90, 7, 100)],
)
def test_ranking_is_that_of_scikit_learn_at_tight_tolerance(n, p, step, C):
    X, y = made(n, p, seed=p)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = SVC(kernel="linear", C=C, tol=1e-10)
    expected = RFE(machine, n_features_to_select=1, step=step).fit(Z, y).ranking_
    count = max(1, int(step * p)) if step < 1 else step
    np.testing.assert_array_equal(svm_rfe(X, y, count=count, C=C).group_ranking, expected)
    unscaled = svm_rfe(Z, y, count=count, C=C, standardize=False)
    np.testing.assert_array_equal(unscaled.group_ranking, expected)


def test_several_classes_are_each_set_against_the_rest():
    X, y = made(45, 20, classes=3)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)

    def weigh(active):
        rows = [
            SVC(kernel="linear", tol=1e-10).fit(Z[:, active], y == c).coef_[0] for c in range(3)
        ]
        return np.sqrt((np.array(rows) ** 2).sum(axis=0))

    # Not further: libsvm does not converge where the best machine has no weights at all.
    expected = eliminate(weigh, elimination_sizes(20, 8, count=2))
    result = svm_rfe(X, y, keep=8, count=2)
    np.testing.assert_array_equal(result.order, expected.order)
    np.testing.assert_allclose(result.weights, expected.weights, atol=1e-5)
    assert linear_svm(Z, y).weights.shape == (3, 20)


def test_gaps_in_the_class_codes_do_not_matter():
    X, y = made(30, 10)
    np.testing.assert_array_equal(svm_rfe(X, 3 * y + 1).order, svm_rfe(X, y).order)


def test_constant_features_are_dropped_first():
    X, y = made(30, 6)
    X[:, 2] = 4.2
    assert svm_rfe(X, y).order[-1] == 2


def test_fraction_of_the_remaining_features():
    X, y = made(30, 100)
    result = svm_rfe(X, y, keep=10, fraction=0.2)
    assert [r.size for r in result.trace][:4] == [100, 80, 64, 51]
    assert result.survivors.size == 10
    assert np.count_nonzero(result.weights) == 10


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two classes"):
        svm_rfe(np.ones((4, 2)), np.zeros(4, dtype=int))
    with pytest.raises(ValueError, match="positive"):
        linear_svm(np.eye(2), np.array([0, 1]), C=0)


def assert_solves(gram, signs, C, solution):
    beta = solution.beta
    tol = 1e-7 * max(1.0, C)
    alpha = beta * signs
    assert alpha.min() >= 0
    assert alpha.max() <= C
    assert abs(beta.sum()) <= 1e-9 * max(1, C)
    gradient = signs - gram @ beta
    may_grow = np.where(signs > 0, alpha < C, alpha > 0)
    may_shrink = np.where(signs > 0, alpha > 0, alpha < C)
    assert gradient[may_grow].max() - gradient[may_shrink].min() <= tol
    # libsvm may not get there, but it must not get further.
    with warnings.catch_warnings(action="ignore"):
        libsvm = SVC(kernel="precomputed", C=C, tol=1e-9, max_iter=20_000).fit(gram, signs)
    found = np.zeros(signs.size)
    found[libsvm.support_] = libsvm.dual_coef_[0]
    value = beta @ signs - 0.5 * beta @ gram @ beta
    reached = found @ signs - 0.5 * found @ gram @ found
    assert value >= reached - 1e-7 * max(1.0, abs(reached))


@relaxed
@given(
    st.integers(0, 10_000),
    st.integers(4, 30),
    st.integers(1, 40),
    st.sampled_from([1e-3, 0.1, 1.0, 30.0, 1e6]),
    st.sampled_from([np.positive, np.round, np.sign]),
)
def test_the_dual_solution_is_optimal(seed, n, p, C, coarsen):
    rng = np.random.default_rng(seed)
    X = coarsen(rng.normal(size=(n, p)))  # coarse values: equal rows, degenerate vertices
    signs = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    gram = X @ X.T
    solution = solve_dual(gram, signs, C=C, tol=1e-9)
    assert_solves(gram, signs, C, solution)
    near = solve_dual(gram * 1.01, signs, C=C, beta=solution.beta, tol=1e-9)
    assert_solves(gram * 1.01, signs, C, near)


@relaxed
@given(
    st.integers(0, 10_000),
    st.integers(3, 30),
    st.floats(0.1, 0.9),
    st.floats(-3.0, 3.0),
    st.sampled_from([1e-3, 0.1, 1.0, 30.0, 1e6]),
    st.sampled_from([np.positive, np.round, np.sign]),
)
def test_rows_on_a_line_are_solved_by_sorting(seed, n, share, shift, C, coarsen):
    rng = np.random.default_rng(seed)
    signs = np.where(rng.random(n) < share, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    x = coarsen(rng.normal(size=n) + shift * signs)
    gram = np.outer(x, x)
    by_sorting = svm_dual.Dual(signs, C, 1e-10).on(gram).solve_line()
    if by_sorting is not None:
        assert_solves(gram, signs, C, by_sorting)
    general = solve_dual(gram, signs, C=C, tol=1e-10, rank=1)
    if C < 1e6:
        assert_solves(gram, signs, C, general)
    else:  # the best weight may be near 0 and all rows at bounds: SMO then says how far it got
        gradient = signs - gram @ general.beta
        alpha = general.beta * signs
        may_grow = np.where(signs > 0, alpha < C, alpha > 0)
        may_shrink = np.where(signs > 0, alpha > 0, alpha < C)
        gap = gradient[may_grow].max() - gradient[may_shrink].min()
        assert general.gap == pytest.approx(max(gap, 0.0), abs=1e-3)


def test_sorting_finds_the_solution_on_a_line_unless_the_best_weight_is_0():
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(100):
        signs = np.where(rng.random(40) < 0.4, 1.0, -1.0)
        x = rng.normal(size=40) + rng.normal() * signs
        gram = np.outer(x, x)
        by_sorting = svm_dual.Dual(signs, 1.0, 1e-10).on(gram).solve_line()
        weight = x @ solve_dual(gram, signs, tol=1e-10).beta
        assert (by_sorting is None) == (abs(weight) < 1e-6)
        if by_sorting is not None:
            found += 1
            assert x @ by_sorting.beta == pytest.approx(weight, rel=1e-8)
    assert found > 70


def test_a_rank_below_the_number_of_rows_changes_nothing():
    rng = np.random.default_rng(4)
    for p in (1, 2, 5, 20):
        X = rng.normal(size=(40, p))
        signs = np.where(rng.random(40) < 0.5, 1.0, -1.0)
        gram = X @ X.T
        told = solve_dual(gram, signs, tol=1e-10, rank=p)
        assert_solves(gram, signs, 1.0, told)
        near = solve_dual(gram * 1.1, signs, beta=told.beta, tol=1e-10, rank=p)
        assert_solves(gram * 1.1, signs, 1.0, near)
        # A start from another problem is worth nothing.
        other = solve_dual(gram, -signs, tol=1e-10).beta
        far = solve_dual(gram, signs, beta=-other, tol=1e-10, rank=p)
        np.testing.assert_allclose(X.T @ far.beta, X.T @ told.beta, atol=1e-7)


def test_machines_solve_one_kernel_after_another():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 400))
    signs = np.where(np.arange(30) % 3 == np.arange(3)[:, None], 1.0, -1.0)
    machines = svm_dual.WarmMachines(signs, 1.0, 1e-10)
    at_bounds = []
    # Many features: all rows lie between the bounds.
    for p in (400, 390, 60, 31, 12, 1, 35, 380, 400):
        gram = X[:, :p] @ X[:, :p].T
        for sign, beta in zip(signs, machines.solve(gram, rank=p), strict=True):
            solution = svm_dual.Dual(sign, 1.0, 1e-10).on(gram).solution(beta)
            assert_solves(gram, sign, 1.0, solution)
        at_bounds.append(bool(np.isin(np.abs(machines.beta), [0.0, 1.0]).any()))
    assert at_bounds == [False, False, *[True] * 5, False, False]


def test_the_order_in_memory_does_not_change_a_byte():
    X, y = made(30, 200, seed=6)
    for standardize in (False, True):
        by_row = svm_rfe(X, y, count=7, standardize=standardize)
        by_column = svm_rfe(np.asfortranarray(X), y, count=7, standardize=standardize)
        assert by_row.weights.tobytes() == by_column.weights.tobytes()
        np.testing.assert_array_equal(by_row.order, by_column.order)


def test_smo_alone_finds_the_solution(monkeypatch):
    for exact in ("_solve_at_once", "exchange", "descend"):
        monkeypatch.setattr(svm_dual.Dual, exact, lambda self, *about: None)
    rng = np.random.default_rng(0)
    for p in (3, 60):
        X = rng.normal(size=(25, p))
        signs = np.where(rng.random(25) < 0.4, 1.0, -1.0)
        for C in (0.05, 1.0):
            solution = solve_dual(X @ X.T, signs, C=C, tol=1e-9)
            assert_solves(X @ X.T, signs, C, solution)


def test_equal_rows_of_both_classes_do_not_stop_the_solver():
    gram = np.zeros((6, 6))
    signs = np.array([1.0, 1, 1, -1, -1, -1])
    solution = solve_dual(gram, signs, C=2.0)
    np.testing.assert_allclose(solution.beta, 2 * signs)
    assert solution.gap == 0


def test_an_infeasible_start_is_ignored():
    X, y = made(20, 30)
    signs = np.where(y == 1, 1.0, -1.0)
    gram = X @ X.T
    assert_solves(gram, signs, 1.0, solve_dual(gram, signs, beta=np.full(20, 0.7)))


def test_only_the_worst_are_sorted_and_equals_go_by_index():
    rng = np.random.default_rng(0)
    holes = np.where(rng.random(50) < 0.3, np.nan, np.round(rng.random(50), 1))
    for importance in (rng.random(50), np.round(rng.random(50), 1), np.ones(50), holes):
        for drop in (1, 2, 7, 49, 50):
            expected = np.argsort(-importance, kind="stable")[50 - drop :]
            np.testing.assert_array_equal(elimination._worst(importance, drop), expected)


def test_down_dates_do_not_drift_with_badly_scaled_features():
    X, y = made(30, 200, seed=3)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    Z[:, 40] *= 1e4  # its square fills the Gram matrix until it is dropped
    fast = svm_rfe(Z, y, count=1, standardize=False)

    def weigh(active):
        return linear_svm(Z[:, active], y, tol=1e-10).importance

    slow = eliminate(weigh, elimination_sizes(200))
    np.testing.assert_array_equal(fast.order[:20], slow.order[:20])
