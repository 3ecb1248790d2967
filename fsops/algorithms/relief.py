"""Relief and ReliefF: features that differ between near rows of different classes.

Numeric values differ by |a - b| / range, nominal ones by 0 or 1, missing ones by their expected
difference given the classes. Rows are near by the sum of these over all features, so the methods
see features that matter only together with others. The cost grows with rows squared.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms import kernels
from fsops.algorithms.information import FEW_LEVELS
from fsops.algorithms.moments import BLOCK_VALUES
from fsops.algorithms.types import (
    Bools,
    Floats,
    Ints,
    Numbers,
    Scores,
    as_classes,
    as_code_matrix,
    as_matrix,
)

Metric: TypeAlias = Literal["manhattan", "euclidean"]

BLOCK_FEATURES = 512
BLOCK_ROWS = 64
# Distances kept at a time (float64): half a gigabyte.
DISTANCES = 1 << 26


def relief(
    numeric: Numbers | None,
    nominal: Numbers | None,
    codes: Numbers,
    *,
    metric: Metric = "manhattan",
    m: int | None = None,
    rng: np.random.Generator | None = None,
    collapse_duplicates: bool = True,
) -> Scores:
    """Relief over all rows: difference to the nearest miss minus difference to the nearest hit.

    W_j = 1/m sum_i [diff_j(i, miss_i) - diff_j(i, hit_i)] in -1..1, for two classes; among equal
    distances the first row is nearest. A row alone in its class has no hit term. Statistics are W
    of the numeric, then of the nominal features; weights are W with negative values cut to 0.

    Parameters
    ----------
    numeric, nominal
        The numeric features (NaN = missing) and the codes of the nominal ones (-1 = missing), rows
        by features; None for no such features.
    codes
        Class of each row.
    metric
        Distance by the sum of the differences, or by the root of the sum of their squares.
    m
        Use a random sample of m rows instead of all.
    rng
        Source of chance; needed with m only.
    collapse_duplicates
        Look for neighbours among different rows only; see `relieff`.

    References
    ----------
    Kira & Rendell (1992), A practical approach to feature selection, ICML.
    """
    if len(np.unique(codes)) > 2:
        raise ValueError("Relief compares two classes; use ReliefF for more.")
    return relieff(
        numeric,
        nominal,
        codes,
        k=1,
        metric=metric,
        m=m,
        rng=rng,
        collapse_duplicates=collapse_duplicates,
    )


def relieff(
    numeric: Numbers | None,
    nominal: Numbers | None,
    codes: Numbers,
    *,
    k: int = 10,
    weighting: Literal["uniform", "rank"] = "uniform",
    sigma: float = 20.0,
    metric: Metric = "manhattan",
    m: int | None = None,
    rng: np.random.Generator | None = None,
    collapse_duplicates: bool = True,
) -> Scores:
    """ReliefF: as Relief, averaged over k hits and k misses of every other class.

    W_j = 1/m sum_i { -mean_H diff_j + sum_{c != y_i} P(c) / (1 - P(y_i)) mean_Mc diff_j }, H and
    Mc being the k nearest rows of the own class and of class c (all, if a class has fewer).

    Parameters
    ----------
    numeric, nominal, codes, metric, m, rng
        As for `relief`; any number of classes.
    k
        Neighbours per class.
    weighting
        "rank" weights the r-th neighbour by exp(-(r/sigma)^2), normalised per list.
    sigma
        Reach of "rank".
    collapse_duplicates
        Rows that are alike in all features and the class, as in a bootstrap, are taken as one row
        that counts several times, as anchor and among the neighbours: otherwise a copy would be
        its own nearest hit. The k nearest are then k different rows.

    References
    ----------
    Kononenko (1994), Estimating attributes: analysis and extensions of RELIEF, ECML;
    Robnik-Sikonja & Kononenko (2003), Theoretical and empirical analysis of ReliefF and RReliefF,
    Machine Learning 53.
    """
    rows = _Rows.of(numeric, nominal, codes)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}.")
    if metric not in ("manhattan", "euclidean"):
        raise ValueError(f'metric must be "manhattan" or "euclidean", got {metric!r}.')
    shares = _neighbour_shares(k, weighting, sigma)
    drawn = _anchors(rows.n, m, rng)
    prior = np.bincount(rows.codes) / max(1, rows.n)
    anchors, counts = drawn, None
    if collapse_duplicates:
        rows, anchors, counts = _collapsed(rows, drawn)
    blocks, fast = rows.blocks(), rows.large(anchors.size)
    total = np.zeros(rows.n_features)
    for batch in _batches(anchors, rows.n):
        distance = _distances(blocks, batch, rows.n, metric, fast)
        pairs = _neighbours(distance, batch, rows.codes, shares, prior, counts)
        total += _weighted_differences(blocks, pairs, rows.n_features, fast)
    undefined = rows.without_values()
    if rows.n_classes < 2:
        undefined[:] = True
    statistic = np.where(undefined, np.nan, total / max(1, drawn.size))
    return Scores(np.where(undefined, 0.0, np.maximum(statistic, 0.0)), statistic, undefined)


def nearest_hit_and_miss(
    numeric: Numbers | None,
    nominal: Numbers | None,
    codes: Numbers,
    *,
    metric: Metric = "manhattan",
) -> tuple[Ints, Ints]:
    """For every row, the nearest other row of its class and the nearest row of another class.

    Distances are those of `relief`; among equals the first row is taken, -1 means there is none.
    """
    rows = _Rows.of(numeric, nominal, codes)
    hits, misses = np.full((2, rows.n), -1)
    blocks, fast = rows.blocks(), rows.large(rows.n)
    for batch in _batches(np.arange(rows.n), rows.n):
        distance = _distances(blocks, batch, rows.n, metric, fast)
        same = rows.codes[batch][:, None] == rows.codes
        for nearest, allowed in ((misses, ~same), (hits, same)):
            if nearest is hits:
                allowed[np.arange(batch.size), batch] = False
            closest = np.where(allowed, distance, np.inf).argmin(axis=1)
            nearest[batch] = np.where(allowed.any(axis=1), closest, -1)
    return hits, misses


def _anchors(n: int, m: int | None, rng: np.random.Generator | None) -> Ints:
    """Rows whose neighbours are looked at."""
    if m is None:
        return np.arange(n)
    if not 1 <= m <= n:
        raise ValueError(f"m must lie between 1 and the number of rows, {n}; got {m}.")
    if rng is None:
        raise ValueError("A sample of m rows needs a random generator.")
    return np.sort(rng.choice(n, m, replace=False))


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """How often each different row is there, and how often it looks for its neighbours."""

    rows: Floats
    anchors: Floats


def _collapsed(rows: "_Rows", anchors: Ints) -> "tuple[_Rows, Ints, _Counts | None]":
    """Return the different rows, which of them are anchors, and how often they count.

    Without duplicates all stays as it is, and there are no counts.
    """
    kept, group = rows.different()
    if kept.size == rows.n:
        return rows, anchors, None
    often = np.bincount(group[anchors], minlength=kept.size)
    counts = _Counts(np.bincount(group).astype(np.float64), often.astype(np.float64))
    return replace(rows, kept=kept), np.flatnonzero(often), counts


def _batches(anchors: Ints, n: int) -> Iterator[Ints]:
    """Parts of the anchors whose distances from n rows fit into memory."""
    size = max(1, DISTANCES // max(1, n))
    for start in range(0, anchors.size, size):
        yield anchors[start : start + size]


def _neighbour_shares(k: int, weighting: str, sigma: float) -> Floats:
    """Unnormalised share of the first, second, ... neighbour of a list."""
    if weighting == "uniform":
        return np.ones(k)
    if weighting != "rank":
        raise ValueError(f'weighting must be "uniform" or "rank", got {weighting!r}.')
    if not sigma > 0:
        raise ValueError(f"sigma must be above 0, got {sigma}.")
    shares: Floats = np.exp(-((np.arange(1, k + 1) / sigma) ** 2))
    return shares


# --- differences of two rows --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Some features of one kind, all with or all without missing values.

    Unknown values are filled with 0; `expected[c, :, a]` are the expected differences of row a (its
    value may be unknown, too) from a row of class c with unknown value. Both are None if every
    value is known.
    """

    columns: Ints
    values: Numbers
    nominal: bool
    codes: Ints
    unknown: Bools | None = None
    expected: Floats | None = None

    def take(self, rows: Ints | None) -> "_Block":
        """Return these rows; what is expected of missing values stays that of all rows."""
        if rows is None:
            return self
        known = self.unknown is None or self.expected is None
        return replace(
            self,
            values=self.values[rows],
            codes=self.codes[rows],
            unknown=None if known else self.unknown[rows],  # type: ignore[index]
            expected=None if known else self.expected[:, :, rows],  # type: ignore[index]
        )

    def differences(self, a: Ints, b: Ints) -> Floats:
        """Differences of the rows a from the rows b, pair by pair, (pairs, features)."""
        difference = self._plain(self.values[a], self.values[b])
        if self.unknown is None or self.expected is None:
            return difference
        known_b = np.where(self.unknown[a], self.expected[self.codes[a], :, b], difference)
        return np.where(self.unknown[b], self.expected[self.codes[b], :, a], known_b)

    def add_distances(self, anchors: Ints, metric: Metric, distance: Floats, fast: bool) -> None:
        """Add this block's share of the (squared, if Euclidean) distances, (anchors, n)."""
        if fast and metric == "manhattan" and not self.nominal:
            kernels.add_distances(self.values, anchors, distance)
        else:
            self._add_plain(anchors, metric, distance)
        if self.unknown is not None and self.expected is not None:
            self._correct(self.unknown.T, self.expected, anchors, metric, distance)

    def _add_plain(self, anchors: Ints, metric: Metric, distance: Floats) -> None:
        """Add the distances of the filled values."""
        from scipy.spatial.distance import cdist

        kind = "cityblock" if metric == "manhattan" else "sqeuclidean"
        for start in range(0, anchors.size, BLOCK_ROWS):
            stop = start + BLOCK_ROWS
            # With all rows as anchors one half of the matrix is enough, see _distances.
            first = start if anchors.size == len(self.values) else 0
            mine, theirs = self.values[anchors[start:stop]], self.values[first:]
            share = _mismatches(mine, theirs) if self.nominal else cdist(mine, theirs, kind)
            distance[start:stop, first:] += share

    def _correct(
        self, unknown: Bools, expected: Floats, anchors: Ints, metric: Metric, distance: Floats
    ) -> None:
        """Replace the differences of filled values by expected ones, only where there are any."""
        power = 1 if metric == "manhattan" else 2
        by_feature = np.ascontiguousarray(self.values.T)
        place = np.full(by_feature.shape[1], -1)
        place[anchors] = np.arange(anchors.size)
        for row in np.flatnonzero(unknown.any(axis=0)).tolist():
            j, c = np.flatnonzero(unknown[:, row]), self.codes[row]
            values, right = by_feature[j], expected[c, j]
            wrong = self._plain(values, values[:, row, None])
            change = right**power - wrong**power
            distance[:, row] += change.sum(axis=0)[anchors]
            if place[row] >= 0:
                # Where both are unknown the pair is corrected once, by the line above.
                distance[place[row]] += np.where(unknown[j], 0.0, change).sum(axis=0)

    def _plain(self, a: Numbers, b: Numbers) -> Floats:
        if self.nominal:
            differs: Floats = (a != b).astype(np.float64)
            return differs
        difference: Floats = np.abs(a - b)
        return difference


