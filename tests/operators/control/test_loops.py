"""Loops: collections, macros, random numbers, chains."""

import numpy as np
import pytest

from fsops import Collection, ExampleSet, PerformanceVector, Process, run
from fsops.data import AttributeWeights, Criterion
from fsops.errors import DataError, PortError
from fsops.operators import (
    loop,
    loop_and_average,
    loop_attributes,
    loop_collection,
    loop_values,
    retrieve,
    sample_bootstrapping,
    set_role,
    weight_by_f_test,
)


def in_process(looping, *feeds, **parameters):
    process = Process()
    node = process.add(looping, **parameters)
    for port, feed in feeds:
        process.connect(feed(process), node, port)
    return process, node, node.inner()


def iris(process):
    return process.add(retrieve, repository_entry="iris")


def test_loop_collects_iterations_with_random_numbers_of_their_own():
    process, node, inner = in_process(loop, ("input 1", iris), iterations=3)
    drawn = inner.add(sample_bootstrapping, inner.source("input 1"))
    inner.result(drawn, "output 1")
    process.result(node["output 1"])
    (found,) = run(process)
    assert isinstance(found, Collection)
    assert len(found) == 3
    assert len({table.fingerprint() for table in found}) == 3
    (again,) = run(process)
    assert found.equals(again)


def test_macro_holds_the_number_of_the_iteration():
    process, node, inner = in_process(loop, ("input 1", iris), iterations=2)
    role = inner.add(
        set_role,
        inner.source("input 1"),
        attribute="sepal length (cm)",
        target_role="turn %{iteration}",
    )
    inner.result(role, "output 1")
    process.result(node["output 1"])
    (found,) = run(process)
    roles = [set(table.schema.roles.values()) for table in found]
    assert all(
        f"turn {number}" in of_iteration for number, of_iteration in enumerate(roles, start=1)
    )


def test_reused_results_form_a_chain():
    table = ExampleSet.from_numpy(np.arange(10.0).reshape(5, 2))
    (found,) = loop(
        [table],
        lambda given: [given[0].take(np.arange(len(given[0]) - 1))],
        iterations=3,
        reuse_results=True,
    )
    assert len(found) == 2


def test_what_an_iteration_does_not_deliver_is_handed_on():
    table = ExampleSet.from_numpy(np.eye(2))
    kept = loop([table, table], lambda given: [None, given[0]], reuse_results=True)
    assert kept == [table, table]


def test_loop_attributes_names_each_in_turn():
    process, node, inner = in_process(loop_attributes, ("examples", iris))
    role = inner.add(
        set_role,
        inner.source("examples"),
        attribute="%{loop_attribute}",
        target_role="chosen",
    )
    inner.result(role, "output 1")
    process.result(node["output 1"])
    (found,) = run(process)
    chosen = [table.schema.special("chosen").name for table in found]
    assert chosen == list(retrieve(repository_entry="iris").schema.regular_names)


def test_loop_values_takes_each_category():
    table = retrieve(repository_entry="iris")
    label = table.label
    seen = loop_values(table, lambda given: [given], attribute=label.name)
    assert len(seen[0]) == len(label.categories)
    with pytest.raises(DataError, match="nominal attribute"):
        loop_values(table, lambda given: [given], attribute=table.schema.regular_names[0])


def test_loop_collection_runs_for_every_result():
    parts = Collection([AttributeWeights(["a", "b"], [1.0, k]) for k in range(3)])
    (found,) = loop_collection(parts, lambda single: [single.with_values(-single.values)])
    assert [weights["b"] for weights in found] == [0, -1, -2]


def test_loop_and_average_counts_every_measurement():
    values = iter([0.5, 0.7, 0.9])
    found = loop_and_average(
        [],
        lambda given: [
            PerformanceVector([Criterion("accuracy", (next(values),))]),
            AttributeWeights(["a"], [2.0]),
        ],
        iterations=3,
    )
    performance, weights = found
    assert performance.main.mean == pytest.approx(0.7)
    assert performance.main.deviation == pytest.approx(0.2)
    assert weights["a"] == 2.0


def test_loop_and_average_wants_one_kind():
    kinds = iter(
        [PerformanceVector([Criterion("accuracy", (0.5,))]), AttributeWeights(["a"], [2.0])]
    )
    with pytest.raises(DataError, match="one kind"):
        loop_and_average([], lambda given: [next(kinds)], iterations=2)


def test_empty_loop_body_delivers_nothing():
    process, node, _ = in_process(loop, ("input 1", iris), iterations=2)
    process.result(node["output 1"])
    assert len(run(process)) == 0


def test_a_result_in_place_of_a_list_is_told_in_a_sentence(refused):
    iris = retrieve(repository_entry="iris")
    with refused(
        'The port "input" takes a list, but got a data table', "[result]", error=PortError
    ):
        loop_and_average(iris, lambda rows: rows, iterations=2)
    with refused("must return a list, but it returns", "[result]", error=PortError):
        loop_and_average([iris], lambda rows: weight_by_f_test(rows[0]), iterations=2)
