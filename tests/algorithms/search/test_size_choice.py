"""The choice of a number of features, computed by hand."""

import numpy as np
import pytest

from fsops.algorithms.search.size_choice import chosen_size

SIZES = np.array([1, 2, 5, 10, 20])
LOSS = np.array([0.50, 0.24, 0.21, 0.20, 0.22])
ERROR = np.array([0.10, 0.10, 0.10, 0.03, 0.10])


def size(rule, sizes=SIZES, loss=LOSS, error=ERROR, **more):
    return int(sizes[chosen_size(sizes, np.array(loss), np.array(error), rule, **more)])


def test_the_rules_by_hand():
    assert size("best") == 10
    assert size("one_standard_error") == 5  # at most 0.20 + 0.03
    assert size("within_percent", percent=0) == 10
    assert size("within_percent", percent=4.9) == 10
    assert size("within_percent", percent=5) == 5  # at most 0.21
    assert size("within_percent", percent=20) == 2  # at most 0.24


def test_the_elbow_is_farthest_below_the_line_to_the_best():
    # From 1 to 10 the line falls by 1; log10(2) = 0.301: 1 - 0.301 - (0.24 - 0.2) / 0.3 = 0.566;
    # log10(5) = 0.699: 1 - 0.699 - (0.21 - 0.2) / 0.3 = 0.268.
    assert size("elbow") == 2
    # After the best nothing counts, and a bump on the way is not an elbow.
    assert size("elbow", loss=[0.5, 0.9, 0.21, 0.2, 0.9]) == 5
    # A straight line has no elbow; a flat curve is best at its start.
    assert size("elbow", SIZES[[0, 3]], [0.5, 0.2], [0, 0]) == 10
    assert size("elbow", loss=[0.3] * 5) == 1
    # A curve that falls late lies above the line: the best is taken.
    assert size("elbow", loss=[0.5, 0.5, 0.5, 0.2, 0.2]) == 10


def test_the_most_stable_of_those_within_one_error():
    assert size("stability_aware", stability=np.array([1.0, 1.0, 0.4, 0.6, 0.7])) == 20
    assert size("stability_aware", stability=np.array([1.0, 1.0, 0.7, 0.7, 0.7])) == 5
    assert size("stability_aware", stability=np.array([1.0, 1.0, np.nan, 0.1, 0.1])) == 10
    with pytest.raises(ValueError, match="needs the stability"):
        size("stability_aware")


@pytest.mark.parametrize("rule", ["best", "one_standard_error", "within_percent", "elbow"])
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_unknown_values_ties_and_any_scale(rule, scale):
    loss = np.array([np.nan, 2.0, 1.0, 1.0, np.nan]) * scale
    assert size(rule, loss=loss, error=[np.nan] * 5) == 5


def test_a_negative_loss_is_a_criterion_to_maximise():
    accuracy = np.array([0.5, 0.80, 0.895, 0.9, 0.85])
    assert size("within_percent", loss=-accuracy, percent=1) == 5  # at least 0.891
    assert size("one_standard_error", loss=-accuracy, error=[0.1] * 5) == 2
