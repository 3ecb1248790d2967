"""Rows as Relief compares them: differences of numbers, categories and missing values.

Numbers are brought to 0..1 and differ by |a - b|, categories by 0 or 1, missing values by their
expected difference given the classes.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled.near import add_distances
from fsops.algorithms.base.types import (
    Bools,
    Floats,
    Ints,
    Numbers,
    as_classes,
    as_code_matrix,
    as_matrix,
)
from fsops.algorithms.statistics.information import FEW_LEVELS

Metric: TypeAlias = Literal["manhattan", "euclidean"]
Scaling: TypeAlias = Literal["range", "none"]

# Decimals of the distance in one feature.
DECIMALS = 12
BLOCK_FEATURES = 512
BLOCK_ROWS = 64
# Distances kept at a time (float64): half a gigabyte.
DISTANCES = 1 << 26


# --- differences of two rows --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class RowTile:
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
    step: float = 1.0
    """Difference of two categories."""

    def take(self, rows: Ints | None) -> "RowTile":
        """Return these rows; expected differences of missing values stay those of all rows."""
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
        """Add this block's part of the (squared, if Euclidean) distances, (anchors, n)."""
        if fast and metric == "manhattan" and not self.nominal:
            add_distances(self.values, anchors, distance)
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
            if self.nominal:
                step = self.step if metric == "manhattan" else self.step**2
                share = step * mismatches(mine, theirs)
            else:
                share = cdist(mine, theirs, kind)
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
            differs: Floats = (a != b) * self.step
            return differs
        difference: Floats = np.abs(a - b)
        return difference


def mismatches(a: Numbers, b: Numbers) -> Floats:
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
class Rows:
    """The data: numeric features scaled to 0..1, nominal codes, classes numbered without gaps.

    If only some rows are kept, the others still define the expected difference of missing values.
    The unit is the value of a difference of 1 before scaling, for features that share a scale; else
    it is 1.
    """

    numeric: Floats
    nominal: Numbers
    all_codes: Ints
    n_classes: int
    kept: Ints | None = None
    unit: float = 1.0

    @classmethod
    def of(
        cls,
        numeric: Numbers | None,
        nominal: Numbers | None,
        codes: Numbers,
        *,
        scaling: Scaling = "range",
    ) -> "Rows":
        """Check the data, scale the numbers and renumber the classes.

        Without scaling by their own ranges all numbers are divided by the widest range, so that
        rounding to a fixed number of decimals suits data of any size.
        """
        n = len(codes)
        classes = as_classes(codes, n)
        present, classes = np.unique(classes, return_inverse=True)
        numeric = as_matrix(np.empty((n, 0)) if numeric is None else numeric, "numeric")
        nominal = as_code_matrix(np.empty((n, 0), np.intp) if nominal is None else nominal)
        for name, block in (("numeric", numeric), ("nominal", nominal)):
            if len(block) != n:
                raise ValueError(f"There are {len(block)} {name} rows, but {n} class codes.")
        values, unit = _scaled(numeric, scaling)
        return cls(values, nominal, classes.astype(np.intp), present.size, unit=unit)

    @property
    def codes(self) -> Ints:
        """Classes of the rows that are kept."""
        return self.all_codes if self.kept is None else self.all_codes[self.kept]

    @property
    def n(self) -> int:
        """How many rows are kept."""
        return self.codes.size

    def different(self) -> tuple[Ints, Ints]:
        """Return the first of all equal rows of a class, and for each row which of these it is."""
        if np.unique(self.numeric.sum(axis=1)).size == self.n:  # equal rows have equal sums
            return np.arange(self.n), np.arange(self.n)
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
        """Features of both kinds."""
        return int(self.numeric.shape[1] + self.nominal.shape[1])

    @property
    def decimals(self) -> int:
        """Decimals of distances, so that ties are ties: sums of many features are less exact."""
        return DECIMALS - math.ceil(math.log10(max(1, self.n_features)))

    def large(self, anchors: int) -> bool:
        """Whether the differences of so many anchors from all rows are a job for kernels."""
        return kernels.take_pairs(anchors * self.n * self.n_features)

    def are_complete_numbers(self) -> bool:
        """Whether all rows are kept, no value is missing, and all fit into memory as distances."""
        numbers = self.kept is None and not self.nominal.shape[1] and self.n**2 <= DISTANCES
        return numbers and not bool(np.isnan(self.numeric.sum()))

    def without_values(self) -> Bools:
        """Features of which nothing is known."""
        return np.concatenate(
            [np.isnan(self.numeric).all(axis=0), (self.nominal < 0).all(axis=0)], dtype=np.bool_
        )

    def blocks(self) -> Iterable[RowTile]:
        """All features in blocks, to be walked many times; kept in memory if they fit."""
        fit = self.n * self.n_features * self.n_classes <= DISTANCES
        return list(self) if fit else self

    def __iter__(self) -> Iterator[RowTile]:
        first, step = self.numeric.shape[1], 1.0 / self.unit
        for values, nominal, shift in ((self.numeric, False, 0), (self.nominal, True, first)):
            unknown = values < 0 if nominal else np.isnan(values)
            holes = unknown.any(axis=0)
            for columns in _pieces(np.flatnonzero(~holes)):
                part = values.take(columns, axis=1)
                block = RowTile(columns + shift, part, nominal, self.all_codes, step=step)
                yield block.take(self.kept)
            for columns in _pieces(np.flatnonzero(holes)):
                part, missing = values.take(columns, axis=1), unknown.take(columns, axis=1)
                expected = _expected_differences(part, nominal, self.all_codes, self.n_classes)
                expected *= step if nominal else 1.0
                filled = np.where(missing, 0, part)
                block = RowTile(
                    columns + shift, filled, nominal, self.all_codes, missing, expected, step
                )
                yield block.take(self.kept)


def _pieces(columns: Ints) -> Iterator[Ints]:
    for start in range(0, columns.size, BLOCK_FEATURES):
        yield columns[start : start + BLOCK_FEATURES]


def _scaled(X: Numbers, scaling: Scaling) -> tuple[Floats, float]:
    """Columns shifted to 0 and divided by their ranges, or all by the widest range, and that."""
    scaled: Floats = X.astype(np.float64, order="C")
    if not scaled.size:
        return scaled, 1.0
    low, high = np.fmin.reduce(scaled, axis=0), np.fmax.reduce(scaled, axis=0)
    if np.isinf(low).any() or np.isinf(high).any():
        raise ValueError("Relief cannot scale features with infinite values.")
    span = high - low
    unit = 1.0
    if scaling == "none":
        unit = float(np.fmax.reduce(span, initial=0.0)) or 1.0
        span = np.full_like(span, unit)
    scaled -= low
    scaled /= np.where(span > 0, span, 1.0)
    return scaled, unit


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
