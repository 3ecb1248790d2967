"""Figures of LARS paths and eliminations."""

import numpy as np
import pytest
from sklearn.linear_model import lars_path

from fsops.data import EliminationTrace, ExampleSet, StabilityPath
from fsops.operators import lars
from fsops.plots import coefficient_path, elimination, stability_path
from fsops.plots.paths import final_order
from fsops.plots.style import PALE


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    y = 3 * X[:, 2] - 2 * X[:, 0] + 0.01 * X[:, 1] + 0.1 * rng.normal(size=50)
    return ExampleSet.from_numpy(X, y, names=["a", "b", "c", "d"])


def test_the_path_is_that_of_scikit_learn(ax, table):
    coefficient_path(lars(table).model, ax)
    X = table.numeric() - table.numeric().mean(axis=0)
    X /= np.sqrt((X**2).sum(axis=0))
    y = table.column("label") - table.column("label").mean()
    expected = lars_path(X, y, method="lasso")[2]
    strongest = ax.lines[2]  # two attributes are too weak to be named
    assert [line.get_color() for line in ax.lines[:2]] == [PALE, PALE]
    assert np.allclose(strongest.get_ydata(), expected[2])
    assert np.allclose(strongest.get_xdata(), np.abs(expected).sum(axis=0))
    assert [text.get_text() for text in ax.texts] == ["c", "a"]


def test_the_constraint_is_marked(ax, table):
    coefficient_path(lars(table, t=5.0).model, ax)
    assert ax.lines[-1].get_xdata() == pytest.approx([5.0, 5.0])
    assert ax.get_title(loc="left").startswith("constraint t = 5: ")


def test_no_two_named_attributes_have_the_same_colour(ax):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 12))
    examples = ExampleSet.from_numpy(X, X @ np.arange(1.0, 13.0))
    coefficient_path(lars(examples).model, ax)
    colours = [line.get_color() for line in ax.lines if line.get_color() != PALE][: len(ax.texts)]
    assert len(colours) == len(set(colours)) > 3


def test_a_whole_path_has_no_marker(ax, table):
    coefficient_path(lars(table).model, ax)
    assert ax.get_title(loc="left") == ""


ONES = np.ones(3)
WHOLE = EliminationTrace(
    ((3, ("a", "b", "c"), ONES), (2, ("b", "a"), ONES[:2]), (1, ("b",), ONES[:1]))
)
DROPPED = EliminationTrace(
    ((4, ("c", "d"), ONES[:2]), (2, ("a",), ONES[:1]), (1, ("b",), ONES[:1]))
)


def test_the_survivor_comes_first_and_who_was_dropped_first_last():
    assert final_order(WHOLE) == ["b", "a", "c"]
    assert final_order(DROPPED) == ["b", "a", "c", "d"]


def test_places_round_by_round(ax, tick_texts):
    elimination(WHOLE, ax)
    solid = [line for line in ax.lines if line.get_marker() == "o"]
    assert [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in solid] == [
        ([0, 1, 2], [2, 1, 1]),
        ([0, 1], [1, 2]),
        ([0], [3]),
    ]
    assert [text.get_text() for text in ax.texts] == ["b", "a", "c"]
    assert tick_texts(ax.xaxis) == ["3", "2", "1"]


def test_how_long_each_stayed_where_only_the_dropped_are_known(ax, tick_texts):
    elimination(DROPPED, ax)
    assert tick_texts(ax.yaxis) == ["b", "a", "c", "d"]
    lengths = [bar.get_width() for bar in ax.patches]
    assert lengths[0] > lengths[1] > lengths[2] == lengths[3]
    assert tick_texts(ax.xaxis) == ["4", "2", "1"]


def test_an_empty_trace_is_said(ax):
    elimination(EliminationTrace(()), ax)
    assert ax.texts[0].get_text() == "no rounds"


def test_a_stability_path_names_the_selected_attributes(ax):
    frequencies = np.array([[0.5, 0.5, 0.0], [1.0, 0.6, 0.4]])
    path = StabilityPath("abc", np.array([1, 2]), frequencies, threshold=0.6, bound=0.25)
    stability_path(path, ax)
    assert [text.get_text() for text in ax.texts] == ["a", "b"]
    assert ax.get_title(loc="left") == "2 selected (≥ 0.6), at most 0.25 false expected"
    assert ax.lines[0].get_color() == PALE
    assert ax.lines[0].get_ydata().tolist() == [0.0, 0.4]
    assert ax.lines[-1].get_ydata()[0] == 0.6


def test_a_stability_path_without_selections_says_so(ax):
    path = StabilityPath((), np.zeros(0, dtype=int), np.zeros((0, 0)), threshold=0.6, bound=0.0)
    stability_path(path, ax)
    assert ax.texts[0].get_text() == "no half selects an attribute"
