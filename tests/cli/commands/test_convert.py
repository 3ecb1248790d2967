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
ODD = '<operator class="hyper_hyper" name="Map"/>'


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
    assert "1 setting ignored that change no result\n" in done.stdout
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
        "1 operator not known: kept as placeholders, which cannot run\n  Map: hyper_" in done.stdout
    )
    assert "This can change the result\n  Fit: feature_selection" in done.stdout
    assert "Written" not in done.stdout


def test_the_report_for_programs(fsops, rmp, tmp_path):
    target = tmp_path / "ours.xml"
    found = json.loads(fsops("convert", rmp(ODD), target, "--format", "json").stdout)
    assert found["written"] == str(target)
    assert found["version"] == "9.7.000"
    assert found["missing"] == [{"operator": "Map", "theirs": "hyper_hyper", "ours": "hyper_hyper"}]
    assert {i["parameter"]: i["effect"] for i in found["ignored"]} == {"sort_weights": ""}


def test_validate_warns_of_what_changes_the_result(fsops, rmp):
    done = fsops("validate", rmp(FIT), "--format", "json")
    warnings = [p for p in json.loads(done.stdout)["problems"] if p["severity"] == "warning"]
    told = [p["message"] for p in warnings if p["path"] == ["Fit"]]
    assert any("M5 prime" in message for message in told)


def test_a_placeholder_names_what_is_missing(fsops, rmp):
    done = fsops("validate", rmp(ODD))
    assert done.exit_code == 2
    assert 'There is no operator "hyper_hyper".' in done.stdout


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


# --- what the report says ---------------------------------------------------------------------

SCRIPT = '<operator class="execute_script" name="Script"/>'


def test_what_changes_more_is_listed_first(fsops, rmp):
    svm = (
        '<operator class="support_vector_machine" name="SVM"><parameter key="convergence_epsilon" '
        'value="0.1"/><parameter key="L_pos" value="2.0"/></operator>'
    )
    done = fsops("convert", rmp(svm))
    lines = done.stdout.partition("This can change the result")[2].splitlines()
    places = {
        word: n for n, line in enumerate(lines) for word in ("L_pos", "convergence") if word in line
    }
    assert places["L_pos"] < places["convergence"]
    assert sum("L_pos" in line for line in lines) == 1


def test_a_placeholder_by_decision_says_why_and_what_to_do(fsops, rmp):
    for command in ("convert", "validate"):
        said = fsops(command, rmp(SCRIPT)).stdout
        assert "stays a placeholder by decision: it executes foreign code" in " ".join(said.split())
        assert "A plugin of ten lines can replace it: docs/plugins.md." in " ".join(said.split())


def test_a_port_that_is_not_known_comes_with_the_right_one(fsops, rmp):
    more = (
        '<operator class="k_nn" name="Learn"/>'
        '<connect from_op="Data" from_port="nothing" to_op="Learn" to_port="training set"/>'
    )
    said = " ".join(fsops("validate", rmp(more)).stdout.split())
    assert "Connect Data.examples → Learn.examples instead" in said


def test_a_sample_of_rapidminer_names_the_variable(fsops, rmp):
    path = rmp()
    path.write_text(path.read_text().replace("//Samples/data/Golf", "//Samples/data/Deals"))
    said = " ".join(fsops("validate", path).stdout.split())
    assert "FSOPS_RAPIDMINER to the folder that holds data/Deals.ioo" in said
    assert "UCI" not in said


# --- a folder ---------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    (folder / "processes").mkdir(parents=True)
    (folder / "data").mkdir()
    golf = PROCESS.replace("//Samples/data/Golf", "../data/table")
    (folder / "processes" / "fine.rmp").write_text(golf.replace("{more}", ""))
    (folder / "processes" / "odd.rmp").write_text(golf.replace("{more}", SCRIPT))
    (folder / "broken.rmp").write_text("<process")
    (folder / "data" / "table.ioo").write_bytes(b"data")
    (folder / "data" / "weights.wgt").write_bytes(b"<attributeweights/>")
    (folder / "notes.exe").write_bytes(b"x")
    return folder


def test_a_repository_keeps_its_structure(fsops, repository, tmp_path):
    target = tmp_path / "new"
    done = fsops("convert", repository, target)
    assert done.exit_code == 0
    assert "3 processes: 1 with all operators known" in done.stdout
    names = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert names == {
        "processes/fine.xml", "processes/odd.xml", "data/table.ioo", "data/weights.wgt",
        "summary.csv",
    }  # fmt: skip
    read = read_process(target / "processes" / "fine.xml")
    assert read["Data"].parameters["repository_entry"] == "../data/table"
    summary = (target / "summary.csv").read_text().splitlines()
    assert summary[0] == "name,known,missing,changes,missing_keys,error"
    assert any(line.startswith("processes/odd.rmp,2,1,0,execute_script") for line in summary)
    assert any(line.startswith("broken.rmp,0,0,0,,") and len(line) > 30 for line in summary)


def test_a_repository_can_be_looked_at_only(fsops, repository):
    found = json.loads(fsops("convert", repository, "--format", "json").stdout)
    assert [file["missing"] for file in found["files"]] == [0, 0, 1]


def test_folders_that_do_not_fit_are_refused(repository, tmp_path, refused):
    assert "name another one" in refused(2, "convert", repository, repository / "new")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("mine")
    assert "exists" in refused(2, "convert", repository, full)
    assert "has no process of RapidMiner" in refused(2, "convert", full)
