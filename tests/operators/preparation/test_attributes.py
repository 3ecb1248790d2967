"""Selecting and renaming attributes."""

import pytest

from fsops.errors import DataError, ParameterError
from fsops.operators import rename, select_attributes


def test_selecting_keeps_order_values_and_special_attributes(golf):
    found = select_attributes(
        golf, attribute_filter_type="subset", attributes=["Wind", "Temperature"]
    )
    assert found.names == ("Temperature", "Wind", "Play")
    assert found.label.name == "Play"
    assert found.column("Wind").tolist() == golf.column("Wind").tolist()


def test_special_attributes_go_on_request_only(golf):
    given = {"attribute_filter_type": "single", "attribute": "Wind"}
    assert select_attributes(golf, **given).names == ("Wind", "Play")
    found = select_attributes(golf, include_special_attributes=True, **given)
    assert found.names == ("Wind",)


def test_nothing_left_is_told(golf, listening):
    ctx = listening()
    given = {"attribute_filter_type": "regular_expression", "regular_expression": "x"}
    assert select_attributes(golf, ctx=ctx, **given).names == ("Play",)
    assert ctx.warnings == ["No attribute fits: none is kept."]


def test_renaming(golf):
    found = rename(
        golf,
        old_name="Play",
        new_name="Goes",
        rename_additional_attributes={"Wind": "Outlook", "Outlook": "Wind"},
    )
    assert found.label.name == "Goes"
    assert found.column("Wind").tolist() == golf.column("Outlook").tolist()


def test_renaming_mistakes_are_told(golf):
    with pytest.raises(DataError, match='no attribute "Wnd". Did you mean "Wind"'):
        rename(golf, old_name="Wnd", new_name="x")
    with pytest.raises(DataError, match='must be different, but several are "Play"'):
        rename(golf, old_name="Wind", new_name="Play")
    with pytest.raises(ParameterError, match='"Wind" gets two new names: "a", and "b"'):
        rename(golf, old_name="Wind", new_name="a", rename_additional_attributes={"Wind": "b"})
