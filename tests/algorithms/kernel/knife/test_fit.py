"""KNIFE against the numbers of its specification, naive computations and other libraries."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import Lasso, Ridge
from sklearn.svm import SVC

from fsops.algorithms.kernel.knife.fit import (
    KernelFit,
    Standard,
    Stop,
    class_signs,
    convex_path,
    kernel_fit,
    kernel_path,
    profile_gradient,
    starting_penalty,
)
from fsops.algorithms.kernel.knife.kernels import WeightedKernel, removal_changes
from fsops.algorithms.kernel.knife.linear import (
    largest_penalty,
    linear_fit,
    linear_path,
    linear_weights,
    shrink,
    sparse_penalty,
)
from fsops.algorithms.kernel.knife.losses import LOSSES, Task, ridge_machine, trained
from fsops.algorithms.kernel.knife.profile import Knife
from fsops.algorithms.kernel.knife.weights import WeightProblem, box_qp

SQUARED, HINGE, HUBER, DEVIANCE = LOSSES.values()
GAUSSIAN, POLYNOMIAL = WeightedKernel("gaussian"), WeightedKernel("polynomial")
LINEAR = WeightedKernel("linear")
ALL = [(loss, kernel) for loss in LOSSES for kernel in ("gaussian", "polynomial")]
TIGHT = Stop(300, 1e-13)


def a_task(loss=SQUARED, kernel=GAUSSIAN, n=30, p=5, seed=0, ridge=1.0):
    rng = np.random.default_rng(seed)
    X = Standard.of(rng.normal(size=(n, p))).X
    y = 2 * np.sin(X[:, 0]) - X[:, 1] + 0.3 * rng.normal(size=n)
    return Knife(X, (y if loss is SQUARED else np.sign(y))[:, None], loss, ridge, kernel)


def huberized(margin, width=2.0):
    """The loss of Wang et al. (2008), by its three parts."""
    if margin > 1:
        return 0.0
    if margin > 1 - width:
        return (1 - margin) ** 2 / (2 * width)
    return 1 - margin - width / 2


def naive_objective(task, penalty, w, a, b):
    """The objective with two loops over the rows and one over the features."""
    n, p = task.X.shape
    K = np.empty((n, n))
    for i in range(n):
        for m in range(n):
            x, z = task.X[i], task.X[m]
            if task.kernel.kind == "gaussian":
                K[i, m] = np.exp(-sum(w[j] ** 2 * (x[j] - z[j]) ** 2 for j in range(p)))
            elif task.kernel.kind == "polynomial":
                K[i, m] = (1 + sum(w[j] ** 2 * x[j] * z[j] for j in range(p))) ** 2
            else:
                K[i, m] = sum(w[j] * x[j] * z[j] for j in range(p))
    f, y = b + K @ a, task.Y[:, 0]
    losses = {
        "squared error": (y - f) ** 2,
        "squared hinge": np.maximum(0, 1 - y * f) ** 2,
        "huberized hinge": np.array([huberized(m) for m in y * f]),
        "binomial deviance": np.log1p(np.exp(-y * f)),
    }[task.loss.name]
    return losses.sum() + task.ridge * a @ K @ a + penalty * w.sum()


# --- worked numbers -----------------------------------------------------------------------------

X2, W2 = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([0.5, 1.0])
SECOND = np.array([0.0, 1.0])


def test_kernels_of_two_rows():
    assert GAUSSIAN.gram(X2, X2, W2)[0, 1] == pytest.approx(np.exp(-10))
    assert POLYNOMIAL.gram(X2, X2, W2)[0, 1] == pytest.approx(0.0625)
    assert LINEAR.gram(X2, X2, W2)[0, 1] == pytest.approx(-0.5)


def test_slopes_of_the_kernels_of_two_rows():
    polynomial = POLYNOMIAL.slopes(X2, W2, POLYNOMIAL.gram(X2, X2, W2), SECOND)
    assert polynomial[0] == pytest.approx([-1.5, 2.0])
    gaussian = GAUSSIAN.slopes(X2, W2, GAUSSIAN.gram(X2, X2, W2), SECOND)
    assert gaussian[0] == pytest.approx(np.exp(-10) * np.array([-4.0, -18.0]))


@pytest.mark.parametrize(
    ("penalty", "beta", "weight", "objective"),
    [(1.0, 4 / 3, 1.0, 11 / 3), (4.0, 1.0, 0.5, 6.0), (16.0, 0.0, 0.0, 8.0)],
)
def test_linear_knife_of_one_feature(penalty, beta, weight, objective):
    task = Task(np.array([[-1.0], [0.0], [1.0]]), np.array([[-2.0], [0.0], [2.0]]), SQUARED)
    assert largest_penalty(task) == pytest.approx(16.0)
    fit = linear_fit(task, penalty, settled=1e-15)
    assert fit.beta[0, 0] == pytest.approx(beta, abs=1e-6)
    assert fit.weights[0] == pytest.approx(weight, abs=1e-6)
    assert fit.objective == pytest.approx(objective)


def test_proximal_map():
    assert shrink(np.array([0.3, 1.0, 5.0]), 0.25, 1.0, 1.0) == pytest.approx([0.0, 0.5, 10 / 3])


def test_kernel_ridge_of_two_rows():
    a, b = ridge_machine(np.diag([2.0, 1.0]), np.array([1.0, 3.0]), 1.0)
    assert [*a, b] == pytest.approx([-0.4, 0.4, 2.2])


def test_squared_hinge_of_two_rows():
    gram, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0])
    a, b = HINGE.machine(gram, y, 1.0, np.zeros(2), 0.0)
    assert [*a, b] == pytest.approx([1 / 3, -1 / 3, 0.0])


def test_machine_and_gradient_of_three_rows():
    X = np.array([[-1.0, 1.0], [0.0, -1.0], [1.0, 0.0]])
    task = Knife(X, np.array([[1.0], [-1.0], [1.0]]), SQUARED, 1.0, GAUSSIAN)
    w = np.array([0.8, 0.6])
    K = GAUSSIAN.gram(X, X, w)
    assert K[[0, 0, 1], [1, 2, 2]] == pytest.approx([0.124930, 0.053934, 0.367879], abs=1e-6)
    fit = kernel_fit(task, 0.1, w, Stop(0))
    expected = [0.347424, -0.793968, 0.446544]
    assert fit.coefficients[:, 0] == pytest.approx(expected, abs=1e-6)
    assert fit.intercepts[0] == pytest.approx(0.380258, abs=1e-6)
    assert fit.objective == pytest.approx(1.727937, abs=1e-6)
    gradient = profile_gradient(task, 0.1, fit)
    assert gradient == pytest.approx([-0.320546, -0.523775], abs=1e-6)


# --- kernels and machines -----------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [GAUSSIAN, POLYNOMIAL, WeightedKernel("polynomial", 3)])
def test_slopes_are_those_of_finite_differences(kernel):
    rng = np.random.default_rng(1)
    X, w, a = rng.normal(size=(9, 4)), rng.uniform(0.2, 0.9, 4), rng.normal(size=9)
    slopes = kernel.slopes(X, w, kernel.gram(X, X, w), a)
    for j in range(4):
        step = 1e-6 * (np.arange(4) == j)
        up, down = (kernel.gram(X, X, w + s) @ a for s in (step, -step))
        assert slopes[:, j] == pytest.approx((up - down) / 2e-6, abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_machines_fulfil_the_conditions_of_an_optimum(loss):
    task = a_task(loss)
    K = GAUSSIAN.gram(task.X, task.X, np.full(5, 0.5))
    A, b = loss.machines(K, task.Y, 0.7, np.zeros_like(task.Y), np.zeros(1))
    assert A.sum() == pytest.approx(0.0, abs=1e-6)
    pull = 2 * 0.7 * A + loss.slope(task.Y, K @ A + b)
    assert pull == pytest.approx(np.zeros_like(A), abs=1e-4)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_slope_of_a_loss_is_that_of_finite_differences(loss):
    F = np.linspace(-3, 3, 13)
    Y = np.where(np.arange(13) % 2 == 0, 1.0, -1.0)
    slope = loss.slope(Y, F)
    for i in range(13):
        step = 1e-6 * (np.arange(13) == i)
        numeric = (loss.value(Y, F + step) - loss.value(Y, F - step)) / 2e-6
        assert slope[i] == pytest.approx(numeric, abs=1e-5)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_no_constant_is_better_than_the_constant_of_a_loss(loss):
    y = np.array([1.0, 1.0, 1.0, -1.0])
    best = loss.constant(y)
    value = [loss.value(y, np.full(4, best + d)) for d in (-0.01, 0.0, 0.01)]
    assert min(value) == value[1]


@pytest.mark.parametrize("loss", [HINGE, HUBER, DEVIANCE])
@pytest.mark.parametrize(("ridge", "scale"), [(1e-3, 1.0), (1.0, 1.0), (0.1, 30.0)])
@pytest.mark.parametrize("rare", [1, 12])
def test_machines_are_as_good_as_a_general_solver(loss, ridge, scale, rare):
    task = a_task(loss, n=25, p=3, seed=5)
    y = np.where(np.arange(25) < rare, 1.0, -1.0)
    K = scale * GAUSSIAN.gram(task.X, task.X, np.full(3, 0.7))
    a, b = loss.machine(K, y, ridge, np.zeros(25), 0.0)

    def value(theta):
        f = K @ theta[:-1] + theta[-1]
        slope = loss.slope(y, f) + 2 * ridge * theta[:-1]
        gradient = np.append(K @ slope, loss.slope(y, f).sum())
        return loss.value(y, f) + ridge * theta[:-1] @ K @ theta[:-1], gradient

    peer = minimize(value, np.zeros(26), jac=True, method="BFGS", options={"maxiter": 3000})
    assert value(np.append(a, b))[0] <= peer.fun * (1 + 1e-6) + 1e-9


def test_support_vector_machine_is_that_of_libsvm():
    task = a_task(HINGE)
    K = POLYNOMIAL.gram(task.X, task.X, np.full(5, 0.5))
    A, b = trained("support vector machine", K, task.Y, 1.0)
    peer = SVC(C=0.5, kernel="precomputed", tol=1e-9).fit(K, task.Y[:, 0])
    assert (K @ A + b)[:, 0] == pytest.approx(peer.decision_function(K), abs=1e-5)


@pytest.mark.parametrize("kernel", [GAUSSIAN, POLYNOMIAL, LINEAR])
def test_removal_changes_the_norm_as_a_kernel_without_the_feature_does(kernel):
    rng = np.random.default_rng(2)
    X, w, A = rng.normal(size=(8, 4)), rng.uniform(0.2, 0.9, 4), rng.normal(size=(8, 2))
    norm = np.trace(A.T @ kernel.gram(X, X, w) @ A)
    naive = [
        abs(norm - np.trace(A.T @ kernel.gram(X, X, np.where(np.arange(4) == j, 0.0, w)) @ A))
        for j in range(4)
    ]
    assert removal_changes(kernel, X, w, A) == pytest.approx(naive)


@pytest.mark.parametrize(("p", "width"), [(1, 1.0), (4, 10.0)])
def test_rows_that_are_far_apart_have_a_finite_change_without_a_feature(p, width):
    rng = np.random.default_rng(3)
    X, w, A = 20 * rng.normal(size=(8, p)), np.full(p, width), rng.normal(size=(8, 2))
    apart = (X[:, None, :] - X) ** 2 * width**2  # some parts are beyond what exp can hold
    assert apart.max() > 800
    gram = np.exp(-apart.sum(axis=2))
    naive = [
        abs(np.trace(A.T @ (gram - np.exp(-np.delete(apart, j, axis=2).sum(axis=2))) @ A))
        for j in range(p)
    ]
    assert removal_changes(GAUSSIAN, X, w, A) == pytest.approx(naive, abs=1e-9)


@pytest.mark.parametrize("kernel", [GAUSSIAN, POLYNOMIAL, LINEAR])
@pytest.mark.parametrize("ridge", [1e-14, 1e-18, 1e-30])
def test_a_ridge_that_is_lost_in_rounding_leaves_the_fit_of_a_small_one(kernel, ridge):
    rng = np.random.default_rng(4)
    X = Standard.of(np.tile(rng.normal(size=(12, 3)), (2, 1))).X  # each row twice
    y = 1 + X[:, 0] + rng.normal(size=24)
    K = kernel.gram(X, X, np.full(3, 0.7))
    (a, b), (small_a, small_b) = ridge_machine(K, y, ridge), ridge_machine(K, y, 1e-8)
    assert K @ a + b == pytest.approx(K @ small_a + small_b, abs=1e-4)
    assert a.sum() == pytest.approx(0.0, abs=1e-9)


def test_two_classes_have_one_machine_and_three_have_three():
    assert class_signs(np.array([0, 1, 1])).tolist() == [[-1.0], [1.0], [1.0]]
    three = class_signs(np.array([0, 1, 2]))
    assert three.tolist() == (2 * np.eye(3) - 1).tolist()


def test_a_constant_column_is_set_aside():
    X = np.column_stack([np.arange(4.0), np.full(4, 1e8 + 0.1), [1.0, 2.0, 4.0, 1.0]])
    standard = Standard.of(X)
    assert standard.varying.tolist() == [0, 2]
    varying = X[:, [0, 2]]
    expected = (varying - varying.mean(axis=0)) / varying.std(axis=0)
    assert np.allclose(standard.X, expected)
    assert standard.scale[1] == 1.0
    assert standard.spread(np.array([0.5, 1.0])).tolist() == [0.5, 0.0, 1.0]


# --- weight step --------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_box_qp_is_no_worse_than_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    B, linear = rng.normal(size=(rng.integers(2, 12), 6)), 3 * rng.normal(size=6)
    H, low = B.T @ B, rng.uniform(0, 0.5, 6)
    found = box_qp(H, linear, np.full(6, 0.5), low)
    assert (found >= low).all()
    assert (found <= 1).all()

    def value(w):
        return 0.5 * w @ H @ w + linear @ w

    box = list(zip(low, np.ones(6), strict=True))
    peer = minimize(value, np.full(6, 0.7), jac=lambda w: H @ w + linear, bounds=box)
    assert value(found) <= peer.fun + 1e-7 * (1 + abs(peer.fun))


def test_a_weight_that_changes_nothing_goes_where_its_cost_sends_it():
    H, start = np.zeros((3, 3)), np.full(3, 0.5)
    low = np.full(3, 0.1)
    assert box_qp(H, np.array([1.0, -1.0, 0.0]), start, low).tolist() == [0.1, 1.0, 0.5]


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_weight_step_of_many_features_is_as_good_as_a_general_solver(loss):
    rng = np.random.default_rng(3)
    y = rng.choice([-1.0, 1.0], 20)
    B = rng.normal(size=(20, 230)) / 15
    low = np.zeros(230)
    problem = WeightProblem(loss, y, np.zeros(20), B, np.full(230, 0.05), low)
    found = problem.solve(np.full(230, 0.5))
    box = [(0.0, 1.0)] * 230
    peer = minimize(problem.value, np.full(230, 0.5), jac=problem.gradient, bounds=box)
    assert ((found >= 0) & (found <= 1)).all()
    assert problem.value(found) == pytest.approx(peer.fun, rel=1e-3)


# --- kernels that are not linear ----------------------------------------------------------------


@pytest.mark.parametrize(("loss", "kind"), ALL)
def test_the_objective_is_the_naive_one_and_never_rises(loss, kind):
    task = a_task(LOSSES[loss], WeightedKernel(kind), n=14, p=4)
    fit = kernel_fit(task, 0.3, task.kernel.start(4))
    naive = naive_objective(task, 0.3, fit.weights, fit.coefficients[:, 0], fit.intercepts[0])
    assert fit.objective == pytest.approx(naive, rel=1e-9)
    assert (np.diff(fit.history) <= 0).all()


@pytest.mark.parametrize(("loss", "kind"), ALL)
def test_gradient_is_that_of_finite_differences(loss, kind):
    task = a_task(LOSSES[loss], WeightedKernel(kind))
    w = np.random.default_rng(4).uniform(0.2, 0.9, 5)

    def profile(w):
        return kernel_fit(task, 0.05, w, Stop(0))

    gradient = profile_gradient(task, 0.05, profile(w))
    for j in range(5):
        step = 1e-5 * (np.arange(5) == j)
        numeric = (profile(w + step).objective - profile(w - step).objective) / 2e-5
        assert gradient[j] == pytest.approx(numeric, abs=2e-5)


@pytest.mark.parametrize(("loss", "kind"), ALL)
def test_weights_in_the_box_are_stationary(loss, kind):
    task = a_task(LOSSES[loss], WeightedKernel(kind), n=40)
    fit = kernel_fit(task, 0.2, task.kernel.start(5), TIGHT)
    gradient = profile_gradient(task, 0.2, fit)
    w = fit.weights
    assert ((w >= 0) & (w <= 1)).all()
    inside = (w > 0) & (w < 1)
    assert gradient[inside] == pytest.approx(np.zeros(inside.sum()), abs=5e-3)
    assert (gradient[w == 1] <= 1e-6).all()


def test_permuted_features_have_permuted_weights():
    task = a_task(n=25, p=6)
    order = np.random.default_rng(5).permutation(6)
    permuted = Knife(task.X[:, order], task.Y, task.loss, task.ridge, task.kernel)
    start = np.linspace(0.2, 0.6, 6)
    fit = kernel_fit(task, 0.5, start)
    other = kernel_fit(permuted, 0.5, start[order])
    assert other.weights == pytest.approx(fit.weights[order], abs=1e-6)


def test_permuted_classes_have_the_same_weights():
    rng = np.random.default_rng(6)
    codes = np.arange(30) % 3
    X = Standard.of(rng.normal(size=(30, 4)) + 2 * codes[:, None] * [1, 0, 0, 0]).X
    fits = [
        kernel_fit(Knife(X, class_signs(c), HINGE, 1.0, GAUSSIAN), 0.3, np.full(4, 0.5))
        for c in (codes, 2 - codes)
    ]
    assert fits[0].weights == pytest.approx(fits[1].weights, abs=1e-6)
    assert fits[0].weights.argmax() == 0


def test_the_objective_of_several_classes_is_the_sum_over_their_machines():
    task = a_task(HINGE, n=12, p=3)
    both = Knife(task.X, np.hstack([task.Y, -task.Y[::-1]]), HINGE, 1.0, GAUSSIAN)
    fit = kernel_fit(both, 0.2, np.full(3, 0.5), Stop(0))
    singles = [
        kernel_fit(Knife(task.X, y[:, None], HINGE, 1.0, GAUSSIAN), 0.0, np.full(3, 0.5), Stop(0))
        for y in both.Y.T
    ]
    assert fit.objective == pytest.approx(sum(one.objective for one in singles) + 0.2 * 1.5)


@pytest.mark.parametrize("trust", [0.6, 0.9])
def test_one_turn_leaves_each_weight_its_trusted_share(trust):
    task = a_task(p=8)
    start = GAUSSIAN.start(8)
    fit = kernel_fit(task, 5.0, start, Stop(1, trust=trust, refine=False))
    assert fit.weights.min() == pytest.approx(trust * start[0])


def test_turns_end_by_themselves_or_after_the_wanted_number():
    task = a_task()
    assert kernel_fit(task, 0.5, GAUSSIAN.start(5), Stop(refine=False)).settled
    stopped = kernel_fit(task, 0.5, GAUSSIAN.start(5), Stop(2, refine=False))
    assert not stopped.settled
    assert len(stopped.history) == 3


def noisy_line(seed, p=6, scale=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, p))
    y = scale * (X[:, 0] + 0.3 * rng.normal(size=40))
    return Knife(Standard.of(X).X, y[:, None], SQUARED, 1.0, GAUSSIAN)


@pytest.mark.parametrize("seed", range(4, 30, 5))
def test_a_fit_that_has_settled_keeps_its_features_when_it_goes_on(seed):
    task = noisy_line(seed)
    fit = kernel_fit(task, 0.5, GAUSSIAN.start(6), Stop(400))
    assert fit.settled
    more = kernel_fit(task, 0.5, fit, TIGHT)
    assert (more.weights > 0).tolist() == (fit.weights > 0).tolist()
    assert more.objective == pytest.approx(fit.objective, rel=1e-3)


def test_short_steps_with_small_gains_are_not_taken_for_the_end():
    fit = kernel_fit(noisy_line(4), 0.5, GAUSSIAN.start(6), Stop(400, refine=False))
    assert np.flatnonzero(fit.weights).tolist() == [0]
    gains = -np.diff(fit.history) / fit.history[1:]
    assert (gains[:-4] <= 1e-5).any()  # one alone would have ended it


@pytest.mark.parametrize("scale", [1e-30, 1e-9, 1e9])
@pytest.mark.parametrize("p", [6, 230])  # both ways to solve the weight step
def test_the_unit_of_the_label_does_not_matter(scale, p):
    fits = []
    for unit in (1.0, scale):
        task = noisy_line(1, p, unit)
        penalty = 0.01 * SQUARED.without_features(task.Y)
        fits.append(kernel_fit(task, penalty, GAUSSIAN.start(p), Stop(10)))
    assert fits[1].weights == pytest.approx(fits[0].weights, abs=1e-5)
    assert fits[1].objective / scale**2 == pytest.approx(fits[0].objective)
    assert fits[1].weights != pytest.approx(GAUSSIAN.start(p), abs=1e-3)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_the_label_does_not_matter_to_the_linear_kernel(scale):
    fits = []
    for unit in (1.0, scale):
        task = noisy_line(1, scale=unit)
        fits.append(linear_fit(task, 0.1 * largest_penalty(task)))
    assert fits[1].beta / scale == pytest.approx(fits[0].beta, abs=1e-6)


@pytest.mark.parametrize(("loss", "kind"), ALL)
def test_a_refined_fit_is_no_worse_than_a_general_solver_from_the_same_weights(loss, kind):
    task = a_task(LOSSES[loss], WeightedKernel(kind), n=25, p=4, seed=3)
    fit = kernel_fit(task, 0.1, task.kernel.start(4), Stop(2))
    assert fit.settled
    assert fit.gap < 1e-3
    on = fit.weights > 0

    def value(part):
        w = np.zeros(4)
        w[on] = part
        return kernel_fit(task, 0.1, w, Stop(0)).objective

    peer = minimize(value, fit.weights[on], method="Nelder-Mead", bounds=[(0, 1)] * on.sum())
    assert fit.objective <= peer.fun * (1 + 1e-7)


def test_few_alternations_and_many_reach_the_same_minimum_after_refinement():
    task = a_task(HINGE, POLYNOMIAL, n=60, p=6)
    few, many = (kernel_fit(task, 0.05, POLYNOMIAL.start(6), Stop(n)) for n in (5, 400))
    assert few.objective == pytest.approx(many.objective, rel=1e-6)
    assert few.alternations <= 6 < len(few.history)


def test_a_local_minimum_above_the_constant_prediction_is_left():
    rng = np.random.default_rng(0)
    X = Standard.of(rng.normal(size=(30, 4))).X
    task = Knife(X, np.where(rng.random(30) > 0.5, 1.0, -1.0)[:, None], HINGE, 1.0, POLYNOMIAL)
    fit = kernel_fit(task, 60.0, POLYNOMIAL.start(4), Stop(1))
    assert fit.objective == pytest.approx(HINGE.without_features(task.Y))


@pytest.mark.parametrize("kind", ["gaussian", "polynomial"])
@pytest.mark.parametrize("p", [1, 2, 3, 9])
def test_random_starts_lie_in_the_box(kind, p):
    starts = [WeightedKernel(kind).random_start(np.random.default_rng(i), p) for i in range(200)]
    assert 0 <= np.min(starts) < 0.5
    assert np.max(starts) <= 1


def test_all_weights_zero_is_a_constant_prediction():
    task = a_task()
    fit = kernel_fit(task, 1e6, GAUSSIAN.start(5))
    assert not fit.weights.any()
    assert fit.intercepts[0] == pytest.approx(task.Y.mean())
    assert fit.objective == pytest.approx(SQUARED.without_features(task.Y))


# --- paths --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "kind"), [("squared error", "gaussian"), ALL[3]])
def test_features_leave_a_path_and_never_come_back(loss, kind):
    task = a_task(LOSSES[loss], WeightedKernel(kind), p=4)
    path = kernel_path(task, first=starting_penalty(task), growth=1.6)
    on = path.weights > 0
    assert (on[1:] <= on[:-1]).all()
    assert not on[-1].any()
    assert (np.diff(path.penalties) > 0).all()
    assert path.penalties[0] == 0
    last = np.array([path.penalties[column].max() for column in on.T if column.any()])
    assert path.last_penalty[on.any(axis=0)] == pytest.approx(last)
    assert (np.diff(path.last_penalty[path.order[: on.any(axis=0).sum()]]) <= 0).all()


@pytest.mark.parametrize(("loss", "kind"), ALL)
def test_the_objective_of_a_path_rises_with_the_penalty_and_each_step_is_certified(loss, kind):
    task = a_task(LOSSES[loss], WeightedKernel(kind), n=40, p=6, seed=2)
    path = kernel_path(task, first=starting_penalty(task))
    assert (np.diff(path.objectives) >= 0).all()
    assert path.settled.all()
    assert path.gaps.max() <= 1e-3
    assert path.iterations.max() > 0
    assert path.objectives[-1] == pytest.approx(task.loss.without_features(task.Y))
    assert path.weights[:-1].any(axis=1).all()


@pytest.mark.parametrize("loss", [SQUARED, HINGE])
@pytest.mark.parametrize("kernel", [GAUSSIAN, POLYNOMIAL])
def test_the_last_weight_of_a_path_dies_and_does_not_only_halve(loss, kernel):
    path = kernel_path(a_task(loss, kernel, n=20, p=4), first=0.5)
    alive = path.weights[path.weights > 0]
    assert alive.min() > 0.01 * kernel.start(4)[0]
    nothing = path.objectives[-1]
    assert not path.weights[-1].any()
    assert not np.isclose(path.objectives[:-1], nothing, rtol=1e-6).any()


def test_a_weight_that_is_small_beside_the_start_can_become_zero_in_one_turn():
    task = noisy_line(0, p=1)
    fit = kernel_fit(task, 50.0, np.array([0.005]), Stop(1))
    assert not fit.weights.any()
    assert fit.objective == pytest.approx(SQUARED.without_features(task.Y))


def test_a_path_stops_after_the_wanted_number_of_points():
    path = kernel_path(a_task(), first=1e-9, points=4)
    assert len(path.penalties) == 4
    assert path.weights[-1].any()


def test_a_fit_can_go_on_from_another():
    task = a_task()
    first = kernel_fit(task, 0.1, GAUSSIAN.start(5))
    next_one = kernel_fit(task, 0.2, first)
    assert isinstance(next_one, KernelFit)
    assert next_one.history[0] == pytest.approx(first.objective + 0.1 * first.weights.sum())


# --- the linear kernel --------------------------------------------------------------------------


def alternation(task, penalty, turns=3000):
    """The paper's way: machine and weights in turns, weights in closed form."""
    X, w = task.X, np.ones(task.X.shape[1])
    A, b = np.zeros_like(task.Y), np.zeros(task.Y.shape[1])
    for _ in range(turns):
        K = (X * w) @ X.T
        A, b = task.loss.machines(K, task.Y, task.ridge, A, b)
        beta = w[:, None] * (X.T @ A)
        value = task.loss.value(task.Y, K @ A + b) + task.ridge * (A * (K @ A)).sum()
        value += penalty * w.sum()
        w = linear_weights(beta, task.ridge, penalty)
    return value


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_the_convex_form_reaches_what_the_alternation_reaches(loss):
    task = a_task(loss, LINEAR, n=40, p=6)
    for share in (0.001, 0.05):
        penalty = share * largest_penalty(task)
        fit = linear_fit(task, penalty, settled=1e-13)
        assert fit.objective == pytest.approx(alternation(task, penalty, 300), rel=1e-4)
        assert fit.kkt < 1e-3


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_all_weights_are_zero_from_the_largest_penalty_on(loss):
    task = a_task(loss, LINEAR)
    most = largest_penalty(task)
    assert not linear_fit(task, 1.001 * most).weights.any()
    assert linear_fit(task, 0.99 * most).weights.any()


