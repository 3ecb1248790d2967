"""Text files: every layout read exactly, everything odd told in a sentence."""

import os
import random
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.errors import DataError, StorageError
from fsops.storage import tables
from fsops.storage.tables import CsvFormat, csv_metadata, read_table

MISSING = ("", "?", "NA")
RAW = ("Traceback", "<class", "object at", "pandas", "Errno", "\n")


@contextmanager
def refused(*words, error=DataError):
    """Expect an error whose sentence has all the given words."""
    with pytest.raises(error) as caught:
        yield
    message = str(caught.value)
    assert [word for word in words if word not in message] == [], message
    assert [sign for sign in RAW if sign in message] == [], message
    assert message[0].isupper() or message[0] == '"', message
    assert message[-1] in ".?", message


@pytest.fixture
def read(tmp_path):
    """Return a function that reads text or bytes as a table; a library's warning is an error."""

    def reader(content, **layout):
        file = tmp_path / "data.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return read_table(str(file), CsvFormat(**({"missing": MISSING} | layout)))

    return reader


def types_of(examples):
    return {a.name: str(a.value_type) for a in examples.attributes}


def rows_of(examples):
    frame = examples.to_pandas().astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


# --- layouts --------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("told", [True, False])
def test_common_separators_are_found_or_told(read, separator, told):
    text = separator.join("abc") + "\n" + separator.join(["1", "x", "2.5"]) + "\n"
    examples, found = read(text, separator=separator if told else "auto")
    assert types_of(examples) == {"a": "integer", "b": "binominal", "c": "real"}
    assert rows_of(examples) == [[1, "x", 2.5]]
    assert found == []


@pytest.mark.parametrize(("told", "used"), [("tab", "\t"), (r"\t", "\t"), (" ", " "), (":", ":")])
def test_unusual_separators_can_be_told(read, told, used):
    assert rows_of(read(f"a{used}b\n1{used}2\n", separator=told)[0]) == [[1, 2]]


def test_separators_inside_quotes_do_not_count(read):
    examples, _ = read('"a;b;c",d\n"1;2",3\n')
    assert examples.names == ("a;b;c", "d")
    assert rows_of(examples) == [["1;2", 3]]


def test_quoted_cells_may_hold_quotes_separators_and_line_breaks(read):
    examples, _ = read('"na""me","two\nlines"\n"a ""b"", c","x\ny"\n')
    assert examples.names == ('na"me', "two\nlines")
    assert rows_of(examples) == [['a "b", c', "x\ny"]]


@pytest.mark.parametrize("header", [True, False])
def test_a_decimal_comma_is_not_taken_for_a_separator(read, header):
    text = "a;b\n" * header + "1,5;2,25\n-3,0;1e3\n"
    examples, _ = read(text, decimal=",", header=header)
    assert examples.numeric().tolist() == [[1.5, 2.25], [-3.0, 1000.0]]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_of_every_system_are_read(read, ending):
    examples, _ = read(ending.join(["a,b", "1,2", "3,4", ""]))
    assert examples.numeric().tolist() == [[1, 2], [3, 4]]


def test_the_last_line_needs_no_ending_and_empty_lines_are_passed_over(read):
    assert rows_of(read("a,b\n1,2\n\n3,4")[0]) == [[1, 2], [3, 4]]


def test_columns_are_counted_where_there_are_no_names(read):
    examples, _ = read("1,x\n2,y\n", header=False)
    assert examples.names == ("att1", "att2")
    assert len(examples) == 2


def test_a_column_without_a_name_gets_one(read):
    assert read("a,,c\n1,2,3\n")[0].names == ("a", "att2", "c")
    assert read(",b\n1,2\n")[0].names == ("row.names", "b")  # as R and pandas write it


def test_a_separator_at_the_end_of_each_row_is_passed_over(read):
    examples, _ = read("a,b\n1,2,\n3,,\n")
    assert rows_of(examples) == [[1, 2], [3, None]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "UTF_8", "latin-1", "utf-16", "cp1252"])
def test_texts_are_read_in_their_encoding(read, encoding):
    examples, _ = read('"Größe",b\nÄ,1\n'.encode(encoding), encoding=encoding)
    assert examples.names == ("Größe", "b")
    assert rows_of(examples) == [["Ä", 1]]


