"""Between the mean and the worst case."""

import numpy as np
import pytest

from fsops.data import Criterion, PerformanceVector
from fsops.operators import performance_min_max

MEASURED = PerformanceVector(
    [
        Criterion("accuracy", (0.9, 0.6, 0.9), percent=True),
        Criterion("error", (1.0, 4.0, 1.0), maximize=False),
        Criterion("once", (5.0,)),
    ]
)


@pytest.mark.parametrize(
    ("share", "accuracy", "error"), [(1.0, 0.6, 4.0), (0.0, 0.8, 2.0), (0.5, 0.7, 3.0)]
)
def test_figures_lie_between_mean_and_worst(share, accuracy, error):
    found = performance_min_max(MEASURED, min_weight=share)
    assert [c.mean for c in found] == pytest.approx([accuracy, error, 5.0])
    assert [(c.name, c.maximize, c.percent, c.count) for c in found] == [
        ("accuracy", True, True, 1), ("error", False, False, 1), ("once", True, False, 1),
    ]  # fmt: skip


def test_an_undefined_repetition_makes_the_figure_undefined():
    for values in ((np.nan, 1.0), (1.0, np.nan)):
        found = performance_min_max(PerformanceVector([Criterion("kappa", values)]))
        assert np.isnan(found.main.mean)
