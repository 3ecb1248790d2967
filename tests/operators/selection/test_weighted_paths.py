"""Selections with folds inside: a row of weight 2 equals two rows of a group, in every output."""

from functools import partial

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.data import Attribute, ValueType
from fsops.errors import DataError
from fsops.operators import (
    select_by_elastic_net_path,
    select_by_group_lasso_path,
    select_by_shrunken_centroids,
)

N = 48


def table(label, weights=None, groups=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 9))
    number = 3 * X[:, 2] - 2 * X[:, 7] + rng.normal(size=N)
    X *= np.logspace(-6, 6, 9)
    X[:, 5] = 2.5  # a constant
    X[:, 4] = np.round(X[:, 4])  # ties
    y = {
        "number": number,
        "two": np.where(number > 0, "yes", "no"),
        "three": np.array(list("abc"))[np.digitize(number, [-2, 2])],
    }[label]
    data = ExampleSet.from_numpy(X, y)
    columns = [("w", "weight", weights), ("unit", "group", groups)]
    return data.with_columns(
        [
            (Attribute(name, ValueType.REAL, role), np.asarray(values, dtype=float))
            for name, role, values in columns
            if values is not None
        ]
    )


SELECTIONS = {
    "shrunken centroids": (select_by_shrunken_centroids, "three"),
    "equal priors": (partial(select_by_shrunken_centroids, equal_priors=True), "three"),
    "lasso": (select_by_elastic_net_path, "number"),
    "elastic net": (partial(select_by_elastic_net_path, l1_ratio=0.5), "two"),
    "adaptive lasso": (partial(select_by_elastic_net_path, adaptive=1.0), "number"),
    "group lasso": (select_by_group_lasso_path, "number"),
    "sparse-group lasso": (partial(select_by_group_lasso_path, l1_ratio=0.5), "two"),
}
CASES = pytest.mark.parametrize(("select", "label"), SELECTIONS.values(), ids=SELECTIONS)


def check_equal(one, two, rtol=1e-6):
    for name, other in (("weights", "values"), ("curve", "scores"), ("curve", "sizes")):
        mine, theirs = (np.asarray(getattr(getattr(r, name), other)) for r in (one, two))
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol * np.abs(theirs).max())
    assert one.curve.chosen == two.curve.chosen
    for detail, values in one.weights.details.items():
        other = two.weights.details[detail]
        if np.asarray(values).dtype.kind == "f":
            atol = rtol * np.abs(other).max()
            np.testing.assert_allclose(values, other, rtol=rtol, atol=atol)
    if hasattr(one, "path"):
        assert one.path.names == two.path.names
        np.testing.assert_allclose(one.path.penalties, two.path.penalties, rtol=rtol)
        mine, theirs = one.path.coefficients, two.path.coefficients
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol * np.abs(theirs).max())


@CASES
@pytest.mark.parametrize("choose", ["best", "one_standard_error"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.filterwarnings("ignore:The table has no groups")
def test_a_weight_is_the_number_of_copies_in_a_group(select, label, choose, grouped):
    times = np.resize([1, 2, 0, 1, 5, 3], N)
    units = np.arange(N) // 2 if grouped else np.arange(N)
    copies = np.repeat(np.arange(N), times)
    given = {"choose": choose, "number_of_folds": 4, "steps": 15}
    by_weight = select(table(label, times, units if grouped else None), **given)
    by_copies = select(table(label, groups=units).take(copies), **given)
    check_equal(by_weight, by_copies)


@CASES
@pytest.mark.filterwarnings("ignore:The table has no groups")
def test_weights_of_1_change_no_byte(select, label):
    one, two = (select(table(label, w), steps=10) for w in (None, np.ones(N)))
    assert one.weights.equals(two.weights)
    assert one.curve.equals(two.curve)


@CASES
@pytest.mark.filterwarnings("ignore:The table has no groups")
def test_fractions_change_the_selection_and_have_one_error_by_fold(select, label):
    w = np.random.default_rng(3).lognormal(size=N)
    found = select(table(label, w), number_of_folds=5, steps=10)
    assert found.curve.scores.shape[2] == 5
    plain = select(table(label), number_of_folds=5, steps=10)
    assert not np.allclose(found.weights.values, plain.weights.values)


def test_centroids_refuse_weights_that_add_up_to_less_than_the_classes():
    with pytest.raises(
        DataError, match="in each fold: The row weights add up to 0.96, which"
    ) as no:
        select_by_shrunken_centroids(table("three", np.full(N, 0.02)))
    assert "larger row weights" in no.value.hint
