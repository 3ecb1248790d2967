"""Help: formulas that look like formulas, links, examples."""

import pytest
from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QColor, QTextDocument

from fsops.report.helptext import blocks_of
from fsops_gui.base.theme import DARK, LIGHT, apply_theme
from fsops_gui.document.document import Document
from fsops_gui.panels import help as help_module
from fsops_gui.panels.help import HelpPanel, help_html, inline_html, related
from fsops_gui.widgets.formulas import formula_image


@pytest.fixture
def panel(qtbot, registry):
    list(registry)
    panel = HelpPanel(registry)
    qtbot.addWidget(panel)
    panel.resize(310, 600)
    panel.show()
    return panel


def ink(image):
    """Return the share of the picture that is painted."""
    points = [(x, y) for x in range(image.width()) for y in range(image.height())]
    return sum(image.pixelColor(x, y).alpha() > 100 for x, y in points) / len(points)


def pictures(panel):
    """Return the formulas of the page as they are shown."""
    kind = QTextDocument.ResourceType.ImageResource.value
    return [panel.loadResource(kind, QUrl(f"formula:{i}")) for i in range(len(panel._formulas))]


def test_every_formula_of_every_operator_is_painted(registry, qapp):
    for operator in registry:
        for block in blocks_of(operator.help):
            if block.kind == "formula":
                image = formula_image(block.text, QColor("black"), 14)
                assert image.width() > 10, operator.key
                assert 0.01 < ink(image) < 0.6, operator.key


def test_a_fraction_is_higher_than_its_parts_side_by_side(qapp):
    def size(latex):
        image = formula_image(latex, QColor("black"), 16)
        return image.width(), image.height()

    flat, fraction = size("a + b / c"), size(r"\frac{a + b}{c}")
    assert fraction[1] > 1.5 * flat[1]
    assert fraction[0] < flat[0]
    assert size("x_i^2")[1] > size("x")[1]
    assert size(r"\sqrt{x}")[0] > size("x")[0]
    assert size(r"\left(\frac{a}{b}\right)^2")[1] > size(r"\frac{a}{b}")[1]
    assert size(r"a \\ b")[1] > 1.8 * size("a")[1]


def test_odd_formulas_are_painted_too(qapp):
    for latex in ("", "}", r"\frac", r"\left(", "x^", "_", r"\unknown{a}", r"\sqrt", "a|b"):
        assert not formula_image(latex, QColor("black"), 14).isNull()


def test_the_page_shows_formulas_as_pictures_that_fit(panel, registry, qtbot):
    panel.show_operator(registry["weight_by_sam"])
    images = pictures(panel)
    assert len(images) == 2  # both parts of the formula, one under the other
    assert all(image.width() <= panel.viewport().width() for image in images)
    assert "\\frac" not in panel.toPlainText()
    panel.resize(800, 600)
    # There is room for one line.
    qtbot.waitUntil(lambda: len(pictures(panel)) == 1, timeout=10_000)


def test_formulas_have_the_colour_of_the_text(panel, registry, qtbot):
    panel.show_operator(registry["weight_by_sam"])

    def brightest():
        image = pictures(panel)[0]
        points = [(x, y) for x in range(image.width()) for y in range(image.height())]
        return max(points, key=lambda p: image.pixelColor(*p).alpha())

    def lightness():
        return pictures(panel)[0].pixelColor(*brightest()).lightness()

    assert lightness() < 100
    try:
        apply_theme(DARK)
        qtbot.waitUntil(lambda: lightness() > 180, timeout=10_000)
    finally:
        apply_theme(LIGHT)


def test_nothing_is_read_from_elsewhere(panel):
    kind = QTextDocument.ResourceType.ImageResource.value
    assert panel.loadResource(kind, QUrl("file:///etc/passwd")) is None
    assert panel.loadResource(kind, QUrl("http://example.org/a.png")) is None


def test_addresses_and_dois_are_links():
    html = inline_html("See https://example.org/a_b. And doi:10.1093/bioinformatics/btq.")
    assert '<a href="https://example.org/a_b">' in html
    assert '<a href="https://doi.org/10.1093/bioinformatics/btq">' in html


def test_related_operators_are_links_that_lead_there(panel, registry):
    names = [operator.key for operator in related(registry["weight_by_welch_test"], registry)]
    assert "weight_by_t_test" in names
    panel.show_operator(registry["weight_by_welch_test"])
    assert "Related" in panel.toPlainText()
    panel.anchorClicked.emit(QUrl("operator:weight_by_t_test"))
    assert panel.operator is registry["weight_by_t_test"]


def test_every_page_has_its_ports_and_key(registry):
    for operator in registry:
        html = help_html(operator)
        assert f"<code>{operator.key}</code>" in html
        for port in (*operator.inputs, *operator.outputs):
            assert f"<b>{port.name}</b>" in html


def link(panel, kind):
    """Return the first link of a kind on the page."""
    html = panel.toHtml()
    return QUrl(html.split(f'href="{kind}:')[1].split('"')[0].join((f"{kind}:", "")))


def test_an_example_can_be_opened_from_the_help(window_of, quickstart, qtbot):
    window = window_of(quickstart)
    window.session.editor.scene.enter("Cross Validation")
    window.session.editor.scene.select(["Weight by SAM"])
    window.docks["help"].hide()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    assert window.docks["help"].isVisible()
    assert window.help_panel.operator.key == "weight_by_sam"
    window.help_panel.anchorClicked.emit(link(window.help_panel, "example"))
    assert window.session.document is not quickstart
    assert any(n.operator.key == "weight_by_sam" for n in window.session.document.process.walk())


def test_an_example_is_inserted_as_one_step(window_of, qtbot):
    window = window_of(Document())
    window.help_panel.show_operator(window.registry["select_by_mrmr_cfs"])
    window.help_panel.anchorClicked.emit(link(window.help_panel, "insert"))
    process = window.session.document.process
    assert any(n.operator.key == "select_by_mrmr_cfs" for n in process.walk())
    assert set(window.session.editor.scene.selected_names()) == {n.name for n in process}
    window.edits.undo()
    assert len(window.session.document.process) == 0
    assert not window.session.document.modified


def test_the_mouse_over_the_palette_shows_the_help(window_of, qtbot, monkeypatch):
    window = window_of(Document())
    qtbot.keyClicks(window.palette_panel.field, "sam")
    tree = window.palette_panel.tree
    monkeypatch.setattr(tree, "underMouse", lambda: True)
    tree.itemEntered.emit(tree.topLevelItem(1), 0)
    qtbot.waitUntil(
        lambda: window.help_panel.operator.title == tree.topLevelItem(1).text(0), timeout=10_000
    )


def test_the_page_of_the_documentation_opens_in_the_browser(panel, registry, tmp_path, monkeypatch):
    page = tmp_path / "weight_by_sam.html"
    page.write_text("<title>page</title>", encoding="utf-8")
    monkeypatch.setattr(help_module, "operator_page", lambda key: page)
    opened = []
    monkeypatch.setattr(help_module.QDesktopServices, "openUrl", opened.append)
    panel.show_operator(registry["weight_by_sam"])
    assert "Page of the documentation" in panel.toPlainText()
    panel.anchorClicked.emit(QUrl("manual:weight_by_sam"))
    assert opened == [QUrl.fromLocalFile(str(page))]


def test_without_the_site_there_is_no_link_to_it(panel, registry, monkeypatch):
    monkeypatch.setattr(help_module, "operator_page", lambda key: None)
    panel.show_operator(registry["weight_by_sam"])
    assert "Page of the documentation" not in panel.toPlainText()
