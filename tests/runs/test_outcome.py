"""What a run gave: results, warnings, findings, files."""

import json
import pickle

import pytest

import fsops
from fsops import AttributeWeights, Collection, ExampleSet, Process, RunOutcome
from fsops.errors import UsageError
from fsops.operators import retrieve, weight_by_sam
from fsops.plots import registry


@pytest.fixture
def outcome(small):
    return fsops.run(small)


def test_results_are_found_by_place_and_type(outcome):
    assert outcome[AttributeWeights] is outcome[0]
    assert outcome[ExampleSet] is outcome[1]
    with pytest.raises(UsageError, match="There is no result of that kind"):
        outcome[Collection]


def test_it_says_what_it_is(outcome):
    assert repr(outcome) == "<RunOutcome 'process': Attribute weights, Data table; seed 2001>"


def test_the_earlier_name_is_the_same_class():
    assert fsops.RunResult is RunOutcome


def test_warnings_are_counted(quickstart):
    (warning,) = fsops.run(quickstart, set={"Select Top k.k": 40}).warnings
    assert warning.path == ("Cross Validation", "Training", "Select Top k")
    assert (warning.message[:7], warning.count) == ("k is 40", 10)


def test_findings_use_the_tables_unless_told_not_to(quickstart, tmp_path):
    rows = "".join(f"{i % 5},{i % 3},{'pq'[i % 2]}\n" for i in range(60))
    (tmp_path / "table.csv").write_text(f"a,b,y\n{rows}")
    text = quickstart.read_text()
    start = text.index('<operator class="retrieve"')
    end = text.index("</operator>", start)
    file = tmp_path / "twins.xml"
    file.write_text(
        text[:start].replace("Retrieve", "Read")
        + '<operator class="read_csv" name="Retrieve">'
        + '<parameter key="path" value="table.csv"/><parameter key="label" value="y"/>'
        + text[end:]
    )
    found = [str(finding) for finding in fsops.run(file).findings]
    assert any("rows equal another" in text for text in found)
    quiet = [str(finding) for finding in fsops.run(file, summarize=False).findings]
    assert not any("rows equal another" in text for text in quiet)


def test_an_outcome_can_be_sent_to_another_process(small, tmp_path):
    engine = fsops.open_engine("threads", fsops.EngineSettings(jobs=2))
    try:
        outcome = fsops.run(small, engine=engine)
    finally:
        engine.close()
    sent = pickle.loads(pickle.dumps(outcome))
    assert sent[0].equals(outcome[0])
    assert sent.record() == outcome.record()
    assert sent.tables == outcome.tables


# --- files ----------------------------------------------------------------------------------


def test_results_are_written_with_a_record(outcome, tmp_path):
    out = tmp_path / "deep" / "out"
    outcome.write(out)
    assert {file.name for file in out.iterdir()} == {
        "run.json", "weigh.weights.csv", "read.examples.parquet", "read.examples.csv",
    }  # fmt: skip
    record = json.loads((out / "run.json").read_text())
    assert record == outcome.record()
    assert [file["file"] for file in record["results"]] == [f.file for f in outcome.files]


def test_figures_are_written_too(outcome, tmp_path):
    pytest.importorskip("matplotlib")
    outcome.write(tmp_path / "out", figures="svg")
    assert (tmp_path / "out" / "weigh.weights.weights.svg").exists()
    assert outcome.not_drawn == []


def test_a_figure_that_fails_is_noted_once(outcome, tmp_path, monkeypatch):
    pytest.importorskip("jinja2")

    def fail(result, ax):
        raise ValueError("too strange")

    broken = registry.FigureMaker("broken", "Broken", fail, lambda result: True)
    monkeypatch.setattr("fsops.plots.figures_for", lambda result: [broken])
    outcome.report(tmp_path / "page.html")
    outcome.report(tmp_path / "page.html")
    assert "Weigh.weights: no figure broken (ValueError: too strange)." in outcome.not_drawn
    assert len(outcome.not_drawn) == len(set(outcome.not_drawn))


def test_without_a_place_nothing_can_be_written(outcome):
    with pytest.raises(UsageError, match="No folder given"):
        outcome.write()
    with pytest.raises(UsageError, match="No file given"):
        outcome.report()


def test_a_report_needs_the_name_of_a_page(outcome, tmp_path):
    pytest.importorskip("jinja2")
    with pytest.raises(UsageError, match="ends neither in .html nor in .pdf"):
        outcome.report(tmp_path / "report.txt")


def test_a_process_from_python_has_a_record_and_a_report(tmp_path):
    pytest.importorskip("jinja2")
    process = Process("Mine")
    process.result(process.add(weight_by_sam, process.add(retrieve, repository_entry="golf")))
    process["Weight by SAM"].enabled = False
    outcome = fsops.run(process)
    record = outcome.record()
    assert (record["process"]["file"], record["command"]) == (None, "")
    assert len(record["process"]["sha256"]) == 64
    outcome.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The process was run from Python" in page
    assert "The table of Retrieve has 14 rows" in page


def test_given_tables_are_in_the_report_and_no_command_is(small, tmp_path, two_classes):
    pytest.importorskip("jinja2")
    process = Process()
    process.result(process.add(weight_by_sam, process.source()))
    outcome = fsops.run(process, two_classes)
    assert [table.name for table in outcome.tables] == ["input 1"]
    outcome.report(tmp_path / "page.html")
    assert "The table of input 1 has 40 rows" in (tmp_path / "page.html").read_text()
    assert outcome.record()["command"] == ""
