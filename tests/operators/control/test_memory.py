"""Macros and remembered results."""

import numpy as np
import pytest

from fsops import AttributeWeights, ExampleSet, Process, run
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    extract_macro,
    loop,
    recall,
    remember,
    retrieve,
    select_top_k,
    set_macro,
    set_macros,
    weight_by_relieff,
)


def selecting(setter, **parameters):
    """Return a process that selects as many attributes as a macro says."""
    process = Process()
    weights = process.add(weight_by_relieff, process.add(retrieve, repository_entry="iris"))
    node = process.add(setter, **parameters)
    process.connect(weights, node, "through 1")
    process.result(process.add(select_top_k, node["through 1"], k="%{n}"))
    return process


@pytest.mark.parametrize(
    ("setter", "parameters"),
    [(set_macro, {"macro": "n", "value": "2"}), (set_macros, {"macros": {"n": "3", "m": "1"}})],
)
def test_macros_reach_later_operators(setter, parameters):
    (found,) = run(selecting(setter, **parameters))
    assert len(found.selected()) == int(parameters.get("value", 3))


def test_a_macro_that_nobody_sets_is_told_before_the_run():
    process = selecting(set_macro, macro="other", value="2")
    with pytest.raises(Exception, match=r"%\{n\} has no value"):
        run(process)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, "4"),
        ({"macro_type": "number_of_attributes"}, "2"),
        ({"macro_type": "data_value", "attribute": "att1", "example_index": 2}, "2.0"),
        ({"macro_type": "data_value", "attribute": "att1", "example_index": -1}, "6.0"),
        ({"macro_type": "data_value", "attribute": "label", "example_index": 1}, "no"),
        ({"macro_type": "statistics", "attribute": "att1"}, "3.0"),
        ({"macro_type": "statistics", "attribute": "att1", "statistics": "max"}, "6.0"),
        (
            {
                "macro_type": "statistics",
                "attribute": "label",
                "statistics": "count",
                "attribute_value": "yes",
            },
            "1",
        ),
        ({"macro_type": "statistics", "attribute": "att2", "statistics": "unknown"}, "1"),
    ],
)
def test_figures_of_a_table_as_macro(parameters, expected):
    table = ExampleSet.from_numpy(
        np.array([[0.0, 1], [2, np.nan], [4, 5], [6, 7]]), ["no", "no", "yes", "no"]
    )
    process = Process()
    counted = process.add(extract_macro, process.source("input 1"), macro="found", **parameters)
    process.result(process.add(remember, counted, remember_as="%{found}"))
    known = process.add(recall, remembered_as=expected)
    process.connect(counted, known, "after 1")
    process.result(known)
    assert run(process, table)[1] is not None


def test_figures_that_cannot_be_had_are_refused():
    table = ExampleSet.from_numpy(np.eye(2), ["a", "b"])
    with pytest.raises(ParameterError, match="2 rows"):
        extract_macro(table, macro="m", macro_type="data_value", attribute="att1", example_index=3)
    with pytest.raises(DataError, match="has no average"):
        extract_macro(table, macro="m", macro_type="statistics", attribute="label")


def test_what_the_last_iteration_remembers_is_there_after_the_loop():
    process = Process()
    again = process.add(loop, iterations=3)
    process.connect(process.source("input 1"), again, "input 1")
    inner = again.inner()
    top = inner.add(select_top_k, inner.source("input 1"), k="%{iteration}")
    inner.result(inner.add(remember, top, remember_as="last"), "output 1")
    known = process.add(recall, remembered_as="last")
    process.connect(again["output 1"], known, "after 1")
    process.result(known)
    (found,) = run(process, AttributeWeights(list("abcd"), [4.0, 3, 2, 1]))
    assert found.selected() == ("a", "b", "c")


def test_recalling_nothing_says_what_there_is():
    process = Process()
    process.add(remember, process.source("input 1"), remember_as="best")
    process.result(process.add(recall, remembered_as="bets"))
    with pytest.raises(DataError) as caught:
        run(process, AttributeWeights(["a"], [1.0]))
    assert 'Did you mean "best"' in str(caught.value)
