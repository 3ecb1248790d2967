"""Replacements of an inner process: selectors, functions, learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_score

from fsops.core import Accepts
from fsops.core.declare.ports import SubprocessPort
from fsops.data import AttributeWeights, Criterion, ExampleSet, Model, PerformanceVector
from fsops.errors import ParameterError
from fsops.operators.modeling.estimators import fitted

FOLDS = 5
ONLY_NUMBERS = Accepts(label="any", attributes="numerical")


@dataclass(frozen=True)
class Learning:
    """A learner of scikit-learn in the place of an inner process that gives a model."""

    estimator: Any

    def __call__(self, examples: ExampleSet) -> Model:
        """Return the learner, fitted on the table, as a model."""
        ONLY_NUMBERS.check_schema(examples.schema)
        return fitted(clone(self.estimator), examples, type(self.estimator).__name__)


@dataclass(frozen=True)
class LearnerScore:
    """A learner of scikit-learn in the place of an inner process that gives a performance."""

    estimator: Any

    def __call__(self, examples: ExampleSet) -> PerformanceVector:
        """Return how well the learner does in a cross-validation, by its own score."""
        ONLY_NUMBERS.check_schema(examples.schema)
        X, y = examples.numeric(), examples.label_values()
        scores = tuple(cross_val_score(self.estimator, X, y, cv=FOLDS).tolist())
        if is_classifier(self.estimator):
            return PerformanceVector([Criterion("accuracy", scores, percent=True)])
        return PerformanceVector([Criterion("score", scores)])


@dataclass(frozen=True)
class LearnerWeights:
    """A learner of scikit-learn in the place of an inner process that gives weights."""

    estimator: Any

    def __call__(self, examples: ExampleSet) -> AttributeWeights:
        """Return the size of the learner's coefficients, or its importances."""
        ONLY_NUMBERS.check_schema(examples.schema)
        learner = clone(self.estimator).fit(examples.numeric(), examples.label_values())
        values = getattr(learner, "coef_", None)
        if values is None:
            values = getattr(learner, "feature_importances_", None)
        if values is None:
            raise ParameterError(
                f"{type(self.estimator).__name__} has neither coef_ nor feature_importances_ after "
                "fitting, so it cannot weigh attributes.",
                hint="Use a linear model or a forest, or a selector of fsops.sklearn.",
            )
        return examples.weights(np.abs(np.atleast_2d(values)).sum(axis=0))


def inner_function(value: Any, declared: SubprocessPort) -> Any:
    """Return the values that an operator takes as its inner processes."""
    if declared.many:
        items = value if isinstance(value, list | tuple) else [value]
        return [_one(item, declared) for item in items]
    return _one(value, declared)


def _one(value: Any, declared: SubprocessPort) -> Any:
    given = declared.sinks[0].type
    if hasattr(value, "as_function"):
        return value.as_function()
    if hasattr(value, "fit") and issubclass(given, PerformanceVector):
        return LearnerScore(value)
    if hasattr(value, "fit") and issubclass(given, Model):
        return Learning(value)
    if hasattr(value, "fit") and issubclass(given, AttributeWeights):
        return LearnerWeights(value)
    if callable(value):
        return value
    learners = (
        "a selector, a learner" if given.port_name == "weights" else "a learner of scikit-learn"
    )
    raise ParameterError(
        f"{declared.name} is {_shown(value)}, but must be {learners}, an operator, or a function "
        f"that takes a table and returns {given.phrase()}."
    )


def _shown(value: Any) -> str:
    return "not set" if value is None else f"a {type(value).__name__}"
