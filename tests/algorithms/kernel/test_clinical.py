"""The clinical kernel and its quadratic forms, against sums over pairs of rows."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.kernel.clinical import (
    ClinicalRows,
    ClinicalScale,
    QuadraticForms,
    base_kernels,
    clinical_kernel,
)

NAN = np.nan
NONE = np.empty((3, 0), dtype=int)


def naive_kernels(a, b):
    """Return the kernels of single features, one pair at a time, (features, a, b)."""
    found = np.zeros((a.n_features, len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            for f, (u, v) in enumerate(zip(a.numbers[i], b.numbers[j], strict=True)):
                if u == u and v == v:  # noqa: PLR0124 - not NaN
                    found[f, i, j] = 1 - abs(u - v)
            for f, (u, v) in enumerate(zip(a.codes[i], b.codes[j], strict=True)):
                if u == v and u >= 0:
                    found[a.n_numbers + f, i, j] = 1
    return found


def naive(a, b, weights):
    return np.einsum("f,fij->ij", weights, naive_kernels(a, b))


def awkward(seed, n=25):
    """Return numbers and codes with ties, constants, gaps and an empty column of each kind."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = 7.0
    X[rng.random(n) < 0.3, 3] = NAN
    X[:, 4] = NAN
    Z = rng.integers(0, 4, size=(n, 4))
    Z[:, 1] = 2
    Z[rng.random(n) < 0.3, 2] = -1
    Z[:, 3] = -1
    return X, Z


def test_the_worked_example():
    scale = ClinicalScale.of([[2.0], [4.0], [6.0]])
    train = scale.rows([[2.0], [4.0], [6.0]], [[0], [1], [0]])
    assert train.numbers.ravel().tolist() == [0, 0.5, 1]
    found = clinical_kernel(train)
    assert found[0, 1] == 0.25
    assert found[0, 2] == 0.5
    beyond = scale.rows([[8.0]], [[5]])
    assert clinical_kernel(beyond, train, np.array([1.0, 0.0])).tolist() == [[0, 0.5, 1]]
    assert clinical_kernel(beyond, train, np.array([0.0, 1.0])).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("seed", range(3))
def test_any_two_tables_with_gaps(seed):
    X, Z = awkward(seed)
    scale = ClinicalScale.of(X[:15])
    a, b = scale.rows(X[:15], Z[:15]), scale.rows(X[15:], Z[15:])
    weights = np.random.default_rng(seed).random(a.n_features)
    np.testing.assert_allclose(clinical_kernel(a, b, weights), naive(a, b, weights), atol=1e-14)
    np.testing.assert_allclose(clinical_kernel(a, None, weights), naive(a, a, weights), atol=1e-14)
    equal = np.full(a.n_features, 1 / a.n_features)
    np.testing.assert_allclose(clinical_kernel(a), naive(a, a, equal), atol=1e-14)


def test_every_feature_gives_a_kernel():
    rows = ClinicalRows.of(*awkward(1))
    found = base_kernels(rows, np.arange(rows.n_features))
    found = found.reshape(-1, len(rows), len(rows))
    np.testing.assert_array_equal(found, naive_kernels(rows, rows))
    assert np.linalg.eigvalsh(found).min() > -1e-9


def test_constant_and_empty_columns():
    rows = ClinicalRows.of([[3.0, NAN], [3.0, NAN], [3.0, NAN]], NONE)
    assert (clinical_kernel(rows, weights=np.array([1.0, 0.0])) == 1).all()
    assert (clinical_kernel(rows, weights=np.array([0.0, 1.0])) == 0).all()


def test_infinite_values_are_the_end_of_the_range():
    scale = ClinicalScale.of([[0.0], [10.0]])
    assert scale.rows([[np.inf], [-np.inf]], NONE[:2]).numbers.ravel().tolist() == [1, 0]


def test_forms_of_the_worked_example():
    numbers = QuadraticForms(ClinicalRows.of([[0.0], [0.5], [1.0]], NONE))
    assert numbers(np.array([1, -0.5, -0.5])).tolist() == [1.25]
    assert numbers(np.array([1, 1, -0.5])).tolist() == [2.75]
    categories = QuadraticForms(ClinicalRows.of(np.empty((3, 0)), [[0], [0], [1]]))
    assert categories(np.array([1, -0.5, -0.5])).tolist() == [0.5]


@given(seed=st.integers(0, 10_000), balanced=st.booleans())
def test_forms_are_those_of_the_kernel_matrices(seed, balanced):
    rng = np.random.default_rng(seed)
    rows = ClinicalRows.of(*awkward(seed, n=8))
    c = rng.normal(size=(2, 8))
    if balanced:
        c -= c.mean(axis=1, keepdims=True)
    order = rng.permutation(rows.n_features)
    slow = np.einsum("mi,fij,mj->f", c, naive_kernels(rows, rows), c)
    forms = QuadraticForms(rows)
    np.testing.assert_allclose(forms(c), slow, atol=1e-10)
    np.testing.assert_allclose(forms(c, order), slow[order], atol=1e-10)


def test_a_constant_feature_has_no_form_at_all():
    rng = np.random.default_rng(0)
    c = rng.normal(size=30)
    c -= c.mean()
    rows = ClinicalRows.of(np.full((30, 1), 0.1), np.zeros((30, 1), dtype=int))
    assert QuadraticForms(rows)(c).tolist() == [0, 0]


def test_compiled_and_plain_distances_are_the_same(monkeypatch):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    rows = ClinicalRows.of(*awkward(2, n=40))
    monkeypatch.setattr(kernels, "_worthwhile", lambda steps, least: False)
    plain = clinical_kernel(rows)
    monkeypatch.setattr(kernels, "_worthwhile", lambda steps, least: steps > 0)
    np.testing.assert_allclose(clinical_kernel(rows), plain, atol=1e-15)


def test_wrong_arguments_are_told():
    rows = ClinicalRows.of([[1.0], [2.0], [3.0]], NONE)
    with pytest.raises(ValueError, match="as many weights, none of them negative"):
        clinical_kernel(rows, weights=np.array([-1.0]))
    with pytest.raises(ValueError, match="3 rows of numbers, but 2 of codes"):
        ClinicalRows.of([[1.0], [2.0], [3.0]], [[0], [1]])
