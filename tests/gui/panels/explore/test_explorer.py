"""What is chosen in one view is marked in all of them."""

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QImage, QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from fsops.errors import UsageError
from fsops_gui.panels.explore.catalogue import SPECS, suitable
from fsops_gui.panels.explore.explorer import Explorer


@pytest.fixture
def explorer(qtbot, material):
    page = Explorer(material)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    return page


def view_of(page, key, card=0):
    page.cards[card].show_view(key)
    view = page.cards[card].view
    page.cards[card].repaint()
    return view


def pixel(chart, number):
    x, y = chart.pixels(chart.xs[[number]], chart.ys[[number]])
    return QPoint(round(x[0]), round(y[0]))


def drag(chart, start, end, modifier=Qt.KeyboardModifier.NoModifier):
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(chart, left, modifier, start)
    for part in (0.3, 0.6, 1.0):
        QTest.mouseMove(chart, start + (end - start) * part)
    QTest.mouseRelease(chart, left, modifier, end)


def test_a_point_of_the_volcano_is_marked_in_every_view(explorer, qtbot):
    volcano, table = view_of(explorer, "volcano", 0), view_of(explorer, "weights", 1)
    by_class, heat = view_of(explorer, "by_class", 2), view_of(explorer, "heat_map", 3)
    qtbot.waitUntil(lambda: heat.shown is not None)
    QTest.mouseClick(volcano.chart, Qt.MouseButton.LeftButton, pos=pixel(volcano.chart, 2))
    assert explorer.chosen_names() == ["c"]
    assert np.flatnonzero(table.table.chosen).tolist() == [2]
    assert by_class.caption == "c"
    assert [heat.chart.row_names[r] for r in heat.chart.marked_rows] == ["c"]
    assert explorer.details.name.text() == "c"
    assert "6 of 10" in explorer.details.folds_words.text()
    assert "Two: place 3" in explorer.details.places.text()
    qtbot.waitUntil(lambda: bool(explorer.details.bars.found))
    assert "c in all views" in explorer.chip.text()


