"""Nothing is lost on the way from and to pandas and Arrow."""

import datetime
import decimal
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.errors import DataError

QUICK = settings(deadline=None, max_examples=60)


def types_of(examples):
    return {a.name: str(a.value_type) for a in examples.attributes}


def again_through_pandas(examples):
    """Return the table after a way to pandas and back; pandas knows neither roles nor text."""
    texts = {a.name: "text" for a in examples.attributes if a.value_type is ValueType.TEXT}
    return ExampleSet.from_pandas(examples.to_pandas(), roles=examples.schema.roles, types=texts)


def again_through_parquet(examples):
    buffer = io.BytesIO()
    pq.write_table(examples.to_arrow(), buffer)
    return ExampleSet.from_arrow(pq.read_table(buffer))


def again_through_arrow(examples):
    return ExampleSet.from_arrow(examples.to_arrow())


WAYS = [again_through_pandas, again_through_arrow, again_through_parquet]


# --- there and back -------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_mixed_table_comes_back_bit_for_bit(mixed, way):
    assert way(mixed).equals(mixed)


@pytest.mark.parametrize("way", WAYS)
def test_a_view_comes_back_bit_for_bit(mixed, way):
    view = mixed.take([3, 0, 0, 1]).select(mixed.names[::-1])
    assert way(view).equals(view)


@pytest.mark.parametrize("way", WAYS)
def test_a_table_without_rows_keeps_its_attributes(mixed, way):
    empty = mixed.take([])
    again = way(empty)
    assert again.equals(empty)
    assert again.schema == mixed.schema


@pytest.mark.parametrize("way", WAYS)
def test_categories_survive_where_every_value_is_missing(mixed, way):
    unknown = mixed.select(["colour"]).take([1, 1])
    assert way(unknown).equals(unknown)


@pytest.mark.parametrize("way", [again_through_arrow, again_through_parquet])
def test_arrow_keeps_types_that_pandas_has_no_word_for(way):
    examples = ExampleSet.from_columns(
        [
            (Attribute("three", ValueType.POLYNOMINAL, categories=("a", "b")), np.array([1, -1])),
            (Attribute("odd", ValueType.INTEGER), np.array([0.5, np.inf])),
            (Attribute("row", ValueType.TEXT, "my role"), np.array([None, "x"], dtype=object)),
        ],
        2,
    )
    assert way(examples).equals(examples)


categories = st.lists(st.text(max_size=4), min_size=1, max_size=5, unique=True)


@st.composite
def tables(draw):
    n = draw(st.integers(0, 5))
    names = draw(st.lists(st.text(max_size=5), min_size=1, max_size=6, unique=True))
    columns = []
    for name in names:
        kind = draw(st.sampled_from(list(ValueType)))
        attribute = Attribute(name, kind)
        if kind is ValueType.REAL:
            values = draw(hnp.arrays(np.float64, n, elements=st.floats()))
        elif kind is ValueType.INTEGER:
            whole = st.integers(-(2**53) + 1, 2**53 - 1).map(float) | st.just(np.nan)
            values = draw(hnp.arrays(np.float64, n, elements=whole)) + 0.0
        elif kind is ValueType.DATE:
            micros = st.integers(-(2**55), 2**55) | st.just(np.iinfo(np.int64).min)
            values = draw(hnp.arrays(np.int64, n, elements=micros)).astype("datetime64[us]")
        elif kind is ValueType.TEXT:
            texts = draw(st.lists(st.text(max_size=4) | st.none(), min_size=n, max_size=n))
            values = np.array([*texts, None], dtype=object)[:-1]
        else:
            attribute = Attribute.nominal(name, draw(categories))
            codes = st.integers(-1, len(attribute.categories) - 1)
            values = draw(hnp.arrays(np.int32, n, elements=codes))
        columns.append((attribute, values))
    return ExampleSet.from_columns(columns, n)


@given(tables())
@QUICK
def test_any_table_comes_back_from_arrow_bit_for_bit(examples):
    assert again_through_arrow(examples).equals(examples)


@given(tables())
@QUICK
def test_any_table_comes_back_from_pandas_bit_for_bit(examples):
    assert again_through_pandas(examples).equals(examples)


# --- from pandas ----------------------------------------------------------------------------


