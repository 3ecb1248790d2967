"""Weights applied to tables, as tables, and in the mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Aliases, AttributeName, Context, When, operator
from fsops.data import (
    Attribute,
    AttributeWeights,
    Averageable,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    Schema,
    ValueType,
    WeightsMetaData,
    averaged,
)
from fsops.data.columns import LARGEST_NUMBER, nominal_column
from fsops.errors import DataError, enumerate_names
from fsops.operators.weighting.scores import describe_weights

GROUP = "Weighting/Use of weights"
NAMES, VALUES = "Attribute", "Weight"


def _describe_scaled(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    rows = meta.rows if isinstance(meta, ExampleSetMetaData) else None
    return ExampleSetMetaData(rows=rows)  # which attributes remain is known at the run only


@operator(
    group=GROUP,
    role="preparation",
    accepts=Accepts(missing=True),
    describe=_describe_scaled,
    aliases=Aliases(ports={"example set": "examples"}),
    tags=("apply weights", "multiply", "rescale"),
)
def scale_by_weights(
    examples: ExampleSet, weights: AttributeWeights, *, ctx: Context
) -> ExampleSet:
    """Scale by Weights

    Multiplies every numerical attribute by its weight and drops attributes with weight 0. Nominal
    attributes with another weight, attributes without a weight, and special ones stay as they are.

    For methods that measure distances, such as k-NN, a larger weight makes an attribute count more.
    It has no effect on trees and on methods that scale attributes themselves. To keep the values
    and only choose attributes use Select by Weights.
    """
    if weights.smallest_is_best:
        raise DataError(
            "The weights are a ranking: the worst attribute would be multiplied by the largest "
            "number.",
            hint="Connect the weights that enter Weights to Ranking instead.",
        )
    _refuse_extreme(weights)
    factors = weights.values_of(examples.schema.regular_names)  # NaN where there is no weight
    table = examples.features(factors != 0)
    factors = factors[factors != 0]
    schema = table.schema
    if not len(schema.regular):
        ctx.warn("All regular attributes have the weight 0: none is kept.")
    used = np.isin(schema.regular, schema.regular_numerical) & ~np.isnan(factors)
    positions = schema.regular[used]
    return table.with_numbers(positions, table.values(positions) * factors[used])


def _refuse_extreme(weights: AttributeWeights) -> None:
    extreme = weights.names.take(np.flatnonzero(np.abs(weights.values) > LARGEST_NUMBER))
    if len(extreme):
        raise DataError(
            f"Values cannot be multiplied by the weights of {enumerate_names(extreme)}, which are "
            f"infinite or beyond {LARGEST_NUMBER:g}.",
            hint="Normalize the weights, or use Select by Weights.",
        )


# --- weights as a table, and back -----------------------------------------------------------


def _describe_table(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("weights")
    if not isinstance(meta, WeightsMetaData) or meta.names is None:
        return ExampleSetMetaData()
    schema = Schema.of([nominal_column(NAMES, meta.names)[0], Attribute(VALUES)])
    return ExampleSetMetaData(schema=schema, rows=len(meta.names))


@operator(
    group=GROUP,
    role="utility",
    describe=_describe_table,
    aliases=Aliases(ports={"attribute weights": "weights", "example set": "examples"}),
    tags=("table", "convert", "export"),
)
def weights_to_data(weights: AttributeWeights) -> ExampleSet:
    """Weights to Data

    Gives weights as a table with a row for each attribute: its name in Attribute, its weight in
    Weight. So you can filter, sort, join and write weights like any table. An unknown weight
    is a missing value.

    Data to Weights does the reverse.
    """
    return ExampleSet.from_columns(
        [nominal_column(NAMES, weights.names), (Attribute(VALUES), weights.values)], len(weights)
    )


def _describe_read(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    if parameters["weights_from"] == "columns":
        return WeightsMetaData()
    return describe_weights(inputs, parameters)


@operator(
    group=GROUP,
    role="utility",
    describe=_describe_read,
    aliases=Aliases(ports={"example set": "examples"}),
    tags=("table", "convert", "import", "ones"),
)
def data_to_weights(
    examples: ExampleSet,
    *,
    weights_from: Annotated[
        Literal["attributes", "columns"],
        Field(
            description="Weight 1 for each attribute of the table, or weights from two of "
            "its columns, a row for each attribute."
        ),
    ] = "attributes",
    attribute_column: Annotated[
        str,
        AttributeName(),
        When(weights_from="columns"),
        Field(description="The column with the names of the attributes."),
    ] = NAMES,
    weight_column: Annotated[
        str,
        AttributeName(),
        When(weights_from="columns"),
        Field(description="The column with the weights."),
    ] = VALUES,
) -> AttributeWeights:
    """Data to Weights

    Gives every regular attribute of a table the weight 1, to begin a search for weights, or as the
    selection of all attributes. It can also read weights from two columns of the table, as Weights
    to Data writes them; a missing value is then an unknown weight.
    """
    if weights_from == "attributes":
        return AttributeWeights(
            examples.schema.regular_names, np.ones(len(examples.schema.regular))
        )
    return AttributeWeights(
        _names_in(examples, attribute_column), _numbers_in(examples, weight_column)
    )


def _names_in(examples: ExampleSet, column: str) -> list[str]:
    attribute = examples.schema.attribute(column)
    if attribute.value_type is ValueType.TEXT:
        names: list[str | None] = examples.column(column).tolist()
    elif attribute.value_type.is_nominal:
        names = examples.nominal_values(column)
    else:
        raise DataError(
            f'"{column}" is {attribute.value_type}, but must hold the names of attributes.',
            hint="Choose a nominal attribute (attribute_column).",
        )
    if None in names:
        raise DataError(
            f'A name is missing in "{column}", first in row {names.index(None) + 1}.',
            hint="Remove the rows without a name first.",
        )
    return [name for name in names if name is not None]


def _numbers_in(examples: ExampleSet, column: str) -> Any:
    attribute = examples.schema.attribute(column)
    if not attribute.value_type.is_numerical:
        raise DataError(
            f'"{column}" is {attribute.value_type}, but must hold the weights.',
            hint="Choose a numerical attribute (weight_column).",
        )
    return examples.column(column)


# --- the mean of several --------------------------------------------------------------------


def _describe_average(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    given = [meta for meta in inputs.values() if isinstance(meta, WeightsMetaData)]
    known = [meta.names for meta in given if meta.names is not None]
    if not given or len(known) < len(inputs):
        return MetaData(Averageable)
    return WeightsMetaData(names=tuple(dict.fromkeys(name for part in known for name in part)))


@operator(
    group=GROUP,
    role="weighting",
    describe=_describe_average,
    tags=("mean", "combine", "merge", "ensemble", "folds"),
)
def average(averagable: list[Averageable]) -> Averageable:
    """Average

    Computes the mean of several weightings, or of several performances, with the deviation. If a
    weighting has no weight for an attribute, the weight counts as 0, because the weighting may be a
    selection that left it out. Performances must have the same criteria; their repetitions count
    one by one, so that the deviation is over all of them.

    Weights of different methods have different scales: convert them to ranks first (Weights
    to Ranking).
    """
    return averaged(averagable)
