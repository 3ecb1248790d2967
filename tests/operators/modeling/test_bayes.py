"""Naive Bayes, against scikit-learn and products of likelihoods made by hand."""

import itertools
import math
import statistics
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from fsops import ExampleSet
from fsops.algorithms.base.compiled import normals as kernels
from fsops.data import Attribute, ValueType
from fsops.operators import apply_model, naive_bayes, retrieve
from fsops.operators.modeling import bayes


def confidences(applied):
    return np.column_stack([applied.column(f"confidence({c})") for c in applied.classes])


@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer"])
def test_numbers_are_gaussian_as_in_scikit_learn(name):
    examples = retrieve(repository_entry=name)
    X, y = examples.numeric(), examples.label_values()
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    applied = naive_bayes(examples.take(train)).apply(examples.take(test))
    # Without the share of the largest variance that scikit-learn adds to all of them.
    expected = GaussianNB(var_smoothing=0).fit(X[train], y[train])
    assert confidences(applied) == pytest.approx(expected.predict_proba(X[test]), abs=1e-6)
    assert np.array_equal(applied.column("prediction(label)"), expected.predict(X[test]))


@pytest.mark.parametrize(("laplace", "alpha"), [(True, 1.0), (False, 1e-10)])
def test_categories_are_counted_as_in_scikit_learn(laplace, alpha):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, size=(60, 4))
    y = (codes[:, 0] + rng.integers(0, 2, 60)) % 3
    frame = pd.DataFrame(np.array(list("xyz"))[codes], columns=list("abcd")).assign(y=y.astype(str))
    examples = ExampleSet.from_pandas(frame, roles={"y": "label"})
    model = naive_bayes(examples, laplace_correction=laplace)
    expected = CategoricalNB(alpha=alpha, force_alpha=True).fit(codes, y)
    assert confidences(model.apply(examples)) == pytest.approx(expected.predict_proba(codes))


def by_hand(rows, classes, row, categories):
    """Return the class probabilities of a row: prior times a likelihood for each value."""
    likelihood = {}
    for name in sorted(set(classes)):
        mine = [r for r, c in zip(rows, classes, strict=True) if c == name]
        product = len(mine) / len(rows)
        for j, value in enumerate(row):
            column = [r[j] for r in mine]
            if isinstance(value, str):
                product *= (Counter(column)[value] + 1) / (len(mine) + categories[j])
            else:
                mean, variance = statistics.fmean(column), statistics.pvariance(column)
                density = math.exp(-((value - mean) ** 2) / (2 * variance))
                product *= density / math.sqrt(2 * math.pi * variance)
        likelihood[name] = product
    return [likelihood[name] / sum(likelihood.values()) for name in likelihood]


def test_mixed_data_is_the_product_of_both(golf):
    applied = naive_bayes(golf).apply(golf)
    frame = golf.to_pandas().astype(object)
    rows = frame.drop(columns="Play").to_numpy().tolist()
    classes = frame["Play"].tolist()
    found = confidences(applied)
    for row, mine in zip(rows, found, strict=True):
        assert mine == pytest.approx(by_hand(rows, classes, row, {0: 3, 3: 2}), rel=1e-6)


def test_scales_do_not_matter():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3)) + (np.arange(40) % 2)[:, None]
    labels = np.array(["a", "b"])[np.arange(40) % 2]
    plain = ExampleSet.from_numpy(X, labels)
    scaled = ExampleSet.from_numpy(X * [1e-8, 1.0, 1e8] + [0, 1e4, 0], labels)
    expected = confidences(naive_bayes(plain).apply(plain))
    assert confidences(naive_bayes(scaled).apply(scaled)) == pytest.approx(expected, abs=1e-6)


def test_a_class_that_is_not_in_the_training_rows_gets_no_confidence():
    iris = retrieve(repository_entry="iris")
    model = naive_bayes(iris.take(iris.column("label") != 1))
    applied = model.apply(iris)
    found = confidences(applied)
    assert found[:, 1].tolist() == [0.0] * 150
    assert found.sum(axis=1) == pytest.approx(np.ones(150))
    assert 1 not in applied.column("prediction(label)")


def test_a_class_without_variance_is_sure_of_its_value():
    examples = ExampleSet.from_numpy([[1.0], [1.0], [1.0], [5.0], [6.0], [7.0]], list("aaabbb"))
    applied = naive_bayes(examples).apply(examples)
    assert applied.nominal_values("prediction(label)") == list("aaabbb")
    assert np.isfinite(confidences(applied)).all()


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9])
def test_constant_attributes_tell_nothing(constant):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(10, 1))
    labels = list("aabbbbaabb")
    alone = ExampleSet.from_numpy(X, labels)
    beside = ExampleSet.from_numpy(np.hstack([X, np.full((10, 1), constant)]), labels)
    found = confidences(naive_bayes(beside).apply(beside))
    assert found == pytest.approx(confidences(naive_bayes(alone).apply(alone)))


