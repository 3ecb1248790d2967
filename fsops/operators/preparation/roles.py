"""What attributes are there for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from fsops.core import Aliases, AttributeName, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData


def _roles(parameters: Mapping[str, Any]) -> dict[str, str]:
    first = {parameters["attribute_name"]: parameters["target_role"]}
    return {**first, **parameters["set_additional_roles"]}


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs["examples"]
    if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
        return meta
    return ExampleSetMetaData(schema=meta.schema.with_roles(_roles(parameters)), rows=meta.rows)


@operator(
    group="Preparation/Roles",
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
        Field(description="Its role: regular, label, id, weight, batch, prediction, or any word."),
    ] = "regular",
    set_additional_roles: Annotated[
        dict[str, str], Field(description="Roles of further attributes, by name.")
    ] = {},
) -> ExampleSet:
    """Set Role

    Says what an attribute is there for: label is what is to be predicted, id names the rows,
    regular attributes are what learners and weightings see. Whoever held the role before becomes
    regular.
    """
    return examples.with_roles({attribute_name: target_role, **set_additional_roles})
