"""Selections by knockoffs."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.data import Attribute, ValueType
from fsops.errors import DataError, FsopsError, OperatorWarning, ParameterError
from fsops.operators import (
    knockoff_filter,
    select_by_knockoffs,
    weight_by_correlation,
    weights_to_ranking,
)

TRUE = 15


def table(n=120, p=40, classes=False, seed=0, strength=2.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = strength * X[:, :TRUE].sum(axis=1) + rng.normal(size=n)
    return ExampleSet.from_numpy(X, np.where(y > 0, "b", "a") if classes else y)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"distance": "sdp"},
        {"distance": "equicorrelated", "offset": "knockoff"},
        {"copies": "fixed-X"},
        {"statistic": "lasso signed max"},
        {"statistic": "lasso signed max", "draws": 3},
        {"shrink_correlations": False},
    ],
    ids=str,
)
def test_true_attributes_are_selected_and_few_others(settings):
    found = select_by_knockoffs(table(), fdr=0.2, **settings)
    assert found.values[:TRUE].sum() >= TRUE - 1
    assert found.values[TRUE:].sum() <= 4
    assert (found.details["statistic"][:TRUE] > 0).sum() >= TRUE - 1


def test_more_attributes_than_rows_and_two_classes_are_fine():
    found = select_by_knockoffs(table(n=100, p=150, classes=True), fdr=0.3, distance="sdp")
    assert found.values[:TRUE].sum() > found.values[TRUE:].sum()


def test_several_draws_are_combined_by_e_values():
    found = select_by_knockoffs(table(), statistic="lasso signed max", draws=4, fdr=0.2)
    assert set(found.details) == {"statistic", "e_value", "frequency"}
    count = int(found.values.sum())
    e = found.details["e_value"]
    assert e[found.values > 0].min() >= 40 / (0.2 * count) * (1 - 1e-9)


def test_the_same_seed_gives_the_same_selection():
    assert select_by_knockoffs(table()).equals(select_by_knockoffs(table()))


def test_constant_and_huge_attributes_do_no_harm():
    X = table().numeric().copy()
    X[:, 20] = 7.0
    X[:, 0] *= 1e12
    X[:, 1] *= 1e-12
    found = select_by_knockoffs(ExampleSet.from_numpy(X, table().column("label")), fdr=0.2)
    plain = select_by_knockoffs(table(), fdr=0.2)
    assert found.values[20] == found.details["statistic"][20] == 0
    assert found.values[:TRUE].tolist() == plain.values[:TRUE].tolist()


def test_any_weighting_can_be_compared_with_copies():
    seen = []

    def watched(part):
        seen.append(part.schema.regular_names)
        return weight_by_correlation(part)

    found = knockoff_filter(table(n=400), watched, fdr=0.2, draws=1)
    assert len(seen[0]) == 80
    assert found.values[:TRUE].sum() >= 10
    assert found.values[TRUE:].sum() <= 4


def test_noise_selects_nothing_with_a_warning():
    with pytest.warns(OperatorWarning, match="No selection has a false discovery rate"):
        found = select_by_knockoffs(table(strength=0.0, seed=3))
    assert found.values.sum() == 0


def test_copies_of_attributes_are_a_clear_refusal_without_shrinkage():
    X = np.repeat(table().numeric(), 2, axis=1)
    twice = ExampleSet.from_numpy(X, table().column("label"))
    with pytest.raises(DataError, match="some attributes are copies or sums of others"):
        select_by_knockoffs(twice, shrink_correlations=False)
    with pytest.raises(DataError, match="Fixed-X knockoffs of 80 attributes need 161 rows"):
        select_by_knockoffs(twice, copies="fixed-X")


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.random.default_rng(0).normal(size=(9, 3)), np.ones(9), "two different label values"),
        (np.ones((9, 3)), np.arange(9.0), "All attributes are constant"),
        ([[1.0, np.nan], [2, 3], [3, 1], [0, 4]], np.arange(4.0), "missing"),
        (np.random.default_rng(0).normal(size=(9, 3)), list("abcabcabc"), "two classes"),
    ],
)
def test_data_that_do_not_fit_are_refused(X, y, words):
    with pytest.raises(FsopsError, match=words):
        select_by_knockoffs(ExampleSet.from_numpy(X, y))


def test_correlations_of_few_rows_need_shrinkage():
    with pytest.raises(ParameterError, match="20 rows do not determine the correlations of 40"):
        select_by_knockoffs(table(n=20), shrink_correlations=False)


@pytest.mark.parametrize("select", [select_by_knockoffs, knockoff_filter])
def test_row_weights_are_refused(select):
    frame = table().to_pandas().assign(times=np.arange(120) % 3)
    weighted = ExampleSet.from_pandas(frame, roles={"label": "label", "times": "weight"})
    inner = () if select is select_by_knockoffs else (weight_by_correlation,)
    with pytest.raises(DataError, match="cannot use row weights"):
        select(weighted, *inner)


def test_rows_with_the_weight_0_are_left_out_by_the_filter():
    whole = table(n=140)
    weights = np.where(np.arange(140) < 120, 1.0, 0.0)
    weighted = whole.with_columns([(Attribute("w", ValueType.REAL, "weight"), weights)])
    found = knockoff_filter(weighted, weight_by_correlation, fdr=0.2)
    assert found.equals(knockoff_filter(whole.take(range(120)), weight_by_correlation, fdr=0.2))


def test_in_a_ranking_inside_the_first_place_is_the_best():
    def ranked(rows):
        return weights_to_ranking(weight_by_correlation(rows))

    found = knockoff_filter(table(), ranked).details["statistic"]
    plain = knockoff_filter(table(), weight_by_correlation).details["statistic"]
    np.testing.assert_array_equal(np.sign(found), np.sign(plain))
    assert (found[:TRUE] > 0).sum() >= TRUE - 1
