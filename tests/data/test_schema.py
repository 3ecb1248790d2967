"""Names, value types and roles."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.data import Attribute, Schema, ValueType
from fsops.data.schema import NOMINAL, NUMERICAL

ATTRIBUTES = [
    Attribute("weight"),
    Attribute("age", ValueType.INTEGER),
    Attribute.nominal("colour", ["red", "green", "blue"]),
    Attribute.nominal("play", ["no", "yes"], "label"),
    Attribute("born", ValueType.DATE),
    Attribute("note", ValueType.TEXT),
    Attribute("row", ValueType.INTEGER, "id"),
]
NAMES = tuple(a.name for a in ATTRIBUTES)


@pytest.fixture
def schema():
    return Schema.of(ATTRIBUTES)


def test_a_schema_gives_back_its_attributes_in_order(schema):
    assert list(schema) == ATTRIBUTES
    assert schema.names == NAMES
    assert len(schema) == len(NAMES)


def test_value_types_say_what_can_be_done_with_them():
    assert {t for t in ValueType if t.is_numerical} == {"real", "integer"}
    assert {t for t in ValueType if t.is_nominal} == {"binominal", "polynominal", "ordinal"}


@pytest.mark.parametrize(
    ("count", "kind"), [(0, "binominal"), (2, "binominal"), (3, "polynominal")]
)
def test_a_nominal_attribute_is_binominal_up_to_two_categories(count, kind):
    assert Attribute.nominal("x", map(str, range(count))).value_type == kind


def test_positions_leave_out_special_attributes(schema):
    assert schema.regular_names == ("weight", "age", "colour", "born", "note")
    assert schema.names_at(schema.regular_numerical) == ("weight", "age")
    assert schema.names_at(schema.regular_nominal) == ("colour",)
    assert schema.names_at(schema.regular_other) == ("born", "note")


def test_positions_by_type_include_special_attributes(schema):
    assert schema.names_at(schema.of_types(NUMERICAL)) == ("weight", "age", "row")
    assert schema.names_at(schema.of_types(NOMINAL)) == ("colour", "play")


def test_names_come_in_the_order_of_the_positions():
    schema = Schema.numerical(["a", "b", "c"])
    assert schema.names_at(np.array([2, 0, 1])) == ("c", "a", "b")


def test_an_attribute_is_found_by_name_and_by_role(schema):
    assert schema.attribute("colour") == ATTRIBUTES[2]
    assert schema.label == ATTRIBUTES[3]
    assert schema.special("id") == ATTRIBUTES[6]
    assert schema.special("weight") is None
    assert "age" in schema
    assert "label" not in schema


def test_an_unknown_name_is_an_error_with_a_suggestion(schema, refused):
    with refused('There is no attribute "Colours"', 'Did you mean "colour"?'):
        schema.position("Colours")


def test_an_unknown_name_without_a_likeness_is_an_error_that_lists_what_there_is(schema, refused):
    with refused('There is no attribute "zzz"', '"weight", "age"', "and 2 more"):
        schema.position("zzz")


def test_names_must_be_different(refused):
    with refused('"a"', "different", "Rename") as caught:
        Schema.numerical(["a", "b", "a", "a"])
    assert caught.value.message.count('"a"') == 1


def test_a_role_belongs_to_one_attribute(refused):
    with refused('"label"', '"a", "b"', "another role"):
        Schema.of([Attribute("a", role="label"), Attribute("b", role="label")])


def test_giving_a_role_takes_it_from_who_had_it(schema):
    changed = schema.with_roles({"colour": "label"})
    assert changed.label.name == "colour"
    assert "play" in changed.regular_names
    assert schema.label.name == "play"


def test_a_role_can_be_taken_away(schema):
    assert schema.with_roles({"play": "regular"}).label is None


def test_giving_a_role_to_an_unknown_attribute_is_an_error(schema, refused):
    with refused("plai", 'Did you mean "play"?'):
        schema.with_roles({"plai": "label"})


def test_renaming_keeps_types_roles_and_categories(schema):
    renamed = schema.renamed({"play": "golf", "colour": "hue"})
    assert renamed.label == Attribute.nominal("golf", ["no", "yes"], "label")
    assert renamed.attribute("hue").categories == ("red", "green", "blue")


def test_names_can_be_swapped(schema):
    swapped = schema.renamed({"weight": "age", "age": "weight"})
    assert swapped.names[:2] == ("age", "weight")
    assert swapped.attribute("weight").value_type is ValueType.INTEGER


def test_renaming_to_a_taken_name_is_an_error(schema, refused):
    with refused('"age"', "different"):
        schema.renamed({"weight": "age"})


def test_an_attribute_can_be_declared_anew(schema):
    replaced = schema.replaced(Attribute.nominal("age", ["old", "young"]))
    assert replaced.names == schema.names
    assert replaced.attribute("age").categories == ("old", "young")


def test_declaring_an_unknown_attribute_anew_is_an_error(schema, refused):
    with refused('"agee"', '"age"'):
        schema.replaced(Attribute("agee"))


def test_attributes_can_be_appended(schema):
    longer = schema.appended([Attribute.nominal("class", ["a", "b", "c"], "prediction")])
    assert longer.names == (*NAMES, "class")
    assert longer.special("prediction").categories == ("a", "b", "c")


@given(st.permutations(range(len(ATTRIBUTES))), st.integers(0, len(ATTRIBUTES)))
@settings(deadline=None, max_examples=50)
def test_taking_positions_takes_the_attributes(order, count):
    taken = Schema.of(ATTRIBUTES).take(np.array(order[:count], dtype=np.intp))
    assert list(taken) == [ATTRIBUTES[p] for p in order[:count]]


def test_schemas_are_compared_by_content(schema):
    assert schema == Schema.of(ATTRIBUTES)
    assert schema != Schema.of(ATTRIBUTES[:-1])
    assert schema != schema.renamed({"age": "years"})
    assert schema != schema.with_roles({"age": "weight"})
    assert schema != schema.replaced(Attribute.nominal("colour", ["red", "blue", "green"]))
    assert schema != schema.replaced(Attribute("age"))
    assert schema != "a schema"


def test_a_schema_of_half_a_million_attributes_is_small():
    schema = Schema.numerical([f"gene{i}" for i in range(500_000)])
    assert schema.position("gene499999") == 499_999
    assert len(schema.regular_numerical) == 500_000


def test_a_schema_is_extended_once():
    schema = Schema.numerical(["a", "b"])
    more = (Attribute("c", role="prediction"), Attribute("d"))
    extended = schema.extended(more)
    assert list(extended.names) == ["a", "b", "c", "d"]
    assert extended.roles == {"c": "prediction"}
    assert schema.extended(more) is extended
    assert schema.extended((Attribute("b"),)) is None


def test_a_pickled_schema_holds_its_declarations_only():
    schema = Schema.numerical(["a", "b"])
    small = pickle.dumps(schema)
    schema.extended((Attribute("c"),))
    assert len(schema.regular) == 2
    assert pickle.dumps(schema) == small
    assert pickle.loads(small) == schema
