"""Figures that the page draws itself."""

import math
import re

import numpy as np
import pytest
from lxml import etree

from fsops.data import AttributeWeights, SizeCurves
from fsops.report.html import charts
from fsops.report.html.figures import charts_of


def parsed(chart):
    return [etree.fromstring(svg) for svg in chart.svgs()]


def curves(sizes, methods=2, **changed):
    scores = np.random.default_rng(0).uniform(0, 0.4, size=(methods, len(sizes), 5))
    names = [f"m{i}" for i in range(methods)]
    how = {"criterion": "classification_error", "maximize": False, **changed}
    return SizeCurves(names, sizes, scores, **how)


@pytest.mark.parametrize("sizes", [[3], [1, 2, 5], list(range(1, 101))])
def test_every_known_value_is_a_point_inside_of_the_figure(sizes):
    (chart,) = charts_of(curves(sizes))
    for svg in parsed(chart):
        width, height = map(float, svg.get("viewBox").split()[2:])
        points = svg.findall("g[@class='point']")
        assert len(points) == 2 * len(sizes)
        circles = svg.findall(".//circle[@class='hit']")
        assert all(0 <= float(c.get("cx")) <= width for c in circles)
        assert all(0 <= float(c.get("cy")) <= height for c in circles)


def test_axis_texts_do_not_overlap():
    (chart,) = charts_of(curves(list(range(1, 101))))
    for svg in parsed(chart):
        texts = [t for t in svg.findall("text") if re.fullmatch(r"\d+", t.text or "")]
        at = sorted((float(t.get("x")), len(t.text)) for t in texts)
        gaps = [b[0] - a[0] - 3.2 * (a[1] + b[1]) for a, b in zip(at, at[1:], strict=False)]
        assert min(gaps) > 0


def test_unknown_values_leave_a_gap():
    known = curves([1, 2, 5], methods=1)
    known.scores[0, 1] = np.nan
    (chart,) = charts_of(known)
    assert len(parsed(chart)[0].findall("g[@class='point']")) == 2
    known.scores[:] = np.nan
    assert charts_of(known) == []


def test_a_value_is_told_to_the_pointer():
    (chart,) = charts_of(curves([1, 2]))
    tip = parsed(chart)[0].find("g").get("data-tip")
    assert re.fullmatch(r"m0: \d+\.\d % with 1 attribute, standard error \d+\.\d %", tip)


def test_hostile_names_stay_text():
    evil = "<script>'\"&"
    weights = AttributeWeights([evil, "b"], [2.0, 1.0])
    for svg in parsed(charts_of(weights)[0]):
        group = svg.find("g")
        assert group.get("data-attribute") == evil
        assert evil in group.find("text").text


def test_weights_that_are_0_have_no_bar():
    (chart,) = charts_of(AttributeWeights("abc", [0.0, -2.0, 1.0]))
    assert list(chart.names) == ["c", "b"]
    assert charts_of(AttributeWeights("ab", [0.0, math.nan])) == []


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0.0012, 0.0019), (-3, 250), (1e9, 1e9 + 5), (0, 1e-12)]
)
def test_ticks_are_round_and_cover_the_range(low, high):
    ticks = charts.nice_ticks(low, high)
    assert 2 <= len(ticks) <= 9
    assert ticks[0] <= low + 1e-9 * abs(low)
    assert ticks[-1] >= high - 1e-9 * abs(high)


def test_small_plots_take_what_there_is():
    nothing = np.full((2, 5), np.nan)
    assert charts.box_plot(nothing, ["a", "b"]) == ""
    some = np.array([[1, 2, 3, 4, 5], [np.nan] * 5, [2, 2, 2, 2, 2]], dtype=float)
    svg = etree.fromstring(charts.box_plot(some, ["a", "b", "<c>"]))
    assert len(svg.findall("rect")) == 2
    assert "<c> 2 / 2 / 2 / 2 / 2" in svg.get("data-tip")
    endless = etree.fromstring(charts.effect_plot(math.inf, math.nan, math.nan, (0.0, 2.0)))
    assert len(endless.findall("circle")) == 1
    assert endless.find("path[@class='whisker']") is None
    below = etree.fromstring(charts.frequency_plot(0.3, 0.5))
    assert below.find("rect[@class='bar']") is not None
    assert below.find("path[@class='limit']") is not None


def test_long_names_keep_both_ends():
    assert charts.short("abcdefghijklmnop", 9) == "abcde…nop"


def test_a_band_below_the_axis_ends_at_the_axis():
    line = charts.Line("m", np.array([0.8, 0.9]), ["", ""])
    band = charts.ChanceBand(*(np.array([v, v]) for v in (-0.4, -0.2, 0.3)), "chance")
    chart = charts.LineChart("S", "", "", [1, 2], [line], band, limits=(0.0, 1.0))
    for svg in parsed(chart):
        (shape,) = svg.findall("path[@class='band']")
        heights = [float(y) for y in re.findall(r"[\d.]+ ([\d.]+)", shape.get("d"))]
        grid = [
            float(re.search(r" ([\d.]+)H", g.get("d"))[1])
            for g in svg.findall("path[@class='grid']")
        ]
        assert max(heights) <= max(grid)


def bars_of(values):
    names = [f"a{i}" for i in range(len(values))]
    (chart,) = charts_of(AttributeWeights(names, values))
    return [etree.fromstring(svg) for svg in chart.svgs()]


def test_bars_of_both_signs_have_a_line_at_zero():
    for drawing in bars_of([2.0, -1.0]):
        (zero,) = drawing.findall(".//*[@class='zero']")
        place = float(re.match(r"M([\d.]+) ", zero.get("d"))[1])
        above, below = drawing.findall(".//*[@class='bar']")
        assert float(above.get("x")) == pytest.approx(place, abs=0.1)
        assert float(below.get("x")) + float(below.get("width")) == pytest.approx(place, abs=0.2)
    assert not any(drawing.findall(".//*[@class='zero']") for drawing in bars_of([2.0, 1.0]))


def test_long_numbers_stay_inside_of_the_figure():
    for drawing in bars_of([0.012345678, -0.000123456789]):
        width = float(drawing.get("viewBox").split()[2])
        for text in drawing.findall(".//*[@class='axis']"):
            assert float(text.get("x")) + charts.CHARACTER * len(text.text) <= width


@pytest.mark.parametrize(
    ("chosen", "mark"), [(None, None), ([2, 2], (2, "chosen: 2")), ([1, 2], None)]
)
def test_a_number_that_is_chosen_for_all_methods_is_marked(chosen, mark):
    scores = np.random.default_rng(0).random((2, 3, 4))
    curves = SizeCurves(
        ["one", "other"], np.array([1, 2, 5]), scores,
        criterion="classification_error", maximize=False, chosen=chosen,
    )  # fmt: skip
    (chart,) = charts_of(curves)
    assert chart.mark == mark


def test_bars_of_a_selection_show_how_often_if_that_is_known():
    names, kept = ["a", "b", "c", "d"], [1.0, 0.0, 1.0, 1.0]
    details = {"frequency": [0.8, 0.6, 1.0, 0.9]}
    (chart,) = charts_of(AttributeWeights(names, kept, details=details))
    assert (chart.names, chart.values) == (["c", "d", "a"], [1.0, 0.9, 0.8])
    assert chart.value_name == "frequency"
    assert chart.about == "3 of 4 attributes are selected; bars show how often"
    (plain,) = charts_of(AttributeWeights(names, kept))
    assert (plain.names, plain.about) == (["a", "c", "d"], "3 of 4 attributes are selected")
