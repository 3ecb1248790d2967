"""Writing files: everything comes back, and is passed on."""

import numpy as np
import pytest

from fsops.data import Attribute, AttributeWeights, ExampleSet, ExampleSetMetaData
from fsops.data.columns import nominal_column
from fsops.errors import DataError, StorageError
from fsops.operators import (
    read_arff,
    read_csv,
    read_excel,
    read_parquet,
    write_arff,
    write_csv,
    write_excel,
    write_parquet,
    write_weights,
)
from fsops.testing.data import make_examples

WAYS = {
    "csv": (write_csv, read_csv, {"label": "label"}),
    "parquet": (write_parquet, read_parquet, {}),
    "arff": (write_arff, read_arff, {}),
    "excel": (write_excel, read_excel, {"label": "label"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_table_comes_back_bit_for_bit_and_is_passed_on(tmp_path, way):
    if way == "excel":
        pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    write, read, told = WAYS[way]
    file, examples = str(tmp_path / "x"), make_examples(50, missing=0.1)
    assert write(examples, path=file) is examples
    assert read(path=file, **told).equals(examples)


@pytest.mark.parametrize("way", WAYS)
def test_the_output_is_described_as_the_input(way):
    about = ExampleSetMetaData(schema=make_examples().schema, rows=3)
    assert WAYS[way][0].operator.describe({"examples": about}, {}) is about


@pytest.mark.parametrize("way", WAYS)
def test_a_folder_that_is_not_there_is_told(tmp_path, way, refused):
    with refused("cannot be written", "its folder does not exist", error=StorageError):
        WAYS[way][0](make_examples(), path=str(tmp_path / "no" / "x"))


def test_categories_that_would_be_lost_are_told(tmp_path, listening):
    columns = [nominal_column("a", ["NA", "x"]), nominal_column("b", ["x", "y"])]
    ctx = listening()
    write_csv(ExampleSet.from_columns(columns, 2), path=str(tmp_path / "x.csv"), ctx=ctx)
    assert len(ctx.warnings) == 1
    assert 'some categories of "a" as missing values' in ctx.warnings[0]


def test_the_layout_of_a_text_file_can_be_chosen(tmp_path):
    file = tmp_path / "x.csv"
    write_csv(
        ExampleSet.from_columns([(Attribute("a"), np.array([1.5])), nominal_column("b", ["x"])], 1),
        path=str(file),
        column_separator="tab",
        write_attribute_names=False,
        quote_nominal_values=False,
        decimal_character=",",
    )
    assert file.read_text() == "1,5\tx\n"


def test_a_sheet_gets_its_name(tmp_path, refused):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    file = str(tmp_path / "x.xlsx")
    write_excel(make_examples(), path=file, sheet="Mice")
    assert openpyxl.load_workbook(file).sheetnames == ["Mice"]
    with refused("cannot be called", error=DataError):
        write_excel(make_examples(), path=file, sheet="a/b")


def test_weights_are_written_and_passed_on(tmp_path):
    weights = AttributeWeights(["a", "b"], [0.25, -1.0], details={"p": [0.5, 0.125]})
    file = tmp_path / "w.csv"
    assert write_weights(weights, path=str(file)) is weights
    assert file.read_text() == "attribute,weight,p\na,0.25,0.5\nb,-1.0,0.125\n"
