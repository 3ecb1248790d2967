"""Bringing data into a process."""

import pytest

from fsops.data import ExampleSetMetaData
from fsops.errors import DataError, ParameterError, StorageError, UsageError
from fsops.operators import read_csv, retrieve
from fsops.operators.data_access.samples import SAMPLES


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_sample_is_found_by_its_name(sample):
    assert retrieve(repository_entry=sample.name).equals(sample.load())


@pytest.mark.parametrize(
    "entry", ["breast cancer", "Breast_Cancer", "//Samples/data/Breast Cancer", "breast-cancer"]
)
def test_case_spaces_and_repository_paths_do_not_matter(entry):
    assert len(retrieve(repository_entry=entry)) == 569


def test_an_unknown_sample_is_told_with_a_suggestion(refused):
    with refused('"irsi"', 'Did you mean "iris"?', error=UsageError):
        retrieve(repository_entry="irsi")
    with refused('"titanic"', "There are golf, iris", error=UsageError):
        retrieve(repository_entry="titanic")


def test_a_sample_must_be_named(refused):
    with refused("repository_entry is not set", error=ParameterError):
        retrieve()


def test_what_a_sample_holds_is_known_before_the_run():
    about = retrieve.operator.describe({}, {"repository_entry": "golf"})
    assert isinstance(about, ExampleSetMetaData)
    assert (about.rows, about.schema.label.name) == (14, "Play")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "golf.csv"
    path.write_text("row;outlook;humidity;play\n1;sunny;85,5;no\n2;rain;?;yes\n3;sunny;70;yes\n")
    return str(path)


def test_a_file_is_read_with_label_id_and_types(file):
    examples = read_csv(
        csv_file=file, label="play", id="row", types={"row": "polynominal"}, decimal_character=","
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
    examples = read_csv(csv_file=str(path), ctx=ctx)
    assert examples.attributes[0].value_type.is_nominal
    assert len(ctx.warnings) == 1
    assert 'row 21 holds "oops"' in ctx.warnings[0]


def test_what_a_file_holds_is_known_before_the_run(file):
    given = {"csv_file": file, "label": "play"}
    defaults = {p.name: p.default for p in read_csv.operator.parameters if not p.required}
    about = read_csv.operator.describe({}, {**defaults, **given})
    assert about.rows == 3
    assert about.schema.label.name == "play"


def test_a_file_that_is_not_there_is_told(file, refused):
    with refused("golff.csv", 'Did you mean "golf.csv"?', error=StorageError):
        read_csv(csv_file=file.replace("golf.csv", "golff.csv"))


def test_a_column_that_is_not_there_is_told(file, refused):
    with refused('"plays"', 'Did you mean "play"?', error=DataError):
        read_csv(csv_file=file, label="plays")


def test_an_attribute_cannot_be_label_and_id_at_once(file, refused):
    with refused("label and id", '"play"', "another column", error=ParameterError):
        read_csv(csv_file=file, label="play", id="play")


@pytest.mark.parametrize("character", ["", ",,"])
def test_the_decimal_character_is_one(file, character, refused):
    with refused("decimal_character is", error=ParameterError):
        read_csv(csv_file=file, decimal_character=character)
