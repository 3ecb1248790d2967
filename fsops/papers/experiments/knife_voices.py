"""Section 4.2 of Allen (2013): KNIFE on vowels and on voices of patients with Parkinson's disease.

The penalty of KNIFE and the cost of the SVM are chosen by five-fold cross-validation inside the
training rows; of equal errors the larger penalty and the smaller cost win. Test rows choose
nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fsops.algorithms.base import resampling
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.knife import KnifePath
from fsops.papers.setting import Setting, operators, table
from fsops.papers.values import Key, Measured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

FIRST_SEED = 2013
FOLDS = 5
COSTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
LETTERS = ("hid", "hId")
"""The vowels i and I."""
VOWEL_PARTITIONS = 10
HALVES, TESTED_HALVES = 100, 20


def vowel(setting: Setting) -> Measured:
    """Distinguish two vowels; training and test rows are those of the data set."""
    frame = table("vowel").to_pandas()
    frame = frame[frame["label"].isin(LETTERS)]
    frame["label"] = frame["label"].astype(str)
    train, test = (
        ExampleSet.from_pandas(
            frame[frame["split"] == part].drop(columns=["split", "speaker", "sex"]),
            roles={"label": "label"},
        )
        for part in ("train", "test")
    )
    partitions = setting.either(1, VOWEL_PARTITIONS)
    measured = Measured(repetitions=f"{partitions} × {FOLDS} folds, 84 test rows", seed=FIRST_SEED)
    results = []
    for seed in range(FIRST_SEED, FIRST_SEED + partitions):
        classes = train.label_values().astype(int)
        parts = resampling.partition(len(train), FOLDS, np.random.default_rng(seed), strata=classes)
        with setting.running(seed), warnings.catch_warnings(action="ignore"):
            svm = _svm(train, parts, setting)
            weights = knife_weights(train, parts, setting)
            knife = operators().knife_model(train, weights, kernel_type="gaussian")
            results.append((_error(svm, test), _error(knife, test), np.sum(weights.values > 0)))
    by_svm, by_knife, kept = np.array(results, dtype=float).T
    measured.add(Key("vowel", "SVM", measure="test error"), by_svm)
    measured.add(Key("vowel", "KNIFE", measure="test error"), by_knife)
    measured.add(Key("vowel", "SVM − KNIFE", measure="test error"), by_svm - by_knife)
    measured.add(Key("vowel", "KNIFE", measure="attributes"), kept)
    return measured


def table_6(setting: Setting) -> Measured:
    """Select voice measurements on random halves of the patients.

    As in the paper, cross-validation on all patients chooses the penalty of the selections. The
    test errors do not use it: there the training half chooses.
    """
    examples, patients = _voices()
    halves, tested = setting.either(1, HALVES), setting.either(1, TESTED_HALVES)
    title = f"{halves} halves of the patients, {tested} for the errors"
    measured = Measured(repetitions=title, seed=FIRST_SEED)
    parts = _folds_of_groups(patients, np.random.default_rng(FIRST_SEED))
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        step, path = chosen_step(examples, parts, setting)
    errors, weights = [], []
    for number in range(halves):
        rng = np.random.default_rng(FIRST_SEED + number)
        train, test = _halves(patients, rng)
        rows = examples.take(train)
        with setting.running(FIRST_SEED + number), warnings.catch_warnings(action="ignore"):
            weights.append(_weights_at(path_of(rows, setting), step))
            if number < tested:
                own = _folds_of_groups(patients[train], rng)
                errors.append(_errors_of_half(rows, examples.take(test), own, setting))
    for method, values in zip(("SVM", "KNIFE"), np.array(errors).T, strict=True):
        measured.add(Key("parkinsons", method, measure="test error"), values)
    _add_voice_weights(measured, path.names, np.array(weights))
    return measured


def _errors_of_half(
    rows: ExampleSet, tested: ExampleSet, parts: Ints, setting: Setting
) -> tuple[float, float]:
    """Return test errors of an SVM and of KNIFE; the training half chooses cost and penalty."""
    svm = _svm(rows, parts, setting)
    selected = knife_weights(rows, parts, setting)
    knife = operators().knife_model(rows, selected, kernel_type="gaussian")
    return _error(svm, tested), _error(knife, tested)


def _add_voice_weights(
    measured: Measured, names: Sequence[str], weights: NDArray[np.float64]
) -> None:
    """Add how often and with which mean weight each measurement is selected."""
    chosen = weights > 0
    measured.add(Key("parkinsons", "KNIFE", measure="attributes"), chosen.sum(axis=1))
    for j, name in enumerate(names):
        measured.add(Key("parkinsons", name, measure="times selected"), chosen[:, j])
        measured.add(Key("parkinsons", name, measure="mean weight"), weights[:, j])


def _voices() -> tuple[ExampleSet, Ints]:
    """Return the voices of all patients, and the number of the patient of each row."""
    frame = table("parkinsons").to_pandas()
    patients = np.unique(frame["subject"].astype(str), return_inverse=True)[1]
    frame = frame.drop(columns=["name", "subject"])
    return ExampleSet.from_pandas(frame, roles={"label": "label"}), patients.astype(np.int64)


def _halves(patients: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return training and test rows: half of the patients each."""
    order = rng.permutation(patients.max() + 1)
    in_training = np.isin(patients, order[: len(order) // 2])
    return np.flatnonzero(in_training), np.flatnonzero(~in_training)


def _folds_of_groups(groups: Ints, rng: np.random.Generator) -> Ints:
    """Return the fold of each row; rows of a group are in one fold."""
    present = np.unique(groups)
    fold = np.arange(len(present)) % FOLDS
    return rng.permutation(fold)[np.searchsorted(present, groups)]


def _parts(examples: ExampleSet, parts: Ints) -> Iterator[tuple[ExampleSet, ExampleSet]]:
    """Return training and test rows of each fold whose training rows have both classes."""
    classes = examples.label_values()
    for fold in np.unique(parts):
        train = np.flatnonzero(parts != fold)
        if len(np.unique(classes[train])) > 1:
            yield examples.take(train), examples.take(np.flatnonzero(parts == fold))


def _svm(train: ExampleSet, parts: Ints, setting: Setting) -> Any:
    """Return a radial SVM whose cost is chosen by cross-validation."""
    costs = COSTS[:2] if setting.quick else COSTS
    folds = list(_parts(train, parts))
    errors = [
        np.mean([_error(_radial_svm(rows, cost), tested) for rows, tested in folds])
        for cost in costs
    ]
    return _radial_svm(train, costs[int(np.argmin(np.round(errors, 12)))])


def _radial_svm(rows: ExampleSet, cost: float) -> Any:
    return operators().support_vector_machine(rows, kernel_type="rbf", C=cost).model


def knife_weights(train: ExampleSet, parts: Ints, setting: Setting) -> AttributeWeights:
    """Return the weights of the path whose penalty has the smallest error in cross-validation."""
    step, path = chosen_step(train, parts, setting)
    return AttributeWeights(path.names, path.weights[step])


def chosen_step(train: ExampleSet, parts: Ints, setting: Setting) -> tuple[int, KnifePath]:
    """Return the step of a path that cross-validation chooses, and the path."""
    path = path_of(train, setting)
    errors = np.zeros(len(path.penalties))
    for rows, tested in _parts(train, parts):
        inner = path_of(rows, setting)
        for step in range(len(errors)):
            weights = AttributeWeights(inner.names, _weights_at(inner, step))
            model = operators().knife_model(rows, weights, kernel_type="gaussian")
            errors[step] += _error(model, tested)
    return len(errors) - 1 - int(np.argmin(np.round(errors[::-1], 12))), path


def path_of(rows: ExampleSet, setting: Setting) -> KnifePath:
    """Return the path of the Gaussian kernel; the penalties are the same for all rows."""
    steps = setting.either(4, 60)
    path: KnifePath = operators().knife_path(rows, kernel_type="gaussian", max_steps=steps).path
    return path


def _weights_at(path: KnifePath, step: int) -> NDArray[np.float64]:
    """Return the weights at a step; a path that ended before has no attribute left."""
    found: NDArray[np.float64] = path.weights[min(step, len(path.penalties) - 1)]
    return found if step < len(path.penalties) else np.zeros_like(found)


def _error(model: Any, rows: ExampleSet) -> float:
    """Return the fraction of wrong predictions."""
    answer = model.apply(rows)
    predicted = answer.column(f"prediction({answer.label.name})")
    return float((predicted != rows.label_values()).mean())
