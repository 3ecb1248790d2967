"""Reading files."""

from pathlib import Path

import numpy as np
import pytest

from fsops.core.declare.parameters import check_parameters
from fsops.data import AttributeWeights
from fsops.errors import DataError, ParameterError, StorageError
from fsops.operators import (
    read_arff,
    read_csv,
    read_excel,
    read_weights,
    write_arff,
    write_excel,
    write_weights,
)
from fsops.testing.data import make_examples

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "golf.csv"
    path.write_text("row;outlook;humidity;play\n1;sunny;85,5;no\n2;rain;?;yes\n3;sunny;70;yes\n")
    return str(path)


def test_a_file_is_read_with_label_id_and_types(file):
    examples = read_csv(
        path=file, label="play", id="row", types={"row": "polynominal"}, decimal_character=","
    )
    assert examples.label.name == "play"
    assert examples.schema.special("id").categories == ("1", "2", "3")
    assert examples.schema.regular_names == ("outlook", "humidity")
    assert examples.missing_by_attribute == {"humidity": 1}
    assert examples.column("humidity")[0] == 85.5


def test_a_slip_is_a_warning(tmp_path, listening):
    path = tmp_path / "x.csv"
    path.write_text("a\n" + "\n".join(map(str, range(20))) + "\noops\n")
    ctx = listening()
    examples = read_csv(path=str(path), ctx=ctx)
    assert examples.attributes[0].value_type.is_nominal
    assert len(ctx.warnings) == 1
    assert 'row 21 holds "oops"' in ctx.warnings[0]


def test_what_a_file_holds_is_known_before_the_run(file):
    given = {"path": file, "label": "play"}
    defaults = {p.name: p.default for p in read_csv.operator.parameters if not p.required}
    about = read_csv.operator.describe({}, {**defaults, **given})
    assert about.rows == 3
    assert about.schema.label.name == "play"


def test_a_file_that_is_not_there_is_told(file, refused):
    with refused("golff.csv", 'Did you mean "golf.csv"?', error=StorageError):
        read_csv(path=file.replace("golf.csv", "golff.csv"))


def test_a_column_that_is_not_there_is_told(file, refused):
    with refused('"plays"', 'Did you mean "play"?', error=DataError):
        read_csv(path=file, label="plays")


def test_an_attribute_cannot_be_label_and_id_at_once(file, refused):
    with refused("label and id", '"play"', "another column", error=ParameterError):
        read_csv(path=file, label="play", id="play")


@pytest.mark.parametrize("character", ["", ",,"])
def test_the_decimal_character_is_one(file, character, refused):
    with refused("decimal_character is", error=ParameterError):
        read_csv(path=file, decimal_character=character)


# --- other formats ----------------------------------------------------------------------------


def described(operator, **given):
    return operator.operator.describe({}, check_parameters(operator.operator.parameters, given))


def test_an_arff_file_is_read_with_its_label(tmp_path):
    file = tmp_path / "x.arff"
    file.write_text("@relation x\n@attribute a real\n@attribute c {u,v}\n@data\n1.5,v\n?,u\n")
    examples = read_arff(path=str(file), label="c")
    assert examples.label.categories == ("u", "v")
    assert np.array_equal(examples.column("a"), [1.5, np.nan], equal_nan=True)
    about = described(read_arff, path=str(file), label="c")
    assert (about.schema, about.rows) == (examples.schema, 2)


def test_an_excel_file_is_read_with_label_and_types(tmp_path):
    pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    file, examples = str(tmp_path / "x.xlsx"), make_examples(30)
    write_excel(examples, path=file)
    assert read_excel(path=file, label="label").equals(examples)
    about = described(read_excel, path=file, label="label")
    assert (about.schema, about.rows) == (examples.schema, 30)
    with pytest.raises(ParameterError, match="label and id are both"):
        read_excel(path=file, label="label", id="label")


def test_weights_are_read_from_both_formats(tmp_path):
    weights = AttributeWeights(["a", "b"], [1 / 3, np.nan])
    for suffix in ("csv", "wgt"):
        file = str(tmp_path / f"w.{suffix}")
        write_weights(weights, path=file)
        assert read_weights(path=file).equals(weights)
        assert described(read_weights, path=file).names == ("a", "b")


def test_large_files_are_not_read_to_describe_them(tmp_path, monkeypatch):
    monkeypatch.setattr("fsops.operators.data_access.read.is_small", lambda *a: False)
    file = str(tmp_path / "x.arff")
    write_arff(make_examples(), path=file)
    assert described(read_arff, path=file).schema is None


@pytest.mark.parametrize(
    ("read", "parameter"),
    [
        (read_arff, "path"),
        (read_excel, "path"),
        (read_weights, "path"),
    ],
)
def test_a_missing_file_is_told_before_and_during_the_run(read, parameter, tmp_path, refused):
    given = {parameter: str(tmp_path / "nothing.here")}
    with refused("There is no file", error=StorageError):
        read(**given)
    with refused("There is no file", error=StorageError):
        described(read, **given)


@pytest.mark.parametrize(("name", "shared"), [("hepatitis", 19), ("sonar", 60)])
def test_the_csv_and_the_arff_version_of_a_data_set_agree(name, shared):
    csv, arff = SHARED / f"{name}.csv", SHARED / f"{name}.arff"
    if not (csv.exists() and arff.exists()):
        pytest.skip("the shared data folder is not on this machine")
    one, two = read_csv(path=str(csv), label="label"), read_arff(path=str(arff))
    common = [n for n in one.schema.regular_names if n in two.schema]
    assert len(common) == shared
    for attribute in common:
        if one.schema.attribute(attribute).value_type.is_nominal:
            assert one.nominal_values(attribute) == two.nominal_values(attribute)
        else:
            assert np.array_equal(one.column(attribute), two.column(attribute), equal_nan=True)
