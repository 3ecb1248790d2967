"""Generated data of a direct mailing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from fsops.algorithms.preparation.mailing import (
    CARS,
    FAMILIES,
    LIFESTYLES,
    SPORTS,
    mailing_rows,
)
from fsops.core import Aliases, Context, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData, ValueType
from fsops.data.columns import nominal_column
from fsops.data.schema import LABEL

CLASSES = ("no response", "response")


def _columns() -> list[Attribute]:
    """Return all attributes but the name."""
    return [
        Attribute("age", ValueType.INTEGER),
        Attribute.nominal("lifestyle", LIFESTYLES),
        Attribute("zip code", ValueType.INTEGER),
        Attribute.nominal("family status", FAMILIES),
        Attribute.nominal("car", CARS),
        Attribute.nominal("sports", SPORTS),
        Attribute("earnings", ValueType.INTEGER),
        Attribute.nominal("label", CLASSES, LABEL),
    ]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return ExampleSetMetaData(rows=parameters["number_of_rows"])  # every name is a category


@operator(
    group="Data access",
    role="source",
    describe=_describe,
    aliases=Aliases(ports={"output": "examples"}),
    tags=("simulation", "synthetic", "marketing", "customers", "lift chart"),
    random=True,
)
def generate_direct_mailing_data(
    *,
    number_of_rows: Annotated[int, Field(ge=1, description="Number of rows.")] = 100,
    ctx: Context,
) -> ExampleSet:
    """Generate Direct Mailing Data

    Generates customers who answer a mailing or not, to try learners on mixed data with a known
    rule. Customers older than 55 or with a zip code below 15000 respond with a probability between
    0.8 and 0.95, others if they earn more than 140000. Lifestyle, family status, car, sports and
    name have no influence.
    """
    names, columns = mailing_rows(number_of_rows, ctx.rng("rows"))
    made = [nominal_column("name", names)]
    return ExampleSet.from_columns([*made, *zip(_columns(), columns, strict=True)], number_of_rows)
