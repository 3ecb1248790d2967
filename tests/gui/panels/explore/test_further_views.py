"""Stability, UpSet, parallel coordinates, and the views of predictions."""

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPolygonF

from fsops_gui.panels.explore.catalogue import suitable
from fsops_gui.panels.explore.explorer import Explorer
from fsops_gui.panels.explore.repetitions import sets_of
from fsops_gui.widgets.charts.chart import How


@pytest.fixture
def explorer(qtbot, predicted):
    page = Explorer(predicted)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    return page


def view_of(page, key):
    page.cards[0].show_view(key)
    page.cards[0].repaint()
    return page.cards[0].view


def test_all_views_suit_a_complete_study(explorer):
    keys = {spec.key for spec in suitable(explorer.material)}
    assert {"parallel", "upset", "stability", "confusion", "roc", "errors"} <= keys


def test_a_cell_of_the_stability_matrix_chooses_its_attribute(explorer):
    view = view_of(explorer, "stability")
    assert [explorer.material.names[a] for a in view.shown] == ["a", "c", "e"]
    view.chart.click(view.chart.row_rect(1).center(), How.REPLACE)
    assert explorer.chosen_names() == ["c"]
    assert view.chart.marked_rows.tolist() == [1]
    assert "not chosen" in view.chart.about(1, 9)


def test_intersections_are_exclusive_and_complete(predicted):
    sets = sets_of(predicted)
    assert sets.titles == ("One", "Two")
    together = np.concatenate(sets.parts)
    assert len(set(together.tolist())) == len(together) == int(sets.members.any(axis=0).sum())
    for pattern, part in zip(sets.patterns, sets.parts, strict=True):
        assert (sets.members[:, part] == pattern[:, None]).all()


def test_a_bar_of_the_upset_plot_chooses_its_attributes(explorer):
    view = view_of(explorer, "upset")
    names, column, _ = view.chart._room()
    view.chart.click(QPointF(names + column / 2, 50), How.REPLACE)
    assert explorer.selection.attributes.tolist() == view.sets.parts[0].tolist()
    assert view.marked()[0]


def test_a_drag_along_an_axis_chooses_rows(explorer):
    view = view_of(explorer, "parallel")
    chart = view.chart
    x, y = chart.pixels(np.array([0.0]), np.array([0.5]))
    box = QRectF(x[0] - 5, chart.plot_rect().top() - 5, 10, y[0] - chart.plot_rect().top() + 5)
    chart.choose_inside(QPolygonF(box), How.REPLACE)
    expected = np.flatnonzero(chart.scaled[:, 0] >= chart.point(box.bottomLeft())[1])
    assert explorer.selection.rows.tolist() == expected.tolist()
    assert 0 < len(expected) < 40
    chart.click(QPointF(x[0], y[0]), How.REPLACE)
    assert explorer.selection.attributes.tolist() == [int(view.shown[0])]


def test_a_cell_of_the_confusion_matrix_chooses_its_rows(explorer):
    view = view_of(explorer, "confusion")
    assert view.counts.tolist() == [[23, 2], [1, 14]]
    assert "92.5 %" in view.caption
    chart = view.chart
    cell = chart.row_rect(0).intersected(chart.column_rect(1))
    chart.click(cell.center(), How.REPLACE)
    assert explorer.selection.rows.tolist() == [0, 1]


def test_a_threshold_of_the_roc_curve_chooses_the_rows_that_are_wrong_there(explorer):
    from sklearn.metrics import roc_auc_score, roc_curve

    view = view_of(explorer, "roc")
    true = explorer.material.predictions.column("y")
    score = explorer.material.predictions.column("confidence(yes)")
    assert f"AUC {roc_auc_score(true, score):.3f}" in view.caption
    false, found, limits = roc_curve(true, score, drop_intermediate=False)
    np.testing.assert_allclose(view.false, false)
    np.testing.assert_allclose(view.found, found)
    np.testing.assert_allclose(view.thresholds, limits)
    number = int(np.abs(view.thresholds - 0.5).argmin())
    view.take(number, How.REPLACE)
    wrong = np.flatnonzero((score >= view.thresholds[number]) != (true == 1))
    assert explorer.selection.rows.tolist() == wrong.tolist()
    assert "rows wrong" in view.words(number)


def test_errors_show_the_confidence_in_the_true_class(explorer):
    view = view_of(explorer, "errors")
    assert view.caption == "3 rows wrong"
    assert set(np.argsort(view.chart.ys)[:3].tolist()) == {0, 1, 39}
    explorer.selection.choose_rows(np.array([39]))
    assert view.chart.marked.tolist() == [39]


def test_every_further_view_is_painted_in_both_themes(explorer):
    from fsops_gui.base.theme import DARK, LIGHT, apply_theme

    try:
        for theme in (DARK, LIGHT):
            apply_theme(theme)
            for key in ("parallel", "upset", "stability", "confusion", "roc", "errors"):
                view = view_of(explorer, key)
                explorer.selection.choose_rows(np.arange(3))
                assert not view.grab().isNull()
    finally:
        apply_theme(LIGHT)
