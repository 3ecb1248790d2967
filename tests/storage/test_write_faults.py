"""Each system call of the function that writes files fails in turn: old or new file, never a mix."""

import errno
import io
import os
from collections import Counter

import pytest

from fsops.errors import StorageError
from fsops.storage import files
from fsops.storage.files import TEMP_PREFIX, replacing

OLD, NEW = b"old" * 40_000, b"new!" * 60_000
"""More than a buffer, so that a file takes several writes."""
CALLS = ("stat", "open", "write", "chmod", "fsync", "replace", "close", "scandir")
BEFORE = ("stat", "open", "write", "chmod", "fsync", "replace")
"""Without these the new file does not exist yet."""
CODES = (errno.ENOSPC, errno.EIO, errno.EDQUOT)


class Faults:
    """Counts the system calls of `replacing`, and lets one of them fail."""

    def __init__(self, monkeypatch, failing=None, number=0, code=errno.EIO):
        self.calls = Counter()
        self.failing, self.number, self.code = failing, number, code
        for name in ("stat", "open", "chmod", "fsync", "replace", "close", "scandir"):
            monkeypatch.setattr(files.os, name, self._wrapped(name, getattr(os, name)))
        monkeypatch.setattr(files, "open", self._opened, raising=False)

    def check(self, name):
        self.calls[name] += 1
        if name == self.failing and self.calls[name] == self.number:
            raise OSError(self.code, os.strerror(self.code))

    def _wrapped(self, name, real):
        def call(*args, **kwargs):
            self.check(name)
            return real(*args, **kwargs)

        return call

    def _opened(self, descriptor, mode):
        faults = self

        class Raw(io.FileIO):
            def write(self, data):
                faults.check("write")
                return super().write(memoryview(data)[:50_000])  # a disk may take a part

        assert mode == "wb"
        return io.BufferedWriter(Raw(descriptor, "wb"))


def write(path):
    with replacing(path) as file:
        for start in range(0, len(NEW), 10_000):
            file.write(NEW[start : start + 10_000])


def steps(tmp_path, monkeypatch):
    """Return how often each system call happens in an undisturbed write."""
    path = tmp_path / "file"
    path.write_bytes(OLD)
    with monkeypatch.context() as patched:
        faults = Faults(patched)
        write(path)
    assert path.read_bytes() == NEW
    return faults.calls


def test_every_system_call_that_may_fail_is_tried(tmp_path, monkeypatch):
    calls = steps(tmp_path, monkeypatch)
    assert calls.keys() == set(CALLS)
    assert calls["write"] >= 5
    assert calls["fsync"] == 2  # the file, and then its folder


@pytest.mark.parametrize("code", CODES, ids=lambda code: errno.errorcode[code])
@pytest.mark.parametrize("name", CALLS)
def test_the_file_is_the_old_or_the_new_one_whichever_call_fails(tmp_path, monkeypatch, name, code):
    path = tmp_path / "file"
    for number in range(1, steps(tmp_path, monkeypatch)[name] + 1):
        path.write_bytes(OLD)
        outcome = None
        with monkeypatch.context() as patched:
            Faults(patched, name, number, code)
            try:
                write(path)
            except (StorageError, OSError) as error:
                outcome = error
        content = path.read_bytes()
        assert content in (OLD, NEW), (name, number)
        # Without an error the new file is there.
        assert content == NEW or outcome is not None, (name, number)
        first = name in BEFORE and not (name in ("open", "fsync") and number == 2)
        assert (content == OLD) is first, (name, number)
        assert not [p for p in tmp_path.iterdir() if p.name.startswith(TEMP_PREFIX)]


def test_a_new_file_does_not_appear_half(tmp_path, monkeypatch):
    path = tmp_path / "file"
    for number in range(1, steps(tmp_path, monkeypatch)["write"] + 1):
        path.unlink()
        with monkeypatch.context() as patched:
            Faults(patched, "write", number)
            with pytest.raises(StorageError, match="the disk reports a fault"):
                write(path)
        assert not any(tmp_path.iterdir())
        path.touch()


def test_the_injection_reaches_the_writes(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        Faults(patched, "write", 3, errno.ENOSPC)
        with pytest.raises(StorageError, match="the disk is full"):
            write(tmp_path / "file")
