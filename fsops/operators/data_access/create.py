"""A table that is written in the process itself."""

from __future__ import annotations

import csv
import io
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.core import Aliases, When, operator
from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.expression import Expression
from fsops.errors import FsopsError, ParameterError, quoted

LONGEST = 1_000_000
MOST_ROWS = 100_000_000


@operator(
    group="Data access",
    role="source",
    aliases=Aliases(keys=("utility:create_exampleset",), ports={"output": "examples"}),
    tags=("manual", "inline", "small table", "by hand", "series"),
)
def create_exampleset(
    *,
    generator_type: Annotated[
        Literal["comma separated text", "attribute functions", "numeric series"],
        Field(description="Source of the rows: a text, expressions, or equal steps."),
    ] = "comma separated text",
    input_csv_text: Annotated[
        str,
        When(generator_type="comma separated text"),
        Field(description="The table as text; the first line has the names of attributes."),
    ] = "name,value\na,1\nb,2\n",
    column_separator: Annotated[
        str,
        When(generator_type="comma separated text"),
        Field(min_length=1, max_length=1, description="Character between two values."),
    ] = ",",
    parse_all_as_nominal: Annotated[
        bool,
        When(generator_type="comma separated text"),
        Field(description="Read all values as categories."),
    ] = False,
    decimal_character: Annotated[
        str,
        When(generator_type="comma separated text"),
        Field(min_length=1, max_length=1, description="Character before the decimals."),
    ] = ".",
    trim_attribute_names: Annotated[
        bool,
        When(generator_type="comma separated text"),
        Field(description="Remove spaces at the start and end of names."),
    ] = True,
    number_of_rows: Annotated[
        int,
        When(generator_type=("attribute functions", "numeric series")),
        Field(ge=1, le=MOST_ROWS, description="Number of rows."),
    ] = 100,
    function_descriptions: Annotated[
        dict[str, str],
        When(generator_type="attribute functions"),
        Field(description="Names of attributes with expressions; id is the number of the row."),
    ] = {},
    numeric_series_configuration: Annotated[
        dict[str, str],
        When(generator_type="numeric series"),
        Field(description="Names of attributes with first and last value, such as 0;10."),
    ] = {},
    add_id_attribute: Annotated[
        bool, Field(description="Add an id that counts the rows from 1.")
    ] = False,
) -> ExampleSet:
    """Create ExampleSet

    Makes a small table inside of the process: from text, from expressions as in Generate
    Attributes, or with numbers in equal steps. Use it for examples and tests, or for a table of
    constants to join with; put larger tables into a file (Read CSV).
    """
    if generator_type == "comma separated text":
        table = _from_text(
            input_csv_text, column_separator, decimal_character, parse_all_as_nominal
        )
        if trim_attribute_names:
            table = table.rename({name: name.strip() for name in table.names})
    elif generator_type == "attribute functions":
        table = _from_functions(function_descriptions, number_of_rows)
    else:
        table = _from_series(numeric_series_configuration, number_of_rows)
    if not add_id_attribute:
        return table
    if "id" in table.schema:
        raise ParameterError('"id" exists already.', hint="Switch add_id_attribute off.")
    numbers = np.arange(1.0, len(table) + 1)
    return table.with_columns([(Attribute("id", ValueType.INTEGER, "id"), numbers)])


def _from_text(text: str, separator: str, decimal: str, nominal: bool) -> ExampleSet:
    import pandas as pd

    if len(text) > LONGEST:
        raise ParameterError(
            f"input_csv_text has {len(text)} characters; at most {LONGEST} are read.",
            hint="Put the table into a file, and use Read CSV.",
        )
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            decimal=decimal,
            dtype=str if nominal else None,
            skipinitialspace=True,
            engine="python",  # the other one warns of separators that are not ASCII
        )
    except (ValueError, csv.Error) as error:
        said = str(error).strip().splitlines()[0]
        raise ParameterError(
            f"input_csv_text cannot be read: {said}.",
            hint="The first line has the names; every other line needs the same number of values.",
        ) from None
    return ExampleSet.from_pandas(frame)


def _from_functions(functions: dict[str, str], n_rows: int) -> ExampleSet:
    numbers = np.arange(1.0, n_rows + 1)
    table = ExampleSet.from_columns([(Attribute("id", ValueType.INTEGER), numbers)], n_rows)
    for name, words in functions.items():
        try:
            column = Expression.parse(words).column(name, table)
        except FsopsError as error:
            message = f"{quoted(name)} cannot be generated. {error.message}"
            raise type(error)(message, hint=error.hint) from None
        table = (
            table.with_values([column]) if name in table.schema else table.with_columns([column])
        )
    return table if "id" in functions else table.drop(["id"])


def _from_series(series: dict[str, str], n_rows: int) -> ExampleSet:
    columns = []
    for name, text in series.items():
        parts = text.replace(",", ";").split(";")
        try:
            first, last = (float(part) for part in parts)
        except ValueError:
            raise ParameterError(
                f"{quoted(text)} for {quoted(name)} is not a series.",
                hint="Write the first and the last value, such as 0;10.",
            ) from None
        columns.append((Attribute(name), np.linspace(first, last, n_rows)))
    return ExampleSet.from_columns(columns, n_rows)
