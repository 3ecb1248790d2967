"""Tables that a process starts with."""

import gc
import weakref

import numpy as np
import pytest

import fsops
from fsops import ExampleSet, Process
from fsops.engine import ports
from fsops.operators import loop, normalize, recall, remember, retrieve, subprocess
from fsops.report import summary
from fsops.runs import tables
from fsops.runs.tables import SourceTables, source_operators


def test_sources_are_operators_that_bring_tables_in():
    process = Process()
    table = process.add(retrieve, repository_entry="iris")
    process.add(normalize, table)
    process.add(remember, table, store_as="x")
    process.add(recall, recall_name="x")
    off = process.add(retrieve, name="Off", repository_entry="golf")
    off.enabled = False
    inside = process.add(subprocess)
    inside.inner().add(retrieve, name="Inside", repository_entry="wine")
    iterations = process.add(loop, table)
    iterations.inner().add(retrieve, name="Often", repository_entry="wine")
    assert [node.name for node in source_operators(process)] == ["Retrieve", "Inside"]


def test_a_report_knows_every_source(tmp_path):
    process = Process()
    inside = process.add(subprocess)
    inner = inside.inner()
    inner.result(inner.add(retrieve, name="Inside", repository_entry="golf"))
    process.result(inside)
    process.result(process.add(retrieve, repository_entry="iris"))
    found = {table.name: table.rows for table in fsops.run(process).tables}
    assert found == {"Inside": 14, "Retrieve": 150}


def test_small_tables_are_summarised_only_when_asked_for(monkeypatch):
    asked = []
    real = summary.summarize
    monkeypatch.setattr(summary, "summarize", lambda *a: asked.append(a[0]) or real(*a))
    process = Process()
    process.result(process.add(retrieve, repository_entry="golf"))
    outcome = fsops.run(process)
    assert asked == []
    assert len(outcome.tables) == len(outcome.tables) == 1
    assert asked == ["Retrieve"]


def test_large_tables_are_summarised_at_once_and_released(monkeypatch):
    monkeypatch.setattr(tables, "LARGE", 10)
    process = Process()
    process.add(retrieve, repository_entry="golf")
    noted = SourceTables(process, {})
    table = ExampleSet.from_numpy(np.zeros((10, 2)))
    alive = weakref.ref(table)
    noted(("Retrieve",), {"examples": table})
    del table
    gc.collect()
    assert alive() is None
    assert noted.summaries()[0].rows == 10


def test_a_large_table_in_the_folder_of_ports_is_summarised_when_it_is_asked_for(
    monkeypatch, tmp_path
):
    asked = []
    real = summary.summarize
    monkeypatch.setattr(summary, "summarize", lambda *a: asked.append(a[0]) or real(*a))
    for module in (tables, ports):
        monkeypatch.setattr(module, "LARGE", 10)
    process = Process()
    process.result(process.add(retrieve, repository_entry="golf"))
    outcome = fsops.run(process, ports=tmp_path)
    loaded = fsops.RunOutcome.load(tmp_path)
    assert asked == ["Retrieve"]
    assert outcome.tables == loaded.tables


@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_tables_are_found_whatever_runs_the_loops(quickstart, engine):
    (table,) = fsops.run(quickstart, engine=engine).tables
    assert (table.name, table.rows) == ("Retrieve", 569)