@pytest.mark.parametrize("name", ["utf-8", "UTF-8", "utf_8", "utf8"])
def test_a_byte_order_mark_is_no_part_of_the_first_name(read, name):
    for header in ("a", '"a"'):
        examples, _ = read(f"{header},b\n1,2\n".encode("utf-8-sig"), encoding=name)
        assert examples.names == ("a", "b")


# --- values ---------------------------------------------------------------------------------


DOUBLES = st.floats(allow_nan=False).map(repr)
DECIMALS = st.from_regex(r"[+-]?[0-9]{1,25}\.[0-9]{1,25}(e[+-]?[0-9]{1,2})?", fullmatch=True)


@given(st.lists(DOUBLES | DECIMALS, min_size=1, max_size=30))
@settings(deadline=None, max_examples=40)
def test_every_number_is_the_one_python_reads(tmp_path_factory, texts):
    file = tmp_path_factory.mktemp("numbers") / "x.csv"
    file.write_text("\n".join(["x", *texts, "0.5"]) + "\n")
    column = read_table(str(file), CsvFormat())[0].column("x")
    expected = np.array([*map(float, texts), 0.5])
    assert column.tobytes() == expected.tobytes()


def test_a_hundred_thousand_numbers_are_the_ones_python_reads(read):
    draw = random.Random(1)
    texts = [repr(draw.uniform(-1, 1) * 10 ** draw.randint(-300, 300)) for _ in range(100_000)]
    column = read("\n".join(["x", *texts]))[0].column("x")
    assert column.tobytes() == np.array([float(text) for text in texts]).tobytes()


def test_values_get_their_types(read):
    examples, found = read(
        "real,whole,flag,name,date,gap\n1.5,1,True,x,2024-01-31,1\n-2e3,2,False,y,2024-02-29,\n"
    )
    assert types_of(examples) == {
        "real": "real",
        "whole": "integer",
        "flag": "binominal",
        "name": "binominal",
        "date": "binominal",
        "gap": "real",
    }
    assert found == []


def test_what_stands_for_missing_is_missing_in_every_kind_of_column(read):
    examples, _ = read("a,b,c\n1,x,?\nNA,?,2\n,NA,3\n")
    assert rows_of(examples) == [[1, "x", None], [None, None, 2], [None, None, 3]]


def test_other_words_can_stand_for_missing(read):
    examples, _ = read("a,b\n-999,NA\n1,none\n", missing=("-999", "none"))
    assert rows_of(examples) == [[None, "NA"], [1, None]]


def test_a_column_of_nothing_is_numerical_and_missing(read):
    examples, found = read("a,b\n1,\n2,\n")
    assert rows_of(examples) == [[1, None], [2, None]]
    assert types_of(examples)["b"] == "real"
    assert found == []


@pytest.mark.parametrize(
    ("wanted", "values"),
    [
        ("polynominal", ["007", None, "010"]),
        ("nominal", ["007", None, "010"]),
        ("text", ["007", None, "010"]),
        ("real", [7, None, 10]),
    ],
)
def test_a_type_can_be_told(read, wanted, values):
    examples, _ = read("code,b\n007,1\n?,2\n010,3\n", types=(("code", wanted),))
    assert [row[0] for row in rows_of(examples)] == values


def test_dates_can_be_told(read):
    examples, _ = read("d\n2024-01-31\n?\n", types=(("d", "date"),))
    assert examples.column("d").astype(str).tolist() == ["2024-01-31T00:00:00.000000", "NaT"]


def test_roles_can_be_told(read):
    examples, _ = read("a,b,c\n1,x,r1\n", roles=(("b", "label"), ("c", "id")))
    assert examples.label.name == "b"
    assert examples.schema.special("id").name == "c"


def test_a_text_in_a_column_of_numbers_is_told_with_its_row(read):
    text = "a,b\n" + "\n".join(f"{i},{i}" for i in range(20)) + "\noops,20\n"
    examples, found = read(text)
    assert types_of(examples) == {"a": "polynominal", "b": "integer"}
    assert found == [
        '"a" looks numerical, but row 21 holds "oops": read as nominal. '
        "Correct the value, or add it to missing_values."
    ]


def test_many_columns_with_slips_are_told_in_a_few_lines(read):
    names = [f"S{number}" for number in range(30)]
    rows = [["ill"] * 30, *([str(row)] * 30 for row in range(20))]
    _, found = read("\n".join(map(",".join, [names, *rows])))
    assert len(found) == 4
    assert found[-1] == 'So it is with "S3", "S4", "S5" and 24 more.'


