"""Levels of a process are addressed, and changes are located."""

import pytest

from fsops.editing.levels import ROOT, Level, all_levels, place_of_change
from fsops.editing.notes import add_note
from fsops.errors import UsageError

TRAINING = Level("Cross Validation", 0)


def test_a_level_is_found_in_every_copy_of_a_process(quickstart):
    copy = quickstart.clone()
    assert ROOT.of(copy) is copy
    assert TRAINING.of(copy) is copy["Cross Validation"].subprocesses[0]


@pytest.mark.parametrize(
    ("replaced_by", "message"),
    [("loop", '"Cross Validation" no longer has this inner process.'), (None, "no operator")],
)
def test_a_level_that_went_is_an_error(quickstart, registry, replaced_by, message):
    # As where a file is dropped on a level, and read while that operator is replaced.
    other = quickstart.clone()
    other.remove("Cross Validation")
    if replaced_by is not None:
        other.add(registry[replaced_by], name="Cross Validation")
    with pytest.raises(UsageError, match=message):
        Level("Cross Validation", 1).of(other)


def test_all_levels_are_the_process_and_every_inner_one(quickstart):
    inner = quickstart["Cross Validation"].subprocesses
    assert list(all_levels(quickstart)) == [quickstart, *inner]


def test_a_change_is_located_on_its_level(quickstart):
    after = quickstart.clone()
    after.find("Select Top k").set_parameter("k", 3)
    assert place_of_change(quickstart, after) == (TRAINING, ["Select Top k"])
    assert place_of_change(quickstart, quickstart.clone()) is None


def test_a_change_of_notes_has_a_level_but_no_operator(quickstart):
    after = quickstart.clone()
    add_note(after, TRAINING, "why", (10, 10))
    assert place_of_change(quickstart, after) == (TRAINING, [])
