"""Events of one execution, collected."""

from fsops.core.frame.events import Finished, Logged
from fsops.core.frame.recording import Recorder, RunWarning, WarningCounter
from fsops.runs.execution import DeliveredResult, result_names

OUTER, INNER = ("CV",), ("CV", "Training", "SAM")


def test_warnings_are_counted():
    counter = WarningCounter()
    for path, name in ((OUTER, "warning"), (INNER, "warning"), (OUTER, "warning"), (OUTER, "loss")):
        counter(Logged(path, name, "odd"))
    assert counter.warnings() == [RunWarning(OUTER, "odd", 2), RunWarning(INNER, "odd", 1)]


def test_a_recorder_adds_up_times_and_passes_events_on():
    heard = []
    recorder = Recorder(heard.append)
    events = [Finished(INNER, 1.0, 300), Finished(INNER, 0.5, None), Logged(OUTER, "loss", 1.0)]
    for event in events:
        recorder(event)
    timing = recorder.timings[INNER]
    assert (timing.runs, timing.seconds, timing.peak_memory) == (2, 1.5, 300)
    assert recorder.messages == events[2:]
    assert heard == events


def test_results_of_the_same_port_get_different_names():
    delivered = [DeliveredResult((("A",), "x"), None), DeliveredResult((("A",), "x"), None)]
    assert result_names([*delivered, DeliveredResult(((), "input 1"), None)]) == [
        "A.x", "A.x (2)", "input 1",
    ]  # fmt: skip
