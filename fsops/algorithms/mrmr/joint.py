"""Selection by what pairs of features say about the classes: JMI, CMIM, DISR, ICAP and FCBF.

All criteria of a candidate x and the selected features s are made of the joint entropies H(x, s)
and H(x, s, y), which one table of counts has for all candidates. They are written as penalties
that are not negative, so that the searches of MRMR can be used; see `mrmr.search`:

====  ================================================  ===========================  ===========
name  criterion                                         penalty of a pair            combined by
====  ================================================  ===========================  ===========
jmi   sum over s of I(x, s; y)                          H(y) - I(x, s; y)            sum
disr  sum over s of I(x, s; y) / H(x, s, y)             1 - I(x, s; y) / H(x, s, y)  sum
cmim  minimum over s of I(x; y | s)                     H(y) - I(x; y | s)           maximum
icap  I(x; y) - sum of max(0, I(x; s) - I(x; s | y))    the term of the sum          sum
====  ================================================  ===========================  ===========

The first feature is the one with the largest I(x; y).

References
----------
Brown, Pocock, Zhao & Luján (2012), Conditional likelihood maximization: a unifying framework for
information theoretic feature selection, JMLR 13; Yang & Moody (1999), Data visualization and
feature selection (JMI); Fleuret (2004), Fast binary feature selection with conditional mutual
information, JMLR 5 (CMIM); Meyer & Bontempi (2006), On the use of variable complementarity for
feature selection in cancer classification (DISR); Jakulin (2005), Machine learning based on
attribute interactions (ICAP); Yu & Liu (2003), Feature selection for high-dimensional data: a fast
correlation-based filter solution, ICML (FCBF).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.ranking import descending_order
from fsops.algorithms.base.types import Floats, Ints, Numbers, as_classes, as_code_matrix
from fsops.algorithms.mrmr.measures import Redundancy
from fsops.algorithms.mrmr.search import Criteria, Score, make_search, next_feature
from fsops.algorithms.mrmr.selection import OnStep, Selection, by_relevance
from fsops.algorithms.statistics.information import Contingency, n_log_n

FEW = 8
"""Values of a feature of which the rows are kept as bits."""

JointCriterion: TypeAlias = Literal["jmi", "cmim", "disr", "icap"]


class JointInformation:
    """Penalties of pairs of nominal features, given the classes; itself a `Redundancy`.

    Parameters
    ----------
    X
        Integer codes, rows by features; -1 is missing and counts as one more value.
    codes
        Class of each row.
    criterion
        Which penalty.
    columns
        How many columns will be asked for; from some size on a compiled kernel computes them.
    """

    def __init__(
        self, X: Numbers, codes: Numbers, criterion: JointCriterion, columns: int = 1
    ) -> None:
        if criterion not in get_args(JointCriterion):
            raise ValueError(f"criterion must be one of {get_args(JointCriterion)}.")
        X = as_code_matrix(X)
        n, p = X.shape
        classes = np.unique(as_classes(codes, n), return_inverse=True)[1].astype(np.intp)
        self.criterion = criterion
        # Sums over candidates that are behind bound nothing, see `mrmr.search`.
        self.by_column = criterion in {"jmi", "disr"}
        self._n, self._classes = n, classes
        self._n_classes = int(classes.max(initial=0)) + 1
        self._levels = X.max(axis=0, initial=0).astype(np.intp) + 1
        small = self._levels.max(initial=0) <= np.iinfo(np.int8).max
        self._codes = np.ascontiguousarray(X.astype(np.int8 if small else np.int32, copy=False).T)
        unknown = self._codes < 0
        if unknown.any():
            self._codes = np.where(unknown, self._levels[:, None], self._codes)
            self._levels += unknown.any(axis=1)
        self._sets: Numbers | None = None
        self._fast = kernels.take_values(n * p * columns)
        self._n_log_n = n_log_n(np.arange(n + 1.0))
        one = self._joint(np.arange(p), np.zeros(n, dtype=np.intp), 1)
        self._feature, self._with_class = one
        self._class = float(self._entropy(self._n_log_n[np.bincount(classes)].sum()))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self._codes)

    @property
    def relevance(self) -> Floats:
        """I(x; y) of every feature in bits, (p,)."""
        return _positive(self._feature + self._class - self._with_class)

    def column(self, feature: int) -> Floats:
        """Penalty of every feature as a candidate, with this one selected; (p,)."""
        return self._penalties(np.arange(self.n_features), feature)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Penalty of each candidate in rows, with each selected feature in columns."""
        found = [self._penalties(np.asarray(rows), int(c)) for c in columns]
        return np.stack(found, axis=1) if found else np.zeros((len(rows), 0))

    def score(self, sums: float, relevance: float, j: int) -> float:
        """Value of the criterion from the penalties with j selected features."""
        if not j:
            return relevance
        largest = {"jmi": j * self._class, "disr": float(j), "cmim": self._class}
        return largest.get(self.criterion, relevance) - sums

    def _penalties(self, rows: Ints, selected: int) -> Floats:
        codes = self._codes[selected].astype(np.intp)
        pair, triple = self._joint(rows, codes, int(self._levels[selected]))
        if self.criterion == "cmim":
            given = self._with_class[selected] - self._feature[selected]  # H(y | s)
            conditional = _positive(pair + given - triple)
            return _positive(self._class - conditional)
        if self.criterion == "icap":
            shared = self._feature[rows] + self._feature[selected] - pair
            within = self._with_class[rows] + self._with_class[selected] - triple - self._class
            return _positive(shared - within)
        information = _positive(pair + self._class - triple)
        if self.criterion == "jmi":
            return _positive(self._class - information)
        return 1.0 - information / np.where(triple > 0, triple, 1.0)

    def _joint(self, rows: Ints, codes: Ints, levels: int) -> tuple[Floats, Floats]:
        """H(x, s) and H(x, s, y) in bits for some features x and the values of one feature s."""
        both = codes * self._n_classes + self._classes
        if self._fast:
            from fsops.algorithms.base.compiled.information import add_joint_sums, row_sets

            sums = np.zeros((2, rows.size))
            if self._sets is None:
                self._sets = row_sets(self._codes, min(FEW, int(self._levels.max(initial=1)) - 1))
            sets = row_sets(both[None], levels * self._n_classes)[:, 0]
            given = self._codes, self._sets, rows, self._levels, both, sets
            add_joint_sums(*given, self._n_classes, self._n_log_n, sums)
        else:
            sums = self._joint_sums(rows, both, levels)
        return self._entropy(sums[0]), self._entropy(sums[1])

    def _joint_sums(self, rows: Ints, both: Ints, levels: int) -> Floats:
        """Sums of c log c over the counts c of (x, s) and of (x, s, y); the twin of the kernel."""
        whole = rows.size == self.n_features
        X = self._codes.T if whole else self._codes[rows].T
        width = levels * self._n_classes
        table = Contingency.of(X, both, n_levels=self._levels[rows], n_classes=width)
        pairs = table.counts.reshape(-1, levels, self._n_classes).sum(axis=2)
        found = [table.sum_lines(self._n_log_n[counts]) for counts in (pairs, table.counts)]
        return np.stack(found)

    def _entropy(self, sums: Floats) -> Floats:
        """Entropy in bits of n rows from the sum of c log c."""
        if not self._n:
            return np.zeros_like(sums)
        bits: Floats = (np.log(self._n) - sums / self._n) / np.log(2.0)
        return bits


