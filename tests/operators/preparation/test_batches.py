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
