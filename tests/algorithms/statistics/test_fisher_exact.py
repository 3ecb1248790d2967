"""Exact tests, against scipy and against a list of all tables."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from fsops.algorithms.statistics.fisher_exact import exact_p_values, freeman_halton


def test_the_worked_examples():
    assert freeman_halton([[8, 2], [1, 5]]) == pytest.approx(0.0349650, abs=1e-7)
    assert freeman_halton([[3, 0], [1, 2], [0, 4]]) == pytest.approx(0.0333333, abs=1e-7)


@given(st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_two_categories_are_fishers_test(cells):
    table = np.reshape(cells, (2, 2))
    if table.sum():
        expected = stats.fisher_exact(table).pvalue
        assert freeman_halton(table) == pytest.approx(expected, abs=1e-9)


def by_whole_numbers(table):
    """The p-value with ways as whole numbers; tables with equal ways are counted together."""
    totals, first = table.sum(axis=1).tolist(), int(table[:, 0].sum())
    states = Counter({(0, 1): 1})
    for m in totals:
        grown = Counter()
        for (used, ways), times in states.items():
            for k in range(min(m, first - used) + 1):
                grown[used + k, ways * math.comb(m, k)] += times
        states = grown
    seen = math.prod(math.comb(m, k) for m, k in zip(totals, table[:, 0].tolist(), strict=True))
    rare = sum(ways * n for (used, ways), n in states.items() if used == first and ways <= seen)
    return rare / math.comb(sum(totals), first)


@pytest.mark.parametrize("levels", [6, 8])
@pytest.mark.parametrize("seed", range(3))
def test_many_categories_are_tested_exactly(levels, seed):
    rng = np.random.default_rng(seed)
    column, codes = rng.integers(0, levels, 9 * levels), rng.integers(0, 2, 9 * levels)
    table = np.bincount(2 * column + codes, minlength=2 * levels).reshape(-1, 2)
    expected = by_whole_numbers(table)
    assert freeman_halton(table) == pytest.approx(expected, rel=1e-6)
    tested = exact_p_values(column[:, None], codes)
    assert tested.p_values == pytest.approx([expected], rel=1e-6)
    assert not tested.by_chi_squared.size


def test_a_balanced_table_of_many_categories_is_the_likeliest():
    assert freeman_halton(np.full((10, 2), 5)) == pytest.approx(1)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=4))
def test_more_categories_are_all_tables_listed(rows):
    table = np.array(rows)
    totals, first = table.sum(axis=1).tolist(), int(table[:, 0].sum())

    def ways(column):
        return math.prod(math.comb(m, k) for m, k in zip(totals, column, strict=True))

    others = [c for c in itertools.product(*(range(m + 1) for m in totals)) if sum(c) == first]
    seen = ways(table[:, 0].tolist())
    expected = sum(w for w in map(ways, others) if w <= seen) / math.comb(sum(totals), first)
    assert freeman_halton(table) == pytest.approx(expected, abs=1e-9)


def test_columns_with_gaps_one_category_or_one_class():
    codes = np.array([0, 0, 0, 1, 1, 1])
    X = np.array([[0, 0, 1, 1, 1, -1], [2] * 6, [-1] * 6, [0, 1, 0, -1, -1, -1]]).T
    expected = stats.fisher_exact([[2, 0], [1, 2]]).pvalue
    assert exact_p_values(X, codes).p_values == pytest.approx([expected, 1, 1, 1])


def test_large_tables_and_three_classes_are_tested_by_chi_squared():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(900, 1))
    two = rng.integers(0, 2, size=900)
    assert freeman_halton(np.array([[60, 40]] * 9)) is None
    for codes in (two, two + (X[:, 0] > 6)):
        counts = stats.contingency.crosstab(X[:, 0], codes).count
        expected = stats.chi2_contingency(counts, correction=False).pvalue
        assert exact_p_values(X, codes).p_values == pytest.approx([expected])
    assert exact_p_values(X, two).by_chi_squared.tolist() == [0]
    assert not exact_p_values(X, two + (X[:, 0] > 6)).by_chi_squared.size
