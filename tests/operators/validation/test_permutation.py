"""A validation beside the same one with permuted labels."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.data import Criterion, PerformanceVector
from fsops.engine.cache.codec import decode, encode
from fsops.errors import DataError
from fsops.operators import (
    apply_model,
    cross_validation,
    feature_selection_stability_validation,
    naive_bayes,
    performance,
    permutation_baseline,
    weight_by_f_test,
)


def a_table(n=40, p=30, strength=0.0, seed=0, **roles):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :3] += strength * y[:, None]
    frame = pd.DataFrame(X).add_prefix("G").assign(group=np.where(y, "case", "control"), **roles)
    return ExampleSet.from_pandas(frame, roles={"group": "label", **{r: r for r in roles}})


def validated(examples):
    return cross_validation(
        examples,
        naive_bayes,
        lambda model, test: performance(apply_model(model, test)),
        number_of_folds=4,
    ).performance


def first_column(examples):
    """A measurement that depends on the rows and the label only."""
    case = np.array([value == "case" for value in examples.nominal_values("group")])
    return PerformanceVector(
        [Criterion("difference", (_difference(examples.numeric()[:, 0], case),))]
    )


def _difference(x, member):
    return x[member].mean() - x[~member].mean()


def test_the_p_value_counts_the_permuted_labels_that_are_as_good():
    examples = a_table(strength=0.5)
    found = permutation_baseline(examples, first_column, permutations=30)
    baseline = found.baseline
    reached = (baseline.permuted[:, 0] >= baseline.true[0]).sum()
    assert baseline.p_values[0] == (reached + 1) / 31
    assert found.performance["p_value"].mean == baseline.p_values[0]
    assert found.performance["difference"].mean == first_column(examples)["difference"].mean


def test_a_strong_signal_is_beyond_all_permuted_labels_and_noise_is_not():
    strong = permutation_baseline(a_table(strength=3.0), validated, permutations=19).baseline
    assert strong.p_values[0] == 1 / 20
    weak = permutation_baseline(a_table(), validated, permutations=19).baseline
    assert weak.p_values[0] > 0.05
    lower, middle, upper = strong.band()[:, 0]
    assert lower <= middle <= upper < strong.true[0]


def test_all_orders_are_used_if_they_are_few_and_the_p_value_is_exact():
    examples = a_table(n=6)
    baseline = permutation_baseline(examples, first_column, permutations=99).baseline
    assert baseline.permutations == 19
    assert baseline.arrangements == 20
    x = examples.numeric()[:, 0]
    every = [_difference(x, chosen) for chosen in _subsets(6, 3)]
    expected = np.mean(np.array(every) >= baseline.true[0] - 1e-12)
    assert baseline.p_values[0] == pytest.approx(expected)


def _subsets(n, k):
    from itertools import combinations

    return [np.isin(np.arange(n), chosen) for chosen in combinations(range(n), k)]


def test_smaller_is_better_where_the_criterion_says_so():
    def error(examples):
        found = first_column(examples)["difference"].mean
        return PerformanceVector([Criterion("error", (-found,), maximize=False)])

    examples = a_table(strength=0.5)
    one = permutation_baseline(examples, first_column, permutations=30).baseline
    other = permutation_baseline(examples, error, permutations=30).baseline
    assert one.p_values[0] == other.p_values[0]


def test_stability_has_a_baseline_too():
    def stability(examples):
        return feature_selection_stability_validation(examples, weight_by_f_test, k=3).performance

    baseline = permutation_baseline(a_table(), stability, permutations=9).baseline
    assert baseline.criteria[0] == "kuncheva"
    assert np.median(baseline.permuted[:, 0]) > 0.2  # of noise


def test_labels_stay_in_their_batch():
    batch = np.repeat([0, 1], 20)
    seen = []

    def note(examples):
        seen.append(np.bincount(examples.label_values()[batch == 0]).tolist())
        return first_column(examples)

    permutation_baseline(a_table(batch=batch), note, permutations=9)
    assert seen == [[10, 10]] * 10


def test_orders_that_fail_count_as_good_and_are_reported(listening):
    def shy(examples):
        if examples.nominal_values("group")[0] == "case":
            raise DataError("Not today.")
        return first_column(examples)

    examples = a_table(strength=5.0)
    ctx = listening()
    baseline = permutation_baseline(examples, shy, permutations=19, ctx=ctx).baseline
    failed = int(np.isnan(baseline.permuted).sum())
    assert 0 < failed < 19
    assert baseline.p_values[0] == (failed + 1) / 20
    assert f"failed with {failed} of 19 permuted labels" in ctx.warnings[0]


def test_it_survives_the_cache_and_is_a_table():
    baseline = permutation_baseline(a_table(), first_column, permutations=9).baseline
    assert baseline.equals(decode(encode(baseline)))
    assert baseline.to_pandas()["criterion"].tolist() == ["difference"]
    assert repr(baseline).startswith("<PermutationBaseline of difference")


def test_a_label_with_one_value_is_refused():
    examples = a_table()
    with pytest.raises(DataError, match="same value of the label"):
        permutation_baseline(examples.take(range(0, 40, 2)), first_column)
