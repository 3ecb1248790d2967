"""Parameters of inner operators by name."""

import pytest

from fsops import Process
from fsops.core.graph.targets import find_target
from fsops.errors import ParameterError
from fsops.operators import k_nn, loop, retrieve


def nested():
    process = Process()
    outer = process.add(loop, name="Again")
    inner = outer.inner().add(k_nn, name="A.B learner")
    return process, outer, inner


def test_finds_operators_at_any_depth_also_with_dots_in_the_name():
    process, _, inner = nested()
    node, parameter = find_target([process], "A.B learner.number_of_neighbors")
    assert node is inner
    assert parameter.name == "number_of_neighbors"


def test_only_what_is_inside_counts():
    process, outer, _ = nested()
    process.add(retrieve, name="Data")
    with pytest.raises(ParameterError, match=r"A\.B learner"):
        find_target(outer.subprocesses, "Data.repository_entry")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("A.B learned.k", 'Did you mean "A.B learner"'),
        ("A.B learner.metrics", 'Did you mean "metric"'),
        ("k", "should name an operator inside"),
    ],
)
def test_wrong_names_get_a_sentence(target, said):
    process, _, _ = nested()
    with pytest.raises(ParameterError) as caught:
        find_target([process], target)
    assert said in str(caught.value)


def test_validation_tells_before_the_run():
    from fsops.core import validate
    from fsops.operators import optimize_parameters_grid

    process = Process()
    search = process.add(optimize_parameters_grid, parameters={"Learner.C": "1,2"})
    search.inner().add(k_nn, name="Learner")
    told = [str(problem) for problem in validate(process)]
    assert any('has no parameter "C"' in text for text in told)
