"""Tables 2.3, 2.4 and 2.9 of Ben Brahim (2015): proposals per row, and seconds of the wrappers."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from fsops.data import SizeCurves
from fsops.papers.experiments.ensembles import genes
from fsops.papers.experiments.stability import (
    FIRST_SEED,
    STUDIES,
    proposal_macros,
    quick_choice,
    stem,
)
from fsops.papers.setting import Setting, operators
from fsops.papers.values import Key, Measured

DATA = ("lymphoma", "cns", "dlbcl")
"""Those with few rows or genes: 15 numbers, four methods and two learners take long."""
MOST_PROPOSALS = 15
FEW_PROPOSALS = 10
SIZES = "1, 2, 4-10 by 2, 15-30 by 5, 40-100 by 20"
COMBINATIONS = {
    "IB-OF": "occurrence frequency",
    "IB-WMA": "mean weight",
    "IB-RA": "rank sum",
    "IB-RedE": "redundancy elimination",
}
WRAPPERS = ("HIB-SBS", "HIB-CSS", "Hyb-Seq", "Randomized")


def tables_2_3_and_2_4(setting: Setting) -> Measured:
    """Find the number of proposals per row with the smallest error, as the thesis does.

    The error is that on the test rows, so the best one is optimistic.
    """
    folds = setting.either(2, 10)
    numbers = (1, 5) if setting.quick else tuple(range(1, MOST_PROPOSALS + 1))
    names = quick_choice(setting, DATA)
    measured = Measured(repetitions=f"1 × {folds} folds of {', '.join(names)}", seed=FIRST_SEED)
    learners = ("kNN",) if setting.quick else ("kNN", "SVM")
    for learner in learners:
        small = []
        for name in names:
            curves = setting.part(
                ("proposals", name, learner, *numbers, folds),
                lambda: _curves(setting, name, learner, numbers, folds),  # noqa: B023
            )
            best = _best_numbers(curves, numbers)
            for method, number in best.items():
                measured.add(Key(name, f"{method}, {learner}", measure="proposals"), float(number))
            small.append(np.mean([number <= FEW_PROPOSALS for number in best.values()]))
            measured.figures[f"{name}_{learner}"] = _frequency_curves(curves)
        key = Key("", learner, measure="fraction of best numbers up to 10")
        measured.add(key, np.array(small))
    return measured


def _curves(
    setting: Setting, name: str, learner: str, numbers: tuple[int, ...], folds: int
) -> SizeCurves:
    """Return the errors of all combinations with all numbers of proposals."""
    ops = operators()
    selections = {
        f"{method} {number}": partial(
            ops.select_by_ib,
            combination=combination,
            candidate_size=number,
            nearest_by="each attribute",
            output="ranking",
        )
        for method, combination in COMBINATIONS.items()
        for number in numbers
    }
    model: Any = (
        partial(ops.k_nn, number_of_neighbors=1) if learner == "kNN" else ops.support_vector_machine
    )
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        curves: SizeCurves = ops.compare_feature_selections(
            genes(name),
            model,
            list(selections.values()),
            method_names=list(selections),
            sizes="5, 10" if setting.quick else SIZES,
            criterion="classification_error",
            number_of_folds=folds,
        ).curves
    return curves


def _best_numbers(curves: SizeCurves, numbers: tuple[int, ...]) -> dict[str, int]:
    """Return the number of proposals with the smallest error over all sizes, by method."""
    smallest = dict(zip(curves.methods, np.nanmin(curves.mean, axis=1).round(12), strict=True))
    return {
        method: min(numbers, key=lambda number: (smallest[f"{method} {number}"], number))  # noqa: B023
        for method in COMBINATIONS
    }


def _frequency_curves(curves: SizeCurves) -> SizeCurves:
    """Return the curves of IB-OF, which figures 2.2 to 2.8 show."""
    shown = [i for i, method in enumerate(curves.methods) if method.startswith("IB-OF")]
    return SizeCurves(
        [curves.methods[i] for i in shown],
        curves.sizes,
        curves.scores[shown],
        criterion=curves.criterion,
        maximize=curves.maximize,
    )


def table_2_9(setting: Setting) -> Measured:
    """Compare the seconds of one selection by wrappers and filters, as logarithms of ratios."""
    study = STUDIES["table_2_8"]
    usual = study.quick if setting.quick else study.macros
    names = quick_choice(setting, DATA)
    measured = Measured(repetitions=f"2 training sets of {', '.join(names)}", seed=FIRST_SEED)
    ratios: dict[tuple[str, str], list[float]] = {}
    for name in names:
        macros = {**usual, "sizes": "10", "file": stem(name), "folds": "2"}
        macros |= proposal_macros("table_2_8", name)
        outcome = setting.run(f"papers/stability/{study.process}", macros, seed=FIRST_SEED)
        curves = outcome.results[1]
        assert isinstance(curves, SizeCurves)
        assert curves.seconds is not None
        seconds = dict(zip(curves.methods, curves.seconds.mean(axis=1), strict=True))
        for method, value in seconds.items():
            measured.add(Key(name, method, measure="seconds"), float(value))
        for slower, faster in (
            *((wrapper, "Relief") for wrapper in WRAPPERS),
            ("Relief", "t-test"),
            ("Randomized", "HIB-SBS"),
            ("Randomized", "HIB-CSS"),
            ("HIB-SBS", "HIB-CSS"),
        ):
            ratio = float(np.log10(seconds[slower] / seconds[faster]))
            ratios.setdefault((slower, faster), []).append(ratio)
    for (slower, faster), values in ratios.items():
        measured.add(Key("", f"{slower} / {faster}", measure="log10 of seconds"), values)
    return measured
