"""Allen (2013): Automatic feature selection via weighted kernels and regularization."""

from __future__ import annotations

import numpy as np

from fsops.data import AttributeWeights, Collection, ExampleSet
from fsops.papers.setting import Setting
from fsops.papers.values import Key, Measured

REPETITIONS = 50


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
