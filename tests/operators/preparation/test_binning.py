"""Discretising."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from fsops import ExampleSet
from fsops.core import Process
from fsops.core.checks.propagation import propagate
from fsops.data import metadata_of
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    apply_model,
    discretize_by_bins,
    discretize_by_deviation,
    discretize_by_entropy,
    discretize_by_frequency,
    discretize_by_user_specification,
)
from fsops.operators.preparation.binning import range_names

STYLE = {
    "range_name_type": "long",
    "automatic_number_of_digits": True,
    "number_of_digits": -1,
}


@pytest.fixture
def numbers():
    X = np.random.default_rng(2).normal(size=(60, 3))
    return ExampleSet.from_numpy(X, (X[:, 0] > 0.2).astype(int))


@pytest.mark.parametrize(
    ("discretize", "strategy"),
    [(discretize_by_bins, "uniform"), (discretize_by_frequency, "quantile")],
)
def test_ranges_are_scikit_learns(numbers, discretize, strategy):
    oracle = KBinsDiscretizer(
        5, encode="ordinal", strategy=strategy, quantile_method="linear", subsample=None
    )
    found = discretize(numbers, number_of_bins=5).examples.nominal()
    # No value lies at a limit here but the lowest and the highest, which are in an open range.
    assert found.tolist() == oracle.fit_transform(numbers.numeric()).tolist()


def test_a_value_at_a_limit_belongs_to_the_range_below():
    table = ExampleSet.from_numpy([[0.0], [5.0], [5.1], [10.0]])
    found = discretize_by_bins(table).examples
    assert found.nominal_values("att1") == [
        "range1 [-∞ - 5]",
        "range1 [-∞ - 5]",
        "range2 [5 - ∞]",
        "range2 [5 - ∞]",
    ]


def test_model_applies_the_limits_of_the_training_rows(numbers):
    training, test = numbers.take(np.arange(30)), numbers.take(np.arange(30, 60))
    model = discretize_by_frequency(training, number_of_bins=4, range_name_type="short").model
    cuts = np.quantile(training.numeric(), [0.25, 0.5, 0.75], axis=0)
    oracle = (test.numeric()[:, None, :] > cuts).sum(axis=1)
    found = apply_model(model, test)
    assert found.nominal().tolist() == oracle.tolist()
    assert found.schema.attribute("att1").categories == ("range1", "range2", "range3", "range4")


def test_own_boundaries_have_a_range_on_either_side():
    table = ExampleSet.from_numpy([[-3.0], [0.5], [1.5], [7.0], [math.nan]])
    given = {"define_boundaries": True, "min_value": 0, "max_value": 2, "number_of_bins": 2}
    found = discretize_by_bins(table, range_name_type="interval", **given).examples
    assert found.nominal_values("att1") == [
        "[-∞ - 0.0]",
        "[0.0 - 1.0]",
        "[1.0 - 2.0]",
        "[2.0 - ∞]",
        None,
    ]


def test_number_of_ranges_by_the_root_of_the_known_values():
    table = ExampleSet.from_numpy(
        np.column_stack([np.arange(16.0), [*range(9), *[math.nan] * 7], [1.0] * 16])
    )
    found = discretize_by_frequency(table, use_sqrt_of_examples=True).examples
    counts = [np.bincount(column[column >= 0]).tolist() for column in found.nominal().T]
    assert counts == [[4, 4, 4, 4], [3, 3, 3], [16]]


def test_entropy_cuts_where_the_classes_part(numbers):
    result = discretize_by_entropy(numbers, range_name_type="interval", number_of_digits=3)
    assert result.examples.names == ("att1", "label")
    codes, label = result.examples.column("att1"), numbers.column("label")
    assert codes.tolist() == label.tolist()
    kept = discretize_by_entropy(numbers, remove_useless=False).examples
    assert kept.schema.attribute("att2").categories == ("range1 [-∞ - ∞]",)
    assert apply_model(result.model, numbers.take([3])).names == ("att1", "label")


def test_entropy_cuts_of_a_textbook_case():
    # By hand: 0.5·log2(…) gain 1 bit at 3.5 exceeds (log2 5 + log2 7 − 2)/6 = 0.52; no further cut.
    table = ExampleSet.from_numpy(np.arange(1.0, 7)[:, None], list("aaabbb"))
    found = discretize_by_entropy(table).examples
    assert found.schema.attribute("att1").categories == (
        "range1 [-∞ - 3.500]",
        "range2 [3.500 - ∞]",
    )


def test_deviation_makes_low_middle_and_high():
    x = np.array([0.0, 4, 5, 6, 10])
    found = discretize_by_deviation(ExampleSet.from_numpy(x[:, None]), number_of_deviations=1.0)
    low, high = x.mean() - x.std(ddof=1), x.mean() + x.std(ddof=1)
    assert found.examples.column("att1").tolist() == ((x > low) * 1 + (x > high)).tolist()
    assert len(found.examples.schema.attribute("att1").categories) == 3


def test_ranges_of_ones_own():
    table = ExampleSet.from_numpy([[-1.0], [0.0], [3.0], [8.0], [math.nan]])
    classes = {"high": 5, "low": 0, "top": math.inf}
    found = discretize_by_user_specification(table, classes=classes).examples
    assert found.nominal_values("att1") == ["low", "low", "high", "top", None]
    assert found.schema.attribute("att1").categories == ("low", "high", "top")
    cut = discretize_by_user_specification(table, classes={"?": -0.5, "low": 4}).examples
    assert cut.nominal_values("att1") == [None, "low", "low", None, None]


def test_ranges_of_ones_own_are_known_before_the_run(golf):
    process = Process("P")
    node = process.add(
        discretize_by_user_specification.operator, classes={"a": 70, "b": "Infinity"}
    )
    process.connect(process.source("input 1"), node, "examples")
    known = propagate(process, {"input 1": metadata_of(golf)})
    found = discretize_by_user_specification(golf, classes={"a": 70, "b": math.inf}).examples
    assert known.outputs[node.name]["examples"].schema == found.schema


def test_mistakes_are_told(golf):
    with pytest.raises(ParameterError, match="classes is empty"):
        discretize_by_user_specification(golf, classes={})
    with pytest.raises(ParameterError, match="must be different numbers, but they are 1, 1"):
        discretize_by_user_specification(golf, classes={"a": 1, "b": 1})
    with pytest.raises(ParameterError, match="min_value must be less than max_value"):
        discretize_by_bins(golf, define_boundaries=True, min_value=3, max_value=2)
    unlabelled = golf.drop(["Play"])
    with pytest.raises(DataError, match="no label"):
        discretize_by_entropy(unlabelled)


def test_intervals_get_as_many_digits_as_tell_them_apart():
    style = {**STYLE, "range_name_type": "interval"}
    assert range_names([1.0, 1.04, 1.05], style)[1] == "[1.00 - 1.04]"
    wish = {**style, "automatic_number_of_digits": False, "number_of_digits": 4}
    assert range_names([2.0], wish) == ("[-∞ - 2.0000]", "[2.0000 - ∞]")
    assert range_names([1e-20, 2e-20], style)[1] == "[1e-20 - 2e-20]"


@settings(max_examples=50, deadline=None)
@given(
    st.sets(st.floats(allow_nan=False, allow_infinity=False), max_size=6),
    st.sampled_from(["long", "short", "interval"]),
)
def test_ranges_have_different_names(cuts, kind):
    names = range_names(sorted(cuts), {**STYLE, "range_name_type": kind})
    assert len(set(names)) == len(cuts) + 1
