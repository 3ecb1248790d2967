"""Keys mean the canvas only at the canvas; and what one sees stays when one comes back."""

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMenu, QTableWidget

from fsops.editing.levels import ROOT
from fsops_gui.canvas.look import SCALE

Key, Held, Shape = Qt.Key, Qt.KeyboardModifier, Qt.CursorShape


@pytest.fixture
def window(window_of, quickstart):
    return window_of(quickstart)


def middle(view):
    return view.mapToScene(view.viewport().rect().center())


KEYS = [
    (Key.Key_Delete, Held.NoModifier),
    (Key.Key_Backspace, Held.NoModifier),
    (Key.Key_X, Held.ControlModifier),
    (Key.Key_D, Held.ControlModifier),
    (Key.Key_V, Held.ControlModifier),
    (Key.Key_E, Held.ControlModifier),
    (Key.Key_G, Held.ControlModifier),
    (Key.Key_F7, Held.NoModifier),
]


@pytest.mark.parametrize("tab", ["results", "start"])
@pytest.mark.parametrize(("key", "held"), KEYS)
def test_keys_at_results_and_start_change_nothing_on_the_hidden_canvas(
    window, quickstart, key, held, tab
):
    window.edits.select_all()
    window.edits.copy()
    if tab == "results":
        table = QTableWidget(3, 3)
        window.pages.addTab(table, "Table")
        window.pages.setCurrentWidget(table)
        table.setFocus()
    else:
        window.views.show_start()
    QTest.keyClick(window, key, held)
    assert quickstart.undo_stack.count() == 0


def test_a_list_beside_the_canvas_keeps_its_keys(window, quickstart):
    window.session.editor.scene.select_all()
    for widget in (window.palette_panel.tree, window.problems_panel.tree, window.log_panel):
        widget.setFocus()
        QTest.keyClick(window, Key.Key_Delete)
        QTest.keyClick(window, Key.Key_D, Held.ControlModifier)
    assert quickstart.undo_stack.count() == 0


def test_the_menu_brings_a_hidden_selection_to_the_front_before_it_acts(window, quickstart):
    window.edits.select_all()
    window.views.show_results()
    action = window.actions_table.by_name["delete"]
    action.trigger()
    assert len(quickstart.process) == 2
    assert window.session.editor.isVisible()
    action.trigger()
    assert len(quickstart.process) == 0


def test_the_tree_has_the_keys_of_the_canvas(window, quickstart):
    window.docks["tree"].raise_()
    tree = window.session.operators
    window.session.editor.scene.select(["Retrieve"])
    tree.setFocus()
    QTest.keyClick(tree, Key.Key_D, Held.ControlModifier)
    assert "Retrieve (2)" in quickstart.process


def test_a_name_that_is_written_keeps_all_keys(window, quickstart):
    window.session.editor.scene.select(["Retrieve"])
    QTest.keyClick(window, Key.Key_F2)
    field = QApplication.focusWidget()
    QTest.keyClick(field, Key.Key_D, Held.ControlModifier)
    QTest.keyClick(field, Key.Key_E, Held.ControlModifier)
    QTest.keyClick(field, Key.Key_Escape)
    assert quickstart.undo_stack.count() == 0
    assert window.session.editor.view.hasFocus()


def test_adding_from_another_page_shows_the_canvas(window):
    window.views.show_start()
    QTest.keyClick(window, Key.Key_Space, Held.ControlModifier)
    assert window.session.editor.view.quick_add.isVisible()
    QTest.keyClick(window.session.editor.view.quick_add.field, Key.Key_Escape)


def test_undo_and_redo_go_where_they_show_and_say_what_they_did(window, quickstart):
    scene = window.session.editor.scene
    quickstart.set_parameter("Select Top k", "k", 7)
    quickstart.move(ROOT, {"Retrieve": (100, 100)})
    scene.enter(None)
    window.edits.undo()
    assert scene.selected_names() == ["Retrieve"]
    window.edits.undo()
    assert scene.owner == "Cross Validation"
    assert scene.selected_names() == ["Select Top k"]
    assert "Set k" in window.statusBar().currentMessage()
    window.edits.redo()
    window.edits.redo()
    assert scene.owner is None
    assert window.session.editor.view.hasFocus()


def test_undo_of_the_only_step_of_an_empty_level_does_no_harm(window, quickstart):
    quickstart.remove(ROOT, ["Retrieve"])
    window.edits.undo()
    assert window.session.editor.scene.selected_names()[:1] == ["Retrieve"]
    window.edits.redo()
    assert "Retrieve" not in quickstart.process


