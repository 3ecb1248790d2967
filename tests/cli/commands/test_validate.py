"""``fsops validate``."""

import json

import pytest


@pytest.fixture
def faulty(quickstart, tmp_path):
    file = tmp_path / "faulty.xml"
    text = quickstart.read_text().replace("weight_by_sam", "weight_by_samm")
    file.write_text(text.replace('key="k" value="10"', 'key="k" value="0"'))
    return file


def test_a_good_process(fsops, quickstart):
    result = fsops("validate", quickstart)
    assert result.exit_code == 0
    assert result.stdout == f"{quickstart}: no problems\n"


def test_all_problems_with_place_severity_and_fixes(fsops, faulty):
    result = fsops("validate", faulty)
    assert result.exit_code == 2
    assert result.stdout.startswith(f"{faulty}: 2 errors\n")
    shown = " ".join(result.stdout.split())
    assert "error Cross Validation › Training › Weight by SAM" in shown
    assert '→ Use "Weight by SAM"' in shown
    assert "→ Set k to 10" in shown
    assert result.stderr == ""


def test_warnings_alone_are_no_failure(fsops, process_file):
    file = process_file(
        '<operator class="retrieve" name="R"><parameter key="repository_entry" value="golf"/>'
        "</operator>"
    )
    result = fsops("validate", file)
    assert result.exit_code == 0
    assert "2 warnings" in result.stdout
    assert "Nothing uses the results" in result.stdout


def test_json(fsops, faulty, quickstart):
    result = fsops("validate", faulty, "--format", "json")
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    assert document["valid"] is False
    assert {p["kind"] for p in document["problems"]} == {"unknown operator", "bad parameter"}
    assert all(p["severity"] == "error" and p["fixes"] for p in document["problems"])
    assert json.loads(fsops("validate", quickstart, "--format", "json").stdout)["valid"] is True


def test_settings_and_macros_count(fsops, faulty, process_file):
    assert "1 error" in fsops("validate", faulty, "--set", "Select Top k.k=3").stdout
    file = process_file(
        '<operator class="retrieve" name="R"><parameter key="repository_entry" value="%{d}"/>'
        '</operator><connect from_op="R" from_port="examples" to_port="result 1"/>'
    )
    assert "The macro %{d} has no value" in fsops("validate", file).stdout
    assert "no problems" in fsops("validate", file, "--macro", "d=golf").stdout


def test_predefined_macros_are_known(fsops, process_file):
    file = process_file(
        '<operator class="retrieve" name="R">'
        '<parameter key="repository_entry" value="%{process_name}"/></operator>'
        '<connect from_op="R" from_port="examples" to_port="result 1"/>',
        name="golf.xml",
    )
    assert "has no value" not in fsops("validate", file).stdout
