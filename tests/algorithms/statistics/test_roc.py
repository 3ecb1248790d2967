"""ROC curves and bins of confidences."""

import numpy as np
import pytest
from sklearn.metrics import auc, roc_curve

from fsops.algorithms.statistics.agreement import auc as area
from fsops.algorithms.statistics.roc import bins_by_confidence, roc_heights


@pytest.mark.parametrize("seed", range(5))
def test_curves_pass_through_the_points_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    confidence = rng.integers(0, 10, 60) / 10
    positive = rng.random(60) < confidence
    false, true, _ = roc_curve(positive, confidence, drop_intermediate=False)
    upper = np.append(np.diff(false) > 0, True)
    found = roc_heights(confidence, positive, false[upper], "neutral")
    assert found == pytest.approx(true[upper])


@pytest.mark.parametrize(
    ("bias", "ties"), [("optimistic", 1.0), ("neutral", 0.5), ("pessimistic", 0.0)]
)
def test_the_area_below_a_curve_is_the_auc_with_these_ties(bias, ties):
    confidence = np.array([0.9, 0.5, 0.5, 0.5, 0.5, 0.1])
    positive = np.array([True, True, False, True, False, False])
    fine = np.linspace(0, 1, 30_001)
    heights = roc_heights(confidence, positive, fine, bias)
    expected = area(confidence[positive], confidence[~positive], ties)
    assert auc(fine, heights) == pytest.approx(expected, abs=1e-3)


def test_one_class_has_no_curve():
    assert np.isnan(roc_heights(np.ones(3), np.ones(3, bool), np.array([0.5]), "neutral")).all()


def test_bins_hold_every_row_once_and_equal_confidences_together():
    confidence = np.array([0.1, 0.9, 0.9, 0.5, 0.3, 0.3, 0.3, 0.2])
    by_rows = [part.tolist() for part in bins_by_confidence(confidence, "absolute", 0, 2)]
    assert by_rows == [[1, 2], [3, 4, 5, 6], [7, 0]]
    by_number = [part.tolist() for part in bins_by_confidence(confidence, "frequency", 4, 0)]
    assert by_number == [[1, 2], [3, 4, 5, 6], [7, 0]]
    by_width = [part.tolist() for part in bins_by_confidence(confidence, "simple", 2, 0)]
    assert by_width == [[1, 2], [3, 4, 5, 6, 7, 0]]
    assert len(bins_by_confidence(np.full(5, 0.5), "simple", 3, 0)) == 1
