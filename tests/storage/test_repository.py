"""Results kept under a name."""

import struct
import sys

import numpy as np
import pytest

from fsops.data import AttributeWeights, ConfusionMatrix, Criterion, PerformanceVector
from fsops.errors import DataError, StorageError
from fsops.storage.repository import (
    entry_names,
    find_entry,
    load_entry,
    repository_folder,
    store_entry,
)
from fsops.testing.data import degenerate_table, make_examples
from fsops.testing.stand_ins import stand_in_model

PERFORMANCE = PerformanceVector(
    [
        Criterion("accuracy", (0.1, 1 / 3, np.nan), percent=True),
        Criterion("bound", (0.5,), measured=False),
        Criterion("error", (-np.inf,), maximize=False),
    ],
    confusion=ConfusionMatrix(("no", "yes"), np.array([[3, 1], [0, 2]])),
)


@pytest.mark.parametrize(
    "value",
    [
        make_examples(missing=0.1),
        degenerate_table("other types"),
        degenerate_table("unused class"),
        degenerate_table("odd names"),
        AttributeWeights(["b", "a"], [1 / 3, np.nan], details={"p": [0.1, 0.2]}),
        PERFORMANCE,
        PerformanceVector([Criterion("accuracy", (0.1,))]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_stored_comes_back(tmp_path, value):
    entry = str(tmp_path / "some folder" / "best.of 3")
    store_entry(value, entry)
    assert load_entry(find_entry(entry)).equals(value)


def test_a_new_result_replaces_one_of_another_kind(tmp_path):
    entry = str(tmp_path / "x")
    store_entry(PERFORMANCE, entry)
    store_entry(make_examples(), entry)
    assert [file.name for file in tmp_path.iterdir()] == ["x.table.parquet"]
    assert entry_names(entry) == ["x"]


def test_only_what_was_stored_is_found(tmp_path):
    (tmp_path / "iris.parquet").write_bytes(b"somebody else's")
    assert find_entry(str(tmp_path / "iris")) is None
    assert find_entry(str(tmp_path / ("x" * 300))) is None
    assert entry_names(str(tmp_path / "iris")) == []


def test_two_slashes_mean_the_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("FSOPS_REPOSITORY", str(tmp_path))
    store_entry(PERFORMANCE, "//Local Repository/data/x")
    assert (tmp_path / "data" / "x.performance.json").exists()
    assert find_entry("//Another name/data/x") is not None
    with pytest.raises(StorageError, match="leads out of the repository"):
        store_entry(PERFORMANCE, "//Local Repository/../x")
    with pytest.raises(StorageError, match="names no entry"):
        store_entry(PERFORMANCE, str(tmp_path) + "/")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_on_linux_the_repository_is_among_the_users_data(tmp_path, monkeypatch):
    for variable in ("FSOPS_REPOSITORY", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert repository_folder() == tmp_path / ".local" / "share" / "fsops" / "repository"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "other"))
    assert repository_folder() == tmp_path / "other" / "fsops" / "repository"


def test_models_are_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be stored; tables, attribute weights and perf"):
        store_entry(stand_in_model(make_examples()), str(tmp_path / "m"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be made"):
        store_entry(PERFORMANCE, str(tmp_path / "file" / "inside" / "x"))


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"criteria": [{"name": "a"}]}', '{"criteria": 3}']
)
def test_damage_is_told(tmp_path, content):
    file = tmp_path / "x.performance.json"
    file.write_text(content)
    with pytest.raises(DataError, match="holds no performance, or is damaged"):
        load_entry(file)


# --- tables of RapidMiner -------------------------------------------------------------------------


def ioo(value):
    """Return the bytes of a table with one number."""
    texts = b"".join(struct.pack(">i", len(t)) + t for t in (b"x", b"", b"real", b"single_value"))
    head = bytes([0x2A, 0x71, 0xD1]) + struct.pack(">ii", 4, 1) + texts
    return head + b"\0" + struct.pack(">id", 1, value)


def test_tables_of_rapidminer_are_entries_but_what_was_stored_goes_before(tmp_path):
    entry = str(tmp_path / "Golf")
    (tmp_path / "Golf.ioo").write_bytes(ioo(7.0))
    assert load_entry(find_entry(entry)).column("x").tolist() == [7.0]
    assert entry_names(str(tmp_path / "Gold")) == ["Golf"]
    store_entry(PERFORMANCE, entry)
    assert load_entry(find_entry(entry)).equals(PERFORMANCE)
    assert (tmp_path / "Golf.ioo").exists()
    assert entry_names(entry) == ["Golf"]


@pytest.mark.parametrize("entry", ["//Samples/data/Iris", "/far/away/../data/Iris", "data/Iris"])
def test_a_folder_of_rapidminers_tables_is_searched_by_the_end_of_the_path(
    tmp_path, monkeypatch, entry
):
    monkeypatch.setenv("FSOPS_REPOSITORY", str(tmp_path / "own"))
    monkeypatch.setenv("FSOPS_RAPIDMINER", str(tmp_path / "theirs"))
    (tmp_path / "theirs/data").mkdir(parents=True)
    assert find_entry(entry) is None
    (tmp_path / "theirs/Iris.ioo").write_bytes(ioo(1.0))
    assert load_entry(find_entry(entry)).column("x").tolist() == [1.0]
    (tmp_path / "theirs/data/Iris.ioo").write_bytes(ioo(2.0))
    assert load_entry(find_entry(entry)).column("x").tolist() == [2.0]
    (tmp_path / "own/data").mkdir(parents=True)
    (tmp_path / "own/data/Iris.ioo").write_bytes(ioo(3.0))
    own = load_entry(find_entry("//Samples/data/Iris"))
    assert own.column("x").tolist() == [3.0]
