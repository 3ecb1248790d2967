"""A report in a real browser: it works from the disk, for everybody, without a network."""

import json
import math

import numpy as np
import pytest

from fsops.data import AttributeWeights
from fsops.report.numbers import column_texts

MEGABYTE = 2**20
ROWS = 50_000

CELLS = "[...document.querySelectorAll('#{table} tbody tr:not(.gap)')].map(r => r.cells[{column}].innerText)"


def cells(page, column, table="table-1-1"):
    return page.eval(CELLS.format(table=table, column=column))


def click(page, selector):
    page.eval(f"document.querySelector({json.dumps(selector)}).click()")


def type_into(page, selector, text):
    where = json.dumps(selector)
    page.eval(f"document.querySelector({where}).focus()")
    page.eval(f"document.querySelector({where}).select()")
    page.call("Input.insertText", text=text)


def status(page, table="table-1-1"):
    return page.eval(f"document.querySelector('#{table} .count').innerText")


@pytest.fixture
def genes():
    rng = np.random.default_rng(0)
    names = [f"gene {i}" for i in range(ROWS)]
    return AttributeWeights(names, rng.normal(size=ROWS), details={"p_value": rng.random(ROWS)})


# --- the quickstart -------------------------------------------------------------------------


def test_it_opens_from_the_disk_without_errors_or_requests(quickstart_report, open_page):
    file, _ = quickstart_report
    page = open_page(file)
    assert page.complaints == []
    assert page.requests == [file.as_uri()]
    assert page.eval("document.title") == "Quickstart: report"
    pictures = page.eval("[...document.images].map(i => i.complete && i.naturalWidth > 50)")
    assert len(pictures) >= 5
    assert all(pictures)


def test_it_is_small(quickstart_report):
    file, _ = quickstart_report
    assert file.stat().st_size < 3 * MEGABYTE


def test_its_numbers_are_those_of_the_json_output(quickstart_report, open_page):
    file, document = quickstart_report
    page = open_page(file)
    tables = page.eval(
        "[...document.querySelectorAll('.table script')].map(s => JSON.parse(s.textContent))"
    )
    criteria, confusion, weights = (
        {c["name"]: c["values"] for c in table["columns"]} for table in tables
    )
    performance, weighted = document["results"]
    for key in ("mean", "deviation"):
        assert [c[key] for c in performance["criteria"]] == criteria[key]
    words = [c["name"].replace("_", " ") for c in performance["criteria"]]
    assert words == criteria["criterion"]
    classes = performance["confusion"]["classes"]
    assert confusion["true class"] == classes
    counts = [confusion[f"predicted {name}"] for name in classes]
    assert np.array(counts).T.tolist() == performance["confusion"]["counts"]
    for key in ("attribute", "weight", "deviation"):
        assert [row[key] for row in weighted["weights"]] == weights[key]


def test_a_cell_shows_its_number_short_and_in_full(quickstart_report, open_page):
    file, document = quickstart_report
    page = open_page(file)
    exact = document["results"][1]["weights"][0]["weight"]
    cell = "document.querySelector('#table-2-1 tbody tr').cells[2]"
    assert float(page.eval(f"{cell}.title")) == exact
    assert float(page.eval(f"{cell}.innerText")) == pytest.approx(exact, rel=1e-4)


# --- tables ---------------------------------------------------------------------------------


def test_only_the_rows_one_can_see_are_drawn(report_of, open_page, genes):
    page = open_page(report_of(genes))
    assert len(cells(page, 0)) < 100
    assert status(page) == "50,000 rows"
    order = genes.order()
    assert cells(page, 1)[0] == genes.names[order[0]]

    page.eval("document.querySelector('#table-1-1 .scroll').scrollTop = 1e9")
    page.wait_for(f"({CELLS.format(table='table-1-1', column=0)}).includes('{ROWS}')")
    shown = [int(place) for place in cells(page, 0)]
    assert shown == list(range(shown[0], ROWS + 1))
    assert cells(page, 1)[-1] == genes.names[order[-1]]
    assert page.complaints == []


