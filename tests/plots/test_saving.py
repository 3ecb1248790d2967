"""Figures as files."""

import subprocess
import sys

import numpy as np
import pytest

from fsops.data import AttributeWeights
from fsops.errors import UsageError
from fsops.plots import figure_bytes, figures_for, save_figures

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
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert other.replace(b"\r\n", b"\n") == figure_bytes(figures_for(WEIGHTS)[0], WEIGHTS)


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
