"""With compatibility rapidminer operators give RapidMiner's numbers.

The formulas are written here again, one row at a time. Values with five digits are RapidMiner's, for
the table Golf (Quinlan 1986) that comes with it.
"""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.data import Attribute
from fsops.operators import (
    discretize_by_frequency,
    k_nn,
    naive_bayes,
    weight_by_gini_index,
    weight_by_information_gain_ratio,
    weight_by_relieff,
)

THEIRS = {"compatibility": "rapidminer"}
GOLF = """sunny 85 85 false no/sunny 80 90 true no/overcast 83 78 false yes/rain 70 96 false yes/
rain 68 80 false yes/rain 65 70 true no/overcast 64 65 true yes/sunny 72 95 false no/
sunny 69 70 false yes/rain 75 80 false yes/sunny 75 70 true yes/overcast 72 90 true yes/
overcast 81 75 false yes/rain 71 80 true no"""
GOLF_CONFIDENCES = [
    0.71097, 0.83823, 0.01423, 0.41185, 0.22530, 0.33632, 0.00985,
    0.59610, 0.24770, 0.23811, 0.51424, 0.03756, 0.00934, 0.45254,
]  # fmt: skip


@pytest.fixture
def golf():
    rows = [row.split() for row in GOLF.replace("\n", "").split("/")]
    outlook, temperature, humidity, wind, play = map(np.array, zip(*rows, strict=True))
    numbers = np.column_stack([temperature, humidity]).astype(float)
    table = ExampleSet.from_numpy(numbers, play, names=["Temperature", "Humidity"])
    for name, values in (("Outlook", outlook), ("Wind", wind)):
        categories = list(dict.fromkeys(values.tolist()))
        codes = np.array([categories.index(v) for v in values], dtype=np.int32)
        table = table.with_columns([(Attribute.nominal(name, categories), codes)])
    return table


