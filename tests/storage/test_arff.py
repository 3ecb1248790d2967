"""ARFF files: everything declared is read, and what is written comes back bit for bit."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.columns import nominal_column
from fsops.errors import DataError
from fsops.storage.arff import read_arff_table, write_arff_table
from fsops.testing.data import degenerate_names, degenerate_table

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture
def read(tmp_path):
    def reader(text, *, roles=None, skip=()):
        file = tmp_path / "x.arff"
        file.write_text(text, encoding="utf-8")
        return read_arff_table(str(file), encoding="utf-8", roles=roles or {}, skip=skip)

    return reader


HEAD = """% a comment
@RELATION weather
@attribute 'out look' {sunny, 'over cast',"rain, heavy"}
@attribute temperature NUMERIC
@Attribute count integer
@attribute note string
@attribute day date "dd.MM.yyyy HH:mm"
@data
"""


def test_declared_types_categories_and_quotes_are_read(read):
    examples = read(
        HEAD + "'over cast',21.5,3,'it\\'s \\\"ok\\\"',24.12.2023 18:30\n%\n?,?,?,?,?\n"
    )
    assert [str(a.value_type) for a in examples.attributes] == [
        "polynominal",
        "real",
        "integer",
        "text",
        "date",
    ]
    assert examples.attributes[0].categories == ("sunny", "over cast", "rain, heavy")
    assert examples.nominal_values("out look") == ["over cast", None]
    assert examples.column("temperature")[0] == 21.5
    assert examples.column("note").tolist() == ['it\'s "ok"', None]
    assert examples.column("day").astype(str).tolist() == ["2023-12-24T18:30:00.000000", "NaT"]
    assert np.isnan(examples.column("count")[1])


def test_sparse_rows_hold_zero_and_the_first_category_where_nothing_is_written(read):
    text = "@relation x\n@attribute a {u,v}\n@attribute b real\n@attribute c real\n@data\n"
    examples = read(text + "{1 2.5, 2 ?}\n{0 v}\n{}\n")
    assert examples.nominal_values("a") == ["u", "v", "u"]
    assert examples.column("b").tolist() == [2.5, 0, 0]
    assert np.isnan(examples.column("c")).tolist() == [True, False, False]


def test_roles_are_given_and_columns_skipped(read):
    examples = read(HEAD + "sunny,1,2,x,?\n", roles={"out look": "label"}, skip=["day"])
    assert examples.label.name == "out look"
    assert "day" not in examples.schema


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "Line 1 .*not a declaration"),
        ("@relation x\n@attribute a real\n", "has no @data"),
        ("@relation x\n@data\n1\n", "declares no attributes"),
        ("@attribute a relational\n@data\n", 'Line 1 .*"relational".*There are numeric'),
        ("@attribute a {x,y\n@data\n", "Line 1 .*not closed"),
        ("@attribute a\n@data\n", "Line 1 .*does not declare"),
        (HEAD + "sunny,1,2,x\n", "Line 9 .*4 values, but 5 attributes"),
        (HEAD + "snow,1,2,x,?\n", 'Line 9 .*"snow" is not one of the declared values'),
        (HEAD + "suny,1,2,x,?\n", 'Did you mean "sunny"'),
        (HEAD + "sunny,warm,2,x,?\n", 'Line 9 .*"warm" is not a number'),
        (HEAD + "sunny,1,2,x,2023-12-24\n", "Line 9 .*is not a date such as dd.MM.yyyy"),
        (HEAD + "sunny,1,2,'x,?\n", "Line 9 .*Check the quotes"),
        (HEAD + "{9 1}\n", "Line 9 .*counted from 0 to 4"),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", "a"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(read, text, words):
    with pytest.raises(DataError, match=words):
        read(text)


def test_unknown_names_are_told(read):
    with pytest.raises(DataError, match=r'no attribute "dya" to skip. Did you mean "day"'):
        read(HEAD, skip=["dya"])


@pytest.mark.parametrize("name", degenerate_names())
def test_every_table_comes_back_with_types_roles_and_categories(tmp_path, name):
    examples = degenerate_table(name, "binominal", width=40)
    file = tmp_path / "x.arff"
    write_arff_table(examples, str(file), "some table")
    again = read_arff_table(str(file), encoding="utf-8", roles={}, skip=[])
    assert again.equals(examples)


@given(st.lists(st.text(), min_size=1, max_size=6, unique=True), st.lists(st.floats(), min_size=1))
@settings(deadline=None, max_examples=60)
def test_any_text_and_any_number_comes_back(tmp_path_factory, texts, numbers):
    n = max(len(texts), len(numbers))
    cells = np.resize(np.array(texts, dtype=object), n)
    examples = ExampleSet.from_columns(
        [
            (
                Attribute("n"),
                np.where(np.isnan(np.resize(numbers, n)), np.nan, np.resize(numbers, n)),
            ),
            nominal_column(texts[0] + "x", cells.tolist(), role="label"),
            (Attribute("t", ValueType.TEXT), cells),
        ],
        n,
    )
    file = tmp_path_factory.mktemp("arff") / "x.arff"
    write_arff_table(examples, str(file), texts[0])
    assert read_arff_table(str(file), encoding="utf-8", roles={}, skip=[]).equals(examples)


def test_scipy_reads_what_is_written(tmp_path):
    from scipy.io import arff

    examples = ExampleSet.from_numpy(np.array([[1.5, -2.0], [3.25, 4.0]]), ["x", "y"])
    file = tmp_path / "x.arff"
    write_arff_table(examples, str(file), "table")
    limit = csv.field_size_limit()
    data, about = arff.loadarff(file)
    csv.field_size_limit(limit)  # scipy changes it for everybody
    assert about.names() == ["att1", "att2", "label"]
    assert data["att1"].tolist() == [1.5, 3.25]
    assert data["label"].tolist() == [b"x", b"y"]


@pytest.mark.parametrize(
    ("name", "rows", "missing"), [("heart_c", 303, 7), ("hepatitis", 155, 167), ("sonar", 208, 0)]
)
def test_known_files_are_read_whole(name, rows, missing):
    file = SHARED / f"{name}.arff"
    if not file.exists():
        pytest.skip("the shared data folder is not on this machine")
    examples = read_arff_table(str(file), encoding="utf-8", roles={}, skip=[])
    assert len(examples) == rows
    assert sum(examples.missing_by_attribute.values()) == missing
