"""Instance-based selection: every row proposes a few features, and the proposals are combined.

A row proposes the features in which it differs more from its nearest row of another class (miss)
than from its nearest row of the same class (hit): Relief's terms, kept apart instead of averaged.

References
----------
Ben Brahim (2015), Stable and efficient feature selection methods for high dimensional data, thesis,
Université de Tunis, chapter 2 (candidate subsets; IB-OF, IB-WMA, IB-RA, IB-RedE). Neighbors and
ties are those of `relief`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.sums import BLOCK_VALUES, column_tiles
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, as_classes
from fsops.algorithms.neighbors.instance_points import DECIMALS, NOBODY, Points
from fsops.algorithms.neighbors.relief_rows import Rows
from fsops.algorithms.preparation.discretize import frequency_codes

__all__ = [
    "DECIMALS",
    "NOBODY",
    "CandidateSubsets",
    "Combination",
    "CombinedProposals",
    "Nearest",
    "Normalization",
    "Points",
    "candidate_subsets",
    "combine",
    "margins",
    "mean_information",
]

Nearest: TypeAlias = Literal["all", "each"]
Normalization: TypeAlias = Literal["max", "minmax"]
Combination: TypeAlias = Literal["frequency", "mean weight", "rank sum", "redundancy"]

BINS = 3


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSubsets:
    """The proposals of each row, best first.

    Attributes
    ----------
    rows
        Which rows propose; one that is alone in its class does not, (m,).
    features
        The proposed features of each of them, filled up with `NOBODY`, (m, size).
    weights
        Their weights, 0 where there is no feature, (m, size).
    n_features
        Number of features of the data.
    """

    rows: Ints
    features: Ints
    weights: Floats
    n_features: int

    @property
    def size(self) -> int:
        """Features that a row proposes at most."""
        return int(self.features.shape[1])

    @property
    def proposed(self) -> Bools:
        """Where `features` and `weights` hold a proposal, (m, size)."""
        return np.not_equal(self.features, NOBODY)

    def of_copies(self, group: Ints) -> "CandidateSubsets":
        """Let many rows propose; group gives for each the row that it is a copy of."""
        place = np.full(1 + max(group.max(initial=0), self.rows.max(initial=0)), NOBODY)
        place[self.rows] = np.arange(self.rows.size)
        line = place[group]
        rows = np.flatnonzero(line != NOBODY)
        lines = line[rows]
        return replace(self, rows=rows, features=self.features[lines], weights=self.weights[lines])

    def union(self) -> Ints:
        """Features that some row proposes, in their order."""
        return np.unique(self.features[self.proposed])

    def subsets(self) -> list[tuple[int, ...]]:
        """The proposed features of each row, in their order."""
        return [tuple(sorted(line[line != NOBODY].tolist())) for line in self.features]

    def matrix(self) -> Floats:
        """Weights of all features for each proposing row; 0 for those not proposed."""
        weights = np.zeros((len(self.rows), self.n_features))
        lines, _ = np.nonzero(self.proposed)
        weights[lines, self.features[self.proposed]] = self.weights[self.proposed]
        return weights

    def sums(self, values: Numbers | float) -> Floats:
        """Sum of values, one for each place in `features`, by feature, (p,)."""
        spread = np.broadcast_to(values, self.features.shape)[self.proposed]
        features = self.features[self.proposed]
        return np.bincount(features, spread, self.n_features).astype(np.float64)

    def counts(self) -> Floats:
        """How many rows propose each feature, (p,)."""
        return self.sums(1.0)

    def mean_weights(self) -> Floats:
        """Mean weight of each feature over the proposing rows, (p,)."""
        return self.sums(self.weights) / max(1, len(self.rows))

    def rank_sums(self) -> Floats:
        """Sum of the ranks of each feature, size + 1 where it is not proposed, (p,)."""
        outside = len(self.rows) * (self.size + 1.0)
        return outside - self.sums(np.arange(self.size, 0, -1))


def candidate_subsets(
    points: Points,
    codes: Numbers,
    *,
    size: int = 5,
    nearest: Nearest = "all",
    normalization: Normalization = "max",
    positive_only: bool = True,
    collapse_duplicates: bool = True,
) -> CandidateSubsets:
    """Features with the largest margin |x - miss| - |x - hit| of every row.

    Parameters
    ----------
    points
        The data.
    codes
        Class of each row; any number of classes.
    size
        Features that a row proposes at most.
    nearest
        "all": one hit and one miss per row, near by the sum of the differences of all features.
        "each": the nearest values of each single feature.
    normalization
        How the margins of a row become weights: "max" divides by the largest and cuts negative
        ones to 0, "minmax" maps smallest and largest to 0 and 1.
    positive_only
        Propose only features with a margin above 0.
    collapse_duplicates
        Look for neighbors among different rows only: rows that are alike in all features and the
        class, as in a bootstrap, propose the same, instead of being each other's hit. Only where a
        class has no other row, a copy is the hit.
    """
    codes = as_classes(codes, len(points.values))
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}.")
    if collapse_duplicates:
        kept, group = _different(points, codes)
        found = candidate_subsets(
            points.take(kept) if kept.size < codes.size else points,
            codes[kept],
            size=size,
            nearest=nearest,
            normalization=normalization,
            positive_only=positive_only,
            collapse_duplicates=False,
        )
        return found.of_copies(group)
    p = points.values.shape[1]
    rows = _with_company(codes)
    features = np.full((rows.size, min(size, p)), NOBODY)
    weights = np.zeros(features.shape)
    line = 0
    for block in _margins(points, codes, rows, nearest):
        for margin, weight in zip(block, _normalized(block, normalization), strict=True):
            chosen = _largest(margin, features.shape[1], positive_only)
            features[line, : chosen.size] = chosen
            weights[line, : chosen.size] = weight[chosen]
            line += 1
    return CandidateSubsets(rows, features, weights, p)


def _different(points: Points, codes: Ints) -> tuple[Ints, Ints]:
    """Return rows without their copies, and which of these each row is.

    A class that has copies of one row only keeps two of them, the second at the end.
    """
    kept, group = Rows(*points.kinds(), codes, int(codes.max(initial=0)) + 1).different()
    copies = np.flatnonzero((np.bincount(codes[kept]) == 1) & (np.bincount(codes) > 1))
    second = [np.flatnonzero(codes == code)[1] for code in copies]
    return np.concatenate([kept, np.array(second, dtype=np.intp)]), group


def margins(points: Points, codes: Numbers, nearest: Nearest = "all") -> Floats:
    """|x - miss| - |x - hit| of every row that is not alone in its class, for every feature."""
    codes = as_classes(codes, len(points.values))
    nothing = np.empty((0, points.values.shape[1]))
    return np.concatenate([nothing, *_margins(points, codes, _with_company(codes), nearest)])


def _with_company(codes: Ints) -> Ints:
    """Rows that are not alone in their class."""
    return np.flatnonzero(np.bincount(codes)[codes] > 1)


def _margins(points: Points, codes: Ints, rows: Ints, nearest: Nearest) -> Iterator[Floats]:
    """Margins of the given rows, in blocks."""
    of = _margins_by_space if nearest == "all" else _margins_by_feature
    return of(points, codes, rows)


def _margins_by_space(points: Points, codes: Ints, rows: Ints) -> Iterator[Floats]:
    """Margins in blocks of the given rows, from one hit and one miss for all features."""
    hits, misses = points.neighbours(codes)
    block = max(1, BLOCK_VALUES // max(1, points.values.shape[1]))
    for start in range(0, rows.size, block):
        some = rows[start : start + block]
        margin = points.differences(some, misses[some])
        margin -= points.differences(some, hits[some])
        yield np.round(margin, DECIMALS, out=margin)


def _margins_by_feature(points: Points, codes: Ints, rows: Ints) -> Iterator[Floats]:
    """Margins of all given rows at once, from the nearest values of each single feature."""
    margin = np.empty((rows.size, points.values.shape[1]))
    for tile in column_tiles(margin.shape[1], len(codes)):
        hit, miss = _nearest_values(points.values[:, tile], codes)
        margin[:, tile] = points.limited(miss[rows], tile) - points.limited(hit[rows], tile)
    yield np.round(margin, DECIMALS, out=margin)


def _nearest_values(values: Floats, codes: Ints) -> tuple[Floats, Floats]:
    """Distance of every value to the nearest one of its class and of another, by column."""
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    hit, miss = np.full((2, *values.shape), np.inf)
    for code in np.unique(codes):
        own = codes[order] == code
        inside, outside = _gap(ordered, own), _gap(ordered, ~own)
        hit[own], miss[own] = inside[own], outside[own]
    for found in (hit, miss):
        np.put_along_axis(found, order, found.copy(), axis=0)
    return hit, miss


def _gap(ordered: Floats, there: Bools) -> Floats:
    """Distance of values in ascending order to the nearest other one of those there."""
    below = np.maximum.accumulate(np.where(there, ordered, -np.inf), axis=0)
    above = np.minimum.accumulate(np.where(there, ordered, np.inf)[::-1], axis=0)[::-1]
    # No value is its own neighbor: look at those before and after it.
    edge = np.full((1, ordered.shape[1]), np.inf)
    before, after = np.vstack([-edge, below[:-1]]), np.vstack([above[1:], edge])
    gap: Floats = np.minimum(ordered - before, after - ordered)
    return gap


def _normalized(margins: Floats, normalization: Normalization) -> Floats:
    """Margins of each row as weights between 0 and 1."""
    if normalization == "max":
        top = margins.max(axis=1, keepdims=True, initial=0.0)
        cut: Floats = np.maximum(margins, 0.0) / np.where(top > 0, top, 1.0)
        return cut
    low = margins.min(axis=1, keepdims=True)
    span = margins.max(axis=1, keepdims=True) - low
    scaled: Floats = (margins - low) / np.where(span > 0, span, 1.0)
    return scaled


def _largest(margin: Floats, count: int, positive_only: bool) -> Ints:
    """The features with the largest margins, best first; among equals the first ones."""
    limit = np.partition(margin, margin.size - count)[margin.size - count]
    if positive_only:
        near = np.flatnonzero((margin >= limit) & (margin > 0))
    else:
        near = np.flatnonzero(margin >= limit)
    return near[np.argsort(-margin[near], kind="stable")][:count]


# --- combination --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class CombinedProposals:
    """The combined proposals of all rows.

    Attributes
    ----------
    score
        As published: a count, a mean weight, a sum of ranks (small is good), or relevance minus
        redundancy (NaN for features without a proposal); (p,).
    weights
        Larger is better, 0 for features without a proposal; (p,).
    order
        The proposed features, best first, ties broken.
    """

    score: Floats
    weights: Floats
    order: Ints


def combine(
    candidates: CandidateSubsets,
    how: Combination,
    *,
    points: Points | None = None,
    redundancy_weight: float = 1.0,
    scaled: bool = True,
    include_self: bool = False,
) -> CombinedProposals:
    """Order the features by what all rows propose.

    Parameters
    ----------
    candidates
        The proposals.
    how
        "frequency" (OF): how many rows propose a feature; ties by mean weight.
        "mean weight" (WMA): its mean weight over the rows.
        "rank sum" (RA): the sum of its ranks; ties by frequency.
        "redundancy" (RedE): the sum of its weights minus its mean mutual information with the
        other proposed features. Remaining ties follow the order of the data.
    points
        The data; for "redundancy" only.
    redundancy_weight
        How much redundancy counts.
    scaled
        Bring relevance and redundancy to 0..1 over the proposed features first.
    include_self
        Let the entropy of a feature count as redundancy with itself, as printed in the thesis.
    """
    m, n = max(1, len(candidates.rows)), candidates.size
    counts, mean = candidates.counts(), candidates.mean_weights()
    if how == "frequency":
        return _ordered(counts, counts / m, counts, (counts, mean))
    if how == "mean weight":
        return _ordered(mean, mean, counts, (mean,))
    if how == "rank sum":
        ranks = candidates.rank_sums()
        return _ordered(ranks, (m * (n + 1) - ranks) / (m * n), counts, (-ranks, counts))
    if points is None:
        raise ValueError("The redundancy of features is measured on the data: give the points.")
    union = candidates.union()
    relevance = candidates.sums(candidates.weights)[union]
    redundancy = mean_information(_binned(points, union), include_self=include_self)
    if scaled:
        relevance, redundancy = _to_unit(relevance), _to_unit(redundancy)
    score = np.full(counts.size, np.nan)
    score[union] = np.round(relevance - redundancy_weight * redundancy, DECIMALS)
    return _ordered(score, np.nan_to_num(_above_zero(score)), counts, (score,))


def _above_zero(score: Floats) -> Floats:
    """Scores shifted so that the smallest is above 0: weight 0 would deselect its feature.

    It keeps 1 / u of the span of the u known scores; if they are all equal each becomes 1.
    """
    known = score[~np.isnan(score)]
    if not known.size:
        return score
    span = float(known.max() - known.min())
    if not span > 0:
        return np.where(np.isnan(score), np.nan, 1.0)
    return np.asarray(score - known.min() + span / known.size)


def _ordered(
    score: Floats, weights: Floats, counts: Floats, keys: tuple[Floats, ...]
) -> CombinedProposals:
    """Sort the proposed features by the first key, then the next, the largest first."""
    proposed = np.flatnonzero(counts)
    rounded = [np.round(-key[proposed], DECIMALS) for key in reversed(keys)]
    return CombinedProposals(score, weights, proposed[np.lexsort(rounded)])


def _to_unit(values: Floats) -> Floats:
    """Values from 0 for the smallest to 1 for the largest; all 0 if they are equal."""
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    if high - low <= 10.0**-DECIMALS:
        return np.zeros_like(values)
    scaled: Floats = (values - low) / (high - low)
    return scaled


def _binned(points: Points, features: Ints) -> Ints:
    """Features as codes: numbers in three parts of equal frequency, categories as they are."""
    values = points.values[:, features]
    return np.where(points.nominal[features], values, frequency_codes(values, BINS)).astype(np.intp)


def mean_information(codes: Ints, *, include_self: bool = False) -> Floats:
    """Mean mutual information (bits) of each column with the others; 0 for a single column.

    All pairs are counted by products of 0/1 matrices, a block of columns at a time.
    """
    m, u = codes.shape
    if u < 2 and not include_self:
        return np.zeros(u)
    levels = codes.max(axis=0, initial=0) + 1
    starts = np.concatenate([[0], np.cumsum(levels)])
    hot = np.zeros((m, starts[-1]), dtype=np.float32)
    hot[np.arange(m)[:, None], codes + starts[:-1]] = 1.0
    count = np.arange(m + 1.0)
    n_log_n = count * np.log2(np.maximum(count, 1.0))
    alone = n_log_n[hot.sum(axis=0).astype(np.intp)]
    entropy = np.log2(m) - np.add.reduceat(alone, starts[:-1]) / m
    joint = np.empty(u)
    width = max(1, BLOCK_VALUES // starts[-1])
    line_of = np.searchsorted(starts, np.arange(0, starts[-1], width), side="right") - 1
    blocks = [*np.unique(line_of).tolist(), u]
    for first, last in zip(blocks, blocks[1:], strict=False):
        # Counts below 2^24 are exact in single precision.
        pairs = (hot[:, starts[first] : starts[last]].T @ hot).astype(np.intp)
        cells = n_log_n[pairs].sum(axis=1)
        joint[first:last] = np.add.reduceat(cells, starts[first:last] - starts[first])
    # Sum over all t of H(f) + H(t) - H(f, t), where t = f gives H(f).
    shared = u * entropy + entropy.sum() - (u * np.log2(m) - joint / m)
    mean = shared / u if include_self else (shared - entropy) / (u - 1)
    found: Floats = np.maximum(np.round(mean, DECIMALS), 0.0)
    return found