def test_when_the_operator_around_is_deleted_the_level_around_it_is_shown(window, quickstart):
    registry, scene = window.registry, window.session.editor.scene
    outer = quickstart.wrap(ROOT, ["Cross Validation"], registry["subprocess"])
    scene.enter("Cross Validation")
    quickstart.remove(quickstart.level_of("Cross Validation"), ["Cross Validation"])
    assert scene.owner == outer
    quickstart.undo_stack.undo()
    scene.enter("Cross Validation")
    quickstart.remove(ROOT, [outer])
    assert scene.owner is None


def test_a_new_name_keeps_zoom_and_place(window, quickstart):
    view = window.session.editor.view
    view.set_zoom(2.0)
    view.centerOn(window.session.editor.scene.item_of("Retrieve"))
    before = middle(view)
    quickstart.rename("Cross Validation", "CV")
    assert view.zoom == 2.0
    assert (middle(view) - before).manhattanLength() < 3


def test_who_comes_back_to_a_level_sees_what_he_saw(window):
    view, scene = window.session.editor.view, window.session.editor.scene
    view.set_zoom(2.0)
    view.centerOn(scene.item_of("Cross Validation"))
    before = middle(view)
    scene.enter("Cross Validation")
    assert view.zoom < 2.0
    scene.go_up()
    assert view.zoom == 2.0
    assert (middle(view) - before).manhattanLength() < 20


def test_a_level_is_opened_so_that_it_can_be_read(window, quickstart):
    view = window.session.editor.view
    for number in range(12):
        quickstart.add(ROOT, window.registry["normalize"], (45 + 300 * number, 34))
    view.fit_readable()
    assert view.zoom == pytest.approx(0.8)
    assert view.horizontalScrollBar().value() == view.horizontalScrollBar().minimum()


def test_the_menu_key_keeps_the_selection(window):
    view, scene = window.session.editor.view, window.session.editor.scene
    scene.select(["Retrieve"])
    asked = []
    view.menu_wanted.disconnect()
    view.menu_wanted.connect(asked.append)
    corner = QPoint(1, 1)
    reason = QContextMenuEvent.Reason.Keyboard
    event = QContextMenuEvent(reason, corner, view.mapToGlobal(corner))
    QApplication.sendEvent(view.viewport(), event)
    assert scene.selected_names() == ["Retrieve"]
    item = scene.item_of("Retrieve")
    near = view.mapToGlobal(view.mapFromScene(item.mapToScene(QPointF(0, 0))))
    assert (asked[0] - near).manhattanLength() < 300
    assert not any(isinstance(w, QMenu) and w.isVisible() for w in QApplication.topLevelWidgets())


def test_what_is_pulled_to_the_edge_scrolls_the_canvas(window, quickstart, hand, qtbot):
    view = window.session.editor.view
    view.set_zoom(1.5)
    view.centerOn(window.session.editor.scene.item_of("Retrieve"))
    bar, before = view.horizontalScrollBar(), quickstart.process["Retrieve"].position["x"]
    start = hand.middle(window, "Retrieve")
    edge = QPoint(view.viewport().width() - 3, start.y())
    hand.hold(window, start, edge)
    seen = bar.value()
    qtbot.waitUntil(lambda: bar.value() > seen + 120)
    hand.let_go(window, edge)
    assert quickstart.process["Retrieve"].position["x"] > before + 120 / 1.5 / SCALE
    seen = bar.value()
    qtbot.wait(80)
    assert bar.value() == seen


def test_the_cursor_tells_what_the_mouse_will_do(window, hand):
    view, scene = window.session.editor.view, window.session.editor.scene
    item = scene.item_of("Cross Validation")
    port = hand.port(window, "Retrieve", "examples", True)
    door = view.mapFromScene(item.mapToScene(item.entrance().center()))
    shapes = []
    for point in (port, door, hand.middle(window, "Retrieve")):
        hand._move(view.viewport(), point, Qt.MouseButton.NoButton)
        shapes.append(view.viewport().cursor().shape())
    assert shapes == [Shape.CrossCursor, Shape.PointingHandCursor, Shape.ArrowCursor]
    QTest.keyPress(view, Key.Key_Space)
    assert view.viewport().cursor().shape() == Shape.OpenHandCursor
    window.palette_panel.field.setFocus()  # the key is let go elsewhere
    view.setFocus()
    hand._move(view.viewport(), port, Qt.MouseButton.NoButton)
    assert view.viewport().cursor().shape() == Shape.CrossCursor


def test_an_empty_process_is_not_called_wrong(window_of, qtbot):
    window = window_of()
    with qtbot.waitSignal(window.session.checker.found):
        window.session.checker.check_now()
    assert window.session.editor.scene.frames[0].faults == []


def test_other_colours_keep_the_selection(window):
    scene = window.session.editor.scene
    scene.select(["Retrieve"])
    scene.redraw()
    assert scene.selected_names() == ["Retrieve"]
