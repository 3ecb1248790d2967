"""Measures on contingency tables of nominal features against a nominal label.

All features are counted together into one stack of tables; the measures then read only counts.
Tables of blocks of rows merge by addition. `f(X, codes)` counts itself, `f_from(table)` starts
from counts.
"""

import math
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled.counts import add_counts
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import (
    Floats,
    Ints,
    Numbers,
    Scores,
    as_classes,
    as_code_matrix,
    as_row_weights,
    count_classes,
    stored_by_column,
)
from fsops.algorithms.statistics.significance import Weighting, chi2_p_values, scored, tested

Missing: TypeAlias = Literal["category", "pairwise"]

FEW_LEVELS = 32
BYTE = 255
TILE_FEATURES = 4096
MOST_INDICATORS = 1 << 25  # values of features that `ResampledInformation` holds in memory


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """Contingency tables of every feature with the label, stacked on top of each other.

    Attributes
    ----------
    counts
        One line per value of a feature, one column per class; sums of weights if rows have some.
    starts
        First line of each feature, (p,); each feature has at least one line.
    """

    counts: Numbers
    starts: Ints

    @classmethod
    def of(
        cls,
        X: Numbers,
        codes: Numbers,
        *,
        n_levels: int | Numbers | None = None,
        n_classes: int | None = None,
        missing: Missing = "category",
        weights: Numbers | None = None,
    ) -> "Contingency":
        """Count how often each value of each feature meets each class.

        Parameters
        ----------
        X
            Integer codes of the features, rows by features; -1 is missing.
        codes
            Class of each row, 0..n_classes-1.
        n_levels
            Number of values of the features, one for all or one for each; by default from X.
            Tables can be merged only if these agree.
        n_classes
            Number of classes; by default from codes.
        missing
            "category" counts missing as a separate value (the last line of each feature),
            "pairwise" leaves the row out of that feature's table.
        weights
            How often each row counts, such as in a bootstrap.
        """
        X = as_code_matrix(X)
        n, p = X.shape
        classes = count_classes(codes) if n_classes is None else n_classes
        codes = as_classes(codes, n, classes)
        if missing not in ("category", "pairwise"):
            raise ValueError(f'missing must be "category" or "pairwise", got {missing!r}.')
        levels = _levels(X, n_levels)
        # One more line takes the missing values.
        starts = np.concatenate([[0], np.cumsum(levels + 1)])
        counts = np.zeros((starts[-1], classes), dtype=np.intp if weights is None else np.float64)
        if weights is not None:
            counted = as_row_weights(weights, n)
            for tile in column_tiles(p, n):
                lines = slice(starts[tile.start], starts[tile.stop])
                counts[lines] = _histogram(X[:, tile], levels[tile], codes, classes, counted)
        elif kernels.take_table(X):
            add_counts(X, codes, starts, counts)
        else:
            for tile in column_tiles(p, n if stored_by_column(X) else None, TILE_FEATURES):
                lines = slice(starts[tile.start], starts[tile.stop])
                counts[lines] = _count(X[:, tile], levels[tile], codes, classes)
        if missing == "pairwise":
            counts[starts[1:] - 1] = 0
        return cls(counts, starts[:-1])

    @property
    def class_totals(self) -> Numbers:
        """Rows per feature and class, (p, C)."""
        return self._by_feature(self.counts)

    @property
    def level_totals(self) -> Numbers:
        """Rows per line, all classes together."""
        return _across_classes(self.counts)

    def merge(self, other: "Contingency") -> "Contingency":
        """Tables of the rows of both."""
        if self.counts.shape != other.counts.shape or (self.starts != other.starts).any():
            raise ValueError("Only tables of the same features, values and classes can be merged.")
        return Contingency(self.counts + other.counts, self.starts)

    def without_unused(self) -> "Contingency":
        """The same tables without the values behind the last one that occurs.

        This is what `of` counts by default. Lines without rows change the last bits of sums.
        """
        if not self.starts.size:
            return self
        line, ends = np.arange(len(self.counts)), np.append(self.starts[1:], len(self.counts))
        occurs = self.level_totals > 0
        occurs[ends - 1] = False  # the line of missing values
        highest = np.maximum.reduceat(np.where(occurs, line, 0), self.starts)
        keep = line <= self.spread(np.maximum(highest, self.starts))
        keep[ends - 1] = True
        if keep.all():
            return self
        return Contingency(self.counts[keep], (np.cumsum(keep) - 1)[self.starts])

    def sum_lines(self, values: Floats) -> Floats:
        """Sum over the lines of each feature, and over the classes if there are any."""
        return self._by_feature(values if values.ndim == 1 else _across_classes(values))

    def spread(self, values: Numbers) -> Numbers:
        """One value per feature repeated for each of its lines."""
        lines = np.diff(np.append(self.starts, len(self.counts)))
        return np.repeat(values, lines, axis=0)

    def _by_feature(self, values: Numbers) -> Numbers:
        if not self.starts.size:
            return np.zeros((0, *values.shape[1:]), dtype=values.dtype)
        sums: Numbers = np.add.reduceat(values, self.starts, axis=0)
        return sums