def test_without_a_penalty_it_is_ridge_regression():
    task = a_task(kernel=LINEAR)
    fit = linear_fit(task, 0.0, settled=1e-15)
    peer = Ridge(alpha=1.0).fit(task.X, task.Y[:, 0])
    assert fit.beta[:, 0] == pytest.approx(peer.coef_, abs=1e-6)
    assert (fit.weights == 1).all()


def test_with_a_tiny_ridge_it_is_the_lasso():
    task = a_task(kernel=LINEAR, ridge=1e-3)
    threshold = 10.0
    fit = linear_fit(task, (threshold / 2) ** 2 / task.ridge, settled=1e-15)
    peer = Lasso(alpha=threshold / 2 / 30, tol=1e-12).fit(task.X, task.Y[:, 0])
    assert fit.beta[:, 0] == pytest.approx(peer.coef_, abs=1e-5)


@given(st.floats(0.01, 3), st.floats(0.01, 3), st.floats(0.01, 1), st.floats(0, 5))
def test_the_proximal_map_minimises_what_it_should(ridge, penalty, step, t):
    def value(u):
        return 0.5 * (u - t) ** 2 + step * sparse_penalty(u, ridge, penalty)

    found = shrink(np.array([t]), step, ridge, penalty)[0]
    assert value(found) <= value(np.linspace(0, 6, 4001)).min() + 1e-9


