"""Outliers and made-up rows."""

import numpy as np
import pytest
from sklearn.neighbors import LocalOutlierFactor

import fsops
from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import detect_outlier_distances, detect_outlier_lof, smote_upsampling


@pytest.fixture
def cloud():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[7] = 9.0
    return ExampleSet.from_numpy(X)


def test_the_rows_with_the_largest_distance_are_marked(cloud):
    found = detect_outlier_distances(cloud, number_of_neighbors=4, number_of_outliers=3)
    X = cloud.numeric()
    distances = np.sort(np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), axis=1)[:, 4]
    expected = set(np.argsort(-distances)[:3])
    marked = found.nominal_values("outlier")
    assert {i for i, value in enumerate(marked) if value == "true"} == expected
    assert found.schema.attribute("outlier").role == "outlier"
    assert 7 in expected


def test_the_factor_is_the_largest_of_scikit_learns(cloud):
    found = detect_outlier_lof(cloud, min_points_lower_bound=5, min_points_upper_bound=8).column(
        "outlier"
    )
    peers = []
    for k in range(5, 9):
        peer = LocalOutlierFactor(n_neighbors=k).fit(cloud.numeric())
        peers.append(-peer.negative_outlier_factor_)
    assert found == pytest.approx(np.max(peers, axis=0), rel=1e-6)
    assert found.argmax() == 7


def test_equal_rows_are_not_outliers_and_too_many_neighbours_are_refused():
    same = ExampleSet.from_numpy(np.ones((30, 2)))
    assert detect_outlier_lof(same).column("outlier").tolist() == [1.0] * 30
    with pytest.raises(ParameterError, match="only 29 others"):
        detect_outlier_distances(same, number_of_neighbors=30)


def test_made_up_rows_lie_between_near_rows_of_their_class():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    label = np.repeat(["rare", "often"], [6, 24])
    with fsops.running(seed=3):
        found = smote_upsampling(
            ExampleSet.from_numpy(X, label), number_of_neighbors=2, scaling=False
        )
    assert np.bincount(found.label_values()).tolist() == [24, 24]
    assert np.array_equal(found.numeric()[:30], X)
    rare = X[:6]
    distances = np.sqrt(((rare[:, None] - rare) ** 2).sum(axis=2))
    for row in found.numeric()[30:]:
        off = []
        for i in range(6):
            for j in np.argsort(distances[i])[1:3]:
                step = rare[j] - rare[i]
                t = np.clip((row - rare[i]) @ step / (step @ step), 0, 1)
                off.append(np.abs(row - rare[i] - t * step).max())
        assert min(off) < 1e-9


def test_a_number_of_rows_is_added_to_the_rarest_class_and_none_to_equal_ones():
    X = np.arange(10.0)[:, None]
    table = ExampleSet.from_numpy(X, np.repeat(["a", "b"], [3, 7]))
    with fsops.running(seed=1):
        found = smote_upsampling(table, equalize_classes=False, upsampling_size=5)
    assert len(found) == 15
    assert smote_upsampling(table.take([0, 1, 3, 4])).equals(table.take([0, 1, 3, 4]))
