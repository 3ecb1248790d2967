"""Models made of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.resampling import bootstrap
from fsops.core import Accepts, Context, Named, Subprocess, operator
from fsops.core.declare.iterations import Known, NotKnown
from fsops.data import Attribute, ExampleSet, Model, PredictionModel, ValueType
from fsops.data.design import row_groups
from fsops.data.model import confidence_role
from fsops.data.schema import LABEL, PREDICTION
from fsops.errors import DataError
from fsops.operators.modeling.estimators import TRAINING, describe_model

GROUP = "Modeling/Ensembles"
ANY_TABLE = Accepts(label="any", missing=True, infinite=True, sparse=True)
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Predictions:
    """Predictions of a model for the rows of a table."""

    applied: ExampleSet
    predicted: Attribute
    label: Attribute

    @classmethod
    def of(cls, model: Model, examples: ExampleSet, label: Attribute) -> Predictions:
        """Return a model's predictions; `DataError` if they are not of the label."""
        applied = model.apply(examples)
        predicted = applied.schema.special(PREDICTION)
        if predicted is None or predicted.value_type.is_nominal != label.value_type.is_nominal:
            raise DataError(
                f'The inner model "{model.name}" does not predict "{label.name}".',
                hint="Put a learner for this label into the inner process.",
            )
        return cls(applied, predicted, label)

    def numbers(self) -> Floats:
        """Return the predicted numbers."""
        return self.applied.column(self.predicted.name).astype(np.float64)

    def classes(self) -> Codes:
        """Return the predicted classes by their places in the label; -1 for another class."""
        place = {category: code for code, category in enumerate(self.label.categories)}
        lookup = np.array([place.get(c, -1) for c in self.predicted.categories], dtype=np.intp)
        codes: Codes = lookup[self.applied.column(self.predicted.name)]
        return codes

    def votes(self) -> Floats:
        """Return 1 for the predicted class and 0 for the others, a column for each class."""
        places = np.arange(len(self.label.categories))
        votes: Floats = (self.classes()[:, None] == places).astype(np.float64)
        return votes

    def confidences(self) -> Floats:
        """Return the confidence in each class, a column each; 0 for one the model lacks."""
        return np.column_stack([self._confidence(c) for c in self.label.categories])

    def _confidence(self, category: str) -> Floats:
        attribute = self.applied.schema.special(confidence_role(category))
        if attribute is None:
            return np.zeros(len(self.applied))
        return self.applied.column(attribute.name).astype(np.float64)


