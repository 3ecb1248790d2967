"""The common part of learners: fitting by scikit-learn, weights of the model, metadata."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Aliases, Context, Named
from fsops.data import (
    AttributeWeights,
    EstimatorPredictor,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    Model,
    ModelMetaData,
    PredictionModel,
    WeightsMetaData,
)
from fsops.data.model import estimator_matrix
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names

TRAINING_PORT = {"training set": "examples"}
TRAINING = Aliases(ports=TRAINING_PORT)
ENCODE = "Convert nominal attributes to numbers with Nominal to Numerical."

Scale = Annotated[bool, Field(description="Scale all attributes by the training rows.")]
MaxIterations = Annotated[
    int, Field(ge=1, description="Number of steps after which the search stops.")
]
ClassWeights = Annotated[
    dict[str, Annotated[float, Field(gt=0)]],
    Field(description="Cost of an error by class; 1 for classes that are not listed."),
]
BalanceCost = Annotated[
    bool, Field(description="Give all classes the same total weight, however many rows they have.")
]


class Learned(NamedTuple):
    """Results of a learner with contributions of attributes."""

    model: Annotated[Model, Named(description="To be applied to other rows.")]
    weights: Annotated[AttributeWeights, Named(description="Contribution of each attribute.")]


def describe_model(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return that the model predicts the label from the regular attributes."""
    meta = inputs.get("examples")
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    return ModelMetaData(PredictionModel, schema)


def describe_learned(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    """Return that the model predicts the label, and that every attribute has a weight."""
    meta = inputs.get("examples")
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    names = None if schema is None else schema.regular_names
    return {"model": describe_model(inputs, parameters), "weights": WeightsMetaData(names=names)}


def seed_of(ctx: Context, purpose: str) -> int:
    """Return a seed for scikit-learn."""
    return int(ctx.rng(purpose).integers(np.iinfo(np.int32).max))


def has_classes(examples: ExampleSet) -> bool:
    """Return whether the label is nominal; then it needs two classes in the rows."""
    if not examples.label.value_type.is_nominal:
        return False
    present = np.unique(examples.label_values())
    if len(present) < 2:
        raise DataError(
            "At least two classes are needed, but all rows have the class "
            f'"{examples.classes[present[0]]}" in "{examples.label.name}".'
        )
    return True


def label_range(examples: ExampleSet) -> float:
    """Return the largest difference between two numbers of the label."""
    return float(np.ptp(examples.label_values().astype(np.float64)))


def class_weight(
    examples: ExampleSet, weights: Mapping[str, float], balance: bool
) -> dict[int, float] | None:
    """Return what classes cost in the way scikit-learn wants it."""
    unknown = [name for name in weights if name not in examples.classes]
    if unknown:
        hint = did_you_mean(unknown[0], examples.classes)
        known = enumerate_names(examples.classes)
        raise ParameterError(
            f'class_weights names "{unknown[0]}", which is not a class of "{examples.label.name}".',
            hint=hint or f"The classes are {known}.",
        )
    codes = np.unique(examples.label_values())
    if not balance:
        return {int(c): weights.get(examples.classes[c], 1.0) for c in codes} if weights else None
    counts = np.bincount(examples.label_values(), examples.row_weights)
    fair = {int(c): counts.sum() / (len(codes) * counts[c]) for c in codes}
    return {code: value * weights.get(examples.classes[code], 1.0) for code, value in fair.items()}


def scaled(estimator: Any, scale: bool, *, centre: bool = True) -> Any:
    """Return the estimator, with the attributes brought to one scale before it if wanted.

    Without ``centre`` zeros stay zeros. The fit is the same if the estimator has a constant.
    """
    if not scale:
        return estimator
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(with_mean=centre), estimator)


def fitted(
    estimator: Any,
    examples: ExampleSet,
    name: str,
    *,
    sure: bool = False,
    ctx: Context | None = None,
) -> PredictionModel:
    """Return a scikit-learn estimator, fitted on the numerical attributes, as a model."""
    X = estimator_matrix(examples, estimator)
    predictor = fitted_predictor(estimator, X, examples, name, sure=sure, ctx=ctx)
    return PredictionModel(predictor, examples.schema, name)


