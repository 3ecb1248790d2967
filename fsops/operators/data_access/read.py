"""Operators that read files; what knows a format is imported when a file of it is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from fsops.core import Aliases, Context, Expert, File, When, operator
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    WeightsMetaData,
    metadata_of,
)
from fsops.errors import ParameterError
from fsops.storage.tables import DESCRIBED_BYTES, csv_metadata, read_table
from fsops.storage.text_files import CsvFormat, existing_file
from fsops.storage.weights_file import read_weights_file

if TYPE_CHECKING:
    from fsops.storage.excel import ExcelFormat

GROUP = "Data access"
OUTPUT = {"output": "examples"}
MISSING = ["", "?", "NA", "NaN", "nan", "null", "NULL"]
DESCRIBED_WORKBOOK = 2**18  # bytes; a larger one takes too long to unpack

Encoding = Annotated[str, Expert(), Field(description="Character encoding of the file.")]
FirstRow = Annotated[bool, Field(description="Read the names of the columns from the first row.")]
MissingValues = Annotated[list[str], Expert(), Field(description="Text of a missing value.")]
Label = Annotated[str | None, Field(description="Column to predict; it gets the role label.")]
Id = Annotated[str | None, Field(description="Column that names the rows; it gets the role id.")]
Roles = Annotated[
    dict[str, str],
    Field(
        description="Roles of further columns, none of which is selected from. group: rows with "
        "the same value belong together and are never separated; pair: matched rows, likewise; "
        "batch: measured together; covariate: a known influence; weight: weight of the row; "
        "event: 1 if the event happened at the time that is the label, 0 if it is censored."
    ),
]
Duplicates = Annotated[
    Literal["refuse", "number", "mean", "first"],
    Field(
        description="Columns with the same name: an error; numbered, such as g1 and g1.1; their "
        "mean; or only the first."
    ),
]
Transpose = Annotated[
    bool,
    Field(
        description="Exchange rows and columns: for files with attributes in rows and examples in "
        "columns, such as tables of gene expression."
    ),
]
Skip = Annotated[list[str], Field(description="Columns to leave out.")]
Types = Annotated[
    dict[str, str],
    Field(
        description="Value types by column where the guess is wrong: real, polynominal, … Ordered "
        "categories: ordinal(low < middle < high)."
    ),
]


def _csv_format(parameters: Mapping[str, Any]) -> CsvFormat:
    return CsvFormat(
        separator=parameters["column_separator"],
        decimal=parameters["decimal_character"],
        encoding=parameters["encoding"],
        header=parameters["first_row_as_names"],
        missing=tuple(parameters["missing_values"]),
        types=tuple(sorted(parameters["types"].items())),
        roles=roles_of(parameters["label"], parameters["id"], parameters["roles"]),
        skip=tuple(parameters["skip"]),
        comment=parameters["comment_characters"] if parameters["skip_comments"] else "",
        transposed=parameters["transpose"],
        names_column=parameters["names_column"] or "",
        duplicates=parameters["duplicates"],
    )


def roles_of(
    label: str | None, identity: str | None, further: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Return the role of each column that has one."""
    named = [(label, "label"), (identity, "id")]
    wanted = [(name, role) for name, role in named if name is not None] + sorted(further.items())
    columns = [name for name, _ in wanted]
    for name in columns:
        if columns.count(name) > 1:
            given = [("label", label), ("id", identity), ("roles", name)]
            one, other = [parameter for parameter, value in given if value == name][:2]
            raise ParameterError(
                f'{one} and {other} are both "{name}", but an attribute has one role.',
                hint="Choose another column for one of them.",
            )
    return tuple(wanted)


