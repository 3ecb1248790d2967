"""The last result of an operator or a port appears below the canvas."""

import pytest
from PyQt6.QtCore import Qt

from fsops.core.graph.process import Process
from fsops_gui.document.document import Document
from fsops_gui.panels.results.views import ResultView


@pytest.fixture
def ran(window, qtbot):
    """Return a window whose process has run."""
    with qtbot.waitSignal(window.session.run_ended):
        window.runs.run()
    window.views.show_process()
    return window


def shown(window, qtbot, operator, port):
    """Return the view of a result as soon as it is shown."""
    dock = window.result_dock
    qtbot.waitUntil(
        lambda: (
            (dock.operator, dock.port) == (operator, port)
            and dock.tab is not None
            and isinstance(dock.tab.view, ResultView)
        )
    )
    return dock.tab.view


def test_before_a_run_it_says_what_to_do(window):
    dock = window.result_dock
    window.session.editor.scene.select(["Normalize"])
    assert dock.stack.currentWidget() is dock.empty
    assert "Run the process to see its results" in dock.empty.text()
    assert dock.empty.button.isVisibleTo(dock.empty)


def test_results_plots_and_counts_follow_a_click(ran, qtbot, hand):
    scene, dock = ran.session.editor.scene, ran.result_dock
    # A selected operator, then another: the dock follows.
    scene.select(["Weight by SAM"])
    view = shown(ran, qtbot, "Weight by SAM", "weights")
    assert view.count() > 1
    assert "Weight by SAM · weights" in dock.title.text()
    assert "current" in dock.state.text()
    scene.select(["Normalize"])
    shown(ran, qtbot, "Normalize", "examples")
    # A click on a port: its result, and the canvas stays where it is.
    hand.click(ran, hand.port(ran, "Retrieve", "examples", True))
    shown(ran, qtbot, "Retrieve", "examples")
    assert ran.pages.currentWidget() is ran.session.editor
    # Cards and wires have them, too.
    qtbot.waitUntil(lambda: scene.item_of("Weight by SAM").plot_box() is not None)
    assert len(scene.item_of("Weight by SAM").preview.bars) == 5
    counts = {w.from_node: i.count for w, i in scene.frames[0].wires.items()}
    assert counts == {
        "Retrieve": "569 × 30",
        "Normalize": "569 × 30",
        "Weight by SAM": "30 weights",
    }
    # A change makes them stale, visibly; the page of its own still opens.
    ran.session.document.set_parameter("Normalize", "method", "range transformation")
    scene.select(["Normalize"])
    qtbot.waitUntil(lambda: "out of date" in dock.state.text())
    assert scene.item_of("Weight by SAM").run.stale
    assert {i.state for i in scene.frames[0].wires.values()} == {"done", "stale"}
    qtbot.mouseClick(dock.pin, Qt.MouseButton.LeftButton)
    assert ran.pages.currentWidget() is ran.results


def test_a_stopped_run_keeps_the_results_of_the_run_before(ran, qtbot):
    titles = [ran.results.tabs.tabText(i) for i in range(ran.results.tabs.count())]
    assert titles
    with qtbot.waitSignal(ran.session.run_ended):
        ran.runs.run_again()
        ran.session.run.stop()
    assert ran.session.run.report.status == "cancelled"
    assert [ran.results.tabs.tabText(i) for i in range(ran.results.tabs.count())] == titles
    assert "results of the previous run" in ran.results.state.text()
    ran.session.editor.scene.select(["Weight by SAM"])
    shown(ran, qtbot, "Weight by SAM", "weights")


@pytest.fixture
def forests(window_of, registry, qtbot):
    """Return a window whose process is growing forests in the folds of a validation."""
    process = Process("Forests")
    table = process.add(registry["retrieve"], repository_entry="digits")
    loop = process.add(registry["cross_validation"], table)
    training, testing = loop.subprocesses
    forest = training.add(registry["random_forest"], training.source("training_set"))
    forest.parameters["number_of_trees"] = 3000
    training.result(forest, "model")
    applied = testing.add(registry["apply_model"], testing.source("model"), testing.source("test_set"))  # fmt: skip
    testing.result(testing.add(registry["performance"], applied), "performance")
    process.result(loop)
    window = window_of(Document(process))
    window.runs.run()
    run = window.session.run
    qtbot.waitUntil(lambda: "Random Forest" in run.report.ran)
    return window


def test_during_a_run_it_says_what_is_happening(forests, qtbot):
    run, dock, page = forests.session.run, forests.result_dock, forests.results
    qtbot.waitUntil(lambda: "Random Forest" in dock.empty.text())
    for empty in (dock.empty, page.empty):
        assert empty.title.text() == "The process is running"
        assert "Cross Validation" in empty.text()
        assert "when the run has ended" in empty.text()
        assert not empty.button.isVisibleTo(empty)
    assert page.state.text() == "The process is running."
    forests.session.editor.scene.select(["Retrieve"])  # no result of it is known yet
    assert dock.empty.title.text() == "The process is running"
    if run.can_be_held:
        forests.runs.pause()
        assert dock.empty.title.text() == "The run is paused"
        assert "F5 goes on" in page.empty.text()
    with qtbot.waitSignal(run.ended):
        forests.runs.stop()
    assert "running" not in page.empty.text() + page.state.text()
    shown(forests, qtbot, "Retrieve", "examples")  # that much was finished


def test_a_run_that_fails_says_so(window_of, registry, qtbot):
    process = Process("Fails")
    process.result(process.add(registry["retrieve"], repository_entry="no such data"))
    window = window_of(Document(process))
    with qtbot.waitSignal(window.session.run_ended):
        window.runs.run()
    assert window.result_dock.empty.title.text() == "The run failed"
    assert "no such data" in window.result_dock.empty.text()
    assert window.result_dock.empty.button.isVisibleTo(window.result_dock.empty)


def test_the_result_of_the_run_before_stays_while_the_next_one_runs(ran, qtbot):
    ran.session.editor.scene.select(["Weight by SAM"])
    shown(ran, qtbot, "Weight by SAM", "weights")
    dock, told = ran.result_dock, []
    with qtbot.waitSignal(ran.session.run_ended):
        ran.runs.run_again()
        told.append(dock.state.text())
        assert isinstance(dock.tab.view, ResultView)
        assert "results of the previous run" in ran.results.state.text()
    assert told == ["… running: result of the run before"]
    qtbot.waitUntil(lambda: "current" in dock.state.text())
