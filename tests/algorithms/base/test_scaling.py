import numpy as np
import pytest

from fsops.algorithms.base import scaling
from fsops.algorithms.base.scaling import unit_rows


def test_rows_are_centred_and_of_unit_length():
    X = np.random.default_rng(0).normal(5, 3, (30, 7))
    rows, means, lengths = unit_rows(X)
    np.testing.assert_allclose(rows.mean(axis=1), 0, atol=1e-15)
    np.testing.assert_allclose((rows**2).sum(axis=1), 1)
    np.testing.assert_allclose(means, X.mean(axis=0))
    np.testing.assert_allclose((rows * lengths[:, None] + means[:, None]).T, X)
    np.testing.assert_allclose(rows @ rows.T, np.corrcoef(X.T), atol=1e-14)


def test_constant_columns_are_zero_even_if_the_mean_is_rounded():
    rows, _, lengths = unit_rows(np.full((7, 2), [0.1, 1e17 / 3]))
    assert not rows.any()
    assert not lengths.any()


def test_a_large_mean_does_not_cost_digits():
    x = np.random.default_rng(0).normal(size=(40, 1))
    rows = unit_rows(x + 2.0**30)[0]
    expected = unit_rows((x + 2.0**30) - 2.0**30)[0]
    np.testing.assert_allclose(rows, expected, rtol=1e-9, atol=1e-12)


def test_missing_values_are_refused_by_column():
    X = np.ones((4, 3))
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match="Column 1"):
        unit_rows(X)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_centred_rows_have_the_shape_of_unit_rows_and_their_own_length(order, kind):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((40, 6)) * 10.0 ** np.arange(-3, 3) + np.array([0, 10, 0, -5, 1e3, 0])
    X[:, 2] = 1e8 + 0.1
    X = np.asarray(X, dtype=kind, order=order)
    rows, means, lengths = scaling.centred_rows(X)
    unit, same_means, same_lengths = scaling.unit_rows(X)
    np.testing.assert_array_equal(means, same_means)
    np.testing.assert_array_equal(lengths, same_lengths)
    np.testing.assert_allclose(unit, rows * scaling.inverse(lengths)[:, None], rtol=1e-15)
    exact = X.astype(np.longdouble)
    np.testing.assert_allclose(means, exact.mean(axis=0).astype(float), rtol=1e-14)
    assert lengths[2] == 0
    assert not rows[2].any()
    varying = [0, 1, 3, 4, 5]
    assert np.abs(rows[varying].sum(axis=1) / lengths[varying]).max() < 1e-13
