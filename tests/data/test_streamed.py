"""A table that stays in its file."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.data.blocks import FEW_BATCHES, Piece, batches_of
from fsops.data.schema import Schema
from fsops.data.streamed import StreamedExampleSet, size_text
from fsops.errors import DataError


@dataclass(frozen=True)
class Rows:
    """A source that counts what is read of it."""

    table: ExampleSet
    group_rows: tuple[int, ...]
    read: list
    reads_ahead: bool = False

    @property
    def schema(self) -> Schema:
        return self.table.schema

    def blocks(self, names, groups, rows):
        ends = np.cumsum([0, *self.group_rows])
        for start in range(ends[groups.start], ends[groups.stop], rows):
            stop = min(start + rows, ends[groups.stop])
            self.read.append((len(names), stop - start))
            yield self.table.select(names).take(np.arange(start, stop))

    def fingerprint(self):
        return "rows"


@pytest.fixture
def streamed():
    """Return a function that makes a table of 30 × 4 with a label, in groups of rows."""
    rng = np.random.default_rng(0)
    table = ExampleSet.from_numpy(rng.normal(size=(30, 4)), ["x", "y"] * 15)

    def make(limit=None, group_rows=(10, 10, 10)):
        return StreamedExampleSet(Rows(table, group_rows, []), limit)

    return make


def test_blocks_have_as_many_rows_as_the_limit_allows(streamed):
    table = streamed(limit=8 * 36 * 4)  # a row takes 36 bytes, an eighth of the limit is a block
    assert [len(block) for block in table.row_blocks()] == [4] * 7 + [2]
    assert all(type(block) is ExampleSet for block in table.row_blocks())
    assert [len(block) for block in streamed(limit=10).row_blocks()] == [1] * 30
    assert [len(block) for block in streamed().row_blocks()] == [30]


def test_only_the_label_is_read_for_the_classes(streamed):
    table = streamed(limit=1000)
    assert table.class_codes()[1] == ("x", "y")
    table.label_values()
    assert {columns for columns, _ in table.source.read} == {1}
    assert sum(rows for _, rows in table.source.read) == 30
    assert not table.is_loaded


def test_choosing_renaming_and_roles_read_nothing(streamed):
    table = streamed(limit=1000)
    changed = table.select(["att3", "label", "att1"]).rename({"att3": "c"})
    changed = changed.with_roles({"att1": "id"}).drop(["label"])
    assert table.source.read == []
    assert changed.names == ("c", "att1")
    assert [b.names for b in changed.row_blocks()][0] == ("c", "att1")
    assert changed.schema.roles == {"att1": "id"}
    expected = table.source.table.select(["att3", "att1"]).rename({"att3": "c"})
    assert changed.loaded().equals(expected.with_roles({"att1": "id"}))


def test_what_fits_is_loaded_once(streamed):
    table = streamed(limit=10_000)
    assert table.numeric().shape == (30, 4)
    count = len(table.source.read)
    assert table.equals(table.source.table)
    assert table.take([29, 0]).equals(table.source.table.take([29, 0]))
    assert len(table.source.read) == count
    assert table.is_loaded


def test_what_does_not_fit_is_told(streamed, refused):
    table = streamed(limit=1000)
    with refused("960 bytes", "the limit is 1 kB", "--memory-limit", "Select by Weights"):
        table.numeric()
    with refused("The table would take"):
        table.take(np.arange(29)).numeric()
    with refused('"label" would take', "Raise --memory-limit"):
        streamed(limit=100).label_values()


def test_only_the_numbers_of_a_large_table_are_read_if_they_fit(streamed):
    table = streamed(limit=2000)  # the numbers take 960 bytes, with the label over half of it
    assert np.array_equal(table.numeric(), table.source.table.numeric())
    assert not table.is_loaded


def test_single_attributes_and_first_rows_can_be_had_of_a_large_table(streamed):
    table = streamed(limit=1000)
    assert np.array_equal(table.column("att2"), table.source.table.column("att2"))
    assert table.take([2, 0]).equals(table.source.table.take([2, 0]))
    assert not table.is_loaded


@pytest.mark.parametrize(
    "rows", [np.arange(5, 25), [29], [3, 3, 29, 29, 29], [29, 3, 17, 3, 0], [-1, 4], [True] * 30]
)
@pytest.mark.parametrize("group_rows", [(30,), (10, 10, 10), (0, 7, 0, 23, 0)])
def test_rows_of_a_large_table_stay_in_the_file(rows, group_rows, streamed):
    table = streamed(limit=900, group_rows=group_rows)
    taken, expected = table.take(rows), table.source.table.take(rows)
    assert not table.is_loaded
    assert len(taken) == len(expected)
    assert taken.label_values().tolist() == expected.label_values().tolist()
    assert taken.column("att2").tolist() == expected.column("att2").tolist()
    moments, in_memory = taken.moments(), expected.moments()
    assert moments.mean == pytest.approx(in_memory.mean, rel=1e-12)
    assert moments.ss == pytest.approx(in_memory.ss, rel=1e-12, abs=1e-12)
    again = taken.take(np.arange(len(taken))[::-1])
    assert again.column("att1").tolist() == expected.column("att1")[::-1].tolist()
    reading = again.loaded() if len(again) < 15 else again
    assert len(again) >= 15 or reading.numeric().tolist() == expected.numeric()[::-1].tolist()


@pytest.mark.parametrize("limit", [None, 3000, 600, 50])
@pytest.mark.parametrize("group_rows", [(30,), (10, 10, 10), (1,) * 30, (0, 7, 0, 23, 0)])
def test_pieces_cover_every_value_once(limit, group_rows, streamed):
    table = streamed(limit, group_rows)
    seen = np.zeros((4, 30), dtype=int)
    ends = np.cumsum([0, *group_rows])
    for piece in table.pieces(result_bytes=1):
        rows = slice(ends[piece.groups.start], ends[piece.groups.stop])
        seen[piece.columns.start : piece.columns.stop, rows] += 1
    assert (seen == 1).all()


def test_large_groups_are_read_by_attributes(streamed):
    table = streamed(limit=8 * 30 * 8 * 2, group_rows=(30,))
    assert table.pieces(1) == [Piece(range(2), range(1)), Piece(range(2, 4), range(1))]


def test_there_are_no_more_pieces_than_results_fit(streamed):
    many = streamed(limit=4000, group_rows=(1,) * 30)
    assert len(many.pieces(result_bytes=1)) == FEW_BATCHES
    assert len(many.pieces(result_bytes=250)) == 4
    assert len(many.pieces(result_bytes=10**6)) == 1


def test_blocks_of_a_piece_begin_with_its_attributes(streamed):
    table = streamed(limit=500)
    piece = Piece(range(1, 3), range(2))
    blocks = list(table.blocks_of([piece], also=["att4", "att2"]))
    assert {block.piece for block in blocks} == {piece}
    assert blocks[0].values.names == ("att2", "att3", "att4")
    rows = [row for block in blocks for row in range(block.rows.start, block.rows.stop)]
    assert rows == list(range(20))
    assert [len(block.values) for block in blocks] == [b.rows.stop - b.rows.start for b in blocks]


@pytest.mark.parametrize("limit", [None, 500, 2000, 10_000])
@pytest.mark.parametrize("group_rows", [(30,), (10, 10, 10), (1,) * 30, (25, 2, 3)])
def test_reading_ahead_gives_the_same_blocks_in_the_same_order(streamed, limit, group_rows):
    table = streamed(limit, group_rows)
    pieces = table.pieces(result_bytes=1)
    plain = list(table.blocks_of(pieces))
    ahead = list(
        StreamedExampleSet(replace(table.source, reads_ahead=True), limit).blocks_of(pieces)
    )
    assert [(b.piece, b.rows) for b in ahead] == [(b.piece, b.rows) for b in plain]
    assert all(a.values.equals(b.values) for a, b in zip(ahead, plain, strict=True))
    for piece in pieces:
        mine = [block.rows for block in plain if block.piece == piece]
        assert [rows.stop for rows in mine[:-1]] == [rows.start for rows in mine[1:]]


def test_an_error_while_reading_ahead_arrives_where_the_block_was_wanted(streamed):
    class Broken(Rows):
        def blocks(self, names, groups, rows):
            if groups.start >= 2:
                raise DataError("The third part is damaged.")
            yield from super().blocks(names, groups, rows)

    rows = streamed().source
    table = StreamedExampleSet(Broken(rows.table, rows.group_rows, [], reads_ahead=True), 8 * 360)
    read = table.blocks_of([Piece(range(4), range(3))])
    assert [next(read).rows, next(read).rows] == [slice(0, 10), slice(10, 20)]
    with pytest.raises(DataError, match="third part"):
        next(read)


@pytest.mark.parametrize("count", [0, 1, 5, FEW_BATCHES, 17, 63, 100])
def test_batches_have_all_pieces_in_order_and_are_few(count):
    batches = batches_of(list(range(count)))
    assert [piece for batch in batches for piece in batch] == list(range(count))
    assert len(batches) == min(count, FEW_BATCHES)
    assert max(map(len, batches), default=0) - min(map(len, batches), default=0) <= 1


def test_columns_come_one_by_one(streamed):
    table = streamed().loaded()
    columns = table.loose_columns(np.array([2, 0]))
    assert np.array_equal(columns[0], table.column("att3"))


def test_it_travels_without_what_can_be_read_again(streamed):
    table = streamed(limit=1000)
    table.label_values()
    again = pickle.loads(pickle.dumps(table))
    assert again.schema == table.schema
    assert again.fingerprint() == table.fingerprint()
    assert "_special" not in vars(again)


def test_fingerprint_tells_tables_apart(streamed):
    table = streamed()
    others = [
        table.drop(["att1"]),
        table.rename({"att1": "a"}),
        table.rename({"att1": "x", "att2": "y"}).rename({"x": "att2", "y": "att1"}),
        table.with_roles({"att1": "id"}),
        streamed(limit=1000),
    ]
    prints = [t.fingerprint() for t in (table, *others)]
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1e3, "1 kB"), (4.096e9, "4.1 GB"), (2e15, "2e+03 TB")],
)
def test_sizes_are_said_as_people_do(size, text):
    assert size_text(size) == text
