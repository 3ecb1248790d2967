"""Clusters, against scikit-learn and scipy."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, davies_bouldin_score

import fsops
from fsops import ExampleSet
from fsops.algorithms.neighbors.medoids import k_medoids as medoids_of
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    agglomerative_clustering,
    apply_model,
    cluster_distance_performance,
    dbscan,
    expectation_maximization_clustering,
    flatten_clustering,
    k_means,
    k_medoids,
)

CENTRES = np.array([[0.0, 0], [6, 0], [0, 7]])


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    X = np.repeat(CENTRES, [20, 15, 25], axis=0) + rng.normal(scale=0.7, size=(60, 2))
    return ExampleSet.from_numpy(X, np.repeat(["a", "b", "c"], [20, 15, 25]))


def codes(table):
    return table.column("cluster")


@pytest.mark.parametrize(
    "cluster",
    [
        lambda t: k_means(t, number_of_clusters=3),
        lambda t: k_medoids(t, number_of_clusters=3),
        lambda t: expectation_maximization_clustering(t, number_of_clusters=3),
        lambda t: agglomerative_clustering(t, mode="AverageLink", number_of_clusters=3),
    ],
)
def test_clear_clusters_are_found_and_the_model_finds_them_again(blobs, cluster):
    with fsops.running(seed=1):
        found = cluster(blobs)
    assert adjusted_rand_score(blobs.label_values(), codes(found.examples)) == 1
    assert found.examples.schema.attribute("cluster").role == "cluster"
    again = apply_model(found.model, blobs.take([0, 30, 59]))
    assert codes(again).tolist() == codes(found.examples)[[0, 30, 59]].tolist()


def test_k_means_reaches_the_inertia_of_scikit_learn(blobs):
    with fsops.running(seed=1):
        found = k_means(blobs, number_of_clusters=4)
    apart = blobs.numeric() - found.model.centres[codes(found.examples)]
    peer = KMeans(4, n_init=50, random_state=0).fit(blobs.numeric())
    assert (apart**2).sum() == pytest.approx(peer.inertia_, rel=0.02)


def test_dbscan_is_scikit_learns_with_noise_as_cluster_0(blobs):
    found = dbscan(blobs, epsilon=0.8, min_points=4)
    peer = DBSCAN(eps=0.8, min_samples=4).fit_predict(blobs.numeric())
    assert codes(found.examples).tolist() == (peer + 1).tolist()
    assert (peer == -1).any()


@pytest.mark.parametrize(
    ("mode", "method"),
    [("SingleLink", "single"), ("CompleteLink", "complete"), ("AverageLink", "average")],
)
def test_hierarchies_are_cut_as_scipy_cuts_them(blobs, mode, method):
    found = agglomerative_clustering(blobs, mode=mode, number_of_clusters=5)
    peer = fcluster(linkage(blobs.numeric(), method), 5, criterion="maxclust")
    assert adjusted_rand_score(peer, codes(found.examples)) == 1
    flat = flatten_clustering(found.model, blobs, number_of_clusters=2)
    two = fcluster(linkage(blobs.numeric(), method), 2, criterion="maxclust")
    assert adjusted_rand_score(two, codes(flat.examples)) == 1
    with pytest.raises(DataError, match="no hierarchy"):
        flatten_clustering(dbscan(blobs).model, blobs)


def test_medoids_cost_no_more_than_any_single_exchange():
    rng = np.random.default_rng(2)
    X = np.repeat(CENTRES, 5, axis=0) + rng.normal(scale=0.4, size=(15, 2))
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    found = medoids_of(distances, 3, 20, 100, np.random.default_rng(0))
    cost = distances[:, found].min(axis=1).sum()
    for place in range(3):
        for other in range(15):
            tried = found.copy()
            tried[place] = other
            assert distances[:, tried].min(axis=1).sum() >= cost - 1e-9


def test_distances_within_and_davies_bouldin_follow_their_formulas(blobs):
    with fsops.running(seed=1):
        found = k_means(blobs, number_of_clusters=3)
    performance = cluster_distance_performance(blobs, found.model)
    X, c = blobs.numeric(), codes(found.examples)
    apart = ((X - found.model.centres[c]) ** 2).sum(axis=1)
    assert performance.main.name == "avg_within_centroid_distance"
    assert performance.main.mean == pytest.approx(apart.mean())
    for code in range(3):
        name = f"avg_within_centroid_distance_cluster_{code}"
        assert performance[name].mean == pytest.approx(apart[c == code].mean())
    expected = davies_bouldin_score(X, c)
    assert performance["davies_bouldin"].mean == pytest.approx(expected, rel=1e-6)
    first = cluster_distance_performance(
        blobs,
        found.model,
        main_criterion="Davies Bouldin",
        main_criterion_only=True,
        per_attribute=True,
    )
    assert [criterion.name for criterion in first] == ["davies_bouldin"]
    assert first.main.mean == pytest.approx(expected / 2, rel=1e-6)
    assert not first.main.maximize


def test_too_many_clusters_and_labels_are_handled(blobs):
    with pytest.raises(ParameterError, match="only 60 rows"):
        k_means(blobs, number_of_clusters=61)
    with fsops.running(seed=1):
        labelled = k_means(blobs, number_of_clusters=11, add_as_label=True).examples
    assert labelled.label.name == "cluster"
    assert len(labelled.classes) == 11
