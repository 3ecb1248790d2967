"""Ensembles of different selections."""

import pytest

from fsops import Process, run
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    aggregate_weights,
    ensemble_feature_selection,
    ensemble_of_selections,
    retrieve,
    weight_by_correlation,
    weight_by_random_forest,
    weight_by_relief,
    weight_by_welch_test,
)

FILTERS = [weight_by_welch_test, weight_by_correlation, weight_by_relief]


@pytest.fixture
def examples():
    return retrieve(repository_entry="breast cancer")


@pytest.mark.parametrize("combination", ["top k", "mean rank", "WMA", "RRA", "reliability"])
def test_selections_are_combined_as_by_aggregate_weights(combination, examples):
    found = ensemble_of_selections(examples, FILTERS, combination=combination, k=5)
    weights = [selection(examples) for selection in FILTERS]
    expected = aggregate_weights(weights, examples, combination=combination, k=5)
    assert found.weights.values == pytest.approx(expected.values)
    assert found.weights.details.keys() == expected.details.keys()


def test_members_are_delivered(examples):
    members = ensemble_of_selections(examples, FILTERS).members
    assert [part.origin for part in members] == ["Selection 1", "Selection 2", "Selection 3"]
    assert members[2].values == pytest.approx(weight_by_relief(examples).values)
    resampled = ensemble_of_selections(examples, FILTERS[:2], iterations=3).members
    assert len(resampled) == 6
    assert resampled[4].origin == "Selection 2, resample 2"


def test_members_are_not_delivered_if_nobody_wants_them(examples, listening):
    unwanted = listening(wanted=("weights",))
    assert ensemble_of_selections(examples, FILTERS, ctx=unwanted).members is None


def test_one_selection_on_resamples_is_an_ensemble_of_it(examples):
    one = ensemble_of_selections(
        examples,
        [weight_by_correlation],
        iterations=5,
        combination="mean weight",
        use_local_random_seed=True,
    )
    same = ensemble_feature_selection(
        examples,
        weight_by_correlation,
        iterations=5,
        combination="mean weight",
        use_local_random_seed=True,
    )
    assert one.weights.values == pytest.approx(same.values)


def test_all_selections_see_the_same_resamples(examples):
    seen = [[], []]

    def watching(number):
        def weigh(sample):
            seen[number].append(sample.fingerprint())
            return weight_by_correlation(sample)

        return weigh

    ensemble_of_selections(examples, [watching(0), watching(1)], iterations=4)
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == 4


def test_the_same_selection_several_times_is_that_selection(examples):
    alone = weight_by_correlation(examples)
    found = ensemble_of_selections(
        examples, [weight_by_correlation] * 3, combination="mean rank", keep_best=7
    ).weights
    assert found.top(7) == alone.top(7)


def test_random_selections_draw_their_own_numbers():
    process = Process()
    data = process.add(retrieve, repository_entry="iris")
    node = process.add(ensemble_of_selections, data)
    for inner in (node.inner(), node.add_inner()):
        inner.result(inner.add(weight_by_random_forest, inner.source(), number_of_trees=3))
    process.result(node["members"])
    first, second = run(process)[0]
    assert first.values.tolist() != second.values.tolist()
    again = run(process)[0]
    assert first.equals(again[0])


def test_attributes_that_no_selection_mentions_have_no_weight(examples):
    found = ensemble_of_selections(
        examples,
        [lambda rows: rows.weights([1.0], names=["mean area"])] * 2,
        combination="frequency",
    ).weights
    assert found.selected() == ("mean area",)
    assert len(found) == 30


def test_impossible_settings_are_told(examples):
    with pytest.raises(DataError, match="There is no selection"):
        ensemble_of_selections(examples, [])
    with pytest.raises(ParameterError, match="min_iterations is 5, but there are 4 members"):
        ensemble_of_selections(examples, [pytest.fail, pytest.fail], iterations=2, min_iterations=5)


def test_scale_of_a_selection_does_not_matter_for_mean_weights(examples):
    def huge(rows):
        return rows.weights(1e9 * weight_by_correlation(rows).values)

    one, two = (
        ensemble_of_selections(examples, [first, weight_by_relief], combination="mean weight")
        for first in (huge, weight_by_correlation)
    )
    assert one.weights.values == pytest.approx(two.weights.values)