@pytest.mark.parametrize("cells", [["x", "y", "1"], ["1", "2", "x"]])
def test_a_column_with_several_texts_is_nominal_without_a_word(read, cells):
    examples, found = read("\n".join(["a", *cells]))
    assert types_of(examples) == {"a": "polynominal"}
    assert found == []


def test_a_slip_is_not_told_where_the_type_was(read):
    text = "a\n" + "\n".join(map(str, range(20))) + "\noops\n"
    assert read(text, types=(("a", "polynominal"),))[1] == []


@pytest.mark.parametrize(("decimal", "other"), [(".", ","), (",", ".")])
def test_decimals_of_the_other_kind_are_told(read, decimal, other):
    text = f"name;weight\nAnna;75\nBert;61{other}5\nCleo;\n"
    examples, found = read(text, decimal=decimal)
    assert types_of(examples)["weight"] == "binominal"
    assert found == [
        f'"weight" is read as nominal, but looks numerical with "{other}" before the decimals: '
        f'row 2 holds "61{other}5". Set decimal_character to "{other}".'
    ]
    examples, found = read(text, decimal=other)
    assert examples.column("weight").tolist()[:2] == [75, 61.5]
    assert found == []


@pytest.mark.parametrize("cells", [["1,234", "12,345,678"], ["1,5", "x"], ["a,b", "c"]])
def test_thousands_and_words_with_commas_are_no_decimals(read, cells):
    assert read("a;b\n" + "".join(f"{cell};1\n" for cell in cells))[1] == []


def test_utf_16_is_known_by_its_mark(read):
    with refused("not utf-8 text", "Set the encoding to utf-16."):
        read("a,b\n1,2\n".encode("utf-16"))


def test_a_column_that_is_not_there_is_told_with_those_that_are(read):
    with refused('no column "zz" to skip', 'There are "a", "b".'):
        read("a,b\n1,2\n", skip=("zz",))
    with refused('no column "zz" to give a role or type to', 'There are "a", "b".'):
        read("a,b\n1,2\n", roles=(("zz", "label"),))
    with refused('"a" is given a role or type, but is skipped too'):
        read("a,b\n1,2\n", roles=(("a", "label"),), skip=("a",))


def test_one_column_is_told_in_the_singular(read):
    with refused("has 3 values, but there is 1 column.", "set column_separator"):
        read("study\na,b,c\n1,2,3\n")


def test_a_slip_is_found_beside_decimal_commas(read):
    text = "a;b\n" + "\n".join(f"{i},5;1" for i in range(20)) + "\noops;1\n"
    _, found = read(text, decimal=",")
    assert 'row 21 holds "oops"' in found[0]


# --- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "values"),
    [
        ("a,b,c\n1,2,3\n4,5\n", 3, 2),
        ("a,b,c\n1,2,3\n4,5,6,7\n", 3, 4),
        ("a,b,c\n1,2\n4,5,6\n", 2, 2),
        ("a,b,c\n1,2,3,4\n4,5,6\n", 2, 4),
        ('a,b,c\n1,"two\nlines",3\n4\n', 4, 1),
        ("a,b,c\n1,2,\n3,4\n", 3, 2),
    ],
)
def test_a_row_that_is_too_short_or_too_long_is_named_by_its_line(read, text, line, values):
    noun = "value" if values == 1 else "values"
    with refused(f"Line {line} ", '"data.csv"', f"{values} {noun}", "3 columns", "quotes"):
        read(text)


def test_rows_are_counted_from_the_first_where_there_are_no_names(read):
    with refused("Line 2 ", "1 value", "2 columns"):
        read("1,2\n3\n", header=False)


@pytest.mark.parametrize("content", ["", "\n", "  \n1\n", b"\xef\xbb\xbf", ",,\n1,2,3\n"])
def test_an_empty_file_is_refused(read, content):
    with refused('"data.csv"', "empty", "first line"):
        read(content)


def test_names_without_rows_are_refused(read):
    with refused("data.csv", "no rows", "first_row_as_names"):
        read("a,b\n")


def test_names_that_occur_twice_are_refused(read):
    with refused('"data.csv"', '"a", "c"', "Set duplicates to number, mean or first"):
        read("a,b,a,c,c\n1,2,3,4,5\n")


