"""Recursive feature elimination."""

import numpy as np
import pytest
from sklearn.feature_selection import RFE
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import fsops
from fsops import Criterion, ExampleSet, PerformanceVector
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    recursive_feature_elimination,
    select_by_svm_rfe,
    weight_by_svm,
    weights_to_ranking,
)

# Table 1 of Schowe (2011): the order of the attributes in each round, best first.
ROUNDS = {
    20: [1, 14, 5, 15, 16, 9, 10, 7, 17, 20, 3, 8, 19, 11, 12, 4, 2, 13, 18, 6],
    14: [1, 5, 14, 16, 15, 8, 19, 9, 10, 17, 3, 11, 7, 20],
    9: [1, 14, 5, 15, 16, 8, 19, 9, 10],
    6: [1, 5, 14, 16, 8, 15],
    4: [1, 14, 16, 5],
}


def test_attribute_that_a_single_ranking_would_drop_survives_as_in_the_paper():
    examples = ExampleSet.from_numpy(
        np.random.default_rng(0).normal(size=(8, 20)), names=[f"x{j + 1}" for j in range(20)]
    )

    def as_printed(shown):
        order = ROUNDS[len(shown.schema.regular)]
        names = shown.schema.regular_names
        assert sorted(names) == sorted(f"x{j}" for j in order)
        return shown.weights([len(order) - order.index(int(n[1:])) for n in names])

    found = recursive_feature_elimination(examples, as_printed, k=4, fraction=0.3)
    assert [size for size, _, _ in found.trace.rounds] == [20, 14, 9, 6, 4]
    assert sorted(found.weights.selected()) == ["x1", "x14", "x16", "x5"]
    assert ROUNDS[20].index(8) == 11  # rank 12 of 20: a cut at the top six would drop x8 …
    assert "x8" in found.trace.rounds[3][1]  # … but it is among the last six


@pytest.fixture
def expression():
    rng = np.random.default_rng(4)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 60))
    X[:, :4] += 1.2 * y[:, None]
    return ExampleSet.from_numpy(X, np.array(["a", "b"])[y])


@pytest.mark.parametrize("number", [1, 5])
def test_svm_rfe_keeps_what_scikit_learn_keeps(expression, number):
    X = StandardScaler().fit_transform(expression.numeric())
    svm = SVC(kernel="linear", C=1.0, tol=1e-10)
    oracle = RFE(svm, n_features_to_select=5, step=number).fit(X, expression.binary_label())
    found = select_by_svm_rfe(expression, k=5, step="number", number=number)
    assert found.weights.values.astype(bool).tolist() == oracle.support_.tolist()


def test_inner_process_with_an_svm_is_svm_rfe(expression):
    inner = recursive_feature_elimination(expression, weight_by_svm, k=5)
    assert inner.weights.selected() == select_by_svm_rfe(expression, k=5).weights.selected()


def test_schedule_passes_through_its_sizes(expression):
    found = select_by_svm_rfe(expression, k=3, step="schedule", schedule=[50, 10])
    assert [size for size, _, _ in found.trace.rounds] == [60, 50, 10, 3]


def test_ranking_puts_survivors_first(expression):
    ranking = select_by_svm_rfe(expression, k=5, output="ranking").weights
    kept = select_by_svm_rfe(expression, k=5).weights.selected()
    assert set(ranking.top(5)) == set(kept)
    assert sorted(ranking.values) == list(range(1, 61))


def test_keeping_all_drops_nothing(expression):
    assert len(select_by_svm_rfe(expression, k=60).weights.selected()) == 60


@pytest.mark.parametrize("fraction", [0, 1, 1.5])
def test_fraction_outside_the_unit_interval_is_refused(expression, fraction):
    with pytest.raises(ParameterError, match="fraction is .* greater than 0 and less than 1"):
        select_by_svm_rfe(expression, fraction=fraction)