@pytest.mark.parametrize("machines", [1, 3])
def test_with_many_more_features_than_rows_nobody_is_left_out_by_mistake(machines):
    rng = np.random.default_rng(8)
    X = Standard.of(rng.normal(size=(24, 400))).X
    Y = class_signs(np.arange(24) % 3)[:, :machines]
    task = Task(X, Y, HINGE)
    most = largest_penalty(task)
    for fit in linear_path(task, list(most * np.logspace(0, -4, 6)), settled=1e-11):
        threshold = 2 * np.sqrt(fit.penalty)
        assert fit.kkt <= 1e-2 * max(threshold, 1e-2)


def test_columns_can_be_permuted_in_a_linear_path():
    task = a_task(HINGE, LINEAR, p=7)
    order = np.random.default_rng(9).permutation(7)
    permuted = Knife(task.X[:, order], task.Y, task.loss, 1.0, LINEAR)
    path, other = convex_path(task, points=10), convex_path(permuted, points=10)
    assert other.weights == pytest.approx(path.weights[:, order], abs=1e-4)
    assert order[other.order].tolist() == path.order.tolist()
    assert not path.weights[-1].any()


def test_copies_of_a_column_share_the_objective_of_one():
    task = a_task(kernel=LINEAR, p=3)
    doubled = Task(np.hstack([task.X, task.X[:, :1]]), task.Y, SQUARED)
    penalty = 0.3 * largest_penalty(task)  # where the penalty is that of a lasso
    single, double = linear_fit(task, penalty, settled=1e-13), linear_fit(doubled, penalty)
    assert (np.abs(single.beta) <= np.sqrt(penalty)).all()
    assert double.objective == pytest.approx(single.objective, rel=1e-6)
