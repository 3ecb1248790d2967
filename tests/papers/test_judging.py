"""Rules that compare printed with measured values."""

import math

import pytest

from fsops.papers.judging import ComparisonVerdict, Status, judge, status_of
from fsops.papers.values import Key, MeasuredValue, Printed

KEY = Key("colon", "MRMR", "10", "error")


def verdict(value, rule, ours, *, error=math.nan, printed_error=math.nan, note="", rows=62):
    line = Printed("p/t", "Table 1", KEY, value, printed_error, rule, note)
    return judge([line], {KEY: MeasuredValue(ours, error)}, {"colon": rows})[0].verdict


@pytest.mark.parametrize(
    ("rule", "near", "far"),
    [
        ("0", 0.1, 0.1001),
        ("0.02", 0.12, 0.1201),
        # 2 * sqrt(0.1 * 0.9 / 62) = 0.0762
        ("error", 0.176, 0.177),
        ("stability", 0.22, 0.221),
    ],
)
def test_a_difference_up_to_the_allowed_one_agrees(rule, near, far):
    assert verdict(0.1, rule, near) is ComparisonVerdict.AGREES
    assert verdict(0.1, rule, far) is ComparisonVerdict.DIFFERS


def test_small_tables_allow_larger_differences_of_stability():
    assert verdict(0.5, "stability", 0.31, rows=45) is ComparisonVerdict.AGREES
    assert verdict(0.5, "stability", 0.31, rows=60) is ComparisonVerdict.DIFFERS


def test_chance_is_three_standard_errors_of_the_difference():
    # sqrt(0.03² + 0.04²) = 0.05
    assert verdict(1.0, "chance", 1.149, error=0.03, printed_error=0.04) is ComparisonVerdict.AGREES
    assert (
        verdict(1.0, "chance", 1.151, error=0.03, printed_error=0.04) is ComparisonVerdict.DIFFERS
    )


def test_a_claim_needs_two_standard_errors():
    assert verdict(0.0, "above", 0.21, error=0.1) is ComparisonVerdict.HOLDS
    assert verdict(0.0, "above", 0.19, error=0.1) is ComparisonVerdict.UNDECIDED
    assert verdict(0.0, "above", -0.19, error=0.1) is ComparisonVerdict.UNDECIDED
    assert verdict(0.0, "above", -0.21, error=0.1) is ComparisonVerdict.FAILS
    assert verdict(0.0, "above", 0.0, error=0.0) is ComparisonVerdict.FAILS


def test_one_split_decides_no_claim():
    assert verdict(0.0, "above", 0.5) is ComparisonVerdict.UNDECIDED


def test_a_printed_value_with_a_note_is_not_compared():
    assert (
        verdict(0.1, "0.5", 0.1, note="another edition of the data")
        is ComparisonVerdict.NOT_COMPARED
    )


def test_a_value_that_is_not_printed_is_shown_without_a_difference():
    (line,) = judge([], {KEY: MeasuredValue(0.3)}, {})
    assert line.verdict is ComparisonVerdict.NOT_PRINTED
    assert math.isnan(line.difference)


def test_the_status_depends_on_the_fraction_that_agrees():
    good, bad, other = (
        ComparisonVerdict.AGREES,
        ComparisonVerdict.UNDECIDED,
        ComparisonVerdict.NOT_COMPARED,
    )
    assert status_of([good] * 9 + [bad, other]) is Status.REPRODUCED
    assert status_of([good] * 8 + [bad] * 2) is Status.PARTLY
    assert status_of([good] * 4 + [bad] * 6) is Status.NOT
    assert status_of([other]) is Status.NOT_RUN


def test_the_standard_error_is_that_of_the_repetitions():
    estimate = MeasuredValue.of([1.0, 2.0, 3.0, math.nan])
    assert estimate.value == 2.0
    assert estimate.error == pytest.approx(1 / math.sqrt(3))
    assert math.isnan(MeasuredValue.of([1.0]).error)
