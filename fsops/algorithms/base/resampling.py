"""Row subsets for ensembles and stability runs: bootstrap, subsample, cross-validation-like.

Every function returns one array of row indices per member, or one matrix of row counts, and
takes its randomness from generators spawned per member: member i is the same whatever the
order, the number or the place in which the members are computed.

With ``groups``, rows of one group are never separated: groups are drawn instead of rows, and the
strata of a group are the classes among its rows. Sizes are then reached up to a group.

References
----------
Efron & Tibshirani (1993), An Introduction to the Bootstrap.
"""

from collections.abc import Sequence

import numpy as np

from fsops.algorithms.base.row_groups import RowGroups, group_sizes
from fsops.algorithms.base.types import Floats, Ints

REDRAWS = 100


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _class_codes(strata: Ints | None, n: int) -> Ints:
    if strata is None:
        return np.zeros(n, dtype=np.intp)
    labels = np.asarray(strata)
    _require(labels.shape == (n,), f"strata has shape {labels.shape}, expected ({n},).")
    return np.unique(labels, return_inverse=True)[1].astype(np.intp)


def bootstrap(
    n: int,
    members: int,
    rng: np.random.Generator,
    *,
    ratio: float = 1.0,
    strata: Ints | None = None,
    labels: Ints | None = None,
    groups: Ints | None = None,
) -> tuple[Ints, ...]:
    """Rows drawn with replacement, ``round(ratio n)`` of them per member.

    Parameters
    ----------
    n : int
        Number of rows to draw from.
    members : int
        Number of index arrays.
    rng : numpy.random.Generator
    ratio : float, default 1
        Drawn rows divided by n.
    strata : ndarray, shape (n,), optional
        Draws each class for itself, so that every member has the same class counts.
    labels : ndarray, shape (n,), optional
        A draw with fewer than two rows of a class that has two (or none of a class that has
        one) is drawn again, at most 100 times; then the shares are kept by drawing within
        classes.
    groups : ndarray of int, shape (n,), optional
        Draws whole groups, ``round(ratio g)`` of g; a group drawn twice has its rows twice.

    Returns
    -------
    tuple of ndarray of int
        Sorted row indices with repetitions, one array per member.
    """
    _require(n >= 1 and ratio > 0, f"n is {n} and ratio {ratio}; both must be positive.")
    if groups is not None:
        whole = RowGroups(groups)
        kinds = [None if codes is None else whole.kinds(codes) for codes in (strata, labels)]
        drawn = bootstrap(whole.count, members, rng, ratio=ratio, strata=kinds[0], labels=kinds[1])
        return tuple(map(whole.rows, drawn))
    size = max(1, round(ratio * n))
    codes = _class_codes(strata, n), _class_codes(labels, n)
    return tuple(_draw(size, generator, *codes) for generator in rng.spawn(members))


def _draw(size: int, rng: np.random.Generator, strata: Ints, labels: Ints) -> Ints:
    n = strata.size
    if strata.max(initial=0) > 0:
        return _draw_within(size, rng, strata)
    needed = np.minimum(np.bincount(labels), 2)
    if size < needed.sum() or needed.size == 1:
        return np.sort(rng.integers(0, n, size))
    for _ in range(REDRAWS):
        rows = rng.integers(0, n, size)
        if np.all(np.bincount(labels[rows], minlength=needed.size) >= needed):
            return np.sort(rows)
    return _draw_within(size, rng, labels)


def _draw_within(size: int, rng: np.random.Generator, codes: Ints) -> Ints:
    counts = _shares(size, np.bincount(codes))
    parts = [
        rng.choice(np.flatnonzero(codes == c), count, replace=True)
        for c, count in enumerate(counts)
        if count
    ]
    return np.sort(np.concatenate(parts))


