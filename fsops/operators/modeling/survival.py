"""Models of right-censored times, and groups of rows by predicted risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Context, operator
from fsops.data import (
    Attribute,
    ExampleSet,
    MetaData,
    Model,
    ModelMetaData,
    PredictionModel,
    PreprocessingModel,
)
from fsops.data.model import GroupedModel
from fsops.data.schema import PREDICTION, RISK_GROUP
from fsops.errors import DataError
from fsops.operators.modeling.estimators import TRAINING, Learned, describe_learned
from fsops.operators.weighting.cox import TIMES, Ties, times_of

GROUP_NAMES = {2: ("low", "high"), 3: ("low", "middle", "high")}


@operator(
    group="Modeling/Linear",
    role="learner",
    row_weights="whole numbers",
    accepts=replace(TIMES, missing=False),
    describe=describe_learned,
    aliases=TRAINING,
    tags=("survival", "proportional hazards", "censored", "elastic net", "lasso", "learner"),
)
def cox_regression(
    examples: ExampleSet,
    *,
    penalty: Annotated[
        float,
        Field(gt=0, description="Strength of the penalty, for standardized attributes."),
    ] = 0.05,
    l1_ratio: Annotated[
        float,
        Field(
            ge=0.01,
            le=1,
            description="1: lasso, which keeps few attributes; smaller: elastic net, which keeps "
            "correlated attributes together.",
        ),
    ] = 0.5,
    ties: Ties = "efron",
    ctx: Context,
) -> Learned:
    r"""Cox Regression

    Fits Cox's proportional hazards model to right-censored times. The label is a time, and the
    attribute with the role event says whether the event happened then (1) or the row was only
    observed up to then (0). The prediction is a risk, the logarithm of the hazard relative to the
    mean of the training rows: large means early events. Performance (Survival) measures the
    prediction, and Form Risk Groups divides the rows by it for a Kaplan–Meier figure.

    The weights are the absolute coefficients of standardized attributes. The detail
    "coefficient" has the logarithm of the hazard ratio of one unit. The penalty shrinks all
    coefficients, so that they have no p-values; Weight by Cox Model gives p-values for single
    attributes. Choose the penalty by validation, or select attributes by Select by Cox Path
    first. Do not use it where hazards cross. Missing values are refused; row weights must be whole
    numbers.

    .. math:: \min_\beta -\tfrac1n \ell(\beta) + \alpha
        \left(r \|\beta\|_1 + \tfrac{1 - r}2 \|\beta\|^2\right)

    References
    ----------
    Cox (1972): Regression models and life-tables. J. R. Statist. Soc. B 34, 187–220.

    Simon, Friedman, Hastie, Tibshirani (2011): Regularization paths for Cox's proportional hazards
    model via coordinate descent. Journal of Statistical Software 39(5).
    """
    from fsops.algorithms.linear.cox_path import cox_coefficients
    from fsops.operators.modeling.lars import LinearPredictor

    found = times_of(examples, ctx)
    standardized, rows = cox_coefficients(
        examples.numeric(), found.time, found.event, penalty, ties=ties, l1_ratio=l1_ratio
    )
    if not standardized.any():
        ctx.warn("All coefficients are 0, so all rows have the same risk. Use a smaller penalty.")
    coefficients = standardized / rows.scale
    predictor = LinearPredictor(coefficients, -float(rows.centre @ coefficients))
    model = PredictionModel(predictor, examples.schema, "Cox Regression")
    details = {"coefficient": coefficients}
    return Learned(model, examples.weights(np.abs(standardized), details=details))


@dataclass(frozen=True)
class RiskGrouping:
    """Adds the group of each row by its predicted risk.

    Parameters
    ----------
    borders : array
        The largest risk of each group but the last, rising.
    categories : tuple of str
        Names of the groups, from low to high risk.
    """

    borders: npt.NDArray[np.float64]
    categories: tuple[str, ...]

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with the groups; a missing risk has none."""
        risk = risks_of(examples)
        codes = np.searchsorted(self.borders, risk, side="left").astype(np.int32)
        codes[np.isnan(risk)] = -1
        group = Attribute.nominal("risk group", self.categories, RISK_GROUP)
        return examples.with_columns([(group, codes)])


def risks_of(examples: ExampleSet) -> npt.NDArray[np.float64]:
    """Return the predicted risk of each row."""
    predicted = examples.schema.special(PREDICTION)
    if predicted is None or predicted.value_type.is_nominal:
        raise DataError(
            "Risk groups need a model that predicts numbers.", hint="Use Cox Regression."
        )
    return examples.column(predicted.name).astype(np.float64)


def _describe_grouped(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return ModelMetaData(GroupedModel)


@operator(
    group="Modeling",
    role="model_application",
    describe=_describe_grouped,
    tags=("survival", "kaplan-meier", "log-rank", "prognostic index", "median split"),
)
def form_risk_groups(
    model: Model,
    examples: ExampleSet,
    *,
    number_of_groups: Annotated[
        int, Field(ge=2, le=5, description="Number of groups with equally many training rows.")
    ] = 2,
) -> Model:
    """Form Risk Groups

    Extends a model so that it puts each row into a group by its predicted risk. The borders are
    quantiles of the predicted risks of the training rows; rows of other tables do not change them.
    A table that the extended model is applied to gets an attribute with the role risk_group, and
    its figure has a Kaplan–Meier curve for each group.

    Put it into the training of a Cross Validation, behind the learner, and connect the table of
    the testing. All rows are then in groups that were formed without them, so that the log-rank
    test in the figure compares the groups fairly. The test assumes independent rows.
    Predictions from overlapping training rows are only roughly independent: treat a p-value
    close to the limit as undecided.

    Do not form the groups on the rows that the figure shows, and do not search for the border
    with the smallest p-value: both make any two groups differ. With few events use two groups. It
    is refused if several groups have the same risk, for instance because all coefficients are 0.
    """
    risk = risks_of(model.apply(examples))
    risk = risk[~np.isnan(risk)]
    if not risk.size:
        raise DataError("No training row has a predicted risk.", hint="Take more rows.")
    borders = np.quantile(risk, np.arange(1, number_of_groups) / number_of_groups)
    sizes = np.bincount(np.searchsorted(borders, risk, side="left"), minlength=number_of_groups)
    if not sizes.all():
        raise DataError(
            f"The predicted risks have too many equal values for {number_of_groups} groups.",
            hint="Use fewer groups, or a smaller penalty in the learner.",
        )
    names = GROUP_NAMES.get(
        number_of_groups, tuple(f"{number + 1}" for number in range(number_of_groups))
    )
    grouping = RiskGrouping(borders, names)
    needed = examples.schema.take(np.empty(0, dtype=np.intp))
    return GroupedModel([model, PreprocessingModel(grouping, needed, "Risk groups")])
