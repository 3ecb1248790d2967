"""Selections, searches and eliminations with attributes to keep and bound groups."""

import itertools

import numpy as np
import pytest

from fsops.data import AttributeWeights, Criterion, ExampleSet, PerformanceVector
from fsops.data.attribute_groups import AttributeGroups
from fsops.errors import DataError, OperatorWarning
from fsops.operators import (
    choose_number_of_features,
    mark_attributes,
    naive_bayes,
    optimize_selection,
    optimize_selection_backward,
    optimize_selection_brute_force,
    optimize_selection_evolutionary,
    optimize_selection_floating,
    optimize_selection_forward,
    optimize_selection_hill_climbing,
    optimize_selection_weight_guided,
    recursive_feature_elimination,
    select_by_mrmr_cfs,
    select_by_svm_rfe,
    select_by_weights,
    select_top_k,
    set_role,
    weight_by_f_test,
    weight_by_welch_test,
    weights_to_ranking,
    wrapper_x_validation,
)

GAIN = np.array([1.0, 3.0, -1.0, 2.0, -2.0, 0.5])


def table(p: int = 6, rows: int = 20) -> ExampleSet:
    rng = np.random.default_rng(1)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, p)) + np.outer(y, np.linspace(2, 0, p))
    return ExampleSet.from_numpy(X, np.where(y, "yes", "no"), names=[f"a{j}" for j in range(p)])


def worth(examples, through=None):
    """Return a performance that adds up the gains of the attributes."""
    places = [int(name[1:]) for name in examples.schema.regular_names]
    return PerformanceVector([Criterion("gain", (float(GAIN[places].sum()),))])


def selected(found) -> set[str]:
    weights = getattr(found, "weights", found)
    return {name for name, weight in weights if weight != 0}


SEARCHES = {
    "generations": lambda t: optimize_selection(t, worth),
    "backward generations": lambda t: optimize_selection(t, worth, selection_direction="backward"),
    "forward": lambda t: optimize_selection_forward(t, worth),
    "backward": lambda t: optimize_selection_backward(t, worth),
    "floating": lambda t: optimize_selection_floating(t, worth),
    "brute force": lambda t: optimize_selection_brute_force(t, worth),
    "climbing": lambda t: optimize_selection_hill_climbing(
        t, worth, generations_without_improvement=9
    ),
    "evolution": lambda t: optimize_selection_evolutionary(
        t, worth, population_size=20, max_generations=40
    ),
}


@pytest.mark.parametrize("search", SEARCHES)
def test_searches_find_the_best_set_with_what_must_be_kept(search):
    plain = SEARCHES[search](table())
    assert selected(plain) == {"a0", "a1", "a3", "a5"}
    kept = SEARCHES[search](table().with_mark(["a4"], "must_keep"))
    assert selected(kept) == {"a0", "a1", "a3", "a4", "a5"}
    assert kept.performance.main.mean == pytest.approx(4.5)
    assert set(kept.examples.schema.regular_names) == selected(kept)


@pytest.mark.parametrize("search", SEARCHES)
def test_searches_take_groups_together(search):
    groups = AttributeGroups.of({"g": [1, 2], "h": [3, 4], "one": [5]}, bound=True)
    found = SEARCHES[search](table().with_groups(groups))
    best = max(
        (
            sum(GAIN[list(unit)].sum() for unit in units), -sum(map(len, units)), units,
        )
        for size in range(1, 5)
        for units in itertools.combinations([(0,), (1, 2), (3, 4), (5,)], size)
    )  # fmt: skip
    chosen = {f"a{j}" for unit in best[2] for j in unit}
    assert selected(found) - {"a3", "a4"} == chosen - {"a3", "a4"}  # g and h: h adds nothing
    assert len(selected(found) & {"a3", "a4"}) != 1
    assert found.performance.main.mean == pytest.approx(best[0])


def test_a_search_may_end_with_nothing_but_what_must_be_kept():
    for search in ("forward", "generations", "backward", "brute force"):
        low = table().select(["a2", "a4", "label"]).with_mark(["a2"], "must_keep")
        assert selected(SEARCHES[search](low)) == {"a2"}


def test_numbers_of_attributes_count_those_to_keep():
    marked = table().with_mark(["a4", "a2"], "must_keep")
    exact = {"use_k": True, "k": 3}
    assert selected(optimize_selection_brute_force(marked, worth, **exact)) == {"a1", "a2", "a4"}
    floating = optimize_selection_floating(marked, worth, k=3, result="exact number")
    assert selected(floating) == {"a1", "a2", "a4"}
    with pytest.warns(OperatorWarning, match="k is 1, but 2 attributes must be kept: these are"):
        only = optimize_selection_brute_force(marked, worth, **{**exact, "k": 1})
    assert selected(only) == {"a2", "a4"}


def test_a_search_without_a_choice_says_so():
    with pytest.raises(DataError, match="nothing to search"):
        optimize_selection_forward(
            table().with_mark(table().schema.regular_names, "must_keep"), worth
        )


