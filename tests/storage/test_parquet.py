"""Parquet files."""

from contextlib import suppress

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.data.streamed import StreamedExampleSet
from fsops.errors import DataError, FsopsError, StorageError
from fsops.operators import read_parquet
from fsops.storage import parquet
from fsops.storage.parquet import (
    is_too_large,
    parquet_metadata,
    read_parquet_table,
    stream_parquet_table,
)


@pytest.fixture
def file(tmp_path):
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    table = ExampleSet.from_numpy(rng.normal(size=(50, 3)), ["x", "y"] * 25)
    target = tmp_path / "table.parquet"
    pq.write_table(table.to_arrow(), target)
    return target


def test_table_roles_and_types_come_back_bit_for_bit(file):
    rng = np.random.default_rng(0)
    original = ExampleSet.from_numpy(rng.normal(size=(50, 3)), ["x", "y"] * 25)
    assert read_parquet(path=str(file)).equals(original)


def test_columns_are_skipped_and_given_roles(file):
    examples = read_parquet(path=str(file), skip=["att2", "label"], label="att1")
    assert examples.names == ("att1", "att3")
    assert examples.label.name == "att1"


def test_what_the_file_holds_is_known_before(file):
    about = parquet_metadata(str(file), roles={}, types={}, skip=[])
    assert about.rows == 50
    assert about.schema.label.name == "label"


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"skip": ["att9"]}, 'no column "att9" to skip'),
        ({"label": "lable"}, 'Did you mean "label"'),
    ],
)
def test_unknown_columns_are_told(file, parameters, words):
    with pytest.raises(DataError, match=words):
        read_parquet(path=str(file), **parameters)


def test_other_files_are_told(tmp_path):
    with pytest.raises(StorageError, match="table.parquet"):
        read_parquet(path=str(tmp_path / "table.parquet"))
    other = tmp_path / "other.parquet"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match='"other.parquet" is not a Parquet file'):
        read_parquet(path=str(other))


def test_damage_anywhere_is_told_or_harmless(file):
    sound = file.read_bytes()
    for place in range(4, len(sound), max(1, len(sound) // 60)):
        broken = bytearray(sound)
        broken[place] ^= 0xFF
        file.write_bytes(bytes(broken))
        with suppress(FsopsError):  # anything else would fail the test
            assert len(read_parquet(path=str(file))) == 50


# --- folders and streams ----------------------------------------------------------------------


def mixed_table(n, seed):
    """Return an Arrow table with a column of every kind, written by somebody else."""
    import datetime

    import pyarrow as pa

    rng = np.random.default_rng(seed)
    texts = np.array(["b", "a", "c"])
    return pa.table(
        {
            "real": pa.array([None if v < 0.1 else v for v in rng.random(n)]),
            "single": rng.normal(size=n).astype("f4"),
            "whole": rng.integers(0, 9, n),
            "gaps": pa.array([None if v > 6 else int(v) for v in rng.integers(0, 9, n)]),
            "decimal": pa.array(rng.integers(0, 9, n)).cast(pa.decimal128(25, 2)),
            "word": pa.array([None if v == "c" else v for v in texts[rng.integers(0, 3, n)]]),
            "coded": pa.array(texts[rng.integers(0, 3, n)]).dictionary_encode(),
            "flag": pa.array(rng.random(n) > 0.5),
            "day": pa.array([datetime.date(2031, 1, 1 + int(v)) for v in rng.integers(0, 9, n)]),
            "grade": rng.integers(0, 3, n),
            "note": pa.array([f"row {v}" for v in range(n)]),
        }
    )


LAYOUT = {
    "roles": {"grade": "label"},
    "types": {"grade": "polynominal", "note": "text"},
    "skip": ["gaps"],
}


@pytest.fixture
def folder(tmp_path):
    """Return a folder with three files of different row groups, and some others."""
    import pyarrow.parquet as pq

    for number, rows in enumerate((40, 3, 25)):
        file = tmp_path / f"part-{number}.parquet"
        pq.write_table(mixed_table(rows, number), file, row_group_size=7 + number)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".hidden.parquet").touch()
    return tmp_path


@pytest.mark.parametrize("name", ["part-0.parquet", ""])
@pytest.mark.parametrize("limit", [None, 6000, 100])
def test_stream_has_the_schema_and_values_of_the_table_in_memory(folder, name, limit):
    file = str(folder / name)
    whole = read_parquet_table(file, **LAYOUT)
    streamed = stream_parquet_table(file, **LAYOUT, limit=limit)
    assert streamed.schema == whole.schema
    row = 0
    for block in streamed.row_blocks():
        part = whole.take(range(row, row + len(block)))
        assert block.equals(part)
        row += len(block)
    assert row == len(whole) == len(streamed)
    assert stream_parquet_table(file, **LAYOUT).loaded().equals(whole)


def test_long_columns_are_read_like_short_ones(folder, monkeypatch):
    monkeypatch.setattr(parquet, "LONG", 2)
    whole = read_parquet_table(str(folder), **LAYOUT)
    assert stream_parquet_table(str(folder), **LAYOUT).loaded().equals(whole)


def test_files_of_a_folder_are_one_table(folder):
    table = read_parquet(path=str(folder), skip=["note"])
    assert len(table) == 68
    about = parquet_metadata(str(folder), roles={}, types={}, skip=["note"])
    assert (about.schema, about.rows) == (table.schema, 68)


def test_our_own_notes_are_kept_by_a_stream(file):
    whole = read_parquet(path=str(file))
    streamed = read_parquet(path=str(file), streaming=True)
    assert streamed.schema == whole.schema
    assert streamed.label.name == "label"
    assert streamed.equals(whole)


@pytest.mark.parametrize("streaming", [False, True])
def test_files_that_do_not_fit_together_are_told(folder, streaming):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"real": [1.0]}), folder / "part-7.parquet")
    with pytest.raises(DataError, match='"part-7.parquet" has 1 columns, but'):
        read_parquet(path=str(folder), streaming=streaming)
    pq.write_table(pa.table({"x": [1.0], "y": [2]}), folder / "part-7.parquet")
    with pytest.raises(DataError, match='has the column "x"'):
        read_parquet(path=str(folder), streaming=streaming)


