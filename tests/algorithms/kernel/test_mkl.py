"""Multiple kernel learning: its optimality conditions, and plain searches as oracles."""

import numpy as np
import pytest

from fsops.algorithms.kernel.clinical import ClinicalRows, QuadraticForms, clinical_kernel
from fsops.algorithms.kernel.mkl import MklProblem
from fsops.algorithms.kernel.svm import PairMachines


def made_up(n=40, p=60, classes=2, seed=1):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % classes
    X = rng.normal(size=(n, p))
    X[:, :5] += 0.8 * codes[:, None]
    Z = rng.integers(0, 3, size=(n, 4))
    Z[:, 0] = np.where(rng.random(n) < 0.6, codes, Z[:, 0])
    X[rng.random((n, p)) < 0.02] = np.nan
    return ClinicalRows.of(X, Z), codes


def test_two_rows_and_two_kernels():
    rows = ClinicalRows.of(np.empty((2, 0)), [[0, 0], [1, 0]])  # the identity, and all ones
    found = MklProblem(rows, PairMachines([0, 1], C=5.0)).solve()
    assert found.weights == pytest.approx([1, 0])
    assert found.fit.coefficients[0] == pytest.approx([-1, 1])
    assert found.fit.objective == pytest.approx(1)
    assert found.forms == pytest.approx([2, 0])
    assert found.gap == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-4])
def test_features_with_a_weight_have_the_largest_form(classes, tol):
    rows, codes = made_up(classes=classes)
    found = MklProblem(rows, PairMachines(codes), tol=tol).solve()
    assert 0 <= found.gap < tol
    assert found.weights.sum() == pytest.approx(1)
    assert (found.weights >= 0).all()
    # The gap bounds how far the mean form is from the largest one: (max Q - mu Q) / 2 <= tol P.
    mean = found.weights @ found.forms
    assert (found.forms.max() - mean) / 2 <= tol * found.fit.primal
    forms = QuadraticForms(rows)(found.fit.coefficients)
    np.testing.assert_allclose(forms, found.forms)


def test_no_other_weights_are_better():
    """Exponentiated gradients from equal weights lead to the same objective."""
    rows, codes = made_up(n=24, p=10)
    machines, forms = PairMachines(codes, C=3.0), QuadraticForms(rows)
    weights = np.full(rows.n_features, 1 / rows.n_features)
    uniform = best = machines.fit(clinical_kernel(rows, weights=weights)).objective
    for _ in range(150):
        fit = machines.fit(clinical_kernel(rows, weights=weights))
        best = min(best, fit.objective)
        slope = forms(fit.coefficients)
        weights *= np.exp(0.5 * slope / slope.max())
        weights /= weights.sum()
    found = MklProblem(rows, machines, tol=1e-4).solve()
    assert found.fit.objective == pytest.approx(best, rel=1e-3)
    assert found.fit.objective < uniform


def test_features_without_a_weight_are_not_missed():
    rows, codes = made_up()
    problem = MklProblem(rows, PairMachines(codes), tol=1e-4)
    found = problem.solve()
    keep = np.flatnonzero((found.weights > 0) | (np.arange(rows.n_features) % 2 == 0))
    again = problem.solve(keep)
    assert again.fit.objective == pytest.approx(found.fit.objective, rel=3e-4)
    assert not again.weights[np.setdiff1d(np.arange(rows.n_features), keep)].any()


@pytest.mark.parametrize("norm", [1.001, 1.2, 2.0, 100.0])
def test_weights_of_another_norm_are_all_used(norm):
    rows, codes = made_up()
    p = rows.n_features
    found = MklProblem(rows, PairMachines(codes), norm=norm, tol=1e-4).solve()
    assert found.gap < 1e-4
    assert (found.weights >= 0).all()
    assert norm < 1.1 or (found.weights > 0).all()
    assert (found.weights**norm).sum() ** (1 / norm) == pytest.approx(p ** (1 / norm - 1))
    uniform = PairMachines(codes).fit(clinical_kernel(rows)).objective
    assert found.fit.objective <= uniform * (1 + 1e-9)


def test_one_feature_and_constant_features_have_weights_too():
    alone = MklProblem(ClinicalRows.of([[0.0], [1.0], [2.0]], np.empty((3, 0), int)),
                       PairMachines([0, 1, 1])).solve()  # fmt: skip
    assert alone.weights.tolist() == [1]
    constant = ClinicalRows.of(np.ones((4, 3)), np.zeros((4, 1), dtype=int))
    for norm in (1.0, 2.0):
        found = MklProblem(constant, PairMachines([0, 1, 0, 1]), norm=norm).solve()
        assert not found.forms.any()
        assert np.isfinite(found.weights).all()


def test_a_norm_below_one_is_told():
    rows, codes = made_up(n=6, p=2)
    with pytest.raises(ValueError, match="1 or above"):
        MklProblem(rows, PairMachines(codes), norm=0.5)
