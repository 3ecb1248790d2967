"""The panels around the canvas: all can be reached, and their arrangement can be reset."""

from PyQt6.QtWidgets import QMenu, QTabBar

from fsops_gui.document.document import Document
from fsops_gui.shell import docks


def test_the_arrangement_can_be_reset(window_of, qtbot):
    window = window_of(Document())
    for name in ("help", "problems", "overview"):
        window.docks[name].hide()
    window.docks["parameters"].setFloating(True)
    window.views.reset_layout()
    assert not any(dock.isHidden() for dock in window.docks.values())
    assert not window.docks["parameters"].isFloating()
    assert set(window.docks) == set(docks.titles())


def test_every_panel_is_in_the_view_menu(window_of):
    window = window_of(Document())
    panels = next(m for m in window.findChildren(QMenu) if m.title() == "Panels")
    texts = [action.text() for action in panels.actions()]
    assert {dock.windowTitle() for dock in window.docks.values()} <= set(texts)


def test_no_row_of_tabs_lies_about(window_of, qtbot):
    window = window_of(Document())
    window.resize(1024, 700)
    window.views.reset_layout()
    qtbot.wait(200)
    bars = [b for b in window.findChildren(QTabBar) if b.parent() is window and b.isVisible()]
    assert len(bars) == 2