NOISE = 1e-13


def _positive(values: Floats) -> Floats:
    """Differences of entropies without rounding errors below 0 and around it."""
    return np.where(values > NOISE, values, 0.0)


# --- searches -------------------------------------------------------------------------------------


class Penalties(Criteria):
    """Minus the sum of the penalties of all pairs (JMI, DISR)."""

    whole = 1

    def at(self, j: int) -> Score:
        """Score of a candidate for the place after j selected features."""

        def score(relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
            if not j:
                return np.add(relevance, 0.0, out=out)
            # Selected features have a relevance of minus infinity, all others of 0 or more.
            result = np.negative(sums, out=out)
            return np.minimum(result, relevance, out=result)

        return score


class LargestPenalty(Penalties):
    """Minus the largest penalty of all pairs (CMIM)."""

    combine = np.maximum


class RelevanceLessPenalties(Criteria):
    """Relevance minus the sum of the penalties (ICAP)."""

    def at(self, j: int) -> Score:
        """Score of a candidate for the place after j selected features."""

        def score(relevance: Floats, sums: Floats, out: Floats | None = None) -> Floats:
            return np.subtract(relevance, sums, out=out)

        return score


def _criteria(criterion: JointCriterion) -> Criteria:
    if criterion == "icap":
        return RelevanceLessPenalties()
    return LargestPenalty() if criterion == "cmim" else Penalties()


def select_jointly(
    information: JointInformation,
    k: int,
    *,
    penalties: Redundancy | None = None,
    lazy: bool | None = None,
    on_step: OnStep | None = None,
    first: Sequence[int] | Ints = (),
) -> Selection:
    """Add features one by one, each time the one with the largest criterion.

    Parameters
    ----------
    information
        The data and the criterion.
    k
        Number of features, at most p.
    penalties
        The same penalties from a cache (`MRMRCache`).
    lazy, on_step, first
        See `mrmr`.

    Returns
    -------
    Selection
        Ties go to the smaller index.
    """
    p = information.n_features
    if not 0 <= k <= p:
        raise ValueError(f"Cannot select {k} of {p} features.")
    relevance = information.relevance
    if lazy is None and information.by_column:
        lazy = False
    given = information if penalties is None else penalties
    search = make_search(relevance, given, _criteria(information.criterion), lazy)
    order = by_relevance(first, relevance).tolist()
    scores: list[float] = []
    for j in range(k):
        feature, _ = next_feature(search, order)
        sums = search.redundancy_of(feature)
        scores.append(information.score(sums, float(relevance[feature]), j))
        search.take(feature)
        if on_step is not None:
            on_step(j + 1, k)
    return Selection(np.array(search.selected, dtype=np.intp), np.array(scores), search.pairs)


def fcbf(
    relevance: Numbers,
    redundancy: Redundancy,
    *,
    threshold: float = 0.0,
    k: int | None = None,
    on_step: OnStep | None = None,
    first: Sequence[int] | Ints = (),
) -> Selection:
    """Keep relevant features that no more relevant one of the result makes redundant.

    A feature x is redundant to s if SU(s, y) >= SU(x, y) and SU(x, s) >= SU(x, y).

    Parameters
    ----------
    relevance, redundancy
        Symmetric uncertainties of each feature and the label, and of pairs of features.
    threshold
        Features whose relevance is not above this are left out.
    k
        Largest number of features; None for no limit.
    on_step
        Called with the number of selected features and of those that are selected or left.
    first
        Features of the result whatever their relevance, which count among the k.

    Returns
    -------
    Selection
        The first features, then the others, both from the most relevant one down; scores are their
        relevances. If features are equally relevant, the one with the smaller index comes first.
    """
    values = np.asarray(relevance, dtype=np.float64)
    left = descending_order(values)
    left = left[values[left] > threshold]
    selected: list[int] = by_relevance(first, values).tolist()
    left = left[~np.isin(left, selected)]
    pairs = 0
    for given in selected:
        shared = redundancy.block(left, np.array([given]))[:, 0]
        pairs += left.size
        left = left[(shared < values[left] - NOISE) | (values[left] > values[given])]
    while left.size and (k is None or len(selected) < k):
        best, left = int(left[0]), left[1:]
        selected.append(best)
        shared = redundancy.block(left, np.array([best]))[:, 0]
        pairs += left.size
        left = left[shared < values[left] - NOISE]
        if on_step is not None:
            on_step(len(selected), len(selected) + left.size)
    order = np.array(selected, dtype=np.intp)
    return Selection(order, values[order], pairs)
