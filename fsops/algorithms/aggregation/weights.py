"""Combining the weightings of an ensemble into one.

A weight matrix has one row per member (resample or method) and one column per feature; weight 0
means not selected. Every member is read as a list of features, best first: see `Lists`.
Combinations by ranks alone that need a search or a distribution are in `rank_aggregation` and
`rank_aggregation_robust`.

References
----------
Schowe (2011), Feature selection for high-dimensional data with RapidMiner.
Abeel et al. (2010), Robust biomarker identification for cancer diagnosis with ensemble feature
selection methods, Bioinformatics 26.
Ben Brahim (2015), Stable and efficient feature selection methods for high dimensional data,
thesis, Tunis.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.ranking import ordinal_ranks
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers

Normalization: TypeAlias = Literal["none", "max", "minmax", "sum", "rank"]

DIGITS = 10  # to which scores are compared: the order of the members must not decide


@dataclass(frozen=True, slots=True, eq=False)
class Combination:
    """Features that an ensemble agrees on.

    Attributes
    ----------
    selected
        Mask of the features, (p,).
    counts
        Number of members that voted for each feature, (p,).
    frequency
        counts divided by the number of members, (p,).
    """

    selected: Bools
    counts: Ints
    frequency: Floats


def _matrix(weights: Numbers) -> Floats:
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.ndim != 2 or not len(matrix):
        raise ValueError(f"Weights must have one row per member, got shape {matrix.shape}.")
    # An infinite weight is the best one; as a number it can be compared and added.
    return np.nan_to_num(matrix, nan=0.0, posinf=1e150, neginf=-1e150)


def normalize_weights(weights: Numbers, method: Normalization = "max") -> Floats:
    """Weights of each member on a common scale, so that they can be added.

    Parameters
    ----------
    weights
        Members by features. Make signed importances absolute before.
    method
        "max": divided by the largest, negative ones 0; "minmax": smallest to 0, largest to 1;
        "sum": divided by the sum, negative ones 0; "rank": (p - rank + 1) / p; "none".

    Returns
    -------
    ndarray, shape (K, p)
        A member without any weight stays 0.
    """
    matrix = _matrix(weights)
    if method == "none":
        return matrix
    nothing = ~matrix.any(axis=1, keepdims=True)
    p = matrix.shape[1]
    if method == "rank":
        return np.where(nothing, 0.0, (p + 1 - ordinal_ranks(matrix)) / p)
    if method == "minmax":
        matrix = matrix - matrix.min(axis=1, keepdims=True, initial=np.inf)
    else:
        matrix = np.maximum(matrix, 0.0)
    if method not in ("max", "minmax", "sum"):
        raise ValueError(f"Unknown normalization {method!r}.")
    scale = matrix.sum(axis=1) if method == "sum" else matrix.max(axis=1, initial=0.0)
    return matrix / np.where(scale > 0, scale, 1.0)[:, None]


def top_k(
    weights: Numbers, k: int, *, min_iterations: int = 0, keep: Bools | None = None
) -> Combination:
    """The k features that are most often among the k best of a member.

    Parameters
    ----------
    weights
        Members by features; a weight that is not positive is never among the best.
    k
        Number of best features, of each member and of the result.
    min_iterations
        Additionally require that many votes; fewer than k features may remain.
    keep
        Features that are selected whatever their votes, and count among the k; (p,).

    Returns
    -------
    Combination
        Ties at the cut go to the larger sum of normalized weights, then to the smaller index.

    References
    ----------
    Schowe (2011), Feature selection for high-dimensional data with RapidMiner.
    """
    matrix = _matrix(weights)
    if k < 1:
        raise ValueError(f"k is {k}, but at least one feature must be selected.")
    votes = (ordinal_ranks(matrix) <= k) & (matrix > 0)
    needed = _needed(min_iterations, len(matrix), allow_none=True)
    return _elect(votes, matrix, needed, k, keep)


def geq_w(
    weights: Numbers,
    w: float,
    *,
    min_iterations: int | None = None,
    absolute: bool = False,
    k: int | None = None,
) -> Combination:
    """Features whose weight reaches w in enough members.

    Parameters
    ----------
    weights
        Members by features.
    w
        Smallest weight that counts as a vote.
    min_iterations
        Votes needed, 1 to the number of members; by default half of the members, rounded up.
    absolute
        Whether the modulus of a weight is compared.
    k
        At most that many features, those with most votes.

    Returns
    -------
    Combination

    References
    ----------
    Schowe (2011), Feature selection for high-dimensional data with RapidMiner.
    """
    matrix = _matrix(weights)
    if absolute:
        matrix = np.abs(matrix)
    members = len(matrix)
    votes_needed = -(-members // 2) if min_iterations is None else min_iterations
    needed = _needed(votes_needed, members, allow_none=False)
    return _elect(matrix >= w, matrix, needed, k)


def _needed(min_iterations: int, members: int, *, allow_none: bool) -> int:
    lowest = 0 if allow_none else 1
    if not lowest <= min_iterations <= members:
        raise ValueError(
            f"min_iterations is {min_iterations}, but must lie between {lowest} and the number "
            f"of iterations, {members}."
        )
    return max(1, min_iterations)


def _elect(
    votes: Bools, weights: Floats, needed: int, k: int | None, keep: Bools | None = None
) -> Combination:
    counts = votes.sum(axis=0)
    first = np.zeros(counts.size, dtype=bool) if keep is None else keep
    selected = (counts >= needed) | first
    if k is not None and np.count_nonzero(selected) > k:
        # Rounded: the order of the members must not decide by the last digit.
        total = np.round(normalize_weights(weights).sum(axis=0), DIGITS)
        order = np.lexsort((-total, -counts, ~first))
        selected = np.zeros(counts.size, dtype=bool)
        selected[order[:k]] = True
    return Combination(selected, counts, counts / len(votes))


def accumulate(weights: Numbers, *, normalization: Normalization = "none") -> Floats:
    """Sum of each feature's weights over the members, (p,).

    Parameters
    ----------
    weights
        Members by features.
    normalization
        See `normalize_weights`; needed if the members weight on different scales.
    """
    total: Floats = normalize_weights(weights, normalization).sum(axis=0)
    return total


# --- lists ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Lists:
    """The ranking of each member: its features, best first.

    Attributes
    ----------
    given
        Weights as they came, members by features, (K, p).
    weights
        The same on a common scale; 0 for a feature that is not in the list, (K, p).
    chosen
        Whether a feature is in the list, (K, p).
    """

    given: Floats
    weights: Floats
    chosen: Bools

    @classmethod
    def of(
        cls, weights: Numbers, n: int | None = None, *, normalization: Normalization = "max"
    ) -> "Lists":
        """Lists of the n best features of positive weight; by default all of positive weight."""
        if n is not None and n < 1:
            raise ValueError(f"n is {n}, but a list has at least one feature.")
        matrix = _matrix(weights)
        chosen = matrix > 0
        if n is not None:
            chosen &= ordinal_ranks(matrix) <= n
        return cls(matrix, normalize_weights(matrix, normalization) * chosen, chosen)

    @cached_property
    def ranks(self) -> Ints:
        """Place of each feature among all features, (K, p)."""
        return ordinal_ranks(self.given)

    @cached_property
    def counts(self) -> Ints:
        """In how many lists each feature is, (p,)."""
        counts: Ints = self.chosen.sum(axis=0)
        return counts

    @cached_property
    def truncated_ranks(self) -> Ints:
        """Ranks; features that are not in a list share the rank after its last one, (K, p)."""
        # Never 0: a feature that a member does not have is worse than all it has.
        after = self.chosen.sum(axis=1, keepdims=True) + 1
        ranks: Ints = np.where(self.chosen, self.ranks, after)
        return ranks

    @cached_property
    def mean_ranks(self) -> Floats:
        """Mean of the full ranks, (p,)."""
        means: Floats = self.ranks.mean(axis=0)
        return means

    def best_first(self, scores: Floats, then: Floats | None = None) -> Ints:
        """Features by score, largest first.

        Ties go to the larger second score if there is one, to the feature in more lists, to the
        better mean rank, to the smaller index.
        """
        keys = [self.mean_ranks, -self.counts]
        if then is not None:
            keys.append(-then)
        return np.lexsort([*keys, -_comparable(scores)])


def _comparable(scores: Floats) -> Floats:
    largest = np.abs(scores).max(initial=0.0)
    comparable: Floats = np.round(scores / largest, DIGITS) if largest > 0 else scores
    return comparable


def mean_weight(lists: Lists) -> Floats:
    """Mean weight of each feature over the members, 0 where it is not in the list (WMA), (p,)."""
    mean: Floats = lists.weights.mean(axis=0)
    return mean


def weight_over_rank(lists: Lists) -> Floats:
    """Sum of each feature's weights divided by the sum of its ranks (WRA), (p,)."""
    ratio: Floats = lists.weights.sum(axis=0) / lists.truncated_ranks.sum(axis=0)
    return ratio


