"""Weights for right-censored times: roles, messages, and splits by event."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    linear_regression,
    split_data,
    weight_by_correlation,
    weight_by_cox,
)
from fsops.sklearn import selector

FOLDER = Path(__file__).parents[2] / "algorithms" / "filters" / "survival"
TABLE = pd.read_csv(FOLDER / "table.csv", skipinitialspace=True)
VALUES = pd.read_csv(FOLDER / "values.csv", skipinitialspace=True)
VALUES = VALUES[VALUES["ties"] == "efron"]


def table(event="event", kind="x", words=None):
    frame = pd.concat([TABLE[["time"]], TABLE.filter(regex=rf"^{kind}\d").astype(float)], axis=1)
    frame["died"] = TABLE["event"] if words is None else TABLE["event"].map(words)
    return ExampleSet.from_pandas(frame, roles={"time": "label", "died": event})


@pytest.mark.parametrize("kind", ["x", "missing"])
def test_weights_are_the_roots_of_the_score_statistics_of_r(kind):
    found = weight_by_cox(table(kind=kind), missing="pairwise")
    expected = VALUES[VALUES["kind"] == kind]
    known = (expected["score"].notna() & (expected["feature"] != 9)).to_numpy()
    np.testing.assert_allclose(
        found.values[known], np.sqrt(expected["score"][known]), rtol=1e-6, atol=1e-12
    )
    for name, column in (("coefficient", "coefficient"), ("standard_error", "error")):
        np.testing.assert_allclose(found.details[name][known], expected[column][known], rtol=1e-6)
    assert found.values[6] == 0


@pytest.mark.parametrize("words", [{0: "alive", 1: "dead"}, {0: "No", 1: "Yes"}])
def test_events_may_be_words(words):
    assert weight_by_cox(table(words=words)).equals(weight_by_cox(table()))


def test_other_words_and_numbers_are_refused():
    with pytest.raises(DataError, match='category "blue"'):
        weight_by_cox(table(words={0: "red", 1: "blue"}))
    with pytest.raises(DataError, match=r"must be 0 \(censored\) or 1 \(event\), but is 2"):
        weight_by_cox(table(words={0: 1, 1: 2}))
    with pytest.raises(DataError, match="The event attribute has no events"):
        weight_by_cox(table(words={0: 0, 1: 0}))
    days = {0: pd.Timestamp("2023-11-01"), 1: pd.Timestamp("2023-11-02")}
    with pytest.raises(DataError, match='"died" has the type date, but must have numbers'):
        weight_by_cox(table(words=days))


def test_without_the_role_all_times_are_events_with_a_warning():
    with pytest.warns(UserWarning, match="No attribute has the role event"):
        found = weight_by_cox(table(event="id"))
    assert found.equals(weight_by_cox(table(words={0: 1, 1: 1})))


@pytest.mark.parametrize("method", [weight_by_correlation, linear_regression])
def test_methods_for_complete_numbers_refuse_censored_times(method):
    with pytest.raises(DataError, match='"time" is a time with the event "died"') as error:
        method(table())
    assert "Weight by Cox Model" in error.value.hint


def test_splits_keep_the_fraction_of_events():
    parts = split_data(table(), partitions=[0.5, 0.5])
    counts = [part.column("died").sum() for part in parts]
    assert abs(counts[0] - counts[1]) <= 1


def test_whole_row_weights_are_numbers_of_rows():
    weights = np.arange(len(TABLE)) % 3
    frame = table().to_pandas().assign(w=weights.astype(float))
    roles = {"time": "label", "died": "event"}
    weighted = ExampleSet.from_pandas(frame, roles={**roles, "w": "weight"})
    rows = np.repeat(np.arange(len(TABLE)), weights)
    repeated = ExampleSet.from_pandas(frame.iloc[rows].drop(columns="w"), roles=roles)
    assert weight_by_cox(weighted).values == pytest.approx(weight_by_cox(repeated).values)


def test_it_is_a_selector_of_scikit_learn():
    X = TABLE.filter(regex=r"^x\d").to_numpy(float)
    with pytest.warns(UserWarning, match="role event"):
        fitted = selector("weight_by_cox", k=2).fit(X, TABLE["time"].to_numpy(float))
    assert 0 in fitted.get_support(indices=True)
