"""Operators that write files and pass on their inputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fsops.core import Aliases, Context, Expert, File, operator
from fsops.data import AttributeWeights, ExampleSet, MetaData
from fsops.errors import enumerate_names
from fsops.operators.data_access.read import GROUP, MISSING, Encoding
from fsops.storage.arff import write_arff_table
from fsops.storage.constructions_file import write_constructions_file
from fsops.storage.csv_writer import CsvStyle, write_csv_table
from fsops.storage.excel import write_excel_table
from fsops.storage.parquet import write_parquet_table
from fsops.storage.special_format import SpecialStyle, write_special_table
from fsops.storage.weights_file import write_weights_file

PORTS = {"input": "examples", "through": "examples"}
Names = Annotated[bool, Field(description="Write the names of the attributes into the first row.")]


def _same(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return next(iter(inputs.values()))


@operator(
    group=GROUP,
    role="utility",
    describe=_same,
    aliases=Aliases(ports=PORTS),
    tags=("save", "export", "text file", "tsv"),
)
def write_csv(
    examples: ExampleSet,
    *,
    path: Annotated[
        str, File((".csv", ".tsv", ".txt"), write=True), Field(description="The file to write.")
    ],
    column_separator: Annotated[
        str, Field(description='Character between the columns, or "tab".')
    ] = ";",
    write_attribute_names: Names = True,
    quote_nominal_values: Annotated[
        bool,
        Field(
            description="Put quotes around all names and texts; otherwise only where they are "
            "needed."
        ),
    ] = True,
    decimal_character: Annotated[
        str,
        Expert(),
        Field(description="Character before the decimals.", min_length=1, max_length=1),
    ] = ".",
    encoding: Encoding = "utf-8",
    safe: Annotated[
        bool,
        Expert(),
        Field(
            description="Put ' before names and texts that a spreadsheet would execute as a "
            "formula, such as =1+1."
        ),
    ] = False,
    ctx: Context,
) -> ExampleSet:
    """Write CSV

    Writes a table to a text file, one row per line, and passes it on. Numbers keep every bit;
    missing values are left empty. An existing file of that name is replaced.

    CSV files store neither roles nor types: name the label again when you read the file, or use
    Write Parquet or Write ARFF, which store both. A warning names categories that Read CSV would
    take for missing values. Relative paths start at the folder of the process file.
    """
    style = CsvStyle(
        column_separator,
        decimal_character,
        encoding,
        write_attribute_names,
        quote_nominal_values,
        safe=safe,
    )
    write_csv_table(examples, path, style)
    schema = examples.schema
    lost = schema.names_at(schema.categories(np.arange(len(schema))).holding(MISSING))
    if lost:
        ctx.warn(
            f"Read CSV will read some categories of {enumerate_names(lost)} as missing values. "
            "Set its missing_values when reading, or use Write Parquet."
        )
    return examples


@operator(group=GROUP, role="utility", describe=_same, tags=("save", "export", "arrow"))
def write_parquet(
    examples: ExampleSet,
    *,
    path: Annotated[str, File((".parquet",), write=True), Field(description="The file to write.")],
) -> ExampleSet:
    """Write Parquet

    Writes a table to a Parquet file, the compact format of Arrow, pandas and R, and passes it on.
    Read Parquet restores values, types, categories and roles. An existing file of that
    name is replaced. Relative paths start at the folder of the process file.
    """
    write_parquet_table(examples, path)
    return examples


@operator(
    group=GROUP,
    role="utility",
    describe=_same,
    aliases=Aliases(ports=PORTS),
    tags=("save", "export", "weka"),
)
def write_arff(
    examples: ExampleSet,
    *,
    path: Annotated[str, File((".arff",), write=True), Field(description="The file to write.")],
) -> ExampleSet:
    """Write ARFF

    Writes a table to an ARFF file, the format of Weka, and passes it on. Types and categories are
    declared in the file, and roles are in a comment that Read ARFF understands and other
    programs ignore. An existing file of that name is replaced. Relative paths start at the folder
    of the process file.
    """
    write_arff_table(examples, path, Path(path).stem)
    return examples


@operator(
    group=GROUP,
    role="utility",
    describe=_same,
    aliases=Aliases(ports=PORTS),
    tags=("save", "export", "spreadsheet", "xlsx", "workbook"),
)
def write_excel(
    examples: ExampleSet,
    *,
    path: Annotated[str, File((".xlsx",), write=True), Field(description="The file to write.")],
    sheet: Annotated[
        str, Field(description="Name of the sheet.", min_length=1, max_length=31)
    ] = "Data",
    write_attribute_names: Names = True,
) -> ExampleSet:
    """Write Excel

    Writes a table to the only sheet of a new Excel workbook and passes it on. An existing file of
    that name is replaced. Texts that look like a formula stay texts.

    Excel files have no roles and no infinite values, round dates to milliseconds, and hold at most
    16,384 columns: use Write Parquet for large tables. Needs the package openpyxl (``pip install
    "fsops[excel]"``). Relative paths start at the folder of the process file.
    """
    write_excel_table(examples, path, sheet=sheet, header=write_attribute_names)
    return examples


@operator(
    group=GROUP,
    role="utility",
    describe=_same,
    aliases=Aliases(
        keys=("legacy:write_weights", "AttributeWeightsWriter"),
        ports={"input": "weights", "through": "weights"},
    ),
    tags=("save", "export", "attribute weights", "wgt"),
)
def write_weights(
    weights: AttributeWeights,
    *,
    path: Annotated[
        str, File((".wgt", ".csv"), write=True), Field(description="The file to write.")
    ],
) -> AttributeWeights:
    """Write Weights

    Writes attribute weights to a file and passes them on: as RapidMiner's XML if the name ends in
    .wgt, else as CSV with the columns attribute and weight, and one for each detail such as a
    p-value. Numbers keep every bit, and the attributes their order. XML holds the weights only.
    An existing file of that name is replaced. Relative paths start at the folder of the process
    file.
    """
    write_weights_file(weights, path)
    return weights


@operator(
    group=GROUP,
    role="utility",
    describe=_same,
    aliases=Aliases(keys=("write_special",), ports=PORTS),
    tags=("save", "export", "template", "text file", "predictions"),
)
def write_special_format(
    examples: ExampleSet,
    *,
    path: Annotated[
        str, File((".dat", ".txt"), write=True), Field(description="The file to write.")
    ],
    special_format: Annotated[
        str, Field(description="Template of a line, such as $i: $l $p.", examples=["$a[,]"])
    ],
    fraction_digits: Annotated[
        int, Field(ge=-1, le=300, description="Number of decimals; -1: all.")
    ] = -1,
    add_line_separator: Annotated[
        bool, Field(description="Start a new line after each row.")
    ] = True,
    quote_nominal_values: Annotated[
        bool, Field(description="Put categories and texts into quotes.")
    ] = True,
) -> ExampleSet:
    """Write Special Format

    Writes a text for each row, made from a template, and passes the table on. Signs after a dollar
    are replaced:

    - $l label, $p prediction, $i id, $w weight, $b batch
    - $a all regular attributes, $a[,] with a comma between them
    - $s[ ][:] the regular attributes that are not 0, as number:value
    - $v[name] one attribute, $k[3] the third regular one
    - $d all confidences, $d[class] that of a class
    - $n new line, $t tab, $$ $[ $] the signs themselves

    Missing values are written as ?. An existing file of that name is replaced. Relative paths start
    at the folder of the process file.
    """
    style = SpecialStyle(fraction_digits, quote_nominal_values)
    end = "\n" if add_line_separator else ""
    write_special_table(examples, path, special_format, style, end)
    return examples


@operator(
    group=GROUP,
    role="utility",
    describe=_same,
    aliases=Aliases(keys=("legacy:write_constructions",), ports=PORTS),
    tags=("save", "export", "formulas", "feature construction", "att", "yagga"),
)
def write_constructions(
    examples: ExampleSet,
    *,
    path: Annotated[str, File((".att",), write=True), Field(description="The file to write.")],
) -> ExampleSet:
    """Write Constructions

    Writes the formula of each regular attribute to an XML file and passes the table on. The formula
    of an attribute made by Optimize by Generation is an expression such as (a1 * a2); the formula
    of any other attribute is its name. Read Constructions computes them for another table. An
    existing file of that name is replaced. Relative paths start at the folder of the process file.
    """
    write_constructions_file(examples, path)
    return examples