def _shares(size: int, counts: Ints) -> Ints:
    """Split size in proportion to counts: largest remainders, at least one per class if it fits."""
    quota = size * counts / counts.sum()
    shares: Ints = np.floor(quota + 1e-9).astype(np.intp)
    rest = size - int(shares.sum())
    shares[np.argsort(shares - quota, kind="stable")[:rest]] += 1
    for c in np.flatnonzero((shares == 0) & (counts > 0)):
        giver = int(np.argmax(shares))
        if shares[giver] > 1:
            shares[giver] -= 1
            shares[c] += 1
    return shares


def subsample(
    n: int,
    members: int,
    rng: np.random.Generator,
    *,
    ratio: float = 0.8,
    strata: Ints | None = None,
    groups: Ints | None = None,
) -> tuple[Ints, ...]:
    """Rows drawn without replacement, ``floor(ratio n)`` of them per member.

    Parameters
    ----------
    n : int
    members : int
    rng : numpy.random.Generator
    ratio : float, default 0.8
        Drawn rows divided by n, above 0 and at most 1.
    strata : ndarray, shape (n,), optional
        Keeps the class shares.
    groups : ndarray of int, shape (n,), optional
        Draws whole groups, ``floor(ratio g)`` of g, but at least one.

    Returns
    -------
    tuple of ndarray of int
        Sorted row indices, one array per member.
    """
    _require(0 < ratio <= 1, f"ratio is {ratio}, but must be above 0 and at most 1.")
    if groups is not None:
        whole = RowGroups(groups)
        kinds = None if strata is None else whole.kinds(strata)
        size = max(1, share_of(whole.count, ratio))
        pairs = holdouts(whole.count, members, rng, train=size, test=0, strata=kinds)
        return tuple(whole.rows(train) for train, _ in pairs)
    size = share_of(n, ratio)
    _require(size >= 1, f"ratio {ratio} of {n} rows leaves no row.")
    return tuple(train for train, _ in holdouts(n, members, rng, train=size, test=0, strata=strata))


def share_of(n: int, ratio: float) -> int:
    """Number of rows of a fraction of n rows: rounded down, but 0.7 of 10 is 7."""
    return int(np.floor(ratio * n + 1e-9))


def holdouts(
    n: int,
    members: int,
    rng: np.random.Generator,
    *,
    train: int,
    test: int,
    strata: Ints | None = None,
    groups: Ints | None = None,
) -> tuple[tuple[Ints, Ints], ...]:
    """Pairs of disjoint row sets drawn without replacement: to train on, and to test on.

    Parameters
    ----------
    n : int
    members : int
        Number of pairs.
    rng : numpy.random.Generator
    train, test : int
        Their sizes; together at most n.
    strata : ndarray, shape (n,), optional
        Keeps the class shares in both.
    groups : ndarray of int, shape (n,), optional
        Draws whole groups: as large a fraction of the groups as train and test are of the rows, at
        least one for each.

    Returns
    -------
    tuple of (ndarray of int, ndarray of int)
        Sorted row indices.
    """
    _require(train >= 1 and test >= 0, f"{train} and {test} rows: the first needs at least one.")
    _require(train + test <= n, f"{train} and {test} rows are more than {n}.")
    if groups is not None:
        whole = RowGroups(groups)
        sizes = group_sizes(n, whole.count, train, test)
        kinds = None if strata is None else whole.kinds(strata)
        pairs = holdouts(whole.count, members, rng, train=sizes[0], test=sizes[1], strata=kinds)
        return tuple((whole.rows(one), whole.rows(other)) for one, other in pairs)
    codes = _class_codes(strata, n)

    def pair(generator: np.random.Generator) -> tuple[Ints, Ints]:
        learned = _draw_shares(np.arange(n), train, codes, generator)
        rest = out_of_bag(learned, n)
        if test in (0, rest.size):
            return learned, rest[:test]
        return learned, _draw_shares(rest, test, codes, generator)

    return tuple(pair(generator) for generator in rng.spawn(members))


def _draw_shares(rows: Ints, size: int, codes: Ints, rng: np.random.Generator) -> Ints:
    """Draw from some rows without replacement, keeping the proportions of their classes."""
    counts = _shares(size, np.bincount(codes[rows]))
    groups = [rows[codes[rows] == c] for c in range(counts.size)]
    drawn = [rng.choice(g, c, replace=False) for g, c in zip(groups, counts, strict=True)]
    return np.sort(np.concatenate(drawn))


