"""Parameters of other operators, set while the process runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from fsops.core import Accepts, Aliases, Context, Named, operator
from fsops.data import ExampleSet, MetaData
from fsops.data.columns import is_missing
from fsops.errors import DataError, ParameterError
from fsops.operators.control.memory import Through

GROUP = "Control"


class SetAndThrough(NamedTuple):
    """The inputs, unchanged."""

    best: Annotated[ExampleSet, Named(description="The values that were set.")]
    through: Through


def _described(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> Mapping[str, MetaData]:
    return inputs


@operator(
    group=GROUP,
    role="control",
    accepts=Accepts(missing=True, infinite=True),
    describe=_described,
    aliases=Aliases(ports={"parameter set": "best"}),
    tags=("optimal parameters", "apply", "tuned", "hyperparameter"),
    pure=False,
)
def set_parameters(
    best: Annotated[
        ExampleSet,
        Named(description="A table with one row, such as the output best of Optimize Parameters."),
    ],
    through: Through,
    *,
    name_map: Annotated[
        dict[str, str],
        Field(description="Maps the operator of a column to the operator that gets its values."),
    ] = {},
    ctx: Context,
) -> SetAndThrough:
    """Set Parameters

    Gives other operators the best values that Optimize Parameters has found, for instance to train
    the final model. Columns of the table are named NAME.parameter; name_map maps each NAME to the
    operator that gets the values. Connect the ports, so that the operators that get the values run
    after this one.
    """
    if len(best) != 1:
        raise DataError(
            f"The table has {len(best)} rows, but one is needed.",
            hint="Connect the output best of Optimize Parameters.",
        )
    found: dict[str, Any] = {}
    for column in best.names:
        name, _, parameter = column.rpartition(".")
        if name in name_map:
            found[f"{name_map[name]}.{parameter}"] = _value(best, column)
    missing = [name for name in name_map if not any(c.startswith(f"{name}.") for c in best.names)]
    if missing:
        raise ParameterError(
            f'There are no values for "{missing[0]}" in the table.',
            hint=f"Its columns are {', '.join(best.names)}.",
        )
    ctx.state.settings.update(found)
    return SetAndThrough(best, through)


def _value(table: ExampleSet, column: str) -> Any:
    stored = table.column(column)
    if is_missing(stored)[0]:
        raise DataError(f'The value of "{column}" is missing.')
    if table.schema.attribute(column).value_type.is_nominal:
        return table.nominal_values(column)[0]
    number = float(stored[0])
    return int(number) if number.is_integer() else number
