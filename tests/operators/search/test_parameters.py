"""Trying values of parameters."""

import itertools

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from fsops import ExampleSet, PerformanceVector, Process, run
from fsops.data import Criterion
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    apply_model,
    cross_validation,
    k_nn,
    loop_parameters,
    optimize_parameters_grid,
    performance,
    retrieve,
)
from fsops.operators.search.parameters import combinations, grid_values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,10, 100", ["1", "10", "100"]),
        ("dot,radial", ["dot", "radial"]),
        ("[0;1;4]", [0, 0.25, 0.5, 0.75, 1]),
        ("[0;1;10;linear]", [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),
        ("[0;16;4;quadratic]", [0, 1, 4, 9, 16]),
        ("[0.01;100;4;logarithmic]", [0.01, 0.1, 1, 10, 100]),
    ],
)
def test_lists_and_ranges(text, expected):
    assert grid_values("X.y", text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "neither a list nor a range"),
        ("[1;2]", "neither a list nor a range"),
        ("[a;2;3]", "must be numbers"),
        ("[0;1;0]", "1 to 100000 steps"),
        ("[0;1;4;cubic]", "not a scale"),
        ("[0;1;4;logarithmic]", "greater than 0"),
    ],
)
def test_wrong_values_get_a_sentence(text, said):
    with pytest.raises(ParameterError, match=said):
        grid_values("X.y", text)


def test_all_combinations_or_in_step():
    grid = {"a.x": "1,2", "b.y": "u,v"}
    assert [tuple(c.values()) for c in combinations(grid)] == list(
        itertools.product(["1", "2"], ["u", "v"])
    )
    together = [tuple(c.values()) for c in combinations(grid, synchronize=True)]
    assert together == [("1", "u"), ("2", "v")]
    with pytest.raises(ParameterError, match="the same number of values"):
        combinations({"a.x": "1,2", "b.y": "u"}, synchronize=True)
    with pytest.raises(ParameterError, match="combinations"):
        combinations({f"a.{i}": "[0;1;999]" for i in range(3)})


def knn_search(node_parameters, search=optimize_parameters_grid):
    process = Process()
    node = process.add(search, **node_parameters)
    process.connect(process.add(retrieve, repository_entry="iris"), node, "input 1")
    inner = node.inner()
    validation = inner.add(cross_validation, inner.source("input 1"), number_of_folds=5)
    training, testing = validation.subprocesses
    training.result(training.add(k_nn, training.source("training_set"), name="k-NN"), "model")
    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(testing.add(performance, applied), "performance")
    inner.result(validation["performance"], "performance")
    process.result(node["trials"])
    if search is optimize_parameters_grid:
        process.result(node["best"])
        process.result(node["performance"])
    return process


def test_grid_search_finds_the_best_and_every_point_sees_the_same_folds():
    trials, best, found = run(knn_search({"parameters": {"k-NN.k": "1,5,1,149"}}))
    accuracy = trials.column("accuracy")
    assert list(trials.column("k-NN.k")) == [1, 5, 1, 149]
    assert accuracy[0] == accuracy[2]
    assert best.column("accuracy")[0] == accuracy.max() == found.main.mean
    assert len(found.main.values) == 5


def test_agrees_with_scikit_learn_up_to_the_folds():
    trials = run(knn_search({"parameters": {"k-NN.k": "1,5,75,120"}}))[0]
    data = retrieve(repository_entry="iris")
    peer = GridSearchCV(
        KNeighborsClassifier(weights="distance"),
        {"n_neighbors": [1, 5, 75, 120]},
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    ).fit(data.numeric(), data.label_values())
    assert np.allclose(trials.column("accuracy"), peer.cv_results_["mean_test_score"], atol=0.05)


def test_loop_gives_a_table_without_choosing():
    (trials,) = run(knn_search({"parameters": {"k-NN.k": "[1;9;2]"}}, loop_parameters))
    assert list(trials.column("k-NN.k")) == [1, 5, 9]
    assert "accuracy" in trials.schema.names


def scored(inputs, x):
    if x == "bad":
        raise DataError("does not work")
    error = abs(float(x) - 2)
    return PerformanceVector([Criterion("error", (error,), maximize=False)])


def test_smaller_is_better_where_the_criterion_says_so():
    found = optimize_parameters_grid([], scored, parameters={"f.x": "1,2,3"})
    assert found.best.column("f.x")[0] == 2.0


def test_failures_stop_or_are_left_out():
    with pytest.raises(DataError, match="does not work"):
        optimize_parameters_grid([], scored, parameters={"f.x": "1,bad"})
    with pytest.warns(UserWarning, match=r"f\.x=bad is left out"):
        found = optimize_parameters_grid(
            [], scored, parameters={"f.x": "1,bad"}, error_handling="ignore error"
        )
    assert len(found.trials) == 1
    with (
        pytest.warns(UserWarning, match="bad"),
        pytest.raises(ParameterError, match="No combination"),
    ):
        optimize_parameters_grid(
            [], scored, parameters={"f.x": "bad"}, error_handling="ignore error"
        )


def neighbours_process(values):
    process = Process()
    iris = process.add(retrieve, repository_entry="iris")
    grid = process.add(optimize_parameters_grid, iris, parameters={"k-NN.k": values})
    inner = grid.inner("trial")
    model = inner.add(k_nn, inner.source("input 1"))
    inner.result(inner.add(performance, inner.add(apply_model, model, inner.source("input 1"))))
    process.result(grid["trials"])
    return process


def test_the_table_shows_whole_numbers_where_they_were_used():
    (trials,) = run(neighbours_process("[1;20;3]"))
    assert trials.column("k-NN.k").tolist() == [1, 7, 14, 20]


def test_a_value_that_does_not_fit_is_told_with_the_operator():
    process = neighbours_process("5,x")
    with pytest.raises(
        ParameterError, match=r"k-NN\.k cannot be tried with x: number_of_neighbors is .x."
    ):
        run(process)


def test_undefined_performance_is_never_the_best():
    def undefined(inputs, x):
        value = float("nan") if x == "1" else 0.1
        return PerformanceVector([Criterion("accuracy", (value,))])

    found = optimize_parameters_grid([], undefined, parameters={"f.x": "1,2"})
    assert found.performance.main.mean == 0.1
    assert isinstance(found.trials, ExampleSet)