@pytest.fixture(params=["two classes", "three unbalanced classes", "ties", "large and tiny"])
def numbers(request):
    """Return awkward numbers and their classes."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    if request.param == "three unbalanced classes":
        y = np.array([0] * 25 + [1] * 12 + [2] * 3)
    if request.param == "ties":
        X = X.round()
        X[:, 4] = 1.0
    if request.param == "large and tiny":
        X *= [1e9, 1e-9, 1.0, 1e3, 1e-3]
    X[:, 0] += y * X[:, 0].std()
    return X, y


def table_of(X, y):
    return ExampleSet.from_numpy(X, np.array(["a", "b", "c"])[y])


# --- Naive Bayes ----------------------------------------------------------------------------------


def test_naive_bayes_gives_the_confidences_of_rapidminer(golf):
    confidences = naive_bayes(golf, **THEIRS).apply(golf).column("confidence(no)")
    assert confidences == pytest.approx(GOLF_CONFIDENCES, abs=5e-6)
    ours = naive_bayes(golf).apply(golf).column("confidence(no)")
    assert np.abs(ours - confidences).max() > 0.1


def test_naive_bayes_of_numbers_divides_by_one_less(numbers):
    X, y = numbers
    joint = np.log(np.bincount(y) / len(y))[None, :].repeat(len(X), 0)
    for c in np.unique(y):
        deviation = np.maximum(X[y == c].std(axis=0, ddof=1), 0.001)
        density = -0.5 * ((X - X[y == c].mean(axis=0)) / deviation) ** 2 - np.log(deviation)
        varying = np.ptp(X, axis=0) > 0
        joint[:, c] += density[:, varying].sum(axis=1)
    expected = np.exp(joint - joint.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    applied = naive_bayes(table_of(X, y), **THEIRS).apply(table_of(X, y))
    for c, name in enumerate(np.array(["a", "b", "c"])[np.unique(y)]):
        assert applied.column(f"confidence({name})") == pytest.approx(expected[:, c], abs=1e-9)


# --- k-NN -----------------------------------------------------------------------------------------


def votes(d, y, k, classes):
    near = np.argsort(d, kind="stable")[:k]
    total, counts = d[near].sum(), np.zeros(classes)
    equal = k == 1 or total == 0
    np.add.at(counts, y[near], 1 / k if equal else (1 - d[near] / total) / (k - 1))
    return counts


@pytest.mark.parametrize("k", [1, 2, 7])
def test_neighbours_vote_as_in_rapidminer(k):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 3
    X[20:23] = X[20]  # all distances of these are 0 for k = 2
    new = np.vstack([X, rng.normal(size=(10, 3))])
    applied = k_nn(table_of(X, y), number_of_neighbors=k, **THEIRS).apply(
        ExampleSet.from_numpy(new)
    )
    found = np.column_stack([applied.column(f"confidence({c})") for c in "abc"])
    distances = np.sqrt(((new[:, None] - X) ** 2).sum(axis=2))
    expected = np.array([votes(d, y, k, 3) for d in distances])
    clear = np.array([len(set(np.sort(d)[k - 1 : k + 1])) == 2 for d in distances])
    assert clear.sum() > 30
    assert found[clear] == pytest.approx(expected[clear], abs=1e-12)


def test_neighbours_predict_numbers_as_in_rapidminer():
    rng = np.random.default_rng(2)
    X, y, new = rng.normal(size=(25, 2)), rng.normal(size=25), rng.normal(size=(9, 2))
    model = k_nn(ExampleSet.from_numpy(X, y), number_of_neighbors=4, **THEIRS)
    found = model.apply(ExampleSet.from_numpy(new)).column("prediction(label)")
    distances = np.sqrt(((new[:, None] - X) ** 2).sum(axis=2))
    near = np.argsort(distances, axis=1)[:, :4]
    d = np.take_along_axis(distances, near, axis=1)
    expected = (y[near] * (1 - d / d.sum(axis=1, keepdims=True)) / 3).sum(axis=1)
    assert found == pytest.approx(expected)


# --- weights --------------------------------------------------------------------------------------


def entropy(counts):
    p = counts[counts > 0] / counts.sum()
    return -(p * np.log2(p)).sum()


def splits(x, y):
    """Return the class counts below and above every midpoint."""
    classes = np.arange(y.max() + 1)
    for cut in (np.unique(x)[1:] + np.unique(x)[:-1]) / 2:
        yield tuple(
            np.array([((y == c) & side).sum() for c in classes]) for side in (x < cut, x > cut)
        )


def best_ratio(x, y):
    best = 0.0
    for low, high in splits(x, y):
        n = len(y)
        gain = entropy(low + high) - (low.sum() * entropy(low) + high.sum() * entropy(high)) / n
        best = max(best, gain / entropy(np.array([low.sum(), high.sum()])))
    return best


def best_gini(x, y):
    def impurity(counts):
        return 1 - ((counts / counts.sum()) ** 2).sum()

    gains = [
        impurity(a + b) - (a.sum() * impurity(a) + b.sum() * impurity(b)) / len(y)
        for a, b in splits(x, y)
    ]
    return max(gains, default=0.0)


@pytest.mark.parametrize(
    ("weight_by", "formula"),
    [(weight_by_information_gain_ratio, best_ratio), (weight_by_gini_index, best_gini)],
)
def test_the_split_is_the_best_by_the_weight_itself(numbers, weight_by, formula):
    X, y = numbers
    found = weight_by(table_of(X, y), **THEIRS).values
    assert found == pytest.approx([formula(x, y) for x in X.T], abs=1e-12)
    assert (found >= weight_by(table_of(X, y)).values - 1e-12).all()


def test_the_gain_ratio_of_golf_is_that_of_rapidminer(golf):
    weights = dict(zip(golf.schema.regular_names, weight_by_information_gain_ratio(
        golf, **THEIRS).values, strict=True))  # fmt: skip
    assert weights["Humidity"] == pytest.approx(0.12852, abs=5e-6)
    assert weight_by_information_gain_ratio(golf)["Humidity"] == pytest.approx(0.10874, abs=5e-6)


def relief(X, codes, y, k):
    low, span = np.nanmin(X, axis=0), np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
    shares = np.bincount(y) / len(y)
    total = np.zeros(X.shape[1] + codes.shape[1])
    whole = np.hstack([X, np.where(codes < 0, np.nan, codes)])
    for i in range(len(X)):
        distance = np.nansum((whole - whole[i]) ** 2, axis=1)
        distance[i] = np.inf
        for c in np.unique(y):
            members = np.flatnonzero((y == c) & np.isfinite(distance))
            near = members[np.argsort(distance[members], kind="stable")[:k]]
            with np.errstate(all="ignore"):
                numeric = np.where(span > 0, (np.abs(X[near] - X[i]) - low) / span, 0.0)
            other = (codes[near] != codes[i]).astype(float)
            other[(codes[near] < 0) | (codes[i] < 0)] = np.nan
            delta = np.nansum(np.hstack([numeric, other]), axis=0)
            total += -delta if c == y[i] else shares[c] / (1 - shares[y[i]]) * delta
    known = np.concatenate([(~np.isnan(X)).sum(axis=0), (codes >= 0).sum(axis=0)])
    return total / known


@pytest.mark.parametrize("k", [1, 5, 50])
def test_relief_is_that_of_rapidminer(numbers, k):
    X, y = numbers
    found = weight_by_relieff(table_of(X, y), number_of_neighbors=k, **THEIRS).values
    expected = relief(X, np.empty((len(X), 0), dtype=int), y, k)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_relief_leaves_missing_values_out_for_their_attribute(golf):
    X = golf.numeric().copy()
    X[3, 0] = X[7, 1] = np.nan
    codes = golf.nominal().copy()
    codes[5, 0] = -1
    y = golf.label_values().astype(int)
    table = ExampleSet.from_numpy(X, np.array(["no", "yes"])[y], names=["Temperature", "Humidity"])
    for j, name in enumerate(("Outlook", "Wind")):
        attribute = Attribute.nominal(name, golf.schema.attribute(name).categories)
        table = table.with_columns([(attribute, codes[:, j])])
    found = weight_by_relieff(table, number_of_neighbors=3, **THEIRS)
    expected = relief(X, codes, table.label_values().astype(int), 3)
    by_name = dict(zip(("Temperature", "Humidity", "Outlook", "Wind"), expected, strict=True))
    assert {name: found[name] for name in by_name} == pytest.approx(by_name)


# --- bins -----------------------------------------------------------------------------------------


def filled(values, bins):
    values = np.sort(values[~np.isnan(values)])
    room, cuts = len(values) / bins, []
    for i, value in enumerate(values):
        if i and value > values[i - 1] and room < 1 and len(cuts) < bins - 1:
            cuts.append((values[i - 1] + value) / 2)
            room += len(values) / bins
        room -= 1
    return cuts


@pytest.mark.parametrize("bins", [2, 3, 7])
def test_bins_are_filled_as_in_rapidminer(numbers, bins):
    X, y = numbers
    X = X.copy()
    X[4, 1] = np.nan
    prepared = discretize_by_frequency(table_of(X, y), number_of_bins=bins, **THEIRS)
    for j, name in enumerate(prepared.examples.schema.regular_names):
        codes = prepared.examples.column(name)
        expected = np.searchsorted(filled(X[:, j], bins), X[:, j], side="left")
        known = ~np.isnan(X[:, j])
        assert codes[known].tolist() == expected[known].tolist()
