"""A folder of results: damage, limits, and several runs at once."""

import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from fsops.engine.cache import ResultStore, default_folder
from fsops.engine.cache.store import MAGIC
from fsops.errors import StorageError

KEY = "ab" + "0" * 62


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path / "cache")


def file_of(store, key=KEY):
    return store.folder / key[:2] / key


def test_what_is_kept_is_found(store):
    assert store.get(KEY) is None
    assert store.put(KEY, {"x": np.arange(3)})
    assert store.get(KEY).value["x"].tolist() == [0, 1, 2]


def test_nothing_is_a_result_too(store):
    store.put(KEY, None)
    assert store.get(KEY).value is None


@pytest.mark.parametrize("place", [0, 5, len(MAGIC) + 3, len(MAGIC) + 40, -1])
def test_a_flipped_bit_anywhere_is_noticed(store, place):
    store.put(KEY, list(range(100)))
    content = bytearray(file_of(store).read_bytes())
    content[place] ^= 1
    file_of(store).write_bytes(content)
    assert store.get(KEY) is None
    assert not file_of(store).exists()


@pytest.mark.parametrize("size", [0, 3, 20, 60])
def test_half_a_file_is_noticed(store, size):
    store.put(KEY, list(range(100)))
    file_of(store).write_bytes(file_of(store).read_bytes()[:size])
    assert store.get(KEY) is None


def test_a_strangers_file_is_ignored(store):
    file_of(store).parent.mkdir()
    file_of(store).write_text("hello")
    assert store.get(KEY) is None
    store.put(KEY, 1)
    assert store.get(KEY).value == 1


def test_what_cannot_be_kept_leaves_nothing(store):
    assert not store.put(KEY, object())
    assert list(store.folder.rglob("*")) == []


def test_the_oldest_go_first_when_it_is_full(store):
    for number in range(10):
        store.put(f"{number:02x}" + "0" * 62, np.zeros(1000))
        os.utime(file_of(store, f"{number:02x}" + "0" * 62), (number, number))
    store.limit = 5 * 8300
    store.prune()
    assert 1 <= store.usage().entries <= 5
    assert store.get("09" + "0" * 62) is not None
    assert store.get("00" + "0" * 62) is None


def test_results_beyond_the_limit_are_not_kept(tmp_path):
    small = ResultStore(tmp_path, limit=1000)
    assert not small.put(KEY, np.zeros(1000))


def test_clearing_removes_results_and_nothing_else(store):
    (store.folder / "mine.txt").write_text("keep")
    store.put(KEY, 1)
    assert store.clear().entries == 1
    assert store.usage().entries == 0
    assert (store.folder / "mine.txt").exists()


def test_writers_and_readers_at_once_see_whole_results(store):
    wrong = []

    def work(number):
        for _ in range(50):
            store.put(KEY, [number] * 500)
            found = store.get(KEY)
            if found is not None and len(set(found.value)) != 1:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert store.get(KEY) is not None


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be made"):
        ResultStore(tmp_path / "file" / "cache")


def test_the_usual_folder_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("FSOPS_CACHE", str(tmp_path))
    assert default_folder() == tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_on_linux_the_usual_folder_is_in_the_users_cache(monkeypatch, tmp_path):
    for variable in ("FSOPS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "fsops"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert default_folder() == tmp_path / "other" / "fsops"


def test_a_value_that_is_too_deep_to_be_kept_does_not_stop_the_run(store):
    deep = []
    for _ in range(5000):
        deep = [deep]
    assert not store.put(KEY, deep)
    assert not store.put(KEY, {1, "a"})


def test_the_folder_stays_the_same_for_workers_that_start_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = ResultStore(Path("here"))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert store.put(KEY, 1)
    assert list((tmp_path / "here").glob("??/*"))
