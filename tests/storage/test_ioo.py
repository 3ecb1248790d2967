"""Tables of RapidMiner."""

import contextlib
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops.data import ExampleSet, ValueType
from fsops.errors import DataError, FsopsError
from fsops.operators.data_access.samples import golf
from fsops.storage.ioo import parse_ioo, read_ioo_table

SHARED = Path(__file__).resolve().parents[3] / "shared/rapidminer/data"
needs_samples = pytest.mark.skipif(
    not SHARED.is_dir(), reason="RapidMiner's sample data is not on this machine"
)
MAGIC = bytes([0x2A, 0x71, 0xD1])


def text(value, version):
    data = value.encode()
    return struct.pack(">H" if version == 1 else ">i", len(data)) + data


def column(name, value_type, version, role="", values=()):
    parts = [text(t, version) for t in (name, role, value_type, "single_value")]
    if value_type in ("nominal", "binominal", "polynominal", "text", "file_path"):
        parts.append(struct.pack(">i", len(values)))
        parts += [struct.pack(">i", number) + text(value, version) for number, value in values]
    if version == 3:
        parts.append(struct.pack(">i", 1) + text("unit", 3) + text("cm", 3))
    return b"".join(parts)


def file_of(columns, body, rows, version, defaults=None):
    head = MAGIC + struct.pack(">i", version + 2)
    if version == 3:
        head += struct.pack(">i", 1) + text("Source", 3) + text("made here", 3)
    head += struct.pack(">i", len(columns)) + b"".join(columns)
    if defaults is None:
        head += b"\0"
    else:
        head += b"\1" + b"".join(struct.pack(">d", value) for value in defaults)
    return head + struct.pack(">i", rows) + body


def mixed(version):
    columns = [
        column("size", "real", version),
        column("count", "integer", version),
        column("colour", "polynominal", version, values=[(1, "blue"), (0, "red"), (2, "ü")]),
        column("note", "text", version, values=[(0, "hello")]),
        column("day", "date", version),
        column("class", "binominal", version, "label", [(0, "no"), (1, "yes")]),
    ]
    rows = [
        struct.pack(">dibbdb", 0.1, 7, 1, 0, 86_400_000.0, 1),
        struct.pack(">di", np.nan, -(2**31) + 1) + b"\1" + struct.pack(">bbdb", -1, -1, np.nan, 0),
        struct.pack(">di", -np.inf, -(2**31) + 1) + b"\0" + struct.pack(">bbdb", 2, 0, 0.5, -1),
    ]
    return file_of(columns, b"".join(rows), 3, version)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_types_roles_and_missing_values_are_kept(version):
    table = parse_ioo(mixed(version))
    kinds = [a.value_type for a in table.attributes]
    assert kinds == [
        ValueType.REAL, ValueType.INTEGER, ValueType.POLYNOMINAL, ValueType.TEXT, ValueType.DATE,
        ValueType.BINOMINAL,
    ]  # fmt: skip
    assert table.label.name == "class"
    assert table.schema.attribute("colour").categories == ("red", "blue", "ü")
    np.testing.assert_array_equal(table.column("size"), [0.1, np.nan, -np.inf])
    np.testing.assert_array_equal(table.column("count"), [7, np.nan, -(2**31) + 1])
    assert table.nominal_values("colour") == ["blue", None, "ü"]
    assert table.column("note").tolist() == ["hello", None, "hello"]
    days = np.array(["1970-01-02", "NaT", "1970-01-01T00:00:00.0005"], "datetime64[us]")
    np.testing.assert_array_equal(table.column("day"), days)
    assert table.nominal_values("class") == ["yes", "no", None]


@pytest.mark.parametrize(("count", "code"), [(126, "b"), (127, "h"), (32766, "h"), (32767, "i")])
def test_the_number_of_values_decides_how_they_are_stored(count, code):
    values = [(i, f"v{i}") for i in range(count)]
    body = struct.pack(f">{code}{code}", count - 1, -1)
    table = parse_ioo(file_of([column("a", "nominal", 2, values=values)], body, 2, 2))
    assert table.nominal_values("a") == [f"v{count - 1}", None]


def test_sparse_rows_have_defaults_where_nothing_is_said():
    columns = [
        column("x", "real", 3),
        column("k", "integer", 3),
        column("c", "nominal", 3, values=[(0, "a"), (1, "b")]),
    ]
    end = struct.pack(">i", -1)
    body = struct.pack(">id", 0, 2.5) + struct.pack(">ib", 2, 1) + end
    body += struct.pack(">ii", 1, -(2**31) + 1) + b"\1" + end + end
    table = parse_ioo(file_of(columns, body, 3, 3, defaults=[0.0, 4.0, 0.0]))
    assert table.column("x").tolist() == [2.5, 0.0, 0.0]
    np.testing.assert_array_equal(table.column("k"), [4, np.nan, 4])
    assert table.nominal_values("c") == ["b", "a", "a"]


