"""A table that stays in its file: read in blocks of rows, loaded whole only where it fits."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from fsops.data.columns import STORAGE, ColumnBlock, Floats, LooseBlock, as_slice
from fsops.data.examples import ExampleSet
from fsops.data.schema import Positions, Schema
from fsops.errors import DataError, quoted

BLOCK_BYTES = 2**26
"""Largest block, whatever the limit: most of it is in the cache when it is summed up."""
BLOCKS_IN_LIMIT = 8  # one is worked on, two are there, two more are read and decoded
USUAL_LIMIT = 10**9  # for plans where the user gives no limit
AHEAD = 2  # threads that read
MOST_TURNS = 8  # of a pass: a few for each worker, each long enough to read ahead
TEXT_BYTES = 64  # guess for one text

STREAMING = (
    "Weight by SAM, Welch Test, t-Test, F-Test, Correlation, Fisher Score, Lal Score and Entropy, "
    "by Information Gain and its kin on nominal attributes, and Select by MRMR / CFS by correlation"
)
"""Which operators read a table in blocks; a test holds it to their declarations."""


T = TypeVar("T")


class RowSource(Protocol):
    """Where the rows come from; small, so that it can travel to other machines.

    Rows come in groups, the smallest pieces that can be read one without the other.
    """

    @property
    def schema(self) -> Schema:
        """All attributes."""

    @property
    def group_rows(self) -> Sequence[int]:
        """Number of rows of each group."""

    @property
    def reads_ahead(self) -> bool:
        """Whether threads may read the next rows while the last ones are worked on."""

    def blocks(self, names: Sequence[str], groups: range, rows: int) -> Iterator[ExampleSet]:
        """Read some attributes of neighbouring groups, at most so many rows at a time."""

    def fingerprint(self) -> str:
        """Return a hash that differs if the rows do."""


def columns_of(examples: ExampleSet, positions: Positions) -> Sequence[Floats] | Floats:
    """Return numerical attributes one by one, without a copy where a block has just been read."""
    owners = np.unique(examples._block_of[positions])
    block = examples._blocks[owners[0]] if len(owners) == 1 else None
    if isinstance(block, LooseBlock):
        columns: Any = block.columns
        return [columns[j] for j in examples._column_of[positions].tolist()]
    return examples.values(positions).T


@dataclass(frozen=True)
class Piece:
    """Some regular attributes of some groups of rows, whose statistics are merged in order."""

    columns: range
    """Numbers of the attributes among the regular ones."""
    groups: range


@dataclass(frozen=True, eq=False)
class PieceBlock:
    """Some rows of a piece: its attributes come first, then others that were asked for."""

    piece: Piece
    rows: slice
    """Which rows of the table."""
    values: ExampleSet


class StreamedExampleSet(ExampleSet):
    """A table of which only the schema is in memory.

    Operators that can work in blocks ask for `pieces` and `blocks_of` them. All others find an
    ordinary table: where it takes at most half of the memory limit it is loaded when its values
    are first asked for, else single attributes can be read, and more are an error that says what
    to do. Choosing attributes, renaming them and giving them roles does not load anything.

    Parameters
    ----------
    source : RowSource
    limit : int, optional
        Bytes of memory the run may take; None for no limit.
    """

    def __init__(
        self,
        source: RowSource,
        limit: int | None = None,
        *,
        schema: Schema | None = None,
        stored_names: Sequence[str] | None = None,
    ) -> None:
        self.source = source
        self.limit = limit
        self.schema = source.schema if schema is None else schema
        self.n_rows = sum(source.group_rows)
        self._stored_names = tuple(source.schema.names if stored_names is None else stored_names)

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what can be read again; a worker reads what it needs."""
        return {name: value for name, value in vars(self).items() if name != "_special"}

    # --- in blocks --------------------------------------------------------------------------

    @property
    def is_loaded(self) -> bool:
        """Whether all values are in memory by now."""
        return "_whole" in vars(self)

    @property
    def is_seen(self) -> bool:
        """Whether it is known which values are missing or extreme."""
        return self.is_loaded or "extreme_attributes" in vars(self)

    def seen(self, missing: Mapping[str, int], extreme: Sequence[str]) -> StreamedExampleSet:
        """Return the same table, knowing what a pass has found out about its values."""
        told = self._with_schema(self.schema)
        vars(told).update(
            missing_by_attribute=dict(missing),
            extreme_attributes=tuple(extreme),
            _special=self._special,
        )
        return told

    @property
    def block_bytes(self) -> int:
        """How large a block of rows may be."""
        limit = USUAL_LIMIT if self.limit is None else self.limit
        return max(1, min(BLOCK_BYTES, limit // BLOCKS_IN_LIMIT))

    def row_blocks(self, groups: range | None = None) -> Iterator[ExampleSet]:
        """Read the table as ordinary ones of few enough rows, in order; some groups if given."""
        wanted = range(len(self.source.group_rows)) if groups is None else groups
        for block in self.source.blocks(self._stored_names, wanted, self._block_rows):
            yield block._with_schema(self.schema)
            del block  # else it would stay until the next one is there

    @property
    def _block_rows(self) -> int:
        return max(1, self.block_bytes // max(1, _row_bytes(self.schema)))

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
        room = (USUAL_LIMIT if self.limit is None else self.limit) // 4
        most = max(1, min(MOST_TURNS // len(tiles), room // max(1, result_bytes)))
        spans = _spans(self.source.group_rows, most)
        return [Piece(tile, span) for tile in tiles for span in spans]

    def _tiles(self, positions: Positions) -> list[range]:
        """Cut attributes into runs of which a whole group of rows fits a block, if any can."""
        count, group = len(positions), max(self.source.group_rows, default=0)
        each = max(1, _row_bytes(self.schema.take(positions)) // max(1, count))
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
        ends = [*starts[1:], piece.groups.stop]
        return [range(a, b) for a, b in zip(starts, ends, strict=True)]

    def blocks_of(self, pieces: Sequence[Piece], also: Sequence[str] = ()) -> Iterator[PieceBlock]:
        """Read the attributes of pieces, each with some others, block by block."""
        readers = (
            self._read_piece(piece, groups, also)
            for piece in pieces
            for groups in self._cut(piece, also)
        )
        return _ahead(readers) if self.source.reads_ahead else chain.from_iterable(readers)

    def _read_piece(self, piece: Piece, groups: range, also: Sequence[str]) -> Iterator[PieceBlock]:
        row = sum(self.source.group_rows[: groups.start])
        for block in self._of_piece(piece, also).row_blocks(groups):
            rows = slice(row, row + len(block))
            row = rows.stop
            yield PieceBlock(piece, rows, block)
            del block

    def _of_piece(self, piece: Piece, also: Sequence[str]) -> StreamedExampleSet:
        wanted = self.schema.regular[piece.columns.start : piece.columns.stop]
        further = self.schema.positions(also)
        return self._at(np.concatenate([wanted, further[~np.isin(further, wanted)]]))

    # --- as an ordinary table -----------------------------------------------------------------

    def loaded(self) -> ExampleSet:
        """Return all of it as an ordinary table; an error if it is too large."""
        return self._whole

    @cached_property
    def _whole(self) -> ExampleSet:
        self._require_room(self.schema)
        return self._read(np.arange(len(self.schema)))

    def _fits(self, schema: Schema) -> bool:
        return self.limit is None or self.n_rows * _row_bytes(schema) <= self.limit / 2

    def _require_room(self, schema: Schema) -> None:
        if self.limit is None or self._fits(schema):
            return
        single = len(schema) == 1
        raise DataError(
            f"{quoted(schema.names[0]) if single else 'The table'} would take "
            f"{size_text(self.n_rows * _row_bytes(schema))} of memory, but the limit is "
            f"{size_text(self.limit)}, half of which is kept for the work.",
            hint="Raise --memory-limit."
            if single
            else "Choose fewer attributes first (Select Attributes, Select by Weights), or raise "
            f"--memory-limit. These read it in blocks: {STREAMING}.",
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
                    store[row : row + len(block), columns] = block.values(mine)
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

    @cached_property
    def _special(self) -> dict[int, npt.NDArray[Any]]:
        """The special attributes that were asked for, by position."""
        return {}

    def values(self, positions: Positions) -> npt.NDArray[Any]:
        """Return the stored values of attributes that share a storage type, read-only.

        Special attributes are read by themselves. So are others if the table is too large.
        """
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
        self._require_room(self.schema.take(positions))
        return self._read(positions).values(np.arange(len(positions)))

    def take(self, rows: npt.ArrayLike) -> ExampleSet:
        """Return some rows; the first ones can be had without loading the others."""
        chosen = self._row_numbers(np.asarray(rows))
        if not self.is_loaded and chosen.size and chosen.min() >= 0:
            first = next(self.row_blocks())
            if chosen.max() < len(first):
                return first.take(chosen)
        return super().take(chosen)

    def _at(self, positions: Positions) -> StreamedExampleSet:
        return self._changed(
            self.schema.take(positions), [self._stored_names[p] for p in positions.tolist()]
        )

    def _with_schema(self, schema: Schema) -> StreamedExampleSet:
        return self._changed(schema, self._stored_names)

    def _changed(self, schema: Schema, stored_names: Sequence[str]) -> StreamedExampleSet:
        return StreamedExampleSet(self.source, self.limit, schema=schema, stored_names=stored_names)

    def fingerprint(self) -> str:
        """Return a SHA-256 over attributes and source; the values are not read for it."""
        about = [[a.name, a.value_type, a.role, a.categories] for a in self.schema]
        # Sums over other blocks differ in the last bits.
        parts = [self.source.fingerprint(), self.block_bytes, self._stored_names, about]
        text = json.dumps(parts)
        return hashlib.sha256(text.encode()).hexdigest()

    def layout(self) -> list[Any]:
        """Return what decides about how it is cut."""
        return [self.limit]

    def equals(self, other: object) -> bool:
        """Return whether schema and values are the same, bit for bit."""
        if isinstance(other, StreamedExampleSet):
            return self.fingerprint() == other.fingerprint() or self._whole.equals(other._whole)
        return self._whole.equals(other)


def _ahead(readers: Iterator[Iterator[T]]) -> Iterator[T]:
    """Read what comes next while the last block is worked on; all blocks come in order.

    Only reading is done side by side: between steps as short as those of the work threads would
    wait for each other.
    """
    from concurrent.futures import ThreadPoolExecutor  # loads logging, which few runs need

    with ThreadPoolExecutor(AHEAD) as pool:
        coming = deque((r, pool.submit(next, r, None)) for r in islice(readers, AHEAD + 1))
        while coming:
            reader, reading = coming.popleft()
            block = reading.result()
            del reading  # else the block would stay with it
            if block is None:
                coming.extend((r, pool.submit(next, r, None)) for r in islice(readers, 1))
                continue
            coming.appendleft((reader, pool.submit(next, reader, None)))
            yield block
            del block


def turns_of(pieces: Sequence[T]) -> list[Sequence[T]]:
    """Put neighbouring pieces together into a few turns of about the same length."""
    count = min(MOST_TURNS, len(pieces))
    cuts = [len(pieces) * number // count for number in range(count + 1)] if count else []
    return [pieces[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]


def size_text(size: float) -> str:
    """Return a number of bytes as people say it: ``1.5 GB``."""
    power = next((power for power in range(4) if size < 999.5 * 1000**power), 4)
    return f"{size / 1000**power:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"


def _row_bytes(schema: Schema) -> int:
    """Return how much memory a row takes."""
    sizes = {kind: dtype.itemsize for kind, dtype in STORAGE.items()}
    sizes = {k: TEXT_BYTES if STORAGE[k].hasobject else size for k, size in sizes.items()}
    return sum(size * len(schema.of_types([kind])) for kind, size in sizes.items())


def _spans(sizes: Sequence[int], most: int) -> list[range]:
    """Cut groups of these sizes into at most so many runs of about the same number of rows."""
    ends = np.cumsum(sizes)
    goals = ends[-1] * np.arange(1, most + 1) / most if len(ends) else np.zeros(0)
    cuts = np.unique(np.searchsorted(ends, goals, side="left") + 1)
    cuts = np.minimum(cuts, len(ends))
    starts = np.concatenate([[0], np.unique(cuts)]).tolist()
    return [range(a, b) for a, b in zip(starts, starts[1:], strict=False)]
