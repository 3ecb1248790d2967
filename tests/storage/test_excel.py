"""Excel workbooks, read and written by way of openpyxl."""

import datetime
import sys

import numpy as np
import pytest

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.errors import DataError, StorageError
from fsops.storage.excel import MOST_COLUMNS, ExcelFormat, read_excel_table, write_excel_table
from fsops.testing.data import make_examples

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")


@pytest.fixture
def file(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "First"
    sheet.append(["id", "whole", "real", "gap", "flag", "day", "word", "mixed"])
    day = datetime.datetime(2024, 1, 31)
    sheet.append(["r1", 1, 1.5, 1, True, day, "x", 1])
    sheet.append([None])
    sheet.append(["r2", 2, 2, None, False, day, "NA", "one"])
    book.create_sheet("Second").append(["a"])
    book["Second"].append([7])
    path = tmp_path / "book.xlsx"
    book.save(path)
    return str(path)


def test_columns_get_their_types_and_empty_rows_are_passed_over(file):
    examples = read_excel_table(file, ExcelFormat(missing=("NA",), roles=(("id", "id"),)))
    kinds = {a.name: str(a.value_type) for a in examples.attributes}
    assert kinds == {
        "id": "binominal",
        "whole": "integer",
        "real": "real",
        "gap": "integer",
        "flag": "binominal",
        "day": "date",
        "word": "binominal",
        "mixed": "binominal",
    }
    assert examples.schema.special("id").name == "id"
    assert examples.nominal_values("word") == ["x", None]
    assert examples.nominal_values("mixed") == ["1", "one"]
    assert examples.nominal_values("flag") == ["true", "false"]
    assert examples.column("day")[0] == np.datetime64("2024-01-31")


def test_sheets_are_found_by_name_or_number(file):
    for sheet in ("Second", "2", 2):
        assert read_excel_table(file, ExcelFormat(sheet=sheet)).column("a").tolist() == [7]
    with pytest.raises(DataError, match='no sheet "Secnd". Did you mean "Second"'):
        read_excel_table(file, ExcelFormat(sheet="Secnd"))
    with pytest.raises(DataError, match='no sheet "3". There are "First", "Second"'):
        read_excel_table(file, ExcelFormat(sheet="3"))


def test_types_and_columns_to_skip_are_followed(file):
    layout = ExcelFormat(types=(("whole", "polynominal"),), skip=("day", "mixed"))
    examples = read_excel_table(file, layout)
    assert examples.nominal_values("whole") == ["1", "2"]
    assert "day" not in examples.schema
    with pytest.raises(DataError, match='no column "dy" to skip. Did you mean "day"'):
        read_excel_table(file, ExcelFormat(skip=("dy",)))


@pytest.mark.parametrize(
    ("cells", "odd"),
    [([*range(19), "oops"], 'row 20 holds "oops"'), ([1, "#DIV/0!", "#N/A"], 'row 2 holds "#DIV')],
)
def test_texts_among_numbers_are_told_with_their_row(tmp_path, cells, odd):
    book = openpyxl.Workbook()
    for cell in ["a", *cells]:
        book.active.append([cell])
    book.save(tmp_path / "x.xlsx")
    told = []
    read_excel_table(str(tmp_path / "x.xlsx"), ExcelFormat(), told.append)
    assert len(told) == 1
    assert told[0].startswith('"a" looks numerical, but ' + odd)
    told.clear()
    read_excel_table(str(tmp_path / "x.xlsx"), ExcelFormat(types=(("a", "text"),)), told.append)
    assert told == []


def test_a_column_of_words_and_numbers_is_nominal_without_a_word(file):
    told = []
    read_excel_table(file, ExcelFormat(missing=("NA",)), told.append)
    assert told == []


def test_names_can_be_left_out(file):
    examples = read_excel_table(file, ExcelFormat(sheet="Second", header=False))
    assert examples.names == ("att1",)
    assert examples.nominal_values("att1") == ["a", "7"]


def test_a_table_comes_back_bit_for_bit(tmp_path):
    examples = make_examples(60, 4, 2, missing=0.1)
    whole = np.arange(60.0)
    whole[3] = np.nan
    examples = examples.with_columns(
        [
            (Attribute("i", ValueType.INTEGER), whole),
            (Attribute("thirds"), np.append(np.arange(59) / 3, -0.0)),
            (Attribute("ones"), np.ones(60)),
            (
                Attribute("d", ValueType.DATE),
                np.datetime64("2024-02-28T10:20:30", "us") + np.arange(60) * np.timedelta64(1, "h"),
            ),
        ]
    )
    file = str(tmp_path / "x.xlsx")
    write_excel_table(examples, file, sheet="Data", header=True)
    again = read_excel_table(file, ExcelFormat(roles=(("label", "label"),)))
    assert again.equals(examples)


def test_texts_that_look_like_formulas_or_errors_stay_texts(tmp_path):
    texts = ["=1+1", "#N/A", "+1", "'x", "1"]
    column = (Attribute("=t", ValueType.TEXT), np.array(texts, dtype=object))
    file = str(tmp_path / "x.xlsx")
    write_excel_table(ExampleSet.from_columns([column], 5), file, sheet="Data", header=True)
    again = read_excel_table(file, ExcelFormat(types=(("=t", "text"),)))
    assert again.column("=t").tolist() == texts


def one(values, kind=ValueType.REAL):
    return ExampleSet.from_columns([(Attribute("x", kind), np.asarray(values))], len(values))


@pytest.mark.parametrize(
    ("examples", "words"),
    [
        (one([np.inf]), "infinite value, which Excel does not know"),
        (one(np.array(["1899-01-01"], "datetime64[us]"), ValueType.DATE), "before March 1900"),
        (one(np.array(["a\x01"], object), ValueType.TEXT), "does not allow"),
        (one(np.array(["a" * 40_000], object), ValueType.TEXT), "40,000 characters"),
        (ExampleSet.from_numpy(np.ones((1, MOST_COLUMNS + 1))), "16,385 attributes"),
    ],
)
def test_what_excel_cannot_hold_is_told(tmp_path, examples, words):
    with pytest.raises(DataError, match=words):
        write_excel_table(examples, str(tmp_path / "x.xlsx"), sheet="Data", header=True)
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_told(tmp_path):
    file = tmp_path / "x.xlsx"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="not an Excel workbook"):
        read_excel_table(str(file), ExcelFormat())
    with pytest.raises(StorageError, match="There is no file"):
        read_excel_table(str(tmp_path / "no.xlsx"), ExcelFormat())


def test_a_missing_package_is_named_with_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(StorageError, match=r'openpyxl.*pip install "fsops\[excel\]"'):
        read_excel_table(str(tmp_path / "x.xlsx"), ExcelFormat())
    with pytest.raises(StorageError, match="openpyxl"):
        write_excel_table(make_examples(), str(tmp_path / "x.xlsx"), sheet="Data", header=True)
