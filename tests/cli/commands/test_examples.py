"""``fsops new`` and ``fsops examples``."""

import json

import pytest

from fsops.examples import find_examples


def test_new_writes_a_process_that_runs(fsops, tmp_path):
    file = tmp_path / "mine.xml"
    result = fsops("new", file)
    assert result.exit_code == 0
    assert f"fsops run {file}" in result.stdout
    assert fsops("validate", file).stdout.endswith("no problems\n")
    assert fsops("run", file, "--quiet").exit_code == 0


def test_new_writes_a_study_of_a_table(fsops, refused, tmp_path):
    table, file = tmp_path / "my table.csv", tmp_path / "my study.xml"
    rows = [f"{i % 2 * 9 + i / 20},{i % 3},{'xy'[i % 2]}" for i in range(20)]
    table.write_text("\n".join(["a,b,class", *rows]))
    shown = fsops("new", file, "--data", table, "--label", "class").stdout
    assert f"fsops run '{file}' --report '{file.with_suffix('.html')}'" in shown
    assert fsops("run", file, "--quiet").exit_code == 0
    assert "--data" in refused(2, "new", tmp_path / "other.xml", "--label", "class")


def test_new_replaces_only_with_force(refused, fsops, tmp_path):
    file = tmp_path / "mine.xml"
    file.write_text("precious")
    assert "--force" in refused(2, "new", file)
    assert file.read_text() == "precious"
    assert fsops("new", file, "--force").exit_code == 0
    assert file.read_text().startswith("<?xml")


def test_new_in_a_folder_that_is_not_there(refused, tmp_path):
    assert "its folder does not exist" in refused(1, "new", tmp_path / "no" / "p.xml")


def test_list_says_what_each_does(fsops):
    shown = fsops("examples").stdout
    assert "quickstart" in shown
    assert "Cross-validates a selection" in shown
    assert "fsops run" in shown


def test_list_as_json(fsops):
    document = json.loads(fsops("examples", "--format", "json").stdout)
    assert "quickstart" in [example["name"] for example in document]
    assert all(example["about"] for example in document)


def test_show_one(fsops, quickstart):
    assert fsops("examples", "quickstart").stdout == quickstart.read_text()


def test_unknown_example(refused):
    assert 'Did you mean "quickstart"?' in refused(2, "examples", "quikstart")


def test_copy_never_replaces(fsops, refused, tmp_path, quickstart):
    result = fsops("examples", "quickstart", "--copy", tmp_path)
    assert result.stdout == f"{tmp_path / 'quickstart.xml'}\n"
    assert (tmp_path / "quickstart.xml").read_bytes() == quickstart.read_bytes()
    assert "exists" in refused(2, "examples", "--copy", tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["quickstart.xml"]


def test_copy_all(fsops, tmp_path):
    assert fsops("examples", "--copy", tmp_path).exit_code == 0
    assert len(list(tmp_path.rglob("*.xml"))) == len(find_examples())


@pytest.mark.parametrize("example", find_examples(), ids=lambda example: example.name)
def test_every_example_has_a_description(example):
    assert example.about()
