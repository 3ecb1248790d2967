"""Choosing and renaming the attributes of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Unpack

import numpy as np
from pydantic import Field

from fsops.core import AttributeName, Context, When, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, Schema
from fsops.data.names import Names
from fsops.data.patterns import user_pattern
from fsops.data.schema import different_names
from fsops.errors import ParameterError
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.cleaning import replaced
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

    Keeps the attributes that fit a name, a list, a regular expression, a value type, a fraction
    of missing values or a condition on their values. No value is changed.

    Label, id and other special attributes stay, unless include_special_attributes is set. To
    keep the attributes with the best weights use Select by Weights.
    """
    names = selected_names(examples, attribute_filter)
    if not names:
        ctx.warn("No attribute matches, so no regular attribute is kept.")
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

    Gives attributes other names. All attributes are renamed at once, so that two can swap their
    names.
    """
    new = {"old_name": old_name, "new_name": new_name}
    return examples.rename(
        _new_names({**new, "rename_additional_attributes": rename_additional_attributes})
    )


# --- by patterns ----------------------------------------------------------------------------


def _replaced_names(
    schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]
) -> dict[str, str]:
    change = replaced("replace_what", parameters["replace_what"], parameters["replace_by"])
    return {name: change(name) for name in names}


def _renamed_by_pattern(
    schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]
) -> Schema:
    return schema.renamed(_replaced_names(schema, names, parameters))


@operator(
    group="Preparation/Attributes",
    role="preparation",
    describe=describe_change(_renamed_by_pattern, keeps_missing=False),
    aliases=ALIASES,
    tags=("regular expression", "column names", "prefix", "suffix"),
)
def rename_by_replacing(
    examples: ExampleSet,
    *,
    replace_what: Annotated[
        str, Field(min_length=1, description="Regular expression to look for in the names.")
    ],
    replace_by: Annotated[
        str, Field(description="Replacement; $1 is the first group of the expression.")
    ] = "",
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    r"""Rename by Replacing

    Replaces each match of a regular expression in the names of attributes, for instance to remove a
    common prefix, or, with the expression ``\W``, all characters except letters, digits and
    underscores.

    Two attributes must not get the same name: that is an error.
    """
    names = selected_names(examples, attribute_filter)
    parameters = {"replace_what": replace_what, "replace_by": replace_by}
    return examples.rename(_replaced_names(examples.schema, names, parameters))


def _ordered(schema: Schema, parameters: Mapping[str, Any]) -> Names:
    """Return the names in their new order, without those that are removed."""
    all_names = [*schema.names]
    if parameters["sort_mode"] == "alphabetically":
        falling = parameters["sort_direction"] == "descending"
        return different_names(sorted(all_names, reverse=falling))
    wanted = parameters["attribute_ordering"]
    if parameters["use_regular_expressions"]:
        rules = [user_pattern(text, "attribute_ordering") for text in wanted]
        fits = (name for rule in rules for name in all_names if rule.fullmatch(name))
        first = [*dict.fromkeys(fits)]
    else:
        schema.positions(wanted)  # an error names those that do not exist
        first = [*dict.fromkeys(wanted)]
    listed = set(first)
    rest = [name for name in all_names if name not in listed]
    where = parameters["handle_unmatched"]
    if where == "remove":
        return different_names([*first, *(name for name in rest if name in schema.roles)])
    return different_names([*rest, *first] if where == "prepend" else [*first, *rest])


def _describe_order(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs["examples"]
    if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
        return meta
    schema = meta.schema
    return meta.with_schema(schema.take(schema.positions(_ordered(schema, parameters))))


@operator(
    group="Preparation/Attributes",
    role="preparation",
    describe=_describe_order,
    aliases=ALIASES,
    tags=("sort columns", "reorder", "arrange"),
)
def order_attributes(
    examples: ExampleSet,
    *,
    sort_mode: Annotated[
        Literal["user specified", "alphabetically"],
        Field(description="Order by a list, or by the names."),
    ] = "user specified",
    sort_direction: Annotated[
        Literal["ascending", "descending"],
        When(sort_mode="alphabetically"),
        Field(description="From A to Z, or from Z to A."),
    ] = "ascending",
    attribute_ordering: Annotated[
        list[str],
        When(sort_mode="user specified"),
        Field(description="Attributes in their new order."),
    ] = [],
    use_regular_expressions: Annotated[
        bool,
        When(sort_mode="user specified"),
        Field(description="Read the list as regular expressions for whole names."),
    ] = False,
    handle_unmatched: Annotated[
        Literal["append", "prepend", "remove"],
        When(sort_mode="user specified"),
        Field(
            description="Position of the other attributes; remove drops them, but not label, id "
            "and other roles."
        ),
    ] = "append",
) -> ExampleSet:
    """Order Attributes

    Changes the order of the attributes. The order decides between attributes with equal weights,
    and it is the order of columns in files and tables. No value changes.
    """
    parameters = {
        "sort_mode": sort_mode,
        "sort_direction": sort_direction,
        "attribute_ordering": attribute_ordering,
        "use_regular_expressions": use_regular_expressions,
        "handle_unmatched": handle_unmatched,
    }
    return examples.select(_ordered(examples.schema, parameters))
