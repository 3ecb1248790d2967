"""Tables as text files: what is written is read again, bit for bit."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.errors import DataError, StorageError
from fsops.storage.csv_writer import CsvStyle, safe_text, write_csv_table
from fsops.storage.tables import CsvFormat, read_table
from fsops.testing.data import make_examples


@pytest.fixture
def mixed():
    return ExampleSet.from_columns(
        [
            (Attribute("r"), np.array([0.1, np.nan, -np.inf])),
            (Attribute("i", ValueType.INTEGER), np.array([1.0, np.nan, -3.0])),
            (Attribute.nominal("n", ["a;b", 'say "x"']), np.array([0, 1, -1], np.int32)),
            (Attribute("t", ValueType.TEXT), np.array(["two\nlines", None, "x"], object)),
            (
                Attribute("d", ValueType.DATE),
                np.array(["2024-01-31", "NaT", "2024-01-31T10:20:30.5"], "datetime64[us]"),
            ),
        ],
        3,
    )


def rows_of(file, delimiter=";"):
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream, delimiter=delimiter))


def test_every_kind_of_value_is_written(mixed, tmp_path):
    file = tmp_path / "x.csv"
    write_csv_table(mixed, str(file), CsvStyle())
    assert rows_of(file) == [
        ["r", "i", "n", "t", "d"],
        ["0.1", "1", "a;b", "two\nlines", "2024-01-31T00:00:00"],
        ["", "", 'say "x"', "", ""],
        ["-inf", "-3", "", "x", "2024-01-31T10:20:30.500000"],
    ]


def test_a_table_comes_back_with_its_label_named(tmp_path):
    file, examples = tmp_path / "x.csv", make_examples(60, 4, 2)
    write_csv_table(examples, str(file), CsvStyle())
    again, _ = read_table(str(file), CsvFormat(roles=(("label", "label"),)))
    assert again.equals(examples)


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20))
@settings(deadline=None, max_examples=50)
def test_every_number_comes_back_bit_for_bit(tmp_path_factory, numbers):
    file = tmp_path_factory.mktemp("csv") / "x.csv"
    X = np.array([*numbers, 0.5])[:, None] * np.ones(2)
    write_csv_table(ExampleSet.from_numpy(X), str(file), CsvStyle(","))
    assert read_table(str(file), CsvFormat())[0].numeric().tobytes() == X.tobytes()


def test_a_wide_table_comes_back_bit_for_bit(tmp_path):
    X = np.random.default_rng(0).normal(size=(4, 5000))
    file = tmp_path / "x.csv"
    write_csv_table(ExampleSet.from_numpy(X), str(file), CsvStyle())
    assert read_table(str(file), CsvFormat())[0].numeric().tobytes() == X.tobytes()


def test_the_layout_can_be_chosen(mixed, tmp_path):
    file = tmp_path / "x.csv"
    style = CsvStyle("tab", ",", "utf-16", header=False, quote_all=False)
    write_csv_table(mixed.select(["r", "n"]), str(file), style)
    assert file.read_text("utf-16") == '0,1\ta;b\n\t"say ""x"""\n-inf\t\n'


@pytest.mark.parametrize(
    ("style", "words"),
    [
        (CsvStyle(encoding="ascii"), "cannot be written in ascii. Set the encoding to utf-8"),
        (CsvStyle(encoding="nonsense"), "no encoding"),
        (CsvStyle(encoding="base64"), "not an encoding of text"),
        (CsvStyle(","), None),
        (CsvStyle(",", ","), "both the separator and the decimal"),
        (CsvStyle("auto"), "must be one character"),
    ],
)
def test_what_cannot_be_written_is_told_and_leaves_the_old_file(tmp_path, style, words):
    file = tmp_path / "x.csv"
    file.write_text("old")
    examples = ExampleSet.from_numpy(np.ones((2, 1)), names=["größe"])
    if words is None:
        write_csv_table(examples, str(file), style)
        assert file.read_text() == '"größe"\n1.0\n1.0\n'
        return
    with pytest.raises(DataError, match=words):
        write_csv_table(examples, str(file), style)
    assert file.read_text() == "old"
    assert [f.name for f in tmp_path.iterdir()] == ["x.csv"]


def test_a_folder_that_is_not_there_is_told(mixed, tmp_path):
    with pytest.raises(StorageError, match="its folder does not exist"):
        write_csv_table(mixed, str(tmp_path / "no" / "x.csv"), CsvStyle())


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", " =1", "＝1+1", '=HYPERLINK("x")']
)
def test_texts_that_a_spreadsheet_would_execute_are_written_as_texts(text):
    assert safe_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=b", "-1.5", "+3", "gene-1", "1-2", "'=1", "-inf"])
def test_other_texts_stay_as_they_are(text):
    assert safe_text(text) == text


def test_a_safe_file_has_no_formula_in_names_and_values(tmp_path):
    from fsops import ExampleSet

    table = ExampleSet.from_numpy(
        [[-1.0], [2.0]], ["=1+1", "fine"], names=["=cmd|x"], label="@label"
    )
    for quote_all in (True, False):
        write_csv_table(table, str(tmp_path / "t.csv"), CsvStyle(safe=True, quote_all=quote_all))
        text = (tmp_path / "t.csv").read_text().replace('"', "")
        assert text == "'=cmd|x;'@label\n-1.0;'=1+1\n2.0;fine\n"
