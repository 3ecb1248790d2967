"""Join, checked against pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from fsops import ExampleSet
from fsops.core import operator_of
from fsops.data import metadata_of
from fsops.errors import DataError, ParameterError
from fsops.operators import join


def table(data, **given):
    return ExampleSet.from_pandas(pd.DataFrame(data), **given)


KEYS = st.lists(st.sampled_from([1.0, 2.0, 3.0, 4.0]), max_size=6)


@given(left=KEYS, right=KEYS, how=st.sampled_from(["inner", "left", "right", "outer"]))
@settings(max_examples=60, deadline=None)
def test_joining_is_pandas_merge(left, right, how):
    one = pd.DataFrame({"key": np.array(left), "a": np.arange(len(left)) + 0.5})
    two = pd.DataFrame({"key": np.array(right), "b": np.arange(len(right)) + 0.25})
    joined = join(
        ExampleSet.from_pandas(one),
        ExampleSet.from_pandas(two),
        join_type=how,
        use_id_attribute_as_key=False,
        key_attributes={"key": "key"},
    )
    found = joined.to_pandas()
    expected = one.merge(two, on="key", how=how)
    if how == "outer":  # pandas sorts by the key
        found, expected = (
            f.sort_values(["key", "a", "b"], ignore_index=True) for f in (found, expected)
        )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


@pytest.fixture
def patients():
    one = table(
        {"name": ["ann", "bob", "cyd", None], "sex": ["f", "m", "f", "m"], "x": [1, 2, 3, 4]},
        roles={"name": "id"},
    )
    two = table(
        {
            "who": ["cyd", "dan", "ann", None],
            "x": [30.0, 40.0, 10.0, 50.0],
            "day": pd.to_datetime(["2024-01-03", "2024-01-04", "2024-01-01", "2024-01-05"]),
            "text": ["c", "d", "a", "n"],
        },
        roles={"who": "id"},
        types={"text": "text"},
    )
    return one, two


def test_ids_of_different_categories_are_matched_by_name(patients):
    found = join(*patients)
    assert found.names == ("name", "sex", "x", "day", "text")
    assert found.nominal_values("name") == ["ann", "cyd"]
    assert found.column("x").tolist() == [1, 3]
    assert found.column("text").tolist() == ["a", "c"]
    assert found.schema.special("id").name == "name"


def test_rows_without_a_partner_have_missing_values(patients):
    left = join(*patients, join_type="left")
    assert left.nominal_values("name") == ["ann", "bob", "cyd", None]
    assert left.column("text").tolist() == ["a", None, "c", None]
    assert np.isnat(left.column("day")).tolist() == [False, True, False, True]
    right = join(*patients, join_type="right")
    assert right.nominal_values("name") == ["cyd", "dan", "ann", None]
    assert right.nominal_values("sex") == ["f", None, "f", None]
    outer = join(*patients, join_type="outer")
    # A missing key has no partner, so both rows without a name stand alone.
    assert outer.nominal_values("name") == ["ann", "bob", "cyd", None, "dan", None]


def test_double_attributes_are_left_out_or_renamed(patients):
    both = join(*patients, remove_double_attributes=False, keep_both_join_attributes=True)
    assert both.names == ("name", "sex", "x", "who", "x_from_ES2", "day", "text")
    assert both.column("x_from_ES2").tolist() == [10, 30]
    assert both.schema.roles == {"name": "id"}


def test_several_keys_must_all_be_equal():
    one = table({"a": [1, 1, 2], "b": ["x", "y", "x"], "v": [1.0, 2.0, 3.0]})
    two = table({"c": [1, 2, 2], "d": ["y", "x", "z"], "w": [5.0, 6.0, 7.0]})
    found = join(one, two, use_id_attribute_as_key=False, key_attributes={"a": "c", "b": "d"})
    assert found.names == ("a", "b", "v", "w")
    assert found.column("v").tolist() == [2, 3]
    assert found.column("w").tolist() == [5, 6]


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("keep", [True, False])
def test_what_join_gives_is_known_before(patients, how, keep):
    one, two = patients
    given = {
        "join_type": how,
        "keep_both_join_attributes": keep,
        "remove_double_attributes": keep,
        "use_id_attribute_as_key": True,
        "key_attributes": {},
    }
    inputs = {"left": metadata_of(one), "right": metadata_of(two)}
    meta = operator_of(join).describe(inputs, given)
    assert meta.schema == join(one, two, **given).schema


def test_what_cannot_be_joined_is_told(patients, refused):
    one, two = patients
    with refused("The right table has no id to join by.", "Set Role"):
        join(one, two.with_roles({"who": "regular"}))
    with refused("key_attributes is empty.", error=ParameterError):
        join(one, two, use_id_attribute_as_key=False)
    with refused('There is no attribute "whom".', 'Did you mean "who"?'):
        join(one, two, use_id_attribute_as_key=False, key_attributes={"name": "whom"})
    with refused('"name" is polynominal in the first table, but real in the second.'):
        join(one, two, use_id_attribute_as_key=False, key_attributes={"name": "x"})


def test_a_join_that_explodes_is_refused():
    many = ExampleSet.from_numpy(np.zeros((20_000, 1)), names=["k"])
    with pytest.raises(DataError, match="would have 400000000 rows, because the keys"):
        join(many, many, use_id_attribute_as_key=False, key_attributes={"k": "k"})
