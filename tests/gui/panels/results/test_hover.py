"""The mouse over a figure shows names and values."""

import numpy as np
import pytest
from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QToolTip

from fsops.data import AttributeWeights, Collection, ShrunkenCentroids
from fsops.plots import make_figure
from fsops_gui.panels.results.figures import FigurePage
from fsops_gui.panels.results.hover import hover_text
from fsops_gui.panels.results.views import makers_of

LONG = "an attribute with a name that is far too long for the axis"
WEIGHTS = AttributeWeights(["a", LONG, "c"], np.array([1.0, 2.5, -3.0]))
SIXTY = AttributeWeights([f"a{i}" for i in range(60)], np.arange(60.0))


@pytest.fixture
def figure_of():
    """Return a function that draws a figure of a value by its name."""

    def draw(value, name):
        figure = make_figure(next(m for m in makers_of(value) if m.name == name), value)
        figure.draw_without_rendering()
        return figure

    return draw


def at(figure, x, y):
    """Return the text at a place of the data."""
    return hover_text(figure, *figure.axes[0].transData.transform((x, y)))


def test_a_bar_shows_its_whole_name_and_its_weight(figure_of):
    figure = figure_of(WEIGHTS, "weights")
    assert at(figure, 1.0, 0) == f"{LONG}: weight 2.5"
    assert at(figure, -1.0, 2) == "c: weight -3"
    assert hover_text(figure, 1, 1) == ""  # beside the axes


def test_a_point_of_a_curve_shows_its_attribute(figure_of):
    figure = figure_of(SIXTY, "score_curve")
    assert at(figure, 1, 59).startswith("a59: ")
    assert at(figure, 1, 59).endswith(" 59")
    assert at(figure, 50, 50) == ""  # no point is near


def test_a_bin_of_a_histogram_shows_its_limits_and_its_count(figure_of):
    figure = figure_of(SIXTY, "score_histogram")
    text = at(figure, 1.0, 0.5)
    assert text.startswith("0 to ")
    assert "attributes " in text


def test_a_point_of_the_volcano_shows_its_attribute(figure_of):
    weights = AttributeWeights(
        ["up", "down", "flat"], np.array([3.0, 2.0, 0.1]),
        details={"p_value": np.array([1e-6, 1e-4, 0.9]), "difference": np.array([2.0, -1.0, 0.1])},
    )  # fmt: skip
    figure = figure_of(weights, "volcano")
    assert at(figure, 2.0, 6.0).startswith("up: ")
    assert at(figure, -1.0, 4.0).startswith("down: ")


def test_a_bar_of_combinations_shows_its_selections(figure_of):
    sets = Collection(
        [
            AttributeWeights(["a", "b", "c"], np.array(values), origin=origin)
            for origin, values in {"t-test": [1.0, 1, 0], "SAM": [1.0, 1, 1]}.items()
        ]
    )
    figure = figure_of(sets, "overlap")
    bar = figure.axes[0].containers[0][0]
    assert at(figure, 0, bar.get_y() + bar.get_height() / 2) == "t-test, SAM: 2"


def test_a_bar_of_a_class_shows_its_attribute_its_class_and_its_difference(figure_of):
    centroids = ShrunkenCentroids(
        ["a", "b"], ["no", "yes"], np.array([[2.0, -1.0], [0.0, 0.5]]), threshold=1.0
    )
    figure = figure_of(centroids, "class_centroids")
    assert at(figure, 0.1, 0) == "a, no: 2"
    assert at(figure, -0.1, 1) == "b, no: -1"
    assert at(figure, 0.9, 0) == "a, yes: 0"
    assert at(figure, 1.1, 1) == "b, yes: 0.5"


def test_a_cell_shows_its_row_its_column_and_its_value(figure_of):
    sets = Collection([AttributeWeights(["a", "b"], np.array(v)) for v in ([1.0, 1.0], [1.0, 0.0])])
    figure = figure_of(sets, "similarity")
    assert at(figure, 1, 0) == "repetition 1, repetition 2: 0.5"


def test_the_tip_of_the_window_follows_the_mouse(qtbot):
    page = FigurePage(WEIGHTS, makers_of(WEIGHTS)[0])
    qtbot.addWidget(page)
    page.resize(500, 400)
    page.show()
    qtbot.waitUntil(lambda: page.card is not None and page.card.canvas.width() > 100)
    canvas, axes = page.card.canvas, page.card.figure.axes[0]

    def tip():
        x, y = axes.transData.transform((1.0, 0)) / canvas.device_pixel_ratio
        qtbot.mouseMove(canvas, QPoint(1, 1))
        qtbot.mouseMove(canvas, QPoint(round(x), round(canvas.height() - y)))
        return QToolTip.text()

    qtbot.waitUntil(lambda: tip() == f"{LONG}: weight 2.5")
    QToolTip.hideText()
