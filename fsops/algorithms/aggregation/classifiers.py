"""Several classifiers decide together.

References
----------
Kuncheva (2004), Combining pattern classifiers, Wiley.
Kittler, Hatef, Duin & Matas (1998), On combining classifiers, IEEE PAMI 20.
"""

from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers

Rule: TypeAlias = Literal[
    "majority", "weighted majority", "average", "sum", "product", "minimum", "maximum"
]

DIGITS = 12  # to which supports are compared
SMALLEST = 1e-12  # one classifier that excludes a class does not outweigh all others for certain


def combine(
    supports: Numbers,
    rule: Rule,
    *,
    votes: Numbers | None = None,
    weights: Numbers | None = None,
    priors: Numbers | None = None,
) -> Floats:
    """Support of each class by all classifiers, the largest for the class that wins, (n, C).

    Parameters
    ----------
    supports
        Of classifiers, rows and classes, not negative, (T, n, C); each row is scaled to sum 1.
    rule
        Votes for the class of largest support ("majority"), the same with weights, or the mean
        ("average", the same as "sum"), product, minimum or maximum of the supports. The class with
        the largest result wins, also for the minimum: it has no strong opponent.
    votes
        Class each classifier votes for, (T, n); by default that of largest support.
    weights
        Of the classifiers, for "weighted majority", (T,); see `vote_weights`.
    priors
        Class fractions, for ties, (C,).

    Returns
    -------
    ndarray, shape (n, C)
        Rows sum to 1. Ties go to the larger sum of supports, the larger prior, the first class.

    Notes
    -----
    The winner of a tie is larger by the least number that counts.
    """
    given = _scaled(np.asarray(supports, dtype=np.float64))
    if given.ndim != 3 or not len(given):
        raise ValueError(f"Supports must be (classifiers, rows, classes), got {given.shape}.")
    if rule in ("majority", "weighted majority"):
        chosen = given.argmax(axis=2) if votes is None else np.asarray(votes)
        ballots = (chosen[:, :, None] == np.arange(given.shape[2])).astype(np.float64)
        equal = np.ones(len(given))
        counted = _weights(weights, len(given)) if rule == "weighted majority" else equal
        combined = np.tensordot(counted, ballots, axes=1)
    else:
        combined = _of_supports(given, rule)
    mean = given.mean(axis=0)
    nobody = ~combined.any(axis=1, keepdims=True)
    combined = _scaled(np.where(nobody, mean, combined))
    return _with_winner(combined, _winners(combined, mean, priors))


def _of_supports(supports: Floats, rule: Rule) -> Floats:
    if rule in ("average", "sum"):
        combined: Floats = supports.mean(axis=0)
    elif rule == "minimum":
        combined = supports.min(axis=0)
    elif rule == "maximum":
        combined = supports.max(axis=0)
    elif rule == "product":
        logs = np.log(np.maximum(supports, SMALLEST)).sum(axis=0)
        combined = np.exp(logs - logs.max(axis=1, keepdims=True))
    else:
        raise ValueError(f"Unknown rule {rule!r}.")
    return combined


def vote_weights(errors: Numbers, classes: int = 2) -> Floats:
    """Weights of classifiers, 0 for those no better than guessing one of the classes, (T,).

    A weight is log((1 - error) / error) + log(classes - 1). The second term is 0 for two classes;
    with more, an error above 1/2 may still be better than guessing.

    References
    ----------
    Zhu, Zou, Rosset & Hastie (2009), Multi-class AdaBoost, Statistics and Its Interface 2.
    """
    error = np.clip(np.asarray(errors, dtype=np.float64), 1e-6, 1 - 1e-6)
    guessing = error >= 1 - 1 / max(classes, 2)
    odds = np.log((1 - error) / error) + np.log(max(classes, 2) - 1)
    return np.where(guessing, 0.0, np.maximum(odds, 0.0))


def _weights(weights: Numbers | None, members: int) -> Floats:
    if weights is None:
        raise ValueError("Weighted majority needs a weight for each classifier.")
    own = np.asarray(weights, dtype=np.float64)
    # If nobody is better than chance, all count alike.
    return own if own.any() else np.ones(members)


def _scaled(supports: Floats) -> Floats:
    """Supports with sum 1 over the classes; all alike where there are none."""
    total = supports.sum(axis=-1, keepdims=True)
    scaled: Floats = np.where(
        total > 0, supports / np.where(total > 0, total, 1.0), 1.0 / supports.shape[-1]
    )
    return scaled


def _winners(combined: Floats, mean: Floats, priors: Numbers | None) -> Ints:
    best = _largest(combined, np.ones(combined.shape, dtype=bool))
    best = _largest(mean, best)
    if priors is not None:
        best = _largest(np.broadcast_to(np.asarray(priors, dtype=np.float64), mean.shape), best)
    first: Ints = best.argmax(axis=1)
    return first


def _largest(values: Floats, among: Bools) -> Bools:
    """Which of the marked classes have the largest value of their row."""
    compared = np.where(among, np.round(values, DIGITS), -np.inf)
    largest: Bools = among & (compared == compared.max(axis=1, keepdims=True))
    return largest


def _with_winner(combined: Floats, winners: Ints) -> Floats:
    """Supports whose largest is the winner's, also after a tie."""
    rows = np.arange(len(combined))
    combined[rows, winners] = np.where(
        combined.argmax(axis=1) == winners,
        combined[rows, winners],
        np.nextafter(combined.max(axis=1, initial=0.0), 2.0),
    )
    return combined
