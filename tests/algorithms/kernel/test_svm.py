"""Machines on kernel matrices, against libsvm."""

import numpy as np
import pytest
from sklearn.svm import SVC

from fsops.algorithms.kernel.clinical import ClinicalRows, QuadraticForms, clinical_kernel
from fsops.algorithms.kernel.svm import PairMachines, kernel_importance, kernel_svm_forms


@pytest.fixture(params=[(60, 2), (25, 40)], ids=["low rank", "wide"])
def mixed(request):
    """Return rows with numbers and categories, and two classes of unequal size."""
    n, p = request.param
    rng = np.random.default_rng(3)
    codes = (rng.random(n) < 0.3).astype(int)
    X = rng.normal(size=(n, p))
    X[:, 0] += codes
    Z = rng.integers(0, 3, size=(n, 2))
    Z[rng.random((n, 2)) < 0.1] = -1
    return ClinicalRows.of(X, Z), codes


def libsvm(gram, codes, costs):
    machine = SVC(kernel="precomputed", tol=1e-10).fit(gram, codes, sample_weight=costs)
    coefficients = np.zeros(len(codes))
    coefficients[machine.support_] = machine.dual_coef_[0]
    return coefficients


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_machines_reach_the_objective_of_libsvm(mixed, C, balanced):
    rows, codes = mixed
    gram = clinical_kernel(rows)
    fit = PairMachines(codes, C=C, balanced=balanced).fit(gram)
    share = np.where(codes == 1, (codes == 1).mean(), (codes == 0).mean())
    oracle = libsvm(gram, codes, C / (2 * share) if balanced else np.full(len(codes), C))
    value = np.abs(oracle).sum() - oracle @ gram @ oracle / 2
    assert fit.objective == pytest.approx(value, rel=1e-6)
    assert fit.primal == pytest.approx(fit.objective, rel=1e-4)
    # The coefficients need not be unique, but the border is.
    forms = QuadraticForms(rows)
    np.testing.assert_allclose(forms(fit.coefficients), forms(oracle), rtol=1e-4, atol=1e-5)


def test_a_similar_solution_is_a_start(mixed):
    rows, codes = mixed
    machines = PairMachines(codes)
    first = machines.fit(clinical_kernel(rows))
    weights = np.linspace(0.5, 1.5, rows.n_features) / rows.n_features
    gram = clinical_kernel(rows, weights=weights)
    warm, cold = machines.fit(gram, first.coefficients), machines.fit(gram)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)


def test_the_norm_of_the_border_is_the_mean_of_the_forms(mixed):
    rows, codes = mixed
    gram = clinical_kernel(rows)
    c = PairMachines(codes).fit(gram).coefficients[0]
    forms = kernel_svm_forms(rows, codes)
    assert c @ gram @ c == pytest.approx(forms.mean())


def test_three_classes_add_up_their_pairs():
    rng = np.random.default_rng(5)
    codes = np.arange(45) % 3
    rows = ClinicalRows.of(rng.normal(size=(45, 4)) + codes[:, None], np.empty((45, 0), dtype=int))
    gram, total = clinical_kernel(rows), 0.0
    for a, b in ((0, 1), (0, 2), (1, 2)):
        here = np.flatnonzero((codes == a) | (codes == b))
        c = np.zeros(45)
        c[here] = libsvm(gram[np.ix_(here, here)], codes[here], np.ones(here.size))
        total = total + QuadraticForms(rows)(c)
    np.testing.assert_allclose(kernel_svm_forms(rows, codes), total, rtol=1e-4)


def test_the_literal_reading_takes_the_mean_as_the_worst():
    forms = np.array([0.0, 1.0, 2.0])
    assert kernel_importance(forms) == pytest.approx([0, 1 / 3, 2 / 3])
    assert kernel_importance(forms, literal=True).tolist() == [0.5, 0, 0.5]
    assert kernel_importance(np.array([3.0]), literal=True).tolist() == [3]


def test_the_literal_reading_is_the_change_of_the_renormalised_kernel(mixed):
    rows, codes = mixed
    gram, p = clinical_kernel(rows), rows.n_features
    c = PairMachines(codes).fit(gram).coefficients[0]
    found = kernel_importance(kernel_svm_forms(rows, codes), literal=True)
    for f in range(p):
        rest = np.where(np.arange(p) == f, 0.0, 1 / (p - 1))
        change = c @ gram @ c - c @ clinical_kernel(rows, weights=rest) @ c
        assert found[f] == pytest.approx(abs(change), abs=1e-9)


def test_one_class_and_no_cost_are_told():
    with pytest.raises(ValueError, match="at least two classes"):
        PairMachines(np.zeros(4, dtype=int))
    with pytest.raises(ValueError, match="must be positive"):
        PairMachines(np.array([0, 1]), C=0.0)
