"""Searches that are stopped return the best result so far, and say why."""

import numpy as np
import pytest

from fsops import Criterion, ExampleSet, PerformanceVector, Process, run
from fsops.engine import executor
from fsops.engine.cache import ResultStore
from fsops.errors import OperatorWarning, ParameterError
from fsops.operators import (
    apply_model,
    cross_validation,
    loop_parameters,
    naive_bayes,
    optimize_parameters_evolutionary,
    optimize_parameters_grid,
    optimize_selection,
    optimize_selection_backward,
    optimize_selection_brute_force,
    optimize_selection_forward,
    optimize_selection_weight_guided,
    performance,
    recursive_feature_elimination,
    retrieve,
    weight_by_f_test,
)
from fsops.operators.search.candidates import Selected

GAIN = {"att1": 10.0, "att2": 4.0, "att3": 1.0, "att4": 0.1, "att5": 0.05}


def table():
    return ExampleSet.from_numpy(np.random.default_rng(1).normal(size=(12, 5)), np.arange(12) % 2)


def worth(value, *, maximize=True):
    return PerformanceVector([Criterion("worth", (float(value),), maximize=maximize)])


def additive(examples):
    return worth(sum(GAIN[name] for name in examples.schema.regular_names))


def chosen(weights):
    return "".join(name[3:] for name in weights.selected())


# --- sets of attributes ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, "12345"),
        ({"tolerance": 0.5}, "1234"),
        ({"tolerance": 3.0}, "123"),
        ({"tolerance": 3.0, "patience": 2}, "1234"),
        ({"patience": 1}, "12345"),
    ],
)
@pytest.mark.parametrize("search", [optimize_selection_forward, optimize_selection])
@pytest.mark.filterwarnings("ignore::fsops.errors.OperatorWarning")
def test_a_small_gain_ends_a_search_forward_with_the_best_set(search, rules, expected):
    found = search(table(), additive, **rules)
    assert chosen(found.weights) == expected
    assert found.performance.main.mean == pytest.approx(sum(GAIN[f"att{i}"] for i in expected))


def test_the_tolerance_is_in_the_unit_of_an_error_too():
    def error(examples):
        return worth(20 - additive(examples).main.mean, maximize=False)

    with pytest.warns(OperatorWarning, match="1 round in a row without an improvement of more th"):
        found = optimize_selection_forward(table(), error, tolerance=3.0)
    assert chosen(found.weights) == "123"


def test_an_elimination_stops_with_the_best_set_so_far():
    def smaller_is_better(examples):
        return worth(-len(examples.schema.regular))

    with pytest.warns(OperatorWarning, match=r"^Stopped after 2 rounds: .* best result so far\.$"):
        found = optimize_selection_backward(table(), smaller_is_better, tolerance=1.0)
    assert len(found.weights.selected()) == 4


def test_sizes_are_the_rounds_of_brute_force():
    def pairs(examples):
        return worth(-abs(len(examples.schema.regular) - 2))

    with pytest.warns(OperatorWarning, match="after 3 rounds"):
        found = optimize_selection_brute_force(table(), pairs, patience=1)
    assert chosen(found.weights) == "12"
    assert len(found.log) == 3


def test_weights_guide_one_attribute_per_round():
    weights = table().weights([5.0, 4.0, 3.0, 2.0, 1.0])
    with pytest.warns(OperatorWarning, match="after 3 rounds"):
        found = optimize_selection_weight_guided(table(), weights, additive, tolerance=2.0)
    assert chosen(found.weights) == "123"
    whole = optimize_selection_weight_guided(table(), weights, additive, patience=9)
    assert np.array_equal(whole.log.column("best")[:3], found.log.column("best"))


def test_without_time_the_first_candidate_is_the_result():
    with pytest.warns(OperatorWarning, match="max_seconds=1e-09 after 0 rounds"):
        found = optimize_selection_forward(table(), additive, max_seconds=1e-9)
    assert chosen(found.weights) == "1"
    assert found.performance.main.mean == 10.0


def test_enough_time_changes_nothing():
    whole = optimize_selection_forward(table(), additive)
    timed = optimize_selection_forward(table(), additive, max_seconds=3600.0)
    assert timed.weights.equals(whole.weights)
    assert timed.log.equals(whole.log)


