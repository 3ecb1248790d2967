"""Adding attributes in the order of their weights."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.data import AttributeWeights, Criterion, PerformanceVector
from fsops.errors import DataError
from fsops.operators import optimize_selection_weight_guided

VALUE = {1: 0.5, 2: 0.7, 3: 0.6, 4: 0.6, 5: 0.9}


@pytest.fixture
def table():
    return ExampleSet.from_numpy(np.arange(20.0).reshape(4, 5), ["x", "y", "x", "y"], names="abcde")


@pytest.fixture
def tried():
    return []


@pytest.fixture
def by_size(tried):
    """Return an inner process for which only the number of attributes counts."""

    def evaluate(examples, through):
        tried.append(examples.schema.regular_names)
        return PerformanceVector([Criterion("value", (VALUE[len(tried[-1])],))])

    return evaluate


WEIGHTS = AttributeWeights("abcde", [0.1, -5.0, 2.0, 3.0, 0.5])


def test_attributes_are_added_by_the_size_of_their_weight(table, by_size, tried):
    found = optimize_selection_weight_guided(table, WEIGHTS, by_size)
    assert tried == [("b",), ("b", "d"), ("b", "c", "d"), ("b", "c", "d", "e"), tuple("abcde")]
    assert found.performance.main.mean == 0.9
    assert found.examples.schema.regular_names == tuple("abcde")
    assert found.log.column("best").tolist()[-1] == 0.9


def test_signs_count_where_asked_for(table, by_size, tried):
    optimize_selection_weight_guided(table, WEIGHTS, by_size, use_absolute_weights=False)
    assert tried[0] == ("d",)
    assert tried[3] == ("a", "c", "d", "e")


def test_early_stopping_ends_the_search_and_keeps_the_best(table, by_size, tried):
    settings = {"use_early_stopping": True, "generations_without_improvement": 2}
    found = optimize_selection_weight_guided(table, WEIGHTS, by_size, **settings)
    assert len(tried) == 4
    assert found.weights.selected() == ("b", "d")


def test_a_good_enough_set_ends_the_search(table, by_size, tried):
    found = optimize_selection_weight_guided(table, WEIGHTS, by_size, max_fitness=0.7)
    assert len(tried) == 2
    assert found.weights.selected() == ("b", "d")


def test_attributes_without_a_weight_are_never_tried(table, by_size, tried, refused):
    weights = AttributeWeights("cxa", [1.0, 9.0, np.nan])
    optimize_selection_weight_guided(table, weights, by_size)
    assert tried == [("c",)]
    with refused("None of the attributes has a weight."):
        optimize_selection_weight_guided(table, AttributeWeights("x", [1.0]), by_size)


@pytest.mark.parametrize(
    ("choose", "number"),
    [({}, 5), ({"choose": "within_percent", "percent": 25.0}, 2), ({"choose": "elbow"}, 2)],
)
def test_a_smaller_set_that_is_about_as_good_is_chosen(table, by_size, choose, number):
    found = optimize_selection_weight_guided(table, WEIGHTS, by_size, **choose)
    assert len(found.weights.selected()) == number
    assert found.performance.main.mean == VALUE[number]


def test_the_standard_error_is_that_of_the_repetitions(table):
    def folds(examples, through):
        mean = VALUE[len(examples.schema.regular)]
        return PerformanceVector([Criterion("value", (mean - 0.2, mean + 0.2))])

    # The standard error is 0.4 / sqrt(2) / sqrt(2) = 0.2: at least 0.7.
    found = optimize_selection_weight_guided(table, WEIGHTS, folds, choose="one_standard_error")
    assert len(found.weights.selected()) == 2


def test_stability_is_not_measured_here(table, by_size):
    with pytest.raises(DataError, match="stability_aware needs the stability"):
        optimize_selection_weight_guided(table, WEIGHTS, by_size, choose="stability_aware")
