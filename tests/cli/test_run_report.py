"""``fsops run --report``."""

import json
import re
import shlex
import sys

import pytest
from lxml import html

from fsops.errors import StorageError


@pytest.fixture
def reported(fsops, tmp_path):
    """Return a function that runs a process and returns its report and the result."""

    def call(process, *arguments):
        file = tmp_path / "report.html"
        result = fsops("run", process, "--report", file, *arguments)
        assert result.exit_code == 0, result.stderr
        return html.parse(file, html.HTMLParser(encoding="utf-8")).getroot(), result

    return call


def text(document, id):
    return " ".join(" ".join(document.get_element_by_id(id).itertext()).split())


def test_a_report_tells_all_about_a_run(reported, small, tmp_path):
    document, result = reported(small, "--seed", 7)
    assert "Report:" in result.stderr
    assert "The table of Read has 4 rows and 2 integer attributes" in text(document, "data")
    assert "Rows that occur more than once none" in text(document, "data")
    assert "Weigh weight_by_sam s0 = 0.1 signed = false" in text(document, "process")
    assert "Tusher, Tibshirani, Chu (2001)" in text(document, "methods")
    figures = list(document.iter("figure"))
    titles = [figure.get("data-title") for figure in figures]
    assert titles[:2] == ["The best attributes", "Values by class"]
    assert titles[-1] == "Where the time went"
    drawn, image = figures[0].find("svg"), figures[1].find("img")
    assert drawn.get("aria-label").startswith("Bars of the best attributes: ")
    assert image.get("alt").startswith("Values by class: ")


def test_the_command_in_it_gives_the_same_report_again(reported, small, fsops):
    document, _ = reported(small, "--set", "Weigh.s0=0.5", "--seed", 3)
    command = shlex.split(document.get_element_by_id("command").text_content())
    assert command[:2] == ["fsops", "run"]
    report = command[command.index("--report") + 1]
    with open(report, encoding="utf-8") as file:
        before = file.read()
    assert fsops(*command[1:]).exit_code == 0
    with open(report, encoding="utf-8") as file:
        after = file.read()
    assert timeless(after) == timeless(before)


def timeless(page):
    """Return the page without the times: of the run, of each operator, and their figure."""
    page = re.sub(r"run on <time.*?seed", "", page, flags=re.DOTALL)
    page = re.sub(r'<td class="number">[\d.]+ s</td>', "", page)
    return re.sub(
        r'<figure id="[^"]*" data-title="Where the time went".*?</figure>',
        "",
        page,
        flags=re.DOTALL,
    )


def test_parameters_tell_who_has_set_them(reported, small):
    document, _ = reported(small, "--set", "Weigh.s0=0.5")
    marked = {
        " ".join(span.text_content().split()): span.get("class")
        for span in document.find_class("parameter")
    }
    assert marked["s0 = 0.5"] == "parameter commanded"
    assert marked["label = y"] == "parameter changed"
    assert marked["signed = false"] == "parameter"


def test_the_report_warns_of_a_leak_with_its_remedy_and_not_where_there_is_none(
    reported, fsops, quickstart
):
    wrong = quickstart.with_name("wrapper_validation_wrong.xml")
    right = quickstart.with_name("wrapper_validation.xml")
    message = '"Weight by SAM" has seen the label of the rows that are tested here'
    document, result = reported(wrong)
    assert message in text(document, "warnings")
    assert "To fix it: Move" in text(document, "warnings")
    assert message in " ".join(result.stderr.split())
    assert message in " ".join(fsops("validate", wrong).stdout.split())
    document, result = reported(right)
    everything = " ".join(document.text_content().split())
    assert message not in everything
    assert message not in " ".join(result.stderr.split())
    assert message not in " ".join(fsops("validate", right).stdout.split())


NOISE = """
<operator class="retrieve" name="Data"><parameter key="repository_entry" value="breast cancer"/></operator>
<operator class="cross_validation" name="Folds">
  <process><operator class="default_model" name="Majority"/>
    <connect from_port="training_set" to_op="Majority" to_port="examples"/>
    <connect from_op="Majority" from_port="model" to_port="model"/></process>
  <process><operator class="apply_model" name="Apply"/><operator class="performance" name="Measure"/>
    <connect from_port="model" to_op="Apply" to_port="model"/>
    <connect from_port="test_set" to_op="Apply" to_port="examples"/>
    <connect from_op="Apply" from_port="examples" to_op="Measure" to_port="examples"/>
    <connect from_op="Measure" from_port="performance" to_port="performance"/></process>
</operator>
<connect from_op="Data" from_port="examples" to_op="Folds" to_port="examples"/>
<connect from_op="Folds" from_port="performance" to_port="result 1"/>
"""