def test_without_any_information_the_frequencies_of_the_classes_remain():
    examples = ExampleSet.from_numpy(np.ones((4, 2)), list("abbb"))
    found = confidences(naive_bayes(examples).apply(examples))
    assert found == pytest.approx(np.tile([0.25, 0.75], (4, 1)))


def test_missing_values_and_unknown_categories_tell_nothing_where_the_model_is_applied(golf):
    model = naive_bayes(golf)
    frame = pd.DataFrame(
        {
            "Outlook": ["foggy", None, "sunny"],
            "Temperature": [np.nan, np.nan, np.nan],
            "Humidity": [np.nan, 80.0, np.nan],
            "Wind": [None, "true", None],
        }
    )
    found = confidences(
        model.apply(ExampleSet.from_pandas(frame)).with_columns([(golf.label, np.zeros(3, int))])
    )
    assert found[0] == pytest.approx([5 / 14, 9 / 14])
    rows = golf.to_pandas().astype(object)
    classes = rows["Play"].tolist()
    some = rows[["Humidity", "Wind"]].to_numpy().tolist()
    assert found[1] == pytest.approx(by_hand(some, classes, [80.0, "true"], {1: 2}), rel=1e-6)
    one = rows[["Outlook"]].to_numpy().tolist()
    assert found[2] == pytest.approx(by_hand(one, classes, ["sunny"], {0: 3}))


@pytest.mark.parametrize("value", [1e200, -1e300, np.inf])
def test_a_value_beyond_all_reason_decides_nothing(value):
    examples = ExampleSet.from_numpy(np.arange(8.0).reshape(8, 1), list("aaaabbbb"))
    applied = naive_bayes(examples).apply(ExampleSet.from_numpy([[value]]))
    assert applied.column("confidence(a)").tolist() == [0.5]


@pytest.mark.parametrize("size", [1e-300, 1e37])
def test_very_small_and_very_large_numbers_are_learned(size):
    X = np.array([[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]])
    plain = ExampleSet.from_numpy(X, list("aaabbb"))
    scaled = ExampleSet.from_numpy(X * size, list("aaabbb"))
    expected = confidences(naive_bayes(plain).apply(plain))
    assert confidences(naive_bayes(scaled).apply(scaled)) == pytest.approx(expected)


def test_a_table_without_rows_gets_no_predictions(golf):
    assert len(naive_bayes(golf).apply(golf.take([]))) == 0


def test_the_model_says_what_it_is(golf):
    assert repr(naive_bayes(golf)) == "<PredictionModel Naive Bayes for Play on 4 attributes>"


def known_by_hand(rows, classes, row, categories):
    """As `by_hand`, but None is left out, in the training rows and in the row."""
    likelihood = {}
    for name in sorted(set(classes)):
        mine = [r for r, c in zip(rows, classes, strict=True) if c == name]
        product = len(mine) / len(rows)
        for j, value in enumerate(row):
            column = [r[j] for r in mine if r[j] is not None]
            if value is None:
                continue
            if isinstance(value, str):
                product *= (Counter(column)[value] + 1) / (len(column) + categories[j])
            else:
                mean, variance = statistics.fmean(column), statistics.pvariance(column)
                density = math.exp(-((value - mean) ** 2) / (2 * variance))
                product *= density / math.sqrt(2 * math.pi * variance)
        likelihood[name] = product
    return [likelihood[name] / sum(likelihood.values()) for name in likelihood]


def test_missing_values_are_left_out_of_training():
    rng = np.random.default_rng(4)
    classes = [("a", "b", "c")[i % 3] for i in range(45)]
    rows = []
    for i in range(45):
        number = float(rng.normal() * 1e6 + i % 3 * 1e6)
        rows.append([number, str(rng.choice(list("xyz"))), float(rng.integers(0, 3))])
    for i in range(0, 45, 4):
        rows[i][i % 3] = None
    frame = pd.DataFrame(rows, columns=["n", "s", "t"]).astype({"n": float, "t": float})
    frame["s"] = frame["s"].astype("category")
    frame["y"] = classes
    examples = ExampleSet.from_pandas(frame, roles={"y": "label"})
    expected = [known_by_hand(rows, classes, row, {1: 3}) for row in rows]
    found = confidences(naive_bayes(examples).apply(examples))
    assert found == pytest.approx(np.array(expected), abs=1e-6)


def test_a_class_without_a_known_value_has_the_distribution_of_all_rows():
    X = np.array([[np.nan, 0], [np.nan, 1], [1, 5], [3, 6.0]])
    model = naive_bayes(ExampleSet.from_numpy(X, ["a", "a", "b", "b"]))
    found = confidences(model.apply(ExampleSet.from_numpy([[2.0, 0.5], [np.nan, 5.5]], ["a", "b"])))
    assert np.isfinite(found).all()
    assert found.argmax(axis=1).tolist() == [0, 1]


