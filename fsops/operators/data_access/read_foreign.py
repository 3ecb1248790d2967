"""Operators that read tables of other statistics programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from fsops.core import File, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, metadata_of
from fsops.operators.data_access.read import (
    GROUP,
    Id,
    Label,
    Roles,
    Skip,
    Types,
    is_small,
    roles_of,
)
from fsops.storage.foreign_tables import read_r_table, read_statistics_table


def _layout(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "roles": dict(roles_of(parameters["label"], parameters["id"], parameters["roles"])),
        "types": parameters["types"],
        "skip": parameters["skip"],
    }


def _describe_statistics(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    file = parameters["path"]
    if not is_small(file):
        return ExampleSetMetaData()
    labels = parameters["value_labels"]
    return metadata_of(read_statistics_table(file, value_labels=labels, **_layout(parameters)))


@operator(
    group=GROUP,
    role="source",
    describe=_describe_statistics,
    tags=("load", "open", "import", "spss", "stata", "sas", "table"),
)
def read_statistics_file(
    *,
    path: Annotated[
        str,
        File((".dta", ".sav", ".zsav", ".sas7bdat", ".xpt")),
        Field(description="The file to read."),
    ],
    label: Label = None,
    id: Id = None,
    roles: Roles = {},
    skip: Skip = [],
    types: Types = {},
    value_labels: Annotated[
        bool, Field(description="Convert codes with labels, such as 1 = female, to categories.")
    ] = True,
) -> ExampleSet:
    """Read SPSS, Stata or SAS

    Reads a table of another statistics program: SPSS (.sav, .zsav), Stata (.dta) or SAS (.sas7bdat,
    .xpt). Numbers become numerical attributes; all other values become nominal attributes. SPSS
    files need the package pyreadstat (``pip install "fsops[statistics-files]"``). Relative paths
    start at the folder of the process file.
    """
    wanted = dict(roles_of(label, id, roles))
    return read_statistics_table(
        path, value_labels=value_labels, roles=wanted, types=types, skip=skip
    )


def _describe_r(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    file = parameters["path"]
    if not is_small(file):
        return ExampleSetMetaData()
    return metadata_of(read_r_table(file, name=parameters["object"], **_layout(parameters)))


@operator(
    group=GROUP,
    role="source",
    describe=_describe_r,
    tags=("load", "open", "import", "rds", "rdata", "data frame", "table"),
)
def read_r(
    *,
    path: Annotated[str, File((".rds", ".rda", ".rdata")), Field(description="The file to read.")],
    object: Annotated[
        str,
        Field(description="Name of the data frame in a file with several; empty: the only one."),
    ] = "",
    label: Label = None,
    id: Id = None,
    roles: Roles = {},
    skip: Skip = [],
    types: Types = {},
) -> ExampleSet:
    """Read R

    Reads a data frame that R has saved by saveRDS (.rds) or save (.RData, .rda). Factors become
    nominal attributes; row names that are not numbers of the rows become the id. Code in the file
    is never run. Needs the package rdata (``pip install "fsops[r-files]"``).
    Relative paths start at the folder of the process file.
    """
    wanted = dict(roles_of(label, id, roles))
    return read_r_table(path, name=object, roles=wanted, types=types, skip=skip)
