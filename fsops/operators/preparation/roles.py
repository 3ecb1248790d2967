"""Roles of attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Unpack

from pydantic import Field

from fsops.core import Aliases, AttributeName, Context, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, Schema
from fsops.errors import quoted
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import ALIASES, describe_change


def _roles(parameters: Mapping[str, Any]) -> dict[str, str]:
    first = {parameters["attribute"]: parameters["target_role"]}
    return {**first, **parameters["set_additional_roles"]}


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs["examples"]
    if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
        return meta
    return meta.with_schema(meta.schema.with_roles(_roles(parameters)))


@operator(
    group="Preparation/Roles",
    role="preparation",
    describe=_describe,
    aliases=Aliases(ports={"example set input": "examples", "example set output": "examples"}),
    tags=("label", "target", "class", "id", "regular"),
)
def set_role(
    examples: ExampleSet,
    *,
    attribute: Annotated[str, AttributeName(), Field(description="The attribute.")],
    target_role: Annotated[
        str,
        Field(
            description="Its role: regular, label, id, weight, group, pair, batch, covariate, "
            "event, must_keep, forbidden, prediction, or any word."
        ),
    ] = "regular",
    set_additional_roles: Annotated[
        dict[str, str], Field(description="Roles of further attributes, by name.")
    ] = {},
    ctx: Context,
) -> ExampleSet:
    """Set Role

    Sets the role of an attribute: label is to be predicted, id names the rows, regular
    attributes are used by learners and weightings. An attribute that had the role before
    becomes regular, with a warning: if learners used the old label, they could guess the new one.

    Roles of the design of a study: rows with the same value of group (samples of one patient) or of
    pair (before and after) are never separated by splits and resamples. A batch (one plate) can be
    a separate fold (split_on_batch_attribute). Several attributes may be a covariate.
    If the label is a time, the attribute with the role event says whether the event happened then
    (1, or a word such as yes or dead) or the row was only observed up to then (0, censored).

    An attribute with the role must_keep is a regular attribute that every selection keeps. A
    forbidden attribute stays in the table, but no selection takes it and no learner uses it. Mark
    Attributes gives these two roles to many attributes at once.
    """
    wanted = {attribute: target_role, **set_additional_roles}
    changed = examples.with_roles(wanted)
    for name, role in examples.schema.roles.items():
        if name not in changed.schema.roles and name not in wanted:
            ctx.warn(
                f"{quoted(name)} was {role} and is regular now: learners and weightings will see "
                "it. Leave it out, or give it another role, if they should not."
            )
    return changed


def _marked(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    return schema.with_mark(schema.positions(names), parameters["mark"])


@operator(
    group="Preparation/Roles",
    role="preparation",
    describe=describe_change(_marked),
    aliases=ALIASES,
    tags=("must keep", "forbidden", "fixed features", "force in", "exclude", "known genes"),
)
def mark_attributes(
    examples: ExampleSet,
    *,
    mark: Annotated[
        Literal["must_keep", "forbidden", "regular"],
        Field(
            description="must_keep: every selection keeps the attributes. forbidden: no selection "
            "takes them, and no learner uses them. regular: take both marks away."
        ),
    ] = "must_keep",
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> ExampleSet:
    """Mark Attributes

    Gives many attributes the role must_keep, forbidden or regular. Every selection, search,
    elimination and ensemble obeys these roles. Attributes with the role must_keep are in each
    result, and learners use them. Forbidden attributes stay in the table, but no operator uses
    them.

    If a method selects a given number k of attributes, the attributes to keep count among the k. If
    they are more than k, the result has only them, with a warning. A method without such a number
    adds them to its result. To release forbidden attributes, set include_special_attributes.

    Do not keep attributes because they look good on the same rows: the performance is then
    optimistic.
    """
    names = selected_names(examples, attribute_filter)
    if not names:
        ctx.warn("No attribute matches, so no attribute is marked.")
    return examples.with_mark(names, mark)
