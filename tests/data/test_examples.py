"""The table: views without copies, and nothing ever changed in place."""

import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from fsops.data import Attribute, AttributeWeights, ExampleSet, Schema, ValueType
from fsops.data.columns import MISSING_CODE, nominal_column

QUICK = settings(deadline=None, max_examples=50)


@pytest.fixture
def matrix():
    return np.arange(12.0).reshape(4, 3)


@pytest.fixture
def examples(matrix):
    return ExampleSet.from_numpy(matrix, ["b", "a", "b", "a"])


def test_numbers_are_the_same_view_every_time(matrix, examples):
    assert np.shares_memory(examples.numeric(), matrix)
    assert examples.numeric() is examples.numeric()
    assert not examples.numeric().flags.writeable
    assert "_neighbours" not in examples.__getstate__(), "the values would be sent twice"
    apart = examples.select_regular(["att3", "att1"])
    np.testing.assert_array_equal(apart.numeric(), matrix[:, [0, 2]])
    some = examples.take([2, 0])
    np.testing.assert_array_equal(some.numeric(), matrix[[2, 0]])


@pytest.fixture(scope="module")
def wide():
    """Return 100 × 500,000 doubles."""
    return np.zeros((100, 500_000))


@pytest.fixture(scope="module")
def wide_names():
    return [f"gene{i}" for i in range(500_000)]


def traced(make):
    """Return what a function makes, the memory that it keeps, and the most that it took."""
    tracemalloc.start()
    try:
        made = make()
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return made, kept, peak


# --- memory ---------------------------------------------------------------------------------


def test_half_a_million_columns_of_doubles_are_not_copied(wide, wide_names):
    examples, _, peak = traced(lambda: ExampleSet.from_numpy(wide, names=wide_names))
    assert np.shares_memory(examples.numeric(), wide)
    assert peak < wide.nbytes / 4  # the index from name to place


def test_a_label_beside_half_a_million_columns_copies_none_of_them(wide, wide_names):
    examples = ExampleSet.from_numpy(wide, np.arange(100) % 2, names=wide_names)
    assert np.shares_memory(examples.numeric(), wide)


def test_a_thousand_bootstraps_take_less_than_a_hundredth_of_the_data(wide, wide_names):
    examples = ExampleSet.from_numpy(wide, np.arange(100) % 2, names=wide_names)
    rng = np.random.default_rng(1)
    views, kept, peak = traced(
        lambda: [examples.take(rng.integers(0, 100, 100)) for _ in range(1000)]
    )
    assert len(views) == 1000
    assert peak < wide.nbytes / 100
    assert kept < wide.nbytes / 100


def test_neighbouring_columns_are_selected_without_a_copy(wide, wide_names):
    examples = ExampleSet.from_numpy(wide, names=wide_names).select(wide_names[1000:2000])
    assert np.shares_memory(examples.numeric(), wide)


def test_a_million_rows_are_built_viewed_and_selected():
    X = np.zeros((1_000_000, 50))
    examples = ExampleSet.from_numpy(X, np.arange(1_000_000) % 2)
    assert np.shares_memory(examples.numeric(), X)
    view, kept, _ = traced(lambda: examples.take(np.arange(0, 1_000_000, 2)))
    assert len(view) == 500_000
    assert kept < 5e6  # eight bytes per row, not per value
    assert np.shares_memory(examples.select(["att2", "att3"]).numeric(), X)
    assert view.label_values().sum() == 0


# --- making one -----------------------------------------------------------------------------


def test_the_layout_of_the_matrix_does_not_matter():
    X = np.random.default_rng(1).normal(size=(5, 7))
    for same in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X.astype(">f8")):
        assert np.array_equal(ExampleSet.from_numpy(same).numeric(), X)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, bool, object])
def test_other_numbers_become_doubles(dtype):
    X = np.array([[0, 1], [1, 0]], dtype=dtype)
    numeric = ExampleSet.from_numpy(X).numeric()
    assert numeric.dtype == np.float64
    assert np.array_equal(numeric, [[0.0, 1.0], [1.0, 0.0]])


def test_names_are_counted_if_none_are_given(examples):
    assert examples.names == ("att1", "att2", "att3", "label")


def test_the_number_of_names_must_fit(matrix, refused):
    with refused("3 columns", "2 names"):
        ExampleSet.from_numpy(matrix, names=["a", "b"])