def _across_classes(values: Numbers) -> Numbers:
    """Sum of each line; for a few columns much faster than sum(axis=1)."""
    sums: Numbers = np.einsum("ij->i", values)
    return sums


def _levels(X: Numbers, n_levels: int | Numbers | None) -> Ints:
    """Number of values of each feature, at least one."""
    found: Ints = np.zeros(X.shape[1], dtype=np.intp)
    if len(X):
        found = X.max(axis=0).astype(np.intp) + 1
    if n_levels is None:
        return np.maximum(found, 1)
    levels = np.broadcast_to(np.asarray(n_levels, dtype=np.intp), found.shape)
    if (found > levels).any():
        j = int(np.argmax(found > levels))
        raise ValueError(f"Feature {j} has code {found[j] - 1}, but only {levels[j]} values.")
    return np.maximum(levels, 1)


def _count(X: Numbers, levels: Ints, codes: Ints, n_classes: int) -> Ints:
    """Counts of one tile, lines by classes."""
    if levels.max(initial=0) <= FEW_LEVELS:
        return _count_by_comparing(X, levels, codes, n_classes)
    tiles = column_tiles(levels.size, len(X))
    return np.concatenate([_histogram(X[:, t], levels[t], codes, n_classes) for t in tiles])


def _histogram(
    X: Numbers, levels: Ints, codes: Ints, n_classes: int, weights: Floats | None = None
) -> Numbers:
    """Counts of one tile, whatever the number of values."""
    base = np.concatenate([[0], np.cumsum(levels + 1)])
    line = X.astype(np.intp)
    line = np.where(line < 0, levels, line)
    line += base[:-1]
    line *= n_classes
    line += codes[:, None]
    repeated = None if weights is None else np.repeat(weights, levels.size)
    cells = np.bincount(line.ravel(), repeated, minlength=int(base[-1]) * n_classes)
    return cells.reshape(-1, n_classes)


def _count_by_comparing(X: Numbers, levels: Ints, codes: Ints, n_classes: int) -> Ints:
    """Counts of one tile by one comparison per value: ten times faster than a histogram.

    Bytes are compared and added, so a block has no more rows than a byte can count.
    """
    p, most = levels.size, int(levels.max(initial=0))
    lowest = -1 if X.size and X.min() < 0 else 0
    if stored_by_column(X):
        X = np.ascontiguousarray(X)
    counts = np.zeros((n_classes, most + 1, p), dtype=np.intp)
    for c in range(n_classes):
        members = np.flatnonzero(codes == c)
        for start in range(0, members.size, BYTE):
            block = X[members[start : start + BYTE]].astype(np.int8)
            # The last line of a feature, reached as index -1, takes the missing values.
            for value in range(lowest, most - 1):
                equal = (block == value).view(np.uint8)
                counts[c, value] += np.add.reduce(equal, axis=0, dtype=np.uint8)
        # Whatever was not counted has the highest value.
        counts[c, most - 1] += members.size - counts[c].sum(axis=0)
    used = np.arange(most + 1) < levels[:, None]
    used[:, most] = True
    return counts.transpose(2, 1, 0)[used]


