"""Results in a few marks: the small plots on cards and the counts on wires."""

import numpy as np
import pytest

from fsops import AttributeWeights, ExampleSet
from fsops.data import Criterion, PerformanceVector, StabilityResult
from fsops.runs.watch import OperatorState
from fsops_gui.canvas.look import PLOT
from fsops_gui.canvas.preview import BARS, HISTOGRAM, INTERVAL, Preview, passed_on, preview_of
from fsops_gui.canvas.wire_item import DONE, NEVER_RUN, STALE


def table(rows=12, attributes=4, label=None):
    values = np.random.default_rng(3).normal(size=(rows, attributes))
    y = ["a", "b", "b"] * (rows // 3) if label is None else label
    return ExampleSet.from_numpy(values, y)


def test_weights_are_their_five_best_as_bars():
    weights = AttributeWeights(list("abcdefg"), [1, 7, 3, np.nan, 5, 2, 0])
    preview = preview_of(weights)
    assert (preview.kind, preview.count, preview.caption) == (BARS, "7 weights", "5 of 7 not 0")
    assert [name for name, _, _ in preview.bars] == ["b", "e", "c", "f", "a"]
    assert [part for _, part, _ in preview.bars] == pytest.approx([1, 5 / 7, 3 / 7, 2 / 7, 1 / 7])


def test_weights_of_which_the_smallest_is_best_begin_with_the_smallest():
    preview = preview_of(AttributeWeights(["p", "q", "r"], [0.5, 0.01, 0.9], best="smallest"))
    assert [name for name, _, _ in preview.bars] == ["q", "p", "r"]


def test_equal_weights_show_how_often_each_was_selected():
    details = {"frequency": [0.45, 1.0, 0.2]}
    preview = preview_of(AttributeWeights(["a", "b", "c"], [1.0, 1.0, 0.0], details=details))
    assert [(name, text) for name, _, text in preview.bars][:2] == [("b", "100%"), ("a", "45%")]
    preview = preview_of(AttributeWeights(["a", "b", "c"], [3.0, 2.0, 1.0], details=details))
    assert [text for _, _, text in preview.bars] == ["3", "2", "1"]


def test_infinite_and_constant_weights_are_drawn():
    bars = preview_of(AttributeWeights(["a", "b"], [np.inf, 2.0])).bars
    assert all(0 <= part <= 1 for _, part, _ in bars)
    assert all(part == 0 for _, part, _ in preview_of(AttributeWeights(["a"], [0.0])).bars)


def test_a_performance_is_its_mean_and_deviation_on_an_axis():
    values = (0.8, 0.9, 1.0, 0.7)
    preview = preview_of(PerformanceVector([Criterion("accuracy", values, percent=True)]))
    assert preview.kind == INTERVAL
    assert preview.headline.startswith("85.00 % ±")
    assert preview.ends == ("50%", "100%")
    assert preview.centre == pytest.approx((np.mean(values) - 0.5) / 0.5)
    assert preview.spread == pytest.approx(np.std(values, ddof=1) / 0.5)
    assert preview.values == pytest.approx([(v - 0.5) / 0.5 for v in values])


def test_one_value_and_a_missing_one_can_be_drawn():
    once = preview_of(PerformanceVector([Criterion("rmse", (3.0,), maximize=False)]))
    assert 0 <= once.centre <= 1
    assert once.spread == 0
    assert preview_of(PerformanceVector([Criterion("rmse", (np.nan,))])).kind == ""


def test_a_stability_is_how_often_attributes_were_chosen():
    chosen = np.array([[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]], dtype=bool)
    preview = preview_of(StabilityResult(["x", "y", "z"], chosen.astype(float), chosen, {}))
    assert [(name, text) for name, _, text in preview.bars] == [
        ("x", "100%"), ("z", "50%"), ("y", "25%"),
    ]  # fmt: skip


def test_a_table_has_its_size_and_its_classes():
    preview = preview_of(table())
    assert (preview.count, preview.size) == ("12 × 4", (12, 4))
    assert [(name, text) for name, _, text in preview.bars] == [("b", "8"), ("a", "4")]


def test_a_table_with_a_number_to_predict_has_a_histogram():
    preview = preview_of(table(label=np.linspace(0, 1, 12)))
    assert preview.kind == HISTOGRAM
    assert max(preview.bins) == 1
    assert sum(preview.bins) == pytest.approx(12)


def test_a_wire_shows_how_many_attributes_were_left():
    before, after = Preview("208 × 60", size=(208, 60)), Preview("208 × 10", size=(208, 10))
    assert passed_on(before, after) == "208 × 60 → 10"
    assert passed_on(None, after) == "208 × 10"
    assert passed_on(before, Preview("150 × 10", size=(150, 10))) == "150 × 10"
    assert passed_on(before, Preview("94 %")) == "94 %"


def test_cards_grow_by_their_plot_and_wires_have_counts(scene):
    item, frame = scene.item_of("Weight by SAM"), scene.frames[0]
    plain = item.height
    done = OperatorState("done", seconds=0.1)
    weights = preview_of(AttributeWeights(["a", "b"], [1.0, 2.0]))
    scene.set_runs(dict.fromkeys(("Retrieve", "Normalize", "Weight by SAM"), done))
    scene.set_previews({("Weight by SAM", "weights"): weights})
    assert item.height == plain + PLOT
    wires = {wire.from_node: item for wire, item in frame.wires.items()}
    assert (wires["Weight by SAM"].count, wires["Weight by SAM"].state) == ("2 weights", DONE)
    label, end = wires["Weight by SAM"].label_box, wires["Weight by SAM"].path().currentPosition()
    assert label is not None
    assert label.right() <= end.x() - 20  # left of the port and most of its name
    assert (wires["Normalize"].count, wires["Normalize"].state) == ("", DONE)
    scene.set_runs({"Weight by SAM": OperatorState("done", seconds=0.1, stale=True)})
    assert wires["Weight by SAM"].state == STALE
    assert wires["Normalize"].state == NEVER_RUN
    scene.set_previews({})
    assert item.height == plain


def test_a_plot_covers_nothing_below(window, chain, scene):
    from fsops.editing.levels import ROOT

    at = chain.process["Weight by SAM"].position
    chain.move(ROOT, {"Retrieve": (at["x"], at["y"] + 60)})
    weights = preview_of(AttributeWeights(["a", "b"], [1.0, 2.0]))
    scene.set_previews({("Weight by SAM", "weights"): weights})
    assert scene.item_of("Weight by SAM").plot_box() is None
    chain.move(ROOT, {"Retrieve": (at["x"], at["y"] + 200)})
    assert scene.item_of("Weight by SAM").plot_box() is not None
