"""Running parts, pausing, going on, running again: with real runs in child processes."""

import os
import shlex
import sys
import time

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication

from fsops.core.checks.problems import Connect, QuickFix
from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK, Connection
from fsops.runs.watch import OperatorState
from fsops_gui.dialogs import questions
from fsops_gui.run.child_run import ChildRun
from fsops_gui.run.history import KEPT, RunHistory

LONG = 60_000


def until_end(window, qtbot, act):
    with qtbot.waitSignal(window.session.run_ended, timeout=LONG):
        act()
    return window.session.run


def select(window, name):
    window.session.editor.scene.select([name])


def test_run_to_here_then_all_and_only_what_changed_again(chain, window_of, qtbot):
    window = window_of(chain)
    select(window, "Normalize")
    until_end(window, qtbot, lambda: qtbot.keyClick(window, Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier))  # fmt: skip
    report = window.session.run.report
    assert report.status == "finished", report.message
    assert report.ran == {"Retrieve", "Normalize"}
    assert [r.name for r in report.results][0] == "Normalize.examples"
    assert "Weight by SAM" not in report.operators

    run = until_end(window, qtbot, window.runs.run)
    assert run.report.operators["Weight by SAM"].state == "done"
    assert run.value("Normalize", "examples").n_rows == 569
    assert run.result_value(0).equals(run.value("Weight by SAM", "weights"))
    assert run.report.ports["Retrieve", "examples"].summary.startswith("569 rows, 30 attributes")

    # A part again: what comes after keeps what it had, marked as out of date.
    chain.set_parameter("Normalize", "method", "range transformation")
    select(window, "Normalize")
    run = until_end(window, qtbot, window.runs.run_to_here)
    states = run.report.operators
    assert not states["Normalize"].stale
    assert states["Weight by SAM"].stale
    assert states["Weight by SAM"].state == "done"
    assert run.value("Weight by SAM", "weights") is not None
    assert [entry.changes for entry in window.session.history] == [
        [], [], ["method of Normalize: Z-transformation → range transformation"]
    ]  # fmt: skip


def test_what_takes_time_is_not_done_twice_and_what_was_inside_can_still_be_seen(
    quickstart, window_of, qtbot
):
    window = window_of(quickstart)
    first = until_end(window, qtbot, window.runs.run)
    assert not first.report.operators["Cross Validation"].cached
    again = until_end(window, qtbot, window.runs.run)
    assert again.report.operators["Cross Validation"].cached
    assert again.result_value(0).equals(first.result_value(0))
    inside = again.value("Select by Weights", "examples")
    assert inside.equals(first.value("Select by Weights", "examples"))
    seen = []
    again.load("Naive Bayes", "model", seen.append)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen[0].title == "Prediction model"

    again = until_end(window, qtbot, window.runs.run_again)
    assert not again.report.operators["Cross Validation"].cached


def test_results_are_marked_when_the_process_changes_and_no_longer_when_it_changes_back(
    quickstart, window_of, qtbot
):
    window = window_of(quickstart)
    session = window.session
    until_end(window, qtbot, window.runs.run)
    quickstart.rename("Select Top k", "Best")
    assert not session.is_stale
    assert session.run.report.operators["Best"].state == "done"
    assert session.run.value("Best", "weights") is not None
    quickstart.set_parameter("Best", "k", 5)
    stale = {name for name, state in session.run.report.operators.items() if state.stale}
    assert {"Best", "Cross Validation"} <= stale
    assert not {"Retrieve", "Weight by SAM"} & stale
    scene = session.editor.scene
    assert scene.item_of("Cross Validation").run.stale
    quickstart.undo_stack.undo()
    assert not session.is_stale
    quickstart.undo_stack.undo()
    assert session.run.report.operators["Select Top k"].state == "done"
    assert not session.is_stale


@pytest.fixture
def stops(chain):
    chain.set_breakpoint(["Normalize"], "after", True)
    return chain


