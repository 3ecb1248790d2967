"""``fsops data``."""

import json
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("FSOPS_DATA", str(tmp_path))
    monkeypatch.setenv("FSOPS_REPOSITORY", str(tmp_path / "repository"))
    return tmp_path


def test_list_has_samples_and_public_sets(fsops, folder):
    shown = fsops("data", "list").stdout
    assert "golf" in shown
    assert "Colon tumours and normal tissue, 62 × 2000  (not here)" in shown
    assert str(folder) in "".join(shown.split("\n"))


def test_list_as_json(fsops):
    listed = {
        about["name"]: about
        for about in json.loads(fsops("data", "list", "--format", "json").stdout)
    }
    assert listed["golf"]["here"] is True
    assert listed["colon"]["here"] is False
    assert listed["colon"]["file"] == "colon_alon.parquet"


def test_describe_counts_the_classes_of_a_sample(fsops):
    shown = fsops("data", "describe", "golf").stdout
    assert "label: Play (binominal)" in shown
    assert "classes: no 5, yes 9" in shown


def test_describe_says_how_to_get_what_is_not_here(fsops, folder):
    shown = fsops("data", "describe", "colon").stdout
    for word in (
        "here: no",
        "Alon et al. (1999)",
        "plsgenomics",
        str(folder / "colon_alon.parquet"),
    ):
        assert word in shown


def test_unknown_names_get_a_suggestion(refused):
    assert 'Did you mean "colon"' in refused(2, "data", "describe", "colom")
    assert 'Did you mean "colon"' in refused(2, "data", "fetch", "colom")


def test_fetch_asks_where_the_file_is(refused):
    assert "Where is colon_alon.parquet?" in refused(2, "data", "fetch", "colon")


def test_fetch_copies_once(fsops, refused, folder):
    if not SHARED.exists():
        pytest.skip("the shared data folder is not on this machine")
    done = fsops("data", "fetch", "heart", "--from", SHARED)
    assert done.stdout == f"Written: {folder / 'heart_cleveland.csv'}\n"
    assert "exists" in refused(2, "data", "fetch", "heart", "--from", SHARED)
    assert "classes: absent 164, present 139" in fsops("data", "describe", "heart").stdout


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "my ward.csv"
    file.write_text(
        "patient,g1,diagnosis\n" + "".join(f"p{i},{i}.5,{'ab'[i % 2]}\n" for i in range(6))
    )
    return file


def test_added_data_is_listed_described_and_retrieved_by_name(fsops, table, folder):
    done = fsops("data", "add", table)
    assert f"Written: {folder / 'repository' / 'my ward.table.parquet'}" in done.stdout
    table.unlink()  # the copy stays
    shown = fsops("data", "list").stdout
    assert "Added by you, with fsops data add" in shown
    assert "my ward" in shown
    about = json.loads(fsops("data", "describe", "My_Ward", "--format", "json").stdout)
    assert about["rows"] == 6
    assert about["classes"] == {"a": 3, "b": 3}
    process = folder / "p.xml"
    process.write_text(
        '<process version="fsops-1"><operator class="process" name="P"><process><operator '
        'class="retrieve" name="Data"><parameter key="repository_entry" value="my ward"/></operator>'
        '<connect from_op="Data" from_port="examples" to_port="result 1"/></process></operator>'
        "</process>"
    )
    read = json.loads(fsops("run", process, "--format", "json").stdout)
    assert read["results"][0]["rows"] == 6


def test_added_data_with_a_label_has_the_roles_of_a_study(fsops, table):
    fsops("data", "add", table, "--name", "ward", "--label", "diagnosis")
    about = json.loads(fsops("data", "describe", "ward", "--format", "json").stdout)
    assert about["label"].startswith("diagnosis")
    assert about["other_roles"] == {"patient": "id"}
    assert about["attributes"] == 1


def test_names_of_added_data_are_not_taken_twice(fsops, refused, table):
    fsops("data", "add", table, "--name", "ward")
    told = refused(2, "data", "add", table, "--name", "WARD")
    assert 'You have already added data called "ward".' in told
    assert "--force" in told
    fsops("data", "add", table, "--name", "WARD", "--force")
    for taken in ("golf", "colon", "Breast Cancer"):
        told = refused(2, "data", "add", table, "--name", taken, "--force")
        assert "fsops already knows data called" in told
    assert 'Data cannot be called "../x".' in refused(2, "data", "add", table, "--name", "../x")


def test_files_that_cannot_be_added_are_refused_in_a_sentence(refused, table, folder):
    assert "There is no file" in refused(2, "data", "add", folder / "none.csv")
    (folder / "x.doc").write_text("x")
    told = refused(2, "data", "add", folder / "x.doc")
    assert "fsops cannot read" in told
    assert "Supported:" in told
    assert 'no column "outcome"' in refused(2, "data", "add", table, "--label", "outcome")
    assert not (folder / "repository").exists()
