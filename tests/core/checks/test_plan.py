"""How often operators run, told before the run and compared with it."""

import numpy as np
import pytest

from fsops import AttributeWeights, ExampleSet, Process, Subprocess, operator, read_process, run
from fsops.core.checks.plan import Observed, plan
from fsops.core.operator import Operator
from fsops.data import ExampleSetMetaData
from fsops.data.metadata import metadata_of
from fsops.examples import examples_folder
from fsops.operators import (
    branch,
    cross_validation,
    ensemble_feature_selection,
    handle_exception,
    loop,
    loop_attributes,
    loop_collection,
    loop_parameters,
    loop_values,
    optimize_selection,
    optimize_selection_backward,
    optimize_selection_brute_force,
    optimize_selection_evolutionary,
    optimize_selection_floating,
    optimize_selection_forward,
    optimize_selection_hill_climbing,
    optimize_weights_evolutionary,
    performance_mrmr,
    rank_by_selection,
    recursive_feature_elimination,
    retrieve,
    select_subprocess,
    select_top_k,
    subprocess,
    weight_by_random_forest,
    weight_by_welch_test,
)
from fsops.plugins import plugins


def runs(found):
    """Return the counts by the names of the operators."""
    return {planned.node.name: str(planned.runs) for planned in found.walk()}


def reasons(found):
    return [inner.iterations.reason for planned in found.walk() for inner in planned.inner]


def numbers(rows=20, p=5):
    rng = np.random.default_rng(3)
    return ExampleSet.from_numpy(rng.normal(size=(rows, p)), ["a", "b"] * (rows // 2))


def around(operator, *, weighting=weight_by_random_forest, inner=0, **parameters):
    """Return a process with an operator around a weighting, given a table."""
    process = Process()
    outer = process.add(operator, process.source(), name="Outer", **parameters)
    body = outer.subprocesses[inner]
    body.result(body.add(weighting, body.source(), name="Inner"))
    return process


def planned_for(process, examples, **more):
    return plan(process, given={"input 1": metadata_of(examples)}, **more)


# --- against real runs ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["quickstart", "loops", "mrmr", "performance", "rank_by_selection", "validation"]
)
def test_the_plan_of_an_example_is_what_its_run_does(name):
    process = read_process(examples_folder() / f"{name}.xml")
    found = run(process, listener=lambda event: None)
    expected = {path: timing.runs for path, timing in found.timings.items()}
    planned = plan(process)
    assert all(operator.runs.is_exact for operator in planned.walk())
    assert {o.node.path: o.runs.low for o in planned.walk() if o.runs.low} == expected
    assert planned.runs.low == sum(expected.values())


@pytest.mark.parametrize(
    ("operator", "parameters"),
    [
        (optimize_selection, {}),
        (optimize_selection, {"selection_direction": "backward"}),
        (optimize_selection, {"keep_best": 3, "generations_without_improvement": 2}),
        (optimize_selection, {"use_early_stopping": False}),
        (optimize_selection, {"limit_generations": True, "max_generations": 1}),
        (optimize_selection, {"max_fitness": -10.0}),
        (optimize_selection_forward, {}),
        (optimize_selection_forward, {"max_attributes": 2, "speculative_rounds": 3}),
        (optimize_selection_backward, {}),
        (optimize_selection_backward, {"speculative_rounds": 1}),
        (optimize_selection_floating, {"k": 4}),
        (optimize_selection_floating, {"k": 2, "selection_direction": "backward"}),
        (optimize_selection_brute_force, {}),
        (optimize_selection_brute_force, {"limit_attributes": True, "max_attributes": 2}),
        (optimize_selection_hill_climbing, {"max_generations": 5}),
        (optimize_selection_evolutionary, {"max_generations": 4}),
        (optimize_weights_evolutionary, {"max_generations": 4}),
    ],
)  # fmt: skip
def test_a_search_stays_within_its_bounds(operator, parameters):
    process = around(operator, weighting=performance_mrmr, **parameters)
    process.result(process["Outer"]["weights"])
    examples = numbers()
    planned = planned_for(process, examples)
    count = next(o.runs for o in planned.walk() if o.node.name == "Inner")
    done = run(process, examples, listener=lambda event: None).timings
    tried = done["Outer", "Evaluation", "Inner"].runs
    assert count.low <= tried
    assert count.high is None or tried <= count.high
    assert count.low >= 1


# --- where the numbers come from ------------------------------------------------------------


def test_counts_multiply_from_level_to_level():
    process = Process()
    outer = process.add(loop, process.source(), name="Outer", iterations=3)
    middle = outer.inner().add(loop, outer.inner().source(), name="Middle", iterations=5)
    middle.inner().add(subprocess, name="Box").inner().add(retrieve, name="Data")
    found = plan(process)
    assert runs(found) == {"Outer": "1", "Middle": "3", "Box": "15", "Data": "15"}
    assert str(found.runs) == "34"


def test_a_model_that_is_wanted_costs_a_further_training():
    process = Process()
    data = process.add(retrieve, repository_entry="iris")
    outer = process.add(cross_validation, data, number_of_folds=4)
    outer.inner("training").add(subprocess, name="Train")
    outer.inner("testing").add(subprocess, name="Test")
    process.result(outer["performance"])
    assert runs(plan(process))["Train"] == "4"
    process.result(outer["model"])
    assert runs(plan(process))["Train"] == "5"
    assert runs(plan(process))["Test"] == "4"


def test_leave_one_out_takes_as_many_iterations_as_rows():
    process = around(cross_validation, leave_one_out=True)
    assert runs(planned_for(process, numbers(rows=30)))["Inner"] == "30"
    unknown = plan(process)
    assert runs(unknown)["Inner"] == "?"
    assert "depends on the number of rows" in reasons(unknown)[0]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"k": 2, "step": "number"}, "9"),
        ({"k": 2, "step": "schedule", "schedule": [50, 5]}, "3"),
        ({"k": 20}, "1"),
    ],
)
def test_rounds_of_an_elimination_come_from_its_schedule(parameters, expected):
    process = around(recursive_feature_elimination, **parameters)
    assert runs(planned_for(process, numbers(p=10)))["Inner"] == expected