def test_a_run_pauses_shows_values_goes_on_and_stops(stops, window_of, qtbot, alive_in_session):
    window = window_of(stops)
    actions = window.actions_table.by_name
    with qtbot.waitSignal(window.session.run_paused, timeout=LONG):
        window.runs.run()
    run = window.session.run
    assert run.is_paused
    assert run.report.operators["Normalize"].state == "paused"
    assert (actions["run"].text(), actions["run"].isEnabled()) == ("Continue", True)
    assert actions["step"].isEnabled()
    assert not actions["run_to_here"].isEnabled()
    assert "Paused after Normalize" in window.statusBar().currentMessage()
    assert run.value("Normalize", "examples").n_rows == 569
    with qtbot.waitSignal(window.session.run_paused, timeout=LONG):
        qtbot.keyClick(window, Qt.Key.Key_F10)
    assert run.report.paused_at == ("Weight by SAM", "before")
    until_end(window, qtbot, lambda: qtbot.keyClick(window, Qt.Key.Key_F5))
    assert run.report.status == "finished"
    assert actions["run"].text() == "Run"
    assert not actions["step"].isEnabled()

    with qtbot.waitSignal(window.session.run_paused, timeout=LONG):
        window.runs.run()
    pid = window.session.run._child.processId()
    until_end(window, qtbot, window.runs.stop)
    assert window.session.run.report.status == "cancelled"
    assert sys.platform != "linux" or alive_in_session(pid) == []


def test_a_breakpoint_removed_at_a_pause_does_not_stop_the_next_iterations(
    quickstart, window_of, qtbot
):
    quickstart.set_breakpoint(["Select Top k"], "after", True)
    window = window_of(quickstart)
    with qtbot.waitSignal(window.session.run_paused, timeout=LONG):
        window.runs.run()
    with qtbot.waitSignal(window.session.run_paused, timeout=LONG):
        window.runs.run()  # it is there in the next turn, too
    assert window.session.run.report.paused_at == ("Select Top k", "after")
    with qtbot.waitSignal(window.session.run_paused, timeout=LONG):
        window.runs.step()
    window.actions_table.by_name["clear_breakpoints"].trigger()
    until_end(window, qtbot, window.runs.run)
    assert window.session.run.report.status == "finished"


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("end", ["stop", pytest.param("close", marks=pytest.mark.slow)])
def test_stopping_deep_in_a_parallel_loop_leaves_nobody_behind(
    end, registry, qtbot, tmp_path, monkeypatch, alive_in_session
):
    config = tmp_path / "config.toml"
    config.write_text('[engine]\nname = "processes"\njobs = 2\n')
    monkeypatch.setenv("FSOPS_CONFIG", str(config))
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="breast cancer")
    loop = process.add(registry["loop"], table, iterations=100)
    inner = loop.inner()
    deeper = inner.add(registry["loop"], inner.source("input 1"), iterations=100)
    body = deeper.inner()
    forest = body.add(registry["random_forest"], body.source("input 1"), number_of_trees=60_000)
    body.result(forest["weights"], "output 1")
    inner.result(deeper, "output 1")
    process.result(loop)
    run = ChildRun(process)
    run.start()
    pid = run._child.processId()
    loop_state = run.report.operators
    qtbot.waitUntil(lambda: loop_state.get("Loop", OperatorState()).total == 100, timeout=LONG)
    qtbot.waitUntil(lambda: len(alive_in_session(pid)) > 2, timeout=LONG)
    qtbot.wait(1500)  # the workers are busy by now
    began = time.monotonic()
    if end == "stop":
        with qtbot.waitSignal(run.ended, timeout=LONG):
            run.stop()
        assert run.report.status == "cancelled"
    run.close()
    assert time.monotonic() - began < 60  # a forest takes much longer
    qtbot.waitUntil(lambda: alive_in_session(pid) == [], timeout=10_000)