def _describe_csv(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    return csv_metadata(parameters["path"], _csv_format(parameters))


@operator(
    group=GROUP,
    role="source",
    describe=_describe_csv,
    aliases=Aliases(ports=OUTPUT),
    tags=("load", "open", "import", "text file", "table", "tsv"),
)
def read_csv(
    *,
    path: Annotated[
        str,
        File((".csv", ".tsv", ".txt", ".tab", ".gz", ".bz2", ".xz", ".zst", ".zip")),
        Field(description="The file to read; it may be compressed."),
    ],
    column_separator: Annotated[
        str, Field(description='Character between the columns, "tab", or "auto" to detect it.')
    ] = "auto",
    label: Label = None,
    id: Id = None,
    roles: Roles = {},
    skip: Skip = [],
    types: Types = {},
    first_row_as_names: FirstRow = True,
    decimal_character: Annotated[
        str,
        Expert(),
        Field(description="Character before the decimals.", min_length=1, max_length=1),
    ] = ".",
    encoding: Encoding = "utf-8",
    missing_values: MissingValues = MISSING,
    transpose: Transpose = False,
    names_column: Annotated[
        str | None,
        When(transpose=True),
        Field(description="Column with the names of the attributes; empty: the first."),
    ] = None,
    duplicates: Duplicates = "refuse",
    skip_comments: Annotated[
        bool, Field(description="Skip lines that start with comment_characters.")
    ] = False,
    comment_characters: Annotated[
        str,
        When(skip_comments=True),
        Expert(),
        Field(description="Start of lines to skip.", min_length=1, max_length=10),
    ] = "#",
    ctx: Context,
) -> ExampleSet:
    """Read CSV

    Reads a table from a text file, one row per line. Numbers become numerical attributes; dates and
    all other values become nominal attributes. ``types`` corrects a wrong guess.

    A column of numbers that also has some texts is read as nominal, with a warning that names the
    first row with a text. If rows have different lengths, the error names the line. Relative paths
    start at the folder of the process file.

    Compressed files (gzip, bz2, xz, zstd, zip with one file) are unpacked, up to the limit that
    FSOPS_FILE_LIMIT sets. Where the header has one name fewer than the rows, as R's write.table
    writes it, the first column is the id. With transpose, columns that describe attributes, such as
    Gene Symbol, are left out, and the names of the columns are the id "sample".
    """
    wanted = CsvFormat(
        column_separator,
        decimal_character,
        encoding,
        first_row_as_names,
        tuple(missing_values),
        tuple(sorted(types.items())),
        roles_of(label, id, roles),
        tuple(skip),
        comment_characters if skip_comments else "",
        transpose,
        names_column or "",
        duplicates,
    )
    examples, warnings = read_table(path, wanted)
    for warning in warnings:
        ctx.warn(warning)
    return examples


def _parquet_layout(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "roles": dict(roles_of(parameters["label"], parameters["id"], parameters["roles"])),
        "types": parameters["types"],
        "skip": parameters["skip"],
    }


def _describe_parquet(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    from fsops.storage.parquet import parquet_metadata

    return parquet_metadata(
        parameters["path"],
        streaming=parameters["streaming"],
        **_parquet_layout(parameters),
    )


def _geo_format(parameters: Mapping[str, Any]) -> CsvFormat:
    return CsvFormat(
        separator="tab",
        encoding=parameters["encoding"],
        missing=tuple(MISSING),
        types=tuple(sorted(parameters["types"].items())),
        roles=roles_of(parameters["label"], None, parameters["roles"]),
        skip=tuple(parameters["skip"]),
        duplicates="number",
        geo=True,
    )


def _describe_geo(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    return csv_metadata(parameters["path"], _geo_format(parameters))


@operator(
    group=GROUP,
    role="source",
    describe=_describe_geo,
    tags=("load", "open", "import", "gene expression omnibus", "microarray", "series_matrix"),
)
def read_geo_series_matrix(
    *,
    path: Annotated[
        str,
        File(("_series_matrix.txt", "_series_matrix.txt.gz")),
        Field(description="The file, such as GSE1_series_matrix.txt.gz."),
    ],
    label: Annotated[
        str | None,
        Field(description="Characteristic of the samples to predict; it gets the role label."),
    ] = None,
    roles: Roles = {},
    skip: Skip = [],
    types: Types = {},
    encoding: Encoding = "utf-8",
    ctx: Context,
) -> ExampleSet:
    """Read GEO Series Matrix

    Reads a series matrix of the Gene Expression Omnibus: a row for each sample, a column for each
    probe. The characteristics of the samples, such as "disease: tumour", become columns with these
    names. One of them is the label. The others have a special role, so that they are not
    selected; give them the role regular (parameter roles) to select from them.

    The id of the rows is the sample, such as GSM1. Compressed files are unpacked.
    Relative paths start at the folder of the process file.
    """
    parameters = {
        "label": label, "roles": roles, "skip": skip, "types": types, "encoding": encoding
    }  # fmt: skip
    examples, warnings = read_table(path, _geo_format(parameters))
    for warning in warnings:
        ctx.warn(warning)
    return examples


@operator(
    group=GROUP,
    role="source",
    describe=_describe_parquet,
    tags=("load", "open", "import", "arrow", "table", "expression matrix"),
)
def read_parquet(
    *,
    path: Annotated[
        str, File((".parquet",)), Field(description="The file to read, or a folder of such files.")
    ],
    label: Label = None,
    id: Id = None,
    roles: Roles = {},
    skip: Skip = [],
    types: Types = {},
    streaming: Annotated[
        bool,
        Field(
            description="Do not load the table, even if it fits into memory; filters then read "
            "it in blocks of rows. A table that takes over half of the memory is never loaded."
        ),
    ] = False,
    ctx: Context,
) -> ExampleSet:
    """Read Parquet

    Reads a table from a Parquet file, the compact format of Arrow, pandas and R. Value types and
    roles that fsops wrote into the file are kept. If the path is a folder, all its .parquet files
    are read in the order of their names; they must have the same columns.

    The table may be larger than memory: if it takes over half of the available memory, or of
    ``fsops run --memory-limit``, it stays in its file, as with streaming. Weight by SAM, Welch
    Test, t-Test, Moderated t, F-Test, Correlation, Fisher Score, Lal Score and Entropy read the
    file once, in blocks that suit the limit. The same holds for Weight by Information Gain,
    Information Gain Ratio, Symmetric Uncertainty, Gini Index, Chi Squared and Mutual Information,
    if all attributes are nominal. With numerical attributes these operators read a few attributes
    with all rows at a time, as do Weight by AUC, Weight by Wilcoxon Test and Normalize. Ranks and
    bins are exact; each attribute must fit into memory. Rows that are normalized are scaled
    whenever they are read. Select by MRMR / CFS by correlation reads the table once for the
    relevance and then once for each batch of attributes. LASSO Regression, Elastic Net and Weight
    by LASSO with a fixed penalty read it once for the correlations with the label, and once for
    each batch of attributes that may get a coefficient. Ensemble Feature Selection, Stability
    Selection and Feature Selection Stability Validation choose the rows of each resample while they
    read, and compute the moments of many resamples in one pass. The numbers are those of a table in
    memory. Parallel engines give each worker a part of the file, so the file needs the same path on
    all workers. Workers read the rows themselves and send only statistics.

    All other operators load a streamed table if it takes at most half of the memory. Choosing
    attributes and setting roles does not load the table. So a few attributes chosen by a filter can
    be loaded later. Files of fsops list the categories of nominal columns. In other files these
    columns are read once more to find the categories. The label must fit into memory.

    Relative paths start at the folder of the process file.
    """
    from fsops.storage.parquet import is_too_large, read_parquet_table, stream_parquet_table

    wanted = dict(roles_of(label, id, roles))
    if not streaming and not is_too_large(path, skip, ctx.memory_limit):
        return read_parquet_table(path, roles=wanted, types=types, skip=skip)
    return stream_parquet_table(path, roles=wanted, types=types, skip=skip, limit=ctx.memory_limit)


def is_small(file: str, most: int = DESCRIBED_BYTES) -> bool:
    """Whether a file is small enough to be read for its description."""
    return existing_file(Path(file)).stat().st_size <= most


def _arff_layout(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "roles": dict(roles_of(parameters["label"], parameters["id"], parameters["roles"])),
        "skip": parameters["skip"],
        "encoding": parameters["encoding"],
    }


def _describe_arff(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    if not is_small(parameters["path"]):
        return ExampleSetMetaData()
    from fsops.storage.arff import read_arff_table

    return metadata_of(read_arff_table(parameters["path"], **_arff_layout(parameters)))


@operator(
    group=GROUP,
    role="source",
    describe=_describe_arff,
    aliases=Aliases(keys=("ArffExampleSource",), ports=OUTPUT, parameters={"data_file": "path"}),
    tags=("load", "open", "import", "weka", "table"),
)
def read_arff(
    *,
    path: Annotated[str, File((".arff",)), Field(description="The file to read.")],
    label: Label = None,
    id: Id = None,
    roles: Roles = {},
    skip: Skip = [],
    encoding: Encoding = "utf-8",
) -> ExampleSet:
    """Read ARFF

    Reads a table from an ARFF file, the format of Weka. The file declares the type of each
    attribute and the values of nominal ones; a question mark is a missing value. Rows in braces
    (sparse ARFF) are read too; relational attributes and row weights are not.

    ARFF does not say which attribute is the label: name it. Files that Write ARFF has written
    keep their roles. Relative paths start at the folder of the process file.
    """
    from fsops.storage.arff import read_arff_table

    wanted = dict(roles_of(label, id, roles))
    return read_arff_table(path, encoding=encoding, roles=wanted, skip=skip)


def _excel_format(parameters: Mapping[str, Any]) -> ExcelFormat:
    from fsops.storage.excel import ExcelFormat

    return ExcelFormat(
        sheet=parameters["sheet"],
        header=parameters["first_row_as_names"],
        missing=tuple(parameters["missing_values"]),
        types=tuple(sorted(parameters["types"].items())),
        roles=roles_of(parameters["label"], parameters["id"], parameters["roles"]),
        skip=tuple(parameters["skip"]),
        skip_rows=parameters["skip_rows"],
        transposed=parameters["transpose"],
        duplicates=parameters["duplicates"],
    )


def _describe_excel(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    if not is_small(parameters["path"], DESCRIBED_WORKBOOK):
        return ExampleSetMetaData()
    from fsops.storage.excel import read_excel_table

    return metadata_of(read_excel_table(parameters["path"], _excel_format(parameters)))


@operator(
    group=GROUP,
    role="source",
    describe=_describe_excel,
    aliases=Aliases(ports=OUTPUT, parameters={"sheet_number": "sheet"}),
    tags=("load", "open", "import", "spreadsheet", "xlsx", "workbook", "table"),
)
def read_excel(
    *,
    path: Annotated[str, File((".xlsx", ".xlsm")), Field(description="The file to read.")],
    sheet: Annotated[
        str, Field(description="The sheet: its name, or its number counted from 1.")
    ] = "1",
    label: Label = None,
    id: Id = None,
    roles: Roles = {},
    skip: Skip = [],
    types: Types = {},
    first_row_as_names: FirstRow = True,
    missing_values: MissingValues = MISSING,
    skip_rows: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(
            description="Number of rows above the table; empty: rows with a single filled cell, "
            "such as a title, are skipped."
        ),
    ] = None,
    transpose: Transpose = False,
    duplicates: Duplicates = "refuse",
    ctx: Context,
) -> ExampleSet:
    """Read Excel

    Reads a table from a sheet of an Excel workbook. Columns of numbers become numerical, dates
    stay dates, all others are nominal; ``types`` corrects a wrong guess. Cells with a formula give
    the value that Excel has saved. Empty rows, and empty columns at the right, are skipped.
    A column of numbers that holds some text, or the error of a formula such as #DIV/0!, is read as
    nominal, with a warning that names the first such row.

    Needs the package openpyxl (``pip install "fsops[excel]"``). Save files of the old kind (.xls)
    as .xlsx first. For large tables CSV and Parquet are far faster.
    Relative paths start at the folder of the process file.
    """
    from fsops.storage.excel import ExcelFormat, read_excel_table

    wanted = ExcelFormat(
        sheet,
        first_row_as_names,
        tuple(missing_values),
        tuple(sorted(types.items())),
        roles_of(label, id, roles),
        tuple(skip),
        skip_rows,
        transpose,
        duplicates,
    )
    return read_excel_table(path, wanted, ctx.warn)


def _describe_weights(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    file = parameters["path"]
    return metadata_of(read_weights_file(file)) if is_small(file) else WeightsMetaData()


@operator(
    group=GROUP,
    role="source",
    describe=_describe_weights,
    aliases=Aliases(keys=("legacy:read_weights",), ports={"output": "weights"}),
    tags=("load", "open", "import", "attribute weights", "wgt"),
)
def read_weights(
    *,
    path: Annotated[str, File((".wgt", ".csv")), Field(description="The file to read.")],
) -> AttributeWeights:
    """Read Weights

    Reads attribute weights from a file: RapidMiner's XML (.wgt), or a CSV file with the columns
    attribute and weight, as Write Weights and ``fsops run --out`` write it. Further columns become
    details of the weights. An empty cell is an unknown weight.

    An XML file may hold 200,000 weights; use CSV for more.
    Relative paths start at the folder of the process file.
    """
    return read_weights_file(path)
