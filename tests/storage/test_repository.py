"""Results kept under a name."""

import numpy as np
import pytest

from fsops.data import AttributeWeights, ConfusionMatrix, Criterion, PerformanceVector
from fsops.errors import DataError, StorageError
from fsops.storage.repository import entry_names, find_entry, load_entry, store_entry
from fsops.testing.data import degenerate_table, make_examples
from fsops.testing.stand_ins import stand_in_model

PERFORMANCE = PerformanceVector(
    [
        Criterion("accuracy", (0.1, 1 / 3, np.nan), percent=True),
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
