"""Criteria over repetitions, and confusion matrices."""

import statistics

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.data import ConfusionMatrix, Criterion, PerformanceVector


def vector(*values, confusion=None, name="accuracy"):
    return PerformanceVector([Criterion(name, values, percent=True)], confusion=confusion)


def counts(*rows, classes=("no", "yes")):
    return ConfusionMatrix(classes, np.array(rows))


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20))
@settings(deadline=None, max_examples=50)
def test_mean_and_deviation_are_those_of_a_sample(values):
    criterion = Criterion("error", tuple(values))
    assert criterion.mean == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-9)
    assert criterion.deviation == pytest.approx(statistics.stdev(values), rel=1e-9, abs=1e-9)
    assert criterion.count == len(values)


def test_a_single_measurement_has_no_deviation():
    assert Criterion("error", (0.5,)).deviation is None


def test_a_criterion_has_a_value(refused):
    with refused('"error"', "no value"):
        Criterion("error", ())


@pytest.mark.parametrize(
    ("criterion", "shown"),
    [
        (Criterion("accuracy", (0.9, 0.95), percent=True), "92.50 % ± 3.54 %"),
        (Criterion("accuracy", (0.9,), percent=True), "90.00 %"),
        (Criterion("error", (1.0, 2.0)), "1.500 ± 0.707"),
        (Criterion("error", (1234.56789,)), "1234.57"),
    ],
)
def test_a_criterion_reads_as_people_write_it(criterion, shown):
    assert str(criterion) == shown


def test_the_first_criterion_is_the_main_one():
    performance = PerformanceVector([Criterion("kappa", (1.0,)), Criterion("error", (0.0,))])
    assert performance.main.name == "kappa"
    assert performance["error"].mean == 0.0
    assert [c.name for c in performance] == ["kappa", "error"]
    assert len(performance) == 2
    assert repr(performance) == "<PerformanceVector kappa: 1, error: 0>"


def test_an_unknown_criterion_is_an_error_that_says_what_there_is(refused):
    with refused('"acuracy"', 'Did you mean "accuracy"?'):
        vector(1.0)["acuracy"]
    with refused('"rmse"', "There are accuracy."):
        vector(1.0)["rmse"]


def test_a_performance_has_a_criterion(refused):
    with refused("at least one criterion"):
        PerformanceVector([])


def test_averaging_keeps_every_repetition_and_adds_the_counts():
    parts = [
        vector(0.5, confusion=counts([1, 1], [0, 0])),
        vector(1.0, 0.75, confusion=counts([2, 0], [0, 3])),
    ]
    total = PerformanceVector.average(parts)
    assert total["accuracy"] == Criterion("accuracy", (0.5, 1.0, 0.75), percent=True)
    assert total.confusion.counts.tolist() == [[3, 1], [0, 3]]
    assert parts[0].confusion.counts.tolist() == [[1, 1], [0, 0]]


def test_counts_are_left_out_where_a_part_has_none():
    parts = [vector(0.5, confusion=counts([1, 1], [0, 0])), vector(1.0)]
    assert PerformanceVector.average(parts).confusion is None


def test_performances_of_different_kinds_cannot_be_averaged(refused):
    with refused("different criteria", '"accuracy"', '"error"'):
        PerformanceVector.average([vector(1.0), vector(1.0, name="error")])
    with refused("different classes", '"no", "yes"', '"a", "b"'):
        PerformanceVector.average(
            [
                vector(1.0, confusion=counts([1, 0], [0, 1])),
                vector(1.0, confusion=counts([1, 0], [0, 1], classes=("a", "b"))),
            ]
        )
    with refused("no performance"):
        PerformanceVector.average([])


def test_a_table_of_criteria_has_a_row_for_each():
    table = vector(0.5, 1.0).to_pandas()
    assert table.iloc[0].tolist() == ["accuracy", 0.75, pytest.approx(0.35355339), 2]


def test_a_confusion_matrix_names_rows_and_columns():
    table = counts([5, 1], [2, 7]).to_pandas()
    assert table.loc["true no", "pred. yes"] == 1
    assert table.loc["true yes", "pred. no"] == 2


def test_equal_performances_are_equal_bit_for_bit():
    nan = float("nan")
    one = vector(nan, 0.5, confusion=counts([1, 0], [0, 1]))
    assert one.equals(vector(nan, 0.5, confusion=counts([1, 0], [0, 1])))
    assert not one.equals(vector(nan, 0.5, confusion=counts([1, 0], [1, 1])))
    assert not one.equals(vector(nan, 0.5))
    assert not one.equals(vector(nan, 0.25, confusion=counts([1, 0], [0, 1])))
    assert not one.equals(vector(nan, confusion=counts([1, 0], [0, 1])))
    assert not vector(0.0).equals(vector(-0.0))
    assert not vector(1.0).equals(vector(1.0, name="error"))
    assert not vector(1.0).equals(1.0)


def test_confusion_matrices_can_be_compared_with_the_equality_sign():
    matrix = counts([1, 0], [0, 1])
    assert matrix == matrix
    assert matrix != counts([1, 0], [0, 2])
