"""Cox's model on a path of penalties agrees with R, and meets the conditions of the optimum."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fsops.algorithms.linear import cox_path as cox_path_module
from fsops.algorithms.linear.cox_path import CoxRows, cox_path, largest_penalty, path_of

FOLDER = Path(__file__).parents[1] / "filters" / "survival"
TABLE = pd.read_csv(FOLDER / "table.csv", skipinitialspace=True)
X = TABLE.filter(regex=r"^x\d").to_numpy(float)
TIME, EVENT = TABLE["time"].to_numpy(float), TABLE["event"].to_numpy(bool)
PATH = pd.read_csv(FOLDER / "path.csv", skipinitialspace=True)
FITS = pd.read_csv(FOLDER / "fits.csv", skipinitialspace=True).set_index("ties")


@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_coefficients_are_those_of_glmnet(ratio):
    expected = PATH[PATH["ratio"] == ratio]
    penalties = np.sort(expected["lambda"].unique())[::-1]
    found = path_of(CoxRows(X, TIME, EVENT, "breslow"), penalties, ratio)
    values = expected["coefficient"].to_numpy().reshape(len(penalties), 12).T
    assert (np.abs(values) > 1e-3).sum() > 30
    np.testing.assert_allclose(found, values, atol=1e-6)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_without_a_penalty_the_model_is_that_of_survival(ties):
    rows = CoxRows(X[:, [0, 1, 2, 7]], TIME, EVENT, ties)
    assert rows.log_likelihood(np.zeros(len(X))) == pytest.approx(FITS["null"][ties], rel=1e-12)
    top = largest_penalty(rows, 1.0)
    found = path_of(rows, top * np.logspace(0, -10, 20), 1.0)[:, -1]
    np.testing.assert_allclose(found, FITS.loc[ties, ["b1", "b2", "b3", "b8"]].tolist(), rtol=1e-6)
    assert rows.log_likelihood(rows.X @ found) == pytest.approx(FITS["loglik"][ties], rel=1e-9)


def by_hand(z, b, ties):
    """Return the logarithm of the partial likelihood and its gradient, row by row."""
    value, slope = 0.0, np.zeros(len(b))
    eta = z @ b
    for t in np.unique(TIME[EVENT]):
        risk, dead = t <= TIME, (t == TIME) & EVENT
        for place in range(dead.sum()):
            part = place / dead.sum() if ties == "efron" else 0.0
            weight = np.exp(eta) * (risk - part * dead)
            value -= np.log(weight.sum())
            slope -= weight @ z / weight.sum()
        value += eta[dead].sum()
        slope += z[dead].sum(axis=0)
    return value, slope


def test_copies_of_features_need_no_more_steps(monkeypatch):
    steps = []
    step = cox_path_module._Solver._newton
    monkeypatch.setattr(
        cox_path_module._Solver, "_newton", lambda *given: steps.append(1) or step(*given)
    )
    rows = CoxRows(np.column_stack([X, X]), TIME, EVENT, "efron")
    penalties = largest_penalty(rows, 1.0) * np.logspace(0, -3, 30)
    both = path_of(rows, penalties, 1.0)
    assert len(steps) < 20 * penalties.size
    alone = path_of(CoxRows(X, TIME, EVENT, "efron"), penalties, 1.0)
    np.testing.assert_allclose(both[:12] + both[12:], alone, atol=1e-8)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_conditions_of_the_optimum_hold_with_more_features_than_rows(ties, ratio):
    rng = np.random.default_rng(4)
    wide = np.column_stack([X, X[:, :3], rng.normal(size=(48, 90))])
    rows = CoxRows(wide, TIME, EVENT, ties)
    penalties = largest_penalty(rows, ratio) * np.logspace(0, -1.5, 15)
    found = path_of(rows, penalties, ratio)
    z = np.where(np.isinf(rows.scale), 0, (wide - rows.centre) / rows.scale)
    assert not found[:, 0].any()
    assert np.count_nonzero(found[:, -1]) > 20
    for alpha, b in zip(penalties[1:], found.T[1:], strict=False):
        slope = by_hand(z, b, ties)[1] / 48 - alpha * (1 - ratio) * b
        used = b != 0
        l1 = alpha * ratio
        np.testing.assert_allclose(slope[used], l1 * np.sign(b[used]), rtol=1e-6)
        assert np.abs(slope[~used]).max() <= l1 * (1 + 1e-6)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_deviances_of_folds_are_losses_of_the_likelihood(ties):
    part = np.empty(48, dtype=int)
    part[EVENT], part[~EVENT] = np.arange(EVENT.sum()) % 3, np.arange((~EVENT).sum()) % 3
    path = cox_path(X, TIME, EVENT, part, ties=ties, steps=6)
    train = part != 1
    rows = CoxRows(X[train], TIME[train], EVENT[train], ties)
    b = path_of(rows, path.penalties, 1.0)[:, 4]
    z = np.where(np.isinf(rows.scale), 0, (X - rows.centre) / rows.scale)
    loss = rows.log_likelihood(rows.X @ b) - by_hand(z, b, ties)[0]
    assert path.deviances[4, 1] == pytest.approx(2 * loss / EVENT[~train].sum(), rel=1e-8)
    assert path.features.tolist() == np.count_nonzero(path.coefficients, axis=0).tolist()


def test_the_scale_of_features_and_the_order_of_rows_do_not_matter():
    part = np.arange(48) % 4
    order = np.random.default_rng(1).permutation(48)
    one = cox_path(X, TIME, EVENT, part, steps=8)
    two = cox_path(X[order] * 1000 + 5, TIME[order], EVENT[order], part[order], steps=8)
    np.testing.assert_allclose(one.coefficients, two.coefficients, atol=1e-7)
    np.testing.assert_allclose(one.deviances, two.deviances, atol=1e-7)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_predictors_that_are_far_apart_have_a_finite_likelihood(ties):
    rows = CoxRows(X, TIME, EVENT, ties)
    b = np.random.default_rng(2).normal(size=12)
    z = np.where(np.isinf(rows.scale), 0, (X - rows.centre) / rows.scale)
    exact = by_hand(z, 30 * b, ties)[0]
    ordinary = rows.log_likelihood(rows.X @ (30 * b))
    assert ordinary == pytest.approx(exact, rel=1e-12)
    apart = rows.log_likelihood(rows.X @ (1000 * b))
    # Far apart, only the highest risk counts: the logarithm grows as the predictors do.
    assert apart == pytest.approx(rows.log_likelihood(rows.X @ (500 * b)) * 2, rel=0.02)
    assert np.isfinite(rows.derivatives(rows.X @ (1000 * b))[2]).all()


# --- row weights -------------------------------------------------------------------------------

WEIGHTED_PATH = pd.read_csv(FOLDER / "weighted_path.csv", skipinitialspace=True)
WEIGHTED_FIT = pd.read_csv(FOLDER / "weighted_fits.csv", skipinitialspace=True).iloc[0]
WEIGHTS = 0.25 + np.arange(7, 7 * 49, 7) % 11 / 3


@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_coefficients_with_fractions_as_weights_are_those_of_glmnet(ratio):
    expected = WEIGHTED_PATH[WEIGHTED_PATH["ratio"] == ratio]
    penalties = np.sort(expected["lambda"].unique())[::-1]
    found = path_of(CoxRows(X, TIME, EVENT, "breslow", WEIGHTS), penalties, ratio)
    values = expected["coefficient"].to_numpy().reshape(len(penalties), 12).T
    assert (np.abs(values) > 1e-3).sum() > 30
    np.testing.assert_allclose(found, values, atol=1e-6)


def test_without_a_penalty_the_weighted_model_is_that_of_survival():
    rows = CoxRows(X[:, [0, 1, 2, 7]], TIME, EVENT, "breslow", WEIGHTS)
    null = rows.log_likelihood(np.zeros(len(X)))
    assert null == pytest.approx(WEIGHTED_FIT["null"], rel=1e-12)
    top = largest_penalty(rows, 1.0)
    found = path_of(rows, top * np.logspace(0, -10, 20), 1.0)[:, -1]
    np.testing.assert_allclose(found, WEIGHTED_FIT[["b1", "b2", "b3", "b8"]].tolist(), rtol=1e-6)
    assert rows.log_likelihood(rows.X @ found) == pytest.approx(WEIGHTED_FIT["loglik"], rel=1e-9)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_a_weight_is_the_number_of_copies_in_the_same_fold(ratio, scale):
    values = np.column_stack([X * scale, np.round(X[:, 5])])  # ties
    times, part = np.arange(48) % 4 + 1, np.arange(48) // 2 % 4
    copies = np.repeat(np.arange(48), times)
    given = {"ties": "breslow", "l1_ratio": ratio, "steps": 15}
    found = cox_path(values, TIME, EVENT, part, weights=times, **given)
    expected = cox_path(values[copies], TIME[copies], EVENT[copies], part[copies], **given)
    np.testing.assert_allclose(found.penalties, expected.penalties, rtol=1e-11)
    np.testing.assert_allclose(found.coefficients, expected.coefficients, atol=1e-8)
    np.testing.assert_allclose(found.deviances, expected.deviances, rtol=1e-7)
    assert found.features.tolist() == expected.features.tolist()


def weighted_by_hand(b, rows, used):
    """Return the weighted logarithm of the partial likelihood of some rows, by Breslow."""
    eta = (X - rows.centre) / rows.scale @ b
    value = 0.0
    for i in np.flatnonzero(EVENT & used):
        risk = (TIME[i] <= TIME) & used
        value += WEIGHTS[i] * (eta[i] - np.log(WEIGHTS[risk] @ np.exp(eta[risk])))
    return value


def test_deviances_of_folds_are_weighted():
    part = np.arange(48) % 4
    found = cox_path(X, TIME, EVENT, part, weights=WEIGHTS, ties="breslow", steps=6)
    for fold in range(4):
        train = part != fold
        rows = CoxRows(X[train], TIME[train], EVENT[train], "breslow", WEIGHTS[train])
        events = WEIGHTS[EVENT & ~train].sum()
        for at, b in enumerate(path_of(rows, found.penalties, 1.0).T):
            loss = weighted_by_hand(b, rows, train) - weighted_by_hand(b, rows, part >= 0)
            assert found.deviances[at, fold] == pytest.approx(2 * loss / events)


def test_risks_that_are_far_apart_keep_their_weights():
    rows = CoxRows(X, TIME, EVENT, "breslow", WEIGHTS)
    eta = np.linspace(-1000, 1000, 48)
    sorted_weights, died = WEIGHTS[rows.sets.order], EVENT[rows.sets.order]
    sums = np.logaddexp.accumulate(eta + np.log(sorted_weights))
    late = np.searchsorted(-TIME[rows.sets.order], -TIME[rows.sets.order], side="right") - 1
    expected = (sorted_weights * (eta - sums[late]))[died].sum()
    assert rows.log_likelihood(eta) == pytest.approx(expected, rel=1e-12)


def test_efrons_approximation_takes_no_weights():
    with pytest.raises(ValueError, match="Efron's approximation has no row weights"):
        cox_path(X, TIME, EVENT, np.arange(48) % 4, weights=WEIGHTS)