def mean_rank(lists: Lists, *, truncated: bool = False) -> Floats:
    """(p + 1 - mean rank) / p for features that are in a list (CLA, Borda's points), (p,).

    Parameters
    ----------
    lists
        The members.
    truncated
        Let features behind the end of a list share the next rank, instead of counting on.

    References
    ----------
    Abeel et al. (2010), Robust biomarker identification for cancer diagnosis with ensemble
    feature selection methods, Bioinformatics 26 (complete linear aggregation).
    """
    ranks = lists.truncated_ranks if truncated else lists.ranks
    p = ranks.shape[1]
    return np.where(lists.counts > 0, (p + 1 - ranks.mean(axis=0)) / p, 0.0)


def common(lists: Lists, share: float = 1.0) -> Bools:
    """Features that are in at least this fraction of the lists, (p,)."""
    # A share of 1/3 of 3 lists is 1 list, whatever rounding says.
    needed = max(1, int(np.ceil(share * len(lists.chosen) - 1e-9)))
    return lists.counts >= needed


def accuracy_sum(lists: Lists, errors: Numbers) -> Floats:
    """Sum of the accuracies of the members that have a feature in their list (CAA), (p,).

    Parameters
    ----------
    lists
        The members.
    errors
        Classification error of each member's features, (K,).
    """
    accuracy: Floats = (1.0 - _errors(errors, len(lists.chosen))) @ lists.chosen
    return accuracy


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """How much each member can be relied on for each feature.

    Attributes
    ----------
    confidence, conflict, reliability
        Members by features, 0 to 1, (K, p).
    scores
        Sum of the weights times their reliability, (p,).
    """

    confidence: Floats
    conflict: Floats
    reliability: Floats
    scores: Floats


