"""The summary on one sheet of paper: printed by Chromium, or drawn by matplotlib."""

import os
import re
import shutil

import pytest

from fsops.data import AttributeWeights
from fsops.report.findings import Finding
from fsops.report.html import summary
from fsops.report.html.sheet import drawn_summary
from fsops.report.pdf import BROWSERS, printed


def pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.fixture
def chromium():
    if not any(map(shutil.which, BROWSERS)):
        if os.environ.get("CI"):
            pytest.fail("In CI the summary must be printed by Chromium: apt-get install chromium.")
        pytest.skip("needs Chromium (apt-get install chromium)")


def test_a_study_fits_on_one_sheet(chromium, made_report, study):
    long = Finding("Step.1", "Take care. " * 60)
    report = made_report(*study, findings=[long] * 3)
    pdf = printed(summary(report))
    assert pdf is not None
    assert pages(pdf) == 1


def test_it_says_the_answer_the_numbers_and_the_first_attributes(made_report, study):
    text = summary(made_report(*study))
    assert "Which attributes distinguish case from control?" in text
    assert "Signal found." in text
    assert "Few." in text  # a doubt is among the sentences
    assert text.count('<tr class="ok">') == 3
    assert text.count('<tr class="below">') == 7
    assert "Whether it is a cause" in text
    assert "<script" not in text


def test_other_results_are_told_in_a_line_each(made_report):
    text = summary(made_report(AttributeWeights("ab", [1.0, 2.0])))
    assert "2 attributes" in text
    assert "The best attributes" in text


def test_without_a_browser_it_is_drawn(made_report, study, noise):
    for results in (study, noise, (AttributeWeights("ab", [1.0, 2.0]),)):
        pdf = drawn_summary(made_report(*results))
        assert pdf.startswith(b"%PDF")
        assert pages(pdf) == 1
    assert drawn_summary(made_report(*study)) == drawn_summary(made_report(*study))


def test_no_browser_prints_nothing(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert printed("<p>") is None
