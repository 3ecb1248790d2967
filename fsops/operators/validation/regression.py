"""How good predicted numbers are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import Field

from fsops.algorithms.statistics import agreement
from fsops.core import Aliases, Context, operator
from fsops.data import ExampleSet, PerformanceVector
from fsops.operators.validation.criteria import CRITERIA, MAIN, Measure, known_criteria, measured
from fsops.operators.validation.predictions import (
    PredictedNumbers,
    describe_measured,
    predicted_numbers,
)

NumberCriterion = Literal[
    "root_mean_squared_error",
    "absolute_error",
    "relative_error",
    "relative_error_lenient",
    "relative_error_strict",
    "normalized_absolute_error",
    "root_relative_squared_error",
    "squared_error",
    "correlation",
    "squared_correlation",
    "coefficient_of_determination",
    "prediction_average",
    "spearman_rho",
    "kendall_tau",
]
CONSTANT = "the label is the same in all rows"
ZERO = "a value it divides by is 0"


def _error(
    function: Callable[..., float], undefined: str = "", *, percent: bool = False, **given: Any
) -> Measure[PredictedNumbers]:
    return Measure(partial(_apply, function, given), False, percent, undefined)


def _merit(function: Callable[..., float], undefined: str = "") -> Measure[PredictedNumbers]:
    return Measure(partial(_apply, function, {}), undefined=undefined)


def _apply(
    function: Callable[..., float], given: Mapping[str, Any], data: PredictedNumbers
) -> float:
    return function(data.true, data.guess, data.weights, **given)


NUMBER_MEASURES: Mapping[str, Measure[PredictedNumbers]] = {
    "root_mean_squared_error": _error(agreement.root_mean_squared_error),
    "absolute_error": _error(agreement.mean_absolute_error),
    "relative_error": _error(agreement.relative_error, ZERO, percent=True),
    "relative_error_lenient": _error(agreement.relative_error, percent=True, by="lenient"),
    "relative_error_strict": _error(agreement.relative_error, ZERO, percent=True, by="strict"),
    "normalized_absolute_error": _error(agreement.normalized_absolute_error, CONSTANT),
    "root_relative_squared_error": Measure(
        lambda data: float(
            np.sqrt(agreement.relative_squared_error(data.true, data.guess, data.weights))
        ),
        maximize=False,
        undefined=CONSTANT,
    ),
    "squared_error": _error(agreement.mean_squared_error),
    "correlation": _merit(agreement.correlation),
    "squared_correlation": _merit(agreement.squared_correlation),
    "coefficient_of_determination": Measure(
        lambda data: 1 - agreement.relative_squared_error(data.true, data.guess, data.weights),
        undefined=CONSTANT,
    ),
    "prediction_average": _merit(agreement.mean_prediction),
    "spearman_rho": _merit(agreement.rank_correlation),
    "kendall_tau": _merit(agreement.kendall_tau),
}


@operator(
    group="Validation/Performance",
    role="performance",
    row_weights="used",
    describe=describe_measured,
    aliases=Aliases(ports={"labelled data": "examples"}),
    tags=("rmse", "mae", "r2", "correlation", "relative error", "evaluate", "measure"),
)
def performance_regression(
    examples: ExampleSet,
    *,
    criteria: Annotated[
        list[NumberCriterion],
        known_criteria(get_args(NumberCriterion)),
        Field(description=CRITERIA),
    ] = [
        "root_mean_squared_error",
        "absolute_error",
        "squared_correlation",
        "coefficient_of_determination",
    ],
    main_criterion: Annotated[
        Literal["first"] | NumberCriterion, Field(description=MAIN)
    ] = "first",
    ctx: Context,
) -> PerformanceVector:
    r"""Performance (Regression)

    Compares predicted and true numbers by the criteria you name. RapidMiner has a parameter for
    each criterion; fsops has one list.

    Errors: root_mean_squared_error, squared_error (its square), absolute_error (mean), and relative
    to the label (relative_error), to the larger (lenient) or smaller (strict) of label and
    prediction. normalized_absolute_error and root_relative_squared_error divide by the error of
    predicting the mean: below 1 is better than that. coefficient_of_determination is 1 less the
    square of the latter, and is negative for predictions worse than the mean; squared_correlation
    does not see a wrong scale. Correlations are 0 where label or prediction is constant; other
    criteria that would divide by 0 are missing, with a warning.

    .. math:: R^2 = 1 - \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}

    References
    ----------
    Hyndman, Koehler (2006): Another look at measures of forecast accuracy. Int. J. Forecasting 22.
    """
    numbers = predicted_numbers(examples)
    return PerformanceVector(measured(numbers, NUMBER_MEASURES, criteria, main_criterion, ctx))
