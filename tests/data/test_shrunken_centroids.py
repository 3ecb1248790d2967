"""Shrunken class centroids as a result."""

import pickle

import numpy as np
import pytest

from fsops.data import ShrunkenCentroids

DIFFERENCES = np.array([[0.5, -4.0], [-0.5, 2.0]])


def centroids(names="ab", classes=("no", "yes"), differences=DIFFERENCES, threshold=1.5):
    return ShrunkenCentroids(names, classes, differences, threshold=threshold)


def test_the_table_has_a_row_per_attribute_the_largest_difference_first():
    assert centroids().to_pandas().to_dict("list") == {
        "attribute": ["b", "a"],
        "difference(no)": [-4.0, 0.5],
        "difference(yes)": [2.0, -0.5],
    }


def test_a_class_may_have_any_name():
    table = centroids(classes=["attribute", ""]).to_pandas()
    assert list(table) == ["attribute", "difference(attribute)", "difference()"]


def test_centroids_are_equal_if_all_parts_are():
    assert centroids().equals(pickle.loads(pickle.dumps(centroids())))
    for other in (
        centroids("ac"), centroids(classes=["no", "maybe"]), centroids(threshold=1.0),
        centroids(differences=-DIFFERENCES),
    ):  # fmt: skip
        assert not centroids().equals(other)
    assert not centroids().equals("centroids")


def test_shape_and_names_must_fit():
    assert repr(centroids()) == "<ShrunkenCentroids of 2 classes in 2 attributes>"
    assert len(centroids()) == 2
    assert len(centroids("", differences=np.zeros((2, 0)))) == 0
    with pytest.raises(ValueError, match="classes x attributes"):
        centroids("abc")
