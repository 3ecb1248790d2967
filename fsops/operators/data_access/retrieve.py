"""Operators that bring data into a process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from fsops.core import Aliases, Context, Expert, File, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, metadata_of
from fsops.errors import ParameterError
from fsops.plugins import Sample, plugins
from fsops.storage.parquet import parquet_metadata, read_parquet_table
from fsops.storage.tables import CsvFormat, csv_metadata, read_table


def _sample(entry: str) -> Sample:
    """Return the sample a repository path ends in, such as ``//Samples/data/Iris``."""
    return plugins().sample(entry.rpartition("/")[2])


def _describe_sample(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return metadata_of(_sample(parameters["repository_entry"]).load())


@operator(
    group="Data access",
    describe=_describe_sample,
    aliases=Aliases(ports={"output": "examples"}),
    tags=("sample", "load", "open", "example data"),
)
def retrieve(
    *,
    repository_entry: Annotated[
        str, Field(description='Name of the data, such as "iris".', examples=["iris"])
    ],
) -> ExampleSet:
    """Retrieve

    Brings sample data into the process by name: golf, iris, wine, breast cancer, diabetes, digits,
    and what plugins add. For your own files use Read CSV.

    A repository path such as ``//Samples/data/Iris`` means its last part. Upper and lower case,
    spaces and underscores do not matter.
    """
    return _sample(repository_entry).load()


Label = Annotated[str | None, Field(description="Column to predict; it gets the role label.")]
Id = Annotated[str | None, Field(description="Column that names the rows; it gets the role id.")]
Skip = Annotated[list[str], Field(description="Columns to leave out.")]
Types = Annotated[
    dict[str, str],
    Field(description="Value types by column where the guess is wrong: real, polynominal, …"),
]


def _csv_format(parameters: Mapping[str, Any]) -> CsvFormat:
    return CsvFormat(
        separator=parameters["column_separators"],
        decimal=parameters["decimal_character"],
        encoding=parameters["encoding"],
        header=parameters["first_row_as_names"],
        missing=tuple(parameters["missing_values"]),
        types=tuple(sorted(parameters["types"].items())),
        roles=_roles(parameters["label"], parameters["id"]),
        skip=tuple(parameters["skip"]),
    )


def _roles(label: str | None, identity: str | None) -> tuple[tuple[str, str], ...]:
    if label is not None and label == identity:
        raise ParameterError(
            f'label and id are both "{label}", but an attribute has one role.',
            hint="Choose another column for one of them.",
        )
    wanted = ((label, "label"), (identity, "id"))
    return tuple((name, role) for name, role in wanted if name is not None)


def _describe_csv(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    return csv_metadata(parameters["csv_file"], _csv_format(parameters))


@operator(
    group="Data access",
    describe=_describe_csv,
    aliases=Aliases(ports={"output": "examples"}),
    tags=("load", "open", "import", "text file", "table", "tsv"),
)
def read_csv(
    *,
    csv_file: Annotated[
        str, File((".csv", ".tsv", ".txt")), Field(description="The file to read.")
    ],
    column_separators: Annotated[
        str, Field(description='Character between the columns, "tab", or "auto" to look for it.')
    ] = "auto",
    label: Label = None,
    id: Id = None,
    skip: Skip = [],
    types: Types = {},
    first_row_as_names: Annotated[
        bool, Field(description="Whether the first row holds the names of the columns.")
    ] = True,
    decimal_character: Annotated[
        str,
        Expert(),
        Field(description="Character before the decimals.", min_length=1, max_length=1),
    ] = ".",
    encoding: Annotated[str, Expert(), Field(description="How characters are stored.")] = "utf-8",
    missing_values: Annotated[
        list[str], Expert(), Field(description="What stands for a missing value.")
    ] = ["", "?", "NA", "NaN", "nan", "null", "NULL"],
    ctx: Context,
) -> ExampleSet:
    """Read CSV

    Reads a table from a text file, one row per line. Numbers become numerical attributes, dates
    and everything else nominal ones; ``types`` corrects a wrong guess.

    A column that is almost all numbers but holds some text is read as nominal, with a warning that
    names the first such row. Rows of unequal length are an error that names the line.
    Relative paths start at the folder of the process file.
    """
    wanted = CsvFormat(
        column_separators,
        decimal_character,
        encoding,
        first_row_as_names,
        tuple(missing_values),
        tuple(sorted(types.items())),
        _roles(label, id),
        tuple(skip),
    )
    examples, warnings = read_table(csv_file, wanted)
    for warning in warnings:
        ctx.warn(warning)
    return examples


def _parquet_layout(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "roles": dict(_roles(parameters["label"], parameters["id"])),
        "types": parameters["types"],
        "skip": parameters["skip"],
    }


def _describe_parquet(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    return parquet_metadata(parameters["parquet_file"], **_parquet_layout(parameters))


@operator(
    group="Data access",
    describe=_describe_parquet,
    tags=("load", "open", "import", "arrow", "table", "expression matrix"),
)
def read_parquet(
    *,
    parquet_file: Annotated[str, File((".parquet",)), Field(description="The file to read.")],
    label: Label = None,
    id: Id = None,
    skip: Skip = [],
    types: Types = {},
) -> ExampleSet:
    """Read Parquet

    Reads a table from a Parquet file, the compact format of Arrow, pandas and R. Value types and
    roles that fsops wrote into the file are kept.

    Relative paths start at the folder of the process file.
    """
    return read_parquet_table(parquet_file, roles=dict(_roles(label, id)), types=types, skip=skip)
