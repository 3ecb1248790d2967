"""Figures of linear models over their penalty."""

import numpy as np

from fsops.data import CoefficientPath
from fsops.plots import figures_for
from fsops.plots.penalties import coefficients_by_penalty
from fsops.plots.style import PALE

PENALTIES = np.array([1.0, 0.1, 0.01])
TABLE = np.array([[0.0, 0.0, 0.0], [2.0, -0.5, 0.0], [3.0, -1.0, 0.2]])


def a_path(**given):
    return CoefficientPath("abc", PENALTIES, TABLE, chosen=1, **given)


def test_attributes_of_the_chosen_penalty_are_named(ax):
    coefficients_by_penalty(a_path(), ax)
    assert [text.get_text() for text in ax.texts] == ["a", "b"]
    assert ax.get_title(loc="left") == "chosen (dashed): 2 attributes"
    assert ax.lines[2].get_color() == PALE
    assert ax.lines[2].get_ydata().tolist() == TABLE[:, 2].tolist()
    assert ax.lines[-1].get_xdata() == [0.1, 0.1]
    assert ax.get_xlim() == (1.0, 0.01)


def test_attributes_of_one_group_have_one_colour(ax):
    coefficients_by_penalty(a_path(groups=["one", "two", "one"]), ax)
    assert [text.get_text() for text in ax.texts] == ["one", "two"]
    first, second, third = (ax.lines[i].get_color() for i in range(3))
    assert first == third != second
    assert ax.get_title(loc="left") == "chosen (dashed): 2 attributes of 2 groups"


def test_an_empty_path_says_so(ax):
    empty = CoefficientPath((), PENALTIES, np.zeros((3, 0)), chosen=0)
    coefficients_by_penalty(empty, ax)
    assert ax.texts[0].get_text() == "no attribute enters the path"


def test_the_figure_is_offered_for_paths():
    assert [maker.name for maker in figures_for(a_path())] == ["coefficients_by_penalty"]
