"""Models made of models that build on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.resampling import bootstrap, subsample
from fsops.core import Accepts, Aliases, Context, Named, Subprocess, operator
from fsops.core.declare.iterations import Known
from fsops.data import Attribute, ExampleSet, Model, PredictionModel, Schema, ValueType
from fsops.data.design import row_groups
from fsops.errors import DataError, ParameterError, enumerate_names
from fsops.operators.modeling.ensembles import ANY_TABLE, GROUP, Committee, Predictions
from fsops.operators.modeling.estimators import TRAINING, TRAINING_PORT, describe_model
from fsops.operators.validation.classification import CostMatrix, matrix_of

Floats = npt.NDArray[np.float64]
CLASSES = Accepts(label="nominal", missing=True, infinite=True, sparse=True)
Learner = Subprocess[
    [Annotated[ExampleSet, Named("training_set", "Rows drawn for this model.")]], Model
]


@dataclass(frozen=True)
class WeightedVotes:
    """Several models whose predicted classes count by a weight."""

    models: tuple[Model, ...]
    weights: tuple[float, ...]
    label: Attribute

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return the weighted fraction of votes for each class."""
        votes = [Predictions.of(model, examples, self.label).votes() for model in self.models]
        found: Floats = np.average(votes, axis=0, weights=self.weights)
        return found


@operator(
    group=GROUP,
    role="learner",
    accepts=CLASSES,
    describe=describe_model,
    aliases=TRAINING,
    tags=("ensemble", "boosting", "adaboost.m1", "committee", "learner", "classifier"),
    random=True,
    iterations=lambda known: known["iterations"],
)
def adaboost(
    examples: ExampleSet,
    learner: Learner,
    *,
    iterations: Annotated[int, Field(ge=1, description="Maximum number of models.")] = 10,
    ctx: Context,
) -> Model:
    r"""AdaBoost

    Trains the inner learner many times, each time with more weight on rows that earlier models
    predicted wrongly, and lets the models vote. Good for simple learners such as trees of depth 1.

    Each model is trained on rows drawn by their weight, because not every learner knows weights.
    Then its weighted error e on all rows is measured; the weights of rows that it predicts
    correctly are multiplied by e / (1 − e), and its vote has the weight log((1 − e) / e). Training
    ends when a model makes no error, or when its error is 0.5 or more; such a poor model is
    dropped. It also fits wrong labels.

    References
    ----------
    Freund, Schapire (1997): A decision-theoretic generalization of on-line learning. Journal of
    Computer and System Sciences 55, 119–139.
    """
    n, label = len(examples), examples.label
    weights = np.full(n, 1.0 / n)
    rng = ctx.rng("rows")
    models: list[Model] = []
    votes: list[float] = []
    for _ in ctx.progress(range(iterations), "Models"):
        model = learner(examples.take(np.sort(rng.choice(n, n, p=weights))))
        right = Predictions.of(model, examples, label).classes() == examples.label_values()
        error = float(weights[~right].sum())
        if error >= 0.5 and models:
            break
        models.append(model)
        votes.append(boosting_vote(error))
        if error >= 0.5 or error <= 0:
            break
        weights = np.where(right, weights * error / (1 - error), weights)
        weights = weights / weights.sum()
    predictor = WeightedVotes(tuple(models), tuple(votes), label)
    return PredictionModel(predictor, examples.schema, "AdaBoost")


def boosting_vote(error: float) -> float:
    """Return the weight of a vote: log((1 − e) / e); 1e6 without errors, 1 for a useless model."""
    if error <= 0:
        return 1e6
    return float(np.log((1 - error) / error)) if error < 0.5 else 1.0


