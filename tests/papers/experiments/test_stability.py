"""Tables of the thesis: how curves become printed values and claims."""

import numpy as np
import pytest

from fsops.papers.experiments.ensembles import Tally, majority
from fsops.papers.experiments.stability import Claim, add_claims, add_curves, smallest
from fsops.papers.values import Key, Measured, MeasuredValue


def test_the_smallest_error_wins_and_of_equal_ones_the_smaller_size():
    assert smallest({20: (0.1, 0.5), 10: (0.1 + 1e-15, 0.4), 5: (0.2, 0.9)}) == 10


def test_values_at_the_smallest_error_are_means_over_the_splits():
    measured = Measured()
    splits = [
        {"A": {5: (0.1, 0.2), 10: (0.3, 0.9)}},
        {"A": {5: (0.4, 0.9), 10: (0.2, 0.6)}},
    ]
    add_curves(measured, "dlbcl", splits, smallest_error=True)
    error = measured.values[Key("dlbcl", "A", measure="error")]
    assert error.value == pytest.approx(0.15)
    assert error.error == pytest.approx(0.05)
    assert measured.values[Key("dlbcl", "A", measure="stability")].value == pytest.approx(0.4)
    assert measured.values[Key("dlbcl", "A", measure="attributes")].value == 7.5


def test_a_claim_compares_with_the_best_of_the_others_over_the_data_sets():
    measured = Measured()
    for data, a, b, c in (("dlbcl", 0.7, 0.5, 0.6), ("lung", 0.6, 0.7, 0.2)):
        for method, value in zip("ABC", (a, b, c), strict=True):
            measured.values[Key(data, method, measure="stability")] = MeasuredValue(value)
    add_claims(measured, [Claim(("A",), ("B", "C"))])
    gain = measured.values[Key("", "A − B, C", measure="stability")]
    assert gain.value == pytest.approx(0.0)
    assert gain.error == pytest.approx(0.1)


def test_a_claim_about_methods_that_were_not_measured_is_left_out():
    measured = Measured(values={Key("dlbcl", "A", measure="stability"): MeasuredValue(0.5)})
    add_claims(measured, [Claim(("A",), ("B",))])
    assert len(measured.values) == 1


def test_the_majority_takes_the_first_class_of_equal_ones():
    votes = [np.array([0, 1, 2]), np.array([1, 1, 0]), np.array([0, 2, 1])]
    assert majority(votes).tolist() == [0, 1, 0]


def test_a_tally_has_errors_and_the_agreement_of_the_folds_by_size_and_on_average():
    tally = Tally(np.array(list("abcd"), dtype=object))
    for size, orders in ((2, ([0, 1], [0, 1])), (1, ([0], [1]))):
        for order in orders:
            tally.add_selection("base", size, np.array(order))
    for method in ("base", "ECA"):
        for size, errors in ((2, (0.2, 0.4)), (1, (0.0, 0.2))):
            for error in errors:
                tally.add_error(method, size, error)
    values = tally.values()
    assert values["base", "2", "error"] == pytest.approx(0.3)
    assert values["base", "10-100", "error"] == pytest.approx(0.2)
    assert values["base", "2", "stability"] == pytest.approx(1.0)
    # Two sets of one attribute each that differ: below chance by 1/3 of four attributes.
    assert values["base", "1", "stability"] == pytest.approx(-1 / 3)
    assert values["base", "10-100", "stability"] == pytest.approx(1 / 3)
    assert values["ECA", "10-100", "error"] == pytest.approx(0.2)
    assert ("ECA", "10-100", "stability") not in values
