"""The report of a run, built from facts."""

import sys
from pathlib import Path

import pytest

import fsops
from fsops import Process
from fsops.errors import StorageError, UsageError
from fsops.operators import retrieve
from fsops.report.build import Caution, RunFacts, build_page, check_target
from fsops.report.findings import Finding

pytest.importorskip("jinja2")

RECORD = {
    "fsops": "1", "python": "3", "platform": "here", "libraries": {}, "plugins": {},
    "command": "fsops run study.xml --seed 7", "folder": "/home", "seed": 7, "macros": {},
    "process": {"name": "Study", "file": "study.xml", "sha256": "abc"},
    "started": "2026-11-16T05:33:05+00:00", "seconds": 1.5,
    "operators": [
        {
            "path": ["Data"], "operator": "retrieve", "version": 1, "enabled": True,
            "parameters": {"repository_entry": "golf"}, "set_in_file": [],
            "set_by_command": ["repository_entry"], "runs": 1, "seconds": 0.25,
        }
    ],
}  # fmt: skip


@pytest.fixture
def facts():
    process = Process("Study")
    process.add(retrieve, name="Data", repository_entry="golf")
    return RunFacts(
        process,
        RECORD,
        results=[],
        timings={},
        tables=[],
        findings=[Finding("Folds.performance", "It is optimistic.")],
        cautions=[Caution(("Folds", "Training", "SAM"), "It has seen the label.", ("Move it",))],
        warnings=[(("Data",), "Something is odd.", 3)],
    )


def test_the_page_has_the_facts(facts):
    page = build_page(facts)
    assert page.problems == []
    for text in (
        "fsops run study.xml --seed 7",
        "Folds › Training › SAM",
        "It has seen the label.",
        "Move it",
        "Something is odd. (3 times)",
        "It is optimistic.",
        "repository_entry = golf",
        "The process returns no result.",
    ):
        assert text in page.text


def test_without_matplotlib_the_page_has_no_figures(facts, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = build_page(facts)
    (problem,) = page.problems
    assert "Figures need the package matplotlib" in problem


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("report.txt", "ends neither in .html nor in .pdf"),
        ("no/report.html", "There is no folder"),
        ("folder.html", "is a folder"),
        ("process.html", "would replace the process file"),
    ],
)
def test_a_target_that_cannot_be_written_is_refused(tmp_path, name, message):
    (tmp_path / "folder.html").mkdir()
    process = tmp_path / "process.html"
    process.write_text("<process/>")
    with pytest.raises(UsageError, match=message):
        check_target(tmp_path / name, process)


def test_a_target_in_a_folder_that_will_be_made_is_fine(tmp_path):
    check_target(tmp_path / "new" / "report.html", out=tmp_path / "new")


@pytest.mark.skipif(sys.platform != "linux", reason="uses a folder that nobody can write to")
def test_a_read_only_place_is_refused_before_the_run():
    with pytest.raises(StorageError) as refused:  # not even root can write here
        check_target(Path("/proc/report.html"))
    assert 'The report "/proc/report.html" cannot be written: ' in refused.value.message
    assert refused.value.hint == "Choose another file."


@pytest.mark.skipif(sys.platform != "linux", reason="uses a folder that nobody can write to")
def test_a_run_with_a_read_only_report_does_not_begin(tmp_path):
    file = tmp_path / "study.xml"
    file.write_text(
        '<process version="fsops-1"><operator class="process" name="P"><process>'
        '<operator class="no_such_operator" name="X"/></process></operator></process>'
    )
    with pytest.raises(StorageError, match="cannot be written"):
        fsops.run(file, report="/proc/report.html")
