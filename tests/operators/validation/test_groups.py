"""Rows of one group or pair are never separated, whatever draws rows."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneGroupOut

from fsops import Attribute, Context, ExampleSet, operators as op
from fsops.errors import DataError
from fsops.operators.validation import splits
from fsops.operators.validation.size_settings import drawn_splits


@pytest.fixture
def grouped():
    """Return 12 patients with two to four samples each, and a batch that holds whole patients."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), [2, 3, 4] * 4)
    order = rng.permutation(len(patient))
    patient = patient[order]
    table = ExampleSet.from_numpy(rng.normal(size=(36, 6)), np.where(patient % 2, "ill", "well"))
    columns = [
        (Attribute("patient", role="group"), patient.astype(float)),
        (Attribute("plate", role="batch"), (patient // 4).astype(float)),
        (Attribute("row", role="id"), np.arange(36.0)),
    ]
    return table.with_columns(columns)


def separated(examples, pairs):
    """Return the groups with rows on both sides of a split."""
    patient = examples.column("patient")
    return {p for train, test in pairs for p in set(patient[train]) & set(patient[test])}


@pytest.mark.parametrize("sampling", ["automatic", "shuffled sampling", "linear sampling"])
def test_folds_hold_whole_groups(grouped, sampling):
    found = splits.folds(
        grouped,
        number=5,
        leave_one_out=False,
        on_batch=False,
        sampling=sampling,
        ctx=Context(),
    )
    assert len(found) == 5
    assert not separated(grouped, found)
    assert sorted(np.concatenate([test for _, test in found])) == list(range(36))


def test_leave_one_out_leaves_one_group_out_as_scikit_learn_does(grouped):
    found = splits.folds(
        grouped,
        number=5,
        leave_one_out=True,
        on_batch=False,
        sampling="automatic",
        ctx=Context(),
    )
    theirs = LeaveOneGroupOut().split(np.zeros((36, 1)), groups=grouped.column("patient"))
    for (train, test), (their_train, their_test) in zip(found, theirs, strict=True):
        np.testing.assert_array_equal(train, their_train)
        np.testing.assert_array_equal(test, their_test)


@pytest.mark.parametrize("sampling", ["automatic", "shuffled sampling", "linear sampling"])
def test_random_splits_and_bootstraps_hold_whole_groups(grouped, sampling):
    train, test = splits.sizes(grouped, "relative", 0.7, -1, -1)
    found = splits.holdouts(grouped, 5, train=train, test=test, sampling=sampling, ctx=Context())
    assert not separated(grouped, found)
    assert all(len(test) for _, test in found)
    assert not separated(grouped, splits.bootstraps(grouped, 5, 1.0, Context()))


@pytest.mark.parametrize(
    "how", [{"validation": "random splits"}, {"repetitions": 3}, {"split_on_batch_attribute": True}]
)
def test_comparisons_and_the_choice_of_a_number_hold_whole_groups(grouped, how):
    defaults = {
        "validation": "cross-validation",
        "number_of_folds": 4,
        "repetitions": 1,
        "number_of_splits": 10,
        "training_fraction": 0.8,
        "sampling": "automatic",
        "split_on_batch_attribute": False,
    }
    found = drawn_splits(grouped, defaults | how, Context())
    assert not separated(grouped, found)
    if "split_on_batch_attribute" in how:
        assert [len(set(grouped.column("plate")[test])) for _, test in found] == [1, 1, 1]


def test_more_folds_than_groups_are_refused_with_the_number_there_is(grouped):
    with pytest.raises(DataError, match=r'13 folds need at least 13 groups \("patient"\)') as found:
        op.cross_validation(grouped, lambda t: None, lambda m, t: None, number_of_folds=13)
    assert "at most 12" in found.value.hint


def test_batches_that_separate_groups_are_refused_as_folds(grouped):
    apart = (np.arange(36) % 3).astype(float)
    odd = grouped.with_columns([(Attribute("plate2", role="batch2"), apart)])
    odd = odd.with_roles({"plate": "regular", "plate2": "batch"})
    with pytest.raises(DataError, match='same value of "patient" are in several batches'):
        op.cross_validation(odd, lambda t: None, lambda m, t: None, split_on_batch_attribute=True)


@pytest.mark.parametrize("sampling", ["bootstrap", "subsample", "leave one part out"])
def test_ensembles_and_stability_draw_whole_groups(grouped, sampling):
    seen = []

    def weigh(table):
        seen.append(np.bincount(table.column("row").astype(int), minlength=36))
        return op.weight_by_f_test(table)

    op.ensemble_feature_selection(grouped, weigh, sampling=sampling, iterations=4, k=2)
    op.feature_selection_stability_validation(grouped, weigh, sampling=sampling, iterations=4, k=2)
    assert len(seen) == 8
    patient = grouped.column("patient")
    for counts in seen:
        assert all(len(set(counts[patient == p])) == 1 for p in set(patient))


def test_the_fast_path_of_ensembles_gives_what_single_runs_give(grouped):
    def one_by_one(table):
        return op.weight_by_f_test(table)

    fast = op.ensemble_feature_selection(
        grouped, op.weight_by_f_test, iterations=5, combination="accumulate weights"
    )
    single = op.ensemble_feature_selection(
        grouped, one_by_one, iterations=5, combination="accumulate weights"
    )
    np.testing.assert_allclose(fast.values, single.values, rtol=1e-9)


def test_parts_of_split_data_hold_whole_groups(grouped):
    for sampling in ("automatic", "linear sampling", "shuffled sampling"):
        one, two = op.split_data(grouped, sampling=sampling)
        assert not set(one.column("patient")) & set(two.column("patient"))
        assert len(one) + len(two) == 36


def test_pairs_are_tested_together_and_the_design_is_never_weighed(grouped):
    pairs = grouped.with_roles({"patient": "pair"})
    found = splits.folds(
        pairs, number=4, leave_one_out=False, on_batch=False, sampling="automatic", ctx=Context()
    )
    assert not separated(pairs, found)
    assert set(op.weight_by_f_test(pairs).names) == set(grouped.schema.regular_names)


def test_folds_inside_a_selection_hold_whole_groups(grouped, monkeypatch):
    from fsops.operators.selection import heterogeneous

    folds = []

    def recorded(rows, codes, part, *given, **settings):
        folds.append(part)
        return merge(rows, codes, part, *given, **settings)

    merge = heterogeneous.merge
    monkeypatch.setattr(heterogeneous, "merge", recorded)
    op.select_by_hfs(grouped, k=2, number_of_folds=20)
    part, patient = folds[0], grouped.column("patient")
    assert len(set(part)) == 12
    assert all(len(set(part[patient == p])) == 1 for p in set(patient))


@pytest.mark.parametrize("replace", [True, False])
def test_models_for_costs_are_trained_on_whole_groups(grouped, replace):
    trained = []

    def learner(examples):
        trained.append(examples.column("patient"))
        return op.naive_bayes(examples)

    settings = {"sampling_with_replacement": replace, "use_subset_for_training": 0.5}
    op.metacost(grouped, learner, cost_matrix="[0 1; 1 0]", iterations=4, **settings)
    sizes = dict(zip(*np.unique(grouped.column("patient"), return_counts=True), strict=True))
    for patients in trained:
        for patient, count in zip(*np.unique(patients, return_counts=True), strict=True):
            assert count % sizes[patient] == 0


def test_intervals_of_descriptions_and_of_chance_draw_whole_groups(grouped, monkeypatch):
    from fsops.algorithms.base import resampling

    draws, bootstrap = [], resampling.bootstrap

    def recorded(n, *given, **settings):
        drawn = bootstrap(n, *given, **settings)
        draws.extend(drawn if n == len(grouped) else ())
        return drawn

    monkeypatch.setattr(resampling, "bootstrap", recorded)
    op.describe_attributes(grouped, op.weight_by_f_test(grouped), resamples=5)
    op.measure_chance(grouped, permutations=19, resamples=5)
    patient = grouped.column("patient")
    whole = np.bincount(patient.astype(int))
    assert len(draws) >= 10
    for members in draws:
        counts = np.bincount(patient[members].astype(int), minlength=12)
        assert (counts % whole == 0).all()
