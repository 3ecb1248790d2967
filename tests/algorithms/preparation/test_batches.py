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


def plain_combat(X, batch, *, as_sva):
    """ComBat feature by feature, without covariates.

    With missing values sva weights the means of the batches by all of their rows, and divides the
    pooled squares by n - 1. Without missing values it divides them by n.
    """
    batches = range(batch.max() + 1)
    z, centre, scale = np.empty(X.shape), np.empty(X.shape[1]), np.empty(X.shape[1])
    for j, x in enumerate(X.T):
        known = ~np.isnan(x)
        means = np.array([np.nanmean(x[batch == b]) for b in batches])
        rows = np.bincount(batch if as_sva else batch[known], minlength=len(means))
        centre[j] = rows @ means / rows.sum()
        scale[j] = (x - means[batch])[known].std(ddof=1 if as_sva else 0)
        z[:, j] = (x - centre[j]) / scale[j]
    for b in batches:
        own = z[batch == b]
        n = (~np.isnan(own)).sum(axis=0)
        location, variance = np.nanmean(own, axis=0), np.nanvar(own, axis=0, ddof=1)
        middle, width = variance.mean(), variance.var(ddof=1)
        shape, rate = 2 + middle**2 / width, middle + middle**3 / width
        shifted, scaled = location, variance
        for _ in range(500):
            among = location.var(ddof=1) * n
            shifted = (among * location + scaled * location.mean()) / (among + scaled)
            squares = np.nansum((own - shifted) ** 2, axis=0)
            scaled = (squares / 2 + rate) / (n / 2 + shape - 1)
        z[batch == b] = (own - shifted) / np.sqrt(scaled)
    return z * scale + centre


@pytest.mark.parametrize("as_sva", [True, False])
def test_missing_values_differ_from_combat_by_two_denominators(as_sva):
    X = columns(TABLE, "missing")
    ours = batch_effects(X, BATCH, NOTHING).removed(X, BATCH, NOTHING)
    expected = columns(VALUES, "gaps") if as_sva else ours
    deviation = np.nanstd(X, axis=0)
    apart = (plain_combat(X, BATCH, as_sva=as_sva) - expected) / deviation
    assert np.nanmax(np.abs(apart)) < 1e-9
    assert np.nanmax(np.abs(ours - columns(VALUES, "gaps")) / deviation) < 0.1


def test_a_missing_value_does_not_change_other_features():
    X = columns(TABLE, "x")
    holes = X.copy()
    holes[3, 0] = np.nan
    whole, other = (
        batch_effects(table, BATCH, NOTHING, shrink=False).removed(table, BATCH, NOTHING)
        for table in (X, holes)
    )
    np.testing.assert_allclose(other[:, 1:], whole[:, 1:], rtol=1e-12)


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