def test_a_quote_that_is_not_closed_is_refused(read):
    with refused('Line 2 of "data.csv": a quote is opened and never closed', "Close or remove"):
        read('a,b\n"1,2\n3,4\n')
    with refused("Line 2", "a quote is opened and never closed"):
        read('a,b,outcome\n1,"2,x\n3,4,y\n5,6,x\n')


def test_bytes_that_are_not_text_are_refused(read):
    with refused('"data.csv"', "not utf-8 text", "Set the encoding"):
        read("a,b\nü,2\n".encode("latin-1"))
    with refused('"data.csv"', "not utf-8 text"):
        read(b"a,b\n" + b"1,2\n" * 100_000 + b"\xff,2\n")
    with refused('"data.csv"', "not utf-16 text"):
        read("a,b\n1,2\n", encoding="utf-16")


@pytest.mark.parametrize("name", ["nonsense", "base64", "", "a\0b"])
def test_an_encoding_that_does_not_exist_is_refused(read, name):
    with refused("encoding", "Try utf-8 or latin-1."):
        read("a,b\n1,2\n", encoding=name)


@pytest.mark.parametrize("separator", ["", ",,", '"', "\r", "\n", "§"])
def test_a_separator_is_one_plain_character(read, separator):
    with refused("separator", "one character", "comma"):
        read("a,b\n1,2\n", separator=separator)


def test_separator_and_decimal_character_differ(read):
    with refused('","', "separator", "decimal", "another"):
        read("a,b\n1,2\n", separator=",", decimal=",")


def test_a_cell_without_end_is_refused(read):
    with refused('"data.csv"', "not a proper table"):
        read("x" * 200_000 + "\n1\n")


def test_an_unknown_column_is_named_and_another_suggested(read):
    with refused('"heigth"', 'Did you mean "height"?'):
        read("height,b\n1,2\n", roles=(("heigth", "label"),))
    with refused('"heigth"', 'Did you mean "height"?'):
        read("height,b\n1,2\n", types=(("heigth", "real"),))


def test_a_text_where_a_number_was_told_is_named_by_its_row(read):
    with refused('"a"', "real", "row 2", '"x"'):
        read("a\n1\nx\n", types=(("a", "real"),))


def test_a_whole_number_that_would_be_rounded_is_refused(read):
    with refused('"id"', "9007199254740993", "row 1", "polynominal"):
        read("id,b\n9007199254740993,1\n")
    examples, _ = read("id,b\n9007199254740993,1\n", types=(("id", "polynominal"),))
    assert examples.nominal_values("id") == ["9007199254740993"]


# --- files ----------------------------------------------------------------------------------


def test_a_folder_is_not_a_file(tmp_path):
    with refused(tmp_path.name, "folder", "Choose", error=StorageError):
        read_table(str(tmp_path), CsvFormat())


def test_a_missing_file_is_told_with_what_might_be_meant(tmp_path):
    (tmp_path / "golf.csv").write_text("a\n1\n")
    with refused("golff.csv", 'Did you mean "golf.csv"?', error=StorageError):
        read_table(str(tmp_path / "golff.csv"), CsvFormat())
    with refused("zzzzzz.csv", 'The folder has "golf.csv".', error=StorageError):
        read_table(str(tmp_path / "zzzzzz.csv"), CsvFormat())


@pytest.mark.parametrize("name", ["no/such/folder.csv", "golf.csv/inside.csv", "nul\0.dat", "x.y"])
def test_a_path_that_leads_nowhere_is_told(tmp_path, name):
    (tmp_path / "golf.csv").write_text("a\n1\n")
    with refused("There is no file", "Check the path", error=StorageError):
        read_table(f"{tmp_path}/{name}", CsvFormat())


def test_a_name_that_is_too_long_is_told(tmp_path):
    with refused("cannot be read", "too long", error=StorageError):
        read_table(str(tmp_path / ("x" * 300)), CsvFormat())


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
def test_a_device_is_not_read_for_ever():
    with refused("/dev/zero", "device", error=StorageError):
        read_table("/dev/zero", CsvFormat())


def test_a_file_that_may_not_be_read_is_told(tmp_path, monkeypatch):
    file = tmp_path / "secret.csv"
    file.write_text("a\n1\n")

    def forbidden(*args, **kwargs):
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "open", forbidden)
    with refused("secret.csv", "Permission denied", "permissions", error=StorageError):
        read_table(str(file), CsvFormat())


