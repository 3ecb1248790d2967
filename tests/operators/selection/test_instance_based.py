"""Every row proposes attributes."""

import numpy as np
import pytest

from fsops import AttributeWeights, ExampleSet
from fsops.operators import (
    ib_candidate_subsets,
    retrieve,
    select_by_ib,
    select_by_weights,
    weight_by_relief,
)

HOW = ["occurrence frequency", "mean weight", "rank sum", "redundancy elimination"]


def test_candidates_are_the_weights_of_each_row(toy):
    found = ib_candidate_subsets(toy, candidate_size=2)
    assert len(found) == 8
    assert [w.origin for w in found][:2] == ["row 1", "row 2"]
    assert all(w.names == ("f1", "f2", "f3", "f4") for w in found)
    assert [w.selected() for w in found][:4] == [("f1", "f4")] * 3 + [("f1",)]
    mean = AttributeWeights.average(list(found)).values
    np.testing.assert_allclose(mean, [0.907609, 0, 0, 0.433036], atol=6e-7)


@pytest.mark.parametrize(
    ("combination", "expected"),
    [
        ("occurrence frequency", [1, 0, 0, 0.625]),
        ("mean weight", [0.907609, 0, 0, 0.433036]),
        ("rank sum", [0.9375, 0, 0, 0.375]),
        ("redundancy elimination", [1.5, 0, 0, 0.5]),
    ],
)
def test_weights_of_the_worked_example(toy, combination, expected):
    weights = select_by_ib(toy, combination=combination, candidate_size=2)
    np.testing.assert_allclose(weights.values, expected, atol=6e-7)
    np.testing.assert_allclose(weights.details["frequency"], [1, 0, 0, 0.625])


def test_redundancy_elimination_keeps_a_single_proposal():
    X = np.random.default_rng(0).normal(size=(40, 1))
    X[1::2] += 3
    examples = ExampleSet.from_numpy(X, np.array(["a", "b"] * 20))
    assert select_by_ib(examples, combination="redundancy elimination").values.tolist() == [1]


def test_redundancy_elimination_selects_as_many_as_are_proposed(two_classes):
    proposed = select_by_ib(two_classes, candidate_size=2).selected()
    common = {"combination": "redundancy elimination", "candidate_size": 2}
    assert select_by_ib(two_classes, **common).selected() == proposed
    chosen = select_by_ib(two_classes, **common, k=len(proposed))
    assert chosen.selected() == proposed


def test_minmax_of_the_worked_example(toy):
    weights = select_by_ib(toy, candidate_size=2, normalization="minmax", positive_only=False)
    np.testing.assert_allclose(weights.values, [0.907609, 0, 0.160918, 0.463839], atol=6e-7)


def test_ranking_breaks_ties_of_frequency_by_mean_weight():
    # Both attributes are proposed by all rows, the second with the larger weight.
    X = np.array([[0, 0.2, 0.9, 1], [0, 0.1, 0.9, 1]]).T
    examples = ExampleSet.from_numpy(X, ["a", "a", "b", "b"])
    chosen = {"combination": "occurrence frequency", "candidate_size": 2}
    assert select_by_ib(examples, **chosen).values.tolist() == [1, 1]
    assert select_by_ib(examples, **chosen, output="ranking").values.tolist() == [1, 2]
    assert select_by_ib(examples, **chosen, k=1).values.tolist() == [0, 1]


def test_output_tells_score_place_or_choice(two_classes):
    scores = select_by_ib(two_classes, candidate_size=3)
    places = select_by_ib(two_classes, candidate_size=3, output="ranking")
    chosen = select_by_ib(two_classes, candidate_size=3, output="selection")
    number = len(scores.selected())
    assert sorted(places.values[places.values > 0]) == list(range(1, number + 1))
    assert places.top(number) == scores.top(number)
    assert set(chosen.values) <= {0, 1}
    assert chosen.selected() == scores.selected() == places.selected()


@pytest.mark.parametrize("combination", HOW[:3])
def test_attributes_that_tell_classes_apart_come_first(two_classes, combination):
    weights = select_by_ib(two_classes, combination=combination, k=2, output="selection")
    assert weights.selected() == ("att1", "att2")
    kept = select_by_weights(two_classes, weights)
    assert kept.schema.regular_names == ("att1", "att2")


