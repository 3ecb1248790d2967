"""Step-down maxT against the package multtest of R."""

from itertools import permutations

import numpy as np
import pytest

from fsops.algorithms.error_control.max_t import MaxT
from fsops.algorithms.filters import univariate

X = np.array(
    [
        [5.1, 4.9, 6.2, 5.8, 3.9, 4.1, 4.6, 3.2],
        [1, 2, 3, 4, 2, 3, 4, 9],
        [0.1, 0.4, 0.35, 0.8, 0.9, 1.5, 1.1, 2.5],
        [7, 7.5, 8, 8.2, 7.1, 7.4, 8.1, 8.3],
        [10, 11, 12, 13, 1, 2, 3, 5],
    ]
).T
# mt.maxT(t(X), y, test, side = "abs", B = 0) of multtest 2.54: all permutations.
TWO = [0, 0, 0, 0, 1, 1, 1, 1]
THREE = [0, 0, 0, 1, 1, 1, 2, 2]
MULTTEST = {
    "t": (TWO, [2, 30, 2, 64, 2], [4, 34, 4, 64, 2], 70),
    "t.equalvar": (TWO, [2, 30, 2, 64, 2], [4, 34, 4, 64, 2], 70),
    "f": (THREE, [158, 20, 28, 178, 154], [292, 178, 152, 292, 292], 560),
}
TESTS = {"t": univariate.welch_t, "t.equalvar": univariate.student_t, "f": univariate.f_test}


@pytest.mark.parametrize("test", MULTTEST)
def test_p_values_are_those_of_multtest(test):
    y, alone, adjusted, orders = MULTTEST[test]

    def statistic(labels):
        return np.abs(TESTS[test](X, np.array(labels), p_values=False).statistic)

    counted = MaxT(statistic(y))
    others = sorted(set(permutations(y)) - {tuple(y)})
    assert len(others) + 1 == orders
    found = counted.p_values(counted.reached(statistic(labels)) for labels in others)
    assert found[0] * orders == pytest.approx(alone)
    assert found[1] * orders == pytest.approx(adjusted)


def test_a_plain_loop_gives_the_same_and_undefined_statistics_get_one():
    rng = np.random.default_rng(0)
    true = np.round(rng.normal(size=9), 1)  # ties
    true[4] = np.nan
    drawn = np.round(rng.normal(size=(50, 9)), 1)
    drawn[3, 2] = np.nan
    counted = MaxT(true)
    alone, adjusted = counted.p_values(counted.reached(row) for row in drawn)
    assert alone[4] == adjusted[4] == 1
    known = [j for j in np.argsort(-true, kind="stable") if j != 4]
    least = 0.0
    for place, j in enumerate(known):
        below = [*known[place:], 4]
        count = 1 + sum(np.nanmax(row[below]) >= true[j] for row in drawn)
        least = max(least, count / 51)
        assert adjusted[j] == pytest.approx(least)
        assert alone[j] == pytest.approx((1 + np.nansum(drawn[:, j] >= true[j])) / 51)


def test_equal_up_to_rounding_counts_as_reached():
    counted = MaxT(np.array([1e12 + 1e-3, 0.0]))
    assert counted.reached(np.array([1e12, 0.0])).all()
