"""Macros that are calculated, or removed."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from fsops.core import Context, MacroName, operator
from fsops.core.declare.parameters import value_text
from fsops.data import ExampleSet
from fsops.data.columns import is_missing
from fsops.data.expression import Expression
from fsops.errors import FsopsError, ParameterError, quoted
from fsops.operators.control.memory import MACROS, Through, describe_through


@operator(
    group=MACROS,
    role="control",
    describe=describe_through,
    tags=("calculate", "formula", "variable", "expression"),
    pure=False,
)
def generate_macro(
    through: Through,
    *,
    function_descriptions: Annotated[
        dict[str, str],
        MacroName(),
        Field(
            description="Names of macros with their expressions, such as half with %{n} / 2.",
            examples=[{"half": "10 / 2"}],
        ),
    ],
    ctx: Context,
) -> Through:
    """Generate Macro

    Calculates macros, for parameters of later operators. An expression may use macros that were
    set before as ``%{name}``, and the functions of Generate Attributes. Put texts into quotes:
    ``"%{name}"``. Use a second operator for a macro that depends on one calculated here.
    """
    if not function_descriptions:
        hint = "Give a name and an expression, such as half with %{n} / 2."
        raise ParameterError("function_descriptions is empty.", hint=hint)
    made = {name: _calculated(name, words) for name, words in function_descriptions.items()}
    ctx.state.macros.update(made)
    return through


def _calculated(name: str, words: str) -> str:
    one_row = ExampleSet.from_columns([], 1)
    try:
        attribute, stored = Expression.parse(words).column(name, one_row)
    except FsopsError as error:
        message = f"The macro {quoted(name)} cannot be calculated. {error.message}"
        raise type(error)(message, hint=error.hint) from None
    if is_missing(stored[:1])[0]:
        return ""
    value: Any = stored[0]
    if attribute.value_type.is_nominal:
        return str(attribute.categories[value])
    if attribute.value_type.is_numerical and float(value).is_integer():
        return str(int(value))  # parameters that are integers take no 8.0
    return value_text(value)


@operator(
    group=MACROS,
    role="control",
    describe=describe_through,
    tags=("remove", "delete", "variable"),
    pure=False,
)
def unset_macro(
    through: Through,
    *,
    macro: Annotated[
        str, MacroName(), Field(min_length=1, description="Name of the macro.", examples=["k"])
    ],
    ctx: Context,
) -> Through:
    """Unset Macro

    Removes a macro, so that later operators cannot use it. If the macro does not exist, nothing
    happens.
    """
    ctx.state.macros.pop(macro, None)
    return through