def test_every_kind_of_column_gets_its_type(mixed_frame):
    assert types_of(ExampleSet.from_pandas(mixed_frame)) == {
        "größe": "real",
        "count": "integer",
        "flag": "binominal",
        "día": "date",
        "colour": "polynominal",
        'a "b", c': "polynominal",
        " ": "real",
    }


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (pd.array([1, None, 3], dtype="Int64"), "integer", [1, np.nan, 3]),
        (pd.array([1, None, 3], dtype="UInt8"), "integer", [1, np.nan, 3]),
        (pd.array([1.5, None, 3], dtype="Float64"), "real", [1.5, np.nan, 3]),
        (pd.array([1.5, None, 3], dtype="Float32"), "real", [1.5, np.nan, 3]),
        (np.array([1, 2, 3], dtype=np.int8), "integer", [1, 2, 3]),
        (np.array([1, 2, 3], dtype=np.float32), "real", [1, 2, 3]),
        (np.array([1, None, 3], dtype=object), "integer", [1, np.nan, 3]),
        (np.array([1, None, 2.5], dtype=object), "real", [1, np.nan, 2.5]),
        (np.array([decimal.Decimal("0.1"), None, 1], dtype=object)[:2], "real", [0.1, np.nan]),
    ],
    ids=str,
)
def test_numbers_of_every_make_become_doubles(values, kind, expected):
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": values}))
    assert types_of(examples) == {"x": kind}
    assert np.array_equal(examples.column("x"), expected, equal_nan=True)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.array(["b", None, "a"], dtype="string"), ["b", None, "a"]),
        (pd.Series(["b", None, "a"], dtype="str"), ["b", None, "a"]),
        (np.array(["b", np.nan, "a"], dtype=object), ["b", None, "a"]),
        (np.array(["b", pd.NA, pd.NaT, None], dtype=object), ["b", None, None, None]),
        (pd.array([True, None, False], dtype="boolean"), ["true", None, "false"]),
        (np.array([True, None, False], dtype=object), ["true", None, "false"]),
        (np.array([1, "1", True, "a"], dtype=object), ["1", "1", "true", "a"]),
        (pd.Categorical([10, 9, None], categories=[10, 9, 8]), ["10", "9", None]),
        (pd.Categorical([True, False]), ["true", "false"]),
        (pd.Categorical([1.5, 2.5]), ["1.5", "2.5"]),
    ],
    ids=str,
)
def test_categories_of_every_make_become_codes(values, expected):
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": values}))
    assert examples.attributes[0].value_type.is_nominal
    assert examples.nominal_values("x") == expected


def test_categoricals_keep_their_order_and_unused_categories():
    values = pd.Categorical([9, 10, None], categories=[10, 9, 8], ordered=True)
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": values}))
    assert examples.attributes[0].categories == ("10", "9", "8")
    back = examples.to_pandas()["x"]
    assert list(back.cat.categories) == ["10", "9", "8"]
    assert back.cat.codes.tolist() == [1, 0, -1]


def test_other_categories_are_sorted():
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": ["b", "a", "B", "ä"]}))
    assert examples.attributes[0].categories == ("B", "a", "b", "ä")


def test_categories_that_read_the_same_are_one():
    values = pd.Categorical([1, "1", "x"], categories=["x", 1, "1"])
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": values}))
    assert examples.attributes[0].categories == ("x", "1")
    assert examples.column("x").tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    "values",
    [
        pd.to_datetime(["2024-01-31", None]).astype("datetime64[ns]"),
        pd.to_datetime(["2024-01-31", None]).astype("datetime64[s]"),
        np.array([datetime.date(2024, 1, 31), None], dtype=object),
        np.array([datetime.datetime(2024, 1, 31), None], dtype=object),
        pd.to_datetime(["2024-01-31", None]).tz_localize("UTC"),
    ],
    ids=str,
)
def test_dates_of_every_make_are_dates(values):
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": values}))
    assert types_of(examples) == {"x": "date"}
    assert (
        str(examples.column("x")) == "['2024-01-31T00:00:00.000000'                        'NaT']"
    )