def _mismatches(a: Numbers, b: Numbers) -> Floats:
    """In how many columns each row of a differs from each row of b."""
    p = a.shape[1]
    levels = int(max(a.max(initial=0), b.max(initial=0))) + 1
    if levels > FEW_LEVELS:
        from scipy.spatial.distance import cdist

        counted: Floats = np.rint(cdist(a, b, "hamming") * p)
        return counted
    # Products of 0/1 matrices count exactly in single precision and run at full speed.
    same = np.zeros((len(a), len(b)), dtype=np.float32)
    for value in range(levels):
        same += (a == value).astype(np.float32) @ (b == value).astype(np.float32).T
    mismatches: Floats = p - same.astype(np.float64)
    return mismatches


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The data: numeric features scaled to 0..1, nominal codes, classes numbered without gaps.

    If only some rows are kept, the others still tell what to expect of missing values.
    """

    numeric: Floats
    nominal: Numbers
    all_codes: Ints
    n_classes: int
    kept: Ints | None = None

    @classmethod
    def of(cls, numeric: Numbers | None, nominal: Numbers | None, codes: Numbers) -> "_Rows":
        n = len(codes)
        classes = as_classes(codes, n)
        present, classes = np.unique(classes, return_inverse=True)
        numeric = as_matrix(np.empty((n, 0)) if numeric is None else numeric, "numeric")
        nominal = as_code_matrix(np.empty((n, 0), np.intp) if nominal is None else nominal)
        for name, block in (("numeric", numeric), ("nominal", nominal)):
            if len(block) != n:
                raise ValueError(f"There are {len(block)} {name} rows, but {n} class codes.")
        return cls(_scaled(numeric), nominal, classes.astype(np.intp), present.size)

    @property
    def codes(self) -> Ints:
        return self.all_codes if self.kept is None else self.all_codes[self.kept]

    @property
    def n(self) -> int:
        return self.codes.size

    def different(self) -> tuple[Ints, Ints]:
        """Return the first of all equal rows of a class, and for each row which of these it is."""
        seen: dict[tuple[int, bytes, bytes], int] = {}
        group = [
            seen.setdefault((code, numbers.tobytes(), names.tobytes()), len(seen))
            for code, numbers, names in zip(
                self.all_codes.tolist(), self.numeric, self.nominal, strict=True
            )
        ]
        groups = np.array(group, dtype=np.intp)
        return np.unique(groups, return_index=True)[1], groups

    @property
    def n_features(self) -> int:
        return int(self.numeric.shape[1] + self.nominal.shape[1])

    def large(self, anchors: int) -> bool:
        """Whether the differences of so many anchors from all rows are a job for kernels."""
        return kernels.take_pairs(anchors * self.n * self.n_features)

    def without_values(self) -> Bools:
        """Features of which nothing is known."""
        return np.concatenate(
            [np.isnan(self.numeric).all(axis=0), (self.nominal < 0).all(axis=0)], dtype=np.bool_
        )

    def blocks(self) -> Iterable[_Block]:
        """All features in blocks, to be walked many times; kept in memory if they fit."""
        fit = self.n * self.n_features * self.n_classes <= DISTANCES
        return list(self) if fit else self

    def __iter__(self) -> Iterator[_Block]:
        first = self.numeric.shape[1]
        for values, nominal, shift in ((self.numeric, False, 0), (self.nominal, True, first)):
            unknown = values < 0 if nominal else np.isnan(values)
            holes = unknown.any(axis=0)
            for columns in _pieces(np.flatnonzero(~holes)):
                part = values.take(columns, axis=1)
                yield _Block(columns + shift, part, nominal, self.all_codes).take(self.kept)
            for columns in _pieces(np.flatnonzero(holes)):
                part, missing = values.take(columns, axis=1), unknown.take(columns, axis=1)
                expected = _expected_differences(part, nominal, self.all_codes, self.n_classes)
                filled = np.where(missing, 0, part)
                block = _Block(columns + shift, filled, nominal, self.all_codes, missing, expected)
                yield block.take(self.kept)


def _pieces(columns: Ints) -> Iterator[Ints]:
    for start in range(0, columns.size, BLOCK_FEATURES):
        yield columns[start : start + BLOCK_FEATURES]


def _scaled(X: Numbers) -> Floats:
    """Columns shifted and scaled to 0..1; constant ones become 0."""
    if np.isinf(X).any():
        raise ValueError("Relief cannot scale features with infinite values.")
    scaled: Floats = X.astype(np.float64, order="C")
    if len(X):
        low, high = np.fmin.reduce(scaled, axis=0), np.fmax.reduce(scaled, axis=0)
        span = high - low
        scaled -= low
        scaled /= np.where(span > 0, span, 1.0)
    return scaled


# --- expected differences of missing values -----------------------------------------------------


def _expected_differences(values: Numbers, nominal: bool, codes: Ints, n_classes: int) -> Floats:
    """Expected difference of every row from an unknown value in each class, (C, features, n)."""
    expected_of = _expected_nominal if nominal else _expected_numeric
    n, p = values.shape
    expected = np.zeros((n_classes, p, n))
    for j in range(p):
        x = values[:, j]
        known = x >= 0  # scaled numbers and codes are not negative, NaN compares as False
        groups = [known & (codes == c) for c in range(n_classes)]
        # A class in which nothing is known borrows the values of all classes.
        groups = [g if g.any() else known for g in groups]
        if not known.any():
            continue
        difference = expected_of(x, groups)
        for c, group in enumerate(groups):
            difference[:, ~known & (codes == c)] = difference[:, group].mean(axis=1, keepdims=True)
        expected[:, j] = difference
    return expected


def _expected_numeric(x: Floats, groups: list[Bools]) -> Floats:
    """Mean absolute difference of each value from the values of each group, by prefix sums."""
    expected = np.empty((len(groups), x.size))
    for c, group in enumerate(groups):
        ordered = np.sort(x[group])
        prefix = np.concatenate([[0.0], np.cumsum(ordered)])
        below = np.searchsorted(ordered, x)
        above = ordered.size - below
        spread = x * below - prefix[below] + (prefix[-1] - prefix[below]) - x * above
        expected[c] = spread / ordered.size
    return expected


def _expected_nominal(x: Ints, groups: list[Bools]) -> Floats:
    """Chance that a value drawn from each group is another one."""
    expected = np.empty((len(groups), x.size))
    levels = int(x.max()) + 1
    for c, group in enumerate(groups):
        share = np.bincount(x[group], minlength=levels) / group.sum()
        expected[c] = 1 - share[x]
    return expected


# --- neighbours ---------------------------------------------------------------------------------


def _distances(
    blocks: Iterable[_Block], anchors: Ints, n: int, metric: Metric, fast: bool
) -> Floats:
    """Distances of the anchors from all n rows, rounded so that ties are ties; (anchors, n)."""
    distance = np.zeros((anchors.size, n))
    for block in blocks:
        block.add_distances(anchors, metric, distance, fast)
    if anchors.size == n:
        distance = np.triu(distance, 1)
        distance += distance.T
    if metric == "euclidean":
        np.sqrt(np.maximum(distance, 0.0, out=distance), out=distance)
    return np.round(distance, 12, out=distance)


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of an anchor and a neighbour, and how much their difference counts."""

    anchors: Ints
    neighbours: Ints
    weights: Floats


