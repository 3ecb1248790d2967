"""Search for a set of features with a large CFS merit that can take steps back.

Forward selection stops at the first set that no single feature improves. Best-first search then
goes on from the next best set it has seen, and stops after some expansions without a better set.

References
----------
Hall (2000), Correlation-based feature selection for discrete and numeric class machine learning,
ICML. Kohavi & John (1997), Wrappers for feature subset selection, Artificial Intelligence 97.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.ranking import descending_order
from fsops.algorithms.base.types import Floats, Ints, Numbers
from fsops.algorithms.mrmr.measures import Redundancy
from fsops.algorithms.mrmr.selection import GAIN, Selection, by_relevance

Direction: TypeAlias = Literal["forward", "bidirectional"]
PATIENCE = 5  # expansions without a better set, as in Weka


@dataclass(frozen=True, eq=False)
class _Node:
    """A set of features with the sums its neighbors are scored by.

    Attributes
    ----------
    path
        The features, in the order in which they were added.
    shared
        Redundancy of every feature with those of the set, without itself.
    """

    path: tuple[int, ...]
    merit: float
    relevance: float
    pairs: float
    shared: Floats

    @classmethod
    def empty(cls, p: int) -> _Node:
        return cls((), 0.0, 0.0, 0.0, np.zeros(p))

    def neighbours(
        self, relevance: Floats, direction: Direction, k: int, fixed: Ints
    ) -> tuple[Floats, Ints]:
        """Merits of the sets with one feature more (or less), and their order, best first.

        A feature of the set stands for its removal. Impossible steps have the merit -inf, as has
        the removal of a fixed feature.
        """
        size = len(self.path)
        merits = np.full(relevance.size, -np.inf)
        inside = np.array(self.path, dtype=np.intp)
        if size < k:
            spread = size + 1 + 2.0 * (self.pairs + self.shared)
            merits = (self.relevance + relevance) / np.sqrt(spread)
            merits[inside] = -np.inf
        if direction == "bidirectional" and size > 1:
            spread = size - 1 + 2.0 * (self.pairs - self.shared[inside])
            merits[inside] = (self.relevance - relevance[inside]) / np.sqrt(spread)
            merits[fixed] = -np.inf
        return merits, descending_order(merits)

    def changed(self, feature: int, merit: float, relevance: Floats, column: Floats) -> _Node:
        """Return the set with a feature added, or removed if it is there."""
        added = feature not in self.path
        sign = 1.0 if added else -1.0
        path = (*self.path, feature) if added else tuple(f for f in self.path if f != feature)
        column = column.copy()
        column[feature] = 0.0
        return _Node(
            path,
            merit,
            self.relevance + sign * float(relevance[feature]),
            self.pairs + sign * float(self.shared[feature]),
            self.shared + sign * column,
        )


def cfs_best_first(
    relevance: Numbers,
    redundancy: Redundancy,
    k: int | None = None,
    *,
    direction: Direction = "forward",
    patience: int = PATIENCE,
    on_step: Callable[[int], None] | None = None,
    first: Sequence[int] | Ints = (),
) -> Selection:
    """Find a set of features with a large CFS merit by best-first search.

    Parameters
    ----------
    relevance, redundancy
        Both from 0 to 1, such as absolute correlations or symmetric uncertainties.
    k
        Largest number of features; None for no limit.
    direction
        "forward" adds features, "bidirectional" also removes them.
    patience
        Expansions in a row without a better set after which the search stops.
    on_step
        Called with the number of expanded sets.
    first
        Features of each set, the most relevant one first; they count among the k.

    Returns
    -------
    Selection
        Features in the order in which they were added; its scores are the merits of the beginnings
        of this order. Among equal merits the set found first wins.
    """
    values = np.asarray(relevance, dtype=np.float64)
    if values.size and values.max() > 1 + 1e-9:
        raise ValueError("The CFS merit needs measures between 0 and 1; F is not one of them.")
    fixed = by_relevance(first, values)
    search = _BestFirst(values, redundancy, direction, values.size if k is None else k, fixed)
    best, waited = search.start, 0
    for expanded, node in enumerate(search, start=1):
        waited = 0 if node.merit > best.merit + GAIN else waited + 1
        best = best if waited else node
        if on_step is not None:
            on_step(expanded)
        if waited >= patience:
            break
    order = np.array(best.path, dtype=np.intp)
    return Selection(order, _merits_of(order, values, redundancy), search.pairs)


class _BestFirst:
    """Sets of features, each time the best one that was seen but not yet visited."""

    def __init__(
        self,
        relevance: Floats,
        redundancy: Redundancy,
        direction: Direction,
        k: int,
        fixed: Ints,
    ) -> None:
        self._relevance, self._redundancy = relevance, redundancy
        self._direction, self._k, self._fixed = direction, k, fixed
        self.start = _Node.empty(relevance.size)
        self.pairs = 0
        self._columns: dict[int, Floats] = {}
        for feature in fixed.tolist():
            merit = self.start.neighbours(relevance, "forward", relevance.size, fixed[:0])[0]
            self.start = self.start.changed(
                feature, float(merit[feature]), relevance, self._column(feature)
            )

    def __iter__(self) -> Iterator[_Node]:
        visited: set[frozenset[int]] = {frozenset(self.start.path)}
        expanded: list[tuple[_Node, Floats, Ints]] = []
        waiting: list[tuple[float, int, int]] = []  # merit, number of the parent, place
        self._expand(self.start, expanded, waiting)
        while waiting:
            negative, number, place = heapq.heappop(waiting)
            parent, merits, order = expanded[number]
            self._await(number, place + 1, merits, order, waiting)
            feature = int(order[place])
            found = frozenset(parent.path) ^ {feature}
            if found in visited:
                continue
            visited.add(found)
            node = parent.changed(feature, -negative, self._relevance, self._column(feature))
            yield node
            self._expand(node, expanded, waiting)

    def _expand(
        self,
        node: _Node,
        expanded: list[tuple[_Node, Floats, Ints]],
        waiting: list[tuple[float, int, int]],
    ) -> None:
        merits, order = node.neighbours(self._relevance, self._direction, self._k, self._fixed)
        expanded.append((node, merits, order))
        self._await(len(expanded) - 1, 0, merits, order, waiting)

    @staticmethod
    def _await(
        number: int, place: int, merits: Floats, order: Ints, waiting: list[tuple[float, int, int]]
    ) -> None:
        """Queue one neighbor; the next one follows when this one is taken."""
        if place < order.size and merits[order[place]] > -np.inf:
            heapq.heappush(waiting, (-float(merits[order[place]]), number, place))

    def _column(self, feature: int) -> Floats:
        if feature not in self._columns:
            self._columns[feature] = np.asarray(self._redundancy.column(feature), dtype=np.float64)
            self.pairs += self._relevance.size
        return self._columns[feature]


def _merits_of(order: Ints, relevance: Floats, redundancy: Redundancy) -> Floats:
    """Merits of the first 1, 2, … features."""
    block = np.array(redundancy.block(order, order), dtype=np.float64)
    np.fill_diagonal(block, 0.0)
    pairs = np.array([block[:j, :j].sum() for j in range(1, order.size + 1)])
    sizes = np.arange(1, order.size + 1)
    return np.asarray(np.cumsum(relevance[order]) / np.sqrt(sizes + pairs))
