"""How good predictions are, whatever the label."""

from __future__ import annotations

from fsops.core import Aliases, Context, operator
from fsops.data import ExampleSet, PerformanceVector
from fsops.data.schema import EVENT
from fsops.operators.validation.classification import CLASS_MEASURES
from fsops.operators.validation.criteria import measured
from fsops.operators.validation.predictions import (
    PredictedClasses,
    PredictedNumbers,
    describe_measured,
    predictions,
)
from fsops.operators.validation.regression import NUMBER_MEASURES


@operator(
    group="Validation",
    role="performance",
    row_weights="used",
    describe=describe_measured,
    aliases=Aliases(ports={"labelled data": "examples"}),
    tags=("accuracy", "error", "kappa", "rmse", "evaluate", "measure"),
)
def performance(examples: ExampleSet, *, ctx: Context) -> PerformanceVector:
    """Performance

    Compares prediction and label. Classes give accuracy, classification error, Cohen's kappa and
    the confusion matrix; numbers give root mean squared error, absolute error and squared
    correlation; censored times (role event) give the concordance index. Performance
    (Classification), (Binominal Classification) and (Regression) have further criteria.

    The table needs a label and a prediction, as Apply Model makes it. Measured on the rows the
    model was trained on, the performance is optimistic: use a validation around it.
    """
    found = predictions(examples)
    if isinstance(found, PredictedNumbers) and examples.schema.special(EVENT) is not None:
        from fsops.operators.validation.survival import concordance

        return PerformanceVector([concordance(examples, ctx)])
    if isinstance(found, PredictedClasses):
        names = ["accuracy", "classification_error", "kappa"]
        criteria = measured(found, CLASS_MEASURES, names, "first", ctx)
        return PerformanceVector(criteria, confusion=found.confusion)
    names = ["root_mean_squared_error", "absolute_error", "squared_correlation"]
    return PerformanceVector(measured(found, NUMBER_MEASURES, names, "first", ctx))
