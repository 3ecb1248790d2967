"""Wrapping operators into an operator with an inner process, and taking them out again."""

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from fsops.editing.levels import ROOT, Level

Key, Held = Qt.Key, Qt.KeyboardModifier
TRAINING = Level("Cross Validation", 0)


def wires(document, level=ROOT):
    return [str(wire) for wire in document.level(level).connections]


def test_keys_wrap_and_unwrap_the_selection(window_of, chain, hand):
    window = window_of(chain)
    scene, view = window.session.editor.scene, window.session.editor.view
    view.fit()
    hand.click(window, hand.middle(window, "Normalize"))
    hand.click(window, hand.middle(window, "Weight by SAM"), Held.ControlModifier)
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier)
    assert scene.selected_names() == ["Subprocess"]
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier | Held.ShiftModifier)
    assert sorted(scene.selected_names()) == ["Normalize", "Weight by SAM"]
    window.edits.undo()
    window.edits.undo()
    assert chain.undo_stack.index() == 0


def test_any_operator_with_an_inner_process_can_be_searched_for(window_of, chain, qtbot):
    window = window_of(chain)
    scene, view = window.session.editor.scene, window.session.editor.view
    scene.select(["Weight by SAM"])
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier | Held.AltModifier)
    titles = {view.quick_add.found.item(i).text() for i in range(view.quick_add.found.count())}
    assert "Loop" in titles
    assert "Normalize" not in titles
    qtbot.keyClicks(view.quick_add.field, "loop and average")
    qtbot.keyClick(view.quick_add.field, Key.Key_Escape)
    view.chooser.begin_wrapping()
    view.quick_add.field.setText("loop")
    row = next(i for i in range(view.quick_add.found.count()) if view.quick_add.found.item(i).text() == "Loop")  # fmt: skip
    view.quick_add.found.setCurrentRow(row)
    qtbot.keyClick(view.quick_add.field, Key.Key_Return)
    assert "Normalize.examples → Loop.input 1" in wires(chain)


def test_why_nothing_was_wrapped_is_said(window_of, chain):
    window = window_of(chain)
    window.session.editor.scene.select(["Retrieve", "Weight by SAM"])
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier)
    assert '"Normalize" stands between' in window.statusBar().currentMessage()
    window.session.editor.scene.select([])
    QTest.keyClick(window, Key.Key_G, Held.ControlModifier)
    assert "Select the operators" in window.statusBar().currentMessage()