def test_doubles_are_shared_even_beside_other_columns():
    X = np.random.default_rng(1).normal(size=(10, 50))
    frame = pd.DataFrame(X, columns=[f"a{j}" for j in range(50)], copy=False)
    assert np.shares_memory(ExampleSet.from_pandas(frame).numeric(), X)
    frame["label"] = list("ab" * 5)
    examples = ExampleSet.from_pandas(frame, roles={"label": "label"})
    assert np.shares_memory(examples.numeric(), X)


def test_columns_stay_in_order_whatever_their_types():
    frame = pd.DataFrame({"t": ["x", "y"], "a": [1.0, 2.0], "u": ["p", "q"], "b": [3.0, 4.0]})
    examples = ExampleSet.from_pandas(frame)
    assert examples.names == ("t", "a", "u", "b")
    assert examples.numeric().tolist() == [[1, 3], [2, 4]]
    mixed_numbers = ExampleSet.from_pandas(frame.assign(c=[5, 6]))
    assert mixed_numbers.numeric().tolist() == [[1, 3, 5], [2, 4, 6]]


def test_fifty_thousand_columns_and_a_label_are_read_together():
    frame = pd.DataFrame(np.ones((3, 50_000))).assign(label=list("aba"))
    examples = ExampleSet.from_pandas(frame, roles={"label": "label"})
    assert examples.numeric().shape == (3, 50_000)


def test_names_that_are_not_text_become_text():
    examples = ExampleSet.from_pandas(pd.DataFrame([[1.0, 2.0]], columns=[0, ("a", "b")]))
    assert examples.names == ("0", "('a', 'b')")


@pytest.mark.parametrize("other", [2.0, "x"])
def test_names_must_be_different(other, refused):
    frame = pd.DataFrame([[1.0, other]], columns=["a", "a"])
    with refused('"a"', "different", "Rename"):
        ExampleSet.from_pandas(frame)


def test_the_index_is_left_out():
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=["x", "y"])
    assert ExampleSet.from_pandas(frame).to_pandas().index.tolist() == [0, 1]


def test_a_frame_without_columns_keeps_its_rows():
    assert len(ExampleSet.from_pandas(pd.DataFrame(index=range(3)))) == 3
    assert ExampleSet.from_pandas(pd.DataFrame(index=range(3))).to_pandas().shape == (3, 0)


# --- types and roles that are asked for -----------------------------------------------------


@pytest.mark.parametrize(
    ("values", "wanted", "expected"),
    [
        (["1", "2.5", None], "real", [1, 2.5, np.nan]),
        (["1", "2", None], "integer", [1, 2, np.nan]),
        ([1.0, 2.0, np.nan], "integer", [1, 2, np.nan]),
        ([True, False], "numerical", [1, 0]),
        (pd.Categorical(["2", "1", None]), "numeric", [2, 1, np.nan]),
        (pd.Categorical([2, 1]), "real", [2, 1]),
    ],
)
def test_text_can_be_read_as_numbers(values, wanted, expected):
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": values}), types={"x": wanted})
    assert types_of(examples)["x"] == ("integer" if wanted == "integer" else "real")
    assert np.array_equal(examples.column("x"), expected, equal_nan=True)


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [("nominal", "binominal"), ("binominal", "binominal"), ("polynominal", "polynominal")],
)
def test_numbers_can_be_read_as_categories(wanted, kind):
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": [1, 0, 1]}), types={"x": wanted})
    assert types_of(examples) == {"x": kind}
    assert examples.nominal_values("x") == ["1", "0", "1"]


@pytest.mark.parametrize(
    "values",
    [
        ["2024-01-31", None, "2023-12-24 18:30"],
        ["2024-01-31T00:00:00", None, "2023-12-24T18:30:00"],
        ["01/31/2024 00:00", None, "12/24/2023 18:30"],
        ["2024-01-31T01:00:00+01:00", None, "2023-12-24T20:30:00+02:00"],
    ],
)
def test_text_can_be_read_as_dates(values):
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": values}), types={"x": "date"})
    dates = pd.Series(examples.column("x"))
    assert dates.isna().tolist() == [False, True, False]
    assert dates[0] == pd.Timestamp(2024, 1, 31)
    assert dates[2] == pd.Timestamp(2023, 12, 24, 18, 30)


