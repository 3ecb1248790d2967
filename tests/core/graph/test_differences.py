"""Differences of processes: renamed operators are found by comparing the graphs."""

import pytest

from fsops import Process
from fsops.core.graph.differences import MOST_COMPARED, renamings
from fsops.operators import normalize, retrieve, select_top_k, weight_by_sam


@pytest.fixture
def process():
    made = Process()
    table = made.add(normalize, made.add(retrieve, repository_entry="iris"))
    made.result(made.add(select_top_k, made.add(weight_by_sam, table), k=3))
    return made


def test_a_renamed_operator_is_recognised_by_its_place_in_the_graph(process):
    other = process.clone()
    other.rename("Weight by SAM", "Score")
    assert renamings(process, other) == {"Weight by SAM": "Score"}
    assert "Weight by SAM: is now called 'Score'" in process.differences(other)


def test_equal_processes_have_no_renamed_operators(process):
    assert renamings(process, process.clone()) == {}


def test_two_equal_operators_that_swap_names_are_equal():
    process = Process()
    for name in ("a", "b"):
        process.result(process.add(retrieve, repository_entry="iris", name=name))
    assert renamings(process, process.clone()) == {}


@pytest.mark.parametrize("change", ["parameter", "connection", "operator"])
def test_a_further_difference_is_not_called_a_new_name(process, change):
    other = process.clone()
    other.rename("Weight by SAM", "Score")
    if change == "parameter":
        other["Select Top k"].set_parameter("k", 4)
    elif change == "connection":
        other.disconnect("Score", "examples")
    else:
        other.add(normalize)
    assert renamings(process, other) == {}


def test_large_levels_are_left_out():
    process = Process()
    for _ in range(MOST_COMPARED + 1):
        process.add(retrieve, repository_entry="iris")
    other = process.clone()
    other.rename("Retrieve", "Data")
    assert renamings(process, other) == {}
