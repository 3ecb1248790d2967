"""``fsops convert``, and files of RapidMiner in other commands."""

import json

import pytest

from fsops.storage import read_process

PROCESS = """<process version="9.7.000">
  <operator class="process" name="Process" compatibility="9.7.000">
    <process>
      <operator class="retrieve" name="Data" x="45" y="34">
        <parameter key="repository_entry" value="//Samples/data/Golf"/>
      </operator>
      <operator class="weight_by_information_gain" name="Weights">
        <parameter key="normalize_weights" value="true"/>
        <parameter key="sort_weights" value="true"/>
      </operator>
      {more}
      <connect from_op="Data" from_port="output" to_op="Weights" to_port="example set"/>
      <connect from_op="Weights" from_port="weights" to_port="result 1"/>
      <connect from_op="Weights" from_port="example set" to_port="result 2"/>
    </process>
  </operator>
</process>"""
FIT = (
    '<operator class="linear_regression" name="Fit">'
    '<parameter key="feature_selection" value="greedy"/></operator>'
)
ODD = '<operator class="self_organizing_map" name="Map"/>'


@pytest.fixture
def rmp(tmp_path):
    def write(more=""):
        path = tmp_path / "theirs.rmp"
        path.write_text(PROCESS.replace("{more}", more), encoding="utf-8")
        return path

    return write


def test_a_process_of_rapidminer_is_converted_and_runs(fsops, rmp, tmp_path):
    target = tmp_path / "ours.xml"
    done = fsops("convert", rmp(), target)
    assert done.exit_code == 0
    assert "2 operators mapped" in done.stdout
    assert 'normalize_weights is done by the operator "Weights (normalize weights)"' in done.stdout
    assert "1 setting ignored that change no result\n  Weights: sort_weights" in done.stdout
    assert f"Written: {target}" in done.stdout
    assert "can change the result" not in done.stdout
    first = target.read_bytes()
    assert b'version="fsops-1" rapidminer="9.7.000"' in first
    ran = fsops("run", target)
    assert ran.exit_code == 0
    assert "Outlook" in ran.stdout
    assert fsops("run", rmp()).stdout == ran.stdout


def test_the_report_tells_placeholders_and_what_changes_the_result(fsops, rmp):
    done = fsops("convert", rmp(FIT + ODD))
    assert done.exit_code == 0
    assert (
        "1 operator not known: kept as placeholders, which cannot run\n  Map: self_" in done.stdout
    )
    assert "This can change the result\n  Fit: feature_selection" in done.stdout
    assert "Written" not in done.stdout


def test_the_report_for_programs(fsops, rmp, tmp_path):
    target = tmp_path / "ours.xml"
    found = json.loads(fsops("convert", rmp(ODD), target, "--format", "json").stdout)
    assert found["written"] == str(target)
    assert found["version"] == "9.7.000"
    assert found["missing"] == [
        {"operator": "Map", "theirs": "self_organizing_map", "ours": "self_organizing_map"}
    ]
    assert {i["parameter"]: i["effect"] for i in found["ignored"]} == {"sort_weights": ""}


def test_validate_warns_of_what_changes_the_result(fsops, rmp):
    done = fsops("validate", rmp(FIT), "--format", "json")
    warnings = [p for p in json.loads(done.stdout)["problems"] if p["severity"] == "warning"]
    told = [p["message"] for p in warnings if p["path"] == ["Fit"]]
    assert any("M5 prime" in message for message in told)


def test_a_placeholder_names_what_is_missing(fsops, rmp):
    done = fsops("validate", rmp(ODD))
    assert done.exit_code == 2
    assert 'There is no operator "self_organizing_map".' in done.stdout


def test_a_file_that_exists_is_kept_unless_forced(fsops, rmp, tmp_path, refused):
    target = tmp_path / "ours.xml"
    target.write_text("mine")
    assert "exists" in refused(2, "convert", rmp(), target)
    assert target.read_text() == "mine"
    assert fsops("convert", rmp(), target, "--force").exit_code == 0
    assert read_process(target).name == "theirs"


def test_the_process_of_rapidminer_is_never_replaced(rmp, refused):
    path = rmp()
    before = path.read_bytes()
    assert "name another file" in refused(2, "convert", path, path, "--force")
    assert path.read_bytes() == before


def test_a_process_of_ours_is_not_converted(fsops, rmp, tmp_path, refused):
    target = tmp_path / "ours.xml"
    fsops("convert", rmp(), target)
    assert "is a process of fsops already" in refused(2, "convert", target, tmp_path / "again.xml")


def test_what_is_no_process_is_refused_in_words(tmp_path, refused):
    path = tmp_path / "x.rmp"
    path.write_bytes(b"<!DOCTYPE a><process version='9.7'/>")
    assert "A document type" in refused(2, "convert", path)
    assert "there is no such file" in refused(2, "convert", tmp_path / "y.rmp")
