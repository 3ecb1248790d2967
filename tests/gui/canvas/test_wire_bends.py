"""Bend points of wires on the canvas, by mouse and by keys."""

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt

from fsops.core.graph.bends import bends_of
from fsops.core.graph.wiring import Connection
from fsops.editing.levels import ROOT
from fsops_gui.canvas.look import SCALE

WIRE = Connection("Retrieve", "examples", "Normalize", "examples")


def points(chain):
    return bends_of(chain.process, WIRE)


def on_wire(window, part=0.5):
    frame = window.session.editor.scene.frames[0]
    place = frame.pos() + frame.wires[WIRE].path().pointAtPercent(part)
    return window.session.editor.view.mapFromScene(place)


@pytest.fixture
def bent(window, chain, view):
    chain.bend(ROOT, WIRE, [(150, 120)])
    return window


def test_a_drag_pulls_a_bend_point_out_of_a_wire(window, chain, view, hand):
    start = on_wire(window)
    hand.drag(window, start, start + QPoint(0, 70))
    [point] = points(chain)
    frame = window.session.editor.scene.frames[0]
    place = frame.pos() + frame.wires[WIRE].path().pointAtPercent(0.5)
    assert abs(place.y() - (frame.pos().y() + point[1] * SCALE)) < 2  # the wire goes through it
    assert chain.undo_stack.undoText() == "Bend wire"
    window.edits.undo()
    assert points(chain) == ()


def test_a_new_bend_point_may_be_dragged_past_both_ends(window, chain, view, hand):
    start = on_wire(window, 0.6)
    for away in (QPoint(-200, 60), QPoint(200, 60)):
        hand.drag(window, start, start + away)
        assert len(points(chain)) == 1
        window.edits.undo()


def test_a_click_selects_the_wire_and_bends_nothing(window, chain, view, hand):
    hand.click(window, on_wire(window))
    assert window.session.editor.scene.frames[0].wires[WIRE].isSelected()
    assert points(chain) == ()


def test_a_bend_point_is_moved_and_removed_by_a_double_click(bent, chain, view, hand):
    frame = bent.session.editor.scene.frames[0]
    (x, y) = frame.wires[WIRE].via[0]
    at = view.mapFromScene(frame.pos() + QPointF(x, y))
    hand.drag(bent, at, at + QPoint(0, 40))
    assert len(points(chain)) == 1
    assert points(chain)[0][1] > 120
    (x, y) = frame.wires[WIRE].via[0]
    hand.double_click(bent, view.mapFromScene(frame.pos() + QPointF(x, y)))
    assert points(chain) == ()


def test_escape_puts_the_wire_back(window, chain, view, hand, qtbot):
    start = on_wire(window)
    before = window.session.editor.scene.frames[0].wires[WIRE].path()
    hand.hold(window, start, start + QPoint(0, 70))
    assert window.session.editor.scene.frames[0].wires[WIRE].path() != before
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert window.session.editor.scene.frames[0].wires[WIRE].path() == before
    hand.let_go(window, start + QPoint(0, 70))
    assert points(chain) == ()


def test_ctrl_and_a_double_click_add_a_point(window, chain, view, qtbot):
    ctrl = Qt.KeyboardModifier.ControlModifier
    at = on_wire(window)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, ctrl, at)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, ctrl, at)
    assert len(points(chain)) == 1


def test_keys_add_move_and_remove_a_point(window, chain, view, qtbot):
    window.session.editor.scene.select(["Retrieve"])
    view.setFocus()
    window.edits.add_bend()
    [(x, y)] = points(chain)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    [(x2, y2)] = points(chain)
    assert x2 == x
    assert y2 > y
    window.edits.undo()  # all steps of the keys are one
    assert points(chain) == ((x, y),)
    window.session.editor.scene.frames[0].wires[WIRE].setSelected(True)
    window.edits.remove_bends()
    assert points(chain) == ()


def test_arrange_clears_bend_points(bent, chain):
    bent.edits.arrange()
    assert points(chain) == ()
    bent.edits.undo()
    assert points(chain) == ((150, 120),)


def test_without_a_wire_a_sentence_says_what_to_select(window, chain):
    window.session.editor.scene.clearSelection()
    window.edits.add_bend()
    assert "Select a wire" in window.statusBar().currentMessage()
    window.edits.remove_bends()
    assert "Select a wire with bend points." in window.statusBar().currentMessage()
