"""Lal, Chapelle, Schölkopf (2006): Combining a filter method with SVMs."""

from __future__ import annotations

from fsops.data import PerformanceVector, SizeCurves
from fsops.papers.setting import Setting
from fsops.papers.values import Key, Measured, MeasuredValue

ROUNDS = ("1 December", "8 December")


def madelon(setting: Setting) -> Measured:
    """Test the machine of Madelon on the validation rows."""
    sizes = "10, 20" if setting.quick else "5, 10, 20, 50, 100, 200, 500"
    return _challenge(setting, "madelon", sizes, tested=600)


def arcene(setting: Setting) -> Measured:
    """Test the machine of Arcene on the validation rows."""
    sizes = "4700" if setting.quick else "10, 20, 50, 100, 200, 500, 1000, 2000, 4700, 10000"
    return _challenge(setting, "arcene", sizes, tested=100)


def _challenge(setting: Setting, name: str, sizes: str, *, tested: int) -> Measured:
    """Return the balanced error rates on the validation rows.

    The labels of the paper's test rows are not public; the validation rows were drawn from the
    same source. They choose nothing here.
    """
    folds = setting.either(2, 10)
    outcome = setting.run(f"papers/filter_svm/{name}", {"sizes": sizes, "folds": folds})
    curve, chosen, printed = outcome.results
    assert isinstance(curve, SizeCurves)
    assert curve.chosen is not None
    measured = Measured(repetitions=f"{folds} folds, {tested} test rows", seed=outcome.seed)
    error = _balanced_error(printed, tested)
    for date in ROUNDS:
        measured.add(Key(name, f"number of the paper, {date}", measure="balanced error"), error)
    ours = _balanced_error(chosen, tested)
    measured.add(Key(name, "number by cross-validation", measure="balanced error"), ours)
    measured.add(
        Key(name, "number by cross-validation", measure="attributes"), float(curve.chosen[0])
    )
    measured.figures["cross_validation"] = curve
    return measured


def _balanced_error(performance: object, tested: int) -> MeasuredValue:
    """Return the balanced error rate with its binomial standard error."""
    assert isinstance(performance, PerformanceVector)
    error = 1 - performance["balanced_classification_rate"].mean
    return MeasuredValue(error, (error * (1 - error) / tested) ** 0.5)
