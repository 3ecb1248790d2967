"""The figure of knockoffs: advantages of attributes over their copies."""

import numpy as np
from matplotlib.colors import to_hex

from fsops import ExampleSet
from fsops.data import AttributeWeights
from fsops.operators import select_by_knockoffs
from fsops.plots import figures_for, knockoff_statistics
from fsops.plots.style import BLUE, ORANGE, PALE

STATISTIC = [0.5, -0.4, 3.0, 0.0, 2.0]


def selection(values, **more):
    return AttributeWeights(list("abcde"), values, details={"statistic": STATISTIC, **more})


def test_attributes_are_ordered_by_their_advantage_and_coloured_by_the_choice(ax, tick_texts):
    knockoff_statistics(selection([0, 0, 1, 0, 1]), ax)
    assert tick_texts(ax.yaxis) == ["c", "e", "a", "b"]
    colours = [to_hex(bar.get_facecolor()).upper() for bar in ax.patches]
    assert colours == [BLUE, BLUE, PALE, ORANGE]
    assert ax.get_title(loc="left") == "2 of 5 selected"
    assert sorted(line.get_xdata()[0] for line in ax.lines) == [-2.0, 0, 2.0]


def test_small_statistics_are_visible_beside_large_ones(ax):
    weights = AttributeWeights(
        list("abcd"), [1, 1, 0, 0], details={"statistic": [500.0, 2.0, 0.5, -1.0]}
    )
    knockoff_statistics(weights, ax)
    assert ax.get_xscale() == "symlog"
    assert "logarithmic beyond the dashed lines" in ax.get_xlabel()
    width, small = ax.get_window_extent().width, ax.transData.transform([(0, 0), (0.5, 0)])
    assert (small[1] - small[0])[0] > 0.02 * width
    assert 0.0 in ax.get_xticks()


def test_statistics_of_one_size_have_a_linear_axis(ax):
    knockoff_statistics(selection([0, 0, 1, 0, 1]), ax)
    assert ax.get_xscale() == "linear"
    assert ax.get_xlabel() == "← copy better · attribute better →\n4 largest of 5"


def test_without_a_selection_there_is_no_line(ax):
    knockoff_statistics(selection([0] * 5), ax)
    assert ax.get_title(loc="left") == "none of 5 selected"
    assert len(ax.lines) == 1


def test_only_knockoffs_have_the_figure():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 12))
    found = select_by_knockoffs(ExampleSet.from_numpy(X, X[:, 0] + rng.normal(size=60)), fdr=0.5)
    assert "knockoff_statistics" in [maker.name for maker in figures_for(found)]
    for other in (selection([0, 0, 1, 0, 2]), selection([0, 0, 1, 0, 1], p_value=[0.1] * 5)):
        assert "knockoff_statistics" not in [maker.name for maker in figures_for(other)]
