"""Runs in a child process: events, results, stopping."""

import json
import time

import pytest

from fsops_gui.panels.results import ResultsPanel, TableView, result_text
from fsops_gui.running import Run, RunReport
from fsops_gui.tables import FrameModel


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
    assert report.log == [("Cross Validation", "k is 40, but there are only 30.")]
    report.take(event("an_event_of_the_future", path=path))
    report.take(event("run_ended", status="failed", seconds=2.0, message="No.", hint="Do.", origin=path))  # fmt: skip
    assert (report.status, report.message, report.origin) == (
        "failed",
        "No.",
        ("Cross Validation",),
    )


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
    panel.show_report(run.report)
    assert panel.state.text().startswith("Finished")
    table = panel.findChild(TableView)
    assert table.table_model.rowCount() > 0
    assert table.as_csv().startswith("attribute,weight")
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


def test_a_run_stops_within_a_second(registry, qtbot):
    from fsops.core.process import Process

    process = Process()
    table = process.add(registry["retrieve"], repository_entry="breast cancer")
    loop = process.add(registry["cross_validation"], table, number_of_folds=10)
    training, testing = loop.subprocesses
    forest = training.add(registry["random_forest"], training.source("training_set"), number_of_trees=2000)  # fmt: skip
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
    before = time.monotonic()
    with qtbot.waitSignal(run.ended, timeout=10_000):
        run.stop()
    assert time.monotonic() - before < 1.5
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
    import sys

    with qtbot.waitSignal(run.ended, timeout=30_000):
        run._child.start(sys.executable, ["-c", code])
    assert 1 <= len(updates) < 100
    assert run.report.operators["X"].total == 2
    run.close()


def test_performance_is_told_in_words():
    criteria = [{"name": "accuracy", "mean": 0.92622, "deviation": 0.0283, "count": 10}]
    assert result_text({"criteria": criteria}) == "accuracy: 0.9262 ± 0.0283  (10 values)"


@pytest.mark.parametrize("shape", [(100, 200_000), (1_000_000, 50)])
def test_large_tables_open_at_once(qtbot, shape):
    import numpy as np
    import pandas as pd
    from PyQt6.QtWidgets import QTableView

    frame = pd.DataFrame(np.zeros(shape, dtype="f4"))
    view = QTableView()
    qtbot.addWidget(view)
    view.setModel(FrameModel(frame))
    view.show()
    last = view.model().index(shape[0] - 1, shape[1] - 1)
    view.scrollTo(last)
    assert view.model().data(last) == "0"


def test_sorting_changes_the_order_not_the_table():
    import pandas as pd
    from PyQt6.QtCore import Qt

    frame = pd.DataFrame({"name": ["a", "b", "c"], "weight": [2.0, None, 3.0]})
    model = FrameModel(frame)
    model.sort(1, Qt.SortOrder.DescendingOrder)
    assert [model.data(model.index(row, 0)) for row in range(3)] == ["c", "a", "b"]
    assert model.data(model.index(2, 1)) == "?"
    assert model.headerData(0, Qt.Orientation.Vertical) == "3"
    assert list(frame["name"]) == ["a", "b", "c"]
