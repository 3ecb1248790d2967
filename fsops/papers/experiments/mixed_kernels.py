"""Paul, Dupont (2014): Kernel methods for mixed feature selection.

The figures of the paper carry no numbers, so its statements are compared: the eliminations
predict better than the merged rankings, and the merged rankings are more stable.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fsops.data import ExampleSet, SizeCurves
from fsops.papers.judging import CLEAR
from fsops.papers.setting import Setting, available, operators, table
from fsops.papers.values import Key, Measured, MeasuredValue

if TYPE_CHECKING:
    from numpy.typing import NDArray

ELIMINATIONS = ("RFE-MKL", "RFE-SVM")
MERGED = ("HFS-NB", "HFS-5NN")
METHODS = (*ELIMINATIONS, *MERGED)
RATE = "balanced classification rate"
SPLITS = 200
LARGE_SPLITS = 20
"""Only for the two large tables, for which the paper has 200 as well."""
FIRST_SEED = 2001
GROWING_SIZES = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 113, 160, 226, 320, 452, 640)


def heart(setting: Setting) -> Measured:
    """Compare four selections on Heart."""
    return _by_process(setting, "heart")


def hepatitis(setting: Setting) -> Measured:
    """Compare four selections on Hepatitis."""
    return _by_process(setting, "hepatitis")


def _by_process(setting: Setting, name: str) -> Measured:
    measured = compared(name, _curves_of_process(setting, name, setting.either(2, SPLITS)))
    measured.seed = FIRST_SEED
    return measured


def _curves_of_process(setting: Setting, name: str, splits: int) -> SizeCurves:
    outcome = setting.run(f"papers/mixed_kernels/{name}", {"splits": splits}, seed=FIRST_SEED)
    curves = outcome.results[0]
    assert isinstance(curves, SizeCurves)
    return curves


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
        measured.add(Key(name, method, measure=RATE), rate[method])
        measured.add(Key(name, method, measure="kuncheva"), stability[method])
    for elimination in ELIMINATIONS:
        for merged in MERGED:
            gain = rate[elimination] - rate[merged]
            title = f"{elimination} − {merged}"
            measured.add(Key(name, title, measure=RATE), gain)
            loss = stability[merged] - stability[elimination]
            measured.add(Key(name, f"{merged} − {elimination}", measure="kuncheva"), loss)
    measured.figures["curves"] = curves
    return measured


def arrhythmia(setting: Setting) -> Measured:
    """Compare four selections on Arrhythmia: normal against all other classes but 16."""
    return _by_operators("arrhythmia", _curves_by_operators(setting, _arrhythmia(setting)))


def _arrhythmia(setting: Setting) -> ExampleSet:
    frame = table("arrhythmia").to_pandas()
    frame = frame[frame["label"] != "16"]
    frame = frame.assign(label=np.where(frame["label"] == "1", "normal", "arrhythmia"))
    frame = frame.iloc[:: setting.either(4, 1)]
    examples = ExampleSet.from_pandas(frame, roles={"label": "label"})
    with setting.running(FIRST_SEED):
        varying = operators().remove_useless_attributes(examples)
    return getattr(varying, "examples", varying)  # type: ignore[no-any-return]


def breast(setting: Setting) -> Measured:
    """Compare four selections on the breast cancer data of van 't Veer: genes, grade and ER."""
    return _by_operators("breast", _curves_by_operators(setting, _breast()))


def _breast() -> ExampleSet:
    frame = table("breast").to_pandas().drop(columns="sample_id")
    return ExampleSet.from_pandas(frame, roles={"label": "label"})


def _by_operators(name: str, curves: SizeCurves) -> Measured:
    measured = compared(name, curves)
    measured.seed = FIRST_SEED
    return measured


def _curves_by_operators(setting: Setting, examples: ExampleSet) -> SizeCurves:
    """Compare the selections as the processes for Heart and Hepatitis do."""
    ops = operators()

    def eliminated(method: str) -> Any:
        return partial(ops.select_by_kernel_rfe, method=method, k=1, output="ranking")

    def merged(classifier: str) -> Any:
        return partial(ops.select_by_hfs, k=1, classifier=classifier, output="ranking")

    count = len(examples.schema.regular)
    sizes = [size for size in GROWING_SIZES if size < count]
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        curves: SizeCurves = ops.compare_feature_selections(
            examples,
            partial(ops.support_vector_machine, kernel_type="clinical", balance_cost=True),
            [eliminated("mkl"), eliminated("svm"), merged("naive_bayes"), merged("k_nn")],
            method_names=list(METHODS),
            sizes=sizes[:2] if setting.quick else sizes,
            criterion="balanced_classification_rate",
            validation="random splits",
            number_of_splits=setting.either(2, LARGE_SPLITS),
            training_fraction=0.9,
        ).curves
    return curves


def friedman(setting: Setting) -> Measured:
    """Rank the four selections over all data sets and sizes.

    A block is a data set with a number of attributes, as in the paper. Blocks of one data set
    depend on each other, so the p-values are too small, here and in the paper.
    """
    curves = _all_curves(setting)
    measured = Measured(repetitions=_splits(curves), seed=FIRST_SEED)
    for measure, blocks in _blocks(curves).items():
        with setting.running(FIRST_SEED):
            result = operators().friedman_test(ExampleSet.from_numpy(blocks, names=METHODS))
        ranks = dict(zip(METHODS, result.ranks.column("mean rank"), strict=True))
        test = result.test.to_pandas().iloc[0]
        for method, rank in ranks.items():
            measured.add(Key("", method, measure=f"mean rank, {measure}"), rank)
        measured.add(Key("", "Friedman", measure=f"log10 p, {measure}"), _log10(test["p-value"]))
        critical = float(test["critical difference"])
        better, worse = (ELIMINATIONS, MERGED) if measure == RATE else (MERGED, ELIMINATIONS)
        for first in better:
            for second in worse:
                # Clear in the sense of Nemenyi: beyond the critical difference.
                lead = MeasuredValue(float(ranks[second] - ranks[first]), critical / CLEAR)
                measured.add(Key("", f"{second} − {first}", measure=f"mean rank, {measure}"), lead)
    return measured


def _all_curves(setting: Setting) -> list[SizeCurves]:
    """Return the curves of the data sets that exist."""
    splits = setting.either(2, LARGE_SPLITS)
    names = available(("heart", "hepatitis", "arrhythmia", "breast"))
    small = [name for name in ("heart", "hepatitis") if name in names]
    curves = [_curves_of_process(setting, name, splits) for name in small]
    if setting.quick:
        return curves
    large = {"arrhythmia": lambda: _arrhythmia(setting), "breast": _breast}
    return curves + [
        _curves_by_operators(setting, load()) for name, load in large.items() if name in names
    ]


def _blocks(curves: list[SizeCurves]) -> dict[str, NDArray[np.float64]]:
    """Return rates and stabilities (blocks, methods)."""
    rates, stabilities = [], []
    for one in curves:
        order = [one.methods.index(method) for method in METHODS]
        assert one.stability is not None
        rates.append(one.mean[order].T)
        stabilities.append(one.stability[order].T)
    return {RATE: np.concatenate(rates), "kuncheva": np.concatenate(stabilities)}


def _splits(curves: list[SizeCurves]) -> str:
    return f"{len(curves)} data sets, {curves[0].scores.shape[2]} splits"


def _log10(p_value: float) -> float:
    return float(np.log10(max(p_value, np.finfo(float).tiny)))
