"""Parameters found by evolution."""

import numpy as np
import pytest

from fsops import Process, run
from fsops.errors import ParameterError
from fsops.operators.search.evolutionary_parameters import Steps, ranges
from fsops.plugins import plugins


def searched(parameters, **settings):
    registry = plugins().registry
    process = Process(seed=3)
    search = process.add(
        registry.find("optimize_parameters_evolutionary"),
        name="Search",
        parameters=parameters,
        **settings,
    )
    body = search.subprocesses[0]
    made = body.add(
        registry.find("create_exampleset"),
        name="Data",
        generator_type="numeric series",
        numeric_series_configuration={"x": "0;1"},
        number_of_rows=50,
    )
    measured = body.add(
        registry.find("extract_performance"), name="Measure", performance_type="number_of_examples"
    )
    body.connect(made["examples"], measured, "examples")
    body.result(measured["performance"], "performance")
    process.result(search["best"])
    process.result(search["trials"])
    return run(process).results


def test_the_best_value_of_a_known_function_is_found():
    best, trials = searched(
        {"Data.number_of_rows": "[1;1000]"}, max_generations=40, population_size=8
    )
    rows = trials.column("Data.number_of_rows")
    assert best.column("Data.number_of_rows")[0] == rows.max()
    assert rows.max() > 950  # random search of as many trials is here in one of three runs
    assert (rows == np.round(rows)).all()


def test_the_same_seed_gives_the_same_trials():
    settings = {"max_generations": 3, "population_size": 3}
    one, two = (searched({"Data.number_of_rows": "[1;99]"}, **settings)[1] for _ in range(2))
    assert one.equals(two)


def test_early_stopping_needs_fewer_trials():
    few = searched({"Data.number_of_rows": "[5;6]"}, use_early_stopping=True, max_generations=30)[1]
    assert len(few) <= 2


@pytest.mark.parametrize("text", ["1,2,3", "[1]", "[2;1]", "[a;b]", "[0;inf]"])
def test_what_is_not_a_range_is_refused(text):
    with pytest.raises(ParameterError, match="is not a range"):
        ranges({"A.b": text})


@pytest.mark.parametrize(
    "kind", ["none", "gaussian_mutation", "switching_mutation", "sparsity_mutation"]
)
def test_mutations_stay_inside_of_the_range(kind):
    rng = np.random.default_rng(1)
    population = rng.random((50, 3))
    moved = Steps(0.5, kind)(population, rng)
    assert ((moved >= 0) & (moved <= 1)).all()
    assert (moved == population).all() == (kind == "none")
