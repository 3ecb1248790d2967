"""Components and maps, against numpy, scikit-learn and the published update rules."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA, TruncatedSVD

import fsops
from fsops import ExampleSet
from fsops.algorithms.preparation.hebbian import hebbian_components
from fsops.algorithms.preparation.som import Decay, Grid, train_map
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    apply_model,
    generalized_hebbian_algorithm,
    independent_component_analysis,
    retrieve,
    self_organizing_map,
    singular_value_decomposition,
    weight_by_component_model,
)


@pytest.fixture(scope="module")
def iris():
    return retrieve(repository_entry="iris")


def test_singular_vectors_are_those_of_scikit_learn(iris):
    found = singular_value_decomposition(iris, number_of_components=2)
    peer = TruncatedSVD(2, algorithm="arpack", random_state=0).fit(iris.numeric())
    expected = peer.transform(iris.numeric())
    signs = np.sign((found.examples.numeric() * expected).sum(axis=0))
    assert found.examples.numeric() == pytest.approx(expected * signs, abs=1e-8)
    assert [*found.examples.schema.regular_names] == ["svd_1", "svd_2"]


def test_the_fraction_of_singular_values_decides_how_many_are_kept(iris):
    singular = np.linalg.svd(iris.numeric(), compute_uv=False)
    fraction = singular[:2].sum() / singular.sum()
    kept = singular_value_decomposition(
        iris, dimensionality_reduction="keep percentage", percentage_threshold=fraction
    )
    assert len(kept.examples.schema.regular) == 2
    with pytest.raises(ParameterError, match="only 4 components"):
        singular_value_decomposition(iris, number_of_components=5)


def test_independent_components_are_those_of_scikit_learn_and_fit_other_rows(iris):
    with fsops.running(seed=5):
        found = independent_component_analysis(
            iris, dimensionality_reduction="fixed number", number_of_components=3
        )
    values = found.examples.numeric()
    assert values.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert np.cov(values.T, ddof=0) == pytest.approx(np.eye(3), abs=1e-6)
    peer = FastICA(3, whiten="unit-variance", random_state=0).fit_transform(iris.numeric())
    match = np.abs(np.corrcoef(values.T, peer.T)[:3, 3:])
    assert match.max(axis=1) == pytest.approx(1, abs=0.01)
    again = apply_model(found.model, iris.take([3, 4]))
    assert again.numeric() == pytest.approx(values[[3, 4]])


def test_more_components_than_the_rank_are_refused():
    wide = ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(5, 20)))
    assert len(independent_component_analysis(wide).examples.schema.regular) == 4
    with pytest.raises(DataError, match="All rows are equal"):
        independent_component_analysis(ExampleSet.from_numpy(np.ones((5, 3))))


def test_hebbian_steps_follow_sangers_rule():
    X = np.random.default_rng(1).normal(size=(6, 3))
    found = hebbian_components(X, 2, 4, 0.1, np.random.default_rng(9))
    rng = np.random.default_rng(9)
    W, rows = 0.1 * rng.random((2, 3)), rng.integers(6, size=4)
    for row in rows:
        y = W @ X[row]
        new = W.copy()
        for i in range(2):
            for j in range(3):
                rest = sum(W[k, j] * y[k] for k in range(i + 1))
                new[i, j] += 0.1 * y[i] * (X[row, j] - rest)
        W = new
    assert found == pytest.approx(W)


def test_many_hebbian_steps_find_the_principal_components():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 4)) * [3, 1.5, 0.2, 0.2]
    with fsops.running(seed=1):
        model = generalized_hebbian_algorithm(
            ExampleSet.from_numpy(X),
            number_of_components=2,
            iterations=20_000,
            learning_rate=0.002,
        ).model
    exact = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:2]
    cosines = np.abs((model.components.loadings * exact).sum(axis=1))
    assert cosines == pytest.approx(1, abs=0.05)
    weights = weight_by_component_model(ExampleSet.from_numpy(X), model, component_number=2)
    assert weights.top(1) == ("att2",)


def test_components_that_become_infinite_are_an_error():
    huge = ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(20, 3)) * 1e6)
    with pytest.raises(DataError, match="learning_rate"):
        generalized_hebbian_algorithm(huge, learning_rate=1.0)


def test_the_table_of_components_gets_the_weights_of_the_model(iris):
    found = singular_value_decomposition(iris, number_of_components=2)
    on_components = weight_by_component_model(found.examples, found.model)
    assert [*on_components.names] == [*iris.schema.regular_names]
    before = weight_by_component_model(iris, found.model)
    assert on_components.values == pytest.approx(before.values)


def test_map_steps_follow_ritters_rule():
    X = np.random.default_rng(3).random((5, 2))
    grid, rate, radius = Grid(4, 2), Decay(0.8, 0.1), Decay(2.0, 0.5)
    found = train_map(X, grid, np.random.default_rng(7), rounds=2, rate=rate, radius=radius)
    rng = np.random.default_rng(7)
    nodes = rng.random((16, 2))
    for step in (1, 2):
        speed, width = 0.8 * (0.1 / 0.8) ** (step / 2), 2.0 * (0.5 / 2.0) ** (step / 2)
        for row in rng.permutation(5):
            best = min(range(16), key=lambda i: ((nodes[i] - X[row]) ** 2).sum())
            for i in range(16):
                apart = [abs(i % 4 - best % 4), abs(i // 4 - best // 4)]
                squares = sum(min(d, 4 - d) ** 2 for d in apart)
                near = np.exp(-squares / (2 * width**2))
                if near > 0.5:
                    nodes[i] += speed * near * (X[row] - nodes[i])
    assert found == pytest.approx(nodes)


def test_a_map_keeps_clusters_together_and_places_other_rows():
    rng = np.random.default_rng(4)
    centres = np.array([[0.0, 0, 0], [10, 10, 10]])
    X = np.repeat(centres, 20, axis=0) + rng.normal(scale=0.1, size=(40, 3))
    with fsops.running(seed=2):
        found = self_organizing_map(ExampleSet.from_numpy(X), net_size=4, iterations=10)
    places = found.examples.numeric()
    assert [*found.examples.schema.regular_names] == ["SOM_0", "SOM_1"]
    one, two = ({tuple(p) for p in places[half]} for half in (slice(20), slice(20, 40)))
    assert not one & two
    assert (
        apply_model(found.model, ExampleSet.from_numpy(X[:3])).numeric().tolist()
        == places[:3].tolist()
    )
    with pytest.raises(ParameterError, match="learning_rate_start"):
        self_organizing_map(ExampleSet.from_numpy(X), learning_rate_start=0.001)
