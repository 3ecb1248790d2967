"""The canvas: operators that are moved by the mouse."""

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest

from fsops.editing.levels import ROOT, Spot


def wires(window):
    return [str(wire) for wire in window.session.document.process.connections]


def test_escape_puts_back_what_is_being_moved(window, view, scene, hand):
    window.session.document.add_note(ROOT, "mine", (50, 180))
    steps = window.session.document.undo_stack.count()
    note = scene.frames[0].notes[0]
    scene.select(["Normalize", "Retrieve"])
    note.setSelected(True)
    items = [scene.item_of("Normalize"), scene.item_of("Retrieve"), note]
    before = [item.pos() for item in items]
    room = scene.sceneRect()
    ways = {wire: item.path() for wire, item in scene.frames[0].wires.items()}
    point = hand.middle(window, "Normalize")
    hand.hold(window, point, point + QPoint(40, 90))
    assert all(item.pos() != place for item, place in zip(items, before, strict=True))
    QTest.keyClick(view, Qt.Key.Key_Escape)
    hand.move(window, point + QPoint(60, 100))  # the button is still down
    hand.let_go(window, point + QPoint(60, 100))
    assert [item.pos() for item in items] == before
    assert {wire: item.path() for wire, item in scene.frames[0].wires.items()} == ways
    assert scene.sceneRect() == room
    assert set(scene.selected_names()) == {"Normalize", "Retrieve"}
    assert window.session.document.undo_stack.count() == steps
    # What is moved next begins where it is, and takes nothing else along.
    point = hand.middle(window, "Weight by SAM")
    hand.drag(window, point, point + QPoint(0, 60))
    assert [item.pos() for item in items] == before
    assert window.session.document.undo_stack.count() == steps + 1


@pytest.fixture
def loose(window, registry):
    """Return the name of an operator that nothing is connected to."""
    document = window.session.document
    return document.edit("Add", lambda p: p.add(registry["replace_missing_values"]).name)


def on_the_wire(window, view, hand, name):
    """Return where to take an operator, and where to let it go to be on the first wire."""
    start = hand.port(window, "Retrieve", "examples", True)
    end = hand.port(window, "Normalize", "examples", False)
    item = window.session.editor.scene.item_of(name)
    middle = view.mapFromScene(item.mapToScene(item.body().center()))
    taken = hand.middle(window, name)
    return taken, (start + end) / 2 + taken - middle


def test_an_operator_on_the_canvas_dropped_on_a_wire_goes_into_it(window, view, hand, loose, scene):
    document = window.session.document
    before, steps = document.process, document.undo_stack.count()
    view.fit()
    taken, target = on_the_wire(window, view, hand, loose)
    hand.hold(window, taken, target)
    glowing = [str(wire) for wire, item in scene.frames[0].wires.items() if item.glows]
    assert glowing == ["Retrieve.examples → Normalize.examples"]
    hand.let_go(window, target)
    assert f"Retrieve.examples → {loose}.examples" in wires(window)
    assert f"{loose}.examples → Normalize.examples" in wires(window)
    assert "Retrieve.examples → Normalize.examples" not in wires(window)
    assert document.process[loose].position != before[loose].position
    assert not any(item.glows for item in scene.frames[0].wires.values())
    assert document.undo_stack.count() == steps + 1
    window.edits.undo()
    assert document.process == before


def test_escape_over_a_wire_leaves_it_alone(window, view, hand, loose, scene):
    view.fit()
    before = wires(window)
    taken, target = on_the_wire(window, view, hand, loose)
    hand.hold(window, taken, target)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert not any(item.glows for item in scene.frames[0].wires.values())
    hand.let_go(window, target)
    assert wires(window) == before


@pytest.mark.parametrize("name", ["Weight by SAM", "Naive Bayes"])
def test_an_operator_that_is_connected_or_does_not_fit_is_only_moved(
    window, view, hand, scene, registry, name
):
    document = window.session.document
    document.edit("Add", lambda p: p.add(registry["naive_bayes"]).name)
    view.fit()
    before, place = wires(window), document.process[name].position
    taken, target = on_the_wire(window, view, hand, name)
    hand.hold(window, taken, target)
    assert not any(item.glows for item in scene.frames[0].wires.values())
    hand.let_go(window, target)
    assert wires(window) == before
    assert document.process[name].position != place


def test_escape_gives_a_note_back_its_size(window, view, scene, hand):
    document = window.session.document
    spot = document.add_note(ROOT, "mine", (50, 180))
    note, steps = scene.note_of(Spot(ROOT, spot.number)), document.undo_stack.count()
    view.fit()
    before = note.size
    corner = view.mapFromScene(note.mapToScene(note.handle().center()))
    hand.hold(window, corner, corner + QPoint(50, 60))
    assert note.size > before
    QTest.keyClick(view, Qt.Key.Key_Escape)
    hand.let_go(window, corner + QPoint(50, 60))
    assert note.size == before
    assert document.undo_stack.count() == steps
