"""Platt scaling, against scikit-learn's sigmoid on the log odds."""

import numpy as np
import pytest
from sklearn.calibration import _SigmoidCalibration

from fsops import ExampleSet
from fsops.algorithms.statistics.calibration import log_odds, platt_parameters, platt_scaled
from fsops.errors import DataError
from fsops.operators import naive_bayes, rescale_confidences


@pytest.mark.parametrize("seed", range(4))
def test_the_sigmoid_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.02, 0.98, 120)
    positive = rng.random(120) < confidence**2
    a, b = platt_parameters(confidence, positive)
    peer = _SigmoidCalibration().fit(log_odds(confidence), positive.astype(int))
    assert (a, b) == pytest.approx((peer.a_, peer.b_), abs=1e-3)
    assert platt_scaled(confidence, (a, b)) == pytest.approx(
        peer.predict(log_odds(confidence)), abs=1e-4
    )


def test_confidences_of_0_and_1_stay_finite():
    confidence = np.array([0.0, 1.0, 1.0, 0.0, 0.5])
    positive = np.array([False, True, True, False, True])
    found = platt_scaled(confidence, platt_parameters(confidence, positive))
    assert np.isfinite(found).all()
    assert found[0] < found[4] < found[1]


def test_a_model_that_is_too_sure_gets_moderate_confidences():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=(300, 1))
    X = np.repeat(signal, 8, axis=1)  # one attribute eight times: Naive Bayes is far too sure
    label = np.where(signal[:, 0] + rng.normal(size=300) > 0, "yes", "no")
    table = ExampleSet.from_numpy(X, label)
    train, rest = table.take(np.arange(150)), table.take(np.arange(150, 300))
    model = naive_bayes(train)
    scaled = rescale_confidences(model, rest)
    hit = rest.label_values() == 1

    def loss(applied):
        p = np.clip(applied.column("confidence(yes)"), 1e-12, 1 - 1e-12)
        return -np.log(np.where(hit, p, 1 - p)).mean()

    assert loss(scaled.apply(rest)) < 0.7 * loss(model.apply(rest))
    both = scaled.apply(rest)
    assert both.column("confidence(yes)") + both.column("confidence(no)") == pytest.approx(1)


def test_three_classes_are_refused(iris):
    two = iris.take(np.flatnonzero(iris.label_values() < 2))
    with pytest.raises(DataError, match="two are needed"):
        rescale_confidences(naive_bayes(iris), two)