@pytest.mark.parametrize("X", [[1, 2, 3], 5, np.zeros((2, 2, 2))])
def test_a_table_has_two_dimensions(X, refused):
    with refused("rows and columns", "shape"):
        ExampleSet.from_numpy(X)


@pytest.mark.parametrize("X", [[["a", 1]], [[1j, 2]], [[np.datetime64("2020")]], [[None, "x"]]])
def test_a_matrix_of_something_else_is_refused(X, refused):
    with refused("not numbers", "from_pandas"):
        ExampleSet.from_numpy(X)


def test_real_numbers_make_a_numerical_label_and_everything_else_classes(matrix):
    label = ExampleSet.from_numpy(matrix, [0.5, 1.0, 2.0, 0.0]).label
    assert (label.value_type, label.role) == (ValueType.REAL, "label")
    assert ExampleSet.from_numpy(matrix, [1, 0, 10, 2]).classes == ("0", "1", "10", "2")
    assert ExampleSet.from_numpy(matrix, [True, False, True, True]).classes == ("false", "true")
    assert ExampleSet.from_numpy(matrix, list("xyxz")).classes == ("x", "y", "z")


def test_classes_without_a_value_are_missing(matrix, refused):
    examples = ExampleSet.from_numpy(matrix, np.array(["a", None, "b", np.nan], dtype=object))
    assert examples.classes == ("a", "b")
    assert examples.nominal_values("label") == ["a", None, "b", None]
    with refused('"label"', "missing in 2 rows", "row 2", "Leave these rows out"):
        examples.label_values()


@pytest.mark.parametrize("y", [["a"], list("abcde"), [1.0, 2.0]])
def test_a_label_needs_a_value_for_each_row(matrix, y, refused):
    with refused('"label"', "4 rows", f"({len(y)},)"):
        ExampleSet.from_numpy(matrix, y)


def test_a_label_has_one_dimension(matrix, refused):
    with refused("label", "one value per row", "(4, 1)"):
        ExampleSet.from_numpy(matrix, [["a"], ["b"], ["a"], ["b"]])


def test_the_label_does_not_replace_an_attribute_of_its_name(matrix, refused):
    with refused('"label"', "label="):
        ExampleSet.from_numpy(matrix, list("abab"), names=["label", "x", "y"])
    examples = ExampleSet.from_numpy(matrix, list("abab"), names=["label", "x", "y"], label="class")
    assert examples.names == ("label", "x", "y", "class")


def test_columns_of_one_storage_share_a_block():
    examples = ExampleSet.from_columns(
        [
            (Attribute("a"), np.array([1.0, 2.0])),
            nominal_column("n", ["x", "y"]),
            (Attribute("b", ValueType.INTEGER), np.array([3.0, 4.0])),
        ],
        2,
    )
    assert np.array_equal(examples.numeric(), [[1, 3], [2, 4]])
    assert examples.numeric().flags.f_contiguous
    assert np.shares_memory(examples.numeric(), examples.column("b"))


def test_a_column_of_another_length_is_refused(refused):
    with refused('"b"', "2 rows", "(3,)"):
        ExampleSet.from_columns([(Attribute("b"), np.zeros(3))], 2)


# --- immutability ---------------------------------------------------------------------------


def test_what_a_table_gives_cannot_be_written(mixed):
    rows = mixed.take([0, 1, 3])
    for table in (mixed, rows, mixed.select(mixed.names[::-1])):
        arrays = [table.numeric(), table.nominal(), *(table.column(n) for n in table.names)]
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = array[1]


def test_the_users_own_array_stays_writable(matrix):
    ExampleSet.from_numpy(matrix).take([0]).numeric()
    matrix[0, 0] = 99.0
    assert matrix.flags.writeable


def test_a_view_does_not_follow_the_users_list_of_rows(examples):
    rows = np.array([0, 1])
    view = examples.take(rows)
    rows[:] = 3
    assert np.array_equal(view.numeric(), examples.numeric()[:2])


# --- rows -----------------------------------------------------------------------------------


ROWS = st.lists(st.integers(-6, 5), max_size=12)