@dataclass(frozen=True)
class Stacked:
    """A model on the predictions of others."""

    bases: tuple[Model, ...]
    final: Model
    label: Attribute
    keep: bool

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return the predictions of the final model."""
        inputs = stacked_table(self.bases, examples, self.label, self.keep)
        found = Predictions.of(self.final, inputs, self.label)
        return found.confidences() if self.label.value_type.is_nominal else found.numbers()


def stacked_table(
    models: tuple[Model, ...], examples: ExampleSet, label: Attribute, keep: bool
) -> ExampleSet:
    """Return the table with the predictions of models as attributes, beside its own or alone."""
    columns: list[tuple[Attribute, npt.NDArray[Any]]] = []
    for number, model in enumerate(models, start=1):
        found = Predictions.of(model, examples, label)
        name = f"base_prediction{number}"
        if label.value_type.is_nominal:
            codes = found.classes().astype(np.int32)
            columns.append((Attribute.nominal(name, label.categories), codes))
        else:
            columns.append((Attribute(name, ValueType.REAL), found.numbers()))
    table = examples if keep else examples.drop([*examples.schema.regular_names])
    taken = [attribute.name for attribute, _ in columns if attribute.name in table.schema]
    if taken:
        raise DataError(f'The data has an attribute "{taken[0]}" already.', hint="Rename it.")
    return table.with_columns(columns)


def _stacked_iterations(known: Known) -> list[int]:
    return [1] * known.inner


@operator(
    group=GROUP,
    role="learner",
    accepts=ANY_TABLE,
    describe=describe_model,
    aliases=Aliases(ports={**TRAINING_PORT, "stacking examples": "stacking_examples"}),
    tags=("ensemble", "stacked generalization", "meta", "blending", "learner"),
    iterations=_stacked_iterations,
)
def stacking(
    examples: ExampleSet,
    stacking_learner: Subprocess[
        [
            Annotated[
                ExampleSet,
                Named(
                    "stacking_examples",
                    "The label and the predictions of the base models.",
                    changed=True,
                ),
            ]
        ],
        Model,
    ],
    learners: list[Subprocess[[ExampleSet], Model]],
    *,
    keep_all_attributes: Annotated[
        bool, Field(description="Give the last learner the original attributes as well.")
    ] = True,
    ctx: Context,
) -> Model:
    """Stacking

    Trains several learners on the same rows, and a last one that predicts the label from their
    predictions. It finds out which model is reliable for which rows.

    The last learner is trained on the predictions of the others for their own training rows. So it
    overrates learners that fit their training rows closely, such as deep trees and k-NN with k = 1.
    Vote is safer with few rows.

    References
    ----------
    Wolpert (1992): Stacked generalization. Neural Networks 5, 241–259.
    """
    if not learners:
        raise DataError("There are no base learners.", hint="Add inner processes with learners.")

    def learn(number: int) -> Model:
        return learners[number](examples)

    bases = tuple(ctx.map(learn, range(len(learners)), "Learners"))
    table = stacked_table(bases, examples, examples.label, keep_all_attributes)
    final = stacking_learner(table)
    predictor = Stacked(bases, final, examples.label, keep_all_attributes)
    return PredictionModel(predictor, examples.schema, "Stacking")


class CostModel(PredictionModel):
    """Predicts the class with the lowest expected cost."""

    def __init__(self, committee: Any, costs: Floats, training: Schema) -> None:
        super().__init__(committee, training, "MetaCost")
        self.costs = costs

    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with confidences, and the cheapest class as prediction."""
        table = super().apply(examples)
        found = Predictions(
            table, table.schema.attribute(f"prediction({self.label.name})"), self.label
        )
        expected = found.confidences() @ self.costs.T
        return table.with_values([(found.predicted, expected.argmin(axis=1).astype(np.int32))])


@operator(
    group=GROUP,
    role="learner",
    accepts=CLASSES,
    describe=describe_model,
    aliases=TRAINING,
    tags=("costs", "cost-sensitive", "imbalanced", "ensemble", "learner", "classifier"),
    random=True,
    iterations=lambda known: known["iterations"],
)
def metacost(
    examples: ExampleSet,
    learner: Learner,
    *,
    cost_matrix: CostMatrix,
    iterations: Annotated[int, Field(ge=1, description="Number of models.")] = 10,
    use_subset_for_training: Annotated[
        float,
        Field(gt=0, le=1, description="Fraction of the rows that each model is trained on."),
    ] = 1.0,
    sampling_with_replacement: Annotated[
        bool, Field(description="Draw rows with replacement (bootstrap).")
    ] = True,
    ctx: Context,
) -> Model:
    r"""MetaCost

    Lets any learner for classes take costs of errors into account. Models are trained on samples
    of the rows, their confidences are averaged, and the class with the lowest expected cost is
    predicted. The confidences remain those of the models.

    The cost matrix has a row for each predicted class and a column for each true class, in the
    order of the label, such as [0 1; 5 0]. Confidences have to be close to probabilities for the
    costs to be right.

    .. math:: \hat y = \arg\min_i \sum_j C_{ij} \, p(j \mid x)

    References
    ----------
    Domingos (1999): MetaCost: a general method for making classifiers cost-sensitive. KDD.
    """
    costs, classes = matrix_of(cost_matrix), examples.classes
    if len(costs) != len(classes):
        raise ParameterError(
            f"cost_matrix is for {len(costs)} classes, but there are {len(classes)}: "
            f"{enumerate_names(classes)}."
        )
    n, rng, groups = len(examples), ctx.rng("rows"), row_groups(examples)
    if sampling_with_replacement:
        samples = bootstrap(
            n,
            iterations,
            rng,
            ratio=use_subset_for_training,
            labels=examples.label_values().astype(np.intp),
            groups=groups,
        )
    elif groups is not None:
        samples = subsample(n, iterations, rng, ratio=use_subset_for_training, groups=groups)
    else:
        size = max(1, round(use_subset_for_training * n))
        drawn = [np.sort(rng.choice(n, size, replace=False)) for _ in range(iterations)]
        samples = tuple(rows.astype(np.intp) for rows in drawn)

    def learn(rows: npt.NDArray[np.intp]) -> Model:
        return learner(examples.take(rows))

    models = ctx.map(learn, samples, "Models")
    committee = Committee(tuple(models), examples.label, average_confidences=True)
    return CostModel(committee, costs, examples.schema)
