"""Fitted models together with the attributes they were trained on."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from fsops.data.examples import ExampleSet
from fsops.data.flow import FlowObject
from fsops.data.schema import PREDICTION, Attribute, Schema, ValueType
from fsops.errors import DataError, enumerate_names

if TYPE_CHECKING:
    import pandas as pd


class Predictor(Protocol):
    """The estimator of a model: predictions from a table with the training attributes.

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
        require_finite(examples)
        return self.of_matrix(estimator_matrix(examples, self.estimator))

    def of_matrix(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the predictions for the rows of a matrix."""
        n = X.shape[0]
        if not n:  # scikit-learn does not take it
            return np.zeros((0, self.n_classes) if self.n_classes else 0)
        if not self.n_classes:
            return np.asarray(self.estimator.predict(X), dtype=np.float64).reshape(n)
        confidences = np.zeros((n, self.n_classes))
        if hasattr(self.estimator, "predict_proba") and not self.sure:
            confidences[:, self.columns] = self.estimator.predict_proba(X)
            return confidences
        margins = None
        if hasattr(self.estimator, "decision_function") and not self.sure:
            margins = _margins(self.estimator.decision_function(X), len(self.columns))
        if margins is None:
            codes = np.asarray(self.estimator.predict(X), dtype=np.intp)
            confidences[np.arange(n), codes] = 1.0
        else:
            confidences[:, self.columns] = margins
        return confidences


def estimator_matrix(examples: ExampleSet, estimator: Any) -> Any:
    """Return the numbers as an estimator of scikit-learn takes them: sparse rows, or dense."""
    if not examples.is_sparse:
        return examples.numeric()
    from sklearn.utils import get_tags

    if not get_tags(estimator).input_tags.sparse:
        return examples.numeric()
    # Doubles: estimators compute in the precision of the data.
    return examples.matrix().astype(np.float64).tocsr()


def _margins(decisions: Any, n_columns: int) -> npt.NDArray[np.float64] | None:
    """Return shares that rise with the distances from the border; None for pairs of classes."""
    scores = np.asarray(decisions, dtype=np.float64)
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
    if scores.shape[1] != n_columns:
        return None
    likelihood = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: npt.NDArray[np.float64] = likelihood / likelihood.sum(axis=1, keepdims=True)
    return shares


def require_finite(examples: ExampleSet) -> None:
    """Raise `DataError`, naming the attributes, if a value is missing or infinite."""
    examples.require_complete()
    if examples.extreme_attributes:
        raise DataError(
            f"There are infinite or huge values in {enumerate_names(examples.extreme_attributes)}.",
            hint="Replace them before the model is applied.",
        )


class Model(FlowObject):
    """A model trained on one table and applied to another: a prediction or a preparation.

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

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with the attributes that the model needs."""
        import pandas as pd

        types = [attribute.value_type.value for attribute in self.attributes]
        return pd.DataFrame({"attribute": self.attributes.names, "type": types})

    @abstractmethod
    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the table as the model changes or extends it."""


class PreprocessingModel(Model):
    """A preparation learned on some rows, to be applied in the same way to others.

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


def detail_texts(details: Mapping[str, Any]) -> list[str]:
    """Return ``name=value`` for each detail of a model."""
    return [f"{name}={_detail_text(value)}" for name, value in details.items()]


def _detail_text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


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

    @property
    def details(self) -> Mapping[str, Any]:
        """Settings and numbers found in training, if the predictor has any."""
        return getattr(self.predictor, "details", {})

    def __repr__(self) -> str:
        about = f"{self.name} for {self.label.name} on {len(self.attributes)} attributes"
        details = detail_texts(self.details)
        return f"<PredictionModel {about}{': ' * bool(details)}{', '.join(details)}>"

    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with the prediction and, for classes, a confidence per class.

        They take the place of an earlier prediction.
        """
        earlier = predicted_names(examples.schema)
        examples = examples.drop(earlier) if earlier else examples
        output = self.predictor(examples.aligned(self.attributes))
        predicted, *confidences = prediction_attributes(self.label)
        if not confidences:
            return examples.with_columns([(predicted, output)])
        columns: list[tuple[Attribute, npt.NDArray[Any]]] = [
            (predicted, output.argmax(axis=1).astype(np.int32))
        ]
        columns += [(confidence, output[:, code]) for code, confidence in enumerate(confidences)]
        return examples.with_columns(columns)


class GroupedModel(Model):
    """Several models that are applied one after the other, as one.

    Parameters
    ----------
    models : sequence of Model
        At least one; groups among them are taken apart.
    """

    title: ClassVar[str] = "Grouped model"

    def __init__(self, models: Sequence[Model]) -> None:
        self.models: tuple[Model, ...] = tuple(
            part
            for model in models
            for part in (model.models if isinstance(model, GroupedModel) else (model,))
        )
        if not self.models:
            raise DataError("A group needs at least one model.", hint="Connect a model.")
        names = ", ".join(model.name for model in self.models)
        super().__init__(self.models[0].attributes, f"Group of {names}")

    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the table after all models."""
        for model in self.models:
            examples = model.apply(examples)
        return examples


@lru_cache(maxsize=64)
def prediction_attributes(label: Attribute) -> tuple[Attribute, ...]:
    """Return the columns that a prediction adds: itself and, for classes, their confidences.

    For the same label they are the same objects: each test set of a validation asks for them.
    """
    name = f"prediction({label.name})"
    if not label.value_type.is_nominal:
        return (Attribute(name, ValueType.REAL, PREDICTION),)
    confidences = [confidence_role(category) for category in label.categories]
    return (
        Attribute(name, label.value_type, PREDICTION, label.categories),
        *(Attribute(confidence, ValueType.REAL, confidence) for confidence in confidences),
    )


def confidence_role(category: str) -> str:
    """Return the role, and the name, of the attribute that holds the confidence in a class."""
    return f"confidence({category})"


def predicted_names(schema: Schema) -> list[str]:
    """Return the attributes that an earlier prediction has added."""
    return [
        name
        for name, role in schema.roles.items()
        if role == PREDICTION or role.startswith("confidence(")
    ]
