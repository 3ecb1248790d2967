"""The page of a study: the answer first, then figures with chance, then attributes."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from lxml import html

import fsops
from fsops.data import AttributeDescriptions
from fsops.storage.csv_writer import safe_text

AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def text(element):
    return " ".join(" ".join(element.itertext()).split())


@pytest.fixture
def study_file(report_of, study):
    return report_of(*study)


# --- what it says ---------------------------------------------------------------------------


def test_the_answer_comes_first_with_lamp_words_and_numbers(study_file):
    document = html.parse(study_file).getroot()
    assert text(document.find(".//h1")) == "Which attributes distinguish case from control?"
    first = next(iter(document.find(".//main")))
    assert first.get("id") == "answer"
    assert first.find("svg").get("aria-label") == "Traffic light: green, found"
    assert text(first.find(".//h2")) == "Yes."
    assert "Signal found." in text(first)
    assert "Not said: a cause." in text(first)
    numbers = [text(part) for part in first.findall(".//dl/div")]
    assert numbers[0] == "Balanced accuracy, new rows 90.0 % 80.0 % to 97.0 %; guessing 50.0 %"
    assert numbers[1] == "Attributes needed 2 more bring no clear gain"
    assert numbers[2].startswith("Stability at 2 ")
    assert numbers[2].endswith("chance below 0.60")


def test_on_noise_nothing_is_called_enough_or_beyond_chance(report_of, noise):
    document = html.parse(report_of(*noise)).getroot()
    assert "No. Nothing was found." in text(document.get_element_by_id("answer"))
    assert "red" in document.find(".//section[@id='answer']/svg").get("aria-label")
    attributes = document.get_element_by_id("attributes")
    assert "none is beyond chance; shown only so that you can check" in text(attributes)
    assert {row.get("class") for row in attributes.findall(".//tbody/tr")[:12]} == {"below"}
    assert "enough" not in text(document.find(".//div[@class='charts']"))
    assert "Beyond chance 0 of 60 attributes" in text(document.get_element_by_id("answer"))


def test_figures_have_the_band_of_chance_the_majority_and_a_text(study_file):
    document = html.parse(study_file).getroot()
    charts = document.findall(".//div[@class='charts']/figure")
    assert [chart.get("data-title") for chart in charts] == [
        "Error on new rows", "Stability of the selection", "Effect and p-value",
    ]  # fmt: skip
    for chart in charts[:2]:
        assert len(chart.findall(".//path[@class='band']")) == 2  # wide and narrow
        assert "chance: 199 shuffled labels" in text(chart)
        assert "enough: 2" in text(chart)
    assert "largest class" in text(charts[0])
    assert all(svg.get("aria-label") for chart in charts for svg in chart.findall("svg"))
    index = document.get_element_by_id("figures")
    links = [link.get("href") for link in index.findall(".//a")]
    assert links == [f"#figure-{n}" for n in range(1, len(links) + 1)]
    assert all(document.get_element_by_id(link[1:]) is not None for link in links)


def test_each_attribute_has_its_numbers_and_a_plot_by_class(study_file, study):
    described = study[2]
    section = html.parse(study_file).getroot().get_element_by_id("attributes")
    rows = section.xpath(".//table[contains(@class, 'rows')]/tbody/tr")
    assert [row.get("data-attribute") for row in rows] == list(described.names)
    shown = text(rows[0])
    assert "beyond chance" in shown
    assert f"{described.columns['effect'][0]:.2f}".replace("-", "−") in shown
    assert "100 %" in shown
    assert len(rows[0].findall(".//svg")) == 4  # state, boxes, effect, frequency
    assert len(rows[0].findall(".//rect[@class='box fill-0']")) == 1
    assert len(rows[0].findall(".//rect[@class='box fill-3']")) == 1
    assert "r 0." in shown or "r 1.00" in shown
    assert "chance limit 46 %" in text(section)


def test_links_are_off_unless_given_and_names_are_escaped_in_them(report_of, study):
    answer, curves, described = study
    assert 'href="http' not in report_of(answer, curves, described).read_text()
    linked = AttributeDescriptions(
        described.names,
        described.columns,
        groups=described.groups,
        boxes=described.boxes,
        effect=described.effect,
        total=described.total,
        link="https://example.org/gene?q={attribute}",
    )
    document = html.parse(report_of(answer, curves, linked)).getroot()
    links = document.xpath("//table[contains(@class, 'rows')]//a")
    assert links[0].get("href") == "https://example.org/gene?q=%3DSUM%28A1%29"
    assert links[0].get("rel") == "noopener noreferrer"


def test_it_says_what_it_cannot_tell(study_file):
    limits = text(html.parse(study_file).getroot().get_element_by_id("limits"))
    assert "Whether it is a cause" in limits
    assert "Effects of chosen attributes are optimistic" in limits
    assert "No shuffled labels" not in limits


def test_without_an_answer_the_page_says_that_chance_was_not_measured(report_of, study):
    document = html.parse(report_of(study[1])).getroot()
    assert "No shuffled labels were computed here." in text(document.get_element_by_id("limits"))


# --- in the browser -------------------------------------------------------------------------


def attribute_names(page):
    rows = "[...document.querySelectorAll('.rows tbody tr')].filter(r => !r.hidden)"
    return page.eval(f"{rows}.map(r => r.dataset.attribute)")


@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
def test_the_width_is_used_and_nothing_is_cut(study_file, open_page, width):
    page = open_page(study_file, width=width)
    assert page.eval("document.documentElement.scrollWidth") <= width
    used = page.eval("document.querySelector('#answer').getBoundingClientRect().width")
    assert used > 0.88 * width
    cut = page.eval(
        "[...document.querySelectorAll('#answer *, .charts *, .rows td, .rows th, h1, h2')]"
        ".filter(e => e.getClientRects().length && !e.closest('.unseen'))"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll'))"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert cut == []
    if width != 768:  # there the list scrolls in its own region
        inside = "document.querySelector('.attribute-list .scroll')"
        assert page.eval(f"{inside}.scrollWidth <= {inside}.clientWidth + 1")
    assert page.complaints == []
    assert page.requests == [study_file.as_uri()]


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_fault(study_file, open_page, dark):
    axe = pytest.importorskip("axe_core_python", reason="needs axe-core-python (extra dev)")
    page = open_page(study_file, width=1280, dark=dark)
    page.eval(Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8") + ";1")
    options = json.dumps({"runOnly": AXE_TAGS})
    found = page.eval(
        f"axe.run(document, {options}).then(r => r.violations.map(v => [v.id, v.impact, "
        "v.nodes.slice(0, 3).map(n => n.html.slice(0, 150))]))"
    )
    assert found == []


def test_pointing_at_a_value_shows_it(study_file, open_page):
    page = open_page(study_file)
    at = page.eval(
        "(() => { const b = [...document.querySelectorAll('.charts .point')].find(p => "
        "p.getClientRects().length).getBoundingClientRect();"
        "return [b.left + b.width / 2, b.top + b.height / 2] })()"
    )
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
    page.wait_for("!document.getElementById('tip').hidden")
    told = page.eval("document.getElementById('tip').innerText")
    assert re.fullmatch(r"Weight by [-\w]+: [\d.]+ % with 1 attribute, standard error .*", told)


def test_a_click_on_an_attribute_marks_it_everywhere(study_file, open_page):
    page = open_page(study_file)
    page.eval("document.querySelectorAll('.rows button.name')[1].click()")
    marked = page.eval(
        "[...document.querySelectorAll('.chosen[data-attribute]')].map(e => e.dataset.attribute)"
    )
    assert set(marked) == {"a gene"}
    assert len(marked) >= 3  # a row of the list, a point in the wide and in the narrow figure
    assert page.eval("document.querySelector('button.name[aria-pressed=true]').innerText") == (
        "a gene"
    )
    page.eval("document.querySelector('.attribute-list details').open = true")
    page.wait_for("document.querySelectorAll('#attribute-numbers tr.chosen').length === 1")
    assert page.eval("document.getElementById('chosen').innerText").startswith("a gene is marked")
    page.eval("document.querySelector('#chosen button').click()")
    assert page.eval("document.querySelectorAll('.chosen').length") == 0
    page.eval(
        "document.querySelector('svg.points [data-attribute], .points [data-attribute]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    assert page.eval("document.querySelectorAll('.rows tr.chosen').length") == 1


def test_a_figure_can_be_enlarged_and_zoomed(study_file, open_page):
    page = open_page(study_file)
    page.eval("document.querySelector('.figure-tools button').click()")
    assert page.eval("document.querySelector('dialog').open")
    view = "document.querySelector('.stage svg').getAttribute('viewBox').split(' ').map(Number)"
    before = page.eval(view)
    page.eval("document.querySelector('dialog [aria-label=\"Zoom in\"]').click()")
    after = page.eval(view)
    assert after[2] == pytest.approx(0.8 * before[2])
    page.eval("document.querySelector('dialog [aria-label=\"Reset the zoom\"]').click()")
    assert page.eval(view) == before
    page.eval("document.querySelector('dialog [aria-label=\"Close the figure\"]').click()")
    assert not page.eval("document.querySelector('dialog').open")
    assert page.complaints == []


def test_attributes_are_sorted_and_filtered(study_file, open_page, study):
    described = study[2]
    page = open_page(study_file)
    heads = page.eval("[...document.querySelectorAll('.rows thead th')].map(t => t.innerText)")
    column = heads.index("Adjusted p")
    press = f"document.querySelectorAll('.rows thead th')[{column}].querySelector('button').click()"
    page.eval(press)
    order = np.argsort(-described.columns["adjusted_p_value"], kind="stable")
    assert attribute_names(page) == [described.names[i] for i in order]
    page.eval(
        "(() => { const i = document.getElementById('attribute-filter'); i.value = 'gene_1';"
        "i.dispatchEvent(new Event('input')) })()"
    )
    assert attribute_names(page) == ["gene_1"]
    assert page.eval("document.querySelector('.attribute-list .count').innerText") == (
        "1 of 12 rows"
    )


def test_downloads_escape_the_same_formulas_as_python(study_file, open_page):
    texts = [
        "=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "   @x", "＝1+1", "＋1", "－a",
        "＠a", "", "a=b", "-1.5", "+3", " -2e-5", "-.5", "-1e", "-inf", "-infx", "--1", "gene-1", "1-2", "'=1", "-",
        "=", "-1_000", "+1 2", "-1\n",
    ]  # fmt: skip
    page = open_page(study_file)
    script = (Path(fsops.__file__).parent / "report/html/download.js").read_text(encoding="utf-8")
    assert script.split("*/")[1].strip() in study_file.read_text(encoding="utf-8")
    found = page.eval(f"(() => {{ {script}; return {json.dumps(texts)}.map(plainText) }})()")
    assert found == [safe_text(text) for text in texts]
    assert 10 < sum(text.startswith("'") for text in found) < len(texts)


def test_tables_are_saved_as_csv_and_excel(study_file, open_page, browser, tmp_path, study):
    page = open_page(study_file)
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.eval("document.querySelector('.attribute-list details').open = true")
    for suffix, button in ((".csv", 1), (".xlsx", 2)):
        file = tmp_path / f"all-numbers-of-these-attributes{suffix}"
        page.eval(
            f"document.querySelectorAll('#attribute-numbers .tools button')[{button - 1}].click()"
        )
        for _ in range(500):
            if file.exists() and file.stat().st_size:
                break
            page.eval("new Promise(done => setTimeout(done, 20))")
    rows = list(csv.reader((tmp_path / "all-numbers-of-these-attributes.csv").open()))
    assert rows[0][:2] == ["place", "attribute"]
    assert rows[1][1] == "'=SUM(A1)"  # not a formula
    assert float(rows[1][rows[0].index("Hedges' g")]) == study[2].columns["effect"][0]
    content = (tmp_path / "all-numbers-of-these-attributes.xlsx").read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    frame = pandas.read_excel(io.BytesIO(content))
    assert frame["attribute"].tolist() == list(study[2].names)
    assert frame["p value"].tolist() == pytest.approx(study[2].columns["p_value"].tolist())
