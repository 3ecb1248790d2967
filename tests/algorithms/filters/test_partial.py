"""Partial correlations are those of residuals, and follow from inverse correlations."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fsops import ExampleSet
from fsops.algorithms.filters.partial import partial_correlation, partial_rank_correlation
from fsops.errors import DataError
from fsops.operators import weight_by_correlation, weight_by_partial_correlation

RNG = np.random.default_rng(3)
ROWS = 26
AGE, DOSE = RNG.normal(60, 9, ROWS), RNG.integers(0, 4, ROWS).astype(float)
SITE = RNG.permutation(np.resize(["p", "q", "r"], ROWS))
SITES = (SITE[:, None] == ["q", "r"]).astype(float)
Z = np.column_stack([AGE, DOSE, SITES])
Y = 0.05 * AGE + RNG.normal(size=ROWS)
X = RNG.normal(size=(ROWS, 9)) + 0.3 * Y[:, None] + 0.1 * AGE[:, None]
X[:, 1] = np.round(X[:, 1])
X[:, 2] = 5.0
X[:, 3] = 2 * AGE - 7 * SITES[:, 0] + 1
X[:, 4] *= 1e-120
X[:, 5] += 1e7
X[RNG.random(ROWS) < 0.3, 6] = np.nan
X[3:, 7] = np.nan
X[:, 8] = Y
NONE = [2, 3, 7]


def residuals(column, covariates):
    design = np.column_stack([np.ones(len(column)), covariates])
    return column - design @ np.linalg.lstsq(design, column, rcond=None)[0]


def by_hand(j, ranks):
    known = ~np.isnan(X[:, j])
    x, y, z = X[known, j] / np.abs(X[known, j]).max(), Y[known], Z[known]
    if ranks:
        x, y, z = (stats.rankdata(values, axis=0) for values in (x, y, z))
    z = z - z.mean(axis=0)
    r = np.corrcoef(residuals(x, z), residuals(y, z))[0, 1]
    df = known.sum() - 2 - np.linalg.matrix_rank(z)
    return r, df, 2 * stats.t.sf(abs(r) * np.sqrt(df / (1 - r * r)), df)


@pytest.mark.parametrize("ranks", [False, True])
def test_correlations_are_those_of_residuals(ranks):
    score = partial_rank_correlation if ranks else partial_correlation
    found = score(X, Y, Z)
    for j in sorted({*range(8)} - {*NONE}):
        r, df, p = by_hand(j, ranks)
        assert found.statistic[j] == pytest.approx(r, rel=1e-6)
        assert found.df[j] == df
        assert found.p_values[j] == pytest.approx(p, rel=1e-6)
    assert found.undefined[[2, 7]].all()
    assert found.statistic[8] == pytest.approx(1)
    assert found.p_values[8] < 1e-100
    assert ranks or found.undefined[3]
    assert found.weights[found.undefined].tolist() == [0] * found.undefined.sum()


def test_three_variables_follow_from_the_inverse_of_their_correlations():
    y = np.array([1, 2, 3, 4, 5, 6, 7, 15, 20, 10.0])
    x = np.array([2, 4, 15, 20, 25, 27, 30, 41, 39, 21.0])
    z = np.array([3, 5, 4, 8, 2, 9, 7, 12, 20, 8.0])
    inverse = np.linalg.inv(np.corrcoef([x, y, z]))
    expected = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
    found = partial_correlation(x[:, None], y, z[:, None])
    assert found.statistic[0] == pytest.approx(expected, rel=1e-12)


def table(label=None, **columns):
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(9)])
    frame["y"] = Y if label is None else label
    frame["age"], frame["dose"], frame["site"] = AGE, DOSE, SITE
    for name, values in columns.items():
        frame[name] = values
    roles = {"y": "label", "age": "covariate", "dose": "covariate", "site": "batch"}
    return ExampleSet.from_pandas(frame, roles=roles | ({"w": "weight"} if "w" in columns else {}))


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_roles_name_the_covariates(method):
    found = weight_by_partial_correlation(table(), method=method, missing="pairwise")
    score = partial_rank_correlation if method == "spearman" else partial_correlation
    expected = score(X, Y, Z)
    np.testing.assert_allclose(found.values, expected.weights, atol=1e-9)
    np.testing.assert_allclose(found.details["p_value"], expected.p_values, atol=1e-9)
    with pytest.raises(DataError, match="missing"):
        weight_by_partial_correlation(table(), method=method)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_row_weights_are_numbers_of_rows(method):
    times = np.resize([1, 2, 0, 3], ROWS)
    found = weight_by_partial_correlation(table(w=times), method=method, missing="pairwise")
    twice = table().take(np.repeat(np.arange(ROWS), times))
    expected = weight_by_partial_correlation(twice, method=method, missing="pairwise")
    np.testing.assert_allclose(found.values, expected.values, atol=1e-9)


def test_without_covariates_it_is_the_correlation_with_a_warning():
    plain = table().drop(["age", "dose", "site"])
    with pytest.warns(UserWarning, match="nothing is adjusted for"):
        found = weight_by_partial_correlation(plain, missing="pairwise")
    expected = weight_by_correlation(plain, missing="pairwise")
    np.testing.assert_allclose(found.values, expected.values, atol=1e-9)


def test_two_classes_are_coded_and_explained_labels_refused():
    found = weight_by_partial_correlation(
        table(label=np.where(Y > 3, "b", "a")), missing="pairwise"
    )
    expected = partial_correlation(X, (Y > 3).astype(float), Z)
    np.testing.assert_allclose(found.values, expected.weights, atol=1e-9)
    with pytest.raises(DataError, match='"y" cannot be compared given'):
        weight_by_partial_correlation(table(label=3 * AGE + 2), missing="pairwise")
