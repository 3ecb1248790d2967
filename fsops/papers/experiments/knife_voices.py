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
HALVES = 20


def vowel(setting: Setting) -> Measured:
    """Tell two vowels apart; training and test rows are those of the data set."""
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
    """Select voice measurements on random halves of the patients."""
    examples, patients = _voices()
    halves = setting.either(1, HALVES)
    measured = Measured(repetitions=f"{halves} halves of the patients", seed=FIRST_SEED)
    errors, weights = [], []
    for seed in range(FIRST_SEED, FIRST_SEED + halves):
        rng = np.random.default_rng(seed)
        train, test = _halves(patients, rng)
        rows, own = examples.take(train), patients[train]
        parts = _folds_of_groups(own, rng)
        with setting.running(seed), warnings.catch_warnings(action="ignore"):
            svm = _svm(rows, parts, setting)
            selected = knife_weights(rows, parts, setting)
            knife = operators().knife_model(rows, selected, kernel_type="gaussian")
            tested = examples.take(test)
            errors.append((_error(svm, tested), _error(knife, tested)))
        weights.append(selected.values)
    for method, values in zip(("SVM", "KNIFE"), np.array(errors).T, strict=True):
        measured.add(Key("parkinsons", method, measure="test error"), values)
    _add_voice_weights(measured, selected.names, np.array(weights))
    return measured


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
    ops = operators()
    steps = {"kernel_type": "gaussian", "maximum_steps": setting.either(4, 60)}
    path = ops.knife_path(train, **steps).path
    penalties = path.penalties
    errors = np.zeros(len(penalties))
    for rows, tested in _parts(train, parts):
        inner = ops.knife_path(rows, **steps).path
        for i in range(len(penalties)):
            # A path that ended before has no attribute left: its model is a constant.
            weights = inner.weights[i] if i < len(inner.penalties) else 0 * inner.weights[0]
            model = ops.knife_model(
                rows, AttributeWeights(inner.names, weights), kernel_type="gaussian"
            )
            errors[i] += _error(model, tested)
    best = len(errors) - 1 - int(np.argmin(np.round(errors[::-1], 12)))
    return AttributeWeights(path.names, path.weights[best])


def _error(model: Any, rows: ExampleSet) -> float:
    """Return the fraction of wrong predictions."""
    answer = model.apply(rows)
    predicted = answer.column(f"prediction({answer.label.name})")
    return float((predicted != rows.label_values()).mean())
