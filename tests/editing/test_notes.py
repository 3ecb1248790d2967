"""Notes are written, moved, attached to operators and removed."""

from fsops.editing.levels import ROOT, Spot
from fsops.editing.notes import add_note, attach_note, free_note, lay_note, note_at, write_note

AT_NORMALIZE = Spot(ROOT, owner="Normalize")


def test_an_empty_text_removes_a_note(chain):
    write_note(chain, AT_NORMALIZE, "scales")
    assert note_at(chain, AT_NORMALIZE).text == "scales"
    write_note(chain, AT_NORMALIZE, "  ")
    assert note_at(chain, AT_NORMALIZE) is None


def test_a_note_is_attached_to_an_operator_and_detached_again(chain):
    number = add_note(chain, ROOT, "scales", (10, 20))
    attach_note(chain, Spot(ROOT, number), "Normalize")
    assert chain.notes == []
    assert note_at(chain, AT_NORMALIZE).text == "scales"
    assert free_note(chain, AT_NORMALIZE, (30, 40)) == 0
    assert (chain.notes[0].layout["x"], chain.notes[0].layout["y"]) == ("30", "40")


def test_only_what_is_given_of_the_layout_changes(chain):
    number = add_note(chain, ROOT, "here", (10, 20))
    lay_note(chain, Spot(ROOT, number), None, (200, 80), None)
    layout = chain.notes[number].layout
    assert (layout["x"], layout["width"], layout["color"]) == ("10", "200", "yellow")
