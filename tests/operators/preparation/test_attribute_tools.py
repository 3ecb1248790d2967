"""Copies, joined texts, roles, names and parts of attributes."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    exchange_roles,
    generate_concatenation,
    generate_copy,
    generate_empty_attribute,
    remove_attribute_range,
    rename_by_generic_names,
    select_by_random,
)


@pytest.fixture
def table():
    frame = pd.DataFrame(
        {"x": [1.0, 2.5], "y": [3, 4], "c": [" a", None], "class": ["p", "q"], "z": [0.0, 1.0]}
    )
    return ExampleSet.from_pandas(frame, roles={"class": "label"})


def test_a_copy_has_no_role(table):
    found = generate_copy(table, attribute="class")
    assert found.schema.attribute("class_copy").role == "regular"
    assert found.nominal_values("class_copy") == ["p", "q"]


def test_a_name_that_exists_is_refused(table, refused):
    with refused('"x" exists already', "another name", error=ParameterError):
        generate_copy(table, attribute="y", new_name="x")


def test_texts_are_joined(table):
    found = generate_concatenation(
        table, first_attribute="c", second_attribute="x", trim_values=True
    )
    assert found.nominal_values("c_x") == ["a_1", None]


@pytest.mark.parametrize("kind", ["real", "integer", "polynominal", "binominal", "text", "date"])
def test_an_empty_attribute_is_missing_everywhere(table, kind):
    found = generate_empty_attribute(table, new_name="new", value_type=kind)
    assert found.schema.attribute("new").value_type == kind
    assert found.missing_by_attribute["new"] == 2


def test_roles_are_exchanged(table):
    found = exchange_roles(table, first_attribute="class", second_attribute="z")
    assert found.schema.label.name == "z"
    assert found.schema.attribute("class").role == "regular"


def test_attributes_are_numbered(table, refused):
    found = rename_by_generic_names(table, attribute_filter_type="value_type", value_type="numeric")
    assert list(found.names) == ["att1", "att2", "c", "class", "att3"]
    with refused('"z1" exists already'):
        rename_by_generic_names(
            table.rename({"class": "z1"}), generic_name_stem="z",
            attribute_filter_type="single", attribute="x",
        )  # fmt: skip


def test_a_range_of_regular_attributes_is_removed(table, refused):
    found = remove_attribute_range(table, first_attribute=2, last_attribute=3)
    assert list(found.names) == ["x", "class", "z"]
    with refused("do not fit 4 attributes", error=ParameterError):
        remove_attribute_range(table, first_attribute=2, last_attribute=5)


def test_random_attributes_are_as_many_as_wished_and_all_occur():
    table = ExampleSet.from_numpy(np.zeros((3, 6)), ["a", "b", "a"])
    fixed = {"use_k": True, "k": 2}
    seen = set()
    for seed in range(40):
        found = select_by_random(table, **fixed, use_local_random_seed=True, local_random_seed=seed)
        assert len(found.schema.regular) == 2
        assert found.schema.label is not None
        seen |= set(found.schema.regular_names)
    assert len(seen) == 6