@pytest.mark.parametrize(
    ("values", "wanted", "words"),
    [
        ([1.0, 2.5], "integer", ['"x"', "integer", "row 2", '"2.5"', "real"]),
        (["1", "one"], "real", ['"x"', "real", "row 2", '"one"', "polynominal"]),
        (["2024-01-01", "soon"], "date", ['"x"', "date", "row 2", '"soon"', "polynominal"]),
        ([20240101], "date", ['"x"', "date", "numbers", "2031-12-24"]),
        (["a", "b", "c"], "binominal", ['"x"', "3 categories", "polynominal"]),
        ([1], "complex", ['"complex"', '"x"', "real, integer"]),
        ([2**53 + 1], "integer", ['"x"', "9007199254740993", "row 1", "polynominal", "real"]),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_row(values, wanted, words, refused):
    with refused(*words):
        ExampleSet.from_pandas(pd.DataFrame({"x": values}), types={"x": wanted})


@pytest.mark.parametrize(
    "values",
    [
        [0, 2**53 + 1],
        pd.array([None, -(2**53) - 1], dtype="Int64"),
        np.array([2**63 + 1], dtype=np.uint64),
        np.array([0, 10**30 + 1], dtype=object),
    ],
    ids=["int64", "Int64", "uint64", "object"],
)
def test_a_whole_number_that_a_double_cannot_hold_is_refused(values, refused):
    frame = pd.DataFrame({"number": values})
    with refused('"number"', "exactly", "polynominal", "real"):
        ExampleSet.from_pandas(frame)
    assert types_of(ExampleSet.from_pandas(frame, types={"number": "real"})) == {"number": "real"}
    named = ExampleSet.from_pandas(frame, types={"number": "polynominal"})
    assert named.nominal_values("number")[-1] == str(frame["number"].iloc[-1])


def test_large_whole_numbers_that_fit_are_kept():
    values = [2**53, -(2**53), 2**60]
    examples = ExampleSet.from_pandas(pd.DataFrame({"x": values}))
    assert examples.column("x").tolist() == [float(v) for v in values]


@pytest.mark.parametrize("argument", ["roles", "types"])
def test_a_role_or_type_for_an_unknown_column_is_an_error(mixed_frame, argument, refused):
    with refused('"color"', 'Did you mean "colour"?'):
        ExampleSet.from_pandas(mixed_frame, **{argument: {"color": "label"}})
    with refused('"color"', 'Did you mean "colour"?'):
        table = pa.table({"colour": ["a"]})
        ExampleSet.from_arrow(table, **{argument: {"color": "label"}})


# --- to pandas ------------------------------------------------------------------------------


def test_pandas_gets_the_values_it_gave(mixed_frame):
    back = ExampleSet.from_pandas(mixed_frame).to_pandas()
    assert list(back.columns) == list(mixed_frame.columns)
    for name in ["größe", "count", " ", "día"]:
        pd.testing.assert_series_equal(back[name], mixed_frame[name], check_exact=True)
    pd.testing.assert_series_equal(
        back["colour"].astype(object), mixed_frame["colour"].astype(object)
    )
    assert list(back["colour"].cat.categories) == list(mixed_frame["colour"].cat.categories)
    assert back["flag"].tolist() == ["true", "false", "true", "true"]
    assert back['a "b", c'].isna().tolist() == mixed_frame['a "b", c'].isna().tolist()


def test_whole_numbers_stay_whole():
    frame = pd.DataFrame({"a": [1, 2], "b": pd.array([3, None], dtype="Int64")})
    back = ExampleSet.from_pandas(frame).to_pandas()
    pd.testing.assert_frame_equal(back, frame)


def test_a_fraction_among_whole_numbers_is_not_cut_off():
    attribute = Attribute("a", ValueType.INTEGER)
    examples = ExampleSet.from_columns([(attribute, np.array([0.5, np.nan]))], 2)
    assert examples.to_pandas()["a"].iloc[0] == 0.5


def test_changing_the_frame_leaves_the_table_alone():
    X = np.zeros((2, 2))
    frame = ExampleSet.from_numpy(X).to_pandas()
    frame.iloc[0, 0] = 1.0
    assert X[0, 0] == 0.0


# --- Arrow ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "kind", "expected"),
    [
        (pa.array([1.5, None]), "real", [1.5, np.nan]),
        (pa.array([1.5, float("nan")], pa.float32()), "real", [1.5, np.nan]),
        (pa.array([1, None], pa.int8()), "integer", [1, np.nan]),
        (pa.array([1, 2], pa.uint64()), "integer", [1, 2]),
        (pa.array([decimal.Decimal("1.25"), None]), "real", [1.25, np.nan]),
    ],
    ids=str,
)
def test_arrow_numbers_become_doubles(array, kind, expected):
    examples = ExampleSet.from_arrow(pa.table({"x": array}))
    assert types_of(examples) == {"x": kind}
    assert np.array_equal(examples.column("x"), expected, equal_nan=True)


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["b", None, "a"]),
        pa.array(["b", None, "a"], pa.large_string()),
        pa.array(["b", None, "a"]).dictionary_encode(),
        pa.chunked_array(
            [pa.array(["b", None]).dictionary_encode(), pa.array(["a"]).dictionary_encode()]
        ),
    ],
    ids=["string", "large_string", "dictionary", "chunks"],
)
def test_arrow_text_becomes_categories(array):
    examples = ExampleSet.from_arrow(pa.table({"x": array}))
    assert examples.nominal_values("x") == ["b", None, "a"]