def test_the_command_does_the_same_without_a_window(
    quickstart, window_of, qtbot, tmp_path, monkeypatch
):
    config = tmp_path / "config.toml"
    config.write_text('[engine]\nname = "threads"\njobs = 2\n')
    monkeypatch.setenv("FSOPS_CONFIG", str(config))
    folder = tmp_path / "my files"
    folder.mkdir()
    quickstart.path = None
    window = window_of(quickstart)
    select(window, "Retrieve")
    until_end(window, qtbot, window.runs.run_to_here)
    monkeypatch.setattr(window.files, "save", lambda: quickstart.save(folder / "a b.xml"))
    window.runs.copy_command()
    command = QGuiApplication.clipboard().text()
    assert f"'{folder}/a b.xml'" in command
    assert shlex.split(command)[3:] == [
        "--until", "Retrieve", "--seed", "2001", "--resume", "--engine", "threads", "--jobs", "2"
    ]  # fmt: skip
    quickstart.set_parameter("Select Top k", "k", 3)
    answers = iter([questions.CANCEL, questions.SAVE])
    monkeypatch.setattr(questions, "ask_save", lambda *_: next(answers))
    window.runs.copy_command()
    assert "Save the process first" in window.statusBar().currentMessage()
    assert quickstart.modified
    window.runs.copy_command()
    assert not quickstart.modified


def test_another_seed_each_time_is_drawn_by_runs_not_by_looks(chain, window_of, qtbot):
    def other(process):
        process.seed = -1

    chain.edit("seed", other)
    window = window_of(chain)
    first = until_end(window, qtbot, window.runs.run).report.seed
    select(window, "Normalize")
    assert until_end(window, qtbot, window.runs.run_to_here).report.seed == first
    assert until_end(window, qtbot, window.runs.run).report.seed != first


def test_a_line_of_the_log_leads_to_its_operator(quickstart, window_of, qtbot):
    quickstart.rename("Select Top k", "Die besten (Überblick)")
    quickstart.set_parameter("Die besten (Überblick)", "k", 40)
    window = window_of(quickstart)
    until_end(window, qtbot, window.runs.run)
    said = window.log_panel.toPlainText()
    assert "Warning Cross Validation › Training › Die besten (Überblick): k is 40" in said
    with qtbot.waitSignal(window.log_panel.spot_wanted) as spot:
        window.docks["log"].raise_()
        window.session.log_page.field.setText("warning")
        window.log_panel.setFocus()
        qtbot.keyClick(window.log_panel, Qt.Key.Key_Tab)
        qtbot.keyClick(window.log_panel, Qt.Key.Key_Return)
    assert spot.args == ["Die besten (Überblick)"]
    assert window.session.editor.scene.selected_names() == ["Die besten (Überblick)"]


def test_the_history_keeps_the_last_runs_and_their_folders(chain):
    history = RunHistory()
    runs = [ChildRun(chain.process) for _ in range(KEPT + 2)]
    folders = [run.out.parent for run in runs]
    for run in runs:
        history.add(run)
    assert [entry.number for entry in history] == list(range(3, KEPT + 3))
    assert [folder.exists() for folder in folders] == [False, False] + [True] * KEPT
    history.close()
    assert not any(folder.exists() for folder in folders)
    assert len(history) == 0


def test_values_of_old_runs_go_when_they_take_too_much_room(chain, monkeypatch):
    monkeypatch.setattr("fsops_gui.run.history.LARGEST", 250)
    history = RunHistory()
    runs = [ChildRun(chain.process) for _ in range(5)]
    for run in runs:
        folder = run.out.parent / "ports"
        folder.mkdir()
        (folder / "value").write_bytes(b"x" * 100)
        history.add(run)
    assert [run.size() for run in runs] == [0, 0, 100, 100, 100]
    assert len(history) == 5
    history.close()


def test_nothing_of_a_port_is_told_with_the_reason(quickstart, window_of, qtbot, monkeypatch):
    window = window_of(quickstart)
    assert "Run the process" in window.session.why_no_value("Retrieve", "examples")
    run = ChildRun(quickstart.process)
    window.session.run = run
    run.report.operators["Cross Validation"] = OperatorState("done", cached=True)
    said = window.session.why_no_value("Naive Bayes", "model")
    assert said.startswith("Cross Validation was taken from earlier results")
    assert window.session.why_no_value("Retrieve", "examples") == "Retrieve did not run."
    run.close()
    assert os.environ["FSOPS_CACHE"]


def test_a_fix_for_what_is_no_longer_there_is_refused_in_words(chain, window_of):
    window = window_of(chain)
    gone = Connection("Weight by SAM (9)", "weights", SINK, "result 4")
    said = []
    window.session.said.connect(said.append)
    before = chain.process
    window.session.apply(QuickFix("Connect", (Connect((), gone),)))
    assert len(said) == 1
    assert chain.process is before