def test_redundancy_elimination_prefers_what_the_others_do_not_tell():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    twins = y[:, None] + 0.3 * rng.normal(size=(60, 1)) + 0.01 * rng.normal(size=(60, 2))
    other = y + 0.6 * rng.normal(size=60)
    examples = ExampleSet.from_numpy(np.column_stack([twins, other]), np.array(["a", "b"])[y])
    mean = select_by_ib(examples, candidate_size=3)
    less_redundant = select_by_ib(
        examples, candidate_size=3, combination="redundancy elimination", redundancy_weight=2.0
    )
    assert mean.top(1)[0] in ("att1", "att2")
    assert less_redundant.top(1) == ("att3",)


@pytest.mark.parametrize("combination", HOW)
def test_permuting_attributes_permutes_weights(combination):
    golf = retrieve(repository_entry="golf")
    names = list(golf.schema.regular_names)
    turned = golf.select([*reversed(names), golf.label.name])
    straight = select_by_ib(golf, combination=combination, candidate_size=4)
    other = select_by_ib(turned, combination=combination, candidate_size=4)
    assert other.names == tuple(reversed(names))
    assert dict(other) == pytest.approx(dict(straight))


def test_mixed_attributes_keep_the_order_of_the_data(golf):
    mean = np.mean([w.values for w in ib_candidate_subsets(golf, candidate_size=4)], axis=0)
    assert select_by_ib(golf, candidate_size=4).names == golf.schema.regular_names
    np.testing.assert_allclose(select_by_ib(golf, candidate_size=4).values, mean)
    # Who has a positive weight by Relief, the mean of the margins, is proposed by some row.
    good = {name for name, weight in weight_by_relief(golf) if weight > 0}
    assert good <= set(select_by_ib(golf, candidate_size=4).selected())


@pytest.mark.parametrize("nearest_by", ["all attributes", "each attribute"])
def test_scaling_decides_whether_large_numbers_count_more(nearest_by):
    rng = np.random.default_rng(5)
    y = np.arange(30) % 2
    quiet = y + 0.1 * rng.normal(size=30)
    loud = 1000 * (y + 0.5 * rng.normal(size=30))
    examples = ExampleSet.from_numpy(np.column_stack([quiet, loud]), np.array(["a", "b"])[y])
    options = {"candidate_size": 1, "nearest_by": nearest_by}
    assert select_by_ib(examples, **options).top(1) == ("att1",)
    as_they_are = select_by_ib(examples, **options, scaling="none")
    assert as_they_are.top(1) == ("att2",)
    found = ib_candidate_subsets(examples, **options, scaling="none")
    mean = np.mean([w.values for w in found], axis=0)
    np.testing.assert_allclose(mean, as_they_are.values)


def test_fewer_than_k_are_told(toy, listening):
    ctx = listening()
    weights = select_by_ib(toy, candidate_size=2, k=3, ctx=ctx)
    assert weights.selected() == ("f1", "f4")
    assert ctx.warnings == [
        "k is 3, but the rows propose 2 attributes: these are selected. "
        "Raise candidate_size for more."
    ]


def test_row_alone_in_its_class_is_left_out_and_told(listening):
    X = np.array([[0.0, 1], [0.1, 3], [1.0, 2], [0.9, 0], [0.5, 5]])
    examples = ExampleSet.from_numpy(X, ["a", "a", "b", "b", "c"])
    ctx = listening()
    assert len(ib_candidate_subsets(examples, ctx=ctx)) == 4
    assert ctx.warnings == ["A row is alone in the class, without a neighbor there: no proposal."]


def test_classes_of_one_row_each_are_refused(refused):
    examples = ExampleSet.from_numpy(np.eye(3), ["a", "b", "c"])
    with refused("only one of its class", "at least one class two rows"):
        select_by_ib(examples)


def test_constant_attributes_select_nothing_and_that_is_told(listening):
    examples = ExampleSet.from_numpy(np.ones((6, 2)), ["a", "b"] * 3)
    for combination in HOW:
        ctx = listening()
        assert select_by_ib(examples, combination=combination, k=2, ctx=ctx).selected() == ()
        assert ctx.warnings == [
            "No row proposes an attribute: none differs more between classes than within them."
        ]


def test_missing_values_are_refused(refused):
    examples = ExampleSet.from_numpy([[1.0, 2], [np.nan, 3], [2, 2], [3, 1]], list("aabb"))
    with refused("att1", "missing"):
        select_by_ib(examples)


def test_numerical_label_is_refused(refused):
    examples = ExampleSet.from_numpy(np.eye(4), [0.5, 1.5, 2.5, 3.5])
    with refused("classes"):
        ib_candidate_subsets(examples)
