"""Correlations between all attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Aliases, Named, operator
from fsops.data import Attribute, AttributeWeights, ExampleSet, ExampleSetMetaData, MetaData, Schema
from fsops.memory import require
from fsops.operators.weighting.scores import describe_weights

FIRST = "Attributes"
"""Column with the names."""
CELL_BYTES = 24


class Correlated(NamedTuple):
    """The matrix, and how little each attribute depends on the others."""

    matrix: Annotated[ExampleSet, Named(description="One row and one column per attribute.")]
    weights: AttributeWeights


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"matrix": ExampleSetMetaData(), "weights": describe_weights(inputs, parameters)}


@operator(
    group="Weighting/Univariate",
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(attributes="numerical"),
    describe=_describe,
    aliases=Aliases(keys=("concurrency:correlation_matrix",), ports={"example set": "examples"}),
    tags=("pearson", "redundancy", "heat map", "association", "pairs"),
)
def correlation_matrix(
    examples: ExampleSet,
    *,
    squared_correlation: Annotated[
        bool, Field(description="Use the squares of the correlations, from 0 to 1.")
    ] = False,
) -> Correlated:
    r"""Correlation Matrix

    Computes Pearson's correlation of every pair of attributes, as a table. A weight is 1 minus the
    mean of the absolute correlations with the other attributes: attributes with a large weight
    depend little on the others.

    The weights do not use the label. A constant attribute has no correlation: its values are
    missing, and its weight is 0. The table has as many cells as the square of the number of
    attributes: select attributes first.

    .. math:: w_j = 1 - \frac1{p - 1} \sum_{k \ne j} |r_{jk}|
    """
    names = examples.schema.regular_names
    p = len(names)
    require(
        CELL_BYTES * p * p,
        f"The correlation matrix of {p:,} attributes",
        "Select attributes first (Select by Weights, Remove Useless Attributes).",
    )
    X = examples.numeric()
    centred = X - X.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    constant = np.ptp(X, axis=0) == 0
    standard = centred / np.where(constant | (length == 0), np.nan, length)
    matrix = np.clip(standard.T @ standard, -1.0, 1.0)
    np.fill_diagonal(matrix, np.where(constant, np.nan, 1.0))
    if squared_correlation:
        matrix = matrix**2
    others = np.abs(matrix)
    np.fill_diagonal(others, 0.0)
    known = np.maximum((~constant).sum() - 1, 1)
    weights = np.where(constant, 0.0, 1.0 - np.nansum(others, axis=0) / known)
    return Correlated(_table([*names], matrix), examples.weights(weights))


def _table(names: list[str], matrix: Any) -> ExampleSet:
    first = FIRST
    while first in names:
        first += "_"
    values = ExampleSet.of_matrix(Schema.numerical(names), np.ascontiguousarray(matrix))
    column = Attribute.nominal(first, names, "id")
    table = values.with_columns([(column, np.arange(len(names), dtype=np.int32))])
    return table.select([first, *names])
