"""A name at every zoom, and frames that fit the window."""

import pytest
from PyQt6.QtCore import QPointF, QSize
from PyQt6.QtGui import QImage, QPainter

from fsops_gui.canvas.look import FIT, FULL_ZOOM, GLYPH_ZOOM, wrapped
from fsops_gui.canvas.wire_item import WireItem


def picture(item, zoom, name):
    """Return how an operator of another name is painted at a zoom."""
    from dataclasses import replace

    item.shown = replace(item.shown, name=name)
    item.set_far(zoom < GLYPH_ZOOM)
    box = item.boundingRect()
    image = QImage((box.size() * zoom).toSize() + QSize(2, 2), QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    painter.scale(zoom, zoom)
    painter.translate(-box.topLeft())
    item.paint(painter, None)
    painter.end()
    return image


@pytest.mark.parametrize("zoom", [0.3, GLYPH_ZOOM, 0.6, FULL_ZOOM, 1.0])
def test_the_name_is_painted_at_every_zoom(scene, zoom):
    item = scene.item_of("Normalize")
    assert picture(item, zoom, "One name") != picture(item, zoom, "Another one")


def test_a_name_is_cut_into_lines_that_fit(qapp):
    lines = wrapped("Weight by Information Gain Ratio", 10.5, 70.0)
    assert len(lines) == 2
    assert lines[1].endswith("…")
    assert wrapped("Sort", 10.5, 70.0) == ("Sort",)


def test_fit_never_makes_names_unreadable(window_of, registry):
    from fsops.core.graph.process import Process
    from fsops_gui.document.document import Document

    process = Process("Long")
    last = process.add(registry["retrieve"], repository_entry="iris")
    for _ in range(30):
        last = process.add(registry["normalize"], last)
    window = window_of(Document(process))
    window.edits.arrange()
    window.views.zoom_fit()
    assert window.session.editor.view.zoom == pytest.approx(FIT)


def test_inner_processes_stand_below_each_other_in_a_narrow_window(window_of, quickstart):
    window = window_of(quickstart)
    scene = window.session.editor.scene
    scene.enter("Cross Validation")
    scene.set_room(3000)
    first, second = (frame.rect().translated(frame.pos()) for frame in scene.frames)
    assert first.right() < second.left()
    scene.set_room(700)
    first, second = (frame.rect().translated(frame.pos()) for frame in scene.frames)
    assert first.bottom() < second.top()
    assert first.width() == second.width()
    for frame in scene.frames:  # wires still end at their ports
        for wire, item in frame.wires.items():
            if wire.to_node == "<sink>":
                assert item.path().currentPosition().x() == pytest.approx(frame.rect().right())


def test_nothing_moves_under_the_mouse_when_a_frame_grows(window_of, chain, hand):
    from fsops.editing.levels import ROOT

    window = window_of(chain)
    view = window.session.editor.view
    view.set_zoom(0.5)
    place = hand.middle(window, "Retrieve")
    chain.move(ROOT, {"Weight by SAM": (520, 340)})
    assert hand.middle(window, "Retrieve") == place


def test_wires_have_right_angles(scene):
    for item in scene.frames[0].wires.values():
        assert isinstance(item, WireItem)
        angles = {round(item.path().angleAtPercent(p)) % 360 for p in (0.0, 1.0)}
        assert angles == {0}
        assert item.path().pointAtPercent(1) != QPointF()