def test_the_scroll_bar_is_where_the_rows_are(report_of, open_page, genes):
    page = open_page(report_of(genes))
    box = "document.querySelector('#table-1-1 .scroll')"
    page.eval(f"{box}.scrollTop = {box}.scrollHeight / 2")
    page.wait_for(f"Math.abs({CELLS.format(table='table-1-1', column=0)}[0] - {ROWS // 2}) < 60")
    # The rows on the screen fill it: none of it is a gap.
    inside = page.eval(
        f"(() => {{ const box = {box}.getBoundingClientRect();"
        "return [...document.querySelectorAll('#table-1-1 tbody tr.gap')].every(gap => {"
        "const r = gap.getBoundingClientRect(); return r.bottom <= box.top + 1 || r.top >= box.bottom - 1"
        "}) })()"
    )
    assert inside


def test_a_click_on_a_name_sorts_and_another_turns_round(report_of, open_page, genes):
    page = open_page(report_of(genes))
    head = "#table-1-1 th:nth-child(4) button"
    click(page, head)
    order = np.argsort(-genes.details["p_value"], kind="stable")
    assert cells(page, 1)[:3] == [genes.names[i] for i in order[:3]]
    sorted_by = "document.querySelector('#table-1-1 th:nth-child(4)').getAttribute('aria-sort')"
    assert page.eval(sorted_by) == "descending"
    click(page, head)
    assert cells(page, 1)[:3] == [genes.names[i] for i in order[::-1][:3]]
    assert page.eval(sorted_by) == "ascending"
    click(page, "#table-1-1 th:nth-child(2) button")  # names: 2 comes before 10
    assert cells(page, 1)[:3] == ["gene 0", "gene 1", "gene 2"]


def test_unknown_values_come_last_whichever_way(report_of, open_page):
    page = open_page(report_of(AttributeWeights("abcd", [2.0, np.nan, -np.inf, np.inf])))
    head = "#table-1-1 th:nth-child(3) button"
    click(page, head)
    assert cells(page, 2) == ["∞", "2", "-∞", "?"]
    click(page, head)
    assert cells(page, 2) == ["-∞", "2", "∞", "?"]


def test_typing_leaves_only_the_rows_that_fit(report_of, open_page, genes):
    page = open_page(report_of(genes))
    type_into(page, "#table-1-1-filter", "GENE 4999")
    found = {name for name in genes.names if "gene" in name and "4999" in name}
    page.wait_for("document.querySelector('#table-1-1 .count').innerText.includes(' of ')")
    assert set(cells(page, 1)) == found
    assert status(page) == f"{len(found)} of 50,000 rows"
    type_into(page, "#table-1-1-filter", "no such gene")
    assert cells(page, 1) == []
    assert status(page) == "0 of 50,000 rows"


def test_a_filter_and_an_order_work_together(report_of, open_page):
    names = [f"{'left' if i % 2 else 'right'} {i}" for i in range(40)]
    page = open_page(report_of(AttributeWeights(names, range(1, 41))))
    type_into(page, "#table-1-1-filter", "left")
    click(page, "#table-1-1 th:nth-child(3) button")
    click(page, "#table-1-1 th:nth-child(3) button")
    assert cells(page, 1)[:2] == ["left 1", "left 3"]
    assert status(page) == "20 of 40 rows"


# --- for everybody --------------------------------------------------------------------------

