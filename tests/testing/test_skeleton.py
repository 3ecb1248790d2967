"""The skeleton of a plugin is complete, passes its own tests, and replaces nothing."""

import subprocess
import sys
import tomllib

import pytest

from fsops.errors import StorageError, UsageError
from fsops.testing.skeleton import write_plugin


def test_files_of_the_package(tmp_path):
    written = write_plugin("my-relief", tmp_path)
    folder = tmp_path / "fsops-my-relief"
    assert [str(file.relative_to(folder)) for file in written] == [
        "README.md",
        "fsops_my_relief/__init__.py",
        "fsops_my_relief/operators.py",
        "fsops_my_relief/plugin.py",
        "pyproject.toml",
        "tests/test_operators.py",
    ]
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == "fsops-my-relief"
    assert project["entry-points"]["fsops"] == {"my_relief": "fsops_my_relief.plugin"}
    assert not [file for file in written if "$" in file.read_text()]


def test_its_own_tests_pass(tmp_path):
    write_plugin("mine", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path / "fsops-mine",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "warning" not in done.stdout


@pytest.mark.parametrize("name", ["relief", "fsops-relief", "fsops_relief"])
def test_the_name_of_all_plugins_may_be_left_out(tmp_path, name):
    assert write_plugin(name, tmp_path)[0].parent == tmp_path / "fsops-relief"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("My Relief", 'Try "my_relief"'),
        ("relief!", 'Try "relief"'),
        ("größe", 'Try "gr_e"'),
        ("7up", ""),
        ("", ""),
        ("..", ""),
        ("../relief", 'Try "relief"'),
        ("a/b", 'Try "a_b"'),
        ("a\\b", 'Try "a_b"'),
        ("fsops-", ""),
        ("-", ""),
        ("a--b", 'Try "a_b"'),
        ("x" * 61, "Try"),
        ("relief\n", 'Try "relief"'),
        ("$name", 'Try "name"'),
    ],
)
def test_names_that_cannot_be(tmp_path, name, hint):
    with pytest.raises(UsageError, match="cannot be the name of a plugin") as error:
        write_plugin(name, tmp_path)
    assert hint in error.value.hint
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["builtin", "fsops", "gui", "fsops-gui"])
def test_names_of_fsops_itself(tmp_path, name):
    with pytest.raises(UsageError, match="is a name of fsops itself"):
        write_plugin(name, tmp_path)


def test_nothing_is_replaced(tmp_path):
    (file, *_) = write_plugin("mine", tmp_path)
    file.write_text("my work")
    with pytest.raises(UsageError, match="already exists"):
        write_plugin("mine", tmp_path)
    assert file.read_text() == "my work"


def test_folder_is_made(tmp_path):
    assert write_plugin("mine", tmp_path / "new" / "folder")[0].is_file()


def test_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        write_plugin("mine", tmp_path / "file")
