"""The gallery has every figure, and its pictures are those of the ready processes."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from lxml import etree

from fsops.plots.registry import FIGURES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location(
        "make_gallery", ROOT / "tools" / "make_gallery.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_every_figure_is_there(gallery):
    shown = {entry.figure for entry in gallery.shown_figures()}
    assert {maker.name for _, maker in FIGURES} == shown


def drawn_with():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    return page, re.search(r"the pictures by (.*)\.\n", page)[1]


def test_the_page_is_what_the_script_makes(gallery):
    page, program = drawn_with()
    assert page == gallery.page(program)


def test_there_is_a_picture_for_every_figure_and_no_other(gallery):
    files = {path.name for path in (ROOT / "docs" / gallery.FOLDER).iterdir()}
    assert files == {entry.file for entry in gallery.shown_figures()}


def test_pictures_are_small_and_whole(gallery):
    for path in (ROOT / "docs" / gallery.FOLDER).iterdir():
        assert path.stat().st_size < 150_000, path.name
        assert etree.parse(path).getroot().tag.endswith("svg")


QUICK = ("weights", "score_curve", "score_histogram", "volcano", "overlap")
MEASURED = ("runtime", "selection_seconds")  # the time of the machine that drew them
OTHERS = {maker.name for _, maker in FIGURES}.difference(QUICK, MEASURED)


@pytest.mark.parametrize(
    "figure", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(OTHERS))]
)
def test_pictures_are_up_to_date(gallery, figure):
    if drawn_with()[1] != gallery.drawing_program():
        pytest.skip("the pictures are drawn by another version of matplotlib")
    entry = next(entry for entry in gallery.shown_figures() if entry.figure == figure)
    kept = (ROOT / "docs" / gallery.FOLDER / entry.file).read_bytes()
    assert is_alike(kept, gallery.picture_of(entry)), "python tools/make_gallery.py updates it"


def is_alike(one, two):
    """Return whether two drawings have the same elements, and their numbers hardly differ."""
    if one == two:
        return True
    number = re.compile(rb"-?\d+\.?\d*(?:e-?\d+)?")
    # Hashes, and images: one last digit of a number may change them.
    ids = re.compile(rb'(?:id="|#|xlink:href="#)[\w-]+|base64,[^"]+')
    texts = [ids.sub(b"", drawing) for drawing in (one, two)]
    if number.sub(b"0", texts[0]) != number.sub(b"0", texts[1]):
        return False
    pairs = zip(*(map(float, number.findall(text)) for text in texts), strict=True)
    return all(abs(a - b) <= 0.5 for a, b in pairs)
