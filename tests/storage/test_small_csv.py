"""Small text files: what is read without pandas is what pandas reads."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from fsops.data import ValueType
from fsops.errors import DataError
from fsops.storage import tables
from fsops.storage.small_csv import small_columns
from fsops.storage.tables import CsvFormat, read_table

MISSING = ("", "?", "NA")


def columns_of(text, missing=MISSING):
    names = text.split("\n")[0].split(",")
    return small_columns(text, names, ",", missing, header=True)


def test_numbers_words_and_gaps_get_their_types():
    columns = columns_of("i,r,g,w,n\n1,1.5,?,x,\n-2,.5,3,y,?\n")
    kinds = [attribute.value_type for attribute, _ in columns]
    assert kinds == [ValueType.INTEGER, *[ValueType.REAL] * 2, ValueType.BINOMINAL, ValueType.REAL]
    assert columns[0][1].tolist() == [1, -2]
    assert columns[1][1].tolist() == [1.5, 0.5]
    assert np.isnan(columns[2][1]).tolist() == [True, False]
    assert columns[3][0].categories == ("x", "y")
    assert np.isnan(columns[4][1]).all()


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n"1",2\n',
        "a,b\n1,2\n3\n",
        "a,b\n1,2\n\n3,4\n",
        "a,b\r1,2\r",
        "a,b\nTrue,1\nFalse,2\n",
        "a,b\n 1,2\n",
        "a,b\ninf,2\n",
        "a,b\n1,2\noops,3\n",
        "a,b\n2024-01-31,2\n",
        "a,b\n1234567890123456,2\n",
        "a,b\n1.5,2\n1234567890123456,2\n",
        "a,b\n",
    ],
)
def test_what_might_be_read_otherwise_is_left_alone(text):
    assert columns_of(text) is None


def test_numbers_that_stand_for_missing_are_left_alone():
    assert columns_of("a,b\n-999,1\n", missing=("-999",)) is None


CELL = (
    st.floats(allow_nan=False).map(repr)
    | st.integers(-(10**17), 10**17).map(str)
    | st.sampled_from(["", "?", "NA", "x", "yes", "-0", "1e5", "True", '"q"', " 1", "1 ", "é", "-"])
    | st.text("abc.+-e12 \t", max_size=4)
)


@given(
    st.integers(1, 4).flatmap(
        lambda p: st.lists(st.lists(CELL, min_size=p, max_size=p), min_size=1, max_size=6)
    )
)
@example([["?"], ["-0"]])
@example([["1.5"], ["-0"]])
@example([["-0"], ["7"]])
@settings(deadline=None, max_examples=150)
def test_any_small_table_is_the_same_on_both_roads(tmp_path_factory, rows):
    file = tmp_path_factory.mktemp("small") / "x.csv"
    names = ",".join(f"c{j}" for j in range(len(rows[0])))
    file.write_text("\n".join([names, *(",".join(row) for row in rows)]) + "\n")
    found = []
    for size in (2**18, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tables, "SMALL_BYTES", size)
            try:
                found.append(read_table(str(file), CsvFormat(separator=",", missing=MISSING)))
            except DataError as error:
                found.append(str(error))
    small, plain = found
    if isinstance(plain, str):
        assert small == plain
    else:
        assert small[0].equals(plain[0])
        assert small[1] == plain[1]


def test_a_small_file_is_read_without_pandas(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,b,class\n1,2.5,x\n2,,y\n")
    code = (
        "import sys; from fsops.operators import read_csv; "
        f"print(len(read_csv(path={str(file)!r}, label='class')), 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]
