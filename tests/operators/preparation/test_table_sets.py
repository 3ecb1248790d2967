"""Tables as sets, against pandas."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.operators import cartesian_product, intersect, set_minus, superset, union

ONE = pd.DataFrame({"id": [1, 2, 3], "x": [0.5, np.nan, 2.0], "c": ["a", "b", None]})
TWO = pd.DataFrame({"id": [3, 4], "y": [7.0, 8.0], "c": ["z", "a"]})


@pytest.fixture
def tables():
    return tuple(ExampleSet.from_pandas(frame, roles={"id": "id"}) for frame in (ONE, TWO))


def test_a_superset_has_the_attributes_of_both(tables):
    first, second = superset(*tables)
    assert list(first.names) == ["id", "x", "c", "y"]
    assert set(second.names) == set(first.names)
    assert np.isnan(first.column("y")).all()
    assert first.column("x").tolist()[0] == 0.5
    assert first.schema.attribute("id").role == "id"


def test_a_union_is_what_pandas_concatenates(tables):
    found = union(*tables).to_pandas()
    oracle = pd.concat([ONE, TWO], ignore_index=True)
    for name in ("id", "x", "y"):
        assert np.array_equal(found[name].astype(float), oracle[name], equal_nan=True)
    assert found["c"].astype(object).where(found["c"].notna(), None).tolist() == [
        "a", "b", None, "z", "a",
    ]  # fmt: skip


def test_a_union_can_have_another_label_there():
    frame = pd.DataFrame({"x": [1.0], "y": ["a"]})
    labelled = ExampleSet.from_pandas(frame, roles={"y": "label"})
    other = ExampleSet.from_pandas(frame.rename(columns={"y": "z"}), roles={"z": "label"})
    found = union(labelled, other)
    assert found.schema.label.name == "y"
    assert found.column("x").tolist() == [1.0, 1.0]


def test_rows_are_compared_by_their_ids(tables):
    one, two = tables
    assert set_minus(one, two).column("id").tolist() == [1, 2]
    assert intersect(one, two).column("id").tolist() == [3]
    assert intersect(one, two, key_attributes=["c"]).column("id").tolist() == [1]


def test_without_an_id_the_message_says_so(tables, refused):
    one, two = tables
    with refused("has no id", "Set Role"):
        set_minus(one, two.drop(["id"]))


def test_a_product_has_all_pairs(tables):
    found = cartesian_product(*tables)
    oracle = ONE.merge(TWO, how="cross", suffixes=("", "_from_ES2"))
    assert list(found.names) == list(oracle.columns)
    for name in ("id", "x", "id_from_ES2", "y"):
        assert np.array_equal(found.column(name), oracle[name], equal_nan=True)
    assert found.nominal_values("c_from_ES2") == oracle["c_from_ES2"].tolist()