@given(ROWS, st.data())
@QUICK
def test_rows_of_rows_are_the_rows_numpy_and_pandas_take(first, data):
    X = np.arange(18.0).reshape(6, 3)
    classes = np.array(list("abcabc"))
    examples = ExampleSet.from_numpy(X, classes)
    view = examples.take(first)
    frame = pd.DataFrame(X).assign(label=classes).iloc[first]
    for _ in range(2):
        assert np.array_equal(view.numeric(), frame[[0, 1, 2]].to_numpy())
        assert view.nominal_values("label") == frame["label"].tolist()
        assert len(view) == len(frame)
        limit = len(view)
        more = data.draw(
            st.lists(st.integers(-limit, limit - 1), max_size=8) if limit else st.just([])
        )
        view, frame = view.take(more), frame.iloc[more]


@given(st.lists(st.booleans(), min_size=6, max_size=6))
@QUICK
def test_a_mask_takes_the_rows_where_it_is_true(mask):
    X = np.arange(18.0).reshape(6, 3)
    assert np.array_equal(ExampleSet.from_numpy(X).take(mask).numeric(), X[np.array(mask)])


def test_rows_can_be_repeated_reversed_and_left_out_altogether(examples, matrix):
    assert np.array_equal(examples.take([2, 2, 2]).numeric(), matrix[[2, 2, 2]])
    assert np.array_equal(examples.take(range(3, -1, -1)).numeric(), matrix[::-1])
    empty = examples.take([])
    assert (len(empty), empty.numeric().shape, empty.classes) == (0, (0, 3), ("a", "b"))


@pytest.mark.parametrize("rows", [[4], [0, -5], [10**12], np.array([7], dtype=np.uint8)])
def test_rows_that_are_not_there_are_refused(examples, rows, refused):
    with refused(f"no row {rows[-1]}", "4 rows", "from 0 to 3"):
        examples.take(rows)


def test_no_row_can_be_taken_from_an_empty_table(examples, refused):
    with refused("no row 0", "0 rows"):
        examples.take([]).take([0])


@pytest.mark.parametrize("mask", [[True], [True] * 5])
def test_a_mask_has_a_value_for_each_row(examples, mask, refused):
    with refused(f"mask has {len(mask)} values", "4 rows"):
        examples.take(mask)


@pytest.mark.parametrize("rows", [[0.5], 1, [[0], [1]], ["a"], "all"])
def test_rows_are_numbers_in_a_list(examples, rows, refused):
    with refused("list of row numbers", "mask"):
        examples.take(rows)


# --- attributes -----------------------------------------------------------------------------


@given(st.permutations(range(8)), st.integers(1, 8), ROWS)
@QUICK
def test_any_choice_of_attributes_and_rows_is_what_pandas_gives(order, count, rows):
    X = np.random.default_rng(3).normal(size=(6, 8))
    names = [f"a{j}" for j in range(8)]
    chosen = [names[j] for j in order[:count]]
    frame = pd.DataFrame(X, columns=names)
    examples = ExampleSet.from_numpy(X, names=names)
    expected = frame[chosen].iloc[rows].to_numpy()
    assert np.array_equal(examples.select(chosen).take(rows).numeric(), expected)
    assert np.array_equal(examples.take(rows).select(chosen).numeric(), expected)


def test_selecting_keeps_the_given_order_and_the_roles(mixed):
    chosen = mixed.select(["colour", " ", "größe"])
    assert chosen.names == ("colour", " ", "größe")
    assert chosen.label.name == "colour"
    assert chosen.schema.regular_names == (" ", "größe")


def test_selecting_features_keeps_the_order_of_the_data_and_special_attributes(mixed):
    chosen = mixed.select_regular([" ", "größe"])
    assert chosen.names == ("größe", "count", "colour", " ")


def test_selecting_no_features_leaves_the_special_attributes(mixed):
    chosen = mixed.select_regular([])
    assert chosen.names == ("count", "colour")
    assert chosen.numeric().shape == (4, 0)


def test_dropping_leaves_the_others(mixed):
    assert mixed.drop(["colour", "note"]).names == tuple(
        n for n in mixed.names if n not in ("colour", "note")
    )
    assert mixed.drop([]).equals(mixed)


def test_selecting_twice_the_same_attribute_is_an_error(mixed, refused):
    with refused('"größe"', "different"):
        mixed.select(["größe", "größe"])


