"""Weight by Permutation Importance."""

import importlib
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score

from fsops import Context, ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    apply_model,
    k_nn,
    linear_regression,
    naive_bayes,
    performance,
    weight_by_permutation_importance,
)
from fsops.operators.validation.size_settings import drawn_splits

SPLITTING = {
    "validation": "random splits",
    "number_of_splits": 1,
    "training_fraction": 0.5,
    "sampling": "automatic",
    "number_of_folds": 10,
    "repetitions": 1,
    "split_on_batch_attribute": False,
}


def numbers(n=80, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return ExampleSet.from_numpy(X, 2 * X[:, 0] - X[:, 1] + rng.normal(scale=0.3, size=n))


def test_importances_are_those_of_scikit_learn_on_the_same_split():
    data, ctx = numbers(), Context(seed=5)
    one_split = {**SPLITTING, "permutations": 400, "criterion": "root_mean_squared_error"}
    found = weight_by_permutation_importance(data, linear_regression, **one_split, ctx=ctx)
    (split,) = drawn_splits(data, SPLITTING, ctx)
    X, y = data.numeric(), data.label_values()
    model = LinearRegression().fit(X[split.train], y[split.train])
    theirs = permutation_importance(
        model, X[split.test], y[split.test], n_repeats=400, random_state=0,
        scoring="neg_root_mean_squared_error",
    )  # fmt: skip
    # Both are means of 400 random permutations, but of different ones.
    error = theirs.importances_std / np.sqrt(400) * np.sqrt(2)
    assert (np.abs(found.values - theirs.importances_mean) < 4 * error + 1e-12).all()
    assert found.details["p_value"][:2] == pytest.approx(1 / 401)


def test_a_plain_loop_gives_the_same_numbers():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=45), "b": rng.choice(list("xyz"), 45),
                          "c": rng.normal(size=45)})  # fmt: skip
    frame.loc[[3, 7], "a"] = np.nan
    frame["label"] = np.where(frame["b"] == "x", "one", np.where(frame["c"] > 0, "two", "three"))
    data = ExampleSet.from_pandas(frame, roles={"label": "label"})
    ctx = Context(seed=1)
    found = weight_by_permutation_importance(
        data, naive_bayes, **SPLITTING, permutations=7, criterion="accuracy", ctx=ctx
    )
    (split,) = drawn_splits(data, SPLITTING, ctx)
    model, test = naive_bayes(data.take(split.train)), data.take(split.test)

    def accuracy(rows):
        return performance(apply_model(model, rows)).main.mean

    orders = found_orders(data, len(test), 7, ctx)
    merits = [
        [
            accuracy(test.with_values([(test.schema.attribute(name), test.column(name)[order])]))
            for order in orders
        ]
        for name in "abc"
    ]
    assert found.values == pytest.approx(accuracy(test) - np.mean(merits, axis=1))
    reached = np.array(merits) >= accuracy(test) - 1e-12
    assert found.details["p_value"] == pytest.approx((reached.sum(axis=1) + 1) / 8)


def test_row_weights_count_in_the_criterion():
    rng = np.random.default_rng(8)
    X, weight = rng.normal(size=(60, 3)), rng.integers(1, 4, 60).astype(float)
    y = X[:, 0] + rng.normal(size=60)
    frame = pd.DataFrame(X, columns=list("abc")).assign(w=weight, label=np.where(y > 0, "n", "y"))
    data = ExampleSet.from_pandas(frame, roles={"label": "label", "w": "weight"})
    ctx = Context(seed=4)
    found = weight_by_permutation_importance(
        data, naive_bayes, **SPLITTING, permutations=5, criterion="AUC", ctx=ctx
    )
    (split,) = drawn_splits(data, SPLITTING, ctx)
    model, test = naive_bayes(data.take(split.train)), data.take(split.test)
    positive = test.label_values() == 1

    def auc(rows):
        return roc_auc_score(
            positive,
            model.apply(rows).column("confidence(y)"),
            sample_weight=test.column("w"),
        )

    for name in "abc":
        attribute, values = test.schema.attribute(name), test.column(name)
        merits = [
            auc(test.with_values([(attribute, values[order])]))
            for order in found_orders(data, len(test), 5, ctx)
        ]
        assert found[name] == pytest.approx(auc(test) - np.mean(merits))


