"""``fsops run --until``, ``--breakpoints`` and ``--ports``, as other programs use them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fsops.core.graph.process import Process
from fsops.engine.cache import ResultStore
from fsops.operators import cross_validation, naive_bayes, normalize, retrieve, weight_by_sam
from fsops.storage import write_process


@pytest.fixture
def file(tmp_path):
    """Return a process with breakpoints before Normalize and after Weight by SAM."""
    process = Process("Stops")
    scaled = process.add(normalize, process.add(retrieve, repository_entry="breast cancer"))
    scaled.breakpoints = frozenset({"before"})
    weights = process.add(weight_by_sam, scaled)
    weights.breakpoints = frozenset({"after"})
    process.result(weights)
    process.result(process.add(naive_bayes, scaled))
    path = tmp_path / "stops.xml"
    write_process(process, path)
    return path


def events_of(text):
    return [json.loads(line) for line in text.splitlines()]


def with_answers(file, answers, *options):
    """Return events, exit code and messages of a run that is given answers."""
    command = [sys.executable, "-m", "fsops", "run", str(file), "--breakpoints", "--events", "-"]
    done = subprocess.run(
        [*command, *options], input=answers, capture_output=True, text=True, timeout=60, check=False
    )
    return events_of(done.stdout), done.returncode, done.stderr


def names(events, kind):
    return [e["path"][-1] for e in events if e["event"] == kind]


def test_a_run_waits_at_its_breakpoints_and_goes_on_when_told(file):
    events, code, said = with_answers(file, "continue\nweiter\nstep\n\nSTOP\n")
    stops = [(e["path"][-1], e["moment"]) for e in events if e["event"] == "paused"]
    assert stops == [("Normalize", "before"), ("Weight by SAM", "after"), ("Naive Bayes", "before")]
    assert names(events, "resumed") == ["Normalize", "Weight by SAM"]
    assert code == 130
    assert events[-1]["status"] == "cancelled"
    assert 'Paused before "Normalize": continue, step or stop?' in said
    assert '"weiter" is not an answer. Write continue, step or stop.' in said


def test_closing_standard_input_means_stop(file):
    events, code, _ = with_answers(file, "continue\n", "--quiet")
    assert names(events, "paused") == ["Normalize", "Weight by SAM"]
    assert (code, events[-1]["status"]) == (130, "cancelled")


def test_without_the_option_breakpoints_are_passed_over(file, fsops):
    assert fsops("run", file, "--quiet").exit_code == 0


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_a_run_that_waits_soon(file):
    command = [sys.executable, "-m", "fsops", "run", str(file), "--breakpoints", "--events", "-"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command, "--quiet"], **pipes, text=True) as run:
        while "paused" not in run.stdout.readline():
            pass
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130


def test_ports_can_be_looked_at_after_the_run(file, fsops, tmp_path):
    done = fsops("run", file, "--ports", tmp_path / "ports", "--events", "-", "--quiet")
    events = events_of(done.stdout)
    told = {(e["path"][-1], e["port"]): e for e in events if e["event"] == "port"}
    store = ResultStore(tmp_path / "ports")
    table = store.get(told["Normalize", "examples"]["key"]).value
    assert told["Normalize", "examples"]["kind"] == "ExampleSet"
    assert table.n_rows == 569
    results = [e for e in events if e["event"] == "result"]
    assert [r["key"] for r in results][0] == told["Weight by SAM", "weights"]["key"]


def test_until_shows_the_outputs_of_that_operator(file, fsops, refused):
    done = fsops("run", file, "--until", "Normalize", "--format", "json", "--quiet")
    assert [r["name"] for r in json.loads(done.stdout)["results"]][0] == "Normalize.examples"
    said = refused(2, "run", file, "--until", "normalise")
    assert 'no operator "normalise"' in said
    assert 'Did you mean "Normalize"?' in said


def test_until_is_part_of_the_command_that_repeats_it(file, fsops, tmp_path):
    fsops("run", file, "--until", "Weight by SAM", "--out", tmp_path / "out", "--quiet")
    record = (tmp_path / "out" / "run.json").read_text()
    assert "--until 'Weight by SAM'" in record


def test_what_comes_from_the_store_is_told(tmp_path, fsops):
    process = Process()
    table = process.add(retrieve, repository_entry="breast cancer")
    loop = process.add(cross_validation, table, number_of_folds=3)
    training, testing = loop.subprocesses
    training.result(training.add(naive_bayes, training.source("training_set")), "model")
    from fsops.operators import apply_model, performance

    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(testing.add(performance, applied), "performance")
    process.result(loop)
    write_process(process, tmp_path / "cv.xml")
    found = []
    for _ in range(2):
        command = ("run", tmp_path / "cv.xml", "--cache", tmp_path / "cache", "--events", "-")
        events = events_of(fsops(*command, "--quiet").stdout)
        last = [e for e in events if e["event"] == "finished" and e["path"] == ["Cross Validation"]]
        found.append(last[0]["cached"])
    assert found == [False, True]


def test_a_folder_that_cannot_be_written_is_told_before_the_run(file, refused, tmp_path):
    (tmp_path / "taken").write_text("")
    said = refused(1, "run", file, "--ports", tmp_path / "taken")
    assert "Nothing can be written to the folder" in said
    assert "--ports" in said


def test_the_page_about_running_names_the_options():
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")
    assert all(option in page for option in ("--until", "--breakpoints", "--ports"))


def test_a_large_table_that_is_kept_is_not_written_twice(file, fsops, tmp_path, monkeypatch):
    monkeypatch.setattr("fsops.engine.ports.LARGE", 1000)
    options = ("--until", "Normalize", "--ports", tmp_path / "ports", "--out", tmp_path / "out")
    events = events_of(fsops("run", file, *options, "--events", "-", "--quiet").stdout)
    table = next(e for e in events if e["event"] == "result" and e["kind"] == "ExampleSet")
    assert table["files"] == []
    assert table["key"] is not None
    assert [f.suffix for f in (tmp_path / "out").iterdir() if "examples" in f.name] == []
