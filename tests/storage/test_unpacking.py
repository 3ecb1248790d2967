"""Small files that unfold into much: refused before they take memory."""

import gzip
import io

import pytest

from fsops import memory
from fsops.config import use_file_limit
from fsops.errors import DataError, UsageError
from fsops.storage import unpacking
from fsops.storage.unpacking import BoundedStream, file_allowance, require_for_file

GB = 10**9


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "50GB")
    monkeypatch.setenv(unpacking.VARIABLE, "")
    monkeypatch.delenv(unpacking.VARIABLE)
    file = tmp_path / "bomb.parquet"
    file.write_bytes(b"x" * 2000)
    return file


def test_a_small_file_may_not_unfold_without_limit(file, refused):
    require_for_file(200 * 10**6, file)
    with refused('"bomb.parquet" has 2 kB', "needs 8 GB", "FSOPS_FILE_LIMIT=8.8GB"):
        require_for_file(8 * GB, file)


def test_the_limit_of_the_user_counts_instead(file, refused, monkeypatch):
    monkeypatch.setenv(unpacking.VARIABLE, "8.8GB")
    require_for_file(8 * GB, file)
    assert file_allowance(file) == 8.8 * GB
    with refused("needs 9 GB", "8.8 GB are allowed", "FSOPS_FILE_LIMIT"):
        require_for_file(9 * GB, file)
    monkeypatch.setenv(unpacking.VARIABLE, "much")
    with refused("FSOPS_FILE_LIMIT", "write 500MB", error=UsageError):
        require_for_file(8 * GB, file)


def test_more_than_the_memory_is_refused_in_any_case(file, refused, monkeypatch):
    monkeypatch.setenv(unpacking.VARIABLE, "80GB")
    with refused('"bomb.parquet" needs 60 GB', "50 GB are available", "Use fewer."):
        require_for_file(60 * GB, file, "Use fewer.")
    assert file_allowance(file) == 50 * GB


def test_the_configuration_sets_the_limit(file, tmp_path, monkeypatch):
    config = tmp_path / "config.toml"
    config.write_text('[data]\nlimit = "3GB"\n')
    monkeypatch.setenv("FSOPS_CONFIG", str(config))
    use_file_limit()
    assert unpacking.file_limit() == 3 * GB


def unpacked(file):
    with gzip.open(file) as stream:
        return io.BufferedReader(BoundedStream(stream, file)).read()


def test_a_packed_file_is_read_up_to_the_bound(file, monkeypatch):
    monkeypatch.setattr(unpacking, "SMALL_CONTENT", 4 * 10**6)
    file.write_bytes(gzip.compress(b"x" * 10**6))
    assert unpacked(file) == b"x" * 10**6
    file.write_bytes(gzip.compress(b"x" * (10**6 + 1)))
    with pytest.raises(DataError, match=r'"bomb.parquet" has .* unpacks to more than 1 MB'):
        unpacked(file)
