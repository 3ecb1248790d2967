"""Effects of batches are those of ComBat; `combat/make_values.R` has made the values."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fsops.algorithms.preparation.batches import batch_effects

FOLDER = Path(__file__).parent / "combat"
TABLE = pd.read_csv(FOLDER / "table.csv", skipinitialspace=True)
VALUES = pd.read_csv(FOLDER / "values.csv", skipinitialspace=True)
BATCH = TABLE["batch"].to_numpy() - 1
AGE = TABLE[["age"]].to_numpy(float)
NOTHING = np.zeros((len(TABLE), 0))


def columns(frame, name):
    return frame.filter(regex=rf"^{name}\.").to_numpy(float)


@pytest.mark.parametrize(("case", "covariates"), [("plain", NOTHING), ("kept", AGE)])
def test_adjusted_values_are_those_of_combat(case, covariates):
    X = columns(TABLE, "x")
    found = batch_effects(X, BATCH, covariates).removed(X, BATCH, covariates)
    expected = columns(VALUES, case)
    np.testing.assert_allclose(
        (found - X.mean(axis=0)) / X.std(axis=0),
        (expected - X.mean(axis=0)) / X.std(axis=0),
        rtol=1e-8,
        atol=1e-9,
    )


def test_missing_values_are_left_out_for_each_feature():
    X = columns(TABLE, "missing")
    found = batch_effects(X, BATCH, AGE, shrink=False).removed(X, BATCH, AGE)
    assert (np.isnan(found) == np.isnan(X)).all()
    for j in range(X.shape[1]):
        rows = np.flatnonzero(~np.isnan(X[:, j]))
        part = X[rows][:, [j]]
        alone = batch_effects(part, BATCH[rows], AGE[rows], shrink=False)
        expected = alone.removed(part, BATCH[rows], AGE[rows])[:, 0]
        np.testing.assert_allclose(found[rows, j], expected, rtol=1e-7, atol=1e-9)


def test_without_shrinking_all_batches_have_one_mean_and_deviation():
    X = columns(TABLE, "x")[:, :2]
    found = batch_effects(X, BATCH, NOTHING, shrink=False).removed(X, BATCH, NOTHING)
    for batch in range(3):
        part = found[batch == BATCH]
        np.testing.assert_allclose(part.mean(axis=0), X.mean(axis=0), rtol=1e-9)
    deviations = [found[batch == BATCH].std(axis=0, ddof=1) for batch in range(3)]
    np.testing.assert_allclose(deviations[1:], [deviations[0]] * 2, rtol=1e-9)


def test_constants_within_a_batch_are_left_as_they_are():
    X = columns(TABLE, "x").copy()
    X[:, 0] = 0.1
    X[BATCH == 1, 1] = 7.0
    found = batch_effects(X, BATCH, NOTHING).removed(X, BATCH, NOTHING)
    assert (found[:, :2] == X[:, :2]).all()
    assert not np.allclose(found[:, 2:], X[:, 2:])


def test_a_batch_of_one_row_is_moved_but_not_scaled():
    X = columns(TABLE, "x")
    batch = np.where(np.arange(len(X)) == 4, 3, BATCH)
    effects = batch_effects(X, batch, NOTHING)
    assert (effects.spread[3] == 1).all()
    assert (effects.location[3] != 0).all()


@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_the_scale_does_not_matter(factor):
    X = columns(TABLE, "x")
    plain = batch_effects(X, BATCH, AGE).removed(X, BATCH, AGE)
    scaled = batch_effects(X * factor, BATCH, AGE).removed(X * factor, BATCH, AGE)
    np.testing.assert_allclose(scaled / factor, plain, rtol=1e-9)
