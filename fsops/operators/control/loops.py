"""Running an inner process again and again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Unpack

from pydantic import Field

from fsops.core import (
    Accepts,
    Aliases,
    AttributeName,
    Context,
    MacroName,
    Named,
    Subprocess,
    operator,
)
from fsops.core.declare.iterations import Known, NotKnown
from fsops.core.declare.parameters import value_text
from fsops.data import (
    Averageable,
    Collection,
    ExampleSet,
    FlowObject,
    averaged,
)
from fsops.data.flow import kind_text
from fsops.errors import DataError
from fsops.operators.control.structure import PORTS, Inputs
from fsops.operators.preparation.attribute_filter import (
    AttributeFilter,
    names_before_run,
    selected_names,
)

GROUP = "Control/Loops"

Delivered = Annotated[
    list[FlowObject | None], Named("output", "Result of the iteration; it will be collected.")
]
Collected = Annotated[
    list[FlowObject | None],
    Named("output", "A collection with the result of every iteration, in their order."),
]
Gathered = list[FlowObject | None]
ANY_TABLE = Accepts(missing=True, infinite=True, sparse=True)


def collected(iterations: Sequence[Gathered]) -> Gathered:
    """Return for each port a collection of the results of the iterations."""
    ports = itertools.zip_longest(*iterations)
    found = [[item for item in port if item is not None] for port in ports]
    return [Collection(items) if items else None for items in found]


def each(
    ctx: Context, macro: str, values: Iterable[Any], body: Callable[[Any], Gathered], label: str
) -> Gathered:
    """Run the body for every value, with the value in a macro, and collect its results."""

    def iteration(value: Any) -> Gathered:
        with ctx.macro(macro, value_text(value)):
            return body(value)

    return collected(ctx.map(iteration, values, label))


@operator(
    group=GROUP,
    role="control",
    aliases=Aliases(
        keys=("concurrency:loop",),
        ports=PORTS,
        parameters={"macro_name": "iteration_macro"},
    ),
    tags=("repeat", "iterate", "for"),
    iterations=lambda known: known["iterations"],
)
def loop(
    input: Inputs,
    body: Subprocess[[Inputs], Delivered],
    *,
    iterations: Annotated[int, Field(ge=1, description="Number of iterations.")] = 1,
    iteration_macro: Annotated[
        str, MacroName(), Field(description="Macro that holds the number of the iteration, from 1.")
    ] = "iteration",
    reuse_results: Annotated[
        bool,
        Field(description="Feed each iteration the previous result; return the last."),
    ] = False,
    ctx: Context,
) -> Collected:
    """Loop

    Runs its inner process a number of times and collects its results. Each iteration has
    different random numbers.

    With reuse_results the iterations form a chain: the outputs of one are the inputs of the
    next, and the outputs of the last are returned.
    """
    numbers = range(1, iterations + 1)
    if not reuse_results:
        return each(ctx, iteration_macro, numbers, lambda _: body(input), "Iterations")
    values = input
    for number in ctx.progress(numbers, "Iterations"):
        with ctx.macro(iteration_macro, str(number)):
            values = _overlaid(values, body(values))
    return values


def _chosen(known: Known) -> int:
    names = names_before_run(known.schema, known.parameters)
    if names is None:
        raise NotKnown("the values decide which attributes are chosen")
    return len(names)


def _values(known: Known) -> int:
    return len(known.schema.attribute(known["attribute"]).categories)


def _results(known: Known) -> int:
    raise NotKnown("it depends on the number of results in the collection")


def _overlaid(before: Gathered, after: Gathered) -> Gathered:
    """Return the results of an iteration; where it returned nothing, its inputs."""
    pairs = itertools.zip_longest(after, before)
    return [new if new is not None else old for new, old in pairs]


@operator(
    group=GROUP,
    role="control",
    accepts=ANY_TABLE,
    aliases=Aliases(
        keys=("concurrency:loop_attributes",),
        ports={"example set": "examples", "result": "output"},
        parameters={"attribute_name_macro": "iteration_macro"},
    ),
    tags=("repeat", "columns", "for each"),
    iterations=_chosen,
)
def loop_attributes(
    examples: ExampleSet,
    body: Subprocess[[ExampleSet], Delivered],
    *,
    iteration_macro: Annotated[
        str, MacroName(), Field(description="Macro that holds the name of the attribute.")
    ] = "loop_attribute",
    reuse_results: Annotated[
        bool,
        Field(
            description="Feed each iteration the table at output 1 of the previous one; output 1 "
            "returns the last table, and the other outputs are collected."
        ),
    ] = False,
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Collected:
    """Loop Attributes

    Runs its inner process once for every chosen attribute and collects its results. Each time the
    inner process gets the whole table; the macro holds the name of the attribute.

    Most operators process all attributes at once, which is much faster: use one of them if you can.
    """
    names = selected_names(examples, attribute_filter)
    if reuse_results:
        return _chained(examples, body, names, iteration_macro, ctx)
    return each(ctx, iteration_macro, names, lambda _: body(examples), "Attributes")


def _chained(
    examples: ExampleSet,
    body: Callable[[ExampleSet], Gathered],
    names: Sequence[str],
    macro: str,
    ctx: Context,
) -> Gathered:
    """Run the body on the table that the iteration before returned at its first output."""
    table, further = examples, []
    for name in ctx.progress(names, "Attributes"):
        with ctx.macro(macro, name):
            first, *others = body(table) or [None]
        if first is not None and not isinstance(first, ExampleSet):
            raise DataError(
                f"Output 1 of the inner process is {kind_text(first)}, but reuse_results needs a "
                "table there.",
                hint="Connect a table to output 1, or switch reuse_results off.",
            )
        table = first if first is not None else table
        further.append(others)
    return [table, *collected(further)]


@operator(
    group=GROUP,
    role="control",
    accepts=ANY_TABLE,
    aliases=Aliases(
        keys=("concurrency:loop_values",), ports={"example set": "examples", "out": "output"}
    ),
    tags=("repeat", "categories", "groups", "for each"),
    iterations=_values,
)
def loop_values(
    examples: ExampleSet,
    body: Subprocess[[ExampleSet], Delivered],
    *,
    attribute: Annotated[
        str, AttributeName(), Field(description="The nominal attribute with the values.")
    ],
    iteration_macro: Annotated[
        str, MacroName(), Field(description="Macro that holds the value.")
    ] = "loop_value",
    ctx: Context,
) -> Collected:
    """Loop Values

    Runs its inner process once for every category of a nominal attribute and collects its
    results. Each time the inner process gets the whole table; the macro holds the category, for
    instance for Filter Examples.
    """
    column = examples.schema.attribute(attribute)
    if not column.value_type.is_nominal:
        raise DataError(
            f'"{attribute}" is {column.value_type}; the values of a nominal attribute are needed.',
            hint="Discretize it first, or choose another attribute.",
        )
    return each(ctx, iteration_macro, column.categories, lambda _: body(examples), "Values")


@operator(
    group=GROUP,
    role="control",
    aliases=Aliases(ports={"out": "output"}, parameters={"macro_name": "iteration_macro"}),
    tags=("repeat", "for each", "list"),
    iterations=_results,
)
def loop_collection(
    collection: Collection[FlowObject],
    body: Subprocess[[Annotated[FlowObject, Named("single", "One of the results.")]], Delivered],
    *,
    iteration_macro: Annotated[
        str, MacroName(), Field(description="Macro that holds the number of the iteration, from 1.")
    ] = "iteration",
    ctx: Context,
) -> Collected:
    """Loop Collection

    Runs its inner process once for every result in a collection and collects its results.
    """

    def iteration(number: int) -> Gathered:
        return body(collection[number - 1])

    return each(ctx, iteration_macro, range(1, len(collection) + 1), iteration, "Results")


@operator(
    group=GROUP,
    role="control",
    aliases=Aliases(ports={"in": "input", "averagable": "average"}),
    tags=("repeat", "mean", "repetitions", "variance"),
    iterations=lambda known: known["iterations"],
)
def loop_and_average(
    input: Inputs,
    body: Subprocess[
        [Inputs],
        Annotated[list[Averageable | None], Named("average", "A performance, or weights.")],
    ],
    *,
    iterations: Annotated[int, Field(ge=1, description="Number of iterations.")] = 10,
    ctx: Context,
) -> Annotated[list[Averageable | None], Named("average", "The mean over all iterations.")]:
    """Loop and Average

    Runs its inner process a number of times and gives the mean of the performances or weights that
    it returns, with their deviation. A validation that is repeated with other folds gives a
    more stable estimate.

    The deviation is over all single measurements, such as the folds of all iterations together.
    """
    results = ctx.map(lambda _: body(input), range(iterations), "Iterations")
    ports = itertools.zip_longest(*results)
    found = [[item for item in port if item is not None] for port in ports]
    return [averaged(items) if items else None for items in found]
