"""Light and dark come from the same tokens, and a switch leaves nothing behind."""

import re

import pytest
from PyQt6.QtGui import QColor, QFontDatabase, QFontInfo, QPalette
from PyQt6.QtWidgets import QApplication, QPushButton

from fsops.core.declare.roles import Role
from fsops_gui.base.fonts import font, load_fonts
from fsops_gui.base.icons import letter_of
from fsops_gui.base.stylesheet import TEMPLATE, style_sheet
from fsops_gui.base.theme import CONTRAST, DARK, LIGHT, apply_theme, colours_of, current_colours
from fsops_gui.base.tokens import flat_tokens, tokens


@pytest.fixture(autouse=True)
def light_again(qapp):
    yield
    apply_theme(LIGHT)


def names(values, path=()):
    """Return the paths of all values of a tree."""
    if not isinstance(values, dict):
        return {path}
    return {found for name, inner in values.items() for found in names(inner, (*path, name))}


def test_all_themes_have_the_same_names():
    assert names(tokens()[LIGHT]) == names(tokens()[DARK]) == names(tokens()[CONTRAST])
    assert {*tokens()[LIGHT]["role"]} >= {*Role}


def luminance(colour):
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, two):
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_words_and_icons_can_be_read(theme):
    c = colours_of(theme)
    for ground in (c.operator, c.frame, c.background, c.disabled, c.hover):
        assert min(contrast(text, ground) for text in (c.text, c.secondary, c.faint)) >= 4.5
    for state in (c.error, c.warning, c.done, c.running, c.stale):
        assert contrast(state, c.operator) >= 4.5
    assert contrast(c.on_accent, c.selected) >= 4.5
    assert min(contrast(c.roles[role], c.tints[role]) for role in Role) >= 3


def test_high_contrast_reaches_seven_to_one_everywhere():
    c = colours_of(CONTRAST)
    for ground in (c.operator, c.frame, c.background, c.disabled, c.hover, c.selected_tint):
        texts = (c.text, c.secondary, c.faint, c.error, c.warning, c.done, c.running, c.stale)
        assert min(contrast(text, ground) for text in texts) >= 7
    assert contrast(c.on_accent, c.selected) >= 7
    assert contrast(c.text, c.note) >= 7
    assert min(contrast(c.roles[role], c.tints[role]) for role in Role) >= 7
    assert min(contrast(colour, c.frame) for colour in c.ports.values()) >= 7
    assert contrast(c.border, c.frame) >= 4.5  # edges of cards and fields, too
    values = {
        name: QColor(value) for name, value in flat_tokens(CONTRAST).items() if value[0] == "#"
    }
    for text in ("text_primary", "text_secondary", "text_muted", "text_link"):
        for ground in ("surface_app", "surface_panel", "surface_hover", "surface_selected"):
            assert contrast(values[text], values[ground]) >= 7, (text, ground)
    assert contrast(values["text_on_tooltip"], values["surface_tooltip"]) >= 7


def test_high_contrast_is_used_by_the_canvas_and_leaves_again(qapp):
    apply_theme(CONTRAST)
    assert current_colours() is colours_of(CONTRAST)
    apply_theme(DARK)
    assert current_colours() is colours_of(DARK)


@pytest.mark.parametrize("theme", [LIGHT, DARK, CONTRAST])
def test_the_style_sheet_writes_no_colour_itself(theme):
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![^{]*\{)", TEMPLATE.read_text(encoding="utf-8"))
    sheet = style_sheet(theme)
    assert "$" not in sheet
    assert tokens()[theme]["accent"]["default"] in sheet


def test_every_icon_of_the_tokens_exists(qapp):
    icons = [name for group in tokens()["icons"].values() for name in group.values()]
    assert [name for name in icons if letter_of(name) == ("", "")] == []


def test_the_font_comes_with_the_designer(qapp):
    assert load_fonts() == "Inter"
    assert font("display").pointSizeF() > font("title").pointSizeF() > font("micro").pointSizeF()


def test_a_switch_leaves_nothing_of_the_other_theme(qtbot):
    button = QPushButton("Run")
    qtbot.addWidget(button)
    button.show()
    seen = {}
    for theme in (DARK, LIGHT, DARK):
        assert apply_theme(theme) == theme
        image = button.grab().toImage()
        found = (QApplication.palette().color(QPalette.ColorRole.Window).name(), image)
        assert seen.setdefault(theme, found) == found
        other = tokens()[LIGHT if theme == DARK else DARK]["surface"]["panel"]
        assert image.pixelColor(image.width() // 2, 4).name() != other


def test_headings_have_a_heavier_font_of_the_same_family(qapp):
    assert load_fonts() == "Inter"
    assert QFontDatabase.styles("Inter") == ["Regular", "Semi Bold"]
    assert QFontInfo(font("title")).styleName() == "Semi Bold"
