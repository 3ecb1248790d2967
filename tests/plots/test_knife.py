"""The figure of a KNIFE path."""

import numpy as np
import pytest
from matplotlib.text import Text

from fsops.data.knife import KnifePath
from fsops.plots import figures_for, make_figure
from fsops.plots.knife import weight_path
from fsops.plots.style import PALE

PENALTIES = np.array([0.0, 0.1, 0.2, 0.4])
WEIGHTS = np.array([[0.5, 0.9, 0.3], [0.4, 1.0, 0.1], [0.0, 0.2, 0.0], [0.0, 0.0, 0.0]])


def a_path(penalties=PENALTIES, weights=WEIGHTS, order=(1, 0, 2), names="abc"):
    return KnifePath(
        names, penalties, weights, np.zeros(len(penalties)), order=np.array(order), kernel="linear"
    )


def test_weights_over_the_penalty_largest_first(ax):
    weight_path(a_path(), ax, k=2)
    grey, best, second = ax.lines
    assert grey.get_color() == PALE
    assert best.get_ydata().tolist() == [0.9, 1.0, 0.2, 0.0]
    assert second.get_ydata().tolist() == [0.5, 0.4, 0.0, 0.0]
    assert ax.get_xscale() == "log"
    assert ax.get_xlim() == pytest.approx((0.4, 0.05))
    assert [text.get_text() for text in ax.texts] == ["b", "a"]


def test_a_penalty_of_zero_stands_a_step_below_the_others_and_is_told(ax):
    weight_path(a_path(), ax)
    assert ax.lines[0].get_xdata() == pytest.approx([0.05, 0.1, 0.2, 0.4])
    assert "at the right end 0" in ax.get_xlabel()


def test_a_path_without_a_penalty_of_zero_does_not_mention_it(ax):
    weight_path(a_path(PENALTIES[1:], WEIGHTS[1:]), ax)
    assert ax.get_xlabel() == "penalty, linear kernel"


def test_no_weights_are_told(ax):
    weight_path(a_path(weights=np.zeros((4, 3))), ax)
    assert ax.texts[0].get_text() == "no attribute has a weight"


def test_a_path_has_this_figure_if_it_has_two_steps():
    assert [maker.name for maker in figures_for(a_path())] == ["weight_path"]
    assert figures_for(a_path(PENALTIES[:1], WEIGHTS[:1])) == []


def test_names_of_many_attributes_stay_inside_the_figure_and_apart():
    rng = np.random.default_rng(0)
    names = [f"ENSG0000{j}_a_very_long_name_of_a_gene" for j in range(300)]
    weights = np.sort(rng.random((30, 300)), axis=0)[::-1]
    path = a_path(np.r_[0, np.logspace(-3, 3, 29)], weights, np.arange(300), names)
    figure = make_figure(figures_for(path)[0], path)
    figure.draw_without_rendering()
    # Without the lines that lead to the names.
    boxes = [Text.get_window_extent(text) for text in figure.axes[0].texts]
    assert len(boxes) == 7
    assert max(box.x1 for box in boxes) <= figure.bbox.x1
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
