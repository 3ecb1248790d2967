"""A search around a cross-validation of k-NN takes a faster way to the same result."""

import warnings

import numpy as np
import pytest

from fsops import ExampleSet, Process, run
from fsops.operators import (
    apply_model,
    cross_validation,
    k_nn,
    naive_bayes,
    optimize_selection,
    optimize_selection_backward,
    optimize_selection_floating,
    optimize_selection_forward,
    optimize_selection_weight_guided,
    performance,
    performance_classification,
)
from fsops.operators.search import candidates, neighbour_plan

SEARCHES = {
    "forward": (optimize_selection_forward, {"max_attributes": 3}),
    "significant": (
        optimize_selection_forward,
        {
            "max_attributes": 3,
            "stopping_behavior": "without significant increase",
            "significance_level": 0.9,
        },
    ),
    "backward": (optimize_selection_backward, {"max_eliminations": 3}),
    "generations": (optimize_selection, {"limit_generations": True,
                                         "max_generations": 2}),
    "beam": (optimize_selection, {"keep_best": 2, "limit_generations": True,
                                  "max_generations": 1}),
    "floating": (optimize_selection_floating, {"k": 3}),
}  # fmt: skip


def search_of(operator, parameters, *, learner=k_nn, learning=None, measure=performance, cv=None):
    """Return a process with a search around a cross-validation."""
    process = Process("Search")
    node = process.add(operator, **parameters)
    process.connect(process.source("input 1"), node, "examples")
    (inside,) = node.subprocesses
    validation = inside.add(cross_validation, number_of_folds=3, **(cv or {}))
    inside.connect(inside.source("examples"), validation, "examples")
    inside.result(validation["performance"], "performance")
    training, testing = validation.subprocesses
    model = training.add(learner, **(learning or {}))
    training.connect(training.source("training_set"), model, "examples")
    training.result(model["model"], "model")
    applied = testing.add(apply_model)
    testing.connect(testing.source("model"), applied, "model")
    testing.connect(testing.source("test_set"), applied, "examples")
    measured = testing.add(measure)
    testing.connect(applied["examples"], measured, "examples")
    testing.result(measured["performance"], "performance")
    for port in ("examples", "weights", "performance", "log"):
        process.result(node[port])
    return process


