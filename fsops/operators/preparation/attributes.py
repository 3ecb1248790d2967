"""Which attributes a table has, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Unpack

import numpy as np
from pydantic import Field

from fsops.core import AttributeName, Context, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, Schema
from fsops.errors import ParameterError
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import ALIASES, describe_change


def _kept(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    spared = () if parameters["include_special_attributes"] else tuple(schema.roles)
    return schema.take(np.sort(schema.positions([*names, *spared])))


@operator(
    group="Preparation/Attributes",
    role="preparation",
    describe=describe_change(_kept),
    aliases=ALIASES,
    tags=("filter columns", "keep", "drop", "remove", "subset", "regex", "features"),
)
def select_attributes(
    examples: ExampleSet, *, ctx: Context, **attribute_filter: Unpack[AttributeFilter]
) -> ExampleSet:
    """Select Attributes

    Keeps the attributes that fit a name, a list, a regular expression, a value type, a share of
    missing values or a condition on their values. No value is changed.

    Label, id and other special attributes stay, unless include_special_attributes lets the choice
    fall on them too. To keep the attributes with the best weights use Select by Weights.
    """
    names = selected_names(examples, attribute_filter)
    if not names:
        ctx.warn("No attribute fits: none is kept.")
    kept = _kept(examples.schema, names, attribute_filter)
    return examples.select(kept.names)


def _new_names(parameters: Mapping[str, Any]) -> dict[str, str]:
    more = parameters["rename_additional_attributes"]
    if parameters["old_name"] in more:
        raise ParameterError(
            f'"{parameters["old_name"]}" gets two new names: "{parameters["new_name"]}", and '
            f'"{more[parameters["old_name"]]}" by rename_additional_attributes.',
            hint="Give each attribute one.",
        )
    return {parameters["old_name"]: parameters["new_name"], **more}


def _describe_renamed(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs["examples"]
    if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
        return meta
    new = _new_names(parameters)
    missing = frozenset(new.get(name, name) for name in meta.missing)
    return replace(meta, schema=meta.schema.renamed(new), missing=missing)


@operator(
    group="Preparation/Attributes",
    role="preparation",
    describe=_describe_renamed,
    aliases=ALIASES,
    tags=("name", "column", "label"),
)
def rename(
    examples: ExampleSet,
    *,
    old_name: Annotated[str, AttributeName(), Field(description="The attribute.")],
    new_name: Annotated[str, Field(description="Its new name.")],
    rename_additional_attributes: Annotated[
        dict[str, str], Field(description="New names of further attributes, by their old names.")
    ] = {},
) -> ExampleSet:
    """Rename

    Gives attributes other names. All are renamed at once, so that two can swap their names.
    """
    new = {"old_name": old_name, "new_name": new_name}
    return examples.rename(
        _new_names({**new, "rename_additional_attributes": rename_additional_attributes})
    )