def test_arrow_booleans_and_dates_are_known():
    table = pa.table(
        {
            "b": pa.array([True, None]),
            "d": pa.array([datetime.date(2024, 1, 31), None]),
            "t": pa.array([datetime.datetime(2024, 1, 31, 5), None], pa.timestamp("ms")),
        }
    )
    examples = ExampleSet.from_arrow(table)
    assert types_of(examples) == {"b": "binominal", "d": "date", "t": "date"}
    assert examples.column("d")[0] == np.datetime64("2024-01-31")
    assert np.isnat(examples.column("t")[1])


@pytest.mark.parametrize("values", [[2**53 + 1], [None, 2**53 + 1]])
def test_arrow_whole_numbers_that_a_double_cannot_hold_are_refused(values, refused):
    with refused('"x"', "9007199254740993", "exactly"):
        ExampleSet.from_arrow(pa.table({"x": pa.array(values, pa.int64())}))


def test_a_type_asked_for_goes_before_the_one_that_was_noted(mixed):
    examples = ExampleSet.from_arrow(
        mixed.to_arrow(), types={"count": "polynominal"}, roles={"flag": "label"}
    )
    assert examples.nominal_values("count") == ["1", "2", "3", "4"]
    assert examples.label.name == "flag"
    assert "colour" in examples.schema.regular_names


@pytest.mark.parametrize("noted", [b"not JSON", b"[1]", b"{}"])
def test_a_foreign_note_under_our_key_is_ignored(noted):
    field = pa.field("x", pa.float64(), metadata={b"fsops": noted})
    table = pa.Table.from_arrays([pa.array([1.0])], schema=pa.schema([field]))
    assert types_of(ExampleSet.from_arrow(table)) == {"x": "real"}


def test_categories_that_a_foreign_program_added_come_after_ours(mixed):
    table = mixed.select(["colour"]).to_arrow()
    field = table.schema.field("colour")
    values = pa.array(["blue", "pink", None]).dictionary_encode()
    foreign = pa.Table.from_arrays([values], schema=pa.schema([field.with_type(values.type)]))
    examples = ExampleSet.from_arrow(foreign)
    assert examples.label.categories == ("unused", "red", "blue", "pink")
    assert examples.nominal_values("colour") == ["blue", "pink", None]


def test_missing_numbers_stay_the_same_bits_in_arrow():
    payload = np.array([0x7FF8000000000123], dtype=np.uint64).view(np.float64)
    examples = ExampleSet.from_numpy(payload.reshape(1, 1))
    again = again_through_arrow(examples)
    assert again.column("att1").view(np.uint64)[0] == 0x7FF8000000000123
    assert examples.to_arrow()["att1"].null_count == 0


def test_a_role_for_a_column_that_is_not_there_is_told_with_those_that_are():
    frame = pd.DataFrame({"gene": [1.0], "ward": ["a"]})
    with pytest.raises(DataError, match='no column "diagnosis"') as caught:
        ExampleSet.from_pandas(frame, roles={"diagnosis": "label"})
    assert caught.value.hint == 'There are "gene", "ward".'
