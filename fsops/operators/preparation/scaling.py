"""Numbers on a common scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.preparation import normalization
from fsops.core import Context, When, operator
from fsops.data import ExampleSet, Schema
from fsops.errors import DataError, ParameterError, enumerate_names
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import (
    ANY_VALUES,
    WITH_MODEL,
    Prepared,
    describe_change,
    numerical_among,
    prepared,
)

Floats = npt.NDArray[np.float64]
RANGE = "range transformation"
PROPORTION = "proportion transformation"
LARGEST = "largest absolute value"
NORM = "average norm"

_RULES: Mapping[str, Callable[[Floats], tuple[Floats, Floats]]] = {
    "Z-transformation": normalization.z_transformation,
    RANGE: normalization.value_range,
    PROPORTION: normalization.proportion,
    "interquartile range": normalization.interquartile_range,
    LARGEST: normalization.largest_size,
}
KEEP_ZEROS = (PROPORTION, NORM, LARGEST)
"""Methods that leave zeros zero, so that a sparse table stays sparse."""
TABLE = replace(ANY_VALUES, sparse=True, blocks="columns")


@dataclass(frozen=True)
class Scaling:
    """Maps each attribute to (value - center) / divisor + offset."""

    names: Sequence[str]
    centre: Floats
    divisor: Floats
    offset: float = 0.0

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with scaled numbers."""
        positions = examples.schema.positions(self.names)
        return examples.with_scaled(positions, self.centre, self.divisor, self.offset)


def real_numbers(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    """Return the schema with the numerical attributes among the names as real ones."""
    return schema.as_numbers(schema.positions(numerical_among(schema, names)))


@operator(
    group="Preparation/Scaling",
    role="preparation",
    accepts=TABLE,
    describe=describe_change(real_numbers),
    aliases=WITH_MODEL,
    tags=("standardize", "scale", "z-score", "min-max", "robust", "center", "unit"),
)
def normalize(
    examples: ExampleSet,
    *,
    method: Annotated[
        Literal[
            "Z-transformation",
            "range transformation",
            "proportion transformation",
            "interquartile range",
            "average norm",
            "largest absolute value",
        ],
        Field(description="Scale of the resulting numbers."),
    ] = "Z-transformation",
    min: Annotated[  # noqa: A002 - RapidMiner's name
        float, When(method=RANGE), Field(description="The lowest value becomes this number.")
    ] = 0.0,
    max: Annotated[  # noqa: A002 - RapidMiner's name
        float, When(method=RANGE), Field(description="The highest value becomes this number.")
    ] = 1.0,
    allow_negative_values: Annotated[
        bool,
        When(method=PROPORTION),
        Field(
            description="Divide by the sum of absolute values if an attribute has negative values."
        ),
    ] = False,
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Normalize

    Brings numerical attributes to a common scale. The model applies the same values to other rows:
    inside a validation, fit it on the training rows and apply it to the test rows.

    - Z-transformation: minus the mean, divided by the standard deviation (divisor n − 1).
    - range transformation: the lowest value becomes min, the highest max. Values of other rows may
      be outside of this scale.
    - proportion transformation: divided by the sum of the attribute's values.
    - interquartile range: minus the median, divided by the distance of the quartiles and times
      1.349, which is the deviation of normally distributed values. Outliers hardly matter.
    - average norm: everything is divided by one number, the root of the mean squared length of the
      rows, so that a linear kernel has 1 in the mean on its diagonal. Attributes keep their
      proportions, and zeros stay zeros.
    - largest absolute value: divided by the largest absolute value of the attribute, so that values
      are between -1 and 1 and zeros stay zeros.

    A sparse table stays sparse with the proportion transformation, the average norm and the
    largest absolute value. The other methods move zeros, so the table becomes dense.

    A table that stays in its file is read once: all rows of some attributes at a time. Its rows
    are scaled whenever they are read; nothing is written.

    A constant attribute becomes 0 in all rows. Exceptions: the range transformation makes it min,
    the proportion transformation 1 / rows, and average norm only divides it. Missing values stay
    missing. Trees, rankings and tests of single attributes do not need a common scale.

    References
    ----------
    Lal, Chapelle & Schölkopf (2006): Combining a filter method with SVMs (average norm).
    """
    names = numerical_among(examples.schema, selected_names(examples, attribute_filter))
    if not names:
        ctx.warn("No numerical attribute is chosen, so nothing is normalized.")
    figures = partial(_figures, method, not allow_negative_values)
    parts = examples.by_columns(figures, names, ctx=ctx)
    centre, divisor = (np.concatenate(found) for found in zip(*parts, strict=True))
    if method == NORM:
        centre, divisor = normalization.norm_of_squares(divisor)
    if method != RANGE:
        return prepared(examples, Scaling(names, centre, divisor), names, "Normalize")
    if not min < max:
        raise ParameterError(
            f"min is {min:g} and max is {max:g}, but min must be less than max.",
        )
    return prepared(
        examples, Scaling(names, centre, divisor / (max - min), min), names, "Normalize"
    )


def _figures(
    method: str, refuse_negative: bool, table: ExampleSet, names: Sequence[str]
) -> tuple[Floats, Floats]:
    """Return center and divisor of some attributes; for the average norm their mean squares."""
    if method not in KEEP_ZEROS:
        table = TABLE.loaded(table)
    values = table.stored(table.schema.positions(names))
    if method == PROPORTION and refuse_negative:
        _refuse_negative(values, names)
    if method == NORM:
        squares = normalization.mean_squares(values)
        return np.zeros_like(squares), squares
    return _RULES[method](values)


def _refuse_negative(values: Any, names: Sequence[str]) -> None:
    if isinstance(values, np.ndarray):
        found = np.flatnonzero((values < 0).any(axis=0))
    else:
        found = np.unique(np.repeat(np.arange(len(names)), np.diff(values.indptr))[values.data < 0])
    negative = [names[j] for j in found.tolist()]
    if negative:
        raise DataError(
            f"There are negative values in {enumerate_names(negative)}; "
            "they cannot be fractions of a sum.",
            hint="Set allow_negative_values, or use another method.",
        )
