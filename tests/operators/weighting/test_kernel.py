"""Weights by kernels: order of the table, gaps, classes, and what the user is told."""

import numpy as np
import pytest

from fsops import Attribute, ExampleSet
from fsops.algorithms.kernel.clinical import ClinicalRows
from fsops.algorithms.kernel.svm import kernel_svm_forms
from fsops.operators import weight_by_kernel_svm, weight_by_mkl
from fsops.operators.weighting.kernel import warn_of_gap
from fsops.testing import make_examples

WEIGHTINGS = [weight_by_kernel_svm, weight_by_mkl]


def test_golf_has_its_weights_in_the_order_of_the_table(golf):
    weights = weight_by_kernel_svm(golf)
    assert weights.names == ("Outlook", "Temperature", "Humidity", "Wind")
    rows = ClinicalRows.of(golf.numeric(), golf.nominal())
    temperature, humidity, outlook, wind = kernel_svm_forms(rows, golf.label_values()) / 4
    assert weights.values == pytest.approx([outlook, temperature, humidity, wind], rel=1e-6)


@pytest.mark.parametrize("weigh", WEIGHTINGS)
def test_the_order_of_the_columns_does_not_matter(golf, weigh):
    turned = golf.select(["Wind", "Humidity", "Outlook", "Temperature", "Play"])
    one, two = weigh(golf), weigh(turned)
    for name, value in one:
        assert two[name] == pytest.approx(value, abs=2e-3)


@pytest.mark.parametrize("weigh", WEIGHTINGS)
@pytest.mark.parametrize("label", ["binominal", "polynominal"])
def test_gaps_and_several_classes_are_taken_as_they_are(weigh, label):
    weights = weigh(make_examples(60, 3, 3, label=label, missing=0.15))
    assert np.isfinite(weights.values).all()
    assert (weights.values >= 0).all()
    assert weights["num1"] > weights["num3"]
    assert weights["nom1"] > weights["nom3"]


@pytest.mark.parametrize("weigh", WEIGHTINGS)
def test_constant_and_empty_attributes_get_nothing(weigh):
    table = make_examples(30, 2, 1)
    table = table.with_columns(
        [
            (Attribute("same"), np.full(30, 4.2)),
            (Attribute("empty"), np.full(30, np.nan)),
            (Attribute.nominal("one", ["only"]), np.zeros(30, dtype=np.int32)),
        ]
    )
    weights = weigh(table)
    assert [weights["same"], weights["empty"], weights["one"]] == [0, 0, 0]


def test_mkl_tells_how_near_the_others_are(golf):
    weights = weight_by_mkl(make_examples(60, 10, 4))
    chosen = weights.values > 0
    assert weights.values.sum() == pytest.approx(1)
    assert not chosen.all()
    form = weights.details["form"]
    assert form[chosen].min() >= form[~chosen].max() * (1 - 0.02)


def test_mkl_with_another_norm_gives_all_a_weight():
    assert (weight_by_mkl(make_examples(60, 10, 4), norm=2.0).values > 0).all()


def test_the_literal_reading_is_another_order():
    table = make_examples(60, 6, 2)
    fixed, literal = (weight_by_kernel_svm(table, literal=flag).values for flag in (False, True))
    p = len(fixed)
    assert literal == pytest.approx(np.abs(p * fixed - fixed.sum()) / (p - 1))


@pytest.mark.parametrize("weigh", WEIGHTINGS)
def test_one_class_and_a_number_to_predict_are_refused(weigh, refused):
    table = make_examples(20, 2, 1)
    with refused("two classes", '"no"'):
        weigh(table.take(np.arange(0, 20, 2)))
    with refused("A label with classes is needed"):
        weigh(make_examples(20, 2, 1, label="numerical"))


def test_a_gap_that_stays_is_told(listening):
    ctx = listening()
    warn_of_gap(9e-4, 1e-3, ctx)
    assert ctx.warnings == []
    warn_of_gap(0.0123, 1e-3, ctx)
    assert "a gap of 0.012 to the optimum, not at 0.001" in ctx.warnings[0]


def test_the_norm_of_the_weights_is_that_of_the_help(two_classes):
    weights = weight_by_mkl(two_classes, norm=2.0, tolerance=1e-5).values
    p = len(weights)
    assert np.linalg.norm(weights) == pytest.approx(p ** (1 / 2 - 1))


def test_constant_attributes_have_no_meaningful_weights(listening):
    constant = ExampleSet.from_numpy(np.ones((20, 3)), np.array(["a", "b"] * 10))
    heard = listening()
    weight_by_mkl(constant, ctx=heard)
    assert any("no information about the label" in warning for warning in heard.warnings)
