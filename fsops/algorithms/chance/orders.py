"""Orders of the label that are as probable as the true one if it has nothing to do with the rows.

Label and fold move jointly against the rows, so every fold keeps its class counts. Within blocks
(batches, centers, pairs) only rows of one block change places. Units (patients with several rows)
change places as a whole, with units of the same number of rows.

References
----------
Phipson & Smyth (2010): Permutation p-values should never be zero. SAGMB 9.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base import resampling
from fsops.algorithms.base.types import Ints, Numbers

EXACT = 1e6
"""Up to so many orders their number is counted exactly."""


@dataclass(frozen=True, eq=False)
class Orders:
    """Orders of the rows.

    Attributes
    ----------
    rows
        Orders by rows: row i gets label and fold of row ``rows[order, i]``. The first is the true
        one.
    arrangements
        How many different orders of the label there are.
    complete
        Whether ``rows`` has each of them once.
    """

    rows: Ints
    arrangements: float
    complete: bool


def label_orders(
    labels: Numbers,
    permutations: int,
    rng: np.random.Generator,
    *,
    blocks: Ints | None = None,
    units: Ints | None = None,
) -> Orders:
    """Return the true order and random ones; all different ones if there are not more.

    Parameters
    ----------
    labels : ndarray, shape (n,)
        Classes or numbers.
    permutations : int
        How many random orders.
    rng : numpy.random.Generator
    blocks : ndarray of int, shape (n,), optional
        Rows change places only within their block.
    units : ndarray of int, shape (n,), optional
        Rows with the same number stay together and change places as a whole.
    """
    exchange = _Exchange.of(labels, blocks, units)
    number = exchange.arrangements()
    if number <= permutations + 1:
        rows = exchange.all_orders(rng)
        return Orders(rows, number, True)
    drawn = [exchange.random_order(rng) for _ in range(permutations)]
    return Orders(np.array([np.arange(len(labels)), *drawn], dtype=np.intp), number, False)


@dataclass(frozen=True, eq=False)
class _Exchange:
    """Units of rows, and which of them may change places."""

    n: int
    members: Sequence[Ints]
    """Rows of each unit."""
    patterns: Ints
    """Units with the same labels have the same number."""
    strata: Sequence[Ints]
    """Units that may change places with each other."""

    @classmethod
    def of(cls, labels: Numbers, blocks: Ints | None, units: Ints | None) -> _Exchange:
        n = len(labels)
        codes = np.unique(labels, return_inverse=True)[1].reshape(-1)
        if units is None:
            members: list[Ints] = list(np.arange(n, dtype=np.intp)[:, None])
        else:
            members = [np.flatnonzero(units == unit) for unit in np.unique(units)]
        block = np.zeros(n, dtype=np.intp) if blocks is None else np.asarray(blocks)
        if any((block[rows] != block[rows[0]]).any() for rows in members):
            raise ValueError("A unit has rows in several blocks.")
        patterns = _numbered([tuple(codes[rows].tolist()) for rows in members])
        places = _numbered([(int(block[rows[0]]), len(rows)) for rows in members])
        strata = [np.flatnonzero(places == place) for place in range(places.max(initial=-1) + 1)]
        return cls(n, members, patterns, strata)

    def arrangements(self) -> float:
        """Return the number of different orders of the label."""
        logarithm = 0.0
        for stratum in self.strata:
            counts = np.unique(self.patterns[stratum], return_counts=True)[1]
            logarithm += math.lgamma(len(stratum) + 1) - sum(math.lgamma(c + 1) for c in counts)
        if logarithm < math.log(EXACT):
            return float(round(math.exp(logarithm)))
        return math.exp(logarithm) if logarithm < 700 else math.inf

    def random_order(self, rng: np.random.Generator) -> Ints:
        source = np.arange(len(self.members))
        for stratum in self.strata:
            if len(stratum) > 1:
                source[stratum] = rng.permutation(stratum)
        return self._of_rows(source)

    def all_orders(self, rng: np.random.Generator) -> Ints:
        """Return an order for every arrangement of the labels, the true one first.

        Units with the same labels are interchangeable, but have different folds: they are drawn.
        """
        found = [np.arange(self.n, dtype=np.intp)]
        truth = tuple(tuple(self.patterns[stratum].tolist()) for stratum in self.strata)
        for arrangement in itertools.product(*map(_arrangements, truth)):
            if arrangement == truth:
                continue
            source = np.arange(len(self.members))
            for stratum, wanted in zip(self.strata, arrangement, strict=True):
                for pattern in set(wanted):
                    places = stratum[np.array(wanted) == pattern]
                    same = stratum[self.patterns[stratum] == pattern]
                    source[places] = rng.permutation(same)
            found.append(self._of_rows(source))
        return np.array(found, dtype=np.intp)

    def _of_rows(self, source: Ints) -> Ints:
        order = np.empty(self.n, dtype=np.intp)
        for unit, other in enumerate(source.tolist()):
            order[self.members[unit]] = self.members[other]
        return order


def _numbered(keys: Sequence[tuple[int, ...]]) -> Ints:
    """Return a number for each key, counted from 0."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.intp)


def _arrangements(values: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Return each different order of some values once."""
    if not values:
        yield ()
    for first in sorted(set(values)):
        place = values.index(first)
        for rest in _arrangements(values[:place] + values[place + 1 :]):
            yield (first, *rest)


# --- folds ------------------------------------------------------------------------------------


def unit_folds(
    classes: Ints | None,
    n: int,
    most: int,
    rng: np.random.Generator,
    together: Ints | None = None,
) -> Ints:
    """Return the fold of each row: at most ``most``, and no more than the smallest class has units.

    Parameters
    ----------
    classes : ndarray of int, shape (n,), optional
        Spread evenly over the folds.
    n : int
    most : int
    rng : numpy.random.Generator
    together : ndarray of int, shape (n,), optional
        Rows with the same number are in one fold.
    """
    units = np.arange(n) if together is None else together
    strata = np.zeros(n, dtype=np.intp) if classes is None else classes
    pairs = np.unique(np.column_stack([units, strata]), axis=0)
    smallest = int(np.unique(pairs[:, 1], return_counts=True)[1].min())
    folds = max(2, min(most, smallest))
    return resampling.partition(n, folds, rng, strata=strata, groups=together)
