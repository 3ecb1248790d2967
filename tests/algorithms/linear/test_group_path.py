"""Group lasso against a convex solver, the lasso, and the conditions of the optimum."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.linear_model import lasso_path

from fsops.algorithms.linear.group_path import Layout, group_path, largest_penalty

RATIOS = [0.0, 0.4, 0.9]


def drawn(seed=0, n=60, p=24, size=4):
    """Return rows whose first and third group matter, and groups of correlated features."""
    rng = np.random.default_rng(seed)
    common = np.repeat(rng.normal(size=(n, p // size)), size, axis=1)
    X = 0.6 * common + rng.normal(size=(n, p))
    y = X[:, :size] @ rng.normal(size=size) + X[:, 2 * size] + rng.normal(size=n)
    return X, y, np.arange(n) % 5, Layout(np.arange(p), np.arange(0, p, size))


def standard(X, y):
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, np.inf), (y - y.mean()) / y.std()


def violation(Z, y, layout, alpha, b, ratio):
    """Largest violation of the conditions of the optimum, as a fraction of the penalty."""
    gradient = Z.T @ (y - Z @ b) / len(y)
    worst = []
    for start, size in zip(layout.starts, layout.sizes, strict=True):
        own, slope = b[start : start + size], gradient[start : start + size]
        group, norm = alpha * (1 - ratio) * np.sqrt(size), np.linalg.norm(own)
        if norm == 0:
            soft = np.maximum(np.abs(slope) - alpha * ratio, 0)
            worst.append(max(0.0, np.linalg.norm(soft) - group))
            continue
        rest = slope - group * own / norm
        apart = np.where(
            own != 0,
            np.abs(rest - alpha * ratio * np.sign(own)),
            np.maximum(np.abs(rest) - alpha * ratio, 0),
        )
        worst.append(apart.max())
    return max(worst) / alpha


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(
    "shape", [(60, 24, 4), (25, 60, 6), (40, 12, 1), (20, 400, 1), (30, 600, 10)], ids=str
)
def test_coefficients_meet_the_conditions_of_the_optimum(shape, ratio):
    n, p, size = shape
    X, y, part, layout = drawn(1, n, p, size)
    found = group_path(X, y, part, layout, l1_ratio=ratio, steps=12)
    Z, t = standard(X, y)
    for alpha, b in zip(found.penalties, found.coefficients.T / y.std(), strict=True):
        assert violation(Z, t, layout, alpha, b, ratio) < 1e-6


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # it stops at its last digits
@pytest.mark.parametrize("ratio", RATIOS)
def test_coefficients_are_those_of_a_convex_solver(ratio):
    cvxpy = pytest.importorskip("cvxpy")
    X, y, part, layout = drawn(2, n=40, p=18, size=3)
    found = group_path(X, y, part, layout, l1_ratio=ratio, steps=6)
    Z, t = standard(X, y)
    for alpha, ours in zip(found.penalties, found.coefficients.T / y.std(), strict=True):
        b = cvxpy.Variable(18)
        groups = sum(cvxpy.norm(b[start : start + 3]) for start in layout.starts)
        penalty = ratio * cvxpy.norm1(b) + (1 - ratio) * np.sqrt(3) * groups
        loss = cvxpy.sum_squares(t - Z @ b) / (2 * len(t))
        problem = cvxpy.Problem(cvxpy.Minimize(loss + alpha * penalty))
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
        np.testing.assert_allclose(ours, b.value, rtol=0, atol=1e-6)


def test_groups_of_one_are_the_lasso():
    X, y, part, _ = drawn(3)
    layout = Layout(np.arange(24), np.arange(24))
    Z, t = standard(X, y)
    for ratio in RATIOS:
        found = group_path(X, y, part, layout, l1_ratio=ratio, steps=8)
        theirs = lasso_path(Z, t, alphas=found.penalties, tol=1e-10)[1]
        np.testing.assert_allclose(found.coefficients / y.std(), theirs, rtol=0, atol=1e-6)


def test_the_group_lasso_selects_whole_groups_and_the_sparse_one_parts_of_them():
    X, y, part, layout = drawn(4)
    whole = group_path(X, y, part, layout).coefficients.reshape(6, 4, -1) != 0
    assert (whole.all(axis=1) == whole.any(axis=1)).all()
    some = group_path(X, y, part, layout, l1_ratio=0.5).coefficients.reshape(6, 4, -1) != 0
    assert (some.all(axis=1) != some.any(axis=1)).any()


def test_errors_are_those_of_paths_on_the_training_rows():
    X, y, part, layout = drawn(5)
    X = X * np.logspace(-4, 4, 24) + 5
    found = group_path(X, y, part, layout, l1_ratio=0.3, steps=5)
    for fold in range(5):
        train, test = part != fold, part == fold
        centre, spread = X[train].mean(axis=0), X[train].std(axis=0)
        Z, t = (X[train] - centre) / spread, (y[train] - y[train].mean()) / y.std()
        for at, alpha in enumerate(found.penalties):
            b = np.zeros(24)
            for _ in range(3000):  # plain proximal gradient
                b = proximal(b + Z.T @ (t - Z @ b) / len(t) / 8, alpha / 8, 4, 0.3)
            guess = y[train].mean() + y.std() * ((X[test] - centre) / spread) @ b
            expected = ((y[test] - guess) ** 2).mean()
            assert found.errors[at, fold] == pytest.approx(expected, rel=1e-5)


def proximal(b, step, size, ratio):
    soft = np.sign(b) * np.maximum(np.abs(b) - step * ratio, 0)
    groups = soft.reshape(-1, size)
    norms = np.maximum(np.linalg.norm(groups, axis=1, keepdims=True), 1e-300)
    return (groups * np.maximum(1 - step * (1 - ratio) * np.sqrt(size) / norms, 0)).reshape(-1)


@pytest.mark.parametrize("ratio", RATIOS)
def test_common_features_have_a_part_for_each_group(ratio):
    X, y, part, _ = drawn(6, p=10, size=2)
    layout = Layout(np.array([0, 1, 2, 3, 2, 3, 4, 5, 6, 7, 8, 9]), np.array([0, 4, 8]))
    found = group_path(X, y, part, layout, l1_ratio=ratio, steps=10)
    Z, t = standard(X, y)
    for alpha, b in zip(found.penalties, found.parts.T / y.std(), strict=True):
        assert violation(Z[:, layout.members], t, layout, alpha, b, ratio) < 1e-6
    sums = np.zeros_like(found.coefficients)
    for place, feature in enumerate(layout.members):
        sums[feature] += found.parts[place]
    np.testing.assert_allclose(found.coefficients, sums, rtol=1e-12)


@pytest.mark.parametrize("ratio", RATIOS)
def test_copies_and_constants_end_at_an_optimum(ratio):
    X, y, part, layout = drawn(7)
    X[:, 1], X[:, 9], X[:, 5] = X[:, 0], -X[:, 8], 7.0
    X[:, 12:16] = X[:, :4]  # a copy of a whole group
    found = group_path(X, y, part, layout, l1_ratio=ratio, steps=10)
    Z, t = standard(X, y)
    for alpha, b in zip(found.penalties, found.coefficients.T / y.std(), strict=True):
        assert violation(Z, t, layout, alpha, b, ratio) < 1e-5
    assert not found.coefficients[5].any()


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_units_do_not_matter(unit):
    X, y, part, layout = drawn(8)
    one = group_path(X, y, part, layout, l1_ratio=0.2, steps=6)
    other = group_path(X * np.logspace(-8, 8, 24), y * unit, part, layout, l1_ratio=0.2, steps=6)
    np.testing.assert_allclose(other.coefficients, one.coefficients * unit, rtol=1e-5, atol=0)
    np.testing.assert_allclose(other.errors, one.errors * unit**2, rtol=1e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), ratio=st.floats(0, 0.95))
def test_the_largest_penalty_is_the_smallest_that_leaves_nothing(seed, ratio):
    X, y, part, layout = drawn(seed, n=20, p=12, size=3)
    Z, t = standard(X, y)
    alpha = largest_penalty(Z.T @ t / len(t), layout, ratio)
    nothing = np.zeros(12)
    assert violation(Z, t, layout, alpha * (1 + 1e-9), nothing, ratio) == 0
    assert violation(Z, t, layout, alpha * (1 - 1e-6), nothing, ratio) > 0
    found = group_path(X, y, part, layout, l1_ratio=ratio, steps=3)
    assert found.features[0] == 0
    assert found.features[1] > 0


def test_a_constant_label_and_no_features_have_empty_paths():
    X, _, part, layout = drawn(9)
    assert not group_path(X, np.ones(60), part, layout, steps=4).features.any()
    empty = Layout(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))
    found = group_path(X[:, :0], np.arange(60.0), part, empty, steps=4)
    assert found.coefficients.shape[0] == 0
    assert not found.features.any()


@pytest.mark.parametrize("ratio", [-0.1, 1.0])
def test_wrong_ratios_are_refused(ratio):
    X, y, part, layout = drawn()
    with pytest.raises(ValueError, match="l1_ratio must be at least 0 and below 1"):
        group_path(X, y, part, layout, l1_ratio=ratio)


# --- row weights -------------------------------------------------------------------------------


def weighted_standard(X, y, w):
    """Return standardized rows and label, times the root of the weight over the mean weight."""
    f = w / w.sum()
    Z, t = X - f @ X, y - f @ y
    spread = np.sqrt(f @ Z**2)
    Z, unit = Z / np.where(spread > 1e-12, spread, np.inf), np.sqrt(f @ t**2)
    roots = np.sqrt(f * len(y))
    return Z * roots[:, None], t / unit * roots, unit


def drawn_weights(n):
    return np.random.default_rng(7).lognormal(size=n)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("shape", [(60, 24, 4), (25, 60, 6), (20, 400, 1)], ids=str)
def test_weighted_coefficients_meet_the_conditions_of_the_optimum(shape, ratio):
    n, p, size = shape
    X, y, part, layout = drawn(1, n, p, size)
    w = drawn_weights(n)
    found = group_path(X, y, part, layout, weights=w, l1_ratio=ratio, steps=12)
    Z, t, unit = weighted_standard(X, y, w)
    for alpha, b in zip(found.penalties, found.coefficients.T / unit, strict=True):
        assert violation(Z, t, layout, alpha, b, ratio) < 1e-6


def test_weighted_groups_of_one_are_the_lasso():
    X, y, part, _ = drawn(3)
    w = drawn_weights(60)
    layout = Layout(np.arange(24), np.arange(24))
    found = group_path(X, y, part, layout, weights=w, steps=8)
    Z, t, unit = weighted_standard(X, y, w)
    theirs = lasso_path(Z, t, alphas=found.penalties, tol=1e-12, max_iter=100_000)[1]
    np.testing.assert_allclose(found.coefficients / unit, theirs, atol=1e-5)


@pytest.mark.parametrize("ratio", [0.0, 0.6])
@pytest.mark.parametrize("shape", [(60, 24, 4), (20, 60, 6)], ids=str)
@pytest.mark.parametrize("unit", [1.0, 1e-8, 1e8])
def test_a_weight_is_the_number_of_copies_in_the_same_fold(shape, ratio, unit):
    n, p, size = shape
    X, y, part, layout = drawn(5, n, p, size)
    X = np.round(X, 1) * np.where(np.arange(p) % 3, 1.0, unit)  # ties
    X[:, 1] = 0.7
    times = np.arange(n) % 4 + 1
    copies = np.repeat(np.arange(n), times)
    given = {"l1_ratio": ratio, "steps": 8}
    found = group_path(X, y * unit, part, layout, weights=times, **given)
    expected = group_path(X[copies], y[copies] * unit, part[copies], layout, **given)
    np.testing.assert_allclose(found.penalties, expected.penalties, rtol=1e-7)
    atol = 1e-5 * np.abs(expected.coefficients).max()
    np.testing.assert_allclose(found.coefficients, expected.coefficients, atol=atol)
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-4)


def test_errors_of_folds_are_weighted():
    X, y, part, layout = drawn(6)
    w = drawn_weights(60)
    found = group_path(X, y, part, layout, weights=w, steps=6)
    unit = weighted_standard(X, y, w)[2]
    for fold in range(5):
        train = part != fold
        f = w[train] / w[train].sum()
        centre, mean = f @ X[train], f @ y[train]
        Z = (X - centre) / np.sqrt(f @ (X[train] - centre) ** 2)
        roots = np.sqrt(f * train.sum())
        rows, label = Z[train] * roots[:, None], (y[train] - mean) / unit * roots
        for at, alpha in enumerate(found.penalties):
            b = solved(rows, label, layout, alpha)
            missed = y[~train] - mean - unit * (Z[~train] @ b)
            expected = np.average(missed**2, weights=w[~train])
            assert found.errors[at, fold] == pytest.approx(expected, rel=1e-5)


def solved(Z, t, layout, alpha):
    """The group lasso by proximal gradient steps."""
    b, step = np.zeros(Z.shape[1]), len(t) / np.linalg.norm(Z, 2) ** 2
    limits = step * alpha * np.sqrt(layout.sizes)
    for _ in range(20_000):
        moved = b + step * Z.T @ (t - Z @ b) / len(t)
        norms = np.sqrt(np.add.reduceat(moved**2, layout.starts))
        shrink = np.maximum(1 - limits / np.maximum(norms, 1e-300), 0)
        new = moved * np.repeat(shrink, layout.sizes)
        if np.abs(new - b).max() < 1e-12:
            break
        b = new
    return b
