"""Relief and ReliefF: features that differ between near rows of different classes.

Numeric values differ by |a - b| / range, nominal ones by 0 or 1, missing ones by their expected
difference given the classes. Rows are near by the sum of these over all features, so the methods
see features that matter only together with others. The cost grows with rows squared.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fsops.algorithms.base.compiled import near as kernels
from fsops.algorithms.base.compiled.rounded import matrix_of, rounded_rows
from fsops.algorithms.base.sums import BLOCK_VALUES
from fsops.algorithms.base.types import Floats, Ints, Numbers, Scores
from fsops.algorithms.neighbors.relief_rows import DISTANCES, Metric, Rows, RowTile, Scaling

__all__ = ["Metric", "Scaling", "nearest_hit_and_miss", "relief", "relieff"]


def relief(
    numeric: Numbers | None,
    nominal: Numbers | None,
    codes: Numbers,
    *,
    metric: Metric = "manhattan",
    m: int | None = None,
    replace: bool = False,
    rng: np.random.Generator | None = None,
    collapse_duplicates: bool = True,
    scaling: Scaling = "range",
) -> Scores:
    """Relief over all rows: difference to the nearest miss minus difference to the nearest hit.

    W_j = 1/m sum_i [diff_j(i, miss_i) - diff_j(i, hit_i)] in -1..1, for two classes; rows at equal
    distances share the place. A row alone in its class has no hit term. Statistics are W
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
    replace
        Draw the sample with replacement; m may then exceed the number of rows.
    rng
        Source of chance; needed with m only.
    collapse_duplicates
        Look for neighbors among different rows only; see `relieff`.
    scaling
        "none" takes numeric values as they are, so that features with a wide range count more; W
        then has their unit. Nominal values still differ by 0 or 1.

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
        replace=replace,
        rng=rng,
        collapse_duplicates=collapse_duplicates,
        scaling=scaling,
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
    replace: bool = False,
    rng: np.random.Generator | None = None,
    collapse_duplicates: bool = True,
    scaling: Scaling = "range",
) -> Scores:
    """ReliefF: as Relief, averaged over k hits and k misses of every other class.

    W_j = 1/m sum_i { -mean_H diff_j + sum_{c != y_i} P(c) / (1 - P(y_i)) mean_Mc diff_j }, H and
    Mc being the k nearest rows of the own class and of class c (all, if a class has fewer). Rows at
    the same distance share their places: the order of the rows does not matter.

    Parameters
    ----------
    numeric, nominal, codes, metric, m, replace, rng, scaling
        As for `relief`; any number of classes.
    k
        Neighbors per class.
    weighting
        "rank" weights the r-th neighbor by exp(-(r/sigma)^2), normalized per list.
    sigma
        Reach of "rank".
    collapse_duplicates
        Rows that are alike in all features and the class, as in a bootstrap, are taken as one row
        that counts several times, as anchor and among the neighbors: otherwise a copy would be
        its own nearest hit. The k nearest are then k different rows.

    References
    ----------
    Kononenko (1994), Estimating attributes: analysis and extensions of RELIEF, ECML;
    Robnik-Sikonja & Kononenko (2003), Theoretical and empirical analysis of ReliefF and RReliefF,
    Machine Learning 53.
    """
    rows = Rows.of(numeric, nominal, codes, scaling=scaling)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}.")
    if metric not in ("manhattan", "euclidean"):
        raise ValueError(f'metric must be "manhattan" or "euclidean", got {metric!r}.')
    shares = neighbour_shares(k, weighting, sigma)
    drawn = anchor_rows(rows.n, m, rng, replace=replace)
    prior = np.bincount(rows.codes) / max(1, rows.n)
    rows, anchors, counts = counted_rows(rows, drawn, collapse=collapse_duplicates)
    screened = m is None and weighting == "uniform" and metric == "manhattan" and counts is None
    if screened and rows.large(rows.n) and rows.are_complete_numbers():
        total, undefined = (
            _screened_differences(rows, k, prior),
            np.zeros(rows.n_features, np.bool_),
        )
    else:
        total = _differences(rows, anchors, metric, shares, prior, counts)
        undefined = rows.without_values()
    if rows.n_classes < 2:
        undefined[:] = True
    statistic = np.where(undefined, np.nan, total * rows.unit / max(1, drawn.size))
    return Scores(np.where(undefined, 0.0, np.maximum(statistic, 0.0)), statistic, undefined)


