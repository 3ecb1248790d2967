"""The last result of an operator or a port appears below the canvas."""

import pytest
from PyQt6.QtCore import Qt

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
    assert "results of the run before" in ran.results.state.text()
    ran.session.editor.scene.select(["Weight by SAM"])
    shown(ran, qtbot, "Weight by SAM", "weights")
