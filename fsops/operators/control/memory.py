"""Values that one step leaves for another without a connection: macros and remembered results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Accepts, Aliases, AttributeName, Context, MacroName, Named, When, operator
from fsops.core.declare.parameters import value_text
from fsops.data import Attribute, ExampleSet, FlowObject, MetaData
from fsops.data.columns import is_missing
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names

MACROS = "Control/Macros"
GROUP = "Control"

Through = Annotated[list[FlowObject | None], Named("through", "Handed on unchanged.")]
MacroText = Annotated[
    str, MacroName(), Field(description="Name of the macro.", examples=["k"], min_length=1)
]


def describe_through(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> Mapping[str, MetaData]:
    """Return that everything goes through as it is."""
    return inputs


@operator(
    group=MACROS,
    role="control",
    describe=describe_through,
    tags=("variable", "define", "placeholder"),
    pure=False,
)
def set_macro(
    through: Through,
    *,
    macro: MacroText,
    value: Annotated[str, Field(description="Its value.")] = "",
    ctx: Context,
) -> Through:
    """Set Macro

    Gives a macro a value: the value replaces ``%{name}`` in the parameters of later operators.
     Connect the ports to fix the order.

    A value set in an iteration of a loop is known in that iteration; after the loop the value of
    the last iteration remains.
    """
    ctx.state.macros[macro] = value
    return through


@operator(
    group=MACROS,
    role="control",
    describe=describe_through,
    tags=("variables", "define", "placeholders"),
    pure=False,
)
def set_macros(
    through: Through,
    *,
    macros: Annotated[
        dict[str, str], MacroName(), Field(description="Names of macros with their values.")
    ] = {},
    ctx: Context,
) -> Through:
    """Set Macros

    Sets the values of several macros at once; see Set Macro.
    """
    ctx.state.macros.update(macros)
    return through


@operator(
    group=MACROS,
    role="control",
    accepts=Accepts(missing=True, infinite=True, sparse=True),
    describe=lambda inputs, parameters: inputs["examples"],
    aliases=Aliases(ports={"example set": "examples"}),
    tags=("variable", "count", "statistics", "size"),
    pure=False,
)
def extract_macro(
    examples: ExampleSet,
    *,
    macro: MacroText,
    macro_type: Annotated[
        Literal["number_of_examples", "number_of_attributes", "data_value", "statistics"],
        Field(description="Value of the macro."),
    ] = "number_of_examples",
    statistics: Annotated[
        Literal["average", "deviation", "variance", "min", "max", "count", "unknown"],
        When(macro_type="statistics"),
        Field(
            description="Statistic of the attribute; count counts the rows with the given value, "
            "unknown the missing values."
        ),
    ] = "average",
    attribute: Annotated[
        str,
        AttributeName(),
        When(macro_type=("data_value", "statistics")),
        Field(description="The attribute."),
    ] = "",
    attribute_value: Annotated[
        str, When(statistics="count"), Field(description="The category that is counted.")
    ] = "",
    example_index: Annotated[
        int,
        When(macro_type="data_value"),
        Field(description="The row, counted from 1, or with a minus sign from the end."),
    ] = 1,
    ctx: Context,
) -> ExampleSet:
    """Extract Macro

    Puts a statistic of the table into a macro, for parameters of later operators: how many rows or
    attributes there are, one value, or a statistic of one attribute. The table is passed on
    unchanged.
    """
    if macro_type == "number_of_examples":
        value: Any = len(examples)
    elif macro_type == "number_of_attributes":
        value = len(examples.schema.regular)
    elif macro_type == "data_value":
        value = _value_at(examples, attribute, example_index)
    else:
        value = _statistic(examples, attribute, statistics, attribute_value)
    ctx.state.macros[macro] = value_text(value)
    return examples


def _value_at(examples: ExampleSet, name: str, index: int) -> Any:
    position = index - 1 if index > 0 else len(examples) + index
    if index == 0 or not 0 <= position < len(examples):
        raise ParameterError(f"example_index is {index}, but there are {len(examples)} rows.")
    attribute, value = examples.schema.attribute(name), examples.column(name)[position]
    if is_missing(np.array([value]))[0]:
        return ""
    return attribute.categories[value] if attribute.value_type.is_nominal else value


def _statistic(examples: ExampleSet, name: str, kind: str, category: str) -> float:
    attribute, values = examples.schema.attribute(name), examples.column(name)
    missing = is_missing(values)
    if kind == "unknown":
        return int(missing.sum())
    if kind == "count":
        return _count(attribute, values, category)
    if not attribute.value_type.is_numerical:
        raise DataError(
            f'"{name}" is {attribute.value_type} and has no {kind}.',
            hint="Use count or unknown, or a numerical attribute.",
        )
    known = values[~missing]
    if len(known) < (2 if kind in ("deviation", "variance") else 1):
        raise DataError(f'"{name}" has too few known values for its {kind}.')
    figures: Mapping[str, Callable[[Any], Any]] = {
        "average": np.mean,
        "deviation": lambda x: np.std(x, ddof=1),
        "variance": lambda x: np.var(x, ddof=1),
        "min": np.min,
        "max": np.max,
    }
    return float(figures[kind](known))


def _count(attribute: Attribute, values: npt.NDArray[Any], wanted: str) -> int:
    if attribute.value_type.is_nominal:
        known = wanted in attribute.categories
        return int((values == attribute.categories.index(wanted)).sum()) if known else 0
    try:
        return int((values == float(wanted)).sum())
    except ValueError:
        text = f'attribute_value is "{wanted}", but "{attribute.name}" has numbers.'
        raise ParameterError(text) from None


@operator(
    group=GROUP,
    role="control",
    describe=lambda inputs, parameters: inputs["store"],
    aliases=Aliases(ports={"stored": "store"}, parameters={"name": "remember_as"}),
    tags=("keep", "cache", "variable"),
    pure=False,
)
def remember(
    store: FlowObject,
    *,
    remember_as: Annotated[
        str, Field(description="Name to recall it by.", examples=["best"], min_length=1)
    ],
    ctx: Context,
) -> Annotated[FlowObject, Named("store", "The same.")]:
    """Remember

    Stores a result under a name until the end of the run. Recall returns it, also in another inner
    process. Use a connection where one is possible, because it is easier to follow.

    Each iteration of a loop starts with the results remembered before the loop; those of
    the last iteration remain afterwards.
    """
    ctx.state.remembered[remember_as] = store
    return store


@operator(
    group=GROUP,
    role="control",
    aliases=Aliases(parameters={"name": "remembered_as"}),
    tags=("retrieve", "get", "variable"),
    pure=False,
)
def recall(
    after: Annotated[
        list[FlowObject | None],
        Named(description="Results to wait for; they are not passed on."),
    ],
    *,
    remembered_as: Annotated[
        str, Field(description="Name it was remembered by.", examples=["best"], min_length=1)
    ],
    remove_from_store: Annotated[
        bool, Field(description="Remove the stored result, to free memory.")
    ] = True,
    ctx: Context,
) -> Annotated[FlowObject, Named("result")]:
    """Recall

    Returns the result that Remember has stored under a name. Remember must run
    before: connect an operator that runs later to the input, or place Recall after Remember.
    """
    kept = ctx.state.remembered
    if remembered_as not in kept:
        known = (
            f"There are {enumerate_names(list(kept))}." if kept else "Nothing is remembered yet."
        )
        raise DataError(
            f'Nothing was remembered as "{remembered_as}".',
            hint=did_you_mean(remembered_as, kept) or known,
        )
    return kept.pop(remembered_as) if remove_from_store else kept[remembered_as]
