"""Which numbers depend on which categories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from fsops.algorithms.statistics.grouped import anova_p_values
from fsops.core import Accepts, Aliases, Named, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, Schema
from fsops.data.columns import nominal_column
from fsops.data.schema import NOMINAL, NUMERICAL
from fsops.errors import DataError
from fsops.operators.validation.significance import GROUP

FIRST = "attribute"
"""Column with the names of the numerical attributes."""


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return ExampleSetMetaData()


@operator(
    group=GROUP,
    role="performance",
    row_weights="whole numbers",
    accepts=Accepts(missing=True),
    describe=_describe,
    aliases=Aliases(ports={"example set": "examples", "anova": "matrix"}),
    tags=("analysis of variance", "f-test", "groups", "p-value", "association"),
)
def anova_matrix(
    examples: ExampleSet,
) -> Annotated[ExampleSet, Named("matrix", "P-values; a row per numerical attribute.")]:
    r"""ANOVA Matrix

    Tests for every numerical attribute and every nominal attribute whether the number differs
    between the categories: p-value of a one-way analysis of variance. The table has a row for each
    numerical attribute and a column for each nominal one. Special attributes, such as the label,
    are included.

    Rows with a missing value are left out of the tests that need it. A p-value is missing if fewer
    than two categories occur, or if each row has a different category. The p-values are not
    adjusted: of 100 tests of unrelated attributes about five are below 0.05. To choose attributes
    use Weight by F-Test inside a validation.

    .. math:: F = \frac{\sum_c n_c (\bar x_c - \bar x)^2 / (k - 1)}
        {\sum_c \sum_{i \in c} (x_i - \bar x_c)^2 / (n - k)}
    """
    schema = examples.schema
    numbers, groups = schema.of_types(NUMERICAL), schema.of_types(NOMINAL)
    if not len(numbers) or not len(groups):
        lacking = "numerical" if not len(numbers) else "nominal"
        raise DataError(
            f"The data has no {lacking} attribute.",
            hint="ANOVA Matrix compares numerical attributes between categories of nominal ones.",
        )
    X = examples.values(numbers).astype(np.float64, copy=False)
    codes = examples.values(groups).astype(np.intp, copy=False)
    p_values = np.column_stack([anova_p_values(X, column) for column in codes.T])
    names = [*schema.names_at(groups)]
    first = FIRST
    while first in names:
        first += "_"
    table = ExampleSet.of_matrix(Schema.numerical(names), p_values)
    identified = nominal_column(first, [*schema.names_at(numbers)], "id")
    return table.with_columns([identified]).select([first, *names])
