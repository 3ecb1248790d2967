"""The panel of results and the history of runs, with runs in child processes."""

import gc
import time
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QDesktopServices, QGuiApplication
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog

from fsops import RunOutcome
from fsops.core.graph.process import Process
from fsops.data import AttributeWeights
from fsops.report.numbers import seconds_text
from fsops_gui.document.document import Document
from fsops_gui.panels.history import HistoryPanel, different_parameters
from fsops_gui.panels.results import ResultsPanel
from fsops_gui.run.child_run import ChildRun
from fsops_gui.run.history import RunHistory


def finished(process):
    run = ChildRun(process, figures=False)
    run.start()
    before = time.monotonic()
    while run.report.status == "running" and time.monotonic() - before < 60:
        QTest.qWait(20)
    assert run.report.status == "finished", run.report.message
    return run


def with_two_weightings(registry):
    """Return a process with two weightings as results."""
    process = Process("Two")
    table = process.add(registry["retrieve"], repository_entry="breast cancer")
    scaled = process.add(registry["normalize"], table)
    process.result(process.add(registry["weight_by_sam"], scaled))
    process.result(process.add(registry["weight_by_auc"], scaled))
    return process


@pytest.fixture
def two_weightings(registry):
    return Document(with_two_weightings(registry))


@pytest.fixture
def panel(qtbot):
    panel = ResultsPanel()
    qtbot.addWidget(panel)
    panel.resize(900, 600)
    panel.show()
    return panel


@pytest.fixture(scope="module")
def run(registry, qapp):
    run = finished(with_two_weightings(registry))
    yield run
    run.close()


def titles(panel):
    return [panel.tabs.tabText(index) for index in range(panel.tabs.count())]


def ready(panel, qtbot):
    qtbot.waitUntil(lambda: panel.current_tab().view is not None, timeout=10_000)
    return panel.current_tab().view


def test_without_a_run_the_panel_says_what_to_do(panel):
    assert panel.stack.currentWidget() is panel.empty
    assert "F5" in panel.empty.text()
    assert not any(button.isEnabled() for button in panel.buttons)


def test_results_are_tabs_named_by_operator_and_port(panel, run, qtbot):
    panel.show_report(run)
    assert titles(panel) == ["Weight by SAM · weights", "Weight by AUC · weights"]
    assert isinstance(ready(panel, qtbot).value, AttributeWeights)
    assert panel.state.text().startswith("Finished")


def test_a_clicked_port_gets_a_tab_once(panel, run, qtbot):
    panel.show_report(run)
    panel.show_port(run, "Normalize", "examples")
    assert titles(panel)[-1] == "Normalize · examples"
    assert len(ready(panel, qtbot).value) == 569
    panel.tabs.setCurrentIndex(0)
    panel.show_port(run, "Normalize", "examples")
    assert panel.tabs.count() == 3
    assert panel.current_tab().title == "Normalize · examples"
    with qtbot.waitSignal(panel.said) as said:
        panel.show_port(run, "Normalize", "nowhere")
    assert "nowhere" in said.args[0]
    assert panel.tabs.count() == 3


def test_pinned_tabs_stay_and_are_marked_when_the_process_runs_again(panel, run, qtbot):
    panel.show_report(run)
    ready(panel, qtbot)
    qtbot.mouseClick(panel.pin_button, Qt.MouseButton.LeftButton)
    panel.show_report(run)
    assert titles(panel) == [
        "Weight by SAM · weights (pinned, outdated)",
        "Weight by SAM · weights",
        "Weight by AUC · weights",
    ]
    assert panel.tabs.currentIndex() == 1


