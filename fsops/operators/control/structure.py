"""Putting steps together, choosing between them, and going on after an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from fsops.core import Aliases, Context, MacroName, Named, Subprocess, When, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import ExampleSet, FlowObject, MetaData, PerformanceVector
from fsops.data.expression import Expression
from fsops.errors import Cancelled, DataError, FsopsError, ParameterError

GROUP = "Control"

Inputs = Annotated[list[FlowObject | None], Named("input", "Handed to the inner process.")]
Outputs = Annotated[list[FlowObject | None], Named("output", "Result of the inner process.")]
Body = Subprocess[[Inputs], Outputs]
PORTS = {"in": "input", "out": "output"}


def describe_inner(
    inputs: Mapping[str, MetaData],
    parameters: Mapping[str, Any],
    inner: Sequence[Mapping[str, MetaData]],
) -> dict[str, MetaData]:
    """Return the common metadata of the inner processes."""
    first, *others = inner or [{}]
    return {port: meta for port, meta in first.items() if all(o.get(port) == meta for o in others)}


@operator(
    group=GROUP,
    role="control",
    describe=describe_inner,
    aliases=Aliases(ports=PORTS),
    tags=("building block", "group", "meta node", "component", "nest"),
    iterations=lambda known: 1,
)
def subprocess(input: Inputs, body: Body) -> Outputs:
    """Subprocess

    Puts a number of steps into one box, to keep a large process readable. It changes nothing else.
    """
    return body(input)


def _which(known: Known) -> list[int]:
    return [int(number == known["select_which"]) for number in range(1, known.inner + 1)]


@operator(group=GROUP, role="control", tags=("copy", "fork", "duplicate", "tee"))
def multiply(
    input: FlowObject, *, ctx: Context
) -> Annotated[list[FlowObject], Named("output", "The same again.")]:
    """Multiply

    Copies its input to every output. It exists for processes of RapidMiner. In fsops you can
    connect an output to any number of inputs without it.
    """
    return [input] * max(ctx.highest_wanted("output"), 1)


@operator(
    group=GROUP,
    role="control",
    describe=describe_inner,
    aliases=Aliases(ports=PORTS),
    tags=("switch", "case", "alternative"),
    iterations=_which,
)
def select_subprocess(
    input: Inputs,
    selection: list[Body],
    *,
    select_which: Annotated[
        int, Field(ge=1, description="Number of the inner process to run, counted from 1.")
    ] = 1,
) -> Outputs:
    """Select Subprocess

    Runs one of several inner processes, by its number. With the number in a macro, or set by Loop
    Parameters, whole methods can be compared like the values of a parameter.
    """
    if select_which > len(selection):
        raise ParameterError(
            f"select_which is {select_which}, but there are {len(selection)} inner processes."
        )
    return selection[select_which - 1](input)


Asked = Annotated[FlowObject | None, Named("condition", "Input of the condition.")]
Condition = Literal[
    "min_examples",
    "max_examples",
    "min_attributes",
    "max_attributes",
    "attribute_available",
    "min_performance_value",
    "max_performance_value",
    "expression",
    "input_exists",
    "macro_defined",
    "file_exists",
]


@operator(
    group=GROUP,
    role="control",
    describe=describe_inner,
    aliases=Aliases(
        ports={**PORTS, "else": "otherwise"},
        parameters={"min_fitness": "min_performance_value", "max_fitness": "max_performance_value"},
    ),
    tags=("if", "then", "else", "condition", "switch"),
    iterations=lambda known: Count(0, 1, "the condition decides"),
    pure=False,
)
def branch(
    condition: Asked,
    input: Inputs,
    then: Subprocess[[Asked, Inputs], Outputs],
    otherwise: Subprocess[[Asked, Inputs], Outputs],
    *,
    condition_type: Annotated[
        Condition,
        Field(
            description="Condition to check: the number of rows or attributes of the table at "
            "condition, the main criterion of the performance there, an expression that must "
            "hold for all rows, or the existence of an input, a macro or a file."
        ),
    ] = "min_examples",
    condition_value: Annotated[
        str,
        Field(description="Value to compare with: a number, or the name of an attribute, …"),
    ] = "1",
    expression: Annotated[
        str,
        When(condition_type="expression"),
        Field(description="Such as Age > 30; it must hold for every row of the table."),
    ] = "",
    ctx: Context,
) -> Outputs:
    """Branch

    Runs its first inner process if a condition holds, and the second one otherwise. For instance:
    select attributes only if there are more than a hundred.

    A minimum or maximum includes the number itself. If the table has no rows, an expression counts
    as true.
    """
    asked = expression if condition_type == "expression" else condition_value
    if holds(condition_type, asked, condition, ctx):
        return then(condition, input)
    return otherwise(condition, input)


def holds(kind: str, value: str, condition: FlowObject | None, ctx: Context) -> bool:
    """Return whether a condition holds for the value at the port."""
    if kind == "input_exists":
        return condition is not None
    if kind == "macro_defined":
        return value in ctx.state.macros
    if kind == "file_exists":
        return Path(value).is_file()
    if kind.endswith("performance_value"):
        if not isinstance(condition, PerformanceVector):
            raise DataError(f"The condition {kind} needs a performance at the port condition.")
        return _compare(kind, condition.main.mean, value)
    if not isinstance(condition, ExampleSet):
        raise DataError(f"The condition {kind} needs a table at the port condition.")
    return _holds_for_table(kind, value, condition)


def _holds_for_table(kind: str, value: str, examples: ExampleSet) -> bool:
    if kind == "attribute_available":
        return value in examples.schema
    if kind == "expression":
        return bool(Expression.parse(value).mask(examples).all())
    count = len(examples) if kind.endswith("examples") else len(examples.schema.regular)
    return _compare(kind, count, value)


def _compare(kind: str, found: float, limit: str) -> bool:
    return (
        found >= _number(kind, limit) if kind.startswith("min") else found <= _number(kind, limit)
    )


def _number(kind: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f'condition_value is "{value}", but {kind} needs a number.') from None


@operator(
    group=GROUP,
    role="control",
    describe=describe_inner,
    aliases=Aliases(ports=PORTS),
    tags=("try", "catch", "error", "fallback"),
    iterations=lambda known: [1, Count(0, 1, "only after an error")],
)
def handle_exception(
    input: Inputs,
    attempt: Body,
    catch: Body,
    *,
    exception_macro: Annotated[
        str,
        MacroName(),
        Field(description="Macro that holds the message of the error in the second process."),
    ] = "exception",
    ctx: Context,
) -> Outputs:
    """Handle Exception

    Runs its first inner process, and the second one if an error stops the first. For instance a
    selection that fails on some folds, with a simpler one in its place. A warning
    reports the error.

    Errors are easily overlooked this way: use it for errors that you expect.
    """
    try:
        return attempt(input)
    except Cancelled:
        raise
    except FsopsError as error:
        ctx.warn(f"The first inner process failed ({error}); the second one took over.")
        with ctx.macro(exception_macro, str(error)):
            return catch(input)
