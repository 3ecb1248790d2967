"""The overview follows the canvas, and leads it."""

import pytest
from PyQt6.QtCore import QPoint, Qt

from fsops_gui.document.document import Document


@pytest.fixture
def wide(registry):
    """Return a document that is wider than any window."""
    document = Document()
    from fsops.editing.levels import ROOT

    for number in range(12):
        document.add(ROOT, registry["retrieve"], (40 + 400 * number, 60 + 60 * number))
    return document


@pytest.fixture
def window(window_of, wide, qtbot):
    window = window_of(wide)
    window.session.editor.view.set_zoom(1.0)
    qtbot.wait(300)
    return window


def shown(window):
    """Return the middle of what the canvas shows."""
    view = window.session.editor.view
    return view.mapToScene(view.viewport().rect().center())


def test_the_frame_is_what_the_canvas_shows(window):
    seen, all_of_it = window.overview.seen(), window.overview.target()
    assert 0 < seen.width() < all_of_it.width() / 2
    view = window.session.editor.view
    view.horizontalScrollBar().setValue(view.horizontalScrollBar().maximum())
    assert window.overview.seen().left() > seen.left()
    view.set_zoom(0.2)
    assert window.overview.seen().width() > seen.width()


def test_a_click_moves_the_canvas(window, qtbot):
    target = window.overview.target()
    right = QPoint(round(target.right()) - 5, round(target.center().y()))
    before = shown(window).x()
    qtbot.mouseClick(window.overview, Qt.MouseButton.LeftButton, pos=right)
    assert shown(window).x() > before + 1000


def test_the_frame_can_be_dragged(window, qtbot):
    from PyQt6.QtTest import QTest

    overview = window.overview
    start = window.overview.seen().center().toPoint()
    QTest.mousePress(overview, Qt.MouseButton.LeftButton, pos=start)
    places = []
    for step in (20, 40, 60):
        from PyQt6.QtCore import QEvent, QPointF
        from PyQt6.QtGui import QMouseEvent
        from PyQt6.QtWidgets import QApplication

        at = QPointF(start + QPoint(step, 0))
        event = QMouseEvent(
            QEvent.Type.MouseMove, at, overview.mapToGlobal(at), Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(overview, event)
        places.append(shown(window).x())
    QTest.mouseRelease(overview, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 0))
    assert places == sorted(set(places))


def test_arrow_keys_move_the_canvas(window, qtbot):
    before = shown(window).x()
    qtbot.keyClick(window.overview, Qt.Key.Key_Right)
    assert shown(window).x() > before


def test_the_picture_follows_changes_and_levels(window, quickstart, qtbot):
    overview = window.overview

    def picture():
        return overview._picture.toImage()

    before = picture()
    window.edits.select_all()
    window.edits.delete()
    qtbot.waitUntil(lambda: picture() != before, timeout=10_000)
    window.attach(quickstart)
    qtbot.wait(400)
    outside = picture()
    window.session.editor.scene.enter("Cross Validation")
    qtbot.waitUntil(lambda: picture() != outside, timeout=10_000)


def test_a_hidden_overview_draws_nothing(window, qtbot):
    window.docks["overview"].hide()
    before = window.overview._picture
    window.edits.select_all()
    window.edits.delete()
    qtbot.wait(400)
    assert window.overview._picture is before
    window.docks["overview"].show()
    qtbot.waitUntil(lambda: window.overview._picture is not before, timeout=10_000)
