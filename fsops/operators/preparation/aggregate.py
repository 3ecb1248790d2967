"""One row for each group of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.grouping import aggregated, first_of_equals, group_rows
from fsops.core import AttributeNames, When, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, Schema, ValueType
from fsops.data.columns import MISSING_CODE, is_missing
from fsops.errors import DataError, ParameterError
from fsops.operators.preparation.attribute_filter import (
    AttributeFilter,
    names_before_run,
    selected_names,
)
from fsops.operators.preparation.prepared import ALIASES

Function = Literal[
    "average",
    "median",
    "sum",
    "product",
    "minimum",
    "maximum",
    "variance",
    "standard_deviation",
    "count",
    "mode",
    "first",
]
SAME_TYPE = ("sum", "product", "minimum", "maximum", "mode", "first")
FOR_CATEGORIES = ("count", "mode", "first")
Rows = npt.NDArray[np.intp]


def _fits(attribute: Attribute, function: str) -> bool:
    """Return whether an attribute has what the function calculates with."""
    kind = attribute.value_type
    return (
        function == "count" or kind.is_numerical or (kind.is_nominal and function in FOR_CATEGORIES)
    )


def _wanted(schema: Schema, chosen: Sequence[str], parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the function of each attribute that is aggregated."""
    default, groups = parameters["default_aggregation_function"], parameters["group_by_attributes"]
    wanted = dict(parameters["aggregation_attributes"])
    for name, function in wanted.items():
        attribute = schema.attribute(name)
        if not _fits(attribute, function):
            allowed = "count" if not attribute.value_type.is_nominal else ", ".join(FOR_CATEGORIES)
            raise DataError(
                f'"{name}" is {attribute.value_type} and has no {function}.',
                hint=f"Possible: {allowed}.",
            )
    if parameters["use_default_aggregation"]:
        fitting = (a.name for a in map(schema.attribute, chosen) if _fits(a, default))
        wanted |= {n: default for n in fitting if n not in wanted and n not in groups}
    if not wanted and not groups:
        raise ParameterError(
            "There is nothing to do.",
            hint="Name attributes in aggregation_attributes or group_by_attributes, or set "
            "use_default_aggregation.",
        )
    return wanted


def _new_attribute(attribute: Attribute, function: str) -> Attribute:
    """Return the attribute that holds the results."""
    name = f"{function}({attribute.name})"
    if function == "count":
        return Attribute(name, ValueType.INTEGER)
    if function in SAME_TYPE:
        return Attribute(name, attribute.value_type, categories=attribute.categories)
    return Attribute(name)


def _schema_after(schema: Schema, wanted: Mapping[str, str], groups: Sequence[str]) -> Schema:
    new = [_new_attribute(schema.attribute(name), function) for name, function in wanted.items()]
    return schema.take(schema.positions(dict.fromkeys(groups))).appended(new)


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    groups = parameters["group_by_attributes"]
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    if schema is None:
        return ExampleSetMetaData()
    chosen = names_before_run(schema, parameters) if parameters["use_default_aggregation"] else ()
    if chosen is None:
        return ExampleSetMetaData()
    wanted = _wanted(schema, chosen, parameters)
    return ExampleSetMetaData(schema=_schema_after(schema, wanted, groups))


@operator(
    group="Preparation/Tables",
    role="preparation",
    describe=_describe,
    aliases=ALIASES,
    tags=("group by", "summarize", "pivot", "mean", "count", "statistics", "sql"),
)
def aggregate(
    examples: ExampleSet,
    *,
    group_by_attributes: Annotated[
        list[str],
        AttributeNames(),
        Field(description="Rows that agree in these become one row; empty for one row in all."),
    ] = [],
    aggregation_attributes: Annotated[
        dict[str, Function],
        Field(description="What is calculated from an attribute, by its name."),
    ] = {},
    use_default_aggregation: Annotated[
        bool, Field(description="Also aggregate further attributes, all in the same way.")
    ] = False,
    default_aggregation_function: Annotated[
        Function,
        When(use_default_aggregation=True),
        Field(description="What is calculated from those; attributes it does not fit are left."),
    ] = "average",
    only_distinct: Annotated[
        bool, Field(description="Let each value count once in a group, however often it is there.")
    ] = False,
    ignore_missings: Annotated[
        bool,
        Field(description="Leave missing values out; otherwise one makes the result missing."),
    ] = True,
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Aggregate

    Makes one row of all rows that have the same values in the attributes to group by, in the order
    of these values; missing ones are a group of their own, at the end. The other attributes are
    what was calculated from the rows of a group, with names such as average(Temperature).

    - Numbers: average, median, sum, product, minimum, maximum, variance and standard_deviation
      (divisor n − 1; missing for a single value).
    - Numbers and categories: mode, the most frequent value, of equally frequent ones the smallest
      number or first category; first, the value of the first row that has one.
    - All: count, the number of known values, or of rows if ignore_missings is off.

    Attributes with neither a function nor a place among the groups are left out. Where no value is
    known in a group the result is missing, and count is 0. To measure how rows differ between
    classes use a weighting.
    """
    parameters: dict[str, Any] = {
        "group_by_attributes": group_by_attributes,
        "aggregation_attributes": aggregation_attributes,
        "use_default_aggregation": use_default_aggregation,
        "default_aggregation_function": default_aggregation_function,
    }
    chosen = selected_names(examples, attribute_filter) if use_default_aggregation else ()
    wanted = _wanted(examples.schema, chosen, parameters)
    names = list(dict.fromkeys(group_by_attributes))
    groups, first = group_rows(_keys(examples, names))
    columns = [
        (
            _new_attribute(examples.schema.attribute(name), function),
            _results(
                examples.column(name),
                function,
                groups,
                len(first),
                only_distinct=only_distinct,
                ignore_missings=ignore_missings,
            ),
        )
        for name, function in wanted.items()
    ]
    return examples.select(names).take(first).with_columns(columns)


def _keys(examples: ExampleSet, names: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return whole numbers in the order of the values, the largest for missing ones."""
    keys = np.zeros((len(examples), len(names)), dtype=np.intp)
    for j, name in enumerate(names):
        keys[:, j] = _codes(examples.column(name))
    return keys


def _codes(values: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    missing = is_missing(values)
    codes = np.full(len(values), len(values), dtype=np.intp)
    codes[~missing] = np.unique(values[~missing], return_inverse=True)[1]
    return codes


def _results(
    values: npt.NDArray[Any],
    function: str,
    groups: Rows,
    n: int,
    *,
    only_distinct: bool,
    ignore_missings: bool,
) -> npt.NDArray[Any]:
    """Return what a function makes of the values of each of n groups, stored as they are."""
    missing, counts = is_missing(values), function == "count"
    rows = np.arange(len(values)) if counts and not ignore_missings else np.flatnonzero(~missing)
    numbers = _codes(values) if counts else values
    if only_distinct:
        rows = rows[first_of_equals(numbers[rows], groups[rows])]
    result = aggregated(function, numbers[rows].astype(np.float64), groups[rows], n)
    if not ignore_missings and not counts:
        result[groups[missing]] = np.nan
    if values.dtype == np.int32 and not counts:
        return np.where(np.isnan(result), MISSING_CODE, result).astype(np.int32)
    return result