def test_a_folder_without_parquet_files_is_told(tmp_path):
    with pytest.raises(StorageError, match="no Parquet files in the folder"):
        read_parquet(path=str(tmp_path))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"skip": ["att9"]}, 'no column "att9" to skip'),
        ({"label": "lable"}, 'Did you mean "label"'),
        ({"types": {"at1": "text"}}, 'Did you mean "att1"'),
        ({"types": {"att1": "binominal"}}, "is to be binominal, but has 50 categories"),
    ],
)
def test_a_stream_refuses_what_reading_refuses(file, parameters, words):
    for streaming in (True, False):
        with pytest.raises(DataError, match=words):
            read_parquet(path=str(file), streaming=streaming, **parameters)


def test_whole_numbers_a_double_cannot_hold_are_told_by_a_stream(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    target = tmp_path / "large.parquet"
    pq.write_table(pa.table({"n": [1, 2**60 + 1], "m": [1.0, 2.0]}), target)
    with pytest.raises(DataError, match="too large to be kept exactly"):
        list(read_parquet(path=str(target), streaming=True).row_blocks())


def test_too_many_categories_are_told(folder, monkeypatch):
    monkeypatch.setattr(parquet, "MOST_CATEGORIES", 20)
    with pytest.raises(DataError, match='"note" has more than 20 different values'):
        read_parquet(path=str(folder), streaming=True)


def test_a_file_that_changes_meanwhile_is_told(file):
    streamed = read_parquet(path=str(file), streaming=True)
    file.write_bytes(file.read_bytes() + b"more")
    with pytest.raises(DataError, match="was changed while it was read"):
        list(streamed.row_blocks())


def test_a_category_that_the_note_leaves_out_is_told(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = ExampleSet.from_numpy(np.zeros((4, 1)), ["x", "y"] * 2).to_arrow()
    field = table.schema.field("label")
    changed = table.set_column(1, field, pa.array(["x", "y", "z", "x"]).dictionary_encode())
    target = tmp_path / "table.parquet"
    pq.write_table(changed, target)
    with pytest.raises(DataError, match='"label" holds "z", which the note'):
        read_parquet(path=str(target), streaming=True).label_values()


def test_a_table_that_takes_over_half_of_the_memory_stays_in_its_file(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    table = ExampleSet.from_numpy(rng.normal(size=(2000, 100)), ["n", "y"] * 1000)
    file = tmp_path / "table.parquet"
    pq.write_table(table.to_arrow(), file, row_group_size=500)
    assert not is_too_large(str(file), [], limit=3_300_000)
    assert is_too_large(str(file), [], limit=3_200_000)
    assert not is_too_large(str(file), ["att1", "att2", "att3"], limit=3_200_000)
    assert not isinstance(read_parquet(path=str(file)), StreamedExampleSet)
    monkeypatch.setenv("FSOPS_MEMORY", "3MB")
    assert isinstance(read_parquet(path=str(file)), StreamedExampleSet)


def test_a_small_file_that_declares_a_huge_table_is_not_streamed(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    monkeypatch.setattr("fsops.storage.parquet.SMALLEST_STREAM", 0)
    file = tmp_path / "table.parquet"
    table = ExampleSet.from_numpy(np.zeros((200_000, 5)), ["n", "y"] * 100_000)
    pq.write_table(table.to_arrow(), file, compression="zstd")
    assert 200 * file.stat().st_size < 8 * 200_000 * 6
    assert not is_too_large(str(file), [], limit=1000)


def test_metadata_of_few_columns_are_kept_and_those_of_many_are_bounded(tmp_path, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from fsops.storage import parquet_files

    files = [tmp_path / f"part{number}.parquet" for number in range(4)]
    for file in files:
        pq.write_table(pa.table({f"a{i}": [1.0, 2.0] for i in range(10)}), file)
    keys = [(file, file.stat().st_size, 0) for file in files]
    monkeypatch.setattr(parquet_files, "_METADATA", {})
    monkeypatch.setattr(parquet_files, "MOST_CHUNKS", 20)
    for key in keys:
        assert parquet_files.file_metadata(*key).num_columns == 10
    assert list(parquet_files._METADATA) == keys[2:]
    parquet_files.file_metadata(*keys[2])  # used again, so the other one goes first
    parquet_files.file_metadata(*keys[0])
    assert list(parquet_files._METADATA) == [keys[2], keys[0]]
