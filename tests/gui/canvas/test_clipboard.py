"""Copies: of operators and notes, to another window, from a mail."""

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest

from fsops.editing.levels import ROOT, Level, Spot
from fsops.errors import FsopsError
from fsops_gui.canvas.look import SCALE
from fsops_gui.document.document import Document

Key, Held = Qt.Key, Qt.KeyboardModifier


def press(window, key):
    window.session.editor.view.setFocus()
    QTest.keyClick(window, key, Held.ControlModifier)


def overlapping(scene):
    rooms = [item.body().translated(item.pos()) for item in scene.frames[0].operators.values()]
    return [(a, b) for i, a in enumerate(rooms) for b in rooms[:i] if a.intersects(b)]


def test_a_free_note_is_copied_with_the_selection_and_alone(window_of, chain):
    chain.add_note(ROOT, "Why?", (45, 240))
    window = window_of(chain)
    scene = window.session.editor.scene
    press(window, Key.Key_A)
    press(window, Key.Key_C)
    press(window, Key.Key_V)
    assert len(chain.process) == 6
    assert [note.text for note in chain.process.notes] == ["Why?", "Why?"]
    assert [spot.number for spot in scene.selected()[ROOT].notes] == [1]
    scene.select([], [Spot(ROOT, 0)])
    press(window, Key.Key_D)
    assert len(chain.process.notes) == 3
    scene.select([], [Spot(ROOT, 0)])
    press(window, Key.Key_X)
    assert len(chain.process.notes) == 2
    press(window, Key.Key_V)
    assert len(chain.process.notes) == 3
    assert len(chain.process) == 6


def test_copies_never_cover_anything(window_of, chain):
    window = window_of(chain)
    press(window, Key.Key_A)
    press(window, Key.Key_C)
    for _ in range(3):
        press(window, Key.Key_V)
    assert len(chain.process) == 12
    assert overlapping(window.session.editor.scene) == []
    for _ in range(3):
        press(window, Key.Key_Z)
    assert len(chain.process) == 3


def test_what_one_window_copies_another_pastes_and_shows(window_of, chain):
    one, two = window_of(chain), window_of(Document())
    one.session.editor.scene.select_all()
    one.edits.copy()
    two.edits.paste()
    assert [node.name for node in two.session.document.process] == [n.name for n in chain.process]
    view = two.session.editor.view
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    for item in two.session.editor.scene.frames[0].operators.values():
        assert seen.intersects(item.sceneBoundingRect())


def test_a_text_without_a_process_is_refused_in_a_sentence(chain, window_of):
    with pytest.raises(FsopsError, match="no process"):
        chain.paste(ROOT, "a < b, <process> and so on")
    window = window_of(chain)
    QGuiApplication.clipboard().setText("Dear Anna")
    press(window, Key.Key_V)
    assert "no process" in window.statusBar().currentMessage()


def test_notes_go_into_a_box_with_the_operators_and_come_out_again(chain, registry):
    chain.add_note(ROOT, "inside", (179, 240))
    chain.add_note(ROOT, "outside", (45, 300))
    before = chain.as_xml()
    name = chain.wrap(ROOT, ["Normalize"], registry["subprocess"], [Spot(ROOT, 0)])
    inner = chain.level(Level(name, 0))
    assert [note.text for note in inner.notes] == ["inside"]
    assert [note.text for note in chain.process.notes] == ["outside"]
    apart = int(inner.notes[0].layout["y"]) - inner["Normalize"].position["y"]
    chain.write_note(Spot(ROOT, owner=name), "of the box")
    chain.unwrap(name)
    assert [note.text for note in chain.process.notes] == ["outside", "inside"]
    here = chain.process["Normalize"].position
    assert int(chain.process.notes[1].layout["y"]) - here["y"] == apart
    assert chain.process["Normalize"].note.text == "of the box"
    for _ in range(3):
        chain.undo_stack.undo()
    assert chain.as_xml() == before


def test_notes_and_operators_are_moved_as_one_step(window_of, chain, hand):
    chain.add_note(ROOT, "Why?", (45, 240))
    window = window_of(chain)
    press(window, Key.Key_A)
    steps = chain.undo_stack.count()
    QTest.keyClick(window.session.editor.view, Key.Key_Right, Held.ShiftModifier)
    assert chain.process.notes[0].layout["x"] == "60"
    start = hand.middle(window, "Normalize")
    hand.drag(window, start, start + QPoint(0, 48))
    assert chain.process.notes[0].layout["y"] != "240"
    assert chain.undo_stack.count() == steps + 2


def test_a_note_is_as_high_as_its_text_until_somebody_pulls_it(window_of, chain):
    chain.add_note(ROOT, "short", (45, 240))
    scene = window_of(chain).session.editor.scene
    assert scene.note_of(Spot(ROOT, 0)).size[1] < 40
    chain.change_note(Spot(ROOT, 0), size=(180, 60))
    assert scene.note_of(Spot(ROOT, 0)).size[1] == pytest.approx(60 * SCALE)
