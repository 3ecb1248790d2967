"""Performances made of performances and of tables."""

import numpy as np
import pytest

from fsops.data import Criterion, PerformanceVector
from fsops.errors import ParameterError
from fsops.operators import (
    combine_performances,
    extract_performance,
    performance_attribute_count,
    performance_to_data,
)


@pytest.fixture
def measured():
    return PerformanceVector(
        [
            Criterion("accuracy", (0.8, 0.9), percent=True),
            Criterion("number_of_attributes", (10.0, 20.0), maximize=False),
        ]
    )


def test_errors_count_against_merits(measured):
    found = combine_performances(measured, criteria_weights={"number_of_attributes": 0.01})
    expected = [(0.8 - 0.1) / 1.01, (0.9 - 0.2) / 1.01]
    assert found.main.name == "weighted_performance"
    assert list(found.main.values) == pytest.approx(expected)


def test_different_numbers_of_measurements_are_combined_by_their_means(measured):
    mixed = PerformanceVector([measured.main, Criterion("kappa", (0.5,))])
    assert combine_performances(mixed).main.values == pytest.approx([(0.85 + 0.5) / 2])


def test_wrong_weights_are_refused(measured, refused):
    with refused('"acuracy"', 'Did you mean "accuracy"', error=ParameterError):
        combine_performances(measured, criteria_weights={"acuracy": 1.0})
    with refused("All weights are 0", error=ParameterError):
        combine_performances(measured, default_weight=0)


def test_figures_of_a_table(golf):
    def value(**settings):
        return extract_performance(golf, **settings).main.mean

    assert value() == 14
    assert value(performance_type="number_of_attributes") == 4
    humidity = {"attribute": "Humidity"}
    assert value(performance_type="data_value", **humidity, example_index=2) == 90
    assert value(performance_type="data_value", **humidity, example_index=-1) == 80
    statistic = {"performance_type": "statistics", **humidity}
    column = golf.column("Humidity")
    assert value(**statistic) == pytest.approx(column.mean())
    assert value(**statistic, statistics="min") == column.min()
    assert value(**statistic, statistics="max") == column.max()
    counted = {"performance_type": "statistics", "statistics": "count"}
    assert value(**counted, attribute="Outlook", attribute_value="sunny") == 5
    less = extract_performance(golf, optimization_direction="minimize")
    assert not less.main.maximize


def test_figures_that_are_not_there_are_refused(golf, refused):
    with refused('"Humidty"', 'Did you mean "Humidity"'):
        extract_performance(golf, performance_type="data_value", attribute="Humidty")
    with refused("number is needed", '"Outlook"'):
        extract_performance(golf, performance_type="data_value", attribute="Outlook")
    with refused("example_index is 15", "14 rows", error=ParameterError):
        extract_performance(
            golf, performance_type="data_value", attribute="Humidity", example_index=15
        )


def test_the_number_of_attributes_joins_another_performance(golf, measured):
    alone = performance_attribute_count(golf)
    assert [(c.name, c.mean, c.maximize) for c in alone] == [("number_of_attributes", 4, False)]
    joined = performance_attribute_count(golf, PerformanceVector([measured.main]))
    assert [c.name for c in joined] == ["accuracy", "number_of_attributes"]
    assert performance_attribute_count(golf, measured)["number_of_attributes"].mean == 4


def test_a_performance_as_a_table(measured):
    table = performance_to_data(measured)
    assert table.nominal_values("Criterion") == ["accuracy", "number_of_attributes"]
    assert table.column("Value").tolist() == pytest.approx([0.85, 15])
    assert table.column("Standard Deviation") == pytest.approx(
        np.std([[0.8, 0.9], [10, 20]], axis=1, ddof=1)
    )
    assert table.column("Variance") == pytest.approx(np.var([[0.8, 0.9], [10, 20]], axis=1, ddof=1))
    assert table.column("Count").tolist() == [2, 2]
    single = performance_to_data(PerformanceVector([Criterion("kappa", (0.5,))]))
    assert np.isnan(single.column("Variance")[0])
