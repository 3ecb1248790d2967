"""The process tree: all that the canvas shows, in words and with the keyboard."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLineEdit

from fsops.editing.levels import ROOT, Level, Spot
from fsops.runs.watch import OperatorState
from fsops_gui.document.checker import Marks
from fsops_gui.panels.tree import OperatorList

Key = Qt.Key


@pytest.fixture
def window(window_of, quickstart):
    window = window_of(quickstart)
    window.docks["tree"].show()
    window.docks["tree"].raise_()
    window.session.operators.setFocus()
    return window


@pytest.fixture
def tree(window):
    tree = window.session.operators
    tree.refresh()
    return tree


def lines(tree):
    found = []

    def walk(item, depth):
        for i in range(item.childCount()):
            found.append("  " * depth + item.child(i).text(0))
            walk(item.child(i), depth + 1)

    walk(tree.invisibleRootItem(), 0)
    return found


def choose(tree, name):
    """Click on an operator."""
    item = tree.findItems(name, Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchRecursive)[0]
    place = tree.visualItemRect(item).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    tree.setFocus()


def test_inner_operators_stand_under_their_inner_process(tree):
    assert lines(tree)[:4] == ["Retrieve", "Cross Validation", "  Training", "    Weight by SAM"]
    assert "  Testing" in lines(tree)


def test_states_are_said_in_words(tree, quickstart):
    quickstart.set_enabled(["Retrieve"], False)
    quickstart.set_breakpoint(["Retrieve"], "before", True)
    tree.set_marks({"Retrieve": Marks(["wrong"], ["odd", "strange"])})
    tree.set_runs(
        {
            "Cross Validation": OperatorState("running", 3, 10),
            "Naive Bayes": OperatorState("failed"),
        }
    )
    assert lines(tree)[0] == "Retrieve (off, 1 error, 2 warnings, stops before)"
    assert lines(tree)[1] == "Cross Validation (3 of 10)"
    assert "    Naive Bayes (failed)" in lines(tree)
    tree.set_runs({"Cross Validation": OperatorState("done", seconds=1, stale=True)})
    assert lines(tree)[1] == "Cross Validation (out of date)"
    words = tree.topLevelItem(0).data(0, Qt.ItemDataRole.AccessibleDescriptionRole)
    assert words.splitlines() == ["Retrieve", "wrong", "odd", "strange"]


def test_the_check_and_the_canvas_reach_the_tree(window, tree, quickstart, qtbot):
    with qtbot.waitSignal(window.session.checker.found, timeout=20_000):
        quickstart.remove_wires(ROOT, [quickstart.process.connections[0]])
    assert "error" in lines(tree)[1]


def test_the_selection_follows_both_ways(window, tree):
    scene = window.session.editor.scene
    scene.select(["Cross Validation"])
    assert tree.selected() == ["Cross Validation"]
    for _ in range(3):
        QTest.keyClick(tree, Key.Key_Down)
    assert scene.selected_names() == tree.selected()
    assert scene.owner == "Cross Validation"
    assert tree.hasFocus()


def test_notes_are_reached_with_the_keyboard(window, tree, quickstart, qtbot):
    assert lines(tree)[-1].startswith("Note: The data comes with fsops.")
    QTest.keyClick(tree, Key.Key_End)
    spot = window.session.editor.scene.selected_note()
    assert spot == Spot(ROOT, 0)
    assert tree.hasFocus()
    window.edits.write_note()
    qtbot.keyClicks(window.session.editor.view.text_fields.note_field, " More.")
    window.session.editor.view.text_fields.note_field.end(keep=True)
    assert quickstart.process.notes[0].text.endswith("More.")
    tree.setFocus()
    QTest.keyClick(tree, Key.Key_End)
    window.session.editor.view.reveal_note(spot)
    QTest.keyClick(tree, Key.Key_Delete)
    assert quickstart.process.notes == []
    assert not lines(tree)[-1].startswith("Note")


def test_f2_renames_and_says_why_not(window, tree, quickstart, qtbot):
    choose(tree, "Naive Bayes")
    QTest.keyClick(tree, Key.Key_F2)
    field = tree.findChild(QLineEdit)
    assert field.text() == "Naive Bayes"
    field.selectAll()
    qtbot.keyClicks(field, "Bayes")
    qtbot.keyClick(field, Key.Key_Return)
    qtbot.waitUntil(lambda: any(n.name == "Bayes" for n in quickstart.process.walk()))
    choose(tree, "Bayes")
    tree.rename()
    field = [f for f in tree.findChildren(QLineEdit) if f.isVisible()][-1]
    field.selectAll()
    qtbot.keyClicks(field, "Retrieve")
    qtbot.keyClick(field, Key.Key_Return)
    refused = 'There already is an operator "Retrieve".'
    qtbot.waitUntil(lambda: refused in window.statusBar().currentMessage())
    assert any("Bayes" in line for line in lines(tree))
    assert lines(tree).count("Retrieve") == 1


def test_delete_removes_the_operator_once_with_what_is_inside(window, tree, quickstart):
    tree.selectAll()
    QTest.keyClick(tree, Key.Key_Delete)
    assert len(quickstart.process) == 0
    window.edits.undo()
    assert [node.name for node in quickstart.process] == ["Retrieve", "Cross Validation"]
    assert len(lines(tree)) > 6


def test_space_switches_off_and_on(tree, quickstart):
    choose(tree, "Naive Bayes")
    QTest.keyClick(tree, Key.Key_Space)
    assert not quickstart.process.find("Naive Bayes").enabled
    assert any(line.strip() == "Naive Bayes (off)" for line in lines(tree))
    QTest.keyClick(tree, Key.Key_Space)
    assert quickstart.process.find("Naive Bayes").enabled


def test_a_parameter_does_not_build_the_tree_anew(tree, quickstart):
    item = tree.topLevelItem(1)
    quickstart.set_parameter("Select Top k", "k", 7)
    assert tree.topLevelItem(1) is item


def test_a_tree_that_nobody_sees_catches_up_when_it_is_shown(quickstart, registry, qtbot):
    tree = OperatorList(quickstart)
    qtbot.addWidget(tree)
    quickstart.add(Level("Cross Validation", 0), registry["normalize"])
    assert "    Normalize" not in lines(tree)
    tree.show()
    assert "    Normalize" in lines(tree)
    tree.hide()
