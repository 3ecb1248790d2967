"""The figure of importances beside those of shadows (Boruta)."""

import numpy as np
from matplotlib.colors import to_hex

from fsops.data import ImportanceHistory
from fsops.plots import figures_for
from fsops.plots.importance import importance_history
from fsops.plots.style import BLUE, ORANGE

SHADOWS = np.array([[0.0, 0.05, 0.1], [0.0, 0.06, 0.12], [0.01, 0.07, 0.11]])


def history(scale=1.0):
    importances = np.array([[0.05, 1.0 * scale, 0.12]] * 2 + [[np.nan, 1.1 * scale, 0.13]])
    return ImportanceHistory("abc", importances, SHADOWS, np.array([-1, 1, 0]))


def test_rows_are_sorted_and_have_the_colour_of_the_decision(ax, tick_texts):
    importance_history(history(), ax)
    names = tick_texts(ax.yaxis)
    assert names[:3] == ["b", "c", "best shadow"]
    assert set(names[3:]) == {"mean shadow", "a", "smallest shadow"}
    colours = [to_hex(label.get_color()).upper() for label in ax.get_yticklabels()]
    assert colours[:2] == [BLUE, ORANGE]
    assert ax.get_title(loc="left") == "1 confirmed, 1 tentative"


def test_the_line_is_at_the_median_of_the_best_shadow(ax):
    importance_history(history(), ax)
    assert [0.11, 0.11] in [list(line.get_xdata()) for line in ax.lines]
    assert ax.get_xscale() == "linear"


def test_shadows_are_visible_beside_large_importances(ax):
    importance_history(history(100.0), ax)
    assert ax.get_xscale() == "symlog"
    assert ax.get_xlabel().endswith("(logarithmic beyond the dashed line)")


def test_the_figure_is_offered():
    assert [maker.name for maker in figures_for(history())] == ["importance_history"]
