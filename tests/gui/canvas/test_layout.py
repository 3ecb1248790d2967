"""Aligning, distributing, order of execution, breakpoints and the states of a run."""

import pytest
from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtTest import QTest

from fsops.core.graph.process import Process
from fsops.editing.levels import ROOT
from fsops.runs.watch import OperatorState
from fsops_gui.canvas.picture import picture_of
from fsops_gui.document.document import Document

Key, Held = Qt.Key, Qt.KeyboardModifier
BOXES = {"a": (10, 10, 100, 40), "b": (60, 100, 80, 60), "c": (300, 33, 90, 40)}


@pytest.fixture
def window(window_of, chain):
    chain.move(ROOT, {"Retrieve": (40, 40), "Normalize": (200, 90), "Weight by SAM": (420, 60)})
    return window_of(chain)


def places(window):
    return [(n.position["x"], n.position["y"]) for n in window.session.document.process]


def test_alignment_by_keys_is_one_step(window, chain):
    window.session.editor.scene.select_all()
    before, count = places(window), chain.undo_stack.count()
    QTest.keyClick(window, Key.Key_Up, Held.ControlModifier | Held.AltModifier)
    assert {y for _, y in places(window)} == {40}
    QTest.keyClick(window, Key.Key_H, Held.ControlModifier | Held.AltModifier)
    items = window.session.editor.scene.frames[0].operators
    a, b, c = (items[n.name] for n in chain.process)
    gaps = b.x() - a.x() - a.width, c.x() - b.x() - b.width
    assert gaps[0] == pytest.approx(gaps[1], abs=3.3)
    assert chain.undo_stack.count() == count + 2
    window.edits.undo()
    window.edits.undo()
    assert places(window) == before


def test_too_few_operators_to_align_is_said(window):
    window.session.editor.scene.select(["Normalize"])
    window.edits.align_left()
    assert "at least 2 operators" in window.statusBar().currentMessage()


# --- order ----------------------------------------------------------------------------------


@pytest.fixture
def forked(registry):
    process = Process()
    table = process.add(registry["retrieve"])
    for name in ("One", "Two", "Three"):
        process.add(registry["normalize"], table, name=name)
    return Document(process)


def orders(window):
    return {n: i.order for n, i in window.session.editor.scene.frames[0].operators.items()}


def test_the_order_of_the_run_is_shown_and_can_be_changed_where_it_is_free(window_of, forked):
    window = window_of(forked)
    assert set(orders(window).values()) == {0}
    QTest.keyClick(window, Key.Key_O, Held.ControlModifier | Held.ShiftModifier)
    assert orders(window) == {"Retrieve": 1, "One": 2, "Two": 3, "Three": 4}
    window.session.editor.scene.select(["Three"])
    window.edits.run_first()
    assert orders(window) == {"Retrieve": 1, "Three": 2, "One": 3, "Two": 4}
    assert [n.name for n in forked.process.order()] == ["Retrieve", "Three", "One", "Two"]
    forked.set_enabled(["Three"], False)
    assert orders(window)["Three"] == 0
    window.actions_table.refresh()
    assert window.actions_table.by_name["toggle_order"].isChecked()
    window.edits.toggle_order()
    assert set(orders(window).values()) == {0}


# --- breakpoints ----------------------------------------------------------------------------


def test_f7_sets_breakpoints_and_the_menu_shows_them(window, chain):
    scene = window.session.editor.scene
    scene.select(["Normalize", "Weight by SAM"])
    QTest.keyClick(window, Key.Key_F7)
    assert chain.process["Normalize"].breakpoints == {"after"}
    assert chain.process["Weight by SAM"].breakpoints == {"after"}
    QTest.keyClick(window, Key.Key_F7, Held.ShiftModifier)
    assert chain.process["Normalize"].breakpoints == {"before", "after"}
    menu = window.actions_table.context_menu()
    marked = {a.text() for a in menu.actions() if a.isChecked()}
    assert marked == {"Breakpoint after", "Breakpoint before"}
    menu.deleteLater()
    QTest.keyClick(window, Key.Key_F7)
    assert chain.process["Normalize"].breakpoints == {"before"}
    window.edits.clear_breakpoints()
    assert chain.process["Normalize"].breakpoints == set()
    window.edits.undo()
    assert chain.process["Normalize"].breakpoints == {"before"}


