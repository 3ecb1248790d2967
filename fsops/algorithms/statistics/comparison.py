"""Tests whether methods differ, from their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fsops.algorithms.base.ranking import average_ranks
from fsops.algorithms.base.types import Bools, Floats
from fsops.algorithms.statistics.significance import chi2_p_values, f_p_values, t_p_values

FEW = 25
"""Below so many rows on which two classifiers disagree, the exact test is used."""


@dataclass(frozen=True)
class TestResult:
    """A statistic, its degrees of freedom and its p-value; NaN where there are too few values."""

    __test__ = False  # no test of pytest's
    statistic: float
    df: float
    p_value: float


NO_RESULT = TestResult(float("nan"), float("nan"), float("nan"))


def t_test(
    first: Floats,
    second: Floats,
    kind: Literal["independent", "paired", "corrected"] = "independent",
    test_ratio: float = 0.0,
) -> TestResult:
    """Two-sided t-test that two means are equal.

    "independent" pools the variances of both samples. "paired" looks at the differences of values
    that belong together; "corrected" enlarges their variance by the overlap of the training rows,
    with ``test_ratio`` = test rows / training rows.

    References
    ----------
    Student (1908); Nadeau & Bengio (2003), Inference for the generalization error.
    """
    n, m = len(first), len(second)
    if kind == "independent":
        if n < 2 or m < 2:
            return NO_RESULT
        df = n + m - 2
        pooled = ((n - 1) * first.var(ddof=1) + (m - 1) * second.var(ddof=1)) / df
        return _t(float(first.mean() - second.mean()), float(pooled * (1 / n + 1 / m)), df)
    if n != m:
        raise ValueError(f"A paired test needs as many first as second values, got {n} and {m}.")
    if n < 2:
        return NO_RESULT
    difference = first - second
    overlap = test_ratio if kind == "corrected" else 0.0
    return _t(float(difference.mean()), float(difference.var(ddof=1) * (1 / n + overlap)), n - 1)


def _t(difference: float, variance: float, df: int) -> TestResult:
    if difference == 0:
        return TestResult(0.0, df, 1.0)
    if variance == 0:
        return TestResult(float(np.copysign(np.inf, difference)), df, 0.0)
    t = difference / np.sqrt(variance)
    return TestResult(float(t), df, float(t_p_values(np.array([t]), np.array([float(df)]))[0]))


def anova(groups: list[Floats]) -> tuple[TestResult, float]:
    """One-way analysis of variance, and the degrees of freedom within the groups."""
    n, k = sum(map(len, groups)), len(groups)
    if k < 2 or n <= k:
        return NO_RESULT, float("nan")
    grand = np.concatenate(groups).mean()
    between = float(sum(len(group) * (group.mean() - grand) ** 2 for group in groups))
    within = float(sum(((group - group.mean()) ** 2).sum() for group in groups))
    df = np.array([[k - 1.0], [n - k]])
    if between == 0:
        return TestResult(0.0, k - 1, 1.0), n - k
    if within == 0:
        return TestResult(float("inf"), k - 1, 0.0), n - k
    f = (between / (k - 1)) / (within / (n - k))
    return TestResult(f, k - 1, float(f_p_values(np.array([f]), df)[0])), n - k


def mcnemar(
    first_right: Bools,
    second_right: Bools,
    kind: Literal["automatic", "exact", "chi squared"] = "automatic",
) -> TestResult:
    """Test that two classifiers are wrong equally often, on the rows where just one is right.

    Exact by the binomial distribution, or by chi squared with continuity correction; automatic is
    exact below 25 such rows. The exact test has no degrees of freedom; its statistic is the
    smaller of the two counts.

    References
    ----------
    McNemar (1947); Dietterich (1998), Approximate statistical tests for comparing supervised
    classification learning algorithms.
    """
    b, c = int((first_right & ~second_right).sum()), int((second_right & ~first_right).sum())
    if kind == "exact" or (kind == "automatic" and b + c < FEW):
        from scipy.special import bdtr

        p = min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0
        return TestResult(float(min(b, c)), float("nan"), p)
    statistic = max(abs(b - c) - 1, 0) ** 2 / (b + c) if b + c else 0.0
    p_value = chi2_p_values(np.array([statistic]), np.array([1.0]))
    return TestResult(float(statistic), 1.0, float(p_value[0]))


@dataclass(frozen=True, eq=False)
class Friedman:
    """Friedman's test over data sets, and Nemenyi's comparison of all pairs of methods."""

    average_ranks: Floats
    """One per method; 1 is best."""
    chi2: TestResult
    f: TestResult
    """The correction of Iman and Davenport, less conservative."""
    f_within: float
    critical_difference: float
    """Methods whose average ranks differ by more are different."""
    pair_p_values: Floats
    """Methods x methods."""


def _tie_correction(ranks: Floats) -> float:
    """Return by how much ties have made the ranks vary less; 1 if all are tied everywhere."""
    n, k = ranks.shape
    tied = sum(
        float(count**3 - count) for row in ranks for count in np.unique(row, return_counts=True)[1]
    )
    return 1 - tied / (n * (k**3 - k)) or 1.0


def friedman(
    values: Floats, *, maximize: bool = True, alpha: float = 0.05, correct_ties: bool = True
) -> Friedman:
    """Compare methods (columns) over data sets (rows) by their ranks; ties share their ranks.

    chi2 = 12 N / (k (k + 1)) (sum R_j^2 - k (k + 1)^2 / 4) / (1 - T / (N (k^3 - k))),
    T = sum of t^3 - t over the groups of t tied methods (Demsar leaves this out),
    F = (N - 1) chi2 / (N (k - 1) - chi2),  CD = q sqrt(k (k + 1) / (6 N)).

    References
    ----------
    Friedman (1937); Iman & Davenport (1980); Nemenyi (1963);
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets. JMLR 7.
    """
    from scipy.stats import studentized_range

    n, k = values.shape
    if n < 2 or k < 2:
        raise ValueError(f"At least two rows and two columns are needed, got {n} and {k}.")
    ranks = np.array([average_ranks(row if maximize else -row) for row in values])
    mean = ranks.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * (float((mean**2).sum()) - k * (k + 1) ** 2 / 4)
    chi2 = max(chi2, 0.0) / (_tie_correction(ranks) if correct_ties else 1.0)
    chi2_p = float(chi2_p_values(np.array([chi2]), np.array([k - 1.0]))[0])
    within = float((k - 1) * (n - 1))
    rest = n * (k - 1) - chi2
    if rest > 1e-9:
        f = (n - 1) * chi2 / rest
        f_p = float(f_p_values(np.array([f]), np.array([[k - 1.0], [within]]))[0])
    else:  # all data sets rank the methods alike
        f, f_p = float("inf"), 0.0
    error = np.sqrt(k * (k + 1) / (6 * n))
    difference = np.abs(mean[:, None] - mean[None, :])
    pairs = studentized_range.sf(difference / error * np.sqrt(2), k, np.inf)
    critical = float(studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2) * error)
    return Friedman(
        mean,
        TestResult(chi2, k - 1, chi2_p),
        TestResult(f, k - 1, f_p),
        within,
        critical,
        np.clip(pairs, 0.0, 1.0),
    )
