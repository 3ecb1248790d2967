"""Operators around an inner process take censored times: time and event are never separated."""

import itertools

import numpy as np
import pandas as pd
import pytest

from fsops import Context, ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    apply_model,
    choose_number_of_features,
    compare_feature_selections,
    cox_regression,
    cross_validation,
    knockoff_filter,
    performance_survival,
    permutation_baseline,
    permutation_test_of_weights,
    weight_by_cox,
    weight_by_permutation_importance,
)
from fsops.operators.validation.size_settings import drawn_splits

SPLITTING = {
    "validation": "cross-validation",
    "number_of_folds": 4,
    "repetitions": 1,
    "split_on_batch_attribute": False,
    "number_of_splits": 10,
    "training_fraction": 0.9,
    "sampling": "automatic",
}


def table(n=80, p=6, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    time = rng.exponential(size=n) * np.exp(-1.5 * X[:, 0] + X[:, 1])
    end = 2 * rng.exponential(size=n)
    frame = pd.DataFrame(X, columns=[f"a{j}" for j in range(p)])
    frame["months"], frame["died"] = np.minimum(time, end), (time <= end).astype(int)
    return ExampleSet.from_pandas(frame, roles={"months": "label", "died": "event"})


def learned(examples):
    return cox_regression(examples, penalty=0.01).model


def concordance(time, event, risk):
    """Return Harrell's index, by its definition."""
    right = total = 0.0
    for i, j in itertools.permutations(range(len(time)), 2):
        if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
            total += 1
            right += 1.0 if risk[i] > risk[j] else 0.5 * (risk[i] == risk[j])
    return right / total


def test_permuted_times_take_their_events_along():
    small = table(n=5, p=2)
    frame = small.to_pandas()
    found = permutation_test_of_weights(small, weight_by_cox, permutations=119)
    true, reached = weight_by_cox(small).values, np.zeros(2)
    # The same arrangements: attributes move against complete rows of time and event.
    for order in itertools.permutations(range(5)):
        moved = frame.assign(**{name: frame[name].to_numpy()[list(order)] for name in ("a0", "a1")})
        other = ExampleSet.from_pandas(moved, roles={"months": "label", "died": "event"})
        reached += weight_by_cox(other).values >= true * (1 - 1e-9)
    assert found.details["p_value"] == pytest.approx(reached / 120)


def test_family_wise_p_values_find_the_attributes_of_a_hazard():
    found = permutation_test_of_weights(table(), weight_by_cox, permutations=99)
    assert set(found.top(2)) == {"a0", "a1"}
    assert (found.details["adjusted_p_value"][:2] == 0.01).all()
    assert found.details["adjusted_p_value"][2:].min() > 0.05


def test_sizes_are_judged_by_the_concordance_of_the_test_rows():
    data, ctx = table(), Context(seed=4)
    found = choose_number_of_features(data, weight_by_cox, learned, **SPLITTING, sizes=[6], ctx=ctx)
    frame, expected = data.to_pandas(), []
    for split in drawn_splits(data, SPLITTING, ctx):
        tested = apply_model(learned(data.take(split.train)), data.take(split.test))
        rows = frame.iloc[split.test]
        risk = tested.column(tested.schema.special("prediction").name)
        expected.append(concordance(rows["months"].to_numpy(), rows["died"].to_numpy(), risk))
    assert found.curve.criterion == "concordance_index"
    assert found.curve.maximize
    assert found.curve.scores[0, 0] == pytest.approx(expected)


def test_methods_for_censored_times_are_compared():
    fewer = {**SPLITTING, "number_of_folds": 3}
    found = compare_feature_selections(
        table(), learned, [weight_by_cox, weight_by_cox], method_names=["a", "b"], **fewer
    )
    assert found.table.to_pandas()["concordance_index"].max() > 0.75
    assert found.mcnemar is None


def test_importance_is_the_loss_of_concordance():
    found = weight_by_permutation_importance(table(), learned, permutations=19, **SPLITTING)
    assert set(found.top(2)) == {"a0", "a1"}
    assert found.values[0] > 0.1
    assert (found.details["p_value"][:2] == 0.05).all()


def test_other_criteria_do_not_suit_censored_times():
    with pytest.raises(DataError, match='does not suit the label "months", which has censored'):
        weight_by_permutation_importance(table(), learned, criterion="absolute_error", **SPLITTING)


def test_knockoffs_take_a_weighting_for_censored_times():
    def inner(examples):
        assert examples.schema.special("event").name == "died"
        return cox_regression(examples, penalty=0.02).weights

    found = knockoff_filter(table(n=200), inner, fdr=0.5)
    assert {"a0", "a1"} <= set(found.selected())


def test_a_baseline_moves_times_with_their_events():
    seen = []

    def evaluation(examples):
        frame = examples.to_pandas()
        seen.append(sorted(zip(frame["months"], frame["died"], strict=True)))
        return cross_validation(
            examples,
            learned,
            lambda model, rows: performance_survival(apply_model(model, rows)),
            number_of_folds=3,
        ).performance

    found = permutation_baseline(table(n=40), evaluation, permutations=4)
    assert found.performance["p_value"].mean == 0.2
    assert len(seen) == 5
    assert all(each == seen[0] for each in seen)
