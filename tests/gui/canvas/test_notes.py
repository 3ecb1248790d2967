"""Notes: Markdown in place, colors in words, sizes, and hanging on operators."""

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QGraphicsRectItem

from fsops.editing.levels import ROOT, Spot, all_levels
from fsops.examples import examples_folder
from fsops.storage import read_process
from fsops.storage.process_reader import parse_process
from fsops_gui.base.theme import DARK, LIGHT, colours_of, current_colours
from fsops_gui.canvas.look import NOTE_COLOURS, SCALE, note_colour
from fsops_gui.canvas.note_item import PAD, SMALLEST, NoteItem

Key, Held = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def window(window_of, chain):
    window = window_of(chain)
    window.session.editor.view.fit()
    return window


def middle(window, spot):
    scene, view = window.session.editor.scene, window.session.editor.view
    note = scene.note_of(spot)
    return view.mapFromScene(note.mapToScene(QPointF(20, 12)))


def field(window):
    return window.session.editor.view.text_fields.note_field


def test_a_new_note_is_written_in_place(window, chain, qtbot):
    window.session.editor.scene.select([])
    QTest.keyClick(window, Key.Key_N, Held.ControlModifier | Held.ShiftModifier)
    qtbot.keyClicks(field(window), "one")
    qtbot.keyClick(field(window), Key.Key_Return)
    qtbot.keyClicks(field(window), "two")
    qtbot.keyClick(field(window), Key.Key_Return, Held.ControlModifier)
    assert [note.text for note in chain.process.notes] == ["one\ntwo"]
    assert field(window) is None
    assert QApplication.focusWidget() is window.session.editor.view
    window.edits.undo()
    assert chain.process.notes == []


def test_double_click_edits_and_escape_leaves_it_as_it_was(window, chain, hand, qtbot):
    spot = chain.add_note(ROOT, "as it was", (50, 180))
    window.session.editor.view.fit()
    hand.double_click(window, middle(window, spot))
    assert field(window).toPlainText() == "as it was"
    qtbot.keyClicks(field(window), " other")
    qtbot.keyClick(field(window), Key.Key_Escape)
    assert chain.process.notes[0].text == "as it was"
    hand.double_click(window, middle(window, spot))
    qtbot.keyClicks(field(window), ", more")
    hand.click(window, QPoint(5, 5))  # elsewhere
    assert chain.process.notes[0].text == "as it was, more"


def test_keys_are_no_actions_while_a_note_is_written(window, chain, qtbot):
    window.session.editor.scene.select(["Normalize"])
    window.edits.write_note()
    qtbot.keyClicks(field(window), "abc")
    QTest.keyClick(field(window), Key.Key_Backspace)
    QTest.keyClick(field(window), Key.Key_D, Held.ControlModifier)
    QTest.keyClick(field(window), Key.Key_Return, Held.ControlModifier)
    assert [node.name for node in chain.process] == ["Retrieve", "Normalize", "Weight by SAM"]
    assert chain.process["Normalize"].note.text == "ab"
    assert window.session.editor.scene.owner is None


def test_markdown_is_shown_formatted(window, chain):
    spot = chain.add_note(
        ROOT, "# Head\n\nsome **bold** text\nnext line\n\n- one\n- two", (50, 180)
    )
    shown = window.session.editor.scene.note_of(spot).document()
    assert "**" not in shown.toPlainText()
    assert shown.toPlainText().splitlines()[0] == "Head"
    assert "some bold text\nnext line" in shown.toPlainText()
    html = shown.toHtml()
    assert "font-weight:700" in html
    assert "<ul" in html


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\n\ntwo\nthree", "one\ntwo\nthree"),
        ("1. a\n2. b\n\n3 times", "a\nb\n3 times"),
        ("- a\n\n- b", "a\nb"),
        ("2.5 of 3", "2.5 of 3"),
    ],
)
def test_line_ends_of_plain_notes_are_kept(window, chain, text, shown):
    document = window.session.editor.scene.note_of(chain.add_note(ROOT, text, (50, 180))).document()
    assert document.toPlainText() == shown


def test_paragraphs_have_a_gap_between_them(window, chain):
    spot = chain.add_note(ROOT, "one\n\ntwo\nthree", (50, 180))
    block = window.session.editor.scene.note_of(spot).document().begin()
    margins = []
    while block.isValid():
        margins.append(block.blockFormat().topMargin())
        block = block.next()
    assert margins[1] > 0
    assert margins[0] == margins[2] == 0


def test_html_in_a_note_is_text(window, chain):
    spot = chain.add_note(ROOT, "a <b>b</b> <img src='http://x/y.png'>", (50, 180))
    assert "<b>b</b>" in window.session.editor.scene.note_of(spot).document().toPlainText()


def test_the_note_of_an_operator_hangs_under_it_and_moves_with_it(window, chain, hand):
    chain.write_note(Spot(ROOT, owner="Normalize"), "why")
    scene = window.session.editor.scene
    window.session.editor.view.fit()
    item = scene.item_of("Normalize")
    before = item.note.scenePos()
    assert before.y() >= item.scenePos().y() + item.height
    point = hand.middle(window, "Normalize")
    hand.drag(window, point, point + QPoint(40, 30))
    moved = scene.item_of("Normalize").note.scenePos() - before
    assert moved.x() > 10
    assert moved.y() > 10
    assert scene.frames[0].rect().contains(item.room())