@pytest.mark.parametrize("method", ["select", "drop", "select_regular"])
def test_an_unknown_attribute_is_named_and_another_suggested(mixed, method, refused):
    with refused('"grösse"', 'Did you mean "größe"?'):
        getattr(mixed, method)(["grösse"])


def test_renaming_and_giving_roles_leaves_the_values_alone(mixed):
    changed = mixed.rename({"größe": "size"}).with_roles({"size": "weight"})
    assert changed.schema.special("weight").name == "size"
    assert np.shares_memory(changed.column("size"), mixed.column("größe"))
    assert mixed.names[0] == "größe"


def test_new_columns_stand_at_the_end_and_replace_those_of_their_name(mixed):
    changed = mixed.take([3, 1]).with_columns(
        [(Attribute("new"), np.array([7.0, 8.0])), nominal_column("größe", ["big", "small"])]
    )
    assert changed.names == (*mixed.names[1:], "new", "größe")
    assert changed.column("new").tolist() == [7.0, 8.0]
    assert changed.nominal_values("größe") == ["big", "small"]
    assert changed.nominal_values("colour") == ["red", None]
    assert np.array_equal(changed.numeric(), np.column_stack([[0.4, 0.2], [7.0, 8.0]]))
    assert changed.take([1]).column("new").tolist() == [8.0]


def test_a_second_label_among_new_columns_is_an_error(mixed, refused):
    with refused('role "label"', '"colour", "other"'):
        mixed.with_columns([nominal_column("other", ["a"] * 4, role="label")])


# --- alignment ------------------------------------------------------------------------------


def table(values, categories, role="regular", name="colour"):
    codes = np.array([-1 if v is None else categories.index(v) for v in values], dtype=np.int32)
    attribute = Attribute.nominal(name, categories, role)
    numbers = (Attribute("size"), np.arange(float(len(values))))
    return ExampleSet.from_columns([(attribute, codes), numbers], len(values))


def test_alignment_orders_attributes_and_translates_codes():
    wanted = Schema.of([Attribute("size"), Attribute.nominal("colour", ["red", "green", "blue"])])
    mine = table(["blue", None, "red", "pink"], ["blue", "pink", "red"])
    aligned = mine.with_columns([(Attribute("extra"), np.zeros(4))]).aligned(wanted)
    assert aligned.schema == wanted
    assert aligned.nominal_values("colour") == ["blue", None, "red", None]
    assert aligned.column("colour").tolist() == [2, -1, 0, -1]
    assert aligned.column("size").tolist() == [0, 1, 2, 3]


def test_alignment_to_a_schema_with_a_label_is_not_disturbed_by_another_label():
    wanted = Schema.of([Attribute.nominal("colour", ["red", "blue"], "label")])
    mine = table(["blue"], ["blue"]).with_roles({"size": "label"})
    aligned = mine.aligned(wanted)
    assert aligned.schema == wanted
    assert aligned.class_codes()[1] == ("blue",)


def test_alignment_to_the_same_schema_copies_nothing(examples):
    assert np.shares_memory(examples.aligned(examples.schema).numeric(), examples.numeric())


def test_alignment_finds_faults_in_attributes_that_are_special_here():
    examples = ExampleSet.from_numpy([[1.0, 2.0], [3.0, np.nan]], ["a", "b"])
    special = examples.with_roles({"att2": "id"})
    assert not special.missing_by_attribute
    assert special.aligned(examples.schema).missing_by_attribute == {"att2": 1}


def test_parts_of_a_table_find_their_own_faults():
    examples = ExampleSet.from_numpy([[1.0, np.inf], [np.nan, 2.0], [3.0, 4.0]], ["a", "b", "a"])
    assert examples.missing_by_attribute == {"att1": 1}
    assert list(examples.extreme_attributes) == ["att2"]
    last = examples.take([2])
    assert not last.missing_by_attribute
    assert not len(last.extreme_attributes)
    assert not examples.select_regular(["att2"]).missing_by_attribute
    assert last.take([0, 0]).missing_by_attribute == {}


