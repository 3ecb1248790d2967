"""Which figures suit which result."""

import re
import time
from functools import partial

import numpy as np
import pytest

from fsops.data import (
    AttributeWeights,
    Collection,
    Criterion,
    ExampleSet,
    FlowObject,
    PerformanceVector,
)
from fsops.plots import figures_for
from fsops.plots.registry import FIGURES, FigureMaker


def names(result):
    return [maker.name for maker in figures_for(result)]


def test_scores_have_a_curve_and_a_selection_has_not():
    attributes = [f"a{i}" for i in range(6)]
    assert names(AttributeWeights(attributes, range(6))) == [
        "weights", "score_curve", "score_histogram",
    ]  # fmt: skip
    assert names(AttributeWeights(attributes, [0, 1, 0, 1, 0, 0])) == ["weights"]


def test_shares_of_a_few_among_zeros_have_no_histogram():
    shares = AttributeWeights([f"a{i}" for i in range(9)], [1, 0.9, 0.5, 0.2, 0, 0, 0, 0, 0])
    assert names(shares) == ["weights", "score_curve"]


@pytest.mark.parametrize(("statistic", "suits"), [([-1, 2], True), ([1, 2], False)])
def test_a_volcano_needs_differences_of_both_signs(statistic, suits):
    details = {"statistic": statistic, "p_value": [0.1, 0.2]}
    assert ("volcano" in names(AttributeWeights("ab", [1, 2], details=details))) == suits


def test_several_weights_are_compared_and_others_are_not():
    weights = AttributeWeights("ab", [1, 2])
    several = ["selection_frequency", "similarity", "overlap_over_size"]
    assert names(Collection([weights] * 3)) == several
    assert names(Collection([weights] * 2)) == [*several, "rank_scatter"]
    assert names(Collection([weights])) == []
    assert names(Collection([weights, PerformanceVector([Criterion("x", (1.0,))])])) == []


def test_a_table_with_classes():
    table = ExampleSet.from_numpy(np.eye(3), ["a", "b", "a"])
    assert names(table) == ["class_boxes", "correlation"]


def test_a_table_without_a_label_is_no_data_to_correlate():
    assert names(ExampleSet.from_numpy(np.eye(3))) == []


def test_what_nobody_knows_has_no_figure():
    assert names(FlowObject()) == []
    assert names(PerformanceVector([Criterion("x", (1.0,))])) == []
    assert names({}) == []


def test_a_name_stands_for_one_figure_of_a_type():
    pairs = [(kind, maker.name) for kind, maker in FIGURES]
    assert len(set(pairs)) == len(pairs)
    assert all(maker.title and maker.draw.__doc__ for _, maker in FIGURES)


@pytest.mark.parametrize("label", [None, np.array(["a", "b", "a", "b"])])
def test_the_figures_of_very_many_attributes_are_found_at_once(label):
    names = [f"gene.{n}" for n in range(100_000)]
    wide = ExampleSet.from_numpy(np.zeros((4, len(names))), label, names=names)
    before = time.process_time()
    found = [maker.name for maker in figures_for(wide)]
    assert time.process_time() - before < 10  # every two names once: minutes
    assert found == ([] if label is None else ["class_boxes"])


def test_every_figure_is_explained_in_sentences():
    for _, maker in FIGURES:
        assert maker.about[0].isupper()
        assert maker.about.endswith(".")
        assert not re.search(r"\bk\b|Draw|----|Parameters|References", maker.about), maker.name


def test_the_explanation_has_the_number_that_is_shown():
    (weights,) = (maker for kind, maker in FIGURES if maker.name == "weights")
    assert weights.about.startswith("The best weights as bars (at most 20), ")


@pytest.mark.parametrize("draw", [partial(print, end=""), lambda result, ax: None])
def test_a_figure_without_a_docstring_is_not_explained(draw):
    assert not FigureMaker("name", "Title", draw, bool).about