def _differences(  # noqa: PLR0917 - all are needed
    rows: Rows,
    anchors: Ints,
    metric: Metric,
    shares: Floats,
    prior: Floats,
    counts: "_Counts | None",
) -> Floats:
    """Sum of the weighted differences of the anchors from their nearest rows, for every feature."""
    blocks, fast = rows.blocks(), rows.large(anchors.size)
    total = np.zeros(rows.n_features)
    for batch in batches(anchors, rows.n):
        distance = pair_distances(rows, blocks, batch, metric, fast)
        pairs = nearest_rows(distance, batch, rows.codes, shares, prior=prior, counts=counts)
        total += weighted_differences(blocks, pairs, rows.n_features, fast)
    return total


def _screened_differences(rows: Rows, k: int, prior: Floats) -> Floats:
    """`_differences` of all rows, for complete numbers and neighbors that count the same.

    The nearest rows are found by distances of rounded values, whose error is known, and by exact
    ones where that error may decide. Measured: half the time of exact distances.
    """
    n, codes, X = rows.n, rows.codes, rows.numeric
    rounded = rounded_rows(X, np.arange(n))
    near = matrix_of(rounded)
    sizes = np.bincount(codes, minlength=prior.size)
    chosen = np.full((n, prior.size, k), -1)
    doubtful = np.zeros(n, dtype=np.bool_)
    error = 2 * float(rounded.errors.max())
    kernels.find_nearest(near, X, codes, sizes, error, rows.decimals, chosen, doubtful)
    others = np.where(prior < 1, 1 - prior, 1.0)[codes, None]
    weights = np.where(codes[:, None] == np.arange(prior.size), -1.0, prior / others)
    used = chosen >= 0
    share = weights[:, :, None] / np.maximum(used.sum(axis=2, keepdims=True), 1)
    used &= ~doubtful[:, None, None]
    anchors, classes, _ = np.nonzero(used)
    pairs = share[anchors, classes, 0]
    total = kernels.weighted_differences(X, anchors, chosen[used], pairs)
    if doubtful.any():
        some = np.flatnonzero(doubtful)
        total += _differences(rows, some, "manhattan", np.ones(k), prior, None)
    return total


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
        distance = pair_distances(rows, blocks, batch, metric, fast)
        same = rows.codes[batch][:, None] == rows.codes
        for nearest, allowed in ((misses, ~same), (hits, same)):
            if nearest is hits:
                allowed[np.arange(batch.size), batch] = False
            closest = np.where(allowed, distance, np.inf).argmin(axis=1)
            nearest[batch] = np.where(allowed.any(axis=1), closest, -1)
    return hits, misses


def anchor_rows(
    n: int, m: int | None, rng: np.random.Generator | None, *, replace: bool = False
) -> Ints:
    """Rows whose neighbors are looked at; with replacement some of them several times."""
    if m is None:
        return np.arange(n)
    if not m >= 1 or m > n and not replace:
        raise ValueError(f"m must lie between 1 and the number of rows, {n}; got {m}.")
    if rng is None:
        raise ValueError("A sample of m rows needs a random generator.")
    return np.sort(rng.choice(n, m, replace=replace))


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """How often each different row is there, and how often it looks for its neighbors."""

    rows: Floats
    anchors: Floats


def counted_rows(
    rows: "Rows", anchors: Ints, *, collapse: bool
) -> "tuple[Rows, Ints, _Counts | None]":
    """Return the rows, which of them are anchors, and how often they count.

    With `collapse` only the different rows are kept. Without duplicates and without anchors that
    were drawn several times all stays as it is, and there are no counts.
    """
    kept, group = rows.different() if collapse else (np.arange(rows.n), np.arange(rows.n))
    often = np.bincount(group[anchors], minlength=kept.size)
    alone = kept.size == rows.n
    if alone and often.max(initial=0) <= 1:
        return rows, anchors, None
    counts = _Counts(np.bincount(group).astype(np.float64), often.astype(np.float64))
    if not alone:
        rows = dataclasses.replace(rows, kept=kept)
    return rows, np.flatnonzero(often), counts


