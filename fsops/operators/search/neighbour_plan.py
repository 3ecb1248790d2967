"""A faster way through searches whose inner process is a cross-validation of k-NN.

The inner process is recognized by its operators and connections: a Cross Validation that trains
k-NN and measures the accuracy. `SubsetVotes` then counts the right predictions of a whole
generation at once. Every other inner process, and every subset whose accuracy rounding could
change, is evaluated in the general way, so the result of the search is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base import compiled
from fsops.algorithms.neighbors.subset_votes import Fold, SubsetVotes
from fsops.algorithms.search.subsets import Subset
from fsops.core import Context
from fsops.core.frame.events import Logged
from fsops.core.frame.inner import Inner, Outline, OutlinedOperator
from fsops.core.frame.substituted import substituted
from fsops.data import Criterion, ExampleSet, Model, PerformanceVector, PredictionModel
from fsops.operators.modeling.lazy import MixedNeighbours

EVALUATION = {
    ("source", "examples", "cross_validation", "examples"),
    ("cross_validation", "performance", "sink", "performance"),
}
TRAINING = {("source", "training_set", "k_nn", "examples"), ("k_nn", "model", "sink", "model")}
MEASURES = ("performance", "performance_classification")
FEWEST_ATTRIBUTES = 16
"""With fewer attributes, loading the compiled functions takes longer than the search."""
LARGEST = 1 << 25
"""Pairs of rows whose distances are held in memory."""
BLOCK = 1 << 21
"""Neighbors that are found at a time."""


def _testing(measure: str) -> set[tuple[str, str, str, str]]:
    return {
        ("source", "model", "apply_model", "model"),
        ("source", "test_set", "apply_model", "examples"),
        ("apply_model", "examples", measure, "examples"),
        (measure, "performance", "sink", "performance"),
    }


def neighbour_plan(examples: ExampleSet, evaluation: Inner, ctx: Context) -> NeighbourPlan | None:
    """Return the faster way to evaluate subsets; None if the inner process is another one."""
    outline = evaluation.outline()
    if outline is None or not _is_validated_neighbours(outline):
        return None
    validation = outline.operators["cross_validation"]
    training, testing = (inside.operators for inside in validation.inner)
    measures = [testing[key] for key in MEASURES if key in testing]
    if not _has_plain_table(examples) or not _measures_accuracy(evaluation, measures[0]):
        return None
    folds = _fitted_folds(examples, evaluation, training["k_nn"], ctx)
    return None if folds is None else NeighbourPlan.of(folds, examples, ctx)


def _is_validated_neighbours(outline: Outline) -> bool:
    if outline.links != EVALUATION:
        return False
    training, testing = outline.operators["cross_validation"].inner
    return training.links == TRAINING and any(
        testing.links == _testing(measure) for measure in MEASURES
    )


def _measures_accuracy(evaluation: Inner, measure: OutlinedOperator) -> bool:
    """Return whether the accuracy decides, and no criterion gives a warning in some folds."""
    if measure.operator.key == "performance":
        return True
    values = evaluation.parameters_of(measure)
    main = values["main_criterion"]
    decides = values["criteria"][0] if main == "first" else main
    return bool(decides == "accuracy") and not values["class_weights"]


def _has_plain_table(examples: ExampleSet) -> bool:
    """Return whether all attributes are finite numbers, and the label has classes."""
    schema = examples.schema
    return (
        len(schema.regular) == len(schema.regular_numerical) >= FEWEST_ATTRIBUTES
        and schema.label is not None
        and schema.label.value_type.is_nominal
        and len(examples) ** 2 <= LARGEST
        and not examples.missing_by_attribute
        and not examples.extreme_attributes
        and bool((examples.column(schema.label.name) >= 0).all())
        and compiled.is_available()
    )


@dataclass(frozen=True)
class _Tested:
    train: ExampleSet
    test: ExampleSet
    model: MixedNeighbours


def _fitted_folds(
    examples: ExampleSet, evaluation: Inner, learner: OutlinedOperator, ctx: Context
) -> list[_Tested] | None:
    """Return the folds with a model on all attributes each; None if there is something to report.

    The validation itself deals the rows to the folds, at its place in the process, so that they are
    the same as in the general way.
    """
    folds: list[_Tested] = []
    trained: list[ExampleSet] = []
    parameters = evaluation.parameters_of(learner)
    function = learner.operator.function
    assert function is not None  # an operator that is not installed has no outline to match

    def train(table: ExampleSet) -> Model:
        trained.append(table)
        model: Model = function(table, **parameters)
        return model

    def test(model: Model, table: ExampleSet) -> PerformanceVector:
        predictor = model.predictor if isinstance(model, PredictionModel) else None
        if isinstance(predictor, MixedNeighbours) and _is_euclidean(predictor):
            folds.append(_Tested(trained[-1], table, predictor))
        return PerformanceVector([Criterion("accuracy", (0.0,))])

    rehearsal = substituted(evaluation, {"training": train, "testing": test})
    result = ctx.rehearsed(lambda table: rehearsal(table, []), examples)
    logged = any(isinstance(event, Logged) for event in result.events)
    # Errors and messages must come from the general way, where all candidates report them.
    return None if result.error is not None or logged or len(folds) < len(trained) else folds


def _is_euclidean(model: MixedNeighbours) -> bool:
    return bool(model.predictor.estimator.metric == "euclidean")


@dataclass(frozen=True)
class NeighbourPlan:
    """Evaluates subsets of the attributes by the neighbors in every fold."""

    votes: SubsetVotes
    sizes: np.typing.NDArray[np.intp]
    """Number of tested rows of each fold."""
    block: int
    """Number of subsets that are evaluated at a time."""
    ctx: Context

    @classmethod
    def of(cls, tested: Sequence[_Tested], examples: ExampleSet, ctx: Context) -> NeighbourPlan:
        """Return the plan for these folds."""
        folds = [_fold(each) for each in tested]
        estimator = tested[0].model.predictor.estimator
        votes = SubsetVotes(folds, len(examples.classes), nearness=estimator.weights == "distance")
        sizes = np.array([len(fold.test_labels) for fold in folds])
        places = int(sizes.max()) * (folds[0].k + 1)
        return cls(votes, sizes, max(1, BLOCK // places), ctx)

    def accuracies(self, subsets: Sequence[Subset]) -> Mapping[Subset, float]:
        """Return the accuracy of each subset for which it is certain."""
        starts = range(0, len(subsets), self.block)
        known: dict[Subset, float] = {}
        for start in self.ctx.progress(starts, "Candidates"):
            part = subsets[start : start + self.block]
            right, certain = self.votes.right(part)
            means = (right / self.sizes).mean(axis=1)
            known |= {s: m for s, m, c in zip(part, means.tolist(), certain, strict=True) if c}
        return known


def _fold(tested: _Tested) -> Fold:
    """Return the points of a fold, as the model sees them."""
    space, estimator = tested.model.space, tested.model.predictor.estimator
    train, test = (
        np.asarray(space.points(table.numeric(), table.nominal()), dtype=np.float64)
        for table in (tested.train, tested.test)
    )
    labels = [table.label_values().astype(np.intp) for table in (tested.train, tested.test)]
    return Fold(train, test, labels[0], labels[1], estimator.n_neighbors)
