"""Ports by keyboard, finding through all levels, pinching, and clicks on ports."""

import pytest
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QNativeGestureEvent, QPointingDevice
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from fsops.core.graph.wiring import SINK, SOURCE
from fsops.editing.connections import End
from fsops.editing.levels import ROOT, Level

Key, Held = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def window(window_of, chain):
    window = window_of(chain)
    window.session.editor.view.fit()
    window.session.editor.view.setFocus()
    return window


@pytest.fixture
def view(window):
    return window.session.editor.view


def wires(document, level=ROOT):
    return [str(wire) for wire in document.level(level).connections]


def said(window):
    return window.statusBar().currentMessage()


# --- ports ----------------------------------------------------------------------------------


def test_tab_walks_the_ports_of_an_operator_and_says_what_they_are(window, scene, view):
    scene.select(["Normalize"])
    QTest.keyClick(view, Key.Key_Tab)
    assert scene.ports.here == End("Normalize", "examples", False)
    assert said(window) == "Input of Normalize, examples: data table, comes from Retrieve.examples."
    assert view.accessibleDescription() == said(window)
    assert scene.item_of("Normalize").focused == scene.ports.here
    QTest.keyClick(view, Key.Key_Tab)
    assert scene.ports.here == End("Normalize", "examples", True)
    assert "goes to Weight by SAM.examples" in said(window)
    QTest.keyClick(view, Key.Key_Backtab)
    assert not scene.ports.here.outgoing
    QTest.keyClick(view, Key.Key_Escape)
    assert scene.ports.here is None
    assert scene.item_of("Normalize").focused is None
    assert scene.selected_names() == ["Normalize"]


def test_tab_leaves_the_canvas_after_the_last_port(window, scene, view):
    scene.select(["Normalize"])
    for _ in range(8):
        QTest.keyClick(QApplication.focusWidget(), Key.Key_Tab)
        if not view.hasFocus():
            break
    assert not view.hasFocus()
    assert scene.ports.here is None


def test_a_wire_is_drawn_with_the_keyboard(window, chain, scene, view):
    chain.remove_wires(ROOT, [w for w in chain.process.connections if w.to_node == "Weight by SAM"])
    scene.select(["Retrieve"])
    QTest.keyClick(view, Key.Key_Tab)
    QTest.keyClick(view, Key.Key_Return)
    assert scene.ports.drawing
    assert "Return connects" in said(window)
    seen = set()
    while scene.ports.here != End("Weight by SAM", "examples", False):
        assert scene.ports.here not in seen
        seen.add(scene.ports.here)
        QTest.keyClick(view, Key.Key_Tab)
    QTest.keyClick(view, Key.Key_Return)
    assert "Retrieve.examples → Weight by SAM.examples" in wires(chain)
    assert scene.ports.here == End("Retrieve", "examples", True)
    assert not scene.frames[0].glowing


def test_escape_stops_the_wire_and_then_the_walk(window, chain, scene, view):
    count = chain.undo_stack.count()
    scene.select(["Retrieve"])
    for key in (Key.Key_Tab, Key.Key_Return, Key.Key_Down, Key.Key_Escape):
        QTest.keyClick(view, key)
    assert not scene.ports.drawing
    assert scene.ports.here == End("Retrieve", "examples", True)
    assert not scene.frames[0].glowing
    QTest.keyClick(view, Key.Key_Escape)
    assert scene.ports.here is None
    assert chain.undo_stack.count() == count


def test_delete_at_a_port_removes_its_wires_not_the_operator(window, chain, scene, view):
    scene.select(["Normalize"])
    QTest.keyClick(view, Key.Key_Tab)
    QTest.keyClick(view, Key.Key_Delete)
    assert "Normalize" in chain.process
    assert "Retrieve.examples → Normalize.examples" not in wires(chain)
    assert "not connected" in said(window)


def test_the_edges_of_a_level_are_reached_by_return_with_nothing_selected(window_of, quickstart):
    window = window_of(quickstart)
    scene, view = window.session.editor.scene, window.session.editor.view
    scene.enter("Cross Validation")
    view.setFocus()
    QTest.keyClick(view, Key.Key_Return)
    assert scene.ports.here == End(SOURCE, "training_set", True)
    assert said(window).startswith("Source of the process training_set")
    QTest.keyClick(view, Key.Key_Escape)
    QTest.keyClick(window, Key.Key_F6)
    assert scene.active == Level("Cross Validation", 1)
    QTest.keyClick(window, Key.Key_F6)
    assert scene.active == Level("Cross Validation", 0)


def test_tab_goes_from_level_to_level_with_nothing_selected(window_of, quickstart):
    window = window_of(quickstart)
    scene, view = window.session.editor.scene, window.session.editor.view
    scene.enter("Cross Validation")
    view.setFocus()
    QTest.keyClick(view, Key.Key_Tab)
    assert scene.active.index == 1
    QTest.keyClick(view, Key.Key_Backtab)
    assert scene.active.index == 0


def test_adding_by_typing_stays_on_its_level(window_of, quickstart, qtbot):
    window = window_of(quickstart)
    scene, view = window.session.editor.scene, window.session.editor.view
    scene.enter("Cross Validation")
    view.setFocus()
    qtbot.keyClicks(view, "n")
    qtbot.keyClicks(view.quick_add.field, "ormalize")
    qtbot.keyClick(view.quick_add.field, Key.Key_Return)
    assert scene.active == Level("Cross Validation", 0)
    assert "Normalize" in quickstart.level(scene.active)


