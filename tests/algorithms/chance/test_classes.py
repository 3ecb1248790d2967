"""The fast study of permuted classes against a plain one, fold by fold and column by column."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB

from fsops.algorithms.base import resampling
from fsops.algorithms.chance.classes import TOGETHER, ClassStudy, balanced_accuracy, contrasts
from fsops.algorithms.chance.columns import BestColumns, agreement, standardized
from fsops.algorithms.chance.orders import label_orders, unit_folds
from fsops.algorithms.chance.outcomes import Outcomes, usable_sizes
from fsops.algorithms.stability.similarity import kuncheva


def a_study(n=36, p=30, classes=2, seed=0, shift=1.0, scale=1.0):
    rng = np.random.default_rng(seed)
    codes = np.sort(np.arange(n) % classes)
    X = rng.normal(size=(n, p)) * scale
    X[:, 0] += shift * scale * codes
    X[:, 3] = 7.0  # constant
    X[:, 5] = np.round(X[:, 5] / scale) * scale  # ties
    folds = unit_folds(codes, n, 6, rng)
    weights = resampling.row_counts(resampling.bootstrap(n, 12, rng, strata=codes), n)
    study = ClassStudy(standardized(X), codes, folds, usable_sizes(p), weights, 5)
    return X, study, label_orders(codes, 7, rng).rows


def f_values(X, y):
    varies = np.ptp(X, axis=0) > 0
    found = np.zeros(X.shape[1])
    found[varies] = stats.f_oneway(*(X[y == c][:, varies] for c in np.unique(y))).statistic
    return found


def plain(X, y, folds, sizes):
    """Selections, balanced accuracy with equal priors, and error with the rows' priors."""
    best = {
        f: np.argsort(-f_values(X[folds != f], y[folds != f]), kind="stable") for f in set(folds)
    }
    classes = len(np.unique(y))
    right, wrong = np.zeros((len(sizes), len(y))), np.zeros((len(sizes), len(y)))
    for f, order in best.items():
        for place, k in enumerate(sizes):
            chosen, train = order[:k], folds != f
            for result, priors in ((right, [1 / classes] * classes), (wrong, None)):
                model = GaussianNB(priors=priors, var_smoothing=0)
                model.fit(X[train][:, chosen], y[train])
                result[place, ~train] = model.predict(X[~train][:, chosen]) == y[~train]
    balanced = [np.mean([r[y == c].mean() for c in range(classes)]) for r in right]
    return best, np.array(balanced), 1 - wrong.mean(axis=1)


@pytest.mark.parametrize(("classes", "scale"), [(2, 1.0), (3, 1e30), (4, 1e-30)])
def test_accuracy_error_stability_and_strength_are_those_of_a_plain_study(classes, scale):
    X, study, orders = a_study(classes=classes, scale=scale)
    found = study.outcomes(orders, frequencies=False)
    for number, order in enumerate(orders):
        y, folds = study.codes[order], study.folds[order]
        best, balanced, error = plain(X / scale, y, folds, study.sizes)
        np.testing.assert_allclose(found.score[number], balanced)
        np.testing.assert_allclose(found.error[number], error)
        for place, k in enumerate(study.sizes):
            chosen = np.zeros((len(best), X.shape[1]), dtype=bool)
            for row, ranking in zip(chosen, best.values(), strict=True):
                row[ranking[:k]] = True
            assert found.stability[number, place] == pytest.approx(kuncheva(chosen).mean())
        f = f_values(X / scale, y).max()
        r2 = f * (classes - 1) / (f * (classes - 1) + len(y) - classes)
        assert found.largest[number] == pytest.approx(r2, rel=1e-4)


def test_frequencies_are_those_of_a_plain_bootstrap():
    X, study, orders = a_study(classes=3)
    rows = [np.repeat(np.arange(len(X)), w.astype(int)) for w in study.weights]
    for order in orders[:3]:
        y = study.codes[order]
        times = np.zeros(X.shape[1])
        for drawn in rows:
            times[np.argsort(-f_values(X[drawn], y[drawn]), kind="stable")[:5]] += 1
        np.testing.assert_allclose(study.frequencies(order), times / len(rows))
    largest = study.outcomes(orders).frequency
    np.testing.assert_allclose(largest, [study.frequencies(order).max() for order in orders])


def test_orders_in_parts_give_the_same_as_all_at_once():
    """Products of other shapes may round differently, so bytes are equal only where groups are."""
    _, study, orders = a_study()
    whole = study.outcomes(orders)
    for cuts, tolerance in ((range(0, len(orders), TOGETHER), 0.0), ((0, 1, 6), 1e-4)):
        parts = [orders[a:b] for a, b in pairwise((*cuts, len(orders)))]
        joined = Outcomes.joined([study.outcomes(part) for part in parts])
        for name in ("score", "error", "stability", "largest", "frequency"):
            ours, theirs = getattr(joined, name), getattr(whole, name)
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=0.0)


def test_the_true_order_has_predictions_rankings_and_strengths():
    _, study, orders = a_study(shift=6.0)
    true = study.true_order()
    right = true.answers == study.codes
    np.testing.assert_allclose(
        balanced_accuracy(right, study.codes), study.outcomes(orders[:1]).score[0]
    )
    assert ((true.margins > 0) == (true.answers == 1)).all()
    assert (true.rankings[:, 0] == 0).all()
    assert true.strength.argmax() == 0
    assert true.strength[3] == 0


def test_a_class_that_a_training_set_lacks_is_never_predicted_there():
    rng = np.random.default_rng(1)
    codes = np.array([0] * 10 + [1] * 10 + [2])
    X = rng.normal(size=(21, 8))
    folds = np.arange(21) % 3
    study = ClassStudy(standardized(X), codes, folds, usable_sizes(8), np.ones((2, 21)), 2)
    assert not (study.true_order().answers[:, 20] == 2).any()
    assert np.isfinite(study.outcomes(np.arange(21)[None]).score).all()


@pytest.mark.parametrize("counts", [[5, 5], [3, 9, 1], [4, 0, 6], [7, 0, 0]])
def test_squared_contrasts_add_up_to_the_variance_between_classes(counts):
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(len(counts)), counts)
    x = rng.normal(size=len(codes))
    between = sum((codes == c).sum() * (x[codes == c].mean() - x.mean()) ** 2 for c in set(codes))
    sums = contrasts(np.array(counts))[:, codes] @ x
    assert (sums**2).sum() == pytest.approx(between, abs=1e-12)


def test_the_best_columns_do_not_depend_on_earlier_rows_and_ties_go_to_the_first():
    rng = np.random.default_rng(0)
    scores = np.round(rng.random((200, 40)), 1).astype(np.float32) * rng.choice([1, 9, 0], (200, 1))
    scores = scores.astype(np.float32)
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :7]
    np.testing.assert_array_equal(BestColumns(7).of(scores), expected)


def test_agreement_of_all_columns_has_no_value():
    rankings = np.array([[0, 1, 2], [2, 1, 0]])
    found = agreement(rankings, np.array([1, 2, 3]), 3)
    assert found[0] == pytest.approx(-0.5)
    assert np.isnan(found[2])
