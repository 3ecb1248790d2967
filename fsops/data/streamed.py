"""A table that stays in its file: read in blocks of rows, loaded whole only where it fits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from fsops.data.blocks import (
    BLOCKS_IN_LIMIT,
    USUAL_LIMIT,
    Piece,
    RowBlock,
    RowSource,
    empty_block,
    most_batches,
    read_ahead,
    row_bytes,
    sets_at_once,
    spans_of,
)
from fsops.data.columns import STORAGE, ColumnBlock, Floats, as_slice, read_only, row_numbers
from fsops.data.examples import ExampleSet
from fsops.data.names import Names, Positions
from fsops.data.schema import Schema
from fsops.data.table import raise_extreme, raise_missing
from fsops.data.taken_rows import RowsOfBlock, TakenRows
from fsops.errors import DataError, quoted
from fsops.memory import SMALL, available, size_text

if TYPE_CHECKING:
    from fsops.algorithms.base.moments import ClassMoments, CrossMoments
    from fsops.algorithms.filters.streaming import FetchedCorrelation, Mergeable
    from fsops.data.statistics import BlockStatistic, PassRunner, Seen, SetStatistic, Statistic

S = TypeVar("S", bound="Mergeable")
V = TypeVar("V")
Ints = npt.NDArray[np.intp]

BLOCK_BYTES = 2**26
"""Largest block, whatever the limit: most of it is in the cache when it is summed up."""
MOST_READ_AGAIN = 0.25  # of the attributes read at a time

STREAMING = (
    "Weight by SAM", "Weight by t-Test", "Weight by AUC", "Weight by Information Gain",
    "Normalize", "Select by MRMR / CFS", "LASSO Regression", "Elastic Net", "Weight by LASSO",
    "Weight by Welch Test", "Weight by Moderated t", "Weight by F-Test", "Weight by Correlation",
    "Weight by Fisher Score", "Weight by Lal Score", "Weight by Entropy", "Weight by Wilcoxon Test",
    "Weight by Information Gain Ratio", "Weight by Symmetric Uncertainty", "Weight by Gini Index",
    "Weight by Chi Squared", "Weight by Mutual Information", "Ensemble Feature Selection",
    "Stability Selection", "Feature Selection Stability Validation",
)  # fmt: skip
"""Which operators read a table in blocks, the examples for messages first; a test holds it to
their declarations."""
EXAMPLES = 6
"""Number of examples in messages; the last is MRMR, which needs the measure correlation."""


class StreamedExampleSet(ExampleSet):
    """A table of which only the schema is in memory.

    The statistics of `Table` are computed from blocks of rows and merged. Operators that ask for
    the values find an ordinary table: where it takes at most half of the memory limit it is loaded
    when its values are first asked for, else single attributes can be read, and more are an error
    that says what to do. Choosing attributes, renaming them and giving them roles loads nothing.
    Neither does choosing rows of a table that is too large: they are chosen in each block.

    Parameters
    ----------
    source : RowSource
    limit : int, optional
        Bytes of memory the run may take; by default the available memory.
    taken : TakenRows, optional
        The rows that the table has; all rows of the source if not given.
    """

    def __init__(
        self,
        source: RowSource,
        limit: int | None = None,
        *,
        schema: Schema | None = None,
        stored_names: Sequence[str] | None = None,
        taken: TakenRows | None = None,
    ) -> None:
        self.source = source
        self.limit = limit
        self.schema = source.schema if schema is None else schema
        self._taken = taken
        rows = sum(source.group_rows)
        self.n_rows = rows if taken is None else taken.before(rows)
        self._stored_names = tuple(source.schema.names if stored_names is None else stored_names)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out values that can be read again; a worker reads them if needed."""
        state = super().__getstate__()
        state.pop("_special", None)
        return state

    # --- statistics -------------------------------------------------------------------------

    def _summed(
        self,
        statistic: Statistic[S],
        positions: Positions,
        missing: str,
        otherwise: str,
        ctx: PassRunner | None,
    ) -> S:
        """Return a statistic of some attributes from one pass.

        Also if the table is in memory by now: sums over blocks differ in the last bits, and results
        must not depend on the operators that have run before.
        """
        if not len(positions):
            return statistic.of_table(self)  # there is nothing to read
        table = self._with_regular(positions)
        seen = table._pass(statistic, ctx)
        names = table.schema.regular_names
        raise_extreme([name for name in names if name in seen.extreme])
        if missing == "error":
            counts = np.broadcast_to(seen.missing, len(names))
            raise_missing({names[j]: int(counts[j]) for j in np.flatnonzero(counts)}, otherwise)
        return seen.statistic

    def _pass(
        self, statistic: BlockStatistic[S], ctx: PassRunner | None, also: Sequence[str] = ()
    ) -> Seen[S]:
        """Return a statistic of the regular attributes; blocks also have the others named."""
        from fsops.data.passes import SerialRunner, one_pass

        pieces = self.pieces(statistic.result_bytes(len(self.schema.regular)))
        # A copy that is not loaded: workers read the file, so the values need not be sent.
        reader = self._changed(self.schema, self._stored_names)
        read = partial(reader.blocks_of, also=tuple(also))
        return one_pass(read, pieces, statistic.of_block, ctx or SerialRunner(), self._batches)

    def moments_of_sets(
        self, statistic: SetStatistic[S], ctx: PassRunner | None
    ) -> Sequence[S] | None:
        """Return the moments of several sets of rows from one pass.

        None if values are missing or extreme: each set has to be looked at by itself.
        """
        table = self._with_regular(self.schema.regular_numerical)
        seen = table._pass(statistic, ctx)
        return None if seen.extreme else seen.statistic.parts

    def sets_at_once(self, bytes_of_set: int) -> int:
        """Return for how many sets of rows the moments are computed in one pass."""
        return sets_at_once(self.budget, bytes_of_set)

    def correlations(
        self,
        moments: ClassMoments | CrossMoments,
        relevance: Floats,
        *,
        ctx: PassRunner | None = None,
    ) -> FetchedCorrelation:
        """Return absolute correlations; those of several attributes are fetched in one pass."""
        from fsops.algorithms.filters.streaming import AT_ONCE, FetchedCorrelation, Overall

        overall = Overall.of(moments)
        room = self.budget // 16
        return FetchedCorrelation(
            overall,
            partial(self._products, overall.mean, ctx),
            likely=np.argsort(-relevance, kind="stable"),
            at_once=max(1, min(AT_ONCE, room // (8 * max(1, overall.mean.size)))),
        )

    def _products(
        self, mean: Floats, ctx: PassRunner | None, chosen: Ints, weights: Floats | None = None
    ) -> Floats:
        """Return the sums of the products of all numerical attributes with the chosen ones."""
        from fsops.algorithms.filters.streaming import centred
        from fsops.data.statistics import ProductSums

        table = self._with_regular(self.schema.regular_numerical)
        names: Sequence[str] = table.schema.names_at(table.schema.regular[chosen])
        statistic = ProductSums(mean, names, mean[chosen], weights=weights)
        # Where few attributes are read at a time, the chosen ones would be read again with each.
        # Else that costs little, and no rows have to be sent to workers.
        width = len(table._tiles(table.schema.regular)[0])
        again = width < mean.size and len(chosen) > MOST_READ_AGAIN * width
        if again and table._has_room_for(len(chosen)):
            values = table.read_alone(table.schema.regular[chosen])
            statistic = replace(statistic, lines=centred(values.T, mean[chosen]))
            names = ()
        return table._pass(statistic, ctx, also=names).statistic.sums

    def product_sums(self, mean: Floats, chosen: Ints, *, ctx: PassRunner | None = None) -> Floats:
        """Return sums of products of all numerical attributes with some, from one pass."""
        return self._products(mean, ctx, chosen, self.row_weights)

    def by_columns(
        self,
        function: Callable[[Any, Sequence[str]], V],
        names: Sequence[str] | None = None,
        *,
        ctx: PassRunner | None = None,
    ) -> list[V]:
        """Return a function of parts of the attributes, each with all rows."""
        if not self.stays_in_file:
            table = self.loaded()
            table.require_bounded()
            return table.by_columns(function, names, ctx=ctx)
        from fsops.data.column_parts import of_parts

        # A copy that is not loaded: workers read the file, so the values need not be sent.
        reader = self._changed(self.schema, self._stored_names)
        places = self.schema.regular if names is None else self.schema.positions(names)
        return of_parts(reader, places, function, ctx)

    def _with_regular(self, positions: Positions) -> StreamedExampleSet:
        """Return a table that has no other regular attributes than these."""
        return self if len(positions) == len(self.schema.regular) else self._at(positions)

    def _has_room_for(self, attributes: int) -> bool:
        # Twice: as read, and less the means.
        return 2 * 8 * len(self) * attributes <= self.budget // 6

    # --- blocks -----------------------------------------------------------------------------

    @property
    def is_loaded(self) -> bool:
        """Whether all values are in memory by now."""
        return "_whole" in vars(self)

    def _stored_sparse(self, positions: Positions) -> bool:
        return False  # a file is read dense, block by block

    @property
    def values_known(self) -> bool:
        """Whether missing and extreme values can be looked for without reading the file."""
        return self.is_loaded

    @property
    def stays_in_file(self) -> bool:
        """Whether the table is too large to be loaded."""
        return not self.is_loaded and not self._fits(self.schema)

    @property
    def budget(self) -> int:
        """Bytes of memory to plan with."""
        return USUAL_LIMIT if self.limit is None else self.limit

    @property
    def block_bytes(self) -> int:
        """How large a block of rows may be."""
        return max(1, min(BLOCK_BYTES, self.budget // BLOCKS_IN_LIMIT))

    def row_blocks(self, groups: range | None = None) -> Iterator[ExampleSet]:
        """Read the table as ordinary ones of few enough rows; some groups if given.

        Rows come in the order of the source.
        """
        wanted = range(len(self.source.group_rows)) if groups is None else groups
        row = self._first_row(wanted)
        for block in self.source.blocks(self._stored_names, wanted, self._block_rows):
            first, row = row, row + len(block)
            yield self._taken_of(block._with_schema(self.schema), first)
            del block  # else it would stay until the next one is there

    def _first_row(self, groups: range) -> int:
        """Return the number of the first row of some groups in the source."""
        return sum(self.source.group_rows[: groups.start])

    def _taken_of(self, block: ExampleSet, first: int) -> ExampleSet:
        """Return the rows of a block of the source that the table has."""
        if self._taken is None:
            return block
        rows = self._taken.within(first, first + len(block))
        everything = len(rows) == len(block) and bool((np.diff(rows) == 1).all())
        return block if everything else block.take(rows)

    @property
    def _block_rows(self) -> int:
        return max(1, self.block_bytes // max(1, row_bytes(self.schema)))

    def pieces(self, result_bytes: int) -> list[Piece]:
        """Cut a pass over all regular attributes into pieces, in the order of the attributes.

        Where the groups of rows are too large to be read whole, each piece has some of the
        attributes: Parquet keeps them apart, so that the file is still read only once. The cut
        depends on the file and the limit alone, so that results do not depend on the engine.

        Parameters
        ----------
        result_bytes : int
            Size of the result for all attributes; rows are cut only as far as results fit.
        """
        tiles = self._tiles(self.schema.regular)
        room = self.budget // 4
        most = max(1, min(self._batches // len(tiles), room // max(1, result_bytes)))
        spans = spans_of(self.source.group_rows, most)
        return [Piece(tile, span) for tile in tiles for span in spans]

    @property
    def _batches(self) -> int:
        return most_batches(sum(self.source.group_rows) * row_bytes(self.schema))

    def _tiles(self, positions: Positions) -> list[range]:
        """Cut attributes into runs of which a whole group of rows fits a block, if any can."""
        count, group = len(positions), max(self.source.group_rows, default=0)
        each = max(1, row_bytes(self.schema.take(positions)) // max(1, count))
        most = max(1, self.block_bytes // max(1, group) // each)
        width = -(-max(1, count) // -(-max(1, count) // most))  # of equal size
        return [range(a, min(count, a + width)) for a in range(0, max(1, count), width)]

    def _cut(self, piece: Piece, also: Sequence[str]) -> list[range]:
        """Cut the groups of a piece into those read at once; a single large one cannot be cut."""
        rows, sizes = self._of_piece(piece, also)._block_rows, self.source.group_rows
        starts, count = [], rows
        for group in piece.groups:
            if count + sizes[group] > rows:
                starts.append(group)
                count = 0
            count += sizes[group]
        if not starts:  # none of them has rows
            return [piece.groups]
        ends = [*starts[1:], piece.groups.stop]
        return [range(a, b) for a, b in zip(starts, ends, strict=True)]

    def blocks_of(self, pieces: Sequence[Piece], also: Sequence[str] = ()) -> Iterator[RowBlock]:
        """Read the attributes of pieces, each with some others, block by block.

        Every piece has at least one block, if only an empty one.
        """
        readers = (
            self._read_piece(piece, groups, also)
            for piece in pieces
            for groups in self._cut(piece, also)
        )
        return read_ahead(readers) if self.source.reads_ahead else chain.from_iterable(readers)

    def _read_piece(self, piece: Piece, groups: range, also: Sequence[str]) -> Iterator[RowBlock]:
        row, table = self._first_row(groups), self._of_piece(piece, also)
        if self._taken is not None:
            row = self._taken.before(row)
        if not any(self.source.group_rows[group] for group in groups):
            yield empty_block(piece, table.schema)
            return
        for block in table.row_blocks(groups):
            first, row = row, row + len(block)
            yield RowBlock(piece, self._places(first, row), block)
            del block

    def _places(self, first: int, last: int) -> RowsOfBlock:
        """Return the row numbers of rows that are neighbors in the source."""
        return slice(first, last) if self._taken is None else self._taken.place(first, last)

    def _of_piece(self, piece: Piece, also: Sequence[str]) -> StreamedExampleSet:
        wanted = self.schema.regular[piece.columns.start : piece.columns.stop]
        further = self.schema.positions(also)
        return self._at(np.concatenate([wanted, further[~np.isin(further, wanted)]]))

    # --- as an ordinary table -----------------------------------------------------------------

    def loaded(self) -> ExampleSet:
        """Return the table in memory; an error if it is too large."""
        return self._whole

    @cached_property
    def _whole(self) -> ExampleSet:
        self._require_room(self.schema)
        return self._read(np.arange(len(self.schema)))

    def _fits(self, schema: Schema) -> bool:
        need = self.n_rows * row_bytes(schema)
        if self.limit is None and need < SMALL:
            return True
        room = available() if self.limit is None else self.limit
        return room is None or need <= room / 2

    def _require_room(self, schema: Schema) -> None:
        if self._fits(schema):
            return
        single = len(schema) == 1
        room = available() if self.limit is None else self.limit
        raise DataError(
            f"{quoted(schema.names[0]) if single else 'The table'} would take "
            f"{size_text(self.n_rows * row_bytes(schema))} of memory, but "
            f"{'the limit is' if self.limit else 'available are'} {size_text(room or 0)}, "
            "half of which is kept for the work.",
            hint="Raise --memory-limit."
            if single
            else "Choose fewer attributes first (Select Attributes, Select by Weights), or raise "
            f"--memory-limit. These read it in blocks: {', '.join(STREAMING[:EXAMPLES])} by "
            f"correlation, and {len(STREAMING) - EXAMPLES} more (see the help of Read Parquet).",
        )

    def _read(self, positions: Positions) -> ExampleSet:
        """Return some attributes as an ordinary table, filled block by block."""
        schema = self.schema.take(positions)
        kinds = [STORAGE[attribute.value_type] for attribute in schema]
        # Laid out as a table that is read at once, so that sums are the same to the last bit.
        order = list(dict.fromkeys(kinds))
        block_of = np.array([order.index(kind) for kind in kinds], dtype=np.intp)
        column_of = np.zeros(len(kinds), dtype=np.intp)
        stores: list[npt.NDArray[Any]] = []
        for number, kind in enumerate(order):
            mine = np.flatnonzero(block_of == number)
            column_of[mine] = np.arange(len(mine))
            stores.append(np.empty((self.n_rows, len(mine)), dtype=kind, order="F"))
        for tile in self._tiles(positions):
            row, where = 0, np.arange(tile.start, tile.stop)
            for block in self._at(positions[where]).row_blocks():
                for number, store in enumerate(stores):
                    mine = np.flatnonzero(block_of[where] == number)
                    columns = as_slice(column_of[where[mine]])
                    places = self._places(row, row + len(block))
                    _put(store, places, columns, block.values(mine))
                row += len(block)
        blocks = [ColumnBlock.of(store) for store in stores]
        return ExampleSet(schema, blocks, block_of, column_of, self.n_rows)

    @property
    def _blocks(self) -> tuple[ColumnBlock, ...]:  # type: ignore[override]
        return self._whole._blocks

    @property
    def _block_of(self) -> Positions:  # type: ignore[override]
        return self._whole._block_of

    @property
    def _column_of(self) -> Positions:  # type: ignore[override]
        return self._whole._column_of

    def numeric(self) -> Floats:
        """Return the regular numerical attributes as one read-only matrix; NaN is missing.

        Of a table that is too large they are read alone, and nothing is read if there are none.
        """
        positions = self.schema.regular_numerical
        apart = not len(positions) or self.stays_in_file
        return self.values(positions) if apart else super().numeric()

    @cached_property
    def _special(self) -> dict[int, npt.NDArray[Any]]:
        """The special attributes that were asked for, by position."""
        return {}

    def values(self, positions: Positions) -> npt.NDArray[Any]:
        """Return the stored values of attributes that share a storage type, read-only.

        Special attributes are read by themselves. So are others if the table is too large.
        """
        if not len(positions):
            return super().values(positions)
        if len(positions) == 1 and self.schema.names[positions[0]] in self.schema.roles:
            if self.is_loaded:
                return super().values(positions)
            place = int(positions[0])
            if place not in self._special:
                self._special[place] = self.read_alone(positions)
            return self._special[place]
        if self.is_loaded or self._fits(self.schema):
            return super().values(positions)
        return self.read_alone(positions)

    def read_alone(self, positions: Positions) -> npt.NDArray[Any]:
        """Read some attributes that share a storage type, all rows, and nothing else."""
        return self.read_part(positions).values(np.arange(len(positions)))

    def read_part(self, positions: Positions) -> ExampleSet:
        """Read some attributes, all rows, as an ordinary table."""
        self._require_room(self.schema.take(positions))
        return self._read(positions)

    def with_scaled(
        self, positions: Positions, centre: Floats, divisor: Floats, offset: float = 0.0
    ) -> ExampleSet:
        """Return the table with scaled numbers; a large one is scaled when its rows are read."""
        names = [self._stored_names[p] for p in positions.tolist()]
        if not self.stays_in_file or len(set(self._stored_names)) < len(self._stored_names):
            return super().with_scaled(positions, centre, divisor, offset)
        from fsops.data.rows_to_scale import RowsToScale

        source = RowsToScale(self.source, Names.of(names), centre, divisor, offset)
        schema = self.schema.as_numbers(positions)
        return StreamedExampleSet(
            source, self.limit, schema=schema, stored_names=self._stored_names, taken=self._taken
        )

    def take(self, rows: npt.ArrayLike) -> ExampleSet:
        """Return some rows; the first ones can be had without loading the others.

        If the table is too large to be loaded, the rows stay in the file.
        """
        chosen = row_numbers(np.asarray(rows), self.n_rows)
        chosen = np.where(chosen < 0, chosen + self.n_rows, chosen)
        if not self.is_loaded and chosen.size and chosen.max() < self._block_rows:
            first = next(self.row_blocks())
            if self._taken is None and chosen.max() < len(first):
                return first.take(chosen)
        return self._some_rows(chosen) if self.stays_in_file else super().take(chosen)

    def _some_rows(self, rows: Ints) -> StreamedExampleSet:
        """Return some rows, which are chosen whenever a block is read."""
        stored = rows if self._taken is None else self._taken.numbers()[rows]
        taken = TakenRows.of(stored, sum(self.source.group_rows))
        table = self._changed(self.schema, self._stored_names, taken)
        # The label need not be read again.
        vars(table)["_special"] = {p: read_only(v[rows]) for p, v in self._special.items()}
        return table

    def _at(self, positions: Positions, schema: Schema | None = None) -> StreamedExampleSet:
        return self._changed(
            self.schema.take(positions) if schema is None else schema,
            [self._stored_names[p] for p in positions.tolist()],
        )

    def _with_schema(self, schema: Schema) -> StreamedExampleSet:
        return self._changed(schema, self._stored_names)

    def _changed(
        self, schema: Schema, stored_names: Sequence[str], taken: TakenRows | None = None
    ) -> StreamedExampleSet:
        return StreamedExampleSet(
            self.source,
            self.limit,
            schema=schema,
            stored_names=stored_names,
            taken=self._taken if taken is None else taken,
        )

    def fingerprint(self) -> str:
        """Return a SHA-256 over attributes and source; the values are not read for it."""
        about = [[a.name, a.value_type, a.role, a.categories] for a in self.schema]
        # Sums over other blocks differ in the last bits.
        parts = [self.source.fingerprint(), self.block_bytes, self._stored_names, about]
        digest = hashlib.sha256(json.dumps(parts).encode())
        if self._taken is not None:
            digest.update(self._taken.numbers().tobytes())
        return digest.hexdigest()

    def layout(self) -> list[Any]:
        """Return the settings that decide how the table is cut."""
        return [self.limit]

    def equals(self, other: object) -> bool:
        """Return whether schema and values are the same, bit for bit."""
        if isinstance(other, StreamedExampleSet):
            return self.fingerprint() == other.fingerprint() or self._whole.equals(other._whole)
        return self._whole.equals(other)


def _put(
    store: npt.NDArray[Any],
    rows: RowsOfBlock,
    columns: slice | Positions,
    values: npt.NDArray[Any],
) -> None:
    """Write some rows of some columns."""
    if isinstance(rows, slice) or isinstance(columns, slice):
        store[rows, columns] = values
    else:
        store[np.ix_(rows, columns)] = values