def test_what_results_say_against_themselves_is_told_everywhere(reported, fsops, process_file):
    process = process_file(NOISE)
    document, result = reported(process)
    message = "The accuracy is 62.7%, but 62.7% of the rows are of the class"
    assert message in text(document, "warnings")
    assert f"Warning: Folds.performance: {message}" in " ".join(result.stderr.split())
    told = json.loads(fsops("run", process, "--format", "json").stdout)["findings"]
    assert told[0]["result"] == "Folds.performance"
    assert message in told[0]["message"]
    assert message not in fsops("run", process, "--quiet").stderr


def test_a_report_does_not_change_the_results(fsops, small, tmp_path):
    plain = json.loads(fsops("run", small, "--format", "json").stdout)
    file = tmp_path / "r.html"
    reported = json.loads(fsops("run", small, "--format", "json", "--report", file).stdout)
    assert plain == reported


def test_tables_are_found_whatever_runs_the_loops(reported, quickstart):
    document, _ = reported(quickstart, "--jobs", "2")
    assert "The table of Retrieve has 569 rows and 30 real attributes" in text(document, "data")


TRIALS = """
<operator class="loop_parameters" name="Sizes">
  <list key="parameters"><parameter key="Best.k" value="1,2"/></list>
  <process><operator class="retrieve" name="Data"><parameter key="repository_entry" value="iris"/></operator>
    <operator class="weight_by_deviation" name="Weigh"/><operator class="select_top_k" name="Best"/>
    <connect from_op="Data" from_port="examples" to_op="Weigh" to_port="examples"/>
    <connect from_op="Weigh" from_port="weights" to_op="Best" to_port="weights"/>
    <connect from_op="Best" from_port="weights" to_port="result 1"/></process>
</operator>
<connect from_op="Sizes" from_port="trials" to_port="result 1"/>
"""


def test_a_table_of_trials_is_not_described_as_data(reported, process_file):
    document, _ = reported(process_file(TRIALS))
    assert "The table of Sizes" not in document.text_content()


def test_a_report_must_be_a_page_in_a_folder_that_exists(refused, small, tmp_path):
    message = refused(2, "run", small, "--report", tmp_path / "report.txt")
    assert "ends neither in .html nor in .pdf" in message
    message = refused(2, "run", small, "--report", tmp_path / "no" / "report.html")
    assert "There is no folder" in message
    assert not list(tmp_path.glob("*.txt"))


def test_without_jinja_it_says_so_before_the_run(refused, small, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    message = refused(2, "run", small, "--report", tmp_path / "report.html")
    assert "Reports need the package jinja2, which is not installed." in message
    assert 'pip install "fsops[report]"' in message


def test_without_matplotlib_there_is_a_report_with_the_figures_of_the_page_only(
    reported, small, monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    document, result = reported(small)
    assert not document.findall(".//figure/img")
    assert document.findall(".//figure/svg")
    said = " ".join(result.stderr.split())
    assert said.count("Figures need the package matplotlib, which is not installed.") == 1


def test_a_report_that_cannot_be_written_does_not_cost_the_results(
    fsops, small, tmp_path, monkeypatch
):
    def full(*_):
        raise StorageError("No space is left.")

    monkeypatch.setattr("fsops.storage.files.write_bytes", full)
    result = fsops("run", small, "--report", tmp_path / "report.html")
    assert result.exit_code != 0
    assert "No space is left." in result.stderr
    assert "Attribute weights" in result.stdout


def test_a_report_in_place_of_something_else_is_refused_before_the_run(fsops, small, tmp_path):
    (tmp_path / "folder.html").mkdir()
    result = fsops("run", small, "--report", tmp_path / "folder.html")
    assert "is a folder" in result.stderr
    copy = tmp_path / "process.html"
    copy.write_bytes(small.read_bytes())
    result = fsops("run", copy, "--report", copy)
    assert "would replace the process file" in result.stderr


def test_a_report_can_go_into_the_folder_of_the_results(fsops, small, tmp_path):
    out = tmp_path / "new"
    assert fsops("run", small, "--out", out, "--report", out / "report.html").exit_code == 0
    assert (out / "report.html").exists()
