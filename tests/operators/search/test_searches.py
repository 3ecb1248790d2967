"""What each search does with its parameters."""

import itertools

import numpy as np
import pytest
from scipy.stats import f_oneway

from fsops import Attribute, AttributeWeights, Criterion, ExampleSet, PerformanceVector
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    optimize_selection_backward,
    optimize_selection_brute_force,
    optimize_selection_evolutionary,
    optimize_selection_floating,
    optimize_selection_forward,
    optimize_selection_hill_climbing,
    optimize_weights_evolutionary,
    performance_mrmr,
    retrieve,
)

GAIN = {"att1": 10.0, "att2": 4.0, "att3": 1.0, "att4": 0.0, "att5": -2.0}


def table():
    return ExampleSet.from_numpy(np.random.default_rng(1).normal(size=(12, 5)), np.arange(12) % 2)


def additive(examples):
    return measured(sum(GAIN[name] for name in examples.schema.regular_names))


def measured(*values):
    return PerformanceVector([Criterion("worth", tuple(map(float, values)))])


def chosen(result):
    return "".join(name[3:] for name in result.weights.selected())


# --- forward and backward -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, "123"),
        ({"max_attributes": 2}, "12"),
        ({"stopping_behavior": "without increase of at least", "use_relative_increase": False,
          "min_absolute_increase": 1.0}, "123"),
        ({"stopping_behavior": "without increase of at least", "use_relative_increase": False,
          "min_absolute_increase": 1.5}, "12"),
        ({"stopping_behavior": "without increase of at least",
          "min_relative_increase": 0.4}, "12"),
        ({"stopping_behavior": "without increase of at least",
          "min_relative_increase": 0.5}, "1"),
    ],
)  # fmt: skip
def test_forward_selection_stops_where_the_gain_ends(parameters, expected):
    assert chosen(optimize_selection_forward(table(), additive, **parameters)) == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, "123"),
        ({"max_eliminations": 1}, "1234"),
        ({"stopping_behavior": "with decrease of more than", "use_relative_decrease": False,
          "max_absolute_decrease": 1.0}, "12"),
        ({"stopping_behavior": "with decrease of more than", "use_relative_decrease": False,
          "max_absolute_decrease": -1.0}, "1234"),
        ({"stopping_behavior": "with decrease of more than",
          "max_relative_decrease": 0.3}, "1"),
        ({"stopping_behavior": "with decrease of more than", "max_relative_decrease": 1.0,
          "max_eliminations": 100}, "1"),
    ],
)  # fmt: skip
def test_backward_elimination_stops_where_the_loss_begins(parameters, expected):
    assert chosen(optimize_selection_backward(table(), additive, **parameters)) == expected


def test_a_significant_gain_is_one_by_the_analysis_of_variance():
    spread = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])

    def evaluation(examples):
        return measured(*(additive(examples).main.mean + spread))

    one, two = (evaluation(table().select_regular(names)).main.values
                for names in (["att1"], ["att1", "att2"]))  # fmt: skip
    p = f_oneway(one, two).pvalue
    rule = {"stopping_behavior": "without significant increase"}
    strict = optimize_selection_forward(table(), evaluation, significance_level=p * 0.99, **rule)
    loose = optimize_selection_forward(table(), evaluation, significance_level=p * 1.01, **rule)
    assert (chosen(strict), chosen(loose)) == ("1", "12")
    rule = {"stopping_behavior": "with significant decrease", "max_eliminations": 4}
    strict = optimize_selection_backward(table(), evaluation, significance_level=p * 0.99, **rule)
    loose = optimize_selection_backward(table(), evaluation, significance_level=p * 1.01, **rule)
    assert (chosen(strict), chosen(loose)) == ("1", "12")


def test_significance_needs_repetitions(refused):
    with refused("measured once", "Cross Validation", "stopping_behavior"):
        optimize_selection_forward(
            table(), additive, stopping_behavior="without significant increase"
        )


# --- others ---------------------------------------------------------------------------------