def test_sizes_of_a_ranking_end_with_the_attributes():
    assert runs(planned_for(around(rank_by_selection, k=50), numbers(p=4)))["Inner"] == "4"


def test_resamples_that_may_be_computed_at_once_are_a_range():
    assert runs(plan(around(ensemble_feature_selection, iterations=7)))["Inner"] == "7"
    at_once = around(ensemble_feature_selection, weighting=weight_by_welch_test, iterations=7)
    found = plan(at_once)
    assert runs(found)["Inner"] == "0–7"
    assert "at once" in reasons(found)[0]


def test_loops_over_attributes_values_and_results():
    examples = numbers(p=4)
    assert runs(planned_for(around(loop_attributes), examples))["Inner"] == "4"
    label = examples.label.name
    assert runs(planned_for(around(loop_values, attribute=label), examples))["Inner"] == "2"
    by_values = {"attribute_filter_type": "no_missing_values"}
    assert runs(planned_for(around(loop_attributes, **by_values), examples))["Inner"] == "?"


def test_a_collection_has_as_many_iterations_as_results():
    process = Process()
    process.add(loop_collection, process.source()).inner().add(retrieve, name="Inner")
    assert runs(plan(process))["Inner"] == "?"


def test_a_grid_has_the_product_of_its_values():
    process = Process()
    outer = process.add(loop_parameters, parameters={"Top.k": "1,2,3", "Top.w": "[0;1;4]"})
    outer.inner().add(select_top_k, name="Top")
    assert runs(plan(process))["Top"] == "15"
    outer.set_parameter("synchronize", True)
    assert runs(plan(process))["Top"] == "?"


