"""Operators that feed others, directly or not."""

from fsops.core.graph.wiring import Connection
from fsops.editing.reach import downstream, upstream


def test_both_directions_leave_out_the_operator_itself(chain):
    assert upstream(chain, ["Weight by SAM"]) == {"Retrieve", "Normalize"}
    assert downstream(chain, ["Retrieve"]) == {"Normalize", "Weight by SAM"}
    assert upstream(chain, ["Retrieve"]) == set()


def test_an_operator_in_a_circle_reaches_itself(chain):
    chain.connect_unchecked(Connection("Weight by SAM", "weights", "Normalize", "examples"))
    assert downstream(chain, ["Normalize"]) == {"Normalize", "Weight by SAM"}