def test_a_row_of_the_table_chooses_and_the_heat_map_does_too(explorer, qtbot):
    table, heat = view_of(explorer, "weights", 1), view_of(explorer, "heat_map", 3)
    place = table.table.visualRect(table.model_.index(1, 1)).center()
    QTest.mouseClick(table.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert explorer.chosen_names() == ["b"]
    qtbot.waitUntil(lambda: heat.shown is not None)
    at = heat.chart.row_rect(list(heat.chart.row_names).index("f")).center()
    QTest.mouseClick(heat.chart, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert explorer.chosen_names() == ["f"]
    table.table.setFocus()
    QTest.keyClick(table.table, Qt.Key.Key_Down)
    assert explorer.chosen_names() != ["f"]


@pytest.mark.parametrize("tool", ["box", "lasso"])
def test_a_drag_over_points_chooses_rows_everywhere(explorer, qtbot, tool):
    from fsops_gui.widgets.charts.chart import Tool

    scatter, pca = view_of(explorer, "scatter", 0), view_of(explorer, "projection", 1)
    qtbot.waitUntil(lambda: len(pca.chart.xs) == 40)
    chart = scatter.charts[0]
    explorer.cards[0].use_tool(Tool(tool))
    at = chart.plot_rect()
    if tool == "box":
        middle = QPointF(at.center().x(), at.bottom())
        drag(chart, at.topLeft().toPoint(), middle.toPoint())
        x = chart.pixels(chart.xs, chart.ys)[0]
        expected = np.flatnonzero(x < at.center().x() - 1)
    else:
        left = Qt.MouseButton.LeftButton
        corners = [at.topLeft(), at.topRight(), at.bottomRight(), at.bottomLeft()]
        QTest.mousePress(chart, left, pos=corners[0].toPoint())
        for corner in corners[1:]:
            QTest.mouseMove(chart, corner.toPoint())
        QTest.mouseRelease(chart, left, pos=corners[-1].toPoint())
        expected = np.arange(40)
    assert set(expected.tolist()) <= set(explorer.selection.rows.tolist())
    assert pca.chart.marked.tolist() == explorer.selection.rows.tolist()
    explorer.selection.undo()
    assert len(pca.chart.marked) == 0


def test_keys_undo_the_selection_and_escape_clears(explorer):
    explorer.selection.choose_attributes(np.array([0]))
    explorer.selection.choose_attributes(np.array([1]))
    chart = view_of(explorer, "volcano", 0).chart
    chart.setFocus()
    QTest.keyClick(explorer, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert explorer.chosen_names() == ["a"]
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert explorer.chosen_names() == []


def test_wheel_zooms_and_a_double_click_shows_all(explorer):
    chart = view_of(explorer, "volcano", 0).chart
    chart.zoom(0.5)
    assert chart.view.right - chart.view.left == pytest.approx(
        0.5 * (chart.home.right - chart.home.left)
    )
    before = chart.view
    chart.move_by(30, 10)
    assert chart.view != before
    QTest.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert chart.view == chart.home


def test_a_plot_is_hovered_zoomed_and_selected_in(explorer):
    """Real events: the mouse moves, its wheel turns, and a click chooses."""
    chart = view_of(explorer, "volcano", 0).chart
    QTest.mouseMove(chart, QPoint(2, 2))
    QTest.mouseMove(chart, pixel(chart, 2))
    assert chart.hover.text.startswith("c\n")
    place, none = QPointF(pixel(chart, 2)), Qt.KeyboardModifier.NoModifier
    turned = QWheelEvent(
        place, QPointF(chart.mapToGlobal(place)), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        none, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(chart, turned)
    assert chart.view.right - chart.view.left < chart.home.right - chart.home.left
    assert QPointF(pixel(chart, 2) - place.toPoint()).manhattanLength() <= 2  # it stays there
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=pixel(chart, 2))
    assert explorer.chosen_names() == ["c"]


def test_hover_names_the_point(explorer):
    chart = view_of(explorer, "volcano", 0).chart
    hover = chart.hit(QPointF(pixel(chart, 0)))
    assert hover.text.startswith("a\n")
    assert "p =" in hover.text


def test_three_attributes_make_three_plots(explorer):
    scatter = view_of(explorer, "scatter", 0)
    assert len(scatter.charts) == 1
    explorer.selection.choose_attributes(np.array([0, 2, 4]))
    assert [(c.x_title, c.y_title) for c in scatter.charts] == [("a", "c"), ("a", "e"), ("c", "e")]


def test_every_view_can_be_shown_and_painted(explorer, qtbot):
    for spec in suitable(explorer.material):
        view = view_of(explorer, spec.key, 0)
        explorer.selection.choose_attributes(np.array([0, 3]))
        explorer.selection.choose_rows(np.arange(5))
        assert not view.grab().isNull()
        explorer.selection.clear()
    assert len({spec.key for spec in SPECS}) == len(SPECS)


def test_one_card_can_have_all_the_room(explorer):
    explorer.enlarge(explorer.cards[2])
    assert [card.isVisible() for card in explorer.cards] == [False, False, True, False]
    explorer.enlarge(explorer.cards[2])
    assert all(card.isVisible() for card in explorer.cards)


def test_weights_alone_are_enough(qtbot):
    from fsops.data import AttributeWeights
    from fsops_gui.panels.explore.material import PortValue, gather

    page = Explorer(gather([PortValue("W", "weights", AttributeWeights(("a", "b"), [1.0, 2.0]))]))
    qtbot.addWidget(page)
    assert [card.key for card in page.cards] == ["weights"]
    said = []
    page.said.connect(said.append)
    page.use()
    page.selection.choose_attributes(np.array([1]))
    page.use()
    assert "Choose attributes first" in said[0]
    assert "not stored a table" in said[1]


def test_the_selection_becomes_an_operator_in_one_step(window, qtbot):
    window.runs.run()
    qtbot.waitUntil(lambda: window.session.run is not None and not window.session.run.running)
    window.views.show_results()
    assert window.results.explore_button.isEnabled()
    window.results.explore()
    qtbot.waitUntil(lambda: window.results.current_tab().view is not None)
    page = window.results.current_tab().view
    assert window.docks.is_folded
    page.choose_names(["mean radius", "mean area", "no such"])
    before = window.session.document.process
    page.use()
    process = window.session.document.process
    (added,) = set(n.name for n in process.walk()) - set(n.name for n in before.walk())
    node = process.find(added)
    assert node.operator.key == "select_attributes"
    assert list(node.parameters["attributes"]) == ["mean radius", "mean area"]
    assert process.incoming(added)["examples"] == page.material.source
    assert process.used_outputs(added)
    assert not window.docks.is_folded
    assert window.session.document.undo_stack.count() == 1
    window.session.document.undo_stack.undo()
    assert window.session.document.process == before
    page.use(leave_out=True)
    added = window.session.document.process
    assert any(n.parameters.get("invert_selection") for n in added.walk())
    page.use(as_prior=True)
    (prior,) = (
        n for n in window.session.document.process.walk() if n.operator.key == "prior_knowledge"
    )
    assert list(prior.parameters["attributes"]) == ["mean radius", "mean area"]


def test_a_small_p_value_fits_into_its_cell(explorer):
    view = view_of(explorer, "weights")
    model = view.table.model_
    head = view.table.horizontalHeader()
    for number, column in enumerate(model.columns):
        if column.kind == "p":
            room = head.sectionSize(number + 2)
            for value in (0.00036, 3e-9, 0.0014, 1.0):
                column.values[:] = value
                text = model._text(0, 0, number)
                assert float(text) == pytest.approx(value, rel=0.02)
                assert view.table.fontMetrics().horizontalAdvance(text) < room - 12


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_a_view_is_saved_as_svg_pdf_or_png(explorer, kind, tmp_path):
    view_of(explorer, "volcano")
    file = tmp_path / f"volcano.{kind}"
    explorer.cards[0].write_picture(file)
    content = file.read_bytes()
    if kind == "pdf":
        assert content.startswith(b"%PDF")
        assert content.rstrip().endswith(b"%%EOF")
        return
    image = QImage.fromData(content)
    view = explorer.cards[0].view
    assert image.width() >= view.width()
    colours = {
        image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)
    }
    assert len(colours) > 5
    if kind == "svg":
        assert b"<text" in content  # letters stay letters


def test_a_picture_of_another_kind_is_refused_with_a_sentence(explorer, tmp_path):
    with pytest.raises(UsageError, match="none of .svg, .pdf and .png"):
        explorer.cards[0].write_picture(tmp_path / "volcano.bmp")
