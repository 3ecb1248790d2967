"""Rows that must not be separated, such as the samples of one patient, as units to draw from."""

from __future__ import annotations

import numpy as np

from fsops.algorithms.base.types import Floats, Ints


class RowGroups:
    """Groups of rows, numbered from 0 in the order of their keys.

    Parameters
    ----------
    groups : ndarray of int, shape (n,)
        Rows with the same number belong together.
    """

    def __init__(self, groups: Ints) -> None:
        _, codes = np.unique(np.asarray(groups), return_inverse=True)
        self.codes: Ints = codes.reshape(-1).astype(np.intp)
        self.count = int(self.codes.max(initial=-1)) + 1
        order = np.argsort(self.codes, kind="stable")
        self._members = np.split(order, np.cumsum(np.bincount(self.codes))[:-1])
        self.first: Ints = np.array([rows[0] for rows in self._members if len(rows)], dtype=np.intp)

    def rows(self, drawn: Ints) -> Ints:
        """Return the sorted rows of some groups; a group drawn twice gives its rows twice."""
        if not len(drawn):
            return np.empty(0, dtype=np.intp)
        return np.sort(np.concatenate([self._members[group] for group in drawn]))

    def in_order(self) -> Ints:
        """Return the number of each row's group if groups are counted by their first rows."""
        place = np.empty(self.count, dtype=np.intp)
        place[np.argsort(self.first)] = np.arange(self.count)
        numbers: Ints = place[self.codes]
        return numbers

    def class_counts(self, classes: Ints, weights: Floats | None = None) -> Ints | Floats:
        """Return how many rows of each class each group has, or their weights' sums.

        The shape is (groups, classes).
        """
        codes = np.unique(classes, return_inverse=True)[1].reshape(-1)
        width = int(codes.max(initial=0)) + 1
        places = self.codes * width + codes
        counts: Ints | Floats = np.bincount(places, weights, minlength=self.count * width)
        return counts.reshape(self.count, width)

    def kinds(self, classes: Ints) -> Ints:
        """Return a number for each group that says which classes occur in it."""
        present = self.class_counts(classes) > 0
        return np.unique(present, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)

    def dealt(
        self,
        parts: int,
        classes: Ints,
        rng: np.random.Generator,
        weights: Floats | None = None,
    ) -> Ints:
        """Return the part of each row so that groups stay whole and classes are spread evenly.

        Groups are dealt one by one, the largest first, then by their classes, and equal ones in
        random order. Each goes to
        the part with the fewest rows of its classes, relative to the size of the class; of equal
        parts to the one with the fewest rows, then with the fewest groups. While fewer groups are
        left than parts without one, these come first, so that no part stays empty. Groups of one
        row spread every class, and the rows, evenly: counts differ by at most one. With weights a
        row counts as often as its weight says.
        """
        counts = self.class_counts(classes, weights)
        sizes = counts.sum(axis=0)
        shuffled = rng.permutation(self.count)
        size, kind = counts.sum(axis=1), self.kinds(classes)
        order = shuffled[np.lexsort((kind[shuffled], -size[shuffled]))]
        priority = rng.permutation(parts)
        held = np.zeros((parts, counts.shape[1]))
        groups_in = np.zeros(parts, dtype=np.intp)
        part = np.empty(self.count, dtype=np.intp)
        for left, group in zip(range(self.count, 0, -1), order, strict=True):
            own = (held * (counts[group] / sizes)).sum(axis=1)
            ranked = np.lexsort((priority, groups_in, held.sum(axis=1), own))
            empty = groups_in == 0
            chosen = ranked[empty[ranked]][0] if left <= empty.sum() else ranked[0]
            part[group] = chosen
            held[chosen] += counts[group]
            groups_in[chosen] += 1
        dealt: Ints = part[self.codes]
        return dealt


def group_sizes(n: int, count: int, train: int, test: int) -> tuple[int, int]:
    """Return how many of the groups to train on and to test on, in place of numbers of rows.

    The same fractions as of the rows, but at least one where there is a row.
    """
    if count < 2 and test:
        raise ValueError("One group cannot be divided.")
    learned = min(max(1, round(train * count / n)), count - bool(test))
    if train + test == n:
        return learned, count - learned
    return learned, min(max(int(bool(test)), round(test * count / n)), count - learned)
