"""Batches are adjusted by what the training rows say."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import adjust_batches, apply_model


def table(rows=30, batches="abc", seed=1, **roles):
    rng = np.random.default_rng(seed)
    batch = np.array(list(batches))[np.arange(rows) % len(batches)]
    X = rng.normal(size=(rows, 4)) + np.where(batch == "b", 5.0, 0.0)[:, None]
    frame = pd.DataFrame(X, columns=["g1", "g2", "g3", "g4"])
    frame["plate"], frame["sex"] = batch, np.array(["f", "m"])[np.arange(rows) // 3 % 2]
    return ExampleSet.from_pandas(frame, roles={"plate": "batch", "sex": "covariate", **roles})


def means(examples):
    return examples.to_pandas().groupby("plate")[["g1", "g2", "g3", "g4"]].mean()


def test_other_rows_are_adjusted_by_the_training_rows():
    train, test = table(), table(seed=2)
    model = adjust_batches(train).model
    assert np.ptp(means(test)["g1"]) > 3
    assert np.ptp(means(apply_model(model, test))["g1"]) < 1.5
    single = apply_model(model, test.take(np.arange(1)))
    assert single.numeric() == pytest.approx(apply_model(model, test).numeric()[:1])


def test_special_attributes_and_other_columns_stay():
    train = table()
    adjusted = adjust_batches(train).examples
    assert adjusted.schema.roles == train.schema.roles
    assert adjusted.nominal_values("plate") == train.nominal_values("plate")


def test_an_unknown_batch_is_named():
    model = adjust_batches(table(batches="ab")).model
    with pytest.raises(DataError, match='The batch "c" was not among the rows') as error:
        apply_model(model, table(batches="ac"))
    assert "own rows" in error.value.hint


def test_an_unknown_batch_can_be_left_or_adjusted_by_its_rows():
    train, test = table(batches="ac"), table(batches="b", seed=3)
    left = apply_model(adjust_batches(train, unknown_batch="unchanged").model, test)
    assert (left.numeric() == test.numeric()).all()
    moved = apply_model(adjust_batches(train, unknown_batch="own rows").model, test)
    np.testing.assert_allclose(moved.numeric().mean(axis=0), train.numeric().mean(axis=0), atol=0.3)


def test_without_a_batch_a_sentence_says_what_to_do():
    plain = ExampleSet.from_numpy(np.eye(3), np.array(list("aba")))
    with pytest.warns(UserWarning, match='No attribute has the role "batch", so nothing'):
        prepared = adjust_batches(plain)
    assert (apply_model(prepared.model, plain).numeric() == plain.numeric()).all()


def test_one_batch_changes_nothing():
    train = table(batches="a")
    with pytest.warns(UserWarning, match="All rows belong to one batch"):
        assert (adjust_batches(train).examples.numeric() == train.numeric()).all()


def numbered(batches):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(24, 3)) + 3.0 * (np.arange(24) % 3)[:, None])
    frame.columns = ["x", "y", "z"]
    frame["plate"] = np.asarray(batches)[np.arange(24) % 3]
    return ExampleSet.from_pandas(frame, roles={"plate": "batch"})


@pytest.mark.parametrize(
    "batches",
    [
        [20231101.0, 20231102.0, 20231103.0],
        [0.1, 0.1 + 1e-12, 0.2],
        pd.to_datetime(["2023-11-01", "2023-11-02", "2023-11-03"]),
    ],
    ids=["long numbers", "fractions", "dates"],
)
def test_batches_are_told_apart_by_all_digits_and_by_dates(batches):
    expected = adjust_batches(numbered(["a", "b", "c"])).examples.numeric()
    found = adjust_batches(numbered(batches))
    np.testing.assert_array_equal(found.examples.select(["x", "y", "z"]).numeric(), expected)
    again = apply_model(found.model, numbered(batches)).select(["x", "y", "z"]).numeric()
    np.testing.assert_array_equal(again, expected)


def test_a_covariate_of_dates_has_a_column_for_each_date():
    days = np.array(["2023-11-01", "2023-11-02"])[np.arange(30) // 3 % 2]
    without = adjust_batches(table().drop(["sex"]))
    frame = table().drop(["sex"]).to_pandas()
    roles = {"plate": "batch", "day": "covariate"}
    nominal = ExampleSet.from_pandas(frame.assign(day=days), roles=roles)
    dates = ExampleSet.from_pandas(frame.assign(day=pd.to_datetime(days)), roles=roles)
    found = adjust_batches(dates).examples.numeric()
    np.testing.assert_array_equal(found, adjust_batches(nominal).examples.numeric())
    assert not np.allclose(found, without.examples.numeric())
