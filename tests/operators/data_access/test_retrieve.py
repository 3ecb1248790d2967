"""Bringing data into a process."""

import warnings

import pytest

from fsops import Process, run
from fsops.data import ExampleSetMetaData, WeightsMetaData
from fsops.errors import DataError, OperatorWarning, ParameterError, StorageError, UsageError
from fsops.operators import retrieve, store
from fsops.operators.data_access.samples import SAMPLES
from fsops.testing.data import make_examples
from fsops.testing.stand_ins import stand_in_model, stand_in_weights


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


# --- what was stored --------------------------------------------------------------------------


def test_what_was_stored_is_retrieved_bit_for_bit(tmp_path):
    entry = str(tmp_path / "data" / "heart")
    for value in (make_examples(missing=0.2), stand_in_weights(make_examples())):
        assert store(value, repository_entry=entry) is value
        assert retrieve(repository_entry=entry).equals(value)


def test_a_stored_table_goes_before_a_sample_of_its_name(tmp_path):
    examples = make_examples()
    store(examples, repository_entry=str(tmp_path / "iris"))
    assert retrieve(repository_entry=str(tmp_path / "iris")).equals(examples)
    assert len(retrieve(repository_entry="iris")) == 150


def test_names_are_relative_to_the_process_file(tmp_path):
    first, second = Process("Store"), Process("Retrieve")
    for process in (first, second):
        process.folder = tmp_path
    golf = first.add(retrieve, repository_entry="golf")
    kept = first.add(store, repository_entry="data/mine")
    first.connect(golf, kept, "input")
    first.result(kept["output"])
    second.result(second.add(retrieve, repository_entry="data/mine")["examples"])
    run(first)
    assert run(second)[0].equals(retrieve(repository_entry="golf"))
    assert (tmp_path / "data" / "mine.table.parquet").exists()


def test_what_is_stored_is_known_before_the_run(tmp_path):
    entry = str(tmp_path / "w")
    weights = stand_in_weights(make_examples())
    store(weights, repository_entry=entry)
    about = retrieve.operator.describe({}, {"repository_entry": entry})
    assert isinstance(about, WeightsMetaData)
    assert about.names == weights.names


def test_a_name_close_to_a_stored_one_is_suggested(tmp_path, refused):
    store(make_examples(), repository_entry=str(tmp_path / "hepatitis"))
    with refused('"hepatits"', 'Did you mean "hepatitis"?', error=StorageError):
        retrieve(repository_entry=str(tmp_path / "hepatits"))


def test_models_are_not_stored(tmp_path, refused):
    with refused("cannot be stored", "again", error=DataError):
        store(stand_in_model(make_examples()), repository_entry=str(tmp_path / "m"))


def test_a_sample_in_place_of_a_table_of_rapidminer_is_told():
    with pytest.warns(OperatorWarning, match="this is the sample iris of fsops"):
        retrieve(repository_entry="//Samples/data/Iris")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        retrieve(repository_entry="//Samples/data/Golf")  # the same there
        retrieve(repository_entry="data/Iris")


def test_a_table_of_rapidminer_that_is_not_there_is_told_with_where_to_put_it(refused):
    with refused("a table of RapidMiner", "FSOPS_RAPIDMINER", "data/Deals.ioo", error=StorageError):
        retrieve(repository_entry="//Samples/data/Deals")
