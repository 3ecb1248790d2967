"""Allen (2013): Automatic feature selection via weighted kernels and regularization."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from fsops.data import AttributeWeights, Collection, ExampleSet, SizeCurves
from fsops.papers.setting import Setting, operators, table
from fsops.papers.values import Key, Measured

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

REPETITIONS = 50
COLON_SPLITS = 10
FIRST_SEED = 2013
GENES = (10, 15, 25, 50, 100, 250, 500)
QUICK_GENES = (10, 25)
ALL_GENES = 2000
QUICK_COLUMNS = 400


def table_1(setting: Setting) -> Measured:
    """Return the errors of linear regressions."""
    return _simulation(setting, "table_1_linear", relevant=5)


def table_2(setting: Setting) -> Measured:
    """Return the errors of regressions on sines."""
    return _simulation(setting, "table_2_sinusoidal", relevant=5, best="KNIFE radial")


def table_3(setting: Setting) -> Measured:
    """Return the error rates on the skin of an orange."""
    return _simulation(setting, "table_3_orange", relevant=4, best="KNIFE and SVM")


def _simulation(setting: Setting, process: str, *, relevant: int, best: str = "") -> Measured:
    """Return training and test errors of all methods, and the attributes that KNIFE keeps.

    Parameters
    ----------
    relevant : int
        The first attributes, which determine the label.
    best : str
        Method that the paper finds best; compared with the best of the others.
    """
    repetitions = setting.either(1, REPETITIONS)
    outcome = setting.run(f"papers/knife/{process}", {"repetitions": repetitions})
    errors, weights = outcome.results[:2]
    assert isinstance(errors, ExampleSet)
    assert isinstance(weights, Collection)
    measured = Measured(repetitions=f"{repetitions} repetitions", seed=outcome.seed)
    for column in errors.schema.regular_names:
        method, _, rows = column.rpartition(" ")
        measured.add(Key("", method, measure=f"{rows} error"), errors.column(column))
    _add_kept(measured, weights, relevant)
    if best:
        _add_lead(measured, errors, best)
    return measured


def _add_kept(measured: Measured, weights: Collection[AttributeWeights], relevant: int) -> None:
    kept = np.array([item.values > 0 for item in weights], dtype=float)
    measured.add(Key("", "KNIFE", measure="relevant kept"), kept[:, :relevant].mean(axis=1))
    measured.add(Key("", "KNIFE", measure="noise kept"), kept[:, relevant:].mean(axis=1))


def _add_lead(measured: Measured, errors: ExampleSet, best: str) -> None:
    """Add the lead of a method over the best of the others that the paper has."""
    tested = {
        name.removesuffix(" test"): errors.column(name)
        for name in errors.schema.regular_names
        if name.endswith(" test")
    }
    others = {name: values for name, values in tested.items() if not name.startswith("KNIFE")}
    second = min(others, key=lambda name: float(others[name].mean()))
    lead = others[second] - tested[best]
    measured.add(Key("", "best other method − KNIFE", measure="test error"), lead)


def table_4(setting: Setting) -> Measured:
    """Compare three selections and a linear SVM on halves of Colon."""
    sizes = QUICK_GENES if setting.quick else (*GENES, ALL_GENES)
    selections, examples = _colon_selections(), table("colon")
    if setting.quick:
        examples = examples.select_regular(examples.schema.regular_names[:QUICK_COLUMNS])
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        curves: SizeCurves = (
            operators()
            .compare_feature_selections(
                examples,
                operators().support_vector_machine,
                list(selections.values()),
                method_names=list(selections),
                sizes=list(sizes),
                criterion="classification_error",
                validation="random splits",
                number_of_splits=setting.either(2, COLON_SPLITS),
                training_fraction=0.5,
            )
            .curves
        )
    measured = Measured(repetitions=f"{curves.scores.shape[2]} halves", seed=FIRST_SEED)
    for i, size in enumerate(sizes):
        by_method = dict(zip(curves.methods, curves.scores[:, i], strict=True))
        for method, errors in by_method.items():
            measured.add(Key("colon", method, str(size), "test error"), errors)
        lead = by_method["RFE"] - by_method["KNIFE"]
        measured.add(Key("colon", "RFE − KNIFE", str(size), "test error"), lead)
    measured.figures["error"] = curves
    return measured


def table_5(setting: Setting) -> Measured:
    """Compare the correlations among the genes that SIS and KNIFE select on all rows."""
    examples = table("colon")
    correlations = np.abs(np.corrcoef(examples.numeric(), rowvar=False))
    measured = Measured(repetitions="exact", seed=FIRST_SEED)
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        selections = {
            name: np.argsort(-select(examples).values, kind="stable")
            for name, select in _colon_selections().items()
            if name != "RFE"
        }
    for size in (*GENES, ALL_GENES):
        for name, order in selections.items():
            key = Key("colon", name, str(size), "median correlation")
            measured.add(key, _median_correlation(correlations, order[:size]))
    return measured


def _colon_selections() -> dict[str, Callable[[ExampleSet], AttributeWeights]]:
    """Return the selections of table 4; SIS ranks like the F-test where there are two classes."""
    ops = operators()

    def rfe(examples: ExampleSet) -> Any:
        return ops.select_by_svm_rfe(examples, k=1, fraction=0.1, output="ranking").weights

    def knife(examples: ExampleSet) -> Any:
        return ops.knife_path(examples, kernel_type="linear").weights

    return {"SIS": ops.weight_by_f_test, "RFE": rfe, "KNIFE": knife}


def _median_correlation(correlations: NDArray[np.float64], chosen: NDArray[np.intp]) -> float:
    pairs = correlations[np.ix_(chosen, chosen)]
    return float(np.median(pairs[np.triu_indices(len(chosen), 1)]))
