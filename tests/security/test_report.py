"""Names and values of strangers in a report are text: nothing of them acts."""

import json

import numpy as np
import pytest
from lxml import html

from fsops.core import Process
from fsops.data import AttributeWeights, ConfusionMatrix, Criterion, ExampleSet, PerformanceVector
from fsops.report.findings import Finding
from fsops.report.html import Figure, Report, Step, page
from fsops.report.notebook import process_html, result_html
from fsops.report.summary import summarize

EVIL = (
    "<script>window.hurt = 1</script>",
    "</script><script>window.hurt = 1</script>",
    "\"><img src=x onerror='window.hurt = 1'>",
    "'; window.hurt = 1; //",
    "<!--<script>",
    "]]><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "\u202egnp.exe\u2028\x00\x1b[31m",
)
TAGS = {"script", "img", "svg", "style", "link", "iframe", "object", "base", "form", "input"}


@pytest.fixture
def hostile():
    names = list(EVIL)
    weights = AttributeWeights(
        names,
        np.arange(1.0, len(names) + 1),  # attributes with the weight 0 are not listed
        origin=EVIL[0],
        details={EVIL[1]: [EVIL[2]] * len(names)},
    )
    confusion = ConfusionMatrix(EVIL[:2], np.array([[3, 1], [1, 3]]))
    performance = PerformanceVector([Criterion(EVIL[2], (0.5,))], confusion=confusion)
    table = ExampleSet.from_numpy(np.eye(len(names)), names, names=names)
    process = Process(EVIL[1])
    evil = EVIL[1]
    return Report(
        process=process,
        file=evil,
        sha256="0",
        command=evil,
        folder=evil,
        seed=1,
        macros={evil: evil},
        started="2026-01-01T00:00:00",
        seconds=1.0,
        versions={"fsops": evil},
        platform=evil,
        plugins={evil: evil},
        results=[(evil, weights), (EVIL[2], performance), (EVIL[0], table)],
        figures={evil: [Figure(evil, EVIL[2], "image/png", b"x")]},
        steps=[
            Step(
                (evil, EVIL[2], evil),
                evil,
                True,
                {evil: EVIL[2]},
                frozenset({evil}),
                frozenset(),
                1,
                1.0,
            )
        ],
        tables=[summarize(evil, table)],
        findings=[Finding(evil, EVIL[2])],
        cautions=[(evil, EVIL[2], [evil])],
        warnings=[(evil, EVIL[2], 2)],
    )


def elements(document):
    return sorted(e.tag for e in document.iter() if isinstance(e.tag, str) and e.tag in TAGS)


def test_no_name_becomes_an_element(hostile):
    document = html.fromstring(page(hostile))
    # Ours: the style, the script, the data of each table, the figure and the picture, the logo, and
    # the bars in two widths.
    tables = len(document.find_class("table"))
    ours = ["style", "script", "img", "img", "svg", "svg", "svg", *["script"] * tables]
    assert elements(document) == sorted(ours)
    assert len(document.find_class("logo") + document.find_class("chart")) == 3
    handlers = [k for e in document.iter() for k in e.attrib if k.startswith("on")]
    assert handlers == []


def test_names_arrive_in_the_tables_as_they_are(hostile):
    document = html.fromstring(page(hostile))
    data = json.loads(document.find(".//script[@type='application/json']").text)
    shown = set(data["columns"][1]["values"])
    assert set(EVIL[:-1]) <= shown
    assert "\\u202egnp.exe\\u2028\\x00\\x1b[31m" in shown  # what would act is spelled out


def test_templates_in_names_are_not_filled_in(hostile):
    source = page(hostile)
    assert "{{ 7 * 7 }}" in source
    assert "{% raw %}" in source


def test_the_page_forbids_what_it_does_not_need(hostile):
    document = html.fromstring(page(hostile))
    policy = document.find(".//meta[@http-equiv='Content-Security-Policy']").get("content")
    assert policy.startswith("default-src 'none'; img-src data:;")


def test_a_notebook_is_as_safe(hostile):
    for _, value in hostile.results:
        assert elements(html.fromstring(result_html(value))) == []
    assert elements(html.fromstring(process_html(hostile.process))) == ["img"]
