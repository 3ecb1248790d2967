"""LASSO and elastic net on tables that stay in their files."""

import numpy as np
import pytest

from fsops import ExampleSet, operators as ops
from fsops.core.frame.context import Context
from fsops.core.frame.services import Services
from fsops.data import Attribute
from fsops.testing import in_blocks


def table(rows=120, attributes=150, seed=0):
    """Return correlated attributes in different units, one constant, and a number to predict."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, attributes))
    X[:, 1::5] = 0.8 * X[:, ::5] + 0.2 * X[:, 1::5]
    y = X[:, :6] @ [3.0, -2.0, 1.0, 0.5, 2.0, -1.0] + rng.normal(size=rows)
    X = X * 10.0 ** rng.integers(-2, 3, attributes) + rng.normal(scale=50, size=attributes)
    X[:, 7] = 3.25
    return ExampleSet.from_numpy(X, y)


def large(examples):
    return in_blocks(examples, rows=17, limit=60_000)


def assert_same(found, expected, examples):
    assert found.weights.names == expected.weights.names
    size = expected.weights.values.max()
    assert found.weights.values == pytest.approx(expected.weights.values, abs=1e-10 * size)
    assert np.array_equal(found.weights.values > 0, expected.weights.values > 0)
    for name, values in expected.weights.details.items():
        scale = np.abs(values).max()
        assert found.weights.details[name] == pytest.approx(values, rel=1e-9, abs=1e-10 * scale)
    mine, theirs = (
        fit.model.apply(examples).column("prediction(label)") for fit in (found, expected)
    )
    assert mine == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_lasso_in_a_file_is_that_in_memory(alpha, scale):
    examples = table()
    streamed = large(examples)
    expected = ops.lasso_regression(examples, penalty=alpha, scaling=scale)
    found = ops.lasso_regression(streamed, penalty=alpha, scaling=scale)
    assert_same(found, expected, examples)
    assert 0 < (expected.weights.values > 0).sum() < 150
    assert not streamed.is_loaded


def test_elastic_net_in_a_file_is_that_in_memory():
    examples = table(seed=1)
    parameters = {"penalty": 0.4, "l1_ratio": 0.6}
    expected = ops.elastic_net(examples, **parameters)
    assert_same(ops.elastic_net(large(examples), **parameters), expected, examples)


@pytest.mark.parametrize("learn", [ops.lasso_regression, ops.elastic_net])
@pytest.mark.parametrize("stored", [ExampleSet.dense, large])
def test_a_penalty_that_sets_all_coefficients_to_0_gives_a_warning(learn, stored, listening):
    X, y = table().numeric(), table().label_values()
    tiny = ExampleSet.from_numpy(X, 1e-9 * y)
    heard = listening()
    found = learn(stored(tiny), penalty=0.5, ctx=heard)
    assert not found.weights.values.any()
    assert np.ptp(found.model.apply(tiny).column("prediction(label)")) == 0
    assert heard.warnings == [
        "All coefficients are 0, so all rows have the same prediction. penalty=0.5 is in the unit "
        f'of the label "label", whose values differ by at most {1e-9 * np.ptp(y):.2g}. Choose a '
        "smaller penalty by validation, or give the label in another unit."
    ]
    for label, penalty in [(1e-9 * y, 5e-10), (np.ones(len(y)), 0.5)]:
        quiet = listening()
        learn(stored(ExampleSet.from_numpy(X, label)), penalty=penalty, ctx=quiet)
        assert quiet.warnings == []


def test_row_weights_count_in_a_file():
    examples = table(rows=60, attributes=20)
    counts = np.random.default_rng(3).integers(1, 4, 60).astype(float)
    weighted = examples.with_columns([(Attribute("w", role="weight"), counts)])
    streamed = in_blocks(weighted, rows=7, limit=8000)
    expected = ops.lasso_regression(weighted, penalty=0.3)
    assert streamed.stays_in_file
    assert_same(ops.lasso_regression(streamed, penalty=0.3), expected, examples)


@pytest.mark.parametrize("signed", [False, True])
def test_weights_by_lasso_of_a_file(signed):
    examples = table(seed=2)
    parameters = {"penalty": 0.1, "signed": signed}
    expected = ops.weight_by_lasso(examples, **parameters)
    found = ops.weight_by_lasso(large(examples), **parameters)
    assert found.values == pytest.approx(expected.values, abs=1e-10 * expected.values.max())
    assert np.array_equal(found.values != 0, expected.values != 0)


def test_two_classes_are_coded_in_a_file_too():
    examples = table(seed=4)
    label = ["high" if value > 0 else "low" for value in examples.label_values()]
    classes = ExampleSet.from_numpy(examples.numeric(), label)
    expected = ops.weight_by_lasso(classes, penalty=0.3)
    found = ops.weight_by_lasso(large(classes), penalty=0.3)
    assert found.values == pytest.approx(expected.values, abs=1e-10 * expected.values.max())


def test_a_model_of_a_file_needs_only_the_attributes_it_uses():
    examples = table()
    found = ops.lasso_regression(large(examples), penalty=0.5)
    used = found.model.attributes.names
    assert len(used) == (found.weights.values > 0).sum()
    assert len(found.model.apply(examples.select([*used]))) == len(examples)
    nothing = ops.lasso_regression(large(examples), penalty=1e6)
    mean = examples.label_values().mean()
    assert nothing.model.apply(examples).column("prediction(label)") == pytest.approx(mean)


def test_a_penalty_for_which_the_memory_does_not_suffice_is_refused(refused):
    services = Services()
    services.memory_limit = 60_000
    with refused("attributes may get a coefficient", "60 kB", "larger penalty"):
        ops.lasso_regression(large(table(rows=300)), penalty=1e-9, ctx=Context(services=services))


def test_cross_validation_needs_all_rows(refused):
    with refused("of memory", "limit is 60 kB"):
        ops.weight_by_lasso(large(table()))
