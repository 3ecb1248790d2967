"""The figure of shrunken class centroids: a column of bars per class."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from fsops.data import ShrunkenCentroids
from fsops.plots import class_centroids, figures_for
from fsops.plots.style import BLUE, ORANGE

DIFFERENCES = np.array([[0.5, -4.0, 0.0], [-0.5, 2.0, 1.0]])


def centroids(names="abc", differences=DIFFERENCES):
    return ShrunkenCentroids(names, ["no", "yes"], differences, threshold=1.5)


def bars(ax):
    return np.array(ax.containers[0].patches).reshape(2, -1)


def test_attributes_are_rows_and_classes_are_columns(ax, tick_texts):
    class_centroids(centroids(), ax)
    assert tick_texts(ax.yaxis) == ["b", "c", "a"]
    assert tick_texts(ax.xaxis) == ["no", "yes"]
    assert ax.get_xlabel() == "← below · overall mean · above →\nlongest bar: 4 standard errors"


def test_bars_go_to_the_side_of_the_sign_and_have_one_scale(ax):
    class_centroids(centroids(), ax)
    no, yes = bars(ax)
    assert [bar.get_x() for bar in (*no, *yes)] == [0, 0, 0, 1, 1, 1]
    widths = [bar.get_width() for bar in (*no, *yes)]
    assert np.array(widths) / widths[0] * -4 == pytest.approx([-4, 0, 0.5, 2, 1, -0.5])
    assert abs(widths[0]) < 0.5  # it stays in its column
    colours = [to_hex(bar.get_facecolor()).upper() for bar in (no[0], yes[0])]
    assert colours == [ORANGE, BLUE]


def test_the_largest_of_many_attributes_are_shown(ax, tick_texts):
    many = centroids([f"a{i}" for i in range(60)], np.tile(np.arange(1.0, 61), (2, 1)))
    class_centroids(many, ax)
    assert tick_texts(ax.yaxis)[0] == "a59"
    assert bars(ax).shape == (2, 30)
    assert ax.get_xlabel().endswith("\n30 largest of 60 attributes")


def test_centroids_that_are_all_equal_say_so(ax):
    class_centroids(centroids("", np.zeros((2, 0))), ax)
    assert ax.texts[0].get_text() == "no attribute differs between the classes"


def test_the_figure_is_offered_for_centroids_that_differ():
    assert [maker.name for maker in figures_for(centroids())] == ["class_centroids"]
    assert not figures_for(centroids("", np.zeros((2, 0))))
