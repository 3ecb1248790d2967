"""Figures 4 and 5 of Schowe (2011) on generated data: filters against wrappers.

The microRNA data of the paper are not public. The generated table has their shape, 67 rows and 302
attributes, of which ten differ between the classes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fsops.data import AttributeWeights, ExampleSet, SizeCurves
from fsops.papers.setting import Setting, operators
from fsops.papers.values import Key, Measured

FIRST_SEED = 2001
ROWS, ATTRIBUTES, RELEVANT = 67, 302, 10
LARGEST, SPLITS = 5, 3
"""The paper has up to 30 attributes and ten folds; a forward wrapper then takes hours."""
FILTERS = ("SAM", "MRMR", "SVM-RFE")
WRAPPERS = ("forward wrapper", "evolutionary wrapper")


def figures_4_and_5(setting: Setting) -> Measured:
    """Compare accuracy and seconds of three filters and two wrappers."""
    largest, splits = setting.either(2, LARGEST), setting.either(2, SPLITS)
    attributes = setting.either(12, ATTRIBUTES)
    with setting.running(FIRST_SEED):
        examples = (
            operators()
            .generate_data(
                target_function="gene expression",
                number_of_rows=ROWS,
                number_of_attributes=attributes,
                number_of_relevant_attributes=RELEVANT,
            )
            .examples
        )
    curves = _curves(setting, examples, largest, splits)
    measured = Measured(repetitions=f"{splits} random splits", seed=FIRST_SEED)
    for learner, one in curves.items():
        for method, values in zip(one.methods, one.scores, strict=True):
            key = Key("generated", f"{method}, {learner}", measure="accuracy")
            measured.add(key, values.mean(axis=0))
        measured.figures[f"accuracy_{learner}"] = one
    _add_wins(measured, curves)
    _add_seconds(measured, curves["naive Bayes"])
    return measured


def _curves(
    setting: Setting, examples: ExampleSet, largest: int, splits: int
) -> dict[str, SizeCurves]:
    """Return accuracies by learner; the selections of a training set are the same for all."""
    ops = operators()

    def nearest(rows: ExampleSet) -> Any:
        return ops.k_nn(rows, number_of_neighbors=1, scaling=True)

    learners = {"naive Bayes": ops.naive_bayes, "1-NN": nearest, "SVM": ops.support_vector_machine}
    selections = _Remembered(setting, largest)
    curves = {}
    for name, learner in learners.items():
        with setting.running(FIRST_SEED), warnings.catch_warnings(action="ignore"):
            curves[name] = ops.compare_feature_selections(
                examples,
                learner,
                [selections.method(method) for method in (*FILTERS, *WRAPPERS)],
                method_names=[*FILTERS, *WRAPPERS],
                sizes=f"1-{largest}",
                criterion="accuracy",
                validation="random splits",
                number_of_splits=splits,
                training_fraction=0.7,
            ).curves
    return curves


class _Remembered:
    """Selections by method; a training set is searched once and not once per learner."""

    def __init__(self, setting: Setting, largest: int) -> None:
        self._setting = setting
        self._largest = largest
        self._known: dict[tuple[str, bytes], AttributeWeights] = {}

    def method(self, name: str) -> Any:
        """Return the selection as a function of the training rows."""

        def select(rows: ExampleSet) -> AttributeWeights:
            key = name, rows.numeric().tobytes()
            if key not in self._known:
                self._known[key] = self._selected(name, rows)
            return self._known[key]

        return select

    def _selected(self, name: str, rows: ExampleSet) -> AttributeWeights:
        ops, k = operators(), self._largest
        if name == "SAM":
            weights: AttributeWeights = ops.weight_by_sam(rows)
        elif name == "MRMR":
            weights = ops.select_by_mrmr_cfs(rows, k=k, output="ranking")
        elif name == "SVM-RFE":
            weights = ops.select_by_svm_rfe(rows, k=1, fraction=0.1, output="ranking").weights
        elif name == "forward wrapper":
            weights = self._forward(rows)
        else:
            weights = self._evolved(rows)
        return weights

    def _evaluate(self, rows: ExampleSet) -> Any:
        """Return the accuracy of naive Bayes in ten folds of the training rows."""
        ops = operators()

        def test(model: Any, tested: ExampleSet) -> Any:
            return ops.performance(ops.apply_model(model, tested))

        folds = self._setting.either(2, 10)
        return ops.cross_validation(rows, ops.naive_bayes, test, number_of_folds=folds).performance

    def _forward(self, rows: ExampleSet) -> AttributeWeights:
        """Return the order in which attributes are added, the first with the largest weight."""
        weights = np.zeros(len(rows.schema.regular_names))
        left = list(rows.schema.regular_names)
        chosen: list[str] = []
        for place in range(self._largest):
            scores = [
                self._evaluate(rows.select_regular([*chosen, name])).main.mean for name in left
            ]
            best = left[int(np.argmax(scores))]
            chosen.append(best)
            left.remove(best)
            weights[rows.schema.regular_names.index(best)] = self._largest - place
        return rows.weights(weights)

    def _evolved(self, rows: ExampleSet) -> AttributeWeights:
        """Return the set that evolution finds, ordered by SAM, which wrappers leave open."""
        ops = operators()
        found = ops.optimize_selection_evolutionary(
            rows,
            self._evaluate,
            population_size=self._setting.either(2, 20),
            max_generations=self._setting.either(2, 15),
            max_attributes=self._largest,
        )
        inside = found.weights.values > 0
        strength = np.nan_to_num(ops.weight_by_sam(rows).values)
        return rows.weights(np.where(inside, 1.0 + strength / (1.0 + strength.max()), 0.0))


def _add_wins(measured: Measured, curves: dict[str, SizeCurves]) -> None:
    """Add how often filters are at least as good as wrappers: means of both, by split."""
    wins = []
    for one in curves.values():
        filters = one.scores[: len(FILTERS)].mean(axis=0)
        wrappers = one.scores[len(FILTERS) :].mean(axis=0)
        wins.append(filters >= wrappers - 1e-12)
    by_split = np.concatenate(wins).mean(axis=0)
    key = Key("generated", "filters ≥ wrappers", measure="fraction of sizes and learners")
    measured.add(key, by_split)


def _add_seconds(measured: Measured, curves: SizeCurves) -> None:
    """Add the seconds of a selection, and by how many decades each filter is faster."""
    assert curves.seconds is not None
    seconds = dict(zip(curves.methods, curves.seconds, strict=True))
    for method, values in seconds.items():
        measured.add(Key("generated", method, measure="seconds"), values)
    for name in FILTERS:
        for wrapper in WRAPPERS:
            decades = np.log10(seconds[wrapper] / seconds[name])
            key = Key("generated", f"{wrapper} / {name}", measure="log10 of seconds")
            measured.add(key, decades)