def fitted_predictor(
    estimator: Any,
    X: Any,
    examples: ExampleSet,
    name: str,
    *,
    sure: bool = False,
    ctx: Context | None = None,
    y: npt.NDArray[np.float64] | None = None,
) -> EstimatorPredictor:
    """Return a scikit-learn estimator, fitted on a matrix and the table's label, or on y."""
    weights = fit_weights(estimator, examples, name)
    values = examples.label_values() if y is None else y
    reported(lambda: estimator.fit(X, values, **weights), name, ctx)
    label = examples.label
    if not label.value_type.is_nominal:
        return EstimatorPredictor(estimator)
    columns = tuple(int(code) for code in estimator.classes_)
    return EstimatorPredictor(estimator, len(label.categories), columns, sure)


def fit_weights(estimator: Any, examples: ExampleSet, name: str) -> dict[str, Any]:
    """Return the row weights as arguments of the fit of an estimator or of a pipeline."""
    if examples.row_weights is None:
        return {}
    from sklearn.utils.validation import has_fit_parameter

    steps = getattr(estimator, "steps", [("", estimator)])
    if not has_fit_parameter(steps[-1][1], "sample_weight"):
        raise DataError(
            f"{name} cannot use row weights.",
            hint="Draw rows by their weights (Sample (Bootstrapping)), or give the attribute "
            "another role (Set Role).",
        )
    return {
        f"{title}__sample_weight" if title else "sample_weight": examples.row_weights
        for title, step in steps
        if has_fit_parameter(step, "sample_weight")
    }


def reported(
    action: Callable[[], Any], name: str, ctx: Context | None = None, *, verb: str = "fitted"
) -> Any:
    """Return the result of scikit-learn; a refusal becomes an error, warnings are passed on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = action()
        except np.linalg.LinAlgError:
            raise DataError(
                f"{name} cannot be {verb}: its equations have no stable solution.",
                hint="Remove attributes that follow from others (Remove Correlated Attributes).",
            ) from None
        except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
            said = " ".join(str(error).split())[:300].rstrip(".")
            raise DataError(f"{name} cannot be {verb}. Scikit-learn says: {said}.") from error
    if ctx is not None:
        for message in dict.fromkeys(text for w in caught if (text := _message(w, name))):
            ctx.warn(message)
    return result


def _message(warning: warnings.WarningMessage, name: str) -> str:
    """Return the message for a warning of scikit-learn."""
    from sklearn.exceptions import ConvergenceWarning

    if issubclass(warning.category, ConvergenceWarning):
        return unsettled(name)
    if issubclass(warning.category, RuntimeWarning):
        return f"{name} met numbers too large or too small to calculate with."
    if issubclass(warning.category, DeprecationWarning | FutureWarning):
        return ""
    return f"{name}: {str(warning.message).strip().rstrip('.')}."


def unsettled(name: str) -> str:
    """Return the warning of a search that reached its last step."""
    return (
        f"{name} stopped before its search had settled. Bring the attributes to one scale, "
        "or allow more steps."
    )


def coefficient_weights(estimator: Any, examples: ExampleSet) -> AttributeWeights:
    """Return the sizes of a linear model's coefficients, on the scale the model works in.

    A single coefficient of an attribute is also a detail, per unit of the attribute. With more than
    two classes, the weight is the root of the sum of the squared coefficients.
    """
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if steps else estimator
    scale = steps[0][1].scale_ if steps else 1.0
    return weights_of_lines(
        np.atleast_2d(np.asarray(last.coef_, dtype=np.float64)), scale, examples
    )


def weights_of_lines(coefficients: Any, scale: Any, examples: ExampleSet) -> AttributeWeights:
    """Return the sizes of coefficients, one line or several, on a scale of the attributes."""
    if len(coefficients) > 1:
        return examples.weights(np.sqrt((coefficients**2).sum(axis=0)))
    return examples.weights(
        np.abs(coefficients[0]), details={"coefficient": coefficients[0] / scale}
    )
