"""The canvas: what a person does with the mouse and the keyboard."""

from itertools import combinations

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QToolButton

from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.data import AttributeWeights, Collection, ExampleSet, Model, PerformanceVector
from fsops.editing.levels import ROOT, Level
from fsops.errors import UsageError
from fsops_gui.base.theme import DARK, LIGHT, colours_of
from fsops_gui.canvas.look import SCALE, port_colour, port_shape
from fsops_gui.canvas.operator_item import OperatorItem
from fsops_gui.document.document import Document

TRAINING = Level("Cross Validation", 0)
Key = Qt.Key


def wires(window, level=ROOT):
    return [str(wire) for wire in window.session.document.level(level).connections]


def names(window, level=ROOT):
    return [node.name for node in window.session.document.level(level)]


def press(view, key, modifiers=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(view, key, modifiers)


def test_dragging_a_wire_from_port_to_port_connects_them(window, view, hand):
    wire = window.session.document.process.connections[0]
    window.session.document.remove_wires(ROOT, [wire])
    start = hand.port(window, "Retrieve", "examples", True)
    hand.drag(window, start, hand.port(window, "Weight by SAM", "examples", False))
    assert "Retrieve.examples → Weight by SAM.examples" in wires(window)


def test_a_wire_can_be_drawn_from_an_input_too_and_ends_anywhere_on_an_operator(window, view, hand):
    window.session.document.remove_wires(ROOT, window.session.document.process.connections)
    start = hand.port(window, "Weight by SAM", "examples", False)
    hand.drag(window, start, hand.middle(window, "Normalize"))
    assert wires(window) == ["Normalize.examples → Weight by SAM.examples"]


def test_fitting_ports_glow_and_others_say_why_not(window, view, scene, hand):
    said = []
    scene.said.connect(said.append)
    start = hand.port(window, "Weight by SAM", "weights", True)
    wrong = hand.port(window, "Normalize", "examples", False)
    hand.hold(window, start, wrong)
    glowing = {(end.node, end.port) for end in scene.frames[0].glowing}
    assert glowing == {(SINK, "result 1"), (SINK, "result 2")}
    assert scene.item_of("Normalize").dimmed
    assert '"examples" takes a data table, but "weights" gives attribute weights.' in said[-1]
    hand.let_go(window, wrong)
    assert not scene.frames[0].glowing
    assert not scene.item_of("Normalize").dimmed
    assert window.session.document.undo_stack.count() == 0
    assert "takes a data table" in window.statusBar().currentMessage()


def test_results_are_connected_at_the_edge_of_the_process(window, view, hand):
    start = hand.port(window, "Normalize", "examples", True)
    hand.drag(window, start, hand.port(window, SINK, "result 2", False))
    assert "Normalize.examples → result 2" in wires(window)


def test_alt_and_click_on_a_port_removes_its_wires(window, view, hand):
    point = hand.port(window, "Normalize", "examples", False)
    hand.click(window, point, Qt.KeyboardModifier.AltModifier)
    assert "Retrieve.examples → Normalize.examples" not in wires(window)


def test_escape_cancels_a_wire(window, view, scene, hand):
    start = hand.port(window, "Retrieve", "examples", True)
    hand.hold(window, start, start + QPoint(60, 60))
    press(view, Key.Key_Escape)
    hand.let_go(window, start + QPoint(60, 60))
    assert not scene.frames[0].glowing
    assert window.session.document.undo_stack.count() == 0


def test_a_wire_dropped_in_empty_space_offers_what_fits(window, view, hand, qtbot):
    start = hand.port(window, "Weight by SAM", "weights", True)
    hand.drag(window, start, start + QPoint(20, 70))
    quick = view.quick_add
    assert quick.isVisible()
    titles = [quick.found.item(i).text() for i in range(quick.found.count())]
    assert "Select Top k" in titles
    assert "Naive Bayes" not in titles  # takes no weights
    qtbot.keyClicks(quick.field, "select top k")
    qtbot.keyClick(quick.field, Key.Key_Return)
    assert not quick.isVisible()
    assert "Weight by SAM.weights → Select Top k.weights" in wires(window)


def test_moving_operators_is_one_step_and_takes_the_wires_along(window, view, scene, hand):
    before = dict(window.session.document.process["Normalize"].position)
    point = hand.middle(window, "Normalize")
    hand.drag(window, point, point + QPoint(30, 50))
    after = window.session.document.process["Normalize"].position
    assert after["y"] > before["y"]
    frame = scene.frames[0]
    for wire, item in frame.wires.items():
        if wire.to_node == "Normalize":
            end = frame.operators["Normalize"].port_place("examples", outgoing=False)
            assert item.path().currentPosition() == frame.operators["Normalize"].pos() + end
    assert window.session.document.undo_stack.count() == 1
    window.edits.undo()
    assert window.session.document.process["Normalize"].position == before
    assert scene.item_of("Normalize").pos() == QPointF(before["x"] * SCALE, before["y"] * SCALE)


def test_a_rubber_band_selects_and_delete_bridges_the_flow(window, view, scene, hand):
    item = scene.item_of("Normalize")
    corner = view.mapFromScene(item.mapToScene(QPointF(-10, -14)))
    other = view.mapFromScene(item.mapToScene(QPointF(item.width + 10, item.height + 14)))
    hand.drag(window, corner, other)
    assert scene.selected_names() == ["Normalize"]
    press(view, Key.Key_Delete)
    assert names(window) == ["Retrieve", "Weight by SAM"]
    assert "Retrieve.examples → Weight by SAM.examples" in wires(window)


def test_operators_are_dropped_from_the_palette(window, view, hand):
    hand.drop(window, "naive_bayes", QPoint(300, view.viewport().height() - 40))
    assert names(window)[-1] == "Naive Bayes"
    assert window.session.editor.scene.selected_names() == ["Naive Bayes"]


def test_an_operator_dropped_on_a_wire_goes_into_it(window, view, hand):
    start = hand.port(window, "Retrieve", "examples", True)
    end = hand.port(window, "Normalize", "examples", False)
    hand.drop(window, "replace_missing_values", (start + end) / 2)
    new = names(window)[-1]
    assert f"Retrieve.examples → {new}.examples" in wires(window)
    assert f"{new}.examples → Normalize.examples" in wires(window)
    assert "Retrieve.examples → Normalize.examples" not in wires(window)
    cards = [
        item.body().translated(item.pos())
        for item in window.session.editor.scene.frames[0].operators.values()
    ]
    assert not any(one.intersects(two) for one, two in combinations(cards, 2))


def test_the_ports_of_each_type_have_their_own_colour_and_shape(qapp):
    types = (ExampleSet, AttributeWeights, Model, PerformanceVector, Collection)
    for one, two in combinations(types, 2):
        assert port_shape(one) != port_shape(two)
    for theme in (LIGHT, DARK):
        colours = {port_colour(flow, colours_of(theme)).name() for flow in types}
        assert len(colours) == len(types)


def test_double_click_opens_inner_processes(window_of, quickstart, hand):
    window = window_of(quickstart)
    scene = window.session.editor.scene
    hand.double_click(window, hand.middle(window, "Cross Validation"))
    assert [frame.process.name for frame in scene.frames] == ["Training", "Testing"]
    boxes = [frame.rect().translated(frame.pos()) for frame in scene.frames]
    assert not boxes[0].intersects(boxes[1])
    assert window.session.editor.place() == ["Quickstart", "Cross Validation"]
    QTest.keyClick(window, Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert window.session.editor.place() == ["Quickstart"]
    assert scene.selected_names() == ["Cross Validation"]


def test_the_corner_button_opens_inner_processes_too(window_of, quickstart, hand):
    window = window_of(quickstart)
    scene, view = window.session.editor.scene, window.session.editor.view
    item = scene.item_of("Cross Validation")
    hand.click(window, view.mapFromScene(item.mapToScene(item.entrance().center())))
    assert scene.owner == "Cross Validation"


def test_the_level_shown_follows_its_operator(window_of, quickstart):
    window = window_of(quickstart)
    scene = window.session.editor.scene
    scene.enter("Cross Validation")
    quickstart.rename("Cross Validation", "CV")
    assert scene.owner == "CV"
    assert window.session.editor.place() == ["Quickstart", "CV"]
    quickstart.remove(ROOT, ["CV"])
    assert scene.owner is None
    window.edits.undo()
    assert scene.item_of("CV") is not None


def test_a_click_on_the_breadcrumb_leads_out(window_of, quickstart, qtbot):
    editor = window_of(quickstart).session.editor
    editor.scene.enter("Cross Validation")

    qtbot.waitUntil(
        lambda: [b.text() for b in crumbs(editor)] == ["Quickstart", "Cross Validation"]
    )
    QTest.mouseClick(crumbs(editor)[0], Qt.MouseButton.LeftButton)
    assert editor.place() == ["Quickstart"]


def crumbs(editor):
    QApplication.processEvents()  # new buttons are shown by an event
    return [b for b in editor.findChildren(QToolButton, "crumb") if b.isVisible()]


@pytest.fixture
def deep(window_of, registry):
    """Return an editor two levels deep: inside of a Loop in a Subprocess."""
    process = Process("Deep")
    outer = process.add(registry["subprocess"])
    outer.subprocesses[0].add(registry["loop"])
    editor = window_of(Document(process)).session.editor
    editor.scene.enter("Subprocess")
    editor.scene.enter("Loop")
    return editor


def test_the_breadcrumb_follows_the_name_of_an_operator_around(deep):
    document = deep.document
    document.rename("Subprocess", "Own")
    assert [b.text() for b in crumbs(deep)] == ["Deep", "Own", "Loop"]
    # A text of XML only gives another process: nothing says that it is the same operator.
    other = document.process.clone()
    other.rename("Own", "Other")
    document.take_over("Edit XML", other)
    assert [b.text() for b in crumbs(deep)] == ["Deep", "Other", "Loop"]
    crumbs(deep)[1].click()
    assert deep.scene.owner == "Other"


def test_the_breadcrumb_follows_when_an_operator_around_goes(deep):
    deep.document.unwrap("Subprocess")
    assert [b.text() for b in crumbs(deep)] == ["Deep", "Loop"]
    deep.document.undo_stack.undo()
    assert [b.text() for b in crumbs(deep)] == ["Deep", "Subprocess", "Loop"]


def test_an_operator_that_does_not_exist_leaves_the_canvas_as_it_was(deep):
    with pytest.raises(UsageError):
        deep.scene.enter("Nothing")
    assert deep.scene.owner == "Loop"
    assert deep.scene.frames[0].scene() is deep.scene


def test_arrow_keys_go_from_operator_to_operator_and_shift_moves_them(window, view, scene):
    view.setFocus()
    press(view, Key.Key_Right)
    assert scene.selected_names() == ["Retrieve"]
    press(view, Key.Key_Right)
    assert scene.selected_names() == ["Normalize"]
    x = window.session.document.process["Normalize"].position["x"]
    for _ in range(3):
        press(view, Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert window.session.document.process["Normalize"].position["x"] == x + 45
    assert window.session.document.undo_stack.count() == 1


def test_f2_renames_in_place(window, view, scene, qtbot):
    scene.select(["Normalize"])
    QTest.keyClick(window, Key.Key_F2)
    field = QApplication.focusWidget()
    qtbot.keyClicks(field, "Scaled")
    qtbot.keyClick(field, Key.Key_Return)
    assert names(window) == ["Retrieve", "Scaled", "Weight by SAM"]
    assert scene.selected_names() == ["Scaled"]


def test_a_name_that_is_taken_is_refused_in_words(window, view, scene, qtbot):
    scene.select(["Normalize"])
    window.edits.rename()
    qtbot.keyClicks(QApplication.focusWidget(), "Retrieve")
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
    assert 'There already is an operator "Retrieve".' in window.statusBar().currentMessage()
    assert names(window) == ["Retrieve", "Normalize", "Weight by SAM"]


def test_typing_on_the_canvas_adds_an_operator_after_the_selected_one(window, view, scene, qtbot):
    scene.select(["Weight by SAM"])
    view.setFocus()
    qtbot.keyClicks(view, "s")
    qtbot.keyClicks(view.quick_add.field, "elect top k")
    qtbot.keyClick(view.quick_add.field, Key.Key_Return)
    assert "Weight by SAM.weights → Select Top k.weights" in wires(window)


def test_select_all_copy_and_paste_by_keyboard(window, view, scene):
    view.setFocus()
    QTest.keyClick(window, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(scene.selected_names()) == 3
    QTest.keyClick(window, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().startswith("<?xml")
    QTest.keyClick(window, Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert len(names(window)) == 6
    assert "Normalize (2).examples → Weight by SAM (2).examples" in wires(window)
    assert len(scene.selected_names()) == 3


def test_the_context_menu_acts_on_what_is_under_the_mouse(window, view, scene, hand):
    from PyQt6.QtGui import QContextMenuEvent

    point = hand.middle(window, "Normalize")
    view.contextMenuEvent(
        QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, view.mapToGlobal(point))
    )
    menu = QApplication.activePopupWidget()
    assert scene.selected_names() == ["Normalize"]
    action = next(a for a in menu.actions() if a.text() == "Enable or disable")
    action.trigger()
    menu.close()
    assert not window.session.document.process["Normalize"].enabled


def test_replace_from_the_context_menu_keeps_the_wires(window, view, scene, hand, qtbot):
    from PyQt6.QtGui import QContextMenuEvent

    point = hand.middle(window, "Weight by SAM")
    view.contextMenuEvent(
        QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, view.mapToGlobal(point))
    )
    menu = QApplication.activePopupWidget()
    next(a for a in menu.actions() if a.text() == "Replace…").trigger()
    menu.close()
    assert view.quick_add.field.placeholderText() == "Replace Weight by SAM by"
    qtbot.keyClicks(view.quick_add.field, "weight by relief")
    item = view.quick_add.found.item(0)
    place = view.quick_add.found.visualItemRect(item).center()
    QTest.mouseClick(view.quick_add.found.viewport(), Qt.MouseButton.LeftButton, pos=place)
    new = names(window)[-1]
    assert "Relief" in new
    assert wires(window)[1:] == [
        f"Normalize.examples → {new}.examples",
        f"{new}.weights → result 1",
    ]


def test_ctrl_and_wheel_zoom_within_limits(window, view):
    for _ in range(40):
        window.views.zoom_in()
    assert view.zoom == pytest.approx(3.0)
    for _ in range(60):
        window.views.zoom_out()
    assert view.zoom == pytest.approx(0.15)
    window.views.zoom_reset()
    assert view.zoom == pytest.approx(1.0)


def test_tips_tell_what_will_come_through_a_port(window, view, scene, hand, qtbot):
    with qtbot.waitSignal(window.session.checker.found, timeout=20_000):
        window.session.checker.check_now()
    tip = scene.tip_at(view.mapToScene(hand.port(window, "Retrieve", "examples", True)))
    assert "569 rows" in tip
    assert "mean radius" in tip
    assert "more" in tip


def test_an_edit_touches_only_the_items_that_changed(window, scene):
    before = {name: item for name, item in scene.frames[0].operators.items()}
    window.session.document.set_enabled(["Normalize"], False)
    assert scene.frames[0].operators == before
    assert not scene.item_of("Normalize").shown.enabled


def test_notes_are_shown_and_moved(window_of, quickstart, hand):
    window = window_of(quickstart)
    scene, view = window.session.editor.scene, window.session.editor.view
    note = scene.frames[0].notes[0]
    point = view.mapFromScene(note.mapToScene(QPointF(100, 12)))
    hand.drag(window, point, point + QPoint(0, 30))
    assert int(quickstart.process.notes[0].layout["y"]) > 238
    window.edits.undo()
    assert quickstart.process.notes[0].layout["y"] == "238"


def test_500_operators_are_one_item_each(registry, window_of):
    process = Process()
    before = process.add(registry["retrieve"])
    for _ in range(499):
        before = process.add(registry["normalize"], before)
    window = window_of(Document(process))
    frame = window.session.editor.scene.frames[0]
    assert len(frame.operators) == 500
    assert all(isinstance(i, OperatorItem) and not i.childItems() for i in frame.operators.values())
    assert len(window.session.editor.scene.items()) == 1 + 500 + 499


def test_sources_of_a_level_feed_operators(window_of, quickstart, hand):
    window = window_of(quickstart)
    window.session.editor.scene.enter("Cross Validation")
    window.session.editor.view.fit()
    quickstart.remove_wires(TRAINING, quickstart.level(TRAINING).connections)
    start = hand.port(window, SOURCE, "training_set", True)
    hand.drag(window, start, hand.port(window, "Naive Bayes", "examples", False))
    assert wires(window, TRAINING) == ["training_set → Naive Bayes.examples"]


def test_a_wire_cannot_leave_its_process(window_of, quickstart, hand):
    window = window_of(quickstart)
    scene, view = window.session.editor.scene, window.session.editor.view
    scene.enter("Cross Validation")
    view.fit()
    start = hand.port(window, "Weight by SAM", "weights", True)
    testing = scene.frames[1]
    hand.drag(window, start, view.mapFromScene(testing.mapToScene(testing.rect().center())))
    assert not view.quick_add.isVisible()
    assert "A wire cannot leave its process" in window.statusBar().currentMessage()


def test_an_edit_while_a_wire_is_drawn_ends_the_wire(window, view, scene, hand):
    start = hand.port(window, "Normalize", "examples", True)
    hand.hold(window, start, start + QPoint(40, 40))
    window.session.document.remove(ROOT, ["Normalize"])
    hand.let_go(window, start + QPoint(40, 40))
    assert not scene.frames[0].glowing
    assert not view.quick_add.isVisible()


def test_a_plus_behind_a_free_output_offers_what_may_come_next(window_of, registry, qtbot):
    """The last operator of a process that ends there has one; a connected output has none."""
    window = window_of()
    document = window.session.document
    name = document.add(ROOT, registry["retrieve"])
    scene, view = window.session.editor.scene, window.session.editor.view
    scene.select([name])
    item = scene.item_of(name)
    (end, place), *_ = item.plus_places()
    assert scene.plus_at(item.mapToScene(place)) == end
    at = view.mapFromScene(item.mapToScene(place))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    quick = view.quick_add
    assert quick.isVisible()
    offered = [quick.found.item(i).text() for i in range(5)]
    assert "Cross Validation" in offered
    assert not {"Branch", "Handle Exception", "Multiply", "Recall"} & set(offered)
    row = offered.index("Cross Validation")
    quick._take(quick.found.item(row))
    wires = document.process.connections
    assert [(w.from_node, w.to_node) for w in wires] == [(name, "Cross Validation")]
    scene.select([name])
    assert item.plus_places() == []
    steps = window.settings.next_steps()
    assert steps == {("retrieve", "cross_validation"): 1}


def test_replace_is_titled_and_offers_the_same_part_first(window_of, quickstart, qtbot):
    window = window_of(quickstart)
    scene, view = window.session.editor.scene, window.session.editor.view
    scene.enter("Cross Validation")
    scene.select(["Naive Bayes"])
    view.begin_replacing()
    quick = view.quick_add
    assert quick.field.placeholderText() == "Replace Naive Bayes by"
    roles = {quick.found.item(i).data(Qt.ItemDataRole.UserRole).role for i in range(5)}
    assert roles == {"learner"}
