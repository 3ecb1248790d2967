"""Nearest shrunken centroids against scikit-learn, and against the formulas of the paper."""

import warnings

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

from fsops.algorithms.filters.shrunken import Centroids, shrinkage_path


def drawn(seed, n=30, p=8, classes=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    y[:3] = 0  # the classes have different sizes
    X = rng.normal(size=(n, p))
    X[:, 0] += 2 * y
    X[:, 1] -= y == 1
    return X, y


def tables():
    X, y = drawn(1)
    yield "three classes", X, y
    yield "two classes and three attributes", *drawn(2, p=3, classes=2)
    yield "ties", np.round(drawn(3)[0]), y
    constant = X.copy()
    constant[:, 5] = 3.25
    yield "a constant", constant, y
    yield "huge and tiny", X * np.array([1e8, 1e-8, 1, 1, 1e5, 1, 1, 1e-3]), y


TABLES = list(tables())
IDS = [t[0] for t in TABLES]


@pytest.mark.parametrize(("X", "y"), [t[1:] for t in TABLES], ids=IDS)
@pytest.mark.parametrize("threshold", [0.1, 0.8, 2.5])
def test_centroids_are_those_of_scikit_learn(X, y, threshold):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = NearestCentroid(shrink_threshold=threshold).fit(X, y).centroids_
    ours = Centroids.of(X, y)
    moved = ours.errors[:, None] * ours.scale * ours.shrunken(threshold)
    # scikit-learn takes the mean of the rows, too.
    np.testing.assert_allclose(ours.overall + moved, theirs, rtol=1e-10, atol=1e-12)


def plain_differences(X, y):
    """Equations 1 and 2 of the paper (2003), feature by feature."""
    n, classes = len(X), np.unique(y)
    s = []
    for x in X.T:
        inner = sum(((x[y == k] - x[y == k].mean()) ** 2).sum() for k in classes)
        s.append(np.sqrt(inner / (n - len(classes))))
    s0 = np.median(s)
    d = [
        [
            (x[y == k].mean() - x.mean()) / (np.sqrt(1 / (y == k).sum() - 1 / n) * (sj + s0))
            for x, sj in zip(X.T, s, strict=True)
        ]
        for k in classes
    ]
    return np.array(d), np.array(s) + s0


def plain_prediction(X, y, rows, threshold):
    """Discriminant scores (equation 6), row by row, with the fractions of the classes."""
    d, scale = plain_differences(X, y)
    found = []
    for row in rows:
        scores = []
        for k, differences in enumerate(d):
            shrunken = np.sign(differences) * np.maximum(np.abs(differences) - threshold, 0)
            m = np.sqrt(1 / (y == k).sum() - 1 / len(y))
            centroid = X.mean(axis=0) + m * scale * shrunken
            squares = ((row - centroid) ** 2 / scale**2).sum()
            scores.append(squares - 2 * np.log((y == k).mean()))
        found.append(int(np.argmin(scores)))
    return found


@pytest.mark.parametrize(("X", "y"), [t[1:] for t in TABLES], ids=IDS)
def test_differences_and_predictions_are_those_of_the_paper(X, y):
    ours = Centroids.of(X, y)
    np.testing.assert_allclose(ours.differences, plain_differences(X, y)[0], rtol=1e-9, atol=1e-9)
    thresholds = np.array([0.0, 0.5, 1.5])
    predicted = ours.predict(X, thresholds)
    for place, threshold in enumerate(thresholds):
        assert predicted[place].tolist() == plain_prediction(X, y, X, threshold)


def test_the_path_is_that_of_single_fits():
    X, y = drawn(7, n=40)
    part = np.arange(40) % 5
    path = shrinkage_path(X, y, part, steps=6)
    largest = np.abs(plain_differences(X, y)[0]).max(axis=0)
    np.testing.assert_allclose(path.thresholds, np.linspace(0, largest.max(), 6))
    for at, threshold in enumerate(path.thresholds):
        rates = []
        for fold in range(5):
            train = part != fold
            guess = plain_prediction(X[train], y[train], X[~train], threshold)
            rates.append(np.mean(np.array(guess) != y[~train]))
        assert path.errors[at] == pytest.approx(rates)
        assert path.features[at] == (largest > threshold * (1 + 1e-12)).sum()


def test_equal_priors_do_not_favour_the_larger_class():
    X = np.concatenate([np.full(9, 0.0), np.full(3, 1.0)])[:, None]
    X = X + np.tile([-0.4, 0.4, 0.0], 4)[:, None]
    y = np.repeat([0, 1], [9, 3])
    middle = np.array([[0.55]])
    assert Centroids.of(X, y).predict(middle, np.zeros(1)).tolist() == [[0]]
    assert Centroids.of(X, y, equal_priors=True).predict(middle, np.zeros(1)).tolist() == [[1]]


def test_features_constant_within_classes_are_compared_by_the_median_of_the_others():
    X, y = drawn(9, p=4)
    X[:, [1, 2, 3]] = np.column_stack([y, -y, 2 * y])
    ours = Centroids.of(X, y)
    assert np.isfinite(ours.differences).all()
    assert np.abs(ours.differences[:, 1:]).max() > np.abs(ours.differences[:, 0]).max()
    with pytest.raises(ValueError, match="No feature varies within"):
        Centroids.of(y[:, None] * 1.0, y)


def test_too_few_rows_or_classes_are_refused():
    with pytest.raises(ValueError, match="two classes"):
        Centroids.of(np.eye(3), np.zeros(3, int))
    with pytest.raises(ValueError, match="more rows"):
        Centroids.of(np.eye(2), np.array([0, 1]))


@pytest.mark.parametrize(("X", "y"), [t[1:] for t in TABLES], ids=IDS)
@pytest.mark.parametrize("equal_priors", [False, True])
def test_a_weight_is_the_number_of_copies_in_the_same_fold(X, y, equal_priors):
    times, part = np.arange(len(y)) % 4 + 1, np.arange(len(y)) // 3 % 5
    copies = np.repeat(np.arange(len(y)), times)
    given = {"steps": 7, "equal_priors": equal_priors}
    found = shrinkage_path(X, y, part, weights=times, **given)
    expected = shrinkage_path(X[copies], y[copies], part[copies], **given)
    for ours, theirs in (
        (found.thresholds, expected.thresholds),
        (found.errors, expected.errors),
        (found.centroids.differences, expected.centroids.differences),
        (found.centroids.priors, expected.centroids.priors),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    assert found.features.tolist() == expected.features.tolist()


def weighted_differences(X, y, w):
    """The same equations, with sums of weights in place of numbers of rows."""
    n, classes = w.sum(), np.unique(y)
    s, means = [], []
    for x in X.T:
        own = [np.average(x[y == k], weights=w[y == k]) for k in classes]
        means.append(own)
        inner = sum((w * (x - m) ** 2)[y == k].sum() for k, m in zip(classes, own, strict=True))
        s.append(np.sqrt(inner / (n - len(classes))))
    scale = np.array(s) + np.median(s)
    m = np.array([np.sqrt(1 / w[y == k].sum() - 1 / n) for k in classes])
    return (np.array(means).T - np.average(X, axis=0, weights=w)) / (m[:, None] * scale)


@pytest.mark.parametrize(("X", "y"), [t[1:] for t in TABLES], ids=IDS)
def test_fractions_as_weights_follow_the_formulas(X, y):
    w = np.random.default_rng(5).uniform(0.2, 3, len(y))
    ours = Centroids.of(X, y, weights=w)
    np.testing.assert_allclose(
        ours.differences, weighted_differences(X, y, w), rtol=1e-9, atol=1e-9
    )
    assert ours.priors == pytest.approx([w[y == k].sum() / w.sum() for k in np.unique(y)])
    assert np.array_equal(
        ours.predict(X, np.array([0.3, 1.0])),
        Centroids.of(X * 2 - 5, y, weights=w).predict(X * 2 - 5, np.array([0.3, 1.0])),
    )


def test_error_rates_of_folds_are_weighted():
    X, y = drawn(7, n=40)
    w = np.random.default_rng(1).uniform(0.2, 3, 40)
    part = np.arange(40) % 5
    path = shrinkage_path(X, y, part, weights=w, steps=4)
    for fold in range(5):
        train = part != fold
        fitted = Centroids.of(X[train], y[train], weights=w[train])
        wrong = fitted.predict(X[~train], path.thresholds) != y[~train]
        expected = [np.average(each, weights=w[~train]) for each in wrong]
        assert path.errors[:, fold] == pytest.approx(expected)


def test_weights_that_add_up_to_less_than_the_classes_are_refused():
    X, y = drawn(1)
    with pytest.raises(
        ValueError, match="The row weights add up to 2.4, which must be more than 3"
    ):
        Centroids.of(X, y, weights=np.full(30, 0.08))
