"""Selecting and renaming attributes."""

import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators import order_attributes, rename, rename_by_replacing, select_attributes


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
    assert ctx.warnings == ["No attribute matches, so no regular attribute is kept."]


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


@pytest.fixture
def named():
    frame = pd.DataFrame({"g.b": [1.0], "g.a": [2.0], "x": [3.0], "y": ["p"]})
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


def test_names_are_changed_by_a_regular_expression(named):
    found = rename_by_replacing(named, replace_what=r"^g\.(.)", replace_by="gene_$1")
    assert [*found.names] == ["gene_b", "gene_a", "x", "y"]
    assert found.column("gene_a").tolist() == [2.0]
    with pytest.raises(DataError, match="g"):
        rename_by_replacing(named, replace_what=r"\..", replace_by="")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"attribute_ordering": ["x", "g.a"]}, ["x", "g.a", "g.b", "y"]),
        ({"attribute_ordering": ["x"], "handle_unmatched": "prepend"}, ["g.b", "g.a", "y", "x"]),
        ({"attribute_ordering": ["x"], "handle_unmatched": "remove"}, ["x", "y"]),
        (
            {"attribute_ordering": ["x", r"g\..*"], "use_regular_expressions": True},
            ["x", "g.b", "g.a", "y"],
        ),
        ({"sort_mode": "alphabetically"}, ["g.a", "g.b", "x", "y"]),
        (
            {"sort_mode": "alphabetically", "sort_direction": "descending"},
            ["y", "x", "g.b", "g.a"],
        ),
    ],
)
def test_attributes_are_put_in_order(named, settings, expected):
    found = order_attributes(named, **settings)
    assert [*found.names] == expected
    assert found.schema.label.name == "y"