def numbers(kind, n=48, p=18):
    rng = np.random.default_rng(5)
    y = np.arange(n) % (3 if kind == "three classes" else 2)
    X = rng.normal(size=(n, p))
    X[:, :3] += 0.8 * y[:, None]
    X = {
        "rounded": lambda: np.round(X, 1),
        "whole numbers": lambda: np.round(X),
        "constant": lambda: np.where(np.arange(p) < 4, 7.0, X),
        "copies of rows": lambda: np.repeat(X[: n // 2], 2, axis=0),
        "far from zero": lambda: X + 1e7,
        "huge": lambda: X * 1e36,
        "tiny": lambda: X * 1e-170,
        "mixed scales": lambda: X * 10.0 ** rng.integers(-6, 6, p),
        "stored by columns": lambda: np.asfortranarray(X),
        "float32": lambda: X.astype(np.float32),
    }.get(kind, lambda: X)()
    return ExampleSet.from_numpy(X, np.array(["no", "yes", "perhaps"])[y])


class Spy:
    """Notes which plans were made."""

    def __init__(self, monkeypatch):
        self.plans = []
        original = neighbour_plan.neighbour_plan
        monkeypatch.setattr(
            candidates,
            "neighbour_plan",
            lambda *a: self.plans.append(original(*a)) or self.plans[-1],
        )


def both_ways(process, table, monkeypatch, **options):
    """Return the results with the plan and without it."""
    with monkeypatch.context() as patch:
        spy = Spy(patch)
        fast = run(process, table, **options)
    assert spy.plans[0] is not None
    with monkeypatch.context() as patch:
        patch.setattr(candidates, "neighbour_plan", lambda *a: None)
        return fast, run(process, table)


@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_gives_the_same_results_as_the_general_way(search, monkeypatch):
    process = search_of(*SEARCHES[search])
    fast, general = both_ways(process, numbers("normal"), monkeypatch)
    assert [a.equals(b) for a, b in zip(fast, general, strict=True)] == [True] * 4


@pytest.mark.parametrize(
    "kind",
    ["three classes", "rounded", "whole numbers", "constant", "copies of rows", "far from zero",
     "huge", "tiny", "mixed scales", "stored by columns", "float32"],
)  # fmt: skip
@pytest.mark.parametrize("search", ["forward", "backward"])
def test_awkward_data_give_the_same_results_as_the_general_way(search, kind, monkeypatch):
    operator, parameters = SEARCHES[search]
    process = search_of(operator, {k: min(v, 2) for k, v in parameters.items()})
    fast, general = both_ways(process, numbers(kind), monkeypatch)
    assert [a.equals(b) for a, b in zip(fast, general, strict=True)] == [True] * 4


@pytest.mark.parametrize(
    "learning",
    [
        {"number_of_neighbors": 1},
        {"number_of_neighbors": 40},
        {"weighted_vote": False},
        {"weighted_vote": False, "number_of_neighbors": 4},
        {"scaling": True},
        {"metric": "HEOM"},
        {"metric": "EuclideanDistance", "number_of_neighbors": 2},
    ],
    ids=str,
)
def test_parameters_of_the_learner_count(learning, monkeypatch):
    process = search_of(optimize_selection_forward, {"max_attributes": 2}, learning=learning)
    fast, general = both_ways(process, numbers("three classes"), monkeypatch)
    assert [a.equals(b) for a, b in zip(fast, general, strict=True)] == [True] * 4


@pytest.mark.parametrize(
    "cv",
    [
        {"use_local_random_seed": True, "local_random_seed": 7},
        {"sampling": "linear sampling"},
        {"sampling": "shuffled sampling"},
    ],
    ids=str,
)
def test_the_folds_are_those_of_the_validation(cv, monkeypatch):
    process = search_of(optimize_selection_forward, {"max_attributes": 2}, cv=cv)
    fast, general = both_ways(process, numbers("normal"), monkeypatch)
    assert fast[2].equals(general[2])
    assert fast[2].main.count == 3


def test_other_criteria_beside_the_accuracy_are_measured_for_the_result(monkeypatch):
    process = search_of(*SEARCHES["forward"], measure=performance_classification)
    fast, general = both_ways(process, numbers("three classes"), monkeypatch)
    assert fast[2].equals(general[2])
    assert len(fast[2]) == 4


def test_two_processes_give_the_same_results(monkeypatch):
    fast, general = both_ways(
        search_of(*SEARCHES["backward"]),
        numbers("rounded"),
        monkeypatch,
        engine="processes",
        jobs=2,
    )
    assert [a.equals(b) for a, b in zip(fast, general, strict=True)] == [True] * 4


def test_cached_iterations_of_the_general_way_are_not_taken_for_others(tmp_path, monkeypatch):
    """Both ways number their iterations from 0, but evaluate different subsets in them."""
    process, table = search_of(*SEARCHES["forward"]), numbers("whole numbers")
    with monkeypatch.context() as patch:
        patch.setattr(candidates, "neighbour_plan", lambda *a: None)
        general = run(process, table, cache=tmp_path)
    # The result of the whole search is dropped, its iterations stay.
    monkeypatch.setattr("fsops.engine.executor.CallResults._load", lambda self, path: None)
    fast = run(process, table, cache=tmp_path)
    assert [a.equals(b) for a, b in zip(fast, general, strict=True)] == [True] * 4


def plan_of(process, table, monkeypatch):
    with monkeypatch.context() as patch, warnings.catch_warnings(action="ignore"):
        spy = Spy(patch)
        run(process, table)
    return spy.plans[0]


FORWARD = {"max_attributes": 1}


@pytest.mark.parametrize(
    "process",
    [
        search_of(optimize_selection_forward, FORWARD, learner=naive_bayes),
        search_of(optimize_selection_forward, FORWARD, learning={"metric": "ManhattanDistance"}),
        search_of(optimize_selection_forward, FORWARD, learning={"metric": "clinical"}),
    ],
    ids=["another learner", "another distance", "another kind of model"],
)
def test_another_inner_process_runs_in_the_general_way(process, monkeypatch):
    assert plan_of(process, numbers("normal", n=24), monkeypatch) is None


def test_another_main_criterion_runs_in_the_general_way(monkeypatch):
    process = search_of(optimize_selection_forward, FORWARD, measure=performance_classification)
    process.find("Performance (Classification)").set_parameter("main_criterion", "kappa")
    assert plan_of(process, numbers("normal", n=24), monkeypatch) is None


def test_a_disabled_operator_inside_runs_in_the_general_way(monkeypatch):
    process = search_of(optimize_selection_forward, FORWARD)
    inside = process.find("Cross Validation").process
    inside.add(k_nn).enabled = False
    assert plan_of(process, numbers("normal", n=24), monkeypatch) is None


def test_messages_of_the_folds_come_as_often_as_in_the_general_way(monkeypatch):
    """The validation warns of a class that is smaller than the number of folds."""
    table = numbers("normal", n=24)
    y = np.array(["a"] * 22 + ["b"] * 2)
    table = ExampleSet.from_numpy(table.numeric(), y)
    process = search_of(optimize_selection_forward, FORWARD)
    assert plan_of(process, table, monkeypatch) is None


def test_few_attributes_and_missing_values_run_in_the_general_way(monkeypatch):
    process = search_of(optimize_selection_forward, FORWARD)
    assert plan_of(process, numbers("normal", n=24, p=5), monkeypatch) is None
    X = np.array(numbers("normal", n=24).numeric())
    X[0, 0] = np.nan
    spy = Spy(monkeypatch)
    with pytest.raises(Exception, match="att1"):
        run(process, ExampleSet.from_numpy(X, np.arange(24) % 2))
    assert spy.plans == [None]


def test_weight_guided_searches_find_the_best_subset(monkeypatch):
    from fsops.operators import weight_by_f_test

    table = numbers("three classes")
    process = search_of(optimize_selection_weight_guided, {})
    node = process.find("Optimize Selection (Weight-Guided)")
    process.connect(process.source("input 2"), node, "weights")
    weights = weight_by_f_test(table)
    with monkeypatch.context() as patch:
        fast = run(process, table, weights)
        patch.setattr(candidates, "neighbour_plan", lambda *a: None)
        general = run(process, table, weights)
    assert [a.equals(b) for a, b in zip(fast, general, strict=True)] == [True] * 4
