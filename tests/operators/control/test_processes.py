"""A process that runs another one."""

import pytest

from fsops import Process, run
from fsops.errors import FsopsError
from fsops.plugins import plugins
from fsops.storage import read_process, write_process


def made(folder, name, **parameters):
    """Write a process that passes a table to another process, and returns its results."""
    registry = plugins().registry
    process = Process(name)
    data = process.add(registry.find("retrieve"), repository_entry="iris")
    other = process.add(registry.find("execute_process"), name="Other", **parameters)
    process.connect(data["examples"], other, "input 1")
    process.result(other["output 1"])
    path = folder / f"{name}.xml"
    write_process(process, path)
    return path


def inner(folder, name="inner"):
    registry = plugins().registry
    process = Process(name, macros={"k": "1"})
    sample = process.add(
        registry.find("filter_example_range"), first_example=1, last_example="%{k}"
    )
    process.connect(process.source("input 1"), sample, "examples")
    process.result(sample["examples"])
    write_process(process, folder / f"{name}.xml")


def test_the_other_process_gets_inputs_and_macros(tmp_path):
    inner(tmp_path)
    outer = made(tmp_path, "outer", path="inner.xml", macros={"k": "5"})
    assert len(run(str(outer)).results[0]) == 5
    plain = made(tmp_path, "plain", path="inner")  # RapidMiner writes no suffix
    assert len(run(str(plain)).results[0]) == 1


def test_a_process_cannot_run_itself(tmp_path):
    outer = made(tmp_path, "outer", path="outer.xml")
    with pytest.raises(FsopsError, match='"outer.xml" would run itself'):
        run(str(outer))


def test_a_file_that_is_not_there_is_named(tmp_path):
    outer = made(tmp_path, "outer", path="nothing.xml")
    with pytest.raises(FsopsError, match="nothing.xml"):
        run(str(outer))


def test_a_process_of_a_stranger_executes_only_files_in_its_folder(tmp_path):
    secret, folder = tmp_path / "secret", tmp_path / "given"
    secret.mkdir()
    folder.mkdir()
    inner(secret)
    outer = made(folder, "outer", path="../secret/inner.xml")
    outer.write_bytes(outer.read_bytes().replace(b"outer", b"changed by another"))
    assert read_process(outer).readable is not None
    with pytest.raises(FsopsError, match="outside its folder"):
        run(str(outer))
