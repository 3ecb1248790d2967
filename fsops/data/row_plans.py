"""Sets of rows that are known in advance, such as the training sets of a validation.

A filter inside a validation asks each training set for its moments. The sets overlap, so the
moments of all of them are computed together, in one pass over the whole table. The filter does not
know about it: it calls `Table.moments` as always.

No row outside a set counts for its moments: it is multiplied by 0. Only rounding can differ from
the direct computation, and rounding decides nothing (see `algorithms/base/ranking.py`).
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from fsops.data.examples import PLANNED, ExampleSet
from fsops.data.statistics import PassRunner, SetMoments, SetStatistic, SetTargetMoments
from fsops.data.streamed import StreamedExampleSet
from fsops.data.taken_rows import TakenRows
from fsops.errors import DataError

if TYPE_CHECKING:
    from fsops.algorithms.base.moments import ClassMoments, CrossMoments
    from fsops.algorithms.filters.streaming import Mergeable

Rows = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
M = TypeVar("M")
S = TypeVar("S", bound="Mergeable")

SHARE = 0.2
"""Moments of several sets take at most this part of the memory of the table, …"""
SMALL = 32 * 2**20
"""… or so many bytes, whatever is more."""
FEW = 20
"""Beside so many sets all rows cost little, also where workers have computed the sets."""


class RowPlan:
    """Sets of rows of one table; the moments of several of them are computed together.

    Which sets are computed together depends on the table only. So each set has the same moments,
    bit for bit, on every engine and in whatever order the sets are asked.

    Parameters
    ----------
    table : ExampleSet
    sets : sequence of arrays
        Row numbers of each set.
    whole : bool
        Whether all rows will be wanted too, by `all_rows`.
    """

    def __init__(self, table: ExampleSet, sets: Sequence[Rows], *, whole: bool = False) -> None:
        self.table = table
        self._has_all = whole and len(sets) <= FEW
        self.sets = [*sets, np.arange(table.n_rows)] if self._has_all else sets
        self.reads_file = table.stays_in_file
        """Whether each iteration reads blocks of a file, which an engine can do in parallel."""
        self._number = uuid.uuid4().hex

    def __enter__(self) -> RowPlan:
        return self

    def __exit__(self, *_: object) -> None:
        _LAST.forget(self._number)

    def taken(self, number: int) -> ExampleSet:
        """Return one of the sets as a table."""
        table = self.table.take(self.sets[number])
        PLANNED[table] = PlannedRows(self, number)
        return table

    def all_rows(self) -> ExampleSet:
        """Return the table itself; beside few sets it is one of them."""
        if not self._has_all:
            return self.table
        table = self.table.view()
        PLANNED[table] = PlannedRows(self, len(self.sets) - 1)
        return table

    def counts(self, numbers: Sequence[int]) -> Floats:
        """Return how often each row is in each of some sets."""
        lines = [np.bincount(self.sets[n], minlength=self.table.n_rows) for n in numbers]
        return np.array(lines, dtype=np.float64)

    def together(self, number: int, numbers_per_attribute: int) -> range:
        """Return the sets that are computed together with a set."""
        attributes = max(1, len(self.table.schema.regular_numerical))
        room = max(SMALL, int(SHARE * 8 * self.table.n_rows * attributes))
        step = max(1, room // (8 * numbers_per_attribute * attributes))
        first = number - number % step
        return range(first, min(first + step, len(self.sets)))

    def from_file(
        self,
        kind: str,
        number: int,
        statistic: Callable[[Sequence[TakenRows]], SetStatistic[S]],
        ctx: PassRunner | None,
    ) -> S | None:
        """Return the moments of a set of a table in a file, computed with those of others."""
        table = self.table
        assert isinstance(table, StreamedExampleSet)
        attributes = len(table.schema.regular_numerical)
        any_set = TakenRows.of(self.sets[number], table.n_rows)
        step = table.sets_at_once(statistic([any_set]).result_bytes(attributes))
        first = number - number % step

        def compute() -> Sequence[S] | None:
            chosen = self.sets[first : first + step]
            sets = [TakenRows.of(rows, table.n_rows) for rows in chosen]
            return table.moments_of_sets(statistic(sets), ctx)

        moments = _LAST.get((self._number, kind, first), compute)
        return None if moments is None else moments[number - first]

    def computed(
        self, kind: str, number: int, compute: Callable[[Floats], M], numbers_per_attribute: int
    ) -> tuple[M, int]:
        """Return the sets computed together with a set, and its index among them."""
        chunk = self.together(number, numbers_per_attribute)
        found = _LAST.get((self._number, kind, chunk.start), lambda: compute(self.counts(chunk)))
        return found, number - chunk.start


class PlannedRows:
    """One set of a plan, with the sets that it overlaps with."""

    def __init__(self, plan: RowPlan, number: int) -> None:
        self._plan = plan
        self._number = number

    def class_moments(self, ctx: PassRunner | None = None) -> ClassMoments | None:
        """Return the moments by class; None if they have to be computed from the rows."""
        from fsops.algorithms.base.moments import ClassMoments
        from fsops.algorithms.base.resampled_moments import class_moments_of_sets

        table = self._plan.table
        try:
            codes, classes = table.class_codes()
        except DataError:
            return None  # the rows of this set may be fine
        if self._plan.reads_file:
            groups = max(1, len(classes))
            moments = self._plan.from_file(
                "classes", self._number, lambda sets: SetMoments(codes, groups, sets), ctx
            )
            return None if moments is None else _of_present_classes(moments)
        if not _is_complete(table) or len(classes) < 2:
            return None
        if table.is_sparse:
            # A pass with the counts of the rows as weights: the rows of a set are not copied.
            counts = self._plan.counts([self._number])[0]
            return _of_present_classes(ClassMoments.of(table.matrix(), codes, len(classes), counts))
        found, place = self._plan.computed(
            "classes",
            self._number,
            lambda counts: class_moments_of_sets(table.numeric(), codes, counts, len(classes)),
            2 * len(classes),
        )
        offset, ss = found.offset[:, place], found.ss[:, place]
        return _of_present_classes(ClassMoments(found.count[:, place], found.origin, offset, ss))

    def cross_moments(self, ctx: PassRunner | None = None) -> CrossMoments | None:
        """Return the moments with the label; None if they have to be computed from the rows."""
        from fsops.algorithms.base.moments import CrossMoments
        from fsops.algorithms.base.resampled_moments import cross_moments_of_sets

        table = self._plan.table
        try:
            target = table.numeric_label()
        except DataError:
            return None
        if self._plan.reads_file and np.isfinite(target).all():
            moments = self._plan.from_file(
                "target", self._number, lambda sets: SetTargetMoments(target, sets), ctx
            )
            if moments is None:
                return None
            return moments.without_label_noise(float(np.abs(target).max(initial=0.0)))
        if self._plan.reads_file or not _is_complete(table) or not np.isfinite(target).all():
            return None
        if table.is_sparse:
            counts = self._plan.counts([self._number])[0]
            moments = CrossMoments.of(table.matrix(), target, counts)
            return moments.without_label_noise(float(np.abs(target).max(initial=0.0)))
        found, place = self._plan.computed(
            "target",
            self._number,
            lambda counts: cross_moments_of_sets(table.numeric(), target, counts),
            3,
        )
        moments = CrossMoments(
            found.count[place],
            found.mean_x[place],
            found.mean_y[place],
            found.ss_x[place],
            found.ss_y[place],
            found.cross[place],
        )
        return moments.without_label_noise(float(np.abs(target).max(initial=0.0)))


def _of_present_classes(moments: ClassMoments) -> ClassMoments:
    """Return the moments without classes that the set lacks."""
    from fsops.algorithms.base.moments import ClassMoments

    present = moments.count[:, 0] > 0
    if present.all():
        return moments
    count, offset, ss = moments.count, moments.offset, moments.ss
    return ClassMoments(count[present], moments.origin, offset[present], ss[present])


def _is_complete(table: ExampleSet) -> bool:
    return not table.missing_by_attribute and not table.extreme_attributes


class _LastMoments:
    """The moments that were computed last, one lot at a time.

    Kept here and not in the plan: an engine sends a plan to its workers again and again, and the
    results of a worker must outlast that.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: object = None
        self._value: object = None

    def get(self, key: object, compute: Callable[[], M]) -> M:
        """Return the value of this key, computed if it is not the last one."""
        with self._lock:
            if key != self._key:
                self._key = self._value = None  # freed before the next ones take their place
                self._value = compute()
                self._key = key
            found: M = self._value  # type: ignore[assignment]
            return found

    def forget(self, plan: str) -> None:
        """Free the memory if the moments are those of this plan."""
        with self._lock:
            if isinstance(self._key, tuple) and self._key[0] == plan:
                self._key = self._value = None


_LAST = _LastMoments()