# --- eliminations and parameters ------------------------------------------------------------


def weighed(examples):
    names = examples.schema.regular_names
    return examples.weights([GAIN[n] for n in names]), worth(min(len(names), 3) - len(names) / 9)


def test_an_elimination_with_a_performance_keeps_the_best_round():
    rules = {"k": 1, "step": "number", "patience": 1}
    with pytest.warns(OperatorWarning, match="after 4 rounds"):
        found = recursive_feature_elimination(table(), weighed, **rules)
    assert chosen(found.weights) == "123"
    assert [size for size, _, _ in found.trace.rounds] == [5, 4, 3]
    whole = recursive_feature_elimination(table(), weighed, k=3, step="number")
    assert whole.weights.equals(found.weights)


def test_an_elimination_without_time_drops_by_the_last_weights():
    with pytest.warns(OperatorWarning, match="max_seconds"):
        found = recursive_feature_elimination(
            table(), lambda t: weighed(t)[0], k=2, step="number", max_seconds=1e-9
        )
    assert chosen(found.weights) == "12"
    assert [size for size, _, _ in found.trace.rounds] == [5, 2]


def test_patience_without_a_performance_is_refused():
    with pytest.raises(ParameterError, match="need a performance"):
        recursive_feature_elimination(table(), lambda t: weighed(t)[0], k=1, patience=1)
    with pytest.raises(ParameterError, match="need a performance"):
        loop_parameters([table()], lambda inputs: (None, inputs), patience=1)


def trial(inputs, x=0.0):
    return worth(-abs(float(x) - 3))


@pytest.mark.parametrize("rules", [{"patience": 1}, {"tolerance": 0.5}])
def test_combinations_after_the_best_are_not_tried(rules):
    with pytest.warns(OperatorWarning, match="after 4 rounds"):
        found = optimize_parameters_grid([], trial, parameters={"T.x": "1,2,3,4,5,6"}, **rules)
    assert found.trials.column("T.x").tolist() == [1, 2, 3, 4]
    assert found.performance.main.mean == 0.0


def test_evolution_of_parameters_stops():
    rules = {"parameters": {"T.x": "[0;10]"}, "max_generations": 40, "patience": 2}
    with pytest.warns(OperatorWarning, match="2 rounds in a row"):
        found = optimize_parameters_evolutionary([], trial, **rules)
    whole = optimize_parameters_evolutionary([], trial, **{**rules, "patience": None})
    assert len(found.trials) < len(whole.trials)
    tried = len(found.trials)
    assert np.array_equal(found.trials.column("T.x"), whole.trials.column("T.x")[:tried])


# --- the cache ------------------------------------------------------------------------------


def searching(**rules):
    process = Process()
    data = process.add(retrieve, repository_entry="iris")
    search = process.add(optimize_selection_forward, data, max_attributes=2, **rules)
    inside = search.inner()
    validation = inside.add(cross_validation, inside.source("examples"), number_of_folds=2)
    training, testing = validation.subprocesses
    training.result(training.add(naive_bayes, training.source("training_set")))
    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(testing.add(performance, applied))
    inside.result(validation["performance"])
    process.result(process.add(weight_by_f_test, search["examples"]))
    process.result(search["performance"])
    return process


@pytest.mark.parametrize(("rules", "is_cached"), [({"max_seconds": 1e-9}, False), ({}, True)])
def test_a_result_that_was_cut_by_the_clock_is_not_cached(tmp_path, monkeypatch, rules, is_cached):
    monkeypatch.setattr(executor, "WORTH_KEEPING", 0.0)
    store = ResultStore(tmp_path / "cache")
    kept = []
    put = store.put
    monkeypatch.setattr(store, "put", lambda key, value: kept.append(value) or put(key, value))
    outcome = run(searching(**rules), cache=store)
    calls = [value.result for value in kept if isinstance(value, executor.CachedCall)]
    assert any(isinstance(result, Selected) for result in calls) == is_cached
    assert bool([w for w in outcome.warnings if "max_seconds" in w.message]) != is_cached
