"""What a report says, read from its HTML."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from lxml import html

from fsops.core import Process
from fsops.data import AttributeWeights, Collection, ExampleSet, FlowObject, PerformanceVector
from fsops.errors import UsageError
from fsops.operators import cross_validation, naive_bayes, retrieve, weight_by_sam
from fsops.report.findings import Finding
from fsops.report.html import Figure, page as page_module, require_jinja
from fsops.report.summary import TableSummary


def read(file):
    return html.fromstring(file.read_text(encoding="utf-8"))


def text(element):
    return " ".join(" ".join(element.itertext()).split())


def embedded(document):
    return [json.loads(s.text) for s in document.iterfind(".//script[@type='application/json']")]


WEIGHTS = AttributeWeights(
    ["a", "b", "c"], [1.0, np.nan, 2.5], details={"p_value": [0.1, 0.2, np.inf]}
)


def test_values_are_embedded_as_they_are(report_of):
    (table,) = embedded(read(report_of(WEIGHTS)))
    columns = {column["name"]: column["values"] for column in table["columns"]}
    assert columns == {
        "place": [1, 2, 3],
        "attribute": ["c", "a", "b"],
        "weight": [2.5, 1.0, None],
        "p_value": ["∞", 0.1, 0.2],
    }
    assert [column["number"] for column in table["columns"]] == [True, False, True, True]


def test_details_have_headings_and_explanations_and_their_names_in_files(report_of):
    page = read(report_of(WEIGHTS))
    heads = page.findall(".//div[@class='table']//thead/tr/th")
    assert [text(head) for head in heads] == ["place", "attribute", "weight", "p-value"]
    (about,) = page.findall(".//details[@class='columns']//dd")
    assert text(about) == f"{heads[-1].get('data-tip')} In files: p_value"
    assert heads[-1].get("data-tip").startswith("Probability of a result")


def test_a_selection_and_a_table_are_described_in_words(report_of):
    kept = AttributeWeights([f"g{i}" for i in range(20)], [0.0] * 8 + [1.0] * 12)
    page = read(report_of(kept, ExampleSet.from_numpy(np.eye(3))))
    about = [text(p) for p in page.findall(".//article/p")]
    named = ", ".join(f"g{i}" for i in range(8, 18))
    assert about == [f"12 of 20 attributes: {named} and 2 more", "3 rows, 3 regular attributes"]


def test_without_javascript_the_first_rows_are_there(report_of):
    weights = AttributeWeights([f"a{i}" for i in range(500)], range(1, 501))
    document = read(report_of(weights))
    rows = document.findall(".//div[@id='table-1-1']//tbody/tr")
    assert [text(row) for row in rows[:2]] == ["1 a499 500", "2 a498 499"]
    assert len(rows) == 10
    assert text(document.find(".//p[@class='count']")) == "10 of 500 rows"


def test_headings_are_in_order(report_of):
    document = read(report_of(WEIGHTS, WEIGHTS))
    levels = [int(e.tag[1]) for e in document.iter("h1", "h2", "h3", "h4", "h5")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))


def test_every_warning_is_told_once_with_its_remedy(report_of):
    leak = "X has seen the label."
    file = report_of(
        cautions=[("Validation", leak, ["Move it"])],
        warnings=[("Validation", leak, 1), ("Learner", "It did not converge.", 3)],
        findings=[Finding("Step.1", "Near the majority.")],
    )
    found = read(file).findall(".//section[@id='warnings']//li")
    items = [" ".join(item.text_content().split()) for item in found]
    assert items == [
        "Validation: X has seen the label. To fix it: Move it",
        "Learner: It did not converge. (3 times)",
        "Step.1: Near the majority.",
    ]


def test_nothing_to_warn_about_needs_no_section(report_of):
    assert read(report_of(WEIGHTS)).find(".//section[@id='warnings']") is None


def test_data_are_described(report_of):
    table = TableSummary(
        "Read",
        1200,
        {"real": 2},
        {"y": "label"},
        {"x": 7},
        "y",
        (("p", 900), ("q", 300)),
        4,
        "f" * 64,
    )
    data = text(read(report_of(tables=[table])).get_element_by_id("data"))
    assert 'The table of Read has 1,200 rows and 2 real attributes and the label "y"' in data
    assert "2 classes (p 900, q 300); 7 values are missing in 1 attribute." in data
    assert "Rows that occur more than once 4" in data
    assert "p 900 75.0 %" in data
    assert "f" * 64 in data


@pytest.fixture
def validated():
    process = Process("Study", seed=5)
    data = process.add(retrieve, repository_entry="iris")
    folds = process.add(cross_validation, data, number_of_folds=3)
    training = folds.inner("training")
    training.add(weight_by_sam, s0=0.25)
    training.add(naive_bayes)
    return process


def test_methods_are_ready_for_a_paper(report_of, validated):
    section = read(report_of(process=validated, seed=5)).get_element_by_id("methods")
    told = text(section)
    assert "Cross Validation with number of folds 3 [1]." in told
    assert (
        "Inside of Cross Validation, Training: Weight by SAM with s0 0.25 [2]; Naive Bayes [3, 4]."
        in told
    )
    assert "Computed with fsops 1, Python 3; all random numbers come from the seed 5." in told
    assert len(section.findall(".//{*}math")) == 1
    works = [text(item) for item in section.findall(".//ol[@class='references']/li")]
    assert [work.split(":")[0] for work in works] == [
        "Ambroise, McLachlan (2002)", "Tusher, Tibshirani, Chu (2001)", "Hand, Yu (2001)",
        "McCallum, Nigam (1998)",
    ]  # fmt: skip


def test_what_is_switched_off_is_no_method(report_of, validated):
    validated["Cross Validation"].enabled = False
    told = text(read(report_of(process=validated)).get_element_by_id("methods"))
    assert "Cross Validation" not in told
    assert "Tusher" not in told


def test_figures_are_inside_with_words_for_who_cannot_see_them(report_of):
    figure = Figure("The best", "Bars of <three> weights", "image/png", b"\x89PNG")
    image = read(report_of(WEIGHTS, figures={"Step.1": [figure]})).find(".//figure/img")
    assert image.get("src") == "data:image/png;base64,iVBORw=="
    assert image.get("alt") == "Bars of <three> weights"


def test_every_image_has_words(report_of, validated):
    images = read(report_of(process=validated)).findall(".//img")
    assert images
    assert all(image.get("alt") for image in images)


def test_the_same_run_gives_the_same_page(report_of):
    assert report_of(WEIGHTS).read_bytes() == report_of(WEIGHTS).read_bytes()


def test_it_refers_to_nothing_outside(report_of, validated):
    source = report_of(WEIGHTS, process=validated).read_text(encoding="utf-8")
    addresses = re.findall(r"""(?:src|href)=["']([^"']*)""", source)
    assert [a for a in addresses if not a.startswith(("#", "data:"))] == []
    assert "@import" not in source
    assert "url(" not in source


class Strange(FlowObject):
    title = "Strange"

    def to_pandas(self):
        raise RuntimeError("no table today")


def test_a_result_that_cannot_be_a_table_does_not_spoil_the_rest(report_of):
    document = read(report_of(Strange(), WEIGHTS))
    assert [text(h) for h in document.findall(".//section[@id='results']//h3")] == [
        "Strange Step.1", "Attribute weights Step.2",
    ]  # fmt: skip


def test_weights_of_several_methods_stand_beside_each_other(report_of):
    both = Collection([WEIGHTS, AttributeWeights(["c", "d"], [7.0, 8.0], origin="SAM")])
    (table,) = embedded(read(report_of(both)))
    columns = {column["name"]: column["values"] for column in table["columns"]}
    assert columns == {
        "attribute": ["a", "b", "c", "d"],
        "1": [1.0, 0.0, 2.5, 0.0],
        "2. SAM": [0.0, 0.0, 7.0, 8.0],
    }


def test_performances_are_listed_by_criterion(report_of):
    from fsops.data import Criterion

    parts = [PerformanceVector([Criterion("accuracy", (value,))]) for value in (0.5, 0.75)]
    (table,) = embedded(read(report_of(Collection(parts))))
    assert [column["values"] for column in table["columns"]] == [[1, 2], [0.5, 0.75]]


def test_where_jinja_is_missing_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    page_module.__globals__["_template"].cache_clear()
    with pytest.raises(UsageError) as caught:
        require_jinja()
    assert "Reports need the package jinja2" in str(caught.value)
    assert 'pip install "fsops[report]"' in str(caught.value)


def titles(document):
    return [text(heading) for heading in document.iter("h4")]


def test_a_small_table_is_there_row_by_row_and_a_large_one_by_its_attributes(report_of):
    small = ExampleSet.from_numpy(np.eye(3), ["a", "b", "a"])
    assert titles(read(report_of(small))) == ["Rows", "Attributes"]
    large = ExampleSet.from_numpy(np.arange(60_000.0).reshape(300, 200))
    document = read(report_of(large))
    assert titles(document) == ["Attributes"]
    (table,) = embedded(document)
    columns = {column["name"]: column["values"] for column in table["columns"]}
    assert columns["smallest"][:2] == [0.0, 1.0]
    assert columns["largest"][-1] == 59_999.0
    assert columns["mean"][0] == pytest.approx(np.arange(0, 60_000, 200).mean())


def test_results_of_a_search_are_rows_only(report_of):
    assert titles(read(report_of(ExampleSet.from_numpy(np.eye(3))))) == ["Rows"]


def test_dates_and_missing_values_are_readable(report_of):
    frame = pd.DataFrame({"when": pd.to_datetime(["2020-01-02", None]), "n": ["x", None]})
    (table,) = embedded(read(report_of(ExampleSet.from_pandas(frame))))
    assert [column["values"] for column in table["columns"]] == [
        ["2020-01-02T00:00:00", None],
        ["x", None],
    ]


def test_attributes_tell_what_is_missing(report_of):
    frame = pd.DataFrame(
        {"x": [1.0, np.nan, 4.0], "n": ["a", None, None], "y": ["p", "q", "p"], "none": np.nan}
    )
    table = ExampleSet.from_pandas(frame).with_roles({"y": "label"})
    _, attributes = embedded(read(report_of(table)))
    columns = {column["name"]: column["values"] for column in attributes["columns"]}
    assert columns["role"] == ["", "", "label", ""]
    assert columns["missing"] == [1, 2, 0, 3]
    assert columns["smallest"] == [1.0, None, None, None]
    assert columns["mean"] == [2.5, None, None, None]
