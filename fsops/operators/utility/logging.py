"""Keeping figures of a run."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from fsops.core import Context, Named, operator
from fsops.data import ExampleSet, PerformanceVector
from fsops.data.examples import nominal_column
from fsops.data.schema import Attribute, ValueType


class LoggedPerformance(NamedTuple):
    """What logging delivers."""

    performance: PerformanceVector
    log: Annotated[ExampleSet, Named(description="A row per criterion.")]


@operator(group="Utility", tags=("mean", "variance", "deviation", "count", "criteria"))
def log_performance(performance: PerformanceVector, *, ctx: Context) -> LoggedPerformance:
    """Log Performance

    Notes mean, variance, standard deviation and count of every criterion in the log of the run, and
    gives them as a table. The performance itself goes through unchanged.

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