def test_tabs_are_closed_by_key(panel, run, qtbot):
    panel.show_report(run)
    ready(panel, qtbot)
    with qtbot.waitActive(panel):
        panel.activateWindow()
    for _ in range(2):
        panel.tabs.setFocus()
        qtbot.keyClick(panel.tabs, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert panel.tabs.count() == 0
    assert panel.stack.currentWidget() is panel.empty


def test_what_is_shown_is_copied_in_two_forms(panel, run, qtbot):
    panel.show_report(run)
    ready(panel, qtbot)
    panel.copy_menu.actions()[0].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("attribute,Weight by SAM")
    assert len(lines) == 31
    panel.copy_menu.actions()[1].trigger()
    assert QGuiApplication.clipboard().text().startswith("| attribute | Weight by SAM |")


def test_all_weights_of_a_run_are_compared(panel, run, qtbot):
    panel.show_report(run)
    ready(panel, qtbot)
    panel.compare_menu.aboutToShow.emit()
    actions = panel.compare_menu.actions()
    assert actions[0].text() == "All weights of this run"
    actions[0].trigger()
    qtbot.waitUntil(lambda: "Comparison (pinned)" in titles(panel))
    page = panel.current_tab().view
    qtbot.waitUntil(lambda: len(page.weightings.parts) == 2)
    assert page.weightings.titles == ["Weight by SAM", "Weight by AUC"]
    assert page.pairs_box.isVisible()
    page.change_menu.actions()[0].trigger()
    assert page.weightings.titles == ["Weight by AUC"]


def test_weights_are_added_to_the_comparison_by_their_button(panel, run, qtbot):
    panel.show_report(run)
    for index in (0, 1):
        panel.tabs.setCurrentIndex(index)
        page = ready(panel, qtbot).current_page()
        qtbot.mouseClick(page.compare_button, Qt.MouseButton.LeftButton)
    comparison = panel.current_tab().view
    assert comparison.weightings.titles == ["Weight by SAM", "Weight by AUC"]
    with qtbot.waitSignal(panel.said) as said:
        panel.add_to_comparison("again", comparison.weightings.parts[0][1])
    assert "already" in said.args[0]


def test_the_report_of_a_run_is_written_and_opened_without_running_again(
    panel, run, qtbot, monkeypatch, tmp_path
):
    pytest.importorskip("jinja2")
    opened, target = [], tmp_path / "mine.html"
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url) or True)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    panel.show_report(run)
    with qtbot.waitSignal(panel.writer.written, timeout=60_000):
        qtbot.mouseClick(panel.report_button, Qt.MouseButton.LeftButton)
    assert opened == [QUrl.fromLocalFile(str(target))]
    page = panel.writer.path.read_text(encoding="utf-8")
    assert "Weight by SAM" in page
    saved = RunOutcome.load(run.saved)
    assert saved.started in page  # the run that was made, not another one
    assert seconds_text(saved.seconds) in page
    panel.writer.close()


def test_a_run_without_its_values_has_no_report(panel, run, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "saved", tmp_path / "removed")
    panel.show_report(run)
    messages = []
    panel.said.connect(messages.append)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "r.html"), ""))
    panel.save_report(run)
    assert "Run it again" in messages[-1]


def test_a_result_that_was_not_kept_is_read_from_its_file(panel, run, qtbot, monkeypatch):
    monkeypatch.setattr(run, "result_value", lambda index: None)
    panel.show_report(run)
    assert ready(panel, qtbot).cells()[0][:2] == ["attribute", "weight"]


# --- in the window --------------------------------------------------------------------------


def test_an_edit_marks_the_results_it_concerns_and_undo_takes_the_mark_away(
    two_weightings, window_of, qtbot
):
    window = window_of(two_weightings)
    with qtbot.waitSignal(window.session.run_ended, timeout=60_000):
        window.runs.run()
    panel = window.results
    assert titles(panel) == ["Weight by SAM · weights", "Weight by AUC · weights"]
    two_weightings.set_parameter("Weight by SAM", "s0", 0.5)
    assert titles(panel) == ["Weight by SAM · weights (outdated)", "Weight by AUC · weights"]
    two_weightings.undo_stack.undo()
    assert titles(panel) == ["Weight by SAM · weights", "Weight by AUC · weights"]


# --- history --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def history(registry, qapp):
    """Return two runs of the quickstart that differ in one parameter."""
    document = Document.open(Path(__file__).parents[4] / "processes" / "quickstart.xml")
    history = RunHistory()
    history.add(finished(document.process))
    document.set_parameter("Cross Validation", "number_of_folds", 3)
    history.add(finished(document.process))
    yield history
    history.close()


@pytest.fixture
def runs(history, qtbot):
    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.resize(1000, 600)
    panel.show()
    panel.set_history(history)
    qtbot.waitUntil(lambda: "accuracy" in panel.list.item(1, 5).text(), timeout=10_000)
    return panel


def row(panel, number):
    return [panel.list.item(number, column).text() for column in range(6)]


def test_the_newest_run_stands_first_with_its_changes_and_its_result(runs, history):
    assert [row(runs, n)[0] for n in range(2)] == ["2", "1"]
    assert row(runs, 0)[2] == "Finished"
    assert row(runs, 0)[4] == "; ".join(history[1].changes)
    assert "number_of_folds" in row(runs, 0)[4]
    assert row(runs, 0)[5].startswith("accuracy: ")
    assert row(runs, 0)[5] != row(runs, 1)[5]


def test_in_a_small_window_no_button_and_no_column_of_the_runs_is_cut(runs):
    runs.resize(520, 110)
    QGuiApplication.processEvents()
    assert len({button.y() for button in runs.buttons}) == 1
    assert all(runs.list.columnWidth(column) > 100 for column in (4, 5))
    assert runs.list.horizontalHeader().length() <= runs.list.viewport().width()


