"""Where a process and its data come from."""

import hashlib

import pytest

import fsops
from fsops import Process, Run
from fsops.errors import ProcessFileError, UsageError
from fsops.operators import retrieve
from fsops.plugins import plugins
from fsops.runs.loading import open_process


def test_a_file_is_read_and_known_by_its_content(small):
    opened = open_process(str(small), plugins().registry)
    assert opened.file == small
    assert opened.process.folder == small.parent
    assert opened.sha256() == hashlib.sha256(small.read_bytes()).hexdigest()


def test_a_process_is_copied():
    process = Process("Mine")
    process.add(retrieve, repository_entry="golf")
    opened = open_process(process, plugins().registry)
    assert opened.process == process
    assert opened.process is not process
    assert opened.file is None
    assert opened.sha256() == open_process(process.clone(), plugins().registry).sha256()


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ProcessFileError, match="there is no such file"):
        Run(tmp_path / "none.xml")


def test_a_process_of_our_own_has_no_remarks(small):
    assert Run(small).remarks == []
    assert Run(Process()).remarks == []


def test_data_sets_are_found_by_name(monkeypatch, config, tmp_path):
    monkeypatch.setenv("FSOPS_DATA", "restored at the end")
    monkeypatch.delenv("FSOPS_DATA")
    assert fsops.dataset("golf").load().n_rows == 14
    assert "FSOPS_DATA" in fsops.dataset("colon").how_to_get()
    config(f'[data]\nfolder = "{tmp_path}/sets"')
    assert str(tmp_path / "sets") in fsops.dataset("colon").how_to_get()
    with pytest.raises(UsageError, match='no data called "gulf". Did you mean "golf"'):
        fsops.dataset("gulf")