def test_weight_guided_search_adds_units_in_the_order_of_their_weights():
    weights = AttributeWeights([f"a{j}" for j in range(6)], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    plain = optimize_selection_weight_guided(table(), weights, worth)
    assert selected(plain) == {"a0", "a1", "a2", "a3"}
    marked = table().with_mark(["a5"], "must_keep")
    assert selected(optimize_selection_weight_guided(marked, weights, worth)) == selected(plain) | {
        "a5"
    }


def test_top_k_and_rankings_keep_through_a_chain_of_weights():
    marked = table().with_mark(["a5"], "must_keep")
    weights = weight_by_f_test(marked)
    assert weights.details["must_keep"].tolist() == [0, 0, 0, 0, 0, 1]
    chosen = select_top_k(weights_to_ranking(weights), k=2)
    assert len(selected(chosen)) == 2
    assert "a5" in selected(chosen)
    again = select_by_weights(marked, weights, weight_relation="top k", k=2)
    assert set(again.schema.regular_names) == selected(chosen)
    compared = select_by_weights(marked, weights, weight_relation="greater", threshold=1e9)
    assert compared.schema.regular_names == ("a5",)


def test_select_by_weights_takes_groups_by_their_best_weight():
    grouped = table().with_groups(AttributeGroups.of({"g": [0, 5]}, bound=True))
    weights = AttributeWeights([f"a{j}" for j in range(6)], [0.0, 5.0, 4.0, 3.0, 2.0, 6.0])
    top = select_by_weights(grouped, weights, weight_relation="top k", k=2)
    assert top.schema.regular_names == ("a0", "a1", "a5")
    bottom = select_by_weights(grouped, weights, weight_relation="bottom k", k=2)
    assert bottom.schema.regular_names == ("a3", "a4")
    ranking = weights_to_ranking(weights)
    again = select_by_weights(grouped, ranking, weight_relation="top k", k=2)
    assert again.schema.regular_names == ("a0", "a1", "a5")


def plain_elimination(X, y, sizes, kept):
    """Return the survivors of an elimination by |difference of means|, one loop per round."""
    left = list(range(X.shape[1]))
    for size in sizes:
        scores = {j: abs(X[y == 1][:, j].mean() - X[y == 0][:, j].mean()) for j in left}
        order = sorted(left, key=lambda j: (j not in kept, -scores[j], j))
        left = sorted(order[:size])
    return left


def test_eliminations_never_drop_what_must_be_kept():
    examples = table()
    X, y = examples.numeric(), examples.binary_label()

    def differences(part):
        places = [int(n[1:]) for n in part.schema.regular_names]
        means = abs(X[y == 1][:, places].mean(axis=0) - X[y == 0][:, places].mean(axis=0))
        return AttributeWeights(part.schema.regular_names, means)

    marked = examples.with_mark(["a4", "a5"], "must_keep")
    found = recursive_feature_elimination(marked, differences, k=3, step="number")
    expected = plain_elimination(X, y, [5, 4, 3], {4, 5})
    assert selected(found) == {f"a{j}" for j in expected}
    svm = select_by_svm_rfe(marked, k=3)
    assert selected(svm) >= {"a4", "a5"}
    assert len(selected(svm)) == 3


def test_groups_are_eliminated_as_one():
    values = {"a0": 1.0, "a1": 9.0, "a2": 2.0, "a3": 3.0, "a4": 0.0, "a5": 4.0}
    grouped = table().with_groups(AttributeGroups.of({"g": [1, 4], "h": [0, 2]}, bound=True))

    def given(part):
        names = part.schema.regular_names
        return AttributeWeights(names, [values[n] for n in names])

    found = recursive_feature_elimination(
        grouped, given, k=2, step="number", output="ranking"
    ).weights
    order = [found.names[i] for i in np.argsort(-found.values)]
    assert order == ["a1", "a4", "a5", "a3", "a2", "a0"]
    assert selected(recursive_feature_elimination(grouped, given, k=2)) == {"a1", "a4", "a5"}


def test_methods_that_choose_single_attributes_refuse_bound_groups_by_name():
    grouped = table().with_groups(AttributeGroups.of({"stage": [0, 1]}, bound=True))
    with pytest.raises(
        DataError, match='attributes of "stage" must be selected together, but Select by M'
    ):
        select_by_mrmr_cfs(grouped, k=2)
    described = table().with_groups(AttributeGroups.of({"stage": [0, 1]}))
    assert len(selected(select_by_mrmr_cfs(described, k=2))) == 2


def test_a_validation_of_a_selection_learns_with_what_must_be_kept():
    seen = []

    def learning(rows):
        seen.append(set(rows.schema.regular_names))
        return naive_bayes(rows)

    def evaluation(model, rows):
        return PerformanceVector([Criterion("x", (1.0,))])

    def best_one(rows):
        return select_top_k(AttributeWeights(["a0"], [1.0]), k=1)

    wrapper_x_validation(
        table().with_mark(["a5"], "must_keep"), best_one, learning, evaluation, number_of_folds=3
    )
    assert seen[0] == {"a0", "a5"}
    assert all(names == {"a0", "a5"} for names in seen)


def test_the_number_of_features_counts_those_to_keep():
    found = choose_number_of_features(
        table().with_mark(["a5"], "must_keep"),
        weight_by_welch_test,
        naive_bayes,
        sizes=[1, 2],
        number_of_folds=3,
    )
    assert "a5" in selected(found)
    assert len(selected(found)) == found.curve.chosen[0]


def test_forbidden_attributes_are_neither_weighted_nor_learnt_from():
    forbidden = set_role(table(), attribute="a0", target_role="forbidden")
    assert "a0" not in weight_by_f_test(forbidden)
    assert "a0" in select_by_weights(forbidden, weight_by_f_test(forbidden)).names
    marked = mark_attributes(
        table(), mark="forbidden", attribute_filter_type="regular_expression",
        regular_expression="a[0-4]",
    )  # fmt: skip
    assert marked.schema.regular_names == ("a5",)
