"""Fitted models together with the attributes they were trained on."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from fsops.data.examples import ExampleSet
from fsops.data.flow import FlowObject
from fsops.data.schema import PREDICTION, Attribute, Schema, ValueType
from fsops.errors import DataError


class Predictor(Protocol):
    """What a model needs: predictions from a table with the training attributes.

    A classifier returns a matrix of confidences with a column per class, a regressor a vector.
    """

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return the predictions."""


@dataclass(frozen=True)
class EstimatorPredictor:
    """A fitted scikit-learn estimator on the numerical attributes.

    Parameters
    ----------
    estimator : fitted scikit-learn estimator
    n_classes : int
        Number of classes of the label; 0 for a number.
    columns : tuple of int
        Which class each column of the estimator's probabilities belongs to.
    sure : bool
        Give the predicted class confidence 1, for estimators whose probabilities do not agree
        with their predictions.
    """

    estimator: Any
    n_classes: int = 0
    columns: tuple[int, ...] = ()
    sure: bool = False

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences per class, or predicted numbers."""
        X = examples.numeric()
        if not self.n_classes:
            return np.asarray(self.estimator.predict(X), dtype=np.float64)
        confidences = np.zeros((len(examples), self.n_classes))
        if hasattr(self.estimator, "predict_proba") and not self.sure:
            confidences[:, self.columns] = self.estimator.predict_proba(X)
        else:
            codes = np.asarray(self.estimator.predict(X), dtype=np.intp)
            confidences[np.arange(len(examples)), codes] = 1.0
        return confidences


class Model(FlowObject):
    """What was learnt from a table and can be applied to another: a prediction or a preparation.

    Parameters
    ----------
    attributes : Schema
        The attributes that a table needs, as they were when the model was made.
    name : str
        What made the model.
    """

    port_name: ClassVar[str] = "model"
    title: ClassVar[str] = "Model"

    def __init__(self, attributes: Schema, name: str) -> None:
        self.attributes = attributes
        self.name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} on {len(self.attributes)} attributes>"

    @abstractmethod
    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the table as the model changes or extends it."""


class PreprocessingModel(Model):
    """A preparation learnt on some rows, to be applied in the same way to others.

    Parameters
    ----------
    transform : callable
        Maps a table that has the attributes to the prepared one.
    attributes : Schema
        The attributes it prepares.
    name : str
        What made the model.
    """

    title: ClassVar[str] = "Preprocessing model"

    def __init__(
        self, transform: Callable[[ExampleSet], ExampleSet], attributes: Schema, name: str
    ) -> None:
        super().__init__(attributes, name)
        self.transform = transform

    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the prepared table; attributes that are not there are named in the error."""
        examples.aligned(self.attributes)
        return self.transform(examples)


class PredictionModel(Model):
    """A fitted predictor with the schema it was trained on.

    Parameters
    ----------
    predictor : callable
        Maps a table with the training attributes to predictions.
    training : Schema
        The schema of the training data: its regular attributes are needed again, its label is
        what will be predicted.
    name : str
        What made the model.
    """

    title: ClassVar[str] = "Prediction model"

    def __init__(self, predictor: Predictor, training: Schema, name: str = "Model") -> None:
        if training.label is None:
            raise DataError(
                "A model needs training data with a label.",
                hint="Give an attribute the role label (Set Role).",
            )
        super().__init__(training.take(training.regular), name)
        self.predictor = predictor
        self.label = training.label

    def __repr__(self) -> str:
        about = f"{self.name} for {self.label.name}"
        return f"<PredictionModel {about} on {len(self.attributes)} attributes>"

    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with the prediction and, for classes, a confidence per class.

        They take the place of an earlier prediction.
        """
        roles = examples.schema.roles
        examples = examples.drop(n for n, role in roles.items() if _is_prediction(role))
        output = self.predictor(examples.aligned(self.attributes))
        name = f"prediction({self.label.name})"
        if not self.label.value_type.is_nominal:
            return examples.with_columns([(Attribute(name, ValueType.REAL, PREDICTION), output)])
        predicted = Attribute(name, self.label.value_type, PREDICTION, self.label.categories)
        columns: list[tuple[Attribute, npt.NDArray[Any]]] = [
            (predicted, output.argmax(axis=1).astype(np.int32))
        ]
        for code, category in enumerate(self.label.categories):
            confidence = f"confidence({category})"
            columns.append((Attribute(confidence, ValueType.REAL, confidence), output[:, code]))
        return examples.with_columns(columns)


def _is_prediction(role: str) -> bool:
    return role == PREDICTION or role.startswith("confidence(")
