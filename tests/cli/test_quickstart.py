"""The quickstart process: from the file and from Python the same numbers, bit for bit."""

import json

import pytest

from fsops import AttributeWeights, PerformanceVector, Process, read_process, run
from fsops.core import validate
from fsops.examples import examples_folder
from fsops.operators import (
    apply_model,
    cross_validation,
    naive_bayes,
    performance,
    retrieve,
    select_by_weights,
    select_top_k,
    weight_by_sam,
)
from fsops.plugins import plugins


@pytest.fixture(scope="module")
def built():
    """Return the same process built in Python."""
    process = Process("Quickstart")
    data = process.add(retrieve, repository_entry="breast cancer")
    validation = process.add(cross_validation, data)
    training = validation.inner("training")
    weights = training.add(weight_by_sam, training.source())
    best = training.add(select_top_k, weights, k=10)
    selected = training.add(select_by_weights, training.source(), best)
    training.result(training.add(naive_bayes, selected))
    training.result(weights)
    testing = validation.inner("testing")
    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(testing.add(performance, applied))
    process.result(validation["performance"])
    process.result(validation["weights"])
    return process


@pytest.fixture(scope="module")
def from_file():
    return run(read_process(examples_folder() / "quickstart.xml"))


def test_file_and_python_give_identical_results(built, from_file):
    from_python = run(built)
    assert from_file.names == from_python.names
    assert len(from_file) == 2
    for one, two in zip(from_file, from_python, strict=True):
        assert one.equals(two)


def test_it_delivers_a_good_accuracy_and_all_weights(from_file):
    assert from_file[PerformanceVector].main.name == "accuracy"
    assert from_file[PerformanceVector].main.mean > 0.9
    assert from_file[PerformanceVector].main.count == 10
    assert len(from_file[AttributeWeights]) == 30


def test_it_has_no_problems_and_a_place_on_the_canvas(quickstart):
    process = read_process(quickstart)
    assert validate(process, plugins().registry) == []
    assert all(node.position for node in process.walk())
    assert process.description is not None
    assert process.notes


def test_the_command_prints_the_same_numbers(fsops, quickstart, from_file):
    document = json.loads(fsops("run", quickstart, "--format", "json").stdout)
    performance_vector, weights = document["results"]
    assert performance_vector["criteria"][0]["mean"] == from_file[PerformanceVector].main.mean
    by_name = {row["attribute"]: row["weight"] for row in weights["weights"]}
    assert by_name == dict(from_file[AttributeWeights])


def test_the_command_shows_it_readably(fsops, quickstart):
    shown = fsops("run", quickstart).stdout
    assert "accuracy" in shown
    assert "±" in shown
    assert "true \\ predicted" in shown
    assert "worst perimeter" in shown
    assert "████" in shown
    assert "… 10 more attributes" in shown
