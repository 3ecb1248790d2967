"""Operators and copies get places that cover nothing."""

from itertools import combinations

import pytest

from fsops.core.graph.process import Process
from fsops.editing.clipboard import fragment, paste
from fsops.editing.edits import insert_on_wire
from fsops.editing.layout import COLUMN, arranged, free_shift, place_missing, width_of


def test_operators_stand_in_columns_along_the_flow(chain):
    places = arranged(chain)
    columns = [places[name][0] for name in ("Retrieve", "Normalize", "Weight by SAM")]
    assert [b - a >= COLUMN for a, b in zip(columns, columns[1:], strict=False)] == [True, True]


def test_operators_without_a_place_get_one_and_the_others_stay(registry):
    process = Process()
    process.add(registry["retrieve"]).position = {"x": 5, "y": 6}
    process.add(registry["normalize"])
    place_missing(process)
    assert (process["Retrieve"].position["x"], process["Retrieve"].position["y"]) == (5, 6)
    assert process["Normalize"].position["x"] > 5


def test_a_copy_is_shifted_until_it_covers_nothing(chain):
    part = fragment(chain, ["Normalize"])
    shift = free_shift(chain, part)
    assert shift[1] > 0
    paste(chain, part, shift)
    assert free_shift(chain, part)[1] > shift[1]


def overlap(one, two):
    """Return whether two cards lie on each other."""
    apart = abs(one.position["x"] - two.position["x"])
    left = min(one, two, key=lambda node: node.position["x"])
    near = abs(one.position["y"] - two.position["y"]) < 48
    return near and apart < width_of(left.name)


@pytest.mark.parametrize("x", [60, 110, 150, 175])
def test_an_operator_put_into_a_wire_covers_no_other(registry, x):
    process = Process("Chain")
    table = process.add(registry["retrieve"], repository_entry="iris")
    scaled = process.add(registry["normalize"], table)
    process.add(registry["weight_by_sam"], scaled)
    place_missing(process)
    before = {node.name: node.position["y"] for node in process}
    insert_on_wire(process, registry["sample"], process.connections[0], (x, 34))
    assert [(a.name, b.name) for a, b in combinations(process, 2) if overlap(a, b)] == []
    order = [n.name for n in sorted(process, key=lambda n: n.position["x"])]
    assert order == ["Retrieve", "Sample", "Normalize", "Weight by SAM"]
    assert {name: process[name].position["y"] for name in before} == before
