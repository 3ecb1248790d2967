"""Performances made of performances and of tables, and the way back."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Aliases, AttributeName, Named, When, operator
from fsops.data import (
    Attribute,
    Criterion,
    ExampleSet,
    PerformanceVector,
    ValueType,
)
from fsops.data.columns import is_missing, nominal_column
from fsops.errors import DataError, ParameterError, did_you_mean

GROUP = "Validation/Performance"


@operator(
    group=GROUP,
    role="performance",
    tags=("weighted", "trade-off", "single criterion", "multi-objective"),
)
def combine_performances(
    performance: PerformanceVector,
    *,
    default_weight: Annotated[
        float, Field(ge=0, description="Weight of the criteria that are not listed.")
    ] = 1.0,
    criteria_weights: Annotated[
        dict[str, Annotated[float, Field(ge=0)]],
        Field(description="Weights of criteria, by name."),
    ] = {},
) -> PerformanceVector:
    r"""Combine Performances

    Combines all criteria into one criterion, weighted_performance, their weighted mean. Criteria
    that are better when smaller count with a negative sign. Use it for searches that optimize one
    value.

    If the criteria have different scales, choose weights that make them comparable. If all
    criteria have the same number of measurements, the measurements are combined one by one.

    .. math:: \frac{\sum_k w_k s_k c_k}{\sum_k w_k}, \qquad s_k = \pm 1
    """
    known = [criterion.name for criterion in performance]
    for name in criteria_weights:
        if name not in known:
            hint = did_you_mean(name, known) or f"There are {', '.join(known)}."
            raise ParameterError(
                f'criteria_weights names "{name}", which is not measured.', hint=hint
            )
    weights = np.array([criteria_weights.get(name, default_weight) for name in known])
    if not weights.sum() > 0:
        raise ParameterError("All weights are 0.", hint="Give a criterion a weight above 0.")
    if len({criterion.count for criterion in performance}) == 1:
        values = np.array([criterion.values for criterion in performance])
    else:
        values = np.array([[criterion.mean] for criterion in performance])
    signs = np.where([criterion.maximize for criterion in performance], 1.0, -1.0)
    used = weights > 0  # what has no weight may be missing
    combined = (weights * signs)[used] @ values[used] / weights.sum()
    return PerformanceVector([Criterion("weighted_performance", tuple(combined.tolist()))])


@operator(
    group=GROUP,
    role="performance",
    aliases=Aliases(ports={"example set": "examples"}),
    tags=("number of rows", "statistics", "value", "criterion"),
)
def extract_performance(
    examples: ExampleSet,
    *,
    performance_type: Annotated[
        Literal["number_of_examples", "number_of_attributes", "data_value", "statistics"],
        Field(description="Value of the criterion."),
    ] = "number_of_examples",
    statistics: Annotated[
        Literal["average", "min", "max", "count"],
        When(performance_type="statistics"),
        Field(description="Statistic of the attribute; count needs attribute_value."),
    ] = "average",
    attribute: Annotated[
        str,
        AttributeName(),
        When(performance_type=("data_value", "statistics")),
        Field(description="Attribute whose statistic is reported."),
    ] = "",
    attribute_value: Annotated[
        str,
        When(statistics="count"),
        Field(description="The category whose rows are counted."),
    ] = "",
    example_index: Annotated[
        int,
        When(performance_type="data_value"),
        Field(description="The row, counted from 1, or from −1 at the end."),
    ] = 1,
    optimization_direction: Annotated[
        Literal["minimize", "maximize"],
        Field(description="Direction of the criterion: smaller or larger is better."),
    ] = "maximize",
) -> PerformanceVector:
    """Extract Performance

    Makes a criterion from a statistic of the table: its number of rows or of regular attributes, a
    single number in it, or the mean, smallest or largest number of an attribute, or the number of
    rows with a category. So a search can optimize any value that a process puts into a table.

    Missing numbers are left out of the statistics.
    """
    name: str = performance_type
    if performance_type in ("data_value", "statistics") and not attribute:
        raise ParameterError("attribute_name is not set; it must be the name of an attribute.")
    if performance_type == "number_of_examples":
        value = float(len(examples))
    elif performance_type == "number_of_attributes":
        value = float(len(examples.schema.regular))
    elif performance_type == "data_value":
        name = attribute
        value = _data_value(_numbers(examples, attribute), example_index, attribute)
    elif statistics == "count":
        name = f"count({attribute} = {attribute_value})"
        value = _count(examples, attribute, attribute_value)
    else:
        name = f"{statistics}({attribute})"
        value = _statistic(_numbers(examples, attribute), statistics, attribute)
    return PerformanceVector([Criterion(name, (value,), optimization_direction == "maximize")])


def _numbers(examples: ExampleSet, name: str) -> np.typing.NDArray[np.float64]:
    attribute = examples.schema.attribute(name)
    if not attribute.value_type.is_numerical:
        raise DataError(
            f'A number is needed, but "{name}" is {attribute.value_type}.',
            hint="Choose a numerical attribute, or count the rows with a category.",
        )
    return examples.column(name)


def _data_value(values: np.typing.NDArray[np.float64], index: int, name: str) -> float:
    n = len(values)
    if index == 0 or abs(index) > n:
        raise ParameterError(
            f"example_index is {index}, but the table has {n} rows.",
            hint="Count from 1, or from −1 at the end.",
        )
    value = float(values[index - 1 if index > 0 else index])
    if np.isnan(value):
        raise DataError(f'"{name}" is missing in row {index}.')
    return value


def _statistic(values: np.typing.NDArray[np.float64], kind: str, name: str) -> float:
    known = values[~np.isnan(values)]
    if not len(known):
        raise DataError(f'"{name}" has no value.')
    figures = {"average": known.mean(), "min": known.min(), "max": known.max()}
    return float(figures[kind])


def _count(examples: ExampleSet, name: str, category: str) -> float:
    attribute = examples.schema.attribute(name)
    if not attribute.value_type.is_nominal:
        values = examples.column(name)
        if attribute.value_type.is_numerical and not category:
            return float((~is_missing(values)).sum())
        raise DataError(
            f'Categories are counted, but "{name}" is {attribute.value_type}.',
            hint="Choose a nominal attribute, or leave attribute_value empty.",
        )
    if not category:
        return float((~is_missing(examples.column(name))).sum())
    if category not in attribute.categories:
        hint = did_you_mean(category, attribute.categories)
        raise ParameterError(f'"{name}" has no category "{category}".', hint=hint)
    return float((examples.column(name) == attribute.categories.index(category)).sum())


@operator(
    group=GROUP,
    role="performance",
    row_weights="unaffected",
    accepts=Accepts(missing=True, infinite=True, sparse=True),
    aliases=Aliases(ports={"example set": "examples"}),
    tags=("number of features", "size", "multi-objective", "parsimony"),
)
def performance_attribute_count(
    examples: ExampleSet,
    performance: Annotated[
        PerformanceVector | None, Named(description="Performance to which the criterion is added.")
    ] = None,
    *,
    optimization_direction: Annotated[
        Literal["minimization", "maximization"],
        Field(description="Direction of the criterion: fewer or more attributes are better."),
    ] = "minimization",
) -> PerformanceVector:
    """Performance (Attribute Count)

    Counts the regular attributes. Added to another performance, the number is a second criterion,
    for searches that compare accuracy and size.

    Without another performance it is the only criterion.
    """
    count = Criterion(
        "number_of_attributes",
        (float(len(examples.schema.regular)),),
        optimization_direction == "maximization",
    )
    if performance is None:
        return PerformanceVector([count])
    others = [criterion for criterion in performance if criterion.name != count.name]
    return PerformanceVector([*others, count], confusion=performance.confusion)


FIGURES = ("Value", "Standard Deviation", "Variance", "Count")


@operator(
    group=GROUP,
    role="utility",
    aliases=Aliases(ports={"performance vector": "performance", "example set": "examples"}),
    tags=("table", "convert", "mean", "deviation"),
)
def performance_to_data(performance: PerformanceVector) -> ExampleSet:
    """Performance to Data

    Converts a performance to a table: a row for each criterion with its mean, standard deviation,
    variance and number of measurements.

    A single measurement has no deviation and no variance: they are missing.
    """
    rows = []
    for criterion in performance:
        spread = float("nan") if criterion.deviation is None else criterion.deviation
        rows.append((criterion.mean, spread, spread**2, float(criterion.count)))
    figures = np.array(rows)
    return ExampleSet.from_columns(
        [
            nominal_column("Criterion", [criterion.name for criterion in performance]),
            *((Attribute(name, ValueType.REAL), figures[:, j]) for j, name in enumerate(FIGURES)),
        ],
        len(performance),
    )
