"""The panels around the canvas: all can be reached, and their arrangement can be reset."""

from PyQt6.QtCore import Qt
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


def visible(window):
    return {name for name, dock in window.docks.items() if not dock.isHidden()}


def test_one_key_hides_all_panels_and_brings_them_back(window_of, qtbot):
    window = window_of(Document())
    window.docks["help"].hide()
    before = visible(window)
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert visible(window) == set()
    assert window.docks.is_folded
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert visible(window) == before


def test_the_start_page_has_no_panels(window_of):
    window = window_of(Document())
    before = visible(window)
    window.views.show_start()
    assert visible(window) == set()
    window.views.toggle_panels()
    assert visible(window) == set()
    window.views.show_process()
    assert visible(window) == before


def test_panels_hidden_by_the_key_stay_hidden_on_other_pages(window_of):
    window = window_of(Document())
    window.views.toggle_panels()
    window.views.show_start()
    window.views.show_process()
    assert visible(window) == set()


def test_the_arrangement_is_remembered_although_all_panels_are_hidden(window_of):
    first = window_of(Document())
    first.docks["log"].hide()
    before = visible(first)
    first.views.toggle_panels()
    first.close()
    assert visible(window_of(Document())) == before


def test_the_rail_shows_the_page(window_of):
    window = window_of(Document())
    names = {"show_start": "Start", "show_process": "Process", "show_results": "Results"}
    for action, text in names.items():
        window.actions_table.by_name[action].trigger()
        on = [a.text() for a in window.rail.actions() if a.isChecked()]
        assert on == [text]