# --- entropies --------------------------------------------------------------------------------


def n_log_n(counts: Numbers) -> Floats:
    """Count times its natural logarithm, 0 for 0."""
    if counts.dtype.kind in "iu" and counts.max(initial=0) < counts.size:
        # Few distinct counts in many cells: look the logarithms up.
        table: Floats = n_log_n(np.arange(counts.max(initial=0) + 1.0))
        return table[counts]
    result: Floats = counts * np.log(np.maximum(counts, 1.0))
    return result


def entropy(counts: Numbers, *, base: float = 2.0) -> Floats:
    """Entropy of the distribution given by counts, along the last axis; 0 for no counts.

    H = -sum p log p, in bits by default.

    References
    ----------
    Shannon (1948), A mathematical theory of communication.
    """
    counts = np.asarray(counts)
    n = counts.sum(axis=-1)
    return _entropy_of(n_log_n(counts).sum(axis=-1), n, base)


def _entropy_of(sum_n_log_n: Floats, n: Numbers, base: float) -> Floats:
    """Entropy from the sum of c log c and the sum n of the counts c."""
    if not base > 1:
        raise ValueError(f"The base of the logarithm must be above 1, got {base}.")
    divisor = np.maximum(n, 1)
    h = np.log(divisor) - sum_n_log_n / divisor
    # Differences of logarithms leave noise of a few ulp where the entropy is 0.
    bits: Floats = _without_noise(h, n) / np.log(base)
    return bits


def _without_noise(value: Floats, n: Numbers) -> Floats:
    noise = 16 * np.finfo(np.float64).eps * (1 + np.log(np.maximum(n, 1)))
    return np.where(value <= noise, 0.0, value)


@dataclass(frozen=True, slots=True, eq=False)
class Entropies:
    """Entropies of each feature, of the label on the feature's rows, and of both together."""

    feature: Floats
    label: Floats
    joint: Floats
    n: Ints
    base: float

    @property
    def mutual_information(self) -> Floats:
        """H(x) + H(y) - H(x, y), never below 0."""
        nats = (self.feature + self.label - self.joint) * np.log(self.base)
        information: Floats = _without_noise(nats, self.n) / np.log(self.base)
        return information

    @property
    def symmetric_uncertainty(self) -> Floats:
        """2 MI / (H(x) + H(y)), 0 where both are constant."""
        return _share(2 * self.mutual_information, self.feature + self.label)


def entropies(table: Contingency, *, base: float = 2.0) -> Entropies:
    """H(x), H(y) and H(x, y) of every feature, from counts."""
    by_class = table.class_totals
    n = by_class.sum(axis=1)
    return Entropies(
        _entropy_of(table.sum_lines(n_log_n(table.level_totals)), n, base),
        entropy(by_class, base=base),
        _entropy_of(table.sum_lines(n_log_n(table.counts)), n, base),
        n,
        base,
    )


