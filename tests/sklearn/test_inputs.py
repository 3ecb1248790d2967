"""What people pass to the selectors."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from fsops.errors import OperatorWarning
from fsops.sklearn import (
    EnsembleFeatureSelection,
    RecursiveFeatureElimination,
    SelectByMrmrCfs,
    SklearnSelector,
    WeightByFTest,
    WeightByMultisurf,
    WeightByRelieff,
    WeightByWilcoxon,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 6))
Y = np.arange(40) % 2
X[:, 2] += 2 * Y


def test_two_whole_numbers_stored_as_real_ones_are_classes():
    whole = SelectByMrmrCfs(k=3).fit(X, Y)
    real = SelectByMrmrCfs(k=3).fit(X, Y.astype(float))
    np.testing.assert_array_equal(real.scores_, whole.scores_)
    number = SelectByMrmrCfs(k=3, label_type="numerical").fit(X, Y.astype(float))
    assert number.weights_.names == whole.weights_.names


def test_few_whole_numbers_stored_as_real_ones_give_a_warning():
    y = (np.arange(40) % 3).astype(float)
    with pytest.warns(OperatorWarning, match='set label_type="nominal"'):
        SelectByMrmrCfs(k=3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SelectByMrmrCfs(k=3, label_type="numerical").fit(X, y)
        SelectByMrmrCfs(k=3).fit(X, X[:, 0])


def test_series_and_frames_of_polars_are_read():
    polars = pytest.importorskip("polars")
    expected = WeightByFTest().fit(X, Y).scores_
    names = [f"g{j}" for j in range(6)]
    frame = polars.DataFrame(dict(zip(names, X.T, strict=True)))
    found = WeightByFTest().fit(frame, polars.Series(Y))
    np.testing.assert_array_equal(found.scores_, expected)
    mixed = frame.with_columns(polars.Series("sex", ["f", "m"] * 20))
    as_pandas = pd.DataFrame(X, columns=names).assign(sex=["f", "m"] * 20)
    np.testing.assert_array_equal(
        SelectByMrmrCfs(k=3).fit(mixed, polars.Series(["a", "b"] * 20)).scores_,
        SelectByMrmrCfs(k=3).fit(as_pandas, ["a", "b"] * 20).scores_,
    )


def test_missing_values_are_refused_with_the_parameter_that_allows_them():
    gaps = X.copy()
    gaps[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN") as found:
        WeightByFTest().fit(gaps, Y)
    assert 'missing="pairwise"' in str(found.value)
    assert np.isfinite(WeightByFTest(missing="pairwise").fit(gaps, Y).scores_).all()


@pytest.mark.parametrize(
    "learner", [LogisticRegression(), RandomForestClassifier(5, random_state=0)]
)
def test_a_learner_with_coefficients_or_importances_can_weigh(learner):
    found = RecursiveFeatureElimination(learner, k=2).fit(X, Y)
    assert found.support_[2]


def test_a_learner_without_coefficients_is_refused_with_advice():
    with pytest.raises(ValueError, match="has neither coef_ nor feature_importances_") as found:
        RecursiveFeatureElimination(KNeighborsClassifier(), k=2).fit(X, Y)
    assert "linear model or a forest" in str(found.value)


def test_numbers_may_be_given_as_numbers():
    where = "sklearn.feature_selection.SelectKBest"
    number = SklearnSelector(selector=where, parameters={"k": 2}).fit(X, Y)
    text = SklearnSelector(selector=where, parameters={"k": "2"}).fit(X, Y)
    np.testing.assert_array_equal(number.support_, text.support_)
    assert number.support_.sum() == 2


def test_p_values_are_in_the_order_of_the_columns():
    from sklearn.feature_selection import f_classif

    np.testing.assert_allclose(WeightByFTest().fit(X, Y).pvalues_, f_classif(X, Y)[1], rtol=1e-9)
    with pytest.raises(AttributeError, match="no p-values"):
        _ = WeightByRelieff().fit(X, Y).pvalues_


def test_groups_are_never_separated():
    seen = []

    def weigh(table):
        seen.append(np.bincount(table.column("group").astype(int), minlength=10))
        return WeightByFTest().as_function()(table)

    groups = np.repeat(np.arange(10), 4)
    EnsembleFeatureSelection(weigh, iterations=3, k=2).fit(X, Y, groups=groups)
    assert len(seen) == 3
    assert all((counts % 4 == 0).all() for counts in seen)
    with pytest.raises(ValueError, match=r"groups has the shape \(3,\), but there are 40 rows"):
        WeightByFTest().fit(X, Y, groups=[1, 2, 3])
    assert WeightByMultisurf().get_metadata_routing().fit.requests == {"groups": None}


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_sample_weights_are_refused_by_name(method):
    with pytest.raises(
        TypeError, match="MultiSURF does not use sample weights. Leave sample_weight"
    ):
        getattr(WeightByMultisurf(), method)(X, Y, sample_weight=np.ones(40))
    with pytest.raises(TypeError, match="has no argument 'group'. Did you mean \"groups\""):
        WeightByFTest().fit(X, Y, group=Y)


@pytest.mark.parametrize("selector", [WeightByFTest(), WeightByWilcoxon()], ids=["used", "whole"])
def test_a_sample_weight_is_the_number_of_times_a_row_counts(selector):
    counts = np.arange(40) % 4
    weighted = clone(selector).fit(X, Y, sample_weight=counts)
    repeated = clone(selector).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    assert weighted.scores_ == pytest.approx(repeated.scores_, rel=1e-9)
    assert weighted.get_metadata_routing().fit.requests == {"groups": None, "sample_weight": None}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.ones(3), r"has the shape \(3,\), but there are 40 rows"),
        (np.full(40, -1.0), "has negative, missing or infinite values"),
        (np.full(40, np.nan), "has negative, missing or infinite values"),
        (np.full(40, 0.5), "whole numbers"),
    ],
)
def test_sample_weights_that_do_not_fit_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        WeightByWilcoxon().fit(X, Y, sample_weight=given)


def test_sample_weights_are_refused_by_processes():
    from fsops import Process
    from fsops.operators import weight_by_f_test
    from fsops.sklearn import ProcessEstimator

    process = Process()
    process.result(process.add(weight_by_f_test, process.source("input 1")))
    with pytest.raises(TypeError, match="The process does not use sample weights"):
        ProcessEstimator(process).fit(X, Y, sample_weight=np.ones(40))


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        (
            {"must_keep": ["x1", "x2"], "forbidden": ["x2"]},
            'Both must_keep and forbidden name "x2"',
        ),
        ({"must_keep": [2]}, "must_keep holds 2, but it must be text"),
        ({"forbidden": ["y"]}, '"y"'),
    ],
)
def test_marks_that_cannot_be_are_refused(marks, words):
    with pytest.raises(ValueError, match=words):
        WeightByFTest(**marks).fit(X, Y)


def test_a_column_may_be_named_twice_in_one_mark():
    assert WeightByFTest(k=1, must_keep=["x1", "x1"]).fit(X, Y).get_support()[1]