def test_rising_schedule_is_refused(expression):
    with pytest.raises(ParameterError, match="decreasing"):
        select_by_svm_rfe(expression, k=1, step="schedule", schedule=[5, 10])


def test_inner_process_must_weigh_every_attribute(expression):
    with pytest.raises(DataError, match='no weight for "att2"'):
        recursive_feature_elimination(
            expression, lambda shown: shown.weights([1.0], names=["att1"]), k=5
        )


def test_the_small_systems_of_svm_rfe_are_solved_by_one_thread(monkeypatch):
    from threadpoolctl import threadpool_info

    from fsops.algorithms.linear import svm_rfe as algorithms

    threads = []

    def listening(*about, **rules):
        threads.extend(each["num_threads"] for each in threadpool_info())
        return made(*about, **rules)

    made = algorithms.svm_rfe
    monkeypatch.setattr(algorithms, "svm_rfe", listening)
    rng = np.random.default_rng(0)
    examples = ExampleSet.from_numpy(
        rng.normal(size=(20, 30)), np.array(["a", "b"])[np.arange(20) % 2]
    )
    with fsops.running():
        select_by_svm_rfe(examples, k=3)
    assert set(threads) == {1}


@pytest.mark.parametrize(
    "schedule", ["50-10 by 20, 5", ["50-10 by 20", 5], [50, 30, 10, 5], "50, 30, 10, 5"]
)
def test_a_schedule_can_have_falling_ranges(expression, schedule):
    found = select_by_svm_rfe(expression, k=3, step="schedule", schedule=schedule)
    assert [size for size, *_ in found.trace.rounds][1:] == [50, 30, 10, 5, 3]


@pytest.mark.parametrize("schedule", ["10-50", "50-10 by 0", "50-0", "ten"])
def test_a_schedule_that_is_no_falling_range_is_refused(expression, schedule, refused):
    with refused("500-100 by 50", error=ParameterError):
        select_by_svm_rfe(expression, k=3, step="schedule", schedule=schedule)


def test_inner_weights_that_are_all_unknown_are_refused(expression, refused):
    def unknown(rows):
        return rows.weights(np.full(len(rows.schema.regular), np.nan))

    with refused("returns no weight", "another weighting"):
        recursive_feature_elimination(expression, unknown, k=3)


def test_the_performance_of_the_inner_process_chooses_the_round():
    values = {5: 0.6, 4: 0.9, 3: 0.88, 2: 0.86, 1: 0.1}
    data = ExampleSet.from_numpy(np.arange(20.0).reshape(4, 5), names="abcde")

    def weighed(shown):
        order = {name: 5 - place for place, name in enumerate("abcde")}
        weights = shown.weights([order[name] for name in shown.schema.regular_names])
        mean = values[len(weights)]
        return weights, PerformanceVector([Criterion("value", (mean - 0.02, mean + 0.02))])

    def selected(choose, **more):
        found = recursive_feature_elimination(
            data, weighed, k=1, step="number", choose=choose, **more
        )
        return "".join(found.weights.selected())

    assert selected("k") == "a"
    assert selected("best") == "abcd"
    assert selected("one_standard_error") == "abc"  # the standard error is 0.02
    assert selected("within_percent", percent=5.0) == "ab"  # at least 0.855
    assert selected("elbow") == "ab"
    with pytest.raises(DataError, match="stability_aware needs"):
        selected("stability_aware")
    with pytest.raises(ParameterError, match="choose=best needs a performance"):
        recursive_feature_elimination(data, lambda t: weighed(t)[0], k=1, choose="best")


def test_a_ranking_inside_keeps_the_same_attributes_as_its_weights(expression):
    def ranked(rows):
        return weights_to_ranking(weight_by_svm(rows))

    plain = recursive_feature_elimination(expression, weight_by_svm, k=3).weights
    found = recursive_feature_elimination(expression, ranked, k=3).weights
    assert found.selected() == plain.selected()