def test_floating_search_ends_with_the_number_asked_for_or_the_best():
    assert chosen(optimize_selection_floating(table(), additive)) == "123"
    exact = optimize_selection_floating(table(), additive, k=4, result="exact number")
    assert chosen(exact) == "1234"
    backward = {"selection_direction": "backward", "k": 2}
    assert chosen(optimize_selection_floating(table(), additive, **backward)) == "123"
    assert (
        chosen(optimize_selection_floating(table(), additive, result="exact number", **backward))
        == "12"
    )


def test_hill_climbing_finds_the_top_of_a_simple_hill():
    result = optimize_selection_hill_climbing(table(), additive, generations_without_improvement=10)
    assert chosen(result) == "123"


@pytest.mark.parametrize(
    ("parameters", "sizes"),
    [
        ({}, {1, 2, 3, 4, 5}),
        ({"min_attributes": 4}, {4, 5}),
        ({"limit_attributes": True, "max_attributes": 2}, {1, 2}),
        ({"use_k": True, "k": 3}, {3}),
    ],
)
def test_brute_force_tries_all_sets_of_the_sizes_asked_for(parameters, sizes):
    seen = []

    def evaluation(examples):
        seen.append(examples.schema.regular_names)
        return additive(examples)

    result = optimize_selection_brute_force(table(), evaluation, **parameters)
    every = [s for k in sorted(sizes) for s in itertools.combinations(GAIN, k)]
    assert seen == every
    assert result.performance.main.mean == max(sum(GAIN[n] for n in s) for s in every)
    evolved = optimize_selection_evolutionary(
        table(), lambda examples: seen.append(examples.schema.regular_names) or additive(examples),
        **parameters,
    )  # fmt: skip
    assert {len(names) for names in seen} <= sizes
    assert len(evolved.weights.selected()) in sizes


def test_too_many_sets_are_refused_before_the_first_is_tried(refused):
    wide = ExampleSet.from_numpy(np.zeros((4, 100)), np.arange(4) % 2)
    with refused("100 attributes", "1.3e+30 sets of 1 to 100", "100,000", "filter"):
        optimize_selection_brute_force(wide, None.__class__)
    with refused("4,950 sets of 2 attributes", "more than the 1,000"):
        optimize_selection_brute_force(
            wide, additive, use_k=True, k=2,
            max_evaluations=1000,
        )  # fmt: skip


def test_impossible_numbers_are_refused(refused):
    with refused("At least 9", "the data has 5", "at most 5"):
        optimize_selection_brute_force(table(), additive, min_attributes=9)
    with refused("min_attributes is 3", "only 2", error=ParameterError):
        optimize_selection_brute_force(
            table(), additive, min_attributes=3, limit_attributes=True,
            max_attributes=2,
        )  # fmt: skip


# --- evolution ------------------------------------------------------------------------------


def test_evolution_finds_the_best_set():
    found = optimize_selection_evolutionary(table(), additive, population_size=10)
    assert chosen(found) == "123"
    assert found.front.column("attributes").tolist() == ["att1|att2|att3"]


def test_the_front_of_mrmr_is_the_pareto_front_of_all_sets():
    """With enough generations the whole front of the 56 sets of three is found."""
    wine = retrieve(repository_entry="wine")
    wine = wine.select_regular(wine.schema.regular_names[-8:])

    def evaluation(examples):
        found = performance_mrmr(examples)
        return PerformanceVector([found["relevance"], found["redundancy"]])

    result = optimize_selection_evolutionary(
        wine, evaluation, selection_scheme="non dominated sorting", population_size=20,
        max_generations=20,
        use_k=True,
        k=3,
    )  # fmt: skip
    sets = itertools.combinations(wine.schema.regular_names, 3)
    worth = [evaluation(wine.select_regular(names)) for names in sets]
    points = [(w["relevance"].mean, w["redundancy"].mean) for w in worth]
    expected = {
        (high, low)
        for high, low in points
        if not any(h >= high and r <= low and (h, r) != (high, low) for h, r in points)
    }
    assert len(expected) > 3
    front = result.front
    found = zip(front.column("relevance"), front.column("redundancy"), strict=True)
    assert set(found) == expected
    assert (np.diff(front.column("relevance")) <= 0).all()
    assert result.performance["relevance"].mean == front.column("relevance")[0]


