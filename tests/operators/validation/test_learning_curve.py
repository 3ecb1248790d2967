"""Learning curves."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.operators import (
    apply_model,
    create_learning_curve,
    naive_bayes,
    performance_classification,
)


@pytest.fixture
def table():
    rng = np.random.default_rng(4)
    y = np.arange(100) % 4 == 0
    return ExampleSet.from_numpy(rng.normal(size=(100, 3)) + y[:, None], np.where(y, "a", "b"))


def curve(table, **settings):
    sizes, tests = [], []

    def training(rows):
        sizes.append(rows)
        return naive_bayes(rows)

    def testing(model, rows, through):
        tests.append(rows)
        return performance_classification(apply_model(model, rows), criteria=["accuracy"])

    return create_learning_curve(table, training, testing, **settings), sizes, tests


def test_each_step_adds_rows_of_the_same_training_part(table):
    found, sizes, tests = curve(
        table, training_fraction=0.8, start_fraction=0.25, step_fraction=0.25
    )
    assert found.column("fraction").tolist() == [0.25, 0.5, 0.75, 1.0]
    assert found.column("rows").tolist() == [20, 40, 60, 80]
    rows = [set(map(tuple, part.numeric())) for part in sizes]
    assert all(one < two for one, two in zip(rows, rows[1:], strict=False))
    assert all(part.equals(tests[0]) for part in tests)
    assert not rows[-1] & set(map(tuple, tests[0].numeric()))
    shares = [np.mean(np.array(part.nominal_values("label")) == "a") for part in sizes]
    assert shares == pytest.approx([0.25] * 4, abs=0.03)


def test_the_last_step_is_what_the_training_rows_give(table):
    found, sizes, tests = curve(table, start_fraction=1.0)
    oracle = performance_classification(
        apply_model(naive_bayes(sizes[0]), tests[0]), criteria=["accuracy"]
    )
    assert found.column("accuracy").tolist() == [oracle.main.mean]
