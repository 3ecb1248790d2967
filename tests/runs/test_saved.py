"""A finished run in a folder, written and reported without running again."""

import json

import numpy as np
import pytest

import fsops
from fsops import Collection, ExampleSet, FlowObject, Process, RunOutcome, operator
from fsops.engine.cache import ResultStore
from fsops.errors import OperatorFailed, StorageError
from fsops.operators import random_forest, retrieve, weight_by_sam
from fsops.runs.described import DescribedResult
from fsops.runs.saved import OUTCOME


class Strange(FlowObject):
    """Something that no store takes."""

    port_name = "strange"
    title = "Strange"

    def to_pandas(self):
        import pandas as pd

        return pd.DataFrame({"number": [1, 2]})


@operator(group="Test")
def strange(examples: ExampleSet) -> Strange:
    """Strange"""
    return Strange()


@operator(group="Test")
def strangers(examples: ExampleSet) -> Collection[FlowObject]:
    """Strangers"""
    return Collection([Strange(), examples])


@operator(group="Test")
def broken(examples: ExampleSet) -> ExampleSet:
    """Broken"""
    raise ValueError("no")


def process_of(*operators):
    process = Process("Saved")
    table = process.add(retrieve, repository_entry="iris")
    for function in operators:
        process.result(process.add(function, table))
    return process


def files_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture
def no_more_runs(monkeypatch):
    """Let no process run from now on."""

    def refuse(*args, **kwargs):
        pytest.fail("the process ran again")

    return lambda: monkeypatch.setattr("fsops.runs.run.carry_out", refuse)


def test_a_saved_run_gives_the_same_files_record_and_report(quickstart, tmp_path, no_more_runs):
    pytest.importorskip("jinja2")
    outcome = fsops.run(
        quickstart,
        set={"Select Top k.k": 40},
        seed=3,
        ports=tmp_path / "ports",
        out=tmp_path / "out",
        figures="svg",
        report=tmp_path / "page.html",
    )
    no_more_runs()
    loaded = RunOutcome.load(tmp_path / "ports")
    assert [a.equals(b) for a, b in zip(outcome, loaded, strict=True)] == [True, True]
    assert loaded.record() == outcome.record()
    assert loaded.timings == outcome.timings
    assert loaded.warnings == outcome.warnings
    assert loaded.findings == outcome.findings
    assert loaded.tables == outcome.tables
    loaded.report(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "page.html").read_bytes()
    loaded.write(tmp_path / "again", figures="svg")
    assert files_of(tmp_path / "again") == files_of(tmp_path / "out")


def test_files_that_are_written_later_are_in_the_record(small, tmp_path):
    outcome = fsops.run(small, ports=tmp_path / "ports")
    outcome.write(tmp_path / "out")
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert RunOutcome.load(tmp_path / "ports").record()["results"] == record["results"]


def test_a_process_from_python_is_saved_with_its_inputs(tmp_path, two_classes):
    process = Process("Given")
    process.result(process.add(weight_by_sam, process.source()))
    process.result(process.source("input 2"))
    outcome = fsops.run(process, two_classes, two_classes, ports=tmp_path / "ports")
    loaded = RunOutcome.load(tmp_path / "ports")
    assert loaded.process.name == "Given"
    assert loaded[0].equals(outcome[0])
    assert loaded[1].equals(two_classes)
    assert [table.name for table in loaded.tables] == ["input 1", "input 2"]


def test_a_model_that_cannot_be_stored_is_described(tmp_path):
    pytest.importorskip("jinja2")
    outcome = fsops.run(process_of(random_forest), ports=tmp_path / "ports")
    assert outcome.keys == [None]
    loaded = RunOutcome.load(tmp_path / "ports")
    assert isinstance(loaded[0], DescribedResult)
    outcome.report(tmp_path / "one.html")
    loaded.report(tmp_path / "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    outcome.write(tmp_path / "one")
    loaded.write(tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_items_of_a_collection_are_stored_one_by_one(tmp_path):
    outcome = fsops.run(process_of(strangers), ports=tmp_path / "ports")
    (collection,) = RunOutcome.load(tmp_path / "ports")
    assert isinstance(collection[0], DescribedResult)
    assert collection[1].equals(outcome[0][1])


def test_a_table_that_could_not_be_stored_is_not_written_by_half(tmp_path):
    fsops.run(process_of(strange), ports=tmp_path / "ports")
    loaded = RunOutcome.load(tmp_path / "ports")
    with pytest.raises(StorageError, match="could not be stored"):
        loaded.write(tmp_path / "out")


def test_a_run_that_failed_leaves_no_earlier_one(tmp_path):
    fsops.run(process_of(random_forest), ports=tmp_path)
    with pytest.raises(OperatorFailed):
        fsops.run(process_of(broken), ports=tmp_path)
    with pytest.raises(StorageError, match="There is no finished run in the folder"):
        RunOutcome.load(tmp_path)


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(StorageError, match="There is no folder"):
        RunOutcome.load(tmp_path / "none")
    with pytest.raises(StorageError, match="There is no finished run"):
        RunOutcome.load(tmp_path)


def test_a_result_that_was_removed_is_told(small, tmp_path):
    outcome = fsops.run(small, ports=tmp_path / "ports")
    key = outcome.keys[0]
    (tmp_path / "ports" / key[:2] / key).unlink()
    with pytest.raises(StorageError, match="no longer in the folder"):
        RunOutcome.load(tmp_path / "ports")


def test_what_a_stranger_has_written_runs_nothing(small, tmp_path):
    """The store refuses a file that names anything but plain values and objects of fsops."""
    fsops.run(small, ports=tmp_path / "ports")
    store = ResultStore(tmp_path / "ports")
    assert not store.put(OUTCOME, {"format": 1, "process": np.testing})
    file = tmp_path / "ports" / OUTCOME[:2] / OUTCOME
    file.write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises(StorageError, match="There is no finished run"):
        RunOutcome.load(tmp_path / "ports")