CONTRASTS = """
(() => {
  const parse = (c) => {
    const [r, g, b, a = 1] = c.match(/[\\d.]+/g).map(Number); return {r, g, b, a};
  };
  const light = ({r, g, b}) => {
    const part = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.a === 1) return c;
    }
    return {r: 255, g: 255, b: 255};
  };
  const worst = {};
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !e.getClientRects().length || e.closest("script, annotation")) continue;
    const style = getComputedStyle(e);
    let opacity = 1;
    for (let up = e; up; up = up.parentElement) opacity *= getComputedStyle(up).opacity;
    const back = ground(e), ink = parse(e.tagName === 'text' ? style.fill : style.color);
    for (const k of "rgb") ink[k] = ink[k] * opacity + back[k] * (1 - opacity);
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    const name = `${e.tagName}.${e.getAttribute('class')}`;
    worst[name] = Math.min(worst[name] ?? 99, contrast);
  }
  return worst;
})()
"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("switched", [False, True])
def test_everything_can_be_read(quickstart_report, open_page, dark, switched):
    page = open_page(quickstart_report[0], dark=dark)
    if switched:
        click(page, "#theme")
    is_dark = page.eval("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert is_dark == (dark != switched)
    assert page.eval("document.getElementById('theme').innerText") == (
        "Light" if is_dark else "Dark"
    )
    worst = page.eval(CONTRASTS)
    assert len(worst) > 15
    assert {name: c for name, c in worst.items() if c < 4.5} == {}


def test_warnings_can_be_read_too(report_of, open_page):
    for dark in (False, True):
        page = open_page(
            report_of(warnings=[("A", "b", 1)], cautions=[("C", "d", ["e"])]), dark=dark
        )
        assert {name: c for name, c in page.eval(CONTRASTS).items() if c < 4.5} == {}


def test_who_cannot_see_it_is_told_what_everything_is(quickstart_report, open_page):
    page = open_page(quickstart_report[0])
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    shown = [node for node in tree if not node["ignored"]]

    def names(*roles):
        found = [node for node in shown if node["role"]["value"] in roles]
        return [node.get("name", {}).get("value", "") for node in found]

    for roles in (
        ("image", "img"),
        ("button",),
        ("searchbox",),
        ("link",),
        ("region",),
        ("heading",),
    ):
        assert names(*roles), roles
        assert all(names(*roles)), roles
    assert "Filter attribute weights" in names("searchbox")
    assert page.eval("document.documentElement.lang") == "en"
    ids = page.eval("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_the_keyboard_reaches_sorting_and_scrolling(report_of, open_page, genes):
    page = open_page(report_of(genes))
    reached = []
    for _ in range(30):
        for kind in ("keyDown", "keyUp"):
            page.call(
                "Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9
            )
        reached.append(
            page.eval("document.activeElement.className || document.activeElement.tagName")
        )
    assert {"skip", "scroll", "INPUT", "BUTTON", "A"} <= set(reached)


@pytest.mark.parametrize("width", [390, 1280])
def test_names_at_bars_stay_inside_of_their_figure(report_of, open_page, width):
    names = ["worst radius", "mean compactness", "mean concave points of all cells"]
    page = open_page(report_of(AttributeWeights(names, [3.0, 2.0, 1.0])), width=width)
    figure = "document.querySelector('figure.drawn').getBoundingClientRect().left"
    labels = (
        "[...document.querySelectorAll('figure.drawn .label')].map(l => l.getBoundingClientRect())"
    )
    lefts = page.eval(f"{labels}.filter(box => box.width).map(box => box.left - {figure})")
    assert len(lefts) == 3
    assert min(lefts) >= 1


def test_columns_of_a_small_table_are_not_far_apart(report_of, open_page):
    weights = AttributeWeights(["a", "b"], [3.0, 2.0])
    page = open_page(report_of(weights), width=1600)
    assert page.eval("document.querySelector('#table-1-1 .scroll').offsetWidth") < 700
    page.resize(390)
    assert page.eval("document.documentElement.scrollWidth") <= 390


def test_a_heading_explains_itself_and_files_keep_the_name(report_of, open_page):
    weights = AttributeWeights(["a", "b"], [3.0, 2.0], details={"both_halves": [0.5, 1.0]})
    page = open_page(report_of(weights))
    assert (
        page.eval("document.querySelector('th:last-child').innerText") == "fraction of both halves"
    )
    page.eval("document.querySelector('th:last-child button').focus()")
    tip = page.eval("document.querySelector('#tip').innerText")
    assert tip.startswith("Fraction of the pairs of halves")
    data = page.eval("JSON.parse(document.querySelector('.table script').textContent).columns")
    assert data[-1]["name"] == "both_halves"  # CSV and Excel have the names


COLUMNS = {
    "few_decimals": [0.995, 0.02, 0.0, 1.0],
    "many_decimals": [27.02934, 0.18312, -3.0, math.pi],
    "whole": [1.0, 0.0, 300.0, -4.0],
    "far_apart": [1.5e-20, 0.5, 0.03, 1.0],
    "large": [1e9, 1.0, 2.5, 3.0],
    "unknown": [math.nan, math.inf, -math.inf, 1.25],
    "nothing": [math.nan] * 4,
}


def test_numbers_of_a_column_line_up_as_on_the_terminal(report_of, open_page):
    weights = AttributeWeights(list("abcd"), [4.0, 3.0, 2.0, 1.0], details=COLUMNS)
    page = open_page(report_of(weights))
    for place, (name, values) in enumerate(COLUMNS.items(), start=3):
        texts = [text.replace("e+0", "e+") for text in column_texts(values)]
        assert cells(page, place) == texts, name


LETTERS = """[...document.querySelectorAll('#results figure')].map(figure => {
  const drawn = [...figure.querySelectorAll('svg.chart')].find(svg => svg.getClientRects().length);
  const picture = drawn ?? figure.querySelector('img');
  const width = picture.getBoundingClientRect().width;
  return drawn ? 12 * width / drawn.viewBox.baseVal.width : 8 * 96 / 72 * width / picture.naturalWidth;
})"""


@pytest.mark.parametrize("width", [390, 800, 1280, 1920])
def test_letters_of_figures_have_one_size_in_rows_of_one_two_and_three(
    quickstart_report, open_page, width
):
    page = open_page(quickstart_report[0], width=width)
    letters = page.eval(LETTERS)
    assert len(letters) >= 4
    assert 9.5 <= min(letters) <= max(letters) <= 13
    assert max(letters) / min(letters) < 1.15


@pytest.mark.parametrize("width", [320, 390, 768])
def test_nothing_hangs_out_of_a_narrow_screen(quickstart_report, open_page, width):
    page = open_page(quickstart_report[0], width=width)
    assert page.eval("document.documentElement.scrollWidth") <= width


def test_on_paper_there_are_rows_and_no_buttons(report_of, open_page, genes):
    page = open_page(report_of(genes), dark=True)
    page.eval(
        "window.printed = {};"
        "window.addEventListener('beforeprint', () => { printed.rows = document.querySelectorAll("
        "'#table-1-1 tbody tr').length; printed.told = document.querySelector('.count').innerText })"
    )
    assert page.pdf().startswith(b"%PDF")
    assert page.eval("printed") == {"rows": 50, "told": "50 of 50,000 rows"}
    assert len(cells(page, 0)) < 100  # and afterwards all is as before
    assert status(page) == "50,000 rows"
    page.look(dark=True, media="print")
    assert page.eval("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.eval("document.querySelector('#theme').getClientRects().length") == 0
    assert page.eval("document.querySelector('.tools').getClientRects().length") == 0


def test_hostile_names_do_nothing(report_of, open_page):
    evil = "</script><img src=x onerror='window.hurt = 1'><script>window.hurt = 1</script>"
    weights = AttributeWeights(
        [evil, *(f"{evil}{i}" for i in range(60))], range(1, 62), origin=evil
    )
    file = report_of(weights, command=evil, warnings=[(evil, evil, 1)])
    page = open_page(file)
    click(page, "#table-1-1 th:nth-child(2) button")
    assert cells(page, 1)[0] == evil
    assert page.eval("window.hurt") is None
    assert page.complaints == []
    assert page.requests == [file.as_uri()]
