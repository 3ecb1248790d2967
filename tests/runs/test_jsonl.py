"""Events of a run as JSON lines."""

import io
import json

import numpy as np
import pytest

from fsops.core.frame.events import Failed, Finished, Logged, Progressed, Started
from fsops.errors import Cancelled, DataError, StorageError, TimedOut
from fsops.runs.jsonl import EventWriter, NoEvents, open_events

CV = ("CV",)


@pytest.fixture
def written():
    """Return a function that writes events and returns what a reader gets."""

    def write(*events, error=None):
        stream = io.StringIO()
        writer = EventWriter(stream, close=False, warn=pytest.fail)
        for event in events:
            writer(event)
        writer.__exit__(type(error), error, None)
        return [json.loads(line) for line in stream.getvalue().splitlines()]

    return write


def test_every_kind_of_event(written):
    events = written(
        Started(CV),
        Progressed(CV, 0, None, ""),
        Finished(CV, 1.5, None),
        Failed(CV, DataError("Bad.", hint="Mend it.", path=("CV", "Training", "SAM"))),
        Logged(CV, "warning", "Odd."),
        Logged(CV, "loss", 0.5),
    )
    started, progress, finished, failed, warning, log, ended = events
    assert started["path"] == ["CV"]
    assert (progress["done"], progress["total"], progress["label"]) == (0, None, "")
    assert (finished["seconds"], finished["peak_memory"]) == (1.5, None)
    assert (failed["error"], failed["message"], failed["hint"]) == ("DataError", "Bad.", "Mend it.")
    assert failed["origin"] == ["CV", "Training", "SAM"]
    assert warning["message"] == "Odd."
    assert (log["name"], log["value"]) == ("loss", 0.5)
    assert ended["status"] == "finished"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None), (float("-inf"), "-Infinity"), (np.float32(0.5), 0.5),
        (np.int64(3), 3), ("ü", "ü"), (True, True), (np.arange(2), "[0 1]"),
    ],
)  # fmt: skip
def test_any_value_becomes_json(written, value, expected):
    assert written(Logged(CV, "x", value))[0]["value"] == expected


def test_names_cannot_break_a_line(written):
    path = ("a\nb\u2028c\x1b[1m", '"quoted"')
    assert written(Started(path))[0]["path"] == list(path)


def test_a_quick_loop_does_not_flood_the_reader(written):
    events = written(*(Progressed(CV, done, 5000, "Attributes") for done in range(5001)))
    done = [event["done"] for event in events[:-1]]
    assert len(done) < 100
    assert (done[0], done[-1]) == (0, 5000)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (None, "finished", 0), (BrokenPipeError(), "finished", 0), (DataError("x"), "failed", 1),
        (RuntimeError(), "failed", 1), (Cancelled("x"), "cancelled", 130),
        (KeyboardInterrupt(), "cancelled", 130), (TimedOut("x"), "cancelled", 124),
    ],
)  # fmt: skip
def test_the_end_has_the_exit_code_of_the_program(written, error, status, code):
    (ended,) = written(error=error)
    assert (ended["status"], ended["exit_code"]) == (status, code)


def test_without_a_target_nothing_is_written():
    assert type(open_events(None, pytest.fail)) is NoEvents


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(StorageError, match="is a directory"):
        open_events(str(tmp_path), pytest.fail)
