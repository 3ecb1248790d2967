"""Tests of matched rows: the differences of each pair are compared with 0."""

from dataclasses import replace
from functools import cache
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, Scores, as_classes, as_matrix
from fsops.algorithms.statistics.significance import (
    Weighting,
    normal_p_values,
    t_p_values,
    tested,
    weights_from,
)

Zeros: TypeAlias = Literal["wilcox", "pratt"]
ROUNDING = 4 * float(np.finfo(np.float64).eps)
"""Relative error of the difference of two values that were rounded."""
MOST_EXACT = 200
"""Largest number of pairs with an exact distribution: 2^pairs must be a double."""


class PairMeans:
    """The difference of the classes in each pair: mean of class 1 less mean of class 0.

    Several rows of one pair and class are replicates. Their mean is used, so that they do not count
    as independent rows. Pairs with one class only are left out.
    """

    def __init__(self, codes: Numbers, pairs: Numbers) -> None:
        classes = as_classes(codes, len(codes), 2)
        places = np.unique(np.asarray(pairs), return_inverse=True)[1].reshape(-1)
        cell = 2 * places + classes
        present = np.bincount(cell, minlength=2 * (int(places.max(initial=-1)) + 1))
        complete: Bools = np.all(present.reshape(-1, 2) > 0, axis=1)
        used = complete[places]
        number = np.cumsum(complete) - 1
        self.count = int(np.count_nonzero(complete))
        self.rows: Ints = np.flatnonzero(used)
        self.left_out = classes.size - self.rows.size
        self.cell: Ints = 2 * number[places[used]] + classes[used]
        self.replicated = self.rows.size > 2 * self.count

    def differences(self, X: Numbers) -> tuple[Floats, Floats]:
        """Differences of the pairs, NaN where a value is missing, and their rounding errors."""
        values = X[self.rows].astype(np.float64)
        if self.replicated:
            means = self._means(values)
        else:
            means = np.empty(values.shape)
            means[self.cell] = values
        with np.errstate(invalid="ignore"):
            difference: Floats = means[1::2] - means[::2]
            size = np.abs(means)
            error = ROUNDING * np.maximum(size[1::2], size[::2])
            if self.replicated:  # means of equal values may differ in the last digit
                difference[np.abs(difference) <= error] = 0.0
        return difference, error

    def _means(self, values: Floats) -> Floats:
        from scipy.sparse import csr_array

        known = ~np.isnan(values)
        shape = (2 * self.count, len(values))
        chosen = csr_array((np.ones(len(values)), (self.cell, np.arange(len(values)))), shape=shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            sums: Floats = chosen @ np.where(known, values, 0.0)
            means: Floats = sums / (chosen @ known.astype(np.float64))
        return means


def paired_t(
    X: Numbers,
    codes: Numbers,
    pairs: Numbers,
    *,
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """Student's t of the differences of pairs, with as many degrees of freedom as pairs less 1.

    Pairs with a missing value (NaN) are left out for each feature. Equal differences that are not
    0 have an infinite t; differences that are all 0 have none.

    References
    ----------
    Student (1908), The probable error of a mean, Biometrika 6.
    """
    X = as_matrix(X)
    means = PairMeans(codes, pairs)
    t, df, effect = np.empty((3, X.shape[1]))
    for tile in column_tiles(X.shape[1], len(X)):
        difference, error = means.differences(X[:, tile])
        known = ~np.isnan(difference)
        error[~known] = 0.0
        n = known.sum(axis=0).astype(np.float64)
        # Powers of 2 keep the squares of tiny differences above 0, and change no digit.
        largest = np.where(known, np.abs(difference), 0.0).max(axis=0, initial=0.0)
        exponent = np.frexp(largest)[1]
        difference, error = np.ldexp(difference, -exponent), np.ldexp(error, -exponent)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mean = np.where(known, difference, 0.0).sum(axis=0) / n
            apart = np.where(known, difference - mean, 0.0)
            squares = (apart * apart).sum(axis=0)
            squares[squares <= (error * error).sum(axis=0)] = 0.0
            mean[(squares == 0) & (np.abs(mean) <= error.max(axis=0, initial=0.0))] = 0.0
            t[tile] = mean / np.sqrt(squares / (n - 1) / n)
        t[tile][n < 2] = np.nan
        df[tile], effect[tile] = n - 1, np.ldexp(mean, exponent)
    scores = tested(t, df, t_p_values, weighting, p_values)
    return replace(scores, more={"difference": effect})


def signed_rank(
    X: Numbers,
    codes: Numbers,
    pairs: Numbers,
    *,
    zeros: Zeros = "wilcox",
    exact_up_to: int = 50,
    weighting: Weighting = "one_minus_p",
) -> Scores:
    """Wilcoxon's signed rank test: normal z, corrected for ties, with its p-value.

    P-values are exact for up to ``exact_up_to`` pairs without ties and zeros, otherwise those of
    the normal approximation without a correction for continuity. Differences that are equal up to
    the rounding of their values are ties: 0.3 - 0.1 and 0.4 - 0.2, as in any unit.

    Parameters
    ----------
    X, codes, pairs
        Rows by features; class 0 or 1 and pair of each row.
    zeros
        Leave pairs without a difference out ("wilcox"), or rank them and drop their ranks
        ("pratt").
    exact_up_to, weighting
        Number of pairs, at most `MOST_EXACT`; see `weights_from`.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1.
    Pratt (1959), Remarks on zeros and ties in the Wilcoxon signed rank procedures, JASA 54.
    """
    X = as_matrix(X)
    means = PairMeans(codes, pairs)
    fields = np.empty((3, X.shape[1]))
    for tile in column_tiles(X.shape[1], len(X)):
        fields[:, tile] = _ranked(means, X[:, tile], zeros, min(exact_up_to, MOST_EXACT))
    z, p, effect = fields
    p = np.where(np.isnan(p), 1.0, p)
    weights = weights_from(z, p, weighting)
    return Scores(weights, z, np.isnan(z), p, None, None, {"rank_correlation": effect})


def _ranked(means: PairMeans, X: Numbers, zeros: Zeros, most: int) -> Floats:
    """Z, p-value and rank correlation of some features."""
    difference, error = means.differences(X)
    with np.errstate(invalid="ignore"):
        known = ~np.isnan(difference)
        nothing = known & (difference == 0)
        counted = known if zeros == "pratt" else known & ~nothing
        # The others get the last ranks, which change none of those counted.
        sizes = np.where(counted, np.abs(difference), np.inf)
        ranks = _near_ranks(sizes, np.where(counted, error, 0.0))
        ranks = np.where(counted & ~nothing, ranks, 0.0)
        positive = np.where(difference > 0, ranks, 0.0).sum(axis=0)
    n = counted.sum(axis=0).astype(np.float64)
    dropped = (nothing & counted).sum(axis=0).astype(np.float64)
    total = (n * (n + 1) - dropped * (dropped + 1)) / 2
    # Ties make the sum of squared ranks smaller: the variance of the positive sum is a quarter.
    variance = (ranks * ranks).sum(axis=0) / 4
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (positive - total / 2) / np.sqrt(variance)
        effect = 2 * positive / total - 1
    p = normal_p_values(z, z)
    untied = np.abs(variance * 4 - n * (n + 1) * (2 * n + 1) / 6) < 0.25
    exact = np.flatnonzero((n > 0) & (n <= most) & untied & ~nothing.any(axis=0))
    for pairs in np.unique(n[exact]).astype(int):
        own = exact[n[exact] == pairs]
        smaller = np.minimum(positive[own], total[own] - positive[own]).astype(np.intp)
        p[own] = np.minimum(2 * _lower_tails(pairs)[smaller], 1.0)
    return np.stack([z, p, effect])


def _near_ranks(sizes: Floats, error: Floats) -> Floats:
    """Ranks in each column, where neighbors that differ by no more than their error are ties."""
    from scipy.stats import rankdata

    order = np.argsort(sizes, axis=0, kind="stable")
    sizes, error = (np.take_along_axis(part, order, axis=0) for part in (sizes, error))
    level = np.zeros(sizes.shape)
    with np.errstate(invalid="ignore"):
        apart = np.diff(sizes, axis=0) > np.maximum(error[1:], error[:-1])
    np.put_along_axis(level, order[1:], np.cumsum(apart, axis=0), axis=0)
    ranks: Floats = rankdata(level, axis=0)
    return ranks


@cache
def _lower_tails(n: int) -> Floats:
    """Probabilities that the positive ranks of n pairs add up to at most 0, 1, 2 and so on."""
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1.0
    for rank in range(1, n + 1):
        counts[rank:] = counts[rank:] + counts[: counts.size - rank]
    return np.cumsum(counts / 2.0**n)
