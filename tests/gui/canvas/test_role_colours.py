"""Cards and palette show the role of an operator by its color and in words, whatever its group."""

from itertools import combinations

import pytest
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QColor, QImage, QPainter

from fsops import AttributeWeights, ExampleSet, Process, operator
from fsops.core import Registry
from fsops.core.declare.roles import Role
from fsops.operators import retrieve, weight_by_sam
from fsops_gui.base.icons import letter_of
from fsops_gui.base.theme import DARK, LIGHT, apply_theme, colours_of, current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.document.document import Document
from fsops_gui.panels.help import help_html
from fsops_gui.panels.palette import ROLE, Palette


@operator(group="Mine/Filters", role="weighting")
def weight_by_mine(examples: ExampleSet) -> AttributeWeights:
    """Weight by Mine"""
    return examples.weights([0.0] * len(examples.schema.regular))


@pytest.fixture
def themed():
    yield apply_theme
    apply_theme(LIGHT)


@pytest.fixture
def scene(window_of):
    process = Process()
    table = process.add(retrieve, repository_entry="iris")
    process.result(process.add(weight_by_mine, table))
    process.result(process.add(weight_by_sam, table))
    return window_of(Document(process)).session.editor.scene


def colours_of_tile(scene, name):
    """Return the colors on the tile of a card, as it is painted, large."""
    item = scene.item_of(name)
    picture = QImage(280, 280, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    box = item.mapRectToScene(item.role_tile().adjusted(2, 2, -2, -2))
    scene.render(painter, QRectF(picture.rect()), box)
    painter.end()
    return {picture.pixelColor(x, y).name() for x in range(280) for y in range(0, 280, 4)}


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Retrieve", Role.SOURCE),
        ("Weight by SAM", Role.WEIGHTING),
        ("Weight by Mine", Role.WEIGHTING),
    ],
)
def test_cards_have_the_icon_of_the_role_in_its_colour(scene, name, role):
    colours = current_colours()
    assert {colours.roles[role].name(), colours.tints[role].name()} <= colours_of_tile(scene, name)


def test_every_role_has_an_icon_of_its_own(qapp):
    names = [icon_name("role", role) for role in Role]
    assert len(set(names)) == len(Role)
    letters = {letter_of(name) for name in names}
    assert len(letters) == len(Role)
    assert ("", "") not in letters


def test_tips_and_help_say_the_role_in_words(scene):
    item = scene.item_of("Weight by Mine")
    assert "Role: weighting" in scene.tip_at(item.mapToScene(item.body().center()))
    assert "Mine/Filters · Role: weighting" in help_html(weight_by_mine.operator)


def test_the_palette_has_the_colour_of_the_role_in_every_theme(qtbot, themed):
    palette = Palette(Registry([weight_by_mine]))
    qtbot.addWidget(palette)
    groups = palette.tree
    qtbot.waitUntil(lambda: groups.topLevelItem(0).text(0) == "Mine")  # all are loaded
    item = groups.topLevelItem(0).child(0).child(0)
    assert item.data(0, ROLE) is weight_by_mine.operator
    assert "Role: weighting" in item.toolTip(0)

    def colour():
        return item.icon(0).pixmap(20, 20).toImage().pixelColor(3, 3).name()

    for theme in (LIGHT, DARK, LIGHT):
        themed(theme)
        wanted = colours_of(theme).tints[Role.WEIGHTING].name()
        qtbot.waitUntil(lambda wanted=wanted: colour() == wanted)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_role_has_a_colour_of_its_own_that_stands_out_from_the_card(theme):
    colours = colours_of(theme)
    assert colours.roles.keys() == {*Role}
    assert all(a.name() != b.name() for a, b in combinations(colours.roles.values(), 2))
    assert min(contrast(colour, colours.operator) for colour in colours.roles.values()) > 2.5


def contrast(one: QColor, two: QColor) -> float:
    """Return the contrast ratio of WCAG."""
    darker, lighter = sorted(map(luminance, (one, two)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: QColor) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
