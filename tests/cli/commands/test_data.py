"""``fsops data``."""

import json
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("FSOPS_DATA", str(tmp_path))
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