def test_one_of_several_branches_runs():
    process = Process()
    chosen = process.add(select_subprocess, select_which=2)
    chosen.add_inner()
    for number, inner in enumerate(chosen.subprocesses, start=1):
        inner.add(retrieve, name=f"Choice {number}")
    asked = process.add(branch)
    asked.inner("then").add(retrieve, name="Then")
    tried = process.add(handle_exception)
    tried.inner("attempt").add(retrieve, name="Try")
    tried.inner("catch").add(retrieve, name="Catch")
    found = runs(plan(process))
    assert (found["Choice 1"], found["Choice 2"]) == ("0", "1")
    assert (found["Then"], found["Try"], found["Catch"]) == ("0–1", "1", "0–1")


# --- what is not known ----------------------------------------------------------------------


def test_macros_of_the_process_count_and_those_of_loops_do_not():
    process = around(ensemble_feature_selection, iterations="%{n}")
    assert runs(plan(process, macros={"n": "6"}))["Inner"] == "6"
    found = plan(process)
    assert runs(found)["Inner"] == "?"
    assert reasons(found) == ["iterations is set by a macro during the run"]


def test_a_parameter_that_a_grid_changes_is_not_known():
    process = Process()
    grid = process.add(loop_parameters, name="Grid", parameters={"Many.iterations": "5,50"})
    many = grid.inner().add(loop, name="Repeat", iterations=2)
    inner = many.inner().add(ensemble_feature_selection, name="Many")
    inner.inner().add(weight_by_random_forest, name="Inner")
    found = plan(process)
    assert runs(found)["Many"] == "4"
    assert runs(found)["Inner"] == "?"
    assert '"Grid" tries several values of iterations' in reasons(found)


def test_a_search_leaves_the_number_of_attributes_open():
    process = Process()
    search = process.add(optimize_selection_forward, process.source(), name="Search")
    body = search.inner()
    inner = body.add(recursive_feature_elimination, body.source("examples"), name="RFE", k=1)
    inner.inner().add(weight_by_random_forest, name="Weigh")
    found = planned_for(process, numbers())
    assert runs(found)["RFE"] == "9–15"
    assert runs(found)["Weigh"] == "?"


def test_operators_that_are_switched_off_are_not_in_the_plan():
    process = around(ensemble_feature_selection)
    process["Outer"].enabled = False
    assert runs(plan(process)) == {}


def declare(iterations):
    @operator(group="Test", iterations=iterations)
    def repeat(
        examples: ExampleSet, body: Subprocess[[ExampleSet], AttributeWeights]
    ) -> AttributeWeights:
        """Repeat"""
        return body(examples)

    return repeat


def fails(known):
    raise RuntimeError("boom")


@pytest.mark.parametrize(
    ("iterations", "reason"),
    [
        (None, "the operator does not declare it"),
        (fails, "the operator cannot know: boom"),
        (lambda known: [1, 2], "not declared for each inner process"),
    ],
)
def test_an_operator_that_does_not_tell_hides_nothing_else(iterations, reason):
    found = plan(around(declare(iterations)))
    assert runs(found) == {"Outer": "1", "Inner": "?"}
    assert reasons(found) == [reason]


def test_every_operator_with_inner_processes_tells_how_often_they_run():
    specs = [spec for spec in plugins().registry if isinstance(spec, Operator)]
    assert [s.key for s in specs if bool(s.subprocesses) != (s.iterations is not None)] == []


# --- with what was seen ---------------------------------------------------------------------


def test_what_was_seen_takes_the_place_of_what_is_not_known():
    process = around(cross_validation, leave_one_out=True)
    seen = Observed({("Outer",): 2.0, ("Outer", "Training", "Inner"): 60.0})
    found = plan(process, observed=seen)
    assert runs(found)["Inner"] == "30"
    assert reasons(found)[0] == "as in the probe"


def test_what_was_seen_does_not_take_the_place_of_bounds_of_a_search():
    process = around(optimize_selection_forward, weighting=performance_mrmr)
    table = metadata_of(numbers(p=3))
    assert isinstance(table, ExampleSetMetaData)
    path = ("Outer", "Evaluation", "Inner")
    found = plan(process, observed=Observed({("Outer",): 1.0, path: 3.0}, {("Outer",): table}))
    assert runs(found)["Inner"] == "5–6"
