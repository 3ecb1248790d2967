"""Figures of results beside those of permuted labels."""

import sys
from pathlib import Path

import numpy as np
import pytest

from fsops.data import PermutationBaseline, SizeCurves
from fsops.plots.registry import figures_for

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
from test_answer import an_answer  # noqa: E402

pytest.importorskip("matplotlib")


def test_an_answer_has_its_curves_with_bands_and_its_scores():
    answer = an_answer()
    assert answer.figures() == ["score_beside_chance", "stability_beside_chance", "honest_scores"]
    axes = answer.plot("stability_beside_chance").axes[0]
    band = axes.collections[0].get_paths()[0].vertices
    np.testing.assert_allclose([band[:, 1].min(), band[:, 1].max()], [0.3, 0.6])
    line = axes.get_lines()[-1].get_ydata()
    np.testing.assert_allclose(line, answer.chance.stability)
    names = [text.get_text() for text in answer.plot("honest_scores").axes[0].get_yticklabels()]
    assert names == ["balanced accuracy"]


def test_curves_with_chance_have_the_band_and_the_line_of_the_largest_class():
    scores = np.full((2, 2, 3), 0.4)
    stability = np.full((2, 2), 0.2)
    curves = SizeCurves(
        ["a", "b"], [1, 2], scores, criterion="classification_error", maximize=False,
        stability=stability,
    )  # fmt: skip
    plain = curves.plot("agreement_over_size").axes[0]
    assert not any(np.allclose(line.get_ydata(), 0) for line in plain.get_lines())  # 0 is no chance
    beside = curves.beside(an_answer().chance)
    assert beside.equals(curves)
    for name, labels in (
        ("agreement_over_size", {"a", "b", "shuffled labels"}),
        ("merit_over_size", {"a", "b", "shuffled labels", "largest class"}),
    ):
        axes = beside.plot(name).axes[0]
        assert set(axes.get_legend_handles_labels()[1]) == labels


def test_a_baseline_is_drawn_as_a_distribution_with_the_true_value():
    baseline = PermutationBaseline(
        ["accuracy"], np.array([0.9]), np.linspace(0.4, 0.6, 19)[:, None],
        maximize=[True], p_values=np.array([0.05]), arrangements=1e9,
    )  # fmt: skip
    assert [maker.name for maker in figures_for(baseline)] == ["null_distribution"]
    axes = baseline.plot().axes[0]
    assert axes.get_lines()[0].get_xdata()[0] == 0.9
    assert sum(patch.get_height() for patch in axes.patches) == 19
    assert "true label: p = 0.05" in axes.get_legend_handles_labels()[1]
