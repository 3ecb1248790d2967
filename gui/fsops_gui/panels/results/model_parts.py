"""The parts of a model besides its name: weights, coefficients, the text of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from fsops.data import AttributeWeights, Model, PredictionModel

DEEPEST = 20


def weights_of(model: Model) -> AttributeWeights | None:
    """Return the weights that a model gives its attributes, where it has any."""
    if callable(getattr(model, "weights", None)):
        found = model.weights()  # type: ignore[attr-defined]
        return found if isinstance(found, AttributeWeights) else None
    predictor = getattr(model, "predictor", None)
    names = model.attributes.names_at(model.attributes.regular_numerical)
    questions, estimator = getattr(predictor, "questions", None), _estimator(predictor)
    importances = getattr(estimator, "feature_importances_", None)
    if questions is not None and importances is not None:
        shares = questions.by_attribute(importances, len(model.attributes))
        return AttributeWeights(model.attributes.names, shares, origin=model.name)
    for values in (_coefficients(estimator), getattr(predictor, "coefficients", None)):
        if isinstance(values, np.ndarray) and values.shape == (len(names),):
            details = {"coefficient": values}
            return AttributeWeights(names, np.abs(values), origin=model.name, details=details)
    return None


def tree_text(model: Model) -> str:
    """Return a decision tree as text; empty where the model is none."""
    predictor = getattr(model, "predictor", None)
    questions, estimator = getattr(predictor, "questions", None), _estimator(predictor)
    if questions is None or not hasattr(estimator, "tree_"):
        return ""
    from sklearn.tree import export_text

    classes = None
    if isinstance(model, PredictionModel) and model.label.categories:
        classes = [model.label.categories[int(code)] for code in estimator.classes_]
    text: str = export_text(
        estimator,
        feature_names=_questions(model, questions),
        class_names=classes,
        max_depth=DEEPEST,
        decimals=4,
    )
    return text


def _questions(model: Model, questions: Any) -> list[str]:
    """Return what each column of a tree asks."""
    attributes = list(model.attributes)
    owners = [attributes[place] for place in questions.owners.tolist()]
    numbers = len(owners) - len(questions.codes)
    asked = [a.name for a in owners[:numbers]]
    nominal = zip(owners[numbers:], questions.codes.tolist(), strict=True)
    return asked + [f"{a.name} is {a.categories[code]}" for a, code in nominal]


def _estimator(predictor: Any) -> Any:
    """Return the estimator of scikit-learn inside a predictor: the last step of several."""
    inside = getattr(getattr(predictor, "trees", predictor), "estimator", None)
    steps = getattr(inside, "steps", None)
    return steps[-1][1] if steps else inside


def _coefficients(estimator: Any) -> Any:
    """Return one coefficient for each attribute; None where there are none, or several."""
    found = getattr(estimator, "coef_", None)
    if found is None:
        return None
    rows = np.atleast_2d(np.asarray(found, dtype=np.float64))
    return rows[0] if len(rows) == 1 else None
