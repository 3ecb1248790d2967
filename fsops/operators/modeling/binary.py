"""Several classes by models of two."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats
from fsops.core import Accepts, Context, Named, Subprocess, operator
from fsops.core.declare.iterations import Known
from fsops.data import Attribute, ExampleSet, Model, PredictionModel
from fsops.data.schema import LABEL
from fsops.operators.modeling.ensembles import GROUP, Predictions, classes_before_run
from fsops.operators.modeling.estimators import TRAINING, describe_model, has_classes

Strategy = Literal["1 against all", "1 against 1"]
SIDES = ("others", "class")


@dataclass(frozen=True)
class BinaryVotes:
    """Models of two classes that decide about several."""

    models: tuple[Model, ...]
    sides: tuple[tuple[int, ...], ...]
    """For each model the class it finds and, if it is about a pair, the other one."""
    label: Attribute
    target: Attribute

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return the sums of the confidences in each class, divided by those of all classes."""
        total = np.zeros((len(examples), len(self.label.categories)))
        for model, side in zip(self.models, self.sides, strict=True):
            confidence = Predictions.of(model, examples, self.target).confidences()
            total[:, side[0]] += confidence[:, 1]
            if len(side) > 1:
                total[:, side[1]] += confidence[:, 0]
        sums = total.sum(axis=1, keepdims=True)
        equal = np.full_like(total, 1 / total.shape[1])
        shares: Floats = np.divide(total, sums, out=equal, where=sums > 0)
        return shares


def _models_before_run(known: Known) -> int:
    classes = classes_before_run(known)
    pairs = known["classification_strategies"] == "1 against 1"
    return classes * (classes - 1) // 2 if pairs else classes


@operator(
    group=GROUP,
    role="learner",
    accepts=Accepts(label="nominal", missing=True, infinite=True, sparse=True),
    describe=describe_model,
    aliases=TRAINING,
    tags=("multi-class", "one against all", "one against one", "ecoc", "learner", "classifier"),
    iterations=_models_before_run,
)
def polynomial_by_binomial_classification(
    examples: ExampleSet,
    learner: Subprocess[
        [
            Annotated[
                ExampleSet,
                Named(
                    "training_set", 'The label has the classes "class" and "others".', changed=True
                ),
            ]
        ],
        Model,
    ],
    *,
    classification_strategies: Annotated[
        Strategy,
        Field(description="One model per class against all others, or one per pair of classes."),
    ] = "1 against all",
    ctx: Context,
) -> Model:
    """Polynomial by Binomial Classification

    Lets a learner for two classes predict more than two classes. For each class, or for each pair
    of classes, the inner learner trains a model. The confidences of the models are added up for
    each class.

    Most learners of fsops take several classes themselves and do not need it; use it to compare, or
    for learners and weightings that are made for two classes.

    References
    ----------
    Allwein, Schapire, Singer (2000): Reducing multiclass to binary. Journal of Machine Learning
    Research 1, 113–141.
    """
    has_classes(examples)
    label, codes = examples.label, examples.label_values()
    present = [int(code) for code in np.unique(codes)]
    target = Attribute.nominal(label.name, SIDES, LABEL)
    others = examples.drop([label.name])
    sides: list[tuple[int, ...]] = [(code,) for code in present]
    if classification_strategies == "1 against 1":
        sides = list(combinations(present, 2))

    def learn(side: tuple[int, ...]) -> Model:
        rows = np.isin(codes, side) if len(side) > 1 else np.ones(len(codes), dtype=bool)
        found = (codes == side[0]).astype(np.int32)
        return learner(others.with_columns([(target, found)]).take(np.flatnonzero(rows)))

    models = ctx.map(learn, sides, "Models")
    predictor = BinaryVotes(tuple(models), tuple(sides), label, target)
    return PredictionModel(predictor, examples.schema, "Polynomial by Binomial Classification")
