"""Selection by relevance and redundancy: MRMR (difference and quotient) and CFS.

A search needs the relevance of every feature and a `Redundancy`, an object that gives the
redundancy of pairs of features on demand. The matrix of all pairs is never built.

The searches are lazy: redundancy is not negative, so the sum over only some of the selected
features bounds a score from above, and candidates whose bound is below the best score are left
as they are. The result is that of the plain search, which brings every candidate up to date.

References
----------
Ding & Peng (2003), Minimum redundancy feature selection from microarray gene expression data.
Hall (2000), Correlation-based feature selection for discrete and numeric class machine learning.
Schowe & Morik (2010), Fast-ensembles of minimum redundancy feature selection.
"""

import hashlib
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from fsops.algorithms.information import mutual_information, symmetric_uncertainty
from fsops.algorithms.scaling import unit_rows
from fsops.algorithms.types import Bools, Floats, Ints, Numbers, as_code_matrix
from fsops.algorithms.univariate import f_test

Criterion: TypeAlias = Literal["mid", "miq"]
OnStep: TypeAlias = Callable[[int, int], None]

FLOOR = 1e-6
"""Smallest mean redundancy that a quotient is divided by."""
TIE = 1e-12
"""Relative difference of two scores that counts as none."""
HUGE = 1e150
"""Stands for an infinite measure (a feature that separates perfectly); its sums stay finite."""
GAIN = 1e-9
"""Smallest increase of the CFS merit worth another feature."""

LAZY_ABOVE = 4096  # features; below, the plain search is as fast
WIDEN = 4  # times as large a pool when it does not suffice
CHUNK = 32  # candidates brought up to date before the bounds of the others are looked at
CACHE_MB = 512


class CacheMismatch(ValueError):
    """A cache was asked about other data than it was made for."""


class Redundancy(Protocol):
    """Redundancy of pairs of features, symmetric and not negative."""

    @property
    def n_features(self) -> int:
        """Number of features."""
        ...

    def column(self, feature: int) -> Floats:
        """Redundancy of every feature with this one, (p,)."""
        ...

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Redundancy of each feature in rows with each in columns, (rows, columns)."""
        ...


# --- measures -----------------------------------------------------------------------------------


def defined(values: Floats) -> Floats:
    """Measures with undefined ones as 0 and infinite ones as huge."""
    return np.nan_to_num(values, nan=0.0, posinf=HUGE)


class CorrelationRedundancy:
    """Absolute Pearson correlation of numeric features; 0 for a constant one.

    On ranks instead of values it is Spearman's.
    """

    def __init__(self, X: Numbers) -> None:
        self._rows = unit_rows(X)[0]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self._rows)

    def column(self, feature: int) -> Floats:
        """Absolute correlation of every feature with this one, (p,)."""
        values: Floats = self._rows @ self._rows[feature]
        return np.abs(values, out=values)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Absolute correlation of each feature in rows with each in columns."""
        values = self._rows[rows] @ self._rows[columns].T
        return np.abs(values, out=values)


