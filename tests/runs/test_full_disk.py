"""A disk that fills while files are written: results first, and ``run.json`` always."""

import json

import pytest

import fsops.runs.figures
import fsops.storage.results
from fsops import run
from fsops.errors import StorageError
from fsops.storage import parse_process

PROCESS = b"""<process version="fsops-1"><operator class="process" name="Full"><process>
<operator class="generate_data" name="Data"/>
<operator class="weight_by_correlation" name="Weights"/>
<connect from_op="Data" from_port="examples" to_op="Weights" to_port="examples"/>
<connect from_op="Weights" from_port="weights" to_port="result 1"/>
</process></operator></process>
"""


def refuse(*given, **options):
    raise StorageError("The file cannot be written: the disk is full.")


@pytest.fixture
def outcome():
    return run(parse_process(PROCESS))


def record(folder):
    return json.loads((folder / "run.json").read_text())


def test_figures_that_do_not_fit_cost_neither_results_nor_record(outcome, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(fsops.runs.figures, "write_bytes", refuse)
    with pytest.raises(StorageError, match="the disk is full"):
        outcome.write(tmp_path, figures="svg")
    assert (tmp_path / "weights.weights.csv").exists()
    assert [file["file"] for file in record(tmp_path)["results"]] == ["weights.weights.csv"]
    assert "the disk is full" in record(tmp_path)["message"]


def test_the_record_is_written_also_without_results(outcome, tmp_path, monkeypatch):
    monkeypatch.setattr(fsops.storage.results, "write_results", refuse)
    with pytest.raises(StorageError, match="the disk is full"):
        outcome.write(tmp_path)
    assert record(tmp_path)["results"] == []
    assert "the disk is full" in record(tmp_path)["message"]