def blocks(n: int, parts: int, *, groups: Ints | None = None) -> Ints:
    """Part number 0..parts-1 of every row: neighbors together, sizes differing by at most one.

    Parameters
    ----------
    n : int
    parts : int
        Between 1 and n.
    groups : ndarray of int, shape (n,), optional
        Keeps groups whole; they are in the order of their first rows.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    if groups is not None:
        whole = RowGroups(groups)
        part: Ints = blocks(whole.count, parts)[whole.in_order()]
        return part
    _require(1 <= parts <= n, f"{parts} parts of {n} rows: choose between 1 and {n}.")
    return np.arange(n, dtype=np.intp) * parts // n


def partition(
    n: int,
    parts: int,
    rng: np.random.Generator,
    *,
    strata: Ints | None = None,
    groups: Ints | None = None,
    weights: Floats | None = None,
) -> Ints:
    """Part number 0..parts-1 of every row, sizes differing by at most one.

    Parameters
    ----------
    n : int
    parts : int
        Between 1 and n.
    rng : numpy.random.Generator
    strata : ndarray, shape (n,), optional
        Spreads every class evenly over the parts (its counts differ by at most one).
    groups : ndarray of int, shape (n,), optional
        Keeps groups whole, see `RowGroups.dealt`; there must be as many as parts.
    weights : ndarray of float, shape (n,), optional
        How often each row counts. A row of weight 2 is dealt as a group of two equal rows, so that
        the parts have about the same sums of weights.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    _require(1 <= parts <= n, f"{parts} parts of {n} rows: choose between 1 and {n}.")
    codes = _class_codes(strata, n)
    if groups is not None or weights is not None:
        whole = RowGroups(np.arange(n) if groups is None else groups)
        _require(parts <= whole.count, f"{parts} parts of {whole.count} groups.")
        return whole.dealt(parts, codes, rng, weights)
    # Dealing the rows, sorted by class, round and round keeps all counts within one; the
    # random part labels hide that the first parts get the larger share.
    shuffled = rng.permutation(n)
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]
    part = np.empty(n, dtype=np.intp)
    part[dealt] = rng.permutation(parts)[np.arange(n) % parts]
    return part


def leave_one_part_out(
    n: int,
    members: int,
    rng: np.random.Generator,
    *,
    strata: Ints | None = None,
    groups: Ints | None = None,
) -> tuple[Ints, ...]:
    """Cross-validation-like subsets: member i has all rows but those of part i.

    Parameters
    ----------
    n : int
    members : int
        Number of parts, between 2 and n.
    rng : numpy.random.Generator
    strata : ndarray, shape (n,), optional
        Spreads every class evenly over the parts.
    groups : ndarray of int, shape (n,), optional
        Keeps groups whole.

    Returns
    -------
    tuple of ndarray of int
        Sorted row indices, one array per member.
    """
    _require(members >= 2, f"{members} parts: leaving one out needs at least 2.")
    part = partition(n, members, rng, strata=strata, groups=groups)
    return tuple(np.flatnonzero(part != i) for i in range(members))


def row_counts(members: Sequence[Ints], n: int) -> Floats:
    """Times each row occurs in each member, as the weight matrix of batched computations.

    Parameters
    ----------
    members : sequence of ndarray of int
    n : int
        Number of rows of the full data.

    Returns
    -------
    ndarray, shape (len(members), n)
    """
    counts = [np.bincount(rows, minlength=n) for rows in members]
    return np.array(counts, dtype=np.float64).reshape(len(counts), n)


def out_of_bag(rows: Ints, n: int) -> Ints:
    """Row indices that a member does not contain, in ascending order.

    Parameters
    ----------
    rows : ndarray of int
        The member.
    n : int
        Number of rows of the full data.

    Returns
    -------
    ndarray of int
    """
    return np.flatnonzero(np.bincount(rows, minlength=n) == 0)
