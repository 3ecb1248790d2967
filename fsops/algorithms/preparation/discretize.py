"""Cut points that divide numeric features into a few intervals, trained on given rows only.

All rules return `CutPoints`, which can then be applied to any rows. A value equal to a cut point
belongs to the interval below it. Missing values (NaN) are left out when learning and get code -1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled import ranks
from fsops.algorithms.base.moments import ClassMoments
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import (
    Bools,
    Codes,
    Floats,
    Ints,
    Numbers,
    as_classes,
    as_matrix,
    count_classes,
    stored_by_column,
)
from fsops.algorithms.statistics.information import entropy

# Up to so many rows numpy sorts doubles faster than the compiled radix sort does.
SORTED_ROWS = 700


SplitMeasure = Callable[[Floats, Floats], Floats]
"""From the class counts below each cut, and of all rows, to how good the cut is."""


@dataclass(frozen=True, slots=True, eq=False)
class CutPoints:
    """Cut points of every feature.

    Attributes
    ----------
    cuts
        Ascending cut points, one column per feature, unused places filled with +inf; (k, p).
    """

    cuts: Floats

    @classmethod
    def of(cls, candidates: Floats, highest: Floats | None = None) -> "CutPoints":
        """Cut points from unordered candidates (k, p) with duplicates; NaN is not a cut point.

        Cut points that are not below `highest` (the largest value) are dropped: no value is
        above them.
        """
        cuts = np.where(np.isnan(candidates), np.inf, candidates)
        if highest is not None:
            cuts[~(cuts < highest)] = np.inf
        cuts.sort(axis=0)
        cuts[1:][cuts[1:] == cuts[:-1]] = np.inf
        cuts.sort(axis=0)
        used = int(np.isfinite(cuts).sum(axis=0).max(initial=0))
        return cls(cuts[:used])

    @property
    def n_levels(self) -> Ints:
        """Number of intervals of each feature, at least 1."""
        levels: Ints = np.isfinite(self.cuts).sum(axis=0) + 1
        return levels

    def apply(self, X: Numbers) -> Codes:
        """Interval of every value, counted from 0; -1 for a missing value."""
        X = as_matrix(X)
        if X.shape[1] != self.cuts.shape[1]:
            raise ValueError(
                f"The cut points are of {self.cuts.shape[1]} features, the data have {X.shape[1]}."
            )
        # Small integers: coded data should not be larger than the data.
        codes = _zeros_like(X, np.int8 if len(self.cuts) < 127 else np.int32)
        for rows, columns in _cells(X):
            part, values = codes[rows, columns], X[rows, columns]
            for cut in self.cuts[:, columns]:
                part += cut < values
            part[np.isnan(values)] = -1
        return codes


def _zeros_like(X: Numbers, dtype: type[np.signedinteger[Any]]) -> Codes:
    """Codes stored as X is, so that both are read along memory."""
    return np.zeros(X.shape, dtype=dtype, order="F" if stored_by_column(X) else "C")


def _cells(X: Numbers) -> Iterator[tuple[slice, slice]]:
    """Rows and columns of cache-sized blocks, in the order in which X is stored."""
    everything = slice(None)
    if stored_by_column(X):
        for columns in column_tiles(X.shape[1], len(X)):
            yield everything, columns
    else:
        for rows in column_tiles(len(X), X.shape[1]):
            yield rows, everything


def equal_frequency(X: Numbers, bins: int = 10) -> CutPoints:
    """Cut points at the quantiles (linear interpolation), so that intervals hold equal shares.

    Equal quantiles become one cut point: features with many ties get fewer intervals.
    """
    X = as_matrix(X)
    _check_bins(bins)
    inner = np.linspace(0, 1, bins + 1)[1:-1]
    *cuts, highest = quantiles(X, np.append(inner, 1.0))
    return CutPoints.of(np.array(cuts), highest)


def filled_bins(X: Numbers, bins: int = 10) -> CutPoints:
    """Cut points midway between two values, each set as soon as a bin holds its part of the rows.

    RapidMiner's rule: a bin holds known / bins rows, plus or minus the rows that earlier bins left
    free or took too much. A cut is set before a new value if less than one row fits in.
    """
    X = as_matrix(X)
    _check_bins(bins)
    cuts = np.full((bins - 1, X.shape[1]), np.nan)
    for tile in column_tiles(X.shape[1], len(X)):
        ordered, known = _sorted_columns(X[:, tile])
        cuts[:, tile] = _filled(ordered, known, bins)
    return CutPoints.of(cuts)


def _filled(ordered: Floats, known: Ints, bins: int) -> Floats:
    cuts = np.full((bins - 1, ordered.shape[1]), np.nan)
    size = known / bins
    room, used = size.copy(), np.zeros(len(known), dtype=np.intp)
    columns = np.arange(len(known))
    for row in range(len(ordered)):
        if row:
            new = (ordered[row] > ordered[row - 1]) & (room < 1) & (used < bins - 1)
            at = columns[new]
            cuts[used[at], at] = _midpoint(ordered[row - 1, at], ordered[row, at])
            used[at] += 1
            room[at] += size[at]
        room -= 1
    return cuts


def fixed_size(X: Numbers, size: int, *, from_top: bool = False) -> CutPoints:
    """Cut points after each `size` rows, midway to the next different value, as in RapidMiner.

    Rows are counted from the smallest value, or with `from_top` from the largest one. Equal values
    are never divided.
    """
    X = as_matrix(X).astype(np.float64)
    if from_top:
        mirrored = fixed_size(-X, size).cuts
        return CutPoints.of(np.where(np.isinf(mirrored), np.nan, -mirrored))
    ordered = np.sort(X, axis=0)  # missing values last
    following = np.full(X.shape, np.nan)
    """For each row the next value that is different."""
    for row in range(len(X) - 2, -1, -1):
        same = ordered[row] == ordered[row + 1]
        following[row] = np.where(same, following[row + 1], ordered[row + 1])
    ends = np.arange(size - 1, max(len(X) - 1, 0), size)
    below, above = ordered[ends], following[ends]
    return CutPoints.of(np.where(np.isnan(above), np.nan, _midpoint(below, above)))


def frequency_codes(X: Numbers, bins: int) -> Codes:
    """Parts of equal frequency: the number of quantiles that are not above a value; -1 if missing.

    The parts are closed on the left, as in the mutual information of MRMR and of instance-based
    selection, unlike the intervals of `equal_frequency`.
    """
    X = as_matrix(X)
    _check_bins(bins)
    edges = quantiles(X, np.arange(1, bins) / bins)
    codes = _zeros_like(X, np.int8 if bins < 127 else np.int32)
    for rows, columns in _cells(X):
        part, values = codes[rows, columns], X[rows, columns]
        for edge in edges[:, columns]:
            part += edge <= values
        part[np.isnan(values)] = -1
    return codes


def equal_width(X: Numbers, bins: int = 10) -> CutPoints:
    """Cut points that divide the range of each feature into intervals of equal width."""
    X = as_matrix(X)
    _check_bins(bins)
    if not len(X):
        return CutPoints.of(np.full((bins - 1, X.shape[1]), np.nan))
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    share = np.linspace(0, 1, bins + 1)[1:-1, None]
    with np.errstate(invalid="ignore"):
        cuts = np.clip(low * (1 - share) + high * share, low, high)
    return CutPoints.of(cuts, high)


def mean_sd(X: Numbers, c: float = 0.5) -> CutPoints:
    """Cut points at mean - c sd and mean + c sd (sample deviation): low, middle and high.

    References
    ----------
    Ding & Peng (2003), Minimum redundancy feature selection from microarray gene expression data
    (c = 0.5); Peng, Long & Ding (2005), IEEE TPAMI 27 (c = 1).
    """
    X = as_matrix(X)
    if not c > 0:
        raise ValueError(f"c must be above 0, got {c}.")
    moments = ClassMoments.of(X, np.zeros(len(X), dtype=np.intp), 1)
    n = np.broadcast_to(moments.count[0], moments.origin.shape)
    reach = c * np.sqrt(moments.within()[0] / np.maximum(n - 1, 1.0))
    # A constant feature stays in one piece.
    reach = np.where((n > 1) & (reach > 0), reach, np.nan)
    mean = moments.mean[0]
    return CutPoints.of(np.stack([mean - reach, mean + reach]))


def best_split(X: Numbers, codes: Numbers, measure: SplitMeasure | None = None) -> CutPoints:
    """The one cut point, midway between two values, with the largest information gain.

    If gains are equal, the lowest cut point is taken; a constant feature gets none. Another
    `measure` than the information gain can decide: `gain_ratio_of_splits` or `gini_gain_of_splits`.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning.
    """
    X = as_matrix(X)
    n_classes = count_classes(codes)
    codes = as_classes(codes, len(X), n_classes)
    cut = np.empty(X.shape[1])
    for tile in column_tiles(X.shape[1], len(X) * n_classes):
        cut[tile] = _best_splits(X[:, tile], codes, n_classes, measure).cut
    return CutPoints.of(cut[None, :])


def gain_ratio_of_splits(below: Floats, whole: Floats) -> Floats:
    """Information gain of each split, divided by the entropy of the two parts."""
    n = np.maximum(whole.sum(axis=-1), 1.0)
    gain = entropy(whole) - _split_uncertainty(below, whole) / n
    parts = entropy(np.stack([below.sum(axis=-1), (whole - below).sum(axis=-1)], axis=-1))
    return np.asarray(np.divide(gain, parts, out=gain, where=parts > 0))


def gini_gain_of_splits(below: Floats, whole: Floats) -> Floats:
    """Decrease of the Gini impurity by each split, up to a constant of the feature."""
    above = whole - below
    parts = ((part**2).sum(axis=-1) / np.maximum(part.sum(axis=-1), 1.0) for part in (below, above))
    return np.asarray(sum(parts) / np.maximum(whole.sum(axis=-1), 1.0))


def minimum_description_length(X: Numbers, codes: Numbers) -> CutPoints:
    """Cut points by recursive best splits, as long as a split pays for its description.

    A split of n rows is accepted if its information gain exceeds
    log2(n - 1)/n + [log2(3^k - 2) - k H + k1 H1 + k2 H2]/n with k classes and entropy H before,
    k1, k2, H1, H2 in the two parts. A feature without an accepted split gets no cut point.

    References
    ----------
    Fayyad & Irani (1993), Multi-interval discretization of continuous-valued attributes for
    classification learning, IJCAI.
    """
    X = as_matrix(X)
    n_classes = count_classes(codes)
    codes = as_classes(codes, len(X), n_classes)
    cuts: list[tuple[Ints, Floats]] = []
    for tile in column_tiles(X.shape[1], len(X) * n_classes):
        feature = np.arange(tile.start, tile.stop)
        part = X[:, tile].astype(np.float64)
        while feature.size:
            split = _best_splits(part, codes, n_classes)
            worth = np.flatnonzero(split.pays())
            feature, part, cut = feature[worth], part[:, worth], split.cut[worth]
            cuts.append((feature, cut))
            # Both halves are split further as columns of their own.
            low = part <= cut
            part = np.hstack([np.where(low, part, np.nan), np.where(low, np.nan, part)])
            feature = np.concatenate([feature, feature])
    return _collect(cuts, X.shape[1])


def _collect(cuts: list[tuple[Ints, Floats]], p: int) -> CutPoints:
    """Cut points from (features, cuts) pairs; a feature may occur many times."""
    feature = np.concatenate([np.empty(0, dtype=np.intp), *(f for f, _ in cuts)])
    cut = np.concatenate([np.empty(0), *(c for _, c in cuts)])
    order = np.argsort(feature, kind="stable")
    counts = np.bincount(feature, minlength=p)
    place = np.arange(feature.size) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.full((int(counts.max(initial=0)), p), np.nan)
    table[place, feature[order]] = cut[order]
    return CutPoints.of(table)


@dataclass(frozen=True, slots=True, eq=False)
class _Splits:
    """Best split of each column: cut (NaN if none), class counts of all rows and of both parts."""

    cut: Floats
    whole: Floats
    low: Floats
    high: Floats

    def pays(self) -> Bools:
        """Fayyad and Irani's test."""
        n = self.whole.sum(axis=1)
        parts = (self.whole, self.low, self.high)
        h, h_low, h_high = (entropy(counts) for counts in parts)
        k, k_low, k_high = ((counts > 0).sum(axis=1) for counts in parts)
        rows = np.maximum(n, 1.0)
        gain = h - (self.low.sum(axis=1) * h_low + self.high.sum(axis=1) * h_high) / rows
        some = np.maximum(k, 1)
        # log2(3^k - 2) without overflow for many classes
        price = np.log2(np.maximum(n - 1, 1.0)) + some * np.log2(3) + np.log2(1 - 2 * 3.0**-some)
        price -= k * h - k_low * h_low - k_high * h_high
        result: Bools = ~np.isnan(self.cut) & (gain > price / rows)
        return result


