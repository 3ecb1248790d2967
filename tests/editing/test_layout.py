"""Operators and copies get places that cover nothing."""

from fsops.core.graph.process import Process
from fsops.editing.clipboard import fragment, paste
from fsops.editing.layout import COLUMN, arranged, free_shift, place_missing


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