def test_an_attribute_without_any_value_tells_nothing():
    X = np.array([[np.nan, 0], [np.nan, 1], [np.nan, 5], [np.nan, 6.0]])
    examples = ExampleSet.from_numpy(X, ["a", "a", "b", "b"])
    alone = ExampleSet.from_numpy(X[:, 1:], ["a", "a", "b", "b"])
    found, expected = (confidences(naive_bayes(t).apply(t)) for t in (examples, alone))
    assert found == pytest.approx(expected)


# --- refusals -------------------------------------------------------------------------------


def test_numbers_cannot_be_learned_as_classes(refused):
    with refused('"label"', "real", "If its numbers are classes, convert it"):
        naive_bayes(ExampleSet.from_numpy([[1.0], [2.0]], [0.5, 1.5]))


def test_one_class_is_not_enough(golf, refused):
    with refused('"Play"', '"yes"', "two classes"):
        naive_bayes(golf.take(golf.column("Play") == 1))


def test_dates_cannot_be_learned(golf, refused):
    day = Attribute("day", ValueType.DATE)
    examples = golf.with_columns([(day, np.arange(14).astype("datetime64[us]"))])
    with refused('"day"', "numerical or nominal"):
        naive_bayes(examples)


def test_columns_that_are_not_there_are_named_where_the_model_is_applied(golf, refused):
    with refused('"Wind"', "trained on"):
        apply_model(naive_bayes(golf), golf.drop(["Wind"]))


def _by_attribute(X, codes, counts, alpha):
    """Log frequencies as a loop over attributes has them, one table (class, category) each."""
    tables = []
    for x, count in zip(X.T, counts, strict=True):
        table = np.zeros((codes.max() + 1, count))
        np.add.at(table, (codes[x >= 0], x[x >= 0]), 1.0)
        table += alpha
        tables.append(np.log(table) - np.log(table.sum(axis=1, keepdims=True)))
    return tables


@pytest.mark.parametrize("alpha", [1.0, 1e-10])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_all_nominal_attributes_at_once_have_the_bits_of_one_after_the_other(
    alpha, missing, monkeypatch
):
    monkeypatch.setattr(bayes, "TILE", 400)
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 12, 40)
    X = (rng.random((50, 40)) * counts).astype(np.int32)
    X[rng.random(X.shape) < missing] = -1
    codes = (np.arange(50) % 3).astype(np.int32)
    tables = _by_attribute(X, codes, counts, alpha)
    found = bayes.Frequencies.fit(X, codes, counts, alpha)
    assert np.array_equal(found.logs, np.concatenate(tables, axis=1).T)
    expected = np.zeros((50, 3))
    for x, table in zip(X.T, tables, strict=True):
        expected[x >= 0] += table[:, x[x >= 0]].T
    assert np.array_equal(found.log_likelihood(X), expected)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "fault", ["none", "missing", "constant", "huge", "tied", "no second class"]
)
def test_kernels_give_the_bits_of_numpy(monkeypatch, classes, fault):
    pytest.importorskip("numba")
    rng = np.random.default_rng(5)
    X = rng.normal(size=(61, 23)) * 10.0 ** rng.integers(-9, 9, 23) + rng.normal(size=23) * 1e4
    codes = (np.arange(61) % classes).astype(np.int32)
    if fault == "no second class":
        codes[codes == 1] = 0
    new = X[:9] * 1.01
    if fault == "missing":
        X[3, 4] = new[2, 1] = np.nan
    elif fault == "constant":
        X[:, 7] = 0.1
    elif fault == "huge":
        new[4] *= 1e200
    elif fault == "tied":
        X = X.round(-4)
    used, found = [], []
    for compiled in (True, False):
        monkeypatch.setattr(
            kernels, "take_normals", lambda X, answer=compiled: used.append(answer) or answer
        )
        normals = bayes.Gaussians.fit(X, codes)
        found.append([*vars(normals).values(), normals.log_likelihood(new)])
    assert used.count(True) >= 1
    for kernel, numpy in zip(*found, strict=True):
        assert kernel.tobytes() == numpy.tobytes()


def test_a_loop_uses_kernels_only_after_some_tables(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(kernels, "_tables", itertools.count())
    table = np.ones((20, 20))
    taken = [kernels.take_normals(table) for _ in range(kernels.OFTEN + 3)]
    assert taken == [False] * kernels.OFTEN + [True] * 3
    assert not kernels.take_normals(np.ones((2, 3)))
    assert not kernels.take_normals(np.ones((1, 5000)))
    assert not kernels.take_normals(np.ones((90, 90), order="F"))
