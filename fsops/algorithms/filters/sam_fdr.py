"""False discovery rates of SAM by permutation of the class labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Floats, Ints, Numbers, as_classes, as_matrix
from fsops.algorithms.filters.univariate import Fudge, SamScores, sam

MOST_POOLED = 1 << 24
"""Values of permutations whose quartiles are taken; with more, the first permutations do."""


@dataclass(frozen=True, slots=True, eq=False)
class SamFdr:
    """False discovery rates of SAM, estimated by permuting the class labels.

    Attributes
    ----------
    scores
        SAM of the data as they are.
    p_values
        Fraction of all permuted |d| that reach the |d| of the feature; 1 where undefined.
    q_values
        Smallest false discovery rate at which the feature is called; 1 where undefined.
    expected
        Mean of the ordered permuted d, to be plotted against the ordered observed d.
    pi0
        Estimated fraction of features without any difference.
    deltas, lower, upper
        Thresholds of |observed - expected| and the cuts of d that follow: features with
        d <= lower or d >= upper are called.
    called, false, fdr
        Per delta: features called, median number of false calls (times pi0), and their ratio.
    """

    scores: SamScores
    p_values: Floats
    q_values: Floats
    expected: Floats
    pi0: float
    deltas: Floats
    lower: Floats
    upper: Floats
    called: Floats
    false: Floats
    fdr: Floats


def sam_fdr(
    X: Numbers,
    codes: Numbers,
    *,
    rng: np.random.Generator,
    s0: Fudge = 0.1,
    n_permutations: int = 100,
    deltas: Floats | None = None,
) -> SamFdr:
    """False discovery rates of SAM by permutation of the class labels.

    s0 is chosen once, on the data as they are. If there are no more than n_permutations ways to
    assign the labels, each is used once and rng is not touched. deltas defaults to 21 even steps
    from 0 to the largest distance between observed and expected d.

    References
    ----------
    Tusher, Tibshirani & Chu (2001); Storey (2002) for pi0.
    """
    X = as_matrix(X)
    codes = as_classes(codes, X.shape[0], 2)
    if n_permutations < 1:
        raise ValueError(f"n_permutations must be at least 1, got {n_permutations}.")
    scores = sam(X, codes, s0=s0)
    defined = np.flatnonzero(~scores.undefined)
    observed = np.sort(scores.statistic[defined])
    labels = _permuted_labels(codes, n_permutations, rng)
    null = _PermutedSam(X[:, defined], labels, scores.s0)
    expected, reached, pi0 = null.summary(observed)
    gap = observed - expected
    if deltas is None:
        deltas = np.linspace(0.0, np.abs(gap).max(initial=0.0), 21)
    lower, upper = _delta_cuts(observed, gap, np.asarray(deltas, dtype=np.float64))
    false = pi0 * null.median_calls(lower, upper)
    called = _calls(observed, lower, upper)
    p_values, q_values = np.ones(X.shape[1]), np.ones(X.shape[1])
    p, q = _permutation_q(np.abs(scores.statistic[defined]), reached, len(labels), pi0)
    p_values[defined], q_values[defined] = p, q
    fdr = np.minimum(false / np.maximum(called, 1.0), 1.0)
    return SamFdr(
        scores, p_values, q_values, expected, pi0, deltas, lower, upper, called, false, fdr
    )


def _permuted_labels(codes: Ints, n_permutations: int, rng: np.random.Generator) -> Floats:
    """Permuted 0/1 labels, one permutation per row; all distinct ones if they are few."""
    n, positives = codes.size, int(codes.sum())
    if comb(n, positives) > n_permutations:
        return np.array([rng.permutation(codes) for _ in range(n_permutations)], dtype=np.float64)
    labels = np.zeros((comb(n, positives), n))
    for row, members in zip(labels, combinations(range(n), positives), strict=True):
        row[list(members)] = 1.0
    return labels


class _PermutedSam:
    """SAM's d for many permutations of the labels; recomputed on each walk to save memory."""

    def __init__(self, X: Numbers, labels: Floats, s0: float) -> None:
        self.X, self.labels, self.s0 = X, labels, s0

    def walk(self) -> Iterator[Floats]:
        """Yield d of all features for one permutation after the other, sorted."""
        p = self.X.shape[1]
        size = max(1, 4_000_000 // max(1, p))
        for start in range(0, len(self.labels), size):
            labels = self.labels[start : start + size]
            d = np.empty((len(labels), p))
            for tile in column_tiles(p):
                d[:, tile] = _relative_differences(self.X[:, tile], labels, self.s0)
            d.sort(axis=1)
            yield from d

    def summary(self, observed: Floats) -> tuple[Floats, Floats, float]:
        """Expected ordered d, how often each observed |d| was reached (ascending), and pi0.

        pi0 is the fraction of observed d between the quartiles of all permuted d, times 2.
        """
        size = np.sort(np.abs(observed))
        expected, reached = np.zeros(observed.size), np.zeros(observed.size + 1)
        pooled: list[Floats] = []
        for d in self.walk():
            expected += d
            # Ties within rounding error count as reached: a permutation may repeat the data.
            rank = np.searchsorted(size, np.abs(d) * (1 + 1e-9), side="right")
            reached += np.bincount(rank, minlength=observed.size + 1)
            if len(pooled) * d.size < MOST_POOLED:
                pooled.append(d)
        expected /= len(self.labels)
        low, high = np.quantile(np.concatenate(pooled), [0.25, 0.75]) if observed.size else (0, 0)
        middle = ((observed > low) & (observed < high)).sum()
        pi0 = min(1.0, float(middle) / (0.5 * observed.size)) if observed.size else 1.0
        return expected, reached[::-1].cumsum()[::-1][1:], pi0

    def median_calls(self, lower: Floats, upper: Floats) -> Floats:
        """Median number of permuted d beyond each pair of cuts."""
        return np.median([_calls(d, lower, upper) for d in self.walk()], axis=0)


def _relative_differences(X: Numbers, labels: Floats, s0: float) -> Floats:
    """SAM's d of every column (permutations by features) by one product with the labels.

    The total sum of squares does not depend on the labels, so the pooled one follows from it.
    """
    known = ~np.isnan(X)
    n = known.sum(axis=0)
    centre = np.where(known, X, 0.0).sum(axis=0) / np.maximum(n, 1)
    deviation = np.where(known, X - centre, 0.0)
    deviation -= np.where(known, deviation.sum(axis=0) / np.maximum(n, 1), 0.0)
    total = np.einsum("ij,ij->j", deviation, deviation)
    positive = labels @ known if not known.all() else labels.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = n / (positive * (n - positive))
        difference = (labels @ deviation) * factor
        pooled = np.maximum(total - difference * difference / factor, 0.0)
        d = difference / (np.sqrt(factor / (n - 2) * pooled) + s0)
    return np.where(np.isnan(d), 0.0, d)


def _delta_cuts(observed: Floats, gap: Floats, deltas: Floats) -> tuple[Floats, Floats]:
    """Smallest positive and largest negative d that lie further than delta from expectation."""
    lower, upper = np.full(deltas.size, -np.inf), np.full(deltas.size, np.inf)
    for i, delta in enumerate(deltas):
        up = np.flatnonzero((gap > delta) & (observed > 0))
        down = np.flatnonzero((gap < -delta) & (observed < 0))
        if up.size:
            upper[i] = observed[up[0]]
        if down.size:
            lower[i] = observed[down[-1]]
    return lower, upper


def _calls(d: Floats, lower: Floats, upper: Floats) -> Floats:
    """How many of the sorted d lie at or beyond each pair of cuts."""
    below = np.searchsorted(d, lower, side="right")
    above = d.size - np.searchsorted(d, upper, side="left")
    return (below + above).astype(np.float64)


def _permutation_q(
    size: Floats, reached: Floats, permutations: int, pi0: float
) -> tuple[Floats, Floats]:
    """P- and q-values of |d| from how often the permuted ones reached each (ascending)."""
    p = size.size
    order = np.argsort(size, kind="stable")
    as_large = p - np.searchsorted(size[order], size[order], side="left")
    fdr = pi0 * (reached / permutations) / np.maximum(as_large, 1)
    p_values, q_values = np.empty(p), np.empty(p)
    p_values[order] = reached / max(1, permutations * p)
    q_values[order] = np.minimum(np.minimum.accumulate(fdr), 1.0)
    return p_values, q_values
