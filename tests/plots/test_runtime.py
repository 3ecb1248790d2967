"""Where the time went."""

from types import SimpleNamespace

import pytest

from fsops.plots import runtime

TIMINGS = {
    ("Read",): SimpleNamespace(seconds=0.1, runs=1),
    ("Validation", "Training", "Learn"): SimpleNamespace(seconds=1.5, runs=10),
    ("Validation", "Testing", "Apply"): SimpleNamespace(seconds=0.5, runs=10),
    ("Validation",): SimpleNamespace(seconds=2.25, runs=1),
}


def test_inner_operators_stand_below_and_their_time_is_not_counted_twice(ax, tick_texts):
    runtime(TIMINGS, ax)
    assert tick_texts(ax.yaxis) == ["Read", "Validation", "· Learn", "· Apply"]
    widths = [bar.get_width() for bar in ax.patches]
    assert widths[:4] == [0.1, 2.25, 1.5, 0.5]
    assert widths[4:] == pytest.approx([0.1, 0.25, 1.5, 0.5])
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["100 ms", "2.25 s", "1.5 s · 10×", "500 ms · 10×"]


def test_only_the_longest_are_shown(ax, tick_texts):
    runtime(TIMINGS, ax, k=2)
    assert tick_texts(ax.yaxis) == ["Validation", "· Learn"]
    assert ax.get_xlabel() == "seconds (2 of 4 operators)"


def test_iterations_side_by_side_leave_no_negative_time(ax):
    timings = {
        ("V",): SimpleNamespace(seconds=1, runs=1),
        ("V", "x"): SimpleNamespace(seconds=5, runs=2),
    }
    runtime(timings, ax)
    assert ax.patches[2].get_width() == 0
