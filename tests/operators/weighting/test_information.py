"""Information gain: published numbers, scikit-learn, and missing values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.metrics import mutual_info_score

from fsops import ExampleSet
from fsops.data import Attribute, ValueType
from fsops.errors import ParameterError
from fsops.operators import weight_by_information_gain


def bits(x, y):
    return mutual_info_score(x, y) / np.log(2)


def frame_of(columns, label):
    return ExampleSet.from_pandas(pd.DataFrame({**columns, "y": label}), roles={"y": "label"})


def test_information_gain_of_the_golf_data(golf):
    weights = weight_by_information_gain(golf)
    assert weights["Outlook"] == pytest.approx(0.2467498198, abs=1e-9)
    assert weights["Wind"] == pytest.approx(0.0481270304, abs=1e-9)
    assert weights["Humidity"] == pytest.approx(0.1022436, abs=1e-7)
    assert weights["Temperature"] == pytest.approx(0.1134009, abs=1e-7)
    assert weights.names == ("Outlook", "Temperature", "Humidity", "Wind")


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=4, max_size=40))
@settings(deadline=None, max_examples=40)
def test_information_gain_of_categories_is_the_mutual_information(rows):
    one, two, label = (list(column) for column in zip(*rows, strict=True))
    label = ["a", "b", *label[2:]]  # at least two classes
    weights = weight_by_information_gain(frame_of({"one": one, "two": two}, label))
    assert weights.values == pytest.approx([bits(one, label), bits(two, label)], abs=1e-9)


def test_information_gain_of_the_best_split_is_the_largest_of_all_splits():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 4)).round(1), rng.integers(0, 3, 40)
    weights = weight_by_information_gain(ExampleSet.from_numpy(X, y))
    expected = [max(bits(x <= cut, y) for cut in x) for x in X.T]
    assert weights.values == pytest.approx(expected)


@pytest.mark.parametrize("bins", [2, 3, 10])
def test_information_gain_of_bins_is_that_of_the_cut_numbers(bins):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    examples = ExampleSet.from_numpy(X, y)
    shares = np.linspace(0, 1, bins + 1)[1:-1]
    cuts = {
        "equal width": lambda x: x.min() + shares * np.ptp(x),
        "equal frequency": lambda x: np.quantile(x, shares),
    }
    for method, edges in cuts.items():
        weights = weight_by_information_gain(examples, discretization=method, number_of_bins=bins)
        expected = [bits(np.searchsorted(edges(x), x), y) for x in X.T]
        assert weights.values == pytest.approx(expected)


def test_missing_values_are_left_out_or_a_category_of_their_own():
    x = ["a", None, "b", "b", None, "a", "a", "b"]
    y = list("nynnyyyn")
    known = [v is not None for v in x]
    examples = frame_of({"x": x}, y)
    pairwise = weight_by_information_gain(examples, missing="pairwise")
    kept = [v for v, fine in zip(x, known, strict=True) if fine]
    labels = [v for v, fine in zip(y, known, strict=True) if fine]
    assert pairwise.values == pytest.approx([bits(kept, labels)])
    category = weight_by_information_gain(examples, missing="category")
    assert category.values == pytest.approx([bits([str(v) for v in x], y)])


def test_missing_numbers_are_left_out_as_if_their_rows_were_not_there():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    X[::4, 0] = np.nan
    found = weight_by_information_gain(ExampleSet.from_numpy(X, y), missing="pairwise")
    known = ~np.isnan(X[:, 0])
    alone = weight_by_information_gain(ExampleSet.from_numpy(X[known][:, :1], y[known]))
    assert found.values[0] == pytest.approx(alone.values[0])


def test_one_value_tells_nothing_and_a_copy_of_the_class_tells_all():
    y = list("aabbcc")
    examples = frame_of({"same": ["x"] * 6, "number": [1.5] * 6, "copy": y}, y)
    weights = weight_by_information_gain(examples)
    assert weights["same"] == 0.0
    assert weights["number"] == 0.0
    assert weights["copy"] == pytest.approx(np.log2(3))


def test_unused_categories_change_nothing(golf):
    wider = Attribute.nominal("Wind", ["storm", "false", "true"])
    changed = golf.with_columns([(wider, golf.column("Wind") + 1)])
    found = weight_by_information_gain(changed)
    assert found["Wind"] == pytest.approx(weight_by_information_gain(golf)["Wind"])


def test_missing_values_are_refused_by_name_unless_told_otherwise(refused):
    with refused('"x"', "1 value is missing", "Replace"):
        weight_by_information_gain(frame_of({"x": ["a", None, "b"]}, list("nyn")))


def test_a_numerical_label_is_refused(golf, refused):
    examples = golf.with_roles({"Play": "regular", "Humidity": "label"})
    with refused('"Humidity"', "integer", "classes", "use a method for numerical labels"):
        weight_by_information_gain(examples)


def test_one_class_is_refused(golf, refused):
    with refused('"Play"', '"no"', "two classes"):
        weight_by_information_gain(golf.take(golf.column("Play") == 0))


def test_dates_and_texts_are_refused_by_name(golf, refused):
    days = np.arange(14).astype("datetime64[us]")
    texts = np.array(["x"] * 14, dtype=object)
    examples = golf.with_columns(
        [(Attribute("day", ValueType.DATE), days), (Attribute("note", ValueType.TEXT), texts)]
    )
    with refused('"day", "note"', "numerical or nominal", "Leave them out"):
        weight_by_information_gain(examples)


def test_a_number_of_bins_below_two_is_refused(golf, refused):
    with refused("number_of_bins is 1", "at least 2", error=ParameterError):
        weight_by_information_gain(golf, discretization="equal width", number_of_bins=1)
