"""Parts of Lal, Chapelle, Schölkopf (2006) that operators compute: Figures 1 and 2, sparse tables.

Dexter and Dorothea are stored as triplets (row, feature, value) and stay sparse here.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from fsops.algorithms.base import resampling
from fsops.data import ExampleSet, SizeCurves
from fsops.papers.setting import Setting, file_in_data_folder, operators, table
from fsops.papers.values import Key, Measured, MeasuredValue

FIRST_SEED = 2001
ROUNDS = ("1 December", "8 December")
COSTS = tuple(10.0**power for power in range(-4, 5))
DEXTER_BEST, DOROTHEA_BEST = 3714, 1000
DEXTER_SIZES = (100, 200, 500, 1000, 2000, DEXTER_BEST, 7000, 20000)
QUICK_COLUMNS, QUICK_WORDS = 1000, 6000
DOROTHEA_COST = 10.0


def figure_1(setting: Setting) -> Measured:
    """Return the error of linear SVMs on Arcene over their cost, by 20-fold cross-validation."""
    examples = normalized(arcene_training_rows())
    folds = setting.either(2, 20)
    costs = COSTS[::4] if setting.quick else COSTS
    classes = examples.label_values().astype(int)
    part = resampling.partition(
        len(examples), folds, np.random.default_rng(FIRST_SEED), strata=classes
    )
    errors = np.empty((len(costs), folds))
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        for fold in range(folds):
            rows, tested = (
                examples.take(np.flatnonzero(part != fold)),
                examples.take(np.flatnonzero(part == fold)),
            )
            for i, cost in enumerate(costs):
                model = soft_svm(rows, cost)
                errors[i, fold] = np.mean(answers(model, tested) != tested.label_values())
    measured = Measured(repetitions=f"{folds} folds", seed=FIRST_SEED)
    for cost, by_fold in zip(costs, errors, strict=True):
        measured.add(Key("arcene", f"C = {cost:g}", measure="error"), by_fold)
    gain = errors[0] - errors[-1]
    measured.add(Key("arcene", "smallest C − largest C", measure="error"), gain)
    excess = float(errors[-1].mean() - errors.mean(axis=1).min())
    measured.add(Key("arcene", "largest C − best C", measure="error"), excess)
    return measured


def soft_svm(rows: ExampleSet, cost: float) -> Any:
    """Return a linear SVM on values as they are."""
    return operators().hard_margin_svm(rows, margin="soft", C=cost, scaling=False)


def figure_2(setting: Setting) -> Measured:
    """Return how many attributes of Arcene have a score that is not small."""
    examples = arcene_training_rows()
    with setting.running(FIRST_SEED):
        weights = operators().weight_by_lal_score(examples)
    scores = np.asarray(weights.values)
    measured = Measured(repetitions="exact", seed=FIRST_SEED)
    for part in (0.25, 0.5, 0.75):
        key = Key(
            "arcene", f"score above {part:g} of the largest", measure="fraction of attributes"
        )
        measured.add(key, float(np.mean(scores > part * scores.max())))
    measured.figures["scores"] = weights
    return measured


def arcene_training_rows() -> ExampleSet:
    """Return the training rows of Arcene."""
    examples = table("arcene")
    code = examples.schema.attribute("split").categories.index("train")
    return examples.take(np.flatnonzero(examples.column("split") == code)).drop(["split"])


def dexter(setting: Setting) -> Measured:
    """Test the linear SVM of Dexter on the validation rows."""
    values, labels, splits = triplets("dexter")
    if setting.quick:
        values = values[:, :QUICK_WORDS]
    examples = ExampleSet.from_sparse(values, y=labels)
    train, test = (examples.take(np.flatnonzero(splits == name)) for name in ("train", "valid"))
    folds = setting.either(2, 10)
    sizes = (100, 500) if setting.quick else DEXTER_SIZES
    ops = operators()
    train, test = normalized(train, test)
    machine = partial(ops.hard_margin_svm, kernel_type="linear", scaling=False)
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        curve: SizeCurves = ops.compare_feature_selections(
            train,
            machine,
            [ops.weight_by_lal_score],
            sizes=list(sizes),
            criterion="balanced_error_rate",
            number_of_folds=folds,
        ).curves
        best = int(sizes[int(np.argmin(curve.mean[0]))])
        errors = {
            size: _test_error(train, test, min(size, len(examples.schema.regular)), machine)
            for size in {DEXTER_BEST, best}
        }
    measured = Measured(repetitions=f"{folds} folds, {len(test)} test rows", seed=FIRST_SEED)
    for date in ROUNDS:
        key = Key("dexter", f"number of the paper, {date}", measure="balanced error")
        measured.add(key, errors[DEXTER_BEST])
    key = Key("dexter", "number by cross-validation", measure="balanced error")
    measured.add(key, errors[best])
    measured.add(key._replace(measure="attributes"), float(best))
    measured.figures["cross_validation"] = curve
    return measured


def dorothea(setting: Setting) -> Measured:
    """Test the Gaussian SVM of Dorothea by cross-validation: only training rows are public."""
    values, labels, _ = triplets("dorothea")
    if setting.quick:
        values = values[:, :QUICK_COLUMNS]
    examples = normalized(ExampleSet.from_sparse(values, y=labels))
    folds, ops = setting.either(2, 10), operators()
    classes = examples.label_values().astype(int)
    part = resampling.partition(
        len(examples), folds, np.random.default_rng(FIRST_SEED), strata=classes
    )
    predicted = np.empty(len(examples))
    machine = partial(
        ops.hard_margin_svm,
        kernel_type="gaussian",
        margin="soft",
        C=DOROTHEA_COST,
        class_ridge=True,
        scaling=False,
    )
    by_fold = []
    with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
        for fold in range(folds):
            train, test = np.flatnonzero(part != fold), np.flatnonzero(part == fold)
            rows, names = _best(examples.take(train), DOROTHEA_BEST)
            tested = examples.select_regular(names).take(test)
            predicted[test] = answers(machine(rows), tested)
            by_fold.append(balanced_error(predicted[test], classes[test]))
    measured = Measured(repetitions=f"{folds} folds", seed=FIRST_SEED)
    spread = MeasuredValue.of(by_fold)
    error = MeasuredValue(balanced_error(predicted, classes), spread.error)
    for date in ROUNDS:
        key = Key("dorothea", f"number of the paper, {date}", measure="balanced error")
        measured.add(key, error)
    return measured


def _test_error(train: ExampleSet, test: ExampleSet, size: int, machine: Any) -> MeasuredValue:
    """Return the balanced error on test rows, with its binomial standard error."""
    rows, names = _best(train, size)
    tested = test.select_regular(names)
    error = balanced_error(answers(machine(rows), tested), tested.label_values())
    return MeasuredValue(error, (error * (1 - error) / len(test)) ** 0.5)


def _best(rows: ExampleSet, size: int) -> tuple[ExampleSet, list[str]]:
    """Return the rows with the attributes of the largest scores, and their names."""
    ops = operators()
    chosen = ops.select_top_k(ops.weight_by_lal_score(rows), k=size)
    names = [name for name, weight in zip(chosen.names, chosen.values, strict=True) if weight > 0]
    return rows.select_regular(names), names


def normalized(train: ExampleSet, test: ExampleSet | None = None) -> Any:
    """Return the rows divided by the average norm of the training rows."""
    result = operators().normalize(train, method="average norm")
    return result.examples if test is None else (result.examples, result.model.apply(test))


def balanced_error(predicted: Any, truth: Any) -> float:
    """Return the mean of the error rates of the classes."""
    predicted, truth = np.asarray(predicted), np.asarray(truth)
    rates = [np.mean(predicted[truth == code] != code) for code in np.unique(truth)]
    return float(np.mean(rates))


def answers(model: Any, rows: ExampleSet) -> Any:
    """Return the predicted classes as codes."""
    answer = model.apply(rows)
    return answer.column(f"prediction({answer.label.name})")


def triplets(name: str) -> tuple[Any, Any, Any]:
    """Return the sparse values, the labels and the splits of a table stored as triplets."""
    import pandas as pd
    from scipy.sparse import coo_array

    labels = pd.read_csv(file_in_data_folder(f"{name}_labels.csv"), dtype={"label": str})
    cells = pd.read_parquet(file_in_data_folder(f"{name}_coo.parquet"))
    places = cells["row"].to_numpy(), cells["feature"].to_numpy() - 1
    found = np.asarray(cells["value"] if "value" in cells else np.ones(len(cells)), dtype=float)
    shape = len(labels), int(cells["feature"].max())
    values = coo_array((found, places), shape=shape).tocsc()
    return values, labels["label"].to_numpy(dtype=str), labels["split"].to_numpy(dtype=str)
