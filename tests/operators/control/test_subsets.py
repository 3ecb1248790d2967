"""Work on Subset, Loop and Deliver Best, Throw Exception, Set Parameters and calculated macros."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet, Process, run
from fsops.data import Criterion, PerformanceVector
from fsops.errors import FsopsError, OperatorFailed, ParameterError
from fsops.operators import (
    discretize_by_bins,
    loop_and_deliver_best,
    rename,
    throw_exception,
    work_on_subset,
)
from fsops.plugins import plugins


@pytest.fixture
def table():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": [4.0, 3, 2, 1], "class": ["a", "b"] * 2})
    return ExampleSet.from_pandas(frame, roles={"class": "label"})


ONLY_X = {"attribute_filter_type": "single", "attribute": "x"}


def test_only_the_chosen_attributes_change(table):
    found = work_on_subset(table, lambda part: discretize_by_bins(part).examples, **ONLY_X)
    assert found.examples.schema.attribute("x").value_type.is_nominal
    assert found.examples.column("y").tolist() == [4, 3, 2, 1]
    assert found.examples.schema.label.name == "class"


def test_the_label_is_inside_only_if_it_is_included(table):
    seen = []

    def look(part):
        seen.append(list(part.names))
        return part

    work_on_subset(table, look)
    work_on_subset(table, look, include_special_attributes=True)
    assert seen == [["x", "y"], ["x", "y", "class"]]


def test_rows_must_stay_unless_only_the_part_is_kept(table, refused):
    with refused("returns 2 rows, but got 4", "keep_subset_only"):
        work_on_subset(table, lambda part: part.take([0, 1]), **ONLY_X)
    found = work_on_subset(table, lambda p: p.take([0, 1]), keep_subset_only=True, **ONLY_X)
    assert list(found.examples.names) == ["x"]


@pytest.mark.parametrize(("handling", "kept"), [("keep new", 1.0), ("keep original", 4.0)])
def test_conflicts_are_resolved_as_told(table, handling, kept, refused):
    def named_y(part):
        return rename(part, old_name="x", new_name="y")

    with refused('"y" of the inner process has the name or role of "y"'):
        work_on_subset(table, named_y, **ONLY_X)
    found = work_on_subset(table, named_y, name_conflict_handling=handling, **ONLY_X)
    assert found.examples.column("y")[0] == kept


def test_the_best_iteration_counts():
    values = iter([0.2, 0.9, 0.9, 0.4])
    made = []

    def attempt(inputs):
        made.append(PerformanceVector([Criterion("accuracy", [next(values)])]))
        return made[-1], [ExampleSet.from_numpy(np.array([[len(made)]], dtype=float))]

    found = loop_and_deliver_best([], attempt, iterations=4)
    assert found.performance.main.mean == 0.9
    assert found.output[0].column("att1").tolist() == [2]


def test_an_error_of_your_own_can_be_caught(table):
    with pytest.raises(OperatorFailed, match=r"Too few rows\."):
        throw_exception([table], message="Too few rows.")
    process = Process()
    node = process.add(plugins().registry.find("throw_exception"), message="Stop here.")
    with pytest.raises(FsopsError, match=r"Stop here\."):
        run(process)
    assert node.operator.key == "throw_exception"


# --- macros -----------------------------------------------------------------------------------


def macros_after(functions, before=()):
    process = Process()
    registry = plugins().registry
    for name, value in before:
        process.add(registry.find("set_macro"), macro=name, value=value)
    process.add(registry.find("generate_macro"), function_descriptions=functions)
    names = [*functions]
    made = process.add(
        registry.find("create_exampleset"),
        input_csv_text="a\n" + "".join(f'"%{{{n}}}"\n' for n in names),
        parse_all_as_nominal=True,
    )
    process.result(made["examples"])
    return run(process).results[0].nominal_values("a")


def test_macros_are_calculated_from_others():
    found = macros_after(
        {"half": "%{n} / 2", "more": "%{n} + 1", "word": 'concat("a", "%{n}")'}, [("n", "7")]
    )
    assert found == ["3.5", "8", "a7"]


def test_a_wrong_expression_names_its_macro():
    with pytest.raises(FsopsError, match='The macro "x" cannot be calculated'):
        macros_after({"x": "1 +"})


# --- parameters -------------------------------------------------------------------------------


def test_the_best_parameters_reach_another_operator():
    process = Process()
    registry = plugins().registry
    data = process.add(registry.find("retrieve"), name="Data", repository_entry="iris")
    best = process.add(
        registry.find("create_exampleset"),
        name="Best",
        input_csv_text="Old.number_of_neighbors,Old.weighted_vote\n7,false\n",
    )
    settings = process.add(registry.find("set_parameters"), name="Set", name_map={"Old": "New"})
    model = process.add(registry.find("k_nn"), name="New", number_of_neighbors=1)
    process.connect(best["examples"], settings, "best")
    process.connect(data["examples"], settings, "through 1")
    process.connect(settings["through 1"], model, "examples")
    process.result(model["model"])
    found = run(process).results[0]
    plain = Process()
    data = plain.add(registry.find("retrieve"), name="Data", repository_entry="iris")
    direct = plain.add(
        registry.find("k_nn"), name="New", number_of_neighbors=7, weighted_vote=False
    )
    plain.connect(data["examples"], direct, "examples")
    plain.result(direct["model"])
    expected = run(plain).results[0]
    iris = run_data()
    assert (
        found.apply(iris).column("confidence(setosa)").tolist()
        == expected.apply(iris).column("confidence(setosa)").tolist()
    )


def run_data():
    from fsops.operators import retrieve

    return retrieve(repository_entry="iris")


def test_values_that_are_not_there_are_named():
    from fsops.operators import create_exampleset, set_parameters

    best = create_exampleset(input_csv_text="A.k\n3\n")
    with pytest.raises(ParameterError, match='no values for "B" in the table'):
        set_parameters(best, [], name_map={"B": "C"})
