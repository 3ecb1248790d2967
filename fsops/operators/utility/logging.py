"""Keeping figures of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Aliases, Context, Named, operator
from fsops.core.frame.state import LastRun, Row
from fsops.data import ExampleSet, PerformanceVector
from fsops.data.columns import nominal_column
from fsops.data.schema import Attribute, ValueType
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names
from fsops.operators.control.memory import Through, describe_through


class LoggedPerformance(NamedTuple):
    """Results of logging."""

    performance: PerformanceVector
    log: Annotated[ExampleSet, Named(description="A row per criterion.")]


@operator(
    group="Utility", role="utility", tags=("mean", "variance", "deviation", "count", "criteria")
)
def log_performance(performance: PerformanceVector, *, ctx: Context) -> LoggedPerformance:
    """Log Performance

    Writes mean, variance, standard deviation and count of every criterion to the log of the run,
    and returns them as a table. The performance is passed on unchanged.

    Variance and deviation are those of a sample; a single measurement has none (missing).

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    figures: dict[str, list[float]] = {"mean": [], "variance": [], "deviation": [], "count": []}
    for criterion in performance:
        deviation = np.nan if criterion.deviation is None else criterion.deviation
        row = (criterion.mean, deviation**2, deviation, criterion.count)
        for (name, column), value in zip(figures.items(), row, strict=True):
            column.append(float(value))
            ctx.log(f"{criterion.name}.{name}", float(value))
    table = ExampleSet.from_columns(
        [
            nominal_column("criterion", [criterion.name for criterion in performance]),
            *(
                (Attribute(name, ValueType.REAL), np.array(column))
                for name, column in figures.items()
            ),
        ],
        len(performance),
    )
    return LoggedPerformance(performance, table)


_REFERENCE = re.compile(r"operator\.(?P<name>.+)\.(?P<kind>value|parameter)\.(?P<key>[^.]+)")


@operator(
    group="Utility",
    role="utility",
    describe=describe_through,
    tags=("note", "trace", "table", "record"),
    pure=False,
)
def log(
    through: Through,
    *,
    log: Annotated[
        dict[str, str],
        Field(
            description="Columns with their sources: operator.NAME.parameter.KEY for a parameter "
            "of an operator, operator.NAME.value.performance (or .accuracy, .time, …) for its "
            "last value, or any text, for instance with a macro."
        ),
    ] = {},
    ctx: Context,
) -> Through:
    """Log

    Adds a row to a log each time it runs, for instance once in every iteration of a loop. Log
    to Data makes a table of the rows, under the name of this operator.

    The logged operators must run first: connect the ports to their outputs.
    """
    row = {column: _logged(source, ctx) for column, source in log.items()}
    ctx.state.logs.setdefault(ctx.path[-1], []).append(row)
    return through


def _logged(source: str, ctx: Context) -> float | str:
    """Return the present value of a column of a log."""
    reference = _REFERENCE.fullmatch(source)
    if reference is None:
        return _plain(source)
    ran, name = ctx.state.outcomes, reference["name"]
    if name not in ran:
        hint = did_you_mean(name, ran) or "Connect the log behind it."
        raise ParameterError(f'No operator "{name}" has run yet.', hint=hint)
    known = _figures(ran[name]) if reference["kind"] == "value" else ran[name].parameters
    if reference["key"] not in known:
        hint = did_you_mean(reference["key"], known) or f"It has {enumerate_names(list(known))}."
        raise ParameterError(
            f'The operator "{name}" has no {reference["kind"]} "{reference["key"]}".', hint=hint
        )
    return _plain(known[reference["key"]])


def _figures(outcome: LastRun) -> dict[str, float]:
    return {**outcome.criteria, "time": outcome.seconds}


def _plain(value: Any) -> float | str:
    """Return a number where there is one, else the text."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


class LogTable(NamedTuple):
    """Results of Log to Data."""

    examples: Annotated[ExampleSet, Named(description="A row for each time the Log operator ran.")]
    through: Through


@operator(
    group="Utility",
    role="utility",
    aliases=Aliases(ports={"exampleSet": "examples"}),
    tags=("table", "trace", "record"),
    pure=False,
)
def log_to_data(
    through: Through,
    *,
    log_name: Annotated[
        str, Field(description="Name of the Log operator; empty for the only one.")
    ] = "",
    ctx: Context,
) -> LogTable:
    """Log to Data

    Makes a table of the rows that a Log operator has written so far. Columns that have only numbers
    become numerical, all others nominal.

    Connect the logged operators to the ports, so that this step waits for them.
    """
    logs = ctx.state.logs
    if log_name and log_name not in logs:
        hint = did_you_mean(log_name, logs) or f"There are {enumerate_names(list(logs))}."
        raise ParameterError(f'There is no log "{log_name}".', hint=hint if logs else "")
    if not logs:
        raise DataError("Nothing was logged yet.", hint="Connect this operator behind the Log.")
    if not log_name and len(logs) > 1:
        raise ParameterError(
            "log_name is empty, but there are several logs.",
            hint=f"Choose one of {enumerate_names(list(logs))}.",
        )
    return LogTable(rows_to_table(logs[log_name or next(iter(logs))]), through)


def rows_to_table(rows: Sequence[Row]) -> ExampleSet:
    """Return rows with named values as a table; values that a row lacks are missing."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [_column(name, [row.get(name) for row in rows]) for name in names]
    return ExampleSet.from_columns(columns, len(rows))


def _column(name: str, values: Sequence[Any]) -> tuple[Attribute, npt.NDArray[Any]]:
    if any(isinstance(value, str) for value in values):
        return nominal_column(name, [None if v is None else str(v) for v in values])
    numbers = np.array([math.nan if v is None else v for v in values], dtype=np.float64)
    return Attribute(name, ValueType.REAL), numbers
