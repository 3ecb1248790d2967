"""Figures 1 to 6 of Allen (2013): noise attributes, convergence and feature paths of KNIFE.

The figures carry no numbers, so the statements of the text are compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fsops.data import AttributeWeights, ExampleSet, SizeCurves
from fsops.papers.setting import Setting, operators
from fsops.papers.values import Key, Measured, MeasuredValue

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FIRST_SEED = 2013
REPETITIONS = 10
ROWS, TEST_ROWS = 100, 1000
RELEVANT_ORANGE, RELEVANT_SINE = 4, 5
NOISE = (0, 2, 4, 6, 10, 16, 26)
"""Noise attributes; the figures have no readable axis."""
TWO = 2
"""Relevant attributes that the paper sees for much of the path of figure 6."""
COSTS = tuple(10.0**power for power in range(-4, 3))
PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
POLYNOMIAL: Mapping[str, Any] = {"kernel_type": "polynomial", "degree": 2}


def figures_1_and_2(setting: Setting) -> Measured:
    """Add noise attributes to the skin of an orange: error of an SVM and of KNIFE."""
    noise = NOISE[1:4:2] if setting.quick else NOISE
    repetitions = setting.either(1, REPETITIONS)
    errors = np.empty((2, len(noise), repetitions))
    for r in range(repetitions):
        for i, more in enumerate(noise):
            with setting.running(FIRST_SEED + r), warnings.catch_warnings(action="ignore"):
                errors[:, i, r] = _errors_on_orange(more, setting)
    measured = Measured(repetitions=f"{repetitions} repetitions", seed=FIRST_SEED)
    for method, by_noise in zip(("SVM", "KNIFE"), errors, strict=True):
        for more, values in zip(noise, by_noise, strict=True):
            measured.add(Key("", method, f"{more} noise", "test error"), values)
    svm, knife = errors
    measured.add(Key("", "SVM, most noise − least noise", measure="test error"), svm[-1] - svm[0])
    measured.add(Key("", "SVM − KNIFE", "most noise", "test error"), svm[-1] - knife[-1])
    sizes = [RELEVANT_ORANGE + more for more in noise]
    measured.figures["error"] = SizeCurves(
        ("SVM", "KNIFE"), sizes, errors, criterion="test error", maximize=False
    )
    return measured


def _errors_on_orange(noise: int, setting: Setting) -> tuple[float, float]:
    """Return test errors of an SVM and of KNIFE, whose parameters validation rows choose."""
    ops, many = operators(), setting.either(100, TEST_ROWS)
    train, valid, test = (
        _generated("knife orange", rows, RELEVANT_ORANGE + noise, name)
        for name, rows in (("training", ROWS), ("validation", many), ("test", many))
    )
    machines = [
        ops.support_vector_machine(
            train, kernel_type="polynomial", gamma=1.0, degree=2, coef0=1.0, C=cost
        ).model
        for cost in COSTS
    ]
    path = ops.knife_path(train, max_steps=setting.either(3, 60), **POLYNOMIAL).path
    models = [
        ops.knife_model(train, AttributeWeights(path.names, weights), **POLYNOMIAL)
        for weights in path.weights
    ]
    return _chosen_error(machines, valid, test), _chosen_error(models, valid, test)


def _generated(function: str, rows: int, attributes: int, name: str) -> ExampleSet:
    generated = operators().generate_data(
        target_function=function,
        number_of_rows=rows,
        number_of_attributes=attributes,
        name=name,
    )
    examples: ExampleSet = generated.examples
    return examples


def _chosen_error(models: list[Any], valid: ExampleSet, test: ExampleSet) -> float:
    """Return the test error of the model with the smallest error on the validation rows."""
    errors = [_error(model, valid) for model in models]
    return _error(models[int(np.argmin(errors))], test)


def _error(model: Any, rows: ExampleSet) -> float:
    answer = model.apply(rows)
    predicted = answer.column(f"prediction({answer.label.name})")
    return float((predicted != rows.label_values()).mean())


def figures_3_and_4(setting: Setting) -> Measured:
    """Follow the objective over the iterations, and over both penalties."""
    repetitions = setting.either(1, REPETITIONS)
    rises, falls = [], []
    measured = Measured(repetitions=f"{repetitions} repetitions", seed=FIRST_SEED)
    for r in range(repetitions):
        with setting.running(FIRST_SEED + r), warnings.catch_warnings(action="ignore"):
            examples = _generated("knife sinus", ROWS, 10, "training")
            history = operators().knife_convergence(
                examples, kernel_type="gaussian", max_iterations=setting.either(5, 100)
            )
            rises.append(_largest_rise(history))
            falls.append(_falls_over_penalties(examples, setting))
        if r == 0:
            measured.figures["convergence"] = history
    measured.add(Key("", "KNIFE radial", measure="largest rise of the objective"), max(rises))
    falling, objectives = zip(*falls, strict=True)
    measured.add(Key("", "KNIFE radial", measure="objectives that fall with a penalty"), falling)
    for (first, second), value in np.ndenumerate(np.mean(objectives, axis=0)):
        name = f"penalties {PENALTIES[first]:g} and {PENALTIES[second]:g}"
        measured.add(Key("", name, measure="objective"), MeasuredValue(float(value)))
    return measured


def _largest_rise(history: ExampleSet) -> float:
    """Return the largest relative rise of the objective from an iteration to the next."""
    frame = history.to_pandas()
    rises = frame.groupby("start")["objective"].apply(lambda values: (values.diff() / values).max())
    return max(0.0, float(rises.max()))


def _falls_over_penalties(examples: ExampleSet, setting: Setting) -> tuple[float, Floats]:
    """Return how often the objective falls while a penalty rises, and the objectives."""
    values = PENALTIES[:2] if setting.quick else PENALTIES
    objectives = np.array(
        [
            [
                operators()
                .weight_by_knife(
                    examples,
                    kernel_type="gaussian",
                    coefficient_penalty=first,
                    penalty=second,
                    penalty_scale="absolute",
                    restarts=1,
                )
                .details["objective"][0]
                for second in values
            ]
            for first in values
        ],
        dtype=float,
    )
    margin = 1e-6 * objectives.max()
    steps = [np.diff(objectives, axis=axis).ravel() for axis in (0, 1)]
    return float(np.mean(np.concatenate(steps) < -margin)), objectives


def figures_5_and_6(setting: Setting) -> Measured:
    """Follow the weights over the penalty: sines, and the skin of an orange."""
    repetitions = setting.either(1, REPETITIONS)
    measured = Measured(repetitions=f"{repetitions} repetitions", seed=FIRST_SEED)
    kernels: dict[str, tuple[str, int, Mapping[str, Any]]] = {
        "radial": ("knife sinus", RELEVANT_SINE, {"kernel_type": "gaussian"}),
        "polynomial": ("knife sinus", RELEVANT_SINE, POLYNOMIAL),
        "orange": ("knife orange", RELEVANT_ORANGE, POLYNOMIAL),
    }
    exact: dict[str, list[float]] = {name: [] for name in kernels}
    two: list[float] = []
    for r in range(repetitions):
        for name, (function, relevant, kernel) in kernels.items():
            with setting.running(FIRST_SEED + r), warnings.catch_warnings(action="ignore"):
                examples = _generated(function, ROWS, 10, "training")
                steps = setting.either(5, 60)
                path = operators().knife_path(examples, max_steps=steps, **kernel).path
            active = path.weights > 0
            active = active[active.any(axis=1)]
            truth = np.arange(active.shape[1]) < relevant
            exact[name].append(float(np.mean((active == truth).all(axis=1))))
            if name == "orange":
                two.append(float(np.mean(active[:, truth].sum(axis=1) >= TWO)))
            if r == 0:
                measured.figures[f"path_{name}"] = path
    title = "fraction of the path with the relevant attributes only"
    for name, values in exact.items():
        measured.add(Key("", f"KNIFE {name}", measure=title), values)
    gain = np.subtract(exact["radial"], exact["polynomial"])
    measured.add(Key("", "KNIFE radial − KNIFE polynomial", measure=title), gain)
    title = "fraction of the path with two relevant attributes or more"
    measured.add(Key("", "KNIFE orange", measure=title), two)
    return measured
