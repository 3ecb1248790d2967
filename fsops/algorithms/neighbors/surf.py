"""SURF, SURF* and MultiSURF: Relief with all rows within a radius as neighbors.

A radius takes the place of the number of neighbors. It is the mean distance of all pairs of rows
(SURF, SURF*) or, for each row, its mean distance minus half of the standard deviation (MultiSURF).

Numeric values differ by |a - b| / range, nominal ones by 0 or 1. In tables with both kinds, numbers
that differ by more than a standard deviation score as 1 (the ramp of Hong, 1997, with the limits
of ReBATE), because otherwise they score lower than categories. Pairs with a missing value are left
out, of the mean difference in the other features and of the scores of this feature.

References
----------
Greene et al. (2009), Spatially uniform ReliefF (SURF) for computationally-efficient filtering of
gene-gene interactions, BioData Mining 2;
Greene et al. (2010), The informative extremes: using both nearest and farthest individuals can
improve Relief algorithms in the domain of human genetics, EvoBIO (SURF*);
Urbanowicz et al. (2018), Benchmarking Relief-based feature selection methods for bioinformatics
data mining, Journal of Biomedical Informatics 85 (MultiSURF, ReBATE).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fsops import memory
from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled import near as rows_near, radius as by_pairs
from fsops.algorithms.base.compiled.known import known_differences
from fsops.algorithms.base.compiled.rounded import Panels, Unknown, rounded_rows
from fsops.algorithms.base.compiled.tiles import exact_distances, mostly_large, tiled
from fsops.algorithms.base.sums import BLOCK_VALUES
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, Scores, as_classes, as_target
from fsops.algorithms.neighbors.relief import batches
from fsops.algorithms.neighbors.relief_rows import Rows, mismatches

Radius: TypeAlias = Literal["surf", "surf*", "multisurf"]

TIE = 1e-12
"""Relative difference below which a distance equals the radius, and the row is not near."""
MARKS = 1 << 31
"""Bytes for the marks of all pairs of rows; larger tables are taken row by row."""
KEPT = 1 << 32
"""Most bytes for distances; to compute them again takes a fifth to a third longer."""


def surf(
    numeric: Numbers | None,
    nominal: Numbers | None,
    label: Numbers,
    *,
    radius: Radius = "multisurf",
    classes: bool = True,
) -> Scores:
    """Score features by their differences between a row and the rows within a radius.

    W_j = 1/n sum_i { sum_{c != y_i} (C - 1) n_c / m sum_{Mc} diff_j / m - mean_H diff_j }, with the
    near rows H of the own class, Mc of class c, n_c their number and m that of all near misses. For
    two classes the first part is the mean difference from the near misses. "surf*" subtracts the
    same score of all rows that are farther away than the radius.

    Parameters
    ----------
    numeric, nominal
        The numeric features (NaN = missing) and the codes of the nominal ones (-1 = missing), rows
        by features; None for no such features.
    label
        Class of each row, or its number. Numbers are alike if they differ by less than their
        standard deviation.
    radius
        Rows that count as near.
    classes
        Whether the label has classes.

    Returns
    -------
    Scores
        Statistics are W of the numeric, then of the nominal features, between -1 and 1 (-2 and 2
        for "surf*"; for more than two classes up to C - 1); weights are W with negative values cut
        to 0.
    """
    if radius not in {"surf", "surf*", "multisurf"}:
        raise ValueError(f'radius must be "surf", "surf*" or "multisurf", got {radius!r}.')
    n = len(label)
    rows = Rows.of(numeric, nominal, np.zeros(n, dtype=np.intp))
    table = _Table(rows)
    alike = _Classes.of(label, n) if classes else _Distant.of(label, n)
    undefined = np.zeros(table.p, np.bool_) if table.complete else rows.without_values()
    if n < 2 or not alike.differs:
        undefined[:] = True
        return Scores(np.zeros(undefined.size), np.full(undefined.size, np.nan), undefined)
    total = _scores(table, radius, alike)
    statistic = np.where(undefined, np.nan, total / n)
    return Scores(np.where(undefined, 0.0, np.maximum(statistic, 0.0)), statistic, undefined)


# --- hits and misses ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Classes:
    """Rows are hits if their classes are equal; misses are grouped by class."""

    codes: Ints
    n_groups: int

    @classmethod
    def of(cls, label: Numbers, n: int) -> "_Classes":
        present, codes = np.unique(as_classes(label, n), return_inverse=True)
        return cls(codes.astype(np.intp), present.size)

    @property
    def differs(self) -> bool:
        return self.n_groups > 1

    def groups(self, anchors: Ints, others: Ints) -> Ints:
        """Group of each row as a neighbor of the anchor; 0 for hits."""
        # The own class and class 0 change places.
        own, codes = self.codes[anchors], self.codes[others]
        return np.where(codes == own, 0, np.where(codes == 0, own, codes))

    def in_order(self) -> tuple[Ints, by_pairs.Groups]:
        """The rows class by class."""
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.codes))])
        none = np.empty(0, dtype=np.intp)
        return np.argsort(self.codes, kind="stable"), by_pairs.Groups(starts, none, none)


@dataclass(frozen=True, slots=True, eq=False)
class _Distant:
    """Rows are hits if their labels differ by less than the standard deviation."""

    values: Floats
    limit: float
    n_groups: int = 2

    @classmethod
    def of(cls, label: Numbers, n: int) -> "_Distant":
        values = as_target(label, n)
        return cls(values, float(np.std(values, ddof=1)) if n > 1 else 0.0)

    @property
    def differs(self) -> bool:
        return self.limit > 0

    def groups(self, anchors: Ints, others: Ints) -> Ints:
        return (np.abs(self.values[others] - self.values[anchors]) >= self.limit).astype(np.intp)

    def in_order(self) -> tuple[Ints, by_pairs.Groups]:
        """The rows from the smallest to the largest label."""
        n, order = self.values.size, np.argsort(self.values, kind="stable")
        values, low, high = self.values[order], np.zeros(n, dtype=np.intp), np.arange(n)
        while (low < high).any():  # the first row whose label is like that of each row
            middle = (low + high) // 2
            hit = values - values[middle] < self.limit
            low, high = np.where(hit, low, middle + 1), np.where(hit, middle, high)
        # Two rows are like each other, or neither is like the other one.
        behind = np.searchsorted(low, np.arange(n), side="right")
        return order, by_pairs.Groups(np.array([0, n]), low, behind)


_Label: TypeAlias = _Classes | _Distant


# --- distances ------------------------------------------------------------------------------------


class _Table:
    """Values of all features as numbers with a limit above which two of them differ by 1."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.n, self.p = rows.n, rows.n_features
        numbers, names = np.isnan(rows.numeric), rows.nominal < 0
        self.holes = np.concatenate([numbers.any(axis=0), names.any(axis=0)], dtype=np.bool_)
        self.complete = not bool(self.holes.any())
        self.numeric: Floats = rows.numeric if self.complete else np.where(numbers, 0, rows.numeric)
        self.fast = kernels.take_pairs(self.n**2 * self.p)
        self.mixed = bool(rows.numeric.shape[1] and rows.nominal.shape[1])
        self._unknown = (numbers, names)

    @cached_property
    def values(self) -> Floats:
        """All features, numbers first; 0 where a value is missing."""
        if not self.rows.nominal.shape[1]:
            return self.numeric
        return np.concatenate([self.numeric, np.maximum(self.rows.nominal, 0)], axis=1, dtype=float)

    @cached_property
    def known(self) -> Floats:
        """1 where a value is known, else 0."""
        return 1.0 - np.concatenate(self._unknown, axis=1, dtype=float)

    @cached_property
    def limits(self) -> Floats:
        """Above this, two values differ by 1."""
        count = self.rows.numeric.shape[1]
        limits = np.zeros(self.p)
        limits[:count] = np.inf
        if self.mixed:
            some = ~np.isnan(self.rows.numeric).all(axis=0)
            limits[:count][some] = np.nanstd(self.rows.numeric[:, some], axis=0)
        return limits

    @property
    def takes_pairs(self) -> bool:
        """Whether kernels should take each pair of rows once.

        All features have to be numbers, the marks of pairs have to fit into memory, and any two
        rows need a feature that is known in both.
        """
        if not self.fast or self.rows.nominal.shape[1] or self.n**2 // 8 > MARKS:
            return False
        missing = np.sort(self._unknown[0].sum(axis=1))
        return self.complete or int(missing[-2:].sum()) < self.p

    def unknown(self, order: Ints) -> Unknown | None:
        """Which values are missing in rows in some order, if all features are numbers."""
        if self.complete:
            return None
        some = np.ix_(order, np.flatnonzero(self.holes))
        return Unknown(self.numeric[some], self._unknown[0][some].astype(np.float64))

    def distances(self, anchors: Ints) -> Floats:
        """Mean difference in the features known in both rows, (anchors, rows); NaN without any."""
        numeric, every = self.numeric, anchors.size == self.n
        distance = np.zeros((anchors.size, self.n))
        if self.fast and numeric.shape[1]:
            rows_near.add_distances(numeric, anchors, distance)
            if every:
                rows_near.mirror(distance)
        elif numeric.shape[1]:
            from scipy.spatial.distance import cdist

            distance += cdist(numeric[anchors], numeric, "cityblock")
        if self.rows.nominal.shape[1]:
            names = self.rows.nominal + 1
            distance += mismatches(names[anchors], names)
        if self.complete:
            distance /= self.p
        else:
            self._leave_out(anchors, distance)
        distance[np.arange(anchors.size), anchors] = np.nan
        return distance

    def _leave_out(self, anchors: Ints, distance: Floats) -> None:
        """Take off the differences of values of which one is missing; divide by the others."""
        unknown, names = (block.astype(np.float64) for block in self._unknown)
        # A missing number counts as 0, so that the other one is the difference.
        numeric = self.numeric
        distance -= numeric[anchors] @ unknown.T + unknown[anchors] @ numeric.T
        distance -= (1 - names[anchors]) @ names.T + names[anchors] @ (1 - names).T
        both = self.known[anchors] @ self.known.T
        np.maximum(distance, 0.0, out=distance)
        distance /= np.where(both > 0, both, np.nan)

    def scores(self, anchors: Ints, near: Bools, label: _Label) -> Floats:
        """Sum over the anchors of their scores by some rows, (anchors, rows)."""
        lines, neighbours = np.nonzero(near)
        starts = np.searchsorted(lines, np.arange(anchors.size + 1))
        groups = label.groups(anchors[lines], neighbours)
        pairs = _Neighbours(anchors, starts, neighbours, groups, label.n_groups)
        total = np.zeros(self.p)
        # Where nothing is missing, and no difference is cut, each pair of rows has one weight.
        single = np.ones(self.p, np.bool_) if self.rows.nominal.shape[1] else self.holes
        if not single.all():
            plain = np.flatnonzero(~single)
            total[plain] = self._plain_scores(plain, anchors[lines], neighbours, pairs.weights())
        if single.any():
            some = np.flatnonzero(single)
            values, known = self.values[:, some], self.known[:, some]
            add = rows_near.add_near_scores if self.fast else _add_near_scores
            part = np.zeros(some.size)
            add(values, known, self.limits[some], *pairs, part)
            total[some] = part
        return total

    def _plain_scores(
        self, columns: Ints, anchors: Ints, neighbours: Ints, weights: Floats
    ) -> Floats:
        X = self.numeric if columns.size == self.p else self.numeric[:, columns]
        if self.fast:
            return rows_near.weighted_differences(X, anchors, neighbours, weights)
        total = np.zeros(columns.size)
        size = max(1, BLOCK_VALUES // columns.size)
        for start in range(0, weights.size, size):
            part = slice(start, start + size)
            total += weights[part] @ np.abs(X[anchors[part]] - X[neighbours[part]])
        return total


class _Neighbours(NamedTuple):
    """The neighbors of each anchor, one anchor after the other, and their groups (0: hits)."""

    anchors: Ints
    starts: Ints
    rows: Ints
    groups: Ints
    n_groups: int

    def weights(self) -> Floats:
        """Weight of the difference of each pair, if no value is missing."""
        lines = np.repeat(np.arange(self.anchors.size), np.diff(self.starts))
        place = lines * self.n_groups + self.groups
        counts = np.bincount(place, minlength=self.anchors.size * self.n_groups)
        counts = counts.reshape(-1, self.n_groups)
        misses = np.maximum(counts[:, 1:].sum(axis=1, keepdims=True), 1)
        weights = (self.n_groups - 1) * counts / misses**2
        weights[:, 0] = -1.0 / np.maximum(counts[:, 0], 1)
        found: Floats = weights.ravel()[place]
        return found


def _add_near_scores(  # noqa: PLR0917 - the twin of a kernel
    X: Floats,
    known: Floats,
    limits: Floats,
    anchors: Ints,
    starts: Ints,
    rows: Ints,
    groups: Ints,
    n_groups: int,
    total: Floats,
) -> None:
    """Add the scores of features with missing values or differences that are cut.

    A neighbor whose value is missing is left out of the counts of this feature, an anchor whose
    value is missing scores 0.
    """
    for anchor, start, stop in zip(anchors, starts, starts[1:], strict=False):
        near = rows[start:stop]
        difference = np.abs(X[near] - X[anchor])
        difference[difference > limits] = 1.0
        member = (groups[start:stop] == np.arange(n_groups)[:, None]).astype(np.float64)
        counts = member @ known[near]
        sums = member @ (difference * known[near])
        misses = np.maximum(counts[1:].sum(axis=0), 1.0)
        score = (n_groups - 1) * (sums[1:] * counts[1:]).sum(axis=0) / misses**2
        total += known[anchor] * (score - sums[0] / np.maximum(counts[0], 1.0))


def _scores(table: _Table, radius: Radius, label: _Label) -> Floats:
    """Sum of the scores of all rows."""
    if radius == "multisurf" and table.takes_pairs:
        return _paired_scores(table, label)
    parts = list(batches(np.arange(table.n), table.n))
    total = np.zeros(table.p)
    for anchors, near, far in _neighbourhoods(table, radius, parts):
        total += table.scores(anchors, near, label)
        if far is not None:
            total -= table.scores(anchors, far, label)
    return total


def _paired_scores(table: _Table, label: _Label) -> Floats:
    """The same for MultiSURF and a large table of numbers, with each pair of rows taken once.

    Distances with an error decide where it is too small to matter, exact ones for the other rows.
    """
    memory.require(
        table.n**2 / 8, f"MultiSURF of {table.n:,} rows", "Use fewer rows (Sample), or ReliefF."
    )
    order, groups = label.in_order()
    unknown = table.unknown(order)
    panels = Panels(rounded_rows(table.numeric, order), unknown, keep=_fits(2 * table.n**2))
    limits, errors = by_pairs.own_limits(panels)
    ties = TIE * np.abs(limits)
    errors += panels.errors + panels.errors.max() + ties
    marks, doubtful = by_pairs.marked_pairs(panels, groups, limits - ties, errors)
    plain, total = ~table.holes, np.zeros(table.p)
    X = table.numeric if table.complete else table.numeric[:, plain]
    tiles = tiled(X, order, mostly_large(X, order))
    with_holes = tiled(table.numeric[:, table.holes], order)

    def exact(rows: Ints) -> Floats:
        sums = exact_distances(tiles, rows) + exact_distances(with_holes, rows)
        return panels.means(rows, sums)

    if doubtful.any():
        by_pairs.mark_again(exact, np.flatnonzero(doubtful), TIE, 4 * errors * panels.unit, marks)
    if plain.any():
        total[plain] = by_pairs.marked_differences(tiles, marks)[: X.shape[1]]
    if unknown is not None:
        total[table.holes] = known_differences(with_holes, unknown, marks)
    return total


def _fits(size: int) -> bool:
    """Whether so many bytes may be kept, and leave at least as much memory to others."""
    if size < memory.SMALL:
        return True
    free = memory.available()
    return size <= (KEPT if free is None else min(KEPT, free // 2))


# --- radius ---------------------------------------------------------------------------------------


def _neighbourhoods(
    table: _Table, radius: Radius, parts: list[Ints]
) -> Iterator[tuple[Ints, Bools, Bools | None]]:
    """Yield some anchors, which rows are near them, and which are far away (for "surf*")."""
    kept = table.distances(parts[0]) if len(parts) == 1 else None
    limit = _mean_distance(table, parts, kept) if radius != "multisurf" else np.nan
    for anchors in parts:
        distance = table.distances(anchors) if kept is None else kept
        if radius == "multisurf":
            yield anchors, _within(distance, _own_limits(distance)), None
        else:
            far = distance > limit * (1 + TIE) if radius == "surf*" else None
            yield anchors, distance < limit * (1 - TIE), far


def _within(distance: Floats, limits: Floats) -> Bools:
    near: Bools = distance < limits - TIE * np.abs(limits)
    return near


def _mean_distance(table: _Table, parts: list[Ints], kept: Floats | None) -> float:
    """Mean distance of two different rows."""
    total = count = 0.0
    for anchors in parts:
        distance = table.distances(anchors) if kept is None else kept
        known = ~np.isnan(distance)
        total += float(distance.sum(where=known))
        count += float(known.sum())
    return total / max(count, 1.0)


def _own_limits(distance: Floats) -> Floats:
    """Mean minus half of the standard deviation of each line, (lines, 1)."""
    limits = np.empty((len(distance), 1))
    size = max(1, BLOCK_VALUES // max(1, distance.shape[1]))
    for start in range(0, len(distance), size):
        part = distance[start : start + size]
        unknown = np.isnan(part)
        count = part.shape[1] - np.count_nonzero(unknown, axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):  # a line without any distance has no limit
            mean = np.where(unknown, 0.0, part).sum(axis=1, keepdims=True) / count
            deviation = np.where(unknown, 0.0, part - mean)
            squares = np.einsum("ij,ij->i", deviation, deviation)[:, None]
            limits[start : start + size] = mean - np.sqrt(squares / count) / 2
    return limits
