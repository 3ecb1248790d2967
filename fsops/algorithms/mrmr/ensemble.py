"""MRMR on many resamples of the same rows without reading the rows for each of them.

Every measure is a function of sums over rows, so one pass over the data gives the measures of
all members: the relevance once, the redundancy with a feature once, however many members select
it. Only the quotient on many numeric features goes another way: there each member asks for the few
pairs it needs, of rows that were read and scaled once for all. The selections are those of separate
runs on the members' rows.

References
----------
Schowe & Morik (2010), Fast-ensembles of minimum redundancy feature selection.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Literal, Protocol

import numpy as np

from fsops.algorithms.aggregation.ensemble import resampled_class_scores, resampled_cross_scores
from fsops.algorithms.base.moments import ROUNDING
from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Floats, Ints, Numbers, as_classes, as_code_matrix
from fsops.algorithms.filters.univariate import f_test_from, pearson_from
from fsops.algorithms.mrmr.measures import NominalRedundancy, defined
from fsops.algorithms.mrmr.search import (
    FLOOR,
    LAZY_ABOVE,
    TIE,
    Criteria,
    Criterion,
    Score,
    first_best,
    make_criterion,
    make_search,
    next_feature,
)
from fsops.algorithms.mrmr.selection import CACHE_MB, OnStep, Selection, by_relevance, mrmr
from fsops.algorithms.statistics.information import ResampledInformation

STRIDE = 10
LENGTHS = 512  # features whose lengths are found together, in all members
STEP_VALUES = 32768  # scores compared at once: they should stay in the second-level cache
# Most features are dropped as candidates after this share of the steps, and this many times k
# are kept. A difference bounds what features can reach from the start, a quotient only when
# there is some redundancy.
SHRINK_AFTER: dict[Criterion, float] = {"mid": 0.0, "miq": 0.25}
FIRST_CANDIDATES: dict[Criterion, int] = {"mid": 8, "miq": 40}


class MemberMeasures(Protocol):
    """Redundancies of a set of candidate features in every member."""

    def column(self, position: int) -> Floats:
        """Redundancy of each candidate with the one at this position, (members, candidates)."""
        ...


class Members(Protocol):
    """Measures on every member of an ensemble."""

    @property
    def breadth(self) -> int:
        """How many times as many candidates as usual are worth a first try."""
        ...

    @property
    def relevance(self) -> Floats:
        """Relevance of every feature, (members, p)."""
        ...

    def among(self, candidates: Ints) -> MemberMeasures:
        """Redundancy of these features with each other."""
        ...


# --- numeric features ---------------------------------------------------------------------------


class CorrelationMembers:
    """Absolute correlations of numeric features; relevance by F or by correlation.

    Parameters
    ----------
    X
        Rows by features, without missing values.
    label
        Classes (integers) or numbers, one for each row.
    counts
        How often each row occurs in each member, (members, n).
    nominal
        Whether the label is nominal: relevance is F; else it is the absolute correlation.
    """

    breadth = 1

    def __init__(self, X: Numbers, label: Numbers, counts: Floats, *, nominal: bool) -> None:
        if nominal:
            score = partial(f_test_from, p_values=False)
            relevance = resampled_class_scores(X, label, counts, score)
        else:
            relevance = resampled_cross_scores(X, label, counts, pearson_from)
        self.relevance = defined(relevance)
        self._rows = unit_rows(X)[0]
        self._counts = counts
        self._scale: Floats | None = None

    def among(self, candidates: Ints) -> MemberMeasures:
        """Redundancy of these features with each other."""
        if candidates.size == len(self._rows):
            return _Correlations(self._rows, self._counts, self.scale)
        return _Correlations(self._rows.take(candidates, axis=0), self._counts)

    @property
    def scale(self) -> Floats:
        """One over the length of every feature in every member, (members, p)."""
        if self._scale is None:
            self._scale = _inverse_length(self._rows, self._counts)
        return self._scale

    def each(self) -> list["_MemberCorrelation"]:
        """Redundancy in each member on its own, for lazy searches."""
        return [
            _MemberCorrelation(self._rows, count, scale)
            for count, scale in zip(self._counts, self.scale, strict=True)
        ]


class _Correlations:
    """Correlations of all members by one matrix product."""

    def __init__(self, candidates: Floats, counts: Floats, scale: Floats | None = None) -> None:
        self.candidates = candidates  # features by rows
        self.counts = counts
        self.size = counts.sum(axis=1)
        self.scale = _inverse_length(candidates, counts) if scale is None else scale

    def column(self, position: int) -> Floats:
        x = self.candidates[position]
        mean = self.counts @ x / self.size
        # Centered for each member, so that the other factor need not be.
        left = self.counts * (x - mean[:, None])
        left *= self.scale[:, position, None]
        products: Floats = left @ self.candidates.T
        products *= self.scale
        return np.abs(products, out=products)


def _inverse_length(rows: Floats, counts: Floats) -> Floats:
    """One over the root of the sum of squared deviations, (members, features); 0 if constant."""
    inverse = np.zeros((len(counts), len(rows)))
    size = counts.sum(axis=1)[:, None]
    for tile in column_tiles(len(rows), width=LENGTHS):
        part = rows[tile].T
        total = counts @ part
        squares = counts @ (part * part)
        ss = squares - total * total / size
        varies = ss > ROUNDING * squares
        np.divide(1.0, np.sqrt(np.maximum(ss, 0.0)), out=inverse[:, tile], where=varies)
    return inverse


class _MemberCorrelation:
    """Absolute correlations in one member, from the rows that all members share."""

    def __init__(self, rows: Floats, counts: Floats, scale: Floats) -> None:
        self._rows = rows  # features by rows
        self._counts = counts
        self._scale = scale
        self._factors = np.empty((0, rows.shape[1]))
        self._places: dict[int, int] = {}  # by feature, in the factors
        self._ready: tuple[int, Floats] | None = None

    @property
    def n_features(self) -> int:
        return len(self._rows)

    def column(self, feature: int) -> Floats:
        if self._ready is not None and self._ready[0] == feature:
            return self._ready[1]
        return self._finish(self._rows @ self._factor(feature), self._scale)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        products = self._rows.take(rows, axis=0) @ self._known_factors(columns.tolist()).T
        return self._finish(products, self._scale[rows, None])

    def _known_factors(self, features: list[int]) -> Floats:
        """Factors of these features; a search asks for the same ones in every step."""
        new = [f for f in features if f not in self._places]
        if new:
            self._places.update((f, len(self._factors) + i) for i, f in enumerate(new))
            self._factors = np.concatenate([self._factors, self._factor(np.array(new))])
        return self._factors.take([self._places[f] for f in features], axis=0)

    def _factor(self, features: Ints | int) -> Floats:
        """The factors of the rows: centered and weighted for this member."""
        factor = self._rows[features]
        mean = factor @ self._counts / self._counts.sum()
        centred: Floats = factor - mean[..., None]
        centred *= self._counts * self._scale[features, ..., None]
        return centred

    @staticmethod
    def _finish(products: Floats, scale: Floats) -> Floats:
        products *= scale
        return np.abs(products, out=products)

    @staticmethod
    def prepare(members: Sequence["_MemberCorrelation"], features: Sequence[int]) -> None:
        """Compute the next column of each member, all of them by one reading of the rows."""
        pairs = list(zip(members, features, strict=True))
        factors = np.stack([member._factor(feature) for member, feature in pairs])
        products = factors @ members[0]._rows.T
        for (member, feature), own in zip(pairs, products, strict=True):
            member._ready = feature, member._finish(own, member._scale)


# --- nominal features ---------------------------------------------------------------------------


class NominalMembers:
    """Information shared by nominal features and with a nominal label.

    Parameters
    ----------
    X
        Integer codes, rows by features; -1 is missing and counts as a separate value.
    codes
        Class of each row.
    counts
        How often each row occurs in each member, (members, n).
    measure
        "mi" (bits) or "su".
    """

    breadth = 2  # few rows make features look dependent, so that more of them can still win

    def __init__(
        self, X: Numbers, codes: Numbers, counts: Floats, *, measure: Literal["mi", "su"] = "mi"
    ) -> None:
        self._codes = as_code_matrix(X)
        self._information = ResampledInformation(self._codes, counts)
        self._measure = measure
        self.relevance = self._shared(self._information, as_classes(codes, len(self._codes)))

    def among(self, candidates: Ints) -> MemberMeasures:
        """Redundancy of these features with each other."""
        classes = NominalRedundancy(self._codes[:, candidates]).classes
        information = self._information.among(candidates)
        return _ByFunction(lambda position: self._shared(information, classes(position)))

    def _shared(self, information: ResampledInformation, classes: Ints) -> Floats:
        """Information of each feature with the classes in every member."""
        entropies = information.with_classes(classes)
        if self._measure == "mi":
            return defined(entropies.mutual_information)
        return defined(entropies.symmetric_uncertainty)


@dataclass(frozen=True)
class _ByFunction:
    column: Callable[[int], Floats]


# --- search -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class EnsembleSelection:
    """Selections of all members.

    Attributes
    ----------
    order
        Selected features of each member in the order of selection, (members, k).
    scores
        Criterion of each when it was picked, (members, k).
    passes
        Number of features whose redundancies had to be computed; separate runs need
        members * (k - 1).
    """

    order: Ints
    scores: Floats
    passes: int

    def position_weights(self, p: int) -> Floats:
        """Weights k (picked first) to 1 and 0, (members, p), as `ensemble.top_k` takes them."""
        members, k = self.order.shape
        weights = np.zeros((members, p))
        places = np.broadcast_to(np.arange(k, 0, -1.0), self.order.shape)
        np.put_along_axis(weights, self.order, places, axis=1)
        return weights


def mrmr_ensemble(
    members: Members,
    k: int,
    *,
    criterion: Criterion = "miq",
    floor: float = FLOOR,
    megabytes: float = CACHE_MB,
    on_step: OnStep | None = None,
    first: Sequence[int] | Ints = (),
) -> EnsembleSelection:
    """MRMR selections of all members of an ensemble, as separate runs would find them.

    All members search in step. The redundancies with a selected feature are computed for all
    of them together and kept for those that select it later.

    Parameters
    ----------
    members
        Measures on the members.
    k
        Number of features.
    criterion, floor, first
        See `mrmr.mrmr`.
    megabytes
        Memory for kept redundancies; those not used for longest are dropped.
    on_step
        Called after each step with the numbers of selected and of wanted features.

    References
    ----------
    Schowe & Morik (2010), Fast-ensembles of minimum redundancy feature selection.
    """
    p = members.relevance.shape[1]
    if not 0 <= k <= p:
        raise ValueError(f"Cannot select {k} of {p} features.")
    firsts = np.array([by_relevance(first, own) for own in members.relevance])
    if criterion == "miq" and p > LAZY_ABOVE and isinstance(members, CorrelationMembers):
        return _each_lazily(members, k, make_criterion(criterion, floor), on_step, firsts)
    passes = 0
    for size in _sizes(FIRST_CANDIDATES[criterion] * members.breadth * max(k, 32), p):
        search = _Lockstep(members, make_criterion(criterion, floor), k, megabytes, firsts)
        shrink_at = max(ceil(SHRINK_AFTER[criterion] * k), firsts.shape[1])
        done = search.run(size, shrink_at, on_step)
        passes += search.passes
        if done:
            break
    return EnsembleSelection(search.order, search.scores, passes)


def _each_lazily(
    members: CorrelationMembers,
    k: int,
    criteria: Criteria,
    on_step: OnStep | None,
    firsts: Ints,
) -> EnsembleSelection:
    """A lazy search for each member, all in step, on rows that are read and scaled only once.

    The bounds of a quotient become sharp only step by step, and not for the same features in
    all members: candidates common to all of them would be nearly all features.
    """
    own = members.each()
    searches = [make_search(r, m, criteria) for r, m in zip(members.relevance, own, strict=True)]
    scores = np.empty((len(searches), k))
    for steps in _strides(k, criteria.whole):
        if 0 < steps.start <= criteria.whole:
            _MemberCorrelation.prepare(own, [search.selected[-1] for search in searches])
        for i, search in enumerate(searches):
            for j in steps:
                feature, scores[i, j] = next_feature(search, firsts[i])
                search.take(feature)
        if on_step is not None:
            for j in steps:
                on_step(j + 1, k)
    order = np.array([search.selected for search in searches], dtype=np.intp)
    return EnsembleSelection(order, scores, np.unique(order[:, :-1]).size)


def _strides(k: int, single: int) -> Iterator[range]:
    """Steps that a member takes in one go, so that its data stay in the cache.

    The first ones singly, because they read all rows, which is done for all members together.
    """
    for j in range(min(k, single + 1)):
        yield range(j, j + 1)
    for start in range(single + 1, k, STRIDE):
        yield range(start, min(k, start + STRIDE))


def _sizes(size: int, p: int) -> Iterator[int]:
    """Candidates to try with; all of them at last."""
    while size < p:
        yield size
        size *= 2
    yield p


class _Lockstep:
    """Forward searches of all members on the same candidates, step by step."""

    def __init__(
        self, members: Members, criteria: Criteria, k: int, megabytes: float, firsts: Ints
    ) -> None:
        self.firsts = firsts
        self.members = members
        self.criteria = criteria
        self.k = k
        count, p = members.relevance.shape
        self.candidates = np.arange(p)
        self.measures = members.among(self.candidates)
        self.relevance = members.relevance.copy()  # minus infinity once selected
        self.sums = np.zeros((count, p))
        self.ceiling = np.full(count, -np.inf)  # what a feature that is no candidate can reach
        self.columns: OrderedDict[int, Floats] = OrderedDict()  # by feature
        self.limit = max(1, int(megabytes * 2**20 / max(1, self.sums.nbytes)))
        self.passes = 0
        self.order = np.empty((count, 0), dtype=np.intp)
        self.scores = np.empty((count, 0))

    def run(self, size: int, shrink_at: int, on_step: OnStep | None) -> bool:
        """Select k features; False as soon as a feature outside the candidates might be better."""
        for j in range(self.k):
            if j:
                self._add_redundancy(self.order[:, -1])
            if j == shrink_at:
                self._keep_best(size)
            if j < self.firsts.shape[1]:  # all features are candidates
                at, reached = self._given(self.firsts[:, j], self.criteria.at(j))
            else:
                at, reached = self._pick(self.criteria.at(j))
            if np.any(self.ceiling >= reached - TIE * np.maximum(1.0, np.abs(reached))):
                return False
            self.order = np.column_stack([self.order, self.candidates[at]])
            self.scores = np.column_stack([self.scores, reached])
            np.put_along_axis(self.relevance, at[:, None], -np.inf, axis=1)
            if on_step is not None:
                on_step(j + 1, self.k)
        return True

    def _keep_best(self, size: int) -> None:
        """Keep the features that are among the best `size` of a member as candidates.

        The best by their upper bound in the last step, without further redundancy; it holds
        for all steps before.
        """
        p = self.candidates.size
        if size >= p:
            return
        reach = self.criteria.at(self.k - 1)(self.relevance, self.sums)
        kept = np.zeros(p, dtype=bool)
        kept[np.argpartition(reach, p - size, axis=1)[:, p - size :]] = True
        self.ceiling = np.max(reach, axis=1, where=~kept, initial=-np.inf)
        self.candidates = self.candidates[kept]
        self.measures = self.members.among(self.candidates)
        self.relevance, self.sums = self.relevance[:, kept], self.sums[:, kept]
        for feature, column in self.columns.items():
            self.columns[feature] = column[:, kept]

    def _given(self, at: Ints, score: Score) -> tuple[Ints, Floats]:
        """Return the position of each member's given candidate, and its score."""
        here = np.arange(len(at)), at
        return at, score(self.relevance[here], self.sums[here])

    def _pick(self, score: Score) -> tuple[Ints, Floats]:
        """Return the position of each member's best candidate, and its score."""
        members, p = self.relevance.shape
        picks, reached = np.empty(members, dtype=np.intp), np.empty(members)
        step = max(1, STEP_VALUES // max(1, p))
        # One buffer for all: fresh memory of this size costs more than the scores in it.
        buffer = np.empty((min(step, members), p))
        for start in range(0, members, step):
            part = slice(start, min(members, start + step))
            out = buffer[: part.stop - start]
            scores = score(self.relevance[part], self.sums[part], out)
            picks[part] = first_best(scores)
            reached[part] = scores[np.arange(len(out)), picks[part]]
        return picks, reached

    def _add_redundancy(self, features: Ints) -> None:
        for feature in np.unique(features):
            column = self._column(int(feature))
            for member in np.flatnonzero(features == feature):
                self.sums[member] += column[member]

    def _column(self, feature: int) -> Floats:
        if feature not in self.columns:
            position = int(np.searchsorted(self.candidates, feature))
            self.columns[feature] = self.measures.column(position)
            self.passes += 1
            if len(self.columns) > self.limit:
                self.columns.popitem(last=False)
        self.columns.move_to_end(feature)
        return self.columns[feature]


# --- one search on the mean of all members -------------------------------------------------------


def mrmr_inner_ensemble(
    members: Members,
    k: int,
    *,
    criterion: Criterion = "miq",
    floor: float = FLOOR,
    caution: float = 0.0,
    on_step: OnStep | None = None,
) -> Selection:
    """One MRMR selection on the mean relevance and mean redundancy over the members.

    Parameters
    ----------
    members
        Measures on the members.
    k
        Number of features.
    criterion, floor, on_step
        See `mrmr.mrmr`.
    caution
        Standard deviations over the members to subtract from the means.

    References
    ----------
    Schowe & Morik (2010), Fast-ensembles of minimum redundancy feature selection.
    """
    relevance = _cautious_mean(members.relevance, caution)
    mean = _MeanRedundancy(members.among(np.arange(relevance.size)), relevance.size, caution)
    return mrmr(relevance, mean, k, criterion=criterion, floor=floor, lazy=False, on_step=on_step)


def _cautious_mean(values: Floats, caution: float) -> Floats:
    mean: Floats = values.mean(axis=0)
    return mean if caution == 0 else np.maximum(mean - caution * values.std(axis=0), 0.0)


class _MeanRedundancy:
    """Redundancy averaged over the members; whole columns only, as a plain search reads it."""

    def __init__(self, measures: MemberMeasures, n_features: int, caution: float) -> None:
        self.measures = measures
        self.n_features = n_features
        self.caution = caution

    def column(self, feature: int) -> Floats:
        return _cautious_mean(self.measures.column(feature), self.caution)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        return np.stack([self.column(int(c))[rows] for c in columns], axis=1)