def test_criteria_that_change_cannot_be_sorted(refused):
    def evaluation(examples):
        name = "odd" if len(examples.schema.regular) % 2 else "even"
        return PerformanceVector([Criterion(name, (1.0,))])

    with refused("different criteria", '"odd"', '"even"'):
        optimize_selection_evolutionary(
            table(), evaluation, selection_scheme="non dominated sorting"
        )


def test_given_weights_are_the_chances_to_begin_with(refused):
    weights = AttributeWeights(["att2", "att4"], [1.0, 1.0])
    shown = []

    def evaluation(examples):
        shown.append(examples.schema.regular_names)
        return additive(examples)

    settings = {"initialize_with_input_weights": True, "max_generations": 1}
    optimize_selection_evolutionary(table(), evaluation, weights, **settings)
    assert shown[0] == ("att2", "att4")
    with refused("no initial weights", "initial_weights"):
        optimize_selection_evolutionary(table(), evaluation, **settings)
    with refused("between 0 and 1"):
        optimize_selection_evolutionary(
            table(), evaluation, AttributeWeights(["att1"], [3.0]), **settings
        )


def test_weights_of_nominal_attributes_are_0_or_1():
    golf = retrieve(repository_entry="golf")
    result = optimize_weights_evolutionary(
        golf, lambda examples: measured(len(examples.schema.regular_nominal))
    )
    weights = dict(result.weights)
    assert weights["Outlook"] == weights["Wind"] == 1.0
    assert result.performance.main.mean == 2


def test_normalized_weights_reach_from_0_to_1():
    result = optimize_weights_evolutionary(table(), additive, normalize_weights=True)
    assert result.weights.values.min() == 0
    assert result.weights.values.max() == 1
    assert result.examples.label == table().label


def test_a_criterion_called_like_a_column_does_not_hide_it():
    def evaluation(examples):
        number = len(examples.schema.regular)
        return PerformanceVector([Criterion("number_of_attributes", (float(number),))])

    front = optimize_selection_evolutionary(table(), evaluation, population_size=20).front
    assert front.names == ("criterion number_of_attributes", "number_of_attributes", "attributes")
    assert Attribute("number_of_attributes").name in front.schema


def test_the_front_trades_the_criterion_against_the_total_cost():
    """With enough generations it is the front of all 31 sets."""
    price = {"att1": 5.0, "att2": 1.0, "att3": 1.0, "att4": 0.0, "att5": 3.0}
    found = optimize_selection_evolutionary(
        table(), additive, costs=AttributeWeights(list(price), list(price.values())), population_size=20,
        selection_scheme="non dominated sorting",
    )  # fmt: skip
    points = [
        (sum(GAIN[name] for name in names), sum(price[name] for name in names))
        for size in range(1, 6)
        for names in itertools.combinations(GAIN, size)
    ]
    expected = {
        (gain, cost)
        for gain, cost in points
        if not any(g >= gain and c <= cost and (g, c) != (gain, cost) for g, c in points)
    }
    front = found.front
    assert set(zip(front.column("worth"), front.column("total_cost"), strict=True)) == expected
    assert front.names == ("worth", "total_cost", "number_of_attributes", "attributes")
    assert found.performance.means() == {"worth": 15.0, "total_cost": 7.0}
    assert chosen(found) == "123"


def test_without_sorting_the_front_has_costs_too():
    costs = table().weights(np.arange(5.0))
    found = optimize_selection_evolutionary(table(), additive, costs=costs)
    gain, cost = found.front.column("worth"), found.front.column("total_cost")
    assert (np.diff(gain) < 0).all()
    assert (np.diff(cost) < 0).all()


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ({"att1": 1.0, "att2": 1.0, "att3": 1.0}, 'No cost is given for "att4", "att5"'),
        ({**GAIN, "att1": np.inf}, 'The cost of "att1", "att5" is negative or not finite'),
    ],
)
def test_costs_must_be_complete_and_not_negative(costs, said):
    with pytest.raises(DataError, match=said):
        optimize_selection_evolutionary(
            table(), additive, costs=AttributeWeights(list(costs), list(costs.values()))
        )
