"""Runs in a child process: events, results, stopping."""

import json
import sys
import time

from PyQt6.QtCore import QTimer

from fsops.runs.watch import WatchedRun
from fsops_gui.panels.results import ResultsPanel
from fsops_gui.run.child_run import ChildRun
from fsops_gui.run.event_reader import EventReader


def event(name, **fields):
    return {"event": name, "time": "2026-11-16T05:33:05+00:00", **fields}


def test_a_process_runs_in_a_child_and_its_results_are_shown(chain, qtbot):
    run = ChildRun(chain.process, figures=False)
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
    window.runs.run()
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
    forest = training.add(registry["random_forest"], training.source("training_set"), number_of_trees=60_000)  # fmt: skip
    training.result(forest, "model")
    applied = testing.add(registry["apply_model"], testing.source("model"), testing.source("test_set"))  # fmt: skip
    testing.result(testing.add(registry["performance"], applied), "performance")
    process.result(loop)
    run = ChildRun(process, figures=False)
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

    run = ChildRun(chain.process, figures=False)
    run.start()
    qtbot.waitUntil(lambda: bool(run._child.processId()), timeout=10_000)
    with qtbot.waitSignal(run.ended, timeout=20_000):
        os.kill(run._child.processId(), signal.SIGKILL)
    assert run.report.status == "crashed"
    assert "signal 9 SIGKILL" in run.report.message
    assert "memory" in run.report.message
    run.close()


def test_ten_thousand_events_are_few_updates(chain, qtbot):
    run = ChildRun(chain.process, figures=False)
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
    report = WatchedRun()
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
