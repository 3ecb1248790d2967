"""Bend points of wires in process files."""

import pytest

from fsops.core.graph.bends import MOST, bends_of, set_bends
from fsops.core.graph.process import Process
from fsops.core.graph.wiring import Connection
from fsops.editing import layout
from fsops.editing.clipboard import fragment, paste
from fsops.editing.comparison import stale_operators
from fsops.editing.levels import ROOT, place_of_change
from fsops.errors import ProcessFileError
from fsops.plugins import plugins
from fsops.storage.process_reader import parse_process
from fsops.storage.process_writer import format_process

WIRE = Connection("Retrieve", "examples", "Normalize", "examples")
POINTS = ((120, 80), (150, -20))


@pytest.fixture
def process():
    registry = plugins().registry
    made = Process("Bent")
    table = made.add(registry["retrieve"], repository_entry="iris")
    made.result(made.add(registry["normalize"], table))
    layout.place_missing(made)
    set_bends(made, WIRE, POINTS)
    return made


def test_a_file_keeps_bend_points(process):
    text = format_process(process)
    assert b'bends="120,80 150,-20"' in text
    again = parse_process(text)
    assert bends_of(again, WIRE) == POINTS
    assert again == process
    assert format_process(again) == text


def test_a_file_without_bend_points_reads_as_before(process):
    set_bends(process, WIRE, ())
    text = format_process(process)
    assert b"bends" not in text
    assert bends_of(parse_process(text), WIRE) == ()


@pytest.mark.parametrize("text", ["", "1,2,3", "1;2", "1,2  3,4", "1e9,2", "1,2 " * MOST + "1,2"])
def test_a_broken_list_is_refused_with_a_sentence(process, text):
    data = format_process(process).replace(b"120,80 150,-20", text.encode())
    with pytest.raises(ProcessFileError, match="at most 50 points"):
        parse_process(data)


def test_bend_points_follow_their_wire(process):
    process.rename("Normalize", "Scaled")
    renamed = Connection("Retrieve", "examples", "Scaled", "examples")
    assert bends_of(process, renamed) == POINTS
    assert bends_of(process.clone(), renamed) == POINTS
    process.move("Scaled", 0)
    assert bends_of(process, renamed) == POINTS
    process.disconnect("Scaled", "examples")
    process.connect_unchecked(renamed)
    assert bends_of(process, renamed) == ()


def test_bend_points_are_an_edit_but_make_no_result_out_of_date(process):
    plain = process.clone()
    set_bends(plain, WIRE, ())
    assert plain != process
    assert place_of_change(plain, process) == (ROOT, [])
    assert not stale_operators(plain, process)


def test_they_move_along_if_both_ends_move(process):
    at = {n.name: (n.position["x"] + 10, n.position["y"] + 5) for n in process}
    layout.move_operators(process, at)
    assert bends_of(process, WIRE) == ((130, 85), (160, -15))
    layout.move_operators(process, {"Normalize": (500, 0)})
    assert bends_of(process, WIRE) == ((130, 85), (160, -15))
    layout.clear_bends(process)
    assert bends_of(process, WIRE) == ()


def test_copies_keep_them(process):
    part = fragment(process, ["Retrieve", "Normalize"])
    assert bends_of(part, WIRE) == POINTS
    paste(process, part, (0, 100))
    copied = Connection("Retrieve (2)", "examples", "Normalize (2)", "examples")
    assert bends_of(process, copied) == ((120, 180), (150, 80))
