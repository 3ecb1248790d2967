"""Rankings."""

import numpy as np
import pytest

from fsops import AttributeWeights, Context, ExampleSet, Process, run
from fsops.operators import (
    aggregate_weights,
    feature_selection_stability_validation,
    rank_by_selection,
    retrieve,
    scale_by_weights,
    select_by_mrmr_cfs,
    select_by_weights,
    select_top_k,
    weight_by_maximum_relevance,
    weight_by_sam,
    weights_to_ranking,
)


def test_golf_ranks_as_in_table_2_of_the_paper():
    weights = weight_by_maximum_relevance(retrieve(repository_entry="golf"))
    printed = {"Outlook": 0.247, "Temperature": 0.178, "Humidity": 1.118, "Wind": 0.048}
    assert {name: round(weight, 3) for name, weight in weights} == printed
    ranks = weights_to_ranking(weights)
    assert dict(ranks) == {"Outlook": 2, "Temperature": 3, "Humidity": 1, "Wind": 4}


def test_ranking_by_size_ignores_the_sign():
    weights = AttributeWeights("abc", [-3.0, 1.0, 2.0])
    assert weights_to_ranking(weights).values.tolist() == [3, 2, 1]
    assert weights_to_ranking(weights, use_absolute_weights=True).values.tolist() == [1, 3, 2]


def test_ties_keep_the_order_of_the_data_and_unknown_weights_come_last():
    weights = AttributeWeights("abcd", [1.0, float("nan"), 1.0, 0.0])
    assert weights_to_ranking(weights).values.tolist() == [1, 4, 2, 3]


@pytest.fixture
def shifted():
    X = np.random.default_rng(0).normal(size=(40, 6))
    X[1::2, 0] += 3
    return ExampleSet.from_numpy(X, np.array(["a", "b"] * 20))


def test_the_best_of_a_ranking_are_selected(shifted):
    weights = weight_by_sam(shifted)
    ranks = weights_to_ranking(weights)
    assert select_top_k(ranks, k=2).values.tolist() == select_top_k(weights, k=2).values.tolist()
    for relation in ("top k", "bottom k", "all but top k", "all but bottom k", "top p%"):
        kept = [
            select_by_weights(shifted, w, weight_relation=relation, k=2).schema.regular_names
            for w in (weights, ranks)
        ]
        assert kept[0] == kept[1], relation
    few = select_by_weights(shifted, ranks, weight_relation="less equals", threshold=2)
    assert set(few.schema.regular_names) == set(weights.top(2))


def test_a_ranking_lists_its_best_first(shifted):
    ranks = weights_to_ranking(weight_by_sam(shifted))
    assert repr(ranks).startswith("<AttributeWeights of 6 attributes: att1=1, ")
    assert ranks.to_pandas()["rank"].tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("combination", ["top k", "WMA", "CLA", "RRA", "GAA", "OFA"])
def test_rankings_are_aggregated_like_the_weights_they_come_from(combination):
    rng = np.random.default_rng(1)
    members = [AttributeWeights("abcdef", rng.random(6)) for _ in range(4)]
    ranks = [weights_to_ranking(member) for member in members]
    turned = [AttributeWeights("abcdef", 7 - rank.values) for rank in ranks]
    common = {"combination": combination, "k": 2}
    found, expected = (aggregate_weights(each, **common) for each in (ranks, turned))
    assert found.values.tolist() == expected.values.tolist()


def test_rankings_are_as_stable_as_their_weights(shifted):
    def places(rows):
        return weights_to_ranking(weight_by_sam(rows))

    common = {"k": 2, "iterations": 5}
    found, expected = (
        feature_selection_stability_validation(shifted, way, ctx=Context(seed=1), **common)
        for way in (places, weight_by_sam)
    )
    assert found.performance["kuncheva"].values == expected.performance["kuncheva"].values
    assert found.weights.equals(expected.weights)


def test_values_cannot_be_multiplied_by_places(shifted, refused):
    with refused("The weights are a ranking", "Weights to Ranking"):
        scale_by_weights(shifted, weights_to_ranking(weight_by_sam(shifted)))


def test_ranking_hidden_in_a_selection_is_its_order():
    process = Process()
    data = process.add(retrieve, repository_entry="wine")
    node = process.add(rank_by_selection, data, k=4)
    inner = node.inner()
    inner.result(inner.add(select_by_mrmr_cfs, inner.source(), k="%{k}"))
    process.result(node)
    ranked = run(process)[0]
    order = select_by_mrmr_cfs(retrieve(repository_entry="wine"), k=4, output="ranking")
    assert ranked.values.tolist() == order.values.tolist()
