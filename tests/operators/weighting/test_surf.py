"""Weights by all rows within a radius."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.neighbors.surf import surf
from fsops.operators import (
    retrieve,
    weight_by_multisurf,
    weight_by_relieff,
    weight_by_surf,
    weight_by_surf_star,
    weight_by_turf,
)

RADII = {weight_by_surf: "surf", weight_by_surf_star: "surf*", weight_by_multisurf: "multisurf"}


@pytest.mark.parametrize("weigh", RADII, ids=RADII.values())
def test_weights_come_in_the_order_of_a_mixed_table(weigh):
    golf = retrieve(repository_entry="golf")
    mixed, reversed_ = weigh(golf), weigh(golf.select(golf.names[::-1]))
    assert mixed.names == ("Outlook", "Temperature", "Humidity", "Wind")
    assert dict(mixed) == pytest.approx(dict(reversed_))
    codes = golf.class_codes()[0]
    expected = surf(golf.numeric(), golf.nominal(), codes, radius=RADII[weigh]).statistic
    assert mixed.values == pytest.approx(expected[[2, 0, 1, 3]])


def interaction(seed=3, n=120, p=6):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, p)).astype(float) + rng.normal(scale=0.1, size=(n, p))
    return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)


@pytest.mark.parametrize("weigh", RADII, ids=RADII.values())
def test_attributes_that_matter_only_together_are_found(weigh):
    assert set(weigh(ExampleSet.from_numpy(*interaction())).top(2)) == {"att1", "att2"}


@pytest.mark.parametrize("method", ["multisurf", "surf", "surf*", "relieff"])
def test_turf_keeps_what_matters_and_says_when_the_others_were_dropped(method):
    X, y = interaction(p=20)
    found = weight_by_turf(ExampleSet.from_numpy(X, y), method=method, min_attributes=5)
    assert set(found.top(2)) == {"att1", "att2"}
    dropped = found.details["dropped_in_iteration"]
    assert [(dropped == i).sum() for i in range(3)] == [5, 10, 5]
    assert found.values[dropped == 0].min() > found.values[dropped == 2].max()
    assert found.values[dropped == 2].min() > found.values[dropped == 1].max()


@pytest.mark.parametrize("method", ["multisurf", "relieff"])
def test_turf_takes_labels_of_numbers_and_mixed_tables(method):
    golf = retrieve(repository_entry="golf")
    few = weight_by_turf(golf, method=method, fraction=0.25, min_attributes=2)
    assert few.names == ("Outlook", "Temperature", "Humidity", "Wind")
    X, _ = interaction()
    numbers = weight_by_turf(
        ExampleSet.from_numpy(X, X[:, 2] * 3.0), method=method, min_attributes=3
    )
    assert numbers.top(1) == ("att3",)


def test_a_constant_label_of_numbers_is_refused(refused):
    X, _ = interaction()
    with refused("must have different values"):
        weight_by_multisurf(ExampleSet.from_numpy(X, np.ones(120)))


def test_the_selector_of_scikit_learn_takes_missing_values():
    from fsops.sklearn import WeightByMultisurf

    X, y = interaction()
    X[::7, 3] = np.nan
    selector = WeightByMultisurf(k=2).fit(X, y)
    assert selector.get_support().nonzero()[0].tolist() == [0, 1]


@pytest.mark.parametrize(
    "weigh", [*RADII, weight_by_relieff, weight_by_turf], ids=lambda weigh: weigh.__name__
)
def test_the_weight_of_an_attribute_without_values_is_unknown_and_the_help_says_so(weigh):
    X, y = interaction()
    X[:, 2] = np.nan
    values = weigh(ExampleSet.from_numpy(X, y)).values
    assert np.flatnonzero(np.isnan(values)).tolist() == [2]
    words = " ".join((weigh.__doc__ or "").split())
    assert "If all values of an attribute are missing, its weight is unknown" in words


def test_turf_drops_an_attribute_without_values_first():
    X, y = interaction()
    X[:, 2] = np.nan
    found = weight_by_turf(ExampleSet.from_numpy(X, y), min_attributes=5, fraction=0.2)
    assert found.details["dropped_in_iteration"].tolist() == [0, 0, 1, 0, 0, 0]
    assert found.values.argmin() == 2
