"""Kaplan–Meier curves by risk group."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.algorithms.statistics.survival import log_rank
from fsops.plots import figure_bytes, figures_for, survival_curves

TIME = [2.0, 3, 3, 5, 8, 1, 1, 2, 4, 9]
EVENT = [1, 1, 0, 1, 0, 1, 1, 1, 0, 1]
GROUP = ["low"] * 5 + ["high"] * 5


def table(group=GROUP, time=TIME, event=EVENT):
    frame = pd.DataFrame({"a": np.arange(len(time)) * 1.0, "months": time, "died": event})
    roles = {"months": "label", "died": "event"}
    if group is not None:
        frame["risk group"] = pd.Categorical(group, categories=["low", "none", "high"])
        roles["risk group"] = "risk_group"
    return ExampleSet.from_pandas(frame, roles=roles)


def steps(ax):
    lines = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    return {line.get_label(): (line.get_xdata(), line.get_ydata()) for line in lines}


def test_curves_are_products_over_the_times_of_events(ax):
    survival_curves(table(), ax)
    time, low = steps(ax)["low"]
    assert time.tolist() == [0, 2, 3, 5, 8]
    np.testing.assert_allclose(low, [1, 4 / 5, 4 / 5 * 3 / 4, 3 / 5 / 2, 3 / 5 / 2])
    time, high = steps(ax)["high"]
    np.testing.assert_allclose(high, [1, 3 / 5, 2 / 5, 2 / 5, 0])
    p = log_rank(TIME, EVENT, [0] * 5 + [1] * 5)[1]
    assert ax.get_title(loc="left") == f"log-rank test: p = {p:.3f}"
    assert ax.get_xlabel() == "months"


def test_rows_at_risk_are_counted_below_the_ticks(ax):
    survival_curves(table(), ax)
    texts = [text.get_text() for text in ax.texts]
    ticks = [tick for tick in ax.get_xticks() if 0 <= tick <= ax.get_xlim()[1]]
    low = [str(sum(time >= tick for time in TIME[:5])) for tick in ticks]
    high = [str(sum(time >= tick for time in TIME[5:])) for tick in ticks]
    assert texts == ["at risk", "low", *low, "high", *high]


def test_rows_without_a_group_are_left_out_and_missing_times_have_no_figure(ax):
    assert not figures_for(table(time=[np.nan, *TIME[1:]]))
    survival_curves(table(group=[None, *GROUP[1:-1], None]), ax)
    assert steps(ax)["low"][1][1] == pytest.approx(3 / 4)
    assert steps(ax)["high"][1][-1] == pytest.approx(1 / 4)


def test_a_table_without_groups_has_one_curve_and_no_test(ax):
    survival_curves(table(group=None), ax)
    assert len(steps(ax)) == 1
    assert ax.get_title(loc="left") == ""
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("event", "suits"), [(EVENT, True), ([0] * 10, False), ([2.0, *EVENT[1:]], False)]
)
def test_the_figure_suits_tables_with_times_and_events(event, suits):
    names = [maker.name for maker in figures_for(table(event=event))]
    assert ("survival_curves" in names) == suits
    assert "survival_curves" not in [m.name for m in figures_for(ExampleSet.from_numpy([[1.0]]))]


@pytest.mark.parametrize("scale", [1e-9, 1e12])
def test_any_scale_of_time_can_be_drawn(scale):
    rows = table(time=np.array(TIME) * scale)
    assert figure_bytes(figures_for(rows)[0], rows).startswith(b"<?xml")
