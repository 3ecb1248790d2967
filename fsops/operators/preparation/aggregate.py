"""One row for each group of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Unpack, get_args

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.grouping import aggregated, first_of_equals, group_rows
from fsops.core import AttributeNames, When, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, Schema, ValueType
from fsops.data.columns import (
    MISSING_CODE,
    Column,
    is_missing,
    nominal_column,
    storage_numbers,
)
from fsops.data.names import Positions
from fsops.data.schema import NOMINAL, NUMERICAL
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
    "concatenation",
]
SAME_TYPE = ("sum", "product", "minimum", "maximum", "mode", "first")
FOR_CATEGORIES = ("count", "mode", "first", "concatenation")
CONCATENATION, SEPARATOR = "concatenation", "|"
CELLS = 2**20  # values that are aggregated at once
Floats = npt.NDArray[np.float64]
Part = tuple[Positions, str]
"""Attributes, and the function that is applied to each of them."""


def _fits(attribute: Attribute, function: str) -> bool:
    """Return whether the function can use an attribute."""
    kind = attribute.value_type
    return (
        function == "count"
        or (kind.is_numerical and function != CONCATENATION)
        or (kind.is_nominal and function in FOR_CATEGORIES)
    )


def _wanted(schema: Schema, chosen: Sequence[str], parameters: Mapping[str, Any]) -> list[Part]:
    """Return attributes with the function that is applied to them, in the order of the results."""
    default, groups = parameters["default_aggregation_function"], parameters["group_by_attributes"]
    wanted = dict(parameters["aggregation_attributes"])
    for name, function in wanted.items():
        attribute = schema.attribute(name)
        if not _fits(attribute, function):
            allowed = ", ".join(name for name in get_args(Function) if _fits(attribute, name))
            raise DataError(
                f'"{name}" is {attribute.value_type} and has no {function}.',
                hint=f"Possible: {allowed}.",
            )
    parts = [(schema.positions([name]), function) for name, function in wanted.items()]
    if parameters["use_default_aggregation"]:
        spared = schema.positions([*wanted, *groups])
        fitting = np.setdiff1d(_fitting(schema, default), spared)
        positions = schema.positions(chosen)
        parts.append((positions[np.isin(positions, fitting)], default))
    parts = [part for part in parts if len(part[0])]
    if not parts and not groups:
        raise ParameterError(
            "There is nothing to do.",
            hint="Name attributes in aggregation_attributes or group_by_attributes, or set "
            "use_default_aggregation.",
        )
    return parts


def _fitting(schema: Schema, function: str) -> Positions:
    """Return all attributes that the function can use."""
    if function == "count":
        return np.arange(len(schema))
    if function == CONCATENATION:
        return schema.of_types(NOMINAL)
    return schema.of_types(NUMERICAL | (NOMINAL if function in FOR_CATEGORIES else frozenset()))


def _new_attributes(schema: Schema, positions: Positions, function: str) -> Schema:
    """Return the attributes that hold the results."""
    names = f"{function}(" + np.asarray(schema.names_at(positions), dtype=object) + ")"
    new = schema.take(positions).without_roles().with_names(names.tolist())
    if function in SAME_TYPE:
        return new
    kind = ValueType.INTEGER if function == "count" else ValueType.REAL
    return new.as_numbers(np.arange(len(new)), kind)


def _schema_after(schema: Schema, wanted: Sequence[Part], groups: Sequence[str]) -> Schema:
    after = schema.take(schema.positions(dict.fromkeys(groups)))
    for positions, function in wanted:
        after = after.appended(_new_attributes(schema, positions, function))
    return after


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
    if any(function == CONCATENATION for _, function in wanted):  # only the rows give its texts
        return ExampleSetMetaData()
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
        Field(
            description="Rows with equal values in these attributes become one row; if empty, "
            "all rows become one."
        ),
    ] = [],
    aggregation_attributes: Annotated[
        dict[str, Function],
        Field(description="Function for each attribute, by its name."),
    ] = {},
    use_default_aggregation: Annotated[
        bool, Field(description="Also aggregate further attributes, all in the same way.")
    ] = False,
    default_aggregation_function: Annotated[
        Function,
        When(use_default_aggregation=True),
        Field(description="Function for these attributes; unsuitable attributes are left out."),
    ] = "average",
    only_distinct: Annotated[
        bool, Field(description="Count each distinct value of a group only once.")
    ] = False,
    ignore_missings: Annotated[
        bool,
        Field(description="Leave missing values out; otherwise one makes the result missing."),
    ] = True,
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Aggregate

    Makes one row for each group of rows with equal values in the attributes to group by, in the
    order of these values. Missing values form a separate group at the end. The other attributes are
    calculated from the rows of a group, with names such as average(Temperature).

    - Numbers: average, median, sum, product, minimum, maximum, variance and standard_deviation
      (divisor n − 1; missing for a single value).
    - Numbers and categories: mode, the most frequent value, of equally frequent ones the smallest
      number or first category; first, the value of the first row that has one.
    - Categories: concatenation, all categories of the group joined by "|", in the order of the
      rows.
    - All: count, the number of known values, or of rows if ignore_missings is off.

    Attributes that neither have a function nor define the groups are left out. If a group has no
    known value, the result is missing, and count is 0. To measure how rows differ between classes
    use a weighting.
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
    groups, first = group_rows(row_keys(examples, names))
    table = examples.select(names).take(first)
    for positions, function in wanted:
        rule = _Rule(function, groups, len(first), only_distinct, ignore_missings)
        table = table.beside(_aggregated(examples, positions, rule))
    return table


def _aggregated(examples: ExampleSet, positions: Positions, rule: _Rule) -> ExampleSet:
    """Return the results of one function for many attributes, those stored alike together."""
    if rule.function == CONCATENATION:
        names = examples.schema.names_at(positions)
        columns = [rule.concatenated(name, examples.nominal_values(name)) for name in names]
        return ExampleSet.from_columns(columns, rule.n)
    stored = storage_numbers(examples.schema, positions)
    table = ExampleSet.from_columns([], rule.n)
    for number in np.unique(stored).tolist():
        mine = positions[stored == number]
        schema = _new_attributes(examples.schema, mine, rule.function)
        table = table.beside(ExampleSet.of_matrix(schema, rule.results(examples.values(mine))))
    if len(np.unique(stored)) > 1:
        return table.select(_new_attributes(examples.schema, positions, rule.function).names)
    return table


def row_keys(examples: ExampleSet, names: Sequence[str]) -> npt.NDArray[np.intp]:
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


@dataclass(frozen=True)
class _Rule:
    """How the values of each of n groups become one."""

    function: str
    groups: Positions
    n: int
    only_distinct: bool
    ignore_missings: bool

    def results(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a row for each group and a column for each attribute, stored as they are."""
        count = self.function == "count"
        nominal = values.dtype == np.int32 and not count
        results = np.empty((self.n, values.shape[1]), np.int32 if nominal else float, order="F")
        step = max(1, CELLS // max(1, len(values)))
        for first in range(0, values.shape[1], step):
            part = values[:, first : first + step]
            if count and part.dtype.kind not in "if":  # dates and texts, which cannot be sorted
                part = np.column_stack([_codes(column) for column in part.T])
            found = self._of_part(part, is_missing(values[:, first : first + step]))
            if nominal:
                found = np.where(np.isnan(found), MISSING_CODE, found)
            results[:, first : first + step] = found
        return results

    def _of_part(self, values: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> Floats:
        """Return the results of some attributes: each with its own groups, one after the other."""
        width = values.shape[1]
        groups = (self.groups[:, None] * width + np.arange(width)).ravel()
        flat, gone = values.ravel(), missing.ravel()
        rows = self._rows(flat, groups, np.flatnonzero(~gone))
        if self.function == "count" and not self.ignore_missings:
            unknown = self._rows(np.zeros(len(flat)), groups, np.flatnonzero(gone))
            rows = np.concatenate([rows, unknown])
        n = self.n * width
        result = aggregated(self.function, flat[rows].astype(np.float64), groups[rows], n)
        if self.function != "count" and not self.ignore_missings:
            result[groups[gone]] = np.nan
        return result.reshape(self.n, width)

    def _rows(self, values: npt.NDArray[Any], groups: Positions, rows: Positions) -> Positions:
        """Return the rows that count: all of them, or the first with its value in its group."""
        return rows[first_of_equals(values[rows], groups[rows])] if self.only_distinct else rows

    def concatenated(self, name: str, texts: Sequence[str | None]) -> Column:
        """Return the texts of each group as one text; missing where no text is known."""
        parts: list[list[str]] = [[] for _ in range(self.n)]
        gaps = [False] * self.n
        for group, text in zip(self.groups.tolist(), texts, strict=True):
            if text is None:
                gaps[group] = True
            else:
                parts[group].append(text)
        distinct = [list(dict.fromkeys(part)) if self.only_distinct else part for part in parts]
        whole = [
            None if not part or (gap and not self.ignore_missings) else SEPARATOR.join(part)
            for part, gap in zip(distinct, gaps, strict=True)
        ]
        return nominal_column(f"{CONCATENATION}({name})", whole)