class ResampledInformation:
    """Information between features and classes on many resamples of the rows at once.

    The counts of all resamples are one product of matrices: which rows have a value of a feature,
    and how often each row of a class occurs in a resample.

    Parameters
    ----------
    X
        Integer codes, rows by features; -1 is missing and counts as a separate value.
    counts
        How often each row occurs in each resample, whole numbers, (resamples, n).
    """

    def __init__(self, X: Numbers, counts: Numbers) -> None:
        self._codes = as_code_matrix(X)
        # Sums below 2^24 are exact in float32, which takes half the time.
        largest = np.abs(counts).sum(axis=1).max(initial=0)
        self._counts = counts.astype(np.float32 if largest < 1 << 24 else np.float64)
        self._n = counts.sum(axis=1).astype(np.intp)[:, None]
        self._n_log_n = n_log_n(np.arange(self._n.max(initial=0) + 1.0))
        # One more line of each feature takes the missing values.
        self._lines = _levels(self._codes, None) + (self._codes.min(axis=0, initial=0) < 0)
        self._known: list[tuple[slice, Ints, Numbers]] | None = None
        self.feature = self._entropies(np.zeros(len(self._codes), dtype=np.intp))

    def among(self, features: Ints) -> "ResampledInformation":
        """The same for some of the features."""
        part = copy(self)
        part._known = None
        part._codes = self._codes[:, features]
        part._lines = self._lines[features]
        part.feature = self.feature[:, features]
        return part

    def with_classes(self, classes: Ints) -> Entropies:
        """H(x), H(y) and H(x, y) of every feature in every resample, (resamples, p)."""
        by_class = self._counts.astype(np.float64) @ np.eye(int(classes.max()) + 1)[classes]
        label = entropy(np.rint(by_class).astype(np.intp))[:, None]
        return Entropies(self.feature, label, self._entropies(classes), self._n, 2.0)

    def _entropies(self, classes: Ints) -> Floats:
        """Entropies of the pairs of a value of each feature and a class."""
        present = np.arange(int(classes.max()) + 1)[:, None] == classes
        repeated = (self._counts[:, None] * present).reshape(-1, len(classes))
        sums = np.empty((len(self._counts), self._lines.size))
        for tile, starts, indicators in self._indicators():
            cells = repeated @ indicators
            logs = self._n_log_n[cells.astype(np.intp)]
            by_line = logs.reshape(len(self._counts), len(present), -1).sum(axis=1)
            sums[:, tile] = np.add.reduceat(by_line, starts[:-1], axis=1)
        return _entropy_of(sums, self._n, 2.0)

    def _indicators(self) -> Iterable[tuple[slice, Ints, Numbers]]:
        """Which rows have each value of the features, (n, lines), for tiles of features.

        With them go the first lines of the features. They are made once if there are not too many.
        """
        if self._lines.sum() * len(self._codes) > MOST_INDICATORS:
            return self._made_indicators()
        if self._known is None:
            self._known = list(self._made_indicators())
        return self._known

    def _made_indicators(self) -> Iterator[tuple[slice, Ints, Numbers]]:
        for tile in column_tiles(self._lines.size, 4 * len(self._codes), TILE_FEATURES):
            starts = np.concatenate([[0], np.cumsum(self._lines[tile])])
            codes = self._codes[:, tile].astype(np.intp)
            line = np.where(codes < 0, starts[1:] - 1, codes + starts[:-1])
            indicators = np.zeros((len(codes), starts[-1]), dtype=self._counts.dtype)
            np.put_along_axis(indicators, line, 1, axis=1)
            yield tile, starts, indicators


def _information_scores(value: Floats, n: Ints) -> Scores:
    """Scores of an information measure, which is defined as soon as there is a row."""
    return scored(np.where(n > 0, value, np.nan))


# --- measures -----------------------------------------------------------------------------------


def mutual_information(
    X: Numbers, codes: Numbers, *, missing: Missing = "category", base: float = 2.0
) -> Scores:
    """Mutual information of each feature and the label (information gain), in bits by default.

    MI = H(x) + H(y) - H(x, y). Grows with the number of values: compare features of different
    cardinality by `symmetric_uncertainty` or `gain_ratio`.

    References
    ----------
    Shannon (1948); Quinlan (1986), Induction of decision trees, Machine Learning 1.
    """
    return mutual_information_from(Contingency.of(X, codes, missing=missing), base=base)


def mutual_information_from(table: Contingency, *, base: float = 2.0) -> Scores:
    """Mutual information from counts, see `mutual_information`."""
    h = entropies(table, base=base)
    return _information_scores(h.mutual_information, h.n)


def gain_ratio(X: Numbers, codes: Numbers, *, missing: Missing = "category") -> Scores:
    """Information gain divided by the entropy of the feature; 0 for a constant feature.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning.
    """
    return gain_ratio_from(Contingency.of(X, codes, missing=missing))