class NominalRedundancy:
    """Mutual information (bits) or symmetric uncertainty of nominal features.

    Parameters
    ----------
    X
        Integer codes, rows by features; -1 is missing and counts as a value of its own.
    measure
        "mi" or "su".
    """

    def __init__(self, X: Numbers, measure: Literal["mi", "su"] = "mi") -> None:
        self._codes = as_code_matrix(X)
        self._measure = mutual_information if measure == "mi" else symmetric_uncertainty

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self._codes.shape[1])

    def column(self, feature: int) -> Floats:
        """Information shared by every feature with this one, (p,)."""
        return defined(self._measure(self._codes, self.classes(feature)).weights)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Information shared by each feature in rows with each in columns."""
        codes = self._codes[:, rows]
        shared = [self._measure(codes, self.classes(int(c))).weights for c in columns]
        return defined(np.stack(shared, axis=1)) if shared else np.zeros((len(rows), 0))

    def classes(self, feature: int) -> Ints:
        """One feature as classes 0, 1, ...: missing is the last one."""
        codes = self._codes[:, feature].astype(np.intp)
        return np.where(codes < 0, codes.max(initial=-1) + 1, codes)


class MixedRedundancy:
    """Redundancy chosen by the types of both features.

    Absolute correlation of two numeric ones, F of a numeric and a nominal one, mutual
    information of two nominal ones. These scales differ: F is unbounded.

    Parameters
    ----------
    numeric, nominal
        Values and codes, rows by features of that type.
    is_nominal
        Type of each feature in their common order, (p,).
    """

    def __init__(self, numeric: Numbers, nominal: Numbers, is_nominal: Bools) -> None:
        self._is_nominal = np.asarray(is_nominal, dtype=bool)
        self._place = np.where(
            self._is_nominal, np.cumsum(self._is_nominal) - 1, np.cumsum(~self._is_nominal) - 1
        )
        self._values = np.asarray(numeric, dtype=np.float64)
        self._codes = as_code_matrix(nominal)
        self._correlation = CorrelationRedundancy(self._values)
        self._information = NominalRedundancy(self._codes)

    @property
    def n_features(self) -> int:
        """Number of features of both types."""
        return self._is_nominal.size

    def column(self, feature: int) -> Floats:
        """Redundancy of every feature with this one, (p,)."""
        return self.block(np.arange(self.n_features), np.array([feature]))[:, 0]

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Redundancy of each feature in rows with each in columns."""
        result = np.empty((len(rows), len(columns)))
        for row_type in (False, True):
            for column_type in (False, True):
                r = np.flatnonzero(self._is_nominal[rows] == row_type)
                c = np.flatnonzero(self._is_nominal[columns] == column_type)
                if r.size and c.size:
                    part = self._part(
                        row_type, self._place[rows[r]], self._place[columns[c]], column_type
                    )
                    result[np.ix_(r, c)] = part
        return result

    def _part(self, nominal_rows: bool, rows: Ints, columns: Ints, nominal_columns: bool) -> Floats:
        if nominal_rows and nominal_columns:
            return self._information.block(rows, columns)
        if nominal_rows:
            return self._f(columns, rows).T
        if nominal_columns:
            return self._f(rows, columns)
        return self._correlation.block(rows, columns)

    def _f(self, numeric: Ints, nominal: Ints) -> Floats:
        values, classes = self._values[:, numeric], self._information.classes
        scores = [f_test(values, classes(int(j)), p_values=False).weights for j in nominal]
        return defined(np.stack(scores, axis=1))


# --- criteria -----------------------------------------------------------------------------------


