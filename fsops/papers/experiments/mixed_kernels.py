"""Paul, Dupont (2014): Kernel methods for mixed feature selection.

The figures of the paper carry no numbers, so its statements are compared: the eliminations
predict better than the merged rankings, and the merged rankings are more stable.
"""

from __future__ import annotations

import numpy as np

from fsops.data import SizeCurves
from fsops.papers.setting import Setting
from fsops.papers.values import Key, Measured

ELIMINATIONS = ("RFE-MKL", "RFE-SVM")
MERGED = ("HFS-NB", "HFS-5NN")
SPLITS = 200


def heart(setting: Setting) -> Measured:
    """Compare four selections on Heart."""
    return _by_process(setting, "heart")


def hepatitis(setting: Setting) -> Measured:
    """Compare four selections on Hepatitis."""
    return _by_process(setting, "hepatitis")


def _by_process(setting: Setting, name: str) -> Measured:
    splits = setting.either(2, SPLITS)
    outcome = setting.run(f"papers/mixed_kernels/{name}", {"splits": splits})
    curves = outcome.results[0]
    assert isinstance(curves, SizeCurves)
    measured = compared(name, curves)
    measured.seed = outcome.seed
    return measured


def compared(name: str, curves: SizeCurves) -> Measured:
    """Return means over all sizes, and the differences that the paper makes claims about.

    Standard errors are those of independent splits. The splits share rows, so the true errors are
    larger.
    """
    splits = curves.scores.shape[2]
    measured = Measured(repetitions=f"{splits} splits")
    assert curves.stability is not None
    rate = dict(zip(curves.methods, np.nanmean(curves.scores, axis=1), strict=True))
    stability = dict(zip(curves.methods, curves.stability, strict=True))
    for method in curves.methods:
        measured.add(Key(name, method, measure="balanced classification rate"), rate[method])
        measured.add(Key(name, method, measure="kuncheva"), stability[method])
    for elimination in ELIMINATIONS:
        for merged in MERGED:
            gain = rate[elimination] - rate[merged]
            title = f"{elimination} − {merged}"
            measured.add(Key(name, title, measure="balanced classification rate"), gain)
            steadier = stability[merged] - stability[elimination]
            measured.add(Key(name, f"{merged} − {elimination}", measure="kuncheva"), steadier)
    measured.figures["curves"] = curves
    return measured
