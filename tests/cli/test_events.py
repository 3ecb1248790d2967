"""``--events``: a run for other programs."""

import io
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fsops.core.frame.events import (
    Failed,
    Finished,
    Logged,
    Paused,
    PortKept,
    Resumed,
)
from fsops.errors import DataError
from fsops.runs.jsonl import EventWriter

ROOT = Path(__file__).resolve().parents[2]
CV = ("CV",)


def parsed(text):
    return [json.loads(line) for line in text.splitlines()]


def named(events, name):
    return [event for event in events if event["event"] == name]


@pytest.fixture
def told():
    """Return a function that writes events and returns what a reader gets."""

    def tell(*events, error=None):
        stream = io.StringIO()
        writer = EventWriter(stream, close=False, warn=pytest.fail)
        for event in events:
            writer(event)
        writer.__exit__(type(error), error, None)
        return parsed(stream.getvalue())

    return tell


# --- a whole run ----------------------------------------------------------------------------


def test_a_run_is_told_from_begin_to_end(fsops, small, tmp_path):
    file = tmp_path / "events.jsonl"
    result = fsops("run", small, "--events", file, "--out", tmp_path / "out", "--seed", "5")
    assert "Weigh.weights" in result.stdout
    events = parsed(file.read_text())
    assert [e["event"] for e in events] == [
        "run_started", "started", "finished", "started", "finished", "result", "result",
        "run_ended",
    ]  # fmt: skip
    first, last = events[0], events[-1]
    assert (first["schema"], first["seed"], first["operators"]) == (1, 5, 2)
    assert first["process"] == "process"
    assert first["file"] == str(small)
    assert [e["path"] for e in named(events, "started")] == [["Read"], ["Weigh"]]
    assert named(events, "finished")[0]["seconds"] > 0
    weights, table = named(events, "result")
    assert (weights["name"], weights["kind"]) == ("Weigh.weights", "AttributeWeights")
    assert weights["files"] == [str(tmp_path / "out" / "weigh.weights.csv")]
    assert all(Path(name).exists() for name in weights["files"] + table["files"])
    assert (last["status"], last["exit_code"], last["seed"]) == ("finished", 0, 5)
    assert [e["time"] for e in events] == sorted(e["time"] for e in events)


def test_on_standard_output_nothing_stands_between_the_events(fsops, quickstart):
    result = fsops("run", quickstart, "--events", "-")
    events = parsed(result.stdout)
    assert "with seed 2001" in result.stderr
    assert named(events, "result")[0]["files"] == []
    folds = [e for e in named(events, "progress") if e["path"] == ["Cross Validation"]]
    assert (folds[0]["label"], folds[0]["done"], folds[0]["total"]) == ("Folds", 0, 10)
    assert folds[-1]["done"] == 10


def test_an_error_is_told_with_place_and_hint(fsops, quickstart):
    setting = "Cross Validation.number_of_folds=1000"
    result = fsops("run", quickstart, "--events", "-", "--set", setting)
    assert result.exit_code == 1
    *_, failed, ended = parsed(result.stdout)
    assert failed["event"] == "failed"
    assert failed["path"] == failed["origin"] == ["Cross Validation"]
    assert "1000 folds need" in failed["message"]
    assert failed["hint"] == "Set number_of_folds to at most 569."
    assert (ended["status"], ended["exit_code"]) == ("failed", 1)
    assert ended["message"] == failed["message"]


def test_a_process_that_cannot_be_read_ends_before_it_starts(fsops, tmp_path):
    result = fsops("run", tmp_path / "none.xml", "--events", "-")
    (ended,) = parsed(result.stdout)
    assert (ended["event"], ended["schema"], ended["status"]) == ("run_ended", 1, "failed")
    assert ended["exit_code"] == result.exit_code == 2
    assert "there is no such file" in ended["message"]


def test_events_and_a_document_cannot_share_standard_output(refused, small):
    said = refused(2, "run", small, "--events", "-", "--format", "json")
    assert "cannot both go to standard output" in said


def test_a_file_that_cannot_be_written_is_told_before_the_run(refused, small, tmp_path):
    said = refused(1, "run", small, "--events", tmp_path / "no" / "events")
    assert "for the events cannot be written: no such file or directory" in said
    assert "done in" not in said


# --- readers that go away -------------------------------------------------------------------


@pytest.mark.parametrize(("folds", "code"), [("3", 0), ("1000", 1)])
def test_a_reader_that_goes_away_does_not_change_how_the_run_ends(
    quickstart, tmp_path, folds, code
):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "fsops.cli", "run", quickstart, "--events", "-", "--out", out]
    command += ["--set", f"Cross Validation.number_of_folds={folds}"]
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(write)
    assert done.returncode == code, done.stderr
    assert "Broken" not in done.stderr
    assert (out / "run.json").exists() == (code == 0)


def test_a_named_pipe_may_be_closed_in_the_middle(fsops, quickstart, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = []

    def read_one():
        with open(pipe, encoding="utf-8") as stream:
            lines.append(stream.readline())

    reader = threading.Thread(target=read_one)
    reader.start()
    result = fsops("run", quickstart, "--events", pipe)
    reader.join()
    assert json.loads(lines[0])["event"] == "run_started"
    assert result.exit_code == 0
    assert "accuracy" in result.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_once_and_the_run_goes_on(fsops, small):
    result = fsops("run", small, "--events", "/dev/full")
    assert result.exit_code == 0
    assert result.stderr.count("Not all events could be written: no space left") == 1


# --- the page about it ----------------------------------------------------------------------


def test_the_page_names_every_event_and_field(fsops, quickstart, told):
    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.M))
    events = parsed(fsops("run", quickstart, "--events", "-").stdout)
    events += told(Failed(CV, DataError("x")), Logged(CV, "warning", "x"), Logged(CV, "x", 1))
    events += told(Paused(CV, "before"), Resumed(CV), PortKept(CV, "p", "K", "T", "s", None))
    events += told(error=DataError("x"))
    assert set(table) == {event["event"] for event in events}
    for event in events:
        missing = [
            f for f in event if f not in {"event", "time"} and f"`{f}`" not in table[event["event"]]
        ]
        assert missing == []


def test_the_example_on_the_page_is_as_written(told):
    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    shown = parsed(re.search(r"```json\n(.*?)```", page, re.S)[1])
    assert [e["event"] for e in (shown[0], shown[-1])] == ["run_started", "run_ended"]
    finished = told(Finished(CV, 1.0, 1))[0]
    assert all(list(e) == list(finished) for e in named(shown, "finished"))
