"""Comparisons of methods, against scipy."""

import numpy as np
import pytest
from scipy import stats

from fsops import ExampleSet
from fsops.data import Criterion, PerformanceVector
from fsops.operators import anova, friedman_test, mcnemar_test, t_test


@pytest.fixture
def three():
    rng = np.random.default_rng(6)
    return [rng.normal(mean, 0.05, 10) for mean in (0.7, 0.72, 0.85)]


def vectors(samples, name="accuracy"):
    return [PerformanceVector([Criterion(name, tuple(s.tolist()))]) for s in samples]


def test_every_pair_is_tested(three):
    table = t_test(vectors(three))
    pairs = [("performance 1", "performance 2"), ("performance 1", "performance 3"),
             ("performance 2", "performance 3")]  # fmt: skip
    found = zip(table.nominal_values("first"), table.nominal_values("second"), strict=True)
    assert list(found) == pairs
    expected = [stats.ttest_ind(three[a], three[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert table.column("statistic") == pytest.approx([e.statistic for e in expected])
    assert table.column("p-value") == pytest.approx([e.pvalue for e in expected])
    words = ["yes" if e.pvalue < 0.05 else "no" for e in expected]
    assert table.nominal_values("significant") == words
    assert table.column("difference")[0] == pytest.approx(three[0].mean() - three[1].mean())


def test_pairs_of_measurements(three):
    expected = stats.ttest_rel(three[0], three[1])
    found = t_test(vectors(three[:2]), test="paired")
    assert found.column("p-value")[0] == pytest.approx(expected.pvalue)
    assert t_test(vectors(three[:2]), test="corrected").column("p-value")[0] > expected.pvalue


def test_anova_over_all(three):
    table = anova(vectors(three))
    expected = stats.f_oneway(*three)
    assert table.column("statistic")[0] == pytest.approx(expected.statistic)
    assert table.column("p-value")[0] == pytest.approx(expected.pvalue)
    assert (table.column("df between")[0], table.column("df within")[0]) == (2, 27)
    assert table.nominal_values("significant") == ["yes"]


def test_what_cannot_be_compared_is_refused(three, refused):
    for test in (t_test, anova):
        with refused("At least two", "is 1"):
            test(vectors(three[:1]))
        with refused("measures accuracy", "measures kappa", "main_criterion"):
            test([*vectors(three[:1]), *vectors(three[1:2], "kappa")])
        with refused("Performance 2 lacks a value"):
            test(vectors([three[0], np.array([0.5, np.nan])]))
    with refused("cannot be paired", "10, 9"):
        t_test(vectors([three[0], three[1][:9]]), test="paired")


def test_single_measurements_cannot_tell(listening):
    ctx = listening()
    table = t_test(vectors([np.array([0.5]), np.array([0.6, 0.7])]), ctx=ctx)
    assert np.isnan(table.column("p-value")[0])
    assert table.nominal_values("significant") == ["no"]
    assert "Performance 1 has a single measurement" in ctx.warnings[0]


def test_mcnemar_counts_rows_where_one_is_right(of_classes):
    true = "a" * 30
    first, second = of_classes(true, "a" * 25 + "b" * 5), of_classes(true, "b" * 20 + "a" * 10)
    table = mcnemar_test(first, second)
    names = ("both right", "only first right", "only second right", "both wrong")
    assert [table.column(name)[0] for name in names] == [5, 20, 5, 0]
    assert table.column("p-value")[0] == pytest.approx(stats.chi2.sf(14**2 / 25, 1))
    exact = mcnemar_test(first, second, method="exact")
    assert exact.column("p-value")[0] == pytest.approx(stats.binomtest(5, 25).pvalue)
    assert table.nominal_values("method") == ["chi squared"]
    assert exact.nominal_values("method") == ["exact"]
    assert (table.column("statistic")[0], exact.column("statistic")[0]) == (14**2 / 25, 5)


def test_mcnemar_needs_the_same_rows(of_classes, refused):
    with refused("same rows", "2 and 3"):
        mcnemar_test(of_classes("ab", "ab"), of_classes("aba", "aba"))
    with refused("labels differ in 1", "row 2"):
        mcnemar_test(of_classes("abb", "abb"), of_classes("aab", "aab"))


def test_friedman_tells_ranks_and_pairs():
    values = np.random.default_rng(7).normal(size=(10, 3)) + np.array([0, 0, 2.5])
    table = ExampleSet.from_numpy(values, names=["A", "B", "C"])
    found = friedman_test(table)
    expected = stats.friedmanchisquare(*values.T)
    assert found.test.column("statistic")[0] == pytest.approx(expected.statistic)
    assert found.test.column("p-value")[0] == pytest.approx(expected.pvalue)
    ranks = stats.rankdata(-values, axis=1).mean(axis=0)
    assert found.ranks.nominal_values("method") == ["A", "B", "C"]
    assert found.ranks.column("mean rank") == pytest.approx(ranks)
    assert found.pairs.nominal_values("first") == ["A", "A", "B"]
    critical = found.test.column("critical difference")[0]
    apart = np.abs(found.pairs.column("rank difference")) > critical
    assert found.pairs.nominal_values("significant") == np.where(apart, "yes", "no").tolist()
    assert apart.any()
    as_errors = friedman_test(table, larger_is_better=False)
    assert as_errors.ranks.column("mean rank") == pytest.approx(4 - ranks)


def test_one_method_or_one_data_set_is_refused(refused):
    with refused("two data sets", "1 and 3"):
        friedman_test(ExampleSet.from_numpy(np.zeros((1, 3))))