def test_two_runs_are_compared(runs, panel, qtbot):
    runs.list.setFocus()
    qtbot.keyClick(runs.list, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(runs.compared) as made:
        qtbot.mouseClick(runs.compare_button, Qt.MouseButton.LeftButton)
    title, page = made.args
    panel.show_page(title, page)
    assert titles(panel) == ["Runs 1, 2 (pinned)"]
    pages = [page.tabs.widget(index) for index in range(page.tabs.count())]
    assert [list(line) for line in pages[0].cells()] == [
        ["operator", "parameter", "Run 1", "Run 2"],
        ["Cross Validation", "number_of_folds", "10", "3"],
    ]
    performances = pages[1].cells()
    assert performances[0] == ["criterion", "Run 1", "Run 2"]
    assert performances[1][0] == "accuracy"
    assert pages[2].weightings.titles == ["Run 1", "Run 2"]
    panel.copy_menu.actions()[1].trigger()
    assert "| Cross Validation | number_of_folds | 10 | 3 |" in QGuiApplication.clipboard().text()


def test_an_earlier_process_is_brought_back_and_its_results_are_shown(runs, history, qtbot):
    runs.list.selectRow(1)
    with qtbot.waitSignal(runs.process_wanted) as wanted:
        qtbot.mouseClick(runs.back_button, Qt.MouseButton.LeftButton)
    assert wanted.args[0] is history[0].process
    with qtbot.waitSignal(runs.results_wanted) as shown:
        qtbot.mouseClick(runs.results_button, Qt.MouseButton.LeftButton)
    assert shown.args[0] is history[0]


def test_in_the_window_a_process_comes_back_as_a_step(two_weightings, window_of, qtbot):
    window = window_of(two_weightings)
    with qtbot.waitSignal(window.session.run_ended, timeout=60_000):
        window.runs.run()
    document = window.session.document
    document.set_parameter("Weight by SAM", "s0", 0.5)
    panel = window.history_panel
    window.docks["history"].show()
    window.docks["history"].raise_()
    panel.list.selectRow(0)
    qtbot.mouseClick(panel.back_button, Qt.MouseButton.LeftButton)
    assert "s0" not in document.process.find("Weight by SAM").parameters
    document.undo_stack.undo()
    assert document.process.find("Weight by SAM").parameters["s0"] == 0.5


def test_added_operators_and_switched_ones_are_told(chain, registry):
    before = chain.process
    chain.edit("Add", lambda process: process.add(registry["weight_by_auc"]))
    chain.set_enabled(["Normalize"], False)
    table = different_parameters([("one", before), ("two", chain.process)])
    rows = [
        tuple(table.column(name)[number] for name in table.names) for number in range(len(table))
    ]
    assert rows == [
        ("Normalize", "(enabled)", "on", "off"),
        ("Weight by AUC", "(operator)", "–", "there"),
    ]


def test_results_of_another_process_are_called_outdated(two_weightings, window_of, qtbot):
    window = window_of(two_weightings)
    with qtbot.waitSignal(window.session.run_ended, timeout=60_000):
        window.runs.run()
    window.history_panel.list.selectRow(0)
    window.history_panel.results_button.click()
    assert titles(window.results)[0] == "Weight by SAM · weights"
    window.session.document.set_parameter("Normalize", "method", "range_transformation")
    window.results.clear()
    window.history_panel.results_button.click()
    assert titles(window.results)[0] == "Weight by SAM · weights (outdated)"


def test_in_the_window_the_keys_to_copy_belong_to_the_table_with_the_focus(
    two_weightings, window_of, qtbot
):
    window = window_of(two_weightings)
    with qtbot.waitSignal(window.session.run_ended, timeout=60_000):
        window.runs.run()
    view = ready(window.results, qtbot).current_page().view
    view.setFocus()
    for key in (Qt.Key.Key_A, Qt.Key.Key_C):
        qtbot.keyClick(view, key, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("attribute,Weight by SAM")


def test_results_of_earlier_runs_are_let_go(panel, run, qtbot):
    gone = []
    for _iteration in range(5):
        panel.show_report(run)
        gone.append(weakref.ref(ready(panel, qtbot).value))
    panel.clear()
    assert len(gone) >= 5

    def nothing_is_held():
        gc.collect()
        assert not [held for held in gone if held() is not None]

    # Threads that read a result may need a moment on a busy machine.
    qtbot.waitUntil(nothing_is_held, timeout=10_000)


def test_what_is_read_of_another_process_meanwhile_is_not_shown(history, registry, qtbot):
    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.set_history(history)  # its results are being read
    other = RunHistory()
    other.add(finished(with_two_weightings(registry)))
    panel.set_history(other)
    qtbot.waitUntil(lambda: panel.list.item(0, 5).text() not in ("", "…"), timeout=10_000)
    assert panel.list.item(0, 5).text().startswith("best:")
    other.close()


def test_a_result_that_cannot_be_kept_is_named_without_false_hope(panel, run, qtbot, monkeypatch):
    at, known = next(iter(run.report.ports.items()))
    monkeypatch.setitem(run.report.ports, at, replace(known, key=None))
    panel.show_port(run, *at)
    text = ready(panel, qtbot).field.toPlainText()
    assert known.summary in text
    assert "cannot be stored" in text
    assert "again" not in text
