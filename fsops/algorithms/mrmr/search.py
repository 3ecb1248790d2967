"""Greedy forward search for features of high relevance and low redundancy.

There are two searches with the same result. The plain one brings every candidate up to date in
every step. The lazy one uses that redundancy is not negative: the sum over only some of the
selected features bounds a score from above, and candidates whose bound is below the best score
are left as they are.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.mrmr.measures import HUGE, Redundancy

Criterion: TypeAlias = Literal["mid", "miq"]

FLOOR = 1e-6
"""Smallest mean redundancy that a quotient is divided by."""
TIE = 1e-12
"""Relative difference of two scores that counts as none."""

LAZY_ABOVE = 4096  # features; below, the plain search is as fast
LAZY_VALUES = 1 << 20  # values of a column of pairs; from here on fewer features are enough
CHUNK = 64  # candidates brought up to date before the bounds of the others are looked at
MANY = 1024  # rivals that make it worth to look for a higher score first


# --- criteria -----------------------------------------------------------------------------------


class Score(Protocol):
    """From relevance and (partial) redundancy sums to (bounds of) scores."""

    def __call__(self, relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
        """Return the scores, in `out` if that is given."""
        ...


class Criteria(ABC):
    """The criterion that a search maximizes; it must not increase with the redundancy sums."""

    whole: ClassVar[int] = 0
    """Selected features whose redundancy is needed for all candidates anyway."""
    combine: ClassVar[np.ufunc] = np.add
    """Adds the redundancies with all selected features, or takes the largest one."""

    @abstractmethod
    def at(self, j: int) -> Score:
        """Score of a candidate for the place after j selected features."""

    def growth(self, j: int) -> float | None:
        """Largest factor by which a score at j exceeds that at j - 1 from the same sums.

        Without one the bounds of all candidates are computed again.
        """
        return None


class Difference(Criteria):
    """Relevance minus mean redundancy (MID)."""

    def at(self, j: int) -> Score:
        """Score of a candidate for the place after j selected features."""

        def score(relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
            result = np.multiply(sums, 1.0 / max(j, 1), out=out)
            return np.subtract(relevance, result, out=result)

        return score


class Quotient(Criteria):
    """Relevance divided by mean redundancy, which counts as `floor` at least (MIQ)."""

    whole = 2  # without any redundancy a quotient does not bound at all

    def __init__(self, floor: float) -> None:
        self.floor = floor

    def at(self, j: int) -> Score:
        """Score of a candidate for the place after j selected features."""
        # The first feature has no redundancy: it is the one of highest relevance.
        floor = 1.0 if j == 0 else j * self.floor

        def score(relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
            result = np.maximum(sums, floor, out=out)
            np.divide(relevance, result, out=result)
            return np.multiply(result, max(j, 1), out=result)

        return score

    def growth(self, j: int) -> float | None:
        """Largest factor by which a score at j exceeds that at j - 1 from the same sums."""
        return j / (j - 1)


class Merit(Criteria):
    """Hall's merit of the selected features and the candidate (CFS)."""

    def __init__(self) -> None:
        self.total = 0.0
        self.pairs = 0.0

    def at(self, j: int) -> Score:
        """Score of a candidate for the place after j selected features."""
        total, size = self.total, j + 1 + 2.0 * self.pairs

        def score(relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
            result = np.sqrt(size + 2.0 * sums, out=out)
            return np.divide(total + relevance, result, out=result)

        return score

    def add(self, relevance: float, redundancy: float) -> None:
        """Take a feature into the set."""
        self.total += relevance
        self.pairs += redundancy


def make_criterion(criterion: Criterion, floor: float = FLOOR) -> Criteria:
    """Difference or quotient of relevance and mean redundancy."""
    if criterion == "mid":
        return Difference()
    if criterion == "miq":
        return Quotient(floor)
    raise ValueError(f'criterion must be "mid" or "miq", got {criterion!r}.')


# --- searches -----------------------------------------------------------------------------------


class Search(Protocol):
    """Greedy forward search, one feature at a time."""

    selected: list[int]
    pairs: int

    def best(self) -> tuple[int, float]:
        """Return the best feature left and its score; of equals the first one."""
        ...

    def score_of(self, feature: int) -> float:
        """Return the score of a feature that is left, brought up to date after `best`."""
        ...

    def take(self, feature: int) -> None:
        """Select a feature."""
        ...

    def redundancy_of(self, feature: int) -> float:
        """Sum of a feature's redundancy with the selected ones, after `best` or `score_of`."""
        ...


def next_feature(search: Search, first: Sequence[int] | Ints) -> tuple[int, float]:
    """Return the feature to select next and its score: one of the first ones, then the best."""
    best = search.best()
    j = len(search.selected)
    if j >= len(first):
        return best
    return int(first[j]), search.score_of(int(first[j]))


def make_search(
    relevance: Floats, redundancy: Redundancy, criterion: Criteria, lazy: bool | None = None
) -> Search:
    """The search that suits the redundancy and the number of features, or the wanted one."""
    if lazy is None:
        # The lazy search asks for single pairs.
        values = relevance.size * getattr(redundancy, "pair_cost", 1)
        worth = relevance.size > LAZY_ABOVE or values > LAZY_VALUES
        lazy = worth and not getattr(redundancy, "by_column", False)
    if lazy:
        return _LazySearch(relevance, redundancy, criterion)
    return _PlainSearch(relevance, redundancy, criterion)


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
            column = self.redundancy.column(self.selected[-1])
            self.criterion.combine(self.sums, column, out=self.sums)
            self.pairs += self.sums.size - len(self.selected)
        scores = self.criterion.at(len(self.selected))(self.relevance, self.sums)
        at = int(first_best(scores))
        return at, float(scores[at])

    def score_of(self, feature: int) -> float:
        score, at = self.criterion.at(len(self.selected)), slice(feature, feature + 1)
        return float(score(self.relevance[at], self.sums[at])[0])

    def take(self, feature: int) -> None:
        self.relevance[feature] = -np.inf
        self.selected.append(feature)

    def redundancy_of(self, feature: int) -> float:
        return float(self.sums[feature])


class _LazySearch:
    """Brings up to date only the candidates that may win.

    Everything else a step does to all candidates is to bound their scores and to compare.
    """

    def __init__(self, relevance: Floats, redundancy: Redundancy, criterion: Criteria) -> None:
        self.relevance = relevance.copy()  # minus infinity once selected
        self.redundancy = redundancy
        self.criterion = criterion
        self.sums = np.zeros(relevance.size)
        self.upto = np.zeros(relevance.size, dtype=np.intp)  # selected features in the sum
        self.scores = np.empty(relevance.size)  # of this step, bounds where not up to date
        self.leaders = np.zeros(0, dtype=np.intp)  # the best of the last step
        self.selected: list[int] = []
        self.pairs = 0

    def best(self) -> tuple[int, float]:
        j = len(self.selected)
        score = self.criterion.at(j)
        if j <= self.criterion.whole:
            if j:
                self._update_all()
            score(self.relevance, self.sums, self.scores)
            self.leaders = _largest(self.scores, CHUNK)
            best = float(self.scores[self.leaders].max())
        else:
            self._bound(score)
            best = self._contest(score)
        # All that come this near are up to date.
        at = int(np.argmax(self.scores >= best - slack(best)))
        return at, float(self.scores[at])

    def score_of(self, feature: int) -> float:
        if self.upto[feature] < len(self.selected):
            score = self.criterion.at(len(self.selected))
            self._refresh(np.array([feature]), score)
        return float(self.scores[feature])

    def take(self, feature: int) -> None:
        self.relevance[feature] = self.scores[feature] = -np.inf
        self.selected.append(feature)

    def redundancy_of(self, feature: int) -> float:
        return float(self.sums[feature])

    def _bound(self, score: Score) -> None:
        growth = self.criterion.growth(len(self.selected))
        if growth is None:
            score(self.relevance, self.sums, self.scores)
        else:
            self.scores *= growth

    def _contest(self, score: Score) -> float:
        """Bring all candidates that may be the best up to date; the highest score."""
        # First who led in the last step: a good score to measure the bounds of the others by.
        known = self.leaders[self.relevance[self.leaders] > -np.inf]
        best = self._refresh(known, score)
        rivals = self._above(best)
        if rivals.size > MANY or not known.size:
            # It was not so good. Then those that look best if their mean redundancy stays.
            hopeful = rivals[_largest(self._guess(rivals, score), CHUNK)]
            known = np.concatenate([known, hopeful])
            best = max(best, self._refresh(hopeful, score))
            rivals = self._above(best)
        best = max(best, self._refresh(rivals, score))
        known = np.concatenate([known, rivals])
        self.leaders = known[_largest(self.scores[known], CHUNK)]
        return best

    def _above(self, best: float) -> Ints:
        """Candidates behind whose bound reaches the score."""
        near = np.flatnonzero(self.scores >= best - slack(best))
        return near[self.upto[near] < len(self.selected)]

    def _guess(self, features: Ints, score: Score) -> Floats:
        growth = len(self.selected) / np.maximum(self.upto[features], 1)
        return score(self.relevance[features], self.sums[features] * growth)

    def _refresh(self, features: Ints, score: Score) -> float:
        """Bring these up to date; their highest score."""
        if not features.size:
            return -HUGE
        self._update(features)
        scores = score(self.relevance[features], self.sums[features])
        self.scores[features] = scores
        return float(scores.max())

    def _update(self, features: Ints) -> None:
        j = len(self.selected)
        behind = self.upto[features]
        start = int(behind.min())
        values = self.redundancy.block(features, np.array(self.selected[start:]))
        if behind.max() > start:
            values[np.arange(start, j) < behind[:, None]] = 0.0
        combine = self.criterion.combine
        new = np.einsum("ij->i", values) if combine is np.add else combine.reduce(values, axis=1)
        self.sums[features] = combine(self.sums[features], new)
        self.upto[features] = j
        self.pairs += int((j - behind).sum())

    def _update_all(self) -> None:
        column = self.redundancy.column(self.selected[-1])
        self.criterion.combine(self.sums, column, out=self.sums)
        self.upto[:] = len(self.selected)
        self.pairs += self.sums.size - len(self.selected)


def _largest(values: Floats, k: int) -> Ints:
    """Positions of the k largest values, in no order."""
    n = values.size
    return np.argpartition(values, n - k)[n - k :] if k < n else np.arange(n)


def slack(score: float) -> float:
    """By how much a score may miss this one and still count as equal."""
    return TIE * max(1.0, abs(score))


def first_best(scores: Floats) -> Ints:
    """First position along the last axis whose score is the highest, up to rounding."""
    best = scores.max(axis=-1, keepdims=True)
    first: Ints = np.argmax(scores >= best - TIE * np.maximum(1.0, np.abs(best)), axis=-1)
    return first