def batches(anchors: Ints, n: int) -> Iterator[Ints]:
    """Parts of the anchors whose distances from n rows fit into memory."""
    size = max(1, DISTANCES // max(1, n))
    for start in range(0, anchors.size, size):
        yield anchors[start : start + size]


def neighbour_shares(k: int, weighting: str, sigma: float) -> Floats:
    """Unnormalised weight of the first, second, ... neighbor of a list."""
    if weighting == "uniform":
        return np.ones(k)
    if weighting != "rank":
        raise ValueError(f'weighting must be "uniform" or "rank", got {weighting!r}.')
    if not sigma > 0:
        raise ValueError(f"sigma must be above 0, got {sigma}.")
    shares: Floats = np.exp(-((np.arange(1, k + 1) / sigma) ** 2))
    return shares


# --- neighbors ---------------------------------------------------------------------------------


def pair_distances(
    rows: Rows, blocks: Iterable[RowTile], anchors: Ints, metric: Metric, fast: bool
) -> Floats:
    """Distances of the anchors from all rows, rounded so that ties are ties; (anchors, rows)."""
    distance = np.zeros((anchors.size, rows.n))
    for block in blocks:
        block.add_distances(anchors, metric, distance, fast)
    if anchors.size == rows.n:
        distance = np.triu(distance, 1)
        distance += distance.T
    if metric == "euclidean":
        np.sqrt(np.maximum(distance, 0.0, out=distance), out=distance)
    return np.round(distance, rows.decimals, out=distance)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of an anchor and a neighbor, and how much their difference counts."""

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
            lines, columns, weights = _shared_places(near, shares[:count])
            chosen = members[columns]
            if counts is not None:
                weights *= counts.rows[chosen]
            scale = np.bincount(lines, weights, minlength=mine.size)
            sign = -1.0 if own == c else share / (1 - prior[own])
            often = 1.0 if counts is None else counts.anchors[anchors[mine]]
            weights *= (sign * often / scale)[lines]
            pairs.append((anchors[mine][lines], chosen, weights))
    empty = np.empty(0, dtype=np.intp)
    return Pairs(
        np.concatenate([empty, *(p[0] for p in pairs)]),
        np.concatenate([empty, *(p[1] for p in pairs)]),
        np.concatenate([np.empty(0), *(p[2] for p in pairs)]),
    )


def _shared_places(values: Floats, shares: Floats) -> tuple[Ints, Ints, Floats]:
    """Line, column and weight of the nearest values of each line.

    Equal values share their places, also with those behind the last place: each gets the mean
    weight of its group, so that the order of the columns decides nothing.
    """
    lines, count = len(values), shares.size
    chosen = _smallest(values, count)
    found = np.repeat(np.arange(lines), count), chosen.ravel(), np.tile(shares, lines)
    near = np.take_along_axis(values, chosen, axis=1)
    tied = (values <= near[:, -1:]).sum(axis=1) > count
    if not (shares == shares[0]).all():
        tied |= (near[:, 1:] == near[:, :-1]).any(axis=1)
    if not tied.any():
        return found
    alone = np.repeat(~tied, count)
    some = np.flatnonzero(tied)
    parts = _tied_places(values[some], shares)
    return (
        np.concatenate([found[0][alone], some[parts[0]]]),
        np.concatenate([found[1][alone], parts[1]]),
        np.concatenate([found[2][alone], parts[2]]),
    )


def _tied_places(values: Floats, shares: Floats) -> tuple[Ints, Ints, Floats]:
    """The same for lines with ties, by sorting all of their values."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    begins = np.ones(values.shape, dtype=bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    group = np.cumsum(begins.ravel()) - 1
    places = np.zeros(values.shape)
    places[:, : shares.size] = shares
    share = (np.bincount(group, places.ravel()) / np.bincount(group))[group].reshape(values.shape)
    lines, columns = np.nonzero(share)
    return lines, order[lines, columns], share[lines, columns]


def _smallest(values: Floats, count: int) -> Ints:
    """Columns of the `count` smallest values of each line in order; of equals the first ones."""
    limit = np.partition(values, count - 1, axis=1)[:, count - 1 : count]
    # A stable sort of three small keys is a counting sort: it keeps equals in column order.
    key = (values >= limit).astype(np.int8) + (values > limit)
    chosen = np.argsort(key, axis=1, kind="stable")[:, :count]
    order = np.argsort(np.take_along_axis(values, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)


def weighted_differences(
    blocks: Iterable[RowTile], pairs: Pairs, n_features: int, fast: bool
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
