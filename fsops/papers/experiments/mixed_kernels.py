"""Paul, Dupont (2014): Kernel methods for mixed feature selection.

The figures of the paper carry no numbers, so its statements are compared: the eliminations
predict better than the merged rankings, and the merged rankings are more stable.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from fsops.data import ExampleSet, SizeCurves
from fsops.papers.setting import Setting, operators, table
from fsops.papers.values import Key, Measured

ELIMINATIONS = ("RFE-MKL", "RFE-SVM")
MERGED = ("HFS-NB", "HFS-5NN")
SPLITS = 200
LARGE_SPLITS = 20
"""Of the two large tables, where the paper has 200 as well."""
FIRST_SEED = 2001
GROWING_SIZES = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 113, 160, 226, 320, 452, 640)


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
            loss = stability[merged] - stability[elimination]
            measured.add(Key(name, f"{merged} − {elimination}", measure="kuncheva"), loss)
    measured.figures["curves"] = curves
    return measured


def arrhythmia(setting: Setting) -> Measured:
    """Compare four selections on Arrhythmia: normal against all other classes but 16."""
    frame = table("arrhythmia").to_pandas()
    frame = frame[frame["label"] != "16"]
    frame = frame.assign(label=np.where(frame["label"] == "1", "normal", "arrhythmia"))
    frame = frame.iloc[:: setting.either(4, 1)]
    examples = ExampleSet.from_pandas(frame, roles={"label": "label"})
    with setting.running(FIRST_SEED):
        varying = operators().remove_useless_attributes(examples)
    return _by_operators(setting, "arrhythmia", getattr(varying, "examples", varying))


def breast(setting: Setting) -> Measured:
    """Compare four selections on the breast cancer data of van 't Veer: genes, grade and ER."""
    frame = table("breast").to_pandas().drop(columns="sample_id")
    examples = ExampleSet.from_pandas(frame, roles={"label": "label"})
    return _by_operators(setting, "breast", examples)


def _by_operators(setting: Setting, name: str, examples: ExampleSet) -> Measured:
    """Compare the selections as the processes for Heart and Hepatitis do."""
    ops = operators()

    def eliminated(method: str) -> Any:
        return partial(ops.select_by_kernel_rfe, method=method, k=1, output="ranking")

    def merged(classifier: str) -> Any:
        return partial(ops.hfs, k=1, classifier=classifier, output="ranking")

    count = len(examples.schema.regular)
    sizes = [size for size in GROWING_SIZES if size < count]
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        curves = ops.compare_feature_selections(
            examples,
            partial(ops.support_vector_machine, kernel_type="clinical", balance_cost=True),
            [eliminated("mkl"), eliminated("svm"), merged("naive_bayes"), merged("k_nn")],
            method_names=[*ELIMINATIONS, *MERGED],
            sizes=sizes[:2] if setting.quick else sizes,
            criterion="balanced_classification_rate",
            validation="random splits",
            number_of_splits=setting.either(2, LARGE_SPLITS),
            split_ratio=0.9,
        ).curves
    measured = compared(name, curves)
    measured.seed = FIRST_SEED
    return measured
