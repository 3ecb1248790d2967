"""What attributes are there for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from fsops.core import Aliases, AttributeName, Context, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData
from fsops.errors import quoted


def _roles(parameters: Mapping[str, Any]) -> dict[str, str]:
    first = {parameters["attribute_name"]: parameters["target_role"]}
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
    attribute_name: Annotated[str, AttributeName(), Field(description="The attribute.")],
    target_role: Annotated[
        str,
        Field(
            description="Its role: regular, label, id, weight, group, pair, batch, covariate, "
            "prediction, or any word."
        ),
    ] = "regular",
    set_additional_roles: Annotated[
        dict[str, str], Field(description="Roles of further attributes, by name.")
    ] = {},
    ctx: Context,
) -> ExampleSet:
    """Set Role

    Says what an attribute is there for: label is what is to be predicted, id names the rows,
    regular attributes are what learners and weightings see. An attribute that had the role before
    becomes regular, with a warning: a label that learners see can give away the new one.

    Roles of the design of a study: rows with the same value of group (samples of one patient) or of
    pair (before and after) are never separated by splits and resamples. A batch (one plate) can be
    a fold of its own (split_on_batch_attribute). Several attributes may be a covariate.
    """
    wanted = {attribute_name: target_role, **set_additional_roles}
    changed = examples.with_roles(wanted)
    for name, role in examples.schema.roles.items():
        if name not in changed.schema.roles and name not in wanted:
            ctx.warn(
                f"{quoted(name)} was {role} and is regular now: learners and weightings will see "
                "it. Leave it out, or give it another role, if they should not."
            )
    return changed
