"""Analysis of variance of many columns, against scipy."""

import numpy as np
import pytest
from scipy import stats

from fsops.algorithms.statistics.grouped import anova_p_values


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_p_values_are_scipys_with_missing_values_and_unused_groups(scale):
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(40, 4)) + 5) * scale
    codes = rng.choice([0, 2, 3], 40)
    X[:, 1] += scale * (codes == 2)
    X[::7, 2] = np.nan
    codes[5] = -1
    expected = []
    for column in X.T:
        known = ~np.isnan(column) & (codes >= 0)
        groups = [column[known & (codes == c)] for c in (0, 2, 3)]
        expected.append(stats.f_oneway(*groups).pvalue)
    assert anova_p_values(X, codes) == pytest.approx(expected, rel=1e-9)


def test_degenerate_columns_have_a_defined_or_missing_p_value():
    codes = np.array([0, 0, 1, 1])
    constant, apart = np.full(4, 0.1), np.array([1.0, 1.0, 2.0, 2.0])
    found = anova_p_values(np.column_stack([constant, apart]), codes)
    assert found.tolist() == [1.0, 0.0]
    assert np.isnan(anova_p_values(apart[:, None], np.zeros(4, int))).all()
    assert np.isnan(anova_p_values(apart[:, None], np.arange(4))).all()
