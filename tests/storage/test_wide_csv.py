"""Wide text files: the fast road gives what the plain one gives, or gives way to it."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st

from fsops.data import ValueType
from fsops.errors import DataError
from fsops.operators import read_csv
from fsops.storage import tables, wide_csv
from fsops.storage.tables import CsvFormat, read_table

MISSING = ("", "?", "NA")


@pytest.fixture
def both(tmp_path_factory, monkeypatch):
    """Return a function that reads a text on both roads and says whether the fast one was used."""
    file = tmp_path_factory.mktemp("wide") / "x.csv"

    def read(content, *, share=1.0, **layout):
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        wanted = CsvFormat(**({"missing": MISSING} | layout))
        monkeypatch.setattr(tables, "SMALL_BYTES", 0)
        monkeypatch.setattr(tables, "WIDE_PER_ROW", 0)
        monkeypatch.setattr(wide_csv, "MOST_OTHERS", share)
        found, taken = [], []
        original = wide_csv.read_wide_numbers
        monkeypatch.setattr(
            wide_csv, "read_wide_numbers", lambda *a: taken.append(original(*a)) or taken[-1]
        )
        for width in (1, 10**9):
            monkeypatch.setattr(tables, "WIDE", width)
            try:
                found.append(read_table(str(file), wanted))
            except DataError as error:
                found.append(str(error))
        monkeypatch.setattr(wide_csv, "read_wide_numbers", original)
        return *found, bool(taken and taken[0] is not None)

    return read


def same(one, two):
    if isinstance(one, str) or isinstance(two, str):
        return one == two
    return one[0].equals(two[0]) and one[1] == two[1]


def assert_fast_and_same(fast, plain, used):
    assert used
    assert same(fast, plain)


# --- the fast road is taken, and gives the same -----------------------------------------------


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,2.5,-3e2\n4,.5,5.\n",
        "a,b\n-0,-0\n0,-0.0\n",
        "a,b\n-0,1.5\n1.5,-0\n",
        "a,b\n007,1E+05\n010,1e-7\n",
        "a,b\n1,\n,2\n",
        "a,b\nNA,?\n1,2\n",
        "a,b\n,\n,\n",
        "id,a,b,class\nr1,1.5,2,x\nr2,2.5,3,y\n",
        'id,a,b\n"r1",1.5,2\n"r 2",2.5,3\n',
        "a,class\n1,\n2,x\n3,\n",
        "a,b,c\n1,2,3\n\n4,5,6",
        "a,b\n1,2\n3,oops\n4,5\n",
        "a,flag,when\n1.5,True,2024-01-31\n2.5,False,2024-02-29\n",
        "a,b\n1.5, 2\n2.5,3 \n",
        "a,b\ninf,1\n2,nan\n",
        "a,b\n9007199254740993.5,123456789012345678901234567890.0\n1,2.5\n",
        "a,b\n1.5,123456789012345678901234567890\n1,2.5\n",
        "a,b\n1.5,2.5\n1,123456789012345678901234567890\n",
        "a,b\n+1,+2.5\n-1,-2.5\n",
        "a,b\n1e400,1e-400\n2.4703282292062328e-324,-1e-400\n",
    ],
)
def test_it_gives_what_the_plain_road_gives(both, text, ending):
    assert_fast_and_same(*both(text.replace("\n", ending)))


def test_whole_numbers_real_ones_and_gaps_get_their_types(both):
    (examples, _), _, used = both("i,r,g,e\n1,1.0,1,1e3\n2,2,,2\n")
    assert used
    assert [a.value_type for a in examples.attributes] == [
        ValueType.INTEGER,
        ValueType.REAL,
        ValueType.REAL,
        ValueType.REAL,
    ]


@pytest.mark.parametrize("header", [True, False])
def test_a_decimal_comma_is_read(both, header):
    text = "a;b;c\n" * header + "1,5;2;x.5\n-3,0;1e3;1.5\n"
    assert_fast_and_same(*both(text, decimal=",", header=header))


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252"])
def test_names_and_texts_keep_their_encoding(both, encoding):
    text = "Größe,Wert\nklein,1.5\ngroß,2.5\n".encode(encoding)
    assert_fast_and_same(*both(text, encoding=encoding))
    if encoding == "utf-8":
        assert_fast_and_same(*both(b"\xef\xbb\xbf" + text, encoding=encoding))


@pytest.mark.parametrize("wanted", ["polynominal", "real", "integer", "text"])
def test_types_roles_and_columns_to_skip_are_followed(both, wanted):
    layout = {"types": (("a", wanted),), "roles": (("c", "label"),), "skip": ("b",)}
    assert_fast_and_same(*both("a,b,c,d\n007,x,u,1.5\n008,y,v,2.5\n", **layout))


def test_a_slip_is_told(both):
    text = "a,b\n" + "".join(f"{i},{i}.5\n" for i in range(30)) + "31,oops\n"
    fast, plain, used = both(text)
    assert_fast_and_same(fast, plain, used)
    assert 'row 31 holds "oops"' in fast[1][0]


CELL = (
    st.floats(allow_nan=False).map(repr)
    | st.integers(-(10**18), 10**18).map(str)
    | st.sampled_from(["", "?", "NA", "x", "-0", "1e5", "True", '"q"', " 1", "1 ", "é", ".", "-"])
    | st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?(e[+-]?[0-9]{1,3})?", fullmatch=True)
)


@given(
    st.integers(2, 5).flatmap(
        lambda p: st.lists(st.lists(CELL, min_size=p, max_size=p), min_size=1)
    )
)
@example([["1", "2"], ["", ""]])
@settings(deadline=None, max_examples=150)
def test_any_table_is_the_same_on_both_roads(tmp_path_factory, rows):
    with pytest.MonkeyPatch.context() as patch:
        read = both.__wrapped__ if hasattr(both, "__wrapped__") else both.__pytest_wrapped__.obj
        names = ",".join(f"c{j}" for j in range(len(rows[0])))
        text = "\n".join([names, *(",".join(row) for row in rows)]) + "\n"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fast, plain, _ = read(tmp_path_factory, patch)(text)
    assert same(fast, plain)


# --- the plain road is taken ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n"1,5",2\n3,4\n',
        'a,b\n"x""y",2\nz,4\n',
        'a,b\n"two\nlines",2\nz,4\n',
        '"a\nb",c\n1,2\n',
        "a,b\n1,2,\n3,4,\n",
        "a,b\r1,2\r3,4\r",
        "a,b\n1,2\n  \n3,4\n",
        "a,b\n1,2\n3\n",
        "a,b\n1,2\n3,4,5\n",
        "a,b\n",
    ],
)
def test_what_it_does_not_understand_it_leaves_to_the_plain_road(both, text):
    fast, plain, used = both(text)
    assert not used
    assert same(fast, plain)


def test_many_columns_of_text_are_left_to_the_plain_road(both):
    fast, plain, used = both("a,b,c,d\nx,y,z,1\nu,v,w,2\n", share=0.5)
    assert not used
    assert same(fast, plain)


def test_numbers_that_stand_for_missing_are_left_to_the_plain_road(both):
    fast, plain, used = both("a,b\n-999,1\n-999.0,2\n", missing=("-999",))
    assert not used
    assert same(fast, plain)
    assert np.isnan(plain[0].column("a")).all()


def test_wide_characters_are_left_to_the_plain_road(both):
    text = "a,b\n1,2.5\n".encode("utf-16")
    fast, plain, used = both(text, encoding="utf-16")
    assert not used
    assert same(fast, plain)


def test_a_really_wide_table_is_read_without_a_copy_of_its_numbers(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 3000))
    text = io.StringIO()
    text.write(",".join(["class", *(f"g{j}" for j in range(3000))]) + "\n")
    for label, row in zip("xyxyx", X.tolist(), strict=True):
        text.write(",".join([label, *map(repr, row)]) + "\n")
    file = tmp_path / "wide.csv"
    file.write_text(text.getvalue())
    examples, _ = read_table(str(file), CsvFormat(missing=MISSING, roles=(("class", "label"),)))
    assert examples.numeric().tobytes() == X.tobytes()
    assert examples.numeric().flags.c_contiguous
    assert examples.nominal_values("class") == list("xyxyx")


def test_a_table_of_many_rows_is_left_to_the_plain_road(tmp_path, monkeypatch):
    taken = []
    monkeypatch.setattr(wide_csv, "read_wide_numbers", lambda *a: taken.append(a))
    file = tmp_path / "x.csv"
    for rows in (100, 300):
        line = ",".join(["1.5"] * 1000) + "\n"
        file.write_text(",".join(f"c{j}" for j in range(1000)) + "\n" + line * rows)
        assert len(read_table(str(file), CsvFormat())[0]) == rows
    assert len(taken) == 1


def test_gaps_do_not_make_a_column_text(both):
    path = both("a,b\nNA,1.5\n2.5,?\n", share=0.0)
    assert_fast_and_same(*path)


@pytest.mark.parametrize("others", [("?", "3"), ("?", "1.5"), ("1.5", "3"), ("7", "3")])
def test_the_sign_of_zero_is_that_of_the_plain_road(tmp_path, others):
    file = tmp_path / "zeros.csv"
    rows = [[cell] * 1200 for cell in ("-0", *others)]
    rows[0][5] = "-0.0"
    lines = [",".join(f"c{j}" for j in range(1200)), *(",".join(row) for row in rows)]
    file.write_text("\n".join(lines) + "\n")
    wide, plain = (read_csv(path=str(file)), pd.read_csv(file, na_values=["?"]))
    found = np.column_stack([wide.column(f"c{j}") for j in range(8)])
    expected = plain.iloc[:, :8].to_numpy(float)
    assert found.tobytes() == expected.tobytes()