def test_values_without_a_number_in_order_and_values_that_repeat():
    values = [(7, "b"), (3, "a"), (9, "b")]
    body = struct.pack(">bbb", 9, 7, 3)
    table = parse_ioo(file_of([column("c", "polynominal", 2, values=values)], body, 3, 2))
    assert table.nominal_values("c") == ["b", "b", "a"]
    assert table.schema.attribute("c").categories == ("a", "b")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "begins differently"),
        (b"PK\3\4 something", "begins differently"),
        (MAGIC + struct.pack(">i", 0) + b"\xac\xed\0\5", "a serialized Java object"),
        (MAGIC + struct.pack(">i", 2), "an object as packed XML"),
        (MAGIC + struct.pack(">i", 77), "something unknown"),
        (MAGIC + struct.pack(">ii", 4, 2**31 - 1), "cannot hold 2147483647 columns"),
        (MAGIC + struct.pack(">ii", 4, -1), "cannot hold -1 columns"),
        (mixed(3) + b"\0", "there are 1 bytes after the last row"),
        (file_of([column("x", "real", 2)], b"", 2**30, 2), "cannot hold 1073741824 rows"),
        (file_of([column("x", "real", 2)], b"", 1, 2), "cannot hold 1 rows"),
        (file_of([column("x", "real", 2)], b"\0" * 7, 1, 2), "it ends too early"),
        (
            file_of([column("c", "nominal", 2, values=[(0, "a")])], b"\5", 1, 2),
            '"c" has a value without a name',
        ),
        (
            file_of([column("c", "nominal", 2, values=[(0, "a"), (0, "b")])], b"\0", 1, 2),
            'the values of "c" are not numbered',
        ),
        (
            file_of([column("x", "real", 2)], struct.pack(">i", 4) + b"\0" * 9, 1, 2, [0.0]),
            "names a column that is not there",
        ),
    ],
)
def test_what_is_not_a_table_is_refused(data, words, refused):
    with refused(words):
        parse_ioo(data, "x.ioo")


def test_no_piece_of_a_file_is_taken_for_the_whole():
    data = mixed(3)
    for length in range(len(data)):
        with pytest.raises(DataError):
            parse_ioo(data[:length])


@given(st.data())
def test_a_damaged_file_is_a_table_or_an_error_in_words(data):
    content = bytearray(mixed(data.draw(st.sampled_from([1, 2, 3]))))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(FsopsError):
        assert isinstance(parse_ioo(bytes(content)), ExampleSet)


# --- RapidMiner's own -----------------------------------------------------------------------------


@needs_samples
@pytest.mark.parametrize(
    ("name", "rows", "regular", "label", "missing"),
    [
        ("Golf", 14, 4, "Play", 0),
        ("Golf-Testset", 14, 4, "Play", 0),
        ("Iris", 150, 4, "label", 0),
        ("Sonar", 208, 60, "class", 0),
        ("Labor-Negotiations", 40, 16, "class", 232),
        ("Polynomial", 200, 5, "label", 0),
        ("Weighting", 500, 6, "weighting.dat (7)", 0),
        ("Ripley-Set", 250, 2, "label", 0),
        ("Deals", 1000, 3, "Future Customer", 0),
        ("Deals-Testset", 500, 3, "Future Customer", 0),
        ("Titanic", 1309, 12, None, 2103),
        ("Titanic Training", 916, 6, "Survived", 0),
        ("Titanic Unlabeled", 392, 6, None, 0),
        ("Market-Data", 7, 2, None, 0),
        ("Products", 178, 4, None, 0),
        ("Purchases", 3, 6, None, 0),
        ("Transactions", 2328, 3, None, 0),
    ],
)
def test_sample_tables_are_as_described(name, rows, regular, label, missing):
    table = read_ioo_table(str(SHARED / f"{name}.ioo"))
    assert len(table) == rows
    assert len(table.schema.regular) == regular
    assert (table.schema.label.name if table.schema.label else None) == label
    assert int(table.to_pandas().isna().to_numpy().sum()) == missing


@needs_samples
def test_golf_is_the_same_as_ours():
    theirs, ours = read_ioo_table(str(SHARED / "Golf.ioo")), golf()
    assert theirs.names == ours.names
    np.testing.assert_array_equal(theirs.numeric(), ours.numeric())
    for name in ("Outlook", "Wind", "Play"):
        assert theirs.nominal_values(name) == ours.nominal_values(name)