def test_an_attribute_that_an_inner_selection_drops_has_weight_0():
    data = numbers()

    def learning(rows):
        return linear_regression(rows.select(["att1", "att4", "label"]))

    found = weight_by_permutation_importance(data, learning, permutations=9, number_of_folds=3)
    assert list(found.values[1:3]) == [0, 0]
    assert list(found.details["p_value"][1:3]) == [1, 1]
    assert found["att1"] > 1
    assert found["att4"] != 0


def test_the_memory_limit_does_not_change_the_result(monkeypatch):
    data = numbers()
    call = partial(
        weight_by_permutation_importance, data, linear_regression, number_of_folds=3, permutations=9
    )
    whole = call(ctx=Context(seed=2))
    module = importlib.import_module("fsops.operators.weighting.permutation_importance")
    monkeypatch.setattr(module, "LARGEST", 300)
    parts = call(ctx=Context(seed=2))
    assert parts.values == pytest.approx(whole.values, rel=1e-12)
    assert list(parts.details["p_value"]) == list(whole.details["p_value"])


def found_orders(data, n, count, ctx):
    """Return the orders that the only split draws."""
    return ctx.map(
        lambda _: np.argsort(ctx.rng("permutations").random((count, n)), axis=1), [0], "Splits"
    )[0]


@pytest.mark.filterwarnings("ignore::fsops.errors.OperatorWarning")
def test_under_the_null_p_values_are_not_too_small():
    """Of 200 attributes of noise at most as many are below a level as chance explains."""
    below = {0.05: 0, 0.2: 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        data = ExampleSet.from_numpy(rng.normal(size=(60, 10)), rng.normal(size=60))
        found = weight_by_permutation_importance(
            data, linear_regression, number_of_folds=3, permutations=19, ctx=Context(seed=seed)
        )
        for level in below:
            below[level] += int((found.details["p_value"] <= level).sum())
    for level, count in below.items():
        assert count <= 200 * level + 3 * np.sqrt(200 * level * (1 - level))


def test_p_values_are_adjusted_and_may_become_the_weights():
    data = numbers()
    call = partial(weight_by_permutation_importance, data, linear_regression, number_of_folds=3)
    plain = call(permutations=19)
    p = plain.details["p_value"]
    assert plain.details["adjusted_p_value"] == pytest.approx(np.minimum(1, [
        min(p[j] * 4 / (i + 1) for i, j in enumerate(np.argsort(p, kind="stable")) if p[j] >= p[k])
        for k in range(4)
    ]))  # fmt: skip
    holm = call(permutations=19, adjustment="bonferroni", transformation="one_minus_p")
    assert holm.values == pytest.approx(1 - np.minimum(1, 4 * p))
    assert plain.top(2) == ("att1", "att2")


def test_an_attribute_that_is_not_used_has_p_value_1():
    data = numbers().with_values([])
    constant = data.with_numbers(data.schema.positions(["att3"]), np.ones((len(data), 1)))
    found = weight_by_permutation_importance(constant, linear_regression, permutations=9)
    assert found["att3"] == 0
    assert found.details["p_value"][2] == 1


def test_rows_of_one_group_are_never_separated():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 5)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    frame["patient"], frame["label"] = patient, np.where(patient % 2, "ill", "well")
    # Each patient has an exact code, which predicts only rows of the same patient.
    frame["c"] = rng.normal(size=12)[patient]
    data = ExampleSet.from_pandas(frame, roles={"label": "label", "patient": "group"})
    learner = partial(k_nn, number_of_neighbors=1)
    found = weight_by_permutation_importance(
        data, learner, number_of_folds=4, permutations=39, criterion="accuracy"
    )
    assert found.details["p_value"][2] > 0.05


def test_a_criterion_without_a_value_is_refused():
    data = ExampleSet.from_numpy(np.arange(8.0)[:, None], list("abababab"))
    with pytest.raises(DataError, match="does not suit the label"):
        weight_by_permutation_importance(data, naive_bayes, criterion="absolute_error")
