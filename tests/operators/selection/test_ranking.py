"""Rankings."""

from fsops import AttributeWeights, Process, run
from fsops.operators import (
    rank_by_selection,
    retrieve,
    select_by_mrmr_cfs,
    weight_by_maximum_relevance,
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