def gain_ratio_from(table: Contingency) -> Scores:
    """Gain ratio from counts, see `gain_ratio`."""
    h = entropies(table)
    return _information_scores(_share(h.mutual_information, h.feature), h.n)


def symmetric_uncertainty(X: Numbers, codes: Numbers, *, missing: Missing = "category") -> Scores:
    """Mutual information scaled to 0..1: 2 MI / (H(x) + H(y)); 0 where both are constant.

    References
    ----------
    Press et al. (1992), Numerical Recipes; Hall (1999), Correlation-based feature selection.
    """
    return symmetric_uncertainty_from(Contingency.of(X, codes, missing=missing))


def symmetric_uncertainty_from(table: Contingency) -> Scores:
    """Symmetric uncertainty from counts, see `symmetric_uncertainty`."""
    h = entropies(table)
    return _information_scores(h.symmetric_uncertainty, h.n)


def chi_squared(
    X: Numbers,
    codes: Numbers,
    *,
    missing: Missing = "category",
    weighting: Weighting = "abs_statistic",
    p_values: bool = True,
) -> Scores:
    """Chi squared of independence of each feature and the label, without Yates' correction.

    sum (O - E)^2 / E, df = (values - 1)(classes - 1) over those that occur; undefined where
    either is constant. Unreliable where expected counts fall below about five.

    References
    ----------
    Pearson (1900), Philosophical Magazine 50.
    """
    table = Contingency.of(X, codes, missing=missing)
    return chi_squared_from(table, weighting=weighting, p_values=p_values)


def chi_squared_from(
    table: Contingency, *, weighting: Weighting = "abs_statistic", p_values: bool = True
) -> Scores:
    """Chi squared from counts, see `chi_squared`."""
    by_class = table.class_totals
    n = np.maximum(by_class.sum(axis=1), 1)
    expected = table.level_totals[:, None] * table.spread(by_class / n[:, None])
    gap = table.counts - expected
    cells = np.divide(gap * gap, expected, out=np.zeros_like(expected), where=expected > 0)
    statistic = table.sum_lines(cells)
    df = independence_df(table)
    return tested(np.where(df > 0, statistic, np.nan), df, chi2_p_values, weighting, p_values)


def g_test_from(
    table: Contingency, *, weighting: Weighting = "one_minus_p", p_values: bool = True
) -> Scores:
    """Likelihood-ratio test of independence: G = 2 n MI in nats, chi squared distributed.

    References
    ----------
    Wilks (1938); Sokal & Rohlf (1981), Biometry.
    """
    h = entropies(table, base=math.e)
    df = independence_df(table)
    g = np.where(df > 0, 2 * h.n * h.mutual_information, np.nan)
    return tested(g, df, chi2_p_values, weighting, p_values)


def independence_df(table: Contingency) -> Floats:
    """Degrees of freedom of a test of independence, over values and classes that occur."""
    values = table.sum_lines((table.level_totals > 0).astype(np.float64))
    classes = (table.class_totals > 0).sum(axis=1)
    df: Floats = np.maximum(values - 1, 0.0) * np.maximum(classes - 1, 0)
    return df


def gini_gain(X: Numbers, codes: Numbers, *, missing: Missing = "category") -> Scores:
    """Decrease of the Gini impurity of the label when the value of the feature is known.

    G(y) - sum p(v) G(y|v) with G = 1 - sum p^2.

    References
    ----------
    Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees.
    """
    return gini_gain_from(Contingency.of(X, codes, missing=missing))


def gini_gain_from(table: Contingency) -> Scores:
    """Gini gain from counts, see `gini_gain`."""
    by_class = table.class_totals
    n = by_class.sum(axis=1)
    divisor = np.maximum(n, 1)
    counts = table.counts.astype(np.float64)
    lines = (counts * counts).sum(axis=1) / np.maximum(table.level_totals, 1)
    before = (by_class / divisor[:, None]) ** 2
    gain = table.sum_lines(lines) / divisor - before.sum(axis=1)
    return _information_scores(np.where(gain <= 8 * np.finfo(np.float64).eps, 0.0, gain), n)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
