"""Runs in a child process: events, results, stopping."""

import json
import sys
import time

from PyQt6.QtCore import QTimer

from fsops_gui.event_reader import EventReader
from fsops_gui.panels.results import ResultsPanel
from fsops_gui.running import Run, RunReport


def event(name, **fields):
    return {"event": name, "time": "2026-11-16T05:33:05+00:00", **fields}


def test_a_report_collects_what_the_events_tell():
    report = RunReport()
    path = ["Cross Validation"]
    report.take(event("started", path=path))
    report.take(event("progress", path=path, label="Folds", done=3, total=10))
    assert report.operators["Cross Validation"].text == "▶ 3 of 10"
    report.take(event("warning", path=path, message="k is 40, but there are only 30."))
    report.take(event("finished", path=path, seconds=1.5, peak_memory=None))
    assert report.operators["Cross Validation"].text == "✓ 1.50 s"
    (line,) = report.log
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
    report = RunReport()
    path = ["Loop", "Body", "Weigh"]
    for seconds, memory, cached in ((1.0, 300, True), (0.5, None, False), (0.5, 200, True)):
        report.take(event("started", path=path))
        report.take(event("finished", path=path, seconds=seconds, peak_memory=memory, cached=cached))  # fmt: skip
    state = report.operators["Weigh"]
    assert (state.seconds, state.peak_memory, state.cached) == (2.0, 300, False)


def test_a_warning_of_every_turn_is_noted_once_and_counted_at_the_end():
    report = RunReport()
    for _ in range(30):
        report.take(event("warning", path=["CV", "Training", "Best"], message="Too few."))
    assert [line.text for line in report.log] == ["Too few."]
    report.settle()
    assert [line.text for line in report.log] == ["Too few.", "Too few. (said 30 times)"]


def test_progress_has_a_line_for_each_level(monkeypatch):
    now = 100.0
    monkeypatch.setattr("fsops_gui.run_report.time.monotonic", lambda: now)
    report = RunReport()
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


def test_a_process_runs_in_a_child_and_its_results_are_shown(chain, qtbot):
    run = Run(chain.process, figures=False)
    updates = []
    run.updated.connect(lambda: updates.append(1))
    with qtbot.waitSignal(run.ended, timeout=60_000):
        run.start()
    assert run.report.status == "finished", run.report.message
    assert run.report.operators["Weight by SAM"].state == "done"
    assert [result.kind for result in run.report.results] == ["AttributeWeights"]
    panel = ResultsPanel()
    qtbot.addWidget(panel)
    panel.show_report(run)
    assert panel.state.text().startswith("Finished")
    qtbot.waitUntil(lambda: panel.current_tab().view is not None)
    assert panel.current_tab().cells()[0][0] == "attribute"
    panel.mark_stale()
    assert "has changed since this run" in panel.state.text()
    run.close()
    assert not run.out.exists()


def test_a_failing_run_tells_where_and_why(chain, qtbot, window_of):
    chain.set_parameter("Retrieve", "repository_entry", "gulf")
    window = window_of(chain)
    window.running.run()
    with qtbot.waitSignal(window.session.run_ended, timeout=60_000):
        pass
    assert window.results.state.text().startswith("Failed")
    assert "gulf" in window.results.state.text()
    assert "gulf" in window.log_panel.toPlainText()


def test_a_run_stops_long_before_its_work_is_done(registry, qtbot):
    from fsops.core.graph.process import Process

    process = Process()
    table = process.add(registry["retrieve"], repository_entry="breast cancer")
    loop = process.add(registry["cross_validation"], table, number_of_folds=10)
    training, testing = loop.subprocesses
    forest = training.add(registry["random_forest"], training.source("training_set"), number_of_trees=2_000_000)  # fmt: skip
    training.result(forest, "model")
    applied = testing.add(registry["apply_model"], testing.source("model"), testing.source("test_set"))  # fmt: skip
    testing.result(testing.add(registry["performance"], applied), "performance")
    process.result(loop)
    run = Run(process, figures=False)
    run.start()
    qtbot.waitUntil(
        lambda: "Random Forest" in run.report.operators or not run.running, timeout=60_000
    )
    assert run.running, run.report.message
    with qtbot.waitSignal(run.ended):  # a forest takes much longer than this waits
        run.stop()
    assert run.report.status == "cancelled"
    assert all(state.state != "running" for state in run.report.operators.values())
    run.close()


def test_a_run_that_dies_is_told_apart(chain, qtbot):
    import os
    import signal

    run = Run(chain.process, figures=False)
    run.start()
    qtbot.waitUntil(lambda: bool(run._child.processId()), timeout=10_000)
    with qtbot.waitSignal(run.ended, timeout=20_000):
        os.kill(run._child.processId(), signal.SIGKILL)
    assert run.report.status == "crashed"
    assert run.report.message == "The run ended without a word."
    run.close()


def test_ten_thousand_events_are_few_updates(chain, qtbot):
    run = Run(chain.process, figures=False)
    updates = []
    run.updated.connect(lambda: updates.append(1))
    line = json.dumps(event("progress", path=["X"], label="", done=1, total=2)) + "\n"
    code = f"import sys; sys.stdout.write({line!r} * 10000)"
    with qtbot.waitSignal(run.ended, timeout=30_000):
        run._child.start(sys.executable, ["-c", code])
    assert 1 <= len(updates) < 100
    assert run.report.operators["X"].total == 2
    run.close()


def test_the_window_is_not_held_up_by_a_flood_of_events(qtbot):
    report = RunReport()
    reader = EventReader(report.take)
    # Not by the clock on the wall: other programs may keep the machine busy.
    gaps, last = [], [time.thread_time()]

    def beat():
        gaps.append(time.thread_time() - last[0])
        last[0] = time.thread_time()

    heart = QTimer()
    heart.timeout.connect(beat)
    heart.start(5)
    path = ["Validation", "Training", "Weigh"]
    pair = [event("started", path=path), event("finished", path=path, seconds=1e-3, peak_memory=1)]
    data = "".join(json.dumps(e) + "\n" for e in pair).encode() * 10_000
    with qtbot.waitSignal(reader.drained, timeout=30_000):
        for start in range(0, len(data), 65_536):
            reader.feed(data[start : start + 65_536])
        reader.finish()
    assert report.operators["Weigh"].seconds > 9.9
    assert len(gaps) > 3
    assert max(gaps) < 0.1


def test_a_reader_takes_bytes_cut_anywhere_and_passes_over_what_it_does_not_know(qtbot):
    taken = []
    reader = EventReader(taken.append)
    with qtbot.waitSignal(reader.drained):
        for part in (b'{"event": "a"}\n{"eve', b'nt": "b"}\nnot json\n[1]\n', b'{"event": "c"}'):
            reader.feed(part)
        reader.finish()
    assert [e["event"] for e in taken] == ["a", "b", "c"]
