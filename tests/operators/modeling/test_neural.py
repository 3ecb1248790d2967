"""Neural networks, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fsops
from fsops import ExampleSet
from fsops.operators import neural_net


def test_a_network_learns_what_no_plane_divides():
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    label = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    table = ExampleSet.from_numpy(X, label)
    with fsops.running(seed=3):
        model = neural_net(table, hidden_layers=[20], iterations=2000, learning_rate=0.01)
    predicted = model.apply(table).column("prediction(label)")
    assert (predicted == table.label_values()).mean() > 0.95


def test_the_same_seed_gives_the_same_network_and_settings_reach_scikit_learn(iris):
    settings = {"hidden_layers": [4, 3], "solver": "sgd", "momentum": 0.5, "iterations": 20}
    models = []
    for seed in (1, 1, 2):
        with fsops.running(seed=seed):
            models.append(neural_net(iris, **settings))
    names = [f"confidence({c})" for c in iris.classes]
    one, two, other = (
        np.column_stack([m.apply(iris).column(name) for name in names]) for m in models
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)
    seed = models[0].predictor.estimator[-1].random_state
    peer = make_pipeline(
        StandardScaler(),
        MLPClassifier((4, 3), solver="sgd", momentum=0.5, max_iter=20, random_state=seed),
    )
    with pytest.warns(UserWarning, match="Maximum iterations"):
        peer.fit(iris.numeric(), iris.label_values())
    assert one == pytest.approx(peer.predict_proba(iris.numeric()))


def test_numbers_are_predicted(diabetes):
    model = neural_net(diabetes, iterations=300, learning_rate=0.01)
    predicted = model.apply(diabetes).column(f"prediction({diabetes.label.name})")
    assert np.corrcoef(predicted, diabetes.label_values())[0, 1] > 0.6


@pytest.mark.parametrize(("factor", "shift"), [(1e5, 2e5), (1.0, 1e9), (1e-9, 0.0)])
def test_the_unit_of_the_label_does_not_matter(factor, shift):
    X = np.random.default_rng(0).normal(size=(80, 4))
    number = 2 * X[:, 0] + X[:, 1]

    def predicted(y):
        table = ExampleSet.from_numpy(X, y)
        return neural_net(table, learning_rate=0.01).apply(table).column("prediction(label)")

    found = (predicted(factor * number + shift) - shift) / factor
    assert found == pytest.approx(predicted(number), abs=0.02)
    assert np.corrcoef(found, number)[0, 1] > 0.95
