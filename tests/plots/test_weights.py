"""Figures of weights: what is drawn, in which order."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from fsops.data import AttributeWeights
from fsops.plots import score_curve, score_histogram, volcano, weights
from fsops.plots.style import BLUE, ORANGE


def bars(ax):
    return [patch.get_width() for patch in ax.patches]


def test_the_best_weights_are_bars_from_the_top(ax, tick_texts):
    weights(AttributeWeights(["a", "b", "c", "d"], [0.1, 0.9, -0.5, 0.4]), ax, k=3)
    assert bars(ax) == [0.9, 0.4, 0.1]
    assert tick_texts(ax.yaxis) == ["b", "d", "a"]
    low, high = ax.get_ylim()
    assert low > high  # the first row is on top
    assert ax.get_xlabel() == "weight (best 3 of 4)"


def test_negative_weights_have_another_colour(ax):
    weights(AttributeWeights(["a", "b"], [0.5, -0.5]), ax)
    assert [to_hex(p.get_facecolor()).upper() for p in ax.patches] == [BLUE, ORANGE]


def test_ties_keep_the_order_of_the_data(ax, tick_texts):
    weights(AttributeWeights(["z", "y", "x"], [1, 1, 1]), ax)
    assert tick_texts(ax.yaxis) == ["z", "y", "x"]


def test_a_known_deviation_is_drawn_and_an_unknown_is_not(ax):
    spread = [0.1, 0.2]
    weights(AttributeWeights(["a", "b"], [1, 2], details={"deviation": spread}), ax)
    (lines,) = ax.collections
    ends = sorted(segment[:, 0].tolist() for segment in lines.get_segments())
    assert np.allclose(ends, [[0.9, 1.1], [1.8, 2.2]])
    ax.clear()
    weights(AttributeWeights(["a", "b"], [1, 2]), ax)
    assert not ax.collections


def test_unknown_and_infinite_weights_are_marked(ax):
    weights(AttributeWeights(["a", "b", "c", "d"], [1, np.nan, np.inf, -np.inf]), ax)
    marks = {round(text.xy[1]): text.get_text() for text in ax.texts}
    assert marks == {0: "∞", 2: "−∞", 3: "?"}
    assert np.isfinite(bars(ax)).all()


def test_a_selection_shows_who_was_selected(ax, tick_texts):
    weights(AttributeWeights(["a", "b", "c"], [0, 1, 0]), ax)
    assert tick_texts(ax.yaxis) == ["b"]
    assert ax.get_xlabel() == "1 of 3 selected"
    weights(AttributeWeights([f"a{i}" for i in range(30)], np.ones(30)), ax)
    assert ax.get_xlabel() == "30 of 30 selected (shown: 20)"


def test_a_selection_of_nothing_says_so(ax):
    weights(AttributeWeights(["a", "b"], [0, 0]), ax)
    assert not ax.patches
    assert [text.get_text() for text in ax.texts] == ["all 2 weights are 0"]


def test_the_curve_falls_from_the_best_to_the_worst(ax):
    score_curve(AttributeWeights(["a", "b", "c", "d"], [1, 3, np.nan, -2]), ax)
    line = ax.lines[0]
    assert line.get_xdata().tolist() == [1, 2, 3]
    assert line.get_ydata().tolist() == [3, 1, -2]
    assert ax.get_xlabel() == "place (1 unknown or infinite left out)"


def test_the_histogram_counts_every_known_weight(ax):
    values = np.random.default_rng(0).normal(size=500)
    values[:7] = np.nan
    score_histogram(AttributeWeights([f"a{i}" for i in range(500)], values), ax)
    assert sum(patch.get_height() for patch in ax.patches) == 493


def test_a_histogram_of_equal_weights_is_one_bar(ax):
    score_histogram(AttributeWeights(["a", "b"], [2, 2]), ax)
    assert [patch.get_height() for patch in ax.patches] == [2]


DETAILS = {"statistic": [3.0, -2.0, 0.1, 1.0], "p_value": [0.001, 0.01, 0.9, 0.0]}


def test_a_volcano_puts_difference_against_p(ax):
    volcano(AttributeWeights(list("abcd"), np.ones(4), details=DETAILS), ax)
    grey, up, down = (points.get_offsets().tolist() for points in ax.collections)
    assert np.allclose(grey, [[0.1, -np.log10(0.9)]])
    assert np.allclose(up, [[3, 3], [1, 4]])  # p = 0 is a tenth of the smallest other
    assert np.allclose(down, [[-2, 2]])
    assert ax.get_title(loc="left") == "3 of 4 with p < 0.05 (by chance: 0.2)"
    assert {text.get_text() for text in ax.texts} == {"a", "b", "d"}


def test_a_volcano_prefers_an_effect_to_a_statistic_and_names_it_in_words(ax):
    details = {**DETAILS, "rank_correlation": [0.6, -0.5, 0.0, 0.3]}
    volcano(AttributeWeights(list("abcd"), np.ones(4), details=details), ax)
    assert ax.get_xlabel() == "rank correlation"
    assert ax.collections[1].get_offsets()[:, 0].tolist() == [0.6, 0.3]


@pytest.mark.parametrize("key", ["adjusted_p_value", "q_value"])
def test_an_adjusted_p_value_decides(ax, key):
    details = {**DETAILS, key: [0.2, 0.3, 1.0, 0.01]}
    volcano(AttributeWeights(list("abcd"), np.ones(4), details=details), ax)
    assert ax.get_title(loc="left").startswith("1 of 4")
    assert [text.get_text() for text in ax.texts] == ["d"]
    border = next(line for line in ax.lines if line.get_linestyle() == "--").get_ydata()[0]
    assert border == pytest.approx(3.5)  # between "d" at 4 and "a" at 3


@pytest.mark.parametrize("draw", [weights, score_curve, score_histogram, volcano])
def test_no_attributes_give_a_sentence(ax, draw):
    draw(AttributeWeights([], []), ax)
    assert ax.texts[0].get_text().startswith("no ")


@pytest.mark.parametrize("size", [1, 2, 5, 12, 17, 50, 300])
def test_an_axis_of_places_begins_with_place_1(ax, size):
    score_curve(AttributeWeights([f"a{i}" for i in range(size)], np.arange(float(size))), ax)
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert ticks[0] == 1
    assert all(tick == round(tick) for tick in ticks)
    assert len(ticks) >= min(size, 3)
    ax.set_xlim(20.5, 40)
    assert min(ax.get_xticks()) > 1