def test_the_label_of_a_selection_is_that_of_the_table():
    examples = ExampleSet.from_numpy(np.zeros((3, 4)), ["b", "a", "b"])
    assert examples.class_codes()[0].tolist() == [1, 0, 1]
    assert examples.select_regular(["att2"]).class_codes()[0].tolist() == [1, 0, 1]
    assert examples.take([2, 1]).class_codes()[0].tolist() == [1, 0]
    other, codes = Attribute.nominal("label", ["x", "y"], "label"), np.array([0, 0, 1], np.int32)
    replaced = examples.with_columns([(other, codes)])
    assert replaced.class_codes()[0].tolist() == [0, 0, 1]
    beside = examples.with_columns([(Attribute("more"), np.ones(3))])
    assert beside.class_codes()[0].tolist() == [1, 0, 1]
    moved = examples.with_roles({"label": "id", "att1": "label"})
    assert moved.label_values().tolist() == [0, 0, 0]


def test_alignment_names_what_is_not_there(examples, refused):
    wanted = Schema.numerical(["att2", "height", "width"])
    with refused('"height", "width"', "trained on"):
        examples.aligned(wanted)


@pytest.mark.parametrize(
    "attribute",
    [Attribute.nominal("att1", ["a"]), Attribute("att1", ValueType.DATE)],
    ids=["nominal", "date"],
)
def test_alignment_names_an_attribute_of_another_type(examples, attribute, refused):
    with refused('"att1"', str(attribute.value_type), "real", "convert"):
        examples.aligned(Schema.of([attribute]))


def test_whole_numbers_fit_where_real_ones_were(examples):
    wanted = Schema.of([Attribute("att1", ValueType.INTEGER)])
    assert examples.aligned(wanted).attributes == (Attribute("att1", ValueType.INTEGER),)


# --- label ----------------------------------------------------------------------------------


def labelled(values, categories):
    return table(values, categories, "label", "play")


def test_classes_are_coded_in_sorted_order_whatever_their_order_in_the_data():
    codes, classes = labelled(["z", "a", "m", "z"], ["z", "m", "a"]).class_codes()
    assert classes == ("a", "m", "z")
    assert codes.tolist() == [2, 0, 1, 2]


def test_classes_that_do_not_occur_are_not_counted():
    codes, classes = labelled(["z", "b", "z"], ["z", "m", "b", "a"]).class_codes()
    assert classes == ("b", "z")
    assert codes.tolist() == [1, 0, 1]


def test_positive_is_the_class_that_sorts_last():
    assert labelled(["yes", "no", "yes"], ["yes", "no"]).binary_label().tolist() == [1, 0, 1]
    assert labelled(["10", "9"], ["10", "9"]).binary_label().tolist() == [0, 1]


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=20))
@QUICK
def test_class_codes_lead_back_to_the_classes(values):
    codes, classes = labelled(values, ["d", "b", "c", "a"]).class_codes()
    assert [classes[code] for code in codes] == values
    assert list(classes) == sorted(set(values))


@pytest.mark.parametrize("values", [["a", "a"], ["a", "b", "c"]])
def test_a_binary_label_needs_two_classes(values, refused):
    with refused('"play"', f"has {len(set(values))}", '"a"', "two classes"):
        labelled(values, ["a", "b", "c"]).binary_label()


def test_a_table_without_a_label_says_so(matrix, refused):
    with refused("no label", "role label"):
        ExampleSet.from_numpy(matrix).label_values()


def test_a_numerical_label_has_no_classes(matrix, refused):
    examples = ExampleSet.from_numpy(matrix, [0.5, 1.5, 2.5, 3.5])
    with refused('"label"', "real", "no classes", "nominal"):
        examples.class_codes()


@pytest.mark.parametrize("name", ["note", "día"])
def test_dates_and_texts_cannot_be_predicted(mixed, name, refused):
    kind = str(mixed.schema.attribute(name).value_type)
    with refused(f'"{name}"', kind, "number or a class"):
        mixed.with_roles({name: "label"}).label_values()


# --- missing and infinite values ------------------------------------------------------------


def test_missing_values_are_counted_by_attribute(mixed):
    assert mixed.missing_by_attribute == {"größe": 1, "día": 1, 'a "b", c': 1, "note": 1}
    assert mixed.take([0, 3]).missing_by_attribute == {}


@given(
    hnp.arrays(
        np.float64, (5, 4), elements=st.sampled_from([0.0, np.nan, np.inf, -np.inf, 1e308, -1e308])
    )
)
@QUICK
def test_missing_and_infinite_values_are_found_whatever_their_sum(X):
    examples = ExampleSet.from_numpy(X)
    missing = pd.DataFrame(X, columns=examples.names).isna().sum()
    assert examples.missing_by_attribute == missing[missing > 0].to_dict()
    infinite = (np.abs(X) > 1e38).any(axis=0)
    assert examples.extreme_attributes == tuple(np.array(examples.names)[infinite])