def _best_splits(
    X: Numbers, codes: Ints, n_classes: int, measure: SplitMeasure | None = None
) -> _Splits:
    """Best binary split of every column by information gain; missing values are left out."""
    n, p = X.shape
    columns = np.arange(p)
    if n < 2:
        none = np.zeros((p, n_classes))
        return _Splits(np.full(p, np.nan), none, none, none)
    order = np.argsort(X, axis=0, kind="stable")
    ordered = np.take_along_axis(X, order, axis=0).astype(np.float64)
    member = (codes[order][:, :, None] == np.arange(n_classes)) & ~np.isnan(ordered)[:, :, None]
    below = np.cumsum(member, axis=0, dtype=np.float64)
    whole = below[-1]
    # A cut can only lie where the value rises; NaN, sorted to the end, compare as False.
    rises = ordered[1:] > ordered[:-1]
    if measure is None:
        uncertainty = _split_uncertainty(below[:-1], whole)
    else:
        uncertainty = -measure(below[:-1], whole)
    uncertainty[~rises] = np.inf
    # Gains equal up to rounding are equal: take the first.
    lowest = uncertainty.min(axis=0)
    place = (uncertainty <= lowest + 1e-12 * np.abs(lowest)).argmax(axis=0)
    cut = _midpoint(ordered[place, columns], ordered[place + 1, columns])
    low = below[place, columns]
    return _Splits(np.where(np.isfinite(lowest), cut, np.nan), whole, low, whole - low)


