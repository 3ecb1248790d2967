"""A run that is followed by its events."""

from fsops.runs.watch import OperatorState, WatchedRun


def event(name, **fields):
    return {"event": name, "time": "2026-11-16T05:33:05+00:00", **fields}


def test_a_report_collects_what_the_events_tell():
    report = WatchedRun()
    path = ["Cross Validation"]
    report.take(event("started", path=path))
    report.take(event("progress", path=path, label="Folds", done=3, total=10))
    assert report.operators["Cross Validation"].text == "▶ 3 of 10"
    report.take(event("warning", path=path, message="k is 40, but there are only 30."))
    report.take(event("finished", path=path, seconds=1.5, peak_memory=None))
    assert report.operators["Cross Validation"].text == "✓ 1.50 s"
    line, step = report.log
    assert step.text == "Finished in 1.50 s."
    assert (line.kind, line.where) == ("warning", "Cross Validation")
    assert line.text == "k is 40, but there are only 30."
    report.take(event("an_event_of_the_future", path=path))
    report.take(event("run_ended", status="failed", seconds=2.0, message="No.", hint="Do.", origin=path))  # fmt: skip
    assert (report.status, report.message, report.origin) == (
        "failed",
        "No.",
        ("Cross Validation",),
    )


def test_times_add_up_and_of_memory_the_peak_counts():
    report = WatchedRun()
    path = ["Loop", "Body", "Weigh"]
    for seconds, memory, cached in ((1.0, 300, True), (0.5, None, False), (0.5, 200, True)):
        report.take(event("started", path=path))
        report.take(event("finished", path=path, seconds=seconds, peak_memory=memory, cached=cached))  # fmt: skip
    state = report.operators["Weigh"]
    assert (state.seconds, state.peak_memory, state.cached) == (2.0, 300, False)


def test_a_warning_of_every_iteration_is_noted_once_and_counted_at_the_end():
    report = WatchedRun()
    for _ in range(30):
        report.take(event("warning", path=["CV", "Training", "Best"], message="Too few."))
    assert [line.text for line in report.log] == ["Too few."]
    report.settle()
    assert [line.text for line in report.log] == ["Too few.", "Too few. (said 30 times)"]


def test_progress_has_a_line_for_each_level(monkeypatch):
    now = 100.0
    monkeypatch.setattr("fsops.runs.watch.time.monotonic", lambda: now)
    report = WatchedRun()
    outer, inner = ["Validation"], ["Validation", "Training", "Search"]
    report.take(event("started", path=outer))
    report.take(event("progress", path=outer, label="Folds", done=0, total=10))
    now = 110.0
    report.take(event("progress", path=outer, label="Folds", done=2, total=10))
    report.take(event("started", path=inner))
    report.take(event("progress", path=inner, label="Candidates", done=0, total=None))
    report.take(event("started", path=[*inner, "Inner", "Weigh"]))
    assert report.progress_lines() == [
        "Validation: Folds 2 of 10 (about 40 s left)",
        "Search: Candidates 0",
        "Weigh",
    ]
    report.take(event("failed", path=inner, origin=inner))
    assert report.progress_lines() == ["Validation: Folds 2 of 10 (about 40 s left)"]


def test_states_are_said_in_words():
    assert OperatorState().text == ""
    assert OperatorState("waiting").text == "… waiting"
    assert OperatorState("running").text == "▶ running"
    assert OperatorState("running", 3, 10).text == "▶ 3 of 10"
    assert OperatorState("paused").text == "❚❚ paused"
    assert OperatorState("failed").text == "✗ failed"
    assert OperatorState("done").text == "✓ done"
    assert OperatorState("done", seconds=0.123, peak_memory=312_000_000).text == "✓ 0.12 s · 312 MB"
    assert OperatorState("done", seconds=0.1, cached=True).text == "✓ cached · 0.10 s"
    assert OperatorState("done", seconds=0.1, stale=True).text == "≠ out of date · 0.10 s"
