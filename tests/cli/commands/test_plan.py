"""``fsops plan``."""

import json

import pytest


@pytest.fixture
def documented(fsops):
    """Return a function that plans and returns the JSON document."""

    def call(*arguments):
        result = fsops("plan", *arguments, "--format", "json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return call


def test_the_tree_shows_how_often_each_operator_runs(fsops, quickstart):
    lines = [line.rstrip() for line in fsops("plan", quickstart).stdout.splitlines()]
    assert lines[:5] == [
        "Runs  Operator",
        "   1  Retrieve",
        "   1  Cross Validation",
        "        Training × 10",
        "  10      Weight by SAM",
    ]
    assert lines[-1] == "In all 62 runs of 8 operators."


def test_nothing_runs_without_a_probe(fsops, small, tmp_path):
    result = fsops("plan", small)
    assert result.stderr == ""
    assert "Expected time" not in result.stdout


def test_settings_and_macros_count(fsops, quickstart, documented):
    shown = fsops("plan", quickstart, "--set", "Cross Validation.number_of_folds=3").stdout
    assert "Training × 3" in shown
    setting = "Cross Validation.number_of_folds=%{folds}"
    document = documented(quickstart, "--set", setting, "--macro", "folds=4")
    assert document["operators"][1]["inner"][0]["iterations"]["low"] == 4


def test_unknown_counts_have_a_reason(fsops, process_file):
    file = process_file(
        '<operator class="retrieve" name="R"><parameter key="repository_entry" value="golf"/>'
        '</operator><operator class="branch" name="Ask">'
        '<process><operator class="retrieve" name="Then">'
        '<parameter key="repository_entry" value="iris"/></operator></process><process/>'
        '</operator><connect from_op="R" from_port="examples" to_op="Ask" to_port="condition"/>'
        '<connect from_op="R" from_port="examples" to_port="result 1"/>'
    )
    shown = fsops("plan", file).stdout
    assert "Then × 0–1  (the condition decides)" in shown
    assert "In all 2–3 runs of 3 operators." in shown


def test_a_probe_tells_time_and_memory(fsops, quickstart):
    result = fsops("plan", quickstart, "--probe")
    assert "Expected time: about" in result.stdout
    assert "Peak memory: about" in result.stdout
    assert "one iteration of every loop" in " ".join(result.stdout.split())
    assert result.stderr == ""


def test_json_has_the_tree(documented, quickstart):
    document = documented(quickstart)
    assert document["runs"] == {"low": 62, "high": 62, "reason": ""}
    retrieve, validation = document["operators"]
    assert retrieve["path"] == ["Retrieve"]
    assert validation["operator"] == "cross_validation"
    training = validation["inner"][0]
    assert training["name"] == "Training"
    assert training["iterations"]["high"] == 10
    assert training["operators"][0]["runs"]["low"] == 10
    assert "probe" not in document


def test_json_has_what_the_probe_measured(documented, quickstart):
    document = documented(quickstart, "--probe")
    probe = document["probe"]
    parts = [document["operators"]]
    total = 0.0
    while parts:
        for operator in parts.pop():
            total += operator["seconds"]["low"]
            parts += [inner["operators"] for inner in operator["inner"]]
    assert probe["seconds"]["low"] == probe["seconds"]["high"] == pytest.approx(total, rel=0.2)
    assert probe["stopped"] is None
    assert probe["not_measured"] == []


def test_a_probe_that_stops_tells_why_and_what_is_missing(fsops, weighting):
    result = fsops("plan", weighting("a,b,y\n1,2,p\n2,3,p\n"), "--probe")
    assert result.exit_code == 0
    assert "The probe did not come to the end. Weigh: At least two classes" in result.stdout
    assert "Expected time: at least" in result.stdout


def test_a_process_that_cannot_run_is_refused(refused, quickstart, process_file):
    said = refused(2, "plan", quickstart, "--set", "Select Top k.k=0")
    assert "at least 1" in said
    assert "no operator" in refused(2, "plan", process_file('<operator class="x" name="X"/>'))
