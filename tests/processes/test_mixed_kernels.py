"""The comparison on Heart, with fewer splits and sizes than the figures in the manual."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from fsops import SizeCurves, plots, read_process, run

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "processes" / "papers" / "mixed_kernels"
DATA = ROOT.parent / "shared" / "data"
METHODS = ("RFE-MKL", "RFE-SVM", "HFS-NB", "HFS-5NN")


def test_all_methods_find_the_heart_disease():
    if not (DATA / "heart_cleveland.csv").exists():
        pytest.skip("the shared data folder is not on this machine")
    process = read_process(FOLDER / "heart.xml")
    process.find("Compare Feature Selections").parameters["sizes"] = "3, 6"
    curves, _, _, comparison, _ = run(process, macros={"splits": "2"})
    assert isinstance(curves, SizeCurves)
    assert curves.methods == METHODS
    assert curves.mean.min() > 0.65
    assert np.isfinite(curves.stability).all()
    assert len(comparison) == 6
    axes = Figure().subplots()
    plots.critical_difference(comparison, axes)
    shown = " ".join(text.get_text() for text in axes.findobj(Text))
    assert [name for name in METHODS if name not in shown] == []
