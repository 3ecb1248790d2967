import errno
import os
import re
import stat
import subprocess
import sys
import time

import pytest

from fsops.errors import StorageError
from fsops.storage import files
from fsops.storage.files import TEMP_PREFIX, read_bytes, replacing, write_bytes

is_root = not hasattr(os, "geteuid") or os.geteuid() == 0
not_for_root = pytest.mark.skipif(is_root, reason="permissions do not stop root")


def temps(folder):
    return [path for path in folder.iterdir() if path.name.startswith(TEMP_PREFIX)]


# --- writing ----------------------------------------------------------------------------------


def test_a_new_file_gets_the_mode_of_the_umask(tmp_path):
    write_bytes(tmp_path / "a", b"new")
    (tmp_path / "b").write_bytes(b"")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
    assert not temps(tmp_path)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_replacing_keeps_the_mode(tmp_path, mode):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.parametrize("target", ["real", "missing", "folder", "link"])
def test_a_link_is_refused_where_the_user_has_not_named_the_file(tmp_path, target):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(StorageError, match='link" cannot be written: it is a symbolic link.'):
        write_bytes(tmp_path / "link", b"new", follow=False)
    assert (tmp_path / "real").read_bytes() == b"old"
    assert not (tmp_path / "missing").exists()
    write_bytes(tmp_path / "real", b"new", follow=False)
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_link_made_while_the_file_is_written_is_not_followed(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    with replacing(tmp_path / "a", follow=False) as file:
        file.write(b"new")
        (tmp_path / "a").symlink_to("real")
    assert (tmp_path / "real").read_bytes() == b"old"
    assert (tmp_path / "a").read_bytes() == b"new"
    assert not (tmp_path / "a").is_symlink()


def test_a_relative_path_is_fine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_bytes("a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


def test_names_with_spaces_quotes_and_emoji_are_fine(tmp_path):
    path = tmp_path / 'it\'s a "process" 😀.xml'
    write_bytes(path, b"new")
    assert read_bytes(path, 10) == b"new"


def test_nothing_is_seen_of_a_file_before_it_is_complete(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"half")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"half"


def write_half(path, error):
    with replacing(path) as file:
        file.write(b"half")
        raise error


def test_a_writer_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="no more"):
        write_half(path, RuntimeError("no more"))
    assert path.read_bytes() == b"old"
    assert not temps(tmp_path)


def test_an_error_about_another_file_is_not_blamed_on_this_one(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "a"):
        (tmp_path / "other").read_bytes()
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("step", ["write", "fsync", "replace", "chmod"])
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EIO, "the disk reports a fault"),
        (errno.EDQUOT, "your disk quota is used up"),
    ],
)
def test_a_failing_disk_leaves_the_old_file_and_no_temp(tmp_path, monkeypatch, step, code, words):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    failure = OSError(code, os.strerror(code))

    def fail(*args, **kwargs):
        raise failure

    if step != "write":
        monkeypatch.setattr(files.os, step, fail)
    with pytest.raises(StorageError, match=f'a" cannot be written: {words}'):
        write_half(path, failure) if step == "write" else write_bytes(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert not temps(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_device_is_never_replaced():
    with pytest.raises(StorageError, match="not a file but a device or a pipe"):
        write_bytes("/dev/full", b"new")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


KILLED = """
import os, sys
from fsops.storage import files

def die(*args, **kwargs):
    os._exit(9)

path, step = sys.argv[1:]
real = os.open
calls = []

def open_then_die(name, *args, **kwargs):
    calls.append(name)
    if (step == "open temp" and len(calls) == 1) or (step == "sync folder" and len(calls) == 2):
        die()
    return real(name, *args, **kwargs)

files.os.open = open_then_die
if step in ("fsync", "replace", "chmod"):
    setattr(files.os, step, die)
with files.replacing(path) as file:
    file.write(b"new" * 1000)
    if step == "write":
        file.flush()
        die()
"""


@pytest.mark.parametrize(
    "step", ["open temp", "write", "chmod", "fsync", "replace", "sync folder", "none"]
)
def test_a_kill_at_any_step_leaves_the_old_or_the_new_file(tmp_path, step):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), step], check=False)
    assert done.returncode == (0 if step == "none" else 9)
    assert path.read_bytes() == (b"new" * 1000 if step in ("sync folder", "none") else b"old")


def test_temps_of_killed_programs_are_swept_after_a_day(tmp_path):
    old, young, foreign = (tmp_path / n for n in (".fsops-1.tmp", ".fsops-2.tmp", ".other-1.tmp"))
    for path in (old, young, foreign):
        path.write_bytes(b"")
    two_days_ago = time.time() - 2 * 24 * 60 * 60
    os.utime(old, (two_days_ago, two_days_ago))
    os.utime(foreign, (two_days_ago, two_days_ago))
    write_bytes(tmp_path / "a", b"new")
    assert not old.exists()
    assert young.exists()
    assert foreign.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder", "it is a folder"),
        ("folder/", "it is a folder"),
        (".", "it is a folder"),
        ("missing/a", "its folder does not exist"),
        ("file/a", "a part of its path is not a folder"),
        ("x" * 300, "the name is too long"),
        ("nul\0", "its name holds a NUL character"),
    ],
)
def test_a_place_that_cannot_be_written_is_named_with_the_reason(tmp_path, name, words):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match=re.escape(f"cannot be written: {words}.")) as caught:
        write_bytes(f"{tmp_path}/{name}", b"new")
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@not_for_root
def test_a_read_only_folder_is_named(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StorageError, match="cannot be written: you have no permission"):
            write_bytes(tmp_path / "a", b"new")
    finally:
        tmp_path.chmod(0o700)


@not_for_root
def test_a_write_protected_file_stays(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o400)
    with pytest.raises(StorageError, match="it is write-protected"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"


# --- reading ----------------------------------------------------------------------------------


def test_a_file_of_exactly_the_limit_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bytes(tmp_path / "a", 5) == b"12345"
    with pytest.raises(StorageError, match="it is larger than"):
        read_bytes(tmp_path / "a", 4)


def test_a_file_like_the_missing_one_is_suggested(tmp_path):
    (tmp_path / "quickstart.xml").write_bytes(b"")
    with pytest.raises(StorageError) as caught:
        read_bytes(tmp_path / "quikstart.xml", 5)
    assert "there is no such file" in str(caught.value)
    assert 'Did you mean "quickstart.xml"?' in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder", "it is a folder"),
        ("file/a", "a part of its path is not a folder"),
        ("loop", "its symbolic links run in a circle"),
        ("x" * 300, "the name is too long"),
        ("nul\0", "its name holds a NUL character"),
        ("pipe", "it is not a file but a device or a pipe"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, name, words):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError, match=re.escape(f"cannot be read: {words}.")):
        read_bytes(f"{tmp_path}/{name}", 5)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_not_waited_for(device):
    if not os.path.exists(device):
        pytest.skip(f"there is no {device}")
    with pytest.raises(StorageError, match="cannot be read"):
        read_bytes(device, 5)


@not_for_root
def test_a_file_without_permission_is_named(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "a").chmod(0)
    with pytest.raises(StorageError, match="you have no permission"):
        read_bytes(tmp_path / "a", 5)
