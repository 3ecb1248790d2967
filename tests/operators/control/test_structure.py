"""Boxes, branches and errors that are expected."""

import numpy as np
import pytest

from fsops import ExampleSet, PerformanceVector, Process, run
from fsops.core.checks.propagation import propagate
from fsops.data import Criterion
from fsops.errors import Cancelled, DataError, ParameterError
from fsops.operators import (
    branch,
    handle_exception,
    multiply,
    retrieve,
    select_subprocess,
    set_role,
    subprocess,
    weight_by_paired_t,
)


@pytest.fixture
def table():
    return ExampleSet.from_numpy(np.arange(12.0).reshape(6, 2), [0, 1] * 3)


def test_subprocess_hands_in_and_out_by_number(table):
    process = Process()
    box = process.add(subprocess)
    process.connect(process.source("input 1"), box, "input 2")
    inner = box.inner()
    inner.result(inner.source("input 2"), "output 3")
    process.result(box["output 3"])
    assert list(run(process, table)) == [table]


def test_metadata_passes_through_the_box():
    process = Process()
    box = process.add(subprocess)
    process.connect(process.add(retrieve, repository_entry="iris"), box, "input 1")
    inner = box.inner()
    inner.result(inner.source("input 1"), "output 1")
    known = propagate(process).outputs["Subprocess"]["output 1"]
    assert known.schema.label.name in known.schema.names


def test_multiply_serves_every_connected_output(table):
    process = Process()
    node = process.add(multiply, process.source("input 1"))
    process.result(node["output 1"])
    process.result(node["output 3"])
    first, second = run(process, table)
    assert first is table
    assert second is table


def test_select_subprocess_runs_only_the_chosen_one(table):
    def fail(_):
        raise AssertionError("must not run")

    assert select_subprocess([table], [fail, lambda given: given], select_which=2) == [table]
    with pytest.raises(ParameterError, match="2 inner processes"):
        select_subprocess([table], [fail, fail], select_which=3)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("min_examples", "6", True),
        ("min_examples", "7", False),
        ("max_examples", "6", True),
        ("max_attributes", "1", False),
        ("min_attributes", "2", True),
        ("attribute_available", "att1", True),
        ("attribute_available", "none", False),
        ("expression", "att1 >= 0", True),
        ("expression", "att1 > 0", False),
    ],
)
def test_branch_asks_about_the_table(table, kind, value, expected):
    found = branch(
        table,
        [],
        lambda condition, inputs: [condition],
        lambda condition, inputs: [],
        condition_type=kind,
        condition_value=value,
        expression=value,
    )
    assert found == ([table] if expected else [])


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("min_performance_value", "0.5", "then"),
        ("max_performance_value", "0.5", "else"),
        ("input_exists", "", "then"),
        ("macro_defined", "nowhere", "else"),
        ("file_exists", "/nowhere/at/all", "else"),
    ],
)
def test_branch_asks_about_other_things(table, kind, value, expected):
    performance = PerformanceVector([Criterion("accuracy", (0.8,))])
    ran = []
    branch(
        performance,
        [],
        lambda condition, inputs: ran.append("then") or [],
        lambda condition, inputs: ran.append("else") or [],
        condition_type=kind,
        condition_value=value,
    )
    assert ran == [expected]


def test_branch_says_what_a_condition_needs(table):
    def ask(condition, **parameters):
        return branch(condition, [], lambda c, i: [], lambda c, i: [], **parameters)

    with pytest.raises(DataError, match="needs a table"):
        ask(None, condition_type="min_examples")
    with pytest.raises(DataError, match="needs a performance"):
        ask(table, condition_type="min_performance_value")
    with pytest.raises(ParameterError, match="needs a number"):
        ask(table, condition_type="min_examples", condition_value="many")


def test_the_second_process_takes_over_after_an_error():
    process = Process()
    node = process.add(handle_exception)
    process.connect(process.add(retrieve, repository_entry="iris"), node, "input 1")
    attempt, catch = node.subprocesses
    attempt.result(attempt.add(weight_by_paired_t, attempt.source("input 1")), "output 1")
    renamed = catch.add(
        set_role, catch.source("input 1"), attribute="%{exception}", target_role="regular"
    )
    catch.result(renamed, "output 1")
    process.result(node["output 1"])
    with pytest.raises(DataError, match="classes"):  # the macro holds the message
        run(process)


def test_without_an_error_the_second_process_does_not_run(table):
    def fail(_):
        raise AssertionError("must not run")

    assert handle_exception([table], lambda given: given, fail) == [table]


def test_stopping_is_not_an_error_to_handle(table):
    def stop(_):
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        handle_exception([table], stop, lambda given: given)


def test_fallback_gives_its_result_and_a_warning():
    process = Process()
    node = process.add(handle_exception)
    process.connect(process.add(retrieve, repository_entry="iris"), node, "input 1")
    attempt, catch = node.subprocesses
    attempt.result(attempt.add(weight_by_paired_t, attempt.source("input 1")), "output 1")
    catch.result(catch.source("input 1"), "output 1")
    process.result(node["output 1"])
    result = run(process)
    assert isinstance(result[0], ExampleSet)
    assert any("took over" in str(message.value) for message in result.messages)
