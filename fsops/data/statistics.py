"""Statistics of attributes that can be merged: of a table in memory, or of blocks of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.data.columns import LARGEST_NUMBER, Floats, is_missing

if TYPE_CHECKING:
    from fsops.algorithms.filters.streaming import Mergeable, Products, Several
    from fsops.algorithms.statistics.information import Contingency
    from fsops.data.blocks import RowBlock
    from fsops.data.table import Table
    from fsops.data.taken_rows import TakenRows

Item = TypeVar("Item")
Value = TypeVar("Value")
S = TypeVar("S", bound="Mergeable")
M = TypeVar("M", ClassMoments, CrossMoments)
Numbers = npt.NDArray[Any]


class PassRunner(Protocol):
    """Runs the parts of a pass over a table; the `Context` of an operator is one."""

    def map(
        self, function: Callable[[Item], Value], items: Iterable[Item], label: str = ""
    ) -> list[Value]:
        """Return ``function`` of every item, in order."""

    def check_cancelled(self) -> None:
        """Raise an error if the run is to stop."""


@dataclass(frozen=True)
class Seen(Generic[S]):
    """The statistic of some rows, and which of their values cannot be used."""

    statistic: S
    missing: Numbers | int = 0
    """Number of missing values of each attribute; 0 if there are none at all."""
    extreme: frozenset[str] = frozenset()
    """Attributes with values beyond `LARGEST_NUMBER`."""

    def merge(self, other: Seen[S]) -> Seen[S]:
        """Return the same for the rows of both."""
        return Seen(
            self.statistic.merge(other.statistic),
            self.missing + other.missing,
            self.extreme | other.extreme,
        )


class BlockStatistic(Protocol[S]):
    """A statistic of blocks of rows."""

    def of_block(self, block: RowBlock) -> Seen[S]:
        """Return the statistic of a block, to be merged with those of the other blocks."""

    def result_bytes(self, attributes: int) -> int:
        """Return the size of the statistic of so many attributes."""


class Statistic(BlockStatistic[S], Protocol[S]):
    """A statistic of the numerical or the nominal attributes, of all rows or of some."""

    def of_table(self, table: Table) -> S:
        """Return the statistic of a table in memory."""


@dataclass(frozen=True)
class GroupMoments:
    """Moments of the numerical attributes in each group of rows."""

    codes: Numbers
    groups: int
    weights: Floats | None = None

    def of_table(self, table: Table) -> ClassMoments:
        """Return the moments of a table in memory."""
        return ClassMoments.of(table.matrix(), self.codes, self.groups, self.weights)

    def of_block(self, block: RowBlock) -> Seen[ClassMoments]:
        """Return the moments of a block."""
        from fsops.algorithms.filters.streaming import class_moments_of

        columns = block.values.loose_columns(block.values.schema.regular_numerical)
        weights = None if self.weights is None else self.weights[block.rows]
        moments = class_moments_of(columns, self.codes[block.rows], self.groups, weights)
        return _seen(block, moments, moments.total, weighted=weights is not None)

    def result_bytes(self, attributes: int) -> int:
        """Return the size of the moments: count, mean and sum of squares of each group."""
        return 24 * self.groups * attributes


@dataclass(frozen=True)
class TargetMoments:
    """Moments of the numerical attributes with a number of each row."""

    target: Floats
    weights: Floats | None = None

    def of_table(self, table: Table) -> CrossMoments:
        """Return the moments of a table in memory."""
        return CrossMoments.of(table.matrix(), self.target, self.weights)

    def of_block(self, block: RowBlock) -> Seen[CrossMoments]:
        """Return the moments of a block."""
        from fsops.algorithms.filters.streaming import cross_moments_of

        columns = block.values.loose_columns(block.values.schema.regular_numerical)
        weights = None if self.weights is None else self.weights[block.rows]
        moments = cross_moments_of(columns, self.target[block.rows], weights)
        return _seen(block, moments, moments.count, weighted=weights is not None)

    def result_bytes(self, attributes: int) -> int:
        """Return the size of the moments: six numbers."""
        return 48 * attributes


class SetStatistic(BlockStatistic["Several[S]"], Protocol[S]):
    """The statistics of several sets of rows, from the same blocks."""


@dataclass(frozen=True)
class SetMoments:
    """Moments of the numerical attributes in each group, for several sets of rows."""

    codes: Numbers
    groups: int
    sets: Sequence[TakenRows]

    def of_block(self, block: RowBlock) -> Seen[Several[ClassMoments]]:
        """Return the moments of a block; nothing, and the attributes, if values cannot be used."""
        from fsops.algorithms.base.resampled_moments import class_moments_of_sets
        from fsops.algorithms.filters.streaming import Several

        X, codes, faults = block.values.numeric(), self.codes[block.rows], _faults(block)
        if not X.size or faults:
            nothing = ClassMoments.of(X[:0], codes[:0], self.groups)
            return Seen(Several((nothing,) * len(self.sets)), extreme=faults)
        found = class_moments_of_sets(X, codes, _counts_in(block, self.sets), self.groups)
        parts = (
            ClassMoments(found.count[:, n], found.origin, found.offset[:, n], found.ss[:, n])
            for n in range(len(self.sets))
        )
        return Seen(Several(tuple(parts)))

    def result_bytes(self, attributes: int) -> int:
        """Return the size of the moments of all sets."""
        return 8 * (2 * self.groups + 1) * attributes * len(self.sets)


@dataclass(frozen=True)
class SetTargetMoments:
    """Moments of the numerical attributes with a number of each row, for several sets of rows."""

    target: Floats
    sets: Sequence[TakenRows]

    def of_block(self, block: RowBlock) -> Seen[Several[CrossMoments]]:
        """Return the moments of a block; nothing, and the attributes, if values cannot be used."""
        from fsops.algorithms.base.resampled_moments import cross_moments_of_sets
        from fsops.algorithms.filters.streaming import Several

        X, target, faults = block.values.numeric(), self.target[block.rows], _faults(block)
        if not X.size or faults:
            nothing = CrossMoments.of(X[:0], target[:0])
            return Seen(Several((nothing,) * len(self.sets)), extreme=faults)
        found = cross_moments_of_sets(X, target, _counts_in(block, self.sets))
        fields = (found.count, found.mean_x, found.mean_y, found.ss_x, found.ss_y, found.cross)
        parts = (CrossMoments(*(field[n] for field in fields)) for n in range(len(self.sets)))
        return Seen(Several(tuple(parts)))

    def result_bytes(self, attributes: int) -> int:
        """Return the size of the moments of all sets."""
        return 24 * attributes * len(self.sets)


def _counts_in(block: RowBlock, sets: Sequence[TakenRows]) -> Floats:
    """Return how often each row of a block is in each set."""
    return np.array([rows.counts_at(block.rows) for rows in sets], dtype=np.float64)


def _faults(block: RowBlock) -> frozenset[str]:
    """Return the attributes with values that are missing or extreme."""
    return frozenset([*block.values.missing_by_attribute, *block.values.extreme_attributes])


@dataclass(frozen=True)
class CategoryCounts:
    """How often each category of each nominal attribute meets each group of rows."""

    codes: Numbers
    groups: int
    categories: Numbers
    """Number of categories of each attribute."""
    missing: Literal["category", "pairwise"]
    weights: Floats | None = None

    def of_table(self, table: Table) -> Contingency:
        """Return the counts of a table in memory."""
        from fsops.algorithms.statistics.information import Contingency

        return Contingency.of(
            table.nominal(),
            self.codes,
            n_levels=self.categories,
            n_classes=self.groups,
            missing=self.missing,
            weights=self.weights,
        )

    def of_block(self, block: RowBlock) -> Seen[Contingency]:
        """Return the counts of a block."""
        own = block.piece.columns
        part = replace(
            self,
            codes=self.codes[block.rows],
            categories=self.categories[own.start : own.stop],
            weights=None if self.weights is None else self.weights[block.rows],
        )
        missing = is_missing(block.values.nominal()).sum(axis=0)
        return Seen(part.of_table(block.values), missing)

    def result_bytes(self, attributes: int) -> int:
        """Return the size of the counts; each attribute has a line for missing values."""
        return 8 * self.groups * (int(self.categories.sum()) + attributes)


@dataclass(frozen=True)
class ProductSums:
    """Sums of the products of the numerical attributes with some chosen ones, less the means."""

    mean: Floats
    """Of all numerical attributes."""
    names: Sequence[str]
    """Of the chosen ones."""
    chosen_mean: Floats
    lines: Floats | None = None
    """The chosen attributes less their means, one in a line; None if they come with each block."""
    weights: Floats | None = None

    def of_block(self, block: RowBlock) -> Seen[Products]:
        """Return the sums of a block."""
        from fsops.algorithms.filters.streaming import products_of

        own = block.piece.columns
        columns = block.values.loose_columns(np.arange(len(own)))
        chosen = self._chosen(block)
        if self.weights is not None:
            chosen = chosen * self.weights[block.rows]
        return Seen(products_of(columns, self.mean[own.start : own.stop], chosen))

    def _chosen(self, block: RowBlock) -> Floats:
        from fsops.algorithms.filters.streaming import centred

        if self.lines is not None:
            return self.lines[:, block.rows]
        places = block.values.schema.positions(self.names)
        return centred(block.values.loose_columns(places), self.chosen_mean)

    def result_bytes(self, attributes: int) -> int:
        """Return the size of the sums."""
        return 8 * attributes * len(self.names)


def _seen(block: RowBlock, moments: M, used: Floats, *, weighted: bool) -> Seen[M]:
    """Return the moments of a block with the attributes whose values cannot be used.

    ``used`` counts the values of each attribute, unless rows have weights.
    """
    from fsops.algorithms.filters.streaming import may_exceed

    extreme = block.values.extreme_attributes if may_exceed(moments, LARGEST_NUMBER) else ()
    if weighted:
        missing = is_missing(block.values.numeric()).sum(axis=0)
    else:
        missing = (len(block.values) - used).astype(np.intp)
    return Seen(moments, missing, frozenset(extreme))
