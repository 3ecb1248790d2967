"""LASSO and elastic net on any table: fitted to the exact optimum."""

from __future__ import annotations

from typing import Any

import numpy as np

from fsops.algorithms.linear import penalized
from fsops.algorithms.linear.penalized import Penalty
from fsops.core import Context
from fsops.data import ExampleSet, PredictionModel
from fsops.data.model import estimator_matrix
from fsops.operators.modeling.estimators import (
    Learned,
    coefficient_weights,
    fitted,
    scaled,
    weights_of_lines,
)
from fsops.operators.product_fits import coefficients_from_products


def penalized_fit(
    examples: ExampleSet,
    penalty: Penalty,
    *,
    scale: bool,
    max_iterations: int,
    name: str,
    ctx: Context,
) -> Learned:
    """Return a linear model with a LASSO penalty, and the sizes of its coefficients."""
    if examples.stays_in_file:
        return _fit_from_products(examples, penalty, scale, name, ctx)
    estimator = penalized.estimator_of(penalty, max_iter=max_iterations)
    pipeline = scaled(estimator, scale, centre=not examples.is_sparse)
    model = fitted(pipeline, examples, name, ctx=ctx)
    X: Any = estimator_matrix(examples, pipeline)
    y = examples.label_values().astype(np.float64)
    X = pipeline[:-1].transform(X) if scale else X
    penalized.settle(estimator, X, y, penalty, examples.row_weights)
    return Learned(model, coefficient_weights(pipeline, examples))


def _fit_from_products(
    examples: ExampleSet, penalty: Penalty, scale: bool, name: str, ctx: Context
) -> Learned:
    """Return the model of a table in a file, from products of its attributes."""
    from fsops.operators.modeling.lars import LinearPredictor

    target = examples.label_values().astype(np.float64)
    fit = coefficients_from_products(examples, target, penalty, scale=scale, ctx=ctx)
    used = np.flatnonzero(fit.coefficients)
    schema = examples.schema
    # Of the other attributes nothing is needed, so that the model can be applied to a large table.
    label = schema.positions([examples.label.name])
    training = schema.take(np.concatenate([schema.regular[used], label]))
    predictor = LinearPredictor(fit.coefficients[used] / fit.divisor[used], fit.intercept)
    weights = weights_of_lines(fit.coefficients[None, :], fit.divisor, examples)
    return Learned(PredictionModel(predictor, training, name), weights)
