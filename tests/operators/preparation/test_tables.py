"""Append, transpose, materialize: checked against pandas."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.core import operator_of
from fsops.data import Attribute, ValueType, metadata_of
from fsops.operators import append, generate_id, materialize_data, transpose


def table(data, **given):
    return ExampleSet.from_pandas(pd.DataFrame(data), **given)


def plain(examples):
    """Return the table as a frame that compares by value."""
    frame = examples.to_pandas()
    nominal = [c for c in frame if isinstance(frame[c].dtype, pd.CategoricalDtype)]
    return frame.astype(dict.fromkeys(nominal, object))


def assert_same(examples, frame):
    pd.testing.assert_frame_equal(plain(examples), frame, check_dtype=False)


# --- append -----------------------------------------------------------------------------------


@pytest.fixture
def halves():
    one = table({"x": [1, 2], "k": ["b", None], "y": ["no", "yes"]}, roles={"y": "label"})
    two = table({"y": ["no", "maybe"], "k": ["a", "c"], "x": [0.5, np.nan]})
    return one, two


def test_appending_is_pandas_concat(halves):
    found = append(list(halves))
    assert_same(found, pd.concat([plain(t) for t in halves], ignore_index=True))
    assert found.schema.attribute("x").value_type == ValueType.REAL
    assert found.schema.attribute("k").categories == ("b", "a", "c")
    assert found.label.name == "y"
    assert found.classes == ("no", "yes", "maybe")


def test_appending_rows_of_one_table_gives_it_back(golf):
    parts = [golf.take(np.arange(start, len(golf), 3)) for start in range(3)]
    order = np.concatenate([np.arange(start, len(golf), 3) for start in range(3)])
    assert append(parts).equals(golf.take(order))


def test_only_the_first_two_if_wanted(halves):
    one, two = halves
    assert len(append([one, two, one])) == 6
    assert len(append([one, two, one], merge_type="first_two")) == 4


def test_tables_that_do_not_match_are_told(halves, refused):
    one, two = halves
    more = two.with_columns([(Attribute("z"), np.zeros(2))])
    other = two.with_values([(Attribute.nominal("x", ["a"]), np.zeros(2, dtype=np.int32))])
    with refused('Table 2 lacks "k", unlike the first table.'):
        append([one, two.drop(["k"])])
    with refused('Table 3 also has "z", unlike the first table.'):
        append([one, two, more])
    with refused('"x" is integer in the first table, but binominal in table 2.'):
        append([one, other])
    with refused("There is no table to append."):
        append([])


def test_what_append_gives_is_known_before(halves):
    describe = operator_of(append).describe
    inputs = {f"examples {n}": metadata_of(t) for n, t in enumerate(halves, start=1)}
    meta = describe(inputs, {"merge_type": "all"})
    found = append(list(halves))
    assert meta.schema == found.schema
    assert meta.rows == 4


# --- shape ------------------------------------------------------------------------------------


def test_numbers_are_transposed_as_numbers():
    data = ExampleSet.from_numpy([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0]], names=["a", "b", "c"])
    found = transpose(data)
    assert found.names == ("att_1", "att_2", "id")
    assert found.nominal_values("id") == ["a", "b", "c"]
    np.testing.assert_array_equal(found.numeric(), data.numeric().T)
    assert found.schema.special("id").name == "id"


def test_ids_become_names():
    data = table({"n": ["p", "q"], "a": [1.0, 2.0]}, roles={"n": "id"})
    assert transpose(data).names == ("p", "q", "id")
    numbered = generate_id(ExampleSet.from_numpy([[1.0], [2.0]]), offset=6)
    assert transpose(numbered).names == ("att_7", "att_8", "id")


def test_twice_transposed_numbers_are_the_same():
    data = ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(4, 3)), names=list("abc"))
    again = transpose(transpose(data))
    assert again.names == (*"abc", "id")
    np.testing.assert_array_equal(again.numeric(), data.numeric())


def test_mixed_tables_become_nominal(golf):
    found = transpose(golf)
    assert len(found) == 5
    assert found.nominal_values("id") == list(golf.names)
    first = [str(v) for v in plain(golf).iloc[0]]
    assert found.nominal_values("att_1") == [first[0], "85", "85", *first[3:]]


def test_genes_below_a_row_of_classes_become_numbers_beside_a_nominal_attribute():
    rows = {"gene": ["class", "g1", "g2"], "S1": ["ill", "0.1", "7"], "S2": ["well", None, "-2e3"]}
    found = transpose(table(rows, roles={"gene": "id"}))
    assert found.nominal_values("class") == ["ill", "well"]
    np.testing.assert_array_equal(found.numeric(), [[0.1, 7.0], [np.nan, -2000.0]])
    assert found.nominal_values("id") == ["S1", "S2"]


def test_ids_that_cannot_be_names_are_told(refused):
    twice = table({"n": ["p", "p"], "a": [1.0, 2.0]}, roles={"n": "id"})
    with refused('names must be different, but several are "p"'):
        transpose(twice)
    gap = table({"n": ["p", None], "a": [1.0, 2.0]}, roles={"n": "id"})
    with refused('The id "n" is missing in row 2.'):
        transpose(gap)


def test_materialized_data_has_the_values_but_not_the_memory(golf):
    view = golf.take([3, 1, 1]).select(["Wind", "Humidity"])
    found = materialize_data(view)
    assert found.equals(view)
    position = np.array([1])
    assert not np.shares_memory(found.values(position), golf.values(np.array([2])))