def test_the_operator_with_the_title_that_was_typed_comes_first(window, view, qtbot):
    qtbot.keyClicks(view, "p")
    qtbot.keyClicks(view.quick_add.field, "erformance")
    assert view.quick_add.found.item(0).text() == "Performance"
    view.quick_add.hide()


def test_an_edit_ends_the_walk(chain, scene, view):
    scene.select(["Normalize"])
    QTest.keyClick(view, Key.Key_Tab)
    QTest.keyClick(view, Key.Key_Return)
    chain.remove(ROOT, ["Normalize"])
    assert scene.ports.here is None
    QTest.keyClick(view, Key.Key_Tab)


def test_a_return_that_ends_renaming_opens_nothing(window_of, quickstart, qtbot):
    window = window_of(quickstart)
    window.session.editor.scene.select(["Cross Validation"])
    QTest.keyClick(window, Key.Key_F2)
    qtbot.keyClicks(QApplication.focusWidget(), "CV")
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
    assert "CV" in quickstart.process
    assert window.session.editor.scene.owner is None
    QTest.keyClick(window, Key.Key_F2)
    qtbot.keyClicks(QApplication.focusWidget(), "other")
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Escape)
    assert "CV" in quickstart.process


# --- clicks on ports ------------------------------------------------------------------------


@pytest.fixture
def clicked(scene):
    found = []
    scene.port_clicked.connect(lambda *what: found.append(what))
    return found


def test_a_click_on_a_port_asks_for_its_output(window, chain, hand, clicked):
    hand.click(window, hand.port(window, "Retrieve", "examples", True))
    hand.click(window, hand.port(window, "Normalize", "examples", False))
    hand.click(window, hand.port(window, SINK, "result 1", False))
    assert clicked == [
        ("Retrieve", "examples", True),
        ("Retrieve", "examples", True),
        ("Weight by SAM", "weights", True),
    ]
    assert chain.undo_stack.count() == 0
    hand.click(window, hand.port(window, SINK, "result 2", False))
    assert len(clicked) == 3
    assert "port passes no value" in said(window)


def test_the_source_of_an_inner_process_means_what_comes_in_outside(window_of, quickstart, hand):
    # "test_set" and "training_set" are made inside: nothing of that name comes in outside.
    window = window_of(quickstart)
    scene = window.session.editor.scene
    found = []
    scene.port_clicked.connect(lambda *what: found.append(what))
    quickstart.wrap(ROOT, ["Cross Validation"], window.registry["subprocess"])
    scene.enter("Subprocess")
    window.session.editor.view.fit()
    hand.click(window, hand.port(window, SOURCE, "input 1", True))
    assert found == [("Retrieve", "examples", True)]


def test_shift_and_return_at_a_port_ask_for_its_output(window, scene, view, clicked):
    scene.select(["Normalize"])
    QTest.keyClick(view, Key.Key_Tab)
    QTest.keyClick(view, Key.Key_Return, Held.ShiftModifier)
    assert clicked == [("Retrieve", "examples", True)]


# --- finding --------------------------------------------------------------------------------


def test_finding_goes_through_all_levels_and_back(window_of, quickstart, qtbot):
    window = window_of(quickstart)
    scene, bar = window.session.editor.scene, window.session.editor.find_bar
    QTest.keyClick(window, Key.Key_F, Held.ControlModifier)
    assert bar.isVisible()
    qtbot.keyClicks(bar.field, "model")
    assert scene.owner == "Cross Validation"
    assert scene.selected_names() == ["Apply Model"]
    assert bar.label.text() == "1 of 1: name"
    bar.field.clear()
    qtbot.keyClicks(bar.field, "weight")
    first = scene.selected_names()
    assert bar.label.text().startswith("1 of ")
    total = int(bar.label.text().split()[2].rstrip(":"))
    assert total > 1
    qtbot.keyClick(bar.field, Key.Key_Return)
    assert bar.label.text().startswith("2 of ")
    QTest.keyClick(window, Key.Key_F3, Held.ShiftModifier)
    assert scene.selected_names() == first
    for _ in range(total):
        QTest.keyClick(window, Key.Key_F3)
    assert scene.selected_names() == first
    bar.field.setText("nothing like this")
    assert bar.label.text() == "not found"
    qtbot.keyClick(bar.field, Key.Key_Escape)
    assert not bar.isVisible()
    assert window.session.editor.view.hasFocus()


def test_a_found_note_is_put_in_the_middle(window_of, quickstart):
    window = window_of(quickstart)
    quickstart.move(ROOT, {"Cross Validation": (3000, 2000)})
    window.session.editor.view.set_zoom(1.0)
    window.edits.find()
    window.session.editor.find_bar.field.setText("own table")
    view, scene = window.session.editor.view, window.session.editor.scene
    note = scene.frames[0].notes[0]
    assert note.isSelected()
    point = view.mapFromScene(note.mapToScene(note.boundingRect().center()))
    assert view.viewport().rect().contains(point)


# --- pinching -------------------------------------------------------------------------------


def test_two_fingers_zoom(window, view):
    view.set_zoom(1.0)
    point = QPointF(view.viewport().rect().center())
    device = QPointingDevice.primaryPointingDevice()
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture, device, 2, point, point, point, 0.5, QPointF()
    )
    QApplication.sendEvent(view.viewport(), event)
    assert view.zoom == pytest.approx(1.5)


def test_escape_selects_nothing(window, scene, view):
    scene.select(["Normalize"])
    QTest.keyClick(view, Key.Key_Escape)
    assert scene.selected_names() == []
