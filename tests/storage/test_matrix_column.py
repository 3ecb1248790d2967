"""The numbers of very wide tables are one column of a Parquet file, and come back as they were."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.errors import DataError
from fsops.storage import matrix_column
from fsops.storage.parquet import read_parquet_table, stream_parquet_table, write_parquet_table

PLAIN = {"roles": {}, "types": {}, "skip": []}


@pytest.fixture(autouse=True)
def _few_columns_are_wide(monkeypatch):
    monkeypatch.setattr(matrix_column, "WIDE", 4)


def mixed(n=7):
    """Return a table of every type, the others between the numbers."""
    rng = np.random.default_rng(1)
    real = rng.normal(size=(n, 4))
    real[0, 0], real[1, 1], real[2, 2] = np.nan, np.inf, -0.0
    codes = np.arange(n, dtype=np.int32) % 3 - 1
    dates = np.datetime64("2031-01-01", "us") + np.arange(n)
    columns = [
        (Attribute("id", ValueType.INTEGER, "id"), np.arange(n, dtype=float)),
        (Attribute("a"), real[:, 0]),
        (Attribute.nominal("kind", ["x", "y", "never"]), codes),
        (Attribute("b"), real[:, 1]),
        (Attribute("count", ValueType.INTEGER), np.arange(n, dtype=float) ** 2),
        (Attribute("day", ValueType.DATE), dates),
        (Attribute("c"), real[:, 2]),
        (Attribute.nominal("label", ["no", "yes"], "label"), np.arange(n, dtype=np.int32) % 2),
        (Attribute("d"), real[:, 3]),
    ]
    return ExampleSet.from_columns(columns, n)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "wide.parquet"
    write_parquet_table(mixed(), str(path))
    assert pq.read_schema(path).names == ["id", "kind", "day", "label", matrix_column.COLUMN]
    return path


def test_every_bit_type_role_and_category_comes_back_in_order(file):
    assert read_parquet_table(str(file), **PLAIN).equals(mixed())


def test_a_table_of_real_numbers_only_comes_back(tmp_path):
    table = ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(3, 9)))
    write_parquet_table(table, str(tmp_path / "r.parquet"))
    assert read_parquet_table(str(tmp_path / "r.parquet"), **PLAIN).equals(table)


def test_a_narrow_table_is_written_by_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix_column, "WIDE", 6)
    write_parquet_table(mixed(), str(tmp_path / "n.parquet"))
    assert pq.read_schema(tmp_path / "n.parquet").names == list(mixed().names)


def test_columns_can_be_skipped_and_given_roles_and_types(file):
    skipped = read_parquet_table(str(file), roles={}, types={}, skip=["b", "kind", "day"])
    assert skipped.equals(mixed().drop(["b", "kind", "day"]))
    settled = read_parquet_table(
        str(file), roles={"a": "weight"}, types={"count": "polynominal"}, skip=[]
    )
    assert settled.schema.roles["a"] == "weight"
    assert settled.schema.attribute("count").value_type is ValueType.POLYNOMINAL
    assert settled.names == mixed().names
    with pytest.raises(DataError, match='"q"'):
        read_parquet_table(str(file), roles={}, types={}, skip=["q"])


def test_a_folder_is_one_table_and_other_columns_are_refused(tmp_path):
    for number in range(2):
        write_parquet_table(mixed(), str(tmp_path / f"{number}.parquet"))
    both = read_parquet_table(str(tmp_path), **PLAIN)
    assert both.equals(mixed().take(np.tile(np.arange(7), 2)))
    write_parquet_table(mixed().rename({"a": "z"}), str(tmp_path / "2.parquet"))
    with pytest.raises(DataError, match="other numerical columns"):
        read_parquet_table(str(tmp_path), **PLAIN)


@pytest.mark.parametrize("skip", [[], ["a", "label"], ["b", "count", "id"]])
def test_a_stream_gives_the_same_table(file, skip):
    streamed = stream_parquet_table(str(file), roles={}, types={}, skip=skip)
    assert streamed.schema.names == mixed().drop(skip).names
    assert streamed.loaded().equals(read_parquet_table(str(file), roles={}, types={}, skip=skip))


def test_a_stream_reads_blocks_of_rows(tmp_path):
    table = ExampleSet.from_numpy(np.random.default_rng(2).normal(size=(50, 6)))
    stored = matrix_column.with_matrix(table)
    pq.write_table(stored, tmp_path / "s.parquet", row_group_size=20)
    streamed = stream_parquet_table(str(tmp_path / "s.parquet"), **PLAIN)
    blocks = list(streamed.source.blocks(("att5", "att2"), range(3), 20))
    assert [len(block) for block in blocks] == [20, 20, 10]
    found = np.vstack([block.numeric() for block in blocks])
    np.testing.assert_array_equal(found, table.numeric()[:, [4, 1]])


@pytest.mark.parametrize("note", [b"{", b"[]", b'{"names": ["a"], "kinds": "r", "positions": [0]}'])
def test_a_damaged_note_is_told(file, note):
    table = pq.read_table(file).replace_schema_metadata({matrix_column.KEY: note})
    pq.write_table(table, file)
    with pytest.raises(DataError, match="Parquet file"):
        read_parquet_table(str(file), **PLAIN)


def test_a_column_of_that_name_without_a_note_is_not_a_matrix(tmp_path):
    pq.write_table(pa.table({matrix_column.COLUMN: [1.0, 2.0]}), tmp_path / "o.parquet")
    table = read_parquet_table(str(tmp_path / "o.parquet"), **PLAIN)
    assert table.names == (matrix_column.COLUMN,)
