"""Useless and correlated attributes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import VarianceThreshold

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import remove_correlated_attributes, remove_useless_attributes


@pytest.fixture
def mixed():
    frame = pd.DataFrame(
        {
            "same": [0.1] * 5,
            "little": [1.0, 1.0, 1.0, 1.0, 1.5],
            "much": [1.0, -4.0, 2.0, 9.0, 3.0],
            "empty": [np.nan] * 5,
            "all a": ["a"] * 5,
            "mostly a": ["a", "a", "a", "a", "b"],
            "id": ["v", "w", "x", "y", "z"],
            "y": [1.0] * 5,
        }
    )
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "little much mostly a id y"),
        ({"numerical_min_deviation": 0.3}, "much mostly a id y"),
        ({"nominal_useless_above": 0.8}, "little much id y"),
        ({"nominal_remove_id_like": True}, "little much mostly a y"),
        ({"nominal_useless_below": 0.5}, "little much mostly a y"),
    ],
)
def test_what_is_useless(mixed, given, expected):
    assert " ".join(remove_useless_attributes(mixed, **given).names) == expected


def test_constant_attributes_are_those_of_scikit_learn():
    X = np.random.default_rng(0).integers(0, 2, size=(4, 40)).astype(float)
    table = ExampleSet.from_numpy(X)
    kept = VarianceThreshold().fit(X).get_support()
    found = remove_useless_attributes(table)
    assert found.names == tuple(n for n, k in zip(table.names, kept, strict=True) if k)
    assert 0 < len(found.names) < 40


def test_nothing_left_is_told(listening):
    ctx = listening()
    assert not remove_useless_attributes(ExampleSet.from_numpy([[1.0], [1.0]]), ctx=ctx).names
    assert ctx.warnings == ["All regular attributes are removed."]


@pytest.fixture
def similar():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 50))
    X = np.column_stack([a, b, a + 0.01 * b, -b, rng.normal(size=50)])
    return ExampleSet.from_numpy(X, np.arange(50) % 2, names=["a", "b", "like a", "minus b", "c"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "a b c label"),
        ({"attribute_order": "reverse"}, "like a minus b c label"),
        ({"use_absolute_correlation": False}, "a b minus b c label"),
        (
            {"use_absolute_correlation": False, "filter_relation": "less", "correlation": -0.9},
            "a b like a c label",
        ),
    ],
)
def test_the_later_of_two_correlated_attributes_goes(similar, given, expected):
    assert " ".join(remove_correlated_attributes(similar, **given).names) == expected


def test_random_order_keeps_one_of_each_group(similar, listening):
    found = {
        remove_correlated_attributes(similar, attribute_order="random", ctx=listening(seed)).names
        for seed in range(8)
    }
    assert len(found) > 1
    assert all(len(names) == 4 for names in found)


def test_size_of_a_negative_correlation_is_taken(similar, listening):
    ctx = listening()
    found = remove_correlated_attributes(similar, correlation=-0.95, ctx=ctx)
    assert found.names == remove_correlated_attributes(similar).names
    assert ctx.warnings == ["correlation is -0.95; its size is taken, 0.95."]


def test_nominal_attributes_stay_and_missing_values_are_refused(golf):
    assert remove_correlated_attributes(golf, correlation=0.0).names == (
        "Outlook",
        "Temperature",
        "Wind",
        "Play",
    )
    with pytest.raises(DataError, match='1 value is missing, in "att1"'):
        remove_correlated_attributes(ExampleSet.from_numpy([[np.nan], [1.0]]))


def test_one_value_beside_missing_ones_is_useless_for_both_types():
    frame = pd.DataFrame(
        {"n": [1.0, 1.0, np.nan], "c": ["a", "a", None], "d": ["a", "b", None], "y": [1.0, 2, 3]}
    )
    found = remove_useless_attributes(ExampleSet.from_pandas(frame))
    assert found.schema.regular_names == ("d", "y")