def picture(item, zoom=1.0):
    """Return an item as it is painted at a zoom."""
    box = item.boundingRect()
    image = QImage((box.size() * zoom).toSize() + QSize(2, 2), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.scale(zoom, zoom)
    painter.translate(-box.topLeft())
    item.paint(painter, None)
    painter.end()
    return image


def test_a_breakpoint_is_drawn_at_its_side(window, chain):
    item = window.session.editor.scene.item_of("Normalize")
    plain = picture(item)
    chain.set_breakpoint(["Normalize"], "before", True)
    before = picture(item)
    chain.set_breakpoint(["Normalize"], "before", False)
    chain.set_breakpoint(["Normalize"], "after", True)
    after = picture(item)
    assert plain != before
    assert plain != after
    half = before.width() // 2
    left, right = QRectF(0, 0, half, 60).toRect(), QRectF(half, 0, half, 60).toRect()
    assert before.copy(left) != plain.copy(left)
    assert before.copy(right) == plain.copy(right)
    assert after.copy(right) != plain.copy(right)


# --- states of a run ------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["running", "paused", "done", "failed"])
def test_the_foot_has_only_what_fits(window, state):
    item = window.session.editor.scene.item_of("Normalize")
    item.run = OperatorState(state, 7, 100, 3723.0, 31_200_000_000, cached=True)
    assert item.foot_text()
    from fsops_gui.canvas.look import text_width

    assert text_width(item.foot_text()) <= item.width - 16


def test_a_state_that_goes_on_changing_is_drawn_again(window):
    scene = window.session.editor.scene
    state = OperatorState("running", 1, 5)
    scene.set_runs({"Normalize": state})
    state.done = 2
    scene.set_runs({"Normalize": state})
    assert scene.item_of("Normalize").run.done == 2
    assert scene.item_of("Normalize").run is not state


def test_a_card_says_how_far_it_is_then_its_time_and_memory(window):
    scene = window.session.editor.scene
    item = scene.item_of("Normalize")
    before = picture(item)
    scene.set_runs({"Normalize": OperatorState("running", 2, 5)})
    assert "2 of 5" in item.foot_text()
    running = picture(item)
    scene.set_runs({"Normalize": OperatorState("done", seconds=1.25, peak_memory=3 << 20)})
    assert item.foot_text().startswith("1.25 s")
    assert "MB" in item.foot_text()
    assert (
        len({bytes(p.bits().asarray(p.sizeInBytes())) for p in (before, running, picture(item))})
        == 3
    )


def test_stale_differs_from_done_without_its_colour(window):
    item = window.session.editor.scene.item_of("Normalize")
    item.run = OperatorState("done", seconds=1.0)
    fresh = picture(item).convertToFormat(QImage.Format.Format_Grayscale8)
    item.run = OperatorState("done", seconds=1.0, stale=True)
    assert picture(item).convertToFormat(QImage.Format.Format_Grayscale8) != fresh


def test_far_away_nothing_of_the_run_is_written(window):
    item = window.session.editor.scene.item_of("Normalize")
    item.run = OperatorState("done", seconds=1.0)
    one = picture(item, 0.3)
    item.run = OperatorState("done", seconds=88.0, peak_memory=1 << 30)
    assert picture(item, 0.3) == one
    assert picture(item, 0.5) == picture(item, 0.5)


def test_far_away_an_operator_stands_out_from_what_is_behind_it(window):
    item = window.session.editor.scene.item_of("Normalize")
    for zoom in (0.1, 0.3):
        image = picture(item, zoom)
        places = [(x, y) for x in range(image.width()) for y in range(image.height())]
        inked = {image.pixelColor(x, y).name() for x, y in places}
        assert item.colours.tints[item.shown.role].name() in inked
        assert min(QColor(name).lightness() for name in inked) < 160


def test_a_picture_of_a_process_has_the_size_that_was_asked_for(quickstart, registry):
    before = quickstart.as_xml()
    image = picture_of(quickstart.process, registry, QSize(320, 200))
    assert (image.width(), image.height()) == (320, 200)
    colours = {image.pixelColor(x, y).name() for x in range(0, 320, 3) for y in range(0, 200, 3)}
    assert len(colours) > 8
    assert quickstart.as_xml() == before
