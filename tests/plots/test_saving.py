"""Figures as files."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from fsops.data import AttributeWeights
from fsops.errors import UsageError
from fsops.plots import figure_bytes, figures_for, save_figures
from fsops.plots.saving import steady_ids

WEIGHTS = AttributeWeights([f"a{i}" for i in range(8)], np.arange(8) / 3)


@pytest.mark.parametrize(
    ("format", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_the_same_result_gives_the_same_bytes(format, start):
    maker = figures_for(WEIGHTS)[0]
    one, two = (figure_bytes(maker, WEIGHTS, format) for _ in range(2))
    assert one == two
    assert one.startswith(start)


def test_another_program_gives_the_same_svg():
    code = (
        "import sys, numpy as np\n"
        "from fsops.data import AttributeWeights\n"
        "from fsops.plots import figure_bytes, figures_for\n"
        "w = AttributeWeights([f'a{i}' for i in range(8)], np.arange(8) / 3)\n"
        "sys.stdout.buffer.write(figure_bytes(figures_for(w)[0], w))\n"
    )
    settings = {**os.environ, "PYTHONHASHSEED": "1"}  # another order of hashes
    other = subprocess.run(
        [sys.executable, "-c", code], env=settings, capture_output=True, check=True
    ).stdout
    assert other.replace(b"\r\n", b"\n") == figure_bytes(figures_for(WEIGHTS)[0], WEIGHTS)


# The process "lars" draws its path: positions in this figure follow from the values.
DRAW_PATH = """
import sys
import numpy as np
from fsops.operators import lars, retrieve
from fsops.plots import figure_bytes, figures_for

model = lars(retrieve(repository_entry="diabetes")).model
for values in model.path.values:
    values *= 1 + float(sys.argv[1])
maker = next(maker for maker in figures_for(model) if maker.name == "coefficient_path")
sys.stdout.buffer.write(figure_bytes(maker, model))
"""


def drawn_path(hash_seed, noise=0.0):
    return subprocess.run(
        [sys.executable, "-c", DRAW_PATH, str(noise)],
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        check=True,
    ).stdout


@pytest.mark.slow
def test_neither_the_order_of_hashes_nor_the_last_digits_change_an_svg():
    assert drawn_path(1) == drawn_path(2, noise=1e-15)  # as of another processor


def test_an_svg_names_its_areas_by_their_printed_numbers():
    clip = b'<path clip-path="url(#p%s)"/><defs><clipPath id="p%s"><rect width="%s"/></clipPath></defs>'
    one, two = (steady_ids(clip % (name, name, b"1.5")) for name in (b"0123456789", b"abcdef0123"))
    assert one == two
    assert one.count(re.search(rb'id="(p\w{10})"', one)[1]) == 2
    assert steady_ids(clip % (b"0123456789", b"0123456789", b"2.5")) != one


def test_an_svg_tells_neither_date_nor_program():
    text = figure_bytes(figures_for(WEIGHTS)[0], WEIGHTS).decode()
    assert "dc:date" not in text
    assert "Matplotlib v" not in text


def test_files_are_named_after_result_and_figure(tmp_path):
    files = save_figures(WEIGHTS, tmp_path / "sam.v2", "png")
    assert [file.name for file in files] == [
        "sam.v2.weights.png", "sam.v2.score_curve.png", "sam.v2.score_histogram.png",
    ]  # fmt: skip
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(f.name for f in files)


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(UsageError, match='Figures cannot be written as "jpg"'):
        save_figures(WEIGHTS, tmp_path / "x", "jpg")


def test_figures_are_drawn_without_pyplot():
    code = (
        "import sys, fsops.plots\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from fsops.data import AttributeWeights\n"
        "w = AttributeWeights(['a'], [1])\n"
        "fsops.plots.figure_bytes(fsops.plots.figures_for(w)[0], w)\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
