"""Statistics of a table in memory, or of one that passes by in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, Generic, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.base.types import Floats, count_classes
from fsops.algorithms.filters.streaming import (
    Mergeable,
    class_moments_of,
    cross_moments_of,
    may_exceed,
    merged,
    side_by_side,
)
from fsops.algorithms.statistics.information import Contingency, Missing
from fsops.core import Accepts, Context
from fsops.data import ExampleSet
from fsops.data.columns import LARGEST_NUMBER, Codes
from fsops.data.streamed import Piece, PieceBlock, StreamedExampleSet, columns_of, turns_of
from fsops.errors import DataError
from fsops.operators.weighting.scores import (
    CLASSES,
    PAIRWISE,
    TWO_CLASSES,
    class_codes,
    numbers,
    numeric_label,
)

S = TypeVar("S", bound=Mergeable)
M = TypeVar("M", ClassMoments, CrossMoments)


@dataclass(frozen=True)
class AcceptsBlocks(Accepts):
    """What a table must be like that may pass by in blocks.

    Of such a table the values are looked at as they pass, by the functions of this module.
    """

    def check(self, examples: ExampleSet) -> None:
        """Raise `DataError` if the table does not fit, as far as that is known by now."""
        if not in_blocks(examples) or examples.is_seen:
            super().check(examples)
            return
        self.check_schema(examples.schema)
        if not len(examples):
            raise DataError("The data has no rows.")
        if self.label != "none":
            self._check_classes(examples)


TWO_CLASSES_IN_BLOCKS = AcceptsBlocks(**vars(TWO_CLASSES))
CLASSES_IN_BLOCKS = AcceptsBlocks(**vars(CLASSES))


def in_blocks(examples: ExampleSet) -> TypeGuard[StreamedExampleSet]:
    """Return whether a table is to be read in blocks.

    Also if it is in memory by now: sums over blocks differ in the last bits, and results must not
    depend on what else has run before.
    """
    return isinstance(examples, StreamedExampleSet)


def whole(examples: ExampleSet, accepts: Accepts) -> ExampleSet:
    """Return a table in memory, for a method that needs all rows at once."""
    if not in_blocks(examples):
        return examples
    table = examples.loaded()
    accepts.check(table)
    return table


# --- statistics -----------------------------------------------------------------------------


def class_moments(
    examples: ExampleSet, accepts: Accepts, missing: str, ctx: Context
) -> ClassMoments:
    """Return the moments of the numerical attributes in each class, from one pass at most."""
    if not in_blocks(examples):
        X, codes = numbers(examples, missing), class_codes(examples)
        return ClassMoments.of(X, codes, count_classes(codes))
    classes, names = examples.class_codes()
    size = 24 * len(names) * len(examples.schema.regular)
    found = one_pass(examples, _OfClasses(classes, len(names)), size, ctx)
    unknown = len(examples) - np.broadcast_to(found.statistic.total, found.statistic.origin.shape)
    _check_passed(examples, accepts, missing, unknown, found.extreme)
    return found.statistic


def cross_moments(
    examples: ExampleSet, accepts: Accepts, missing: str, ctx: Context
) -> CrossMoments:
    """Return the moments of the numerical attributes with the label, from one pass at most."""
    label = numeric_label(examples)
    largest = float(np.abs(label).max())
    if not in_blocks(examples):
        moments = CrossMoments.of(numbers(examples, missing), label)
        return moments.without_label_noise(largest)
    found = one_pass(examples, _WithLabel(label), 48 * len(examples.schema.regular), ctx)
    unknown = len(examples) - np.broadcast_to(found.statistic.count, found.statistic.cross.shape)
    _check_passed(examples, accepts, missing, unknown, found.extreme)
    return found.statistic.without_label_noise(largest)


def nominal_counts(
    examples: StreamedExampleSet, accepts: Accepts, missing: str, ctx: Context
) -> Contingency:
    """Return how often each value of each nominal attribute meets each class, from one pass."""
    codes, classes = examples.class_codes()
    how: Missing = "pairwise" if missing == "pairwise" else "category"
    size = 8 * len(classes) * int((examples.category_counts() + 1).sum())
    found = one_pass(examples, _Counts(codes, len(classes), how), size, ctx)
    table = found.statistic
    # The last line of each attribute has its missing values.
    unknown = table.level_totals[np.append(table.starts[1:], len(table.counts)) - 1]
    _check_passed(examples, accepts, missing, unknown, found.extreme)
    return table


def _check_passed(
    examples: StreamedExampleSet,
    accepts: Accepts,
    missing: str,
    unknown: npt.NDArray[Any],
    extreme: frozenset[str],
) -> None:
    """Raise the errors that a table in memory would have led to, now that its values are known."""
    names = examples.schema.regular_names
    seen = examples.seen(
        {names[j]: int(unknown[j]) for j in np.flatnonzero(unknown)},
        [name for name in names if name in extreme],
    )
    accepts.check(seen)
    if missing == "error":
        seen.require_complete(PAIRWISE)


@dataclass(frozen=True)
class _OfClasses:
    """Moments of the classes in a block."""

    codes: Codes
    count: int

    def __call__(self, block: PieceBlock) -> Seen[ClassMoments]:
        columns = columns_of(block.values, block.values.schema.regular_numerical)
        return _seen(block, class_moments_of(columns, self.codes[block.rows], self.count))


@dataclass(frozen=True)
class _WithLabel:
    """Moments with the label in a block."""

    label: Floats

    def __call__(self, block: PieceBlock) -> Seen[CrossMoments]:
        columns = columns_of(block.values, block.values.schema.regular_numerical)
        return _seen(block, cross_moments_of(columns, self.label[block.rows]))


@dataclass(frozen=True)
class _Counts:
    """Counts of values and classes in a block."""

    codes: Codes
    count: int
    missing: Missing

    def __call__(self, block: PieceBlock) -> Seen[Contingency]:
        table = Contingency.of(
            block.values.nominal(),
            self.codes[block.rows],
            n_levels=block.values.category_counts(),
            n_classes=self.count,
            missing=self.missing,
        )
        return Seen(table)


def _seen(block: PieceBlock, moments: M) -> Seen[M]:
    extreme = block.values.extreme_attributes if may_exceed(moments, LARGEST_NUMBER) else ()
    return Seen(moments, frozenset(extreme))


# --- passes ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen(Generic[S]):
    """A statistic of some rows, and the attributes that are too large in them."""

    statistic: S
    extreme: frozenset[str] = frozenset()

    def merge(self, other: Seen[S]) -> Seen[S]:
        """Return what is known about the rows of both."""
        return Seen(self.statistic.merge(other.statistic), self.extreme | other.extreme)


def one_pass(
    examples: StreamedExampleSet,
    statistic: Callable[[PieceBlock], Seen[S]],
    result_bytes: int,
    ctx: Context,
    also: tuple[str, ...] = (),
) -> Seen[S]:
    """Return a statistic of the regular attributes, read in blocks by the engine of the run.

    Blocks are merged in the order of the rows, whoever has read them. In a block are the
    attributes of its piece, then those that ``also`` names.
    """
    pieces = examples.pieces(result_bytes)
    reading = _Reading(examples, statistic, also, ctx)
    found = ctx.map(reading, turns_of(pieces), "Parts of the file")
    tiles: dict[range, list[Seen[S]]] = {}
    for piece, part in zip(pieces, chain(*found), strict=True):
        tiles.setdefault(piece.columns, []).append(part)
    rows = [merged(parts) for parts in tiles.values()]
    extreme = frozenset(name for part in rows for name in part.extreme)
    return Seen(side_by_side([part.statistic for part in rows]), extreme)


@dataclass(frozen=True)
class _Reading(Generic[S]):
    """The work on some pieces, wherever it is done: they are read from the file there."""

    examples: StreamedExampleSet
    statistic: Callable[[PieceBlock], Seen[S]]
    also: tuple[str, ...]
    ctx: Context

    def __call__(self, pieces: Sequence[Piece]) -> list[Seen[S]]:
        parts = groupby(self._parts(pieces), key=itemgetter(0))
        return [merged(found for _, found in of_piece) for _, of_piece in parts]

    def _parts(self, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, Seen[S]]]:
        for block in self.examples.blocks_of(pieces, self.also):
            self.ctx.services.check_cancelled()
            piece, found = block.piece, self.statistic(block)
            del block  # else it would stay until the next one is there
            yield piece, found
