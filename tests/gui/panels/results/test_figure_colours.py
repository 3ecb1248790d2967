"""Figures have the colors of the window; their files are white."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from PyQt6.QtGui import QColor, QImage, QPalette
from PyQt6.QtWidgets import QApplication

from fsops.data import AttributeWeights, ImportanceHistory
from fsops_gui.base.theme import DARK, LIGHT, apply_theme
from fsops_gui.base.tokens import tokens
from fsops_gui.panels.results.figures import FigurePage, draw, picture, turn_dark
from fsops_gui.panels.results.views import makers_of

WHITE = QColor("white")


@pytest.fixture
def themed(qapp):
    """Return the function that changes the theme; at the end it is the light one again."""
    yield apply_theme
    apply_theme(LIGHT)


@pytest.fixture
def page(qtbot):
    weights = AttributeWeights(["a", "b", "c"], np.array([1.0, 2.0, 3.0]))
    page = FigurePage(weights, makers_of(weights)[0])
    qtbot.addWidget(page)
    page.resize(500, 400)
    page.show()
    qtbot.waitUntil(lambda: page.card is not None, timeout=30_000)
    return page


def corner(page):
    return page.card.canvas.grab().toImage().pixelColor(2, 2)


def darkest(page):
    image = page.card.canvas.grab().toImage()
    every = range(0, image.width(), 2), range(0, image.height(), 2)
    return min(image.pixelColor(x, y).lightness() for x in every[0] for y in every[1])


def test_a_figure_follows_the_theme(page, themed, qtbot):
    qtbot.waitUntil(lambda: corner(page) == WHITE)
    assert darkest(page) < 60
    themed(DARK)
    base = QApplication.palette().color(QPalette.ColorRole.Base)
    qtbot.waitUntil(lambda: corner(page) == base)
    assert darkest(page) >= base.lightness() - 1  # no black letters on a dark ground
    themed(LIGHT)
    qtbot.waitUntil(lambda: corner(page) == WHITE)


def test_files_are_white_in_the_dark_theme(page, themed):
    light = picture(page.maker, page.value, "png")
    themed(DARK)
    assert picture(page.maker, page.value, "png") == light
    assert QImage.fromData(light).pixelColor(2, 2) == WHITE


def test_white_becomes_the_ground_black_the_ink_and_hues_stay():
    ground, ink = QColor(40, 50, 60), QColor(240, 240, 240)
    pixels = np.array([[[255, 255, 255, 255], [0, 0, 0, 255], [0, 60, 120, 7]]], dtype=np.uint8)
    turn_dark(pixels, ground, ink)
    assert pixels[0, 0].tolist() == [40, 50, 60, 255]
    assert pixels[0, 1].tolist() == [240, 240, 240, 255]
    blue = QColor(*pixels[0, 2].tolist())
    assert blue.alpha() == 7
    assert blue.hslHue() == pytest.approx(QColor(0, 60, 120).hslHue(), abs=8)
    assert blue.lightness() > QColor(0, 60, 120).lightness() + 60


def test_names_keep_a_colour_that_has_a_meaning():
    importances = np.array([[0.9, 0.5, 0.01], [0.8, 0.6, 0.02]])
    shadows = np.array([[0.0, 0.1, 0.2], [0.0, 0.1, 0.3]])
    history = ImportanceHistory("abc", importances, shadows, np.array([1, 0, -1]))
    axes = draw(makers_of(history)[0], history).axes[0]
    colours = {name.get_text(): to_hex(name.get_color()) for name in axes.get_yticklabels()}
    light = tokens()["light"]
    assert (colours["a"], colours["b"]) == (light["data"]["class_a"], light["data"]["class_b"])
    assert len({colours[name] for name in ("a", "b", "c", "best shadow")}) == 4
    assert colours["best shadow"] == light["text"]["secondary"]
    assert {to_hex(name.get_color()) for name in axes.get_xticklabels()} == {
        light["text"]["secondary"]
    }


def icon_lightness(page):
    home = page.tools.actions()[0].icon().pixmap(32, 32).toImage()
    inked = [home.pixelColor(x, y) for x in range(home.width()) for y in range(home.height())]
    return max((colour.lightness() for colour in inked if colour.alpha() > 200), default=0)


def test_the_icons_of_a_figure_follow_the_theme(page, themed, qtbot):
    light = icon_lightness(page)
    themed(DARK)
    qtbot.waitUntil(lambda: icon_lightness(page) > light + 40)