def _neighbours(
    distance: Floats,
    anchors: Ints,
    codes: Ints,
    shares: Floats,
    prior: Floats,
    counts: _Counts | None = None,
) -> _Pairs:
    """Nearest hits (negative weight) and nearest misses of every class for every anchor."""
    pairs: list[tuple[Ints, Ints, Floats]] = []
    for c, share in enumerate(prior):
        members = np.flatnonzero(codes == c)
        for own in range(prior.size):
            mine = np.flatnonzero(codes[anchors] == own)
            count = min(shares.size, members.size - (own == c))
            if not count or not mine.size:
                continue
            near = distance[np.ix_(mine, members)]
            if own == c:
                near[anchors[mine][:, None] == members] = np.inf
            chosen = members[_smallest(near, count)]
            sign = -1.0 if own == c else share / (1 - prior[own])
            rows = np.repeat(anchors[mine], count)
            if counts is None:
                weights = np.tile(sign * shares[:count] / shares[:count].sum(), mine.size)
            else:
                counted = shares[:count] * counts.rows[chosen]
                counted *= (sign * counts.anchors[anchors[mine]] / counted.sum(axis=1))[:, None]
                weights = counted.ravel()
            pairs.append((rows, chosen.ravel(), weights))
    empty = np.empty(0, dtype=np.intp)
    return _Pairs(
        np.concatenate([empty, *(p[0] for p in pairs)]),
        np.concatenate([empty, *(p[1] for p in pairs)]),
        np.concatenate([np.empty(0), *(p[2] for p in pairs)]),
    )


def _smallest(values: Floats, count: int) -> Ints:
    """Columns of the `count` smallest values of each line in order; of equals the first ones."""
    limit = np.partition(values, count - 1, axis=1)[:, count - 1 : count]
    # A stable sort of three small keys is a counting sort: it keeps equals in column order.
    key = (values >= limit).astype(np.int8) + (values > limit)
    chosen = np.argsort(key, axis=1, kind="stable")[:, :count]
    order = np.argsort(np.take_along_axis(values, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)


def _weighted_differences(
    blocks: Iterable[_Block], pairs: _Pairs, n_features: int, fast: bool
) -> Floats:
    """Sum of the weighted differences of all pairs, for every feature."""
    total = np.zeros(n_features)
    for block in blocks:
        if fast and block.unknown is None and not block.nominal:
            total[block.columns] = kernels.weighted_differences(
                block.values, pairs.anchors, pairs.neighbours, pairs.weights
            )
            continue
        size = max(1, BLOCK_VALUES // max(1, block.columns.size))
        for start in range(0, pairs.weights.size, size):
            part = slice(start, start + size)
            differences = block.differences(pairs.anchors[part], pairs.neighbours[part])
            total[block.columns] += pairs.weights[part] @ differences
    return total
