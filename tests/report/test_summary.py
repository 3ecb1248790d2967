"""The facts about a table."""

import numpy as np
import pandas as pd
import pytest

from fsops.data import ExampleSet
from fsops.report import summary
from fsops.report.summary import repeated_rows, summarize


@pytest.fixture
def mixed():
    frame = pd.DataFrame(
        {
            "x": [1.0, np.nan, 1.0, 4.0],
            "n": ["a", "b", "a", None],
            "when": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-01", None]),
            "y": ["p", "q", "q", "q"],
        }
    )
    return ExampleSet.from_pandas(frame).with_roles({"y": "label"})


def test_all_facts(mixed):
    found = summarize("Read", mixed)
    assert (found.rows, found.attributes) == (4, 3)
    assert found.types == {"real": 1, "binominal": 1, "date": 1}
    assert found.roles == {"y": "label"}
    assert found.missing == {"x": 1, "n": 1, "when": 1}
    assert found.label == "y"
    assert found.classes == (("p", 1), ("q", 3))
    assert found.repeated == 2
    assert found.fingerprint == mixed.fingerprint()


def test_a_numerical_label_has_no_classes():
    assert summarize("t", ExampleSet.from_numpy(np.eye(3), [1.5, 2.5, 3.5])).classes == ()


def test_twins_are_counted_whatever_their_label_and_id():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0], [1.0, 2.0]])
    examples = ExampleSet.from_numpy(X, ["a", "b", "a", "a"], names=["x", "number"])
    assert repeated_rows(examples) == 3
    assert repeated_rows(examples.with_roles({"number": "id"})) == 4


def test_two_pairs_are_four_rows():
    assert repeated_rows(ExampleSet.from_numpy([[1.0], [2.0], [2.0], [1.0], [5.0]])) == 4


def test_there_is_nothing_to_compare_without_attributes():
    only_label = ExampleSet.from_numpy(np.zeros((2, 1)), ["a", "b"]).select(["label"])
    assert repeated_rows(only_label) is None


def test_very_large_tables_are_not_searched(monkeypatch):
    monkeypatch.setattr(summary, "MOST_COMPARED", 3)
    assert repeated_rows(ExampleSet.from_numpy(np.zeros((4, 1)))) is None