def _split_uncertainty(below: Floats, whole: Floats) -> Floats:
    """Entropy of the classes that remains after each split, summed over rows."""
    above = whole - below
    rest: Floats = below.sum(axis=-1) * entropy(below) + above.sum(axis=-1) * entropy(above)
    return rest


def _midpoint(low: Floats, high: Floats) -> Floats:
    """Point between two values; the lower one if no double is between them."""
    middle = low / 2 + high / 2
    return np.where((middle >= low) & (middle < high), middle, low)


def quantiles(X: Numbers, q: Floats) -> Floats:
    """Quantiles of the known values of each column, a row for each of q; NaN where there are none.

    Between two values the quantile is interpolated linearly.
    """
    X = as_matrix(X)
    found = np.empty((q.size, X.shape[1]))
    compiled = len(X) > SORTED_ROWS and kernels.take_ranks(X.size)
    for tile in column_tiles(X.shape[1], len(X)):
        found[:, tile] = _quantiles(*_sorted_columns(X[:, tile], compiled), q)
    return found


def _sorted_columns(X: Numbers, compiled: bool = False) -> tuple[Floats, Ints]:
    """Columns in ascending order with NaN last, and the number of known values of each."""
    # Adding 0 turns -0 into 0, which the kernel needs.
    lines = np.add(X.T, 0.0, dtype=np.float64, order="C")
    if compiled:
        return lines.T, ranks.sort_lines(lines)
    lines.sort(axis=1)
    return lines.T, np.count_nonzero(~np.isnan(lines), axis=1)


def _quantiles(ordered: Floats, known: Ints, q: Floats) -> Floats:
    """Quantiles with linear interpolation of the known values; NaN where there are none."""
    n, p = ordered.shape
    if not n:
        return np.full((q.size, p), np.nan)
    position = q[:, None] * np.maximum(known - 1, 0)
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(known - 1, 0))
    columns = np.arange(p)
    share = position - below
    low, high = ordered[below, columns], ordered[above, columns]
    # Rounding must not push a quantile below the value it stands for.
    return np.clip(low * (1 - share) + high * share, low, high)


def _check_bins(bins: int) -> None:
    if bins < 2:
        raise ValueError(f"There must be at least 2 bins, got {bins}.")