def test_views_of_complete_data_are_known_to_be_complete_without_a_copy(wide, wide_names):
    examples = ExampleSet.from_numpy(wide, names=wide_names)
    examples.require_complete()
    view = examples.take(np.arange(100)[::-1])
    found, _, peak = traced(lambda: (view.missing_by_attribute, view.extreme_attributes))
    assert found == ({}, ())
    assert peak < wide.nbytes / 20


def test_a_value_that_a_view_does_not_see_does_not_count():
    X = np.array([[1.0, np.nan], [2.0, 3.0], [np.inf, 4.0]])
    examples = ExampleSet.from_numpy(X)
    assert examples.missing_by_attribute == {"att2": 1}
    assert examples.extreme_attributes == ("att1",)
    assert examples.take([1]).missing_by_attribute == {}
    assert examples.take([1]).extreme_attributes == ()
    assert examples.take([1, 2]).select(["att2"]).extreme_attributes == ()
    assert examples.take([2, 0]).missing_by_attribute == {"att2": 1}


def test_missing_values_are_refused_by_name_where_they_cannot_be(mixed, refused):
    with refused("4 values are missing", '"größe"', "Replace Missing Values"):
        mixed.require_complete()
    mixed.take([0, 3]).require_complete()


# --- fingerprint ----------------------------------------------------------------------------


def test_equal_content_has_an_equal_fingerprint_however_it_is_stored(mixed):
    rows = [3, 0, 0, 2]
    view = mixed.take(rows)
    copy = ExampleSet.from_columns([(a, view.column(a.name)) for a in view.attributes], 4)
    rebuilt = mixed.take([0, 2, 3]).take([2, 0, 0, 1])
    assert view.fingerprint() == copy.fingerprint() == rebuilt.fingerprint()
    assert view.equals(copy)


def test_a_wide_view_and_its_copy_have_an_equal_fingerprint():
    X = np.random.default_rng(1).normal(size=(300, 9000))  # more than is read at once
    rows = np.random.default_rng(2).integers(0, 300, 300)
    view = ExampleSet.from_numpy(X).take(rows)
    assert view.fingerprint() == ExampleSet.from_numpy(np.asfortranarray(X[rows])).fingerprint()


def changes(mixed):
    yield "rows", mixed.take([0, 1, 2])
    yield "order of rows", mixed.take([1, 0, 2, 3])
    yield "order of attributes", mixed.select(mixed.names[::-1])
    yield "attribute left out", mixed.drop([" "])
    yield "name", mixed.rename({" ": "_"})
    yield "role", mixed.with_roles({" ": "weight"})
    for attribute in mixed.attributes:
        values = mixed.column(attribute.name)
        others = {
            "f": [0.125, np.nan],
            "i": [0, MISSING_CODE],
            "M": [np.datetime64("NaT"), np.datetime64("2000-01-01", "us")],
            "O": [None, "", "other"],
        }[values.dtype.kind]
        for other in others:
            changed = values.copy()
            changed[2] = other
            if changed.tolist() != values.tolist() or attribute.value_type.is_numerical:
                columns = [(attribute, changed)]
                moved = mixed.with_columns(columns).select(mixed.names)
                yield f"{other!r} in {attribute.name}", moved
    flag = mixed.schema.attribute("flag")
    renamed = replace(flag, categories=("nay", "yea"))
    yield "category", mixed.with_columns([(renamed, mixed.column("flag"))]).select(mixed.names)
    whole = replace(mixed.schema.attribute("count"), value_type=ValueType.REAL)
    yield "type", mixed.with_columns([(whole, mixed.column("count"))]).select(mixed.names)


def test_any_change_changes_the_fingerprint(mixed):
    seen = {mixed.fingerprint(): "nothing"}
    for what, changed in changes(mixed):
        assert not changed.equals(mixed), what
        assert seen.setdefault(changed.fingerprint(), what) == what
    assert len(seen) > 20


def test_the_sign_of_zero_changes_the_fingerprint():
    plus, minus = (ExampleSet.from_numpy([[zero]]) for zero in (0.0, -0.0))
    assert not plus.equals(minus)


