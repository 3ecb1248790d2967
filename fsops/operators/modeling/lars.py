"""Least angle regression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.linear.lars import LarsPath, LarsSolution, lars_path
from fsops.core import Accepts, Aliases, Context, Named, operator
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    MetaData,
    ModelMetaData,
    PredictionModel,
    Schema,
    WeightsMetaData,
)
from fsops.errors import DataError, ParameterError

T = Annotated[
    Annotated[float, Field(ge=0)] | None,
    Field(
        description="Largest sum of absolute standardized coefficients; empty or 0: no limit (0 is "
        "RapidMiner's way to say so)."
    ),
]
MaximumFeatures = Annotated[
    Annotated[int, Field(ge=1)] | None,
    Field(description="Largest number of attributes with a coefficient; empty for no limit."),
]


@dataclass(frozen=True)
class LinearPredictor:
    """A linear function of the numerical attributes; for two classes cut at one half."""

    coefficients: npt.NDArray[np.float64]
    intercept: float
    classes: tuple[int, int] | None = None
    n_classes: int = 0

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return predicted numbers, or confidences of two classes."""
        values = examples.numeric() @ self.coefficients + self.intercept
        if self.classes is None:
            return values
        confidences = np.zeros((len(examples), self.n_classes))
        positive = np.clip(values, 0.0, 1.0)
        confidences[:, self.classes[1]] = positive
        confidences[:, self.classes[0]] = 1.0 - positive
        return confidences


class LarsModel(PredictionModel):
    """A LARS or LASSO solution that keeps its whole path."""

    title: ClassVar[str] = "LARS model"

    def __init__(
        self,
        path: LarsPath,
        solution: LarsSolution,
        training: Schema,
        classes: tuple[int, int] | None,
    ) -> None:
        self.path, self.solution, self.training, self.classes = path, solution, training, classes
        label = training.label
        count = len(label.categories) if label and classes else 0
        predictor = LinearPredictor(solution.original, solution.intercept, classes, count)
        super().__init__(predictor, training, "LASSO" if path.method == "lasso" else "LARS")

    def constrained(self, t: float | None, max_attributes: int | None) -> LarsModel:
        """Return the solution elsewhere on the path, without fitting again."""
        try:
            solution = self.path.at(t=t, max_features=max_attributes)
        except ValueError as error:
            raise ParameterError(str(error)) from None
        return LarsModel(self.path, solution, self.training, self.classes)

    def weights(self) -> AttributeWeights:
        """Return the sizes of the standardized coefficients."""
        return AttributeWeights(
            self.attributes.names,
            np.abs(self.solution.coefficients),
            details={
                "coefficient": self.solution.coefficients,
                "original_coefficient": self.solution.original,
            },
        )


class Fitted(NamedTuple):
    """Results of a fit."""

    model: Annotated[LarsModel, Named("model", "The solution, with its whole path.")]
    weights: Annotated[AttributeWeights, Named(description="Sizes of the coefficients.")]


@operator(
    group="Modeling/Linear",
    role="learner",
    row_weights="whole numbers",
    accepts=Accepts(
        label="any",
        attributes="numerical",
        instead="LARS predicts numbers, or two classes coded 0 and 1.",
    ),
    aliases=Aliases(ports={"training set": "examples"}),
    tags=("least angle regression", "lasso", "l1", "path", "sparse", "regression"),
)
def lars(
    examples: ExampleSet,
    *,
    method: Annotated[
        Literal["lasso", "lars"], Field(description="LASSO, or plain least angle regression.")
    ] = "lasso",
    t: T = None,
    max_attributes: MaximumFeatures = None,
    ctx: Context,
) -> Fitted:
    r"""LARS - Least Angle Regression

    Fits a sparse linear model along its whole path: attributes enter one at a time, from no
    attribute to the least squares solution. Stops at the constraint t or at a number of attributes,
    or keeps the full path, from which LARS - Change Model Parameters takes any solution.

    Attributes are centered and scaled to unit length; the label is centered. Two classes are coded
    0 and 1. If several attributes carry the same information, usually one of them enters.

    .. math:: \min_\beta \|y - X\beta\|^2 \quad \text{subject to} \quad \sum_j |\beta_j| \le t

    References
    ----------
    Efron, Hastie, Johnstone, Tibshirani (2004): Least angle regression. Annals of Statistics 32.
    """
    t = _limit(t, ctx)
    label = examples.label
    classes = None
    if label.value_type.is_nominal:
        present = sorted(np.unique(examples.label_values()), key=lambda c: label.categories[c])
        if len(present) != 2:
            raise DataError(
                f'LARS takes numbers or two classes, but "{label.name}" has {len(present)}.',
                hint="Keep the rows of two classes, or use Logistic Regression.",
            )
        classes = (int(present[0]), int(present[1]))
    path = lars_path(
        examples.numeric(),
        examples.numeric_label(),
        method="lasso" if method == "lasso" else "lar",
        t=t,
        max_features=max_attributes,
    )
    constrained = t is not None or max_attributes is not None
    solution = path.at(t=t, max_features=max_attributes) if constrained else path.at()
    model = LarsModel(path, solution, examples.schema, classes)
    return Fitted(model, model.weights())


def _limit(t: float | None, ctx: Context) -> float | None:
    if t == 0:
        ctx.warn("t is 0: no limit, as in RapidMiner. Leave t empty to say so.")
        return None
    return t


def _describe_changed(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    """Refuse a model that is known to be of another learner."""
    meta = inputs.get("model")
    if isinstance(meta, ModelMetaData) and meta.type is PredictionModel:
        raise DataError(
            "The input takes a LARS model, but gets the model of another learner.",
            hint="Connect the model of LARS.",
        )
    return {"model": ModelMetaData(LarsModel), "weights": WeightsMetaData()}


@operator(
    group="Modeling/Linear",
    role="model_application",
    describe=_describe_changed,
    tags=("least angle regression", "lasso", "constraint", "without refitting"),
)
def lars_change_model_parameters(
    model: LarsModel, *, t: T = None, max_attributes: MaximumFeatures = None, ctx: Context
) -> Fitted:
    """LARS - Change Model Parameters

    Takes another solution from a LARS model's path: at a constraint t, or with a number of
    attributes. Nothing is fitted again. With neither, it is the end of the path.

    The model must have been fitted without a constraint, or with a looser one.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    changed = model.constrained(_limit(t, ctx), max_attributes)
    return Fitted(changed, changed.weights())
