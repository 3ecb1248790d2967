"""Ways of wires, and how wide operators are: nothing is hidden behind anything."""

import pytest
from PyQt6.QtCore import QPointF, QRectF

from fsops.core.graph.process import Process
from fsops.editing.connections import End
from fsops.editing.levels import ROOT
from fsops_gui.canvas.look import SCALE, text_width
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.canvas.wire_routes import AIR, Obstacles, backward_path, wire_path
from fsops_gui.document.document import Document


def points(path, count=200):
    return [path.pointAtPercent(i / count) for i in range(count + 1)]


def box_of(rect):
    return rect.getCoords()


def crossed(path, boxes, count=2000):
    """Return the boxes that a path goes through, found by looking along it."""
    along = points(path, count)
    return [box for box in boxes if any(box.contains(point) for point in along)]


@pytest.fixture
def scene_of(qtbot):
    scenes = []

    def make(document):
        scenes.append(ProcessScene(document))
        return scenes[-1]

    yield make
    for scene in scenes:
        scene.deleteLater()


def test_a_wire_goes_around_an_operator_that_stands_between(qapp):
    box = QRectF(100, -30, 140, 60)
    assert crossed(wire_path(QPointF(0, 0), QPointF(400, 10)), [box]) == [box]
    around = wire_path(QPointF(0, 0), QPointF(400, 10), boxes=[box_of(box)])
    assert not any(box.contains(point) for point in points(around))
    assert (around.pointAtPercent(0), around.pointAtPercent(1)) == (QPointF(0, 0), QPointF(400, 10))


def test_a_box_under_the_arch_of_a_wire_is_not_in_its_way(qapp):
    path = wire_path(QPointF(0, 0), QPointF(400, 300))
    assert crossed(path, [QRectF(10, 200, 60, 60), QRectF(330, 40, 60, 60)]) == []


def test_wires_of_one_operator_pass_another_side_by_side(qapp):
    box = QRectF(100, -30, 140, 60)
    ways = [
        wire_path(QPointF(0, 60 + y), QPointF(400, 0), boxes=[box_of(box)], lane=(i, 2))
        for i, y in enumerate((0, 17))
    ]
    lowest = [max(p.y() for p in points(way) if 100 < p.x() < 240) for way in ways]
    assert lowest[1] - lowest[0] > 4


def test_a_wire_back_to_the_left_goes_around_both_its_operators(qapp):
    boxes = [QRectF(0, 0, 140, 60), QRectF(300, 0, 140, 60)]
    path = backward_path(QPointF(440, 30), QPointF(0, 30), [box_of(box) for box in boxes])
    inner = [box.adjusted(2, 2, -2, -2) for box in boxes]
    assert not any(box.contains(point) for point in points(path) for box in inner)


def test_a_wire_back_to_the_left_passes_between_two_rows(qapp):
    """The shortest way over both would go through the box it comes from."""
    upper, lower = QRectF(0, 0, 130, 56), QRectF(30, 124, 170, 72)
    there = Obstacles([("upper", box_of(upper)), ("lower", box_of(lower))]).between(30, 130)
    path = backward_path(QPointF(130, 32), QPointF(30, 156), there)
    inner = [box.adjusted(2, 2, -2, -2) for box in (upper, lower)]
    assert not any(box.contains(point) for point in points(path) for box in inner)
    assert all(upper.top() < point.y() < lower.bottom() for point in points(path))


def test_obstacles_are_found_by_where_they_stand(qapp):
    boxes = [(str(i), (200 * i, 0, 200 * i + 140, 60)) for i in range(10)]
    found = Obstacles(boxes).between(350, 900, without=("3",))
    assert sorted(left for left, *_ in found) == [400 - AIR, 800 - AIR]


def test_no_wire_crosses_the_names_at_the_edge(scene_of, registry):
    process = Process("Six results")
    table = process.add(registry["retrieve"], repository_entry="breast cancer")
    for _ in range(6):
        process.result(process.add(registry["weight_by_sam"], table))
    frame = scene_of(Document(process)).frames[0]
    labels = []
    for number in range(1, 7):
        place = frame.place(End("<sink>", f"result {number}", outgoing=False))
        width = text_width(f"result {number}")
        labels.append(QRectF(place.x() - 11 - width, place.y() - 14, width, 10))
    for item in frame.wires.values():
        assert crossed(item.path(), labels) == []


def test_with_many_results_the_frame_stays_low_and_holds_them_all(scene_of, registry):
    process = Process("Thirty results")
    table = process.add(registry["retrieve"], repository_entry="breast cancer")
    for _ in range(30):
        process.result(table)
    frame = scene_of(Document(process)).frames[0]
    last = frame.place(End("<sink>", "result 31", outgoing=False))
    assert last.y() < frame.rect().bottom() < 950


def test_the_first_row_has_straight_wires(scene_of, registry):
    document = Document()
    document.add(ROOT, registry["subprocess"])
    scene = scene_of(document)
    end = scene.frames[0].place(End("Subprocess", "input 1", outgoing=False))
    assert scene.frames[0].place(End("<source>", "input 1", outgoing=True)).y() == end.y()


def test_an_operator_is_as_wide_as_its_name(scene_of, registry):
    document = Document()
    document.add(ROOT, registry["compare_feature_selections"])
    item = scene_of(document).item_of("Compare Feature Selections")
    assert not item.cut
    assert item.width >= text_width("Compare Feature Selections", bold=True)


def test_a_name_gives_way_to_the_operator_beside_it_and_the_tip_has_it_whole(scene_of, registry):
    document = Document()
    first = document.add(ROOT, registry["compare_feature_selections"], (45, 34))
    second = document.add(ROOT, registry["normalize"], (165, 34))
    scene = scene_of(document)
    item = scene.item_of(first)
    assert item.cut
    assert item.pos().x() + item.width < scene.item_of(second).pos().x()
    assert scene.tip_at(item.mapToScene(QPointF(40, 10))).startswith("Compare Feature Selections")
    document.move(ROOT, {second: (165, 300)})
    assert not item.cut
    document.undo_stack.undo()
    assert item.cut


def test_what_is_added_after_a_long_name_leaves_room_for_it(scene_of, registry):
    document = Document()
    document.add(ROOT, registry["retrieve"])
    document.rename("Retrieve", "Table of the first study")
    document.add(ROOT, registry["normalize"], None, "Table of the first study")
    assert not scene_of(document).item_of("Table of the first study").cut


def test_a_wire_follows_when_something_is_put_in_its_way(scene_of, chain):
    document = Document(chain.process)
    scene = scene_of(document)
    wire = next(w for w in scene.frames[0].wires if w.to_node == "Weight by SAM")
    path = scene.frames[0].wires[wire].path()
    middle = path.pointAtPercent(0.5)
    document.move(ROOT, {"Weight by SAM": (600, 34)})
    place = scene.item_of("Normalize").pos()
    name = document.add(
        ROOT, document.process["Retrieve"].operator, (380, round(place.y() / SCALE))
    )
    item = scene.item_of(name)
    body = item.body().translated(item.pos())
    assert body.left() > middle.x()
    assert crossed(scene.frames[0].wires[wire].path(), [body]) == []