def reliability(
    lists: Lists,
    errors: Numbers,
    rows: int,
    *,
    classes: int = 2,
    beta: Literal["normalized", "raw"] = "normalized",
    scale: Literal["global", "per selector"] = "global",
) -> Reliability:
    """Weights that count as much as members are accurate and do not contradict the others (RAA).

    A member is confident in a feature by its weight and its accuracy. A conflict is a weight unlike
    those of the others, held with a confidence like theirs.

    Parameters
    ----------
    lists
        The members, weights from 0 to 1.
    errors
        Classification error of each member's features, (K,); clipped to 1 / (2 rows) and
        1 - 1 / classes, the error of guessing.
    rows
        Number of rows the errors were measured on.
    classes
        Number of classes. With more than two, log(classes - 1) is added to the log of the odds, so
        that the confidence of guessing is 0.
    beta
        "normalized": error / (1 - error), as in AdaBoost; "raw": the error.
    scale
        Whether reliabilities are divided by their largest, or by that of each member.

    Returns
    -------
    Reliability
        For a single member the scores are its weights.

    References
    ----------
    Ben Brahim & Limam (2013), Robust ensemble feature selection for high dimensional data sets,
    HPCS; Ben Brahim (2015), Stable and efficient feature selection methods for high dimensional
    data, thesis, Tunis. Several classes: Zhu, Zou, Rosset & Hastie (2009), Multi-class AdaBoost,
    Statistics and Its Interface 2.
    """
    opinion, members = lists.weights, len(lists.weights)
    guessing = 1 - 1 / max(classes, 2)
    error = np.clip(_errors(errors, members), 1 / (2 * max(rows, 1)), guessing)
    ratio = error / (1 - error) if beta == "normalized" else error
    trust = np.log(max(classes, 2) - 1) - np.log(ratio)
    if beta == "normalized":
        trust = np.where(error < guessing, trust, 0.0)  # rounding must not leave a trace of trust
    confidence = _over_largest(opinion * trust[:, None])
    if members == 1:
        return Reliability(confidence, np.zeros_like(opinion), np.ones_like(opinion), opinion[0])
    conflict = _likeness(confidence) * (1 - _likeness(opinion))
    axis = 1 if scale == "per selector" else None
    reliable = _over_largest(confidence * (1 - conflict), axis)
    return Reliability(confidence, conflict, reliable, (opinion * reliable).sum(axis=0))


def _errors(errors: Numbers, members: int) -> Floats:
    error = np.asarray(errors, dtype=np.float64)
    if error.shape != (members,) or not ((error >= 0) & (error <= 1)).all():
        raise ValueError(f"There must be {members} errors from 0 to 1.")
    return error


def _over_largest(values: Floats, axis: int | None = None) -> Floats:
    largest = values.max(axis=axis, keepdims=True, initial=0.0)
    return values / np.where(largest > 0, largest, 1.0)


def _likeness(values: Floats) -> Floats:
    """One minus the mean distance from the other members' values, (K, p)."""
    distance = np.stack([np.abs(values - own).sum(axis=0) for own in values])
    return 1.0 - distance / (len(values) - 1)
