"""Weight by Drop-Column Importance."""

from functools import partial

import numpy as np
import pytest

from fsops import Criterion, ExampleSet, PerformanceVector
from fsops.errors import DataError
from fsops.operators import (
    apply_model,
    cross_validation,
    linear_regression,
    naive_bayes,
    performance,
    performance_regression,
    weight_by_drop_column,
)


def measured(table, learner, measure):
    def test(model, rows):
        return measure(apply_model(model, rows))

    return cross_validation(
        table, learner, test, number_of_folds=5, sampling="linear sampling"
    ).performance


def test_weights_are_the_losses_of_single_runs_for_an_accuracy():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 4))
    X[:, 1] += 2 * y
    data = ExampleSet.from_numpy(X, y)

    def evaluation(table, through=()):
        return measured(table, naive_bayes, performance)

    found = weight_by_drop_column(data, evaluation)
    whole = evaluation(data).main.mean
    without = [evaluation(data.drop([name])).main.mean for name in found.names]
    assert found.details["without"] == pytest.approx(without)
    assert found.values == pytest.approx(whole - np.array(without))
    assert found.top(1) == ("att2",)


def test_an_error_counts_the_other_way_round_and_copies_replace_each_other():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 4))
    X[:, 3] = X[:, 0]
    y = 3 * X[:, 0] + 2 * X[:, 1] + rng.normal(scale=0.1, size=60)
    data = ExampleSet.from_numpy(X, y)

    def evaluation(table, through=()):
        return measured(table, linear_regression, performance_regression)

    found = weight_by_drop_column(data, evaluation)
    assert (found.details["without"] > 0).all()
    assert found.top(1) == ("att2",)
    assert abs(found.values[0]) < 0.05 < found.values[1]


@pytest.mark.filterwarnings("error")
def test_an_undefined_criterion_is_refused_or_gives_an_unknown_weight():
    data = ExampleSet.from_numpy(np.arange(12.0).reshape(6, 2), list("aabbab"))

    def evaluation(table, through=(), needed="att1"):
        value = 0.75 if needed in table.schema.regular_names else np.nan
        return PerformanceVector([Criterion("accuracy", (value,))])

    found = weight_by_drop_column(data, evaluation)
    np.testing.assert_array_equal(found.values, [np.nan, 0.0])
    with pytest.raises(DataError, match="returns no finite value of its main criterion"):
        weight_by_drop_column(data, partial(evaluation, needed="att9"))


def test_one_attribute_cannot_be_dropped():
    data = ExampleSet.from_numpy(np.arange(6.0)[:, None], list("aabbab"))
    with pytest.raises(DataError, match="needs at least two attributes"):
        weight_by_drop_column(data, lambda table, through=(): None)