def test_a_folder_that_may_not_be_entered_is_told(tmp_path, monkeypatch):
    def forbidden(*args, **kwargs):
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "stat", forbidden)
    with refused("x.csv", "Permission denied", "permissions", error=StorageError):
        read_table(str(tmp_path / "x.csv"), CsvFormat())


# --- metadata -------------------------------------------------------------------------------


def test_what_a_file_holds_is_known_before_the_run(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    layout = CsvFormat(roles=(("b", "label"),))
    known = csv_metadata(str(file), layout)
    assert known.rows == 2
    assert known.schema == read_table(str(file), layout)[0].schema


def test_a_changed_file_is_described_anew(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,x\n")
    assert csv_metadata(str(file), CsvFormat()).rows == 1
    file.write_text("a,b\n1,x\n2,y\n")
    os.utime(file, ns=(0, 10**18))
    assert csv_metadata(str(file), CsvFormat()).rows == 2


def test_a_large_file_is_not_read_to_describe_it(tmp_path, monkeypatch):
    file = tmp_path / "x.csv"
    file.write_text("not,a\nproper table")
    monkeypatch.setattr(tables, "DESCRIBED_CSV", 5)
    known = csv_metadata(str(file), CsvFormat())
    assert (known.schema, known.rows) == (None, None)


def long_ago(file):
    os.utime(file, ns=(10**18, 10**18))


def test_a_file_that_was_read_to_describe_it_is_not_read_again(tmp_path, monkeypatch):
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    long_ago(file)
    expected, _ = read_table(str(file), CsvFormat())
    csv_metadata(str(file), CsvFormat())
    with monkeypatch.context() as patched:
        patched.setattr(tables, "_read", None)
        assert read_table(str(file), CsvFormat())[0].equals(expected)
    # Once: a table that nobody needs is not kept.
    assert read_table(str(file), CsvFormat())[0].equals(expected)


@pytest.mark.parametrize("keep_times", [True, False])
def test_a_file_that_was_changed_after_it_was_described_is_read_again(tmp_path, keep_times):
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    long_ago(file)
    csv_metadata(str(file), CsvFormat())
    file.write_text("a,b\n7,x\n8,y\n")
    if keep_times:
        long_ago(file)
    assert read_table(str(file), CsvFormat())[0].column("a").tolist() == [7.0, 8.0]


def test_a_file_that_was_written_just_now_is_read_again(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    csv_metadata(str(file), CsvFormat())
    assert not tables._just_read


def test_another_layout_is_read_again(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    long_ago(file)
    csv_metadata(str(file), CsvFormat())
    assert read_table(str(file), CsvFormat(skip=("b",)))[0].names == ("a",)


def test_a_missing_file_is_told_before_the_run(tmp_path):
    with refused("nothing.csv", "Check the path", error=StorageError):
        csv_metadata(str(tmp_path / "nothing.csv"), CsvFormat())


@pytest.mark.parametrize(
    ("begin", "words"),
    [
        (b"PK\x03\x04rest", "is compressed, but damaged or incomplete"),
        (b"PAR1rest", "is a Parquet file, not text. Use Read Parquet"),
        (b"\x1f\x8brest", "is compressed, but damaged or incomplete"),
    ],
)
def test_files_of_another_format_are_recognised(tmp_path, begin, words):
    file = tmp_path / "table.csv"
    file.write_bytes(begin)
    with pytest.raises(DataError, match=words):
        read_table(str(file), CsvFormat())


def test_columns_of_every_kind_are_judged_together_as_alone(read):
    """All text columns are looked at in one go, with their own gaps and rows."""
    columns = {
        "good": ["1.5", "2", "", "-3"],
        "slip": ["", *["7"] * 18, "7;x"],
        "comma": ["1,5", "", "2,25", "4"],
        "thousands": ["1,234", "2,345", "3,456", ""],
        "words": ["a", "b", "", "c"],
        "comma and word": ["1,5", "x", "2,5", "3,5"],
        "nothing": [""] * 4,
    }
    rows = [[cells[i % len(cells)] for cells in columns.values()] for i in range(20)]
    text = "\n".join("\t".join(row) for row in [list(columns), *rows])
    _, together = read(text)
    alone = []
    for j, name in enumerate(columns):
        lines = [f"{name}\trow", *(f"{row[j]}\t{i}" for i, row in enumerate(rows))]
        alone += read("\n".join(lines))[1]
    assert together == alone
    assert len(alone) == 2
