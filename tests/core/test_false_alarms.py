"""Nothing is called an error that a run would get through; what it would refuse is told."""

import numpy as np
import pytest

from fsops import ExampleSet, Process, read_process, run, validate, write_process
from fsops.core.checks.problems import Kind, Severity
from fsops.errors import InvalidProcess
from fsops.operators import (
    apply_model,
    branch,
    feature_selection_stability_validation,
    handle_exception,
    join,
    loop,
    naive_bayes,
    performance,
    recursive_feature_elimination,
    retrieve,
    select_attributes,
    select_subprocess,
    set_role,
    support_vector_machine,
    weight_by_information_gain,
    weight_by_sam,
    wrapper_x_validation,
)


@pytest.fixture
def process():
    return Process()


@pytest.fixture
def golf(process):
    """Return a table with numerical and nominal attributes."""
    return process.add(retrieve, repository_entry="golf")


def errors(process):
    return [p.kind for p in validate(process) if p.severity is Severity.ERROR]


def warned(process):
    return [p.kind for p in validate(process) if p.severity is Severity.WARNING]


def test_what_an_attempt_cannot_do_is_what_the_catch_is_for(process, golf):
    node = process.add(handle_exception, golf)
    attempt, catch = node.subprocesses
    attempt.result(attempt.add(weight_by_sam, attempt.source("input 1")))
    catch.result(catch.add(weight_by_information_gain, catch.source("input 1")))
    process.result(node)
    assert errors(process) == []
    assert warned(process) == [Kind.UNSUITABLE_DATA]
    assert run(process)[0].origin == "Weight by Information Gain"


def test_a_missing_attribute_in_a_part_that_may_not_run_is_a_warning(process, golf):
    node = process.add(branch, golf, golf, condition_type="attribute_available")
    node.set_parameter("condition_value", "Altitude")
    then, otherwise = node.subprocesses
    named = {"attribute": "Altitude", "target_role": "id"}
    then.result(then.add(set_role, then.source("input 1"), **named))
    otherwise.result(otherwise.source("input 1"))
    process.result(node)
    assert (errors(process), warned(process)) == ([], [Kind.MISSING_COLUMN])
    assert len(run(process)) == 1


def test_an_alternative_that_is_not_chosen_may_be_unfinished(process, golf):
    node = process.add(select_subprocess, golf, select_which=1)
    node.add_inner()
    first, second = node.subprocesses[:2]
    first.result(first.source("input 1"))
    second.result(second.add(weight_by_sam))
    process.result(node)
    assert errors(process) == []
    assert len(run(process)) == 1
    node.set_parameter("select_which", 2)
    assert errors(process) == [Kind.MISSING_INPUT]
    with pytest.raises(InvalidProcess):
        run(process)


def test_attributes_that_weights_leave_out_before_a_learner_do_no_harm(process, golf):
    node = process.add(wrapper_x_validation, golf, number_of_folds=3)
    weighting, building, testing = node.subprocesses
    numbers = weighting.add(
        select_attributes, weighting.source(), attribute_filter_type="value_type"
    )
    numbers.set_parameter("value_type", "numeric")
    weighting.result(weighting.add(weight_by_sam, numbers))
    building.result(building.add(support_vector_machine, building.source()))
    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(testing.add(performance, applied))
    process.result(node)
    assert (errors(process), warned(process)) == ([], [Kind.UNSUITABLE_DATA, Kind.SMALL_SAMPLE])
    assert len(run(process)) == 1


def test_an_elimination_begins_with_all_attributes(process, golf):
    node = process.add(recursive_feature_elimination, golf)
    inner = node.inner()
    inner.result(inner.add(weight_by_sam, inner.source()))
    process.result(node)
    assert errors(process) == [Kind.UNSUITABLE_DATA]


def test_a_name_of_an_attribute_that_has_no_effect_is_not_looked_at(process, golf):
    node = process.add(select_attributes, golf, attribute_filter_type="all", attribute="Altitude")
    process.result(node)
    assert validate(process) == []
    node.set_parameter("attribute_filter_type", "single")
    assert errors(process) == [Kind.MISSING_COLUMN]


@pytest.mark.parametrize("first", ["left", "right"])
def test_the_order_of_connecting_decides_about_nothing(process, golf, tmp_path, first):
    iris = process.add(retrieve, repository_entry="iris")
    node = process.add(join)
    ends = {"left": golf, "right": iris}
    for port in sorted(ends, reverse=first == "right"):
        process.connect(ends[port], node, port)
    process.result(node)
    node.enabled = False
    assert [*process.incoming("Join")] == ["left", "right"]
    write_process(process, tmp_path / "p.xml")
    found = [run(p)[0].schema.label.name for p in (process, read_process(tmp_path / "p.xml"))]
    assert found == ["Play", "Play"]


# --- what a run would refuse ------------------------------------------------------------------


def test_a_result_that_a_disabled_operator_cannot_hand_on_is_told(process, golf):
    node = process.add(feature_selection_stability_validation, golf)
    inner = node.inner()
    inner.result(inner.add(weight_by_information_gain, inner.source()))
    process.result(node)
    assert errors(process) == []
    inner["Weight by Information Gain"].enabled = False
    (problem,) = [p for p in validate(process) if p.severity is Severity.ERROR]
    assert problem.kind is Kind.MISSING_RESULT
    assert 'because "Weight by Information Gain" is disabled' in problem.message


def test_an_input_that_the_operator_around_does_not_get_is_told(process):
    node = process.add(loop)
    inner = node.inner()
    inner.result(inner.add(naive_bayes, inner.source("input 1")))
    process.result(node)
    (problem,) = [p for p in validate(process) if p.severity is Severity.ERROR]
    assert problem.kind is Kind.MISSING_INPUT
    assert 'nothing is connected to "input 1" of "Loop"' in problem.message


def test_what_is_known_to_come_counts_where_anything_may_be_declared(process, golf):
    node = process.add(apply_model)
    for port in ("model", "examples"):
        process.connect(golf, node, port)
    process.result(node)
    told = [str(p) for p in validate(process) if p.severity is Severity.ERROR]
    assert told == ['Apply Model: "model" takes a model, but "Retrieve" gives a data table.']


def test_a_wrong_result_of_an_inner_process_is_refused_in_words():
    process = Process()
    node = process.add(feature_selection_stability_validation, process.source("input 1"))
    inner = node.inner()
    inner.result(inner.add(retrieve, repository_entry="iris"), "weights")
    process.result(node)
    table = ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(20, 2)), ["a", "b"] * 10)
    with pytest.raises(Exception, match='"weights" takes attribute weights, but got a data table'):
        run(process, table)
