"""Maximum relevance."""

import pytest
from scipy import stats

from fsops.operators import (
    retrieve,
    weight_by_correlation,
    weight_by_f_test,
    weight_by_maximum_relevance,
)


def test_measure_follows_the_types(listening):
    wine, diabetes = retrieve(repository_entry="wine"), retrieve(repository_entry="diabetes")
    assert weight_by_maximum_relevance(wine).values == pytest.approx(weight_by_f_test(wine).values)
    found = weight_by_maximum_relevance(diabetes)
    assert found.values == pytest.approx(weight_by_correlation(diabetes).values)


def test_nominal_attribute_and_numerical_label_use_the_f_test():
    golf = retrieve(repository_entry="golf").with_roles({"Humidity": "label"})
    groups = [golf.column("Humidity")[golf.column("Outlook") == code] for code in range(3)]
    found = weight_by_maximum_relevance(golf)
    assert found["Outlook"] == pytest.approx(stats.f_oneway(*groups).statistic)


def test_p_values_make_mixed_types_comparable():
    weights = weight_by_maximum_relevance(retrieve(repository_entry="golf"), transformation="p")
    assert all(0 <= value <= 1 for value in weights.values)
    assert weights["Temperature"] == pytest.approx(1 - stats.f.sf(0.178494, 1, 12), abs=1e-5)
