"""Figures of a run's results as files."""

import hashlib
from types import SimpleNamespace

import numpy as np

from fsops.data import AttributeWeights, Collection
from fsops.plots import registry
from fsops.runs import figures
from fsops.runs.figures import write_figures

WEIGHTS = AttributeWeights(["a", "b"], [1, 2])
TIMINGS = {("Weigh",): SimpleNamespace(seconds=1.0, runs=1)}


def test_every_figure_is_a_file_with_its_digest(tmp_path):
    written = write_figures([WEIGHTS], ["Weigh.weights"], TIMINGS, tmp_path, "svg")
    assert [file.file for file in written.files] == ["weigh.weights.weights.svg", "run.runtime.svg"]
    first = written.files[0]
    data = (tmp_path / first.file).read_bytes()
    assert (first.result, first.bytes) == ("Weigh.weights", len(data))
    assert first.sha256 == hashlib.sha256(data).hexdigest()
    assert written.problems == []


def test_names_that_become_equal_are_told_apart(tmp_path):
    written = write_figures([WEIGHTS] * 2, ["A b", "a_b"], {}, tmp_path, "svg")
    assert [file.file for file in written.files] == ["a_b.weights.svg", "a_b_2.weights.svg"]


def test_a_collection_has_the_figures_that_compare(tmp_path):
    written = write_figures([Collection([WEIGHTS] * 3)], ["Loop.weights"], {}, tmp_path, "svg")
    assert {file.file.split(".")[2] for file in written.files} == {
        "selection_frequency", "similarity", "overlap_over_size",
    }  # fmt: skip


def test_a_figure_that_fails_does_not_hold_up_the_others(tmp_path, monkeypatch):
    def fail(result, ax):
        raise ValueError("too strange")

    broken = registry.FigureMaker("broken", "Broken", fail, lambda result: True)
    known = registry.figures_for
    monkeypatch.setattr(figures, "figures_for", lambda result: [broken, *known(result)])
    written = write_figures([WEIGHTS], ["W"], {}, tmp_path, "svg")
    assert [file.file for file in written.files] == ["w.weights.svg"]
    assert written.problems[0] == "W: no figure broken (ValueError: too strange)."


def test_unknown_values_can_be_written(tmp_path):
    unknown = AttributeWeights(["a", "b"], [np.nan, np.nan])
    assert write_figures([unknown], ["W"], {}, tmp_path, "svg").problems == []
