"""Parquet files."""

from contextlib import suppress

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.errors import DataError, FsopsError, StorageError
from fsops.operators import read_parquet
from fsops.storage.parquet import parquet_metadata


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
    assert read_parquet(parquet_file=str(file)).equals(original)


def test_columns_are_skipped_and_given_roles(file):
    examples = read_parquet(parquet_file=str(file), skip=["att2", "label"], label="att1")
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
        read_parquet(parquet_file=str(file), **parameters)


def test_other_files_are_told(tmp_path):
    with pytest.raises(StorageError, match="table.parquet"):
        read_parquet(parquet_file=str(tmp_path / "table.parquet"))
    other = tmp_path / "other.parquet"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match='"other.parquet" is not a Parquet file'):
        read_parquet(parquet_file=str(other))


def test_damage_anywhere_is_told_or_harmless(file):
    sound = file.read_bytes()
    for place in range(4, len(sound), max(1, len(sound) // 60)):
        broken = bytearray(sound)
        broken[place] ^= 0xFF
        file.write_bytes(bytes(broken))
        with suppress(FsopsError):  # anything else would fail the test
            assert len(read_parquet(parquet_file=str(file))) == 50
