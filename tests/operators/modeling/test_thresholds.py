"""Predictions by a threshold."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    apply_model,
    apply_threshold,
    create_threshold,
    find_threshold,
    logistic_regression,
)


@pytest.fixture
def predicted():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    label = np.where(X[:, 0] + rng.normal(size=80) > 0.8, "yes", "no")
    table = ExampleSet.from_numpy(X, label)
    return apply_model(logistic_regression(table).model, table)


def errors(table, cost_no, cost_yes):
    true, said = table.nominal_values("label"), table.nominal_values("prediction(label)")
    pairs = list(zip(true, said, strict=True))
    return cost_no * pairs.count(("no", "yes")) + cost_yes * pairs.count(("yes", "no"))


def test_a_found_threshold_costs_no_more_than_the_model(predicted):
    threshold = find_threshold(predicted, misclassification_costs_second=5.0)
    changed = apply_threshold(predicted, threshold)
    assert errors(changed, 1, 5) < errors(predicted, 1, 5)
    assert (
        changed.column("confidence(yes)").tolist() == predicted.column("confidence(yes)").tolist()
    )
    swapped = find_threshold(predicted, misclassification_costs_first=5.0, first_label="yes")
    assert swapped.threshold == threshold.threshold


def test_a_threshold_is_a_model_and_decides_above_it(predicted):
    threshold = create_threshold(threshold=0.3, first_class="no", second_class="yes")
    found = apply_model(threshold, predicted).nominal_values("prediction(label)")
    above = predicted.column("confidence(yes)") > 0.3
    assert found == ["yes" if one else "no" for one in above]


def test_the_compatible_formula_weighs_classes_by_their_sizes(predicted):
    ours = find_threshold(predicted)
    theirs = find_threshold(predicted, compatibility="rapidminer")
    assert theirs.threshold in predicted.column("confidence(yes)")
    assert ours.threshold != theirs.threshold


def test_unknown_classes_and_missing_confidences_are_named(predicted):
    threshold = create_threshold(first_class="no", second_class="maybe")
    with pytest.raises(DataError, match='no confidence for the class "maybe"'):
        apply_threshold(predicted, threshold)
    with pytest.raises(DataError, match="no predicted classes"):
        find_threshold(ExampleSet.from_numpy(np.eye(4), ["a", "b", "a", "b"]))
    three = ExampleSet.from_numpy(np.eye(3), ["a", "b", "c"])
    with pytest.raises(DataError, match="Two classes are needed"):
        find_threshold(three)