class Score(Protocol):
    """From relevance and (partial) redundancy sums to (bounds of) scores."""

    def __call__(self, relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
        """Return the scores, in `out` if that is given."""
        ...


class Criteria(ABC):
    """What a search maximises."""

    foresight: ClassVar[int] = 0
    """Steps for which a pool of candidates is chosen; the scores only grow with j till then."""
    pool: ClassVar[int] = 2048
    """Candidates that a lazy search looks at in each step, if they suffice."""
    whole: ClassVar[int] = 0
    """Selected features whose redundancy is needed for all candidates anyway."""

    @abstractmethod
    def at(self, j: int) -> Score:
        """Score of a candidate for the place after j selected features."""


class _Difference(Criteria):
    foresight = 8
    pool = 1024

    def at(self, j: int) -> Score:
        def score(relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
            result = np.divide(sums, max(j, 1), out=out)
            return np.subtract(relevance, result, out=result)

        return score


class _Quotient(Criteria):
    foresight = 3
    pool = 6144  # a quotient bounds loosely, so many candidates stay possible
    whole = 2  # and without redundancy it does not bound at all

    def __init__(self, floor: float) -> None:
        self.floor = floor

    def at(self, j: int) -> Score:
        # The first feature has no redundancy: it is the one of highest relevance.
        floor = 1.0 if j == 0 else j * self.floor

        def score(relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
            result = np.maximum(sums, floor, out=out)
            np.divide(relevance, result, out=result)
            return np.multiply(result, max(j, 1), out=result)

        return score


class _Merit(Criteria):
    def __init__(self) -> None:
        self.total = 0.0
        self.pairs = 0.0

    def at(self, j: int) -> Score:
        total, size = self.total, j + 1 + 2.0 * self.pairs

        def score(relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
            result = np.sqrt(size + 2.0 * sums, out=out)
            return np.divide(total + relevance, result, out=result)

        return score

    def add(self, relevance: float, redundancy: float) -> None:
        self.total += relevance
        self.pairs += redundancy


# --- search -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Features in the order of their selection.

    Attributes
    ----------
    order
        Selected features, (k,).
    scores
        Criterion of each when it was picked, (k,); for CFS the merit of the set so far.
    pairs
        Number of redundancies that were computed.
    """

    order: Ints
    scores: Floats
    pairs: int


class _Search(Protocol):
    """Greedy forward search, one feature at a time."""

    selected: list[int]
    pairs: int

    def best(self) -> tuple[int, float]:
        """Return the best feature left and its score; of equals the first one."""
        ...

    def take(self, feature: int) -> None:
        """Select a feature."""
        ...

    def redundancy_of(self, feature: int) -> float:
        """Sum of a feature's redundancy with the selected ones, after it was found the best."""
        ...


class _PlainSearch:
    """Brings every candidate up to date in every step: the least work for a few thousand."""

    def __init__(self, relevance: Floats, redundancy: Redundancy, criterion: Criteria) -> None:
        self.relevance = relevance.copy()  # minus infinity once selected
        self.redundancy = redundancy
        self.criterion = criterion
        self.sums = np.zeros(relevance.size)
        self.selected: list[int] = []
        self.pairs = 0

    def best(self) -> tuple[int, float]:
        if self.selected:
            self.sums += self.redundancy.column(self.selected[-1])
            self.pairs += self.sums.size - len(self.selected)
        scores = self.criterion.at(len(self.selected))(self.relevance, self.sums)
        at = int(first_best(scores))
        return at, float(scores[at])

    def take(self, feature: int) -> None:
        self.relevance[feature] = -np.inf
        self.selected.append(feature)

    def redundancy_of(self, feature: int) -> float:
        return float(self.sums[feature])


class _LazySearch:
    """Brings up to date only what may win; a score must not increase with the sums.

    Only a pool of candidates is looked at in each step. The others cannot win while the best
    score exceeds what they can reach before the pool is chosen anew.
    """

    def __init__(self, relevance: Floats, redundancy: Redundancy, criterion: Criteria) -> None:
        self.relevance = relevance.copy()  # minus infinity once selected
        self.redundancy = redundancy
        self.criterion = criterion
        self.sums = np.zeros(relevance.size)
        self.upto = np.zeros(relevance.size, dtype=np.intp)  # selected features in the sum
        self.selected: list[int] = []
        self.pairs = 0
        self._choose_pool(criterion.pool, 0)

    def best(self) -> tuple[int, float]:
        j = len(self.selected)
        if 0 < j <= self.criterion.whole:
            self._update_all()
        if j > self.horizon:
            self._choose_pool(self.criterion.pool, j + self.criterion.foresight)
        while True:
            scores = self._scores(self.criterion.at(j))
            at = int(first_best(scores))
            if self.ceiling < scores[at] - _slack(scores[at]) or self.pool.size == self.sums.size:
                return int(self.pool[at]), float(scores[at])
            # Wider for this step only: what is brought up to date now keeps out of later pools.
            self._choose_pool(WIDEN * self.pool.size, j)

    def take(self, feature: int) -> None:
        self.relevance[feature] = -np.inf
        self.selected.append(feature)

    def redundancy_of(self, feature: int) -> float:
        return float(self.sums[feature])

    def _choose_pool(self, size: int, horizon: int) -> None:
        p = self.sums.size
        self.horizon = horizon
        self.pool, self.ceiling = np.arange(p), -np.inf
        if size < p:
            reach = self.criterion.at(horizon)(self.relevance, self.sums)
            order = np.argpartition(reach, p - size - 1)
            self.ceiling = float(reach[order[p - size - 1]])
            self.pool = np.sort(order[p - size :])

    def _scores(self, score: Score) -> Floats:
        """Scores of the pool, exact for all that may be the best and bounds for the others."""
        j = len(self.selected)
        relevance, sums = self.relevance[self.pool], self.sums[self.pool]
        scores = score(relevance, sums)
        counted = self.upto[self.pool]
        stale = counted < j
        # First those that look best if their mean redundancy stays as it is: a good score to
        # measure the bounds of the others against.
        guess = score(relevance, sums * (j / np.maximum(counted, 1)))
        at = _largest(guess, CHUNK)
        at = at[stale[at]]
        while True:
            if at.size:
                chosen = self.pool[at]
                self._update(chosen)
                scores[at] = score(relevance[at], self.sums[chosen])
                stale[at] = False
            best = float(np.max(scores, where=~stale, initial=-HUGE))
            at = np.flatnonzero(stale & (scores >= best - _slack(best)))
            if not at.size:
                return scores

    def _update(self, features: Ints) -> None:
        j = len(self.selected)
        behind = self.upto[features]
        newest = features[behind == j - 1]
        older = features[behind < j - 1]
        if newest.size:
            last = np.array(self.selected[-1:])
            self.sums[newest] += self.redundancy.block(newest, last)[:, 0]
        if older.size:
            start = int(self.upto[older].min())
            values = self.redundancy.block(older, np.array(self.selected[start:]))
            values[np.arange(start, j) < self.upto[older][:, None]] = 0.0
            self.sums[older] += values.sum(axis=1)
        self.pairs += int((j - behind).sum())
        self.upto[features] = j

    def _update_all(self) -> None:
        self.sums += self.redundancy.column(self.selected[-1])
        self.upto[:] = len(self.selected)
        self.pairs += self.sums.size - len(self.selected)


def _largest(values: Floats, k: int) -> Ints:
    """Positions of the k largest values, in no order."""
    n = values.size
    return np.argpartition(values, n - k)[n - k :] if k < n else np.arange(n)


def _slack(score: float) -> float:
    return TIE * max(1.0, abs(score))


def first_best(scores: Floats) -> Ints:
    """First position along the last axis whose score is the highest, up to rounding."""
    best = scores.max(axis=-1, keepdims=True)
    first: Ints = np.argmax(scores >= best - TIE * np.maximum(1.0, np.abs(best)), axis=-1)
    return first


def _search(
    relevance: Floats, redundancy: Redundancy, criterion: Criteria, lazy: bool | None
) -> _Search:
    if lazy or (lazy is None and relevance.size > LAZY_ABOVE):
        return _LazySearch(relevance, redundancy, criterion)
    return _PlainSearch(relevance, redundancy, criterion)


def _checked(relevance: Numbers, redundancy: Redundancy) -> Floats:
    values = defined(np.asarray(relevance, dtype=np.float64))
    if values.shape != (redundancy.n_features,):
        raise ValueError(
            f"There are {redundancy.n_features} features, but relevance has shape {values.shape}."
        )
    if values.size and values.min() < 0:
        raise ValueError("Relevance must not be negative.")
    return values


def mrmr(
    relevance: Numbers,
    redundancy: Redundancy,
    k: int,
    *,
    criterion: Criterion = "miq",
    floor: float = FLOOR,
    stop_nonpositive: bool = False,
    lazy: bool | None = None,
    on_step: OnStep | None = None,
) -> Selection:
    """Features of high relevance and low mean redundancy with those selected before.

    "mid" maximises relevance - A, "miq" relevance / max(A, floor), with the mean redundancy A;
    the first feature is the most relevant one. Ties go to the smaller index.

    Parameters
    ----------
    relevance
        Relevance of each feature for the label, not negative, (p,). NaN counts as 0.
    redundancy
        Redundancy of pairs of features.
    k
        Number of features, at most p.
    criterion
        "mid" suits measures on one scale; else a difference is ruled by the larger one.
    floor
        Smallest divisor of "miq".
    stop_nonpositive
        Stop "mid" when no candidate's score is above 0.
    lazy
        Whether only candidates that may win are brought up to date in a step; same result.
        None decides by the number of features.
    on_step
        Called after each step with the numbers of selected and of wanted features.

    References
    ----------
    Ding & Peng (2003), Minimum redundancy feature selection from microarray gene expression
    data.
    """
    values = _checked(relevance, redundancy)
    if not 0 <= k <= values.size:
        raise ValueError(f"Cannot select {k} of {values.size} features.")
    search = _search(values, redundancy, make_criterion(criterion, floor), lazy)
    scores: list[float] = []
    for j in range(k):
        feature, reached = search.best()
        if stop_nonpositive and criterion == "mid" and reached <= 0:
            break
        search.take(feature)
        scores.append(reached)
        if on_step is not None:
            on_step(j + 1, k)
    return Selection(np.array(search.selected, dtype=np.intp), np.array(scores), search.pairs)


def make_criterion(criterion: Criterion, floor: float = FLOOR) -> Criteria:
    """Difference or quotient of relevance and mean redundancy."""
    if criterion == "mid":
        return _Difference()
    if criterion == "miq":
        return _Quotient(floor)
    raise ValueError(f'criterion must be "mid" or "miq", got {criterion!r}.')


def cfs_forward(
    relevance: Numbers,
    redundancy: Redundancy,
    k: int | None = None,
    *,
    lazy: bool | None = None,
    on_step: OnStep | None = None,
) -> Selection:
    """Features added one by one as long as the CFS merit of the set grows.

    Merit(S) = sum of relevance / sqrt(|S| + 2 * sum of redundancy over the pairs).

    Parameters
    ----------
    relevance, redundancy
        Both from 0 to 1, such as absolute correlations or symmetric uncertainties.
    k
        Largest number of features; None for no limit.
    lazy, on_step
        See `mrmr`.

    References
    ----------
    Hall (2000), Correlation-based feature selection for discrete and numeric class machine
    learning, ICML.
    """
    values = _checked(relevance, redundancy)
    if values.size and values.max() > 1 + 1e-9:
        raise ValueError("The CFS merit needs measures between 0 and 1; F is not one of them.")
    limit = values.size if k is None else min(k, values.size)
    merit = _Merit()
    search = _search(values, redundancy, merit, lazy)
    merits = [0.0]
    for j in range(limit):
        feature, reached = search.best()
        if reached <= merits[-1] + GAIN:
            break
        merit.add(float(values[feature]), search.redundancy_of(feature))
        search.take(feature)
        merits.append(reached)
        if on_step is not None:
            on_step(j + 1, limit)
    return Selection(np.array(search.selected, dtype=np.intp), np.array(merits[1:]), search.pairs)


# --- criteria of a subset -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubsetCriteria:
    """How good a set of features is.

    Attributes
    ----------
    relevance, redundancy
        Mean relevance and mean redundancy of the pairs.
    mid, miq
        Their difference and their quotient.
    cfs
        Hall's merit.
    empty
        Whether the set is empty; then all criteria are 0 and mean nothing.
    """

    relevance: float
    redundancy: float
    mid: float
    miq: float
    cfs: float
    empty: bool


def subset_criteria(
    subset: Ints,
    relevance: Numbers,
    redundancy: Redundancy,
    *,
    include_self: bool = False,
    floor: float = FLOOR,
) -> SubsetCriteria:
    """Mean relevance, mean redundancy and what MRMR and CFS make of them, for one subset.

    Parameters
    ----------
    subset
        Indices of the features.
    relevance, redundancy
        Of all features, as for `mrmr`; the redundancy may be an `MRMRCache`.
    include_self
        Peng's mean redundancy: over all ordered pairs, each feature with itself included.
    floor
        Smallest divisor of "miq".

    References
    ----------
    Peng, Long & Ding (2005), Feature selection based on mutual information, PAMI 27;
    Hall (2000), Correlation-based feature selection.
    """
    features = np.unique(np.asarray(subset, dtype=np.intp))
    k = features.size
    if not k:
        return SubsetCriteria(0.0, 0.0, 0.0, 0.0, 0.0, empty=True)
    relevant = _checked(relevance, redundancy)[features]
    pairs = _pair_sum(redundancy, features)
    d = float(relevant.mean())
    r = 2.0 * pairs / (k * (k - 1)) if k > 1 else 0.0
    if include_self:
        own = sum(float(redundancy.block(f, f)[0, 0]) for f in features[:, None])
        r = (2.0 * pairs + own) / k**2
    merit = float(relevant.sum()) / np.sqrt(k + 2.0 * pairs)
    quotient = d if k == 1 else d / max(r, floor)
    return SubsetCriteria(d, r, d - r, quotient, merit, empty=False)


def _pair_sum(redundancy: Redundancy, features: Ints) -> float:
    if isinstance(redundancy, MRMRCache):
        # Always the smaller index as column: every pair is stored once.
        blocks = (
            redundancy.block(features[i + 1 :], features[i : i + 1])
            for i in range(features.size - 1)
        )
        return sum(float(block.sum()) for block in blocks)
    return float(np.triu(redundancy.block(features, features), 1).sum())


def fingerprint(rows: Numbers, names: Sequence[str], measure: str) -> str:
    """Hash that tells the data of a cache apart: row numbers, column names and the measure."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(np.ascontiguousarray(rows, dtype=np.int64).tobytes())
    for text in (*names, measure):
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


class MRMRCache:
    """Remembered redundancies of one data set, itself a `Redundancy`; safe between threads.

    Parameters
    ----------
    redundancy
        What computes the values that are not known yet.
    key
        `fingerprint` of the data; `check` compares it.
    megabytes
        Memory for remembered values; the columns that were not used for longest make room.

    Attributes
    ----------
    hits, misses
        Number of values found and computed.
    """

    def __init__(self, redundancy: Redundancy, key: str = "", megabytes: float = CACHE_MB) -> None:
        self.key = key
        self.hits = 0
        self.misses = 0
        self._redundancy = redundancy
        self._columns: OrderedDict[int, Floats] = OrderedDict()
        size = 8 * max(1, redundancy.n_features)
        self._limit = max(1, int(megabytes * 2**20 / size))
        self._lock = Lock()

    def __getstate__(self) -> dict[str, object]:
        """Travel to another process without the lock."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Arrive with a lock of its own."""
        vars(self).update(state, _lock=Lock())

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._redundancy.n_features

    def check(self, key: str) -> None:
        """Raise `CacheMismatch` unless the cache was made for data with this fingerprint."""
        if key != self.key:
            raise CacheMismatch(
                "The MRMR cache was made for other rows, columns or another measure. "
                "Create it from the same example set that the features are selected from."
            )

    def column(self, feature: int) -> Floats:
        """Redundancy of every feature with this one, (p,)."""
        return self.block(np.arange(self.n_features), np.array([feature]))[:, 0]

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Redundancy of each feature in rows with each in columns."""
        parts = [self._part(rows, int(c)) for c in columns]
        return np.stack(parts, axis=1) if parts else np.zeros((len(rows), 0))

    def _part(self, rows: Ints, column: int) -> Floats:
        with self._lock:
            known = self._columns.get(column)
            values = np.full(len(rows), np.nan) if known is None else known[rows]
        unknown = np.isnan(values)
        missing = rows[unknown]
        if missing.size:
            # Outside the lock: two threads may compute the same values, none waits for it.
            values[unknown] = self._compute(missing, column)
        with self._lock:
            self.hits += len(rows) - missing.size
            self.misses += missing.size
            self._remember(column, missing, values[unknown])
        return values

    def _compute(self, rows: Ints, column: int) -> Floats:
        if rows.size == self.n_features:
            return self._redundancy.column(column)[rows]
        return self._redundancy.block(rows, np.array([column]))[:, 0]

    def _remember(self, column: int, rows: Ints, values: Floats) -> None:
        if column not in self._columns:
            self._columns[column] = np.full(self.n_features, np.nan)
        self._columns[column][rows] = values
        self._columns.move_to_end(column)
        while len(self._columns) > self._limit:
            self._columns.popitem(last=False)
