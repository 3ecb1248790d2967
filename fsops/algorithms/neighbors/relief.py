"""Relief and ReliefF: features that differ between near rows of different classes.

Numeric values differ by |a - b| / range, nominal ones by 0 or 1, missing ones by their expected
difference given the classes. Rows are near by the sum of these over all features, so the methods
see features that matter only together with others. The cost grows with rows squared.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.sums import BLOCK_VALUES
from fsops.algorithms.base.types import Floats, Ints, Numbers, Scores
from fsops.algorithms.neighbors.relief_rows import DISTANCES, Metric, RowBlock, Rows

__all__ = ["Metric", "nearest_hit_and_miss", "relief", "relieff"]


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
    rows = Rows.of(numeric, nominal, codes)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}.")
    if metric not in ("manhattan", "euclidean"):
        raise ValueError(f'metric must be "manhattan" or "euclidean", got {metric!r}.')
    shares = neighbour_shares(k, weighting, sigma)
    drawn = anchor_rows(rows.n, m, rng)
    prior = np.bincount(rows.codes) / max(1, rows.n)
    anchors, counts = drawn, None
    if collapse_duplicates:
        rows, anchors, counts = collapsed_rows(rows, drawn)
    blocks, fast = rows.blocks(), rows.large(anchors.size)
    total = np.zeros(rows.n_features)
    for batch in batches(anchors, rows.n):
        distance = pair_distances(blocks, batch, rows.n, metric, fast)
        pairs = nearest_rows(distance, batch, rows.codes, shares, prior=prior, counts=counts)
        total += weighted_differences(blocks, pairs, rows.n_features, fast)
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
    rows = Rows.of(numeric, nominal, codes)
    hits, misses = np.full((2, rows.n), -1)
    blocks, fast = rows.blocks(), rows.large(rows.n)
    for batch in batches(np.arange(rows.n), rows.n):
        distance = pair_distances(blocks, batch, rows.n, metric, fast)
        same = rows.codes[batch][:, None] == rows.codes
        for nearest, allowed in ((misses, ~same), (hits, same)):
            if nearest is hits:
                allowed[np.arange(batch.size), batch] = False
            closest = np.where(allowed, distance, np.inf).argmin(axis=1)
            nearest[batch] = np.where(allowed.any(axis=1), closest, -1)
    return hits, misses


def anchor_rows(n: int, m: int | None, rng: np.random.Generator | None) -> Ints:
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


def collapsed_rows(rows: "Rows", anchors: Ints) -> "tuple[Rows, Ints, _Counts | None]":
    """Return the different rows, which of them are anchors, and how often they count.

    Without duplicates all stays as it is, and there are no counts.
    """
    kept, group = rows.different()
    if kept.size == rows.n:
        return rows, anchors, None
    often = np.bincount(group[anchors], minlength=kept.size)
    counts = _Counts(np.bincount(group).astype(np.float64), often.astype(np.float64))
    return replace(rows, kept=kept), np.flatnonzero(often), counts


def batches(anchors: Ints, n: int) -> Iterator[Ints]:
    """Parts of the anchors whose distances from n rows fit into memory."""
    size = max(1, DISTANCES // max(1, n))
    for start in range(0, anchors.size, size):
        yield anchors[start : start + size]


def neighbour_shares(k: int, weighting: str, sigma: float) -> Floats:
    """Unnormalised share of the first, second, ... neighbour of a list."""
    if weighting == "uniform":
        return np.ones(k)
    if weighting != "rank":
        raise ValueError(f'weighting must be "uniform" or "rank", got {weighting!r}.')
    if not sigma > 0:
        raise ValueError(f"sigma must be above 0, got {sigma}.")
    shares: Floats = np.exp(-((np.arange(1, k + 1) / sigma) ** 2))
    return shares


# --- neighbours ---------------------------------------------------------------------------------


def pair_distances(
    blocks: Iterable[RowBlock], anchors: Ints, n: int, metric: Metric, fast: bool
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
class Pairs:
    """Pairs of an anchor and a neighbour, and how much their difference counts."""

    anchors: Ints
    neighbours: Ints
    weights: Floats


def nearest_rows(
    distance: Floats,
    anchors: Ints,
    codes: Ints,
    shares: Floats,
    *,
    prior: Floats,
    counts: _Counts | None,
) -> Pairs:
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
    return Pairs(
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


def weighted_differences(
    blocks: Iterable[RowBlock], pairs: Pairs, n_features: int, fast: bool
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