def test_a_note_dropped_on_an_operator_hangs_there_and_can_be_pulled_off(window, chain, hand):
    spot = chain.add_note(ROOT, "mine", (50, 180))
    scene = window.session.editor.scene
    window.session.editor.view.fit()
    hand.drag(window, middle(window, spot), hand.middle(window, "Normalize"))
    assert chain.process.notes == []
    assert chain.process["Normalize"].note.text == "mine"
    hanging = Spot(ROOT, owner="Normalize")
    start = middle(window, hanging)
    hand.drag(window, start, start + QPoint(3, 2))  # not far enough
    assert chain.process["Normalize"].note is not None
    assert scene.note_of(hanging).pos().x() == 0
    hand.drag(window, start, start + QPoint(-60, 60))
    assert chain.process["Normalize"].note is None
    assert chain.process.notes[0].text == "mine"
    window.edits.undo()
    window.edits.undo()
    assert chain.process.notes[0].layout["x"] == "50"


def test_attaching_by_the_menu(window, chain):
    chain.add_note(ROOT, "mine", (50, 180))
    scene = window.session.editor.scene
    scene.select(["Normalize"])
    scene.frames[0].notes[0].setSelected(True)
    window.edits.attach_note()
    assert chain.process["Normalize"].note.text == "mine"
    scene.select(["Normalize"])
    window.edits.attach_note()
    assert chain.process.notes[0].text == "mine"


def test_the_corner_changes_the_size_but_never_cuts_the_text(window, chain, hand):
    spot = chain.add_note(ROOT, "word " * 40, (50, 180))
    scene, view = window.session.editor.scene, window.session.editor.view
    view.fit()
    corner = view.mapFromScene(
        scene.note_of(spot).mapToScene(scene.note_of(spot).handle().center())
    )
    hand.drag(window, corner, corner + QPoint(60, 50))
    wide = int(chain.process.notes[0].layout["width"])
    assert wide > 190
    corner = view.mapFromScene(
        scene.note_of(spot).mapToScene(scene.note_of(spot).handle().center())
    )
    hand.drag(window, corner, corner - QPoint(900, 900))
    note = scene.note_of(spot)
    assert note.size[1] >= note.document().size().height()
    assert chain.undo_stack.count() == 3


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_have_the_names_that_rapidminer_has(theme):
    colours = colours_of(theme)
    text = colours.text.lightness()
    assert list(NOTE_COLOURS) == [
        "yellow", "orange", "green", "blue", "purple", "red", "gray", "transparent",
    ]  # fmt: skip
    for name in NOTE_COLOURS:
        shown = note_colour(name, colours)
        assert shown is None or abs(shown.lightness() - text) > 110


def test_a_colour_is_chosen_from_a_menu_that_says_it_in_words(window, chain):
    chain.write_note(Spot(ROOT, owner="Normalize"), "why")
    window.session.editor.scene.select(["Normalize"])
    window.edits.colour_note()
    menu = QApplication.activePopupWidget()
    words = [action.text() for action in menu.actions()]
    assert words[3] == "Blue"
    menu.actions()[3].trigger()
    menu.close()
    assert chain.process["Normalize"].note.layout["color"] == "blue"
    assert window.session.editor.scene.item_of("Normalize").note.colour == "blue"


def test_delete_removes_selected_notes_and_nothing_else(window, chain, hand):
    chain.write_note(Spot(ROOT, owner="Normalize"), "why")
    chain.add_note(ROOT, "free", (50, 220))
    scene = window.session.editor.scene
    window.session.editor.view.fit()
    hand.click(window, middle(window, Spot(ROOT, owner="Normalize")))
    QTest.keyClick(window.session.editor.view, Key.Key_Delete)
    assert chain.process["Normalize"].note is None
    hand.click(window, middle(window, Spot(ROOT, 0)))
    QTest.keyClick(window.session.editor.view, Key.Key_Delete)
    assert chain.process.notes == []
    assert len(scene.frames[0].operators) == 3


def test_all_of_a_note_is_in_the_file(chain):
    note = chain.add_note(ROOT, "free", (50, 220))
    chain.change_note(note, size=(222, 77), colour="green")
    chain.write_note(Spot(ROOT, owner="Normalize"), "**why**")
    chain.change_note(Spot(ROOT, owner="Normalize"), colour="red")
    again = parse_process(chain.as_xml())
    assert again == chain.process
    assert again.notes[0].layout["color"] == "green"
    assert again["Normalize"].note.layout["color"] == "red"


def test_nonsense_in_a_file_is_drawn_as_well_as_can_be(window_of, chain):
    spot = chain.add_note(ROOT, "x", (0, 0))
    chain.edit("odd", lambda p: p.notes[0].layout.update(width="wide", color="pink", x="?"))
    window = window_of(chain)
    note = window.session.editor.scene.note_of(spot)
    assert note.size[0] == 180 * SCALE
    assert note.pos().x() == 0


def test_the_notes_of_the_examples_are_as_high_as_their_text(registry):
    files = sorted(examples_folder().glob("*.xml"))
    notes = [note for file in files for note in all_notes(read_process(file))]
    parent, colours = QGraphicsRectItem(), current_colours()
    assert notes
    for note in notes:
        item = NoteItem(note, colours, parent)
        needed = item.document().size().height() + 2 * PAD
        assert item.size[1] == max(needed, SMALLEST[1]), note.text


def all_notes(process):
    for level in all_levels(process):
        yield from level.notes
        yield from (node.note for node in level if node.note is not None)
