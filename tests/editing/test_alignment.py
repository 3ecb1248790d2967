"""Operators in line and at equal distances."""

from fsops.editing import alignment

BOXES = {"a": (10, 10, 100, 40), "b": (60, 100, 80, 60), "c": (300, 33, 90, 40)}


def test_sides_come_in_line():
    assert {p[0] for p in alignment.aligned(BOXES, "left").values()} == {10}
    rights = alignment.aligned(BOXES, "right")
    assert {rights[n][0] + BOXES[n][2] for n in BOXES} == {390}
    assert {p[1] for p in alignment.aligned(BOXES, "top").values()} == {10}
    bottoms = alignment.aligned(BOXES, "bottom")
    assert {bottoms[n][1] + BOXES[n][3] for n in BOXES} == {160}
    centres = alignment.aligned(BOXES, "centre")
    assert {centres[n][0] + BOXES[n][2] / 2 for n in BOXES} == {200}
    middles = alignment.aligned(BOXES, "middle")
    assert {middles[n][1] + BOXES[n][3] / 2 for n in BOXES} == {85}


def test_gaps_become_equal_and_the_outer_two_stay():
    across = alignment.distributed(BOXES, "across")
    assert across["a"] == (10, 10)
    assert across["c"] == (300, 33)
    gaps = (across["b"][0] - 110, 300 - across["b"][0] - 80)
    assert gaps == (55, 55)
    down = alignment.distributed(BOXES, "down")
    assert (down["a"][1], down["b"][1]) == (10, 100)
    assert down["c"][1] - 50 == 100 - down["c"][1] - 40
