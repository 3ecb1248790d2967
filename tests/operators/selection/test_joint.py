"""Selections by JMI, CMIM, DISR, ICAP and FCBF as operators."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.mrmr.joint import JointInformation, select_jointly
from fsops.algorithms.preparation.discretize import frequency_codes
from fsops.errors import DataError
from fsops.operators import (
    mrmr_cache_creator,
    retrieve,
    select_by_fcbf,
    select_by_jmi_cmim,
)


def table(seed=1, n=150, p=12):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, p))
    X[:, 2] += 3 * y
    X[:, 5] = X[:, 2] + rng.normal(scale=0.01, size=n)  # nearly a copy
    X[:, 7] += 1.5 * y
    return X, y


@pytest.mark.parametrize("criterion", ["jmi", "cmim", "disr", "icap"])
def test_mixed_tables_are_selected_from_as_codes(criterion):
    golf = retrieve(repository_entry="golf")
    found = select_by_jmi_cmim(golf, k=3, criterion=criterion, number_of_bins=2, output="ranking")
    binned, names = frequency_codes(golf.numeric(), 2), golf.nominal()
    codes = np.column_stack([names[:, 0], binned, names[:, 1]])
    expected = select_jointly(JointInformation(codes, golf.class_codes()[0], criterion), 3)
    assert sorted(found.values.tolist()) == [0, 1, 2, 3]
    assert np.argsort(-found.values)[:3].tolist() == expected.order.tolist()
    assert found.details["score"][expected.order] == pytest.approx(expected.scores)


def test_a_copy_is_not_selected_by_strict_criteria():
    data = ExampleSet.from_numpy(*table())
    for criterion in ("cmim", "icap"):
        assert sum(select_by_jmi_cmim(data, k=2, criterion=criterion).values[[2, 5]]) == 1
    assert sum(select_by_fcbf(data).values[[2, 5]]) == 1


def test_missing_values_are_one_more_category():
    X, y = table()
    X[y == 1, 9] = np.nan  # says everything by being missing
    found = select_by_jmi_cmim(ExampleSet.from_numpy(X, y.astype(str)), k=1)
    assert found.top(1) == ("att10",)
    assert select_by_fcbf(ExampleSet.from_numpy(X, y.astype(str)), max_attributes=1).top(1) == (
        "att10",
    )


def test_tables_with_more_cells_than_rows_are_warned_of():
    X, y = table(n=15)
    with pytest.warns(UserWarning, match="most of the information is noise"):
        select_by_jmi_cmim(ExampleSet.from_numpy(X, y), k=2)


def test_fcbf_takes_the_cache_of_symmetric_uncertainties():
    data = ExampleSet.from_numpy(*table())
    cache = mrmr_cache_creator(data, measure="symmetric uncertainty")
    some = data.drop([f"att{i}" for i in (1, 2, 9, 12)])
    for part in (data, some):
        alone, cached = select_by_fcbf(part), select_by_fcbf(part, cache)
        assert alone.values.tolist() == cached.values.tolist()
    other = mrmr_cache_creator(data, measure="mutual information")
    with pytest.raises(DataError, match="A cache of symmetric uncertainty is needed"):
        select_by_fcbf(data, other)


def test_fcbf_warns_if_nothing_is_above_the_threshold():
    with pytest.warns(UserWarning, match="Lower the threshold"):
        found = select_by_fcbf(ExampleSet.from_numpy(*table()), threshold=0.99)
    assert not found.values.any()
