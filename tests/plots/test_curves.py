"""Figures of selections over the number of attributes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from fsops.data import SizeCurves
from fsops.plots import (
    agreement_over_size,
    figures_for,
    merit_over_size,
    selection_seconds,
    stability_against_merit,
)
from fsops.plots.saving import make_figure

NAN = np.nan


def curves(n_methods=2, sizes=(1, 2, 5, 10), **given):
    mean = np.linspace(0.5, 0.2, len(sizes)) + 0.1 * np.arange(n_methods)[:, None]
    scores = mean[:, :, None] + np.array([-0.1, 0.1])
    names = [f"method {number}" for number in range(1, n_methods + 1)]
    settings = {"criterion": "classification_error", "maximize": False, **given}
    return SizeCurves(names, sizes, scores, **settings)


@pytest.fixture
def full():
    return curves(
        stability=np.array([[0.1, 0.5, 0.8, NAN], [0.9, 0.9, 0.7, NAN]]),
        chosen=(10, 5),
        seconds=np.array([[0.1, 0.3, 0.2], [5.0, 6.0, 40.0]]),
    )


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def rings(ax):
    return [
        (line.get_xdata()[0], line.get_ydata()[0])
        for line in ax.lines
        if line.get_fillstyle() == "none" and len(line.get_xdata())
    ]


def test_merit_is_drawn_with_its_error_and_the_chosen_number(ax, full):
    merit_over_size(full, ax)
    first, second = ax.lines[:2]
    assert first.get_xdata().tolist() == [1, 2, 5, 10]
    assert first.get_ydata() == pytest.approx(full.mean[0])
    assert second.get_ydata() == pytest.approx(full.mean[1])
    assert rings(ax) == [(10, pytest.approx(0.2)), (5, pytest.approx(0.4))]
    assert legend_texts(ax) == ["method 1", "method 2", "chosen"]
    assert ax.get_ylabel() == "classification error"
    low, high = np.quantile(ax.collections[0].get_paths()[0].vertices[:, 1], [0, 1])
    assert (low, high) == (pytest.approx(0.1), pytest.approx(0.6))  # one standard error is 0.1


def test_bands_are_left_out_where_they_would_hide_each_other(ax):
    merit_over_size(curves(5), ax)
    assert not ax.collections


def test_a_single_method_needs_no_legend(ax):
    merit_over_size(curves(1, chosen=(5,)), ax)
    assert ax.get_legend() is None
    assert ax.get_title(loc="left") == "chosen: 5"


def test_small_sizes_are_drawn_apart(ax, tick_texts):
    merit_over_size(curves(1, (1, 2, 5, 10, 100, 1000)), ax)
    assert ax.get_xscale() == "log"
    assert tick_texts(ax.xaxis) == ["1000", "100", "10", "5", "2", "1"]


def test_even_sizes_keep_a_plain_axis(ax):
    merit_over_size(curves(1, (10, 20, 30, 40)), ax)
    assert ax.get_xscale() == "linear"


def test_numbers_below_the_axis_do_not_touch(ax, tick_texts):
    merit_over_size(curves(1, (*range(1, 31), 1000)), ax)
    shown = [int(text) for text in tick_texts(ax.xaxis)]
    places = np.log(shown) / np.log(1000)
    assert len(shown) < 15
    assert (np.diff(places) < -0.06).all()


def test_agreement_is_drawn_where_it_is_known(ax, full):
    agreement_over_size(full, ax)
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 5]
    assert rings(ax) == [(5, 0.7)]  # all attributes have no stability
    assert ax.get_ylabel() == "stability (Kuncheva)"


def test_stability_against_merit_names_the_chosen_number(ax, full):
    stability_against_merit(full, ax)
    assert ax.collections[0].get_offsets().tolist() == [
        pytest.approx([m, s]) for m, s in zip(full.mean[0, :3], full.stability[0, :3], strict=True)
    ]
    assert rings(ax) == [(pytest.approx(0.4), 0.7)]
    assert [text.get_text() for text in ax.texts] == ["5"]
    areas = ax.collections[0].get_sizes()
    assert (np.diff(areas) > 0).all()


def test_times_are_logarithmic_where_they_differ_much(ax, tick_texts, full):
    selection_seconds(full, ax)
    assert tick_texts(ax.yaxis) == ["method 1", "method 2"]
    assert ax.get_xscale() == "log"
    assert ax.lines[1].get_xdata() == pytest.approx([0.2, 0.2])  # the median
    assert ax.lines[3].get_xdata() == pytest.approx([6, 6])


def test_nothing_to_draw_is_said():
    empty = SizeCurves(["a"], [1], np.full((1, 1, 2), NAN), criterion="x", maximize=False)
    told = {
        merit_over_size: "no value of x",
        agreement_over_size: "no size at which the agreement is known",
        stability_against_merit: "no size at which both are known",
        selection_seconds: "no times",
    }
    for draw, text in told.items():
        ax = Figure().add_subplot()
        draw(empty, ax)
        assert ax.texts[0].get_text() == text


def test_figures_suit_what_is_known(full):
    assert [maker.name for maker in figures_for(full)] == [
        "merit_over_size", "agreement_over_size", "stability_against_merit", "selection_seconds",
    ]  # fmt: skip
    assert [maker.name for maker in figures_for(curves(1))] == ["merit_over_size"]


def test_eight_long_names_fit():
    names = [f"A method with a very long name indeed, number {i}" for i in range(8)]
    many = SizeCurves(
        names, [1, 2], np.random.default_rng(0).random((8, 2, 3)), criterion="x", maximize=False,
        stability=np.ones((8, 2)) / 2, chosen=[1] * 8, seconds=np.ones((8, 3)),
    )  # fmt: skip
    for maker in figures_for(many):
        figure = make_figure(maker, many)
        figure.draw_without_rendering()
        legend = figure.axes[0].get_legend()
        if legend is not None:
            assert len({text.get_text() for text in legend.get_texts()}) == 9
            assert legend.get_window_extent().y1 <= figure.bbox.height + 1
        assert figure.axes[0].get_window_extent().height > 0.9 * figure.dpi