@dataclass(frozen=True)
class Committee:
    """Several models that predict the same label."""

    models: tuple[Model, ...]
    label: Attribute
    average_confidences: bool

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return the mean of the predicted numbers, of the confidences, or of the votes."""
        outputs = [self._output(model, examples) for model in self.models]
        mean: Floats = np.mean(outputs, axis=0)
        return mean

    def _output(self, model: Model, examples: ExampleSet) -> Floats:
        found = Predictions.of(model, examples, self.label)
        if not self.label.value_type.is_nominal:
            return found.numbers()
        return found.confidences() if self.average_confidences else found.votes()


@operator(
    group=GROUP,
    role="learner",
    accepts=ANY_TABLE,
    describe=describe_model,
    aliases=TRAINING,
    tags=("ensemble", "majority", "committee", "stacking", "learner"),
    iterations=lambda known: 1,
)
def vote(
    examples: ExampleSet,
    learners: list[Subprocess[[ExampleSet], Model]],
    *,
    voting: Annotated[
        Literal["majority", "confidences"],
        Field(description="Count the predicted classes, or average the confidences."),
    ] = "majority",
    ctx: Context,
) -> Model:
    """Vote

    Trains several learners on the same rows and lets their models vote: classes by majority or by
    mean confidence, numbers by their mean. This helps most if the learners err on different rows.

    With a majority vote the confidence of a class is its fraction of the votes. If the votes are
    equal, the first class wins: use an odd number of learners, or mean confidences.

    References
    ----------
    Kittler, Hatef, Duin, Matas (1998): On combining classifiers. IEEE PAMI 20, 226–239.
    """
    if not learners:
        raise DataError("The ensemble has no members.", hint="Add inner processes with learners.")

    def learn(number: int) -> Model:
        return learners[number](examples)

    models = ctx.map(learn, range(len(learners)), "Learners")
    committee = Committee(tuple(models), examples.label, voting == "confidences")
    return PredictionModel(committee, examples.schema, "Vote")


@operator(
    group=GROUP,
    role="learner",
    accepts=ANY_TABLE,
    describe=describe_model,
    aliases=TRAINING,
    tags=("ensemble", "bootstrap aggregating", "committee", "learner"),
    random=True,
    iterations=lambda known: known["iterations"],
)
def bagging(
    examples: ExampleSet,
    learner: Subprocess[
        [Annotated[ExampleSet, Named("training_set", "A bootstrap of the rows.")]], Model
    ],
    *,
    iterations: Annotated[int, Field(ge=1, description="Number of models.")] = 10,
    sample_fraction: Annotated[
        float,
        Field(gt=0, le=1, description="Rows drawn for each model, as a fraction of all rows."),
    ] = 0.9,
    average_confidences: Annotated[
        bool, Field(description="Average the confidences; otherwise count the predicted classes.")
    ] = True,
    ctx: Context,
) -> Model:
    """Bagging

    Trains the inner learner on many bootstraps of the rows (drawn with replacement) and averages
    the models. Makes unstable learners, such as trees, more stable; stable learners gain little.

    Every bootstrap has rows of all classes. Takes as much time as all its models.

    References
    ----------
    Breiman (1996): Bagging predictors. Machine Learning 24, 123–140.
    """
    nominal = examples.label.value_type.is_nominal
    codes = examples.label_values().astype(np.intp) if nominal else None
    samples = bootstrap(
        len(examples),
        iterations,
        ctx.rng("rows"),
        ratio=sample_fraction,
        labels=codes,
        groups=row_groups(examples),
    )

    def learn(rows: npt.NDArray[np.intp]) -> Model:
        return learner(examples.take(rows))

    models = ctx.map(learn, samples, "Models")
    committee = Committee(tuple(models), examples.label, average_confidences)
    return PredictionModel(committee, examples.schema, "Bagging")


@dataclass(frozen=True)
class HighestNumber:
    """Predicts the class whose model predicts the largest number."""

    models: tuple[Model, ...]
    target: Attribute

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return confidence 1 for the class with the largest number; of equal ones the first."""
        numbers = [Predictions.of(m, examples, self.target).numbers() for m in self.models]
        best = np.argmax(numbers, axis=0)
        confidences: Floats = np.eye(len(self.models))[best]
        return confidences


def classes_before_run(known: Known) -> int:
    """Return the number of classes of the label."""
    label = known.schema.label
    if label is None:
        raise NotKnown("it depends on the classes of the label")
    return len(label.categories)


@operator(
    group=GROUP,
    role="learner",
    accepts=Accepts(label="nominal", missing=True, infinite=True, sparse=True),
    describe=describe_model,
    aliases=TRAINING,
    tags=("one against all", "multi-class", "regression", "learner", "classifier"),
    iterations=classes_before_run,
)
def classification_by_regression(
    examples: ExampleSet,
    learner: Subprocess[
        [
            Annotated[
                ExampleSet, Named("training_set", "All rows; the label is 1 or -1.", changed=True)
            ]
        ],
        Model,
    ],
    *,
    ctx: Context,
) -> Model:
    """Classification by Regression

    Lets a learner for numbers predict classes. For each class it trains one model, with the label
    1 for rows of the class and -1 for the others, and predicts the class whose model predicts the
    largest number. The confidence is 1 for this class and 0 for the others.

    Learners for classes, such as Logistic Regression, usually predict better confidences. If three
    classes follow each other along a line, a linear model may never predict the middle class.
    """
    label, codes = examples.label, examples.label_values()
    target = Attribute(label.name, ValueType.REAL, LABEL)
    others = examples.drop([label.name])

    def learn(code: int) -> Model:
        numbers = np.where(codes == code, 1.0, -1.0)
        return learner(others.with_columns([(target, numbers)]))

    models = ctx.map(learn, range(len(label.categories)), "Classes")
    predictor = HighestNumber(tuple(models), target)
    return PredictionModel(predictor, examples.schema, "Classification by Regression")