def test_tables_without_attributes_differ_by_their_rows():
    empty = ExampleSet.from_numpy(np.zeros((3, 0)))
    assert not empty.equals(empty.take([0]))
    assert not empty.equals(3)


def test_a_table_survives_pickling(mixed):
    again = pickle.loads(pickle.dumps(mixed.take([2, 0])))
    assert again.equals(mixed.take([2, 0]))


# --- results about it -----------------------------------------------------------------------


def test_weights_belong_to_the_features_or_to_the_numerical_ones(mixed, refused):
    names = mixed.schema.regular_names
    assert mixed.weights(range(len(names))).names == names
    assert mixed.weights([1, 2]).names == ("größe", " ")
    assert mixed.weights([1], names=["flag"]).names == ("flag",)
    with refused(f"{len(names)} regular attributes (2 numerical)", "(3,)"):
        mixed.weights([1, 2, 3])


def test_weights_keep_their_details(examples):
    weights = examples.weights([3, 1, 2], details={"p_value": [0.1, 0.2, 0.3]})
    assert isinstance(weights, AttributeWeights)
    assert weights.details["p_value"].tolist() == [0.1, 0.2, 0.3]


def test_a_table_tells_its_size_and_its_label(examples, matrix):
    assert repr(examples) == "<ExampleSet 4 × 3 attributes, label label (binominal)>"
    assert repr(ExampleSet.from_numpy(matrix)) == "<ExampleSet 4 × 3 attributes, no label>"


def test_columns_of_different_blocks_come_in_the_wanted_order():
    examples = ExampleSet.from_columns(
        [(Attribute("a"), np.array([1.0])), (Attribute("b"), np.array([2.0]))], 1
    ).with_columns([(Attribute("c"), np.array([3.0]))])
    mixed_up = examples.select(["c", "a", "b"])
    assert mixed_up.numeric().tolist() == [[3.0, 1.0, 2.0]]
    assert mixed_up.values(np.array([2, 0])).tolist() == [[2.0, 3.0]]


def test_numbers_can_be_replaced_by_a_matrix():
    table = ExampleSet.from_columns(
        [
            (Attribute("whole", ValueType.INTEGER), np.array([1.0, 2.0])),
            (Attribute.nominal("colour", ["red", "blue"]), np.array([0, 1], dtype=np.int32)),
            (Attribute("real"), np.array([0.5, 1.5])),
            (Attribute("time", role="weight"), np.array([3.0, 4.0])),
        ],
        2,
    )
    positions = table.schema.positions(["time", "whole"])
    new = table.with_numbers(positions, np.array([[10.0, 20.0], [30.0, 40.0]]))
    assert new.names == table.names
    assert new.column("time").tolist() == [10.0, 30.0]
    assert new.column("whole").tolist() == [20.0, 40.0]
    assert new.column("real").tolist() == [0.5, 1.5]
    assert new.schema.roles == table.schema.roles
    assert new.schema.attribute("whole").value_type is ValueType.REAL
    assert table.column("whole").tolist() == [1.0, 2.0]
    same = table.with_numbers(positions, np.zeros((2, 2)), real=False)
    assert same.schema == table.schema


def test_some_rows_take_over_the_label_of_the_table():
    examples = ExampleSet.from_numpy(np.zeros((6, 1)), np.array(list("cabbac")))
    assert examples.class_codes()[1] == ("a", "b", "c")
    for rows in ([5, 1, 2, 1], [0, 5], np.arange(6) > 3):
        part = examples.take(np.asarray(rows))
        fresh = ExampleSet.from_numpy(np.zeros((len(part), 1)), part.nominal_values("label"))
        codes, classes = part.class_codes()
        assert classes == fresh.class_codes()[1]
        assert codes.tolist() == fresh.class_codes()[0].tolist()
        assert not codes.flags.writeable
        assert not part.label_values().flags.writeable


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n_rows", [5, 40])
def test_rows_of_some_attributes_have_the_values_of_the_matrix(order, n_rows):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=(40, 30)), order=order)
    rows, chosen = rng.integers(0, 40, n_rows), np.array([1, 2, 7, 29])
    part = ExampleSet.from_numpy(X).take(rows).features(chosen)
    assert np.array_equal(part.numeric(), X[np.ix_(rows, chosen)])
    assert part.numeric().flags.c_contiguous
