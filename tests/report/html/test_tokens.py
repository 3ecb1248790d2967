"""Colors: one file, the same names in light and dark, none written elsewhere."""

import re
from importlib import resources

from fsops.report.html.tokens import token_css, variables


def test_light_and_dark_have_the_same_names():
    assert variables("light").keys() == variables("dark").keys()


def test_the_style_sheet_uses_known_names_and_hardly_a_colour_of_its_own():
    style = resources.files("fsops.report.html").joinpath("style.css").read_text(encoding="utf-8")
    known = set(variables("light")) | set(re.findall(r"--([\w-]+):", token_css()))
    assert set(re.findall(r"var\(--([\w-]+)\)", style)) <= known
    # Images of matplotlib are drawn for white paper.
    assert set(re.findall(r"#[0-9a-f]{3,6}\b", style)) <= {"#fff", "#3d4653", "#d3d8df", "#c5cbd3"}
