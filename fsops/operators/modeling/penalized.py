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
    label_range,
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
        learned = _fit_from_products(examples, penalty, scale, name, ctx)
    else:
        learned = _fit_of_rows(
            examples, penalty, scale=scale, max_iterations=max_iterations, name=name, ctx=ctx
        )
    spread = label_range(examples)
    if spread > 0 and not learned.weights.values.any():
        ctx.warn(
            "All coefficients are 0, so all rows have the same prediction. "
            f"penalty={penalty.l1 + penalty.l2:g} is in the unit of the label "
            f'"{examples.label.name}", whose values differ by at most {spread:.2g}. Choose a '
            "smaller penalty by validation, or give the label in another unit."
        )
    return learned


def _fit_of_rows(
    examples: ExampleSet,
    penalty: Penalty,
    *,
    scale: bool,
    max_iterations: int,
    name: str,
    ctx: Context,
) -> Learned:
    """Return the model of a table in memory."""
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
