"""Attributes by formulas in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Aliases, File, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData
from fsops.data.expression import Expression
from fsops.errors import FsopsError, quoted
from fsops.storage.constructions_file import read_constructions_file


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    return ExampleSetMetaData(rows=meta.rows if isinstance(meta, ExampleSetMetaData) else None)


@operator(
    group="Preparation/Generation",
    role="preparation",
    accepts=Accepts(missing=True, infinite=True),
    describe=_describe,
    aliases=Aliases(keys=("legacy:read_constructions",), ports={"example set": "examples"}),
    tags=("load", "formulas", "feature construction", "att", "yagga", "derive"),
)
def read_constructions(
    examples: ExampleSet,
    *,
    path: Annotated[
        str, File((".att",)), Field(description="The file, as Write Constructions writes it.")
    ],
    keep_all: Annotated[
        bool, Field(description="Keep attributes of the table that the file does not name.")
    ] = False,
) -> ExampleSet:
    """Read Constructions

    Computes the attributes of a file of Write Constructions from the attributes of the table.
    Attributes that the table has already are not changed. The formulas are those of Generate
    Attributes. Relative paths start at the folder of the process file.
    """
    formulas = read_constructions_file(path)
    columns = []
    for name, formula in formulas.items():
        if name in examples.schema:
            continue
        try:
            attribute, values = Expression.parse(formula).column(name, examples)
        except FsopsError as error:
            message = f"{quoted(name)} cannot be constructed. {error.message}"
            raise type(error)(message, hint=error.hint) from None
        columns.append((attribute, np.asarray(values)))
    old = examples.schema.regular_names
    kept = [*old] if keep_all else [name for name in old if name in formulas]
    table = examples.select_regular(kept)
    return table.with_columns(columns) if columns else table
