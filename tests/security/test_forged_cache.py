"""A cache from a stranger: nothing in it is believed, and nothing outside of it is touched."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fsops.engine.cache import ResultStore
from tests.security.forged_entries import KEY, OTHER, body, npy, write

PROGRAM = Path(__file__).with_name("forged_entries.py")
TEXT = "do not touch"


@pytest.fixture
def canary(tmp_path):
    file = tmp_path / "mine" / "canary"
    file.parent.mkdir()
    file.write_text(TEXT)
    os.utime(file, ns=(10**18, 10**18))
    yield file
    assert file.read_text() == TEXT
    assert file.stat().st_mtime_ns == 10**18
    assert sorted(file.parent.iterdir()) == [file]


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path / "cache")


def test_none_of_forty_forged_entries_is_believed_or_ends_the_program(tmp_path, canary):
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", PROGRAM, tmp_path / "cache", canary],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr  # a negative number is a signal, such as SIGSEGV
    report = json.loads(done.stdout)
    assert report["believed"] == []
    assert report["entries"] >= 40


def test_the_forger_knows_the_format(store):
    write(store, KEY, body({"array": 0}, npy(np.arange(3))))
    assert store.get(KEY).value.tolist() == [0, 1, 2]


def test_an_entry_moved_to_another_key_is_not_believed(store):
    store.put(KEY, [1, 2, 3])
    os.rename(store.folder / "ab" / KEY, store.folder / "ab" / OTHER)
    assert store.get(OTHER) is None
    assert not (store.folder / "ab" / OTHER).exists()


def test_a_link_in_place_of_an_entry_is_not_followed(store, canary):
    (store.folder / "ab").mkdir()
    (store.folder / "ab" / KEY).symlink_to(canary)
    assert store.get(KEY) is None
    assert store.put(KEY, 1)
    assert store.get(KEY).value == 1
    assert not (store.folder / "ab" / KEY).is_symlink()


def test_a_linked_folder_is_neither_read_nor_written_nor_cleared(store, canary):
    (store.folder / "ab").symlink_to(canary.parent)
    (canary.parent / KEY).write_text("mine")
    assert store.get(KEY) is None
    assert not store.put(KEY, 1)
    store.limit = 0
    store.prune()
    store.clear()
    assert (canary.parent / KEY).read_text() == "mine"
    (canary.parent / KEY).unlink()


def test_clearing_removes_only_files_that_are_named_like_results(store):
    store.put(KEY, 1)
    mine = store.folder / "ab" / "thesis.docx"
    mine.write_text("mine")
    store.clear()
    assert [file for file in store.folder.rglob("*") if file.is_file()] == [mine]


def test_a_pipe_or_an_endless_file_in_place_of_an_entry_is_not_read(store):
    (store.folder / "ab").mkdir()
    os.mkfifo(store.folder / "ab" / KEY)
    assert store.get(KEY) is None  # and does not wait
    huge = store.folder / "ab" / OTHER
    huge.touch()
    os.truncate(huge, 2**40)
    assert store.get(OTHER) is None
